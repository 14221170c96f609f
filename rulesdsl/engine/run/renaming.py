"""Samples of lowered positions: hidden information is drawn at random in the tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import islice

from rulesdsl.engine.lower.plan import Plan
from rulesdsl.engine.lower.tables.encoding import set_item
from rulesdsl.engine.lower.tables.state_tables import WORD, StateTable
from rulesdsl.engine.run import samples
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime.heap import HEADER
from rulesdsl.language.model.tables import Tables
from rulesdsl.language.model.types import (
    FEATURE,
    PIECE,
    PIECE_CLASSES,
    SEGMENT,
    NamedType,
    OptionalType,
    SetType,
    Type,
)

Rename = Callable[[int], int]

_PIECES = (PIECE, *map(NamedType, PIECE_CLASSES))


def exchange(plan: Plan, tables: Tables, seat: int, rng: Rng) -> bool:
    """Exchange the places of hidden pieces at random (see `run.samples`).

    States, frames and queued calls then name the piece that each one becomes, except the states of
    the pieces themselves. Returns whether the program must `rebuild` derived tables.
    """
    becomes = samples.draw(tables, seat, rng)
    rebuilds = samples.exchange(tables, becomes, rng)
    Renaming(plan, tables, becomes).rename()
    return rebuilds


@lru_cache(256)
def _named(type_: Type) -> Type | None:
    """Return what values of a type, or members of its sets, name: pieces, segments or neither."""
    while isinstance(type_, OptionalType | SetType):
        type_ = type_.item
    if type_ in _PIECES:
        return PIECE
    return SEGMENT if type_ in (SEGMENT, FEATURE) else None


class Renaming:
    """The references to pieces in the tables of a position, to be replaced.

    `becomes` are the numbers of pieces by those that they replace.
    """

    def __init__(self, plan: Plan, tables: Tables, becomes: dict[int, int]) -> None:
        self._plan = plan
        self._tables = tables
        self._becomes = becomes

    @cached_property
    def _segments(self) -> dict[int, int]:
        first = self._plan.encoding.piece_segment
        return {
            first[old] + number: first[new] + number
            for old, new in self._becomes.items()
            for number in range(min(first[old + 1] - first[old], first[new + 1] - first[new]))
        }

    def rename(self) -> None:
        """Replace each piece everywhere by the one it becomes; sets stay sorted."""
        for state in self._plan.states.values():
            self._state(state)
        self._stack()
        self._queue()
        given = self._tables["asked_given"]
        if self._tables["asked"][0] == 1 and self._tables["waiting"][0] == 2:
            given[0] = self.piece(given[0])

    def piece(self, number: int) -> int:
        """Return the piece that one becomes."""
        return self._becomes.get(number, number)

    def segment(self, number: int) -> int:
        """Return the segment that one becomes with its piece."""
        return self._segments.get(number, number)

    def by_type(self, type_: Type) -> Rename | None:
        """Return the function that renames values of a type, or members of its sets.

        It is None for types that do not refer to pieces.
        """
        named = _named(type_)
        if named == PIECE:
            return self.piece
        return None if named is None else self.segment

    def _state(self, state: StateTable) -> None:
        renamed = self.by_type(state.definition.type)
        if renamed is None:
            return
        data, owner = self._tables[state.data], state.definition.owner
        kept: dict[int, list[int]] = {}
        if owner in PIECE_CLASSES or owner == SEGMENT.name:
            width = state.per_owner * state.words
            owners = self._segments if owner == SEGMENT.name else self._becomes
            starts = ((each - state.first) * width for each in owners)
            kept = {at: data[at : at + width] for at in starts if 0 <= at < len(data)}
        self._values(state, renamed)
        for at, row in kept.items():
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
                renamed = self.segment if what % 2 else self.piece
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
            queued = self._plan.actions[numbers[at]]
            at += 1
            for _, type_ in queued.arguments:
                count = 1
                if set_item(type_) is not None:
                    count, at = max(numbers[at], 0), at + 1
                renamed = self.by_type(type_)
                if renamed is not None:
                    queue[at : at + count] = sorted(map(renamed, islice(numbers, at, at + count)))
                at += count
