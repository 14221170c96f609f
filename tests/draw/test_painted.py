"""The example with painted tiles, wherever a game is drawn."""

from __future__ import annotations

import json
import re
import struct
import zlib
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image, ImageFilter

from rulesdsl.cli.main import main
from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.language.model.game import Artwork
from rulesdsl.language.read.images import measured
from rulesdsl.play import Game, load
from rulesdsl.show.doc import page as book
from rulesdsl.show.doc import rule_book
from rulesdsl.show.draw.images import recompressed
from rulesdsl.show.draw.sheets import print_sheets
from rulesdsl.show.page.plan import shared
from rulesdsl.show.page.write import packed
from tests.architecture.sources import ROOT
from tests.read.test_images import HEAD, part

PAINTED = ROOT / "examples" / "painted" / "painted.yaml"
IMAGES = {"image/webp", "image/svg+xml"}
ADDRESS = re.compile("data:([a-z/+]+);base64,")


@pytest.fixture(scope="module")
def painted() -> Game:
    return load("base", [str(PAINTED)], engine="python")


@pytest.mark.parametrize("kind", ["book", "rules", "sheets"])
def test_a_book_has_each_image_once(painted: Game, kind: str) -> None:
    text = {
        "book": lambda: book(painted),
        "rules": lambda: rule_book(painted, "en", (), Report()),
        "sheets": lambda: print_sheets(painted, "en"),
    }[kind]()
    assert sorted(ADDRESS.findall(text)) == sorted(IMAGES)
    defined = re.findall(r'id="(art-[^"]+)"', text)
    assert len(set(defined)) == len(defined)
    assert set(re.findall(r"#(art-[\w-]+)", text)) <= set(defined)
    assert "img-src data:" in text


def test_a_page_has_each_image_once(painted: Game) -> None:
    plan = shared(painted)
    assert sorted(ADDRESS.findall(json.dumps(plan))) == sorted(IMAGES)
    ids = {attributes["id"] for _, attributes, *_ in plan["images"]}
    used = set(re.findall(r"#(art-[\w-]+)", json.dumps(plan)))
    assert used <= ids
    gate = next(kind for kind in plan["kinds"] if kind["key"] == "painted/gate")
    assert "viewBox" in gate["drawn"][""]["ground"][0][1]
    assert {len(spots) for spots in gate["drawn"][""]["spots"]} == {4}


def test_an_archive_has_the_images_without_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "art").mkdir()
    told = Image.Exif()
    told[0x010E] = "SECRET"
    for name, colour in (("tile", "green"), ("sheet", "blue")):
        Image.new("RGB", (1500, 1500), colour).save(f"art/{name}.png", exif=told)
    (tmp_path / "art" / "unused.txt").write_text("x", encoding="utf-8")
    (tmp_path / "m.yaml").write_text(
        "ruleset: m\nedition: 1\nversion: 1.0.0\nrequires: [base]\ndraw:\n"
        "  monastery: {image: ./art/tile.png}\n"
        "  shield: {sheet: art/sheet.png, cell: [1, 1], size: 500}\n",
        encoding="utf-8",
    )
    for to in ("one.zip", "two.zip"):
        assert main(["pack", "m.yaml", "--to", to]) == 0
    assert Path("one.zip").read_bytes() == Path("two.zip").read_bytes()
    with ZipFile("one.zip") as archive:
        assert archive.namelist() == ["SHA256SUMS", "art/sheet.png", "art/tile.png", "m.yaml"]
        tile, sheet = (archive.read(f"art/{name}.png") for name in ("tile", "sheet"))
    assert measured(tile)[:3] == ("image/webp", 600, 600)
    assert measured(sheet)[1:3] == (1500, 1500)
    assert b"SECRET" not in tile + sheet
    assert main(["show", "piece", "base", "--with", "one.zip", "--to", "all.svg"]) == 0


def artwork(data: bytes) -> Artwork:
    media, width, height, clean = measured(data)
    return Artwork("x", sha256(clean).hexdigest(), media, width, height, clean)


@pytest.mark.parametrize("clear", [None, 0x40FF])
def test_grey_of_16_bits_stays_grey(clear: int | None) -> None:
    head = part(b"IHDR", struct.pack(">IIBBBBB", 90, 90, 16, 0, 0, 0, 0))
    rows = (b"\0" + 45 * b"\x40\xff" + 45 * b"\x80\0") * 90
    seen = b"" if clear is None else part(b"tRNS", struct.pack(">H", clear))
    data = HEAD + head + seen + part(b"IDAT", zlib.compress(rows, 0)) + part(b"IEND", b"")
    media, made = recompressed(artwork(data), 0.5)
    assert media == "image/webp"
    with Image.open(BytesIO(made)) as image:
        left, right = (image.convert("RGBA").getpixel((x, 20)) for x in (5, 40))
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    assert left[3] == (255 if clear is None else 0)
    assert clear is not None or abs(left[0] - 0x40) < 4
    assert abs(right[0] - 0x80) < 4
    assert right[3] == 255


@pytest.mark.parametrize("clear", [(0x40FF, 0x8001, 0x00FE), (0x0010, 0x0020, 0x0030)])
def test_a_transparent_colour_of_16_bits_stays_transparent(clear: tuple[int, int, int]) -> None:
    head = part(b"IHDR", struct.pack(">IIBBBBB", 90, 90, 16, 2, 0, 0, 0))
    colour = struct.pack(">HHH", *clear)
    rows = (b"\0" + 45 * colour + 45 * b"\x80\0\x40\0\x20\0") * 90
    packed = part(b"IDAT", zlib.compress(rows, 0)) + part(b"IEND", b"")
    _, made = recompressed(artwork(HEAD + head + part(b"tRNS", colour) + packed), 0.5)
    with Image.open(BytesIO(made)) as image:
        left, right = (image.convert("RGBA").getpixel((x, 20)) for x in (5, 40))
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    assert left[3] == 0
    assert right[3] == 255
    assert max(abs(a - b) for a, b in zip(right, (0x80, 0x40, 0x20), strict=False)) < 6


JUNK_PNG = (
    HEAD
    + part(b"IHDR", struct.pack(">IIBBBBB", 90, 90, 8, 2, 0, 0, 0))
    + part(b"IDAT", b"junk")
    + part(b"IEND", b"")
)
JUNK_WEBP = b"RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f" + struct.pack("<I", 99 | 99 << 14) + b"junk!"


@pytest.mark.parametrize("data", [JUNK_PNG, JUNK_WEBP], ids=["png", "webp"])
def test_a_damaged_image_is_found_by_check_and_never_embedded(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for share in (0.5, 1.0):
        with pytest.raises(RulesError, match="cannot be decoded"):
            recompressed(artwork(data), share)
    (tmp_path / "art").write_bytes(data)
    text = "ruleset: m\nedition: 1\nversion: 1.0.0\nrequires: [base]\n"
    (tmp_path / "m.yaml").write_text(
        f"{text}draw: {{monastery: {{image: art}}}}\n", encoding="utf-8"
    )
    assert main(["check", str(tmp_path / "m.yaml"), "--no-play"]) == 2
    assert "art` cannot be decoded" in "".join(capsys.readouterr())
    other = text.replace("ruleset: m", "ruleset: n").replace("[base]", "[m]")
    (tmp_path / "n.yaml").write_text(other, encoding="utf-8")
    assert main(["check", str(tmp_path / "m.yaml"), "--no-play", "--all-subsets"]) == 2
    said = "".join(capsys.readouterr())
    assert said.count("art` cannot be decoded") == 1, "once for all subsets"
    assert "no problems, and 1 damaged image" in said


def test_a_webp_of_full_size_stays_as_it_is() -> None:
    data = (PAINTED.parent / "art" / "tiles.webp").read_bytes()
    assert recompressed(artwork(data), 1.0) == ("image/webp", data)


def test_seventy_two_painted_tiles_are_under_four_megabytes(tmp_path: Path) -> None:
    ids = [f"t{number}" for number in range(72)]
    for number, id in enumerate(ids):
        noise = Image.effect_noise((400, 400), 50 + number % 7)
        soft = Image.merge("RGB", [noise, noise.rotate(90), noise]).filter(ImageFilter.BoxBlur(1))
        soft.save(tmp_path / f"{id}.jpg", quality=90)
    tiles = "".join(f"  - {{id: {id}, city: [N]}}\n" for id in ids)
    draw = "".join(f"  {id}: {{image: {id}.jpg}}\n" for id in ids)
    text = f"ruleset: m\nedition: 1\nversion: 1.0.0\nrequires: [base]\ntiles:\n{tiles}draw:\n{draw}"
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    plan = shared(load("base", [str(tmp_path / "m.yaml")], engine="python"))
    with_images = packed("plan", json.dumps(plan).encode())
    assert len(plan["images"]) == 72
    assert 1_000_000 < len(with_images) < 3_500_000, "the rest of a page has less than 500,000"


def test_what_the_rules_know_is_drawn_over_an_image(tmp_path: Path) -> None:
    given = ["show", "piece", str(PAINTED), "--over", "--size", "160", "--to"]
    assert main([*given, str(tmp_path / "over.svg")]) == 0
    drawn = (tmp_path / "over.svg").read_bytes()
    assert drawn == (ROOT / "docs" / "pictures" / "over.svg").read_bytes()
    assert (drawn.count(b">road<"), drawn.count(b">city<"), drawn.count(b">field<")) == (3, 2, 6)
    assert drawn.count(b' opacity="0.5"') == 3, "each road is translucent"
    assert main(["show", "piece", str(PAINTED), "--over"]) == 2


def test_the_sheet_is_that_of_the_script() -> None:
    data = (PAINTED.parent / "art" / "tiles.webp").read_bytes()
    assert measured(data)[:3] == ("image/webp", 600, 600)
    assert measured(data)[3] == data
    with Image.open(BytesIO(data)) as sheet:
        north = sheet.convert("RGB").getpixel((150, 5))
    assert isinstance(north, tuple)
    assert north[0] > north[2] + 40, "the road leaves the first tile at its north side"
