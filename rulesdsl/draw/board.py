"""Boards as SVG: what lies on the grids of a game, what stands on it, and where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulesdsl.draw.badges import badge_lines
from rulesdsl.draw.card import CARD, die_face
from rulesdsl.draw.colours import INK
from rulesdsl.draw.paths import CELL, Point, number
from rulesdsl.draw.piece import Drawn, Pieces, frame
from rulesdsl.draw.svg import Lines, document, element, group, moved, text
from rulesdsl.draw.tile import Tile, mark_lines
from rulesdsl.draw.zones import tracks, zones
from rulesdsl.geometry.ring import STEPS, Size, turned
from rulesdsl.model.values import Piece, Segment
from rulesdsl.play import Place, State
from rulesdsl.play.things import Board, Standing, boards, standing
from rulesdsl.run.engine import Laid

_MARGIN, _TITLE, _HEAD, _PLAYER = 34.0, 26.0, 34.0, 120.0
_ZONES = 640.0
"""So much room zones have at least."""
_FAINT, _TABLE, _LAST = "#9b948a", "#f4f1ea", "#d55e00"
_STANDING = 34.0
"""How large a figure on a segment is."""

_Spot = tuple[int, int]


def board_svg(
    pieces: Pieces, state: State, size: float = 100.0, *, last: Place | None = None
) -> str:
    """All boards of a state, one below the other, a cell `size` pixels wide: pieces as they lie,
    figures in the colours of their owners, the cells beside as places, and the points of all; then
    what lies in the zones that everybody sees, and the tracks.

    The piece on `last` is marked.
    """
    stands = standing(state)
    drawn = [_grid(pieces, state, board, stands, last) for board in boards(state, stands)]
    large = min(2.0, max(1.0, CELL / size))
    width = max([large * (20 + _PLAYER * len(state.players)), *(size[0] for _, size in drawn)])
    below = (each(pieces, state, max(width, _ZONES)) for each in (zones, tracks))
    drawn += [each for each in below if each[0]]
    width = max([width, *(size[0] for _, size in drawn)])
    head = large * _HEAD
    height = head + sum(size[1] for _, size in drawn)
    lines = [element("rect", width=width, height=height, fill=_TABLE)]
    lines += group(_points(pieces, state), transform=f"scale({number(large)})")
    y = head
    for part, (_, high) in drawn:
        lines += moved(part, 0, y)
        y += high
    title = pieces.game.labels(pieces.game.checked.game.roles.ruleset, pieces.language)
    return document(lines, width, height, size / CELL, title)


def _points(pieces: Pieces, state: State) -> Iterator[str]:
    """Every player with points, in the player's colour."""
    for seat, (name, points) in enumerate(state.scores().items()):
        x = 12 + _PLAYER * seat
        yield element(
            "rect", x=x, y=9, width=16, height=16, rx=3, fill=pieces.looks.players[seat],
            stroke=INK, stroke_width=1.5,
        )  # fmt: skip
        label = f"{pieces.game.labels(name, pieces.language)} {points}"
        yield text(label, (x + 63, 17), 15, 86, fill=INK)


def _grid(
    pieces: Pieces, state: State, board: Board, stands: Standing, last: Place | None
) -> Drawn:
    """One grid with its name and the numbers of its columns and rows."""
    covered = {spot: item for item in board.laid for spot in _cells(state, item)}
    taken = {*covered, *((cell.x, cell.y) for cell in board.cells)}
    free = sorted({(x + dx, y + dy) for x, y in taken for dx, dy in STEPS} - taken)
    columns = range(min(x for x, _ in (*taken, *free)), max(x for x, _ in (*taken, *free)) + 1)
    rows = range(min(y for _, y in (*taken, *free)), max(y for _, y in (*taken, *free)) + 1)
    several = len(pieces.game.checked.game.grids) > 1 or "[" in board.name
    above = _TITLE if several else 0.0
    lines: Lines = []
    if several:
        lines.append(text(_name(pieces, board), (_MARGIN + 120, 14), 18, 260, fill=INK))
    inner = [_place(spot) for spot in free]
    for item in board.laid:
        inner += _laid(pieces, state, item, stands)
    for cell in board.cells:
        at = (CELL * (cell.x + 0.5), CELL * (cell.y + 0.5))
        inner += _figures(pieces, state, stands[cell], [at])
    if last is not None and last.grid == board.name and (last.x, last.y) in covered:
        inner.append(_marked(state, covered[last.x, last.y]))
    numbers = [_number(x, (CELL * (x + 0.5), CELL * rows.start - 12)) for x in columns]
    numbers += [_number(y, (CELL * columns.start - 16, CELL * (y + 0.5))) for y in rows]
    left, top = _MARGIN - CELL * columns.start, above + _MARGIN - CELL * rows.start
    lines += moved([*numbers, *inner], left, top)
    return lines, (
        2 * _MARGIN + CELL * len(columns),
        above + 2 * _MARGIN + CELL * len(rows),
    )


def _name(pieces: Pieces, board: Board) -> str:
    return pieces.game.labels.plain(board.name, pieces.language)


def _number(value: int, at: Point) -> str:
    return text(str(value), at, 18, 34, fill=_FAINT)


def _place(spot: _Spot) -> str:
    """An empty cell beside what lies there."""
    x, y = spot
    return element(
        "rect", x=CELL * x + 5, y=CELL * y + 5, width=CELL - 10, height=CELL - 10, rx=6,
        fill="none", stroke="#cfc8bb", stroke_width=2, stroke_dasharray="7 6",
    )  # fmt: skip


def _size(state: State, item: Laid) -> Size:
    outline = state.names.outline(item.piece)
    return (1, 1) if outline is None else outline.size


def _cells(state: State, item: Laid) -> Iterator[_Spot]:
    """The cells that a piece covers."""
    width, height = turned(_size(state, item), item.rotation)
    for y in range(height):
        for x in range(width):
            yield item.cell.x + x, item.cell.y + y


def _marked(state: State, item: Laid) -> str:
    width, height = (CELL * cells for cells in turned(_size(state, item), item.rotation))
    return element(
        "rect", x=CELL * item.cell.x, y=CELL * item.cell.y, width=width, height=height,
        fill="none", stroke=_LAST, stroke_width=4,
    )  # fmt: skip


def _laid(pieces: Pieces, state: State, item: Laid, stands: Standing) -> Lines:
    """A piece as it lies, with what stands on it."""
    kind = state.names.kind(item.piece)
    outline = state.names.outline(item.piece)
    left, top = CELL * item.cell.x, CELL * item.cell.y
    if kind.cls == "die":
        face = kind.faces[state.position.face_of(item.piece).index]
        inner = die_face(kind, face, pieces.looks)
        lines = _turned(pieces.share(inner), item, (1, 1))
        return [*lines, *_on_cell(pieces, state, item, stands)]
    if outline is None:
        drawn, size = pieces.draw(kind)
        scale = 1.0 if size != CARD else CELL / CARD[1]
        place = f"translate({number(left)} {number(top)}) scale({scale:.3f})"
        lines = group(pieces.share(drawn), transform=place)
        return [*lines, *_on_cell(pieces, state, item, stands)]
    tile = pieces.tile(state.game.checked.game.kinds.index(kind))
    width, height = (CELL * cells for cells in outline.size)
    ground = pieces.share([*tile.ground, frame(width, height)])
    lines = _turned(ground, item, outline.size)
    for mark in tile.marks:
        at = _at(mark.at, item, outline.size)
        lines += mark_lines(mark.moved(at))
    return [*lines, *_on_segments(pieces, state, item, stands, tile)]


def _turned(lines: Lines, item: Laid, size: Size) -> Lines:
    """Lines of a piece of `size`, turned and moved to where it lies."""
    width, height = (CELL * cells for cells in size)
    across, down = ((0.0, 0.0), (height, 0.0), (width, height), (0.0, width))[item.rotation]
    place = f"translate({number(CELL * item.cell.x + across)} {number(CELL * item.cell.y + down)})"
    return group(lines, transform=place + (f" rotate({90 * item.rotation})" * bool(item.rotation)))


def _at(point: Point, item: Laid, size: Size) -> Point:
    """Where a point of a piece lies on the grid."""
    x, y = point[0] / CELL - 0.5, point[1] / CELL - 0.5
    width, height = size
    for _ in range(item.rotation):
        x, y, width, height = height - 1 - y, x, height, width
    return CELL * (item.cell.x + x + 0.5), CELL * (item.cell.y + y + 0.5)


def _on_segments(
    pieces: Pieces, state: State, item: Laid, stands: Standing, tile: Tile
) -> Iterator[str]:
    room = tile.room()
    for index, _ in enumerate(tile.outline.segments):
        standing_here = stands.get(Segment(item.piece.index, index), ())
        places = [room.stand(index, _STANDING) for _ in standing_here]
        spots = [_at(point, item, tile.outline.size) for point in places]
        yield from _figures(pieces, state, standing_here, spots)


def _on_cell(pieces: Pieces, state: State, item: Laid, stands: Standing) -> Iterator[str]:
    """What stands on a piece without segments, side by side."""
    here = [piece for place, found in stands.items() for piece in found
            if isinstance(place, Segment) and place.piece == item.piece.index]  # fmt: skip
    spots = [
        (CELL * (item.cell.x + (n + 1) / (len(here) + 1)), CELL * (item.cell.y + 0.75))
        for n in range(len(here))
    ]
    yield from _figures(pieces, state, here, spots)


def _figures(
    pieces: Pieces, state: State, found: Sequence[Piece], spots: Sequence[Point]
) -> Iterator[str]:
    """Pieces that stand somewhere, each at its point; the last point is shared by the rest."""
    for order, piece in enumerate(found):
        badge, size = pieces.mark(state, piece, _STANDING)
        x, y = spots[min(order, len(spots) - 1)]
        shift = 9.0 * max(0, order - len(spots) + 1)
        yield from badge_lines(badge, (x + shift, y), size)
