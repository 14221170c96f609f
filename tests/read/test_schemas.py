"""The published schemas are good schemas by themselves, and say in words what they are about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulesdsl.read.shipped import shipped

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
    silent = [
        path
        for path, part in parts(SCHEMAS[name])
        if "$ref" not in part and not ("title" in part and "description" in part)
    ]
    assert not silent
