"""Renamed rulesets, whose order is reversed, and games that are played under both names.

The names of rulesets must not affect a checked game: the same moves, by their names, lead to the
same moves and the same points.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from rulesdsl import Game, State
from rulesdsl.author.lint.played import named
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.play import CHANCE, Move

_HEAD = re.compile(r"^(ruleset|requires|interaction|knows):.*$", re.MULTILINE)
_LABELS = re.compile(r"^labels:\n(?:[ #].*\n|\n)*", re.MULTILINE)
_FILE = re.compile(r"^(rules|\$schema|# yaml-language-server):?.*$", re.MULTILINE)


def reversed_names(names: Iterable[str]) -> dict[str, str]:
    """Return a new name for each ruleset, in reverse order."""
    ordered = sorted(names)
    return {name: f"r{len(ordered) - at:03}_{name}" for at, name in enumerate(ordered)}


def rename(files: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Rename rulesets in the texts of their manifests and rules, by file name.

    Labels, which name rulesets too, are left out.
    """
    return {name: _renamed(name, text, new) for name, text in files.items()}


def _renamed(name: str, text: str, new: Mapping[str, str]) -> str:
    ids = "|".join(map(re.escape, sorted(new, key=len, reverse=True)))

    def other(found: re.Match[str]) -> str:
        return new[found.group()]

    if name.endswith(".rules"):
        text = re.sub(rf"(?<![\w.])(?:{ids})(?=\.\w)", other, text)
        text = re.sub(rf"(?<=\bprevious in )(?:{ids})\b(?!\.)", other, text)
        return re.sub(
            r"^with [^:\n]*:",
            lambda m: re.sub(rf"\b(?:{ids})\b", other, m.group()),
            text,
            flags=re.M,
        )
    lines = []
    text = _LABELS.sub("", text)
    for line in text.splitlines(keepends=True):
        if _HEAD.match(line):
            line = re.sub(rf"\b(?:{ids})\b", other, line)
        elif not _FILE.match(line):
            line = re.sub(rf"(?<![\w./])(?:{ids})(?=[./]\w)", other, line)
        lines.append(line)
    return "".join(lines)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a new folder."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


class Differs(Exception):
    """The error for games that differ."""


@dataclass(frozen=True)
class Pair:
    """A game, and the same one with renamed rulesets."""

    game: Game
    other: Game
    new: Mapping[str, str]

    def play(self, players: int, seed: int, most: int) -> int:
        """Play random moves in both, chance included, and compare everything visible.

        Return the number of moves. Raises `Differs`, and PlayError if a rule fails in both games.
        """
        luck = random.Random(seed)
        one, two = _both(lambda: self.game.start(players), lambda: self.other.start(players))
        for at in range(most):
            seen, again = self._seen(one), self._seen(two)
            if seen != again:
                raise Differs(f"after {at} moves: {seen} and {again}")
            if one.mover is None:
                return at
            moves = {self._old(move): move for move in two.moves()}
            move = luck.choice(sorted(one.moves(), key=self._old))
            _both(partial(one.play, move), partial(two.play, moves[self._old(move)]))
        return most

    def _seen(self, state: State) -> tuple[object, ...]:
        moves = sorted(map(self._old, state.moves()))
        points = None if state.mover == CHANCE else state.scores()
        return state.mover, state.asked, moves, points, state.winners

    def _old(self, move: Move) -> str:
        text = str(move)
        for old, new in self.new.items():
            text = text.replace(new, old)
        return named(text)


_T = TypeVar("_T")


def _both(one: Callable[[], _T], two: Callable[[], _T]) -> tuple[_T, _T]:
    """Do the same in two games; if a rule fails in one of them, it must fail in the other."""
    try:
        result = one()
    except PlayError as error:
        with suppress(PlayError):
            two()
            raise Differs(f"only under the old names: {error}") from None
        raise
    try:
        return result, two()
    except PlayError as error:
        raise Differs(f"only under the new names: {error}") from None


def texts(files: Sequence[Path]) -> dict[str, str]:
    """Return the texts of files by their names."""
    return {file.name: file.read_text(encoding="utf-8") for file in files}
