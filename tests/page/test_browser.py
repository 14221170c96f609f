"""The page in a real browser: whole games from `file://`, without a network."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import rulesdsl
from rulesdsl.diagnostics import Source
from rulesdsl.page.write import page
from rulesdsl.play.records import check_origin, read_record, replay
from tests.page.node import NODE

SCRIPT = Path(__file__).with_name("browser.mjs")
GAMES = {
    "base": ("base", ["river", "robbers"]),
    "cards": ("card_game", []),
    "dice": ("dice_game", []),
}
PHONE = [390, 844]


def run(tasks: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Return what a browser finds in these tasks, by their names."""
    out = folder / "told.json"
    done = subprocess.run(
        [NODE, SCRIPT, out],
        input=json.dumps(tasks),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return told


@pytest.fixture(scope="module")
def games() -> dict[str, rulesdsl.Game]:
    return {name: rulesdsl.load(*given, engine="reference") for name, given in GAMES.items()}


@pytest.fixture(scope="module")
def pages(
    games: dict[str, rulesdsl.Game], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    for name, game in games.items():
        (folder / f"{name}.html").write_text(page(game, [2]), encoding="utf-8")
    return {name: str(folder / f"{name}.html") for name in games}


@pytest.fixture(scope="module")
def told(pages: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the browser finds in all tasks of this module, played in one browser."""
    folder = tmp_path_factory.mktemp("told")
    tasks = [
        {"name": "mouse", "task": "play", "file": pages["base"], "way": "mouse",
         "seats": "human,random", "check": True, "picture": str(folder / "mouse.png")},
        {"name": "keyboard", "task": "play", "file": pages["cards"], "way": "keyboard",
         "seats": "human,random", "check": True, "picture": str(folder / "keyboard.png")},
        {"name": "touch", "task": "play", "file": pages["dice"], "way": "touch", "moves": 60,
         "seats": "human,random", "size": PHONE, "touch": True, "check": True,
         "picture": str(folder / "touch.png")},
    ]  # fmt: skip
    return run(tasks, folder)


@pytest.mark.parametrize(
    ("name", "game"), [("mouse", "base"), ("keyboard", "cards"), ("touch", "dice")]
)
def test_a_game_is_played_and_recorded(
    name: str, game: str, told: dict[str, Any], games: dict[str, rulesdsl.Game]
) -> None:
    found = told[name]
    assert "failed" not in found, found["failed"]
    assert found["errors"] == []
    assert found["findings"] == []
    record = read_record(Source("game.jsonl", found["record"]))
    check_origin(record, games[game])
    *_, (state, _) = replay(record, games[game])
    assert list(state.scores().values()) == found["scores"]
    assert (state.mover is None) == found["over"]
    assert found["over"] or name == "touch"
