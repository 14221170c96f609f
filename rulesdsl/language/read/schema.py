"""Validation of nodes against the JSON Schemas of the project.

The library that validates takes a tenth of a start to import. So texts that are known to be valid
are not validated again: those that are shipped, and the last valid text of each file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any

from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import Node
from rulesdsl.language.read.files import shipped

Schema = dict[str, Any]
Step = str | int
"""A key of a mapping, or the number of an item in a list."""
MAX_FINDINGS = 100


def validate(node: Node, schema: str, report: Report) -> bool:
    """Return whether `node` satisfies `schemas/<schema>.schema.json`.

    Each violation is reported as one diagnostic, at most `MAX_FINDINGS`.
    """
    from rulesdsl.language.read.violations import violations  # its library takes long to import

    findings = violations(node, schema)
    report.extend(findings)
    return not findings


def validate_file(document: Node, schema: str, report: Report) -> bool:
    """Return the result of `validate` for the document of a whole file, which may be known."""
    source = document.span.source
    if is_known(source, schema):
        return True
    valid = validate(document, schema, report)
    if valid:
        remember(source, schema)
    return valid


def is_known(source: Source, schema: str) -> bool:
    """Return whether the text of a file is known to satisfy a schema."""
    digest = key_of(source.text, schema)
    return digest in _shipped() or Cache.of_user().get(_entry(source, schema)) == digest.encode()


def remember(source: Source, schema: str) -> None:
    """Note that the text of a file satisfies a schema, until the file has another valid text."""
    Cache.of_user().put(_entry(source, schema), key_of(source.text, schema).encode())


def key_of(text: str, schema: str) -> str:
    """Return a digest of a text and the schema that it satisfies."""
    return sha256(f"{_text(schema)}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _entry(source: Source, schema: str) -> str:
    return entry_name("valid", f"{schema} {source.name}".encode("utf-8", "surrogatepass"), "txt")


@cache
def _shipped() -> frozenset[str]:
    """Return the keys of the shipped texts; `python3 -m tools docs` writes them."""
    return frozenset((shipped("schemas") / "valid.txt").read_text(encoding="ascii").split())


@cache
def _text(name: str) -> str:
    return (shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")


@cache
def load(name: str) -> Schema:
    """Return a schema."""
    found: Schema = json.loads(_text(name))
    return found


def at(root: Schema, steps: Iterable[Step]) -> Schema:
    """Return the schema of the value that steps lead to, empty if the schema has none for it."""
    found = followed(root, root)
    for step in steps:
        found = inside(root, found, step)
    return found


def inside(root: Schema, found: Schema, step: Step) -> Schema:
    """Return the schema of what is at a step in a value of a schema."""
    if isinstance(step, int):
        inner = found.get("items", found)
    else:
        inner = found.get("properties", {}).get(step, found.get("additionalProperties", {}))
    return followed(root, inner if isinstance(inner, dict) else {})


def followed(root: Schema, found: Schema) -> Schema:
    """Return a schema merged with the one that it refers to; its own entries win."""
    while "$ref" in found:
        target = root["$defs"][str(found["$ref"]).rpartition("/")[2]]
        found = {**target, **{key: value for key, value in found.items() if key != "$ref"}}
    return found
