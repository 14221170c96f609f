"""Presence: which expressions a condition shows not to be none, and what would change them.

An expression that may be none is known by its text: two expressions with the same text have the
same value as long as nothing that they read changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from rulesdsl.check.types import is_piece, required
from rulesdsl.model import checked, types
from rulesdsl.model.checked import walk
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class Reads:
    """The data that an expression reads: locals (keys), states (full names), and anything else.

    `board` is set if it reads more than locals, states and attributes that components keep.
    """

    locals: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    board: bool = False


def reads(expression: checked.Expr | tuple[checked.Binder, ...]) -> Reads:
    """Return what an expression or a range reads."""
    nodes = walk(expression)
    return Reads(
        frozenset(node.name for node in nodes if isinstance(node, checked.Local)),
        frozenset(node.state for node in nodes if isinstance(node, checked.ReadState)),
        not all(map(_lasts, nodes)),
    )


def _lasts(node: object) -> bool:
    """Return whether only an assignment changes what a node gives."""
    match node:
        case checked.Const() | checked.Local() | checked.ReadState():
            return True
        case checked.ReadAttribute(object=object_):
            type_ = required(object_.type)
            return is_piece(type_) or type_ in (types.KIND, types.FACE, types.SEGMENT)
        case checked.Ranged():
            return True
        case checked.CallBuiltin(function="owner"):
            return True
    return False


def subject(expression: checked.Expr) -> str:
    """Return the text by which facts about an expression are known."""
    match expression:
        case checked.Aggregate(function="first", binders=binders):
            return some(binders)
    return f"={structure(expression, {})}"


def some(binders: tuple[checked.Binder, ...]) -> str:
    """Return the text by which the fact is known that there is something in a range."""
    text, _ = _range(binders, {})
    return f"some {text}"


def _range(
    binders: tuple[checked.Binder, ...], names: Mapping[str, str]
) -> tuple[str, Mapping[str, str]]:
    """Return the text of a range, and names for all locals inside it."""
    texts = []
    for binder in binders:
        domain = structure(binder.domain, names)
        places = {name: f"#{len(names) + number}" for number, name in enumerate(binder.names)}
        names = {**names, **places}
        texts.append(f"{len(places)} in {domain} where {structure(binder.where, names)}")
    return ", ".join(texts), names


def structure(node: object, names: Mapping[str, str]) -> str:
    """Return the structure of a checked node as text, without places and types.

    `names` has names for the locals of ranges around it.
    """
    match node:
        case checked.Local(name=name):
            return names.get(name, name)
        case checked.Const(value=value, setting=setting):
            return f"settings.{setting}" if setting else repr(value)
        case checked.Ranged(operand=operand):
            return structure(operand, names)
        case checked.Aggregate() | checked.Comprehension():
            text, inside = _range(node.binders, names)
            return f"({_fields(node, inside, but='binders')} for {text})"
        case checked.Reach(name=name, start=start, step=step):
            inside = {**names, name: f"#{len(names)}"}
            return f"reach({structure(start, names)} by {structure(step, inside)})"
        case checked.Node():
            return _fields(node, names)
        case tuple():
            return f"({','.join(structure(each, names) for each in node)})"
    return repr(node)


def _fields(node: checked.Node, names: Mapping[str, str], but: str = "") -> str:
    parts = [
        structure(getattr(node, each.name), names)
        for each in fields(node)
        if each.name not in ("span", "type", but)
    ]
    return f"{type(node).__name__}({','.join(parts)})"
