"""Play a study, and keep what was played."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.runners import Runner, cores, local
from rulesdsl.simulate.store import Store
from rulesdsl.simulate.summary import Summary


def simulate(
    study: Study, runner: Runner | None = None, store: Store | None = None
) -> Iterator[Summary]:
    """The summary so far, after what `store` already has and then after every block of games;
    always the same object. Each block is in the store before it is counted.

    Raises PlayError when a rule fails, `runners.WorkerLost` or `cluster.NoScheduler` when nobody
    plays, OSError when the store cannot be written.
    """
    summary = Summary(study)
    done = list[range]()
    if store is not None:
        for games, played in store.read():
            summary.add(games.start, played)
            done.append(games)
    yield summary
    run = runner or local(cores())
    for games, played in run(study, study.blocks(done)):
        if store is not None:
            store.write(games, played)
        summary.add(games.start, played)
        yield summary
