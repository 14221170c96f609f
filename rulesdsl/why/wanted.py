"""Moves that are asked about, as people write them: whole, or with only some arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.model.values import Value
from rulesdsl.play.forms import Place, Spot
from rulesdsl.play.move import text
from rulesdsl.play.names import Names

ANYTHING = ("*", "_", "?")
"""Stands for any argument."""

_CALLED = re.compile(r"([\w.]+)\((.*)\)")
_NAMED = re.compile(r"(\w+)=(.+)")


@dataclass(frozen=True)
class Wanted:
    """A move: the name of its option, arguments in order, and others by name."""

    name: str
    ordered: tuple[str, ...]
    named: Mapping[str, str]

    def argument(self, place: int, name: str) -> str | None:
        """What is wanted for an argument; None for anything."""
        found = self.named.get(name)
        if found is None and place < len(self.ordered):
            found = self.ordered[place]
        return None if found in ANYTHING else found

    def __str__(self) -> str:
        return " ".join([self.name, *self.ordered, *(f"{k}={v}" for k, v in self.named.items())])


def wanted(words: Sequence[str]) -> Wanted:
    """The move in words, as scenarios (`put house village@N`), records (a line of one) or programs
    (`build.put(k=house, s=village@N)`) write it. Raises RulesError for a line that is no move."""
    line = " ".join(words).strip()
    if line.startswith("{"):
        return _recorded(line)
    called = _CALLED.fullmatch(line)
    parts = [called[1], *called[2].split(", ")] if called else line.split()
    name, *arguments = [part for part in parts if part] or [""]
    named = {found[1]: found[2] for each in arguments if (found := _NAMED.fullmatch(each))}
    ordered = tuple(each for each in arguments if not _NAMED.fullmatch(each))
    return Wanted(name, ordered, named)


def _recorded(line: str) -> Wanted:
    try:
        match json.loads(line):
            case {"move": str(name), "args": dict(arguments)}:
                return Wanted(name, (), {key: str(value) for key, value in arguments.items()})
    except (ValueError, RecursionError):
        pass
    message = "this is no line of a record with a move"
    raise RulesError([Diagnostic("bad-argument", message, help=("write the move in words",))])


def means(given: str, value: Value, names: Names) -> bool:
    """Is it the value that was written, in short or in full, a place also by its first numbers?"""
    short = names.short(value)
    texts = {text(short), text(names.full(value))}
    if isinstance(short, Place | Spot):
        numbers = [str(part) for part in short if isinstance(part, int)]
        return given.strip("()").replace(" ", "").split(",") == numbers[: given.count(",") + 1]
    return given in texts
