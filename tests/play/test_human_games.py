"""Games that people played agree with the rules, move by move and point by point.

The recordings are no part of the project: where `shared/data` lies beside the checkout they are
played again, elsewhere this file holds no cases.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rulesdsl import Game, Move, State, load
from rulesdsl.engine.run import ENGINES

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT.parent / "shared" / "data" / "human_games.jsonl"
LINES = RECORDINGS.read_text(encoding="utf-8").splitlines() if RECORDINGS.exists() else []


@cache
def base(engine: str) -> Game:
    return load(ROOT / "rulesets" / "base.yaml", engine=engine)


if LINES:  # parametrizing over nothing would leave a case that is skipped

    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize("line", LINES, ids=[f"game{i}" for i in range(len(LINES))])
    def test_a_recorded_game_plays_to_its_scores(line: str, engine: str) -> None:
        game = json.loads(line)
        state = base(engine).start(game["players"])
        start = game["start"]
        assert str(state.names.short(state.position.laid()[0].piece)) == start["tile"]
        for number, step in enumerate(game["steps"]):
            play(state, step)
            # The scores of the last step leave out the end of the game.
            if number < len(game["steps"]) - 1:
                assert list(state.scores().values()) == step["scores_after"], f"step {number}"
        assert state.mover is None
        assert list(state.scores().values()) == game["final_scores"]


def play(state: State, step: dict[str, Any]) -> None:
    if state.asked == "take":  # the last tile is not drawn from several
        state.play(state.move("take", piece=step["tile"]))
    assert state.mover == state.players[step["player"]]
    state.play(state.move("at", spot=(*step["at"], step["rotation"])))
    state.play(standing(state, step["follower"]) if "follower" in step else state.move("pass"))


def standing(state: State, follower: dict[str, Any]) -> Move:
    """The move that puts a follower on the segment with these ports."""
    places = [move for move in state.moves() if move.name == "move_figure.place"]
    found = [
        move
        for move in places
        if str(move["s"]).startswith(f"{follower['on']}@")
        and set(str(move["s"]).partition("@")[2].split(".")) == set(follower["ports"])
    ]
    assert len(found) == 1, f"{follower} among {[str(move) for move in places]}"
    return found[0]
