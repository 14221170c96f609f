"""Rulesets can be linked as if their names were in the opposite order."""

from __future__ import annotations

from pathlib import Path

from rulesdsl.engine.build import build
from rulesdsl.language.diagnostics import Report

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


def layers(folder: Path, *, backwards: bool) -> list[str]:
    report = Report()
    expansions = ["ants", "bees", "cats"]
    made = build(folder / "host.yaml", expansions, report=report, backwards=backwards)
    assert made is not None, list(report)
    return [each.key for each in made.game.grids if each.over]


def test_an_order_of_layers_leaves_the_own_order_of_rulesets(tmp_path: Path) -> None:
    (tmp_path / "host.yaml").write_text(f"{HOST}grids: {{board: {{holds: tile}}}}\n")
    (tmp_path / "host.rules").write_text(RULES)
    orders = """with ants:
    order bees.roof before ants.arch
    independent bees.roof, ants.low
with cats:
    independent bees.roof, cats.beam
"""
    (tmp_path / "bees.rules").write_text(orders)
    for name, needs, grids in (
        ("ants", "host", ("arch", "low")),
        ("bees", "host", ("roof",)),
        ("cats", "ants", ("beam",)),
    ):
        rules = "rules: bees.rules\n" if name == "bees" else ""
        made = ", ".join(f"{each}: {{holds: tile, over: board}}" for each in grids)
        (tmp_path / f"{name}.yaml").write_text(
            f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [{needs}]\n{rules}"
            f"grids: {{{made}}}\n"
        )
    wanted = ["bees/roof", "ants/arch", "ants/low", "cats/beam"]
    assert layers(tmp_path, backwards=False) == layers(tmp_path, backwards=True) == wanted
