"""The pages of a book: self-contained HTML, and sheets of components at their true size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from rulesdsl import reports
from rulesdsl.build import Memory, remembering
from rulesdsl.diagnostics import Report
from rulesdsl.doc.box import BoxPages, Pictures, ScenarioNarrator
from rulesdsl.doc.prose import Book, BookTexts, Chapter
from rulesdsl.doc.rules import CodeFormatter, Guards, RulesFormatter, anchors, said, under_headings
from rulesdsl.draw.images import embedded
from rulesdsl.draw.pieces import CARD, Pieces, die_face, frame
from rulesdsl.draw.svg import CELL, Lines, clipped, document, element, group, moved, number, text
from rulesdsl.model import ast
from rulesdsl.model.game import Ruleset
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Scalar
from rulesdsl.parse import parse
from rulesdsl.play import Game
from rulesdsl.records import dataclass


def gather(game: Game, language: str, paths: Sequence[str]) -> Book:
    """Return the book of a game in a language, with the scenarios beside its rulesets.

    Rulesets that these need are also looked up in `paths`. Raises RulesError for scenarios that
    cannot be read.
    """
    with remembering(Memory()):
        return _Book(game, language, paths).whole()


class _Book:
    def __init__(self, game: Game, language: str, paths: Sequence[str]) -> None:
        self._game, self._language = game, language
        self._box = game.checked.game
        self._texts = BookTexts(language)
        self._anchors = anchors(game.checked)
        code = CodeFormatter(game.checked, self._anchors)
        guards = Guards(game.labels, code, self._texts, language)
        self._code = code
        self._writer = RulesFormatter(
            game.checked, game.labels, self._texts, language, code, guards
        )
        self._modules: dict[str, ast.Module] = {
            ruleset.id: parse(ruleset.rules, Report())
            for ruleset in self._box.rulesets
            if ruleset.rules is not None
        }
        for module in self._modules.values():
            self._writer.learn(module)
        self._pictures = Pictures(language)
        self._teller = ScenarioNarrator(
            self._texts, code, self._pictures, tuple(paths), game.engine
        )
        self._pieces = BoxPages(game, self._texts, language, self._pictures)

    def whole(self) -> Book:
        """Return the whole book."""
        root = self._box.roles.ruleset
        chapters = tuple(self._chapter(ruleset) for ruleset in self._box.rulesets)
        return Book(
            self._label(root),
            self._language,
            tuple(self._facts()),
            chapters,
            self._index(),
            self._pictures.shared,
        )

    def _facts(self) -> list[Markup]:
        return [self._texts.players(self._box.numbers)]

    def _chapter(self, ruleset: Ruleset) -> Chapter:
        id, module = ruleset.id, self._modules.get(ruleset.id)
        return Chapter(
            id,
            self._label(id),
            tuple(self._said_of(ruleset)),
            self._about(ruleset),
            self._pieces.settings(id),
            self._pieces.pieces(id),
            self._pieces.places(id),
            self._pieces.features(id),
            self._pieces.attributes(id),
            self._writer.sections(id, module) if module is not None else (),
            self._teller.examples(ruleset),
        )

    def _said_of(self, ruleset: Ruleset) -> list[Markup]:
        """Return the facts about a ruleset: id, version, what it builds on, and its credits."""
        found = [
            Markup("<code>{}</code>").format(ruleset.id),
            self._texts("version", version=ruleset.version),
        ]
        for key, named in (("extends", ruleset.requires), ("meeting", ruleset.parties)):
            if named:
                links = (self._code.link(each.name, self._label(each.name)) for each in named)
                found.append(self._texts(key, names=Markup(", ").join(links)))
        if ruleset.house:
            found.append(self._texts("house-rules"))
        return [*found, *self._texts.credits(ruleset.credits)]

    def _about(self, ruleset: Ruleset) -> tuple[str, ...]:
        """Return the descriptions at the beginnings of its files."""
        top = said(ruleset.manifest.comments.before)
        key = ruleset.manifest.entries[0][0]
        of_key = said(key.comments.before) if isinstance(key, Scalar) else said(())
        described = filter(None, [ruleset.credits.description])
        about = (*described, *top.about, *top.own, *of_key.about, *of_key.own)
        module = self._modules.get(ruleset.id)
        if module is None or not module.declarations:
            return about
        first, *others = under_headings(module.declarations[0].trivia.before)
        head = said(first)
        return (*about, *head.about, *(head.own if others else ()))

    def _index(self) -> tuple[tuple[str, str, str], ...]:
        """Return all declared names in alphabetical order, with their anchors and chapters."""
        names = (
            (short_name(name), anchor, self._label(name.partition("/")[0]))
            for name, anchor in self._anchors.items()
            if "/" in name
        )
        return tuple(sorted(names, key=lambda row: (row[0].lower(), row[1])))

    def _label(self, name: str) -> str:
        return str(self._game.labels(name, self._language))


_QUOTED = re.compile(r"`([^`\n]+)`")


def page(game: Game, language: str = "en", paths: Sequence[str] = ()) -> str:
    """Return the rule book of a game, with the settings it was loaded with.

    The page is the same every time. Labels are taken in `language` where they exist in it. The
    scenarios beside the rulesets are its examples; rulesets that these need are also looked up in
    `paths`. Raises RulesError for scenarios that cannot be read.
    """
    book = gather(game, language, paths)
    return rendered("book", BookTexts(language), title=book.title, book=book)


def rendered(name: str, texts: BookTexts, *, title: str, **given: object) -> str:
    """Return the page of the template and the style sheet with this name."""
    body = _templates().get_template(f"{name}.html.jinja").render(title=title, t=texts, **given)
    style = files("rulesdsl.doc").joinpath(f"{name}.css").read_text("utf-8")
    return reports.page(title, body.strip(), style, texts.language)


@cache
def _templates() -> Environment:
    """Return the templates, each of which is compiled once."""
    environment = Environment(
        loader=PackageLoader("rulesdsl.doc", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["words"] = words
    return environment


def words(text: str) -> Markup:
    """Return an author's text as markup, with the code between backticks."""
    return Markup(_QUOTED.sub(r"<code>\1</code>", str(escape(text))))


_PAGE = (210.0, 297.0)
"""Width and height of a sheet of A4; all sizes are millimetres."""
_SIDE, _MARGIN, _MARK, _AWAY = 10.0, 13.5, 4.0, 1.5
"""The least margins beside and above the pieces, the length of a mark and its distance."""
_TILE, _CARD, _DIE, _TOKEN, _SPACE = 45.0, 63.0, 16.0, 20.0, 18.0
"""Width of a cell of a tile, of a card, of a face of a die, of a figure or token, of a space."""
_RULER = 100.0
_STYLE = (
    "@page { size: A4; margin: 0; } body { margin: 0; padding: 0; max-width: none; } "
    "svg { display: block; width: 210mm; height: 297mm; break-after: page; background: #fff; } "
    "svg.images { position: absolute; width: 0; height: 0; }"
)


@dataclass(frozen=True)
class Cut:
    """A piece to be cut out: its drawing, and its width and height in millimetres."""

    lines: tuple[str, ...]
    width: float
    height: float


def print_sheets(game: Game, language: str) -> str:
    """Return a page to print with every component of a game, as often as it is in the box.

    Dice are the faces of a die, figures and tokens have the number and colour of their owner.
    """
    texts, pieces = BookTexts(language), Pieces(game, language)
    title = game.labels(game.checked.game.roles.ruleset, language)
    cuts = [*_components(pieces), *_tracks(pieces)]
    pages = [
        page
        for size, same in groupby(cuts, lambda cut: (cut.width, cut.height))
        for page in _pages(list(same), size)
    ]
    said = texts("sheet-scale", length=int(_RULER))
    drawn = "\n".join(
        _sheet(page, f"{title} {count}/{len(pages)} · {said}", title)
        for count, page in enumerate(pages, 1)
    )
    images = "".join(embedded(pieces.art))
    hidden = f'<svg class="images" width="0" height="0">{images}</svg>\n' if images else ""
    body = Markup(f"<main>\n{hidden}{drawn}\n</main>")
    return reports.page(title, body, _STYLE, texts.language)


def _components(pieces: Pieces) -> Iterator[Cut]:
    """Yield every component, in the order of their classes and sizes."""
    box = pieces.game.checked.game
    counts = Counter((piece.kind, piece.seat) for piece in box.pieces)
    found: list[tuple[tuple[int, float], Cut]] = []
    for (kind, seat), count in sorted(
        counts.items(), key=lambda each: (each[0][0], each[0][1] or 0)
    ):
        for order, cut in _cuts(pieces, kind, seat):
            found += [((order, cut.width * cut.height), cut)] * count
    for _, cut in sorted(found, key=lambda each: each[0]):
        yield cut


def _cuts(pieces: Pieces, index: int, seat: int | None) -> Iterator[tuple[int, Cut]]:
    """Yield a component with the place of its class, a die as its faces."""
    kind = pieces.game.checked.game.kinds[index]
    if kind.cls == "die":
        for face in (each for each in kind.faces for _ in range(each.count)):
            yield 2, _scaled(die_face(kind, face, pieces.looks), (CELL, CELL), _DIE / CELL)
    elif kind.cls == "card":
        yield 1, _scaled(pieces.draw(kind)[0], CARD, _CARD / CARD[0])
    elif kind.cls in ("figure", "token"):
        drawn = [*pieces.owned(kind, seat), frame()]
        yield 3, _scaled(drawn, (CELL, CELL), _TOKEN / CELL)
    else:
        drawn, size = pieces.draw(kind)
        yield 0, _scaled(drawn, size, _TILE / CELL)


def _scaled(lines: Sequence[str], size: tuple[float, float], scale: float) -> Cut:
    inner = clipped(lines, *size)
    drawn = group(inner, transform=f"scale({scale:.4f})")
    return Cut(tuple(drawn), size[0] * scale, size[1] * scale)


def _tracks(pieces: Pieces) -> Iterator[Cut]:
    """Yield the spaces of every track in rows as wide as a sheet."""
    for track in pieces.game.checked.game.tracks:
        columns = int((_PAGE[0] - 2 * _SIDE) // _SPACE)
        lines: Lines = []
        for index in range(track.length):
            name = pieces.game.labels.find(f"{track.key}[{index}]", pieces.language) or str(index)
            at = (index % columns * _SPACE, index // columns * _SPACE)
            lines += moved(_space(name), *at)
        rows = -(-track.length // columns)
        if rows * _SPACE <= _PAGE[1] - 2 * _MARGIN:
            yield Cut(tuple(lines), min(columns, track.length) * _SPACE, rows * _SPACE)


def _space(name: str) -> Lines:
    box = element(
        "rect", width=_SPACE, height=_SPACE, fill="#fff", stroke="#2b2622", stroke_width=0.3
    )
    return [box, text(name, (_SPACE / 2, _SPACE / 2), 5, _SPACE - 3, fill="#8a8378")]


def _pages(cuts: Sequence[Cut], size: tuple[float, float]) -> Iterator[Lines]:
    """Yield the drawings of sheets with pieces of one size, side by side, and the marks."""
    columns = max(1, int((_PAGE[0] - 2 * _SIDE) // size[0]))
    rows = max(1, int((_PAGE[1] - 2 * _MARGIN) // size[1]))
    for start in range(0, len(cuts), columns * rows):
        here = cuts[start : start + columns * rows]
        across, down = min(columns, len(here)), -(-len(here) // columns)
        left = (_PAGE[0] - across * size[0]) / 2
        lines: Lines = []
        for place, cut in enumerate(here):
            row, column = divmod(place, columns)
            lines += moved(cut.lines, left + column * size[0], _MARGIN + row * size[1])
        yield [*lines, *_marks(left, across, down, size)]


def _marks(left: float, across: int, down: int, size: tuple[float, float]) -> Iterator[str]:
    """Draw the marks at both ends of every cut."""
    right, bottom = left + across * size[0], _MARGIN + down * size[1]
    for column in range(across + 1):
        x = left + column * size[0]
        for y in (_MARGIN - _AWAY - _MARK, bottom + _AWAY):
            yield _line(x, y, x, y + _MARK)
    for row in range(down + 1):
        y = _MARGIN + row * size[1]
        for x in (left - _AWAY - _MARK, right + _AWAY):
            yield _line(x, y, x + _MARK, y)


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return element("path", d=f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}",
                   stroke="#000", stroke_width=0.2, fill="none")  # fmt: skip


def _sheet(lines: Lines, said: str, title: str) -> str:
    """Return a sheet with a line of a known length at its foot."""
    foot = _PAGE[1] - 5
    ruler = [
        _line(8, foot, 8 + _RULER, foot),
        *(_line(x, foot - 1, x, foot + 1) for x in (8, 8 + _RULER)),
        text(said, (155, foot), 3, 88, fill="#444"),
    ]
    return document([*lines, *ruler], *_PAGE, 96 / 25.4, title)
