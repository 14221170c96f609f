"""docs/reference/wasm.md: its example plays, and its tables name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import rulesdsl
from rulesdsl.engine.lower.plan import ENTRIES
from rulesdsl.engine.run.wasm.engine import exported
from rulesdsl.engine.run.wasm.layout import FAULT, LOAD, MEMORY, SAVE
from tests.page.node import printed
from tests.rulesets.shipped import game

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "wasm.md").read_text(encoding="utf-8")


def test_the_example_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (python,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    (script,) = re.findall(r"^```js\n(.*?)^```$", PAGE, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    exec(python, {})
    Path("play.mjs").write_text(script, encoding="utf-8")
    games = rulesdsl.load("base").playouts(range(5), 2, seed=42)
    assert printed("play.mjs").splitlines() == [
        f"{each.moves} moves, {' to '.join(map(str, each.scores))}" for each in games
    ]


def test_what_the_tables_name_is_there() -> None:
    module, layout = exported(game("base").checked, 2)
    first = re.findall(r"^\| (`.*?`) \|", PAGE, re.M)
    named = {word for cell in first for word in re.findall(r"`(\w+)", cell)}
    described, exports = json.loads(layout), {MEMORY, FAULT, SAVE, LOAD, *ENTRIES}
    assert described.keys() <= named <= described.keys() | exports
    for key in described["tables"]["moves"]:
        assert f"`{key}`" in PAGE
    assert all(name.encode() in module for name in named & exports)
    assert {MEMORY, FAULT, SAVE, LOAD, "start", "play", "playouts"} <= named
