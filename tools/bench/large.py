"""A generated ruleset of the largest plausible size."""

from __future__ import annotations

from pathlib import Path

HEAD = """\
ruleset: large
edition: 1
version: 1.0.0
rules: large.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
features:
  lane:    {shape: line}
  village: {shape: area}
  meadow:  {shape: fill, borders: [village]}
attributes:
  well: {of: village, default: 0, fold: sum}
grids:
  board: {holds: tile}
zones:
  bag: {holds: tile, visible: none, initial: true}
tiles:
"""
DRAWINGS = (
    "village: [{at: N-E-S-W, well: 1}]",
    "village: [N-E], lane: [S-W]",
    "village: [N, S]",
    "lane: [N, E, S, W]",
    "lane: [N-S, {at: E-W, over: N-S}]",
)
START = """\
state game.active: player = first(players)
state player.score: int 0..9999 = 0

action game():
    while count(bag) > 0:
        let t = take(bag)
        lay(t)
        step0(t)
    finish()

action finish():
    end_game(most(p in players by p.score))

choice lay(t: tile) by active:
    option at(spot in placements(board, t)): place(t, spot)
    otherwise: nothing

value bonus(f: feature) -> int, sum
"""
# Every part calls the next, so the effects of one depend on all the others.
PART = """
value worth{this}(f: feature) -> int:
    when f is lane: f.cells + {this}
    when f is village and closed(f): 2 * f.cells + f.well
    otherwise: worth{next}(f)

value all{this}(p: player, t: tile) -> int:
    sum(worth{this}(f) for f in features(t) where any(x in players where x == p))

add bonus(f) when f is lane and f.cells > {this}: {this}

action step{this}(t: tile):
    if t is t{this} and all{this}(active, t) > {this}: finish()
    step{next}(t)
"""
END = """
value worth{this}(f: feature) -> int: bonus(f)

action step{this}(t: tile):
    for f in features(t): active.score += 1
"""


def write(folder: Path, tiles: int) -> Path:
    """Write a ruleset of so many tiles, with four lines of rules for each."""
    parts = 2 * tiles // 7
    rows = (f"  - {{id: t{i}, count: 2, {DRAWINGS[i % len(DRAWINGS)]}}}\n" for i in range(tiles))
    texts = [START, *(PART.format(this=i, next=i + 1) for i in range(parts))]
    (folder / "large.yaml").write_text(HEAD + "".join(rows))
    (folder / "large.rules").write_text("".join([*texts, END.format(this=parts)]))
    return folder / "large.yaml"
