"""What holds after whatever has been done to a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rulesdsl.engines.reference.effects import EFFECTS, perform, sample, take, take_outcomes
from rulesdsl.engines.reference.world import World

from rulesdsl.engines.rng import Rng
from rulesdsl.engines.words.box import Absent as BuiltinFault
from rulesdsl.engines.words.views import view_lines
from rulesdsl.model.values import Cell, Face, Grid, Piece, Player, Segment, Zone
from tests.engines.worlds import ask, held, world_of_plain

STEPS = ("place",) * 8 + ("stand", "stand", *sorted(EFFECTS.keys() - {"place"}), "take")


def random_world(rng: Rng, steps: int) -> World:
    """A world after random effects that were possible, and some that were not."""
    world = world_of_plain(2)
    for _ in range(steps):
        try:
            random_step(world, rng, STEPS[rng.below(len(STEPS))])
        except BuiltinFault:
            continue
    return world


def random_step(world: World, rng: Rng, step: str) -> None:
    def one(items: Any) -> Any:
        if not items:
            raise BuiltinFault("there is nothing")
        return items[rng.below(len(items))]

    box = world.box
    piece: Piece = one(box.pieces)
    laid = segments(world)
    match step:
        case "place":
            grid: Grid = one(box.grids)
            perform(world, "place", (piece, one(ask(world, "placements", grid, piece))))
        case "stand":
            figures = [p for p in box.pieces if box.cls(p) in ("figure", "token")]
            perform(world, "move", (one(figures), one(laid)))
        case "move":
            perform(world, "move", (piece, one(box.zones + box.spaces)))
        case "link":
            perform(world, "link", (one(laid), one(laid)))
        case "unlink":
            segment = one(laid)
            perform(world, "unlink", (segment, one(ask(world, "joined", segment))))
        case "move_all":
            perform(world, step, (one(box.zones), one(box.zones)))
        case "shuffle":
            perform(world, step, (one(box.zones),))
        case "take":
            zone: Zone = one([z for z in box.zones if world.members(z)])
            chosen = one(take_outcomes(world, zone, lambda p: None))[0]
            take(world, zone, chosen, lambda p: None)
        case "turn_to":
            die: Piece = one([p for p in box.pieces if box.kind(p).faces])
            number = rng.below(len(box.kind(die).faces))
            perform(world, step, (die, Face(box.piece(die).kind, number)))
        case "reveal" if rng.below(2):
            perform(world, step, (piece, Player(rng.below(len(box.seats)))))
        case "reveal" | "conceal":
            perform(world, step, (piece,))
        case _:
            raise AssertionError(f"{step} is never tried")


def segments(world: World) -> list[Any]:
    """All segments on grids."""
    return [segment for piece in world.laid() for segment in ask(world, "segments", piece)]


WORLDS = st.builds(random_world, st.integers(0, 10**6).map(Rng.seeded), st.integers(0, 70))
QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(WORLDS, st.integers(0, 99))
def test_a_clone_changes_on_its_own(world: World, seed: int) -> None:
    before = held(world)
    other = world.clone()
    assert held(other) == before
    rng = Rng.seeded(seed)
    for step in ("shuffle", "place", "move", "take", "stand", "link", "conceal") * 4:
        try:
            random_step(other, rng, step)
        except BuiltinFault:
            continue
    assert held(world) == before


@QUICK
@given(WORLDS, st.integers(0, 1), st.integers(0, 99))
def test_a_sample_looks_the_same_to_its_seat(world: World, seat: int, seed: int) -> None:
    other, _ = sample(world, seat, Rng.seeded(seed))
    assert view_lines(other, seat) == view_lines(world, seat)


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


def remember(world: World) -> World:
    """Give a world, whose game has no rules that note, room for positions."""
    world.board.const["HISTORY"][0] = 1000
    world.state["history"] = [0] * 1000
    return world


def note(world: World, pieces: Iterable[Piece], value: int, decision: int) -> int:
    numbers = sorted(piece.index for piece in pieces)
    return world.call("note_position", numbers, value, 0, decision)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6).map(Rng.seeded))
def test_positions_are_counted_by_what_all_players_see(rng: Rng) -> None:
    world, counts, repeated = remember(world_of_plain(2)), Counter[object](), 0
    for _ in range(25):
        with suppress(BuiltinFault):
            random_step(world, rng, STEPS[rng.below(len(STEPS))])
        for _ in range(8):
            some = {world.box.pieces[rng.below(len(world.box.pieces))] for _ in range(3)}
            value = rng.below(2)
            position = value, frozenset(Counter(lies(world, piece) for piece in some).items())
            counts[position] += 1
            assert note(world, some, value, sum(counts.values())) == counts[position]
            repeated += counts[position] > 1
    assert repeated


@QUICK
@given(WORLDS, st.integers(0, 1), st.integers(0, 99))
def test_a_sample_is_the_same_position_to_all_players(world: World, seat: int, seed: int) -> None:
    assert note(remember(world), world.box.pieces, -1, 1) == 1
    other, _ = sample(world, seat, Rng.seeded(seed))
    assert [note(other, world.box.pieces, -1, decision) for decision in (1, 2)] == [1, 2]
