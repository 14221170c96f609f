"""Any text gives a tree or findings: never an exception, never a declaration that is lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.parse import parse, parse_expression, unparse

TEXT = "\n".join(
    re.findall(
        r"^```rules\n(.*?)^```",
        (Path(__file__).parents[2] / "docs" / "reference" / "language.md").read_text(
            encoding="utf-8"
        ),
        re.MULTILINE | re.DOTALL,
    )
)
PIECES = re.findall(r"\w+|[ \t]+|\n|[^\w\s]+", TEXT)
WORDS = sorted(set(PIECES) | set("'\"#\t\r\0\ufeff\u2028é(){}[]") | {"else", "    ", "1" * 5000})
seldom = settings(max_examples=80)


def flat(declarations: Iterable[ast.Decl]) -> Iterator[ast.Decl]:
    """Yield declarations, and those inside of `with`."""
    for each in declarations:
        yield each
        if isinstance(each, ast.WithDecl):
            yield from flat(each.declarations)


def check(text: str) -> None:
    source, report = Source("text.rules", text), Report()
    module = parse(source, report)
    broken = [d for d in flat(module.declarations) if isinstance(d, ast.Broken)]
    assert all(any(map(finding.lies_in, (d.span for d in broken))) for finding in report)
    # The lines of a body that is not indented share the finding at the line above them.
    silent = [d for d in broken if not any(finding.lies_in(d.span) for finding in report)]
    assert not silent or any(finding.slug == "missing-body" for finding in report)
    for finding in report:
        assert finding.span is not None
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
    if report.ok:
        again = Report()
        assert parse(Source("text.rules", unparse(module)), again) == module
        assert again.ok


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The specification's rules with some tokens deleted, doubled, swapped or replaced."""
    pieces = list(PIECES)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces) - 2))
        match draw(st.sampled_from(["delete", "double", "swap", "replace"])):
            case "delete":
                del pieces[at]
            case "double":
                pieces.insert(at, pieces[at])
            case "swap":
                pieces[at], pieces[at + 1] = pieces[at + 1], pieces[at]
            case "replace":
                pieces[at] = draw(st.sampled_from(WORDS))
    return "".join(pieces)


@seldom
@given(mutated())
def test_mutated_rules(text: str) -> None:
    check(text)


@example("game.a: b\n\nwith hills, lakes:\n    bonus(f): 1\n")
@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_words(text: str) -> None:
    check(f"action f():\n    {text}\n")


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data.decode("latin-1"))


@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_any_expression(text: str) -> None:
    source, report = Source("manifest.yaml", f"count: {text}"), Report()
    expr = parse_expression(source, source.span(7, len(source.text)), report)
    assert (expr is None) == (len(report) == 1)
