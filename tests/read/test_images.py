"""Images that manifests name: what is read of them, and what of a stranger's is refused."""

from __future__ import annotations

import random
import struct
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from rulesdsl.language.diagnostics import Report
from rulesdsl.language.read import images
from rulesdsl.language.read.images import BadImage, measured
from rulesdsl.language.read.load import load_rulesets

SVG = b"""<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60">
<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient></defs>
<g transform="rotate(10 45 30)"><path d="M10 10H50V40Z" fill="url(#a)"/></g></svg>"""


def drawn(kind: str, size: tuple[int, int] = (90, 60), **more: object) -> bytes:
    """A picture of this kind, with noise, so that its parts are long."""
    if kind == "SVG":
        return SVG
    noise = random.Random(1).randbytes(4 * size[0] * size[1])
    image = Image.frombytes("RGBA", size, noise)
    out = BytesIO()
    (image.convert("RGB") if kind == "JPEG" else image).save(out, kind, **more)
    return out.getvalue()


def part(name: bytes, body: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


KINDS = ["PNG", "JPEG", "WEBP", "SVG"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_image_is_measured_and_stays_the_same(kind: str) -> None:
    data = drawn(kind)
    media, width, height, clean = measured(data)
    assert (width, height) == (90, 60)
    assert media == ("image/svg+xml" if kind == "SVG" else f"image/{kind.lower()}")
    assert measured(clean) == (media, width, height, clean)
    if kind != "SVG":
        with Image.open(BytesIO(data)) as one, Image.open(BytesIO(clean)) as other:
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("lossless", [True, False])
def test_sizes_of_webp_with_and_without_transparency(lossless: bool) -> None:
    for mode in ("RGB", "RGBA"):
        out = BytesIO()
        image = Image.new(mode, (301, 77), (9, 99, 199, 9)[: len(mode)])
        image.save(out, "WEBP", lossless=lossless, exact=True)
        assert measured(out.getvalue())[1:3] == (301, 77)


def test_metadata_and_what_follows_the_end_are_left_out() -> None:
    exif = Image.Exif()
    exif[0x010E] = "SECRET place"
    text = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRET</x:xmpmeta>"
    told = [
        drawn("PNG", exif=exif) + b"<script>SECRET</script>",
        drawn("JPEG", exif=exif, comment=b"SECRET", xmp=text) + b"PK\3\4SECRET",
        drawn("WEBP", exif=exif, xmp=text) + b"SECRET",
        SVG.replace(b"<g ", b"<!-- SECRET --><metadata>SECRET</metadata><title>SECRET</title><g ")
        .replace(b"<svg ", b'<svg xmlns:i="http://www.inkscape.org" i:docname="SECRET" '),
    ]  # fmt: skip
    for data in told:
        assert b"SECRET" in data
        assert b"SECRET" not in measured(data)[3]


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_images_are_refused_or_stay_as_they_are(kind: str) -> None:
    """Bits and lengths are wrong, parts are missing or there twice."""
    data, chance = drawn(kind, (30, 20)), random.Random(7)
    refused = 0
    for _ in range(400):
        spoilt = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(spoilt))
            match chance.randrange(4):
                case 0:
                    spoilt[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
                case 1:
                    del spoilt[at : at + chance.randint(1, 40)]
                case 2:
                    spoilt[at:at] = spoilt[at : at + chance.randint(1, 40)]
                case 3:
                    spoilt[at : at + 4] = struct.pack(">I", chance.choice((0, 2**31, 2**32 - 1)))
        try:
            first = measured(bytes(spoilt))
        except BadImage:
            refused += 1
        else:
            assert measured(first[3]) == first
    assert refused > 40
    for end in range(0, len(data), 7):
        with pytest.raises(BadImage):
            measured(data[:end])


HEAD = b"\x89PNG\r\n\x1a\n"


def sized(side: int) -> bytes:
    """A PNG that states this size, with a picture of four million bytes."""
    head = part(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0))
    return HEAD + head + part(b"IDAT", zlib.compress(bytes(4_000_000))) + part(b"IEND", b"")


WIDE = sized(60_000)
INNER = SVG.replace(b"<g ", b"%s<g ", 1)
ENTITY = b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
JPEG = drawn("JPEG", progressive=True)
SCAN = JPEG[JPEG.rindex(b"\xff\xda") : -2]
HOSTILE: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "not a PNG"),
    ("a program", b"\x7fELF" + bytes(99), "not a PNG"),
    ("a GIF", b"GIF89a" + bytes(99), "not a PNG"),
    ("a page", b"<!doctype html><script>alert(1)</script>", "line 1"),
    ("XML of another kind", b'<x xmlns="y"/>', "not an SVG"),
    ("a bomb of pixels", WIDE, "60000 x 60000"),
    ("no pixels", sized(0), "0 x 0"),
    ("a length beyond the end", HEAD + b"\xff\xff\xff\xffIHDR" + bytes(99), "too early"),
    ("a PNG without a picture", HEAD + WIDE[8:33] + part(b"IEND", b""), "no picture"),
    ("a wrong checksum", WIDE[:-1] + b"x", "checksum"),
    ("a part of no PNG", WIDE[:33] + part(b"EVIL", b"x") + WIDE[33:], "does not have"),
    ("two sizes", WIDE[:33] + WIDE[8:33] + WIDE[33:], "begin with its size"),
    ("a JPEG without an end", b"\xff\xd8\xff\xe0\0\x10" + bytes(14), "too early"),
    ("a length of nothing", b"\xff\xd8\xff\xe0\0\0" + bytes(99), "length"),
    ("a bomb of scans", JPEG[:-2] + 64 * SCAN + b"\xff\xd9", "more than 64 scans"),
    ("scans behind a marker without length",
     JPEG[:-2] + b"\xff\x01\0\x0a" + 64 * SCAN + b"\xff\xd9", "does not have"),
    ("an animation", b"RIFF\x14\0\0\0WEBPANIM\x06\0\0\0" + bytes(8), "animated"),
    ("a WebP of nothing", b"RIFF\x04\0\0\0WEBP", "0 x 0"),
    ("a script", INNER % b"<script>alert(1)</script>", "line 3: the element `script`"),
    ("markup of a page", INNER % b"<foreignObject/>", "`foreignObject`"),
    ("a style sheet", INNER % b"<style>@import 'x'</style>", "`style`"),
    ("a text", INNER % b"<text>x</text>", "`text`"),
    ("an image", INNER % b'<image href="http://x/y.png"/>', "`image`"),
    ("a copy", INNER % b'<use href="x.svg#a"/>', "`use`"),
    ("a link", INNER % b'<a href="javascript:x"/>', "`a`"),
    ("an animated value", INNER % b'<set attributeName="href" to="x"/>', "`set`"),
    ("a filter", INNER % b"<filter/>", "`filter`"),
    ("a handler", SVG.replace(b"<path ", b'<path onclick="x()" '), "`onclick`"),
    ("a gradient elsewhere", SVG.replace(b"<linearGradient ",
     b'<linearGradient href="http://x/y.svg#b" '), "reference"),
    ("a fill elsewhere", SVG.replace(b"url(#a)", b"url(http://x/y.svg#a)"), "`fill`"),
    ("a fill in a style", SVG.replace(b"<path ", b'<path style="fill: url(//x)" '), "`fill`"),
    ("a fill with escapes", SVG.replace(b"url(#a)", b"u\\72l(//x)"), "`fill`"),
    ("an image set", SVG.replace(b"url(#a)", b"image-set('x' 1x)"), "`fill`"),
    ("entities", ENTITY + SVG[21:], "DOCTYPE"),
    ("a file of the machine", b'<!DOCTYPE s SYSTEM "file:///etc/passwd">' + SVG[21:], "DOCTYPE"),
    ("an instruction", b'<?xml-stylesheet href="x"?>' + SVG[21:], "xml-stylesheet"),
    ("a clipped clip", INNER % b'<clipPath id="c"><path clip-path="url(#c)"/></clipPath>', "clip"),
    ("deep groups", INNER % (b"<g>" * 60 + b"</g>" * 60), "40 inside"),
    ("deep metadata", INNER % (b"<title>" * 60 + b"</title>" * 60), "40 inside"),
    ("many elements", INNER % (b"<g/>" * 30_000), "20000 elements"),
    ("a long SVG", INNER % (b" " * 500_001), "larger than"),
    ("no size", SVG.replace(b'viewBox="0 0 90 60"', b""), "no size"),
    ("a size without end", SVG.replace(b"90 60", b"1e9 1e9"), "no size"),
    ("a huge size", SVG.replace(b"90 60", b"90000 60"), "90000 x 60"),
    ("a tiny size", SVG.replace(b"90 60", b"1 1"), "smaller than"),
    ("not well formed", SVG[:-3], "line 3"),
    ("an unknown encoding", SVG.replace(b'"1.0"', b'"1.0" encoding="x-evil"'), "encoding"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "says"), [case[1:] for case in HOSTILE],
                         ids=[case[0] for case in HOSTILE])  # fmt: skip
def test_hostile_images_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(BadImage) as problem:
        measured(data)
    assert says in str(problem.value)


def test_parts_of_a_jpeg_may_have_bytes_that_fill_between_them() -> None:
    scan = JPEG.rindex(b"\xff\xda")
    filled = JPEG[:2] + b"\xff" + JPEG[2:scan] + b"\xff\xff" + JPEG[scan:-2] + b"\xff\xff\xd9"
    media, width, height, clean = measured(filled)
    assert (media, width, height) == ("image/jpeg", 90, 60)
    assert measured(clean)[3] == clean
    with Image.open(BytesIO(JPEG)) as one, Image.open(BytesIO(clean)) as other:
        assert one.tobytes() == other.tobytes()


def test_what_editors_write_into_an_svg_is_understood() -> None:
    data = b"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
      xmlns:sodipodi="http://sodipodi.sourceforge.net/x" width="45mm" viewBox="0,0,45,45">
      <sodipodi:namedview><sodipodi:guide/></sodipodi:namedview>
      <linearGradient id="b" xlink:href="#a"/>
      <path style="fill:url(#b);stroke-width:.5;-inkscape-stroke:none;font-family:'x'" d="M0 0H9"/>
    </svg>"""
    media, width, height, clean = measured(data)
    assert (media, width, height) == ("image/svg+xml", 45, 45)
    assert b'<linearGradient id="b" href="#a">' in clean
    assert b'<path d="M0 0H9" fill="url(#b)" stroke-width=".5">' in clean
    assert b"sodipodi" not in clean


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in" / "art").mkdir(parents=True)
    (tmp_path / "out.png").write_bytes(drawn("PNG"))
    (tmp_path / "in" / "art" / "town.png").write_bytes(drawn("PNG"))
    (tmp_path / "in" / "art" / "text.png").write_text("x")
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "out.png")
    return tmp_path / "in"


def found_in(
    folder: Path, looks: str
) -> tuple[list[tuple[str, int, str, tuple[str, ...]]], set[str]]:
    """The findings with the column of each, and the paths of the images read."""
    text = f"ruleset: m\nedition: 1\nversion: 1.0.0\ndraw: {{{looks}}}\n"
    (folder / "m.yaml").write_text(text, encoding="utf-8")
    report = Report()
    (read,) = load_rulesets(folder / "m.yaml", report=report)
    found = [(each.slug, each.span.start - text.index("draw:") if each.span else -1,
              each.message, each.help) for each in report]  # fmt: skip
    return found, set(read.images)


@pytest.mark.parametrize(
    ("path", "slug", "says"),
    [
        ("art/twon.png", "file-missing", "did you mean `art/town.png`?"),
        ("art/map_of_all.jpg", "file-missing", "save the image there"),
        ("far/town.png", "file-missing", "save the image there"),
        ("art/text.png", "bad-image", "export it in one of these formats"),
        ("art", "file-is-folder", ""),
        ("../out.png", "path-escapes", "put the file beside the manifest"),
        ("link.png", "path-escapes", "put the file beside the manifest"),
        ("/etc/passwd", "path-escapes", "put the file beside the manifest"),
    ],
)
def test_mistakes_have_a_place_and_advice(folder: Path, path: str, slug: str, says: str) -> None:
    found, read = found_in(folder, f"road: {{image: {path}}}")
    assert [(each[0], each[1]) for each in found] == [(slug, len("draw: {road: {image: "))]
    assert not says or says in found[0][3]
    assert read == set()


def test_images_are_read_once_and_limited_together(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (folder / f"{name}.png").write_bytes(drawn("PNG"))
    looks = "x: {image: a.png}, y: {back: a.png}, z: {sheet: b.png, cell: [0, 0], size: 9}"
    assert found_in(folder, looks) == ([], {"a.png", "b.png"})
    monkeypatch.setattr(images, "MAX_FILES", 1)
    ((slug, _, says, _),), _ = found_in(folder, looks)
    assert (slug, says) == ("file-too-large", "a manifest names at most 1 images")
    monkeypatch.setattr(images, "MAX_FILES", 200)
    monkeypatch.setattr(images, "MAX_IMAGES", 30_000)
    ((slug, _, says, _),), _ = found_in(folder, looks)
    assert (slug, says.endswith("30000 bytes together")) == ("file-too-large", True)
    for name in ("a", "b"):
        (folder / f"{name}.png").write_bytes(bytes(20_000))
    found, _ = found_in(folder, looks)
    slugs = [each[0] for each in found]
    assert slugs == ["bad-image", "bad-image", "file-too-large"], "images that are refused count"
    quotes = SVG.replace(b"M10", b"'" * 4_000 + b"M10")
    (folder / "a.png").write_bytes(quotes)
    (folder / "b.png").write_bytes(quotes)
    ((slug, _, says, _),), _ = found_in(folder, looks)
    assert (slug, len(quotes) < 5_000) == ("file-too-large", True), "escapes count"
    monkeypatch.setattr(images, "MAX_IMAGES", 10**9)
    monkeypatch.setattr(images, "MAX_PIXELS", 5400)
    names = ("a", "b", "c", "d", "e")
    for shade, name in enumerate(names):
        Image.new("L", (90, 60), shade).save(folder / f"{name}.png")
    looks = ", ".join(f"{name}: {{image: {name}.png}}" for name in names)
    ((slug, _, says, _),), _ = found_in(folder, looks)
    assert (slug, says.endswith("21600 pixels together")) == ("file-too-large", True)
