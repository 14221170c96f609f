"""What a hook reads and writes, by which hooks are found to meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.check.compose.effects import Effects, EffectTable
from rulesdsl.check.contents import contents
from tests.check.compose.fair import fair

CASES = yaml.safe_load((Path(__file__).parent / "effects.yaml").read_text(encoding="utf-8"))
ASK = """choice ask(p: player) by p:
    option fine: note(3)
    option bad
after settle(p): ask(p)
"""


def effects(does: str) -> Effects:
    found = fair({"east": f"after trade(p): {does}\n{ASK}"}).checked
    assert found is not None, does
    (hook,) = found.choices["fair/trade"].hooks.afters
    return EffectTable(contents(found)).of((hook.guard, hook.body))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["does"])
def test_effects(case: dict[str, Any]) -> None:
    found = effects(case["does"])
    assert sorted(found.writes) == case.get("writes", [])
    assert sorted(found.added) == case.get("added", [])
    reads = {column for column in found.reads if column not in ("faces", "links")}
    assert sorted(reads) == case.get("reads", [])


def columns(*names: str) -> frozenset[str]:
    return frozenset(names)


@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        (Effects(reads=columns("a")), Effects(reads=columns("a")), []),
        (Effects(reads=columns("a")), Effects(writes=columns("a")), ["a"]),
        (Effects(writes=columns("a")), Effects(writes=columns("a", "b")), ["a"]),
        (Effects(added=columns("a")), Effects(added=columns("a")), []),
        (Effects(added=columns("a")), Effects(reads=columns("a")), ["a"]),
        (Effects(added=columns("a")), Effects(writes=columns("a")), ["a"]),
        (Effects(writes=columns("a")), Effects(writes=columns("b")), []),
    ],
)
def test_who_meets_where(one: Effects, other: Effects, where: list[str]) -> None:
    assert sorted(one.meets(other)) == where
    assert sorted(other.meets(one)) == where
