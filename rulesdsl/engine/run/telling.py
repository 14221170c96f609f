"""Changes of a move, read from the notes that the program took (see `runtime.notes`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulesdsl.engine.lower.tables.encoding import set_item
from rulesdsl.engine.run.interface import SAY, Change, Reading
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.machine import Machine
from rulesdsl.engine.run.moves import seats_of
from rulesdsl.engine.run.samples import told_answers
from rulesdsl.engine.runtime import notes
from rulesdsl.engine.runtime.tables import LAID, NOTE, NOWHERE
from rulesdsl.engine.runtime.terms import FEATURE, PIECE
from rulesdsl.language.model.types import SEGMENT, ZONE
from rulesdsl.language.model.values import Face, Feature, Piece, Player, Segment, Value, Zone


class Telling:
    """A call of a program that is reported, from a state of its machine.

    `tables` are those from before the call. While the steps are read, the places and faces of
    pieces and the scores there become those right after each step.
    """

    def __init__(self, lowered: Lowered, machine: Machine, before: object) -> None:
        self.tables = machine.before(before)
        self._machine, self._lowered = machine, lowered
        self._encoding = lowered.plan.encoding
        self._tables = self.tables.now
        self._notes: list[int] = []

    def call(self, entry: Callable[[], int | bool | None]) -> int | bool | None:
        """Call an entry of the program, which `entry` does; raises Fault."""
        tables = self._tables
        tables["noted"][0], tables["noting"][0] = 0, 1
        try:
            return entry()
        finally:
            tables["noting"][0] = 0
            self._notes = list(tables["notes"][: tables["noted"][0] * NOTE])

    def steps(self) -> Iterator[Change]:
        """Yield the steps of the move, also of one that has failed."""
        found, at, changing = self._notes, 0, self.tables.changing
        while at < len(found):
            what, first, second, third, last = found[at : at + NOTE]
            at += NOTE
            match what:
                case notes.MOVED:
                    yield self._moved(first, second, third, bool(last))
                case notes.GAINED:
                    yield self._gained(first, second, third, last)
                case notes.DRAWN:
                    changing("place")[first] = NOWHERE
                    zone = self._encoding.decoder(ZONE)(second)
                    yield Change("take", (zone,), new=Piece(first))
                case notes.ROLLED | notes.TURNED:
                    changing("face")[first] = second
                    face = Face(self._encoding.game.pieces[first].kind, second)
                    name = "roll" if what == notes.ROLLED else "turn_to"
                    yield Change(name, (Piece(first),), new=face)
                case notes.REVEALED:
                    yield Change("reveal", (Piece(first),))
                case notes.SHOWN:
                    shown = Piece(first), Player(second)
                    yield Change("reveal", shown, new=_players(third))
                case notes.TOLD:
                    yield self._was_told(Piece(first), second, third, last)
                case notes.SHUFFLED:
                    yield Change("shuffle", (self._encoding.decoder(ZONE)(first),))
                case notes.SAID:
                    said, at = self._said(first, at)
                    yield said

    def states(self, *, first: bool) -> Iterator[Change]:
        """Yield what the call made of the states other than the score.

        Before the `first` call of a game they have not yet their initial values.
        """
        for state in self._lowered.told_states:
            if self.tables.differs(state.data):
                before = self._lowered.begun if first else self.tables
                for owner, index, old, new in state.changed(self._tables, before):
                    given = index if owner is None else (owner, *index)
                    yield Change(state.key, given, old, new)

    def _moved(self, piece: int, place: int, spot: int, public: bool) -> Change:
        place_of = self._lowered.place_of
        places, spots = self.tables.changing("place"), self.tables.changing("spot")
        old, new = place_of(places[piece], spots[piece]), place_of(place, spot)
        places[piece], spots[piece] = place, spot
        if type(new) is Zone and self._encoding.game.zones[new.zone].visible == "none":
            self.tables.changing("face")[piece] = 0
        name = "place" if place == LAID else "move"
        return Change(name, (Piece(piece),), old, new, public=public)

    def _was_told(self, piece: Piece, seats: int, bits: int, position: int) -> Change:
        to, knowing = divmod(seats, 1 << self._lowered.players)
        told = told_answers(self.tables, self._encoding.answers, piece.index, bits)
        new = _players(to | knowing)
        return Change("tell", (piece, *_players(to)), position, new, told=told)

    def _gained(self, row: int, points: int, record: int, about: int) -> Change:
        lowered = self._lowered
        source, seat = divmod(row, lowered.players)
        scores = self.tables.changing(lowered.score.data)
        old = scores[seat]
        scores[seat] = new = old + points
        terms, name = self._terms(record), lowered.sources[source]
        return Change(lowered.score.key, (Player(seat),), old, new, terms, name, self._about(about))

    def _terms(self, record: int) -> tuple[Reading, ...]:
        if not record:
            return ()
        names, numbers = self._tables["record_name"], self._tables["record_value"]
        room, terms = len(names), self._lowered.plan.terms
        first = record + 1
        places = [at % room for at in range(first, first + names[record % room])]
        return tuple(Reading(terms[names[at]], numbers[at]) for at in places)

    def _about(self, code: int) -> Value:
        if not code:
            return None
        number, sort = divmod(code - 1, 4)
        if sort == PIECE:
            return Piece(number)
        segment = self._encoding.decoder(SEGMENT)(number)
        assert isinstance(segment, Segment)
        return Feature(segment) if sort == FEATURE else segment

    def _said(self, line: int, at: int) -> tuple[Change, int]:
        """Return the line whose values are noted from `at` on, and where these end."""
        checked = self._lowered.checked
        action = checked.actions[checked.spoken[line]]
        said: list[Value] = []
        seats = (1 << self._lowered.players) - 1
        for place in action.said:
            type_ = action.params[place].type
            item = set_item(type_)
            count = 1 if item is None else self._notes[at + 1]
            at += 0 if item is None else NOTE
            members = []
            for _ in range(count):
                members.append(self._encoding.decode(self._notes[at + 1], item or type_))
                seats &= self._notes[at + 2]
                at += NOTE
            if item is None:
                said += members
            else:
                said.append(None if count < 0 else tuple(members))
        return Change(SAY, tuple(said), new=_players(seats), source=action.key), at


def _players(mask: int) -> tuple[Player, ...]:
    return tuple(map(Player, seats_of(mask)))
