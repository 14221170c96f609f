"""What holds after whatever has been done to a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.python.machine import PythonMachine
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.views import view_lines
from rulesdsl.engine.run.words.world import World
from rulesdsl.engine.runtime.faults import STEPS as STEPS_OF_RULES
from rulesdsl.language.model.values import Cell, Piece, Segment, Zone
from tests.engines.worlds import EFFECTS, PositionTable, table
from tests.oracle.drawing import Drawing, Nothing

STEPS = ("place",) * 8 + ("move",) * 4 + (*sorted(EFFECTS), "take")


def random_world(rng: Rng, steps: int) -> PositionTable:
    """A position after random effects that were possible, and some that were not."""
    return wander(table(), rng, steps)


def wander(at: PositionTable, rng: Rng, steps: int) -> PositionTable:
    """Do random effects, of which some are not possible."""
    for _ in range(steps):
        random_step(at, rng, STEPS[rng.below(len(STEPS))])
    return at


def random_step(at: PositionTable, rng: Rng, step: str) -> None:
    """Do an effect to anything if it is possible."""

    def asked(name: str) -> Any:
        return partial(at.ask, name)

    world = at.world
    drawing = Drawing(
        rng, world.box, list(world.laid()), *map(asked, ("segments", "joined", "placements"))
    )
    with suppress(PlayError, Nothing):
        if step == "take":
            zone: Zone = drawing.one([z for z in world.box.zones if world.members(z)])
            at.take(zone, drawing.one(at.outcomes(zone))[0])
        else:
            at.perform(step, *drawing.given(step))


WORLDS = st.builds(random_world, st.integers(0, 10**6).map(Rng.seeded), st.integers(0, 70))
QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(WORLDS, st.integers(0, 99))
def test_a_clone_changes_on_its_own(at: PositionTable, seed: int) -> None:
    before = at.held()
    other = at.clone()
    assert other.held() == before
    rng = Rng.seeded(seed)
    for step in ("shuffle", "place", "move", "take", "move", "link", "conceal") * 4:
        random_step(other, rng, step)
    assert at.held() == before


@QUICK
@given(WORLDS, st.integers(0, 1), st.integers(0, 99))
def test_a_sample_looks_the_same_to_its_seat(at: PositionTable, seat: int, seed: int) -> None:
    other = at.position.sample(seat, seed).world
    assert view_lines(other, seat) == view_lines(at.world, seat)


# --- positions that are noted --------------------------------------------------------------------


def lies(world: World, piece: Piece) -> object:
    """What all players see of a piece and its place, in full."""
    box, place, index = world.box, world.place_of(piece), piece.index
    where: object = place
    if isinstance(place, Segment):
        where = "segment", world.place_of(Piece(place.piece)), place.index
    elif isinstance(place, Cell):
        where = place, world.level(piece)
    elif isinstance(place, Zone) and box.keeps_order(place) and not world.state["shuffled"][index]:
        where = place, world.members(place).index(piece)
    its = box.piece(piece)
    if len(world.knowing(piece)) < box.players:
        return where, box.cls(piece), its.seat
    looks = world.state["face"][index], world.is_face_down(piece)
    return where, its.kind, its.seat, its.start, looks


def note(at: PositionTable, pieces: Iterable[Piece], value: int, decision: int) -> int:
    machine = at.position.machine
    assert isinstance(machine, PythonMachine)
    function, tables = machine.runtime("note_position"), machine.tables
    tables["fuel"][0], tables["heap_top"][0] = STEPS_OF_RULES, 0
    numbers = machine.listed(sorted(piece.index for piece in pieces))
    times: int = function(numbers, value, 0, decision)
    return times


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6).map(Rng.seeded))
def test_positions_are_counted_by_what_all_players_see(rng: Rng) -> None:
    at, counts, repeated = table(), Counter[object](), 0
    for _ in range(25):
        wander(at, rng, 1)
        world = at.world
        for _ in range(8):
            some = {world.box.pieces[rng.below(len(world.box.pieces))] for _ in range(3)}
            value = rng.below(2)
            position = value, frozenset(Counter(lies(world, piece) for piece in some).items())
            counts[position] += 1
            assert note(at, some, value, sum(counts.values())) == counts[position]
            repeated += counts[position] > 1
    assert repeated


@QUICK
@given(
    WORLDS,
    st.integers(0, 1),
    st.integers(0, 99),
)
def test_a_sample_is_the_same_position_to_all_players(
    at: PositionTable, seat: int, seed: int
) -> None:
    pieces = at.world.box.pieces
    assert note(at, pieces, -1, 1) == 1
    other = PositionTable(at.position.sample(seat, seed))
    assert [note(other, pieces, -1, decision) for decision in (1, 2)] == [1, 2]
