"""Blocks of `store`, where sets and lists of frames are kept (see `rulesdsl.core.keep`)."""

from __future__ import annotations

from rulesdsl.core.keep import HEADER as BLOCK
from rulesdsl.lower.tables.encoding import NONE, Encoding, set_item
from rulesdsl.model.types import Type
from rulesdsl.model.values import Value
from rulesdsl.run.lowered.machine import Tables

Items = tuple[tuple[Value, ...], ...]
"""What a loop visits, round by round."""


def read_value(encoding: Encoding, tables: Tables, number: int, type_: Type) -> Value:
    """The value that a slot with that number holds."""
    item = set_item(type_)
    if item is None:
        return encoding.decode(number, type_)
    if number == NONE:
        return None
    return tuple(encoding.decode(each, item) for each in kept(tables, number))


def kept(tables: Tables, handle: int) -> list[int]:
    """What a block of `store` holds."""
    if handle <= 0:
        return []
    store = tables["store"]
    first = handle + BLOCK
    return store[first : first + store[handle + 2]]


def keep(tables: Tables, slot: int, items: list[int]) -> None:
    """Let `stack[slot]`, which holds nothing yet, hold a block with these items."""
    if not items:
        return
    store, block = tables["store"], max(tables["store_free"][0], 1)
    end = block + BLOCK + len(items)
    if end > len(store):
        raise OverflowError("too much is kept")
    store[block:end] = [slot, len(items), len(items), *items]
    tables["store_free"][0] = end
    tables["stack"][slot] = block


def rows(encoding: Encoding, numbers: list[int], types: tuple[Type, ...]) -> Items:
    """Numbers in rows of these types."""
    width = len(types)
    return tuple(
        tuple(
            encoding.decode(number, type_)
            for number, type_ in zip(numbers[at : at + width], types, strict=True)
        )
        for at in range(0, len(numbers), width)
    )
