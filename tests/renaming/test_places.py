"""Loops over segments and features go by their cells, whatever rulesets their pieces belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import load
from tools.strangers.measuring import loaded
from tools.strangers.renaming import Pair

HOST = """\
ruleset: host
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
features: {lane: {shape: line}}
attributes: {worth: {of: lane, default: 1}}
grids: {board: {holds: tile, match: none}}
zones:
  box: {holds: tile}
  bag: {holds: tile, visible: none, initial: true}
tiles: [{id: start, count: 1, in: box, lane: [N-S]}]
rules: host.rules
"""
RULES = """\
state player.score: int = 0
state game.active: player = first(players)
action game():
    place(the(x in box), centre(board))
    while count(bag) > 0:
        let t = take(bag)
        lay(t)
        close(active)
        active = next(active)
    finish()
choice lay(t: tile) by active:
    option at(spot in placements(board, t)): place(t, spot)
action close(p: player):
"""
END = "action finish(): end_game(players)\n"


def files(close: str) -> dict[str, str]:
    rules = RULES + "".join(f"    {line}\n" for line in close.splitlines()) + END
    made = {"host.yaml": HOST, "host.rules": rules}
    for name, worth in (("ants", 2), ("bees", 3)):
        made[f"{name}.yaml"] = (
            f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\ntiles:\n"
            f"  - {{id: {name}_bend, count: 4, lane: [{{at: N-E, worth: {worth}}}]}}\n"
            f"  - {{id: {name}_ends, count: 3, lane: [{{at: N>C, worth: {worth}}}, S>C]}}\n"
        )
    return made


LOOPS = [
    "for f in features(board): p.score = (2 * p.score + f.worth) mod 10007",
    "for f in features(board) where f.ends > 0:\n    p.score += f.worth\n    break",
    "for s in {s for f in features(board), s in segments(f)}:\n"
    "    p.score = (2 * p.score + s.worth) mod 10007",
    "p.score += sum(f.cell.x + 10 * f.cell.y for f in features(board))",
]


@pytest.mark.parametrize("close", LOOPS)
def test_names_do_not_matter(close: str, tmp_path: Path) -> None:
    pair, found = loaded(tmp_path, files(close))
    assert pair is not None
    assert found == []
    for seed in range(3):
        pair.play(2, seed, 60)


def test_both_engines_go_by_cells(tmp_path: Path) -> None:
    for name, text in files("\n".join(LOOPS)).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    on = ["ants", "bees"]
    one = load(tmp_path / "host.yaml", on, engine="python")
    Pair(one, load(tmp_path / "host.yaml", on, engine="wasm"), {}).play(2, 1, 60)


@pytest.mark.parametrize(
    "close",
    [
        "let f = first(f in features(board))\nif f is not none: p.score += f.worth",
        "for {f, g} in features(board): p.score = (2 * p.score + f.worth + 3 * g.worth) mod 10007",
    ],
)
def test_what_goes_by_pieces_is_a_finding(close: str, tmp_path: Path) -> None:
    _, found = loaded(tmp_path, files(close))
    assert found == ["order-of-names"]
