"""The published schemas are good schemas by themselves, and say in words what they are about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from rulesdsl.cli.arguments import SCHEMAS as SHOWN
from rulesdsl.cli.main import main
from rulesdsl.diagnostics import Report, Source
from rulesdsl.read import parse_yaml, validate
from rulesdsl.read.files import shipped
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
    kind = "scenarios" if path.name.endswith(".test.yaml") else "ruleset"
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
