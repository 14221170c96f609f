"""The content of a rule book: the texts that authors write, and what is drawn from rulesets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import PurePath

from markupsafe import Markup

from rulesdsl.base.records import dataclass
from rulesdsl.base.texts import FALLBACK, languages, section
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model.game import Credits, Ruleset
from rulesdsl.language.read.files import DiskFolder, read_source, user_file


@dataclass
class Passage:
    """A section: its title, its paragraphs, the scenarios it shows, and its rows of points.

    `choices` are the names of those that it explains to who is asked.
    """

    title: str
    choices: Sequence[str] = ()
    paragraphs: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    points: list[tuple[str, str]] = field(default_factory=list)


def passages(ruleset: Ruleset, language: str, report: Report) -> list[Passage]:
    """Return the sections of a ruleset in a language; none if nobody wrote them.

    Warns if they are not written, or in another language only, or with other titles missing.
    """
    folder, manifest = user_file(ruleset.manifest.span.source.name)
    begin = f"{PurePath(manifest).stem}.book."
    read = {
        name[len(begin) : -len(".md")]: list(_read(folder, name, report))
        for name in folder.files()  # none in an archive
        if name.startswith(begin) and name.endswith(".md")
    }
    if not read:
        report.warning(
            "file-missing",
            f"`{ruleset.id}` has no `{begin}{language}.md`: its chapter is made of comments",
            help=("write its rules for players in this file, beside its manifest",),
        )
        return []
    most = max(read.values(), key=len)
    found = read.get(language, [])
    if len(found) < len(most):
        report.warning(
            "missing-key",
            f"`{begin}{language}.md` has {len(found)} sections of {len(most)}",
            help=("translate those that are missing; other languages have them",),
        )
    return found or most


def _read(folder: DiskFolder, name: str, report: Report) -> Iterator[Passage]:
    found = read_source(folder, name, report)
    text = found[0].text if found is not None else ""
    passage: Passage | None = None
    lines: list[str] = []
    for line in [*(each.strip() for each in text.splitlines()), ""]:
        special = line[:2] in ("# ", "> ", "| ")
        if (special or not line) and lines:
            passage = passage or Passage("")
            passage.paragraphs.append(" ".join(lines))
            lines = []
        if line.startswith("# "):
            if passage is not None:
                yield passage
            title, _, choices = line[2:].removesuffix("}").partition(" {")
            passage = Passage(title, re.findall(r"\w+", choices))
        elif line.startswith("> "):
            passage = passage or Passage("")
            passage.examples.append(line[2:])
        elif line.startswith("| "):
            what, _, points = line.strip("| ").partition("|")
            passage = passage or Passage("")
            passage.points.append((what.strip(), points.strip()))
        elif line:
            lines.append(line)
    if passage is not None:
        yield passage


class BookTexts:
    """The words in one language; English for languages without texts."""

    def __init__(self, language: str) -> None:
        self.language = language if language in languages() else FALLBACK
        self._texts = section("book", self.language)

    def __call__(self, key: str, **values: object) -> Markup:
        """Return the text `key` with its placeholders filled; values are escaped unless markup."""
        return Markup(self._texts[key]).format(**values)

    def credits(self, given: Credits) -> Iterator[Markup]:
        """Yield the authors, the licence and the address of a ruleset, if it has them."""
        if given.authors:
            yield self("authors", names=", ".join(given.authors))
        if given.licence:
            yield self("licence", name=given.licence)
        if given.homepage:
            yield Markup('<a href="{0}" rel="nofollow noreferrer">{0}</a>').format(given.homepage)

    def players(self, numbers: Sequence[int]) -> Markup:
        """Return rising numbers of players in words."""
        least, most = numbers[0], numbers[-1]
        if most == 1:
            return self("one-player")
        if 1 < len(numbers) == most - least + 1:
            return self("players", least=least, most=most)
        *others, last = map(str, numbers)
        said = self("or", first=", ".join(others), second=last) if others else last
        return self("some-players", numbers=said)


Row = tuple[Markup, ...]


@dataclass(frozen=True)
class BookPiece:
    """A component: its picture, its name, the number of copies, what it says and further facts.

    `wide` pieces need more room: dice with their faces, and tiles of several cells.
    """

    picture: Markup
    title: str
    id: str
    count: Markup
    said: str
    notes: tuple[Markup, ...]
    wide: bool = False


@dataclass(frozen=True)
class BookPart:
    """An effect of another rule.

    `what` describes it (`changes it`), `origin` is its source, `when` its condition, and `code` its
    text.
    """

    what: Markup
    origin: Markup
    when: Markup | None
    code: Markup
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class BookOption:
    """An option of a choice.

    `name` and `label` are its names, `origin` the ruleset that declares it, `among` the arguments
    to choose, `when` its condition, and `forbidden` its vetoes.
    """

    name: str
    label: str
    origin: Markup
    among: tuple[Markup, ...]
    when: Markup | None
    forbidden: tuple[Markup, ...]


@dataclass(frozen=True)
class BookEntry:
    """One declaration.

    `anchor` is empty if nothing links to it; `kind` is one word; `facts` are by name.
    """

    anchor: str
    kind: Markup
    title: Markup
    about: tuple[str, ...]
    facts: tuple[tuple[Markup, Markup], ...]
    code: Markup
    options: tuple[BookOption, ...] = ()
    parts: tuple[BookPart, ...] = ()


@dataclass(frozen=True)
class Section:
    """Declarations under one heading."""

    title: str
    about: tuple[str, ...]
    entries: tuple[BookEntry, ...]


@dataclass(frozen=True)
class Example:
    """A scenario.

    `where` is its file, `made_of` the rulesets and settings it adds, `board` the initial board,
    `moves` the moves played, and `expected` the expectations by their kind.
    """

    title: str
    about: tuple[str, ...]
    where: Markup
    made_of: tuple[Markup, ...]
    board: Markup
    moves: tuple[Markup, ...]
    expected: tuple[tuple[Markup, tuple[Markup, ...]], ...]


@dataclass(frozen=True)
class Examples:
    """Scenarios under one heading."""

    title: str
    about: tuple[str, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Chapter:
    """The chapter of one ruleset."""

    anchor: str
    title: str
    facts: tuple[Markup, ...]
    about: tuple[str, ...]
    settings: tuple[Row, ...]
    pieces: tuple[tuple[Markup, tuple[BookPiece, ...]], ...]
    places: tuple[Row, ...]
    features: tuple[Row, ...]
    attributes: tuple[Row, ...]
    sections: tuple[Section, ...]
    examples: tuple[Examples, ...]


@dataclass(frozen=True)
class Book:
    """The whole book.

    `index` has all names, each with its anchor and chapter, and `shared` the drawings to which
    pictures refer.
    """

    title: str
    language: str
    facts: tuple[Markup, ...]
    chapters: tuple[Chapter, ...]
    index: tuple[tuple[str, str, str], ...]
    shared: Markup
