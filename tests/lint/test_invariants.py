"""Invariants: those that are proved, and those that random games find broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.author.lint import played
from rulesdsl.author.lint.invariants import proved, title
from rulesdsl.engine.build import build
from rulesdsl.engine.lower.program import lower
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model.checked import Checked

HEAD = """\
ruleset: host
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
rules: host.rules
attributes: {weight: {of: figure, default: 1}}
zones:
  home: {holds: figure, per: player, initial: true}
  away: {holds: figure}
figures:
  - {id: light, count: 5, per: player}
  - {id: heavy, count: 2, per: player, weight: 2}
"""
RULES = """\
state player.score: int 0..20 = 0
state player.coins: int = 3
state game.bank: int = 10
state game.round: int = 0
state game.hidden: int = 0
action game():
    while round < 4:
        round += 1
        for p in players: turn(p)
    finish()
action turn(p: player):
    pay(p, 1)
    pick(p)
action pay(p: player, n: int):
    p.coins -= n
    bank += n
choice pick(p: player) by p repeat:
    option one_point once in turn: p.score += 1
    option one_more once in turn: p.score += 1
    option stop: leave
action finish(): end_game(players)
"""
MORE = "ruleset: more\nedition: 1\nversion: 1.0.0\nrequires: [host]\nrules: more.rules\n"
CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("invariants.yaml").read_text("utf-8")
)


def made(folder: Path, host: str, more: str = "") -> Checked:
    (folder / "host.yaml").write_text(HEAD)
    (folder / "host.rules").write_text(RULES + host)
    (folder / "more.yaml").write_text(MORE)
    (folder / "more.rules").write_text(more)
    report = Report()
    checked = build(folder / "host.yaml", ["more"] if more else [], report=report)
    assert checked is not None, list(report)
    return checked


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_invariant_is_proved_or_played(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "DEFAULT_ENGINE", "python")
    game = made(tmp_path, case["host"], case.get("more", ""))
    shown = [title(each) for each in game.invariants if each.key in proved(game)]
    assert shown == case["proved"]
    result = played.random_games(game, None, 8)
    held = [name for name in shown if name not in (case.get("broken"), case.get("never"))]
    assert (result.proved, result.watched) == (len(held), len(game.invariants) - len(held))
    found = result.finding
    if "broken" not in case:
        assert ("" if found is None else found.message).startswith(case.get("fails", ""))
        assert (found is None) == ("fails" not in case)
        return
    assert found is not None
    assert found.slug == "broken-invariant"
    assert found.span is not None
    assert found.span.text == case["broken"]
    said = "\n".join(found.help)
    assert [line for line in case.get("says", ()) if line not in said] == []
    moves = yaml.safe_load(said[said.index("scenarios:") :])["tests"][0]["moves"]
    assert len(moves) == case.get("moves", len(moves))


def test_the_fast_engine_finds_the_same(tmp_path: Path) -> None:
    text = "invariant at_most_one_more: all(p.score <= round for p in players)\n"
    found = played.random_games(made(tmp_path, text), None, 30).finding
    assert found is not None
    assert found.slug == "broken-invariant"
    assert [line for line in found.help if line.startswith("      - 'pick.one_")]


def test_play_does_not_pay_for_invariants(tmp_path: Path) -> None:
    said = "invariant coins: all(p.coins >= 0 for p in players)\n"
    plain, other = (print_module(lower(made(tmp_path, t), 2).program) for t in ("", said))
    assert plain.content == other.content
