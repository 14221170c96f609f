"""What a schema says about a place in a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from rulesdsl.lsp.complete.yaml_place import Step, place_at
from rulesdsl.read.files import shipped

Schema = Mapping[str, Any]

_WORD = re.compile(r"[A-Za-z_$][\w-]*")
_COLON = re.compile(r"[ \t]*:(?=\s|\Z)")


@cache
def schema(name: str) -> Schema:
    """The schema of a kind of file."""
    text = (shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8")
    found: Schema = json.loads(text)
    return found


def at(root: Schema, steps: Iterable[Step]) -> Schema:
    """The schema of the value that steps lead to; an empty one where nothing is said."""
    found = _followed(root, root)
    for step in steps:
        if isinstance(step, int):
            inner = found.get("items", {})
        else:
            inner = found.get("properties", {}).get(step, found.get("additionalProperties", {}))
        found = _followed(root, inner if isinstance(inner, dict) else {})
    return found


def _followed(root: Schema, found: Schema) -> Schema:
    """A schema with what it refers to; what it says itself counts more."""
    while "$ref" in found:
        name = str(found["$ref"]).rpartition("/")[2]
        target = root["$defs"][name]
        found = {**target, **{key: value for key, value in found.items() if key != "$ref"}}
    return found


def keys(root: Schema, found: Schema) -> Iterable[tuple[str, Schema]]:
    """The keys that a schema names, with what it says of each."""
    for name, inner in found.get("properties", {}).items():
        yield name, _followed(root, inner)


def values(found: Schema) -> Iterable[str]:
    """The values that a schema lists, as they are written."""
    listed = found.get("enum", [found["const"]] if "const" in found else [])
    for value in listed:
        yield json.dumps(value) if isinstance(value, bool) else str(value)
    types = found.get("type", ())
    if "boolean" in ([types] if isinstance(types, str) else types):
        yield from ("true", "false")


def is_named(root: Schema, steps: Sequence[Step]) -> bool:
    """Whether the last key of these steps is one that the schema names; an item is as its list."""
    keys = (number for number in reversed(range(len(steps))) if isinstance(steps[number], str))
    last = next(keys, None)
    return last is None or steps[last] in at(root, steps[:last]).get("properties", {})


def holds_mapping(found: Schema) -> bool:
    """Whether a mapping may stand where the schema holds."""
    types = found.get("type", ())
    return "object" in ([types] if isinstance(types, str) else types)


def told_of_key(root: Schema, text: str, offset: int) -> tuple[int, int, str] | None:
    """Of the key of a YAML text at an offset: where it begins and ends, and what the schema says of
    it; None where there is no key that the schema names."""
    word = next((w for w in _WORD.finditer(text) if w.start() <= offset <= w.end()), None)
    if word is None or not _COLON.match(text, word.end()):
        return None
    place = place_at(text, word.start())
    steps = (*place.steps, word[0])
    if not place.key or not is_named(root, steps):
        return None
    found = at(root, steps)
    told = f"**{word[0]}**: {found.get('title', '')}\n\n{found.get('description', '')}"
    return word.start(), word.end(), told
