"""Images that manifests name: known by their content, measured without decoding, and cleaned.

Only what draws is kept: metadata, thumbnails, animations and whatever follows the end of a file are
left out. Sizes and lengths are checked before anything decodes an image.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from xml.parsers import expat

from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.diagnostics.report import nearest
from rulesdsl.language.model import nodes
from rulesdsl.language.model.game import IMAGE_KEYS, Artwork
from rulesdsl.language.read.files import MAX_FILES, MAX_IMAGE, FileProblem, Folder

MAX_IMAGES = 6_000_000
"""Maximum number of bytes of all images of a manifest, which fit into an archive."""
MAX_SIDE = 10_000
MAX_PIXELS = 16_777_216
"""Maximum number of pixels of an image; all images of a manifest may have four times as many."""
MAX_SVG = 500_000
MAX_ELEMENTS, MAX_DEPTH = 20_000, 40
"""Maximum number of elements of an SVG, and of elements inside of each other."""

_Measured = tuple[str, int, int, bytes]
"""A media type, a width and a height, and the clean bytes."""


def read_images(manifest: nodes.Mapping, folder: Folder, report: Report) -> dict[str, Artwork]:
    """Return the images that the styles of a manifest name, by their paths; report mistakes."""
    found: dict[str, Artwork | None] = {}
    size = pixels = 0
    styles = [style for _, style in nodes.entries(manifest.get("draw"))]
    named = (nodes.scalar(style, key) for style in styles for key in IMAGE_KEYS)
    for name in filter(None, named):
        path = str(name.value)
        if path in found:
            continue
        if len(found) >= MAX_FILES:
            message = f"a manifest names at most {MAX_FILES} images"
            help = "put several pictures on one sheet: `sheet`, `cell` and `size`"
            report.error("file-too-large", message, name.span, help=(help,))
            break
        data = _read(folder, path, name.span, report)
        found[path] = made = None if data is None else _made(folder, path, data, name.span, report)
        # Reading one that is refused takes time, too; an SVG becomes longer by its escapes.
        size += max(len(data or b""), 0 if made is None else len(made.content))
        if made is not None:
            pixels += made.width * made.height
        if size > MAX_IMAGES or pixels > 4 * MAX_PIXELS:
            message = f"the images of a manifest have at most {MAX_IMAGES} bytes together"
            if size <= MAX_IMAGES:
                message = f"the images of a manifest have at most {4 * MAX_PIXELS} pixels together"
            help = "save them smaller: pieces are shown at most 300 pixels a cell"
            report.error("file-too-large", message, name.span, help=(help,))
            break
    return {path: image for path, image in found.items() if image is not None}


def _read(folder: Folder, path: str, at: Span, report: Report) -> bytes | None:
    """Return a file; None after reporting, at the place where it is named, why it is not read."""
    try:
        return folder.read(path, MAX_IMAGE)
    except FileProblem as problem:
        help = problem.help
        if problem.slug == "file-missing":
            near = nearest(path, list(_beside(folder, path)))
            help = (f"did you mean `{near}`?",) if near else ("save the image there",)
        report.error(problem.slug, problem.message, at, help=help)
        return None


def _made(folder: Folder, path: str, data: bytes, at: Span, report: Report) -> Artwork | None:
    try:
        media, width, height, clean = measured(data)
    except BadImage as problem:
        message = f"`{folder.shown(path)}` cannot be used: {problem}"
        report.error("bad-image", message, at, help=problem.help)
        return None
    digest = sha256(clean).hexdigest()
    return Artwork(folder.shown(path), digest, media, width, height, clean)


def _beside(folder: Folder, path: str) -> Iterator[str]:
    head = posixpath.dirname(posixpath.normpath(path))
    for part in filter(None, head.split("/")):
        inner = {each.name: each for each in folder.folders()}
        if part not in inner:
            return
        folder = inner[part]
    yield from (posixpath.join(head, name) for name in folder.files())


class BadImage(Exception):
    """A reason why a file is not used as an image, and help lines."""

    def __init__(self, message: str, *help: str) -> None:
        super().__init__(message)
        self.help = help


def measured(data: bytes) -> _Measured:
    """Return the type and size of an image, and the part of its bytes that draws.

    Raises BadImage for anything else than a PNG, JPEG, WebP or SVG within the limits.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        media, (width, height, clean) = "image/png", _png(data)
    elif data.startswith(b"\xff\xd8\xff"):
        media, (width, height, clean) = "image/jpeg", _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        media, (width, height, clean) = "image/webp", _webp(data)
    elif data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        media, (width, height, clean) = "image/svg+xml", _svg(data)
    else:
        raise BadImage("it is not a PNG, JPEG, WebP or SVG", "export it in one of these formats")
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and width * height <= MAX_PIXELS):
        limit = f"at most {MAX_SIDE} pixels a side and {MAX_PIXELS} pixels are allowed"
        raise BadImage(f"it has {width} x {height} pixels; {limit}", "export it smaller")
    return media, width, height, clean


_AGAIN = "export it again"
_EARLY = "it ends too early"
_Parts = tuple[int, int, bytes]


def _number(data: bytes, start: int, size: int) -> int:
    """Return an unsigned number of a PNG or JPEG, raising BadImage at the end of the file."""
    if start + size > len(data):
        raise BadImage(_EARLY, _AGAIN)
    return int.from_bytes(data[start : start + size], "big")


_PNG_PARTS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")


def _png(data: bytes) -> _Parts:
    kept, at, name = [data[:8]], 8, b""
    while name != b"IEND":
        length, name = _number(data, at, 4), data[at + 4 : at + 8]
        end = at + 12 + length
        if zlib.crc32(data[at + 4 : end - 4]) != _number(data, end - 4, 4):
            raise BadImage("a checksum in it is wrong", _AGAIN)
        if (name == b"IHDR") != (at == 8) or (name == b"IHDR" and length != 13):
            raise BadImage("it does not begin with its size", _AGAIN)
        if name in _PNG_PARTS:
            kept.append(data[at:end])
        elif name[:1].isupper():
            raise BadImage("a part of it is of a kind that PNG does not have", _AGAIN)
        at = end
    if not any(part[4:8] == b"IDAT" for part in kept):
        raise BadImage("there is no picture in it", _AGAIN)
    return _number(data, 16, 4), _number(data, 20, 4), b"".join(kept)


MAX_SCANS = 64
"""Maximum number of scans of a JPEG; progressive ones usually have 10."""
_JPEG_PART = re.compile(rb"\xff+([\xc0-\xcf\xd9-\xfe])")
"""The beginning of a part of a JPEG, or its end, after any number of fill bytes.

Other markers have no length, so what follows them would be read in another way by decoders.
"""
_JPEG_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""A marker within the picture of a JPEG that ends a part of it."""
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_TOLD = frozenset((*range(0xE0, 0xF0), 0xFE)) - {0xEE}
"""The markers of metadata; 0xEE is that of the colours."""


def _jpeg(data: bytes) -> _Parts:
    kept, at, size, scans = [data[:2]], 2, (0, 0), 0
    while (part := _JPEG_PART.match(data, at)) and part[1] != b"\xd9":
        marker, at = part[1][0], part.end() - 2
        length = _number(data, at + 2, 2)
        end = at + 2 + length
        if length < 2 or end > len(data):
            raise BadImage("the length of a part of it is wrong", _AGAIN)
        if marker in _JPEG_FRAMES:
            if size != (0, 0) or length < 11:
                raise BadImage("it does not have exactly one size", _AGAIN)
            size = _number(data, at + 7, 2), _number(data, at + 5, 2)
        if marker == 0xDA:
            scans += 1
            if scans > MAX_SCANS:
                raise BadImage(f"it has more than {MAX_SCANS} scans", _AGAIN)
            found = _JPEG_MARKER.search(data, end)
            if found is None:
                raise BadImage(_EARLY, _AGAIN)
            end = found.start()
        if marker not in _JPEG_TOLD:
            kept.append(data[at:end])
        at = end
    if part is None:
        _number(data, at, 2)
        raise BadImage("a part of it is of a kind that JPEG does not have", _AGAIN)
    return *size, b"".join((*kept, b"\xff\xd9"))


def _webp(data: bytes) -> _Parts:
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data):
        raise BadImage(_EARLY, _AGAIN)
    kept, at = list[bytes](), 12
    canvas: tuple[int, int] | None = None
    size = (0, 0)
    while at + 8 <= end:
        name, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body, after = data[at + 8 : at + 8 + length], at + 8 + length + length % 2
        if at + 8 + length > end or (name in _WEBP_HEADS and length < 10):
            raise BadImage("the length of a part of it is wrong", _AGAIN)
        if name in (b"ANIM", b"ANMF"):
            raise BadImage("it is animated", "export one picture of it")
        if name == b"VP8X":
            numbers = (int.from_bytes(body[start : start + 3], "little") for start in (4, 7))
            canvas = next(numbers) + 1, next(numbers) + 1
            body = bytes([body[0] & 0x10]) + body[1:]  # only the flag of transparency
        elif name in (b"VP8 ", b"VP8L"):
            if size != (0, 0):
                raise BadImage("it does not have exactly one size", _AGAIN)
            size = _webp_size(name, body)
        if name in (*_WEBP_HEADS, b"ALPH"):
            kept += [name, length.to_bytes(4, "little"), body, b"\0" * (length % 2)]
        at = after
    if canvas not in (None, size):
        raise BadImage("it does not have exactly one size", _AGAIN)
    inner = b"WEBP" + b"".join(kept)
    return *size, b"RIFF" + len(inner).to_bytes(4, "little") + inner


_WEBP_HEADS = (b"VP8X", b"VP8 ", b"VP8L")


def _webp_size(name: bytes, body: bytes) -> tuple[int, int]:
    if name == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    sizes = (int.from_bytes(body[start : start + 2], "little") & 0x3FFF for start in (6, 8))
    return next(sizes), next(sizes)


_SPACE = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ELEMENTS = _words(
    "svg g defs path rect circle ellipse line polyline polygon linearGradient radialGradient stop "
    "clipPath"
)
_TOLD = frozenset(("title", "desc", "metadata"))
"""Elements that draw nothing and are left out."""
_LOOKS = _words(
    "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin "
    "stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity "
    "display visibility clip-path clip-rule paint-order vector-effect"
)
"""Attributes that may also be in `style`."""
_ATTRIBUTES = _LOOKS | _words(
    "id d x y width height rx ry r cx cy fx fy fr x1 x2 y1 y2 points transform viewBox offset "
    "preserveAspectRatio gradientUnits gradientTransform spreadMethod clipPathUnits"
)
_HARMLESS = _words("version baseProfile class role style enable-background")
"""Attributes that are left out; `style` is taken apart."""
_LOCAL = re.compile(r"url\(\s*[\"']?#[\w.:-]+[\"']?\s*\)")
_FUNCTION = re.compile(r"(?<![\w-])([\w-]+)\(")
_FUNCTIONS = _words("rgb rgba hsl hsla matrix translate scale rotate skewX skewY")
_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{0,9})?)(?:px)?")


class _SvgCopy:
    """Copier of an SVG: allowed elements and attributes are written, anything else is refused."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.size: tuple[int, int] | None = None
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.ProcessingInstructionHandler = self._instruction
        self._inside: list[str] = []
        self._left_out = 0
        self._count = 0

    def copy(self, data: bytes) -> bytes:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self._refused(str(error).partition(":")[0]) from None
        except (ValueError, LookupError):  # an encoding that is not known
            raise BadImage("its encoding is not known", "save it as UTF-8") from None
        return "".join(self.out).encode()

    def _refused(self, why: str, *help: str) -> BadImage:
        return BadImage(f"line {self._parser.CurrentLineNumber}: {why}", *help)

    def _doctype(self, *_: object) -> None:
        raise self._refused("it has a `<!DOCTYPE`", "remove the declaration")

    def _instruction(self, target: str, _: str) -> None:
        raise self._refused(f"it has an instruction `<?{target}`", "remove it")

    def _start(self, full: str, given: dict[str, str]) -> None:
        space, _, name = full.rpartition(" ")
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._inside) + self._left_out >= MAX_DEPTH:
            message = f"it has more than {MAX_ELEMENTS} elements, or {MAX_DEPTH} inside of another"
            raise self._refused(message, "simplify it, or export it as PNG or WebP")
        if self._left_out or (self._inside and (space not in ("", _SPACE) or name in _TOLD)):
            self._left_out += 1
            return
        if space not in ("", _SPACE) or (not self._inside and name != "svg"):
            raise self._refused("it is not an SVG")
        if name not in _ELEMENTS:
            help = "convert texts to paths" if name in ("text", "tspan") else "remove it"
            raise self._refused(f"the element `{name}` is not allowed", help, _EXPORT)
        attributes = dict(self._attributes(name, given))
        if not self._inside:
            self.size = _drawn_size(attributes)
            for key, value in zip(("width", "height"), self.size, strict=True):
                attributes[key] = str(value)
            attributes.setdefault("viewBox", f"0 0 {self.size[0]} {self.size[1]}")
            attributes["xmlns"] = _SPACE
        if "clip-path" in attributes and "clipPath" in (*self._inside, name):
            raise self._refused("a clip path is clipped by another one", _EXPORT)
        self._inside.append(name)
        written = "".join(f' {key}="{escape(attributes[key])}"' for key in attributes)
        self.out.append(f"<{name}{written}>")

    def _end(self, _: str) -> None:
        if self._left_out:
            self._left_out -= 1
        else:
            self.out.append(f"</{self._inside.pop()}>")

    def _attributes(self, element: str, given: dict[str, str]) -> Iterator[tuple[str, str]]:
        for full, value in given.items():
            space, _, name = full.rpartition(" ")
            if name == "href" and space in ("", _XLINK):
                if not (element.endswith("Gradient") and value.startswith("#")):
                    raise self._refused("a reference leads out of the image", "remove it")
                yield "href", self._plain(name, value)
            elif space or name in _HARMLESS or name.startswith(("data-", "aria-")):
                continue
            elif name in _ATTRIBUTES:
                yield name, self._plain(name, value)
            else:
                raise self._refused(f"the attribute `{name}` is not allowed", "remove it", _EXPORT)
        for each in given.get("style", "").split(";"):
            name, _, value = map(str.strip, each.partition(":"))
            if name in _LOOKS:
                yield name, self._plain(name, value)

    def _plain(self, name: str, value: str) -> str:
        """Return the value of an attribute if it names nothing outside of the image."""
        rest = _LOCAL.sub("", value) if name in ("fill", "stroke", "clip-path") else value
        if "\\" in rest or not _FUNCTIONS.issuperset(_FUNCTION.findall(rest)):
            raise self._refused(f"the value of `{name}` is not allowed", "remove it", _EXPORT)
        return value


_EXPORT = "or export the image as PNG or WebP"


def _drawn_size(attributes: dict[str, str]) -> tuple[int, int]:
    box = attributes.get("viewBox", "").replace(",", " ").split()[2:]
    sides = box or [attributes.get(key, "") for key in ("width", "height")]
    found = [_LENGTH.fullmatch(side) for side in sides]
    if len(found) != 2 or None in found:
        raise BadImage("it has no size", "give it a `viewBox`, such as `0 0 100 100`")
    width, height = (round(float(each[1])) for each in found if each)
    if min(width, height) < 16:
        raise BadImage(
            "its `viewBox` is smaller than 16 x 16", "scale it, to 100 x 100 for example"
        )
    return width, height


def _svg(data: bytes) -> _Parts:
    if len(data) > MAX_SVG:
        raise BadImage(f"it is larger than {MAX_SVG} bytes", "export it as PNG or WebP")
    copier = _SvgCopy()
    content = copier.copy(data)
    assert copier.size is not None, "the parser found an element"
    return *copier.size, content
