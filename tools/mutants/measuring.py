"""Measurement of the checker: the verdict on every mutant, and the shares by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tools.mutants.checking import Checker, source_of
from tools.mutants.corpus import CHANGES, CLASSES, corpus
from tools.mutants.mutant import Mutant
from tools.mutants.proving import failing, only_turned, replayed


@dataclass(frozen=True)
class Judged:
    """The verdict on a mutant.

    `how` is `caught` by the checker, `turned` or `replayed` if it changes no game, `failing` if a
    scenario shows it, else `escaped`.
    """

    kind: str
    shown: str
    how: str


@dataclass(frozen=True)
class Share:
    """The numbers of mutants of a class.

    `same` are those that change no game; `caught` are found by the checker, `shown` by it or a
    scenario.
    """

    kind: str
    drawn: int
    same: int
    caught: int
    shown: int

    @property
    def count(self) -> int:
        """The number of mutants that change a game."""
        return self.drawn - self.same


def judged(count: int, kinds: Sequence[str] = tuple(CLASSES), jobs: int = 1) -> Iterator[Judged]:
    """Judge so many mutants of each class, in order."""
    work = [(kind, mutant) for kind in kinds for mutant in corpus(kind, count)]
    if jobs == 1:
        yield from map(_judge, work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_judge, work, chunksize=8)


_checkers: list[Checker] = []


def _judge(work: tuple[str, Mutant]) -> Judged:
    kind, mutant = work
    if not _checkers:
        _checkers.append(Checker())
    how = "caught"
    if not _checkers[-1].verdict(mutant, (CLASSES | CHANGES)[kind].slugs).caught:
        how = _fate(mutant)
    return Judged(kind, mutant.shown(source_of(mutant)), how)


def _fate(mutant: Mutant) -> str:
    """Return the verdict on a mutant that the checker missed.

    A failing scenario proves that it changes games. A piece that is only rotated does not: it
    changes only the text of moves.
    """
    if only_turned(mutant):
        return "turned"
    if failing(mutant):
        return "failing"
    return "replayed" if replayed(mutant) else "escaped"


def shares(found: Sequence[Judged]) -> list[Share]:
    """Return the shares of all classes that were judged."""
    return [
        Share(
            kind,
            len(mine),
            sum(each.how in ("turned", "replayed") for each in mine),
            sum(each.how == "caught" for each in mine),
            sum(each.how in ("caught", "failing") for each in mine),
        )
        for kind in dict.fromkeys(each.kind for each in found)
        for mine in [[each for each in found if each.kind == kind]]
    ]
