"""The tiles of the shipped rulesets are those of the printed sets, as many and drawn alike."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl import load
from rulesdsl.language.model.game import KindDef, LinkedGame
from rulesdsl.language.model.geometry import Outline, OutlineSegment, outer_sides, port_text
from rulesdsl.language.model.names import short_name
from tests.geometry.drawing import KINDS

ROOT = Path(__file__).parents[2]
OTHERWISE = {"crop-circles-1": "crop_circles", "wheel-board": "wheel_of_fortune"}
"""The rulesets of sets that are called otherwise."""
SETS = {
    OTHERWISE.get(path.stem, path.stem.replace("-", "_")) + "/" + tile["id"]: tile
    for path in sorted((ROOT / "tests" / "geometry" / "tiles").glob("*.yaml"))
    for tile in yaml.safe_load(path.read_text(encoding="utf-8"))
}
"""What is printed, by the full name of the tile."""
STAND_INS = {f"wheel_of_fortune/{name}-wheel" for name in ("city1", "road-curve", "road-straight")}
"""Tiles for three of which no picture is known."""


@cache
def game() -> LinkedGame:
    """The base game with all expansions that have tiles."""
    expansions = sorted({name.partition("/")[0] for name in SETS} - {"base"})
    return load(ROOT / "rulesets" / "base.yaml", expansions).checked.game


def variants(name: str) -> list[tuple[int, KindDef]]:
    """How many there are of each variant of a tile."""
    counts = [0] * len(game().kinds)
    for piece in game().pieces:
        counts[piece.kind] += 1
    return [(n, kind) for n, kind in zip(counts, game().kinds, strict=True) if kind.key == name]


def called(segment: OutlineSegment, piece: Outline) -> str:
    """A segment's name, its ports."""
    return port_text(segment.ports, KINDS[short_name(segment.kind)].shape, piece.size)


def drawn(piece: Outline) -> dict[str, list[str]]:
    """The names of all segments by kind."""
    found: dict[str, list[str]] = {}
    for segment in piece.segments:
        found.setdefault(short_name(segment.kind), []).append(called(segment, piece))
    return {kind: sorted(names) for kind, names in found.items()}


def bordered(piece: Outline) -> dict[str, list[str]]:
    """What each field borders."""
    return {
        called(segment, piece): sorted(called(piece.segments[n], piece) for n in segment.borders)
        for segment in piece.segments
        if short_name(segment.kind) == "field"
    }


@pytest.mark.parametrize("name", SETS)
def test_a_tile_is_what_is_printed(name: str) -> None:
    printed: dict[str, Any] = SETS[name]
    found = variants(name)
    assert sum(count for count, _ in found) == printed["count"]
    for _, kind in found:
        assert kind.outline is not None
        segments = {of: sorted(names) for of, names in printed["segments"].items()}
        assert drawn(kind.outline) == segments
        fields = printed["segments"].get("field", {})
        assert bordered(kind.outline) == {name: sorted(cities) for name, cities in fields.items()}
        sides = [kind.outline.sides[side] for side in outer_sides(kind.outline.size)]
        assert [short_name(side or "") for side in sides] == printed["sides"]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("mark", ["shield", "inn", "cathedral", "good"])
def test_what_is_printed_on_a_tile_is_on_its_segments(name: str, mark: str) -> None:
    entries = [entry for drawing in SETS[name]["drawn"].values() for entry in drawing]
    printed = [entry[mark] for entry in entries if isinstance(entry, dict) and mark in entry]
    for _, kind in variants(name):
        assert kind.outline is not None
        every = [s.attributes.items() for s in kind.outline.segments]
        found = [v for items in every for key, v in items if short_name(key) == mark and v]
        assert [str(value).rpartition(".")[2] for value in found] == [str(p) for p in printed]


def test_no_tile_is_shipped_that_is_not_printed() -> None:
    kinds = [game().kinds[piece.kind] for piece in game().pieces]
    assert {kind.key for kind in kinds if kind.cls == "tile"} == {*SETS, *STAND_INS}
