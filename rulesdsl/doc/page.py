"""The book as one HTML page, which needs nothing else: no script, no other file, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from rulesdsl import reports
from rulesdsl.doc.gather import gather
from rulesdsl.doc.texts import Texts
from rulesdsl.play import Game

_QUOTED = re.compile(r"`([^`\n]+)`")


def page(game: Game, language: str = "en", paths: Sequence[str] = ()) -> str:
    """The rule book of a game, with the settings it was loaded with: the same page every time.

    Labels are taken in `language` where they are written in it. The scenarios beside the rulesets
    are its examples; what these need is also sought in `paths`. Raises RulesError for scenarios
    that cannot be read.
    """
    environment = Environment(
        loader=PackageLoader("rulesdsl.doc", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["words"] = words
    texts = Texts(language)
    book = gather(game, language, paths)
    body = environment.get_template("book.html.jinja").render(book=book, t=texts)
    style = files("rulesdsl.doc").joinpath("book.css").read_text("utf-8")
    return reports.page(book.title, body.strip(), style, texts.language)


def words(text: str) -> Markup:
    """What an author has written, in which code stands between backticks."""
    return Markup(_QUOTED.sub(r"<code>\1</code>", str(escape(text))))
