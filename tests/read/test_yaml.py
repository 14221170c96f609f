"""YAML texts as nodes: values, positions, comments, limits, and every mistake in its place."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence, plain
from rulesdsl.language.read.yaml import MAX_FINDINGS, parse_yaml

MISTAKES = yaml.safe_load(
    (Path(__file__).parent / "yaml_mistakes.yaml").read_text(encoding="utf-8")
)


def read(text: str) -> tuple[Node | None, Report]:
    report = Report()
    return parse_yaml(Source("f.yaml", text), report), report


def good(text: str) -> Node:
    node, report = read(text)
    assert node is not None, list(report)
    assert len(report) == 0
    return node


def lines(report: Report) -> list[str]:
    return [
        f"{found.slug} {found.span.line}:{found.span.column} {found.message}"
        for found in report
        if found.span is not None
    ]


def walk(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case Sequence():
            for item in node:
                yield from walk(item)
        case Mapping():
            for key, value in node:
                yield key
                yield from walk(value)
        case Scalar():
            pass


def comments(node: Node) -> list[str]:
    return [
        line
        for each in walk(node)
        for line in (*each.comments.before, *each.comments.after.split("\n"))
        if line
    ]


@pytest.mark.parametrize("case", MISTAKES, ids=[case["why"] for case in MISTAKES])
def test_mistakes(case: dict[str, Any]) -> None:
    node, report = read(case["text"])
    assert lines(report) == case["found"]
    assert node is None


@pytest.mark.parametrize("case", MISTAKES, ids=[case["why"] for case in MISTAKES])
def test_mistakes_without_the_fast_parser(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulesdsl.language.read.yaml.LOADER", yaml.SafeLoader)
    _, report = read(case["text"])
    kinds = [found.split(":")[0] for found in lines(report)]
    assert kinds == [found.split(":")[0] for found in case["found"]]


VALUES: list[tuple[str, object]] = [
    ("true", True),
    ("false", False),
    ("0", 0),
    ("-0", 0),
    ("42", 42),
    ("-2147483648", -(2**31)),
    ("'42'", "42"),
    ('"true"', "true"),
    ("N", "N"),
    ("y", "y"),
    ("none", "none"),
    ("N-E", "N-E"),
    ("-x", "-x"),
    ("1.2.3", "1.2.3"),
    ("1..9", "1..9"),
    ("int 0..9", "int 0..9"),
    ("int 0..9 # why", "int 0..9"),
    ("2 players", "2 players"),
    ("2001-01-01", "2001-01-01"),
    ("a  b", "a  b"),
    ("4 if settings.a else 5", "4 if settings.a else 5"),
    ("|\n a\n  b\n", "a\n b\n"),
    (">\n a\n b\n", "a b\n"),
    ('"\\u00eb\\n"', "ë\n"),
    ("[]", []),
    ("{}", {}),
    ("[a, 1, {b: true}]", ["a", 1, {"b": True}]),
    ("- a\n- - b\n", ["a", ["b"]]),
    ("a: 1\nb: {'no': 2}\n", {"a": 1, "b": {"no": 2}}),
    ("? a\n: 1\n", {"a": 1}),
    ("a: &x [1, 2]\nb: *x\n", {"a": [1, 2], "b": [1, 2]}),
    ("---\na\n...\n", "a"),
    ("\ufeff\r\na: 1\r\n", {"a": 1}),
    ("a: ''\n", {"a": ""}),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[repr(text) for text, _ in VALUES])
def test_values(text: str, value: object) -> None:
    found = plain(good(text))
    assert found == value
    assert type(found) is type(value)


SPANS = [
    ("a: 1", ["a: 1", "a", "1"]),
    (
        "\ufeffa: 'x y'\r\nb:\r\n  - c\r\n",
        ["a: 'x y'\r\nb:\r\n  - c", "a", "'x y'", "b", "- c", "c"],
    ),
    ("[a, {b: c}]  # d", ["[a, {b: c}]", "a", "{b: c}", "b", "c"]),
    ("a: &x foo bar # c\n", ["a: &x foo bar", "a", "foo bar"]),
    ("a: |\n  x\n   y\n\nb: 1\n", ["a: |\n  x\n   y\n\nb: 1", "a", "|\n  x\n   y", "b", "1"]),
    (
        "- ë🎲\n-   x: 1\n    y: 2\n",
        ["- ë🎲\n-   x: 1\n    y: 2", "ë🎲", "x: 1\n    y: 2", "x", "1", "y", "2"],
    ),
]


@pytest.mark.parametrize(("text", "spans"), SPANS)
def test_spans(text: str, spans: list[str]) -> None:
    assert [node.span.text for node in walk(good(text))] == spans


_SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**31), 2**31 - 1),
    st.text("abcNyes 01.:-#'\"[]{}&*!|>%@`,ë🎲", max_size=12),
)
_KEYS = st.text("abcNyes 01.:-#'\"ë🎲", min_size=1, max_size=6)
_DATA = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200)
@given(_DATA, st.sampled_from([True, False, None]), st.sampled_from(["\n", "\r\n"]))
def test_every_position_is_where_the_value_is_written(
    data: object, flow: bool | None, newline: str
) -> None:
    text = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True, width=10**6)
    node, report = read(text.replace("\n", newline))
    if node is None:
        # Some words are plain for PyYAML but doubtful here.
        assert {found.slug for found in report} <= {"yaml-scalar", "yaml-key"}
    assume(node is not None)
    assert node is not None
    assert plain(node) == data
    for each in walk(node):
        if isinstance(each, Scalar):
            assert plain(good(each.span.text)) == each.value


COMMENTED = """\
# head

a: 1  # one
# above b
b:  # beside b
  # above c
  - c  # beside c

  - {d: 1, # inside
     # above e
     e: 2}  # beside flow
  -  # beside dash
    f: '#no'
# at the end
"""


def test_comments_stay_with_their_nodes() -> None:
    root = good(COMMENTED)
    assert isinstance(root, Mapping)
    (a, one), (b, items) = root.entries
    assert root.comments.before == ("# head", "")
    assert root.comments.after == "# at the end"
    assert (a.comments.before, one.comments.after) == ((), "# one")
    assert (b.comments.before, b.comments.after) == (("# above b",), "# beside b")
    assert isinstance(items, Sequence)
    c, flow, last = items
    assert items.comments.before == ("# above c",)
    assert c.comments.after == "# beside c"
    assert flow.comments.before == ("",)
    assert flow.comments.after == "# beside flow"
    assert isinstance(flow, Mapping)
    assert [key.comments.before for key, _ in flow] == [(), ("# above e",)]
    assert last.comments.before == ("# beside dash",)


_LINES = ["a: 1", "b:", "  - c", "  - {d: 1,", "     e: [2,", "     3]}", "f: {g: 'x'}", "h: &i j"]


@given(st.lists(st.integers(0, 3), min_size=len(_LINES) + 1, max_size=len(_LINES) + 1))
def test_no_comment_is_lost_or_doubled(where: list[int]) -> None:
    text = []
    for number, (line, what) in enumerate(zip([*_LINES, ""], where, strict=True)):
        text += [f"  # above {number}"] * (what in (1, 3))
        text += [line + f" # beside {number}" * (what in (2, 3))]
    written = [line[line.index("#") :] for line in text if "#" in line]
    assert Counter(comments(good("\n".join(text)))) == Counter(written)


def test_a_bomb_of_aliases_is_stopped() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30)
    )
    _, report = read(bomb)
    assert [found.slug for found in report] == ["yaml-too-large"]


def test_aliases_cannot_nest_too_deeply() -> None:
    deep = "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 50))
    _, report = read(deep)
    assert [found.slug for found in report] == ["yaml-too-deep"]


@pytest.mark.parametrize(
    "text", ["[" * 500_000, "- " * 500_000, "{a: " * 200_000, "? " * 500_000, "[{" * 300_000]
)
def test_deep_nesting_is_refused_at_once(text: str) -> None:
    started = time.perf_counter()
    _, report = read(text)
    assert [found.slug for found in report] == ["yaml-too-deep"]
    assert time.perf_counter() - started < 5


def test_many_mistakes_are_shown_up_to_a_limit() -> None:
    _, report = read("- yes\n" * 10_000)
    assert len(report) == MAX_FINDINGS


@settings(max_examples=500)
@given(st.text("ab:-[]{},#&*!|>'\"%@` \n\t01.~?<=yesno\r\ufeff\x85\x00", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    node, report = read(text)
    assert (node is None) == (len(report) > 0)
    for found in report:
        assert found.span is not None
        assert 0 <= found.span.start <= found.span.end <= len(text)
    for each in walk(node) if node else ():
        assert 0 <= each.span.start <= each.span.end <= len(text)
