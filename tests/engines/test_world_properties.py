"""What holds after whatever has been done to a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.python.machine import PythonMachine
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.views import view_lines
from rulesdsl.engine.run.words.world import World
from rulesdsl.engine.runtime.faults import STEPS as STEPS_OF_RULES
from rulesdsl.language.model.values import Cell, Face, Grid, Piece, Player, Segment, Zone
from tests.engines.worlds import EFFECTS, PositionTable, table

STEPS = ("place",) * 8 + ("stand", "stand", *sorted(EFFECTS - {"place"}), "take")


def random_world(rng: Rng, steps: int) -> PositionTable:
    """A position after random effects that were possible, and some that were not."""
    return wander(table(), rng, steps)


def wander(at: PositionTable, rng: Rng, steps: int) -> PositionTable:
    """Do random effects, of which some are not possible."""
    for _ in range(steps):
        with suppress(PlayError):
            random_step(at, rng, STEPS[rng.below(len(STEPS))])
    return at


def random_step(at: PositionTable, rng: Rng, step: str) -> None:
    def one(items: Any) -> Any:
        if not items:
            raise PlayError("there is nothing", None)
        return items[rng.below(len(items))]

    world, box = at.world, at.world.box
    piece: Piece = one(box.pieces)
    laid = segments(at)
    match step:
        case "place":
            grid: Grid = one(box.grids)
            at.perform("place", piece, one(at.ask("placements", grid, piece)))
        case "stand":
            figures = [p for p in box.pieces if box.cls(p) in ("figure", "token")]
            at.perform("move", one(figures), one(laid))
        case "move":
            at.perform("move", piece, one(box.zones + box.spaces))
        case "link":
            at.perform("link", one(laid), one(laid))
        case "unlink":
            segment = one(laid)
            at.perform("unlink", segment, one(at.ask("joined", segment)))
        case "move_all":
            at.perform(step, one(box.zones), one(box.zones))
        case "shuffle":
            at.perform(step, one(box.zones))
        case "take":
            zone: Zone = one([z for z in box.zones if world.members(z)])
            chosen = one(at.outcomes(zone))[0]
            at.take(zone, chosen)
        case "turn_to":
            die: Piece = one([p for p in box.pieces if box.kind(p).faces])
            number = rng.below(len(box.kind(die).faces))
            at.perform(step, die, Face(box.piece(die).kind, number))
        case "reveal" if rng.below(2):
            at.perform(step, piece, Player(rng.below(len(box.seats))))
        case "reveal" | "conceal":
            at.perform(step, piece)
        case _:
            raise AssertionError(f"{step} is never tried")


def segments(at: PositionTable) -> list[Any]:
    """All segments on grids."""
    return [segment for piece in at.world.laid() for segment in at.ask("segments", piece)]


WORLDS = st.builds(random_world, st.integers(0, 10**6).map(Rng.seeded), st.integers(0, 70))
QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(WORLDS, st.integers(0, 99))
def test_a_clone_changes_on_its_own(at: PositionTable, seed: int) -> None:
    before = at.held()
    other = at.clone()
    assert other.held() == before
    rng = Rng.seeded(seed)
    for step in ("shuffle", "place", "move", "take", "stand", "link", "conceal") * 4:
        try:
            random_step(other, rng, step)
        except PlayError:
            continue
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
