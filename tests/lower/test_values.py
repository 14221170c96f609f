"""Values of small games: the lowered program gives what the plain evaluator gives, and faults where
it faults."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from rulesdsl.engine.runtime import faults
from tests.engines.machine_games import game
from tests.lower.machine import FAULTED, Machine

CASES = yaml.safe_load((Path(__file__).parent / "test_values_cases.yaml").read_text("utf-8"))
GAME = "action game(): end_game(players)\n"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_values(case: dict[str, Any]) -> None:
    machine = Machine(game(case["rules"] + GAME, case.get("with")), case.get("players", 3))
    assert machine.compare() == machine.checked.values.keys()


def test_sets_that_grow_round_by_round_need_little_room() -> None:
    rules = """
    value flood(n: int) -> int:
        var seen: set of int = {0}
        var open: set of int = {0}
        while count(open) > 0:
            var new: set of int = {m in {0} where m < 0}
            for i in open:
                for j in {i + 1, i + 2}:
                    let both: set of int = {i, j}
                    if j < n: new += both - seen
            seen += new
            open = new
        count(seen)
    """
    machine = Machine(game(dedent(rules) + GAME), 2, heap=1000)
    assert machine.found("t/flood", (90,)) == machine.expected("t/flood", (90,)) == 90


def test_values_that_need_each_other_too_deeply() -> None:
    machine = Machine(game(chain(faults.VALUES + 1)), 2)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20 * faults.VALUES))
    try:
        assert machine.expected("t/f199", ()) == machine.found("t/f199", ()) == 1
        assert machine.expected("t/f200", ()) == FAULTED
        assert machine.found("t/f200", ()) == 1
    finally:
        sys.setrecursionlimit(limit)


def chain(length: int) -> str:
    """Values of which each needs the one before."""
    lines = [f"value f{n}() -> int: f{n - 1}()\n" for n in range(1, length)]
    return "value f0() -> int: 1\n" + "".join(lines) + GAME
