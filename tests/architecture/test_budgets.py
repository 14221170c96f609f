"""The lines of each concern stay within its budget in `budgets.yaml`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tests.architecture.sources import PACKAGE, modules

DATA: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("budgets.yaml").read_text(encoding="utf-8")
)
HOMES: dict[str, str] = {
    path: each["concern"] for each in DATA["concerns"] for path in each["paths"]
}


def concern(module: Path) -> str:
    """The concern of a module: that of the longest path that leads to it."""
    place = module.relative_to(PACKAGE)
    for path in (place, *place.parents):
        if path.as_posix() in HOMES:
            return HOMES[path.as_posix()]
    raise AssertionError(f"{place} belongs to no concern in budgets.yaml")


def test_every_path_is_there_and_named_once() -> None:
    assert len(HOMES) == sum(len(each["paths"]) for each in DATA["concerns"])
    assert [path for path in HOMES if not (PACKAGE / path).exists()] == []


def test_no_concern_exceeds_its_budget() -> None:
    budgets = {each["concern"]: each["lines"] for each in DATA["concerns"]}
    for each in DATA["raised"]:
        assert each["reason"].strip(), each
        budgets[each["concern"]] = max(each["to"], budgets[each["concern"]])
    lines = Counter[str]()
    for path, _ in modules(PACKAGE):
        lines[concern(path)] += len(path.read_text(encoding="utf-8").splitlines())
    over = {
        name: f"{lines[name]} of {most}" for name, most in budgets.items() if lines[name] > most
    }
    assert not over, f"delete something, or raise the number with a reason: {over}"
    assert lines.keys() == budgets.keys()


def test_there_are_not_too_many_modules() -> None:
    assert len(modules(PACKAGE)) <= DATA["modules"]
