"""Characters that steer a terminal, or hide, are refused wherever a file can hold one."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulesdsl.language.diagnostics import Diagnostic, Report, Source
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.diagnostics.report import first_steering
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.language.read.files import FileProblem, decode, shipped
from rulesdsl.language.read.schema import validate
from rulesdsl.language.read.yaml import parse_yaml
from tests.harmless import ESCAPES, harmful

ROOT = Path(__file__).parents[2]
READ = ("ruleset", "scenarios", "record", "balance", "baseline")
"""The schemas of files that are read."""
WRITTEN = ("diff", "findings", "index", "output", "plan", "why")
"""The schemas of what commands write: their texts were refused, or escaped, before."""
SCHEMAS = {
    name: json.loads((shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8"))
    for name in READ
}
Schema = dict[str, Any]


def test_each_schema_is_read_or_written() -> None:
    names = {path.name.partition(".")[0] for path in shipped("schemas").glob("*.schema.json")}
    assert names == {*READ, *WRITTEN}


@pytest.mark.parametrize("name", READ)
def test_the_definitions_of_texts_are_those_of_the_filter(name: str) -> None:
    for word, code in (("line", False), ("code", True)):
        definition = SCHEMAS[name]["$defs"].get(word, SCHEMAS["ruleset"]["$defs"][word])
        assert definition == SCHEMAS["ruleset"]["$defs"][word]
        pattern = re.compile(definition["pattern"].removesuffix("$") + r"\Z")
        chars = map(chr, range(sys.maxunicode + 1))
        differ = [
            c for c in chars if (first_steering(c, code=code) is None) != bool(pattern.match(c))
        ]
        assert differ == []


# --- every string of every schema ----------------------------------------------------------------


class Walk:
    """The places of a schema at which a text can stand."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.seen: set[str] = set()

    def texts(self, schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
        """The texts, and keys, at and below a place: where, and what is said of them."""
        said = json.dumps(schema, sort_keys=True)
        if said in self.seen:
            return
        self.seen.add(said)
        types: str | list[str] = schema.get("type") or self.target(schema).get("type", "string")
        if "string" in types:
            yield path, schema
        for part in (schema, self.target(schema)):
            yield from self.inside(part, path)

    def target(self, schema: Schema) -> Schema:
        """What a schema refers to."""
        name = schema.get("$ref", "").rpartition("/")[2]
        return self.root["$defs"][name] if name else {}

    def inside(self, part: Schema, path: str) -> Iterator[tuple[str, Schema]]:
        """The texts below a place."""
        known = part.get("properties", {})
        for key, inner in known.items():
            yield from self.texts(inner, f"{path}/{key}")
        if "items" in part:
            yield from self.texts(part["items"], f"{path}/0")
        more = part.get("additionalProperties")
        if isinstance(more, dict):
            yield from self.texts(more, f"{path}/*")
            yield f"{path}/(key)", part.get("propertyNames", {})
        for branch in self.branches(part):
            for key in branch.get("properties", {}):
                if key not in known:
                    yield from self.texts(branch["properties"][key], f"{path}/{key}")

    def branches(self, part: Schema) -> Iterator[Schema]:
        for word in ("then", "else"):
            if word in part:
                yield part[word]
                yield from self.branches(part[word])


def places(name: str) -> list[tuple[str, Schema]]:
    root = SCHEMAS[name]
    return list(Walk(root).texts(root, "")) + [
        (f"$defs/{key}/{path}", schema)
        for key, each in root["$defs"].items()
        for path, schema in Walk(root).texts(each, "")
    ]


@pytest.mark.parametrize("name", READ)
def test_every_string_refuses_them(name: str) -> None:
    found = places(name)
    open_to: list[str] = []
    for path, schema in found:
        whole = {**schema, "$defs": SCHEMAS[name]["$defs"]}
        takes = Draft202012Validator(whole).is_valid
        refused = [text for text in ESCAPES if text != "\x0b"]
        open_to += [f"{path}: {text!a}" for text in refused if takes(f"a{text}b")]
    assert open_to == []
    fewest = {"ruleset": 60, "scenarios": 25, "record": 10, "balance": 5, "baseline": 3}
    assert len(found) > fewest[name]


# --- every text of files that are valid ----------------------------------------------------------


def scalars(node: Node) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case Sequence():
            for item in node:
                yield from scalars(item)
        case Mapping():
            for key, value in node:
                yield key
                yield from scalars(value)


FILES = {
    "ruleset": [
        *sorted((ROOT / "tests" / "games").glob("[a-z]*s.yaml")),
        ROOT / "rulesets/base.yaml",
    ],
    "scenarios": [ROOT / "tests/games/stones.test.yaml", ROOT / "tests/games/vault.test.yaml"],
}


@pytest.mark.parametrize("kind", FILES)
def test_each_text_of_a_file_refuses_an_escape(kind: str) -> None:
    """A character in a double-quoted text is found at its escape, with its code point."""
    tried = 0
    for path in FILES[kind]:
        source = Source(path.name, path.read_text(encoding="utf-8"))
        node = parse_yaml(source, Report())
        if node is None or not validate(node, kind, Report()):
            continue
        texts = [each for each in scalars(node) if isinstance(each.value, str)]
        for each in texts[:: max(1, len(texts) // 60)]:
            at = each.span
            # Keys that the schema names are no texts of the author's.
            spoilt = json.dumps(f"{each.value}\u202e")
            text = source.text[: at.start] + spoilt + source.text[at.end :]
            found = spoilt_by(text, kind)
            assert found, f"{path.name}:{at.line} {each.value}"
            hidden = [f for f in found if f.slug == "hidden-character"]
            if hidden:
                tried += 1
                assert [f.span.text for f in hidden if f.span] == ["\\u202e"]
                assert "U+202E (RIGHT-TO-LEFT OVERRIDE)" in hidden[0].message
                assert hidden[0].help
            assert harmful(render(found)) == []
    assert tried > 30


def spoilt_by(text: str, kind: str) -> list[Diagnostic]:
    report = Report()
    node = parse_yaml(Source("a.yaml", text), report)
    if node is not None:
        validate(node, kind, report)
    return report.sorted()


HEAD = "ruleset: a\nedition: 1\nversion: 1.0.0\n"


@pytest.mark.parametrize("char", ["\x1b", "\n", "\r", "\t", "\x85", "\u2028", "\u202e", "\u200b"])
def test_a_label_is_one_line_of_what_can_be_seen(char: str) -> None:
    escape = f"\\u{ord(char):04x}"
    (found,) = spoilt_by(f'{HEAD}labels: {{en: {{a: "b{escape}c"}}}}\n', "ruleset")
    assert (found.slug, found.span and found.span.text) == ("hidden-character", escape)
    assert f"U+{ord(char):04X}" in found.message
    assert "is not allowed in `a`" in found.message
    assert found.help


def test_a_line_end_at_the_end_of_an_id_is_refused() -> None:
    (found,) = spoilt_by(HEAD.replace("a\n", '"a\\n"\n', 1), "ruleset")
    assert (found.slug, found.span and found.span.text) == ("hidden-character", "\\n")
    (found,) = spoilt_by(f"{HEAD}labels:\n  en:\n    a: >\n      folded\n", "ruleset")
    assert found.slug == "hidden-character"


def test_expressions_may_take_several_lines() -> None:
    text = f"{HEAD}tiles:\n  - id: b\n    count: |\n      1 +\n      1\n"
    assert spoilt_by(text, "ruleset") == []


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [each for each in ESCAPES if each not in ("\0", "\ud800")])
@pytest.mark.parametrize("name", ["a.yaml", "a.rules", "a.jsonl"])
def test_no_file_holds_one(text: str, name: str) -> None:
    with pytest.raises(FileProblem) as refused:
        decode(f"first\n# é {text} comment\n".encode(), name)
    assert refused.value.slug == "hidden-character"
    span = refused.value.span
    assert span is not None
    assert (span.line, span.column, span.text) == (2, 5, text[:1])
    assert f"U+{ord(text[0]):04X}" in refused.value.message


def test_line_ends_tabs_and_a_byte_order_mark_are_no_such_characters() -> None:
    text = "a: 1\r\n\t# b\n\u0440\u200d\r\n"
    assert decode(b"\xef\xbb\xbf" + text.encode(), "a.yaml").text == text
