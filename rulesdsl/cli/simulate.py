"""`rulesdsl simulate`: play many games and print statistics."""

from __future__ import annotations

import re
from argparse import Namespace
from contextlib import closing
from importlib import import_module
from pathlib import Path

from rulesdsl.base.deadline import OutOfTime
from rulesdsl.base.interrupts import INTERRUPTS
from rulesdsl.base.processes import WorkerLost
from rulesdsl.cli.console import (
    CLEAN,
    Console,
    bad_argument,
    check_ending,
    deliver,
    exit_code,
    games_stopped,
    out_of_time,
    output_failed,
    package_missing,
    plain_text,
    progress_bar,
    refusing,
    save_output,
    worker_lost,
)
from rulesdsl.cli.loading import check_bots, parts, settings
from rulesdsl.language.diagnostics import Diagnostic, Report
from rulesdsl.language.diagnostics.report import inert_json
from rulesdsl.language.read.find import BALANCE_SUFFIXES, TextFile
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.study.balance import (
    BalanceStudy,
    BoundVerdict,
    balance_beside,
    diagnostic,
    held,
    read_balance,
    verdict_lines,
)
from rulesdsl.study.playing import (
    NoScheduler,
    OtherRulesets,
    Runner,
    Study,
    Variant,
    cores,
    local,
    maker_of,
    on_cluster,
    study_of,
)
from rulesdsl.study.report import FORMATS, Line, Summary, as_bytes, lines
from rulesdsl.study.simulate import GameStore, UnusableStore, simulate

BASE = "as given"
TIMED = re.compile(r":[^:]*s\Z")
"""Bots whose moves depend on the clock."""


def command(arguments: Namespace, console: Console) -> int:
    """Play the games that are not stored yet, and write the statistics of all."""
    format_ = _format(arguments, console)
    if arguments.budget:
        return _hold(arguments, format_, console)
    study = _study(arguments)
    if any(TIMED.search(bot) for bot in study.bots):
        console.note("bots with a time limit play differently each time")
    runner = _runner(arguments)
    store = _store(arguments, study)
    summary, stopped = _played(study, runner, store, console)
    if summary.games:
        _write(summary, format_, arguments, console)
    if stopped is not None:
        raise stopped
    return CLEAN


# --- arguments -------------------------------------------------------------------------------


def _study(arguments: Namespace) -> Study:
    bots = parts(arguments.bots) or ["random"]
    check_bots(bots, maker_of)
    chosen = {name: str(value) for name, value in settings(arguments.set).items()}
    expansions = tuple(dict.fromkeys(parts(arguments.expansions)))
    base = Variant(BASE, expansions, tuple(sorted(chosen.items())))
    compared = [_compared(text, base) for text in dict.fromkeys(arguments.compare)]
    with refusing():
        return study_of(
            arguments.ruleset,
            [base, *compared],
            players=arguments.players,
            bots=bots,
            seed=arguments.seed,
            games=1000 if arguments.games is None else arguments.games,
            engine=arguments.engine,
            paths=arguments.path,
        )


def _compared(text: str, base: Variant) -> Variant:
    """Return the variant that a text such as `with=a,without=b,setting=3` makes of `base`."""
    expansions, chosen = list(base.expansions), dict(base.settings)
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise bad_argument(
                f"`--compare {text}` is not of the form with=RULESET, without=RULESET or "
                "SETTING=VALUE, separated by commas"
            )
        if name == "with":
            expansions += [value] if value not in expansions else []
        elif name != "without":
            chosen[name] = value
        elif value not in expansions:
            raise bad_argument(f"`--compare {text}`: `{value}` is not among --with")
        else:
            expansions.remove(value)
    return Variant(text, tuple(expansions), tuple(sorted(chosen.items())))


_ENDINGS = ".json", ".csv", ".parquet", ".html", ".txt", ""
"""The endings that say a format; the last ones, and none at all, that of a table."""


def _format(arguments: Namespace, console: Console) -> str:
    """Return the format of the output: the one asked for, that of the file name, or a table."""
    format_: str | None = "json" if arguments.json else arguments.format
    if format_ is None and arguments.to is not None:
        ending = Path(arguments.to).suffix.lstrip(".").lower()
        format_ = ending if ending in FORMATS else None
        check_ending(arguments.to, "statistics", _ENDINGS)
    if format_ == "parquet":
        _needs("a Parquet file", "pyarrow", "stats")
        if arguments.to is None and console.terminal:
            raise bad_argument("Parquet is not for terminals", "name a file with --to")
    return format_ or "table"


def _runner(arguments: Namespace) -> Runner:
    if arguments.scheduler is None:
        return local(arguments.jobs or cores())
    _needs("--scheduler", "distributed", "cluster")
    return on_cluster(arguments.scheduler)


def _store(arguments: Namespace, study: Study) -> GameStore | None:
    if arguments.out is None:
        return None
    _needs("--out", "pyarrow", "stats")
    _needs("--out", "filelock", "stats")
    try:
        return GameStore(arguments.out, study)
    except UnusableStore as error:
        raise bad_argument(*error.args) from None
    except (OSError, ValueError) as error:
        raise output_failed(f"`{arguments.out}`", error) from None


def _needs(what: str, package: str, extra: str) -> None:
    try:
        import_module(package)
    except ImportError:
        raise package_missing(what, package, extra) from None


# --- budgets -----------------------------------------------------------------------------------


def _hold(arguments: Namespace, format_: str, console: Console) -> int:
    """Test the bounds in the balance file of a ruleset, and report those that do not hold."""
    if format_ not in ("table", "json"):
        raise bad_argument(f"`--budget` has no format `{format_}`", "formats: table, json")
    ruleset, file = _balance_file(arguments)
    budgets = read_balance(
        file.read()[0], arguments.seed, arguments.engine, arguments.path, ruleset
    )
    runner, found, rows = _runner(arguments), list[Diagnostic](), list[dict[str, object]]()
    text = list[Line]()
    for budget in budgets:
        verdicts = _verdicts(budget, runner, console)
        rows.append({"study": budget.name, "bounds": [each.row() for each in verdicts]})
        text += verdict_lines(budget, verdicts)
        found += [each for verdict in verdicts if (each := diagnostic(budget, verdict))]
    if format_ == "json":
        content = inert_json({"studies": rows}, indent=1) + "\n"
    else:
        content = plain_text(text)
    if arguments.to is None and format_ == "table":
        console.write(text)
    else:
        deliver(content, arguments.to, console)
    console.show(found)
    return exit_code(found)


def _balance_file(arguments: Namespace) -> tuple[str, TextFile]:
    report = Report()
    rulesets = load_rulesets(arguments.ruleset, paths=arguments.path, report=report)
    report.check()
    ruleset = rulesets[-1]  # the others are those that it requires
    found = balance_beside(ruleset)
    if found is None:
        name = f"{ruleset.id}{BALANCE_SUFFIXES[0]}"
        raise bad_argument(
            f"there is no balance file beside `{arguments.ruleset}`",
            f"write `{name}` beside its manifest; docs/reference/simulation.md has an example",
        )
    return ruleset.id, found


def _verdicts(budget: BalanceStudy, runner: Runner, console: Console) -> list[BoundVerdict]:
    """Return the last verdicts of a study; raises RulesError if its games stop early."""
    verdicts = list[BoundVerdict]()
    try:
        with progress_bar(console, budget.study.games) as show:
            for verdicts in held(budget, runner):
                show(max((each.finding.games for each in verdicts), default=0))
    except WorkerLost as error:
        raise worker_lost(error) from None
    except OutOfTime as error:
        raise out_of_time(error, f"`{budget.name}` is not decided") from None
    except (OtherRulesets, NoScheduler) as error:
        raise games_stopped(str(error)) from None
    return verdicts


# --- playing -----------------------------------------------------------------------------------


def _played(
    study: Study, runner: Runner, store: GameStore | None, console: Console
) -> tuple[Summary, BaseException | None]:
    """Return the summary of the games played, and the exception that stopped playing, if any.

    Ctrl-C, a deadline or the loss of a process stops playing.
    """
    kept = "run the command again to continue: the finished games are kept" if store else ""
    help_ = (kept,) if store else ()
    summary = Summary(study)
    try:
        with (
            progress_bar(console, study.games) as show,
            closing(simulate(study, runner, store)) as summaries,
        ):
            for summary in summaries:
                show(summary.games)
    except KeyboardInterrupt as interrupt:
        INTERRUPTS.finish()
        count = summary.games
        console.note(f"stopped after {count:,} of {study.games:,} games")
        if kept:
            console.tell(f"  {kept}")
        return summary, interrupt
    except WorkerLost as error:
        return summary, worker_lost(error, *help_)
    except OutOfTime as error:
        over = f"{summary.games:,} of {study.games:,} games are over"
        return summary, out_of_time(error, over, *help_)
    except UnusableStore as error:
        raise games_stopped(*error.args) from None
    except OSError as error:
        raise output_failed(f"`{store and store.name}`", error, *help_) from None
    except (OtherRulesets, NoScheduler) as error:
        raise games_stopped(str(error), *help_) from None
    return summary, None


# --- output ------------------------------------------------------------------------------------


def _write(summary: Summary, format_: str, arguments: Namespace, console: Console) -> None:
    if arguments.to is None:
        if format_ == "table":
            console.write(lines(summary))
        elif format_ == "parquet":
            console.document(as_bytes(summary, format_))
        else:
            console.document(as_bytes(summary, format_).decode())
        return
    table = format_ == "table"
    content = plain_text(lines(summary)).encode() if table else as_bytes(summary, format_)
    save_output(arguments.to, content, console)
