"""Random games of the base game on the tables of the engine `wasm`, and what happens in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from rulesdsl import load
from rulesdsl.engine.run.position import LoweredPosition, start
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.engine import ENGINE as engine

BASE = Path(__file__).parents[2] / "rulesets" / "base.yaml"
MOVES = 2_000
"""The stream of a seed that moves are drawn from: not one of a game or a bot."""
CHUNK = 250
"""How many games a process plays at a time."""


@dataclass(frozen=True)
class Played:
    """What happened in one game; `placements` is how many there were in a turn on average."""

    scores: tuple[int, ...]
    placements: float
    discarded: int
    figures: int


def played(seeds: Sequence[int], processes: int) -> list[Played]:
    """A game of two for each seed."""
    chunks = [seeds[at : at + CHUNK] for at in range(0, len(seeds), CHUNK)]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return [game for games in pool.map(_play_all, chunks) for game in games]


def _play_all(seeds: Sequence[int]) -> list[Played]:
    return list(play(seeds))


def play(seeds: Sequence[int]) -> Iterator[Played]:
    """The games one after another, on one machine."""
    first = engine.start(load(BASE).checked, 2, 0)
    assert isinstance(first, LoweredPosition)
    lowered, machine = first._lowered, first._machine
    names = [choice.key for choice in lowered.plan.choices]
    lay, stand = names.index("base/place_tile"), names.index("base/move_figure")
    options = [option.name for option in lowered.plan.choices[stand].options]
    place = options.index("move_figure.place")
    (box,) = (n for n, zone in enumerate(lowered.checked.game.zones) if zone.name == "box")
    tables, move = machine.tables, partial(machine.call, "play")
    asked, waiting, count = tables["asked"], tables["waiting"], tables["move_count"]
    moves, width = tables["moves"], tables["move_width"]
    for seed in seeds:
        position = start(lowered, machine, seed)
        drawn = Rng.seeded(seed, MOVES)
        turns = placements = figures = 0
        while waiting[0]:
            row = drawn.below(count[0])
            if asked[0] == lay:
                turns += 1
                placements += count[0]
            else:
                figures += moves[row * width[0]] == place
            move(row)
        discarded = tables["amount"][lowered.plan.encoding.zone_first[box]]
        yield Played(position.scores(), placements / turns, discarded, figures)
