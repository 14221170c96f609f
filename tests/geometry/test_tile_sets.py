"""Every tile of the shipped sets: what is derived from its drawing is what lies on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.model.geometry import outer_sides
from tests.geometry.drawing import outline, segments

SETS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parent / "tiles").glob("*.yaml"))
}
TILES = [
    pytest.param(tile, id=f"{name}/{tile['id']}") for name, tiles in SETS.items() for tile in tiles
]
BOXES = {
    "base": 72,
    "crop-circles-1": 6,
    "hills-and-sheep": 18,
    "inns-and-cathedrals": 18,
    "river": 12,
    "robbers": 8,
    "traders-and-builders": 24,
    "wheel-board": 1,
    "wheel-of-fortune": 9,
}


@pytest.mark.parametrize("tile", TILES)
def test_a_tile_has_the_segments_that_lie_on_it(tile: dict[str, Any]) -> None:
    size = tuple(tile.get("size", (1, 1)))
    piece = outline(tile["drawn"], size)
    assert segments(piece) == {
        kind: {name: sorted(borders) for name, borders in found.items()}
        for kind, found in tile["segments"].items()
    }
    assert [piece.sides[side] for side in outer_sides(size)] == tile["sides"]


def test_the_sets_are_complete() -> None:
    assert {name: sum(tile["count"] for tile in tiles) for name, tiles in SETS.items()} == BOXES


def test_no_tile_needs_its_fills_written_out() -> None:
    drawn = [tile["drawn"] for tiles in SETS.values() for tile in tiles]
    entries = [entry for drawing in drawn for entry in drawing.get("field", ())]
    assert entries == [{"at": "NL", "sheep": 1}]
