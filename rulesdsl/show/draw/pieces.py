"""Pieces as SVG: tiles drawn from their outline, cards, dice, tokens, figures, and sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from html import unescape
from types import MappingProxyType

from rulesdsl.base.records import dataclass
from rulesdsl.base.texts import section
from rulesdsl.language.model.game import FaceDef, KindDef, Picture, Plain
from rulesdsl.language.model.geometry import End, OneCell, Outline, Shape, Size, is_one_cell
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import Piece
from rulesdsl.play import Game, State
from rulesdsl.show.draw.images import embedded, gallery, in_cell, pictured
from rulesdsl.show.draw.shapes import PiecePaths, Spots, region
from rulesdsl.show.draw.svg import (
    CELL,
    COLOURS,
    ICONS,
    INK,
    MIDDLE,
    PAPER,
    PLAYERS,
    SIZE,
    Badge,
    Lines,
    Looks,
    Point,
    SvgPath,
    dark,
    distance,
    document,
    element,
    framed,
    group,
    in_rows,
    moved,
    number,
    overhang,
    paragraph,
    polygon,
    shown,
    text,
    wrapped,
)
from rulesdsl.show.draw.textures import OF_COLOURS, mixed, textured

_HALO, _RIM = 3.6, 1.3
"""Widths in the square of an icon."""
_SHADOW = {"stroke": INK, "opacity": "0.25", "transform": "translate(1.2 1.8)"}


def badge_lines(badge: Badge, at: Point, size: float) -> Lines:
    """Draw a badge with its centre at a point, within a square of `size`."""
    if badge.image is not None:
        lines = _image(badge, badge.image, at, size)
    elif badge.icon is None:
        return [*_disc(badge, at, size), *_owner(badge, at, size)]
    else:
        lines = [*_icon(badge, at, size), *_owner(badge, at, size)]
    if badge.text:
        corner = (at[0] + 0.3 * size, at[1] + 0.28 * size)
        lines.append(
            text(
                badge.text,
                corner,
                0.52 * size,
                0.5 * size,
                0.0,
                fill=INK,
                stroke=PAPER,
                stroke_width=0.12 * size,
                stroke_linejoin="round",
                paint_order="stroke",
            )
        )
    return lines


def _image(badge: Badge, image: Picture, at: Point, size: float) -> Lines:
    """Draw an image, of an owned piece with a disc in the colour of the owner if it has none."""
    lines: Lines = []
    for wide, fill in ((1.12, PAPER), (1.0, badge.fill)) if badge.mask else ((1.0, None),):
        corner, whole = (at[0] - wide * size / 2, at[1] - wide * size / 2), wide * size
        lines += pictured(image, corner, (whole, whole), fill=fill, whole=True)
    if badge.owned and not badge.mask:
        at, size = (at[0] + 0.32 * size, at[1] + 0.32 * size), 0.44 * size
        lines += _disc(replace(badge, text="", edge=INK), at, size)
    return [*lines, *_owner(badge, at, size)]


def _owner(badge: Badge, at: Point, size: float) -> Lines:
    """Draw the number of the owner in the middle, or beside a text and opposite to one."""
    if not badge.owner:
        return []
    aside = 0.0 if not badge.text else 0.34 if badge.icon is None else -0.32
    middle = (at[0] + aside * size, at[1] + (abs(aside) or 0.1) * size)
    light = dark(badge.fill)
    halo = {"stroke": INK if light else PAPER, "paint_order": "stroke", "stroke_linejoin": "round"}
    ink = PAPER if light else INK
    return [
        text(badge.owner, middle, 0.42 * size, size, fill=ink, stroke_width=0.09 * size, **halo)
    ]


def _icon(badge: Badge, at: Point, size: float) -> Lines:
    assert badge.icon is not None
    icon, scale = ICONS[badge.icon], size / (SIZE + _HALO)
    left, top = at[0] - scale * SIZE / 2, at[1] - scale * SIZE / 2
    place = f"translate({number(left)} {number(top)}) scale({scale:.3f})"
    light: dict[str, float | str] = {
        "stroke": PAPER,
        "stroke_width": _HALO,
        "stroke_linejoin": "round",
    }
    lines = [
        element("path", d=icon.body, fill=INK, **(light | _SHADOW)),
        element("path", d=icon.body, fill=PAPER, **light),
        element("path", d=icon.body, fill=badge.fill, stroke=badge.edge, stroke_width=_RIM),
    ]
    if icon.lines:
        ink = PAPER if dark(badge.fill) else INK
        lines.append(element("path", d=icon.lines, fill="none", stroke=ink, stroke_width=_RIM))
    return group(lines, transform=place, stroke_linejoin="round", stroke_linecap="round")


def _disc(badge: Badge, at: Point, size: float) -> Iterator[str]:
    width = 0.07 * size
    yield element(
        "circle",
        cx=at[0],
        cy=at[1],
        r=(size - width) / 2,
        fill=badge.fill,
        stroke=badge.edge,
        stroke_width=width,
    )
    ink = PAPER if dark(badge.fill) else INK
    yield text(badge.text, at, 0.62 * size, 0.72 * size, 0.0, fill=ink)


_EDGE = 2.2
"""Width of the rims of ribbons and areas."""
_LARGE = 0.5
"""Size of the mark of a piece of several cells, as a share of its shorter side."""
_CROWD = 5
"""Number of marks on a cell above which they are drawn smaller."""
MARK = 29.0
"""Size of pieces that stand on a segment, in hundredths of a cell."""


@dataclass(frozen=True)
class PlacedBadge:
    """A badge with its position; it stays upright when the piece is rotated."""

    badge: Badge
    at: Point
    size: float

    def lines(self, at: Point) -> Lines:
        """Draw the badge at a point."""
        return badge_lines(self.badge, at, self.size)


class Tile:
    """A piece of square cells in rotation 0: `ground` as SVG, and the `marks` on it.

    `own` is the mark of the piece itself, if it has one; an `image` replaces everything that is
    drawn, and leaves the room as it is. `grounds` are the looks of the segments, `stands` the
    points at which figures stand on some of them.
    """

    def __init__(
        self,
        outline: Outline,
        attributes: Mapping[str, Plain],
        looks: Looks,
        own: Badge | None = None,
        seed: str = "",
        image: Picture | None = None,
        stands: Mapping[int, Point] = MappingProxyType({}),
    ) -> None:
        self.outline, self._looks = outline, looks
        self._is_polygon = isinstance(outline.size, OneCell)
        self._layout = PiecePaths(outline, looks.shapes)
        self.grounds = [looks.grounds[segment.kind] for segment in outline.segments]
        self.stands = stands
        self._spots = Spots(self._layout, [ground.width for ground in self.grounds], stands)
        width, height = (CELL * cells for cells in outline.size)
        self.marks = [] if image else list(self._marks(attributes, own))
        if image is not None:
            across, over = overhang(outline.size)
            drawn = pictured(image, (-across, -over), (width + 2 * across, height + 2 * over))
            self.ground = in_cell(drawn, outline.size)
            return
        ground = self._ground(looks.ground(attributes), seed)
        self.ground = [*ground] if self._is_polygon else framed(ground, width=width, height=height)

    def lines(self) -> Lines:
        """Draw the whole piece."""
        return [*self.ground, *(line for mark in self.marks for line in mark.lines(mark.at))]

    def geometry(self) -> Lines:
        """Draw what the rules know of the piece, to see an image through it.

        These are its lines, areas and fills, the places for figures, and the names of their kinds.
        """
        return [*self._outlines(), *self._places()]

    def _outlines(self) -> Iterator[str]:
        for index in self._layout.of(Shape.FILL):
            if (path := region(self._layout, index)) is not None:
                yield element(
                    "path", d=str(path), fill=self.grounds[index].fill, fill_opacity="0.25",
                    stroke=PAPER, stroke_dasharray="4 3",
                )  # fmt: skip
        for index in self._layout.of(Shape.LINE, Shape.AREA):
            ground, drawn = self.grounds[index], "".join(map(str, self._layout.paths(index)))
            if self._layout.shape(index) is Shape.AREA:
                look = {"fill": ground.fill, "fill_opacity": "0.4", "stroke": PAPER}
                yield element("path", d=drawn, stroke_width=1.5, **look)
            else:
                line = {"fill": "none", "stroke": ground.fill, "opacity": "0.5"}
                yield element("path", d=drawn, stroke_width=ground.width, **line)
                yield element("path", d=drawn, fill="none", stroke=INK, stroke_dasharray="4 3")

    def _places(self) -> Iterator[str]:
        room = self.room()
        for index, segment in enumerate(self.outline.segments):
            x, y = room.stand(index, MARK)
            look = {"fill": PAPER, "fill_opacity": "0.5", "stroke": INK, "stroke_dasharray": "3 2"}
            yield element("circle", cx=x, cy=y, r=MARK / 2, **look)
            yield text(short_name(segment.kind), (x, y), 8, MARK - 2, fill=INK)

    def room(self) -> Spots:
        """Return the free points beside the marks."""
        return self._spots.copy()

    def _ground(self, colour: str | None, seed: str) -> Iterator[str]:
        """Draw everything but the marks; `colour` replaces that of the first fill."""
        width, height = self.outline.size
        fills = [ground.fill for ground in self.grounds if ground.shape is Shape.FILL]
        fill = colour or (fills[0] if fills else COLOURS["cream"])
        if self._is_polygon:
            yield polygon(self.outline.size, 0, fill=fill)
        else:
            yield element("rect", width=CELL * width, height=CELL * height, fill=fill)
        for index in self._layout.of(Shape.FILL):
            path = region(self._layout, index)
            if self.grounds[index].fill != fills[0] and path is not None:
                yield element("path", d=str(path), fill=self.grounds[index].fill)
        for index in self._layout.of(Shape.FILL):
            own = self.grounds[index].fill
            yield from self._texture(index, colour if colour and own == fills[0] else own, seed)
        for index in sorted(self._layout.of(Shape.LINE, Shape.AREA), key=self._level):
            if self._layout.shape(index) is Shape.LINE:
                yield from self._ribbon(index)
            else:
                yield from self._area(index, seed)
        yield from self._meetings()

    def _level(self, index: int) -> tuple[int, int, int]:
        """Return the drawing order of a segment: areas over lines, bridges over what they cross."""
        areas, bridges, at = 0, 0, index
        while bridges <= len(self.outline.segments):
            over = self.outline.segments[at].over
            areas += self._layout.shape(at) is Shape.AREA
            if over is None:
                break
            bridges, at = bridges + 1, over
        return areas, bridges, index

    def _ribbon(self, index: int) -> Iterator[str]:
        ground = self.grounds[index]
        paths = self._layout.paths(index)
        drawn = "".join(map(str, paths))
        over = self.outline.segments[index].over
        if over is not None and self._layout.shape(over) is Shape.LINE:
            yield from self._bridge(index, over)
        ends = {"fill": "none", "stroke_linejoin": "round"}
        if len(paths) > 1 and not self._is_polygon:
            ends["stroke_linecap"] = "round"
        for colour, width in ((ground.edge, ground.width + 2 * _EDGE), (ground.fill, ground.width)):
            yield element("path", d=drawn, stroke=colour, stroke_width=width, **ends)
            if len(paths) > 1 and self._is_polygon:
                # Round ends would stand out of a piece that is not clipped.
                x, y = paths[0].points()[-1]
                yield element("circle", cx=x, cy=y, r=width / 2, fill=colour)
        if self._named(index) == "water":
            yield element("path", d=drawn, stroke=PAPER, stroke_dasharray="2 9 6 13", fill="none")

    def _bridge(self, index: int, over: int) -> Iterator[str]:
        across = [point for path in self._layout.paths(over) for point in path.points()]
        reach = self.grounds[over].width / 2 + 3
        near = [
            point
            for path in self._layout.paths(index)
            for point in path.points()
            if min(distance(point, other) for other in across) < reach + 6
        ]
        if len(near) > 1:
            rails = SvgPath(near[0], tuple(near[1:]))
            width = self.grounds[index].width + 6 * _EDGE
            yield element("path", d=str(rails), stroke=INK, stroke_width=width, fill="none")
            stone = COLOURS["stone"]
            yield element("path", d=str(rails), stroke=stone, stroke_width=width - 3, fill="none")

    def _area(self, index: int, seed: str) -> Iterator[str]:
        ground = self.grounds[index]
        yield element("path", d=str(self._layout.paths(index)[0]), fill=ground.fill)
        yield from self._texture(index, ground.fill, seed)
        rims = "".join(map(str, self._layout.rims(index)))
        if not rims:
            return
        wall = self._named(index) == "town"
        width = (3.2 if wall else 1.6) * _EDGE
        yield element("path", d=rims, fill="none", stroke=ground.edge, stroke_width=width)
        if wall:
            stones = mixed(ground.fill, 0.55, PAPER)
            yield element(
                "path", d=rims, fill="none", stroke=stones, stroke_width=width - 2.4,
                stroke_dasharray="4.5 1",
            )  # fmt: skip

    def _named(self, index: int) -> str:
        """Return the name of the texture of a segment."""
        ground = self.grounds[index]
        return ground.texture or OF_COLOURS.get(ground.fill, "none")

    def _texture(self, index: int, colour: str, seed: str) -> Lines:
        name = self._named(index)
        if name == "none":
            return []
        return textured(name, colour, *self._spots.bare(index), f"{seed} {index}")

    def _meetings(self) -> Iterator[str]:
        """Draw a disc where ribbons end at the middle of the piece, or of another segment."""
        meeting: dict[Point, list[int]] = {}
        for index in self._layout.of(Shape.LINE):
            end = self.outline.segments[index].end
            if end is None:
                continue
            if end.segment is None or self._layout.shape(end.segment) is Shape.LINE:
                point = self._layout.end(self.outline.segments[index])
                assert point is not None, "it ends somewhere"
                meeting.setdefault(point, []).append(index)
        inside = self._layout.of(Shape.INSIDE)
        for point, lines in meeting.items():
            at_hub = any(self.outline.segments[index].end == End() for index in lines)
            if not (at_hub and inside):
                ground = self.grounds[lines[0]]
                yield element(
                    "circle",
                    cx=point[0],
                    cy=point[1],
                    r=0.85 * ground.width,
                    fill=COLOURS["sand"],
                    stroke=ground.edge,
                    stroke_width=_EDGE,
                )

    def _marks(self, attributes: Mapping[str, Plain], own: Badge | None) -> Iterator[PlacedBadge]:
        for index in self._layout.of(Shape.INSIDE):
            ground = self.grounds[index]
            assert ground.badge is not None, "what lies inside is a badge"
            yield PlacedBadge(ground.badge, self._spots.home(index), ground.width)
        said = [
            (index, badge)
            for index, segment in enumerate(self.outline.segments)
            for _, badge in shown(self._looks, segment.attributes)
        ]
        whole = [badge for _, badge in shown(self._looks, attributes)]
        whole += [own] if own is not None and is_one_cell(self.outline.size) else []
        count = (len(said) + len(whole)) / (self.outline.size[0] * self.outline.size[1])
        size = MARK * min(1.0, (_CROWD / max(count, 1)) ** 0.5)
        for index, badge in said:
            yield PlacedBadge(badge, self._spots.on(index, size), size)
        for badge in whole:
            yield PlacedBadge(badge, self._spots.anywhere(size), size)
        if own is not None and own not in whole:
            yield PlacedBadge(own, self._layout.centre, CELL * _LARGE * min(self.outline.size))


CARD = (100.0, 140.0)
_TITLE, _STRIP = 12.0, 29.0
"""Size of the titles of cards, and the height of the strip that they are on."""
_CORNER, _PICTURE, _SMALL = 26.0, 56.0, 38.0
"""Sizes of attributes in the corner, and of the picture of a card, alone and above a text."""
_GAP, _FACES = 8.0, 8
"""Distance between the faces of a die, and their number in a row."""
_FIGURE, _LARGEST = 74.0, 96.0


def card(kind: KindDef, looks: Looks, title: str, said: str = "", *, rim: bool = True) -> Lines:
    """Draw a card: attributes in the corner, a picture in the middle, the title below.

    What the card says is between the picture and the title, or in place of a picture. Without its
    `rim`, its ground is drawn up to the edges.
    """
    width, height = CARD
    declared = looks.style(kind.key)
    if declared.image is not None:
        line = element("rect", x=1, y=1, width=width - 2, height=height - 2, rx=2, fill="none",
                       stroke=INK, stroke_width=2)  # fmt: skip
        return [*pictured(declared.image, (0.0, 0.0), CARD), *([line] if rim else [])]
    fill = looks.ground(kind.attributes) or COLOURS["cream"]
    told = shown(looks, kind.attributes)
    middle = [badge for key, badge in told if looks.at(key) == MIDDLE]
    if declared.icon or declared.text:
        middle = [looks.piece(kind)]
    corner = [(key, badge) for key, badge in told if looks.at(key) != MIDDLE]
    lines = [
        element("rect", x=1.5, y=1.5, width=width - 3, height=height - 3, rx=9, fill=fill,
                stroke=INK, stroke_width=2)
        if rim else element("rect", width=width, height=height, fill=fill),
        element("rect", x=5, y=height - 5 - _STRIP, width=width - 10, height=_STRIP, rx=6,
                fill=PAPER),
        *_caption(title),
    ]  # fmt: skip
    for place, (_, badge) in enumerate(corner[:3]):
        lines += badge_lines(badge, (19 + 31 * place, 20), _CORNER)
    top = _CORNER if corner else 6.0
    for badge in middle[:1]:
        size, down = (_PICTURE, 74.0) if not said else (_SMALL, top + _SMALL / 2 + 5)
        lines += badge_lines(badge, (width / 2, down), size)
        top += _SMALL
    if said:
        room = height - _STRIP - 16 - top
        at = (width / 2, top + 7 + room / 2)
        lines += paragraph(said, at, (width - 14, room), 11, 5, fill=INK, font_weight="normal")
    elif not middle:
        lines += _told(corner, kind, looks)
    return lines


def _caption(title: str) -> Lines:
    """Write the title of a card in one line or in two, in the size that all cards share."""
    width, height = CARD
    lines = len(wrapped(title, (0, 0), _TITLE, width - 16))
    middle = (width / 2, height - 5 - _STRIP / 2 - 0.575 * _TITLE * (lines - 1))
    return wrapped(title, middle, _TITLE, width - 16, fill=INK)


def _told(said: list[tuple[str, Badge]], kind: KindDef, looks: Looks) -> Iterator[str]:
    """Draw the attributes in the corner in words, for a card without a declared picture."""
    for line, (key, _) in enumerate(said[:4]):
        at = (CARD[0] / 2, 52 + 17 * line)
        value = kind.attributes[key]
        words = f"{short_name(key)} {'yes' if value is True else value}"
        yield text(words, at, 13, 88, fill=INK)


def die(kind: KindDef, looks: Looks) -> Lines:
    """Draw all sides of a die beside each other, wrapped into rows."""
    lines: Lines = []
    for count, face in enumerate(_sides(kind)):
        row, column = divmod(count, _FACES)
        at = (column * (CELL + _GAP), row * (CELL + _GAP))
        lines += moved(die_face(kind, face, looks), *at)
    return lines


def die_size(kind: KindDef) -> Point:
    """Return the width and height of the drawing of a die."""
    sides = len(_sides(kind))
    columns, rows = min(_FACES, sides), -(-sides // _FACES)
    return columns * (CELL + _GAP) - _GAP, rows * (CELL + _GAP) - _GAP


def _sides(kind: KindDef) -> list[FaceDef]:
    return [face for face in kind.faces for _ in range(face.count)]


def die_face(kind: KindDef, face: FaceDef, looks: Looks) -> Lines:
    """Draw one face in the colours of its die: its segments, or its icon, or its name."""
    fill, edge = looks.die(kind)
    lines = [
        element(
            "rect", x=2, y=2, width=96, height=96, rx=16, fill=fill, stroke=edge, stroke_width=3
        )
    ]
    said = [badge for _, badge in shown(looks, face.attributes)]
    if face.outline is not None:
        tile = Tile(face.outline, face.attributes, looks, seed=face.name)
        lines += group(tile.lines(), transform="translate(12 12) scale(0.76)")
        lines.append(
            element(
                "rect", x=12, y=12, width=76, height=76, fill="none", stroke=INK, stroke_width=2
            )
        )
        return lines
    badge = looks.face(kind, face.name)
    lines += badge_lines(badge, (50, 50), 84 if badge.image else 68)
    for place, each in enumerate(said[:3]):
        lines += badge_lines(each, (22 + 28 * place, 82), 22)
    return lines


def token(kind: KindDef, looks: Looks, colour: str | None = None) -> Lines:
    """Draw a token: a disc with its icon, or its attributes, or a letter."""
    style = looks.style(kind.key)
    if style.image is not None:
        return badge_lines(looks.piece(kind, colour), (50, 50), 100)
    said = [badge for _, badge in shown(looks, kind.attributes)]
    fill = colour or looks.ground(kind.attributes) or COLOURS["sand"]
    lines = [element("circle", cx=50, cy=50, r=46, fill=fill, stroke=INK, stroke_width=3)]
    if style.icon or style.text or not said:
        lines += badge_lines(looks.piece(kind), (50, 50), 62)
        said = said[: 1 if style.icon else 0]
        return lines + [line for each in said for line in badge_lines(each, (50, 84), 26)]
    return lines + badge_lines(said[0], (50, 50), 62)


def figure(kind: KindDef, looks: Looks, colour: str | None = None) -> Lines:
    """Draw a figure in the colour of its owner."""
    size = min(_LARGEST, looks.size(kind, MARK) / MARK * _FIGURE)
    return badge_lines(looks.piece(kind, colour), (CELL / 2, CELL / 2), size)


Drawn = tuple[Lines, tuple[float, float]]
"""A drawing with its width and height."""

_TALLEST = 1.6
"""Maximum size of a figure, relative to the others."""


Share = Callable[[Lines], Lines]
"""Type of a function that stores a repeated drawing once and returns a reference to it."""


class Pieces:
    """Renderer of the pieces of a game; `language` is that of the texts on them.

    For pages with many pictures, `share` can store repeated drawings once. With `over`, the
    geometry of tiles is drawn over them. Without `rim`, tiles and cards have no line around them.
    """

    def __init__(
        self,
        game: Game,
        language: str = "en",
        share: Share = list,
        *,
        over: bool = False,
        rim: bool = True,
    ) -> None:
        self.game, self.language, self.share, self.over = game, language, share, over
        self.rim = rim
        self.looks = Looks(game.checked.game)
        self.art = gallery(game.checked.game)
        self.tile = cache(self._tile)

    def document(self, lines: Lines, width: float, height: float, scale: float, title: str) -> str:
        """Return a whole picture, with the images in it unless drawings are stored elsewhere."""
        images = embedded(self.art, lines) if self.share is list else []
        return document([*images, *lines], width, height, scale, title)

    def draw(self, kind: KindDef) -> Drawn:
        """Draw a piece of any class; one that players own gets the colour of the first player."""
        colour = self.looks.players[0] if self._owned(kind) else None
        match kind.cls:
            case "card":
                said = self.game.labels.said(kind.key, self.language)
                return card(kind, self.looks, self.title(kind), said, rim=self.rim), CARD
            case "die":
                return die(kind, self.looks), die_size(kind)
            case "figure":
                return figure(kind, self.looks, colour), (CELL, CELL)
            case "token":
                return token(kind, self.looks, colour), (CELL, CELL)
        index = self.game.checked.game.kinds.index(kind)
        if kind.outline is None:
            return self._plain(kind), (CELL, CELL)
        width, height = (CELL * cells for cells in kind.outline.size)
        tile = self.tile(index)
        over = tile.geometry() if self.over else []
        lines = [*tile.lines(), *over, *([frame(kind.outline.size)] if self.rim else [])]
        aside, above = overhang(kind.outline.size)
        return moved(lines, aside, above), (width + 2 * aside, height + 2 * above)

    def owned(self, kind: KindDef, seat: int | None, *, behind: bool = False) -> Lines:
        """Draw a figure or token in the colour of a player, with the player's number.

        From `behind` its shape is mirrored, and has no letters.
        """
        badge = self.looks.stands(kind, seat)
        size = min(_LARGEST, self.looks.size(kind, MARK) / MARK * _FIGURE)
        if not behind or not (badge.icon or badge.image):
            return badge_lines(badge, (CELL / 2, CELL / 2), size)
        lines = badge_lines(replace(badge, text="", owner=""), (CELL / 2, CELL / 2), size)
        return group(lines, transform=f"matrix(-1 0 0 1 {number(CELL)} 0)")

    def mark(self, state: State, piece: Piece, size: float) -> tuple[Badge, float]:
        """Return the badge of a piece of a state, in the colour of its owner, and its size.

        `size` is the default size.
        """
        seat = state.game.checked.game.pieces[piece.index].seat
        kind = state.names.kind(piece)
        size *= min(_TALLEST, self.looks.size(kind, MARK) / MARK)
        return self.looks.stands(kind, seat), size

    def title(self, kind: KindDef) -> str:
        """Return the label of a piece."""
        return self.game.labels.find(kind.key, self.language) or kind.name

    def caption(self, kind: KindDef, seats: Sequence[int | None]) -> str:
        """Return the label of a piece and its number, of which each belongs to one of the seats."""
        number = f"\u00d7{len(seats)}"
        if seats and seats[0] is not None:
            each = section("book", self.language)["each"]
            number = unescape(each.format(count=seats.count(seats[0])))
        names = [
            self.game.labels.find(f"{kind.key}.{face.name}", self.language) or face.name
            for face in kind.faces
        ]
        faces = [
            name if face.count == 1 else f"{name} \u00d7{face.count}"
            for name, face in zip(names, kind.faces, strict=True)
        ]
        return f"{self.title(kind)} {number}" + (f": {', '.join(faces)}" if faces else "")

    def _tile(self, index: int) -> Tile:
        """Return the tile of a kind that has segments, by its index."""
        kind = self.game.checked.game.kinds[index]
        assert kind.outline is not None, "only pieces with segments are drawn as tiles"
        style, own = self.looks.style(kind.key), self.looks.own(kind)
        given = ((kind.outline.called(name, at), point) for name, at, point in style.stands or ())
        stands = {index: point for index, point in given if index is not None}
        return Tile(kind.outline, kind.attributes, self.looks, own, kind.key, style.image, stands)

    def _plain(self, kind: KindDef) -> Lines:
        if (image := self.looks.style(kind.key).image) is not None:
            return [*pictured(image, (0.0, 0.0), (CELL, CELL)), frame()]
        ground = element("rect", width=CELL, height=CELL, fill=COLOURS["cream"])
        return [ground, *token(kind, self.looks), frame()]

    def _owned(self, kind: KindDef) -> bool:
        index = self.game.checked.game.kinds.index(kind)
        pieces = self.game.checked.game.pieces
        return any(piece.kind == index and piece.seat is not None for piece in pieces)


def frame(size: Size = (1, 1)) -> str:
    """Draw the rim of a tile."""
    if isinstance(size, OneCell):
        return polygon(size, 0.75, fill="none", stroke=INK, stroke_width=1.5)
    width, height = (CELL * cells for cells in size)
    return element(
        "rect", x=0.5, y=0.5, width=width - 1, height=height - 1,
        fill="none", stroke=INK, stroke_width=1, stroke_opacity="0.6",
    )  # fmt: skip


def paper_back(size: Point, title: str, shape: Size) -> Lines:
    """Draw the back of all components of a size that have no image of one: the title of the game.

    The size of a hexagon or triangle, by its `shape`, is that of its corners.
    """
    width, height = size
    middle = (width / 2, height / 2)
    if isinstance(shape, OneCell):
        look = ((0, _BACK), (7, _INNER))
        lines = moved([polygon(shape, gap, **each) for gap, each in look], *overhang(shape))
    else:
        inner = element("rect", x=7, y=7, width=width - 14, height=height - 14, rx=5, **_INNER)
        lines = [element("rect", width=width, height=height, **_BACK), inner]
    return [*lines, *paragraph(title, middle, (width - 26, height - 40), 13, 6, fill=PAPER)]


_BACK: dict[str, float | str] = {"fill": COLOURS["pine"]}
_INNER: dict[str, float | str] = {"fill": "none", "stroke": PAPER, "stroke_width": "1.5"}


def piece_svg(
    game: Game, piece: str | KindDef, size: float = 100.0, *, language: str = "en"
) -> str:
    """Draw a piece of a loaded game as SVG, from its definition alone.

    The text is the same every time. `piece` is a kind, the full name of one (`ruleset/id`,
    `ruleset/id[bonus=2]`) or an id; of several with that name the first is taken. A cell of a tile,
    a face of a die, a card, a token and a figure are `size` pixels wide. Raises KeyError when the
    game has no such piece.
    """
    kind = piece if isinstance(piece, KindDef) else _found(game, piece)
    pieces = _pieces(game, language)
    return kind_svg(pieces, kind, size)


def kind_svg(pieces: Pieces, kind: KindDef, size: float) -> str:
    """Draw a kind as `piece_svg` does, with a renderer of its game."""
    lines, (width, height) = pieces.draw(kind)
    return pieces.document(lines, width, height, size / CELL, pieces.title(kind))


@lru_cache(maxsize=4)
def _pieces(game: Game, language: str) -> Pieces:
    return Pieces(game, language)


def _found(game: Game, name: str) -> KindDef:
    kinds = game.checked.game.kinds
    exact = [k for k in kinds if name in (k.text, f"{k.ruleset}/{k.text}")]
    for kind in (*exact, *(k for k in kinds if name in (k.name, k.key))):
        return kind
    raise KeyError(name)


# --- sheets --------------------------------------------------------------------------------------

_COLUMNS, _WIDE, _HIGH = 10, 86.0, 84.0


def samples_svg(size: float = 100.0) -> str:
    """Draw every icon, at two sizes, then every colour, each with its name."""
    fills = [COLOURS[name] for name in PLAYERS]
    cells = [
        _sheet_icon(name, fills[number % len(fills)]) for number, name in enumerate(sorted(ICONS))
    ]
    blank = -len(cells) % _COLUMNS
    cells += [[] for _ in range(blank)]
    cells += [list(_colour(name)) for name in COLOURS]
    width, height = _COLUMNS * _WIDE, -(-len(cells) // _COLUMNS) * _HIGH
    lines: Lines = [element("rect", width=width, height=height, fill=COLOURS["meadow"])]
    for at, cell in enumerate(cells):
        row, column = divmod(at, _COLUMNS)
        lines += moved(cell, column * _WIDE, row * _HIGH)
    return document(lines, width, height, size / 100, "icons and colours")


def _sheet_icon(name: str, fill: str) -> Lines:
    badge = Badge(name, "", fill)
    large, small = badge_lines(badge, (38, 34), 50), badge_lines(badge, (72, 52), 17)
    return [*large, *small, _name(name)]


def _colour(name: str) -> Iterator[str]:
    yield element(
        "rect", x=13, y=12, width=60, height=46, rx=6, fill=COLOURS[name], stroke=INK,
        stroke_width=1.5,
    )  # fmt: skip
    yield _name(name)


def _name(name: str) -> str:
    return text(name, (_WIDE / 2, 72), 12, _WIDE - 6, fill=INK)


WIDTH = 8.0
"""Number of cells side by side."""
_SHEET_GAP, _CAPTION = 14.0, 22.0


@dataclass(frozen=True)
class _Item:
    """A drawing and its caption."""

    drawn: Drawn
    caption: str


def sheet_svg(chosen: Sequence[tuple[Pieces, KindDef]], size: float = 100.0) -> str:
    """Draw the chosen kinds on a sheet, with cells `size` pixels wide.

    There is one of each, with its name and number of copies, and the names of a die's faces.
    """
    items: list[_Item] = []
    for pieces, kind in chosen:
        game = pieces.game.checked.game
        index = game.kinds.index(kind)
        seats = [piece.seat for piece in game.pieces if piece.kind == index]
        items.append(_Item(pieces.draw(kind), pieces.caption(kind, seats)))
    lines, (width, height) = _packed(items)
    paper = element("rect", width=width, height=height, fill="#ffffff")
    art = {name: shown for pieces, _ in chosen for name, shown in pieces.art.items()}
    whole = [*embedded(art, lines), paper, *lines]
    names = (pieces.game.labels(kind.ruleset, pieces.language) for pieces, kind in chosen)
    return document(whole, width, height, size / CELL, ", ".join(dict.fromkeys(names)))


def _packed(items: Sequence[_Item]) -> Drawn:
    gap, widths = _SHEET_GAP, [item.drawn[1][0] for item in items]
    room = max([WIDTH * (CELL + gap) - gap, *widths]) + 0.1
    sizes = [(wide, high + _CAPTION) for _, (wide, high) in (item.drawn for item in items)]
    corners, all_high = in_rows(sizes, room, gap)
    lines: Lines = []
    right = gap
    for item, (x, y), (wide, high) in zip(items, corners, sizes, strict=True):
        lines += moved(item.drawn[0], gap + x, gap + y)
        at = (gap + x + wide / 2, gap + y + high - _CAPTION + 9)
        lines += wrapped(item.caption, at, 11, wide + gap - 6, fill=INK)
        right = max(right, gap + x + wide + gap)
    return lines, (max(right, 1.0), max(all_high + 2 * gap, 1.0))
