"""What the runtime knows of a board after anything was done is what the plain world works out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rulesdsl.engine.lower.tables.box import EVERY, FOLDS, side_codes
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.world import Joint
from rulesdsl.engine.runtime import cells, groups, placements, questions, tables
from rulesdsl.engine.runtime import heap as heaps
from rulesdsl.language.model.values import Cell, Feature, Grid, Piece
from tests.oracle import board
from tests.oracle.board import check_placement
from tests.oracle.board import placements as plain_placements
from tests.oracle.builtins import CALLS, READS, attribute
from tests.oracle.table import PlainTable
from tests.runtime.boards import BOXES, TANGLE, Both, possible, same, same_set

# --- what is compared ----------------------------------------------------------------------------


def compare(both: Both, rng: Rng, count: int = 3) -> None:
    """Everything that is kept, and what some random things are next to."""
    compare_features(both)
    compare_frontier(both)
    compare_placements(both, rng, count)
    compare_pieces(both, rng, count)
    compare_segments(both, rng, count)
    compare_sets_of_features(both, rng)


def compare_features(both: Both) -> None:
    """Every segment's feature, and everything that is kept of a feature."""
    world, number = both.world, both.number
    laid = both.segments()
    assert [s for s, led in enumerate(tables.leader) if led >= 0] == both.numbers(laid)
    for segment in laid:
        assert groups.first_of(number(segment)) == number(board.feature_of(world, segment))
        assert groups.feature_kind(number(segment)) == both.kind_number(segment)
    for feature in board.features_of(world, laid):
        compare_feature(both, feature)
    columns = zip(tables.joint_a, tables.joint_b, tables.joint_kind, strict=True)
    rows = list(columns)[: tables.joints[0]]
    assert [(a, b) for a, b, kind in rows if kind == tables.LINKED] == pairs(both, world.links)
    assert [(a, b) for a, b, kind in rows if kind == tables.UNLINKED] == pairs(both, world.unlinks)
    for grid in both.box.grids:
        for name in ("features", "cells"):
            core = ask(f"grid_{name}")
            same_set(both, (core, number(grid)), (CALLS[name], world, grid))


def pairs(both: Both, joints: frozenset[Joint]) -> list[tuple[int, int]]:
    """Joints in numbers, in order."""
    return [(both.number(a), both.number(b)) for a, b in sorted(joints)]


def compare_feature(both: Both, feature: Feature) -> None:
    world, members = both.world, board.feature_segments(both.world, feature)
    last = both.number(members[-1])
    assert questions.ends(last) == board.ends(world, feature)
    assert questions.closed(last) == (board.ends(world, feature) == 0)
    assert questions.count_cells(last) == len(board.feature_cells(world, feature))
    same_set(both, (questions.feature_segments, last), (tuple, members))
    same_set(both, (questions.feature_cells, last), (board.feature_cells, world, feature))
    same_set(both, (questions.borders, last), (board.borders, world, feature))
    same(both, (questions.cell_of_feature, last), (READS["cell"], world, feature))
    folded = [a for a in both.box.game.attributes if a.fold in FOLDS]
    for fold, definition in enumerate(folded):
        if board.kind(world, feature.segment) in definition.owners:
            assert questions.value_of_group(last, fold) == attribute(world, definition, feature)
    assert standers(last) == {p.index for s in members for p in world.standing(s)}


def standers(segment: int) -> set[int]:
    """The pieces in the ring of a feature."""
    found: set[int] = set()
    piece = tables.group_stander[tables.leader[segment]]
    while piece >= 0 and piece not in found:
        found.add(piece)
        assert tables.stander_before[tables.stander_next[piece]] == piece
        piece = tables.stander_next[piece]
    return found


def compare_frontier(both: Both) -> None:
    """The frontier, in order, and what its cells want."""
    lying = board.occupied(both.world)
    beside = (board.beside(both.world, cell).values() for cell in lying)
    near = {cell for cells_beside in beside for cell in cells_beside} - lying.keys()
    free = sorted(cell for cell in near if both.box.inside(cell))
    slots = frontier(both)
    assert [tables.slot_cell[slot] for slot in slots] == both.numbers(free)
    for slot, cell in zip(slots, free, strict=True):
        compare_wanted(both, slot, cell)
    for cell, piece in lying.items():
        assert cells.lying(both.number(cell)) == piece.index
    for grid in both.box.grids:
        on = {p for c, p in lying.items() if (c.grid, c.owner) == (grid.grid, grid.index)}
        assert tables.grid_pieces[both.number(grid)] == len(on)


def frontier(both: Both) -> list[int]:
    """The slots in the frontiers of all grids."""
    found = []
    for grid in both.box.grids:
        before, slot = -1, tables.frontier_first[both.number(grid)]
        while slot >= 0:
            assert tables.frontier_before[slot] == before
            found.append(slot)
            before, slot = slot, tables.frontier_next[slot]
    return found


def compare_wanted(both: Both, slot: int, cell: Cell) -> None:
    """What the neighbours of an empty cell show it."""
    lying = board.occupied(both.world)
    codes, wanted, sides = side_codes(both.box.game), {}, both.box.game.sides
    for side, near in board.beside(both.world, cell).items():
        if near in lying:
            at, layout = board.laid_layout(both.world, lying[near])
            there = near.x - at.cell.x, near.y - at.cell.y, (side + sides // 2) % sides
            wanted[side] = codes[EVERY if there in layout.agreeing else layout.sides[there]]
    assert tables.slot_open[slot] == 1
    for shape, corner in enumerate(tables.shape_corner):
        bit = tables.shape_bit[shape]
        fits = tables.slot_fit[tables.shape_fit[shape] * tables.SLOTS[0] + slot] & bit == bit
        shown_by = tables.corner_side[corner * sides : corner * sides + sides]
        agrees = (
            shown_by[side] == code or tables.EVERY[0] in (shown_by[side], code)
            for side, code in wanted.items()
        )
        assert bit == 0 or fits == all(agrees)


def compare_placements(both: Both, rng: Rng, count: int) -> None:
    """Where some pieces can be laid, and single placements."""
    world = both.world
    for _ in range(count):
        grid, piece = one(rng, both.box.grids), one(rng, both.box.pieces)
        core, plain = (both.number(grid), piece.index), (plain_placements, world, grid, piece)
        same_set(both, (placements.placements, *core), plain)
        if possible(plain):
            compare_counted(core)
        at = both.random_placement(rng)
        expected = possible((check_placement, world, piece, at))
        assert placements.can_place(piece.index, both.number(at)) == expected


def compare_counted(where: tuple[int, int]) -> None:
    """Placements that are counted, one after the other, are those that are listed."""
    if not placements.is_quick(*where):
        return
    top = heaps.mark()
    found = placements.placements(*where)
    listed = tables.heap[found + 1 : found + 1 + tables.heap[found]]
    heaps.release(top)
    numbers = range(placements.count_placements(*where))
    assert [placements.counted_placement(number) for number in numbers] == listed
    found_one_by_one = []
    at = placements.placement_after(*where, -1)
    while at >= 0:
        found_one_by_one.append(at)
        at = placements.placement_after(*where, at)
    assert found_one_by_one == listed


def compare_pieces(both: Both, rng: Rng, count: int) -> None:
    """What single pieces and cells are next to."""
    world = both.world
    occupied = list(board.occupied(world))
    near = [both.random_placement(rng).cell for _ in range(count)]
    for cell in near + [one(rng, occupied) for _ in range(count if occupied else 0)]:
        compare_builtins(both, cell, "cell", ("ring", "beside", "features", "segments"))
        same(both, (questions.tile_of_cell, both.number(cell)), (READS["tile"], world, cell))
        assert cells.occupied(both.number(cell)) == (cell in occupied)
        compare_lines(both, cell, one(rng, near), (rng.below(5) - 2, rng.below(5) - 2))
    for piece in (one(rng, both.box.pieces) for _ in range(count)):
        compare_builtins(both, piece, "piece", ("ring", "beside", "features", "cells"))
        for name in ("cell", "tile", "feature"):
            same(both, (ask(f"{name}_of_piece"), piece.index), (READS[name], world, piece))
        same(both, (questions.rotation_of, piece.index), (READS["rotation"], world, piece))
        same_set(both, (questions.segments_of, piece.index), (board.segments, world, piece))


def compare_builtins(both: Both, thing: Piece | Cell, name: str, builtins: tuple[str, ...]) -> None:
    """The sets that builtins give of a piece or cell."""
    for builtin in builtins:
        core = ask(f"{name}_{builtin}" if builtin.endswith("s") else f"{builtin}_{name}")
        same_set(both, (core, both.number(thing)), (CALLS[builtin], both.world, thing))


def compare_lines(both: Both, cell: Cell, end: Cell, step: tuple[int, int]) -> None:
    """The cells of lines from a cell, and all cells of its grid."""
    world, a, b = both.world, both.number(cell), both.number(end)
    same_set(both, (questions.between, a, b), (CALLS["between"], world, cell, end))
    same_set(both, (questions.ray, a, *step), (CALLS["ray"], world, cell, *step))
    same_set(both, (questions.neighbours, a), (CALLS["neighbours"], world, cell))
    same(both, (questions.distance, a, b), (CALLS["distance"], world, cell, end))
    grid = Grid(cell.grid, cell.owner)
    same_set(both, (questions.all_cells, a >> 24), (CALLS["all_cells"], world, grid))


def compare_segments(both: Both, rng: Rng, count: int) -> None:
    """What segments touch, as they lie or would lie."""
    world = both.world
    segments = [s for s in both.segments() + both.some_segments(rng) if both.is_reserved(s)]
    for segment in (one(rng, segments) for _ in range(count if segments else 0)):
        at = both.random_placement(rng)
        if rng.below(2) and both.laid():
            at = board.lies(world, one(rng, both.laid()))
        number = both.number(segment)
        for name in ("joined", "ahead", "sides"):
            here, there = (CALLS[name], world, segment), (CALLS[name], world, segment, at)
            same_set(both, (ask(name), number, -1), here)
            same_set(both, (ask(name), number, both.number(at)), there)
        for name in ("cell", "tile"):
            same(both, (ask(f"{name}_of_segment"), number), (READS[name], world, segment))
        same(both, (groups.first_of, number), (READS["feature"], world, segment))


def compare_sets_of_features(both: Both, rng: Rng) -> None:
    """Sets that were made some time ago, and the features of some cells."""
    world, laid = both.world, both.segments()
    if not laid:
        return
    made = [one(rng, laid) for _ in range(3)]
    now = board.features_of(world, made)
    top = tables.heap_top[0]
    same_set(both, (questions.refresh, both.set(sorted(made))), (tuple, now))
    some = tuple(sorted({both.random_placement(rng).cell for _ in range(5)}))
    same_set(both, (questions.cells_features, both.set(some)), (CALLS["features"], world, some))
    tables.heap_top[0] = top


def ask(name: str) -> Callable[..., Any]:
    """A function of `questions`."""
    function: Callable[..., Any] = getattr(questions, name)
    return function


def one(rng: Rng, items: Any) -> Any:
    return items[rng.below(len(items))]


# --- the tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in (1, 2))])
@pytest.mark.parametrize("name", BOXES)
def test_the_core_knows_what_the_plain_world_works_out(name: str, seed: int) -> None:
    rng, both = Rng.seeded(seed), Both(name)
    for _ in range(20):
        compare(both, rng)
        both.random_step(rng)
    compare(both, rng)
    groups.rebuild()
    compare(both, rng)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["plain", "wide", "base"])
def test_features_are_right_whatever_is_joined_and_parted(name: str, seed: int) -> None:
    rng, both = Rng.seeded(seed), Both(name)
    for _ in range(20):
        both.random_step(rng, ("place",))
    for _ in range(50):
        both.random_step(rng, TANGLE)
        compare_features(both)
    groups.rebuild()
    compare_features(both)


SCENES = {
    "two pieces meet on the left and right of a side with the same segments": (
        ("place", "stub#1", "board 0 0 turned 0"),
        ("place", "stub#2", "board 0 -1 turned 2"),
    ),
    "two that share cells with a third join it together": (
        *(("place", f"fork#{n}", f"loose {3 * n} 0 turned 0") for n in range(1, 4)),
        ("link", "fork#1 meadow NL.WR", "fork#1 meadow NR.EL"),
        ("link", "fork#1 meadow ER.SL.SR.WL", "fork#2 meadow NL.WR"),
        ("link", "fork#3 meadow NL.WR", "fork#2 meadow NL.WR"),
        ("link", "fork#1 meadow NL.WR", "fork#1 meadow ER.SL.SR.WL"),
    ),
    "one segment is parted from two others, from the last first": (
        *(("place", f"straight#{n}", f"board 0 {n % 3} turned 0") for n in range(1, 4)),
        ("unlink", "straight#1 lane N.S", "straight#3 lane N.S"),
        ("unlink", "straight#1 lane N.S", "straight#2 lane N.S"),
        ("link", "straight#3 lane N.S", "straight#1 lane N.S"),
    ),
    "three that stand on a feature stand on its parts": (
        *(("place", f"straight#{n}", f"board 0 {n} turned 0") for n in range(1, 4)),
        ("move", "coin#1", "straight#1 lane N.S"),
        ("move", "coin#3", "straight#3 lane N.S"),
        ("move", "coin#2", "straight#1 lane N.S"),
        ("unlink", "straight#1 lane N.S", "straight#2 lane N.S"),
        ("move", "coin#1", "straight#2 lane N.S"),
    ),
}
"""Effects one after another on the box `wide`; all of them are possible."""


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene(scene: str) -> None:
    both = Both("wide")
    for effect, *names in SCENES[scene]:
        read = PlainTable(both.world).read
        both.do(effect, *map(read, names))
        compare_features(both)
    assert not {effect for effect, possible in both.done if not possible}


def test_all_kinds_of_steps_are_possible_and_impossible_at_times() -> None:
    rng, done = Rng.seeded(1), set()
    for name in ("plain", "wide"):
        both = Both(name)
        for _ in range(150):
            both.random_step(rng)
        done |= both.done
    for effect in ("place", "move", "turn_to", "link", "unlink"):
        assert {(effect, True), (effect, False)} <= done
