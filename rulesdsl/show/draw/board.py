"""Boards as SVG: the pieces on the grids of a game, the figures on them, and the free cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import ceil, cos, pi, sin
from types import MappingProxyType

from rulesdsl.base.texts import section
from rulesdsl.engine.run.interface import Laid, Seen
from rulesdsl.language.geometry.paths import Box, nearest, parts
from rulesdsl.language.model.game import GridDef, Picture, Style, TrackDef
from rulesdsl.language.model.geometry import (
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
from rulesdsl.language.model.values import Cell, EnumMember, Grid, Piece, Segment, Space, Zone
from rulesdsl.play import Place, State
from rulesdsl.play.table import Board, alike, boards, filled, grids, marks, occupants, said_of
from rulesdsl.show.draw.images import in_cell, pictured
from rulesdsl.show.draw.pieces import CARD, Drawn, Pieces, badge_lines, die_face, frame
from rulesdsl.show.draw.svg import (
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
    in_rows,
    moved,
    number,
    overhang,
    polygon,
    polygon_corners,
    text,
    wrapped,
)

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
    table = _Table(pieces, state, scored)
    drawn = table.grids(last)
    large = min(2.0, max(1.0, CELL / size))
    width = max([large * (20 + _PLAYER * len(state.players)), *(size[0] for _, size in drawn)])
    drawn += table.planes()
    width = max([width, *(size[0] for _, size in drawn)])
    below = (each(max(width, _ZONES)) for each in (table.zones, table.tracks))
    drawn += [each for each in below if each[0]]
    if scored:
        drawn.append(_returned(pieces, state, scored, width, large))
    width = max([width, *(size[0] for _, size in drawn)])
    head = large * _HEAD
    lines = group(_points(pieces, state), transform=f"scale({number(large)})")
    lines, height = [*lines, *_stacked(drawn, head)], head + sum(size[1] for _, size in drawn)
    return _document(pieces, lines, width, height, size / CELL)


def grids_svg(pieces: Pieces, state: State, size: float = 100.0) -> str:
    """Draw only what lies on the grids of a state, one below the other, `size` pixels a cell."""
    table = _Table(pieces, state)
    drawn = [*table.grids(None, bare=True), *table.planes()]
    width = max(wide for _, (wide, _) in drawn)
    height = sum(high for _, (_, high) in drawn)
    return _document(pieces, _stacked(drawn, 0), width, height, size / CELL)


def table_svg(pieces: Pieces, state: State, width: float = 460.0) -> str:
    """Draw only the zones that everybody sees; empty if nothing is there."""
    drawn, (_, height) = _Table(pieces, state).zones(width)
    return _document(pieces, drawn, width, height, 0.62) if drawn else ""


def empty(pieces: Pieces, board: GridDef | TrackDef, owner: int = 0) -> Drawn:
    """Draw a grid with a size, or a track with a path, without pieces, and what lies on it."""
    lines, boxes = _Boards(pieces, pieces.game.checked.game.numbers[-1]).on(board.key, owner)
    if isinstance(board, GridDef) and board.size is not None:
        aside, over = overhang(CELL_OF[board.cells])
        lines = [*printed(pieces.looks, board), *_names(pieces, board), *lines]
        wide, high = _extent(board, *board.size)
        boxes.append((-aside / CELL, -over / CELL, wide / CELL, high / CELL))
    left, top, wide, high = (CELL * each for each in _union(boxes))
    return moved(lines, -left, -top), (wide, high)


def _document(
    pieces: Pieces, lines: Iterable[str], width: float, height: float, scale: float
) -> str:
    ground = element("rect", width=width, height=height, fill=_TABLE)
    title = pieces.game.labels(pieces.game.checked.game.roles.ruleset, pieces.language)
    return pieces.document([ground, *lines], width, height, scale, title)


def _stacked(drawn: Iterable[Drawn], y: float) -> Iterator[str]:
    for part, (_, high) in drawn:
        yield from moved(part, 0, y)
        y += high


def _points(pieces: Pieces, state: State) -> Iterator[str]:
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


class _Boards:
    """The boards of a game without a state: nothing lies on them."""

    def __init__(self, pieces: Pieces, players: int) -> None:
        self.pieces, self.players = pieces, players
        self.game, self.looks = pieces.game.checked.game, pieces.looks
        self.labels, self.language = pieces.game.labels, pieces.language

    def inside(self, zone: Zone) -> list[tuple[Drawn, int]]:
        """Draw the pieces in a zone, those that look the same once, with their number."""
        del zone
        return []

    def on_space(self, space: Space) -> Lines:
        """Draw the pieces on a space."""
        del space
        return []

    def on(self, board: str, owner: int = 0) -> tuple[Lines, list[Box]]:
        """Draw the tracks and zones on the board of a grid or track, a grid of an owner.

        Return their rectangles too, in cells.
        """
        grids = (grid for grid in self.game.grids if grid.key == board)
        whole = next((grid.instances(self.players) for grid in grids), 1)
        lines, boxes = Lines(), list[Box]()
        for at, track in enumerate(self.game.tracks):
            style = self.looks.style(track.key)
            own = board in (style.board, style.board or track.key)
            if own and style.spaces is not None and style.place:
                lines += self._track(at, style.spaces)
                boxes.append(style.place)
        for at, zone in enumerate(self.game.zones):
            style = self.looks.style(zone.key)
            if style.board == board and style.place and zone.key not in self.game.absent:
                share = zone.instances(self.players) // whole
                for part, place in enumerate(parts(style.place, share), owner * share):
                    lines += self._zone(Zone(at, part), place)
                boxes.append(style.place)
        return lines, boxes

    def _track(self, at: int, spaces: Sequence[Point]) -> Lines:
        track, size = self.game.tracks[at], space_size(spaces)
        lines = track_ground(self.looks, track)
        for index, middle in enumerate(spaces):
            inner = self.pieces.share(space(self.pieces, track, index))
            left, top = (number(CELL * each - size / 2) for each in middle)
            place = f"translate({left} {top}) scale({size / SPACE:.3f})"
            lines += group([*inner, *self.on_space(Space(at, index))], transform=place)
        return lines

    def _zone(self, zone: Zone, place: Box) -> Lines:
        """Draw a zone in a rectangle: its title, and its pieces as large as they fit."""
        x, y, wide, high = (CELL * each for each in place)
        lines = [
            element(
                "rect", width=wide, height=high, rx=8, fill=PAPER, fill_opacity="0.7", stroke=INK
            )
        ]
        if (image := self.looks.style(self.game.zones[zone.zone].key).image) is not None:
            lines += pictured(image, (0.0, 0.0), (wide, high))
        head = min(22.0, high / 4)
        title, at = self.title(zone), (wide / 2, head / 2 + 2)
        lines.append(text(title, at, 0.7 * head, wide - 8, fill=INK, stroke_width=3, **_HALO))
        drawn = [_counted(*each) for each in self.inside(zone)]
        scale, corners = fitted([size for _, size in drawn], (wide - 8, high - head - 6))
        for (piece, _), (left, top) in zip(drawn, corners, strict=True):
            place_at = f"translate({number(4 + left)} {number(head + 2 + top)}) scale({scale:.3f})"
            lines += group(piece, transform=place_at)
        return moved(lines, x, y)

    def title(self, zone: Zone) -> str:
        """Return the name of a zone with its owner or index."""
        declared = self.game.zones[zone.zone]
        name = self.labels.title(declared.key, self.game.texts.zones[zone.zone], self.language)
        indices = [
            self.member(each.enum, each.index)
            if isinstance(each, EnumMember)
            else self.labels(self.game.roles.colours[each.seat], self.language)
            for each in declared.indices(zone.index)
        ]
        return f"{name}: {', '.join(indices)}" if indices else name

    def member(self, enum: str, index: int) -> str:
        """Return the label of a member of an enum, without one its name."""
        name = next(each.members[index] for each in self.game.enums if each.key == enum)
        return self.labels.find(f"{enum}.{name}", self.language) or name


class _Table(_Boards):
    """A state as everybody sees it.

    Pieces that were `scored` are drawn at the places where they stood.
    """

    def __init__(
        self,
        pieces: Pieces,
        state: State,
        scored: Mapping[Piece, Segment | Cell] = MappingProxyType({}),
    ) -> None:
        super().__init__(pieces, len(state.players))
        self.state = state
        self._occupants = {place: list(found) for place, found in occupants(state).items()}
        self._zones = {row.zone: row for row in filled(state)}
        for piece, place in scored.items():
            self._occupants.setdefault(place, []).append(piece)

    def inside(self, zone: Zone) -> list[tuple[Drawn, int]]:
        if zone not in self._zones:
            return []
        found = alike(self.state, self._zones[zone])
        return [(self._small(piece, zone.zone), count) for piece, count in found]

    def on_space(self, space: Space) -> Lines:
        """Draw the pieces on a space in a square arrangement."""
        lines: Lines = []
        here = self._occupants.get(space, [])
        rows = ceil(len(here) ** 0.5)
        for order, piece in enumerate(here):
            badge, _ = self.pieces.mark(self.state, piece, 1)
            at = ((order % rows + 0.5) * SPACE / rows, (order // rows + 0.5) * SPACE / rows)
            lines += badge_lines(badge, at, min(_SMALL, 0.9 * SPACE / rows))
        return lines

    # --- zones and tracks ------------------------------------------------------------------------

    def zones(self, width: float) -> Drawn:
        """Draw a row, at most `width` wide, for every nonempty zone that all players see."""
        lines, y = Lines(), 0.0
        for zone, row in self._zones.items():
            style = self.looks.style(row.declared.key)
            hidden = row.declared.visible not in ("all", "top") or style.place is not None
            if hidden or marks(self.state, row.declared.per):
                continue
            drawn = [_counted(*each) for each in self.inside(zone)]
            room = width - _ZONE_TITLE - _ZONE_MARGIN
            corners, height = in_rows([size for _, size in drawn], room, _GAP)
            name = text(self.title(zone), (_ZONE_TITLE / 2, height / 2), 15, _ZONE_TITLE - 16,
                        fill=INK)  # fmt: skip
            inner = [name]
            if style.image is not None:
                whole = (width - _ZONE_TITLE + 8, height)
                inner += pictured(style.image, (_ZONE_TITLE - 8, 0.0), whole)
            for (piece, _), (left, top) in zip(drawn, corners, strict=True):
                inner += moved(piece, _ZONE_TITLE + left, top)
            lines += moved(inner, 0, y)
            y += height + _GAP
        ringed, high = self._rings(width)
        lines += moved(ringed, 0, y)
        y += high
        return lines, (width, y + _GAP if y else 0.0)

    def _rings(self, width: float) -> tuple[Lines, float]:
        """Draw the members of every enum with a zone for each and a state on one; give the height.

        The states, and the members on which they are, are marked.
        """
        lines, y = Lines(), 0.0
        for at, declared in enumerate(self.game.zones):
            found = marks(self.state, declared.per) if declared.visible == "all" else {}
            if not found or declared.key in self.game.absent:
                continue
            heads = [self.labels.title(declared.key, self.game.texts.zones[at], self.language)]
            heads += [self.labels(key, self.language) for key in found]
            for row, head in enumerate(heads, 1):
                middle = (_ZONE_TITLE / 2, y + row * _BOX / (1 + len(heads)))
                lines.append(text(head, middle, 12 if row > 1 else 15, _ZONE_TITLE - 46, fill=INK))
                if row > 1:
                    lines += badge_lines(_MARK, (_ZONE_TITLE - 14, middle[1]), 18)
            held = Counter(found.values())
            members = range(declared.instances(self.players))
            boxes = [self._member(Zone(at, index), held[index]) for index in members]
            corners, height = in_rows([size for _, size in boxes], width - _ZONE_TITLE, 0.0)
            for (box, _), (left, top) in zip(boxes, corners, strict=True):
                lines += moved(box, _ZONE_TITLE + left, y + top)
            y += height + _GAP
        return lines, y

    def _member(self, zone: Zone, here: int) -> Drawn:
        """Draw a member of an enum with its pieces and `here` marks of states."""
        lines, x = Lines(), 6.0
        for _ in range(here):
            lines += badge_lines(_MARK, (x + _SMALL / 2, 44), _SMALL)
            x += _SMALL + 4
        for (drawn, (wide, high)), count in self.inside(zone):
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
        declared = self.game.zones[zone.zone]
        if (image := self.looks.style(declared.key).image) is not None:
            rim = [*pictured(image, (0.0, 0.0), (wide, _BOX)), element("rect", fill="none", **look)]
        name = self.member(declared.per[0], zone.index)
        lines = [*rim, text(name, (wide / 2, 14), 13, wide - 8, fill=INK), *lines]
        return lines, (wide, _BOX)

    def tracks(self, width: float) -> Drawn:
        """Draw the spaces of every track with a piece on it, at most `width` wide."""
        lines, y = Lines(), 0.0
        columns = max(1, int((width - _ZONE_TITLE - _ZONE_MARGIN) / SPACE))
        spaces = sorted(place for place in self._occupants if isinstance(place, Space))
        for at, own in groupby(spaces, key=lambda space: space.track):
            track = self.game.tracks[at]
            if self.looks.style(track.key).spaces is not None:
                continue
            held = [space.index for space in own]
            shown = range(track.length) if track.length <= _MOST else held
            title = self.labels.title(track.key, self.game.texts.tracks[at], self.language)
            middle = (_ZONE_TITLE / 2, y + SPACE / 2)
            lines.append(text(title, middle, 15, _ZONE_TITLE - 16, fill=INK))
            places = {
                index: (order % columns * SPACE, order // columns * SPACE)
                for order, index in enumerate(shown)
            }
            ground = [
                line
                for index, place in places.items()
                for line in moved(space(self.pieces, track, index), *place)
            ]
            lines += moved(self.pieces.share(ground), _ZONE_TITLE, y)
            for index, (left, top) in places.items():
                lines += moved(self.on_space(Space(at, index)), _ZONE_TITLE + left, y + top)
            y += -(-len(shown) // columns) * SPACE + _GAP
        return lines, (width, y + _GAP if y else 0.0)

    def planes(self) -> Iterator[Drawn]:
        """Draw the boards of tracks that lie on no other board."""
        for track, called in zip(self.game.tracks, self.game.texts.tracks, strict=True):
            style = self.looks.style(track.key)
            if style.spaces is None or style.board is not None:
                continue
            lines, boxes = self.on(track.key)
            left, top, wide, high = (CELL * each for each in _union(boxes))
            title = self.labels.title(track.key, called, self.language)
            inner = moved(lines, _MARGIN - left, _TITLE + _BARE - top)
            yield [_heading(title), *inner], (wide + 2 * _MARGIN, high + _TITLE + 2 * _BARE)

    def _small(self, piece: Seen, zone: int) -> Drawn:
        """Draw a piece in a zone: a die with its upper face, a card perhaps face down."""
        share = self.pieces.share
        if not isinstance(piece, Piece):
            back, whole = _back(self.looks.back(self.game.zones[zone]))
            return share(back), whole
        kind = self.state.names.kind(piece)
        if kind.cls in ("figure", "token"):
            badge, size = self.pieces.mark(self.state, piece, _SMALL)
            drawn = share(badge_lines(badge, (size / 2, size / 2), size))
            if said := self._states(piece, (_LARGE / 2, size + 6)):
                return [*moved(drawn, (_LARGE - size) / 2, 0), *said], (_LARGE, size + 14)
            return drawn, (size + 6, size)
        if kind.faces:
            face = kind.faces[self.state.position.face_of(piece).index]
            drawn, (wide, height) = die_face(kind, face, self.looks), (CELL, CELL)
        else:
            drawn, (wide, height) = self.pieces.draw(kind)
        scale = _LARGE / wide
        lines = group(share(drawn), transform=f"scale({scale:.3f})")
        if said := self._states(piece, (_LARGE / 2, height * scale + 6)):
            return [*lines, *said], (wide * scale, height * scale + 14)
        return lines, (wide * scale, height * scale)

    def _states(self, piece: Piece, at: Point) -> Lines:
        """Write the labelled states of a piece at a point below it."""
        words = []
        for key, value in said_of(self.state, piece):
            name = str(self.state.names.short(value))
            said = "" if value is True else f" {self.labels.plain(name, self.language)}"
            words.append(self.labels(key, self.language) + said)
        if not words:
            return []
        return [text(", ".join(words), at, 11, 0.8 * CELL, fill=INK, stroke_width=3, **_HALO)]

    # --- grids -----------------------------------------------------------------------------------

    def grids(self, last: Place | None, *, bare: bool = False) -> list[Drawn]:
        """Draw every grid, with what lies on the layers above it; `bare` ones only if not empty."""
        declared, whole = self.game.grids, dict[Grid, Board]()
        found = boards(self.state, self._occupants, [] if bare else self._sized())
        for board in sorted(found, key=lambda board: bool(declared[board.grid.grid].over)):
            over = declared[board.grid.grid].over
            at = next((at for at, each in enumerate(declared) if each.key == over), 0)
            below = whole.get(Grid(at, board.grid.index)) if over else None
            if below is None:
                whole[board.grid] = board
                continue
            laid, cells = (*below.laid, *board.laid), (*below.cells, *board.cells)
            whole[below.grid] = replace(below, laid=laid, cells=cells)
            if last is not None and last.grid == board.name:
                last = last._replace(grid=below.name)
        return [self._grid(board, last, bare) for board in whole.values()]

    def _sized(self) -> list[str]:
        return [
            self.state.names.grid(grid.grid, grid.index)
            for grid in grids(self.state)
            if (declared := self.game.grids[grid.grid]).size
            and not declared.over
            and declared.key not in self.game.absent
        ]

    def _grid(self, board: Board, last: Place | None, bare: bool) -> Drawn:
        """Draw one grid with its name, its free cells, and what lies on it.

        Of a grid without a size these are the free ones beside others. A `bare` one has only its
        pieces and what manifests say is printed on it.
        """
        grid = self.game.grids[board.grid.grid]
        covered = {spot: item for item in board.laid for spot in self._cells(item)}
        taken = {*covered, *((cell.x, cell.y) for cell in board.cells)}
        plain = not any(name.partition("[")[0] == grid.key for name in self.looks.game.styles)
        whole = grid.size and not (bare and plain)
        if grid.size:
            free = {(x, y) for x in range(grid.size[0]) for y in range(grid.size[1])} - {*covered}
        else:
            free = {near for x, y in taken for near in over_sides(grid.cells, x, y)} - taken
        free = free if whole or not bare else set()
        under = [*printed(self.looks, grid), *_names(self.pieces, grid)] if whole else []
        inner = [*under, *_free_cells(grid, sorted(free), plain, bool(under))]
        for item in board.laid:
            inner += self._laid(item, grid)
            if grid.cells != SQUARES and not isinstance(self._size(item), OneCell):
                inner += _rim(grid, (item.cell.x, item.cell.y), _EMPTY)
        for item in board.laid:
            inner += self._stood(item, grid)
        for cell in board.cells:
            inner += self._on_cell(cell, grid)
        if last is not None and last.grid == board.name and (last.x, last.y) in covered:
            inner += self._marked(covered[last.x, last.y], grid)
        more, placed = self.on(grid.key, board.grid.index)
        boxes: list[Box] = [(*drawn_at(grid.cells, *spot), 1.0, 1.0) for spot in taken | free]
        if grid.cells == SQUARES and not bare:
            inner = [*_numbers(boxes), *inner]
        margin = _BARE if bare else _MARGIN
        if grid.cells != SQUARES:
            margin += 8.0 * bare + overhang(UPRIGHT)[1] * (grid.cells == TRIANGLES)
        several = sum(not each.over for each in self.game.grids) > 1 or "[" in board.name
        titled = several and not bare
        left, top, wide, high = (CELL * each for each in _union([*boxes, *placed]))
        above = _TITLE if titled else 0.0
        called = self.labels.plain(board.name, self.language)
        name = [_heading(called.replace("[", ": ").removesuffix("]"))] if titled else []
        lines = [*name, *moved([*inner, *more], margin - left, above + margin - top)]
        return lines, (2 * margin + wide, above + 2 * margin + high)

    def _size(self, item: Laid) -> Size:
        outline = self.state.names.outline(item.piece)
        return (1, 1) if outline is None else outline.size

    def _cells(self, item: Laid) -> Iterator[_Spot]:
        width, height = turned(self._size(item), item.rotation)
        for y in range(height):
            for x in range(width):
                yield item.cell.x + x, item.cell.y + y

    def _marked(self, item: Laid, grid: GridDef) -> Lines:
        if grid.cells != SQUARES:
            return _rim(grid, (item.cell.x, item.cell.y), _LAST)
        width, height = (CELL * cells for cells in turned(self._size(item), item.rotation))
        return [
            element(
                "rect", x=CELL * item.cell.x, y=CELL * item.cell.y, width=width, height=height,
                fill="none", stroke=_LAST, stroke_width=4,
            )
        ]  # fmt: skip

    def _laid(self, item: Laid, grid: GridDef) -> Lines:
        kind = self.state.names.kind(item.piece)
        outline, share = self.state.names.outline(item.piece), self.pieces.share
        corner = _corner(grid, (item.cell.x, item.cell.y))
        if kind.cls == "die":
            face = kind.faces[self.state.position.face_of(item.piece).index]
            inner = share(die_face(kind, face, self.looks))
            turn = item.rotation if item.rotation < len(STEPS) else 0
            return _turned(inner, corner, turn, (1, 1))
        if outline is None:
            drawn, size = self.pieces.draw(kind)
            scale = 1.0 if size != CARD else CELL / CARD[1]
            place = f"translate({number(corner[0])} {number(corner[1])}) scale({scale:.3f})"
            return group(share(drawn), transform=place)
        tile = self.pieces.tile(self.game.kinds.index(kind))
        ground = share([*tile.ground, frame(outline.size)])
        lines = _turned(ground, corner, item.rotation, outline.size)
        for mark in tile.marks:
            at = _at(mark.at, corner, item.rotation, outline.size)
            lines += mark.lines(at)
        return lines

    def _stood(self, item: Laid, grid: GridDef) -> Iterator[str]:
        """Draw the figures on a piece, which a piece on a layer above it does not cover.

        On a piece without segments they stand side by side.
        """
        kind, corner = self.state.names.kind(item.piece), _corner(grid, (item.cell.x, item.cell.y))
        outline = self.state.names.outline(item.piece)
        here = {place.index: found for place, found in self._occupants.items()
                if isinstance(place, Segment) and place.piece == item.piece.index}  # fmt: skip
        if kind.cls == "die" or outline is None:
            row = [piece for found in here.values() for piece in found]
            yield from self._figures(row, _side_by_side(len(row), corner, 0.75 * CELL))
            return
        room = self.pieces.tile(self.game.kinds.index(kind)).room()
        for index in range(len(outline.segments)):
            points = [room.stand(index, _STANDING) for _ in here.get(index, ())]
            spots = [_at(point, corner, item.rotation, outline.size) for point in points]
            yield from self._figures(here.get(index, ()), spots)

    def _on_cell(self, cell: Cell, below: GridDef) -> Iterator[str]:
        """Draw the figures on a cell in a row; of a stack the top and the height."""
        grid, here = self.game.grids[cell.grid], self._occupants[cell]
        if below.cells != SQUARES:
            yield from _rim(below, (cell.x, cell.y), _EMPTY)
        left, top = _corner(below, (cell.x, cell.y))
        size = alone(grid) * _STANDING
        if grid.ordered and len(here) > 1:
            x, y = left + CELL / 2, top + CELL / 2
            yield from self._figures(here[-1:], [(x, y)], size)
            at = (x + CELL / 3, y + CELL / 3)
            yield text(f"\u00d7{len(here)}", at, 20, CELL / 3, fill=INK)
            return
        spots = _side_by_side(len(here), (left, top), CELL / 2)
        yield from self._figures(here, spots, size if len(here) == 1 else _STANDING)

    def _figures(
        self, found: Sequence[Piece], spots: Sequence[Point], size: float = _STANDING
    ) -> Iterator[str]:
        """Draw figures, each at its point; the rest share the last point."""
        for order, piece in enumerate(found):
            badge, high = self.pieces.mark(self.state, piece, size)
            x, y = spots[min(order, len(spots) - 1)]
            shift = 9.0 * max(0, order - len(spots) + 1)
            yield from badge_lines(badge, (x + shift, y), high)
            yield from self._states(piece, (x + shift, y + 0.5 * high + 6))


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


def _back(image: Picture | None) -> Drawn:
    if image is not None:
        height = _LARGE * min(2.0, image.box[3] / image.box[2])
        return pictured(image, (0.0, 0.0), (_LARGE, height)), (_LARGE, height)
    size = _LARGE - 4
    return [
        element("rect", x=2, y=2, width=size, height=size, rx=6, fill="#b9b2a6", stroke=INK),
        text("?", (_LARGE / 2, _LARGE / 2), 28, _LARGE, fill=INK),
    ], (_LARGE, _LARGE)


def _count(count: int, x: float, y: float) -> str:
    return text(f"\u00d7{count}", (x, y), 15, 40, fill=INK, stroke_width=4, **_HALO)


def _counted(drawn: Drawn, count: int) -> Drawn:
    """Draw the number of pieces beside one of several that look the same."""
    lines, (wide, high) = drawn
    if count == 1:
        return drawn
    return [*lines, _count(count, wide + 9, 0.5 * high)], (wide + _COUNT, high)


def _heading(title: str) -> str:
    return text(title, (_MARGIN + 120, 14), 18, 260, fill=INK)


def _union(boxes: Sequence[Box]) -> Box:
    left, top = min(x for x, _, _, _ in boxes), min(y for _, y, _, _ in boxes)
    right, bottom = max(x + wide for x, _, wide, _ in boxes), max(y + h for _, y, _, h in boxes)
    return left, top, right - left, bottom - top


def fitted(sizes: Sequence[Point], room: Point) -> tuple[float, list[Point]]:
    """Return the scale at which things in rows fit into a room, and the corner of each."""
    for step in range(30, 0, -1):
        scale = step / 20
        scaled = [(scale * wide, scale * high) for wide, high in sizes]
        corners, height = in_rows(scaled, room[0], 4)
        ends = (x + wide for (x, _), (wide, _) in zip(corners, scaled, strict=True))
        if height <= room[1] and max(ends, default=0) <= room[0]:
            break
    return scale, corners


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


def alone(grid: GridDef) -> float:
    """Return how many times as large a piece is that is alone on a cell of a grid."""
    return 1.0 if grid.over or grid.holds & {"tile", "card", "die"} else _ALONE


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


def _corner(grid: GridDef, spot: _Spot) -> Point:
    """Return the upper left corner of the square in the middle of a hexagon or triangle."""
    x, y = drawn_at(grid.cells, *spot)
    return CELL * x, CELL * y


def _rim(grid: GridDef, spot: _Spot, stroke: str) -> Lines:
    size = _cell_size(grid, spot)
    rim = polygon(size, 3, fill="none", stroke=stroke, stroke_width=2)
    return moved([rim], *_corner(grid, spot))


def _cell_size(grid: GridDef, spot: _Spot) -> Size:
    return CELL_OF[grid.cells] if has_side(grid.cells, *spot, 1) else INVERTED


def _free_cells(
    grid: GridDef, free: Iterable[_Spot], plain: bool, is_printed: bool
) -> Iterator[str]:
    """Draw cells on which nothing lies, hexagons and triangles with their numbers.

    What is printed on a grid shows them already, and numbers are only for `plain` ones.
    """
    for x, y in free:
        if grid.cells != SQUARES:
            if plain:
                if not is_printed:
                    yield from _rim(grid, (x, y), _EMPTY)
                down = CELL - 14 if grid.cells == HEXAGONS else CELL / 2
                words = text(f"{x},{y}", (CELL / 2, down), 15, CELL - 20, fill=_FAINT)
                yield from moved([words], *_corner(grid, (x, y)))
        elif not is_printed:
            yield element(
                "rect", x=CELL * x + 5, y=CELL * y + 5, width=CELL - 10, height=CELL - 10, rx=6,
                fill="none", stroke=_EMPTY, stroke_width=2, stroke_dasharray="7 6",
            )  # fmt: skip


def _numbers(boxes: Sequence[Box]) -> Iterator[str]:
    left, top, wide, high = map(round, _union(boxes))
    for x in range(left, left + wide):
        yield text(str(x), (CELL * (x + 0.5), CELL * top - 12), 18, 34, fill=_FAINT)
    for y in range(top, top + high):
        yield text(str(y), (CELL * left - 16, CELL * (y + 0.5)), 18, 34, fill=_FAINT)


def _turned(lines: Lines, corner: Point, rotation: int, size: Size) -> Lines:
    left, top = corner
    if isinstance(size, OneCell):
        turn = f" rotate({60 * rotation} 50 50)" * bool(rotation)
    else:
        width, height = (CELL * cells for cells in size)
        across, down = ((0.0, 0.0), (height, 0.0), (width, height), (0.0, width))[rotation]
        left, top = left + across, top + down
        turn = f" rotate({90 * rotation})" * bool(rotation)
    return group(lines, transform=f"translate({number(left)} {number(top)})" + turn)


def _at(point: Point, corner: Point, rotation: int, size: Size) -> Point:
    """Return the position on the grid of a point of a piece."""
    x, y = point[0] - CELL / 2, point[1] - CELL / 2
    if isinstance(size, OneCell):
        turn = rotation * pi / 3
        x, y = x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn)
    else:
        width, height = size
        for _ in range(rotation):
            x, y, width, height = CELL * (height - 1) - y, x, height, width
    return corner[0] + CELL / 2 + x, corner[1] + CELL / 2 + y


def _side_by_side(count: int, corner: Point, down: float) -> list[Point]:
    """Return the points for figures in a row across a cell, so far below its upper edge."""
    left, top = corner
    return [(left + CELL * n / (count + 1), top + down) for n in range(1, count + 1)]
