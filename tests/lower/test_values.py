"""Values of small games: the lowered program gives what the readable engine gives, faults where it
faults, and takes the same fuel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lower.machine import Machine
from tests.run.machine_games import game

CASES = yaml.safe_load((Path(__file__).parent / "test_values_cases.yaml").read_text("utf-8"))
GAME = "action game(): end_game(players)\n"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_values(case: dict[str, Any]) -> None:
    machine = Machine(game(case["rules"] + GAME, case.get("with")), case.get("players", 3))
    assert machine.compare() == machine.checked.values.keys()
