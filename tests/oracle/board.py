"""The geometry of grids: pieces, their segments and the features that these form.

A segment holds lanes of outer sides. It is joined with the segment of the same kind that holds the
mirrored lane of the neighbouring cell, unless a rule has unlinked the two, and with the segments
that a rule has linked to it. A feature is a connected component of joined segments. Everything is
computed by inspecting neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.language.model.geometry import HEXAGONS, STEPS, TRIANGLES, Port, Size, steps
from rulesdsl.language.model.values import Cell, Feature, Grid, Piece, Placement, Segment, Value
from tests.oracle.box import Layout
from tests.oracle.world import World, joint


def over(world: World, grid: int) -> tuple[tuple[int, int], ...]:
    """Return the step over each side of the cells of a grid."""
    game = world.box.game
    return steps(game.cells, game.grids[grid].cells)


def mirror(port: Port, directions: Sequence[tuple[int, int]] = STEPS) -> Port:
    """Return the port of the neighbouring cell that touches `port`, in the same coordinates."""
    dx, dy = directions[port.side]
    sides = len(directions)
    return Port(port.x + dx, port.y + dy, (port.side + sides // 2) % sides, 2 - port.lane)


def shift(cell: Cell, x: int, y: int) -> Cell:
    """Return the cell x east and y south of another."""
    if x == y == 0:
        return cell  # the usual case, a piece of one cell
    return Cell(cell.grid, cell.owner, cell.y + y, cell.x + x)


def footprint(layout: Layout, at: Placement) -> list[Cell]:
    """Return the cells that a piece with this placement covers, in canonical order."""
    width, height = layout.size
    return [shift(at.cell, x, y) for y in range(height) for x in range(width)]


# --- pieces --------------------------------------------------------------------------------------


def lies(world: World, piece: Piece) -> Placement:
    """Return the placement of a piece; raises Fault if it is not on a grid."""
    at = world.place(piece)
    if not isinstance(at, Placement):
        raise BuiltinFault(f"{world.box.piece_text(piece)} does not lie on a grid")
    return at


def laid_layout(world: World, piece: Piece) -> tuple[Placement, Layout]:
    """Return the placement of a piece, and its layout as placed.

    Raises Fault if it is not on a grid.
    """
    at = lies(world, piece)
    return at, world.layout(piece, at.rotation)


def occupied(world: World) -> Mapping[Cell, Piece]:
    """Return the piece on every occupied cell."""
    if world.board_answers.occupied is None:
        world.board_answers.occupied = {
            cell: piece
            for piece, at in world.laid().items()
            for cell in footprint(world.layout(piece, at.rotation), at)
        }
    return world.board_answers.occupied


def facing(world: World) -> Mapping[tuple[Cell, int], tuple[str | None, Piece, bool]]:
    """Return, by side of a cell, the outer side of a laid piece that touches it.

    Each value is the kind of that outer side, the piece, and whether it agrees with every side.
    Sides that no piece touches are left out.
    """
    if world.board_answers.facing is None:
        found: dict[tuple[Cell, int], tuple[str | None, Piece, bool]] = {}
        for piece, at in world.laid().items():
            layout = world.layout(piece, at.rotation)
            for (x, y, side), kind in layout.sides.items():
                cell = beside(world, shift(at.cell, x, y)).get(side)
                sides = world.box.game.sides
                if cell is None:
                    continue
                found[cell, (side + sides // 2) % sides] = (
                    kind,
                    piece,
                    (x, y, side) in layout.agreeing,
                )
        world.board_answers.facing = found
    return world.board_answers.facing


def covered(world: World, piece: Piece) -> list[Cell]:
    """Return the cells a piece covers; raises Fault for one that is not on a grid."""
    at, layout = laid_layout(world, piece)
    return footprint(layout, at)


SQUARE = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0))
"""The steps to the eight neighbours of a square."""
HEXAGON = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))
"""The steps to the six neighbours of a hexagon: west, east, and two each in the rows beside."""


def corners(cell: Cell) -> set[tuple[int, int]]:
    """Return the corners of a triangle: points in half bases east, and rows south."""
    down = (cell.x + cell.y) % 2
    base = cell.y + 1 - down
    return {(cell.x - 1, base), (cell.x + 1, base), (cell.x, cell.y + down)}


def near(world: World, cell: Cell) -> list[Cell]:
    """Return the neighbours of a cell, within the grid and outside of it."""
    form = world.box.game.grids[cell.grid].cells
    if form == TRIANGLES:
        around = (shift(cell, x, y) for x in range(-2, 3) for y in (-1, 0, 1) if x or y)
        return [each for each in around if corners(each) & corners(cell)]
    steps = HEXAGON if form == HEXAGONS else SQUARE
    return [shift(cell, x, y) for x, y in steps]


def beside(world: World, cell: Cell) -> dict[int, Cell]:
    """Return the cells over the sides of a cell, by the number of the side."""
    found = {side: shift(cell, x, y) for side, (x, y) in enumerate(over(world, cell.grid))}
    if world.box.game.grids[cell.grid].cells == TRIANGLES:
        return {
            side: other
            for side, other in found.items()
            if len(corners(other) & corners(cell)) == 2 and side % 2 != (cell.x + cell.y) % 2
        }
    return found


def _is_beside(world: World, cell: Cell, other: Cell) -> bool:
    hexagons = world.box.game.grids[cell.grid].cells == HEXAGONS
    return hexagons or other in beside(world, cell).values()


def around(world: World, cells: Iterable[Cell], with_corners: bool) -> list[Cell]:
    """Return the occupied cells around cells, with or without those that share only a corner."""
    own = set(cells)
    found = {
        other
        for cell in own
        for other in near(world, cell)
        if with_corners or _is_beside(world, cell, other)
    } - own
    return sorted(found & occupied(world).keys())


# --- segments ------------------------------------------------------------------------------------


def segments(world: World, piece: Piece) -> list[Segment]:
    """Return all segments of a piece, whether or not it is on a grid."""
    world.check(piece)
    return [Segment(piece.index, i) for i in range(len(world.layout(piece).ports))]


def segments_on(world: World, cell: Cell) -> list[Segment]:
    """Return the segments that lie on a cell; none if it is empty."""
    piece = occupied(world).get(cell)
    if piece is None:
        return []
    return [s for s in segments(world, piece) if cell in segment_cells(world, s)]


def segments_of_grid(world: World, grid: Grid) -> list[Segment]:
    """Return all segments of the pieces on a grid."""
    on = [p for p, at in world.laid().items() if grid == Grid(at.cell.grid, at.cell.owner)]
    return [s for piece in on for s in segments(world, piece)]


def owner(world: World, segment: Segment) -> Piece:
    """Return the piece that a segment belongs to.

    Raises Fault if the piece does not show such a segment now.
    """
    piece = Piece(segment.piece)
    _shown(world, piece, segment.index)
    return piece


def kind(world: World, segment: Segment) -> str:
    """Return the full name of the feature kind of a segment; raises Fault like `owner`."""
    return _shown(world, Piece(segment.piece), segment.index).kinds[segment.index]


def _shown(world: World, piece: Piece, index: int) -> Layout:
    """Return the layout that a piece shows, without rotation.

    Raises Fault if it has no segment `index` now.
    """
    world.check(piece)
    layout = world.layout(piece)
    if index >= len(layout.ports):
        text = world.box.piece_text(piece)
        raise BuiltinFault(f"{text} does not show segment {index + 1} on its upper face")
    return layout


def segment_cells(world: World, segment: Segment) -> list[Cell]:
    """Return the cells that a segment lies on, in canonical order.

    Raises Fault if it is not on a grid.
    """
    at, layout = laid_layout(world, owner(world, segment))
    return sorted(shift(at.cell, x, y) for x, y in layout.cells[segment.index])


def ports_ahead(
    world: World, layout: Layout, at: Placement, index: int
) -> Iterator[tuple[Cell, int, int]]:
    """Yield the cell, side and lane that each port of a segment faces."""
    for port in layout.ports[index]:
        if port.side not in beside(world, shift(at.cell, port.x, port.y)):
            continue  # a triangle that points another way than its cell
        against = mirror(port, over(world, at.cell.grid))
        yield shift(at.cell, against.x, against.y), against.side, against.lane


def contacts(world: World, segment: Segment, at: Placement) -> set[Segment]:
    """Return the segments of other pieces that touch a segment and are of its kind.

    `at` is the actual or assumed placement of its piece.
    """
    piece = owner(world, segment)
    layout = world.layout(piece, at.rotation)
    found = set()
    for cell, side, lane in ports_ahead(world, layout, at, segment.index):
        other = occupied(world).get(cell, piece)
        if other != piece:
            there, shown = laid_layout(world, other)
            x, y = cell.x - there.cell.x, cell.y - there.cell.y
            index = shown.holder.get(Port(x, y, side, lane))
            if index is not None and shown.kinds[index] == layout.kinds[segment.index]:
                found.add(Segment(other.index, index))
    return found


def joined(world: World, segment: Segment) -> list[Segment]:
    """Return the segments directly joined with a laid one: by contact or link, and not unlinked."""
    found = contacts(world, segment, lies(world, owner(world, segment)))
    found = {s for s in found if joint(segment, s) not in world.unlinks}
    for a, b in world.links:
        if segment in (a, b):
            found.add(b if segment == a else a)
    return sorted(found)


def empty_ahead(world: World, segment: Segment, at: Placement) -> list[Cell]:
    """Return, for every port of a segment that faces an empty cell, that cell.

    The piece of the segment is placed at `at`. Cells beyond the edge of the grid are included,
    those of the piece itself are not.
    """
    piece = owner(world, segment)
    layout = world.layout(piece, at.rotation)
    own = footprint(layout, at)
    return [
        cell
        for cell, _, _ in ports_ahead(world, layout, at, segment.index)
        if cell not in own and occupied(world).get(cell, piece) == piece
    ]


# --- features ------------------------------------------------------------------------------------


def members(world: World, segment: Segment) -> tuple[Segment, ...]:
    """Return all segments of the feature that holds a laid segment, in canonical order."""
    known = world.board_answers.features
    if segment not in known:
        found = {segment}
        frontier = [segment]
        while frontier:
            fresh = [s for s in joined(world, frontier.pop()) if s not in found]
            found.update(fresh)
            frontier += fresh
        known.update(dict.fromkeys(found, tuple(sorted(found))))
    return known[segment]


def feature_of(world: World, segment: Segment) -> Feature:
    """Return the feature that holds a laid segment now, named by its smallest segment."""
    return Feature(members(world, segment)[0])


def features_of(world: World, segments: Iterable[Segment]) -> tuple[Feature, ...]:
    """Return the features that hold some laid segments, in canonical order."""
    return tuple(sorted({feature_of(world, s) for s in segments}))


def feature_segments(world: World, feature: Feature) -> tuple[Segment, ...]:
    """Return the current segments of a feature; raises Fault if its segment has left the grid."""
    return members(world, feature.segment)


def feature_cells(world: World, feature: Feature) -> list[Cell]:
    """Return the cells that a feature lies on, in canonical order."""
    parts = feature_segments(world, feature)
    return sorted({cell for s in parts for cell in segment_cells(world, s)})


def in_place(world: World, thing: Value) -> tuple[object, ...]:
    """Return the sort key of a segment or feature for the order of their cells.

    Segments of one piece are in its order; those that are not laid come first.
    """
    parts = feature_segments(world, thing) if isinstance(thing, Feature) else (thing,)
    laid = world.laid()
    keys = []
    for segment in parts:
        assert isinstance(segment, Segment)
        there = Piece(segment.piece) in laid
        keys.append((there, segment_cells(world, segment)[0] if there else None, segment))
    return min(keys)


def ends(world: World, feature: Feature) -> int:
    """Return the number of ports of a feature that face an empty cell or the edge of the grid."""
    parts = feature_segments(world, feature)
    return sum(len(empty_ahead(world, s, lies(world, Piece(s.piece)))) for s in parts)


def borders(world: World, feature: Feature) -> tuple[Feature, ...]:
    """Return the features of the segments that those of a feature border on, on their pieces."""
    found = []
    for segment in feature_segments(world, feature):
        layout = world.layout(Piece(segment.piece))
        found += [Segment(segment.piece, i) for i in layout.borders[segment.index]]
    return features_of(world, found)


def touching(world: World, segment: Segment) -> tuple[Segment, ...]:
    """Return the segments that a segment touches on its piece; raises Fault like `owner`."""
    layout = _shown(world, Piece(segment.piece), segment.index)
    return tuple(Segment(segment.piece, i) for i in layout.touches[segment.index])


def lane_at(world: World, cell: Cell, side: int, lane: int) -> Segment | None:
    """Return the segment that holds a lane (0..2) of a side of a cell, None if there is none."""
    piece = occupied(world).get(cell)
    if piece is None:
        return None
    at, layout = laid_layout(world, piece)
    index = layout.holder.get(Port(cell.x - at.cell.x, cell.y - at.cell.y, side, lane))
    return None if index is None else Segment(piece.index, index)


class Touch(NamedTuple):
    """A side of a piece that touches another piece.

    `side` counts clockwise from 0 for north. `mine` and `theirs` are the full feature kinds on the
    two sides, None for a blank side. `other` is the other piece. With `always`, one of the sides
    agrees with every side.
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
        distinct = world.box.game.grids[grid.grid].distinct
        turns = world.rotations(piece) if distinct else range(world.box.game.sides)
        sizes = {rotation: world.layout(piece, rotation).size for rotation in turns}
        tried = {size: tuple(_candidates(world, grid, others, size)) for size in {*sizes.values()}}
        found = [Placement(cell, turn) for turn, size in sizes.items() for cell in tried[size]]
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
        raise BuiltinFault(f"{world.box.piece_text(piece)} cannot lie at {place}: {why}")


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
    touching = touching_sides(world, layout, at, piece)
    return why, tuple(touch for touch in touching if not touch.agrees)


def _check_holds(world: World, grid: Grid, piece: Piece) -> None:
    world.check(piece)
    text = world.box.grid_text(grid)
    if grid not in world.box:
        raise BuiltinFault(f"there is no {text} in this game")
    cls = world.box.cls(piece)
    if cls not in world.box.game.grids[grid.grid].holds:
        raise BuiltinFault(f"{text} does not hold a {cls}")


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
    elif declared.cells == HEXAGONS and declared.touch:
        yield from sorted({other for cell in cells for other in near(world, cell)} - cells)
    elif declared.touch:
        open_cells = {other for cell in cells for other in beside(world, cell).values()} - cells
        anchors = {
            shift(c, -x, -y) for c in open_cells for x in range(width) for y in range(height)
        }
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
        if declared.cells == TRIANGLES and (cell.x + cell.y + at.rotation) % 2:
            way = "down" if (cell.x + cell.y) % 2 else "up"
            return f"({cell.x}, {cell.y}) points {way}, and the piece does not"
    if declared.cells == HEXAGONS and world.box.game.sides == 4:
        touches = any(cell in others for cell in near(world, at.cell))
        return "it touches nothing" if declared.touch and others and not touches else None
    agreeing = [touch.agrees for touch in touching_sides(world, layout, at, piece)]
    if not agreeing:
        return "it touches nothing" if declared.touch and others else None
    match declared.match:
        case "all" if not all(agreeing):
            return "a side does not match its neighbour"
        case "any" if not any(agreeing):
            return "no side matches its neighbour"
        case _:
            return None


def touching_sides(world: World, layout: Layout, at: Placement, piece: Piece) -> Iterator[Touch]:
    """Yield every side of a piece placed like that which touches another piece."""
    sides = facing(world)
    for (x, y, side), mine in layout.sides.items():
        found = sides.get((shift(at.cell, x, y), side))
        if found is not None and found[1] != piece:
            theirs, other, always = found
            yield Touch(side, mine, theirs, other, always or (x, y, side) in layout.agreeing)
