"""What people are told of states."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.cli.words import Words
from rulesdsl.play import load
from tests.architecture.sources import ROOT
from tests.cli.conftest import HAMLETS, RULESETS, Cli

MANIFEST = """\
ruleset: barns
edition: 1
version: 1.0.0
rules: barns.rules
requires: [hamlets]
enums: {good: [salt, fish]}
labels:
  en: {game.wind: wind, game.calm: calm, player.goods: goods, salt: Salt, game.swapped: swapped,
     player.barns: barns, player.debts: debts}
"""
RULES = """\
state game.wind: side = w
state game.calm: bool
state game.unheard: int = 4
state player.goods[good]: int 0..9
state player.barns: int 0..9
state player.debts[player]: int 0..9
state game.swapped[side]: bool

before turn():
    active.goods[fish] = 2
    active.barns = 7
    active.debts[next(active)] = 3
    swapped[e] = true
    let seen = wind == n or calm or unheard == 3 or active.goods[salt] > 2 or active.barns > 8
    let more = active.debts[active] > 0 or swapped[n]
"""


def test_states_with_labels_are_told_unless_they_say_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "barns.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "barns.rules").write_text(RULES, encoding="utf-8")
    options = ("--with", "barns", "--path", str(RULESETS), "--path", ".", "--human", "red")
    out = cli("run", HAMLETS, *options, typed="q\n").out
    asked = out[: out.index("Where does it go?")]
    assert "wind: w\n" in asked
    assert "goods (fish): Red 2\n" in asked
    assert "barns: Red 7, Blue 0\n" in asked
    assert "debts (Blue): Red 3\n" in asked
    assert "swapped (e): yes\n" in asked
    assert not any(word in asked for word in ("calm", "Salt", "unheard"))


@pytest.mark.parametrize(
    ("name", "said"),
    [("bank[ruby]", "bank: ruby"), ("purse[red][ruby]", "red's purse: ruby")],
)
def test_zones_for_members_are_named_in_words(name: str, said: str) -> None:
    words = Words(load(ROOT / "tests" / "games" / "jewels.yaml", engine="python"), "en")
    assert words.value(name) == said
