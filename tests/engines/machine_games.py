"""Shared by the tests of the machine: small games, and moves by their texts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rulesdsl.engine.run.interface import Candidate, Engine, Position
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.engine.run.words.views import text
from rulesdsl.language.check import check_expression
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.values import Value
from rulesdsl.language.parse import parse_expression
from tests.small_games import checked

ENGINES: Mapping[str, Engine] = {"python": python, "wasm": wasm}
"""The engines that all have to play alike."""

on_every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())

BOX = """
ruleset: t
edition: 1
version: 1.0.0
players: {min: 1, max: 3, colours: [red, blue, green]}
game: {play: game, finish: finish, score: player.score}
settings:
  level: {default: 2, range: [0, 9]}
enums:
  colour: [amber, violet]
features:
  village: {shape: area}
attributes:
  worth: {of: token, default: 1}
  well: {of: village, default: 0, fold: sum}
grids:
  board: {holds: tile, match: all}
zones:
  shelf: {holds: tile}
  bag:   {holds: tile, visible: none}
  purse: {holds: token}
  tray:  {holds: token, order: true}
  pit:   {holds: token}
  nook:  {holds: token}
  home:  {holds: figure, per: player, initial: true}
  cup:   {holds: die, initial: true}
  deck:  {holds: card, visible: none, initial: true}
  hand:  {holds: card, visible: owner, per: player}
  row:   {holds: card, per: colour}
  deal:  {holds: card, visible: owner, per: [player, colour], room: {red: 1, blue: {amber: 2}}}
  rank:  {holds: card, per: [colour, colour]}
tables:
  rates: {from: 1, values: [3, 6, 9]}
tracks:
  trail: {length: 4, loop: true, holds: figure}
tiles:
  - {id: plain, count: 2, village: [{at: N, well: 1}], in: shelf}
  - {id: bend, count: 2, village: [N-E], in: bag}
  - {id: cap, village: [{at: W, well: 2}], in: bag}
tokens:
  - {id: coin, count: 3, in: purse}
  - {id: gem, count: 2, worth: 5, in: purse}
  - {id: chip, count: 2, in: tray}
  - {id: pebble, count: 3, in: pit, some: [{copies: 1, in: nook}]}
  - {id: flag, per: player, in: pit}
figures:
  - {id: house, count: 2, per: player}
cards:
  - {id: sun, count: 2}
  - {id: moon, count: 2}
dice:
  - {id: cube, faces: [{id: low}, {id: mid}, {id: high}]}
"""

PRELUDE = """
state player.score: int = 0
state game.log: int = 0

action finish(): end_game(players)
action note(n: int): log = log * 10 + n
"""


def game(rules: str, others: Mapping[str, str] | None = None, limit: int | None = None) -> Checked:
    """The game of some rules, with further rulesets: their rules, after an optional line of
    manifest (`requires: ...` or `interaction: ...`); `limit` is that of the game."""
    box = BOX if limit is None else BOX.replace("{play:", f"{{limit: {limit}, play:")
    texts = {"t": (box, PRELUDE + rules)}
    for id, other in (others or {}).items():
        head, _, rest = other.partition("\n")
        if not head.startswith(("requires:", "interaction:")):
            head, rest = "requires: [t]", other
        texts[id] = (f"ruleset: {id}\nedition: 1\nversion: 1.0.0\n{head}\n", rest)
    outcome = checked(texts)
    assert outcome.checked is not None, [str(found) for found in outcome.report]
    return outcome.checked


def shown(position: Position, value: Value) -> str:
    """A value in words."""
    assert isinstance(position, LoweredPosition)
    return text(position.world, value, lambda _: None)


def move_text(position: Position, candidate: Candidate) -> str:
    """A move in words: `pick.coin(coin#1)`; chance with its weight: `take(bend#1) x 2`."""
    given = ", ".join(shown(position, value) for _, value in candidate.arguments)
    times = f" x {candidate.weight}" if candidate.weight > 1 else ""
    return f"{candidate.name}({given}){times}"


def offers(position: Position) -> list[str]:
    """All moves in words, in order; none when the game is over."""
    decision = position.decision
    return [move_text(position, c) for c in decision.candidates] if decision else []


def play(position: Position, *moves: str) -> None:
    """Play moves by their words."""
    for move in moves:
        position.play(offers(position).index(move))


def value(position: Position, expression: str) -> str:
    """What an expression gives, in words."""
    report = Report()
    source = Source("expression", expression)
    tree = parse_expression(source, source.span(0, len(expression)), report)
    assert tree is not None, list(report)
    found = check_expression(tree, position.checked, "t", None, report)
    assert found is not None, [str(d) for d in report]
    return shown(position, position.evaluate(found, {}))
