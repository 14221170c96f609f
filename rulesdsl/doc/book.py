"""The content of a rule book; text is already escaped wherever it is markup."""

from __future__ import annotations

from markupsafe import Markup

from rulesdsl.records import dataclass

Row = tuple[Markup, ...]


@dataclass(frozen=True)
class BookPiece:
    """A component: its picture, its name, the number of copies and further facts.

    `wide` pieces need more room: dice with their faces, and tiles of several cells.
    """

    picture: Markup
    title: str
    id: str
    count: Markup
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
