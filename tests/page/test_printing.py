"""Sheets in a real browser: pages of the right size, and backs behind their fronts."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from rulesdsl.play import load
from rulesdsl.show.draw.sheets import PAPERS, PrintLayout, print_sheets
from tests.draw.test_sheets import BACKS, COLOURS, cards
from tests.page.node import browsed

pytestmark = pytest.mark.xdist_group("browser")

LAYOUTS = {
    "long": PrintLayout(duplex="long", bleed=2, card=55),
    "short": PrintLayout(duplex="short", paper="letter", bleed=1, card=55),
}
_STEP = 6
_NAMES: dict[object, str] = {tuple(bytes.fromhex(fill[1:])): name for name, fill in COLOURS.items()}


def test_pages_have_the_size_of_the_paper_and_backs_lie_behind_their_fronts(tmp_path: Path) -> None:
    game = load(str(cards(tmp_path)), engine="python")
    tasks = []
    for name, layout in LAYOUTS.items():
        file = tmp_path / f"{name}.html"
        file.write_text(print_sheets(game, "en", layout, {"cards"}), encoding="utf-8")
        tasks.append({"name": name, "file": str(file)})
    found = browsed(Path(__file__).with_name("print.mjs"), tasks, tmp_path)
    for name, layout in LAYOUTS.items():
        sides = [
            Image.open(BytesIO(b64decode(each))).convert("RGB") for each in found[name]["sides"]
        ]
        assert found[name]["pages"] == len(sides) == 6, "two sheets of cards, one of tokens"
        ((_, _, *size),) = found[name]["sizes"]
        paper = PAPERS[layout.paper]
        assert [each / 72 * 25.4 for each in size] == pytest.approx(paper, abs=0.2)
        seen = Counter[str]()
        for front, back in zip(sides[::2], sides[1::2], strict=True):
            assert [each / 96 * 25.4 for each in front.size] == pytest.approx(paper, abs=0.6)
            for x in range(4, front.width - 4, _STEP):
                for y in range(4, front.height - 4, _STEP):
                    kind = _NAMES.get(front.getpixel((x, y)))
                    if kind is not None:
                        long = name == "long"
                        at = (front.width - 1 - x, y) if long else (x, front.height - 1 - y)
                        assert _NAMES.get(back.getpixel(at)) == BACKS[kind], (name, at)
                        seen[kind] += 1
        bled = (layout.card + 2 * layout.bleed) * (1.4 * layout.card + 2 * layout.bleed)
        for kind, count in {"ace": 5, "jack": 6, "king": 1}.items():
            area = seen[kind] * (_STEP * 25.4 / 96) ** 2
            assert area == pytest.approx(count * bled, rel=0.05), kind
