"""`rulesdsl test --mutants`: say which small changes of rules no scenario notices."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from rulesdsl.cli.console import Console
from rulesdsl.cli.problems import exit_code, worker_lost
from rulesdsl.cli.progress import progress_bar
from rulesdsl.cli.test import write
from rulesdsl.interrupts import INTERRUPTS
from rulesdsl.processes import WorkerLost
from rulesdsl.suite.mutants.judging import Fate
from rulesdsl.suite.mutants.survey import Survey
from rulesdsl.suite.result import Result
from rulesdsl.suite.trying import Options

if TYPE_CHECKING:
    from rulesdsl.cli.test import Told


def mutants(
    result: Result,
    options: Options,
    jobs: int,
    told: Told,
    arguments: Namespace,
    console: Console,
) -> int:
    """Judge all mutants of the rulesets, if all tests hold; give the exit code."""
    if result.failed or not told.all_read:
        told.end()
        console.tell(("note", "note"), ": mutants are made when all tests hold")
        if arguments.format != "text":
            write(result, arguments, console)
        return told.worst
    survey = Survey.of(arguments.files, result.tried, options)
    for name in survey.packed:
        console.tell(("note", "note"), f": {name} is in an archive, so no mutants are made of it")
    stop = _judge(survey, jobs, console)
    found, _ = survey.sifted()
    told.show(found)
    told.end()
    _sum_up(survey, told)
    if arguments.format != "text":
        write(replace(result, mutants=survey), arguments, console)
    if stop is not None:
        console.tell(
            ("note", "note"),
            f": stopped after {len(survey.verdicts)} of {len(survey.mutants)} mutants",
        )
        if isinstance(stop, WorkerLost):
            raise worker_lost(stop) from None
        raise stop
    return max(told.worst, exit_code(found))


def _judge(survey: Survey, jobs: int, console: Console) -> KeyboardInterrupt | WorkerLost | None:
    """Judge the mutants, with a bar; what has stopped that, if anything has."""
    try:
        with progress_bar(console, len(survey.mutants), "mutants") as show:
            show(0)
            for _ in survey.judged(jobs):
                show(len(survey.verdicts))
    except KeyboardInterrupt as stop:
        INTERRUPTS.finish()
        return stop
    except WorkerLost as stop:
        return stop
    return None


def _sum_up(survey: Survey, told: Told) -> None:
    count = survey.count
    made = len(survey.verdicts) - count(Fate.INVALID)
    allowed = survey.sifted()[1]
    pieces = [
        f"{count(Fate.REFUSED)} found by check",
        f"{count(Fate.NOTICED)} noticed by scenarios",
        f"{count(Fate.SURVIVED)} not noticed",
        f"{count(Fate.SAME)} change nothing",
    ]
    pieces += [f"{allowed} of these allowed"] if allowed else []
    told.say((f"{made} mutants: {', '.join(pieces)}", "title"))
