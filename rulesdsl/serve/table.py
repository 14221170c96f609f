"""A table: one game that people and bots play, kept move by move."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import StringIO
from itertools import takewhile
from operator import eq
from typing import Any, NamedTuple

from rulesdsl.base.deadline import Deadline, under
from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Source
from rulesdsl.play import Game, Move, State
from rulesdsl.play.bots import Bot, bot_maker
from rulesdsl.play.moves import text
from rulesdsl.play.records import (
    Header,
    Record,
    RecordedMove,
    Recorder,
    check_origin,
    is_fair,
    read_move,
    read_record,
    undo,
)
from rulesdsl.serve.seen import (
    Data,
    Happened,
    NotedMove,
    Seat,
    begin,
    play,
    seen,
    shared_seat,
    told,
    told_notes,
    untold,
)
from rulesdsl.serve.store import GoneOn, Kept, Links, SeatPlace, TableChange, TableStore, hashed

HUMAN = "human"
LATE = "greedy"
"""The bot that moves for who takes too long."""
PATIENCE = 10.0
"""Seconds that the rules, or a bot, have for one move."""


class MessageRefused(Exception):
    """The error for a message that changes nothing, with the reason for its sender."""


@dataclass(frozen=True)
class TablePly:
    """A move that was played: who moved, and whether it may be taken back (`records.is_fair`).

    `taken` says that the record marks it, since moves were taken back before it.
    """

    by: str
    fair: bool
    taken: bool


class Known(NamedTuple):
    """The numbers of moves (-1 for not even the start) and undos that a client has been told of.

    `ended` says that it knows that all have agreed to end the game.
    """

    moves: int = -1
    cuts: int = 0
    ended: bool = False


class Reader(NamedTuple):
    """A client that is told of moves: its seat, and whether as texts or for the page's module."""

    seat: Seat
    texts: bool


class GameTable:
    """A game of a store, which goes on where its lines end.

    Nothing is told before it is in the store. Where several servers share it, a change fails if
    another server has made one; `catch_up` takes over what others have changed. Raises RulesError
    if the lines are not those of a game of these rulesets, and PlayError or OutOfTime if a rule
    fails.
    """

    def __init__(self, game: Game, store: TableStore, kept: Kept) -> None:
        self.id, self.places = kept.id, dict(kept.places)
        """Who sits where; read in any thread, as `players` and `turn` are, and nothing else."""
        self.game, self._store = game, store
        self._head, self._lines = kept.head, list(kept.lines)
        record = self.record()
        check_origin(record, game, "rulesdsl host")
        self._header: Header = record.header
        self.cuts: list[int] = []
        """For each undo since the table was opened the number of moves that stayed."""
        self._bots: dict[tuple[str, str], Bot] = {}
        """The bots that have played, by colour and kind."""
        self._told: dict[Reader, _Told] = {}
        self._seen: tuple[object, dict[Seat, tuple[str, list[Any]]]] = None, {}
        """A position as seats see it, by its history."""
        self._changed: tuple[TableChange, Callable[[], object]] | None = None
        """The last change, and what takes it back, until it is on the disk."""
        self._again()
        self.players: tuple[str, ...] = tuple(self.state.players)
        self.turn = kept.turn
        """A number that each move and each undo makes larger."""
        self._taken = kept.marked == len(self.plies)
        self._resume(record.entries)

    def _again(self) -> None:
        self._taken = False
        self.state: State = self._begun()[0]
        self.plies: list[TablePly] = []
        self._last: NotedMove | None = None
        for entry in self.record().entries:
            self._play(entry)

    def _resume(self, entries: Iterable[RecordedMove]) -> None:
        """Restore the random numbers of bots as they were after these moves."""
        for entry in entries:
            if entry.stream is not None:
                with suppress(ValueError):
                    self._bot(entry.by).rng = Rng.read(entry.stream)

    def follow(self, turn: int, number: int, line: str) -> None:
        """Play the move that another server says it has made at a turn, in a line with a number.

        If it does not continue the game as it is here, `catch_up`: only the store knows.
        """
        if (turn, number) != (self.turn, len(self._lines)):
            self.catch_up()
            return
        taken = self._taken
        try:
            entry = read_move(Source(f"table {self.id}", line))
            self._play(entry)
        except Exception:
            self._taken = taken
            self.catch_up()
            return
        self._lines.append(line)
        self.turn += 1
        self._resume([entry])

    def catch_up(self) -> None:
        """Take over what other servers have changed in the store.

        If a rule fails, which it did not there, everything is as before.
        """
        kept = self._store.load(self.id)
        self.places = dict(kept.places)
        if (kept.turn, list(kept.lines)) == (self.turn, self._lines):
            return  # Both are compared: what another server said may be wrong.
        same = sum(takewhile(bool, map(eq, self._lines, kept.lines)))
        before = self._before()
        cut = same < len(self._lines)
        try:
            self._lines = list(kept.lines)
            entries = self.record().entries
            if cut:
                self._forget(same)
                self._again()
            for entry in entries[len(self.plies) :]:
                self._play(entry)
                for reader in self._told:
                    self._tell(reader)
        except BaseException:
            self._restore(before)
            raise
        self._taken = kept.marked == len(self.plies)
        self.turn = kept.turn
        if cut:
            self.cuts.append(same)
        self._resume(entries[same:])

    @property
    def ended(self) -> bool:
        """Return whether all have agreed to end: the record has its result after all moves."""
        return len(self._lines) > len(self.plies)

    @property
    def mover(self) -> str | None:
        """The colour whose turn it is, None at the end."""
        return None if self.ended else self.state.mover

    @property
    def seats(self) -> int:
        return len(self.players)

    def colour(self, seat: Seat) -> str | None:
        """Return the colour of a seat, None for who watches."""
        return None if seat is None else self.game.colours[seat]

    def kind(self, colour: str) -> str:
        """Return who plays a colour: `human`, or the name of a bot."""
        return self.places[self.players.index(colour)].kind

    def seat(self, place: int, name: str, kind: str) -> None:
        self._store.seat(self.id, place, name, kind)
        self.places[place] = SeatPlace(name, kind)

    def record(self) -> Record:
        return read_record(Source(f"table {self.id}", self.text()))

    def text(self) -> str:
        return "".join([self._head, *self._lines])

    # --- moves -----------------------------------------------------------------------------------

    def play(self, seat: Seat, turn: int, row: int) -> None:
        """Play the move with a number for a seat, and keep it.

        Raises MessageRefused if it is another's turn, the table has gone on, or there is no such
        move; PlayError or OutOfTime if a rule fails. Nothing has changed then.
        """
        if turn != self.turn:
            raise MessageRefused("the game has gone on")
        if seat is None or self.mover != self.colour(seat):
            raise MessageRefused("it is not your turn")
        moves = self.state.moves()
        if not 0 <= row < len(moves):
            raise MessageRefused(f"there is no move {row}")
        self._keep(moves[row])

    def play_bot(self) -> bool:
        """Play for the bot whose turn it is and keep the move; return whether it is one's."""
        by = self.mover
        if by is None or self.kind(by) == HUMAN:
            return False
        bot = self._bot(by)
        with under(Deadline(PATIENCE)):
            move = bot.decide(self.state)
        self._keep(move, stream=bot.rng.text)
        return True

    def waits(self) -> tuple[int, bool]:
        by = self.mover
        return self.turn, by is not None and self.kind(by) == HUMAN

    def play_late(self, turn: int) -> None:
        """Make a bot's move for a person whose turn lasts too long, if it is still that turn."""
        by = self.mover
        if turn != self.turn or by is None:
            return
        bot = self._bot(by, LATE)
        with under(Deadline(PATIENCE)):
            move = bot.decide(self.state)
        self._keep(move)

    def _bot(self, colour: str, kind: str | None = None) -> Bot:
        """Return the bot that plays a colour; raises ValueError if none does."""
        kind = kind or self.kind(colour)
        if (colour, kind) not in self._bots:
            seed = self._header.seed or 0
            self._bots[colour, kind] = bot_maker(kind)(seed, self.players.index(colour))
        return self._bots[colour, kind]

    def _keep(self, move: Move, **more: object) -> None:
        by, before, taken, last = self.state.mover, self.state.clone(), self._taken, self._last
        assert by is not None, "the game is not over"
        played, ply = self._tried(move)
        written = StringIO()
        recorder = Recorder(written, None)
        recorder.move(by, move, **more, **({"taken_back": True} if taken else {}))
        over, number = self.state.mover is None, len(self._lines)
        if over:
            recorder.result(self.state)
        self._lines.append(written.getvalue())
        self._done(played, ply)

        def back() -> None:
            self.state, self._taken, self._last = before, taken, last
            del self._lines[number:], self.plies[number:]
            self._forget(number)

        self._change(TableChange(self.id, self.turn, number, written.getvalue(), over=over), back)

    def _change(self, change: TableChange, back: Callable[[], object]) -> None:
        """Keep what was changed, now or together with what other tables change."""
        self.turn += 1
        self._changed = change, back
        self._store.change(change)
        if not self._store.gathers:
            self.kept()

    def kept(self) -> None:
        """Raise the error of the last change if it could not be kept; the table is as before then.

        Raises MessageRefused if another server has changed the table, and catches up.
        """
        if self._changed is None:
            return
        (change, back), self._changed = self._changed, None
        if change.error is None:
            return
        self.turn = change.turn
        back()
        if isinstance(change.error, GoneOn):
            self.catch_up()
            raise MessageRefused("the game has gone on")
        raise change.error

    def _play(self, entry: RecordedMove) -> None:
        self._taken = entry.taken_back
        self._done(*self._tried(self.state.recorded(entry.move, entry.args)))

    def _tried(self, move: Move) -> tuple[NotedMove, TablePly]:
        by, before = self.state.mover, self.state.position.shown()
        assert by is not None, "the game is not over"
        played = play(self.state, move, Deadline(PATIENCE))
        return played, TablePly(by, is_fair(before, self.state.position.shown()), self._taken)

    def _done(self, played: NotedMove, ply: TablePly) -> None:
        self._last, self._taken = played, False
        self.plies.append(ply)

    def may_undo(self, seat: Seat) -> int | None:
        """Return how many moves stay if a seat takes back its last one without asking.

        None if it may not.
        """
        people = [colour for colour in self.players if self.kind(colour) == HUMAN]
        found = undo(self.plies, people) if self.mover is not None else None
        return found.to if found and self.plies[found.to].by == self.colour(seat) else None

    def take_back(self, seat: Seat) -> tuple[int, int] | None:
        """Take back the last move of a seat if it may do that without asking.

        Else nothing changes: return the turn, and the moves that would stay. Raises MessageRefused
        if there is nothing to take back.
        """
        to = self.may_undo(seat)
        if to is not None:
            self.undo(self.turn, to)
            return None
        own = [at for at, ply in enumerate(self.plies) if ply.by == self.colour(seat)]
        if self.mover is None:
            raise MessageRefused("the game is over")
        if not own:
            raise MessageRefused("you have made no move")
        return self.turn, own[-1]

    def undo(self, turn: int, to: int) -> None:
        """Take back all moves after the first ones, unless the table has gone on or ended.

        At the end everybody may have seen the record, with all that was hidden.
        """
        self._check_open(turn)
        gone = self.plies[to:]
        taken = len(gone) > 1 or any(ply.taken or not ply.fair for ply in gone)
        before = self._before()
        try:
            self._lines = self._lines[:to]
            self._again()
        except BaseException:
            self._restore(before)
            raise
        self._taken = taken
        self._forget(to)
        self.cuts.append(to)

        def back() -> None:
            self._restore(before)
            self.cuts.pop()

        self._change(TableChange(self.id, turn, to, marked=to if taken else -1), back)

    def grant(self, turn: int, to: int) -> None:
        """Take back all moves after the first ones; if all stay, end the game as it stands.

        Raises MessageRefused if the table has gone on or ended.
        """
        if to != len(self.plies):
            self.undo(turn, to)
            return
        self._check_open(turn)
        written = StringIO()
        Recorder(written, None).result(self.state, agreed=True)
        line, number = written.getvalue(), len(self._lines)
        self._lines.append(line)
        change = TableChange(self.id, turn, number, line, over=True)
        self._change(change, self._lines.pop)

    def asks_end(self) -> tuple[int, int]:
        """Return the turn, and the number of all moves: they stay if the game is ended now."""
        self._check_open(self.turn)
        return self.turn, len(self.plies)

    def _check_open(self, turn: int) -> None:
        if turn != self.turn:
            raise MessageRefused("the game has gone on")
        if self.mover is None:
            raise MessageRefused("the game is over")

    def _before(self) -> tuple[Any, ...]:
        told = {reader: _Told(list(each.messages)) for reader, each in self._told.items()}
        return self._lines, self.state.clone(), list(self.plies), self._last, self._taken, told

    def _restore(self, before: tuple[Any, ...]) -> None:
        self._lines, self.state, self.plies, self._last, self._taken, self._told = before

    def _begun(self) -> tuple[State, Happened]:
        players, seed = self._header.players, self._header.seed
        return begin(self.game, players, seed, Deadline(PATIENCE))

    # --- what is told ----------------------------------------------------------------------------

    def news(self, known: Known, reader: Reader) -> tuple[list[str], Known]:
        """Return the messages about all that a client has not been told, and what it knows then."""
        found, told = list[str](), known.moves
        for to in self.cuts[known.cuts :]:
            if to < told:
                found.append(_text({"type": "cut", "moves": to}))
                told = to
        own = self._tell(reader)
        found += own.messages[told + 1 :]
        if self.ended and not known.ended:
            found.append(_text({"type": "ended"}))
        if found:
            moves = [] if self.ended else own.moves
            now = {"turn": self.turn, "undo": self.may_undo(reader.seat), "moves": moves}
            found.append(_text({"type": "now", **now}))
        return found, Known(len(self.plies), len(self.cuts), self.ended)

    def _tell(self, reader: Reader) -> _Told:
        """Return all that a client is told of this position and those before it."""
        own = self._told.setdefault(reader, _Told())
        missing, last = len(self.plies) + 1 - len(own.messages), self._last
        if missing == 1 and last is not None:
            self._add(own, self._ply(last, self.plies[-1].taken, self.state, reader), reader)
        elif missing:
            state, happened = self._begun()
            if not own.messages:
                self._add(own, self._start(happened, state, reader), reader, state)
            for at, entry in enumerate(self.record().entries, 1):
                played = play(state, state.recorded(entry.move, entry.args), Deadline(PATIENCE))
                if at == len(own.messages):
                    move = self._ply(played, entry.taken_back, state, reader)
                    self._add(own, move, reader, state)
        if own.moves is None:
            own.moves = self._position(self.state, reader)[1]
        return own

    def _start(self, happened: Happened, state: State, reader: Reader) -> Data:
        if reader.texts:
            return {"type": "start"}
        position = state.position
        assert isinstance(position, LoweredPosition), "the compiled engine plays"
        notes = told_notes(happened, position.tables, reader.seat, self.seats)
        return {"type": "start", **notes}

    def _add(self, own: _Told, message: Data, reader: Reader, state: State | None = None) -> None:
        position, own.moves = self._position(state or self.state, reader)
        text, number = _text({**message, **position}), len(own.messages)
        others = (each.messages[number:] for each in self._told.values())
        same = (each[0] for each in others if each and each[0] == text)
        own.messages.append(next(same, text))  # In memory once.

    def _forget(self, to: int) -> None:
        for each in self._told.values():
            del each.messages[to + 1 :]
            each.moves = None

    def _ply(self, played: NotedMove, taken: bool, state: State, reader: Reader) -> Data:
        position = state.position
        assert isinstance(position, LoweredPosition), "the compiled engine plays"
        if reader.texts:
            texts: Data = dict(played.move.texts)
            if reader.seat != played.by:
                texts = {name: text(untold(value)) for name, value in played.move.args.items()}
                texts |= dict.fromkeys(texts.keys() & played.option.secret)
            move: Data = {"by": self.colour(played.by), "move": played.move.name, "args": texts}
        else:
            move = told(played, position.tables, reader.seat, self.seats)
        return {"type": "ply", **move, "taken": taken}

    def _position(self, state: State, reader: Reader) -> tuple[Data, list[Any]]:
        if reader.texts:
            own = state.mover is not None and state.mover == self.colour(reader.seat)
            listed = state.moves() if own else ()
            moves = [{"move": each.name, "args": each.texts} for each in listed]
            shown = {"mover": state.mover, "scores": state.scores(), "winners": state.winners}
            return shown, moves
        position = state.position
        assert isinstance(position, LoweredPosition), "the compiled engine plays"
        if self._seen[0] is not position.history:
            self._seen = position.history, {}
        seat, found = shared_seat(position, reader.seat), self._seen[1]
        if seat not in found:
            image, rows = seen(position, seat)
            found[seat] = b64encode(zlib.compress(image, 1)).decode(), rows
        text, rows = found[seat]
        return {"state": text}, rows if seat == reader.seat else []


class _Told:
    """The messages about the start and each move so far, and the own moves in the last position.

    `moves` is None if they must be listed again. All clients of a seat are told the same.
    """

    def __init__(self, messages: Iterable[str] = ()) -> None:
        self.messages = list(messages)
        self.moves: list[Any] | None = None


def _text(message: Data) -> str:
    return json.dumps(message, ensure_ascii=False)


def named(game: Game) -> str:
    """Return the name of a game in addresses: the ids of its root and its expansions."""
    return named_in(Header.of(game, 0, None))


def named_in(header: Header) -> str:
    """Return the name of the game of a record."""
    return "+".join([header.root, *header.expansions])


def listed_as(game: Game) -> str:
    """Return the text under which the tables of a game are listed."""
    return hashed(json.dumps(Header.of(game, 0, None).fields(), sort_keys=True))


def new_table(
    game: Game, store: TableStore, id: str, seed: int, places: Links, *, listed: bool = False
) -> GameTable:
    """Add a table to a store; the places have the secrets of their links."""
    header = Header.of(game, sum(place >= 0 for place in places), seed)
    line = json.dumps(header.fields(), ensure_ascii=False) + "\n"
    kinds = {place: row for place, (_, row) in places.items()}
    table = GameTable(game, store, Kept(id, line, kinds, (), -1, 0))
    store.add(id, line, places, listed=listed_as(game) if listed else "")
    return table
