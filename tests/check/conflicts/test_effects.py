"""What a hook reads and writes, by which hooks are found to meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.check.conflicts.effects import (
    ANY,
    RANGE,
    Column,
    ColumnPart,
    Effects,
    EffectTable,
)
from rulesdsl.language.check.graph import contents
from rulesdsl.language.model.values import EnumMember
from tests.check.conflicts.fair import fair

CASES = yaml.safe_load((Path(__file__).parent / "effects.yaml").read_text(encoding="utf-8"))
ASK = """choice ask(p: player) by p:
    option fine: note(3)
    option bad
after settle(p): ask(p)
action put(x: token, w: ware): move(x, stall[w])
after settle(p): put(the(x in purse), salt)
"""


def effects(does: str, also: str = "") -> Effects:
    found = fair({"east": f"after trade(p): {does}\n{also}\n{ASK}"}).checked
    assert found is not None, does
    (hook,) = found.choices["fair/trade"].hooks.afters
    table = EffectTable(found, contents(found))
    return table.of((hook.guard, hook.body), hook.params, hook.guard)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["does"])
def test_effects(case: dict[str, Any]) -> None:
    found = effects(case["does"], case.get("also", ""))
    assert written(found.writes) == case.get("writes", [])
    assert written(found.added) == case.get("added", [])
    hidden = ("faces", "links", *(() if case.get("ranges") else (RANGE,)))
    reads = [column for column in written(found.reads) if not column.startswith(hidden)]
    assert reads == case.get("reads", [])


def written(columns: frozenset[Column]) -> list[str]:
    """Columns with their parts: `place of figure: fair/house, *`."""
    return sorted(
        column.name
        + (f": {', '.join(map(part, column.parts))}" if set(column.parts) - {ANY} else "")
        for column in columns
    )


def part(part: ColumnPart) -> str:
    if part.values is None:
        return "*"
    values = (each.index if isinstance(each, EnumMember) else each for each in part.values)
    return "|".join(sorted(map(str, values)))


def columns(*names: str) -> frozenset[Column]:
    return frozenset(Column(name) for name in names)


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
