"""Moves that equal others, and calls that were queued before the turn in question."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.author.why.played import Observed
from rulesdsl.author.why.points import PointsQuestion
from rulesdsl.author.why.refused import refusals
from rulesdsl.author.why.tracing import resume
from rulesdsl.play import State, load
from rulesdsl.play.moves import wanted

MANIFEST = """\
ruleset: bits
edition: 1
version: 1.0.0
rules: bits.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
attributes: {worth: {of: card, type: int 1..9}}
zones: {deck: {holds: card, visible: all, initial: true}}
cards: [{id: a, count: 3, worth: 2}, {id: b, count: 1, worth: 5}]
"""
RULES = """\
state player.score: int

action game():
    around_the_table()
    finish()

step action around_the_table():
    for p in players: turn(p)

choice turn(p: player) by p:
    option drop(s in subsets(deck, 1, 2) where sum(c.worth for c in s) < 6):
        later give(p, count(s) + 1)

action give(p: player, n: int): p.score += n
action finish(): end_game(players)
"""


@pytest.fixture
def state(tmp_path: Path) -> State:
    (tmp_path / "bits.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "bits.rules").write_text(RULES, encoding="utf-8")
    return load(str(tmp_path / "bits.yaml"), engine="python").start(2, seed=5)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("drop {a#2}", "turn.drop(s={a}) is equal to another move that is legal"),
        ("drop {a#2,b}", "turn.drop(s={a, b}) is not legal"),
        ("drop {}", "turn.drop is not legal: `{}` is not in `subsets(deck, 1, 2)`"),
    ],
)
def test_sets_that_are_not_offered_as_they_equal_others(state: State, move: str, said: str) -> None:
    assert [answer.head for answer in refusals(state, wanted(move))] == [said]


def test_what_was_queued_before(state: State) -> None:
    one, two, _ = state.moves()
    state.play(one)
    question = PointsQuestion()
    observed = Observed(state.game, resume(state.position), question)
    observed.play(two)
    assert [answer.head for answer in question.answers] == ["red +2", "blue +3: 2 + 1"]
