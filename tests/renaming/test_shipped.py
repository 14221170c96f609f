"""Shipped rulesets play alike under names whose order is the reverse."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from rulesdsl import load
from tests.rulesets.shipped import FOLDER, FOUND, ROOTS, expansions, game
from tools.strangers.renaming import Pair, rename, reversed_names, texts, write

FULL = [(root, expansions(root)) for root in ROOTS if expansions(root)]
SETS = [
    (root, on) for root in ROOTS for size in (1, 2) for on in combinations(expansions(root), size)
]


@pytest.fixture(scope="session")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """All shipped rulesets under their new names."""
    new = reversed_names(FOUND)
    files = [*FOLDER.glob("*.rules"), *(f for f in FOLDER.glob("*.yaml") if "." not in f.stem)]
    return write(tmp_path_factory.mktemp("renamed") / "rulesets", rename(texts(files), new)), new


def play(
    root: str, on: tuple[str, ...], renamed: tuple[Path, dict[str, str]], seed: int, most: int
) -> None:
    folder, new = renamed
    other = load(folder / f"{root}.yaml", [new[each] for each in on], engine="python")
    if len(on) > 1:
        assert [new[each.id] for each in game(root, *on).rulesets] != [e.id for e in other.rulesets]
    Pair(game(root, *on), other, new).play(2 + seed % 2, seed, most)


@pytest.mark.parametrize(("root", "on"), FULL, ids=[root for root, _ in FULL])
def test_all(root: str, on: tuple[str, ...], renamed: tuple[Path, dict[str, str]]) -> None:
    play(root, on, renamed, 1, 120)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize(("root", "on"), FULL, ids=[root for root, _ in FULL])
def test_games_of_all(
    root: str, on: tuple[str, ...], renamed: tuple[Path, dict[str, str]], seed: int
) -> None:
    play(root, on, renamed, seed, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("root", "on"), SETS, ids=[" ".join(on) for _, on in SETS])
def test_pairs(
    root: str, on: tuple[str, ...], renamed: tuple[Path, dict[str, str]], seed: int
) -> None:
    play(root, on, renamed, seed, 10_000)
