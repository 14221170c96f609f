"""The machine, by small games: hooks, steps, choices, equal moves, values, chance, faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.engine.run.interface import Engine, PlayError, Position
from rulesdsl.engine.runtime import faults
from tests.engines.machine_games import game, offers, on_every_engine, play, value

CASES = yaml.safe_load(
    (Path(__file__).parent / "test_machine_cases.yaml").read_text(encoding="utf-8")
)

KEYS = {"by", "offers", "play", "refuses", "because", "expect", "over", "cut_short", "fault"}


@on_every_engine
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any], engine: Engine) -> None:
    checked = game(case["rules"], case.get("with"), case.get("limit"))
    players, seed = case.get("players", 2), case.get("seed")
    if "fails" in case:
        with pytest.raises(PlayError) as caught:
            engine.start(checked, players, seed)
        assert case["fails"] in str(caught.value)
        return
    position = engine.start(checked, players, seed)
    for number, step in enumerate(case["steps"]):
        _step(position, step)
        saved = engine.from_bytes(checked, position.to_bytes())
        assert saved.canonical() == position.canonical()
        assert saved.decision == position.decision
        if number % 2:
            position = saved


def _step(position: Position, step: dict[str, Any]) -> None:
    assert step.keys() <= KEYS
    if "by" in step:
        assert position.decision is not None
        seat = position.decision.seat
        assert step["by"] == ("chance" if seat is None else seat)
    if "offers" in step:
        assert offers(position) == step["offers"]
    if "refuses" in step:
        before = position.to_bytes()
        with pytest.raises(PlayError) as caught:
            play(position, step["refuses"])
        assert step["because"] in str(caught.value)
        assert position.to_bytes() == before
    if "play" in step:
        play(position, step["play"])
    for expression, wanted in step.get("expect", {}).items():
        assert value(position, expression) == str(wanted), expression
    for expression, reason in step.get("fault", {}).items():
        with pytest.raises(PlayError, match=reason):
            value(position, expression)
    if "over" in step:
        assert position.decision is None
        assert position.winners == tuple(step["over"])
    if "cut_short" in step:
        assert position.cut_short == step["cut_short"]


def _chain(length: int) -> str:
    """Values of which each needs the one before, deep inside an expression."""
    first = "value f0() -> int: 1\n"
    body = "max(0, sum(((f{}() + 1) - 1) for p in players where seat(p) == 1))"
    lines = [f"value f{n}() -> int: {body.format(n - 1)}" for n in range(1, length)]
    return first + "\n".join(lines) + f"\naction game(): note(f{length - 1}())\n"


@on_every_engine
def test_values_may_need_each_other_deeply(engine: Engine) -> None:
    assert value(engine.start(game(_chain(faults.VALUES)), 2, 1), "log") == "1"
