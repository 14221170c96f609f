"""What is known of numbers before the game begins: in which range an expression stays."""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    CallBuiltin,
    Const,
    Expr,
    IfElse,
    Negate,
    ReadAttribute,
)
from rulesdsl.model.game import Game
from rulesdsl.model.geometry import Outline
from rulesdsl.model.types import FEATURE, INT_MAX, INT_MIN, IntType, OptionalType

Range = tuple[int, int]
"""The least and the largest number, both included."""

WHOLE: Range = (INT_MIN, INT_MAX)
FUEL = 200_000
"""As many bindings there can be between two decisions."""

_ARITHMETIC = ("+", "-", "*", "div")
_LANES = 12
"""How many ports a cell can have."""


def range_of(expression: Expr, game: Game | None = None) -> Range:
    """The range of a number, from its type or value and, if that is given, what the game has."""
    low, high = _typed(expression)
    if game is None:
        return low, high
    known = _known(expression, game)
    return max(low, known[0]), min(high, known[1])


def _typed(expression: Expr) -> Range:
    if isinstance(expression, Const) and isinstance(expression.value, int):
        return int(expression.value), int(expression.value)
    type_ = expression.type
    if isinstance(type_, OptionalType):
        type_ = type_.item
    return (type_.low, type_.high) if isinstance(type_, IntType) else WHOLE


def _known(expression: Expr, game: Game) -> Range:
    """What the game tells, for numbers that are none of `none`."""
    match expression:
        case Binary(operator=operator, left=left, right=right) if operator in _ARITHMETIC:
            return combined(operator, range_of(left, game), range_of(right, game))
        case Negate(operand=operand):
            low, high = range_of(operand, game)
            return -high, -low
        case IfElse(then=then, otherwise=otherwise):
            a, b = range_of(then, game), range_of(otherwise, game)
            return min(a[0], b[0]), max(a[1], b[1])
        case Aggregate(function="count"):
            return 0, max(FUEL, len(game.pieces))
        case CallBuiltin(function=name):
            return _builtin(name, game)
        case ReadAttribute(attribute=key, object=owner):
            return _attribute(key, owner.type == FEATURE, game)
    return WHOLE


def _builtin(name: str, game: Game) -> Range:
    match name:
        case "cells":
            return 0, _cells(game)
        case "ends":
            return 0, _LANES * _cells(game)
        case "seat":
            return 1, game.roles.most
        case "rotation":
            return 0, 3
        case "position":
            return 1, len(game.pieces)
        case "index":
            return 0, max((track.length - 1 for track in game.tracks), default=0)
    return WHOLE


def _outlines(game: Game) -> Iterable[list[Outline]]:
    """What may be drawn on each piece."""
    for piece in game.pieces:
        kind = game.kinds[piece.kind]
        drawn = [face.outline for face in kind.faces] or [kind.outline]
        yield [outline for outline in drawn if outline is not None]


def _cells(game: Game) -> int:
    """How many cells all pieces cover at most."""
    return sum(
        max((width * height for width, height in (o.size for o in drawn)), default=1)
        for drawn in _outlines(game)
    )


def _attribute(key: str, of_feature: bool, game: Game) -> Range:
    """What is carried by any one piece, face or segment, or by a feature together."""
    attribute = next(each for each in game.attributes if each.key == key)
    if not isinstance(attribute.type, IntType) or attribute.fold == "union":
        return WHOLE
    carried = [attribute.default]
    for kind in game.kinds:
        carried += [kind.attributes.get(key), *(face.attributes.get(key) for face in kind.faces)]
    for drawn in _outlines(game):
        carried += [s.attributes.get(key) for outline in drawn for s in outline.segments]
    numbers = [int(plain) for plain in carried if isinstance(plain, int)] or [0]
    low, high = min(numbers), max(numbers)
    if not of_feature or attribute.fold != "sum":
        return low, high
    counts = ([len(outline.segments) for outline in drawn] for drawn in _outlines(game))
    most = max(1, sum(max(count, default=0) for count in counts))
    return min(low, low * most), max(high, high * most)


def combined(operator: str, a: Range, b: Range) -> Range:
    """The range of `a operator b` over integers without bounds; a divisor is never 0."""
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
    """Is everything in one range in the other as well?"""
    return outer[0] <= inner[0] and inner[1] <= outer[1]
