"""Samples of lowered positions: hidden information is drawn at random in the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from rulesdsl.engines.compiled.machine import Tables
from rulesdsl.engines.rng import Rng
from rulesdsl.lower.plan import Plan
from rulesdsl.lower.tables.encoding import set_item
from rulesdsl.lower.tables.state_tables import WORD, StateTable
from rulesdsl.model.types import (
    FEATURE,
    PIECE,
    PIECE_CLASSES,
    SEGMENT,
    NamedType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.runtime.heap import HEADER
from rulesdsl.runtime.tables import LAID, NOWHERE

Rename = Callable[[int], int]

_PIECES = (PIECE, *map(NamedType, PIECE_CLASSES))

_WITH_PLACE = ("place", "spot", "known", "face_down", "shuffled")
"""The columns of a piece that depend on its place."""


def differs(plan: Plan, tables: Tables, seat: int) -> bool:
    """Return whether samples for a player can differ from each other."""
    spot = _spots(tables)
    return any(len(set(map(spot, group))) > 1 for group in _hidden(plan, tables, seat))


def exchange(plan: Plan, tables: Tables, seat: int, rng: Rng) -> bool:
    """Exchange the places of hidden pieces at random (see `reference.chance.sample`).

    States, frames and queued calls then name the piece that each one becomes. Returns whether the
    program must `rebuild` derived tables.
    """
    becomes: dict[int, int] = {}
    spot = _spots(tables)
    for group in _hidden(plan, tables, seat):
        # Sorted by place, so that the hidden arrangement does not influence the result.
        becomes.update(zip(sorted(group, key=spot), rng.shuffled(group), strict=True))
    _move(tables, becomes)
    _Names(plan, tables, becomes).rename()
    return any(tables["place"][piece] >= plan.encoding.first_segment for piece in becomes)


def _hidden(plan: Plan, tables: Tables, seat: int) -> Iterable[list[int]]:
    """Return groups of pieces that a player cannot tell apart."""
    known, place, pool = tables["known"], tables["place"], tables["pool"]
    there, cls, owner = tables["piece_in"], tables["piece_class"], tables["piece_seat"]
    groups: dict[tuple[int, int, int], list[int]] = {}
    for piece in range(len(plan.checked.game.pieces)):
        hidden = there[piece] and not known[piece] >> seat & 1
        if hidden and place[piece] not in (NOWHERE, LAID):
            groups.setdefault((pool[piece], cls[piece], owner[piece]), []).append(piece)
    return groups.values()


def _spots(tables: Tables) -> Callable[[int], tuple[int, ...]]:
    """Return a function that gives the spot of a piece.

    A spot is the place of a piece and everything that depends on it, without the identity of the
    piece.
    """
    place, at, known = tables["place"], tables["spot"], tables["known"]
    down, shuffled = tables["face_down"], tables["shuffled"]
    order: dict[int, int] = {}
    for zone, keeps in enumerate(tables["zone_keeps"]):
        if keeps:
            inside = enumerate(listed(tables, zone))
            order.update((piece, number) for number, piece in inside if not shuffled[piece])

    def spot(piece: int) -> tuple[int, ...]:
        lies = known[piece], down[piece], shuffled[piece]
        return place[piece], at[piece], order.get(piece, 0), *lies

    return spot


def listed(tables: Tables, place: int) -> list[int]:
    """Return the pieces at a place, in the order of its list."""
    found, after = [], tables["piece_next"]
    piece = tables["head"][place]
    while piece >= 0:
        found.append(piece)
        piece = after[piece]
    return found


def _move(tables: Tables, becomes: dict[int, int]) -> None:
    """Give every piece the place of another one, by a permutation."""
    places = {tables["place"][piece] for piece in becomes}
    lists = {at: listed(tables, at) for at in sorted(places) if at >= 0}
    for name in _WITH_PLACE:
        table = tables[name]
        before = {new: table[old] for old, new in becomes.items()}
        for piece, value in before.items():
            table[piece] = value
    shuffled, keeps = tables["shuffled"], tables["zone_keeps"]
    zones = tables["ZONES"][0]
    for at, pieces in lists.items():
        now = [becomes.get(piece, piece) for piece in pieces]
        ordered = at < zones and keeps[at]
        loose = iter(sorted(piece for piece in now if not ordered or shuffled[piece]))
        order = [next(loose) if not ordered or shuffled[piece] else piece for piece in now]
        tables["head"][at], tables["tail"][at] = order[0], order[-1]
        for before_, piece, after in zip([-1, *order], order, [*order[1:], -1], strict=False):
            tables["piece_before"][piece], tables["piece_next"][piece] = before_, after


class _Names:
    """The references to pieces in the tables of a position, to be replaced."""

    def __init__(self, plan: Plan, tables: Tables, becomes: dict[int, int]) -> None:
        self._plan = plan
        self._tables = tables
        self._becomes = becomes
        first = plan.encoding.piece_segment
        self._segments = {
            first[old] + number: first[new] + number
            for old, new in becomes.items()
            for number in range(
                min(first[each + 1] - first[each] for each in (old, new)),
            )
        }

    def rename(self) -> None:
        """Replace each piece everywhere by the one it becomes; sets stay sorted."""
        for state in self._plan.states.values():
            self._state(state)
        self._stack()
        self._queue()
        given = self._tables["asked_given"]
        if self._tables["asked"][0] == 1 and self._tables["waiting"][0] == 2:
            given[0] = self._piece(given[0])

    def _piece(self, number: int) -> int:
        return self._becomes.get(number, number)

    def _segment(self, number: int) -> int:
        return self._segments.get(number, number)

    def _by_type(self, type_: Type) -> Rename | None:
        """Return the function that renames values of a type, or members of its sets.

        It is None for types that do not refer to pieces.
        """
        while isinstance(type_, OptionalType | SetType):
            type_ = type_.item
        if type_ in _PIECES:
            return self._piece
        return self._segment if type_ in (SEGMENT, FEATURE) else None

    def _state(self, state: StateTable) -> None:
        data, owner = self._tables[state.data], state.definition.owner
        renamed = self._by_type(state.definition.type)
        if renamed is not None:
            self._values(state, renamed)
        moved: dict[int, int] = {}
        if owner in PIECE_CLASSES:
            cls, number = self._tables["piece_class"], PIECE_CLASSES.index(owner)
            moved = {old: new for old, new in self._becomes.items() if cls[old] == number}
        elif owner == SEGMENT.name:
            moved = self._segments
        width = state.per_owner * state.words
        rows = {
            (new - state.first) * width: data[at : at + width]
            for old, new in moved.items()
            for at in ((old - state.first) * width,)
        }
        for at, row in rows.items():
            data[at : at + width] = row

    def _values(self, state: StateTable, renamed: Rename) -> None:
        data = self._tables[state.data]
        if state.members is None:
            data[:] = [renamed(number) if number >= 0 else number for number in data[:]]
            return
        bits = {member: bit for bit, member in enumerate(state.members)}
        for row in range(0, len(data), state.words):
            held = state.held(data[row : row + state.words])
            if held:
                words = [0] * state.words
                for member in held:
                    bit = bits[renamed(member)]
                    words[bit // WORD] |= 1 << bit % WORD
                data[row : row + state.words] = words

    def _stack(self) -> None:
        """Rename the slots of frames, see `live_what`."""
        tables = self._tables
        stack, first = tables["stack"], tables["live_first"]
        frame = tables["top"][0]
        while frame >= 0:
            for row in range(first[stack[frame]], first[stack[frame] + 1]):
                slot, what = frame + tables["live_slot"][row], tables["live_what"][row]
                renamed = self._segment if what % 2 else self._piece
                if what < 2:
                    stack[slot] = renamed(stack[slot])
                elif stack[slot] > 0:
                    self._block(stack[slot], renamed, what >= 4)
            frame = stack[frame + 1]

    def _block(self, handle: int, renamed: Rename, rounds: bool) -> None:
        """Rename the items of a block of `store`.

        The items of a set are sorted again; the rounds of a loop keep their order.
        """
        store, begin = self._tables["store"], handle + HEADER
        end = begin + store[handle + 2]
        items = list(map(renamed, store[begin:end]))
        store[begin:end] = items if rounds else sorted(items)

    def _queue(self) -> None:
        queue, at = self._tables["queue"], 0
        numbers = queue[: self._tables["queue_free"][0]]
        while at < len(numbers):
            _, types = self._plan.actions[numbers[at]]
            at += 1
            for type_ in types:
                count = 1
                if set_item(type_) is not None:
                    count, at = max(numbers[at], 0), at + 1
                renamed = self._by_type(type_)
                if renamed is not None:
                    queue[at : at + count] = sorted(map(renamed, islice(numbers, at, at + count)))
                at += count
