"""Positions and moves as a seat at a table may know them, in numbers of the page's module.

A position is the state of the module in which every hidden place has the first piece that may be
there (`engines.samples`). Nothing runs in it: of its frames only the arguments of the choice are
left, and its chance has no generator. So two games that look the same to a seat give it the same
bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rulesdsl.base.deadline import Deadline, under
from rulesdsl.engine.lower.plan import OptionPlan, Plan
from rulesdsl.engine.lower.tables.encoding import NONE, set_item
from rulesdsl.engine.run import samples
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.moves import PLAYER
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.renaming import Renaming
from rulesdsl.engine.run.rng import Item, Rng
from rulesdsl.engine.run.wasm.engine import ENGINE, image
from rulesdsl.engine.runtime import notes
from rulesdsl.engine.runtime.faults import STEPS
from rulesdsl.engine.runtime.heap import HEADER
from rulesdsl.engine.runtime.tables import NOTE, NOWHERE
from rulesdsl.engine.runtime.terms import PIECE
from rulesdsl.language.model.tables import Entries, Tables
from rulesdsl.language.model.types import PIECE_CLASSES, SEGMENT, OptionalType, SetType, Type
from rulesdsl.play.game import Game, State
from rulesdsl.play.moves import Move, number_of
from rulesdsl.play.names import Place, Plain, UnknownPiece

Data = dict[str, Any]
Seat = int | None
"""A seat, or None for somebody who watches and knows what everybody knows."""

_EMPTY = ("queue", "rng", "settling", "free", "queued", "queue_free", "resolves", "steps")
"""The tables of what runs, which a position without running rules has empty."""


class SeenPosition(NamedTuple):
    """A position as a seat sees it: the state of the module, and the rows of its own moves."""

    state: bytes
    moves: list[list[int]]


def knows(tables: Tables, seat: Seat, piece: int, seats: int) -> bool:
    """Return whether a seat knows a piece; all see one that was just taken and has no place yet."""
    known = tables["known"][piece]
    own = known == (1 << seats) - 1 if seat is None else known >> seat & 1
    return bool(own) or tables["place"][piece] == NOWHERE


class _First(Rng):
    """Draws the first of all items: nobody looks at what is drawn, and so it changes little."""

    def below(self, bound: int) -> int:
        return 0

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        return list(items)


def seen(position: LoweredPosition, seat: Seat) -> SeenPosition:
    """Return a position as a seat sees it.

    Positions that look the same to the seat give the same.
    """
    tables, plan = _Draft(position.looked()), position.plan
    rows = []
    if seat is None:
        everybody = (1 << position.players) - 1
        known = tables["known"]
        if tables["ANSWERS"][0]:
            by_all = (samples.heard_by_all(tables, piece) for piece in range(len(known)))
            tables["told"][:] = [bits for bits in by_all for _ in range(position.players)]
        known[:] = [each if each == everybody else 0 for each in known]
    elif tables["waiting"][0] == PLAYER and tables["asked_seat"][0] == seat:
        rows = position.rows()
    groups = samples.hidden(tables, seat or 0)
    alike = _alike(plan, tables, seat or 0, groups)
    if _renames(alike):
        Renaming(plan, tables, alike).rename()
    rng = _First.seeded(0)
    becomes = samples.draw(tables, seat or 0, rng, groups)
    rebuilds = samples.exchange(tables, becomes, rng)
    if _renames(becomes):
        Renaming(plan, tables, becomes).rename()
    if rows:
        both = {piece: becomes.get(alike.get(piece, piece), piece) for piece in becomes}
        renaming = Renaming(plan, tables, both)
        options = plan.choices[tables["asked"][0]].options
        like = _Representatives(tables, seat or 0)
        rows = _renamed(rows, options, renaming, like)
    changed, stopped = tables.changed(), _stopped(plan, tables)
    if rebuilds:
        position, changed = position.rebuilt({**changed, "fuel": stopped["fuel"]}), {}
    return SeenPosition(image(position, {**changed, **stopped}), rows)


def shared_seat(position: LoweredPosition, seat: Seat) -> Seat:
    """Return a seat that sees the same state as a seat, where all see the same: who is asked."""
    tables, everybody = position.tables, (1 << position.players) - 1
    if tables["ANSWERS"][0] and any(tables["told"]):
        return seat
    if not {0, everybody}.issuperset(tables["known"]):
        return seat
    return tables["asked_seat"][0] if tables["waiting"][0] == PLAYER else None


class _Draft(dict[str, list[int]]):
    """Tables as lists, which are quick to read and to change; of `store` what is in use."""

    def __init__(self, tables: Mapping[str, Entries]) -> None:
        super().__init__()
        self._tables, self._read = tables, dict[str, list[int]]()

    def __missing__(self, name: str) -> list[int]:
        end = self["store_free"][0] if name == "store" else None
        self._read[name] = list(self._tables[name][:end])
        self[name] = found = self._read[name][:]
        return found

    def changed(self) -> dict[str, list[int]]:
        """Return the tables that were changed."""
        return {name: entries for name, entries in self.items() if entries != self._read[name]}


def _renames(becomes: Mapping[int, int]) -> bool:
    return list(becomes) != list(becomes.values())


def _alike(plan: Plan, tables: Tables, seat: int, groups: Sequence[list[int]]) -> dict[int, int]:
    """Return an order of the hidden pieces at one spot in which only what names them counts.

    A seat may know that a state names one of the cards in a hand, but not whether a low one.
    """
    found = {piece: piece for group in groups for piece in group}
    names = _names(plan, tables, found.keys())
    if names.keys().isdisjoint(found):
        return found
    spot = samples.spots(tables, seat)
    for group in groups:
        there = defaultdict[tuple[int, ...], list[int]](list)
        for piece in group:
            there[spot(piece)].append(piece)
        for pieces in there.values():
            if any(piece in names for piece in pieces):
                order = sorted(pieces, key=lambda piece: names.get(piece, []))
                found.update(zip(order, pieces, strict=True))
    return found


def _names(
    plan: Plan, tables: Tables, hidden: Container[int]
) -> dict[int, list[tuple[str, int, int]]]:
    """Return the places of states that name each piece, and empty those of hidden pieces."""
    found: dict[int, list[tuple[str, int, int]]] = {}
    first, segments = plan.encoding.piece_segment, tables["segment_piece"]
    renaming = Renaming(plan, tables, {})
    for state in plan.states.values():
        type_, owner = state.definition.type, state.definition.owner
        named = renaming.by_type(type_)
        if named is None:
            continue
        data, words, empty = tables[state.data], state.words, _empty(type_)
        for at in range(0, len(data), words):
            of = state.first + at // words // state.per_owner
            of = segments[of] if owner == SEGMENT.name else of
            held = data[at : at + words]
            if (owner in PIECE_CLASSES or owner == SEGMENT.name) and of in hidden:
                data[at : at + words] = held if empty is None else [empty] * words
                continue
            for number in held if state.members is None else state.held(held):
                if number >= 0:
                    piece = number if named == renaming.piece else segments[number]
                    part = 0 if named == renaming.piece else number - first[piece]
                    found.setdefault(piece, []).append((state.key, at, part))
    return found


def _empty(type_: Type) -> int | None:
    """Return the number in a row of a state that names nothing, None if one always names one."""
    if isinstance(type_, OptionalType):
        return NONE
    return 0 if isinstance(type_, SetType) else None


class _Representatives:
    """For pieces that a seat cannot tell apart the lowest of them."""

    def __init__(self, tables: Tables, seat: int) -> None:
        self._tables, self._seat = tables, seat
        self._first: dict[tuple[int | None, ...], int] | None = None

    def __call__(self, piece: int) -> int:
        tables, seat = self._tables, self._seat
        if piece < 0 or samples.unknown_at(tables, piece, seat) is None:
            return piece
        if self._first is None:
            self._first = {}
            for each in range(len(tables["place"])):
                if samples.unknown_at(tables, each, seat) is not None:
                    self._first.setdefault(self._key(each), each)
        return self._first[self._key(piece)]

    def _key(self, piece: int) -> tuple[int | None, ...]:
        columns = ("place", "spot", "piece_class", "piece_seat")
        own = [self._tables[name][piece] for name in columns]
        told = samples.heard(self._tables, piece, self._seat)
        own += [told, told & self._tables["piece_answers"][piece]]
        return *own, samples.unknown_at(self._tables, piece, self._seat)


def _renamed(
    rows: list[list[int]],
    options: Sequence[OptionPlan],
    renaming: Renaming,
    like: _Representatives,
) -> list[list[int]]:
    columns = [
        [
            (at, renamed)
            for at, (_, type_) in enumerate(option.arguments, 1)
            if (renamed := renaming.by_type(type_)) is not None
        ]
        for option in options
    ]
    found = []
    for row in rows:
        own = row[: 1 + len(options[row[0]].arguments)]
        for at, renamed in columns[row[0]]:
            if row[at] >= 0:
                number = renamed(row[at])
                own[at] = like(number) if renamed == renaming.piece else number
        found.append(own)
    return found


def _stopped(plan: Plan, tables: Tables) -> dict[str, list[int]]:
    """Return the tables of what runs with nothing but the arguments of the choice."""
    choice = plan.choices[tables["asked"][0]] if tables["waiting"][0] == PLAYER else None
    frame, stack, store = tables["top"][0], tables["stack"], tables["store"]
    given, sets = [0, -1], [0]
    for slot in choice.arguments if choice else ():
        number = stack[frame + slot.offset]
        if set_item(slot.type) is not None and number not in (0, NONE):
            count = store[number + HEADER - 1]
            block = [slot.offset, count, count, *store[number + HEADER : number + HEADER + count]]
            number = len(sets)
            sets += block
        given += [0] * (slot.offset + 1 - len(given))
        given[slot.offset] = number
    top, fuel, free = [0 if choice else -1], [STEPS], [len(sets)]
    empty = {name: list[int]() for name in _EMPTY}
    return {**empty, "stack": given, "store": sets, "store_free": free, "top": top, "fuel": fuel}


class Happened(NamedTuple):
    """The notes of what happened.

    The `terms` of points are by their record, the pieces that points are about by their number in
    the notes.
    """

    notes: list[list[int]]
    terms: dict[int, list[tuple[int, int]]]
    subjects: dict[int, int]


class NotedMove(NamedTuple):
    """A move as the table knows it: who made it, its row in `moves`, and what it did.

    `dice` are the arguments that name dice whose faces somebody did not know.
    """

    by: int
    row: list[int]
    move: Move
    option: OptionPlan
    dice: frozenset[str]
    happened: Happened


def begin(
    game: Game, players: int, seed: int | None, deadline: Deadline | None = None
) -> tuple[State, Happened]:
    """Begin a game and return what happened before its first decision, nothing if that is too much.

    Raises what `Game.start` raises.
    """
    try:
        with under(deadline):
            position = ENGINE.start(game.checked, players, seed, hearing=lambda _: _unheard)
    except PlayError:
        return game.start(players, seed, deadline=deadline), Happened([], {}, {})
    position.listener = None
    return State(game, position), _happened(position.tables)


def play(state: State, move: Move, deadline: Deadline | None = None) -> NotedMove:
    """Play a move of a player and return it with its notes.

    Raises what `State.play` raises; the state is then as it was.
    """
    position = state.position
    assert isinstance(position, LoweredPosition), "the compiled engine plays"
    tables = position.tables
    row = position.rows()[number_of(move, state.moves())]
    choice, by = tables["asked"][0], tables["asked_seat"][0]
    option = position.plan.choices[choice].options[row[0]]
    dice = frozenset(_dice(position, option, row))
    position.listener = _unheard
    try:
        state.play(move, deadline=deadline)
    finally:
        position.listener = None
    return NotedMove(by, row, move, option, dice, _happened(tables))


def _dice(position: LoweredPosition, option: OptionPlan, row: list[int]) -> Iterator[str]:
    """Yield the arguments of a move that name dice whose faces somebody does not know."""
    tables, renaming = position.tables, Renaming(position.plan, position.tables, {})
    everybody = (1 << position.players) - 1
    for (name, type_), number in zip(option.arguments, row[1:], strict=False):
        if number >= 0 and renaming.by_type(type_) == renaming.piece:
            faces = tables["kind_faces"][tables["piece_kind"][number]]
            if faces and tables["known"][number] != everybody:
                yield name


def _happened(tables: Tables) -> Happened:
    made = tables["notes"][: tables["noted"][0] * NOTE]
    found = [made[at : at + NOTE] for at in range(0, len(made), NOTE)]
    gains = [note for note in found if note[0] == notes.GAINED]
    terms = {note[3]: list(_terms(tables, note[3])) for note in gains if note[3]}
    segments = tables["segment_piece"]
    subjects = {
        note[4]: (note[4] - 1) // 4 if (note[4] - 1) % 4 == PIECE else segments[(note[4] - 1) // 4]
        for note in gains
        if note[4]
    }
    return Happened(found, terms, subjects)


def _unheard(_: object) -> None:
    """Listen, so that the program takes notes."""


def _terms(tables: Tables, record: int) -> Iterator[tuple[int, int]]:
    names, numbers = tables["record_name"], tables["record_value"]
    room = len(names)
    for at in range(record + 1, record + 1 + names[record % room]):
        yield names[at % room], numbers[at % room]


def told(played: NotedMove, tables: Tables, seat: Seat, seats: int) -> Data:
    """Return a move as a seat is told it, by the tables after it."""
    move = {"by": played.by, "option": played.row[0], "arguments": list(_arguments(played, seat))}
    return {**move, **told_notes(played.happened, tables, seat, seats)}


def told_notes(happened: Happened, tables: Tables, seat: Seat, seats: int) -> Data:
    """Return what happened as a seat is told it, by the tables after it."""
    made, terms = _notes(happened, tables, seat, seats)
    return {"notes": [number for note in made for number in note], "terms": terms}


def _arguments(played: NotedMove, seat: Seat) -> Iterator[object]:
    """Yield the numbers of a move's arguments, each a list of them; None for a secret one.

    A piece that its mover does not know is given by its place, a die that others do not know by
    its name: its number would show another face to them.
    """
    columns = zip(played.option.arguments, played.row[1:], strict=False)
    for name, own in groupby(columns, key=lambda column: column[0][0]):
        value = played.move.args[name]
        if name in played.option.secret and seat != played.by:
            yield None
        elif name in played.dice or _unknown(value):
            yield _by_place(value if seat == played.by else untold(value))
        else:
            yield [number for _, number in own]


def _unknown(value: Plain) -> bool:
    return isinstance(value, UnknownPiece) or (
        isinstance(value, tuple) and any(map(_unknown, value))
    )


def untold(value: Plain) -> Plain:
    """Return a value in which unknown pieces are named without what the mover was told of them."""
    if type(value) is tuple:
        return tuple(map(untold, value))
    return value.untold if isinstance(value, UnknownPiece) else value


def _by_place(value: Plain) -> Data | list[object]:
    if type(value) is tuple:
        return {"each": [_by_place(each) for each in value]}
    if not isinstance(value, UnknownPiece):
        return {"plain": value}
    place: object = value.place
    if isinstance(value.place, Place):
        place = value.place._asdict()
    unknown = {"cls": value.cls, "owner": value.owner, "place": place, "number": value.number}
    unknown["told"] = [each._asdict() for each in value.told]
    return {"plain": str(value), "unknown": unknown}


def _notes(
    happened: Happened, tables: Tables, seat: Seat, seats: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the notes that a seat may read, and the terms that they name as two columns."""
    found: list[list[int]] = []
    names, values = [0], [0]
    away = {note[1] for note in happened.notes if note[0] == notes.MOVED}
    rows = iter(range(len(happened.notes)))
    for at in rows:
        what, first, second, third, last = happened.notes[at]
        known = what in _ABOUT_PIECES and knows(tables, seat, first, seats)
        match what:
            case notes.MOVED:
                found.append([what, first if last or known else -1, second, third, last])
            case notes.DRAWN:
                if known or first not in away:
                    found.append(happened.notes[at])
            case notes.ROLLED | notes.TURNED | notes.REVEALED | notes.TOLD:
                if known:
                    found.append(happened.notes[at])
            case notes.SHOWN:
                if third == (1 << seats) - 1 or (seat is not None and third >> seat & 1):
                    found.append(happened.notes[at])
            case notes.SAID:
                line = [happened.notes[at], *_values(happened.notes, at + 1)]
                for _ in line[1:]:
                    next(rows)
                masks = [note[2] for note in line[1:] if note[0] == notes.VALUE]
                everybody = (1 << seats) - 1
                if all(
                    mask == everybody or (seat is not None and mask >> seat & 1) for mask in masks
                ):
                    found += line
            case notes.GAINED:
                record = 0
                if third:
                    record = len(names)
                    names.append(len(happened.terms[third]))
                    values.append(0)
                    for name, value in happened.terms[third]:
                        names.append(name)
                        values.append(value)
                own = last and knows(tables, seat, happened.subjects[last], seats)
                found.append([what, first, second, record, last if own else 0])
            case _:
                found.append(happened.notes[at])
    return found, [names, values]


_ABOUT_PIECES = (
    *(notes.MOVED, notes.DRAWN, notes.ROLLED, notes.TURNED, notes.REVEALED, notes.TOLD),
)


def _values(made: Sequence[list[int]], at: int) -> Iterator[list[int]]:
    """Yield the notes of the values that a line names."""
    while at < len(made) and made[at][0] in (notes.VALUE, notes.VALUES):
        yield made[at]
        at += 1
