"""SVG text: points and paths in the plane, looks of things, icons, and the conversion to PNG.

X grows to the right, y downwards; a cell of a piece is 100 wide. Texts of rulesets are always
escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from rulesdsl.diagnostics.report import visible
from rulesdsl.geometry.notation import letters
from rulesdsl.model.game import AttributeDef, KindDef, LinkedGame, Picture, Plain, Style, ZoneDef
from rulesdsl.model.geometry import (
    APOTHEM_OF_TRIANGLE,
    HEXAGON,
    INVERTED,
    ROW_OF_HEXAGONS,
    UPRIGHT,
    OneCell,
    Shape,
    Size,
)
from rulesdsl.model.types import EnumType, OptionalType
from rulesdsl.records import dataclass

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


def clipped(lines: Iterable[str], width: float, height: float) -> Lines:
    """Clip elements to a rectangle."""
    inner = [f"  {line}" for line in lines]
    return [f"<svg{_attributes({'width': width, 'height': height})}>", *inner, "</svg>"]


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
        """Return the colour that a value gives to the ground of its piece."""
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
        """Return the declared style of an enum member."""
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
    "anchor": Icon(
        "M12 2A3 3 0 0 1 13.5 7.6V10H17V13H13.5V18.5C16 18 18 16 18.5 14L16.5 14L20 10"
        "L22.5 15L21 15C20 19.5 16 22 12 22C8 22 4 19.5 3 15L1.5 15L4 10L7.5 14L5.5 14"
        "C6 16 8 18 10.5 18.5V13H7V10H10.5V7.6A3 3 0 0 1 12 2Z",
        "M12 5H12.01",
    ),
    "arrow": Icon(
        "M2 9H13V4L22 12L13 20V15H2Z",
    ),
    "barrel": Icon(
        "M6 2H18C21 7 21 17 18 22H6C3 17 3 7 6 2Z",
        "M4.5 7.5H19.5M4.5 16.5H19.5M12 2V22",
    ),
    "basilica": Icon(
        "M11 0.5H13V2H14.5V4H13V5.5C16 6.5 17 9 17 11H18V7L19.5 4L21 7V11H22.5V22.5"
        "H1.5V11H3V7L4.5 4L6 7V11H7C7 9 8 6.5 11 5.5V4H9.5V2H11Z",
        "M9.5 22V18C9.5 15 14.5 15 14.5 18V22M7 11H17M5 15V18M19 15V18",
    ),
    "bell": Icon(
        "M12 2C13.5 2 14 3 14 4C17.5 5 18 8 18 11C18 15 19 16 21 18H3C5 16 6 15 6 11"
        "C6 8 6.5 5 10 4C10 3 10.5 2 12 2ZM9.5 19H14.5C14.5 22.5 9.5 22.5 9.5 19Z",
    ),
    "boat": Icon(
        "M11 2H13V4L20 13H13V15H22L18.5 21H5.5L2 15H11V13H5L11 5Z",
    ),
    "bolt": Icon(
        "M14 1L4 13.5H11L9 23L20 9.5H12.5Z",
    ),
    "book": Icon(
        "M12 5C9 3 5 3 2 4V20C5 19 9 19 12 21C15 19 19 19 22 20V4C19 3 15 3 12 5Z",
        "M12 5V21M5 8C7 7.7 8.5 8 9.5 8.5M5 12C7 11.7 8.5 12 9.5 12.5M14.5 8.5"
        "C15.5 8 17 7.7 19 8M14.5 12.5C15.5 12 17 11.7 19 12",
    ),
    "cart": Icon(
        "M2 7H20L18 15H4ZM7 14A4 4 0 1 1 7 22A4 4 0 1 1 7 14ZM16 14A4 4 0 1 1 16 22"
        "A4 4 0 1 1 16 14Z",
        "M7 18H7.01M16 18H16.01",
    ),
    "church": Icon(
        "M11 0.5H13V2.5H15V4.5H13V6.5L17 10.5V13L22 16V22.5H2V16L7 13V10.5L11 6.5V4.5H9V2.5H11Z",
        "M10 22.5V18.5C10 16.5 14 16.5 14 18.5V22.5M12 10.5V12.5",
    ),
    "circle": Icon(
        "M12 2.5A9.5 9.5 0 1 1 12 21.5A9.5 9.5 0 1 1 12 2.5Z",
    ),
    "cloth": Icon(
        "M7 3H20C22.5 3 22.5 9 20 9H19V21C15 19 11 23 7 21V9C4 9 4 3 7 3Z",
        "M7 9H20M11 13V20M15 13V19",
    ),
    "clover": Icon(
        "M12 2A4.5 4.5 0 0 1 15.5 9.4A4.5 4.5 0 1 1 13.5 15.5L15 22H9L10.5 15.5"
        "A4.5 4.5 0 1 1 8.5 9.4A4.5 4.5 0 0 1 12 2Z",
    ),
    "club": Icon(
        "M18 2C21 2 22.5 5 21 8L17 14C15.5 16 13.5 15.5 12.5 14.5L6 21.5"
        "C4 23.5 1 20.5 3 18.5L9.5 11.5C8.5 10.5 8 8.5 10 7L15 3C16 2.3 17 2 18 2Z",
        "M14 8L15 9M17.5 6L18.5 7M15.5 11.5L16.5 12",
    ),
    "coin": Icon(
        "M12 2.5A9.5 9.5 0 1 1 12 21.5A9.5 9.5 0 1 1 12 2.5Z",
        "M12 5.5A6.5 6.5 0 1 1 12 18.5A6.5 6.5 0 1 1 12 5.5ZM12 9V15",
    ),
    "crook": Icon(
        "M12 2C17 2 20 5 20 8.5C20 12 17 13.5 14.5 13C12.5 12.5 12.5 10 14.5 10"
        "C16 10.3 17 9.5 17 8C17 6 15 5 12.5 5C10 5 8.5 7 8.5 9V20.5C8.5 23 5.5 23 5.5 20.5V9"
        "C5.5 5 8 2 12 2Z",
    ),
    "cross": Icon(
        "M9 2H15V9H22V15H15V22H9V15H2V9H9Z",
    ),
    "crown": Icon(
        "M2 6L7 11L12 3L17 11L22 6L20 20H4Z",
        "M4.5 16.5H19.5",
    ),
    "diamond": Icon(
        "M12 2L21 12L12 22L3 12Z",
    ),
    "drop": Icon(
        "M12 1.5C15 6.5 19 10.5 19 15A7 7 0 0 1 5 15C5 10.5 9 6.5 12 1.5Z",
        "M8.5 15C8.5 17 10 18.5 12 18.5",
    ),
    "fish": Icon(
        "M2 12C5 6 12 5 16.5 10.5L22 6.5V17.5L16.5 13.5C12 19 5 18 2 12Z",
        "M6.5 11H6.51M10 8.5C11 11 11 13 10 15.5",
    ),
    "flag": Icon(
        "M4 2H6.5V3C11 1 14 6 21 3V13C14 16 11 11 6.5 13V22H4Z",
    ),
    "flame": Icon(
        "M12 1.5C13 6 18.5 9 18.5 15C18.5 19 15.5 22 12 22C8.5 22 5.5 19 5.5 15"
        "C5.5 12 7 10.5 8 8.5C9 9.5 9.5 10.5 9.5 11.5C11.5 9 12 5 12 1.5Z",
        "M12 14C14 16 14.5 17.5 13.5 19.5",
    ),
    "fork": Icon(
        "M3 2H6V8C6 9.5 7 10.5 8.5 11H10.5V2H13.5V11H15.5C17 10.5 18 9.5 18 8V2H21V8"
        "C21 11.5 18 14 13.5 14.5V22.5H10.5V14.5C6 14 3 11.5 3 8Z",
    ),
    "gem": Icon(
        "M6 3H18L22.5 9L12 22L1.5 9Z",
        "M1.5 9H22.5M8 9L12 21L16 9L12 3L8 9",
    ),
    "grain": Icon(
        "M12 1C14 3 14 5.5 12.5 7.5C14 5.5 17 5 18.5 6C18 9 16 10.5 13 10.5"
        "C14.5 9.5 17.5 9.5 18.5 11C17.5 14 15.5 15 13 15V22.5H11V15C8.5 15 6.5 14 5.5 11"
        "C6.5 9.5 9.5 9.5 11 10.5C8 10.5 6 9 5.5 6C7 5 10 5.5 11.5 7.5C10 5.5 10 3 12 1Z",
        "M12 8V15",
    ),
    "grapes": Icon(
        "M12 1L14 1L13 4A3.4 3.4 0 0 1 15.5 5A3.4 3.4 0 0 1 19 10.5A3.4 3.4 0 0 1 16.5 15.5"
        "A3.4 3.4 0 0 1 14 19.5A2.8 2.8 0 1 1 10 19.5A3.4 3.4 0 0 1 7.5 15.5"
        "A3.4 3.4 0 0 1 5 10.5A3.4 3.4 0 0 1 8.5 5A3.4 3.4 0 0 1 11 4Z",
        "M8 9.5C10 11 14 11 16 9.5M9.5 14.5C11 15.5 13 15.5 14.5 14.5M12 5V10.5",
    ),
    "hammer": Icon(
        "M3 3H16C19 3 21 5 21 9H14V22H9.5V9H3Z",
        "M9.5 9H14",
    ),
    "heart": Icon(
        "M12 21.5C5 16 2 12.5 2 8.5C2 3 9 1.5 12 6.5C15 1.5 22 3 22 8.5C22 12.5 19 16 12 21.5Z",
    ),
    "helmet": Icon(
        "M12 1.5C17 1.5 19.5 5.5 19.5 10.5V19L15 22.5H9L4.5 19V10.5C4.5 5.5 7 1.5 12 1.5Z",
        "M4.5 11H19.5M12 1.5V22M7.5 14V18M16.5 14V18",
    ),
    "hill": Icon(
        "M1.5 20.5C4 14 6 9.5 9 9.5C10.5 9.5 11.5 10.5 12.5 12C13.5 9 15 6 17 6"
        "C20 6 21.5 14 22.5 20.5Z",
        "M12.5 12C13.5 14 14.5 17 15 20.5M5 17.5H8M18 14.5H20",
    ),
    "hound": Icon(
        "M3 2.5L8.5 6.5H15.5L21 2.5L20.5 13L16 17.5L14.5 21.5H9.5L8 17.5L3.5 13Z",
        "M8 11.5L9.5 12M16 11.5L14.5 12M10.5 18.5H13.5M12 18.5V21",
    ),
    "house": Icon(
        "M12 2L22 11H19.5V22H4.5V11H2Z",
        "M9.5 22V15H14.5V22",
    ),
    "key": Icon(
        "M7 6A6 6 0 0 1 12.7 10.5H22.5V14.5H20.5V17.5H16.5V14.5H12.7A6 6 0 1 1 7 6Z",
        "M7 10A2 2 0 1 1 7 14A2 2 0 1 1 7 10Z",
    ),
    "lamb": Icon(
        "M7 5C8 3 11 3 12 4.5C13.5 3 16.5 3 17.5 5C20 5 21.5 7.5 20.5 9.5C22.5 11 22 14 20 15"
        "V21H17V16H10V21H7V15.5C5.5 15.5 4.5 14.5 4.5 13C2.5 13 1.5 11.5 1.5 10"
        "C1.5 7.5 3.5 5.5 7 5Z",
        "M4 9.5H4.01M7 7.5C8.5 9 8.5 11.5 6.5 13",
    ),
    "leaf": Icon(
        "M3 21C2 10 8 2.5 21 3C21.5 15 14.5 21.5 6.5 18.5Z",
        "M3 21L14.5 9.5",
    ),
    "mask": Icon(
        "M12 3C16 3 18.5 5.5 19 9L22.5 10.5V12L18.5 12.5C18.5 17 15.5 21.5 12 21.5"
        "C8.5 21.5 5.5 17 5.5 12.5L1.5 12V10.5L5 9C5.5 5.5 8 3 12 3Z",
        "M5.5 9.5H18.5M5.5 13.5H18.5M9 11.5H9.5M14.5 11.5H15",
    ),
    "moon": Icon(
        "M15 2A10 10 0 1 0 22 15.5A8 8 0 0 1 15 2Z",
    ),
    "mountain": Icon(
        "M1 21L8.5 6L12.5 13L15.5 8.5L23 21Z",
        "M6 11L8.5 12.5L10.7 10",
    ),
    "mug": Icon(
        "M4 6H16V9H18.5C22.5 9 22.5 18 18.5 18H16V22H4ZM16 12V15H17.5"
        "C18.7 15 18.7 12 17.5 12ZM4 6C2.5 3.5 5 1.5 7 2.5C8.5 1 11.5 1 13 2.5"
        "C15 1.5 17.5 3.5 16 6Z",
        "M4 6H16M8 10V18M12 10V18",
    ),
    "paw": Icon(
        "M12 11.5C15 11.5 18.5 15.5 18.5 18.5C18.5 22 15 21.5 12 20.5"
        "C9 21.5 5.5 22 5.5 18.5C5.5 15.5 9 11.5 12 11.5ZM8.7 2.5"
        "C10.5 2.5 11.3 5 11.3 6.8C11.3 8.6 10.5 10 9 10C7.3 10 6.5 8 6.5 6.3"
        "C6.5 4.3 7.3 2.5 8.7 2.5ZM15.3 2.5C13.5 2.5 12.7 5 12.7 6.8"
        "C12.7 8.6 13.5 10 15 10C16.7 10 17.5 8 17.5 6.3C17.5 4.3 16.7 2.5 15.3 2.5ZM3.5 8"
        "C5 8 6.5 10 6.5 12C6.5 13.5 5.8 14.5 4.6 14.5C3 14.5 2 12.5 2 10.8C2 9.3 2.5 8 3.5 8"
        "ZM20.5 8C19 8 17.5 10 17.5 12C17.5 13.5 18.2 14.5 19.4 14.5C21 14.5 22 12.5 22 10.8"
        "C22 9.3 21.5 8 20.5 8Z",
    ),
    "pawn": Icon(
        "M12 2A4.5 4.5 0 0 1 14.5 10L17 18H19V22H5V18H7L9.5 10A4.5 4.5 0 0 1 12 2Z",
    ),
    "person": Icon(
        "M12 1.5C15 1.5 16.5 4 15.7 7C19 8 22.5 9.8 22.5 12C22.5 14 19 14 16.5 13.5L20.5 22"
        "H14L12 18L10 22H3.5L7.5 13.5C5 14 1.5 14 1.5 12C1.5 9.8 5 8 8.3 7"
        "C7.5 4 9 1.5 12 1.5Z",
    ),
    "pig": Icon(
        "M5 6L9 7H15C18 7 19.5 8.5 20.5 10.5L22.5 9.5L21.5 12.5C21.5 15 20.5 16.5 19 17.5"
        "V21H15.5V18.5H10.5V21H7V17.5C6 17 5 16 4.5 15L1.5 14V10.5H3.5"
        "C4 9.5 4.5 9 5 8.5Z",
        "M6.5 11H6.51M1.5 12H3",
    ),
    "shield": Icon(
        "M4 3H20V11C20 16 16.5 20 12 22C7.5 20 4 16 4 11Z",
        "M12 3V22M4 10H20",
    ),
    "signpost": Icon(
        "M10.5 1.5H13.5V3.5H19L22 6.5L19 9.5H13.5V11.5H10.5V9.5H5V3.5"
        "H10.5ZM10.5 11.5H13.5V22.5H10.5ZM19 11.5V17H5L2 14.2L5 11.5Z",
    ),
    "skull": Icon(
        "M12 2C17.5 2 21 5.5 21 10.5C21 14 19.5 16 17 17V21.5H7V17C4.5 16 3 14 3 10.5"
        "C3 5.5 6.5 2 12 2Z",
        "M8 9.5A1.6 1.6 0 1 1 8 12.7A1.6 1.6 0 1 1 8 9.5ZM16 9.5"
        "A1.6 1.6 0 1 1 16 12.7A1.6 1.6 0 1 1 16 9.5ZM10 18V21M14 18V21",
    ),
    "sling": Icon(
        "M3 3C5 1.5 8 2.5 8 5L17 13.5L20 14V17H21.5V20A2.5 2.5 0 1 1 16.5 20H8.5"
        "A2.5 2.5 0 1 1 3.5 20H2V17H8L12.5 13L6 6.5C3.5 7 1.5 5 3 3Z",
        "M8 17H20M12.5 13L15 15.5",
    ),
    "spokes": Icon(
        "M12 1.5A10.5 10.5 0 1 1 12 22.5A10.5 10.5 0 1 1 12 1.5Z",
        "M12 5A7 7 0 1 1 12 19A7 7 0 1 1 12 5ZM12 5V19M5 12H19M7 7L17 17M17 7L7 17",
    ),
    "square": Icon(
        "M3 3H21V21H3Z",
    ),
    "star": Icon(
        "M12 2L15 9L22 9.5L16.5 14L18.5 21.5L12 17.3L5.5 21.5L7.5 14L2 9.5L9 9Z",
    ),
    "sun": Icon(
        "M12 1L14.3 5L18.5 3.5L18.5 8L23 9.5L20.5 12L23 14.5L18.5 16V20.5L14.3 19L12 23"
        "L9.7 19L5.5 20.5V16L1 14.5L3.5 12L1 9.5L5.5 8V3.5L9.7 5Z",
        "M12 8A4 4 0 1 1 12 16A4 4 0 1 1 12 8Z",
    ),
    "sword": Icon(
        "M22 2L20.5 7L11.5 16L14 18.5L12 20.5L9 17.5L5 21.5L2.5 19L6.5 15L3.5 12L5.5 10"
        "L8 12.5L17 3.5Z",
    ),
    "tower": Icon(
        "M4 2H8V5H10V2H14V5H16V2H20V9L18 11V22.5H6V11L4 9Z",
        "M6 11H18M10 22.5V18C10 16 14 16 14 18V22.5",
    ),
    "tree": Icon(
        "M12 1.5L18 9H15.5L20 15.5H13.5V22.5H10.5V15.5H4L8.5 9H6Z",
    ),
    "triangle": Icon(
        "M12 2.5L22.5 21H1.5Z",
    ),
    "waves": Icon(
        "M1.5 5C5 1.5 8.5 1.5 12 5C15.5 8.5 19 8.5 22.5 5V19C19 22.5 15.5 22.5 12 19"
        "C8.5 15.5 5 15.5 1.5 19Z",
        "M1.5 12C5 8.5 8.5 8.5 12 12C15.5 15.5 19 15.5 22.5 12",
    ),
    "wings": Icon(
        "M12 9C13 4 18 1 22 2.5C23 8 20 12 16 12.5C19.5 13.5 21 17 19 21"
        "C15 22 12.5 19 12 15C11.5 19 9 22 5 21C3 17 4.5 13.5 8 12.5C4 12 1 8 2 2.5"
        "C6 1 11 4 12 9Z",
        "M12 6V18",
    ),
    "wyrm": Icon(
        "M2 8C3 4 7 1.5 11 2.5L10 5C13 4.5 16 6 17 8.5C20 8 22 9.5 22.5 12L19 12.5"
        "C20.5 16 18.5 21 13.5 22C8 23 3 20.5 2.5 15.5C6 19 11 19 12.5 16"
        "C13.5 14 12 12 9.5 12L4.5 12.5L6.5 9.5Z",
        "M8 6.5H8.01M17 8.5C18 10 18.5 11 19 12.5",
    ),
}
