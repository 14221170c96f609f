"""The rulesets that are shipped, and sets of them to be played together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path

from rulesdsl import Game, load
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import Search
from rulesdsl.read.load import extensions_of

FOLDER = Path(__file__).parents[2] / "rulesets"
FOUND = {
    each.id: each.header
    for each in Search([DiskFolder.at(FOLDER)]).found
    if each.header is not None
}
NAMES = sorted(name for name, header in FOUND.items() if not header.interaction)
"""What can be played by its name, an expansion with what it requires; interactions come by
themselves."""
ROOTS = [name for name in NAMES if not FOUND[name].requires and not FOUND[name].house]


@cache
def game(name: str, *expansions: str) -> Game:
    """A shipped game, loaded once."""
    return load(FOLDER / f"{name}.yaml", expansions)


def expansions(root: str) -> tuple[str, ...]:
    """All that is shipped and extends a root, interactions and house rules left out."""
    return tuple(id for id in extensions_of(FOLDER / f"{root}.yaml") if id in FOUND)


def covering(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Few sets of names, the first of them all, so that of any two names there is a set with both,
    with either alone and with neither.

    Each name is in the first set and in as many of the others as all names, but in no two names'
    the same: so of two names each is somewhere without the other. It is in less than half of them:
    so two names together leave one out.
    """
    others = next(n for n in range(1, len(names) + 2) if comb(n, (n - 1) // 2) >= len(names))
    codes = combinations(range(others), (others - 1) // 2)
    among = dict(zip(names, codes, strict=False))
    rest = (tuple(name for name in names if row in among[name]) for row in range(others))
    return [tuple(names), *rest]
