"""Attributes with an index: of segments, features, faces, tiles and kinds, plain and refined."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import RulesError, load
from rulesdsl.engine.run import ENGINES
from rulesdsl.play.bots import RandomBot

MANIFEST = """\
ruleset: wares
edition: 1
version: 1.0.0
rules: wares.rules
requires: [base]
enums:
  ware: [wine, grain]
attributes:
  load: {of: [city, road], type: int 0..9, per: ware, default: 1}
  most: {of: city, type: int, per: ware, fold: max}
  holy: {of: city, type: bool, per: ware}
  pip: {of: face, type: int, per: ware}
  price: {of: tile, type: int, per: ware}
zones: {cup: {holds: die, initial: true}}
dice:
  - {id: cube, faces: [{id: x, pip: {wine: 3}}, {id: y, pip: {rest: 1}}]}
extend:
  base/city1:
    - copies: 2
      city: [{at: N, load: {wine: 3}, most: {wine: 4}, holy: {grain: true}}]
      price: {grain: 7}
"""
RULES = """\
after placed(t):
    for f in features(t):
        for w in ware:
            if f.holy[w]:
                score(active, f.load[w] + f.most[wine] + t.price[w] + t.kind.price[w], city)
            score(active, f.load[w] + f.most[w] + sum(s.load[w] for s in segments(t)), city)
    let z = roll(the(d in cup))
    for w in ware: score(active, z.pip[w], city)

refine price(t, w) when w == grain: previous + 2
refine load(f, w) when f is road: previous + count(tiles(f))
"""


def test_both_engines_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "wares.yaml").write_text(MANIFEST)
    (tmp_path / "wares.rules").write_text(RULES)
    played = []
    for engine in ENGINES:
        game = load("base", [str(tmp_path / "wares.yaml")], engine=engine)
        state, bot, lines = game.start(2, 5), RandomBot(5, 0), []
        for _ in range(60):
            move = bot.choose(state)
            lines.append(str(move))
            state.play(move)
        played.append((lines, state.scores(), state.canonical()))
    assert played[0] == played[1]
    assert any(played[0][1].values())


@pytest.mark.parametrize("index", ["", "[wine][grain]"])
def test_a_wrong_number_of_indices_says_what_to_type(index: str, tmp_path: Path) -> None:
    (tmp_path / "wares.yaml").write_text(MANIFEST)
    (tmp_path / "wares.rules").write_text(RULES.replace("t.price[w]", f"t.price{index}"))
    with pytest.raises(RulesError) as caught:
        load("base", [str(tmp_path / "wares.yaml")])
    (found,) = caught.value.diagnostics
    assert found.slug == "arity"
    assert found.help == ("write `price[…]` with a `ware` in the brackets",)
