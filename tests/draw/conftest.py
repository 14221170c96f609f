"""The games whose pieces are drawn."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rulesdsl.play import Game, load

ODD = Path(__file__).with_name("odd.yaml")
"""A game that declares no look at all."""
EXPANSIONS = (
    "river",
    "inns_and_cathedrals",
    "traders_and_builders",
    "hills_and_sheep",
    "crop_circles",
    "wheel_of_fortune",
    "robbers",
)
GAMES: tuple[tuple[str, ...], ...] = (
    ("base", *EXPANSIONS),
    ("card_game",),
    ("dice_game",),
    ("wheel_of_fortune",),
    (str(ODD),),
)


@cache
def game(*names: str) -> Game:
    """A game with expansions, loaded once."""
    return load(names[0], names[1:], engine="python")
