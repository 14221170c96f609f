"""Cost of a turn as games grow: boards of more tiles, more kinds of tiles, more expansions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rulesdsl import Game
from tools.bench.building import build_anew, uncached
from tools.bench.large import DRAWINGS, HEAD
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import PLAYERS, Setup, play_inside

ENGINE = "wasm"
TILES, KINDS = 1_000, 10
SIZES = {"tiles": (100, 1_000, 10_000), "kinds": (10, 100, 1_000), "expansions": (10, 50, 200)}
RULES = """\
state game.active: player = first(players)
state player.score: int 0..1000000 = 0

action game():
    while count(bag) > 0:
        let t = take(bag)
        lay(t)
        active = next(active)
    finish()

action finish():
    end_game(most(p in players by p.score))

choice lay(t: tile) by active:
    option at(spot in placements(board, t)):
        place(t, spot)
        laid(t)
    otherwise: nothing

action laid(t: tile):
    for f in features(t): active.score += bonus(f)

value bonus(f: feature) -> int, sum

add bonus(f) when closed(f): f.cells + f.well
"""
EXPANSION = """\
ruleset: more{this}
edition: 1
version: 1.0.0
requires: [large]
rules: more{this}.rules
"""
MORE = """\
state player.extra: int 0..1000000 = 0

add bonus(f) when f is lane and f.cells > {this}: 1

after laid(t) when t.rotation > 0: active.extra += 1
"""


def tasks(plan: Plan) -> list[Task]:
    """Return a task for each size; the other two sizes of its game are small."""
    build_anew(plan.base.path)  # so that no round loads the grammar
    found = []
    for name, sizes in SIZES.items():
        for size in sizes[: plan.effort.growth]:
            setup = _write(plan.scratch / f"{size}_{name}", **{name: size})
            turns = (size if name == "tiles" else TILES) // 4
            found.append(Task(f"{size} {name}", partial(_measure, plan, setup, turns)))
    return found


def _measure(plan: Plan, setup: Setup, turns: int, _: int) -> Iterator[Reading]:
    """Time a game's check, its first start, and the third quarter of its turns."""
    of, began = setup.path.parent.name.replace("_", " "), plan.clock()
    checked = build_anew(setup.path, setup.expansions)
    yield Reading(of, ENGINE, "check", plan.clock() - began, Unit.TIME)
    began, game = plan.clock(), Game(checked, ENGINE)
    with uncached():
        game.start(PLAYERS, 0)
    yield Reading(of, ENGINE, "first start", plan.clock() - began, Unit.TIME)
    spent, seeds = 0.0, range(max(1, plan.effort.batch // turns))
    for seed in seeds:
        state = game.start(PLAYERS, seed)
        play_inside(state, seed, 2 * turns)
        began = plan.clock()
        play_inside(state, seed, turns)
        spent += plan.clock() - began
    yield Reading(of, ENGINE, "turn", spent / turns / len(seeds), Unit.TIME)


def _write(folder: Path, tiles: int = TILES, kinds: int = KINDS, expansions: int = 0) -> Setup:
    """Write a game of so many tiles of so many kinds, with expansions of two rules each."""
    folder.mkdir()
    rows = (
        f"  - {{id: t{i}, count: {tiles // kinds}, {DRAWINGS[i % len(DRAWINGS)]}}}\n"
        for i in range(kinds)
    )
    (folder / "large.yaml").write_text(HEAD + "".join(rows))
    (folder / "large.rules").write_text(RULES)
    more = tuple(f"more{i}" for i in range(expansions))
    for i, name in enumerate(more):
        (folder / f"{name}.yaml").write_text(EXPANSION.format(this=i))
        (folder / f"{name}.rules").write_text(MORE.format(this=i))
    return Setup(folder / "large.yaml", more)
