"""Asked about pieces and their places, the runtime and the plain world say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime import heap, questions
from rulesdsl.engine.runtime.knowledge import hides
from rulesdsl.language.model.types import INT, KIND
from rulesdsl.language.model.values import (
    Cell,
    Feature,
    Grid,
    Kind,
    Piece,
    Segment,
    Space,
    Value,
    Zone,
    as_set,
)
from tests.oracle import chance
from tests.oracle.builtins import call, pieces_in
from tests.runtime.player import Player
from tests.runtime.twins import GAMES, Twins

PAIRS = [(name, players) for name, counts in GAMES.items() for players in counts]
NAMES = ("tiles", "cards", "dice", "tokens", "figures")
"""The builtins for the classes, by number."""
EACH = {Feature: 0, Segment: 1, Piece: 2, Cell: 3, Space: 4}
ON: dict[type, Callable[[int, int], int]] = {
    Zone: questions.zone_class,
    Grid: questions.on_grid,
    **{kind: partial(questions.on_thing, what=what) for kind, what in EACH.items()},
}
OF_PIECE: dict[str, Callable[[int], int]] = {
    "home": questions.home_of,
    "zone": questions.zone_of,
    "segment": questions.segment_of,
    "space": questions.space_of,
    "on_board": questions.on_board,
    "position": questions.position,
}
OF_ZONE: dict[str, Callable[[int], int]] = {
    "kinds": questions.kinds_in,
    "room": questions.room,
}


class Asker(Player):
    """Asks random questions."""

    def things(self) -> Iterator[Value]:
        """Something of every type that pieces can be on."""
        box = self.world.box
        segment = self.segment()
        if segment is not None:
            yield segment
            yield Feature(segment)
        yield self.piece()
        cell = self.cell()
        if cell is not None and box.inside(cell):
            yield cell
        yield self.one(box.zones)
        if box.grids:
            yield self.one(box.grids)
        if box.spaces:
            yield self.one(box.spaces)

    def ask(self, name: str, core: Callable[[], int], *arguments: Value) -> None:
        self.twins.ask(lambda: call(self.world, name, arguments, INT), core)

    def number(self, value: Value) -> int:
        return self.twins.encoding.encode(value, KIND)

    def somewhere(self) -> Piece:
        """Any piece, most often one that stands on something or is in a zone with order."""
        world = self.world
        standing = [p for p, at in world.places.items() if isinstance(at, Segment | Space)]
        ordered = [p for z, ps in world.zones.items() if world.box.keeps_order(z) for p in ps]
        choices = [pieces for pieces in (standing, ordered, [self.piece()]) if pieces]
        return self.one(self.one(choices))

    def ask_all(self) -> None:
        for cls, name in enumerate(NAMES):
            for thing in self.things():
                self.ask_on(thing, cls, name)
                if type(thing) in EACH:
                    several = (thing, *(t for t in self.things() if type(t) is type(thing)))
                    self.ask_each(as_set(several), cls, name)
        for name, of_piece in OF_PIECE.items():
            piece = self.somewhere()
            self.ask(name, partial(of_piece, piece.index), piece)
        self.ask_zone(self.one(self.world.box.zones))
        if self.world.box.spaces:
            self.ask_track(self.one(self.world.box.spaces), self.one(self.world.box.spaces))

    def ask_on(self, thing: Value, cls: int, name: str) -> None:
        core = partial(ON[type(thing)], self.number(thing), cls)
        if isinstance(thing, Feature) and cls == 0:
            core = partial(questions.feature_tiles, self.number(thing))
        self.ask(name, core, thing)

    def ask_each(self, things: tuple[Value, ...], cls: int, name: str) -> None:
        what = EACH[type(things[0])]

        def core() -> int:
            top = heap.mark()
            items = heap.begin()
            for thing in things:
                heap.push(items, self.number(thing))
            return heap.keep(top, questions.on_each(items, cls, what))

        self.ask(name, core, things)

    def ask_zone(self, zone: Zone) -> None:
        number, kind = self.number(zone), Kind(self.rng.below(len(self.game.kinds)))
        if self.world.zones[zone] and self.rng.below(2):
            kind = Kind(self.world.box.piece(self.one(self.world.zones[zone])).kind)
        for name, of_zone in OF_ZONE.items():
            self.ask(name, partial(of_zone, number), zone)
        self.ask("one", lambda: questions.one(number, kind.index), zone, kind)
        self.twins.ask(
            lambda: as_set(pieces_in(self.world, zone)), lambda: questions.zone_pieces(number)
        )
        assert hides(number) == chance.hides(self.world, zone)

    def ask_track(self, start: Space, end: Space) -> None:
        steps = self.rng.below(20) - 10
        first, last = self.number(start), self.number(end)
        self.ask("forward", lambda: questions.forward_space(first, steps), start, steps)
        self.ask("steps", lambda: questions.steps_space(first, last), start, end)


@pytest.mark.parametrize(("name", "players"), PAIRS)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6), steps=st.integers(0, 50))
def test_the_same_answers(name: str, players: int, seed: int, steps: int) -> None:
    asker = Asker(Twins(name, players), Rng.seeded(seed))
    for _ in range(steps):
        asker.step()
    for _ in range(4):
        asker.ask_all()
        asker.step()
