"""The moment at which a scene is set: the first or a later decision, or before an action."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rulesdsl.builtins import EFFECTS
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference.runtime import (
    BodyFrame,
    BranchFrame,
    CallFrame,
    ChanceFrame,
    Frame,
    LoopFrame,
    SettleFrame,
)
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Scalar
from rulesdsl.model.values import Feature, Piece, Segment, Value
from rulesdsl.play.game import Game, State
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.scenario.scene import readable

Shape = Callable[[Value], object]
_FURTHEST = 150
"""The number of decisions, from the beginning of a game, in which to look for a moment."""


def running(state: State, exact: bool = False) -> object:
    """Return everything that is running, such that equal results continue in the same way.

    Components of one kind count as equal; with `exact` only if their places are equal, too.
    """
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
        case CallFrame():
            done = (frame.into, frame.inner, frame.phase, frame.at, frame.proceeded)
            return (frame.code, shape(frame.arguments), done, shape(frame.result))
        case BodyFrame():
            known = ((name, shape(value)) for name, value in sorted(frame.scope.locals.items()))
            return (frame.part, frame.at, tuple(known))
        case BranchFrame():
            return ("branch", frame.number, frame.at)
        case LoopFrame():
            left = frame.items[frame.round :]
            return ("loop", tuple(shape(item) for item in left), frame.at)
        case ChanceFrame():
            return (frame.effect, shape(frame.arguments), frame.into)
        case SettleFrame():
            return ("settle", frame.into, shape(frame.result), frame.always, frame.rounds)
        case _:
            return (type(frame).__name__, getattr(frame, "at", 0), getattr(frame, "done", False))


@dataclass(frozen=True)
class Moment:
    """A decision of a game in which everybody makes the first move.

    `name` is the choice asked, `times` its number among the decisions about that choice, and
    `state` the state there. `name` is empty at the first decision.
    """

    name: str
    times: int
    state: State


class Moments:
    """Finds the moments of a game, for a number of players, at which the same things run."""

    def __init__(self, game: Game, players: int) -> None:
        self._state = game.start(players, None)
        self._asked: dict[str, int] = {}
        self._known: dict[object, Moment] = {}
        self._left = _FURTHEST
        self._note("")

    def like(self, state: State) -> Moment | None:
        """Return the first moment at which the same things run as in a state."""
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


_WRITTEN = re.compile(r"((?:\w+/)?\w+)(?: +([1-9]\d{0,5}))?")
_CHANCE = [name for name, effect in EFFECTS.items() if effect.asks]


def go_to(state: State, moment: Scalar, seed: int | None) -> None:
    """Go from the first decision of a game to the `moment` of a scene.

    Every decision takes its first move. Before an action, the reference engine takes over. Raises
    Failed.
    """
    written = _WRITTEN.fullmatch(str(moment.value).strip())
    if written is None:
        help = ("write the name of a choice or of an action, and which time: `NAME 2`",)
        raise Failed(f"`{moment.value}` is not a moment", moment.span, help)
    name, times = written[1], int(written[2] or 1)
    choice, action = _named(state, name, moment)
    try:
        missing = _to_choice(state, choice, times) if choice else _to(state, action, times, seed)
    except PlayError as error:
        message = f"the game does not come to `{moment.value}`: "
        raise Failed.by(error, message, moment.span) from None
    if missing:
        happens, count = "asked" if choice else "called", times - missing
        often = f"{happens} once" if count == 1 else f"{happens} {count} times"
        often = often if count else f"never {happens}"
        message = f"with the first move of every decision `{name}` is {often}"
        raise Failed(message, moment.span)


def written_moment(name: str, times: int) -> str:
    """Return the text of a moment in a scenario."""
    return name if times == 1 else f"{name} {times}"


def _named(state: State, name: str, moment: Scalar) -> tuple[str, str]:
    """Return the key of the choice or of the action that is named; the other key is empty."""
    checked = state.game.checked
    choices = _called(name, [*checked.choices, *_CHANCE])
    actions = _called(name, checked.actions)
    found = [*choices, *actions]
    if not found:
        known = [short_name(key) for key in (*checked.choices, *_CHANCE, *checked.actions)]
        message = f"there is no choice and no action `{name}`"
        raise Failed(message, moment.span, did_you_mean(name, known))
    if len(found) > 1:
        raise Failed(f"`{name}` may be {listed([f'`{key}`' for key in found])}", moment.span)
    return ("".join(choices), "".join(actions))


def _called(name: str, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if name in (key, short_name(key))]


def _to_choice(state: State, choice: str, times: int) -> int:
    """Go to the given time that a choice is asked; return how many are missing if the game ends."""
    position = state.position
    while (decision := position.decision) is not None:
        times -= decision.choice == choice
        if not times:
            break
        position.play(0)
    state.refresh()
    return times


def _to(state: State, action: str, times: int, seed: int | None) -> int:
    """Go to the given call of an action; return how many are missing if the game ends."""
    position = state.position = readable(state)
    missing = position.rewind(action, times, seed)
    state.refresh()
    return missing
