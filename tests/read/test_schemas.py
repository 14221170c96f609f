"""The published schemas are good schemas by themselves, and say in words what they are about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from rulesdsl.cli.catalogue import SCHEMAS as SHOWN
from rulesdsl.cli.main import main
from rulesdsl.diagnostics import Report, Source
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence, plain
from rulesdsl.read import parse_yaml, validate
from rulesdsl.read.files import shipped
from rulesdsl.read.schema import _INNER, _RULES, load
from rulesdsl.read.yaml import LOADER

FILES = sorted(shipped("schemas").glob("*.schema.json"))
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in FILES}


def parts(schema: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema that a value or key of a file is described by."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for word in ("properties", "$defs"):
        for key, inner in schema.get(word, {}).items():
            yield from parts(inner, f"{path}/{word}/{key}")
    for word in ("items", "additionalProperties", "propertyNames"):
        yield from parts(schema.get(word), f"{path}/{word}")


def test_there_are_schemas() -> None:
    assert "ruleset.schema.json" in SCHEMAS


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].startswith("urn:rulesdsl:schema:")


@pytest.mark.parametrize("name", SCHEMAS)
def test_everything_is_described(name: str) -> None:
    """What only programs read needs one text; editors show both to people who write a file."""
    enough = any if name == "plan.schema.json" else all
    silent = [
        path
        for path, part in parts(SCHEMAS[name])
        if "$ref" not in part and not enough(key in part for key in ("title", "description"))
    ]
    assert not silent


# --- by any tool ---------------------------------------------------------------------------------

RULESETS = sorted(shipped("rulesets").glob("*.yaml"))
KINDS = {".test": "scenarios", ".balance": "balance"}
MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")
MISTAKES = yaml.safe_load(
    (Path(__file__).with_name("manifest_mistakes.yaml")).read_text(encoding="utf-8")
)


@pytest.mark.parametrize("path", RULESETS, ids=lambda path: str(path.name))
def test_editors_find_the_schema_of_a_shipped_file_and_have_nothing_to_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    modeline = MODELINE.match(text)
    assert modeline is not None
    schema = (path.parent / modeline[1]).resolve()
    kind = KINDS.get(path.suffixes[0], "ruleset")
    assert schema == shipped("schemas").resolve() / f"{kind}.schema.json"
    errors = Draft202012Validator(SCHEMAS[schema.name]).iter_errors(yaml.load(text, LOADER))
    assert [error.message for error in errors] == []


def of_schema(text: str) -> tuple[Any, bool] | None:
    """A manifest that YAML reads without a doubt, and whether our checker says that it fits."""
    report = Report()
    node = parse_yaml(Source("a.yaml", text), report)
    if node is None or not report.ok:
        return None
    return yaml.load(text, LOADER), validate(node, "ruleset", Report())


def test_any_tool_finds_what_ours_does() -> None:
    plain = Draft202012Validator(SCHEMAS["ruleset.schema.json"])
    told = [found for case in MISTAKES if (found := of_schema(case["text"])) is not None]
    assert [fits for _, fits in told] == [plain.is_valid(data) for data, _ in told]
    assert sum(not fits for _, fits in told) > 30


def test_all_schemas_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert [f"{name}.schema.json" for name in SHOWN] == sorted(SCHEMAS)
    for name in SHOWN:
        assert main(["show", "schema", name]) == 0
        assert json.loads(capsys.readouterr().out) == SCHEMAS[f"{name}.schema.json"]


def changed(value: Any, luck: Random) -> Any:
    """A copy of a document in which a part may be replaced, removed, doubled or renamed."""
    if isinstance(value, dict) and value and luck.random() < 0.8:
        key = luck.choice(list(value))
        rest = {name: value[name] for name in value if name != key}
        new = luck.choice([key, key, key, f"{key}X", ""])
        return luck.choice([rest, {**rest, new: changed(value[key], luck)}])
    if isinstance(value, list) and value and luck.random() < 0.8:
        at = luck.randrange(len(value))
        return [*value[:at], changed(value[at], luck), *luck.choice([value[at:], value[at + 1 :]])]
    return luck.choice([value, value, 0, -1, 1, 2, 10**9, True, False, "", "x", "a b", [], {}])


def documents() -> Iterator[tuple[str, Any]]:
    for path in sorted(shipped("rulesets").glob("*.yaml")):
        kind = KINDS.get(path.suffixes[0], "ruleset")
        yield kind, plain_of(path)
    for path in sorted(shipped("rulesets").glob("*.game.jsonl"))[:3]:
        yield from (("record", json.loads(line)) for line in path.read_text().splitlines()[:5])


def plain_of(path: Path) -> Any:
    node = parse_yaml(Source(path.name, path.read_text(encoding="utf-8")), Report())
    assert node is not None
    return plain(node)


def node_of(value: Any) -> Node:
    span = Source("a.yaml", "").span(0, 0)
    if isinstance(value, dict):
        return Mapping(
            span, tuple((Scalar(span, key), node_of(each)) for key, each in value.items())
        )
    if isinstance(value, list):
        return Sequence(span, tuple(map(node_of, value)))
    return Scalar(span, value)


def test_answers_are_those_of_the_library() -> None:
    luck, answers = Random(1), set()
    for kind, document in documents():
        library = Draft202012Validator(load(kind))
        for _ in range(40):
            answer = library.is_valid(document)
            assert validate(node_of(document), kind, Report()) == answer
            answers.add(answer)
            if not answer:
                break
            document = changed(document, luck)
    assert answers == {True, False}


WORDS = {"$schema", "$id", "$defs", "title", "description", "then", "else"}
"""The keywords without a meaning of their own."""


@pytest.mark.parametrize("kind", ["ruleset", "scenarios", "balance", "record", "baseline"])
def test_every_keyword_has_a_meaning(kind: str) -> None:
    unknown = {word for _, part in parts(load(kind)) for word in part} - WORDS
    assert unknown <= {*_INNER, *_RULES}
