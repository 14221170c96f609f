"""What runs at a decision, compared between positions of one game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rulesdsl.model.values import Feature, Piece, Segment, Value
from rulesdsl.play.game import Game, State
from rulesdsl.play.scenario.places import readable
from rulesdsl.run.engine import PlayError
from rulesdsl.run.reference.frames import Body, Branch, Call, Draw, Frame, Loop, Settle

Shape = Callable[[Value], object]
_FURTHEST = 150
"""A game is played on from its beginning for so many decisions to find one where the same runs."""


def running(state: State, exact: bool = False) -> object:
    """All that runs, so that equal things go on in the same way. Components are taken for equal
    that are of one kind; if that is to be `exact`, only in equal places."""
    names = state.names

    def shape(value: Value) -> object:
        match value:
            case Piece():
                place = shape(state.position.place_of(value)) if exact else None
                kind = names.short(value) if exact else names.kind(value).text
                return (kind, place, names.game.pieces[value.index].seat)
            case Segment():
                where = names.position.placement_of(Piece(value.piece)) if exact else None
                return (shape_of_kind(value), where)
            case Feature(segment):
                return ("feature", shape(segment))
            case tuple():
                return tuple(map(shape, value))
            case _:
                return value

    def shape_of_kind(segment: Segment) -> object:
        return names.kind(Piece(segment.piece)).text, segment.index

    runtime = readable(state).runtime
    queue = tuple((queued.action, shape(queued.arguments)) for queued in runtime.queue)
    return tuple(_frame(frame, shape) for frame in runtime.stack), queue


def _frame(frame: Frame, shape: Shape) -> object:
    match frame:
        case Call():
            done = (frame.into, frame.inner, frame.phase, frame.at, frame.proceeded)
            return (frame.code, shape(frame.arguments), done, shape(frame.result))
        case Body():
            known = ((name, shape(value)) for name, value in sorted(frame.scope.locals.items()))
            return (frame.part, frame.at, tuple(known))
        case Branch():
            return ("branch", frame.number, frame.at)
        case Loop():
            left = frame.items[frame.round :]
            return ("loop", tuple(shape(item) for item in left), frame.at)
        case Draw():
            return (frame.effect, shape(frame.arguments), frame.into)
        case Settle():
            return ("settle", frame.into, shape(frame.result), frame.always, frame.rounds)
        case _:
            return (type(frame).__name__, getattr(frame, "at", 0), getattr(frame, "done", False))


@dataclass(frozen=True)
class Moment:
    """A decision of a game in which everybody makes the first move: the choice that is asked, the
    how manieth time, and the state there. Nobody has moved before the one with no `name`."""

    name: str
    times: int
    state: State


class Moments:
    """Finds the moments of a game for a number of players in which certain things run."""

    def __init__(self, game: Game, players: int) -> None:
        self._state = game.start(players, None)
        self._asked: dict[str, int] = {}
        self._known: dict[object, Moment] = {}
        self._left = _FURTHEST
        self._note("")

    def like(self, state: State) -> Moment | None:
        """The first moment in which the same runs as in a state."""
        wanted = running(state)
        while wanted not in self._known and self._left:
            self._go_on()
        return self._known.get(wanted)

    def _go_on(self) -> None:
        self._left -= 1
        try:
            self._state.position.play(0)
        except PlayError:
            self._left = 0
        self._state.refresh()
        if self._state.asked is None:
            self._left = 0
        else:
            self._note(self._state.asked)

    def _note(self, name: str) -> None:
        asked = self._state.asked or ""
        self._asked[asked] = self._asked.get(asked, 0) + 1
        shape = running(self._state)
        if shape not in self._known:
            self._known[shape] = Moment(name, self._asked[asked], self._state.clone())
