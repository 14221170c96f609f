"""Named things of a game, and all positions where they are named.

The stages that resolve names record them here; the language server reads them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import Literal

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.types import SIDE

What = Literal[
    "value",
    "action",
    "choice",
    "option",
    "state",
    "invariant",
    "attribute",
    "setting",
    "enum",
    "member",
    "feature",
    "component",
    "face",
    "grid",
    "zone",
    "track",
    "table",
    "colour",
    "ruleset",
    "local",
    "function",
    "effect",
    "property",
    "type",
]


@dataclass(frozen=True)
class Symbol:
    """Something that has a name.

    `key` is its full name as in the game, of an enum's member `ruleset/enum.member`, of a local the
    position of its declaration, of a ruleset its id, of a word of the language that word.
    """

    what: What
    key: str
    name: str

    @property
    def own(self) -> bool:
        """True for a word of the language, which no ruleset declares."""
        if self.what == "member":
            return "/" not in self.key
        return self.what in ("function", "effect", "property", "type")


def declared(what: What, key: str) -> Symbol:
    """Return the symbol of a declaration, by its full name."""
    return Symbol(what, key, key.rpartition("/")[2].rpartition(".")[2])


def word(what: What, name: str) -> Symbol:
    """Return the symbol of a ruleset, by its id, or of a word of the language."""
    return Symbol(what, str(name), str(name))


def member(enum: str, name: str) -> Symbol:
    """Return the symbol of a member of an enum by full name, or of a word of a setting."""
    return word("member", name) if enum == SIDE.name else declared("member", f"{enum}.{name}")


def local(span: Span) -> Symbol:
    """Return the symbol of a local, by the position of its declaration."""
    return Symbol("local", f"{span.source.name}:{span.start}:{span.text}", span.text)


@dataclass(frozen=True)
class Use:
    """An occurrence of a symbol; `declares` is set at its declaration."""

    span: Span
    symbol: Symbol
    declares: bool = False


@dataclass
class Uses:
    """All occurrences of names in the files of a game, which never overlap."""

    _found: dict[tuple[str, int], Use] = field(default_factory=dict)

    def add(self, span: Span, symbol: Symbol, declares: bool = False) -> None:
        """Record an occurrence of a symbol."""
        place = span.source.name, span.start
        if declares or place not in self._found or not self._found[place].declares:
            self._found[place] = Use(span, symbol, declares)

    def add_last(self, span: Span, symbol: Symbol, declares: bool = False) -> None:
        """Record an occurrence of a symbol at the end of a span, which may be in quotes."""
        end = span.end - (span.text[:1] in ("'", '"'))
        name = span.source.span(end - len(symbol.name), end)
        if name.text == symbol.name and name.start >= span.start:
            self.add(name, symbol, declares)

    def add_dotted(self, span: Span, symbol: Symbol, owner: Symbol | None) -> None:
        """Record an occurrence at the end of a span, and that of its owner before a dot."""
        self.add_last(span, symbol)
        start = span.start + (span.text[:1] in ("'", '"'))
        before, dot, _ = span.source.text[start : span.end].rpartition(".")
        if dot and owner is not None:
            self.add_last(span.source.span(start, start + len(before)), owner)

    @cached_property
    def _files(self) -> dict[str, list[Use]]:
        files: dict[str, list[Use]] = defaultdict(list)
        for (file, _), use in sorted(self._found.items()):
            files[file].append(use)
        return files

    @cached_property
    def _places(self) -> dict[Symbol, list[Use]]:
        places: dict[Symbol, list[Use]] = defaultdict(list)
        for uses in self._files.values():
            for use in uses:
                places[use.symbol].append(use)
        return places

    def at(self, file: str, offset: int) -> Use | None:
        """Return the occurrence at an offset of a file, or the one that ends there."""
        uses = self.file(file)
        number = bisect_right(uses, offset, key=lambda use: use.span.start)
        for use in reversed(uses[max(0, number - 2) : number]):
            if use.span.start <= offset <= use.span.end:
                return use
        return None

    def of(self, symbol: Symbol) -> list[Use]:
        """Return all occurrences of a symbol, by file and position."""
        return self._places.get(symbol, [])

    def declaration(self, symbol: Symbol) -> Use | None:
        """Return the declaration of a symbol; None for words of the language."""
        return next((use for use in self.of(symbol) if use.declares), None)

    def file(self, name: str) -> list[Use]:
        """Return all occurrences in a file, by position."""
        return self._files.get(name, [])

    @property
    def symbols(self) -> Iterator[Symbol]:
        """All symbols that occur."""
        return iter(self._places)
