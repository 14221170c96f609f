"""The page and the terminal let people take back the same moves."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import rulesdsl
from rulesdsl.play.records import is_fair, undo
from rulesdsl.show.page.plan import export
from tests.page.node import printed

SCRIPT = Path(__file__).with_name("undo.mjs")
GAMES = Path(__file__).parents[1] / "games"
MOVES = 60


class Ply(NamedTuple):
    by: str
    fair: bool


def _here(game: rulesdsl.Game, asked: dict[str, Any]) -> list[Any]:
    """Return for each move what can be undone after it, by each set of people."""
    state, plies, found = game.start(asked["players"], asked["seed"]), list[Ply](), list[Any]()
    for pick in asked["picks"]:
        if state.mover is None:
            found.append(None)
            continue
        by, before, moves = state.mover, state.position.shown(), state.moves()
        state.play(moves[pick % len(moves)])
        plies.append(Ply(by, is_fair(before, state.position.shown())))
        possible = [
            undo(plies, [c for c, human in zip(state.players, each, strict=True) if human])
            for each in asked["humans"]
        ]
        found.append([None if each is None else each._asdict() for each in possible])
    return found


@pytest.mark.parametrize("name", ["base", "dice_game", "tricks", "vault"])
@pytest.mark.parametrize("engine", ["python", "wasm"])
def test_the_same_moves_are_taken_back(tmp_path: Path, name: str, engine: str) -> None:
    file = GAMES / f"{name}.yaml"
    game = rulesdsl.load(str(file) if file.exists() else name, engine=engine)
    players = min(game.players)
    random, games = Random(5), list[dict[str, Any]]()
    for seed in range(2):
        picks = random.choices(range(10_000), k=MOVES)
        humans = [[True] * players, [True] + [False] * (players - 1), [False] * players]
        games.append({"players": players, "seed": seed, "picks": picks, "humans": humans})
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(export(game, [players])), encoding="utf-8")
    there = json.loads(printed(SCRIPT, plan, input=json.dumps(games)))
    here = [_here(game, asked) for asked in games]
    assert here == there
    fair = [each["fair"] for told in here for move in told if move for each in move if each]
    assert {True, False} <= set(fair)
