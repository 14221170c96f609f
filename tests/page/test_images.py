"""Images of rulesets on the page, in a browser."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path
from shutil import copy

import pytest
from PIL import Image

from rulesdsl.page.write import page
from rulesdsl.play import load
from tests.architecture.sources import ROOT
from tests.page.node import browsed

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
    text = (GAMES / "draughts.yaml").read_text(encoding="utf-8")
    (tmp_path / "draughts.yaml").write_text(text + LOOKS, encoding="utf-8")
    (tmp_path / "man.svg").write_text(MAN, encoding="utf-8")
    Image.new("RGB", (400, 400), "#805030").save(tmp_path / "board.png")
    game = load(str(tmp_path / "draughts.yaml"), engine="reference")
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
