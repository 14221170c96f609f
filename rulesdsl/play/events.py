"""Events: the steps of a move that players see, and the lines of rules, besides the move itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from rulesdsl.engines.engine import SAY, Candidate, Change
from rulesdsl.model import values
from rulesdsl.model.names import short_name
from rulesdsl.model.values import Value
from rulesdsl.play.game import State
from rulesdsl.play.moves import text
from rulesdsl.play.names import Plain, form
from rulesdsl.records import dataclass
from rulesdsl.texts import FALLBACK, section

DRAWN, MOVED, HIDDEN, LAID = "drawn", "moved", "hidden", "laid"
ROLLED, TURNED, REVEALED, SHUFFLED, CHANGED = "rolled", "turned", "revealed", "shuffled", "changed"
SAID, SHOWN = "said", "shown"

_PLACED = frozenset({"move", "place"})


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
    - `shuffled`: a zone
    - `changed`: the full name of a state with a label, its owner and indexes, its new value
    - `said`: the full name of an action with a line, the values that the line names

    A line that names pieces, and a piece that is shown, are only for players who know them: `to`
    has the colours of these, None if the event is for all players.
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
    words = [value(each) for each in event.values]
    if event.event == CHANGED:
        state, *given, new = words
        words = [f"{state} ({', '.join(given)})" if given else state, new]
    return section("events", language)[event.event].format(*words)


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
class _Seen:
    """An event with the piece it is about, and the place where that went or the face it shows.

    `seen_by` is `to` of the event.
    """

    event: str
    values: tuple[Plain, ...]
    piece: Value = None
    to: Value = None
    counts: bool = False
    seen_by: tuple[str, ...] | None = None


@dataclass
class EventLog:
    """Listens to a state and keeps its events: call `hear` with every change."""

    state: State
    _seen: list[_Seen] = field(default_factory=list)
    _changed: dict[tuple[str, tuple[Value, ...]], tuple[Value, Value]] = field(default_factory=dict)
    _order: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        game = self.state.game.checked
        texts = game.game.labels.values()
        self._order = {
            key: number
            for number, (key, state) in enumerate(game.states.items())
            if key != game.score
            and state.owner in ("game", "player")
            and any(key in labels for labels in texts)
        }

    def hear(self, change: Change) -> None:
        """Note a change."""
        names = self.state.names
        if change.name in self._order:
            of = change.name, change.arguments
            old, _ = self._changed.get(of, (change.old, None))
            self._changed[of] = old, change.new
        elif change.name == "take":
            (zone,), piece = change.arguments, change.new
            assert isinstance(piece, values.Piece), "pieces are drawn"
            drawn = names.drawn(piece, zone), names.short(zone)
            self._seen.append(_Seen(DRAWN, drawn, piece))
        elif change.name in _PLACED:
            piece, to, *_ = change.arguments
            self._seen = [e for e in self._seen if e.event != DRAWN or e.piece != piece]
            self._seen.append(self._arrived(piece, to, change.public))
        elif change.name in ("roll", "turn_to"):
            die = change.arguments[0]
            event = ROLLED if change.name == "roll" else TURNED
            self._seen.append(_Seen(event, (names.short(die),), die, self._face(die)))
        elif change.name == "reveal" and len(change.arguments) > 1:
            if change.new != change.old:
                shown = tuple(map(names.short, change.arguments))
                knowing = seen_by(self.state, change)
                self._seen.append(_Seen(SHOWN, shown, change.arguments[0], seen_by=knowing))
        elif change.name == "reveal" and not change.was_public:
            piece = change.arguments[0]
            self._seen.append(_Seen(REVEALED, (names.short(piece),), piece))
        elif change.name == SAY:
            said = line(self.state, change)
            self._seen.append(_Seen(said.event, said.values, seen_by=said.to))
        elif change.name == "shuffle":
            self._seen.append(_Seen(SHUFFLED, (names.short(change.arguments[0]),)))

    def _arrived(self, piece: Value, to: Value, public: bool) -> _Seen:
        names = self.state.names
        where = names.spoken(to)
        if not public:
            return _Seen(HIDDEN, (where,), piece, to)
        event = LAID if isinstance(to, values.Placement) else MOVED
        counts = self._counts(piece, to)
        return _Seen(event, (names.short(piece), where), piece, to, counts)

    def _face(self, die: Value) -> Value:
        assert isinstance(die, values.Piece), "a die is a piece"
        return self.state.position.face_of(die)

    def take(self, move: Candidate) -> tuple[Event, ...]:
        """Return the events since the last call, without those that the move itself says.

        These are the first steps of pieces that the move names, steps to places that it names, and
        the piece that the next decision is about. The step of a piece along a track to the space
        with its owner's points is no event either.
        """
        found = (*self.so_far(move), *self._changes())
        self._seen.clear()
        self._changed.clear()
        return found

    def so_far(self, move: Candidate) -> Iterator[Event]:
        """Yield these events, without changes of states, in the middle of the move."""
        named = {value for _, value in move.arguments}
        decision = self.state.position.decision
        asked = {value for _, value in decision.arguments} if decision is not None else set()
        for seen in self._seen:
            if seen.piece in named and seen.piece is not None:
                named.discard(seen.piece)
            elif (
                not self._names_place(seen.to, named)
                and not (seen.event == DRAWN and seen.piece in asked)
                and not seen.counts
            ):
                yield Event(seen.event, seen.values, seen.seen_by)

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
        if seat is None:
            return False
        return self.state.position.scores()[seat] % game.tracks[to.track].length == to.index

    def _changes(self) -> Iterator[Event]:
        names = self.state.names
        found = [(of, new) for of, (old, new) in self._changed.items() if new != old]
        for (state, given), new in sorted(
            found, key=lambda each: (self._order[each[0][0]], values.order_key(each[0][1]))
        ):
            yield Event(CHANGED, (state, *map(names.spoken, given), names.spoken(new)))
