"""Plans are kept without their programs and games."""

from __future__ import annotations

from functools import cache

import pytest

from rulesdsl.engine.lower import Plan, lower
from rulesdsl.engine.run.plans import dump_plan, restore_plan
from tests.engines.compiled.blank import game

NAMES = ("vault", "mosaic")


@cache
def plan(name: str) -> Plan:
    return lower(game(name), 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_plan_is_the_plan(name: str) -> None:
    one = plan(name)
    kept = restore_plan(dump_plan(one), game(name))
    assert kept.checked is game(name)
    for part in ("players", "points", "choices", "actions"):
        assert getattr(kept, part) == getattr(one, part)
    assert kept.program is None
    assert vars(kept.encoding) == vars(one.encoding)
    assert kept.encoding.game is game(name).game
    assert list(kept.states) == list(one.states)
    for key, table in kept.states.items():
        assert table.definition is game(name).states[key]
        assert table.tables == one.states[key].tables
        assert table.encoding is kept.encoding


@pytest.mark.parametrize("name", NAMES)
def test_the_game_is_not_written(name: str) -> None:
    content = dump_plan(plan(name))
    assert b"rulesdsl.language.model.checked" not in content
    assert b"rulesdsl.language.model.game" not in content
    # Of the program, its state tables alone.
    assert b"\x05Table\x94" in content
    assert b"\x08Function\x94" not in content
