"""SVG as text: strangers' words, colours, icons, and pictures that are to stay as they are."""

from __future__ import annotations

import re
import struct
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rulesdsl.play import load
from rulesdsl.show.draw import Pieces, piece_svg, png, samples_svg, sheet_svg
from rulesdsl.show.draw.svg import (
    COLOURS,
    ICONS,
    PLAYERS,
    SIZE,
    document,
    of_players,
    text,
    wrapped,
)
from tests.draw.conftest import game

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden")
HOSTILE = "<script>alert('x')</script> & \"quoted\" \x00\x1b \ud800 ]]> тест 中文"


def test_words_are_never_markup() -> None:
    svg = document([text(HOSTILE, (50, 50), 10, 1000)], 100, 100, 1, HOSTILE)
    svg.encode()
    root = ElementTree.fromstring(svg)
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "text"]
    assert "<script>" in (root[0].text or "")
    assert "\\u{0}\\u{1b} \\u{d800}" in (root[1].text or "")


@pytest.mark.parametrize("words", ["one", "many words that take two lines", "中文" * 40, "x" * 300])
def test_words_keep_to_their_room(words: str) -> None:
    for line in wrapped(words, (50, 50), 12, 90):
        drawn = ElementTree.fromstring(line)
        wide = sum(1.05 if char > "\u2fff" else 0.57 for char in drawn.text or "")
        assert wide * float(drawn.attrib["font-size"]) <= 90.5


def test_hostile_labels_in_a_ruleset(tmp_path: Path) -> None:
    label = "</text><a href='javascript:1'>&amp;"
    (tmp_path / "cards.yaml").write_text(
        "ruleset: cards\nedition: 1\nversion: 1.0.0\nrules: cards.rules\n"
        "players: {min: 1, max: 1, colours: [red]}\n"
        "game: {play: game, finish: finish, score: player.score}\n"
        "zones: {bag: {holds: card, initial: true}}\n"
        "cards: [{id: one}]\n"
        f'labels: {{en: {{one: "{label}", red: Red}}}}\n',
        encoding="utf-8",
    )
    (tmp_path / "cards.rules").write_text(
        "state player.score: int 0..9 = 0\naction game(): finish()\n"
        "action finish(): end_game(players)\n",
        encoding="utf-8",
    )
    root = ElementTree.fromstring(piece_svg(load(tmp_path / "cards.yaml"), "cards/one"))
    assert not any(element.tag.endswith("}a") for element in root.iter())
    assert label in "".join(root.itertext()).replace("…", "") or "…" in "".join(root.itertext())


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.svg")), ids=lambda path: path.stem)
def test_golden_pictures(path: Path) -> None:
    """`rulesdsl show piece RULESET/ID --to FILE` writes one anew, to be looked at."""
    ruleset, _, id = path.stem.partition("+")
    names = (ruleset,) if ruleset.endswith("_game") else ("base", ruleset)
    loaded = game(*dict.fromkeys(names))
    assert piece_svg(loaded, f"{ruleset}/{id}", 300) == path.read_text(encoding="utf-8")


def test_pictures_of_the_page() -> None:
    """`rulesdsl show` with the arguments on the page writes them anew, to be looked at."""
    pictures = ROOT / "docs" / "pictures"
    assert (pictures / "icons.svg").read_text(encoding="utf-8") == samples_svg()
    loaded = game("base", "inns_and_cathedrals")
    kinds = [kind for kind in loaded.checked.game.kinds if kind.ruleset == "inns_and_cathedrals"]
    sheet = sheet_svg([(Pieces(loaded), kind) for kind in kinds if kind.outline is not None])
    assert (pictures / "tiles.svg").read_text(encoding="utf-8") == sheet


def test_there_are_golden_pictures() -> None:
    assert len(list(GOLDEN.glob("*.svg"))) == 6


def test_icons_keep_to_their_square() -> None:
    for name, icon in ICONS.items():
        for path in filter(None, (icon.body, icon.lines)):
            assert re.fullmatch(r"[MLHVCAZ0-9. ]+", path), name
            numbers = [float(each) for each in re.findall(r"[0-9.]+", path)]
            assert max(numbers) <= SIZE, name
        assert icon.body.endswith("Z")


def test_the_schema_and_the_page_name_all_icons_and_colours() -> None:
    schema = (ROOT / "schemas" / "ruleset.schema.json").read_text(encoding="utf-8")
    listed = re.search(r'"icon": \{.*?"enum": \[(.*?)\]', schema, re.S)
    assert listed is not None
    assert re.findall(r'"(\w+)"', listed[1]) == sorted(ICONS)
    colours = re.search(r'"\^\(#\[0-9a-f\]\{6\}\|(.*?)\)\$"', schema)
    assert colours is not None
    assert colours[1].split("|") == sorted(COLOURS)
    page = (ROOT / "docs" / "reference" / "drawing.md").read_text(encoding="utf-8")
    for name in (*ICONS, *COLOURS):
        assert f"`{name}`" in page, name


def test_players_have_colours_that_differ() -> None:
    names = ["red", "teal", "blue", "crimson", "black"]
    found = of_players(names, [None, "#123456", None, None, None])
    assert found[:2] == [PLAYERS["red"], "#123456"]
    assert found[2] == PLAYERS["blue"]
    assert len(set(found)) == len(found)
    many = of_players([f"p{number}" for number in range(12)], [None] * 12)
    assert len(set(many[:10])) == 10


# Machado, Oliveira, Fernandes 2009: no red, no green.
BLIND = {
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
}


@pytest.mark.parametrize("kind", BLIND)
def test_colours_of_players_are_told_apart_by_the_colour_blind(kind: str) -> None:
    seen = {name: _lightness(code, BLIND[kind]) for name, code in PLAYERS.items()}
    five = ["red", "blue", "green", "yellow", "black"]
    for one, other in combinations(five, 2):
        apart = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        assert apart > 0.15, (one, other)


def _lightness(code: str, matrix: tuple[tuple[float, ...], ...]) -> list[float]:
    plain = [(int(code[at : at + 2], 16) / 255) ** 2.2 for at in (1, 3, 5)]
    mixed = (sum(a * b for a, b in zip(row, plain, strict=True)) for row in matrix)
    return [max(0.0, each) ** (1 / 2.2) for each in mixed]


def test_png_has_the_size_of_the_svg() -> None:
    data = png(piece_svg(game("base"), "base/road-curve", 60))
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (60, 60)
    assert data == png(piece_svg(game("base"), "base/road-curve", 60))


def test_png_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"rulesdsl\[pictures\]"):
        png("<svg/>")


def test_no_picture_is_larger_than_memory() -> None:
    with pytest.raises(ValueError, match="pixels"):
        png(document([], 100, 100, 1000, "large"))
