"""Data as YAML the way scenarios are written: short things on a line, each move on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rulesdsl.read.scalars import interpret

WIDTH = 100
_BLOCK = re.compile(r"[\w(][^#\n]*(?<![ :])")
_FLOW = re.compile(r"[\w(][^#\n,\[\]{}]*(?<![ :])")


def scalar(value: object, flow: bool) -> str:
    """A text, number or boolean, in quotes if it could be read otherwise."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    found = str(value)
    fits = (_FLOW if flow else _BLOCK).fullmatch(found)
    if fits and ": " not in found and interpret(found) == found:
        return found
    return "'" + found.replace("'", "''") + "'"


def flow(value: object) -> str:
    """Any value on one line."""
    match value:
        case Mapping():
            inside = (f"{scalar(key, True)}: {flow(item)}" for key, item in value.items())
            return "{" + ", ".join(inside) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(flow, value)) + "]"
        case _:
            return scalar(value, True)


def block(value: object, indent: int) -> list[str]:
    """A mapping or a list on lines of its own: what is in it on one line each, where that fits."""
    if isinstance(value, Mapping):
        return [line for key, item in value.items() for line in _entry(key, item, indent)]
    assert isinstance(value, Sequence), "only mappings and lists take several lines"
    return [line for item in value for line in _item(item, indent)]


def item(value: Mapping[str, object], indent: int) -> list[str]:
    """A mapping as an item of a list, key by key; no list or mapping of texts is put on one line
    with the key of moves and conditions."""
    first, *rest = block(value, indent + 2)
    return [" " * indent + "- " + first.lstrip(), *rest]


def _entry(key: object, value: object, indent: int) -> Iterator[str]:
    begin = " " * indent + scalar(key, False) + ":"
    if not isinstance(value, (Mapping, list, tuple)):
        yield f"{begin} {scalar(value, False)}"
    elif not value or (not _spread(key, value) and len(begin) + 1 + len(flow(value)) <= WIDTH):
        yield f"{begin} {flow(value)}"
    else:
        yield begin
        yield from block(value, indent + 2)


_SPREAD = ("board", "moves", "expect", "holds", "legal", "illegal", "offered")


def _spread(key: object, value: object) -> bool:
    """Is it read more easily on several lines, however short it is?"""
    return key in _SPREAD and bool(value)


def _item(value: object, indent: int) -> Iterator[str]:
    begin = " " * indent + "- "
    if not isinstance(value, (Mapping, list, tuple)):
        yield begin + scalar(value, False)
    elif len(begin) + len(flow(value)) <= WIDTH or not isinstance(value, Mapping):
        yield begin + flow(value)
    else:
        yield from item(value, indent)
