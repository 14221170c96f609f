"""Where and how a piece can be laid on a grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rulesdsl.engines.reference.board import facing, footprint, occupied, shift
from rulesdsl.engines.reference.box import Layout
from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.world import World
from rulesdsl.geometry.ring import STEPS, Size
from rulesdsl.model.values import Cell, Grid, Piece, Placement


class Touch(NamedTuple):
    """A side (0: north, clockwise) of a piece that is to be laid, against another piece: what lies
    on it, and what lies on the other's, each a kind of segment in full or None."""

    side: int
    mine: str | None
    theirs: str | None
    other: Piece

    @property
    def agrees(self) -> bool:
        """Does the same lie on both?"""
        return self.mine == self.theirs


def placements(world: World, grid: Grid, piece: Piece) -> tuple[Placement, ...]:
    """All placements a grid offers a piece (one that lies there: as if it were taken up first), by
    row, column and rotation.

    On a grid where nothing lies: every cell of one with a size, else the centre. Otherwise every
    cell of one with a size; else those where the piece touches another or, with `touch: false`,
    where it lies within or against the smallest rectangle around all that lies there. Of these,
    where the sides agree as `match` demands. Raises Fault if the grid does not hold such pieces.
    """
    _check_holds(world, grid, piece)
    known = world.board_answers.placements
    if (grid, piece) not in known:
        others = _others(world, grid, piece)
        sizes = [world.layout(piece, rotation).size for rotation in range(4)]
        cells = {size: tuple(_candidates(world, grid, others, size)) for size in set(sizes)}
        found = [Placement(cell, turn) for turn, size in enumerate(sizes) for cell in cells[size]]
        fitting = [at for at in found if _misfit(world, piece, at, others) is None]
        known[grid, piece] = tuple(sorted(fitting))
    return known[grid, piece]


def check_placement(world: World, piece: Piece, at: Placement) -> None:
    """Raise Fault, saying why, where a grid does not let a piece be laid like that.

    On a grid without a size the first piece may lie on any cell.
    """
    grid = Grid(at.cell.grid, at.cell.owner)
    _check_holds(world, grid, piece)
    why = _misfit(world, piece, at, _others(world, grid, piece))
    if why is not None:
        place = world.place_text(at)
        raise Fault(f"{world.box.piece_text(piece)} cannot lie at {place}: {why}")


def refusal(world: World, piece: Piece, at: Placement) -> tuple[str, tuple[Touch, ...]] | None:
    """Why a grid does not let a piece be laid like that, and the sides that do not agree if it is
    for them; None if it does."""
    others = _others(world, Grid(at.cell.grid, at.cell.owner), piece)
    why = _misfit(world, piece, at, others)
    if why is None:
        return None
    layout = world.layout(piece, at.rotation)
    if any(cell in others for cell in footprint(layout, at)):
        return why, ()
    touching = _touching(world, layout, at, piece)
    return why, tuple(touch for touch in touching if not touch.agrees)


def _check_holds(world: World, grid: Grid, piece: Piece) -> None:
    world.check(piece)
    text = world.box.grid_text(grid)
    if grid not in world.box:
        raise Fault(f"there is no {text} in this game")
    cls = world.box.cls(piece)
    if cls not in world.box.game.grids[grid.grid].holds:
        raise Fault(f"{text} does not hold a {cls}")


def _others(world: World, grid: Grid, piece: Piece) -> dict[Cell, Piece]:
    """Return the occupied cells of a grid, without those of the piece."""
    return {
        cell: other
        for cell, other in occupied(world).items()
        if other != piece and grid == Grid(cell.grid, cell.owner)
    }


def _candidates(world: World, grid: Grid, others: Iterable[Cell], size: Size) -> Iterator[Cell]:
    """Yield the north-west cells to try for a piece that covers so many cells."""
    declared = world.box.game.grids[grid.grid]
    cells = set(others)
    width, height = size
    if declared.size is not None:
        across, down = declared.size
        for y in range(down):
            yield from (Cell(grid.grid, grid.index, y, x) for x in range(across))
    elif not cells:
        yield Cell(grid.grid, grid.index, 0, 0)
    elif declared.touch:
        beside = {shift(cell, x, y) for x, y in STEPS for cell in cells} - cells
        anchors = {shift(c, -x, -y) for c in beside for x in range(width) for y in range(height)}
        yield from sorted(anchors)
    else:
        columns, rows = {c.x for c in cells}, {c.y for c in cells}
        for y in range(min(rows) - height, max(rows) + 2):
            for x in range(min(columns) - width, max(columns) + 2):
                yield Cell(grid.grid, grid.index, y, x)


def _misfit(world: World, piece: Piece, at: Placement, others: dict[Cell, Piece]) -> str | None:
    """Why a piece cannot be laid like that among others; None if it can."""
    declared = world.box.game.grids[at.cell.grid]
    layout = world.layout(piece, at.rotation)
    for cell in footprint(layout, at):
        if not world.box.inside(cell):
            return f"({cell.x}, {cell.y}) is outside of the grid"
        if cell in others:
            return f"{world.box.piece_text(others[cell])} lies there"
    agreeing = [touch.agrees for touch in _touching(world, layout, at, piece)]
    if not agreeing:
        return "it touches nothing" if declared.touch and others else None
    match declared.match:
        case "all" if not all(agreeing):
            return "a side does not agree with what it touches"
        case "any" if not any(agreeing):
            return "no side agrees with what it touches"
        case _:
            return None


def _touching(world: World, layout: Layout, at: Placement, piece: Piece) -> Iterator[Touch]:
    """Every side of a piece laid like that which touches another."""
    sides = facing(world)
    for (x, y, side), mine in layout.sides.items():
        found = sides.get((shift(at.cell, x, y), side))
        if found is not None and found[1] != piece:
            yield Touch(side, mine, *found)
