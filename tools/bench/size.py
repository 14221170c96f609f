"""Time to check rulesets, by their size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tools.bench.building import build_anew
from tools.bench.large import write
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan

CHECK = "check"


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for the base ruleset, and for generated ones of more and more tiles."""
    build_anew(plan.base.path)  # so that no round loads the grammar
    manifests = {"base": plan.base.path}
    for tiles in plan.effort.tiles:
        folder = plan.scratch / f"large_{tiles}"
        folder.mkdir()
        manifests[made_up(tiles)] = write(folder, tiles)
    return [Task(name, partial(_check, plan, name, path)) for name, path in manifests.items()]


def made_up(tiles: int) -> str:
    """Return the name of a generated ruleset."""
    return f"{tiles} tiles"


def _check(plan: Plan, name: str, path: Path, _: int) -> Iterator[Reading]:
    began = plan.clock()
    checked = build_anew(path)
    spent = plan.clock() - began
    texts = [each.rules.text for each in checked.game.rulesets if each.rules is not None]
    lines = sum(len(text.splitlines()) for text in texts)
    yield Reading(name, f"{lines} lines", CHECK, spent, Unit.TIME)
