"""Textures of the grounds of pieces: grass, trees, houses, waves, scattered by a seed.

A texture is a few paths over a plain colour. Its parts are paler or darker than that colour, so
that boards stay readable when a cell is only a few pixels wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot
from random import Random

from rulesdsl.base.records import dataclass
from rulesdsl.show.draw.svg import COLOURS, INK, PAPER, Lines, Point, distance, element, number

_Motif = Callable[[float, float, Random], str]
"""Return the path of one element of a texture at a point."""
_Shade = tuple[float, str]


@dataclass(frozen=True)
class _Layer:
    """Elements that lie at least `apart` from each other and `clear` of all borders.

    `most` limits their number on a piece. `fill` and `stroke` are the share of the way from the
    colour of the ground to another colour, and that colour; None draws nothing.
    """

    motif: _Motif
    apart: float
    clear: float
    fill: _Shade | None = None
    stroke: _Shade | None = None
    width: float = 1.0
    most: int = 999


def _tuft(x: float, y: float, random: Random) -> str:
    high = random.uniform(2.4, 4.2)
    return f"M{_at(x - 1.6, y - high)}L{_at(x, y)}L{_at(x + 1.8, y - high)}"


def _round(low: float, high: float, shift: float = 0.0) -> _Motif:
    """Return the motif of a disc with a radius in a range, drawn `shift` towards a corner."""

    def disc(x: float, y: float, random: Random) -> str:
        radius = random.uniform(low, high)
        left, top, reach = x + shift - radius, y + shift, number(2 * radius)
        arc = f"{number(radius)} {number(radius)} 0 1 "
        return f"M{_at(left, top)}a{arc}0 {reach} 0a{arc}0 -{reach} 0Z"

    return disc


def _wave(x: float, y: float, random: Random) -> str:
    del random
    return f"M{_at(x - 4, y)}q2 -2.4 4 0t4 0"


def _stalk(x: float, y: float, random: Random) -> str:
    high = random.uniform(3.0, 4.5)
    return f"M{_at(x, y + high / 2)}v-{number(high)}"


def _crack(x: float, y: float, random: Random) -> str:
    across, down = random.uniform(-3, 3), random.uniform(1.5, 3.5)
    return f"M{_at(x - 3, y - down)}l3 {number(down)}l{number(across)} {number(down)}"


def _roofs(part: int) -> _Motif:
    """Return the motif of one half of a roof seen from above; the ridge is between the halves."""

    def half(x: float, y: float, random: Random) -> str:
        long, deep = random.uniform(4.8, 6.8), random.uniform(3.2, 4.2)
        if random.random() < 0.5:
            return (
                f"M{_at(x - long, y)}h{number(2 * long)}v{number(part * deep)}h-{number(2 * long)}Z"
            )
        return f"M{_at(x, y - long)}v{number(2 * long)}h{number(part * deep)}v-{number(2 * long)}Z"

    return half


_TREES = _round(2.6, 3.8, 0.8), _round(2.6, 3.8), _round(0.9, 1.3, -0.9)
"""The shadow, the crown and the light of a tree."""

_LEAF, _ROOF, _LIT = "#2f7a2f", "#9c3524", "#e58a66"
_LAYERS: Mapping[str, Sequence[tuple[_Layer, ...]]] = {
    "grass": (
        (
            _Layer(_TREES[0], 26, 9, fill=(0.3, INK), most=3),
            _Layer(_TREES[1], 26, 9, fill=(0.55, _LEAF), stroke=(0.85, _LEAF), width=0.7, most=3),
            _Layer(_TREES[2], 26, 9, fill=(0.2, _LEAF), most=3),
        ),
        (_Layer(_tuft, 14, 2, stroke=(0.3, _LEAF)),),
    ),
    "forest": (
        (
            _Layer(_TREES[0], 9, 4, fill=(0.5, INK)),
            _Layer(_TREES[1], 9, 4, fill=(0.5, _LEAF), stroke=(0.5, INK), width=0.6),
            _Layer(_TREES[2], 9, 4, fill=(0.25, PAPER)),
        ),
    ),
    "water": ((_Layer(_wave, 13, 4, stroke=(0.5, PAPER), width=1.2),),),
    "sand": ((_Layer(_round(0.5, 0.9), 7, 1, fill=(0.25, INK)),),),
    "rock": ((_Layer(_crack, 15, 4, stroke=(0.35, INK)),),),
    "grain": ((_Layer(_stalk, 5.5, 2, stroke=(0.25, INK)),),),
    "town": (
        (
            _Layer(_roofs(1), 17, 8, fill=(0.85, _ROOF), stroke=(0.55, INK), width=0.8),
            _Layer(_roofs(-1), 17, 8, fill=(0.8, _LIT), stroke=(0.55, INK), width=0.8),
        ),
        (_Layer(_round(0.5, 0.8), 7, 4, fill=(0.3, PAPER)),),
    ),
}
"""The textures by name: groups of layers, those of a group at the same points."""

OF_COLOURS = {
    COLOURS["meadow"]: "grass",
    COLOURS["pine"]: "forest",
    COLOURS["water"]: "water",
    COLOURS["sand"]: "sand",
    COLOURS["stone"]: "rock",
    COLOURS["straw"]: "grain",
}
"""The textures of grounds that declare none, by their colours."""

_BESIDE = 7.0
"""Distance between elements of different groups."""


def textured(name: str, colour: str, points: Iterable[Point], step: float, seed: str) -> Lines:
    """Return a texture over the `points` of a ground: those of a grid with lines `step` apart.

    Elements keep clear of the border of the points. The seed decides where they are.
    """
    tries = list(points)
    there = {(x // step, y // step) for x, y in tries}
    random = Random(f"{name} {seed}")
    lines: Lines = []
    taken: list[Point] = []
    for layers in _LAYERS[name]:
        random.shuffle(tries)
        found = _scattered(tries, there, step, layers[0], taken)
        look = random.random()
        for layer in layers:
            alike = Random(look)
            path = "".join(layer.motif(x, y, alike) for x, y in found)
            if path:
                lines.append(_drawn(layer, path, colour))
        taken += found
    return lines


def _scattered(
    tries: Iterable[Point],
    there: set[tuple[float, float]],
    step: float,
    layer: _Layer,
    taken: Sequence[Point],
) -> list[Point]:
    """Return points for the elements of a layer, from the top down."""
    reach = range(-int(layer.clear // step), int(layer.clear // step) + 1)
    near = [(i, j) for i in reach for j in reach if step * hypot(i, j) <= layer.clear]
    found: list[Point] = []
    for x, y in tries:
        if (
            len(found) < layer.most
            and all((x // step + i, y // step + j) in there for i, j in near)
            and all(distance((x, y), other) >= layer.apart for other in found)
            and all(distance((x, y), other) >= _BESIDE for other in taken)
        ):
            found.append((x, y))
    return sorted(found, key=lambda at: (at[1], at[0]))


def _drawn(layer: _Layer, path: str, colour: str) -> str:
    fill = "none" if layer.fill is None else mixed(colour, *layer.fill)
    if layer.stroke is None:
        return element("path", d=path, fill=fill)
    stroke = mixed(colour, *layer.stroke)
    return element("path", d=path, fill=fill, stroke=stroke, stroke_width=layer.width)


def mixed(colour: str, share: float, other: str) -> str:
    """Return a colour a share of the way to another one, both as `#rrggbb`."""
    pairs = ((int(each[at : at + 2], 16) for each in (colour, other)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"
