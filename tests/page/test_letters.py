"""Games by links, in two browsers from `file://`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import rulesdsl
from rulesdsl.show.page.write import page
from tools.environment import node

pytestmark = pytest.mark.xdist_group("browser")
SCRIPT = Path(__file__).with_name("letters.mjs")


def test_two_browsers_play_by_links_and_notice_altered_ones(tmp_path: Path) -> None:
    files = {}
    for name in ("base", "card_game"):
        files[name] = tmp_path / f"{name}.html"
        text = page(rulesdsl.load(name, engine="python"), [2])
        files[name].write_text(text, encoding="utf-8")
    given = {"file": str(files["base"]), "hidden": str(files["card_game"]), "turns": 6}
    out = tmp_path / "told.json"
    subprocess.run([node(), SCRIPT, out], input=json.dumps(given), text=True, check=True)
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["errors"] == []
    assert found["texts"] == [
        "Send this link to Red. Copy link",
        "Send this link to Blue. Copy link",
    ]
    told, before = found["told"], found["before"]
    altered = "Move 2 was altered in this link. The page shows the game as it knows it."
    assert told["careless"] == {"text": altered, "offered": False, "length": before}
    assert told["careful"] == {"text": altered, "offered": True, "length": before}
    assert told["start"]["text"] == "The start of the game was altered in this link."
    assert told["start"]["length"] == before < found["moves"]
    assert told["older"]["text"].startswith("This link is old")
    assert found["length"] == told["older"]["length"] == found["moves"]
    assert found["refused"].startswith("This game cannot be played by links")
    assert found["plain"] == "#1."
