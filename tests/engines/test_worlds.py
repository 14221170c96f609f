"""What the built-in functions, properties and effects do, case by case (worlds.yaml)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.builtins import FUNCTIONS, PROPERTIES
from tests.engines.worlds import EFFECTS, PositionTable, table
from tests.oracle import effects as oracle

TEXT = (Path(__file__).parent / "worlds.yaml").read_text(encoding="utf-8")
CASES: list[dict[str, Any]] = yaml.safe_load(TEXT)
ASKS = [(case, ask) for case in CASES for ask in case.get("ask", ())]
FAILS = [(case, fail) for case in CASES for fail in case.get("fail", ())]


def name(value: Any) -> str:
    return value if isinstance(value, str) else str(value["title"])


def prepared(case: dict[str, Any], engine: str) -> PositionTable:
    at = table(engine=engine)
    for step in case.get("do", ()):
        at.read(step)
    return at


on_every_engine = pytest.mark.parametrize("engine", ["python", "wasm"])


@on_every_engine
@pytest.mark.parametrize(("case", "ask"), ASKS, ids=name)
def test_what_is_asked_is_given(case: dict[str, Any], ask: str, engine: str) -> None:
    at = prepared(case, engine)
    assert at.show(at.read(ask)) == case["ask"][ask]


@on_every_engine
@pytest.mark.parametrize(("case", "fail"), FAILS, ids=name)
def test_what_cannot_be_done_fails_and_changes_nothing(
    case: dict[str, Any], fail: str, engine: str
) -> None:
    at = prepared(case, engine)
    before = at.held()
    with pytest.raises(PlayError, match=re.escape(case["fail"][fail])):
        at.read(fail)
    assert at.held() == before


def test_every_builtin_is_there_and_has_a_case() -> None:
    assert oracle.EFFECTS.keys() == EFFECTS
    used = {word for case in CASES for line in case.get("ask", ()) for word in words(line)}
    assert FUNCTIONS.keys() | {f".{name}" for name in PROPERTIES} <= used


def words(line: str) -> list[str]:
    return re.findall(r"\.?\w+(?=\()", line)
