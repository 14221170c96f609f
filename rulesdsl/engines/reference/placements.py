"""The legal placements of pieces on grids."""

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
    """A side of a piece that touches another piece.

    `side` counts clockwise from 0 for north. `mine` and `theirs` are the full feature kinds on the
    two sides, None for a blank side. `other` is the other piece.
    """

    side: int
    mine: str | None
    theirs: str | None
    other: Piece

    @property
    def agrees(self) -> bool:
        """True if both sides have the same kind."""
        return self.mine == self.theirs


def placements(world: World, grid: Grid, piece: Piece) -> tuple[Placement, ...]:
    """Return all placements of a piece on a grid, by row, column and rotation.

    If the piece is already on the grid, it is treated as taken up first. The candidate cells are
    all cells of a grid with a size. Without a size it is the centre of an empty grid; otherwise the
    cells at which the piece touches another or, with `touch: false`, lies within or next to the
    bounding rectangle of all pieces. Of these, the placements are legal where sides agree as
    `match` demands. Raises Fault if the grid does not hold such pieces.
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
    """Raise Fault, with the reason, if a piece cannot be placed like that.

    On a grid without a size the first piece may lie on any cell.
    """
    grid = Grid(at.cell.grid, at.cell.owner)
    _check_holds(world, grid, piece)
    why = _misfit(world, piece, at, _others(world, grid, piece))
    if why is not None:
        place = world.place_text(at)
        raise Fault(f"{world.box.piece_text(piece)} cannot lie at {place}: {why}")


def refusal(world: World, piece: Piece, at: Placement) -> tuple[str, tuple[Touch, ...]] | None:
    """Return why a piece cannot be placed like that and the sides that disagree, None if it can.

    The sides are empty unless they are the reason.
    """
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
    """Yield the north-west cells to try for a piece of this size."""
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
    """Return the reason why a piece cannot be placed like that, None if it can."""
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
    """Yield every side of a piece placed like that which touches another piece."""
    sides = facing(world)
    for (x, y, side), mine in layout.sides.items():
        found = sides.get((shift(at.cell, x, y), side))
        if found is not None and found[1] != piece:
            yield Touch(side, mine, *found)
