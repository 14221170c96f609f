"""The pages of a reference: self-contained HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import unescape
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from rulesdsl.engine.build import Memory, remembering
from rulesdsl.language import reports
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model import ast
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Scalar
from rulesdsl.language.parse import parse
from rulesdsl.play import Game
from rulesdsl.show.doc.box import BoxPages, Pictures, ScenarioNarrator
from rulesdsl.show.doc.prose import Book, BookTexts, Chapter
from rulesdsl.show.doc.rules import (
    CodeFormatter,
    Guards,
    RulesFormatter,
    anchors,
    said,
    under_headings,
)


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
            (self._texts.players(self._box.numbers),),
            chapters,
            self._index(),
            self._pictures.shared,
        )

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
    return rendered("book.html", BookTexts(language), title=book.title, book=book)


def rendered(name: str, texts: BookTexts, *, title: str, **given: object) -> str:
    """Return the page of the template and the style sheet with this name, or a plain text."""
    template = templates("rulesdsl.show.doc").get_template(f"{name}.jinja")
    body = template.render(title=title, t=texts, **given)
    page, _, form = name.partition(".")
    if form != "html":
        return re.sub("\n\n+", "\n\n", unescape(body))
    style = files("rulesdsl.show.doc").joinpath(f"{page}.css").read_text("utf-8")
    return reports.page(title, body.strip(), style, texts.language)


@cache
def templates(package: str) -> Environment:
    """Return the templates in a package, each of which is compiled once; they escape all texts."""
    environment = Environment(
        loader=PackageLoader(package, ""),
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
