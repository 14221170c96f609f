"""What a binder asks of its members."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model.checked import Binary, Binder, Expr, IsKind, Local, Not

Conditions = tuple[Expr, ...]
"""Conditions of which all are to hold, in this order."""


def asked(binder: Binder) -> tuple[Conditions, Conditions]:
    """What the `where` of a binder asks, in two parts: first those of its conditions, up to another
    one, that ask for nothing but what kind of thing its one member is, then the others.

    Members of other kinds are not looked at: they take no fuel."""
    found = tuple(_joined(binder.where)) if binder.where is not None else ()
    if len(binder.names) > 1:
        return (), found
    (name,) = binder.names
    first = next((i for i, each in enumerate(found) if not _asks_kind(each, name)), len(found))
    return found[:first], found[first:]


def _joined(where: Expr) -> Iterator[Expr]:
    if isinstance(where, Binary) and where.operator == "and":
        yield from _joined(where.left)
        yield from _joined(where.right)
    else:
        yield where


def _asks_kind(condition: Expr, name: str) -> bool:
    match condition:
        case IsKind(object=Local(name=asked)):
            return asked == name
        case Not(operand=operand):
            return _asks_kind(operand, name)
        case Binary(operator="and" | "or", left=left, right=right):
            return _asks_kind(left, name) and _asks_kind(right, name)
    return False
