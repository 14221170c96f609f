"""Every game as a program: well formed, the same each time, and what the plan says of it holds."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from rulesdsl.engine.build import build
from rulesdsl.engine.ir.text import program_text
from rulesdsl.engine.lower import Plan, lower
from rulesdsl.engine.lower.actions.frames import HEADER
from rulesdsl.engine.runtime.faults import MESSAGES
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model.checked import Checked
from tests.ir.verify import verify

ROOT = Path(__file__).parent.parent.parent
GAMES = sorted(
    path
    for folder in ("rulesets", "tests/games")
    for path in (ROOT / folder).glob("*.yaml")
    if "game:" in path.read_text(encoding="utf-8") and not path.name.endswith(".test.yaml")
)


@cache
def checked(path: Path) -> Checked:
    report = Report()
    found = build(str(path), report=report)
    assert found is not None, [str(each) for each in report]
    return found


@cache
def plan(path: Path, players: int) -> Plan:
    return lower(checked(path), players)


some_games = pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.long] * (at % 4 > 0)) for at, path in enumerate(GAMES)],
    ids=lambda path: path.stem,
)
"""A quarter of the games, and all with `-m long`: their programs are lowered once more."""
every_game = pytest.mark.parametrize(
    ("path", "number"),
    [
        pytest.param(
            path, number, marks=[pytest.mark.long] * (at % 2 != most), id=f"{path.stem}-{number}"
        )
        for at, path in enumerate(GAMES)
        for most, number in enumerate(("least", "most"))
    ],
)
"""Each game for the fewest or for the most players, with `-m long` for both."""


def plan_of(path: Path, number: str) -> Plan:
    """The plan for the least or the most players."""
    return plan(path, getattr(checked(path).game.roles, number))


def test_there_are_games() -> None:
    assert len(GAMES) >= 4


@every_game
def test_a_program_is_well_formed(path: Path, number: str) -> None:
    assert verify(plan_of(path, number).program, MESSAGES) == []


@some_games
def test_a_program_is_well_formed_before_the_passes(path: Path) -> None:
    program = lower(checked(path), checked(path).game.roles.least, optimised=False).program
    assert verify(program, MESSAGES) == []


@some_games
def test_lowering_again_gives_the_same_program(path: Path) -> None:
    players = checked(path).game.roles.least
    again = lower(checked(path), players)
    assert program_text(again.program) == program_text(plan(path, players).program)


@every_game
def test_slots_of_a_point_lie_in_its_frame_each_for_itself(path: Path, number: str) -> None:
    found = plan_of(path, number)
    tables = found.program.tables
    room, first, slots = (
        tables["stack"].size,
        tables["live_first"].values,
        tables["live_slot"].values,
    )
    assert len(first) == len(found.points) + 1
    for begin, end in pairwise(first):
        mine = slots[begin:end]
        assert sorted(set(mine)) == list(mine)
        assert all(HEADER <= slot < room for slot in mine)
    asking = [each.again for each in found.points if each.again is not None]
    assert asking
    assert set(asking) <= set(range(len(found.points)))
