"""Events: what players see of a move step by step, the lines of rules, and the tracing of games."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from itertools import takewhile
from typing import NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.base.texts import FALLBACK, section
from rulesdsl.engine.run.interface import SAY, Candidate, Change, Listener, Position, Reading
from rulesdsl.language.diagnostics import Diagnostic, RulesError
from rulesdsl.language.model import values
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import Cell, Piece, Player, Segment, Value
from rulesdsl.play.game import CHANCE, Game, State
from rulesdsl.play.moves import IllegalMove, Move, text
from rulesdsl.play.names import Place, Plain, SegmentName, StateName, UnknownPiece, form
from rulesdsl.play.records import Record, RecordedMove, replay
from rulesdsl.play.table import SegmentTexts, labelled

DRAWN, MOVED, HIDDEN, LAID = "drawn", "moved", "hidden", "laid"
ROLLED, TURNED, REVEALED, SHUFFLED, CHANGED = "rolled", "turned", "revealed", "shuffled", "changed"
SAID, SHOWN, TOLD = "said", "shown", "told"

_PLACED = frozenset({"move", "place"})
_OF_PIECES = _PLACED | {"take", "roll", "turn_to", "reveal"}
"""The changes that are about a piece which a move may name."""


@dataclass(frozen=True)
class Event:
    """Something that players saw.

    `event` and its `values`, in plain form:

    - `drawn`: a piece, and the zone it was taken from
    - `moved`, `laid`: a piece, and its zone, segment, space or cell, or its placement
    - `hidden`: the zone to which a piece went that somebody does not know
    - `rolled`, `turned`: a die with its face, by chance or by a rule
    - `revealed`: a piece that was turned face up
    - `shown`: a piece that was revealed to one player, and this player
    - `told`: a piece by its place, the players who were told something of it, and what
    - `shuffled`: a zone
    - `changed`: the full name of a state with a label, its owner and indexes, its new value
    - `said`: the full name of an action with a line, the values that the line names

    A line that names pieces, and a piece that is shown, are only for players who know them; what
    was told, for these and those who were told: `to` has the colours of these, None if the event
    is for all players.
    """

    event: str
    values: tuple[Plain, ...]
    to: tuple[str, ...] | None = None

    def fields(self) -> dict[str, object]:
        """Return the event as an object for JSON, with its values as text."""
        found: dict[str, object] = {
            "event": self.event,
            "values": [text(value) for value in self.values],
        }
        return found if self.to is None else {**found, "to": list(self.to)}


def sentence(
    event: Event,
    value: Callable[[Plain], str] = text,
    language: str = FALLBACK,
    lines: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return the text of an event in a language, with the texts that `value` gives its values.

    `lines` are those of the game, by language and action.
    """
    if event.event == SAID:
        return _line(event, value, language, lines or {})
    told = event.event == TOLD
    words = [
        ", ".join(map(value, each)) if told and type(each) is tuple else value(each)
        for each in event.values
    ]
    if event.event == CHANGED:
        state, *given, new = words
        words = [f"{state} ({', '.join(given)})" if given else state, new]
    return section("events", language)[event.event].format(*words)


def _place(event: Event | None) -> tuple[str, int, str]:
    assert event is not None, "something was told"
    name, _, told = event.values
    assert isinstance(name, UnknownPiece), "it is named by its place"
    return str(name.place), name.number, str(told)


_PLACE = re.compile(r"\{(\d+)\}")


def _line(
    event: Event,
    value: Callable[[Plain], str],
    language: str,
    lines: Mapping[str, Mapping[str, str]],
) -> str:
    """Return a line as an action says it; the first number it names decides on the plural."""
    action, *given = event.values
    key = str(action)
    words = [", ".join(map(value, each)) if type(each) is tuple else value(each) for each in given]
    found = next(
        (lines[each][key] for each in (language, FALLBACK) if key in lines.get(each, {})), None
    )
    if found is None:
        return f"{short_name(key)}: {', '.join(words)}"
    numbers = (each for each in given if isinstance(each, int) and not isinstance(each, bool))
    return _PLACE.sub(lambda match: words[int(match.group(1))], form(found, next(numbers, 1)))


def line(state: State, change: Change) -> Event:
    """Return the line of an action, a change with the name `SAY`, as an event."""
    said = (change.source, *map(state.names.spoken, change.arguments))
    return Event(SAID, said, seen_by(state, change))


def seen_by(state: State, change: Change) -> tuple[str, ...] | None:
    """Return the colours of the players who may see a change, None if all may."""
    assert isinstance(change.new, tuple), "the change has the players who may see it"
    to = tuple(str(state.names.short(player)) for player in change.new)
    return None if len(to) == len(state.players) else to


@dataclass
class EventLog:
    """Listens to a state and keeps its events: call `hear` with every change."""

    state: State
    _steps: list[tuple[Event | None, Change]] = field(default_factory=list)
    _changes: list[Event] = field(default_factory=list)
    _labelled: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        game = self.state.game.checked
        keys = {each.key for each in labelled(game, "game", "player")}
        self._labelled = frozenset(keys - {game.score})

    def hear(self, change: Change) -> None:
        """Note a change."""
        names = self.state.names
        if change.name in self._labelled:
            given = map(names.spoken, change.arguments)
            changed = (StateName(change.name), *given, names.spoken(change.new))
            self._changes.append(Event(CHANGED, changed))
            return
        if change.name in _PLACED:
            (piece,) = change.arguments
            self._steps = [
                each for each in self._steps if each[1].name != "take" or each[1].new != piece
            ]
        event = self._event(change)
        if event is not None or change.name in _PLACED:
            self._steps.append((event, change))
        if change.name == "tell":
            # Events about what was told are in the order of places, which tells nothing.
            told = takewhile(lambda each: each[1].name == "tell", reversed(self._steps))
            count = len(list(told))
            self._steps[-count:] = sorted(self._steps[-count:], key=lambda each: _place(each[0]))

    def _event(self, change: Change) -> Event | None:
        """Return the event of a change.

        None for the step of a piece along a track to the space with its owner's points.
        """
        names, given = self.state.names, change.arguments
        match change.name:
            case "take":
                assert isinstance(change.new, values.Piece), "pieces are drawn"
                (zone,) = given
                return Event(DRAWN, (names.drawn(change.new, zone), names.short(zone)))
            case "move" | "place" if not change.public:
                return Event(HIDDEN, (names.spoken(change.new),))
            case "move" | "place":
                event = LAID if isinstance(change.new, values.Placement) else MOVED
                where = names.spoken(change.new)
                counts = self._counts(given[0], change.new)
                return None if counts else Event(event, (names.short(given[0]), where))
            case "roll" | "turn_to":
                event = ROLLED if change.name == "roll" else TURNED
                return Event(event, (names.short(given[0]),))
            case "reveal" if len(given) > 1:
                shown = tuple(map(names.short, given))
                return Event(SHOWN, shown, seen_by(self.state, change))
            case "tell":
                piece, *to = given
                assert isinstance(piece, values.Piece), "players are told of pieces"
                assert isinstance(change.old, int), "a position"
                name = names.by_place(piece, change.old)
                told = (name, tuple(map(names.short, to)), names.told(change.told))
                return Event(TOLD, told, seen_by(self.state, change))
            case "reveal" | "shuffle":
                event = REVEALED if change.name == "reveal" else SHUFFLED
                return Event(event, (names.short(given[0]),))
        return line(self.state, change) if change.name == SAY else None

    def take(self, move: Candidate | None = None) -> tuple[Event, ...]:
        """Return the events since the last call, without those that the move itself says.

        These are the first steps of pieces that the move names, steps to places that it names, and
        the piece that the next decision is about. The step of a piece along a track to the space
        with its owner's points is no event either.
        """
        found = (*self.so_far(move), *self._changes)
        self._steps.clear()
        self._changes.clear()
        return found

    def so_far(self, move: Candidate | None) -> Iterator[Event]:
        """Yield these events, without changes of states, in the middle of the move."""
        given = () if move is None else (value for _, value in move.arguments)
        named = {one for each in given for one in (each if type(each) is tuple else (each,))}
        decision = self.state.position.decision
        asked = {value for _, value in decision.arguments} if decision is not None else set()
        for event, change in self._steps:
            piece = change.new
            if change.name in _OF_PIECES - {"take"}:
                piece = change.arguments[0]
            if change.name in _OF_PIECES and piece in named:
                named.discard(piece)
            elif event is None or self._names_place(change.new, named):
                continue
            elif event.event != DRAWN or piece not in asked:
                yield event

    def _names_place(self, to: Value, named: set[Value]) -> bool:
        """Return whether a place is among values: itself, or for a zone the member it is for."""
        if isinstance(to, values.Zone):
            indices = self.state.game.checked.game.zones[to.zone].indices(to.index)
            if any(isinstance(each, values.EnumMember) and each in named for each in indices):
                return True
        return to is not None and to in named

    def _counts(self, piece: Value, to: Value) -> bool:
        """Return whether a space is the one that the points of the piece's owner number."""
        if not isinstance(to, values.Space) or not isinstance(piece, values.Piece):
            return False
        game = self.state.game.checked.game
        seat = game.pieces[piece.index].seat
        if seat is None or not game.roles.score:
            return False
        return self.state.position.scores()[seat] % game.tracks[to.track].length == to.index


def opening(state: State) -> tuple[Event, ...]:
    """Return what players saw before the first decision of the game of a state.

    The game is begun again, which is the same game on every engine.
    """
    logs = list[EventLog]()

    def hearing(begun: Position) -> Listener:
        logs.append(EventLog(State(state.game, begun)))
        return logs[0].hear

    state.position.begun_again(hearing)
    return logs[0].take()


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
    source = labels(gain.source, language, count=abs(gain.amount))
    if gain.subject is None:
        subject = source
    elif isinstance(gain.subject, SegmentName):
        subject = SegmentTexts(game, language).name(gain.subject)
    else:
        subject = labels.plain(gain.subject, language)
    # A feature of the kind that the reason is called after says what its points are for.
    kind = short_name(gain.subject or "").partition("@")[0]
    reason = gain.source.partition("/")[2].partition(".")[2]
    if gain.subject is not None and reason not in ("", kind):
        subject = f"{source} ({subject})"
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
        self._asked: tuple[str, str, tuple[tuple[str, Plain], ...]] = "", "", ()
        """Who moves, the choice that is asked, and its arguments by name."""
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
        self._moved: dict[Piece, Value] = {}
        state.listen(self._hear)

    def _hear(self, change: Change) -> None:
        if change.name in _PLACED:
            (piece,) = change.arguments
            assert isinstance(piece, Piece), "pieces are moved"
            self._moved.setdefault(piece, change.old)
            if change.name == "move" and isinstance(change.old, Segment | Cell):
                self.departed.setdefault(piece, change.old)
        self._log.hear(change)
        self._events.hear(change)

    def before(self, move: Move) -> None:
        """Note that a move is about to be played."""
        decision, names = self._state.position.decision, self._state.mover_names
        assert decision is not None, "the game is not over"
        self.departed, self._moved = {}, {}
        self._said = self._say(self._state, move)
        about = tuple((name, names.short(value)) for name, value in decision.arguments)
        self._asked = self._state.mover or CHANCE, self._state.asked or "", about
        moves = self._state.moves()
        self._candidates = {
            move: move.named_in(candidate)
            for move, candidate in zip(moves, decision.candidates, strict=True)
        }
        self._turns.before(self._state)

    def after(self, move: Move) -> Step:
        """Note that the move was played, and return the step."""
        gains = self._log.take()
        events = self._events.take(self._candidates[move])
        for gain in gains:
            self.points[gain.player, gain.source] += gain.amount
        self.number += 1
        turn, over, laid = self._turns.number, self._turns.after(self._state), self._laid()
        asked, said = self._asked, self._said
        return Step(self.number, turn, *asked, move, said, gains, events, laid, over)

    def _laid(self) -> Place | None:
        """Return the cell of the last of the pieces that the move has laid, None for none."""
        for piece in sorted(self._moved, reverse=True):
            at = self._state.position.placement_of(piece)
            if at is not None and not isinstance(self._moved[piece], values.Placement):
                cell = at.cell
                return Place(cell.x, cell.y, self._state.names.grid(cell.grid, cell.owner))
        return None


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
        return state.recorded(entry.move, entry.args)
    except IllegalMove:
        return None
