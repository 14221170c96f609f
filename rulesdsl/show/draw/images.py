"""Images of rulesets in drawings: referred to wherever they are drawn, and embedded once."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, RulesError
from rulesdsl.language.model.game import Artwork, LinkedGame, Picture, Ruleset
from rulesdsl.language.model.geometry import HEXAGON, INVERTED, SQUARES, UPRIGHT, OneCell, Size
from rulesdsl.show.draw.svg import Lines, Point, element, framed, group, polygon

if TYPE_CHECKING:
    from PIL import Image

PIECE, PLACE = 300, 1200
"""Pixels of the shorter side of an image of a piece, and of a zone or grid, as it is shown."""
_CLIPS = {HEXAGON: "art-hexagon", UPRIGHT: "art-upright", INVERTED: "art-inverted"}
"""The names of the forms of cells at which images are cut off."""
_REFERENCE = re.compile(r"#(art-(?:[0-9a-f]{16}|hexagon|upright|inverted))")


@dataclass(frozen=True)
class ShownArtwork:
    """An image with the share of its size in which it is embedded, and whether as a mask, too.

    With `clipped` the game has cells that are no squares, where images are cut off.
    """

    artwork: Artwork
    share: float
    mask: bool
    clipped: bool = False


Gallery = Mapping[str, ShownArtwork]
"""The images of a game, by the names that drawings refer to them by."""


def gallery(game: LinkedGame, detail: int = 1) -> dict[str, ShownArtwork]:
    """Return the images of a game, each as large as its largest use needs it.

    With a `detail` of 2 it is twice as large as on a screen, for printing.
    """
    places = {each.key for each in (*game.grids, *game.zones, *game.tracks)}
    masks = any(style.mask for style in game.styles.values())
    clipped = any(grid.cells != SQUARES for grid in game.grids)
    found: dict[str, ShownArtwork] = {}
    for key, style in game.styles.items():
        wanted = PLACE if key in places else PIECE
        for picture in filter(None, (style.image, style.back)):
            share = min(1.0, detail * wanted / min(picture.box[2:]))
            name = _name(picture.artwork)
            share = max(share, found[name].share) if name in found else share
            found[name] = ShownArtwork(picture.artwork, share, masks, clipped)
    return found


def _name(artwork: Artwork) -> str:
    return f"art-{artwork.digest[:16]}"


def pictured(
    picture: Picture, at: Point, size: Point, *, fill: str | None = None, whole: bool = False
) -> Lines:
    """Draw a picture in a rectangle, which it fills unless all of it has to be seen.

    With `fill` only its shape is drawn, in this colour.
    """
    name, (x, y, width, height) = _name(picture.artwork), picture.box
    inner = element("use", href=f"#{name}")
    if fill is not None:
        inner = element(
            "rect", x=x, y=y, width=width, height=height, fill=fill, mask=f"url(#{name}-mask)"
        )
    view, fit = f"{x} {y} {width} {height}", f"xMidYMid {'meet' if whole else 'slice'}"
    place: dict[str, float | str] = {"x": at[0], "y": at[1], "width": size[0], "height": size[1]}
    return framed([inner], **place, viewBox=view, preserveAspectRatio=fit)


def bled(picture: Picture, size: Point) -> Lines:
    """Draw a picture that fills a rectangle at the origin, and its own bleed around it."""
    (x, y, width, height), rim = picture.box, picture.bleed
    whole = (x - rim, y - rim, width + 2 * rim, height + 2 * rim)
    reach = rim * max(size[0] / width, size[1] / height)
    place = (size[0] + 2 * reach, size[1] + 2 * reach)
    return pictured(replace(picture, box=whole), (-reach, -reach), place)


def in_cell(lines: Lines, size: Size) -> Lines:
    """Clip a drawing of a piece, whose square begins at (0, 0), at the sides of its form."""
    name = _CLIPS.get(size) if isinstance(size, OneCell) else None
    return list(lines) if name is None else group(lines, clip_path=f"url(#{name})")


def embedded(art: Gallery, drawn: Iterable[str] | None = None) -> Lines:
    """Return the definitions of the images to which drawings refer, or of all in a gallery."""
    found = art if drawn is None else {each for line in drawn for each in _REFERENCE.findall(line)}
    lines = [line for name in sorted(found) if name in art for line in _defined(name, art[name])]
    every = drawn is None and any(each.clipped for each in art.values())
    for size, name in _CLIPS.items():
        if every or name in found:
            lines += [f'<clipPath id="{name}">', f"  {polygon(size, 0)}", "</clipPath>"]
    return ["<defs>", *(f"  {line}" for line in lines), "</defs>"] if lines else []


def _defined(name: str, shown: ShownArtwork) -> Iterator[str]:
    size: dict[str, float | str] = {"width": shown.artwork.width, "height": shown.artwork.height}
    yield element("image", id=name, **size, preserveAspectRatio="none", href=address(shown))
    if shown.mask:
        mask = element("mask", id=f"{name}-mask", x=0, y=0, **size, maskUnits="userSpaceOnUse")
        yield mask.replace("/>", ' mask-type="alpha">')
        yield f"  {element('use', href=f'#{name}')}"
        yield "</mask>"


def portable(game: LinkedGame, ruleset: Ruleset) -> dict[str, bytes]:
    """Return the images of a ruleset by their paths, for an archive: as they would be printed.

    They are twice as large as on a screen; a sheet, whose cells are counted in pixels, stays.
    """
    art, styles = gallery(game), game.styles.values()
    pictures = [each for style in styles for each in (style.image, style.back) if each]
    sheets = {
        each.artwork for each in pictures
        if each.box != (0, 0, each.artwork.width, each.artwork.height)
    }  # fmt: skip
    found = {}
    for path, artwork in ruleset.images.items():
        shown = art.get(_name(artwork))
        share = 1.0 if shown is None or artwork in sheets else min(1.0, 2 * shown.share)
        found[path] = recompressed(artwork, share)[1]
    return found


def address(shown: ShownArtwork) -> str:
    """Return an image as a `data:` address."""
    media, content = recompressed(shown.artwork, shown.share)
    return f"data:{media};base64,{b64encode(content).decode()}"


@lru_cache(maxsize=256)
def recompressed(artwork: Artwork, share: float) -> tuple[str, bytes]:
    """Return the type and the bytes of an image at a share of its size, as WebP if it is smaller.

    It stays as it is without Pillow. Raises RulesError for an image that cannot be decoded.
    """
    if artwork.media == "image/svg+xml":
        return artwork.media, artwork.content
    try:
        from PIL import __version__
    except ImportError:
        return artwork.media, artwork.content
    key = f"{artwork.digest} {share:.4f} {__version__} {_QUALITY}"
    small = Cache.of_user().load_or_make(
        entry_name("image", key.encode(), "webp"), lambda: _webp(artwork, share), bytes, bytes
    )
    if len(small) < len(artwork.content):
        return "image/webp", small
    return artwork.media, artwork.content


def damaged(rulesets: Iterable[Ruleset]) -> Iterator[Diagnostic]:
    """Yield a finding for each image that cannot be decoded; there are none without Pillow."""
    images = (image for ruleset in rulesets for image in ruleset.images.values())
    for artwork in {image.digest: image for image in images}.values():
        try:
            if artwork.media != "image/svg+xml":
                _decoded(artwork)
        except RulesError as error:
            yield from error.diagnostics
        except ImportError:
            return


_QUALITY = 82
_LEVELS = range(1 << 16)
_DEPTH = 24
"""The place of the bits of each level in a PNG."""


def _decoded(artwork: Artwork, size: tuple[int, int] | None = None) -> Image.Image:
    """Return an image with its pixels; a JPEG may be smaller if it is shown in `size`.

    Raises RulesError for an image that cannot be decoded, ImportError without Pillow.
    """
    from PIL import Image

    try:
        with Image.open(BytesIO(artwork.content), formats=("PNG", "JPEG", "WEBP")) as image:
            if image.size != (artwork.width, artwork.height):
                raise ValueError("another size than its header states")
            image.draft("RGB", size)
            image.load()
            return _shallow(image, artwork)
    except Exception as error:  # a decoder raises whatever it likes for damaged files
        raise _undecoded(artwork, error) from None


def _undecoded(artwork: Artwork, error: Exception) -> RulesError:
    message = f"`{artwork.name}` cannot be decoded: {error}"
    return RulesError([Diagnostic("bad-image", message, help=("export it again",))])


def _shallow(image: Image.Image, artwork: Artwork) -> Image.Image:
    """Return an image with 8 bits: of more, Pillow has white grey or the upper 8 of a colour.

    Its transparent colour has 16 bits then.
    """
    if image.mode == "RGB" and artwork.media == "image/png" and artwork.content[_DEPTH] == 16:
        clear = image.info.get("transparency")
        if clear is not None:
            image.info["transparency"] = tuple(level >> 8 for level in clear)
        return image
    if not image.mode.startswith("I"):
        return image
    deep = image.convert("I")
    grey = deep.point([level >> 8 for level in _LEVELS], "L")
    clear = grey.info.pop("transparency", None)
    if clear is not None:
        grey.putalpha(deep.point([255 * (level != clear) for level in _LEVELS], "L"))
    return grey


def _webp(artwork: Artwork, share: float) -> bytes:
    width, height = (max(1, round(share * side)) for side in (artwork.width, artwork.height))
    plain = _decoded(artwork, (width, height))
    if artwork.media == "image/webp" and share == 1:
        return artwork.content
    try:
        from PIL import Image

        plain = plain.convert("RGBA" if plain.has_transparency_data else "RGB")
        if share < 1:
            plain = plain.resize((width, height), Image.Resampling.LANCZOS)
        out = BytesIO()
        plain.save(out, "WEBP", quality=_QUALITY, method=4)
    except Exception as error:  # it converts and compresses as freely
        raise _undecoded(artwork, error) from None
    return out.getvalue()
