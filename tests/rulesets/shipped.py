"""The rulesets that are shipped, and sets of them to be played together."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rulesdsl import Game, load
from rulesdsl.language.read.files import DiskFolder
from rulesdsl.language.read.find import FolderSearch
from rulesdsl.language.read.load import extensions_of

FOLDER = Path(__file__).parents[2] / "rulesets"
FOUND = {
    each.id: each.header
    for each in FolderSearch([DiskFolder.at(FOLDER)]).found
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
