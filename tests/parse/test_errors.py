"""Every mistake is one finding, at its place, in the author's words.

In `errors/*.rules` a comment `#! SLUG COLUMN MESSAGE` at the end of a line expects one finding in
that line; nothing else may be found in the file.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from rulesdsl.language.diagnostics import Diagnostic, Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.parse import parse

CORPUS = sorted((Path(__file__).parent / "errors").glob("*.rules"))
EXPECTED = re.compile(r"#! (?P<slug>\S+) (?P<column>\d+) (?P<message>.+)$")


def findings(text: str) -> list[Diagnostic]:
    report = Report()
    parse(Source("text.rules", text), report)
    return report.sorted()


def place(finding: Diagnostic) -> tuple[int, int]:
    assert finding.span is not None
    return finding.span.line, finding.span.column


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_corpus_gives_exactly_what_it_expects(path: Path) -> None:
    text = path.read_bytes().decode()
    expected = [
        (match["slug"], (number, int(match["column"])), match["message"])
        for number, line in enumerate(text.split("\n"), 1)
        if (match := EXPECTED.search(line))
    ]
    assert expected
    assert [(f.slug, place(f), f.message) for f in findings(text)] == expected


def test_four_mistakes_leave_the_rest_of_the_tree() -> None:
    path = Path(__file__).parent / "errors" / "four.rules"
    report = Report()
    module = parse(Source(path.name, path.read_text(encoding="utf-8")), report)
    assert len(report) == 4
    broken = [d.name for d in module.declarations if isinstance(d, ast.Broken)]
    assert broken == ["first", "second", "third", None]
    sound = [d for d in module.declarations if not isinstance(d, ast.Broken)]
    assert [type(d) for d in sound] == [ast.StateDecl, ast.ActionDecl, ast.ValueDecl]


@pytest.mark.parametrize(
    ("text", "help_line"),
    [
        ("valu f() -> int: 1", "did you mean `value`?"),
        ("value f() -> int, summ: 1", "did you mean `sum`?"),
        ("value f() -> int: 3 % 2", "write `mod` for the remainder"),
        ("value f() -> int: 3 / 2", "divide integers with `div`"),
        ("value f() -> bool: a && b", "write `and`"),
        ("value f() -> bool: 1 < 2 < 3", "join two comparisons with `and`"),
        ("action f():\n    if a: b()\n    elif c: d()", "write `else if`"),
        ("action f():\n    if a = 3: b()", "`==` compares"),
        ("action f():", "write `nothing` for a body that does nothing"),
        ("action f():\n    whle a: b()", "did you mean `while`?"),
        ("action f():\n    retrun 3", "did you mean `return`?"),
        ("action f():\n    lett x = 3", "did you mean `let`?"),
        ("action f():\n      a()\n    b()", "line 3 of the same block begins in column 5"),
        ("action f():\n    lte x = 3", "did you mean `let`?"),
        ("action f():\n    lte x: int = 3", "did you mean `let`?"),
        ("action f():\n    vra x = 3", "did you mean `var`?"),
        ("action f():\n    fro x in a: b()", "did you mean `for`?"),
        ("action f():\n    latre b()", "did you mean `later`?"),
        ("action f():\n    when a: b()\n    otherwhen: c()", "did you mean `otherwise`?"),
        ("action f():\n    if a: b()\n    esle: c()", "did you mean `else`?"),
        ("action f():\n    if a adn b: c()", "did you mean `and`?"),
        ("action f():\n    for x in a wher x: c()", "did you mean `where`?"),
        ("choice f() by p:\n    options a: b()", "did you mean `option`?"),
        ("state player.score = 0", "say its type before the first value: `: int = …`"),
    ],
)
def test_help_says_what_to_write(text: str, help_line: str) -> None:
    (finding,) = findings(text)
    assert finding.help == (help_line,)


def test_an_open_bracket_shows_where_it_was_noticed() -> None:
    (finding,) = findings("action f():\n    move(a, b\n    score(p)\n")
    (label,) = finding.labels
    assert place(finding) == (2, 9)
    assert (label.span.line, label.span.column, label.span.text) == (3, 5, "score")


DEEP = {
    "blocks": "action f():\n"
    + "".join(f"{'    ' * n}if a:\n" for n in range(1, 300))
    + "    " * 300
    + "nothing\n",
    "operators": f"value f() -> bool: {'not ' * 5000}a\n",
    "a sum": f"value f() -> int: {' + '.join(['1'] * 5000)}\n",
    "indexes": f"value f() -> int: {'a[' * 2000}1{']' * 2000}\n",
    "attributes": f"value f() -> int: a{'.b' * 5000}\n",
    "lines in a line": f"action f(): {'if a: ' * 2000}nothing\n",
    "else if": "action f():\n    if a: b()\n" + "    else if a: b()\n" * 2000,
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_one_finding(name: str) -> None:
    assert [finding.slug for finding in findings(DEEP[name])] == ["nested-too-deep"]


def test_brackets_that_mean_nothing_are_no_nesting() -> None:
    assert findings(f"value f() -> int: {'(' * 2000}1{')' * 2000}\n") == []


def test_only_brackets() -> None:
    assert [f.slug for f in findings("action f(): a" + "(" * 15_000)] == ["unclosed"]


@pytest.mark.parametrize("run", ["-", "not ", "1 if 1 else ", "f(", "[", "a: "])
def test_a_text_of_one_sign_is_refused_soon(run: str) -> None:
    begin = time.process_time()
    assert findings(f"value x() -> int: {run * (500_000 // len(run))}1\n")
    assert time.process_time() - begin < 10


def test_many_mistakes_in_one_text_take_no_time() -> None:
    begin = time.process_time()
    assert len(findings("action f():\n" + "    x = =\n" * 20_000)) <= 100
    assert len(findings("a:\n" * 100_000)) <= 101
    assert time.process_time() - begin < 10


def test_empty_lines_at_the_end_take_no_time() -> None:
    begin = time.process_time()
    assert findings("value x() -> int: 1" + "\n" * 900_000) == []
    assert time.process_time() - begin < 10
