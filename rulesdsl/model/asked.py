"""Kind filters: the conditions of a binder that depend only on a member's kind or owner."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.model.checked import (
    Binary,
    Binder,
    CallBuiltin,
    Compare,
    Const,
    Expr,
    IsKind,
    Local,
    Not,
    ReadState,
    Typed,
)
from rulesdsl.model.types import PLAYER

Conditions = tuple[Expr, ...]
"""Conditions of which all are to hold, in this order."""


def asked(binder: Binder) -> tuple[Conditions, Conditions]:
    """Split the conditions in the `where` of a binder into kind filters and the rest.

    The filters are the leading conditions that depend only on the kind or the owner of the one
    member. Members that they exclude are not visited and take no fuel.
    """
    found = tuple(_joined(binder.where)) if binder.where is not None else ()
    if len(binder.names) > 1:
        return (), found
    (name,) = binder.names
    first = next((i for i, each in enumerate(found) if not _is_known(each, name)), len(found))
    return found[:first], found[first:]


def owner_asked(condition: Expr, name: str) -> Expr | None:
    """Return the player that a condition requires as the owner of a name's value.

    None if the condition requires anything else. Evaluating the player takes no fuel and never
    fails.
    """
    match condition:
        case Compare(operator="==", left=left, right=right):
            if _owns(left, name) and _is_plain(right, name):
                return right
            if _owns(right, name) and _is_plain(left, name):
                return left
    return None


def _joined(where: Expr) -> Iterator[Expr]:
    if isinstance(where, Binary) and where.operator == "and":
        yield from _joined(where.left)
        yield from _joined(where.right)
    else:
        yield where


def _is_known(condition: Expr, name: str) -> bool:
    return _asks_kind(condition, name) or owner_asked(condition, name) is not None


def _asks_kind(condition: Expr, name: str) -> bool:
    match condition:
        case IsKind(object=Local(name=asked)):
            return asked == name
        case Not(operand=operand):
            return _asks_kind(operand, name)
        case Binary(operator="and" | "or", left=left, right=right):
            return _asks_kind(left, name) and _asks_kind(right, name)
    return False


def _owns(expression: Expr, name: str) -> bool:
    match expression:
        case CallBuiltin(function="owner", arguments=(Local(name=asked),)):
            return asked == name
    return False


def _is_plain(player: Expr, name: str) -> bool:
    """Say whether an expression is a player that is the same for every member and never fails."""
    match player:
        case Typed(type=type_) if type_ != PLAYER:
            return False
        case Local(name=asked):
            return asked != name
        case ReadState(owner=owner, index=index):
            return owner is None and not index
    return isinstance(player, Const)
