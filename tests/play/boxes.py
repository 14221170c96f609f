"""The base game with tiles of one's own: a manifest written to a folder, and games of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from rulesdsl import Game, State, load
from rulesdsl.play.bots import RandomBot

ROOT = Path(__file__).parents[2]
BASE = ROOT / "rulesets" / "base.yaml"

START = {"id": "city1-road-straight", "count": 1, "city": ["N"], "road": ["E-W"], "in": "start"}
FEW = (
    {"id": "monastery", "count": 2, "monastery": ["I"]},
    {"id": "city1", "count": 3, "city": ["N"]},
    {"id": "city2-through", "count": 1, "city": [{"at": "N-S", "shield": 1}]},
    {"id": "junction3", "count": 2, "road": ["N", "E", "S"]},
    {"id": "road-straight", "count": 2, "road": ["N-S"]},
)
"""Ten tiles, enough for every kind of feature."""


def write_box(folder: Path, tiles: Sequence[dict[str, Any]] = FEW, **settings: int) -> Path:
    """The manifest of the base game with these tiles and the start tile, in `folder`; `settings`
    change defaults."""
    manifest = yaml.safe_load(BASE.read_text(encoding="utf-8"))
    manifest["tiles"] = [START, *tiles]
    del manifest["totals"], manifest["settings"]["classic_start"], manifest["labels"]
    for name, value in settings.items():
        manifest["settings"][name]["default"] = value
    shutil.copy(BASE.with_suffix(".rules"), folder)
    path = folder / "base.yaml"
    path.write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    return path


def small_game(folder: Path, tiles: Sequence[dict[str, Any]] = FEW) -> Game:
    return load(write_box(folder, tiles))


def played(state: State, seed: int) -> Iterator[State]:
    """The state at every decision of a game of random moves, and at its end."""
    bot = RandomBot(seed, 0)
    while state.mover is not None:
        yield state
        state.play(bot.choose(state))
    yield state


def play_out(state: State, seed: int) -> State:
    """The state after a game of random moves."""
    for _ in played(state, seed):
        pass
    return state
