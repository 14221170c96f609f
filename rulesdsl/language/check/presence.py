"""Presence: which expressions a condition shows not to be none, and what would change them.

An expression that may be none is known by its text: two expressions with the same text have the
same value as long as nothing that they read changes.
"""

from __future__ import annotations

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.types import is_piece, required
from rulesdsl.language.model import checked, types
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.flow import ranged, structure


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
        case checked.ReadAttribute(object=object_) | checked.AttributeAt(object=object_):
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
    text, _ = ranged(binders, {})
    return f"some {text}"
