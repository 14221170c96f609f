"""Styles of the things of one game: those its manifests declare, and defaults for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rulesdsl.geometry.notation import letters
from rulesdsl.model.game import AttributeDef, KindDef, LinkedGame, Plain, Style
from rulesdsl.model.geometry import Shape
from rulesdsl.model.types import EnumType, OptionalType
from rulesdsl.records import dataclass

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


CORNER, MIDDLE, GROUND, NOWHERE = "corner", "middle", "ground", "nowhere"
_NOTHING = Style()
_WIDTHS = {Shape.LINE: 11, Shape.INSIDE: 36}


@dataclass(frozen=True)
class Badge:
    """A small picture: an `icon` and `text`, or one of them, in the colours `fill` and `edge`.

    `owner` is the number of the player that it belongs to.
    """

    icon: str | None
    text: str
    fill: str
    edge: str = INK
    owner: str = ""


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


class Looks:
    """The styles of a game, by full names."""

    def __init__(self, game: LinkedGame) -> None:
        self.game = game
        self.grounds = dict(self._grounds())
        self.shapes = {key: ground.shape for key, ground in self.grounds.items()}
        self.attributes = {attribute.key: attribute for attribute in game.attributes}
        self._letters = letters(self.attributes)
        self._members = {enum.key: letters(enum.members) for enum in game.enums}
        self._pieces: dict[str, str] = {}
        for cls in sorted({kind.cls for kind in game.kinds}):
            self._pieces |= letters(dict.fromkeys(k.key for k in game.kinds if k.cls == cls))
        names = game.roles.colours
        said = [self.style(f"{game.roles.ruleset}/{name}") for name in names]
        self.players = of_players(names, [style.fill for style in said])

    def style(self, name: str) -> Style:
        """Return the declared style of a full name."""
        return self.game.styles.get(name, _NOTHING)

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
        icon = own.icon or (None if own.text else style.icon)
        if self.at(attribute) == GROUND and not (icon or own.text or style.text):
            return None
        named = None if self.at(attribute) == GROUND else own.fill or style.fill
        fill = code(named or "white")  # a badge of the ground's own colour would be invisible
        edge = code(own.edge or style.edge or "ink")
        return Badge(icon, self._text(declared, value, icon, own, style), fill, edge)

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
        icon = style.icon
        text = style.text or ("" if icon else self._pieces[kind.key].upper())
        if icon is None and style.text is None and kind.cls == "figure":
            icon = "pawn"
        return Badge(icon, text, fill, code(style.edge or "ink"))

    def stands(self, kind: KindDef, colour: str | None) -> Badge:
        """Return the badge of a piece that stands on others: its icon, or its attributes."""
        style = self.style(kind.key)
        said = [badge for _, badge in shown(self, kind.attributes)]
        if style.icon or style.text or not said:
            return self.piece(kind, colour)
        return said[0]

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
        text = style.text or ("" if style.icon else name[:3])
        return Badge(style.icon, text, code(style.fill or "white"), code(style.edge or "ink"))

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
                text = style.text or ("" if style.icon else own[kind.key].upper())
                badge = Badge(style.icon, text, fill, edge)
            yield kind.key, Ground(shape, fill, edge, width, badge)


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
