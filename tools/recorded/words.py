"""The words of JCloisterZone's records, translated into those of the rulesets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import rulesdsl

Cell = tuple[int, int]
Segment = tuple[str, frozenset[str], Cell]
"""A kind of feature, the lanes (of a field) or sides that the segment touches, and its cell."""

TILES: dict[str, tuple[str, int]] = {
    theirs: (name, degrees)
    for theirs, (name, degrees) in json.loads(
        Path(__file__).with_name("tiles.json").read_text(encoding="utf-8")
    ).items()
}
"""The kind of each recorded tile, and the degrees by which that program shows it turned."""

FIGURES = {"small": "follower", "big": "big-follower"}
"""Figures with another name; all others are called the same."""

SETS = {
    "inns-and-cathedrals:1": "inns_and_cathedrals",
    "traders-and-builders:1": "traders_and_builders",
    "abbey-and-mayor:1": "abbey_and_mayor",
    "ferries": "ferries",
    "festival": "festival",
    "flier:1": "flying_machines",
    "goldmines": "gold_mines",
    "mage-and-witch:1": "mage_and_witch",
    "princess-and-dragon:1": "princess_and_dragon",
    "siege/besiegers": "siege",
    "siege/cathars": "siege",
    "tower:1": "tower",
    "tunnel": "tunnel",
    "watchtowers": "watchtowers",
}
"""The ruleset that adds the tiles of a recorded set."""

ELEMENTS = {"phantom": "phantom", "little-buildings": "little_buildings"}
"""The ruleset of a recorded expansion without tiles."""

_SIDES = "NESW"
_CELL = re.compile(r"\((-?\d+),(-?\d+)\)")


def load(setup: Mapping[str, Any], engine: str) -> rulesdsl.Game:
    """Load the game of a recorded `setup`, with the settings that JCloisterZone plays by.

    Raises LookupError for a set of tiles without a ruleset.
    """
    sets = [name for name in setup["sets"] if name != "basic:1"]
    if missing := [name for name in sets if name not in SETS]:
        raise LookupError(f"no ruleset plays {', '.join(missing)}")
    names = [SETS[name] for name in sets]
    names += [name for element, name in ELEMENTS.items() if element in setup["elements"]]
    settings = {}
    if sieges := [name.removeprefix("siege/") for name in sets if name.startswith("siege/")]:
        settings = {
            "siege.tiles": sieges[0] if len(sieges) == 1 else "both",
            "siege.refuge": "any_tile",
            "siege.escapes": "turn",
        }
    return rulesdsl.load("base", [*dict.fromkeys(names)], settings, engine)


def figure(word: str) -> tuple[int, str]:
    """Return the seat of the owner and the kind of a figure: `2.small.1` is (2, "follower")."""
    seat, kind, _ = word.split(".")
    return int(seat), FIGURES.get(kind, kind)


def written_segment(text: str) -> Segment:
    """Return the segment that a state calls `text`: `road@E.W(0,1)`.

    A city that only reaches the corner of a side does not count as touching that side.
    """
    kind, _, rest = text.partition("@")
    found = _CELL.search(rest)
    assert found, f"{text} lies on a cell"
    ports = {port for port in rest[: found.start()].split(".") if port not in ("", "C", "I", "I1")}
    if kind != "field":
        ports = {port[0] for port in ports if port[1:] in ("", "C")}
    return kind, frozenset(ports), (int(found[1]), int(found[2]))


class Board:
    """The recorded board, turned so that its first tile lies as it does in the rulesets."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._quarters = -(first["rotation"] - TILES[first["tile"]][1]) // 90 % 4

    def cell(self, x: int, y: int) -> Cell:
        """Return the cell of recorded coordinates."""
        for _ in range(self._quarters):
            x, y = -y, x
        return x, y

    def spot(self, tile: str, x: int, y: int, degrees: int) -> tuple[int, int, int]:
        """Return where a recorded tile lies: its cell and its rotation in degrees."""
        return *self.cell(x, y), (degrees - TILES[tile][1] + 90 * self._quarters) % 360

    def segment(self, kind: str, location: str, cell: Sequence[int]) -> Segment:
        """Return a recorded segment.

        Its location is `NL.NR` for lanes, `NS` for sides, `_E` for all sides but one, `I` for none,
        `II` for the second field of a tile that touches none.
        """
        if location in ("I", "II"):
            ports = [] if location == "I" else ["I2"]
        elif location.startswith("_"):
            ports = [*_SIDES.replace(location[1], "")]
        else:
            ports = location.split(".") if kind == "Field" else [*location]
        return kind.lower(), frozenset(map(self._turned, ports)), self.cell(cell[0], cell[1])

    def corner(self, below: Sequence[int], cell: Cell) -> str | None:
        """Return the lane of the tile on `cell` that touches a corner, None if it is elsewhere.

        A record names a corner by the cell south-east of it.
        """
        x, y = 2 * below[0] - 1, 2 * below[1] - 1
        for _ in range(self._quarters):
            x, y = -y, x
        corners = {(-1, -1): "NL", (1, -1): "NR", (1, 1): "SL", (-1, 1): "SR"}
        return corners.get((x - 2 * cell[0], y - 2 * cell[1]))

    def _turned(self, port: str) -> str:
        if port[0] not in _SIDES:
            return port
        return _SIDES[(_SIDES.index(port[0]) + self._quarters) % 4] + port[1:]
