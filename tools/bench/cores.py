"""Games in a second as `rulesdsl simulate` plays them: on all cores, by the clock on the wall."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter

from rulesdsl.simulate import Study, Variant, study_of
from rulesdsl.simulate.playing import cores, local
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.bench.playing import PLAYERS, Setup

ENGINE = "python"
BY = f"{ENGINE}, all cores"
RATE = "games/s"


def tasks(plan: Plan) -> list[Task]:
    """The base ruleset, alone and with all its expansions, by the engine `python`: what threads
    give to `wasm` is in `batches`."""
    if ENGINE not in plan.engines:
        return []
    setups = (plan.base, *(setup for setup in plan.others if setup.large))
    return [Task(setup.name, partial(_measure, plan, setup)) for setup in setups]


def _measure(plan: Plan, setup: Setup, number: int) -> Iterator[Reading]:
    """Other games in every round, as many for every core on any machine."""
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
    """Games in a second from when as many blocks are there as there are cores. Until then processes
    start; a block that was under way then would count with less than the time it took."""
    blocks = local(cores())(study, study.blocks())
    for _ in range(cores()):
        next(blocks)
    began = perf_counter()
    played = sum(len(games) for games, _ in blocks)
    return played / (perf_counter() - began)
