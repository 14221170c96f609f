"""Two older editions that there never were, and texts as they would have been written for them."""

from __future__ import annotations

import pytest

from rulesdsl import edition as editions
from rulesdsl.edition import (
    Migration,
    renamed_call,
    renamed_declaration,
    renamed_key,
    renamed_property,
    replaced_value,
)

OLDEST, OLD = -1, 0
STEPS = {
    OLDEST: Migration(
        manifest=(renamed_key("zones", "*", "seen_by", to="visible"),),
        scenarios=(renamed_key("tests", "*", "title", to="name"),),
        words=(renamed_declaration("procedure", "action"), renamed_call("number", "amount")),
        expressions=("that",),
    ),
    OLD: Migration(
        manifest=(
            renamed_key("bricks", to="tiles"),
            replaced_value("zones", "*", "visible", by={"nobody": "none"}),
        ),
        scenarios=(renamed_key("tests", "*", "expect", "that", to="holds"),),
        words=(renamed_call("amount", "count"), renamed_property("points", "score")),
    ),
}
MANIFEST = """\
ruleset: mine
edition: -1  # the oldest
version: 1.0.0
rules: mine.rules

game: {play: play, finish: finish, score: player.score}
players: {min: 2, max: 2, colours: [red, blue]}
settings: {small: {default: true}}
zones:
  bag: {holds: tile, seen_by: nobody, initial: true}
  'box': {holds: tile, when: settings.small, seen_by: all}

# Bricks.
bricks:
  - {id: brick, count: 3}
labels: {en: {brick: number (bricks)}}
"""
RULES = """\
state player.score: int
state game.number: int

# The procedure: number(bag)
procedure play():
    while number(bag) > 0 and red.points < 9:
        let brick = take(bag)
        move(brick, box)
        red.points += 1
        number = number(bag) - number
    finish()

procedure finish():
    end_game(most(p in players by p.points))
"""
SCENARIOS = """\
scenarios: mine
edition: -1
tests:
  - title: number(bag)
    expect: {that: ['number(bag) == 0', "red.points == 3"]}
"""
MANIFEST_NOW = """\
ruleset: mine
edition: 1  # the oldest
version: 1.0.0
rules: mine.rules

game: {play: play, finish: finish, score: player.score}
players: {min: 2, max: 2, colours: [red, blue]}
settings: {small: {default: true}}
zones:
  bag: {holds: tile, visible: none, initial: true}
  'box': {holds: tile, when: settings.small, visible: all}

# Bricks.
tiles:
  - {id: brick, count: 3}
labels: {en: {brick: number (bricks)}}
"""
RULES_NOW = """\
state player.score: int
state game.number: int

# The procedure: number(bag)
action play():
    while count(bag) > 0 and red.score < 9:
        let brick = take(bag)
        move(brick, box)
        red.score += 1
        number = count(bag) - number
    finish()

action finish():
    end_game(most(p in players by p.score))
"""
SCENARIOS_NOW = """\
scenarios: mine
edition: 1
tests:
  - name: number(bag)
    expect: {holds: ['count(bag) == 0', "red.score == 3"]}
"""


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program knows the way from two older editions."""
    monkeypatch.setattr(editions, "STEPS", STEPS)
