"""SVG text: points and paths in the plane, looks of things, icons, and the conversion to PNG.

X grows to the right, y downwards; a cell of a piece is 100 wide. Texts of rulesets are always
escaped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from math import hypot
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics.report import visible
from rulesdsl.language.geometry.notation import letters
from rulesdsl.language.model.game import (
    AttributeDef,
    KindDef,
    LinkedGame,
    Picture,
    Plain,
    Style,
    ZoneDef,
)
from rulesdsl.language.model.geometry import (
    APOTHEM_OF_TRIANGLE,
    HEXAGON,
    INVERTED,
    ROW_OF_HEXAGONS,
    UPRIGHT,
    OneCell,
    Shape,
    Size,
)
from rulesdsl.language.model.types import EnumType, OptionalType

CELL = 100.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A step on a cubic Bezier curve with two control points."""

    first: Point
    second: Point
    end: Point


_PARTS = 10
"""Number of straight parts that approximate a curve when distances are measured."""


def number(value: float) -> str:
    """Return a number with one decimal at most, as SVG writes it."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def between(a: Point, b: Point, share: float) -> Point:
    """Return the point a share of the way from `a` to `b`."""
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def distance(a: Point, b: Point) -> float:
    """Return the distance of two points."""
    return hypot(a[0] - b[0], a[1] - b[1])


def mean(points: Iterable[Point]) -> Point:
    """Return the mean of points, at least one."""
    found = list(points)
    return sum(x for x, _ in found) / len(found), sum(y for _, y in found) / len(found)


@dataclass(frozen=True)
class SvgPath:
    """A line from `start` over steps, each a point (straight) or a curve; maybe `closed`."""

    start: Point
    steps: tuple[Point | Curve, ...]
    closed: bool = False

    def __str__(self) -> str:
        """Return the path as the attribute `d` of SVG."""
        words = [f"M{_pair(self.start)}"]
        for step in self.steps:
            if isinstance(step, Curve):
                points = (step.first, step.second, step.end)
                words.append("C" + " ".join(_pair(point) for point in points))
            else:
                words.append(f"L{_pair(step)}")
        return "".join(words) + ("Z" if self.closed else "")

    def points(self) -> tuple[Point, ...]:
        """Return the path in straight parts."""
        found = [self.start]
        for step in self.steps:
            if isinstance(step, Curve):
                found += _flat(found[-1], step)
            else:
                found.append(step)
        if self.closed and found[-1] != found[0]:
            found.append(found[0])
        return tuple(found)


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _flat(start: Point, curve: Curve) -> Iterator[Point]:
    corners = (start, curve.first, curve.second, curve.end)
    for part in range(1, _PARTS + 1):
        t = part / _PARTS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        yield (
            sum(w * p[0] for w, p in zip(weights, corners, strict=True)),
            sum(w * p[1] for w, p in zip(weights, corners, strict=True)),
        )


def along(points: Sequence[Point], share: float) -> Point:
    """Return the point at a share of the length of a polyline, from its beginning."""
    lengths = [distance(a, b) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if left <= length and length > 0:
            return between(a, b, left / length)
        left -= length
    return points[-1]


def away(point: Point, line: Sequence[Point]) -> float:
    """Return the distance of a point from a polyline."""
    if len(line) == 1:
        return distance(point, line[0])
    return min(_away(point, a, b) for a, b in pairwise(line))


def _away(point: Point, a: Point, b: Point) -> float:
    across, down = b[0] - a[0], b[1] - a[1]
    square = across * across + down * down
    share = 0.0
    if square > 0:
        share = ((point[0] - a[0]) * across + (point[1] - a[1]) * down) / square
    return distance(point, between(a, b, min(1.0, max(0.0, share))))


def holds(polygon: Sequence[Point], point: Point) -> bool:
    """Return whether a point lies within a closed polyline."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in pairwise(polygon):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def cut(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether the straight lines from `a` to `b` and from `c` to `d` cross."""
    return _left(a, b, c) != _left(a, b, d) and _left(c, d, a) != _left(c, d, b)


def _left(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])


Lines = list[str]
"""Elements, one per line."""

FONT = "sans-serif"
_WIDE, _NARROW = 1.05, 0.57
"""The width of characters as shares of the size of a bold font; few are wider."""


def element(name: str, **attributes: float | str) -> str:
    """Return an empty element; `_` in names of attributes becomes `-`."""
    return f"<{name}{_attributes(attributes)}/>"


def group(lines: Iterable[str], **attributes: float | str) -> Lines:
    """Wrap elements in a group, each indented; nothing around no elements."""
    inner = [f"  {line}" for line in lines]
    return [f"<g{_attributes(attributes)}>", *inner, "</g>"] if inner else []


def moved(lines: Iterable[str], x: float, y: float) -> Lines:
    """Move elements to the right and down."""
    if x == y == 0:
        return list(lines)
    return group(lines, transform=f"translate({number(x)} {number(y)})")


def in_rows(sizes: Iterable[Point], room: float, gap: float) -> tuple[list[Point], float]:
    """Return the corners of things side by side, wrapped into rows, and the height of all rows.

    Only a thing that is alone in its row may be wider than the room.
    """
    corners, x, y, row = list[Point](), 0.0, 0.0, 0.0
    for wide, high in sizes:
        if x > 0 and x + wide > room:
            x, y, row = 0.0, y + row + gap, 0.0
        corners.append((x, y))
        x, row = x + wide + gap, max(row, high)
    return corners, y + row


_UPPER, _WIDER = 1 / ROW_OF_HEXAGONS, 0.5 / ROW_OF_HEXAGONS
_POLYGONS: dict[Size, tuple[float, tuple[Point, ...]]] = {
    HEXAGON: (
        CELL / 2,
        ((0, -_UPPER), (1, -_WIDER), (1, _WIDER), (0, _UPPER), (-1, _WIDER), (-1, -_WIDER)),
    ),
    UPRIGHT: (CELL * APOTHEM_OF_TRIANGLE, ((0, -2), (3**0.5, 1), (-(3**0.5), 1))),
    INVERTED: (CELL * APOTHEM_OF_TRIANGLE, ((-(3**0.5), -1), (3**0.5, -1), (0, 2))),
}
"""The distance of the sides from the middle, and the corners clockwise from the north, in it."""


def apothem(size: Size) -> float:
    """Return the distance of the sides of a hexagon or triangle from its middle."""
    return _POLYGONS[size][0]


def overhang(size: Size) -> Point:
    """Return how far a piece stands out of the square in its middle, to each side and at the top.

    That of a triangle that points down stands out at the bottom.
    """
    if not isinstance(size, OneCell):
        return 0.0, 0.0
    half, corners = _POLYGONS[size]
    across, up = (max(half * abs(corner[axis]) for corner in corners) for axis in (0, 1))
    return max(0.0, across - CELL / 2), up - CELL / 2


def polygon_corners(size: Size, gap: float = 0.0) -> list[Point]:
    """Return the corners of a hexagon or triangle, clockwise from the north, less a gap."""
    half, corners = _POLYGONS[size]
    half -= gap
    return [(CELL / 2 + half * x, CELL / 2 + half * y) for x, y in corners]


def polygon(size: Size, gap: float, **attributes: float | str) -> str:
    """Draw a hexagon or triangle around the middle of a square of one cell, less a gap."""
    points = " ".join(f"{number(x)},{number(y)}" for x, y in polygon_corners(size, gap))
    return element("polygon", points=points, **attributes)


def framed(lines: Iterable[str], **attributes: float | str) -> Lines:
    """Wrap elements in a picture of their own, which is clipped to its rectangle."""
    return [f"<svg{_attributes(attributes)}>", *(f"  {line}" for line in lines), "</svg>"]


def text(
    words: str,
    at: Point,
    size: float,
    room: float,
    least: float = 0.6,
    /,
    **attributes: float | str,
) -> str:
    """Write words in one line centred at a point.

    If there is no room, they become smaller, down to a share of `least`, and are then cut off.
    """
    words = visible(" ".join(words.split()))
    fits = min(size, room / max(_width(words), 0.01))
    while fits < least * size and len(words) > 1:
        words = words.removesuffix("…")[:-1].rstrip() + "…"
        fits = min(size, room / max(_width(words), 0.01))
    drawn: dict[str, float | str] = {
        "x": at[0],
        "y": at[1] + 0.36 * fits,
        "font_family": FONT,
        "font_size": fits,
        "font_weight": "bold",
        "text_anchor": "middle",
    }
    return f"<text{_attributes(drawn | attributes)}>{escape(words)}</text>"


def paragraph(
    words: str, at: Point, room: Point, size: float, least: float, **attributes: float | str
) -> Lines:
    """Write words in lines around a point, within a width and a height.

    The letters become smaller until all lines fit, down to `least`; then the last line is cut off.
    """
    while True:
        lines: list[list[str]] = [[]]
        for word in words.split():
            if lines[-1] and _width(" ".join((*lines[-1], word))) * size > room[0]:
                lines.append([])
            lines[-1].append(word)
        most = max(1, int(room[1] / (_LEADING * size)))
        if len(lines) <= most or size <= least:
            break
        size = max(least, size - 0.5)
    shown = [" ".join(line) for line in lines[:most]]
    if len(lines) > most:
        shown[-1] += " …"
    top = at[1] - _LEADING * size * (len(shown) - 1) / 2
    return [
        text(line, (at[0], top + _LEADING * size * number), size, room[0], **attributes)
        for number, line in enumerate(shown)
    ]


_LEADING = 1.15
"""The distance of lines in sizes of their letters."""


def wrapped(words: str, at: Point, size: float, room: float, **attributes: float | str) -> Lines:
    """Write words centred at a point in one line, or in two, the first of them there."""
    parts = words.split()
    if _width(" ".join(parts)) * size <= room or len(parts) < 2:
        return [text(words, at, size, room, **attributes)]

    def widest(cut: int) -> float:
        return max(_width(" ".join(parts[:cut])), _width(" ".join(parts[cut:])))

    cut = min(range(1, len(parts)), key=widest)
    below = (at[0], at[1] + _LEADING * size)
    return [
        text(" ".join(parts[:cut]), at, size, room, **attributes),
        text(" ".join(parts[cut:]), below, size, room, **attributes),
    ]


def document(lines: Iterable[str], width: float, height: float, scale: float, title: str) -> str:
    """Return a whole picture of `width` by `height`, shown `scale` times as large."""
    head: dict[str, float | str] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": width * scale,
        "height": height * scale,
        "viewBox": f"0 0 {number(width)} {number(height)}",
        "role": "img",
    }
    named = escape(visible(title))
    inner = "".join(f"  {line}\n" for line in (f"<title>{named}</title>", *lines))
    return f"<svg{_attributes(head)}>\n{inner}</svg>\n"


def _width(words: str) -> float:
    """Return the width of words as a multiple of the font size."""
    return sum(_WIDE if east_asian_width(char) in "WF" else _NARROW for char in words)


def _attributes(attributes: dict[str, float | str]) -> str:
    found = ""
    for name, value in attributes.items():
        written = name.replace("_", "-")
        found += f" {written}={quoteattr(value if isinstance(value, str) else number(value))}"
    return found


_SIZE = re.compile(r'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')
_KNOWN = "\u0180"
"""The font has a letter for what comes before this character."""


MOST = 64_000_000
"""Maximum number of pixels of a picture."""


def png(svg: str) -> bytes:
    """Convert an SVG text to PNG, with a pixel for each of its own.

    Letters that the font does not have are taken from system fonts. Raises ImportError when the
    packages are not installed, ValueError for invalid or too large pictures.
    """
    try:
        import font_lato
        import resvg_py
    except ImportError as error:
        raise ImportError("PNG needs: pip install 'rulesdsl[pictures]'") from error
    size = _SIZE.match(svg)
    if size is None or float(size[1]) * float(size[2]) > MOST:
        raise ValueError(f"the picture has more than {MOST} pixels")
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            font_files=[font_lato.LatoBold],
            sans_serif_family="Lato",
            font_family="Lato",
            skip_system_fonts=all(char < _KNOWN or char == "…" for char in svg),
            background="#ffffff",
        )
    )


PLAYERS = {
    "red": "#c81e2c",
    "blue": "#0072b2",
    "green": "#009e73",
    "yellow": "#f0e442",
    "black": "#000000",
    "purple": "#cc79a7",
    "sky": "#56b4e9",
    "orange": "#e69f00",
    "white": "#ffffff",
    "grey": "#999999",
}
"""The colours of Okabe and Ito with a clear red, white and grey.

Players whose name is not a colour get them in this order. Figures have the number of their owner
as well, so that nobody needs the colours to tell them apart.
"""

COLOURS = PLAYERS | {
    "brown": "#a8652f",
    "clay": "#c98a5a",
    "cream": "#fbf3df",
    "ink": "#2b2622",
    "meadow": "#c3d98f",
    "pine": "#3f6b35",
    "plum": "#7b2c4f",
    "sand": "#ead9a8",
    "stone": "#8c8d94",
    "straw": "#e9c350",
    "water": "#7cc0ea",
}
"""All named colours."""

INK, PAPER = COLOURS["ink"], COLOURS["white"]

SHAPES = {
    "line": ("cream", "water", "straw", "stone", "clay", "plum"),
    "area": ("clay", "stone", "purple", "straw", "water", "pine"),
    "fill": ("meadow", "sand", "water", "stone", "cream", "clay"),
    "inside": ("cream", "sky", "orange", "purple", "meadow", "stone"),
}
"""The default colours of kinds of segments, by shape."""


def code(colour: str) -> str:
    """Return a colour as `#rrggbb`, from its name or code."""
    return COLOURS.get(colour, colour)


def dark(colour: str) -> bool:
    """Return whether light letters are more legible on a colour than dark ones."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 299 * red + 587 * green + 114 * blue < 128_000


def of_players(names: Sequence[str], declared: Sequence[str | None]) -> list[str]:
    """Return a colour for every player: the declared one, the one of its name, or another."""
    found = [code(said or name) if said or name in PLAYERS else None
             for name, said in zip(names, declared, strict=True)]  # fmt: skip
    free = [each for each in PLAYERS.values() if each not in found]
    rest = iter([*free, *PLAYERS.values()] * (len(names) // len(PLAYERS) + 1))
    return [next(rest) if each is None else each for each in found]


_SHOWN = {"icon", "text", "image"}
CORNER, MIDDLE, GROUND, NOWHERE = "corner", "middle", "ground", "nowhere"
_NOTHING = Style()
_WIDTHS = {Shape.LINE: 11, Shape.INSIDE: 36}


@dataclass(frozen=True)
class Badge:
    """A small picture: an `icon` and `text`, or one of them, in the colours `fill` and `edge`.

    `owner` is the number of the player that it belongs to. With an `image` that is drawn instead,
    whole or, with `mask`, as a shape in the colour `fill`; if the badge is `owned`, `fill` is the
    colour of the owner.
    """

    icon: str | None
    text: str
    fill: str
    edge: str = INK
    owner: str = ""
    image: Picture | None = None
    mask: bool = False
    owned: bool = False


@dataclass(frozen=True)
class Ground:
    """The style of the segments of a kind.

    `width` is that of a ribbon, or of a shape inside.
    """

    shape: Shape
    fill: str
    edge: str
    width: float
    badge: Badge | None = None
    texture: str | None = None


class Looks:
    """The styles of a game, by full names."""

    def __init__(self, game: LinkedGame) -> None:
        self.game = game
        self.attributes = {attribute.key: attribute for attribute in game.attributes}
        self.grounds = dict(self._grounds())
        self.shapes = {key: ground.shape for key, ground in self.grounds.items()}
        self._letters = letters(self.attributes)
        self._members = {enum.key: letters(enum.members) for enum in game.enums}
        self._pieces: dict[str, str] = {}
        for cls in sorted({kind.cls for kind in game.kinds}):
            self._pieces |= letters(dict.fromkeys(k.key for k in game.kinds if k.cls == cls))
        names = game.roles.colours
        said = [self.style(f"{game.roles.ruleset}/{name}") for name in names]
        self.players = of_players(names, [style.fill for style in said])

    def style(self, name: str) -> Style:
        """Return the declared style of a full name.

        That of an attribute at a member has what the style of the member says, then that of the
        whole attribute, then the letter of the member.
        """
        found = self.attributes.get(name)
        if found is None or not found.index:
            return self.game.styles.get(name, _NOTHING)
        member = name.partition(".")[2]
        own = self.game.styles.get(f"{found.index}.{member}", _NOTHING)
        whole = self.game.styles.get(found.whole, _NOTHING)
        said = {key: value for key, value in vars(own).items() if value is not None}
        style = replace(whole, **said)
        if style.fill or style.icon or style.text:
            return style
        return replace(style, text=self._members[found.index][member].upper())

    def printed(self, place: str, number: int, where: str) -> Style:
        """Return the style of a cell of a grid or a space of a track, by its number and its name.

        What the style of the cell itself says comes before that of the member of an enum that
        `cells` gives, then the `fill` of the whole place.
        """
        whole = self.style(place)
        found = Style(fill=whole.fill)
        for name in (whole.cells[number] if whole.cells else "", f"{place}[{where}]"):
            own = {key: value for key, value in vars(self.style(name)).items() if value is not None}
            if own.keys() & _SHOWN:
                own = dict.fromkeys(_SHOWN) | own  # one icon, text or image replaces another
            found = replace(found, **own)
        return found

    def at(self, attribute: str) -> str:
        """Return the place on a piece where an attribute is shown."""
        said = self.style(attribute).at
        if said is not None:
            return said
        hidden = self.attributes[attribute].owners <= {"figure"}
        return NOWHERE if hidden else CORNER

    def badge(self, attribute: str, value: Plain) -> Badge | None:
        """Return the badge for the value of an attribute; None if it is not shown."""
        if value in (None, False, 0) or self.at(attribute) == NOWHERE:
            return None
        declared = self.attributes[attribute]
        style = self.style(attribute)
        own = self._member(declared, value)
        icon = own.icon or (None if own.text or own.image else style.icon)
        image = own.image or (None if own.icon or own.text else style.image)
        if self.at(attribute) == GROUND and not (icon or image or own.text or style.text):
            return None
        named = None if self.at(attribute) == GROUND else own.fill or style.fill
        fill = code(named or "white")  # a badge of the ground's own colour would be invisible
        edge = code(own.edge or style.edge or "ink")
        text = self._text(declared, value, "image" if image else icon, own, style)
        mask = bool(style.mask if own.mask is None else own.mask)
        return Badge(None if image else icon, text, fill, edge, image=image, mask=mask)

    def _colour(self, attribute: str, value: Plain) -> str | None:
        if self.at(attribute) != GROUND or value is None:
            return None
        fill = self._member(self.attributes[attribute], value).fill or self.style(attribute).fill
        return None if fill is None else code(fill)

    def ground(self, attributes: Mapping[str, Plain]) -> str | None:
        """Return the ground colour of a piece: that of the first of its attributes with one."""
        colours = (self._colour(key, value) for key, value in attributes.items())
        return next((colour for colour in colours if colour), None)

    def piece(self, kind: KindDef, colour: str | None = None) -> Badge:
        """Return the badge of a piece, in the colour of its owner if it has one."""
        style = self.style(kind.key)
        fill = colour or code(style.fill or "white")
        edge, owned = code(style.edge or "ink"), colour is not None
        if style.image is not None:
            mask = bool(style.mask)
            return Badge(None, "", fill, edge, image=style.image, mask=mask, owned=owned)
        icon = style.icon
        text = style.text or ("" if icon else self._pieces[kind.key].upper())
        if icon is None and style.text is None and kind.cls == "figure":
            icon = "pawn"
        return Badge(icon, text, fill, edge)

    def stands(self, kind: KindDef, seat: int | None) -> Badge:
        """Return the badge of a piece that stands on others: its icon, or its attributes.

        That of a player has the player's colour and number.
        """
        style = self.style(kind.key)
        said = [badge for _, badge in shown(self, kind.attributes)]
        if said and not (style.icon or style.text or style.image):
            badge = said[0]
        else:
            badge = self.piece(kind, None if seat is None else self.players[seat])
        return badge if seat is None else replace(badge, owner=str(seat + 1))

    def back(self, zone: ZoneDef) -> Picture | None:
        """Return the image of the back that everything that a zone can hold has in common.

        It does not tell what lies there face down.
        """
        kinds = (kind for kind in self.game.kinds if kind.cls in zone.holds)
        backs = {self.style(kind.key).back for kind in kinds}
        return backs.pop() if len(backs) == 1 else None

    def own(self, kind: KindDef) -> Badge | None:
        """Return the declared mark of a piece itself, in addition to the drawing on it.

        None if its name is also that of a feature kind or an attribute.
        """
        style = self.style(kind.key)
        shared = kind.key in self.grounds or kind.key in self.attributes
        return None if shared or not (style.icon or style.text) else self.piece(kind)

    def size(self, kind: KindDef, size: float) -> float:
        """Return the size of a piece that stands on others: the declared one, or `size`."""
        width = self.style(kind.key).width
        return size if width is None else float(width)

    def die(self, kind: KindDef) -> tuple[str, str]:
        """Return the colours of a die and of its rim."""
        style = self.style(kind.key)
        return code(style.fill or "white"), code(style.edge or "ink")

    def face(self, kind: KindDef, name: str) -> Badge:
        """Return the badge on a face of a die without segments."""
        style = self.style(f"{kind.key}.{name}")
        text = style.text or ("" if style.icon or style.image else name[:3])
        fill, edge = code(style.fill or "white"), code(style.edge or "ink")
        return Badge(style.icon, text, fill, edge, image=style.image, mask=bool(style.mask))

    def _member(self, attribute: AttributeDef, value: Plain) -> Style:
        enum = _enum(attribute)
        return self.style(f"{enum}.{value}") if enum else _NOTHING

    def _text(
        self, attribute: AttributeDef, value: Plain, icon: str | None, own: Style, style: Style
    ) -> str:
        """Return the text for a value: a number unless the icon shows it, or letters."""
        if isinstance(value, str):
            said = own.text or ("" if icon else style.text)
            if said is None:
                said = self._members.get(_enum(attribute), {}).get(value, "?").upper()
            return said
        if isinstance(value, bool):
            return style.text or ("" if icon else self._letters[attribute.key].upper())
        counted = "" if icon and value == 1 else str(value)
        said = (style.text or "") + counted
        return said if len(said) < 5 else counted

    def _grounds(self) -> Iterator[tuple[str, Ground]]:
        taken = {code(style.fill) for style in self.game.styles.values() if style.fill}
        seen: Counter[Shape] = Counter()
        own = letters(kind.key for kind in self.game.feature_kinds)
        for kind in self.game.feature_kinds:
            shape, style = kind.shape.shape, self.style(kind.key)
            palette = [COLOURS[name] for name in SHAPES[shape.value]]
            free = [colour for colour in palette if colour not in taken] or palette
            fill = code(style.fill) if style.fill else free[seen[shape] % len(free)]
            seen[shape] += style.fill is None
            width = float(style.width or _WIDTHS.get(shape, 0))
            badge = None
            edge = code(style.edge or "ink")
            if shape is Shape.INSIDE:
                drawn = style.icon or style.image
                text = style.text or ("" if drawn else own[kind.key].upper())
                mask = bool(style.mask)
                badge = Badge(style.icon, text, fill, edge, image=style.image, mask=mask)
            yield kind.key, Ground(shape, fill, edge, width, badge, style.texture)


def shown(looks: Looks, values: Mapping[str, Plain]) -> list[tuple[str, Badge]]:
    """Return the badges of the visible attributes, in the order of their declaration."""
    found = ((key, looks.badge(key, values[key])) for key in looks.attributes if key in values)
    return [(key, badge) for key, badge in found if badge is not None]


def _enum(attribute: AttributeDef) -> str:
    """Return the full name of the enum type of an attribute; empty for other types."""
    found = attribute.type
    while isinstance(found, OptionalType):
        found = found.item
    return found.name if isinstance(found, EnumType) else ""


SIZE = 24


@dataclass(frozen=True)
class Icon:
    """An icon; `body` is filled and has an outline, `lines` are drawn on it."""

    body: str
    lines: str = ""


ICONS = {
    name: Icon(**paths)
    for name, paths in json.loads(
        files("rulesdsl.show.draw").joinpath("icons.json").read_text("utf-8")
    ).items()
}
"""The icons by name, in a square of `SIZE`."""
