"""Weaving is quick enough to be done at every start."""

from __future__ import annotations

import time

from tests.link.boxes import game

TILES = 500
SECONDS = 0.3
SLACK = 5
"""How much slower than wanted a busy machine may be."""


def test_five_hundred_tiles_are_woven_at_once() -> None:
    drawings = ("lane: [N-S]", "town: [{at: N-E, crest: 1}], lane: [W]", "town: [N, S]", "hut: [I]")
    tiles = "\n".join(f"  - {{id: t{i}, count: 5, {drawings[i % 4]}}}" for i in range(TILES // 5))
    text = f"""\
ruleset: base
features: {{town: {{shape: area}}, lane: {{shape: line}}, hut: {{shape: inside}}, green: {{shape: fill, borders: [town]}}}}
attributes: {{crest: {{of: town, default: 0}}}}
zones: {{bag: {{holds: tile, initial: true}}}}
tiles:
{tiles}
"""  # noqa: E501
    start = time.process_time()
    found = game(text)
    spent = time.process_time() - start
    assert len(found.pieces) == TILES
    assert spent < SECONDS * SLACK
