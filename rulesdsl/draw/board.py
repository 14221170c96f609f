"""Boards as SVG: the pieces on the grids of a game, the figures on them, and the free cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import ceil, cos, pi, sin
from types import MappingProxyType

from rulesdsl.draw.images import in_cell, pictured
from rulesdsl.draw.pieces import CARD, Drawn, Pieces, Tile, badge_lines, die_face, frame, mark_lines
from rulesdsl.draw.svg import (
    CELL,
    INK,
    PAPER,
    Badge,
    Lines,
    Looks,
    Point,
    SvgPath,
    code,
    dark,
    element,
    group,
    moved,
    number,
    overhang,
    polygon,
    polygon_corners,
    text,
    wrapped,
)
from rulesdsl.engines.engine import Laid, Seen
from rulesdsl.geometry.paths import Box, nearest, parts
from rulesdsl.model.game import GridDef, Picture, Style, TrackDef, ZoneDef
from rulesdsl.model.geometry import (
    APOTHEM_OF_TRIANGLE,
    CELL_OF,
    HEXAGON,
    HEXAGONS,
    INVERTED,
    ROW_OF_HEXAGONS,
    SQUARES,
    STEPS,
    TRIANGLES,
    UPRIGHT,
    OneCell,
    Size,
    drawn_at,
    has_side,
    over_sides,
    turned,
)
from rulesdsl.model.values import Cell, EnumMember, Grid, Piece, Segment, Space, Zone
from rulesdsl.play import Place, State
from rulesdsl.play.things import Board, Standing, boards, marks, said_of, seen_by_all, standing
from rulesdsl.texts import section

_ZONE_TITLE, _GAP, _ZONE_MARGIN = 150.0, 8.0, 12.0
_BARE = 6.0
"""The margin of a grid without numbers."""
_LARGE, _SMALL, _COUNT = 64.0, 34.0, 18.0
"""Width of cards, tiles and dice, of other pieces, and of the count beside them."""
SPACE, _MOST = 46.0, 120
"""Width of a space of a track, and the number of spaces up to which all are drawn.

Of a track with more spaces only the occupied ones are drawn.
"""
_HALO = {"stroke": PAPER, "paint_order": "stroke", "stroke_linejoin": "round"}
_PRINTED = 44.0
"""Size of an icon or a text that is printed in a cell."""
_BOX, _BOX_WIDTH = 66.0, 96.0
"""Height and least width of a member of an enum with its zone."""

_Alike = tuple[Seen, int]
"""A piece, None if it lies face down, and the number of pieces that look like it."""


def zones(pieces: Pieces, state: State, width: float) -> Drawn:
    """Draw a row, at most `width` wide, for every nonempty zone that all players see."""
    lines: Lines = []
    y = 0.0
    for at, declared in enumerate(state.game.checked.game.zones):
        if declared.visible not in ("all", "top") or marks(state, declared.per):
            continue
        for index in range(declared.instances(len(state.players))):
            zone = Zone(at, index)
            placed = pieces.looks.style(declared.key).place is not None
            if (seen := seen_by_all(state, zone)) and not placed:
                alike = _alike(state, seen, declared.ordered)
                row, height = _row(pieces, state, alike, width, at)
                if (image := pieces.looks.style(declared.key).image) is not None:
                    size = (width - _ZONE_TITLE + 8, height)
                    row = [*pictured(image, (_ZONE_TITLE - 8, 0.0), size), *row]
                title = _title(pieces, zone, declared)
                name = text(title, (_ZONE_TITLE / 2, height / 2), 15, _ZONE_TITLE - 16, fill=INK)
                lines += moved([name, *row], 0, y)
                y += height + _GAP
    ringed, high = _rings(pieces, state, width)
    lines += moved(ringed, 0, y)
    y += high
    return lines, (width, y + _GAP if y else 0.0)


def _rings(pieces: Pieces, state: State, width: float) -> tuple[Lines, float]:
    """Draw the members of every enum with a zone for each and a state on one; return the height."""
    game, labels, language = state.game.checked.game, pieces.game.labels, pieces.language
    lines: Lines = []
    y = 0.0
    for at, declared in enumerate(game.zones):
        found = marks(state, declared.per) if declared.visible == "all" else {}
        if not found or declared.key in game.absent:
            continue
        enum = next(enum for enum in game.enums if enum.key in declared.per)
        heads = [labels.title(declared.key, game.texts.zones[at], language)]
        heads += [labels(key, language) for key in found]
        for row, head in enumerate(heads, 1):
            middle = (_ZONE_TITLE / 2, y + row * _BOX / (1 + len(heads)))
            lines.append(text(head, middle, 12 if row > 1 else 15, _ZONE_TITLE - 46, fill=INK))
            if row > 1:
                lines += badge_lines(_MARK, (_ZONE_TITLE - 14, middle[1]), 18)
        x = _ZONE_TITLE
        for index, member in enumerate(enum.members):
            here = list(found.values()).count(index)
            name = labels.find(f"{enum.key}.{member}", language) or member
            box, wide = _member(pieces, state, Zone(at, index), name, here)
            if x > _ZONE_TITLE and x + wide > width:
                x, y = _ZONE_TITLE, y + _BOX
            lines += moved(box, x, y)
            x += wide
        y += _BOX + _GAP
    return lines, y


def _member(pieces: Pieces, state: State, zone: Zone, name: str, here: int) -> tuple[Lines, float]:
    """Draw a member of an enum with its pieces and `here` marks of states; return the width."""
    lines: Lines = []
    x = 6.0
    for _ in range(here):
        lines += badge_lines(_MARK, (x + _SMALL / 2, 44), _SMALL)
        x += _SMALL + 4
    declared = state.game.checked.game.zones[zone.zone]
    for piece, count in _alike(state, seen_by_all(state, zone), declared.ordered):
        drawn, (wide, high) = _small(pieces, state, piece, zone.zone)
        scale = min(1.0, _SMALL / high)
        placed = group(drawn, transform=f"scale({number(scale)})")
        lines += moved(placed, x, 44 - scale * high / 2)
        x += scale * wide + 4
        if count > 1:
            lines.append(_count(count, x + 8, 44))
            x += _COUNT
    wide = max(_BOX_WIDTH, x + 6)
    stroke, thick = (_LAST, 3) if here else (INK, 1)
    look: dict[str, float | str] = {
        "width": wide,
        "height": _BOX,
        "stroke": stroke,
        "stroke_width": thick,
    }
    rim = [element("rect", fill=PAPER, **look)]
    if (image := pieces.looks.style(declared.key).image) is not None:
        rim = [*pictured(image, (0.0, 0.0), (wide, _BOX)), element("rect", fill="none", **look)]
    return [*rim, text(name, (wide / 2, 14), 13, wide - 8, fill=INK), *lines], wide


def tracks(pieces: Pieces, state: State, width: float) -> Drawn:
    """Draw the spaces of every track with a piece on it, at most `width` wide."""
    standing = _on_spaces(state)
    lines: Lines = []
    y = 0.0
    for track, declared in enumerate(state.game.checked.game.tracks):
        held = [space.index for space in sorted(standing) if space.track == track]
        shown = range(declared.length) if declared.length <= _MOST else held
        columns = max(1, int((width - _ZONE_TITLE - _ZONE_MARGIN) / SPACE))
        if not held or pieces.looks.style(declared.key).spaces is not None:
            continue
        name = state.game.checked.game.texts.tracks[track]
        title = pieces.game.labels.title(declared.key, name, pieces.language)
        lines.append(text(title, (_ZONE_TITLE / 2, y + SPACE / 2), 15, _ZONE_TITLE - 16, fill=INK))
        places = {
            index: (order % columns * SPACE, order // columns * SPACE)
            for order, index in enumerate(shown)
        }
        spaces = [
            line
            for index, at in places.items()
            for line in moved(space(pieces, declared, index), *at)
        ]
        lines += moved(pieces.share(spaces), _ZONE_TITLE, y)
        for index, (left, top) in places.items():
            here = standing.get(Space(track, index), [])
            lines += moved(_standing(pieces, state, here), _ZONE_TITLE + left, y + top)
        y += -(-len(shown) // columns) * SPACE + _GAP
    return lines, (width, y + _GAP if y else 0.0)


def _on_spaces(state: State) -> dict[Space, list[Piece]]:
    """Return the pieces on the spaces of tracks."""
    standing: dict[Space, list[Piece]] = {}
    for index, piece in enumerate(state.game.checked.game.pieces):
        if not piece.takes_part(len(state.players)):
            continue
        place = state.position.place_of(Piece(index))
        if isinstance(place, Space):
            standing.setdefault(place, []).append(Piece(index))
    return standing


def space(pieces: Pieces, track: TrackDef, index: int) -> Lines:
    """Draw a space with its label, without one with its number."""
    named = pieces.game.labels.find(f"{track.key}[{index}]", pieces.language)
    plain = pieces.looks.printed(track.key, index, str(index)).fill is None
    ink = "#b9b2a6" if named is None and plain else INK
    lines = group(space_printed(pieces.looks, track, index), transform=f"scale({SPACE / CELL})")
    at = (SPACE / 2, SPACE / 2)
    if len(lines) > _BLANK:
        at, ink = (SPACE / 2, SPACE - 8), INK
    if len(lines) > _BLANK and named is None:
        return lines
    return [*lines, text(named or str(index), at, 15, SPACE - 8, fill=ink)]


_BLANK = 3
"""Number of lines of a space on which nothing is printed."""


def space_printed(looks: Looks, track: TrackDef, index: int) -> Lines:
    """Draw a space as large as a cell, with what is printed on it."""
    style = looks.printed(track.key, index, str(index))
    fill = PAPER if style.fill is None else code(style.fill)
    rim = element("rect", width=CELL, height=CELL, fill=fill, stroke=INK, stroke_width=2)
    return [rim, *_mark(style)]


def _standing(pieces: Pieces, state: State, here: Sequence[Piece]) -> Lines:
    """Draw the pieces on a space in a square arrangement."""
    lines: Lines = []
    rows = ceil(len(here) ** 0.5)
    for order, piece in enumerate(here):
        badge, _ = pieces.mark(state, piece, 1)
        at = ((order % rows + 0.5) * SPACE / rows, (order // rows + 0.5) * SPACE / rows)
        lines += badge_lines(badge, at, min(_SMALL, 0.9 * SPACE / rows))
    return lines


def _title(pieces: Pieces, zone: Zone, declared: ZoneDef) -> str:
    """Return the name of a zone with its owner or index."""
    labels, language, game = pieces.game.labels, pieces.language, pieces.game.checked.game
    name = labels.title(declared.key, game.texts.zones[zone.zone], language)
    enums = {enum.key: enum.members for enum in game.enums}
    indices = [
        labels.find(f"{each.enum}.{enums[each.enum][each.index]}", language)
        or enums[each.enum][each.index]
        if isinstance(each, EnumMember)
        else labels(game.roles.colours[each.seat], language)
        for each in declared.indices(zone.index)
    ]
    return f"{name}: {', '.join(indices)}" if indices else name


def _alike(state: State, seen: Sequence[Seen], ordered: bool) -> list[_Alike]:
    """Group equal pieces and count them; where order matters, only neighbours are grouped."""

    def look(piece: Seen) -> tuple[int, int, int, str]:
        if not isinstance(piece, Piece):
            return -1, -1, 0, ""
        own = state.game.checked.game.pieces[piece.index]
        die = state.names.kind(piece).faces
        face = state.position.face_of(piece).index if die else 0
        states = str([*said_of(state, piece)])
        return own.kind, -1 if own.seat is None else own.seat, face, states

    found = (
        seen
        if ordered
        else sorted(
            seen, key=lambda each: (look(each), each if isinstance(each, Piece) else Piece(-1))
        )
    )
    groups = (list(group) for _, group in groupby(found, look))
    return [(group[0], len(group)) for group in groups]


def _row(
    pieces: Pieces, state: State, alike: Sequence[_Alike], width: float, zone: int
) -> tuple[Lines, float]:
    """Draw pieces from left to right, wrapped into lines, and return the total height."""
    lines: Lines = []
    x, y, high = _ZONE_TITLE, 0.0, 0.0
    for piece, count in alike:
        drawn, (wide, height) = _small(pieces, state, piece, zone)
        beside = _COUNT if count > 1 else 0.0
        if x > _ZONE_TITLE and x + wide + beside + _ZONE_MARGIN > width:
            x, y, high = _ZONE_TITLE, y + high + _GAP, 0.0
        lines += moved(drawn, x, y)
        if count > 1:
            lines.append(_count(count, x + wide + 9, y + 0.5 * height))
        x, high = x + wide + beside + _GAP, max(high, height)
    return lines, y + high


def _back(image: Picture | None) -> Drawn:
    """Draw the back of a piece that lies face down."""
    if image is not None:
        height = _LARGE * min(2.0, image.box[3] / image.box[2])
        return pictured(image, (0.0, 0.0), (_LARGE, height)), (_LARGE, height)
    size = _LARGE - 4
    return [
        element("rect", x=2, y=2, width=size, height=size, rx=6, fill="#b9b2a6", stroke=INK),
        text("?", (_LARGE / 2, _LARGE / 2), 28, _LARGE, fill=INK),
    ], (_LARGE, _LARGE)


def _states(pieces: Pieces, state: State, piece: Piece, at: Point) -> Lines:
    """Write the labelled states of a piece at a point below it."""
    label, plain = pieces.game.labels, pieces.game.labels.plain
    words = [
        label(key, pieces.language)
        + ("" if value is True else f" {plain(str(state.names.short(value)), pieces.language)}")
        for key, value in said_of(state, piece)
    ]
    if not words:
        return []
    return [text(", ".join(words), at, 11, 0.8 * CELL, fill=INK, stroke_width=3, **_HALO)]


def _count(count: int, x: float, y: float) -> str:
    return text(f"\u00d7{count}", (x, y), 15, 40, fill=INK, stroke_width=4, **_HALO)


def _small(pieces: Pieces, state: State, piece: Seen, zone: int) -> Drawn:
    """Draw a piece in a zone: a die with its upper face, a card perhaps face down."""
    if not isinstance(piece, Piece):
        back, whole = _back(pieces.looks.back(pieces.game.checked.game.zones[zone]))
        return pieces.share(back), whole
    kind = state.names.kind(piece)
    if kind.cls in ("figure", "token"):
        badge, size = pieces.mark(state, piece, _SMALL)
        drawn = pieces.share(badge_lines(badge, (size / 2, size / 2), size))
        if said := _states(pieces, state, piece, (_LARGE / 2, size + 6)):
            return [*moved(drawn, (_LARGE - size) / 2, 0), *said], (_LARGE, size + 14)
        return drawn, (size + 6, size)
    if kind.faces:
        face = kind.faces[state.position.face_of(piece).index]
        drawn, (wide, height) = die_face(kind, face, pieces.looks), (CELL, CELL)
    else:
        drawn, (wide, height) = pieces.draw(kind)
    scale = _LARGE / wide
    lines = group(pieces.share(drawn), transform=f"scale({scale:.3f})")
    if said := _states(pieces, state, piece, (_LARGE / 2, height * scale + 6)):
        return [*lines, *said], (wide * scale, height * scale + 14)
    return lines, (wide * scale, height * scale)


_MARGIN, _TITLE, _HEAD, _PLAYER = 34.0, 26.0, 34.0, 120.0
_ZONES = 640.0
"""Minimum width of the rows of zones."""
_FAINT, _EMPTY, _TABLE, _LAST = "#9b948a", "#cfc8bb", "#f4f1ea", "#d55e00"
_MARK = Badge("pawn", "", _LAST, INK)
"""The mark of a state that holds a member of an enum."""
_STANDING = 34.0
"""Size of a figure on a segment."""
_ALONE = 1.6
"""How many times as large a piece is that is alone on a cell without tiles, cards or dice."""

_Spot = tuple[int, int]


def board_svg(
    pieces: Pieces,
    state: State,
    size: float = 100.0,
    *,
    last: Place | None = None,
    scored: Mapping[Piece, Segment | Cell] = MappingProxyType({}),
) -> str:
    """Draw all boards of a state, one below the other, with cells `size` pixels wide.

    Pieces are drawn as they lie, figures in the colours of their owners, and free neighbouring
    cells as places. The scores of all players are above; the zones that everybody sees, and the
    tracks, are below. The piece on `last` is marked. Figures that were `scored` at the end of the
    game are drawn as they stood, and a line says that they were returned.
    """
    stands = {place: list(found) for place, found in standing(state).items()}
    for piece, place in scored.items():
        stands.setdefault(place, []).append(piece)
    found, last = _layered(state, boards(state, stands, _sized(state)), last)
    drawn = [_grid(pieces, state, board, stands, last) for board in found]
    large = min(2.0, max(1.0, CELL / size))
    width = max([large * (20 + _PLAYER * len(state.players)), *(size[0] for _, size in drawn)])
    drawn += _planes(pieces, state)
    width = max([width, *(size[0] for _, size in drawn)])
    below = (each(pieces, state, max(width, _ZONES)) for each in (zones, tracks))
    drawn += [each for each in below if each[0]]
    if scored:
        drawn.append(_returned(pieces, state, scored, width, large))
    width = max([width, *(size[0] for _, size in drawn)])
    head = large * _HEAD
    height = head + sum(size[1] for _, size in drawn)
    lines = [element("rect", width=width, height=height, fill=_TABLE)]
    lines += group(_points(pieces, state), transform=f"scale({number(large)})")
    lines += _stacked(drawn, head)
    title = pieces.game.labels(pieces.game.checked.game.roles.ruleset, pieces.language)
    return pieces.document(lines, width, height, size / CELL, title)


def _layered(
    state: State, found: Iterable[Board], last: Place | None
) -> tuple[list[Board], Place | None]:
    """Return the boards with what lies on layers above what lies on the grids below them.

    The place that is marked is one of these boards, too.
    """
    grids, whole = state.game.checked.game.grids, dict[Grid, Board]()
    for board in sorted(found, key=lambda board: bool(grids[board.grid.grid].over)):
        over = grids[board.grid.grid].over
        number = next((at for at, each in enumerate(grids) if each.key == over), board.grid.grid)
        below = whole.get(Grid(number, board.grid.index)) if over else None
        if below is None:
            whole[board.grid] = board
            continue
        laid, cells = (*below.laid, *board.laid), (*below.cells, *board.cells)
        whole[below.grid] = replace(below, laid=laid, cells=cells)
        if last is not None and last.grid == board.name:
            last = last._replace(grid=below.name)
    return list(whole.values()), last


def _returned(
    pieces: Pieces, state: State, scored: Iterable[Piece], width: float, large: float
) -> Drawn:
    """Write which pieces are drawn though they left the board at the end of the game."""
    label = partial(pieces.game.labels.plain, language=pieces.language)
    counts = Counter(label(str(state.names.short(piece))) for piece in scored)
    names = (name if count == 1 else f"{name} \u00d7{count}" for name, count in counts.items())
    words = section("events", pieces.language)["returned"].format(", ".join(names))
    lines = wrapped(words, (width / 2, 18 * large), 15 * large, width - 24, fill=INK)
    return lines, (width, 50 * large)


def grids_svg(pieces: Pieces, state: State, size: float = 100.0) -> str:
    """Draw only what lies on the grids of a state, one below the other, `size` pixels a cell."""
    stands = standing(state)
    found, _ = _layered(state, boards(state, stands), None)
    drawn = [_grid(pieces, state, each, stands, None, bare=True) for each in found]
    drawn += _planes(pieces, state)
    width = max(wide for _, (wide, _) in drawn)
    height = sum(high for _, (_, high) in drawn)
    lines = [element("rect", width=width, height=height, fill=_TABLE)]
    lines += _stacked(drawn, 0)
    title = pieces.game.labels(pieces.game.checked.game.roles.ruleset, pieces.language)
    return pieces.document(lines, width, height, size / CELL, title)


def _stacked(drawn: Iterable[tuple[Lines, tuple[float, float]]], y: float) -> Iterator[str]:
    """Draw parts one below the other, the first one at a height."""
    for part, (_, high) in drawn:
        yield from moved(part, 0, y)
        y += high


def table_svg(pieces: Pieces, state: State, width: float = 460.0) -> str:
    """Draw only the zones that everybody sees; empty if nothing is there."""
    drawn, (_, height) = zones(pieces, state, width)
    if not drawn:
        return ""
    lines = [element("rect", width=width, height=height, fill=_TABLE), *drawn]
    title = pieces.game.labels(pieces.game.checked.game.roles.ruleset, pieces.language)
    return pieces.document(lines, width, height, 0.62, title)


def _points(pieces: Pieces, state: State) -> Iterator[str]:
    """Draw every player with a score, if there is one, in the player's colour."""
    scores = state.scores()
    for seat, name in enumerate(state.players):
        x = 12 + _PLAYER * seat
        yield element(
            "rect", x=x, y=9, width=16, height=16, rx=3, fill=pieces.looks.players[seat],
            stroke=INK, stroke_width=1.5,
        )  # fmt: skip
        label = f"{pieces.game.labels(name, pieces.language)} {scores.get(name, '')}".rstrip()
        ink = PAPER if dark(pieces.looks.players[seat]) else INK
        yield text(str(seat + 1), (x + 8, 17), 12, 14, fill=ink)
        yield text(label, (x + 63, 17), 15, 86, fill=INK)


def _grid(
    pieces: Pieces,
    state: State,
    board: Board,
    stands: Standing,
    last: Place | None,
    *,
    bare: bool = False,
) -> Drawn:
    """Draw one grid with its name, the numbers of its columns and rows, and its cells.

    Of a grid without a size these are the free ones beside others. A `bare` one has only its pieces
    and what manifests say is printed on it.
    """
    covered = {spot: item for item in board.laid for spot in _cells(state, item)}
    taken = {*covered, *((cell.x, cell.y) for cell in board.cells)}
    grid = pieces.game.checked.game.grids[board.grid.grid]
    whole = grid.size and not (bare and _plain(pieces.looks, grid))
    if grid.size:
        wanted = {(x, y) for x in range(grid.size[0]) for y in range(grid.size[1])} - covered.keys()
    else:
        wanted = {near for x, y in taken for near in over_sides(grid.cells, x, y)} - taken
    free, margin = sorted(wanted) if whole or not bare else [], _BARE if bare else _MARGIN
    under = [*printed(pieces.looks, grid), *_names(pieces, grid)] if whole else []
    if grid.cells != SQUARES:
        return _polygons(
            pieces, state, board, stands, last, free, under, margin + 8.0 * bare, titled=not bare
        )
    columns = range(min(x for x, _ in (*taken, *free)), max(x for x, _ in (*taken, *free)) + 1)
    rows = range(min(y for _, y in (*taken, *free)), max(y for _, y in (*taken, *free)) + 1)
    several = not bare and (_several(pieces) or "[" in board.name)
    above = _TITLE if several else 0.0
    lines: Lines = []
    if several:
        lines.append(text(_name(pieces, board), (_MARGIN + 120, 14), 18, 260, fill=INK))
    inner = under or [_place(spot) for spot in free]
    for item in board.laid:
        inner += _laid(pieces, state, item)
    for item in board.laid:
        inner += _stood(pieces, state, item, stands)
    for cell in board.cells:
        at = (CELL * (cell.x + 0.5), CELL * (cell.y + 0.5))
        inner += _on_cells(pieces, state, cell, stands[cell], at)
    if last is not None and last.grid == board.name and (last.x, last.y) in covered:
        inner.append(_marked(state, covered[last.x, last.y]))
    more, placed = on_board(pieces, state, grid.key, board.grid.index)
    inner += more
    numbers = [_number(x, (CELL * (x + 0.5), CELL * rows.start - 12)) for x in columns]
    numbers += [_number(y, (CELL * columns.start - 16, CELL * (y + 0.5))) for y in rows]
    numbers = [] if bare else numbers
    own = (columns.start, rows.start, len(columns), len(rows))
    left, top, wide, high = (CELL * each for each in _union([own, *placed]))
    lines += moved([*numbers, *inner], margin - left, above + margin - top)
    return lines, (2 * margin + wide, above + 2 * margin + high)


def _polygons(
    pieces: Pieces,
    state: State,
    board: Board,
    stands: Standing,
    last: Place | None,
    free: Sequence[_Spot],
    under: Lines,
    margin: float,
    *,
    titled: bool,
) -> Drawn:
    """Draw a grid of hexagons or triangles, with its name, and with the numbers of free cells."""
    inner, grid = list(under), pieces.game.checked.game.grids[board.grid.grid]
    bare = _plain(pieces.looks, grid)
    for spot in free if bare else ():
        rim = [] if under else [_rim(grid, spot, _EMPTY)]
        inner += moved([*rim, *_numbers(grid, spot)], *_corner(grid, spot))
    for item in board.laid:
        at = replace(item, cell=replace(item.cell, x=0, y=0))
        is_last = last == (item.cell.x, item.cell.y, board.name)
        drawn = [*_laid(pieces, state, at), *_stood(pieces, state, at, stands)]
        spot = (item.cell.x, item.cell.y)
        if is_last or not isinstance(_size(state, item), OneCell):
            drawn.append(_rim(grid, spot, _LAST if is_last else _EMPTY))
        inner += moved(drawn, *_corner(grid, spot))
    for cell in board.cells:
        figures = _on_cells(pieces, state, cell, stands[cell], (CELL / 2, CELL / 2))
        drawn = [_rim(grid, (cell.x, cell.y), _EMPTY), *figures]
        inner += moved(drawn, *_corner(grid, (cell.x, cell.y)))
    more, placed = on_board(pieces, state, grid.key, board.grid.index)
    inner += more
    laid = [(item.cell.x, item.cell.y) for item in board.laid]
    every = (*free, *laid, *((c.x, c.y) for c in board.cells))
    corners = [_corner(grid, spot) for spot in every]
    margin += overhang(UPRIGHT)[1] if grid.cells == TRIANGLES else 0.0
    boxes = [(x / CELL, y / CELL, 1.0, 1.0) for x, y in corners]
    left, top, wide, high = (CELL * each for each in _union([*boxes, *placed]))
    left, top, right, bottom = (
        left - margin,
        top - margin,
        left + wide + margin,
        top + high + margin,
    )
    name = [text(_name(pieces, board), (_MARGIN + 120, 14), 18, 260, fill=INK)]
    several = titled and (_several(pieces) or "[" in board.name)
    above = _TITLE if several else 0.0
    return [*(name if several else ()), *moved(inner, -left, above - top)], (
        right - left,
        above + bottom - top,
    )


def _union(boxes: Sequence[Box]) -> Box:
    """Return the rectangle around rectangles."""
    left, top = min(each[0] for each in boxes), min(each[1] for each in boxes)
    right, bottom = (
        max(x + wide for x, _, wide, _ in boxes),
        max(y + high for _, y, _, high in boxes),
    )
    return left, top, right - left, bottom - top


def _planes(pieces: Pieces, state: State) -> Iterator[Drawn]:
    """Draw the boards of tracks that lie on no other board."""
    game = pieces.game.checked.game
    for track, called in zip(game.tracks, game.texts.tracks, strict=True):
        style = pieces.looks.style(track.key)
        if style.spaces is None or style.board is not None:
            continue
        lines, boxes = on_board(pieces, state, track.key)
        left, top, wide, high = (CELL * each for each in _union(boxes))
        title = pieces.game.labels.title(track.key, called, pieces.language)
        name = text(title, (_MARGIN + 120, 14), 18, 260, fill=INK)
        inner = moved(lines, _MARGIN - left, _TITLE + _BARE - top)
        yield [name, *inner], (wide + 2 * _MARGIN, high + _TITLE + 2 * _BARE)


def on_board(
    pieces: Pieces, state: State | None, board: str, owner: int = 0
) -> tuple[Lines, list[Box]]:
    """Draw the tracks and zones that lie on the board of a grid or track, a grid of an owner.

    Without a state they are empty. Return their rectangles too, in cells.
    """
    game, looks = pieces.game.checked.game, pieces.looks
    players = game.numbers[-1] if state is None else len(state.players)
    whole = next((grid.instances(players) for grid in game.grids if grid.key == board), 1)
    lines, boxes = Lines(), list[Box]()
    for at, track in enumerate(game.tracks):
        style = looks.style(track.key)
        if (
            style.spaces is not None
            and style.place
            and board in (style.board, style.board or track.key)
        ):
            lines += _placed_track(pieces, state, at)
            boxes.append(style.place)
    for at, declared in enumerate(game.zones):
        style = looks.style(declared.key)
        if style.board == board and style.place and declared.key not in game.absent:
            share = declared.instances(players) // whole
            for part, place in enumerate(parts(style.place, share), owner * share):
                lines += _placed_zone(pieces, state, Zone(at, part), place)
            boxes.append(style.place)
    return lines, boxes


def track_ground(looks: Looks, track: TrackDef) -> Lines:
    """Draw what lies below the spaces of a track with a path: its image, and a line."""
    style = looks.style(track.key)
    if style.spaces is None or style.place is None:
        return []
    x, y, wide, high = (CELL * each for each in style.place)
    lines = [] if style.image is None else pictured(style.image, (x, y), (wide, high))
    points = [(CELL * x, CELL * y) for x, y in style.spaces]
    path = SvgPath(points[0], tuple(points[1:]), closed=track.loop)
    return [*lines, element("path", d=str(path), fill="none", stroke=_FAINT, stroke_width=5)]


def space_size(spaces: Sequence[Point]) -> float:
    """Return the width of the spaces of a track with a path, in hundredths of a cell."""
    return _APART * CELL * nearest(spaces)


_APART = 0.94
"""The width of a space, as a share of the distance of two."""


def _placed_track(pieces: Pieces, state: State | None, at: int) -> Lines:
    """Draw the spaces of a track with a path, with what stands on them."""
    track = pieces.game.checked.game.tracks[at]
    spaces = pieces.looks.style(track.key).spaces or ()
    size = space_size(spaces)
    lines = track_ground(pieces.looks, track)
    for index, (x, y) in enumerate(spaces):
        inner = pieces.share(space(pieces, track, index))
        if state is not None:
            here = _on_spaces(state).get(Space(at, index), [])
            inner = [*inner, *_standing(pieces, state, here)]
        place = f"translate({_at_corner(x, size)} {_at_corner(y, size)}) scale({size / SPACE:.3f})"
        lines += group(inner, transform=place)
    return lines


def _at_corner(middle: float, size: float) -> str:
    return number(CELL * middle - size / 2)


def _placed_zone(pieces: Pieces, state: State | None, zone: Zone, place: Box) -> Lines:
    """Draw a zone in a rectangle on a board: its title, and its pieces as large as they fit."""
    declared = pieces.game.checked.game.zones[zone.zone]
    x, y, wide, high = (CELL * each for each in place)
    lines = [
        element("rect", width=wide, height=high, rx=8, fill=PAPER, fill_opacity="0.7", stroke=INK)
    ]
    if (image := pieces.looks.style(declared.key).image) is not None:
        lines += pictured(image, (0.0, 0.0), (wide, high))
    head = min(22.0, high / 4)
    title = _title(pieces, zone, declared)
    lines.append(
        text(
            title, (wide / 2, head / 2 + 2), 0.7 * head, wide - 8, fill=INK, stroke_width=3, **_HALO
        )
    )
    drawn = [] if state is None else [
        (_small(pieces, state, piece, zone.zone), count)
        for piece, count in _alike(state, seen_by_all(state, zone), declared.ordered)
    ]  # fmt: skip
    sizes = [(across + (_COUNT if count > 1 else 0), down) for (_, (across, down)), count in drawn]
    scale, corners = fitted(sizes, (wide - 8, high - head - 6))
    for ((piece, (across, down)), count), (left, top) in zip(drawn, corners, strict=True):
        more = [_count(count, across + 9, down / 2)] if count > 1 else []
        at = f"translate({number(4 + left)} {number(head + 2 + top)}) scale({scale:.3f})"
        lines += group([*piece, *more], transform=at)
    return moved(lines, x, y)


def fitted(sizes: Sequence[Point], room: Point) -> tuple[float, list[Point]]:
    """Return the scale at which things in rows fit into a room, and the corner of each."""
    for step in range(30, 0, -1):
        scale = step / 20
        corners, x, y, row = list[Point](), 0.0, 0.0, 0.0
        for wide, high in ((scale * wide, scale * high) for wide, high in sizes):
            if x > 0 and x + wide > room[0]:
                x, y, row = 0.0, y + row + 4, 0.0
            corners.append((x, y))
            x, row = x + wide + 4, max(row, high)
        if (
            y + row <= room[1]
            and max(
                [x + w * scale for (x, _), (w, _) in zip(corners, sizes, strict=True)], default=0
            )
            <= room[0]
        ):
            break
    return scale, corners


def printed(looks: Looks, grid: GridDef) -> Lines:
    """Draw what is printed on a grid with a size: its image, or the rims of its cells, and these.

    Nothing is printed on other grids and on layers.
    """
    if grid.size is None or grid.over:
        return []
    across, down = grid.size
    lines: Lines = []
    image = looks.style(grid.key).image
    if image is not None:
        aside, over = overhang(CELL_OF[grid.cells])
        drawn = pictured(image, (-aside, -over), _extent(grid, across, down))
        if grid.cells != SQUARES:
            name = f"art-cells-{looks.game.grids.index(grid)}"
            rims = "".join(_rim_path(grid, (x, y)) for y in range(down) for x in range(across))
            lines += [f'<clipPath id="{name}">', element("path", d=rims), "</clipPath>"]
            drawn = group(drawn, clip_path=f"url(#{name})")
        lines += drawn
    fills, marks = dict[str, str](), Lines()
    for at, spot in enumerate((x, y) for y in range(down) for x in range(across)):
        style = looks.printed(grid.key, at, f"{spot[0]},{spot[1]}")
        if style.fill is not None or image is None:
            fill = "none" if style.fill is None else code(style.fill)
            fills[fill] = fills.get(fill, "") + _rim_path(grid, spot)
        marks += moved(_mark(style, _cell_size(grid, spot)), *_corner(grid, spot))
    for fill, rims in sorted(fills.items()):
        lines.append(element("path", d=rims, fill=fill, stroke=_EMPTY, stroke_width=2))
    return [*lines, *marks]


def _rim_path(grid: GridDef, spot: _Spot) -> str:
    """Return the rim of a cell as a part of a path."""
    corners = [(0.0, 0.0), (CELL, 0.0), (CELL, CELL), (0.0, CELL)]
    if grid.cells != SQUARES:
        corners = polygon_corners(_cell_size(grid, spot))
    left, top = _corner(grid, spot)
    points = [(left + x, top + y) for x, y in corners]
    return str(SvgPath(points[0], tuple(points[1:]), closed=True))


def _mark(style: Style, size: Size = (1, 1)) -> Lines:
    """Draw the image, or the icon and the text, that is printed in a cell of a form."""
    if style.image is not None:
        aside, over = overhang(size)
        whole = (CELL + 2 * aside, CELL + 2 * over)
        return in_cell(pictured(style.image, (-aside, -over), whole), size)
    if style.icon is None and not style.text:
        return []
    fill = "white" if style.fill else "straw"
    badge = Badge(style.icon, style.text or "", code(fill), code(style.edge or "ink"))
    return badge_lines(badge, (CELL / 2, CELL / 2), _PRINTED)


def _extent(grid: GridDef, across: int, down: int) -> Point:
    """Return the width and height of a board."""
    if grid.cells == SQUARES:
        return CELL * across, CELL * down
    if grid.cells == TRIANGLES:
        half = APOTHEM_OF_TRIANGLE * CELL
        return half * 3**0.5 * (across + 1), 3 * half * down
    high = CELL * (ROW_OF_HEXAGONS * (down - 1) + 1) + 2 * overhang(HEXAGON)[1]
    return CELL * (across + (down - 1) / 2), high


def _names(pieces: Pieces, grid: GridDef) -> Lines:
    """Write the labels of cells that have one of their own, each at the upper edge of its cell."""
    across, down = grid.size or (0, 0)
    lines: Lines = []
    for x, y in ((x, y) for y in range(down) for x in range(across)):
        if name := pieces.game.labels.find(f"{grid.key}[{x},{y}]", pieces.language):
            left, top = _corner(grid, (x, y))
            at = (left + CELL / 2, top + 12)
            lines.append(text(name, at, 15, CELL - 10, fill=INK, stroke_width=3, **_HALO))
    return lines


def _plain(looks: Looks, grid: GridDef) -> bool:
    """Return whether manifests say nothing of how a grid and its cells are drawn."""
    return not any(name.partition("[")[0] == grid.key for name in looks.game.styles)


def _sized(state: State) -> list[str]:
    """Return the names of the grids with a size, which are drawn though nothing lies on them."""
    game = state.game.checked.game
    return [
        state.names.grid(number, owner)
        for number, grid in enumerate(game.grids)
        if grid.size and not grid.over and grid.key not in game.absent
        for owner in range(grid.instances(len(state.players)))
    ]


def empty(pieces: Pieces, board: GridDef | TrackDef, owner: int = 0) -> Drawn:
    """Draw a grid with a size, or a track with a path, without pieces, and what lies on it."""
    lines, boxes = on_board(pieces, None, board.key, owner)
    if isinstance(board, GridDef) and board.size is not None:
        aside, over = overhang(CELL_OF[board.cells])
        lines = [*printed(pieces.looks, board), *_names(pieces, board), *lines]
        wide, high = _extent(board, *board.size)
        boxes.append((-aside / CELL, -over / CELL, wide / CELL, high / CELL))
    left, top, wide, high = (CELL * each for each in _union(boxes))
    return moved(lines, -left, -top), (wide, high)


def _several(pieces: Pieces) -> bool:
    """Return whether boards need their names: there is more than one, without layers."""
    return sum(not grid.over for grid in pieces.game.checked.game.grids) > 1


def _corner(grid: GridDef, spot: _Spot) -> Point:
    """Return the upper left corner of the square in the middle of a hexagon or triangle."""
    x, y = drawn_at(grid.cells, *spot)
    return CELL * x, CELL * y


def _rim(grid: GridDef, spot: _Spot, stroke: str) -> str:
    """Draw the rim of a hexagon or triangle around a square of one cell."""
    return polygon(_cell_size(grid, spot), 3, fill="none", stroke=stroke, stroke_width=2)


def _cell_size(grid: GridDef, spot: _Spot) -> Size:
    """Return the size of a piece that lies on a cell."""
    return CELL_OF[grid.cells] if has_side(grid.cells, *spot, 1) else INVERTED


def _numbers(grid: GridDef, spot: _Spot) -> Lines:
    down = CELL - 14 if grid.cells == HEXAGONS else CELL / 2
    return [text(f"{spot[0]},{spot[1]}", (CELL / 2, down), 15, CELL - 20, fill=_FAINT)]


def _name(pieces: Pieces, board: Board) -> str:
    name = pieces.game.labels.plain(board.name, pieces.language)
    return name.replace("[", ": ").removesuffix("]")


def _number(value: int, at: Point) -> str:
    return text(str(value), at, 18, 34, fill=_FAINT)


def _place(spot: _Spot) -> str:
    """Draw an empty cell next to a piece."""
    x, y = spot
    return element(
        "rect", x=CELL * x + 5, y=CELL * y + 5, width=CELL - 10, height=CELL - 10, rx=6,
        fill="none", stroke=_EMPTY, stroke_width=2, stroke_dasharray="7 6",
    )  # fmt: skip


def _size(state: State, item: Laid) -> Size:
    outline = state.names.outline(item.piece)
    return (1, 1) if outline is None else outline.size


def _cells(state: State, item: Laid) -> Iterator[_Spot]:
    """Yield the cells that a piece covers."""
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


def _laid(pieces: Pieces, state: State, item: Laid) -> Lines:
    """Draw a piece as it lies."""
    kind = state.names.kind(item.piece)
    outline = state.names.outline(item.piece)
    left, top = CELL * item.cell.x, CELL * item.cell.y
    if kind.cls == "die":
        face = kind.faces[state.position.face_of(item.piece).index]
        inner = die_face(kind, face, pieces.looks)
        upright = item if item.rotation < len(STEPS) else replace(item, rotation=0)
        return _turned(pieces.share(inner), upright, (1, 1))
    if outline is None:
        drawn, size = pieces.draw(kind)
        scale = 1.0 if size != CARD else CELL / CARD[1]
        place = f"translate({number(left)} {number(top)}) scale({scale:.3f})"
        return group(pieces.share(drawn), transform=place)
    tile = pieces.tile(state.game.checked.game.kinds.index(kind))
    ground = pieces.share([*tile.ground, frame(outline.size)])
    lines = _turned(ground, item, outline.size)
    for mark in tile.marks:
        at = _at(mark.at, item, outline.size)
        lines += mark_lines(mark.moved(at))
    return lines


def _stood(pieces: Pieces, state: State, item: Laid, stands: Standing) -> Iterator[str]:
    """Draw the figures on a piece, which a piece on a layer above it does not cover."""
    kind = state.names.kind(item.piece)
    if kind.cls == "die" or state.names.outline(item.piece) is None:
        return _on_cell(pieces, state, item, stands)
    tile = pieces.tile(state.game.checked.game.kinds.index(kind))
    return _on_segments(pieces, state, item, stands, tile)


def _turned(lines: Lines, item: Laid, size: Size) -> Lines:
    """Rotate the drawing of a piece of `size` and move it to its cell."""
    if isinstance(size, OneCell):
        place = f"translate({number(CELL * item.cell.x)} {number(CELL * item.cell.y)})"
        turn = f" rotate({60 * item.rotation} 50 50)" * bool(item.rotation)
        return group(lines, transform=place + turn)
    width, height = (CELL * cells for cells in size)
    across, down = ((0.0, 0.0), (height, 0.0), (width, height), (0.0, width))[item.rotation]
    place = f"translate({number(CELL * item.cell.x + across)} {number(CELL * item.cell.y + down)})"
    return group(lines, transform=place + (f" rotate({90 * item.rotation})" * bool(item.rotation)))


def _at(point: Point, item: Laid, size: Size) -> Point:
    """Return the position on the grid of a point of a piece."""
    if isinstance(size, OneCell):
        turn = item.rotation * pi / 3
        x, y = point[0] - CELL / 2, point[1] - CELL / 2
        x, y = x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn)
        return CELL * (item.cell.x + 0.5) + x, CELL * (item.cell.y + 0.5) + y
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
    """Draw the figures on a piece without segments, side by side."""
    here = [piece for place, found in stands.items() for piece in found
            if isinstance(place, Segment) and place.piece == item.piece.index]  # fmt: skip
    spots = [
        (CELL * (item.cell.x + (n + 1) / (len(here) + 1)), CELL * (item.cell.y + 0.75))
        for n in range(len(here))
    ]
    yield from _figures(pieces, state, here, spots)


def _on_cells(
    pieces: Pieces, state: State, cell: Cell, here: Sequence[Piece], middle: Point
) -> Iterator[str]:
    """Draw the figures on a cell in a row; of a stack the top and the height."""
    (x, y), grid = middle, pieces.game.checked.game.grids[cell.grid]
    size = alone(grid) * _STANDING
    if grid.ordered and len(here) > 1:
        yield from _figures(pieces, state, here[-1:], [middle], size)
        yield text(f"\u00d7{len(here)}", (x + CELL / 3, y + CELL / 3), 20, CELL / 3, fill=INK)
        return
    spots = [(x + CELL * ((n + 1) / (len(here) + 1) - 0.5), y) for n in range(len(here))]
    yield from _figures(pieces, state, here, spots, size if len(here) == 1 else _STANDING)


def alone(grid: GridDef) -> float:
    """Return how many times as large a piece is that is alone on a cell of a grid."""
    return 1.0 if grid.over or grid.holds & {"tile", "card", "die"} else _ALONE


def _figures(
    pieces: Pieces,
    state: State,
    found: Sequence[Piece],
    spots: Sequence[Point],
    size: float = _STANDING,
) -> Iterator[str]:
    """Draw figures, each at its point; the rest share the last point."""
    for order, piece in enumerate(found):
        badge, high = pieces.mark(state, piece, size)
        x, y = spots[min(order, len(spots) - 1)]
        shift = 9.0 * max(0, order - len(spots) + 1)
        yield from badge_lines(badge, (x + shift, y), high)
        yield from _states(pieces, state, piece, (x + shift, y + 0.5 * high + 6))
