"""Tracing of a game, step by step: turns, points with their reasons, and pieces laid."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.engines.engine import Candidate, Change, Reading
from rulesdsl.model.values import Cell, Piece, Player, Segment, Value
from rulesdsl.play.events import Event, EventLog, sentence
from rulesdsl.play.game import CHANCE, Game, State
from rulesdsl.play.moves import IllegalMove, Move, text
from rulesdsl.play.names import Place, Plain, SegmentName
from rulesdsl.play.records import Record, RecordedMove, replay
from rulesdsl.play.segments import SegmentTexts
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class Gain:
    """Points that a player got (or lost).

    `source` names their source (see `model.sources`); `subject` is the full name of the feature
    or segment, or the plain name of the component, that the innermost action with one was about;
    `terms` are the quantities that went into the points.
    """

    player: str
    amount: int
    source: str
    subject: str | None
    terms: tuple[Reading, ...]


class GainLog:
    """Listens to a state and keeps its gains: `log = GainLog(state); state.listen(log.hear)`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._new: list[Gain] = []

    def hear(self, change: Change) -> None:
        """Note a change of a score."""
        if change.name != self._state.game.checked.score:
            return
        (owner,) = change.arguments
        assert isinstance(owner, Player), "a score is a player's"
        about = None if change.about is None else self._subject(change.about)
        player = self._state.game.colours[owner.seat]
        # A rule may compare the points with the score; the score is not a term of its own change.
        terms = tuple(each for each in change.readings if each.name != change.name)
        self._new.append(Gain(player, change.amount, change.source, about, terms))

    def take(self) -> tuple[Gain, ...]:
        """Return the gains since the last call."""
        gains, self._new = tuple(self._new), []
        return gains

    def _subject(self, about: Value) -> str:
        name = self._state.names.spoken(about)
        return name if isinstance(name, str) else text(name)


def describe(gain: Gain, game: Game, language: str) -> str:
    """Return a gain as text such as `+8 lane in the north (0,0): 3 tiles, 1 well`."""
    labels = game.labels
    if gain.subject is None:
        subject = labels(gain.source, language, count=2)
    elif isinstance(gain.subject, SegmentName):
        subject = SegmentTexts(game, language).name(gain.subject)
    else:
        subject = labels.plain(gain.subject, language)
    terms = ", ".join(
        f"{term.value} {labels(term.name, language, count=term.value)}" for term in gain.terms
    )
    return f"{gain.amount:+d} {subject}" + (f": {terms}" if terms else "")


class Turns:
    """Counts the turns of a state: call `before` and `after` around every move.

    `number` is the turn of the next move, from 1.
    """

    def __init__(self) -> None:
        self.number = 1
        self._asked: set[str] = set()
        self._by: str | None = None

    def copy(self) -> Turns:
        """Return an independent copy."""
        other = copy.copy(self)
        other._asked = set(self._asked)
        return other

    def before(self, state: State) -> None:
        """Note that a move is about to be played."""
        self._by = state.mover
        self._asked.add(state.asked or "")

    def after(self, state: State) -> bool:
        """Note that the move was played; return whether the turn is over."""
        over = state.mover != self._by or state.asked in self._asked
        if over:
            self.number += 1
            self._asked.clear()
        return over


START = "start"
"""The source of the points that a game begins with."""


@dataclass(frozen=True)
class Step:
    """A move that was played.

    `number` and `turn` count from 1, `by` moved. `choice` is the choice asked and `about` its
    arguments by name; `said` is the move in words. `gains` are the points the move gave, `events`
    are what players saw happen besides, and `laid` is the cell on which it laid a piece. `last`
    says whether the turn is over.
    """

    number: int
    turn: int
    by: str
    choice: str
    about: tuple[tuple[str, Plain], ...]
    move: Move
    said: str
    gains: tuple[Gain, ...]
    events: tuple[Event, ...]
    laid: Place | None
    last: bool

    @property
    def noted(self) -> list[dict[str, object]]:
        """The events as objects for JSON."""
        return [event.fields() for event in self.events]


Say = Callable[[State, Move], str]
"""Says in words a move that a state is about to play."""


def exactly(_state: State, move: Move) -> str:
    """Return a move as records write it."""
    return str(move)


class Watch:
    """Traces a state: call `before` and `after` around every move.

    `say` says moves in words. Turns are counted as in `Turns`. `points` are the points so far by
    (player, source), `departed` the pieces that the last move took off the grids, with the places
    where they were.
    """

    def __init__(self, state: State, say: Say = exactly) -> None:
        self.number = 0
        self._say, self._said = say, ""
        self.points: Counter[tuple[str, str]] = Counter()
        for colour, score in state.scores().items():
            if score:
                self.points[colour, START] = score
        self._turns = Turns()
        self._by = ""
        self._choice = ""
        self._about: tuple[tuple[str, Plain], ...] = ()
        self._candidates: dict[Move, Candidate] = {}
        self._attach(state)

    def copy(self, state: State) -> Watch:
        """Return a watch that continues from here with another state of the same game."""
        other = copy.copy(self)
        other.points = self.points.copy()
        other._turns = self._turns.copy()
        other._attach(state)
        return other

    def _attach(self, state: State) -> None:
        self.departed: dict[Piece, Segment | Cell] = {}
        self._state = state
        self._log = GainLog(state)
        self._events = EventLog(state)
        self._laid = _pieces(state)
        state.listen(self._hear)

    def _hear(self, change: Change) -> None:
        if change.name in ("move", "remove") and isinstance(change.old, Segment | Cell):
            piece = change.arguments[0]
            if isinstance(piece, Piece):
                self.departed.setdefault(piece, change.old)
        self._log.hear(change)
        self._events.hear(change)

    def before(self, move: Move) -> None:
        """Note that a move is about to be played."""
        decision, names = self._state.position.decision, self._state.names
        assert decision is not None, "the game is not over"
        self.departed = {}
        self._said = self._say(self._state, move)
        self._by = self._state.mover or CHANCE
        self._choice = self._state.asked or ""
        self._about = tuple((name, names.short(value)) for name, value in decision.arguments)
        self._candidates = dict(zip(self._state.moves(), decision.candidates, strict=True))
        self._turns.before(self._state)

    def after(self, move: Move) -> Step:
        """Note that the move was played, and return the step."""
        gains = self._log.take()
        events = self._events.take(self._candidates[move])
        for gain in gains:
            self.points[gain.player, gain.source] += gain.amount
        laid = _pieces(self._state)
        new = [place for piece, place in laid.items() if piece not in self._laid]
        self._laid = laid
        self.number += 1
        turn = self._turns.number
        over = self._turns.after(self._state)
        return Step(
            self.number,
            turn,
            self._by,
            self._choice,
            self._about,
            move,
            self._said,
            gains,
            events,
            new[-1] if new else None,
            over,
        )


def _pieces(state: State) -> dict[Piece, Place]:
    """Return the cell of every piece on a grid."""
    names = state.names
    return {
        item.piece: Place(item.cell.x, item.cell.y, names.grid(item.cell.grid, item.cell.owner))
        for item in state.position.laid()
    }


class Played(NamedTuple):
    """A game that is being played back, and the last step; None at the start."""

    state: State
    watch: Watch
    step: Step | None


def played(record: Record, game: Game, say: Say = exactly) -> Iterator[Played]:
    """Play a record back as `records.replay` does, traced: yield the start, then every step.

    `say` says moves in words.
    The events of a move that the record has must be those of the step (`record-move`).
    """
    steps = replay(record, game)
    state, _ = next(steps)
    watch = Watch(state, say)
    yield Played(state, watch, None)
    for entry in record.entries:
        move = _move(state, entry)
        if move is not None:
            watch.before(move)
        next(steps)  # raises the error for a move that is not legal
        assert move is not None, "a move that was played is a move"
        step = watch.after(move)
        if entry.events is not None and list(entry.events) != step.noted:
            lines = game.checked.game.lines
            happened = "; ".join(sentence(event, lines=lines) for event in step.events)
            message = f"the record has other events here than the game: {happened or 'none'}"
            raise RulesError([Diagnostic("record-move", message, entry.span)])
        yield Played(state, watch, step)
    next(steps, None)  # checks the result


def _move(state: State, entry: RecordedMove) -> Move | None:
    try:
        return state.move(entry.move, **entry.args)
    except IllegalMove:
        return None
