"""Validation of nodes against the JSON Schemas of the project.

Nearly all files are valid. So this module checks them itself, and imports the library that finds
violations only if there are any.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sized
from functools import cache
from typing import Any

from rulesdsl.diagnostics import Report
from rulesdsl.model.nodes import Node, plain
from rulesdsl.read.files import shipped

Schema = dict[str, Any]
MAX_FINDINGS = 100


def validate(node: Node, schema: str, report: Report) -> bool:
    """Return whether `node` satisfies `schemas/<schema>.schema.json`.

    Each violation is reported as one diagnostic, at most `MAX_FINDINGS`.
    """
    whole = load(schema)
    if satisfies(plain(node), whole, whole):
        return True
    from rulesdsl.read.violations import violations  # its library takes long to import

    findings = violations(node, whole)
    report.extend(findings)
    return not findings


@cache
def load(name: str) -> Schema:
    """Return a schema."""
    text = (shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    found: Schema = json.loads(text)
    return found


def identity(item: object) -> str:
    """Return a text that is the same for equal values only."""
    return json.dumps(item, sort_keys=True)


@cache
def expression(pattern: str) -> re.Pattern[str]:
    """Compile a pattern with the semantics of JSON Schema.

    Its `$` matches only at the end of the text, never before a final line end.
    """
    return re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern)


def satisfies(value: Any, schema: Schema | bool, whole: Schema) -> bool:
    """Return whether a value satisfies a schema, which is a part of `whole`.

    Raises KeyError for a keyword that the schemas of the project do not use.
    """
    if isinstance(schema, bool):
        return schema
    return all(
        _KEYWORDS[keyword](value, given, schema, whole)
        for keyword, given in schema.items()
        if keyword not in _WORDS
    )


_WORDS = {"$schema", "$id", "$defs", "title", "description", "then", "else"}
"""Keywords that do not restrict values by themselves."""

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "null": lambda value: value is None,
    "number": lambda value: _is_number(value),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _type(value: Any, given: str | list[str], _schema: Schema, _whole: Schema) -> bool:
    return any(_TYPES[name](value) for name in ([given] if isinstance(given, str) else given))


def _equal(one: object, other: object) -> bool:
    """Compare values; unlike in Python, `true` is not 1."""
    return identity(one) == identity(other) or (
        _is_number(one) and _is_number(other) and one == other
    )


def _reference(value: Any, given: str, _schema: Schema, whole: Schema) -> bool:
    found = whole
    for step in given.removeprefix("#/").split("/"):
        found = found[step]
    return satisfies(value, found, whole)


def _if(value: Any, given: Schema, schema: Schema, whole: Schema) -> bool:
    branch = "then" if satisfies(value, given, whole) else "else"
    return satisfies(value, schema.get(branch, True), whole)


def _additional(value: Any, given: Schema | bool, schema: Schema, whole: Schema) -> bool:
    known = schema.get("properties", {})
    return not isinstance(value, dict) or all(
        satisfies(value[key], given, whole) for key in value if key not in known
    )


def _properties(value: Any, given: Schema, _schema: Schema, whole: Schema) -> bool:
    return not isinstance(value, dict) or all(
        satisfies(value[key], given[key], whole) for key in value if key in given
    )


def _items(value: Any, given: Schema | bool, schema: Schema, whole: Schema) -> bool:
    first = len(schema.get("prefixItems", ()))
    return not isinstance(value, list) or all(
        satisfies(item, given, whole) for item in value[first:]
    )


def _prefix(value: Any, given: list[Schema], _schema: Schema, whole: Schema) -> bool:
    return not isinstance(value, list) or all(
        satisfies(item, part, whole) for item, part in zip(value, given, strict=False)
    )


def _partners(value: Any, given: dict[str, list[str]], _schema: Schema, _whole: Schema) -> bool:
    return not isinstance(value, dict) or all(
        partner in value for key in given if key in value for partner in given[key]
    )


def _size(kind: type[Sized], limit: Callable[[int, int], bool]) -> Callable[..., bool]:
    """Return the check of a limit on the size of values of a kind."""
    return lambda value, given, *_: not isinstance(value, kind) or limit(len(value), given)


_KEYWORDS: Mapping[str, Callable[..., bool]] = {
    "$ref": _reference,
    "additionalProperties": _additional,
    "anyOf": lambda value, given, _, whole: any(satisfies(value, each, whole) for each in given),
    "const": lambda value, given, *_: _equal(value, given),
    "contains": lambda value, given, _, whole: (
        not isinstance(value, list) or any(satisfies(each, given, whole) for each in value)
    ),
    "dependentRequired": _partners,
    "enum": lambda value, given, *_: any(_equal(value, each) for each in given),
    "if": _if,
    "items": _items,
    "maxItems": _size(list, int.__le__),
    "maxLength": _size(str, int.__le__),
    "maximum": lambda value, given, *_: not _is_number(value) or value <= given,
    "minItems": _size(list, int.__ge__),
    "minLength": _size(str, int.__ge__),
    "minProperties": _size(dict, int.__ge__),
    "minimum": lambda value, given, *_: not _is_number(value) or value >= given,
    "not": lambda value, given, _, whole: not satisfies(value, given, whole),
    "oneOf": lambda value, given, _, whole: (
        sum(satisfies(value, each, whole) for each in given) == 1
    ),
    "pattern": lambda value, given, *_: (
        not isinstance(value, str) or expression(given).search(value) is not None
    ),
    "prefixItems": _prefix,
    "properties": _properties,
    "propertyNames": lambda value, given, _, whole: (
        not isinstance(value, dict) or all(satisfies(key, given, whole) for key in value)
    ),
    "required": lambda value, given, *_: (
        not isinstance(value, dict) or all(key in value for key in given)
    ),
    "type": _type,
    "uniqueItems": lambda value, given, *_: (
        not given or not isinstance(value, list) or len(set(map(identity, value))) == len(value)
    ),
}
"""The meaning of each keyword, given the value, that of the keyword, the schema and the whole."""
