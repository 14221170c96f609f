"""Sheets to print and cut out: a page of HTML whose sizes are millimetres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import groupby

from rulesdsl.base.records import dataclass
from rulesdsl.base.texts import FALLBACK, languages, section
from rulesdsl.language import reports
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.language.diagnostics.report import listed
from rulesdsl.language.model.game import KindDef, LinkedGame, Picture, Style, TrackDef
from rulesdsl.language.model.geometry import OneCell
from rulesdsl.play import Game
from rulesdsl.show.draw.board import SPACE, empty, space, space_size
from rulesdsl.show.draw.images import bled, embedded, gallery, pictured
from rulesdsl.show.draw.pieces import CARD, Drawn, Pieces, die_face, frame, paper_back
from rulesdsl.show.draw.svg import (
    CELL,
    COLOURS,
    INK,
    PAPER,
    Lines,
    Point,
    dark,
    document,
    element,
    framed,
    group,
    moved,
    number,
    text,
)

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height of sheets; all sizes are millimetres."""
EDGES = ("long", "short")


@dataclass(frozen=True)
class PrintLayout:
    """The sizes of sheets and of what is on them, in millimetres.

    `margin` is what a printer leaves white, `bleed` the rim that is printed around tiles and cards
    and cut off. A cell of a tile is `tile` wide, a card `card`, a figure or token `token`, a face
    of a die `die`. With `duplex` each sheet has a reverse, for paper that is turned on its `long`
    or `short` edge. With `fold` a die of six faces is a net, otherwise dice are stickers.
    """

    paper: str = "a4"
    margin: float = 5.0
    bleed: float = 0.0
    tile: float = 45.0
    card: float = 63.0
    token: float = 20.0
    die: float = 16.0
    duplex: str | None = None
    fold: bool = False

    @property
    def room(self) -> Point:
        """The width and height for pieces: the paper without margins and marks."""
        width, height = PAPERS[self.paper]
        return width - 2 * (self.margin + _MARKS), height - 2 * (self.margin + _MARKS)


_RANGES = {
    "margin": (0, 30), "bleed": (0, 10), "tile": (5, 500), "card": (5, 500), "token": (5, 100),
    "die": (5, 100),
}  # fmt: skip
_AWAY, _MARK = 1.0, 4.0
"""The distance of cutting marks from the pieces, and their length."""
_MARKS = _AWAY + _MARK
_SPACE, _AROUND, _FOOT, _RULER = 18.0, 5.0, 40.0, 50.0
"""Sizes of a space of a track, around tokens on cells, of a foot by 100 of its figure, of a ruler.
"""


@dataclass(frozen=True)
class Cut:
    """A piece to be cut out, with its size: its front and its back, if it has one.

    The size follows from `value` of `option`. With `bleeds`, its rim is continued around it.
    """

    front: tuple[str, ...]
    back: tuple[str, ...] | None
    size: Point
    name: str
    option: str
    value: float
    bleeds: bool = False


def print_sheets(
    game: Game,
    language: str = "en",
    layout: PrintLayout | None = None,
    sets: Set[str] | None = None,
    report: Report | None = None,
) -> str:
    """Return a page to print with every component of a game, as often as it is in the box.

    With `sets`, only those of these rulesets, by id. The page is the same every time. Backs that
    tell components apart are reported. Raises RulesError for sizes that are out of range, or if a
    piece is larger than the paper.
    """
    layout = layout or PrintLayout()
    if report is not None and layout.duplex:
        _report_backs(game.checked.game, report)
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(layout, name)) <= high:
            message = f"`--{name} {value:g}` is out of range"
            raise _refused(message, f"use {low} to {high} millimetres")
    return _Printer(game, language, layout, sets).page()


def _report_backs(box: LinkedGame, report: Report) -> None:
    """Report tiles and cards without a back, of a size that others with one have."""

    def size(kind: KindDef) -> str:
        return repr((kind.cls, kind.outline and kind.outline.size))

    kinds = sorted((kind for kind in box.kinds if kind.cls in ("tile", "card")), key=size)
    for _, same in groupby(kinds, size):
        backs = {kind.name: box.styles.get(kind.key, Style()).back for kind in same}
        bare = [f"`{name}`" for name, back in backs.items() if back is None]
        if 0 < len(bare) < len(backs):
            other = next(name for name, back in backs.items() if back is not None)
            message = f"`{other}` has a `back`, but not {listed(bare)} of the same size"
            report.warning("missing-key", message, help=("give all of them a `back`, or none",))


def _refused(message: str, help: str) -> RulesError:
    return RulesError([Diagnostic("bad-argument", message, help=(help,))])


class _Printer:
    def __init__(
        self, game: Game, language: str, layout: PrintLayout, sets: Set[str] | None
    ) -> None:
        self._layout, self._sets = layout, sets
        self._box = game.checked.game
        self._pieces = Pieces(game, language, rim=not layout.bleed)
        self._title = game.labels(self._box.roles.ruleset, language)
        self._language = language if language in languages() else FALLBACK
        self._shared: dict[tuple[str, ...], str] = {}

    def page(self) -> str:
        """Return the whole page."""
        cuts = [*self._components(), *self._boards()]
        if not cuts:
            raise _refused("there is nothing to print", "name a ruleset with components or boards")
        sides = [
            side
            for _, same in groupby(cuts, lambda cut: (cut.size, cut.bleeds))
            for side in self._sides(list(same))
        ]
        drawn = [self._sheet(each, f"{n}/{len(sides)}") for n, each in enumerate(sides, 1)]
        defined = [each for lines, id in self._shared.items() for each in group(lines, id=id)]
        images = embedded(gallery(self._box, 2), defined)
        hidden = ['<svg class="defs" width="0" height="0">', *images, "<defs>", *defined]
        body = "\n".join(("<main>", *hidden, "</defs></svg>", *drawn, "</main>"))
        width, height = (f"{each:g}mm" for each in PAPERS[self._layout.paper])
        style = (
            f"@page {{ size: {width} {height}; margin: 0; }} "
            "body { margin: 0; padding: 0; max-width: none; } "
            f"main > svg {{ display: block; width: {width}; height: {height}; background: #fff; "
            "break-after: page; } main > svg:last-of-type { break-after: auto; } "
            "main > .defs { position: absolute; width: 0; height: 0; }"
        )
        return reports.page(self._title, body, style, self._language)

    def _named(self, ruleset: str, extended: Iterable[str] = ()) -> bool:
        return self._sets is None or not self._sets.isdisjoint((ruleset, *extended))

    # --- pieces ----------------------------------------------------------------------------------

    def _components(self) -> Iterator[Cut]:
        counts = Counter((piece.kind, piece.seat) for piece in self._box.pieces)
        found: list[tuple[tuple[int, float, float], Cut]] = []
        for index, seat in sorted(counts, key=lambda each: (each[0], each[1] or 0)):
            kind = self._box.kinds[index]
            if self._named(kind.ruleset, kind.extended):
                for order, cut in self._cuts(kind, seat):
                    width, height = cut.size
                    place = order, width * height, width
                    found += [(place, cut)] * counts[index, seat]
        for _, cut in sorted(found, key=lambda each: each[0]):
            yield cut

    def _cuts(self, kind: KindDef, seat: int | None) -> Iterator[tuple[int, Cut]]:
        """Yield a component with the place of its class; a die may be several pieces of paper."""
        pieces, layout = self._pieces, self._layout
        match kind.cls:
            case "die":
                for drawn in self._die(kind):
                    yield 2, self._cut(kind, drawn, layout.die / CELL, "die")
            case "card":
                cut = self._cut(kind, pieces.draw(kind), layout.card / CARD[0], "card")
                yield 1, self._backed(kind, cut, CARD)
            case "figure":
                drawn = _standee(pieces, kind, seat)
                yield 4, self._cut(kind, drawn, layout.token / CELL, "token")
            case "token":
                lines = pieces.draw(kind)[0] if seat is None else pieces.owned(kind, seat)
                cut = self._cut(
                    kind, ([*lines, frame()], (CELL, CELL)), layout.token / CELL, "token"
                )
                hidden = any(
                    kind.cls in zone.holds and zone.visible != "all" for zone in self._box.zones
                )
                if hidden or pieces.looks.style(kind.key).back:
                    yield 3, self._backed(kind, cut, (CELL, CELL))
                else:
                    yield 3, replace(cut, back=cut.front)
            case _:
                drawn = pieces.draw(kind)
                cut = self._cut(kind, drawn, layout.tile / CELL, "tile")
                yield 0, self._backed(kind, cut, drawn[1])

    def _cut(self, kind: KindDef, drawn: Drawn, scale: float, option: str) -> Cut:
        lines, size = drawn
        bleeds = bool(self._layout.bleed) and option in ("tile", "card")
        shape = (1, 1) if kind.outline is None else kind.outline.size
        hexagon = isinstance(shape, OneCell)
        picture = self._pieces.looks.style(kind.key).image
        front = self._face(lines, size, scale, bleeds, hexagon, picture)
        mm = (_tenths(size[0] * scale), _tenths(size[1] * scale))
        value = getattr(self._layout, option)
        return Cut(tuple(front), None, mm, self._pieces.title(kind), option, value, bleeds)

    def _backed(self, kind: KindDef, cut: Cut, size: Point) -> Cut:
        """Return a piece with the back that its kind declares, or that of all of its size."""
        image = self._pieces.looks.style(kind.key).back
        shape = (1, 1) if kind.outline is None else kind.outline.size
        hexagon = isinstance(shape, OneCell)
        if image is not None:
            back = pictured(image, (0.0, 0.0), size)
        else:
            back = paper_back(size, self._title, shape)
        scale = cut.size[0] / size[0]
        face = self._face(back, size, scale, cut.bleeds, hexagon, image)
        return replace(cut, back=tuple(face))

    def _face(
        self,
        lines: Sequence[str],
        size: Point,
        scale: float,
        bleeds: bool,
        hexagon: bool,
        picture: Picture | None,
    ) -> Lines:
        """Store a drawing and return a reference to it, with its rim continued if it bleeds.

        The drawing is mirrored at its sides; that of a hexagon is only drawn larger below itself.
        The bleed that an image has itself lies over these copies.
        """
        shared = self._share(
            group(framed(lines, width=size[0], height=size[1]), transform=f"scale({scale:.4f})")
        )
        if not bleeds:
            return shared
        bleed, (width, height) = self._layout.bleed, (scale * size[0], scale * size[1])
        larger = (width + 2 * bleed) / width
        middle = [number(each * (1 - larger) / 2) for each in (width, height)]
        ways = [f"translate({' '.join(middle)}) scale({larger:.4f})"]
        if not hexagon:  # the larger one below closes the joints
            ways += [f"matrix({x} 0 0 {y} {number(left)} {number(top)})"
                     for x, left in ((-1, 0.0), (1, 0.0), (-1, 2 * width))
                     for y, top in ((-1, 0.0), (1, 0.0), (-1, 2 * height))]  # fmt: skip
        around = [line for way in ways for line in group(shared, transform=way)]
        if picture is not None and picture.bleed:
            around += group(bled(picture, size), transform=f"scale({scale:.4f})")
        return self._share(self._bled([*around, *shared], (-bleed, -bleed), (width, height)))

    def _bled(self, lines: Lines, corner: Point, size: Point) -> Lines:
        """Frame the part of a drawing from a corner on, for a piece of this size and its bleed."""
        bleed = self._layout.bleed
        width, height = (each + 2 * bleed for each in size)
        view = " ".join(map(number, (*corner, width, height)))
        return framed(lines, x=-bleed, y=-bleed, width=width, height=height, viewBox=view)

    def _share(self, lines: Lines) -> Lines:
        """Store a drawing once and return a reference to it."""
        id = self._shared.setdefault(tuple(lines), f"part.{len(self._shared) + 1}")
        return [element("use", href=f"#{id}")]

    def _die(self, kind: KindDef) -> Iterator[Drawn]:
        """Yield the faces of a die, or its net."""
        faces = [die_face(kind, face, self._pieces.looks)
                 for face in kind.faces for _ in range(face.count)]  # fmt: skip
        if not self._layout.fold or len(faces) != len(_NET):
            yield from ((lines, (CELL, CELL)) for lines in faces)
            return
        fill = self._pieces.looks.die(kind)[0]
        lines: Lines = []
        for (column, row), sides, face in zip(_NET, _TABS, faces, strict=True):
            at = (_TAB + column * CELL, _TAB + row * CELL)
            tabs = [element("path", d=_TABS_OF[side], fill=PAPER, stroke=INK) for side in sides]
            ground = element("rect", width=CELL, height=CELL, fill=fill, stroke=INK)
            lines += moved([*tabs, ground, *face], *at)
        yield lines, (4 * CELL + 2 * _TAB, 3 * CELL + 2 * _TAB)

    # --- boards ----------------------------------------------------------------------------------

    def _boards(self) -> Iterator[Cut]:
        """Yield the grids that have a size, and the tracks, each in parts that fit the paper."""
        for grid in self._box.grids:
            if grid.size is not None and not grid.over and self._named(grid.ruleset):
                layout = self._layout
                around = layout.token + _AROUND
                sizes = {"tile": layout.tile, "card": layout.card * CARD[1] / CARD[0]}
                lying = grid.holds & {kind.cls for kind in self._box.kinds}
                cell = max((sizes.get(cls, around) for cls in lying), default=around)
                for owner in range(grid.instances(self._box.numbers[-1])):
                    board = empty(self._pieces, grid, owner)
                    yield from self._parts(board, cell / CELL, grid.name)
        for track in self._box.tracks:
            style = self._pieces.looks.style(track.key)
            if not self._named(track.ruleset) or style.board is not None:
                continue
            if style.spaces is None:
                yield from self._parts(self._track(track), _SPACE / SPACE, track.name)
            else:
                scale = _SPACE / space_size(style.spaces)
                yield from self._parts(empty(self._pieces, track), scale, track.name)

    def _track(self, track: TrackDef) -> Drawn:
        """Draw the spaces of a track in rows as wide as a sheet."""
        columns = min(track.length, int(self._layout.room[0] // _SPACE))
        lines: Lines = []
        for index in range(track.length):
            at = (index % columns * SPACE, index // columns * SPACE)
            lines += moved(space(self._pieces, track, index), *at)
        return lines, (columns * SPACE, -(-track.length // columns) * SPACE)

    def _parts(self, drawn: Drawn, scale: float, name: str) -> Iterator[Cut]:
        """Yield a board cut into equal parts that fit the paper, row by row."""
        lines, size = drawn
        bleed, room = self._layout.bleed, self._layout.room
        whole = [_tenths(each * scale) for each in size]
        columns, rows = (
            max(1, -int(-all // (there - 2 * bleed)))
            for all, there in zip(whole, room, strict=True)
        )
        width, height = _tenths(whole[0] / columns), _tenths(whole[1] / rows)
        shared = self._share(group(lines, transform=f"scale({scale:.4f})"))
        for row in range(rows):
            for column in range(columns):
                corner = (column * width - bleed, row * height - bleed)
                inner = tuple(self._bled(shared, corner, (width, height)))
                yield Cut(inner, None, (width, height), name, "tile", scale, bool(bleed))

    # --- sheets ----------------------------------------------------------------------------------

    def _sides(self, cuts: Sequence[Cut]) -> Iterator[Lines]:
        """Yield the sides of sheets with pieces of one size, and with marks on the fronts."""
        layout, (width, height) = self._layout, cuts[0].size
        bleed = layout.bleed * cuts[0].bleeds
        pitch, room = (width + 2 * bleed, height + 2 * bleed), layout.room
        columns, rows = (int((room[axis] + 0.05) // pitch[axis]) for axis in (0, 1))
        if not columns or not rows:
            raise self._too_large(cuts[0], pitch)
        paper = PAPERS[layout.paper]
        for start in range(0, len(cuts), columns * rows):
            here = cuts[start : start + columns * rows]
            across, down = min(columns, len(here)), -(-len(here) // columns)
            left, top = (_tenths((all - many * each) / 2) for all, many, each
                         in zip(paper, (across, down), pitch, strict=True))  # fmt: skip
            fronts, backs = Lines(), Lines()
            for place, cut in enumerate(here):
                row, column = divmod(place, columns)
                x, y = left + column * pitch[0] + bleed, top + row * pitch[1] + bleed
                fronts += moved(cut.front, x, y)
                # Turned on its long edge, the sheet shows the reverse of each piece mirrored.
                backs += moved(cut.back or (), paper[0] - x - width, y)
            xs = _ends(left, across, width, bleed)
            yield [*fronts, *_marks(xs, _ends(top, down, height, bleed), bleed)]
            if layout.duplex == "long":
                yield backs
            elif layout.duplex == "short":
                turn = f"rotate(180 {number(paper[0] / 2)} {number(paper[1] / 2)})"
                yield group(backs, transform=turn)

    def _too_large(self, cut: Cut, pitch: Point) -> RulesError:
        room, bleed = self._layout.room, self._layout.bleed * cut.bleeds
        share = min((room[axis] - 2 * bleed) / cut.size[axis] for axis in (0, 1))
        there = " x ".join(f"{each:g}" for each in map(_tenths, room))
        size = " x ".join(f"{each:g}" for each in map(_tenths, pitch))
        message = f"`{cut.name}` takes {size} mm, and a sheet has room for {there} mm"
        return _refused(message, f"use `--{cut.option} {int(cut.value * share)}` or less")

    def _sheet(self, lines: Lines, count: str) -> str:
        width, height = PAPERS[self._layout.paper]
        foot, left = height - self._layout.margin - 1.5, self._layout.margin + _MARKS
        said = section("book", self._language)["sheet-scale"].format(length=int(_RULER))
        ruler = [
            _line(left, foot, left + _RULER, foot),
            *(_line(x, foot - 1, x, foot + 1) for x in (left, left + _RULER)),
            text(f"{self._title} {count} · {said}", (width - left - 45, foot), 2.5, 90, fill="#444",
                 stroke=PAPER, stroke_width=1, paint_order="stroke"),
        ]  # fmt: skip
        return document([*lines, *ruler], width, height, 96 / 25.4, self._title)


def _tenths(value: float) -> float:
    """Return a size in whole tenths of a millimetre, as SVG has it."""
    return round(value, 1)


_TAB = 30.0
_NET = ((1, 0), (0, 1), (1, 1), (3, 1), (2, 1), (1, 2))
"""The columns and rows of the faces of a net; opposite ones are as far from the ends."""
_TABS = ("new", "", "", "e", "", "esw")
"""The sides of the faces of a net that are glued to others."""
_TABS_OF = {
    "n": f"M0 0L15 -{_TAB - 2:g}H85L100 0Z",
    "e": f"M100 0L{98 + _TAB:g} 15V85L100 100Z",
    "s": f"M0 100L15 {98 + _TAB:g}H85L100 100Z",
    "w": f"M0 0L-{_TAB - 2:g} 15V85L0 100Z",
}


def _standee(pieces: Pieces, kind: KindDef, seat: int | None) -> Drawn:
    """Draw a figure to fold at its head, with a foot on both sides, to glue to a base."""
    fill = COLOURS["sand"] if seat is None else pieces.looks.players[seat]
    words = pieces.title(kind) + ("" if seat is None else f" {seat + 1}")
    half = [
        element("rect", y=CELL, width=CELL, height=_FOOT, fill=fill),
        text(words, (CELL / 2, CELL + _FOOT / 2), 16, CELL - 8, fill=PAPER if dark(fill) else INK),
    ]
    front, back = ([*pieces.owned(kind, seat, behind=behind), *half] for behind in (False, True))
    high = CELL + _FOOT
    lines = [
        *group(back, transform=f"rotate(180 {number(CELL / 2)} {number(high / 2)})"),
        *moved(front, 0, high),
        element("rect", width=CELL, height=2 * high, fill="none", stroke=INK, stroke_width=1),
    ]
    for y in (_FOOT, high, 2 * high - _FOOT):
        lines.append(element("path", d=f"M0 {number(y)}H{number(CELL)}", fill="none", stroke=INK,
                             stroke_width=1, stroke_dasharray="4 3"))  # fmt: skip
    return lines, (CELL, 2 * high)


def _ends(start: float, count: int, size: float, bleed: float) -> list[float]:
    firsts = (start + place * (size + 2 * bleed) + bleed for place in range(count))
    cuts = (first + end for first in firsts for end in (0.0, size))
    return sorted({_tenths(each) for each in cuts})


def _marks(across: Sequence[float], down: Sequence[float], bleed: float) -> Iterator[str]:
    for y in (down[0] - bleed - _MARKS, down[-1] + bleed + _AWAY):
        for x in across:
            yield _line(x, y, x, y + _MARK)
    for x in (across[0] - bleed - _MARKS, across[-1] + bleed + _AWAY):
        for y in down:
            yield _line(x, y, x + _MARK, y)


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return element("path", d=f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}",
                   stroke="#000", stroke_width=0.2, fill="none")  # fmt: skip
