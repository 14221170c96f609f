"""Canonical order: sets as sorted tuples."""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)

TYPES: tuple[type, ...] = (
    type(None),
    bool,
    int,
    Player,
    EnumMember,
    Kind,
    Face,
    Piece,
    Segment,
    Feature,
    Cell,
    Placement,
    Zone,
    Grid,
    Space,
    tuple,
)
_RANK = {cls: rank for rank, cls in enumerate(TYPES)}


def order_key(value: Value) -> tuple[int, object]:
    """Return the sort key for the canonical order; values of different types are sorted by type."""
    if value is None:
        return (0, 0)
    if isinstance(value, tuple):
        return (_RANK[tuple], tuple(order_key(item) for item in value))
    return (_RANK[type(value)], value)


def as_set(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values as a set: in canonical order, without repeats."""
    return tuple(sorted(set(values), key=order_key))
