"""The published schemas are good schemas by themselves, and say in words what they are about."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from subprocess import run
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from rulesdsl.cli.catalogue import SCHEMAS as SHOWN
from rulesdsl.cli.main import main
from rulesdsl.language.diagnostics import Diagnostic, Report, Source
from rulesdsl.language.model.nodes import Node, Scalar, plain
from rulesdsl.language.read.files import shipped
from rulesdsl.language.read.schema import load, validate, validate_file
from rulesdsl.language.read.violations import _checker
from rulesdsl.language.read.yaml import LOADER, parse_yaml
from tools import docs

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

RULESETS = sorted(shipped("rulesets").rglob("*.yaml"))
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
    return luck.choice(
        [value, value, 0, -1, 1, 2, 1.0, 0.5, 10**9, True, False, None, "", "x", "a b", [], {}]
    )


def documents() -> Iterator[tuple[str, Any]]:
    for path in sorted(shipped("rulesets").rglob("*.yaml")):
        kind = KINDS.get(path.suffixes[0], "ruleset")
        yield kind, plain_of(path)
    for path in sorted(shipped("rulesets").glob("*.game.jsonl"))[:3]:
        yield from (("record", json.loads(line)) for line in path.read_text().splitlines()[:5])


def plain_of(path: Path) -> Any:
    node = parse_yaml(Source(path.name, path.read_text(encoding="utf-8")), Report())
    assert node is not None
    return plain(node)


def test_answers_are_those_of_the_library() -> None:
    luck, answers = Random(1), set()
    for kind, document in documents():
        ours, library = _checker(kind), Draft202012Validator(load(kind))
        for _ in range(40):
            answer = ours.is_valid(document)
            assert answer == library.is_valid(document)
            answers.add(answer)
            if not answer:
                break
            document = changed(document, luck)
    assert answers == {True, False}


def test_the_shipped_files_are_known() -> None:
    said = (shipped("schemas") / "valid.txt").read_text(encoding="ascii")
    assert said == docs.valid(), "run python3 -m tools docs"


def test_a_valid_text_is_not_validated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    texts = ["good", "good", "bad", "bad", "good", "other", "other"]
    validated = []

    def violations(node: Node, _schema: object) -> list[Diagnostic]:
        text = node.span.source.text
        validated.append(text)
        return [Diagnostic("bad-value", text)] if text == "bad" else []

    monkeypatch.setattr("rulesdsl.language.read.violations.violations", violations)
    for text in texts:
        source, report = Source("a.yaml", text), Report()
        assert validate_file(Scalar(source.span(0, 1), text), "ruleset", report) == report.ok
        assert report.ok == (text != "bad")
    assert validated == ["good", "bad", "bad", "other"]


def test_a_shipped_file_needs_no_library() -> None:
    code = "import sys, rulesdsl; rulesdsl.load('base'); print('jsonschema' in sys.modules)"
    command = [sys.executable, "-c", code]
    found = run(
        command, capture_output=True, text=True, env=os.environ | {"RULESDSL_NO_CACHE": "1"}
    )
    assert found.stdout.strip() == "False", found.stderr
