"""What holds after whatever has been done to a plain world."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.language.model.values import (
    Feature,
    Grid,
    Piece,
    Placement,
    Segment,
    Zone,
)
from tests.engines.worlds import plain
from tests.oracle import board
from tests.oracle.board import check_placement, placements
from tests.oracle.chance import take, take_outcomes
from tests.oracle.drawing import Drawing, Nothing
from tests.oracle.effects import EFFECTS, perform
from tests.oracle.world import World

STEPS = ("place",) * 8 + ("move",) * 4 + (*sorted(EFFECTS), "take")


def random_world(rng: Rng, steps: int) -> World:
    """A world after random effects that were possible, and some that were not."""
    world = World(plain(), 2)
    for _ in range(steps):
        features(world)
        random_step(world, rng)
    return world


def random_step(world: World, rng: Rng) -> None:
    """Do a random effect if it is possible."""
    drawing, step = Drawing.of(world, rng), STEPS[rng.below(len(STEPS))]
    with suppress(BuiltinFault, Nothing):
        if step == "take":
            zone: Zone = drawing.one([z for z in world.zones if world.members(z)])
            chosen = drawing.one(take_outcomes(world, zone, lambda p: None))[0]
            take(world, zone, chosen, lambda p: None)
        else:
            perform(world, step, drawing.given(step))


def features(world: World) -> dict[Feature, tuple[Segment, ...]]:
    """All features on all grids, with their segments."""
    segments = [s for p in world.laid() for s in board.segments(world, p)]
    found = board.features_of(world, segments)
    return {feature: board.feature_segments(world, feature) for feature in found}


WORLDS = st.builds(random_world, st.integers(0, 10**6).map(Rng.seeded), st.integers(0, 70))
QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(WORLDS)
def test_features_part_the_segments_on_the_grids(world: World) -> None:
    segments = [s for p in world.laid() for s in board.segments(world, p)]
    assert sorted(s for parts in features(world).values() for s in parts) == segments
    for feature, parts in features(world).items():
        assert feature.segment == min(parts)
        assert len({board.kind(world, s) for s in parts}) == 1
        assert all(board.feature_of(world, s) == feature for s in parts)


@QUICK
@given(WORLDS)
def test_joining_goes_both_ways(world: World) -> None:
    segments = [s for p in world.laid() for s in board.segments(world, p)]
    pairs = {(a, b) for a in segments for b in board.joined(world, a)}
    assert pairs == {(b, a) for a, b in pairs}
    assert all(a != b for a, b in pairs)


@QUICK
@given(WORLDS)
def test_an_end_is_a_port_that_faces_no_piece(world: World) -> None:
    occupied = board.occupied(world)
    for piece, at in world.laid().items():
        layout = world.layout(piece, at.rotation)
        for segment in board.segments(world, piece):
            ahead = [cell for cell, _, _ in board.ports_ahead(world, layout, at, segment.index)]
            free = [cell for cell in ahead if cell not in occupied]
            assert board.empty_ahead(world, segment, at) == free
            touching = board.contacts(world, segment, at)
            assert len(free) + len(touching) <= len(ahead)


@QUICK
@given(WORLDS)
def test_what_a_feature_borders_lies_on_its_cells(world: World) -> None:
    for feature, parts in features(world).items():
        pieces = {s.piece for s in parts}
        for other in board.borders(world, feature):
            assert pieces & {s.piece for s in board.feature_segments(world, other)}


@QUICK
@given(WORLDS)
def test_pieces_lie_in_one_place_each(world: World) -> None:
    in_zones = [p for inside in world.zones.values() for p in inside]
    assert sorted(in_zones) == [p for p, at in world.places.items() if isinstance(at, Zone)]
    cells = [c for p in world.laid() for c in board.covered(world, p)]
    assert len(cells) == len(set(cells))
    assert all(world.box.inside(cell) for cell in cells)
    for at in world.places.values():
        if isinstance(at, Segment):
            assert isinstance(world.places[Piece(at.piece)], Placement)


@QUICK
@given(WORLDS, st.data())
def test_placements_are_those_that_the_check_lets_pass(world: World, data: st.DataObject) -> None:
    grid = data.draw(st.sampled_from(world.box.grids))
    holds = world.box.game.grids[grid.grid].holds
    piece = data.draw(st.sampled_from([p for p in world.box.pieces if world.box.cls(p) in holds]))
    offered = placements(world, grid, piece)
    assert list(offered) == sorted(set(offered))
    near = {board.shift(at.cell, x, y) for at in offered for x in (-1, 0, 1) for y in (-1, 0, 1)}
    others = [c for c, p in board.occupied(world).items() if p != piece]
    if not any(Grid(c.grid, c.owner) == grid for c in others):
        near = {at.cell for at in offered}
    declared = world.box.game.grids[grid.grid]
    for cell in near:
        for rotation in world.rotations(piece) if declared.distinct else range(4):
            at = Placement(cell, rotation)
            try:
                check_placement(world, piece, at)
            except BuiltinFault:
                assert at not in offered
            else:
                assert at in offered or (declared.size is None and not declared.touch)
