"""Reasons of refused moves tell a player nothing about pieces that this player does not know."""

from __future__ import annotations

from pathlib import Path

from rulesdsl.author.why.answer import brief
from rulesdsl.author.why.refused import refusals
from rulesdsl.play import load
from rulesdsl.play.moves import wanted

MANIFEST = """\
ruleset: thieves
edition: 1
version: 1.0.0
rules: thieves.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
attributes:
  worth: {of: card, type: int 1..9}
zones:
  deck: {holds: card, visible: none, initial: true}
  hand: {holds: card, visible: owner, per: player, order: true}
cards:
  - {id: c, each: {worth: 1..9}}
"""
RULES = """\
state player.score: int

action game():
    for p in players:
        for n in {1, 2, 3}:
            let c = take(deck)
            move(c, hand[p])
    turn(first(players))
    finish()

choice turn(p: player) by p:
    option steal(c in hand[next(p)], d in hand[p] where d.worth > 4): nothing
    option name(c in cards where c in hand[p]) when count(deck) > 5: nothing
    option wait: nothing

action finish(): end_game(players)
"""


def test_reasons_are_the_same_whatever_the_player_cannot_know(tmp_path: Path) -> None:
    (tmp_path / "thieves.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "thieves.rules").write_text(RULES, encoding="utf-8")
    state = load(str(tmp_path / "thieves.yaml"), engine="python").start(2, seed=5)
    samples = [state.sample("red", seed) for seed in range(4)]
    typed = [f"{move} c-{n}" for n in range(1, 10) for move in ("steal", "name")]
    typed += [f"steal c-{n} c-{m}" for n in range(1, 10) for m in range(1, 10)]
    typed += [f"steal hand[blue]#{n} c-{m}" for n in (1, 2, 3, 4) for m in range(1, 10)]

    def told(each: str, of: int) -> list[str]:
        return [line for answer in refusals(samples[of], wanted(each)) for line in brief(answer)]

    for each in typed:
        assert told(each, 0) == told(each, 1) == told(each, 2) == told(each, 3), each
    assert any(told(each, 0) for each in typed)
