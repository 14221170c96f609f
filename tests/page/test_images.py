"""Images of rulesets on the page, in a browser."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path
from shutil import copy

import pytest
from PIL import Image

from rulesdsl.play import load
from rulesdsl.show.page.write import page
from tests.architecture.sources import ROOT
from tests.page.node import browsed
from tools.docs.examples import tasks

pytestmark = pytest.mark.xdist_group("browser")
GAMES = ROOT / "tests" / "games"
LOOKS = """\
draw:
  board: {image: board.png}
  man: {image: man.svg, mask: true}
"""
MAN = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path d="M0 0H40V40Z"/></svg>'


def test_the_page_shows_images(tmp_path: Path) -> None:
    copy(GAMES / "draughts.rules", tmp_path)
    text = (GAMES / "draughts.yaml").read_text(encoding="utf-8").partition("enums:")[0]
    (tmp_path / "draughts.yaml").write_text(text + LOOKS, encoding="utf-8")
    (tmp_path / "man.svg").write_text(MAN, encoding="utf-8")
    Image.new("RGB", (400, 400), "#805030").save(tmp_path / "board.png")
    game = load(str(tmp_path / "draughts.yaml"), engine="python")
    (tmp_path / "game.html").write_text(page(game, [2]), encoding="utf-8")
    file = str(tmp_path / "game.html")
    task = {"name": "images", "task": "look", "steps": "images", "file": file}
    found = browsed(
        Path(__file__).with_name("browser.mjs"), [{**task, "seats": "human,human"}], tmp_path
    )["images"]
    assert found["errors"] == []
    found = found["found"]
    assert sorted(found["decoded"]) == [[40, 40], [400, 400]]
    assert found["masks"] == 2
    assert found["pieces"] == 24
    with Image.open(BytesIO(b64decode(found["corner"]))) as corner:
        pixel = corner.convert("RGB").getpixel((0, 0))
    assert isinstance(pixel, tuple)
    assert max(abs(a - b) for a, b in zip(pixel, (0x80, 0x50, 0x30), strict=True)) < 6


def test_the_page_lays_tracks_and_zones_on_boards(tmp_path: Path) -> None:
    """The how-to with a race: spaces in a ring around the market, and a ship that goes there."""
    pages = tasks(ROOT / "docs" / "how-to" / "boards.md")
    (task,) = (each for each in pages if each["main"] == "voyage.yaml")
    for name, text in task["files"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    game = load(str(tmp_path / "voyage.yaml"), engine="python")
    file = tmp_path / "game.html"
    file.write_text(page(game, [2]), encoding="utf-8")
    told = {"name": "boards", "task": "look", "steps": "boards", "file": str(file), "check": True}
    script = Path(__file__).with_name("browser.mjs")
    found = browsed(script, [{**told, "seats": "human,human"}], tmp_path)["boards"]
    assert (found["errors"], found["findings"]) == ([], [])
    found = found["found"]
    assert {"Lisbon", "Malta", "Corfu", "Crete", "Market"} <= set(found["names"])
    ((left, top),) = found["zone"]
    far = [((x - left) ** 2 + (y - top) ** 2) ** 0.5 for x, y in found["spaces"]]
    assert len(far) == 16
    assert max(far) - min(far) < 0.02 * max(far), "the market is in the middle of the ring"
    x, y = found["target"]
    assert any(abs(a - x) + abs(b - y) < 40 for a, b in found["moved"])
    assert (found["below"], found["tracks"]) == (1, 0), "only the die is shown below the board"
