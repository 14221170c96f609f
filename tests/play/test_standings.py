"""Games that the fewest points win, and games without points: bots and results follow them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import Game, load
from rulesdsl.engine.run import ENGINES
from rulesdsl.engine.run.interface import standings
from rulesdsl.play.bots import BOTS, GreedyBot

HEAD = "ruleset: golf\nedition: 1\nversion: 1.0.0\nrules: golf.rules\n"
PLAYERS = "players: {min: 2, max: 3, colours: [red, blue, green]}\n"
ROUNDS = """
action game():
    for p in players: hit(p)
    finish()

choice hit(p: player) by p:
    option softly: p.strokes += 3
    option hard: p.strokes += 1
    option wildly: p.strokes += 2

action finish():
"""
FEWEST = "    end_game(most(p in players by -p.strokes))\n"
ALONE = "    end_game({p in players where p.strokes == 1})\n"
GAMES = {
    "fewest": ("score: player.strokes, wins: fewest, ", FEWEST),
    "without": ("", ALONE),
}


def golf(folder: Path, name: str, engine: str = "wasm") -> Game:
    roles, finish = GAMES[name]
    manifest = f"{HEAD}{PLAYERS}game: {{{roles}play: game, finish: finish}}\n"
    (folder / "golf.yaml").write_text(manifest, encoding="utf-8")
    rules = f"state player.strokes: int\n{ROUNDS}{finish}"
    (folder / "golf.rules").write_text(rules, encoding="utf-8")
    return load(folder / "golf.yaml", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", GAMES)
def test_bots_play_to_win(tmp_path: Path, name: str, engine: str) -> None:
    state = golf(tmp_path, name, engine).start(2, 5)
    for seat, bot in enumerate(("greedy", "mcts")):
        state.play(BOTS[bot](1, seat).decide(state))
    assert state.winners == ("red", "blue")
    assert list(standings(state.position)) == ([-1, -1] if name == "fewest" else [1, 1])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_without_points_shows_none(tmp_path: Path, engine: str) -> None:
    state = golf(tmp_path, "without", engine).start(3, 5)
    state.play(state.move("hard"))
    assert state.scores() == {}
    assert "; " not in repr(state)


def test_the_best_move_after_an_unlucky_one(tmp_path: Path) -> None:
    state = golf(tmp_path, "fewest").start(3, 5)
    state.play(state.move("softly"))
    assert GreedyBot(1, 1).decide(state).name == "hit.hard"
