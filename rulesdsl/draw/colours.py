"""Colours by name. The first are those of Okabe and Ito, which people with any kind of colour
vision tell apart; players have them."""

from __future__ import annotations

from collections.abc import Sequence

PLAYERS = {
    "red": "#d55e00",
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
"""The colours of Okabe and Ito with white and grey, in the order in which players get them whose
own name is none of these."""

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
"""All colours that have a name."""

INK, PAPER = COLOURS["ink"], COLOURS["white"]

SHAPES = {
    "line": ("cream", "water", "straw", "stone", "clay", "plum"),
    "area": ("clay", "stone", "purple", "straw", "water", "pine"),
    "fill": ("meadow", "sand", "water", "stone", "cream", "clay"),
    "inside": ("cream", "sky", "orange", "purple", "meadow", "stone"),
}
"""The colours of kinds of segments for which none is declared, by shape."""


def code(colour: str) -> str:
    """A colour as `#rrggbb`, from its name or code."""
    return COLOURS.get(colour, colour)


def dark(colour: str) -> bool:
    """Whether light letters are read better on a colour than dark ones."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 299 * red + 587 * green + 114 * blue < 128_000


def of_players(names: Sequence[str], declared: Sequence[str | None]) -> list[str]:
    """A colour for every player: the declared one, the one of its name, or another."""
    found = [code(said or name) if said or name in PLAYERS else None
             for name, said in zip(names, declared, strict=True)]  # fmt: skip
    free = [each for each in PLAYERS.values() if each not in found]
    rest = iter([*free, *PLAYERS.values()] * (len(names) // len(PLAYERS) + 1))
    return [next(rest) if each is None else each for each in found]
