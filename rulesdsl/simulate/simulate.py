"""Play a study, and keep what was played."""

from __future__ import annotations

from collections.abc import Generator

from rulesdsl.interrupts import INTERRUPTS
from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.playing import Runner, cores, local
from rulesdsl.simulate.store import Gathering, Store
from rulesdsl.simulate.summary import Summary


def simulate(
    study: Study, runner: Runner | None = None, store: Store | None = None
) -> Generator[Summary, None, None]:
    """The summary so far, after what `store` already has and then after every portion of games;
    always the same object. However it ends, all games that are counted are in the store then.

    Raises PlayError when a rule fails, OutOfTime when a deadline passes, WorkerLost or
    `cluster.NoScheduler` when nobody plays, OSError when the store cannot be written.
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
