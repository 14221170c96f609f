"""Rulesets can be linked as if their names were in the opposite order."""

from __future__ import annotations

from pathlib import Path

from rulesdsl.build import build
from rulesdsl.diagnostics import Report

HOST = """\
ruleset: host
edition: 1
version: 1.0.0
rules: host.rules
players: {min: 1, max: 1, colours: [red]}
game: {play: game, finish: finish, score: player.score}
"""
RULES = """\
state player.score: int = 0
action game(): finish()
action finish(): end_game(players)
"""


def ids(folder: Path, *, backwards: bool) -> list[str]:
    report = Report()
    expansions = ["ants", "bees", "cats", "house"]
    made = build(folder / "host.yaml", expansions, report=report, backwards=backwards)
    assert made is not None, list(report)
    return [each.id for each in made.game.rulesets]


def test_strangers_are_in_the_opposite_order_but_requirements_first(tmp_path: Path) -> None:
    (tmp_path / "host.yaml").write_text(HOST)
    (tmp_path / "host.rules").write_text(RULES)
    for name, more in (
        ("ants", "requires: [host]\n"),
        ("bees", "requires: [host]\n"),
        ("cats", "requires: [host, ants]\n"),
        ("house", "requires: [host]\nhouse: true\n"),
    ):
        (tmp_path / f"{name}.yaml").write_text(
            f"ruleset: {name}\nedition: 1\nversion: 1.0.0\n{more}"
        )
    assert ids(tmp_path, backwards=False) == ["host", "ants", "bees", "cats", "house"]
    assert ids(tmp_path, backwards=True) == ["host", "bees", "ants", "cats", "house"]
