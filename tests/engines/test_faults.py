"""Whatever stops the rules stops them alike on every engine, and leaves the position as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import yaml

from rulesdsl.engine.run.interface import PlayError, Position
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.faults import MESSAGES, Fault
from rulesdsl.language.model.checked import Checked
from tests.engines.machine_games import BOX, ENGINES, PRELUDE, offers, play
from tests.small_games import checked

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "faults.yaml").read_text(encoding="utf-8")
)
SHORT = [case for case in CASES if not case.get("once")]
EARLY, LATE = 0, 1
"""Seeds with which a sun is taken first, and a moon."""

MORE = (
    ("grids:\n", "  pad: {holds: [tile, die, token], match: none, size: [2, 2]}\n"),
    ("grids:\n", "  roof: {holds: tile, match: none, over: pad}\n"),
    ("zones:\n", "  niche: {holds: token, room: 1}\n"),
    ("tracks:\n", "  path: {length: 3, holds: figure}\n"),
    ("tiles:\n", "  - {id: cross, village: [N], lane: [E-W], in: shelf}\n"),
    ("features:\n", "  lane: {shape: line}\n"),
    ("figures:\n", "  - {id: guide, per: player, in: trail}\n"),
    ("dice:\n", "  - {id: brick, faces: [{id: up, village: [N]}, {id: down}]}\n"),
)
RULES = """
state game.few: int 0..3 = 0
state game.chosen: token?
state game.nobody: player?
state token.used: int 0..9
state player.goods[colour]: int 0..9
state token.owes[player]: int 0..9

action game():
    let c = take(deck)
    move(c, hand[first(players)])
    if c is sun: fault_0()
    for i in 1..9: pick()

choice pick() by first(players):
    option fine: log += 1
"""
NEVER = {"NONE", "NOTHING", "NO_RULE", "NO_RESULT", "NOBODY", "PROCEED"}
"""What no rules do that were checked."""

ELSEWHERE = {"ENDLESS", "NO_SPACE", "NOT_SHOWN", "BROKEN"}
"""What is tried elsewhere: what needs many values or decisions, and what tables alone can say."""


def game(cases: Sequence[dict[str, Any]]) -> Checked:
    """A game in which these cases fail: the first one at once if a sun is taken."""
    box, options, rest = BOX, "", ""
    for head, line in MORE:
        box = box.replace(head, head + line)
    for number, case in enumerate(cases):
        do = case["do"].rstrip()
        options += f"    option called_{number}: fault_{number}()\n"
        options += f"    option here_{number}:\n{indent(do, ' ' * 8)}\n"
        rest += f"\naction fault_{number}():\n{indent(do, ' ' * 4)}\n\n{case.get('rules', '')}"
    outcome = checked({"t": (box, PRELUDE + RULES + options + rest)})
    assert outcome.checked is not None, [str(found) for found in outcome.report]
    return outcome.checked


@pytest.fixture(scope="module")
def positions() -> list[Position]:
    """A position on every engine in which each of `SHORT` is an option."""
    together = game(SHORT)
    return [engine.start(together, 2, LATE) for engine in ENGINES.values()]


def error_of(act: Callable[[], object], case: dict[str, Any]) -> tuple[str, str, str]:
    """The message, slug and place of the error, which is the one that is expected."""
    with pytest.raises(PlayError) as caught:
        act()
    error = caught.value
    assert case["says"] in error.message
    assert error.slug == case.get("slug", "play-error")
    assert error.span is not None
    assert error.span.text == case.get("at", error.span.text)
    return error.message, error.slug, str(error.span)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_engines_fail_alike_before_the_first_decision(case: dict[str, Any]) -> None:
    """Those that are not tried later; the others on the engine that starts at once."""
    engines = list(ENGINES.values())[: None if case.get("once") else 1]
    alone = game([case])
    starts = [partial(engine.start, alone, 2, EARLY) for engine in engines]
    assert len({error_of(start, case) for start in starts}) == 1


@pytest.mark.parametrize("case", SHORT, ids=[case["name"] for case in SHORT])
def test_engines_fail_alike_and_nothing_has_happened(
    case: dict[str, Any], positions: list[Position]
) -> None:
    number = SHORT.index(case)
    for move in (f"pick.called_{number}()", f"pick.here_{number}()"):
        found = {error_of(partial(fails, position, move), case) for position in positions}
        assert len(found) == 1
    copies = [position.clone() for position in positions]
    for copy in copies:
        play(copy, "pick.fine()", "pick.fine()")
    assert len({copy.canonical() for copy in copies}) == 1
    has_failed_with(positions[-1], f"pick.called_{number}()", faults_named(case["code"]))


def fails(position: Position, move: str) -> None:
    """Play a move; however it fails, nothing has changed."""
    before = position.canonical(), position.to_bytes(), position.decision
    try:
        play(position, move)
    finally:
        assert (position.canonical(), position.to_bytes(), position.decision) == before


def has_failed_with(position: Position, move: str, code: int) -> None:
    """The program itself stops with that fault, at a place in the rules."""
    copy = position.clone()
    assert isinstance(copy, LoweredPosition)
    with pytest.raises(Fault) as caught:
        copy._machine.call("play", offers(copy).index(move))
    assert MESSAGES[caught.value.code] == MESSAGES[code]
    assert copy._machine.place(caught.value) is not None


def faults_named(name: str) -> int:
    return {name: code for name, code in vars(faults).items() if type(code) is int}[name]


def test_every_fault_that_rules_can_have_has_a_case() -> None:
    names = {name for name, code in vars(faults).items() if type(code) is int and code in MESSAGES}
    assert {case["code"] for case in CASES} == names - NEVER - ELSEWHERE


YARDS = """
ruleset: t
edition: 1
version: 1.0.0
players: {min: 2, max: 3, colours: [red, blue, green]}
game: {play: game, finish: finish, score: player.score}
grids:
  yard: {holds: tile, match: none, size: [2, 2], per: player}
"""
IN_A_YARD = """
state player.score: int = 0
action game(): first(players).score = count(neighbours(cell_at(yard[green], 0, 0)))
action finish(): end_game(players)
"""


def test_grids_that_are_all_alike_are_still_missing_for_a_player_who_does_not_play() -> None:
    outcome = checked({"t": (YARDS, IN_A_YARD)})
    assert outcome.checked is not None, [str(found) for found in outcome.report]
    for engine in ENGINES.values():
        with pytest.raises(PlayError, match=r"there is no yard\[green\] in this game"):
            engine.start(outcome.checked, 2, EARLY)
