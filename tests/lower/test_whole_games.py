"""Every game as a program: well formed, the same each time, and what the plan says of it holds."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from rulesdsl.core.faults import MESSAGES
from rulesdsl.diagnostics import Report
from rulesdsl.ir.text import program_text
from rulesdsl.ir.verify import verify
from rulesdsl.lower import Plan, lower
from rulesdsl.lower.actions.frames import HEADER
from rulesdsl.lower.plan import BodyLayer, CallLayer, LoopLayer, Slot
from rulesdsl.model.checked import Checked
from rulesdsl.pipeline import build

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


ALL = [
    pytest.param(path, players, id=f"{path.stem}-{players}")
    for path in GAMES
    for players in (checked(path).game.roles.least, checked(path).game.roles.most)
]


def test_there_are_games() -> None:
    assert len(GAMES) >= 4


@pytest.mark.parametrize(("path", "players"), ALL)
def test_a_program_is_well_formed(path: Path, players: int) -> None:
    assert verify(plan(path, players).program, MESSAGES) == []


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_program_is_well_formed_before_the_passes(path: Path) -> None:
    program = lower(checked(path), checked(path).game.roles.least, optimised=False).program
    assert verify(program, MESSAGES) == []


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_lowering_again_gives_the_same_program(path: Path) -> None:
    players = checked(path).game.roles.least
    again = lower(checked(path), players)
    assert program_text(again.program) == program_text(plan(path, players).program)


@pytest.mark.parametrize(("path", "players"), ALL)
def test_slots_of_a_point_lie_in_its_frame_each_for_itself(path: Path, players: int) -> None:
    found = plan(path, players)
    room = found.program.tables["stack"].size
    waiting = [point for point in found.points if point.layers]
    assert waiting
    for point in waiting:
        locals_ = [slot for slot in slots(point.layers) if HEADER <= slot.offset < room]
        assert locals_ == slots(point.layers)
        by_offset: dict[int, set[str]] = {}
        for layer in point.layers:
            if isinstance(layer, BodyLayer):
                for slot in layer.locals:
                    by_offset.setdefault(slot.offset, set()).add(slot.name)
        assert all(len(names) == 1 for names in by_offset.values())


def slots(layers: tuple[object, ...]) -> list[Slot]:
    found: list[Slot] = []
    for layer in layers:
        match layer:
            case CallLayer():
                found += layer.arguments
            case BodyLayer():
                found += layer.locals
            case LoopLayer():
                found += [layer.items, layer.round]
    return found
