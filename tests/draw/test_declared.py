"""What `draw` in a manifest declares is what is drawn."""

from __future__ import annotations

import re
import struct
import sys
import zlib
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from PIL import Image

from rulesdsl.language.diagnostics import RulesError
from rulesdsl.play import Game, load
from rulesdsl.show.draw import Pieces, piece_svg, sheet_svg
from rulesdsl.show.draw.svg import COLOURS, ICONS, PLAYERS, distance
from rulesdsl.show.page.plan import shared
from tests.draw.conftest import ODD

ADDRESS = re.compile('data:([a-z/]+);base64,([^"]+)')


@pytest.fixture
def declared(tmp_path: Path) -> Any:
    """Loads the game that declares nothing, with looks added to it."""

    def made(draw: dict[str, Any], **more: Any) -> Game:
        manifest = yaml.safe_load(ODD.read_text(encoding="utf-8")) | {"draw": draw} | more
        file = tmp_path / "odd.yaml"
        file.write_text(yaml.safe_dump(manifest), encoding="utf-8")
        (tmp_path / "odd.rules").write_text(ODD.with_suffix(".rules").read_text("utf-8"), "utf-8")
        return load(file)

    return made


CASES: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("a ribbon", {"rail": {"fill": "#123456", "edge": "ink", "width": 20}}, "a",
     ['stroke="#123456" stroke-width="20"', 'stroke="#2b2622" stroke-width="24.4"']),
    ("an area", {"town": {"fill": "stone", "edge": "#654321"}}, "d",
     [f'fill="{COLOURS["stone"]}"', 'stroke="#654321"']),
    ("two fills", {"plain": {"fill": "sand"}, "water": {"fill": "#0000aa"}}, "a",
     [f'height="100" fill="{COLOURS["sand"]}"', 'Z" fill="#0000aa"']),
    ("what lies inside", {"mine": {"icon": "gem", "fill": "sky", "width": 40}}, "b",
     [ICONS["gem"].body, f'fill="{COLOURS["sky"]}"']),
    ("an attribute of segments", {"rich": {"icon": "coin"}}, "d", [ICONS["coin"].body]),
    ("a number beside an icon", {"toll": {"icon": "coin"}}, "c", [ICONS["coin"].body, ">3</text>"]),
    ("a number alone", {"toll": {"fill": "yellow"}}, "c", [">3</text>", PLAYERS["yellow"]]),
    ("letters", {"toll": {"text": "xy"}}, "c", [">xy3</text>"]),
    ("a figure in the colour of its owner", {"boss": {"icon": "crown"}}, "boss",
     [ICONS["crown"].body, f'fill="{PLAYERS["blue"]}"']),
    ("a colour of a player", {"teal": {"fill": "#00aaaa"}}, "boss", ['fill="#00aaaa"']),
    ("a token", {"chip": {"icon": "star", "fill": "red"}}, "chip",
     [ICONS["star"].body, f'fill="{PLAYERS["red"]}"']),
    ("a mark of a tile itself", {"a": {"icon": "flag"}}, "a", [ICONS["flag"].body]),
    ("a tile coloured by an attribute", {"lucky": {"at": "ground", "fill": "purple"}}, "c",
     [f'height="100" fill="{PLAYERS["purple"]}"']),
]  # fmt: skip


@pytest.mark.parametrize(("why", "draw", "piece", "found"), CASES, ids=[case[0] for case in CASES])
def test_looks(declared: Any, why: str, draw: Any, piece: str, found: list[str]) -> None:
    plain = piece_svg(load(ODD), f"odd/{piece}")
    svg = piece_svg(declared(draw), f"odd/{piece}")
    for text in found:
        assert text in svg
    assert svg != plain


def test_what_is_shown_nowhere(declared: Any) -> None:
    assert ">L</text>" in piece_svg(load(ODD), "odd/h")
    assert ">L</text>" not in piece_svg(declared({"lucky": {"at": "nowhere"}}), "odd/h")


def test_members_and_cards(declared: Any) -> None:
    game = declared(
        {
            "suit": {"at": "ground"},
            "suit.cup": {"fill": "plum", "icon": "mug"},
            "rank": {"at": "middle"},
            "rank.king": {"icon": "crown"},
        },
        enums={"suit": ["cup", "sword"], "rank": ["king", "page"]},
        attributes=yaml.safe_load(ODD.read_text(encoding="utf-8"))["attributes"]
        | {"suit": {"of": "card", "type": "suit"}, "rank": {"of": "card", "type": "rank"}},
        zones={"bag": {"holds": "tile", "initial": True},
               "deck": {"holds": "card", "initial": True},
               "hand": {"holds": "figure", "per": "player", "initial": True},
               "pool": {"holds": "token", "initial": True}},
        cards=[{"id": "one", "suit": "cup", "rank": "king"},
               {"id": "two", "suit": "sword", "rank": "page"}],
    )  # fmt: skip
    one, two = (piece_svg(game, f"odd/{name}") for name in ("one", "two"))
    assert ICONS["mug"].body in one
    assert ICONS["crown"].body in one
    assert f'rx="9" fill="{COLOURS["plum"]}"' in one
    assert ICONS["mug"].body not in two
    assert f'rx="9" fill="{COLOURS["cream"]}"' in two


def test_kinds_without_a_look_differ() -> None:
    looks = Pieces(load(ODD)).looks
    for shape in ("line", "area", "fill", "inside"):
        fills = [each.fill for each in looks.grounds.values() if each.shape.value == shape]
        assert len(set(fills)) == len(fills) == 2


def test_dice_have_their_colour(declared: Any) -> None:
    zones = yaml.safe_load(ODD.read_text(encoding="utf-8"))["zones"]
    game = declared(
        {"fate": {"fill": "plum", "edge": "#112233"}, "fate.luck": {"icon": "star"}},
        dice=[{"id": "fate", "count": 1, "faces": [{"id": "luck"}, {"id": "doom"}]}],
        zones=zones | {"cup": {"holds": "die", "initial": True}},
    )
    svg = piece_svg(game, "odd/fate")
    assert svg.count(f'fill="{COLOURS["plum"]}" stroke="#112233"') == 2
    assert ICONS["star"].body in svg


@pytest.fixture
def painted(declared: Any, tmp_path: Path) -> Any:
    """Loads the game with looks that name `art/plain.svg` and `art/sheet.png`."""
    (tmp_path / "art").mkdir()
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path d="M0 0H40V40Z"/></svg>'
    )
    (tmp_path / "art" / "plain.svg").write_text(svg, encoding="utf-8")
    noise = Image.effect_noise((400, 200), 40).resize((800, 400))
    sheet = Image.merge("RGB", (noise, noise.rotate(180), noise))
    sheet.save(tmp_path / "art" / "sheet.png")
    return declared


PLAIN = {"image": "art/plain.svg"}
SHEET = {"sheet": "art/sheet.png", "cell": [2, 1], "size": 200}


@pytest.mark.parametrize(
    ("draw", "piece", "found"),
    [
        ({"a": PLAIN}, "a", ['width="100" height="100" viewBox="0 0 40 40"', "slice"]),
        ({"a": SHEET}, "a", ['width="100" height="100" viewBox="400 200 200 200"', "slice"]),
        ({"mine": PLAIN}, "b", ['width="36" height="36" viewBox="0 0 40 40"', "meet"]),
        ({"toll": PLAIN}, "c", ['viewBox="0 0 40 40"', ">3</text>"]),
        ({"boss": {**PLAIN, "mask": True}}, "boss", [f'fill="{PLAYERS["blue"]}" mask="url(#art-']),
        (
            {"boss": PLAIN},
            "boss",
            [f'<circle cx="73.7" cy="73.7" r="15.1" fill="{PLAYERS["blue"]}"'],
        ),
        ({"chip": SHEET}, "chip", ['width="100" height="100" viewBox="400 200 200 200"']),
    ],
)
def test_images(painted: Any, draw: Any, piece: str, found: list[str]) -> None:
    svg = piece_svg(painted(draw), f"odd/{piece}")
    for text in (*found, 'href="#art-'):
        assert text in svg
    assert svg.count(";base64,") == 1
    ElementTree.fromstring(svg)


def test_an_image_is_as_large_as_it_is_shown(painted: Any) -> None:
    large = {**SHEET, "cell": [0, 0], "size": 400}
    (image,) = ADDRESS.findall(piece_svg(painted({"a": large}), "odd/a"))
    with Image.open(BytesIO(b64decode(image[1]))) as small:
        assert (image[0], small.format, small.size) == ("image/webp", "WEBP", (600, 300))


def test_without_pillow_an_image_is_as_it_was(
    painted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    (image,) = ADDRESS.findall(piece_svg(painted({"a": SHEET}), "odd/a"))
    assert image[0] == "image/png"
    assert b64decode(image[1]) == (tmp_path / "art" / "sheet.png").read_bytes()


def test_a_png_that_cannot_be_decoded_is_reported(painted: Any, tmp_path: Path) -> None:
    file = tmp_path / "art" / "sheet.png"
    whole = file.read_bytes()
    at = whole.index(b"IDAT")
    broken = b"IDAT" + whole[at + 4 : at + 60] + bytes(2000)
    part = struct.pack(">I", len(broken) - 4) + broken + struct.pack(">I", zlib.crc32(broken))
    file.write_bytes(whole[: at - 4] + part + whole[-12:])
    with pytest.raises(RulesError, match=r"sheet\.png` cannot be decoded"):
        piece_svg(painted({"a": SHEET}), "odd/a")


def test_figures_stand_where_the_drawing_says(declared: Any) -> None:
    game = declared({"d": {"stands": {"town": {"N": [61, 13]}}}})
    pieces = Pieces(game)
    kinds = game.checked.game.kinds
    index = next(i for i, kind in enumerate(kinds) if kind.name == "d")
    tile = pieces.tile(index)
    town = tile.outline.called("odd/town", "N")
    assert town is not None
    room = tile.room()
    first, second = room.stand(town, 29), room.stand(town, 29)
    assert first == (61, 13)
    assert second != first
    others = [room.stand(each, 29) for each in range(len(tile.outline.segments)) if each != town]
    assert all(distance(each, first) > 20 for each in others), "the place is kept free"
    spots = shared(game)["kinds"][index]["drawn"][""]["spots"]
    assert spots[town][0] == [61, 13], "the page has the same place"
    assert 'cx="61" cy="13"' in piece_svg_over(game, index)
    assert [room.stand(town, 29) for room in [Pieces(declared({})).tile(index).room()]] != [first]


def piece_svg_over(game: Game, index: int) -> str:
    """The drawing of a tile with what the rules know of it."""
    return "".join(Pieces(game, over=True).draw(game.checked.game.kinds[index])[0])


def test_a_sheet_and_a_board_embed_an_image_once(painted: Any) -> None:
    pieces = Pieces(painted({"a": SHEET, "b": SHEET, "c": {**SHEET, "cell": [0, 0]}}))
    kinds = pieces.game.checked.game.kinds
    assert sheet_svg([(pieces, kind) for kind in kinds]).count(";base64,") == 1
