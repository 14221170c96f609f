"""The reason why a piece cannot be placed on a grid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rulesdsl.engine.run.words.world import World
from rulesdsl.language.model.geometry import has_side, points_there, points_up, steps
from rulesdsl.language.model.values import Cell, Piece, Placement


class Touch(NamedTuple):
    """A side of a piece that touches another piece.

    `side` counts clockwise from 0 for the first one. `mine` and `theirs` are the full feature kinds
    on the two sides, None for a blank side. `other` is the other piece. With `always`, one of the
    sides agrees with every side.
    """

    side: int
    mine: str | None
    theirs: str | None
    other: Piece
    always: bool

    @property
    def agrees(self) -> bool:
        """True if both sides have the same kind, or one of them agrees with every side."""
        return self.always or self.mine == self.theirs


def refusal(world: World, piece: Piece, at: Placement) -> tuple[str, tuple[Touch, ...]]:
    """Return why a piece cannot be placed like that, which it cannot, and the sides that disagree.

    The sides are empty unless they are the reason.
    """
    return _Board(world, piece).refusal(at)


class _Board:
    """The grids, as they are for a piece that does not lie on them yet."""

    def __init__(self, world: World, piece: Piece) -> None:
        self._world = world
        self._piece = piece
        self._game = world.box.game
        self._box = world.box
        self._laid = world.laid()
        self._lying: dict[Cell, Piece] = {}
        for laid, at in self._laid.items():
            if laid != piece:
                self._lying.update((cell, laid) for cell in self._cells(laid, at))

    def _cells(self, piece: Piece, at: Placement) -> Iterator[Cell]:
        (width, height), corner = self._world.layout(piece, at.rotation).size, at.cell
        for y in range(corner.y, corner.y + height):
            for x in range(corner.x, corner.x + width):
                yield Cell(corner.grid, corner.owner, y, x)

    def refusal(self, at: Placement) -> tuple[str, tuple[Touch, ...]]:
        """Return why the piece cannot be placed like that, and the sides that disagree."""
        cells = list(self._cells(self._piece, at))
        covered = any(cell in self._lying for cell in cells)
        touching = tuple(self._touching(at))
        clash = () if covered else tuple(touch for touch in touching if not touch.agrees)
        grid = self._game.grids[at.cell.grid]
        for cell in cells:
            if not self._box.inside(cell):
                return f"({cell.x}, {cell.y}) is outside of the grid", clash
            if not points_there(grid.cells, cell.x, cell.y, at.rotation):
                up = "up" if points_up(cell.x, cell.y) else "down"
                return f"({cell.x}, {cell.y}) points {up}, and the piece does not", ()
            if cell in self._lying:
                return f"{self._box.piece_text(self._lying[cell])} lies there", ()
            if grid.over and self._below(cell) not in self._lying:
                return f"nothing lies below ({cell.x}, {cell.y})", ()
        if not touching:
            return "it touches nothing", ()
        what = "a side does not match" if grid.match == "all" else "no side matches"
        return f"{what} its neighbour", clash

    def _below(self, cell: Cell) -> Cell:
        """Return the cell below a cell of a layer."""
        over = self._game.grids[cell.grid].over
        number = next(n for n, grid in enumerate(self._game.grids) if grid.key == over)
        return Cell(number, cell.owner, cell.y, cell.x)

    def _uppermost(self, cell: Cell) -> Piece | None:
        """Return the uppermost piece on a cell, on a layer or below."""
        found = self._lying.get(cell)
        for number, grid in enumerate(self._game.grids if found is not None else ()):
            if grid.over == self._game.grids[cell.grid].key:
                found = self._lying.get(Cell(number, cell.owner, cell.y, cell.x), found)
        return found

    def _touching(self, at: Placement) -> Iterator[Touch]:
        """Yield every side of the piece placed like that which touches another piece."""
        layout, corner = self._world.layout(self._piece, at.rotation), at.cell
        form = self._game.grids[corner.grid].cells
        directions = steps(self._game.cells, form)
        for (x, y, side), mine in layout.sides.items():
            if not has_side(form, corner.x + x, corner.y + y, side):
                continue
            east, south = directions[side]
            cell = Cell(corner.grid, corner.owner, corner.y + y + south, corner.x + x + east)
            other = self._uppermost(cell)
            there = None if other is None else self._laid.get(other)
            if other is None or there is None:
                continue
            shown = self._world.layout(other, there.rotation)
            opposite = (side + len(directions) // 2) % len(directions)
            theirs = (cell.x - there.cell.x, cell.y - there.cell.y, opposite)
            # Where the two overlap, it is a side inside of the other piece.
            if theirs in shown.sides:
                always = (x, y, side) in layout.agreeing or theirs in shown.agreeing
                yield Touch(side, mine, shown.sides[theirs], other, always)
