"""Arguments that people write: names of things as moves show them, or expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.types import (
    CELL,
    FEATURE,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLACEMENT,
    SEGMENT,
    NamedType,
    OptionalType,
    Type,
)
from rulesdsl.model.values import Cell, Kind, Piece, Placement, Value
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.run.engine import PlayError
from rulesdsl.run.reference.context import Scope
from rulesdsl.run.reference.machine import deep
from rulesdsl.run.reference.observing import Observing

_PLACE = re.compile(r"\(?(-?\d+), ?(-?\d+)(?:, ?(\d+))?\)?")


def given(text: str, wanted: Type, state: State, runtime: Observing) -> Value:
    """The value of that type which a text means in a game, which changes nothing in it. Raises
    RulesError when there is none, or when it asks for what the player who asks may not know."""
    kind = wanted.item if isinstance(wanted, OptionalType) else wanted
    place = _place(text, kind)
    if place is not None:
        return place
    known = list(_things(kind, state))
    found = next((value for names, value in known if text in names), None)
    if found is not None:
        return found
    source = Source("argument", text)
    report = Report()
    checked = expression(source.span(0, len(text)), state.game.checked, wanted, {}, report)
    if checked is None or not report.ok:
        near = did_you_mean(text, [name for names, _ in known for name in names])
        if near:
            message = f"there is no {wanted} `{text}`"
            raise RulesError([Diagnostic("bad-argument", message, help=near)])
        raise RulesError(report.sorted())
    try:
        with deep():
            value = runtime.evaluate(checked, Scope())
    except PlayError as error:
        why = f": {error.message}" if runtime.eyes is None else " of what this player knows"
        message = f"`{text}` cannot be computed{why}"
        raise RulesError([Diagnostic("bad-argument", message)]) from None
    if runtime.recent[-1].hidden:
        message = f"`{text}` cannot be computed of what this player knows"
        raise RulesError([Diagnostic("bad-argument", message)])
    return value


def _place(text: str, kind: Type) -> Value:
    numbers = _PLACE.fullmatch(text)
    if numbers is None or kind not in (CELL, PLACEMENT):
        return None
    x, y, turned = numbers.groups()
    cell = Cell(0, 0, int(y), int(x))
    return cell if kind == CELL else Placement(cell, int(turned or 0) // 90 % 4)


def _things(kind: Type, state: State) -> Iterator[tuple[tuple[str, ...], Value]]:
    """The things of a type that have names, with their names."""
    names, game = state.names, state.game.checked.game
    match kind:
        case NamedType(name=name) if name == FEATURE.name:
            for feature, segments in state.position.features():
                yield tuple(str(names.full(each)) for each in segments), feature
        case NamedType(name=name) if name == SEGMENT.name:
            for _, segments in state.position.features():
                yield from ((_both(each, state), each) for each in segments)
        case NamedType(name=name) if name == KIND.name:
            for index, each in enumerate(game.kinds):
                yield (each.text,), Kind(index)
        case NamedType(name=name) if name in (PIECE.name, *PIECE_CLASSES):
            for index, piece in enumerate(game.pieces):
                taken = piece.seat is None or piece.seat < state.position.players
                if taken and name in (PIECE.name, game.kinds[piece.kind].cls):
                    yield _both(Piece(index), state), Piece(index)


def _both(value: Value, state: State) -> tuple[str, str]:
    return str(state.names.full(value)), str(state.names.short(value))
