"""What a rule book holds; all text is escaped already where it is markup."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

Row = tuple[Markup, ...]


@dataclass(frozen=True)
class Piece:
    """A component: its picture, what it is called, how many there are, what is said of it."""

    picture: Markup
    title: str
    id: str
    count: Markup
    notes: tuple[Markup, ...]


@dataclass(frozen=True)
class Part:
    """Something that another rule does: what (`changes it`), where it is told, when, and how it is
    written."""

    what: Markup
    origin: Markup
    when: Markup | None
    code: Markup
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class Option:
    """An option of a choice: what is called how, which ruleset brings it, what may be chosen among,
    when it is there, and when not."""

    name: str
    label: str
    origin: Markup
    among: tuple[Markup, ...]
    when: Markup | None
    forbidden: tuple[Markup, ...]


@dataclass(frozen=True)
class Entry:
    """One declaration: `anchor` empty if nothing leads to it; `kind` in a word; `facts` by name."""

    anchor: str
    kind: Markup
    title: Markup
    about: tuple[str, ...]
    facts: tuple[tuple[Markup, Markup], ...]
    code: Markup
    options: tuple[Option, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Section:
    """Declarations under one heading."""

    title: str
    about: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Example:
    """A scenario: where it stands, which rulesets and settings it adds, the board it begins with,
    what is played, and what is expected, by what it is."""

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
    """One ruleset."""

    anchor: str
    title: str
    facts: tuple[Markup, ...]
    about: tuple[str, ...]
    settings: tuple[Row, ...]
    pieces: tuple[tuple[Markup, tuple[Piece, ...]], ...]
    places: tuple[Row, ...]
    features: tuple[Row, ...]
    attributes: tuple[Row, ...]
    sections: tuple[Section, ...]
    examples: tuple[Examples, ...]


@dataclass(frozen=True)
class Book:
    """The whole book.

    `index` has all names, each with the anchor and chapter it leads to, and `shared` what pictures
    in it refer to.
    """

    title: str
    language: str
    facts: tuple[Markup, ...]
    chapters: tuple[Chapter, ...]
    index: tuple[tuple[str, str, str], ...]
    shared: Markup
