"""What rewrites do to a text, and which edition can be read."""

from __future__ import annotations

import pytest

from rulesdsl import edition as editions
from rulesdsl.diagnostics import Report, Source
from rulesdsl.edition import (
    EDITION,
    Migration,
    Rename,
    Rewrite,
    at,
    edited,
    in_manifest,
    in_rules,
    is_current,
    renamed_call,
    renamed_declaration,
    renamed_key,
    renamed_property,
    replaced_value,
    steps_from,
)
from rulesdsl.model.nodes import Node
from rulesdsl.read.yaml import parse_yaml
from tests.edition.made_up import STEPS


def document(text: str) -> Node:
    node = parse_yaml(Source("a.yaml", text), Report())
    assert node is not None
    return node


@pytest.mark.parametrize(
    ("rewrite", "text", "wanted"),
    [
        (renamed_key("a", to="b"), "a: {a: 1}\n", "b: {a: 1}\n"),
        (renamed_key("a", to="b"), '"a": 1  # a\n', '"b": 1  # a\n'),
        (renamed_key("a", "*", "b", to="c"), "a: [{b: 1}, {d: b}]\n", "a: [{c: 1}, {d: b}]\n"),
        (
            renamed_key("a", "*", "b", to="c"),
            "a:\n  x: {b: 1}\n  b: 2\n",
            "a:\n  x: {c: 1}\n  b: 2\n",
        ),
        (renamed_key("b", to="c"), "a: 1\n", "a: 1\n"),
        (renamed_key("a", "b", to="c"), "a: 1\n", "a: 1\n"),
        (replaced_value("a", by={"x": "y"}), "a: x\nb: x\n", "a: y\nb: x\n"),
        (replaced_value("a", "*", by={"x": "y", "y": "x"}), "a: [x, y, z]\n", "a: [y, x, z]\n"),
        (replaced_value("a", by={"x": "y"}), "a: [x]\n", "a: [x]\n"),
    ],
)
def test_yaml(rewrite: Rewrite, text: str, wanted: str) -> None:
    assert edited(text, rewrite(document(text))) == wanted


@pytest.mark.parametrize(
    ("rename", "text", "wanted"),
    [
        (renamed_declaration("a", "b"), "a a(): a()\n a()\na x\n", "b a(): a()\n a()\nb x\n"),
        (renamed_declaration("a", "b"), "# a\na a()\n", "# a\nb a()\n"),
        (
            renamed_call("a", "b"),
            "x(a(1), a, 'a' , aa(2))  # a(3)",
            "x(b(1), a, 'a' , aa(2))  # a(3)",
        ),
        (
            renamed_call("a", "b"),
            "value a(x) -> int: x.a(1) + a (2)",
            "value a(x) -> int: x.a(1) + b (2)",
        ),
        (renamed_property("a", "b"), "x.a + a.a(1) + a", "x.b + a.b(1) + a"),
        (renamed_property("a", "b"), "1..a", "1..a"),
    ],
)
def test_words(rename: Rename, text: str, wanted: str) -> None:
    span = Source("a.rules", text).span(0, len(text))
    assert edited(text, in_rules(span, rename)) == wanted


def test_words_in_a_manifest() -> None:
    text = """\
when: f(1)
count: 'f(f(2))'
room: {red: f(3)}
other: f(4)
id: f(5)
labels: {en: {count: f(6)}}
"""
    found = edited(text, in_manifest(document(text), renamed_call("f", "g"), ("other",)))
    before, after = text.split("id:")
    assert found == f"{before.replace('f(', 'g(')}id:{after}"


def test_nodes_at_a_path() -> None:
    node = document("a: [{b: 1}, {b: [2, 3]}]\n")
    assert [found.span.text for found in at(node, ("a", "*", "b"))] == ["1", "[2, 3]"]
    assert list(at(node, ())) == [node]


def test_steps_follow_one_another() -> None:
    assert steps_from(EDITION, {}) == []
    assert steps_from(-1, STEPS) == [STEPS[-1], STEPS[0]]
    assert steps_from(-1, {-1: Migration()}) is None
    assert steps_from(-2, STEPS) is None
    assert steps_from(EDITION + 1, STEPS) is None
    # Those that the program knows lead to the edition that it reads, without a gap.
    assert all(steps_from(each, editions.STEPS) is not None for each in editions.STEPS)


@pytest.mark.parametrize(
    ("edition", "message", "help"),
    [
        (0, "is no longer supported", "rewrite it for edition 1: rulesdsl update x.yaml"),
        (-2, "is not supported by this version", "supported: 1"),
        (2, "is not supported by this version", "pip install --upgrade rulesdsl"),
    ],
)
@pytest.mark.usefixtures("made_up")
def test_other_editions(edition: int, message: str, help: str) -> None:
    report = Report()
    node = parse_yaml(Source("x.yaml", f"ruleset: x\nedition: {edition}\n"), report)
    assert node is not None
    assert not is_current(node, report)
    (found,) = report
    assert found.slug == "edition-unknown"
    assert found.message == f"edition {edition} of the language {message}"
    assert help in " ".join(found.help)
    assert found.span is not None
    assert found.span.line == 2


@pytest.mark.parametrize("text", ["edition: 1\n", "edition: one\n", "a: 1\n", "[1]\n"])
def test_what_is_no_other_edition_is_left_to_the_schema(text: str) -> None:
    report = Report()
    assert is_current(document(text), report)
    assert not list(report)
