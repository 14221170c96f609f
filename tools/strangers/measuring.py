"""Measurement of what the checker and its games find in drawn expansions, and what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from rulesdsl import Game, load
from rulesdsl.author.lint.played import play
from rulesdsl.base.cache import uncached
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import RulesError
from tools.environment import ROOT
from tools.strangers.drawing import HOSTS, KINDS, files, kinds
from tools.strangers.renaming import Differs, Pair, rename, reversed_names, write

COUNT = 20_000
"""Number of combinations drawn for the page."""
GAMES = 3
"""Number of games of a combination that are played under both names."""
PLAYED = 100
"""Number of games that `check` plays."""
PAGE = ROOT / "docs" / "background" / "validator.md"
_PART = re.compile(
    r"(<!-- written by python3 -m tools strangers -->\n).*?(<!-- end -->)", re.DOTALL
)


@dataclass(frozen=True)
class Judged:
    """The verdict on a combination of expansions.

    `kinds` are its game and the ways to conflict in it, `verdict` is `refused`, `warned` or
    `clean`. `found` is set for clean ones if the games of `check` find a fault, and says whether
    names matter, a rule fails, or one also fails in a game with only one of the expansions;
    `outcome` says so for other games, under other names, of those in which nothing is found.
    """

    seed: int
    kinds: tuple[str, ...]
    verdict: str
    found: str | None = None
    outcome: str | None = None


DIFFERS, FAILS, ALONE = "differs", "fails", "fails alone"


def judged(seeds: Iterable[int], jobs: int) -> Iterator[Judged]:
    """Judge the combinations of these seeds, in order."""
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(judge, seeds, chunksize=10)


def judge(seed: int) -> Judged:
    """Check the combination of a seed, and play it under both names if nothing is found."""
    made = files(seed)
    sorts = (HOSTS[seed % len(HOSTS)], *sorted(kinds(made)))
    with TemporaryDirectory() as folder:
        try:
            game = _loaded(Path(folder) / "named", made)
        except RulesError:
            return Judged(seed, sorts, "refused")
        if findings(game):
            return Judged(seed, sorts, "warned")
        found = found_by_play(game, Path(folder) / "named")
        if found is not None:
            return Judged(seed, sorts, "clean", found)
        pair = _renamed(Path(folder) / "renamed", made, game)
        return Judged(seed, sorts, "clean", None, _outcome(pair))


def _outcome(pair: Pair) -> str | None:
    try:
        for seed in range(GAMES):
            pair.play(2, seed, 200)
    except Differs:
        return DIFFERS
    except PlayError:
        return FAILS
    return None


def found_by_play(game: Game, folder: Path) -> str | None:
    """Return what the random games of `check` find in a game of files in a folder."""
    on = [ruleset.id for ruleset in game.checked.game.rulesets if ruleset.id != "host"]
    main = str(folder / "host.yaml")
    with uncached():
        found = play(game, main, on, {}, (), PLAYED).finding
        if found is None:
            return None
        if found.slug == "order-of-names":
            return DIFFERS
        games = ((load(main, [one], engine="python"), [one]) for one in on)
        alone = any(play(other, main, one, {}, (), PLAYED).finding for other, one in games)
    return ALONE if alone else FAILS


def loaded(folder: Path, made: dict[str, str]) -> tuple[Pair | None, list[str]]:
    """Load a game of these files under both names, with its findings; no pair if it is refused."""
    try:
        game = _loaded(folder / "named", made)
    except RulesError as error:
        return None, [each.slug for each in error.diagnostics]
    return _renamed(folder / "renamed", made, game), findings(game)


def _loaded(folder: Path, made: dict[str, str]) -> Game:
    on = [name.removesuffix(".yaml") for name in made if name.endswith(".yaml")]
    on.remove("host")
    return load(write(folder, made) / "host.yaml", on, engine="python")


def _renamed(folder: Path, made: dict[str, str], game: Game) -> Pair:
    names = [name.removesuffix(".yaml") for name in made if name.endswith(".yaml")]
    new, on = reversed_names(names), [name for name in names if name != "host"]
    main = write(folder, rename(made, new)) / "host.yaml"
    return Pair(game, load(main, [new[name] for name in on], engine="python"), new)


def findings(game: Game) -> list[str]:
    """Return the slugs of the findings, except those for unused declarations."""
    return [each.slug for each in game.report.sorted() if each.slug != "unused"]


_COLUMNS: tuple[tuple[str, Callable[[Judged], bool]], ...] = (
    ("drawn", lambda each: True),
    ("refused", lambda each: each.verdict == "refused"),
    ("warned", lambda each: each.verdict == "warned"),
    ("clean by proof", lambda each: each.verdict == "clean"),
    ("found by playing: differs", lambda each: each.found == DIFFERS),
    ("fails together", lambda each: each.found == FAILS),
    ("fails alone", lambda each: each.found == ALONE),
    ("left: differs", lambda each: each.outcome == DIFFERS),
    ("fails", lambda each: each.outcome == FAILS),
)


def missed(found: Iterable[Judged]) -> list[int]:
    """Return the seeds of combinations that fail or depend on names though nothing was found."""
    return [each.seed for each in found if each.outcome is not None]


def table(found: Collection[Judged]) -> str:
    """Return the results by game and by the ways to conflict, as a table in Markdown."""
    rows = [
        f"| in it | {' | '.join(name for name, _ in _COLUMNS)} |",
        "| --- " + "| ---: " * len(_COLUMNS) + "|",
    ]
    for kind in (*HOSTS, *KINDS, "all"):
        these = [each for each in found if kind == "all" or kind in each.kinds]
        cells = (f"{sum(map(fits, these)):,}" for _, fits in _COLUMNS)
        name = f"the game `{kind}`" if kind in HOSTS else kind
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def current(page: str, found: Collection[Judged]) -> str:
    """Return the page with the table in it."""
    return _PART.sub(lambda part: part[1] + table(found) + part[2], page)
