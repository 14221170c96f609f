"""Games per second of `rulesdsl simulate` on all cores, by the wall clock."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter

from rulesdsl.study.playing import Study, Variant, cores, local, study_of
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import PLAYERS, Setup

ENGINE = "wasm"
BY = f"{ENGINE}, all cores"
RATE = "games/s"


def tasks(plan: Plan) -> list[Task]:
    """Return tasks for the base ruleset, alone and with all expansions, by the engine `wasm`.

    The effect of threads on `wasm` is measured in `batches`.
    """
    if ENGINE not in plan.engines:
        return []
    setups = (plan.base, *(setup for setup in plan.others if setup.large))
    return [Task(setup.name, partial(_measure, plan, setup)) for setup in setups]


def _measure(plan: Plan, setup: Setup, number: int) -> Iterator[Reading]:
    """Measure other games in every round, the same number per core on any machine."""
    study = study_of(
        str(setup.path),
        (Variant("as given", setup.expansions),),
        players=setup.players or PLAYERS,
        seed=number,
        games=plan.effort.study * cores(),
        engine=ENGINE,
    )
    yield Reading(setup.name, BY, RATE, _rate(study), Unit.RATE)


def _rate(study: Study) -> float:
    """Return the games per second from the time when as many blocks are done as there are cores.

    Until then processes start; a block in progress would count with less than its time.
    """
    blocks = local(cores())(study, study.blocks())
    for _ in range(cores()):
        next(blocks)
    began = perf_counter()
    played = sum(len(games) for games, _ in blocks)
    return played / (perf_counter() - began)
