"""Facts known before a game begins: ranges of numbers, pieces in the game.

Rules cannot get hold of a piece that is not in the game, so they never have to be checked for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rulesdsl.engine.lower.context import Lowering
from rulesdsl.engine.lower.tables.box import WHOLE, Carried, Range
from rulesdsl.engine.lower.tables.encoding import without_none
from rulesdsl.engine.runtime import faults
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import KindDef

# --- ranges of numbers ----------------------------------------------------------------------------

_ARITHMETIC = ("+", "-", "*", "div")
_LANES = 3
"""The number of ports of a side."""


def range_of(expression: tree.Expr, carried: Carried | None = None) -> Range:
    """Return the range of a number, from its type or value and, if given, the size of the box."""
    low, high = _typed(expression)
    if carried is None:
        return low, high
    known = _known(expression, carried)
    return max(low, known[0]), min(high, known[1])


def _typed(expression: tree.Expr) -> Range:
    if isinstance(expression, tree.Const) and isinstance(expression.value, int):
        return int(expression.value), int(expression.value)
    type_ = without_none(expression.type)
    return (type_.low, type_.high) if isinstance(type_, types.IntType) else WHOLE


def _known(expression: tree.Expr, carried: Carried) -> Range:
    """Return the range of a number in a game, unless the number is `none`."""
    match expression:
        case tree.Binary(operator=operator, left=left, right=right) if operator in _ARITHMETIC:
            return combined(operator, range_of(left, carried), range_of(right, carried))
        case tree.Negate(operand=operand):
            low, high = range_of(operand, carried)
            return -high, -low
        case tree.IfElse(then=then, otherwise=otherwise):
            a, b = range_of(then, carried), range_of(otherwise, carried)
            return min(a[0], b[0]), max(a[1], b[1])
        case tree.Aggregate(function="count" | "alike"):
            return 0, max(faults.STEPS, len(carried.game.pieces))
        case tree.CallBuiltin(function=name):
            return _builtin(name, carried)
        case tree.ReadAttribute(attribute=key, object=owner):
            return carried.attribute(key, owner.type == types.FEATURE)
        case tree.AttributeAt(attribute=key, object=owner):
            members = [each.key for each in carried.game.attributes if each.whole == key]
            found = [carried.attribute(each, owner.type == types.FEATURE) for each in members]
            return min(low for low, _ in found), max(high for _, high in found)
    return WHOLE


def _builtin(name: str, carried: Carried) -> Range:
    game = carried.game
    match name:
        case "cells":
            return 0, carried.cells
        case "ends":
            return 0, _LANES * game.sides * carried.cells
        case "seat":
            return 1, game.roles.most
        case "rotation":
            return 0, game.sides - 1
        case "position" | "height":
            return int(name == "position"), len(game.pieces)
        case "index":
            return 0, max((track.length - 1 for track in game.tracks), default=0)
    return WHOLE


def combined(operator: str, a: Range, b: Range) -> Range:
    """Return the range of `a operator b` over integers without bounds; a divisor is never 0."""
    match operator:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            corners = [x * y for x in a for y in b]
        case "div":
            divisors = [y for y in (*b, -1, 1) if b[0] <= y <= b[1] and y != 0]
            corners = [x // y for x in a for y in divisors] or list(WHOLE)
        case _:
            raise AssertionError(f"no operator {operator}")
    return min(corners), max(corners)


def within(inner: Range, outer: Range) -> bool:
    """Return whether a range is part of another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


# --- pieces in the game ---------------------------------------------------------------------------

CLASS_OF = dict(
    zip(("tiles", "cards", "dice", "tokens", "figures"), types.PIECE_CLASSES, strict=True)
)
"""The class whose pieces each of these builtins gives."""


def is_piece(type_: types.Type) -> bool:
    """Return whether a type is `piece` or one of its classes."""
    return type_ == types.PIECE or (
        isinstance(type_, types.NamedType) and type_.name in types.PIECE_CLASSES
    )


def pieces_of(lowering: Lowering, cls: str) -> tuple[int, ...]:
    """Return the pieces of a class that are in the game."""
    return tuple(
        number
        for number, piece in enumerate(lowering.game.pieces)
        if lowering.game.kinds[piece.kind].cls == cls and piece.takes_part(lowering.players)
    )


def kind_of(lowering: Lowering, piece: int) -> KindDef:
    """Return the kind of a piece."""
    return lowering.game.kinds[lowering.game.pieces[piece].kind]


def has_faces(lowering: Lowering, type_: types.Type) -> bool:
    """Return whether a piece of the type may have faces."""
    return any(kind.faces for kind in kinds_of(lowering, type_))


def kinds_of(lowering: Lowering, type_: types.Type) -> list[KindDef]:
    """Return the kinds of pieces of the type."""
    return [kind for kind in lowering.game.kinds if _fits(kind, type_)]


def _fits(kind: KindDef, type_: types.Type) -> bool:
    return without_none(type_) in (types.PIECE, types.NamedType(kind.cls))


# --- fresh features -------------------------------------------------------------------------------


class Freshness:
    """The locals and values of the rules whose features are known to be current."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._locals: set[str] = set()
        self._values: dict[str, bool] = {}

    @contextmanager
    def knowing(self, names: Iterable[str]) -> Iterator[None]:
        """Treat features in these locals as current, within the context."""
        before = set(self._locals)
        self._locals |= set(names)
        yield
        self._locals = before

    def is_fresh(self, expression: tree.Expr) -> bool:
        """Return whether all features in a value are certainly current when it is evaluated.

        A feature is current if it names what is connected now.
        """
        match expression:
            case tree.Local(name=name):
                return name in self._locals
            case tree.CallBuiltin() | tree.Reach():
                return True
            case tree.Binary(operator="union" | "difference"):
                return True
            case tree.Aggregate(value=None):
                return True
            case tree.Comprehension(value=value, binders=binders):
                with self.knowing(name for binder in binders for name in binder.names):
                    return self.is_fresh(value)
            case tree.IfElse(then=then, otherwise=otherwise):
                return self.is_fresh(then) and self.is_fresh(otherwise)
            case tree.SetLiteral(items=items):
                return all(self.is_fresh(item) for item in items)
            case tree.CallValue(value=key):
                return self._value(key)
        return False

    def _value(self, key: str) -> bool:
        """Return whether all features in every result of a value of the rules are fresh.

        They are not if it calls itself for them.
        """
        if key not in self._values:
            self._values[key] = False
            rules = self._checked.values[key].rules
            here, self._locals = self._locals, set()
            self._values[key] = all(
                self.is_fresh(result) for rule in rules for result in _results(rule.body)
            )
            self._locals = here
        return self._values[key]


def _results(body: tuple[tree.Stmt, ...]) -> list[tree.Expr]:
    found = tree.walk(body)
    return [
        node.value for node in found if isinstance(node, tree.Return) and node.value is not None
    ]
