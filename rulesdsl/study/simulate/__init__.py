"""Statistics of many games: `Study` says which games, `simulate` plays them.

`plan` has the study, `playing` plays its games and keeps them as columns, `summary` computes the
statistics, `report` writes them, and `store` keeps the games.
"""

from __future__ import annotations

from collections.abc import Generator

from rulesdsl.base.interrupts import INTERRUPTS
from rulesdsl.study.simulate.plan import Study, Variant, study_of
from rulesdsl.study.simulate.playing import Runner, cores, local
from rulesdsl.study.simulate.report import Finding, Summary
from rulesdsl.study.simulate.store import GameStore, Gathering

__all__ = ["Finding", "Study", "Summary", "Variant", "local", "simulate", "study_of"]


def simulate(
    study: Study, runner: Runner | None = None, store: GameStore | None = None
) -> Generator[Summary, None, None]:
    """Yield the summary so far, first of the games in `store`, then after every portion of games.

    It is always the same object. However the iteration ends, all games that are counted are then in
    the store. Raises PlayError if a rule fails, OutOfTime if a deadline passes, WorkerLost or
    `NoScheduler` if nobody can play, and OSError if the store cannot be written.
    """
    summary = Summary(study)
    done = list[range]()
    if store is not None:
        for games, played in store.read():
            summary.add(games.start, played)
            done.append(games)
    yield summary
    run = runner or local(cores())
    gathering = Gathering(store, study, done) if store is not None else None
    try:
        for games, played in run(study, study.blocks(done)):
            with INTERRUPTS:
                summary.add(games.start, played)
                if gathering is not None:
                    gathering.add(games, played)
            yield summary
    finally:
        if gathering is not None:
            gathering.flush()
