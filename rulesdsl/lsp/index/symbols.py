"""What names mean, and every place where they stand."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rulesdsl.diagnostics import Source, Span

What = Literal[
    "value",
    "action",
    "choice",
    "option",
    "state",
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
    """Something that has a name. `key` is its full name as in the game, of an enum's member
    `ruleset/enum.member`, of a local the place where it is declared, of a ruleset its id, of
    what the language has its word."""

    what: What
    key: str
    name: str

    @property
    def own(self) -> bool:
        """Whether it is a word of the language, which no ruleset declares."""
        if self.what == "member":
            return "/" not in self.key
        return self.what in ("function", "effect", "property", "type")


@dataclass(frozen=True)
class Use:
    """A place where a name stands, and what it means there; `declares`: it is declared there."""

    span: Span
    symbol: Symbol
    declares: bool = False


class Index:
    """All places of names in the files of a game, none of which overlap."""

    def __init__(self, uses: Iterable[Use]) -> None:
        self._files: dict[str, list[Use]] = defaultdict(list)
        self._places: dict[Symbol, list[Use]] = defaultdict(list)
        first = {(use.span.source.name, use.span.start): use for use in reversed(tuple(uses))}
        for _, use in sorted(first.items(), key=lambda item: item[0]):
            self._files[use.span.source.name].append(use)
            self._places[use.symbol].append(use)

    def at(self, file: str, offset: int) -> Use | None:
        """The name that stands at an offset of a file, or ends there."""
        uses = self._files.get(file, [])
        number = bisect_right(uses, offset, key=lambda use: use.span.start)
        for use in reversed(uses[max(0, number - 2) : number]):
            if use.span.start <= offset <= use.span.end:
                return use
        return None

    def of(self, symbol: Symbol) -> list[Use]:
        """Every place where something is named, by file and place."""
        return self._places.get(symbol, [])

    def declaration(self, symbol: Symbol) -> Use | None:
        """Where something is declared; None for words of the language."""
        return next((use for use in self.of(symbol) if use.declares), None)

    def file(self, name: str) -> list[Use]:
        """All names in a file, by place."""
        return self._files.get(name, [])

    @property
    def symbols(self) -> Iterator[Symbol]:
        """Everything that is named somewhere."""
        return iter(self._places)

    def source(self, file: str) -> Source | None:
        """The text of a file as the names were found in it."""
        uses = self._files.get(file)
        return uses[0].span.source if uses else None
