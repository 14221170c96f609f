"""Sheets to print: sizes, places, backs on the reverse, and settings that cannot be."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from rulesdsl.cli.main import main
from rulesdsl.play import Game, load
from rulesdsl.show.draw import piece_svg
from rulesdsl.show.draw.sheets import PAPERS, PrintLayout, print_sheets
from tests.architecture.sources import ROOT

CARDS = """\
ruleset: cards
edition: 1
version: 1.0.0
requires: [base]
zones:
  deck: {holds: card, visible: none, initial: true}
  chest: {holds: token, initial: true}
cards:
  - {id: ace, count: 5}
  - {id: jack, count: 6}
  - {id: king, count: 1}
tokens:
  - {id: coin, count: 3}
draw:
  ace: {image: ace.svg, back: low.svg}
  jack: {image: jack.svg, back: low.svg}
  king: {image: king.svg, back: high.svg}
"""
COLOURS = {"ace": "#ff0000", "jack": "#00ff00", "king": "#0000ff", "low": "#ffff00",
           "high": "#ff00ff"}  # fmt: skip
BACKS = {"ace": "low", "jack": "low", "king": "high"}
Rectangle = tuple[float, float, float, float]


def cards(folder: Path) -> Path:
    """An expansion of cards whose images, fronts and backs, are plain colours."""
    for name, fill in COLOURS.items():
        path = f'<path fill="{fill}" d="M0 0H50V70H0Z"/>'
        image = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 70">{path}</svg>'
        (folder / f"{name}.svg").write_text(image, encoding="utf-8")
    (folder / "cards.yaml").write_text(CARDS, encoding="utf-8")
    return folder / "cards.yaml"


class Sheets:
    """The sheets of a page as elements, with the parts to which they refer."""

    def __init__(self, page: str) -> None:
        *_, defined = re.findall(r"^<defs>$.*?^</defs>", page, re.DOTALL | re.MULTILINE)
        self.parts = {each.attrib["id"]: each for each in Xml.fromstring(defined)}
        found = re.findall(r"^<svg xmlns.*?^</svg>", page, re.DOTALL | re.MULTILINE)
        self.sides = [Xml.fromstring(re.sub(r' xmlns="[^"]*"', "", each)) for each in found]

    def size(self, id: str) -> tuple[float, float]:
        """The width and height of a part, without its bleed."""
        part = self.parts[id]
        scale = re.fullmatch(r"scale\((.*)\)", part[0].get("transform", ""))
        if scale is not None:
            inner = part[0][0].attrib
            return float(inner["width"]) * float(scale[1]), float(inner["height"]) * float(scale[1])
        uses = [each.attrib["href"] for each in part[0] if each.tag == "use"]
        return self.size(uses[-1].removeprefix("#"))

    def placed(self, side: Xml.Element) -> Iterator[tuple[str, Rectangle]]:
        """The parts on a side, with left, top, right and bottom."""
        width, height = map(float, side.attrib["viewBox"].split()[2:])
        for group in side:
            turned = group.get("transform", "").startswith("rotate(180")
            for each in group if turned else [group]:
                if each.tag == "g" and each[0].tag == "use":
                    x, y = map(float, re.findall(r"[-0-9.]+", each.attrib["transform"]))
                    id = each[0].attrib["href"].removeprefix("#")
                    wide, high = self.size(id)
                    box = (x, y, x + wide, y + high)
                    if turned:
                        box = (width - box[2], height - box[3], width - x, height - y)
                    yield id, box


def named(sheets: Sheets, id: str) -> set[str]:
    """The images that a part draws."""
    text = Xml.tostring(sheets.parts[id], encoding="unicode")
    found = set(re.findall(r"#(art-\w+)", text))
    for other in re.findall(r"#(part\.\d+)", text):
        found |= named(sheets, other)
    return found


@pytest.fixture(scope="module")
def base() -> Game:
    return load("base", ["inns_and_cathedrals"], engine="python")


def test_cards_without_the_back_of_others_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = cards(tmp_path)
    to = ["--duplex", "long", "--to", str(tmp_path / "sheets.html")]
    assert main(["print", str(file), *to]) == 0
    assert "warning" not in capsys.readouterr().err
    file.write_text(CARDS.replace("king.svg, back: high.svg", "king.svg"), encoding="utf-8")
    assert main(["print", str(file), *to]) == 0
    assert "`ace` has a `back`, but not `king` of the same size" in capsys.readouterr().err


@pytest.mark.parametrize("edge", ["long", "short"])
@pytest.mark.parametrize(("paper", "bleed"), [("a4", 0.0), ("letter", 2.5)])
def test_fronts_and_backs_lie_on_each_other(
    base: Game, tmp_path: Path, paper: str, edge: str, bleed: float
) -> None:
    layout = PrintLayout(paper=paper, duplex=edge, bleed=bleed)
    own = load(str(cards(tmp_path)), engine="python")
    width, height = PAPERS[paper]
    for game, sets in ((base, None), (own, {"cards"})):
        sheets = Sheets(print_sheets(game, "en", layout, sets))
        assert len(sheets.sides) % 2 == 0
        pairs = Counter[tuple[str, str]]()
        for front, back in zip(sheets.sides[::2], sheets.sides[1::2], strict=True):
            there = {}
            for id, (left, top, right, bottom) in sheets.placed(back):
                # Seen from the front, through the paper, the reverse is mirrored.
                if edge == "long":
                    box = (width - right, top, width - left, bottom)
                else:
                    box = (left, height - bottom, right, height - top)
                there[tuple(round(each, 1) for each in box)] = id
            for id, rectangle in sheets.placed(front) if there else ():
                pairs[id, there.pop(tuple(round(each, 1) for each in rectangle))] += 1
            assert not there, "nothing lies behind no piece"
        assert len({front for front, _ in pairs}) == len(pairs), "a piece has one back"
        if sets:
            backs = {next(iter(named(sheets, f))): next(iter(named(sheets, b)))
                     for f, b in pairs if named(sheets, f)}  # fmt: skip
            styles = game.checked.game.styles
            art = {
                name: f"art-{picture.artwork.digest[:16]}"
                for kind in BACKS
                for name, picture in (
                    (kind, styles[f"cards/{kind}"].image),
                    (BACKS[kind], styles[f"cards/{kind}"].back),
                )
                if picture
            }
            assert backs == {art[front]: art[back] for front, back in BACKS.items()}
            assert sum(pairs.values()) == 15
        else:
            tiles = [piece for piece in game.checked.game.pieces
                     if game.checked.game.kinds[piece.kind].cls == "tile"]  # fmt: skip
            assert sum(pairs.values()) == len(tiles)
            assert len({back for _, back in pairs}) == 1, "backs tell nothing"


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("bleed", [0.0, 3.0])
def test_nothing_is_cut_by_the_margin(base: Game, paper: str, bleed: float) -> None:
    sheets = Sheets(print_sheets(base, "en", PrintLayout(paper=paper, bleed=bleed, margin=6)))
    width, height = PAPERS[paper]
    for side in sheets.sides:
        assert side.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
        boxes = [box for _, box in sheets.placed(side)]
        bled = bleed * any(sheets.parts[id][0].tag == "svg" for id, _ in sheets.placed(side))
        for left, top, right, bottom in boxes:
            assert min(left, top) - bled >= 6 + 5 - 0.06, "marks are within the margin"
            assert right + bled <= width - 11 + 0.06
            assert bottom + bled <= height - 11 + 0.06
        for number, (left, top, right, bottom) in enumerate(boxes):
            for a, b, c, d in boxes[:number]:
                apart = (a - right, left - c, b - bottom, top - d)
                assert max(apart) >= 2 * bled - 0.06, "no piece lies in the bleed of another"


def test_there_are_as_many_as_in_the_box_at_their_true_size(base: Game) -> None:
    page = print_sheets(base)
    sheets = Sheets(page)
    sizes = Counter(
        tuple(round(each, 1) for each in sheets.size(id))
        for side in sheets.sides
        for id, _ in sheets.placed(side)
    )
    box = base.checked.game
    classes = Counter(box.kinds[piece.kind].cls for piece in box.pieces)
    assert sizes == {(45, 45): classes["tile"], (20, 56): classes["figure"]}
    assert page == print_sheets(base)
    only = Sheets(print_sheets(base, sets={"inns_and_cathedrals"}))
    tiles = [piece for piece in box.pieces
             if (kind := box.kinds[piece.kind]).ruleset == "inns_and_cathedrals"
             and kind.cls == "tile"]  # fmt: skip
    assert sum(only.size(id) == (45, 45) for id, _ in only.placed(only.sides[0])) == len(tiles)


def test_boards_are_cut_into_parts() -> None:
    game = load(str(ROOT / "tests" / "games" / "draughts.yaml"), engine="python")
    page = print_sheets(game, layout=PrintLayout(paper="a4", margin=5, token=20))
    boxes = re.findall(r'width="100" height="200" viewBox="(.*?)"', page)
    assert boxes == ["0 0 100 200", "100 0 100 200"], "cells of 25 mm, on paper with 190 mm"
    small = print_sheets(game, layout=PrintLayout(token=15))
    assert 'viewBox="0 0 160 160"' in small


def test_a_die_is_a_net_or_stickers() -> None:
    game = load("dice_game", engine="python")
    dice = [game.checked.game.kinds[each.kind] for each in game.checked.game.pieces]
    dice = [kind for kind in dice if kind.cls == "die"]
    sizes = {}
    for fold in (False, True):
        sheets = Sheets(print_sheets(game, layout=PrintLayout(fold=fold)))
        sizes[fold] = Counter(
            tuple(round(each, 1) for each in sheets.size(id))
            for side in sheets.sides
            for id, _ in sheets.placed(side)
        )
    assert sizes[False][16, 16] == 6 * len(dice)
    assert sizes[True][73.6, 57.6] == len(dice), "four faces by three, and tabs of 0.3 of a face"


@pytest.mark.parametrize(
    ("arguments", "said", "help"),
    [
        (["--bleed", "-1"], "`--bleed -1` is out of range", "use 0 to 10 millimetres"),
        (["--margin", "nan"], "`--margin nan` is out of range", "use 0 to 30 millimetres"),
        (["--tile", "wide"], "`wide` is not a number of millimetres", "--help"),
        (["--tile", "300"], "takes 300 x 300 mm, and a sheet has room for 190 x 277 mm",
         "use `--tile 190` or less"),
        (["--tile", "190", "--bleed", "1"], "takes 192 x 192 mm", "use `--tile 188` or less"),
        (["--paper", "a5"], "a4", "letter"),
    ],
)  # fmt: skip
def test_impossible_settings_say_what_to_type(
    arguments: list[str], said: str, help: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["print", "base", *arguments]) == 2
    found = capsys.readouterr().err
    assert said in found
    assert help in found


def test_the_bleed_of_an_image_is_printed_and_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cards(tmp_path)
    text = path.read_text("utf-8").replace("ace.svg", "ace.svg, bleed: 5")
    path.write_text(text, encoding="utf-8")
    game = load(str(path), engine="python")
    ace = next(kind for kind in game.checked.game.kinds if kind.name == "ace")
    assert 'width="100" height="140" viewBox="5 5 40 60"' in piece_svg(game, ace)
    rim = 5 * 100 / 40
    own = f'x="-{rim}" y="-{rim}" width="{100 + 2 * rim:g}" height="{140 + 2 * rim:g}"'
    bled = print_sheets(game, layout=PrintLayout(bleed=3), sets={"cards"})
    assert f'{own} viewBox="0 0 50 70"' in bled
    assert own not in print_sheets(game, sets={"cards"})
    path.write_text(text.replace("bleed: 5", "bleed: 25"), encoding="utf-8")
    assert main(["check", str(path), "--no-play"]) == 1
    assert "a bleed of 25 leaves nothing of 50 x 70 pixels" in capsys.readouterr().out


def test_an_expansion_is_printed_alone_and_always_alike(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(cards(tmp_path))
    assert main(["print", path]) == 0
    here = capfd.readouterr().out
    command = [sys.executable, "-m", "rulesdsl", "print", path]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert there.stdout.decode() == here
    sheets = Sheets(here)
    assert sum(len(list(sheets.placed(side))) for side in sheets.sides) == 15
    assert main(["print", "base", "--with", path]) == 0
    assert len(Sheets(capfd.readouterr().out).sides) > len(sheets.sides)
