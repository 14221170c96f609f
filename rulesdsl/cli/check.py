"""`rulesdsl check`: check rulesets for problems."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from math import inf
from typing import TYPE_CHECKING

from rulesdsl import __version__
from rulesdsl.author.lint.checking import (
    ALWAYS,
    MEETING,
    PLAYED,
    CheckedTarget,
    CheckTarget,
    Levels,
    Sieve,
    Sifted,
    check,
    no_baseline,
    read_baseline,
    read_levels,
    sources,
    targets,
)
from rulesdsl.author.lint.formats import FORMATS, Run
from rulesdsl.author.lint.played import PlayedGames, play, played_briefly
from rulesdsl.base.deadline import OutOfTime
from rulesdsl.base.interrupts import INTERRUPTS
from rulesdsl.base.processes import WorkerLost
from rulesdsl.cli.console import (
    CLEAN,
    Console,
    bad_argument,
    exit_code,
    progress_bar,
    worker_lost,
    write_output,
)
from rulesdsl.cli.loading import STDIN, parts, read_source, settings
from rulesdsl.language.diagnostics import Diagnostic, Report, Severity
from rulesdsl.language.diagnostics.report import numbers
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.read.load import load_rulesets

if TYPE_CHECKING:
    from rulesdsl.engine.build.combinations import Subsets


def command(arguments: Namespace, console: Console) -> int:
    """Check each ruleset with the rulesets it requires; return the worst exit code."""
    if STDIN in arguments.paths:
        raise bad_argument(
            "a manifest names files beside it, so it cannot come from standard input",
            "give the path of the manifest",
        )
    checker = _Checker(arguments, console)
    left: list[str] = list(arguments.paths)
    limit = arguments.timeout
    try:
        # Engines stop by themselves; other work is interrupted a moment later.
        with INTERRUPTS.limited(limit and limit + _MOMENT, OutOfTime(limit or inf)):
            found = targets(arguments.paths)
            left = [target.name for target in found]
            for target in found:
                if arguments.all_subsets and not target.scenarios:
                    checker.subsets(target)
                else:
                    checker.one(target)
                if arguments.play and not target.scenarios:
                    checker.play(target)
                left.remove(target.name)
    except OutOfTime as stop:
        checker.stopped(stop, f"not checked, or not to the end: {', '.join(left)}")
    return checker.end()


_MOMENT = 0.3
"""Seconds that an engine may need to stop at a deadline."""


def _levels(values: Sequence[str]) -> Levels:
    pairs = []
    for value in parts(values):
        slug, equals, level = value.partition("=")
        if not equals:
            raise bad_argument(f"`--level {value}` is not of the form slug=level")
        pairs.append((slug, level))
    return read_levels(pairs)


class _Checker:
    """Runs the checks and reports them: as text at once, in other formats at the end."""

    def __init__(self, arguments: Namespace, console: Console) -> None:
        self._arguments, self._console = arguments, console
        self._as_text = arguments.format == "text"
        self._expansions = parts(arguments.expansions)
        self._chosen = settings(arguments.set)
        judged = ALWAYS
        judged |= PLAYED if arguments.play else frozenset()
        judged |= MEETING if arguments.all_subsets else frozenset()
        baseline = None
        if arguments.write_baseline:
            baseline = no_baseline(arguments.baseline)
        elif arguments.baseline is not None:
            baseline = read_baseline(read_source(arguments.baseline, console.input))
        self._sieve = Sieve(_levels(arguments.level), baseline, judged)
        self._names: list[str] = []
        self._played_games: list[dict[str, object]] = []
        self._records: list[str] = []

    def one(self, target: CheckTarget) -> None:
        paths = self._arguments.path
        result = check(target, self._expansions, self._chosen, paths)
        played = self._played(target, result, self._expansions)
        found = (*result.found, *(() if played.finding is None else (played.finding,)))
        found = (*found, *_damaged(result.rulesets))
        shown = self._show(self._sieve.sift(found, result.sources))
        loaded = "scenarios" if target.scenarios else _loaded(result.rulesets)
        self._told(target, f"{_count(shown)}; {loaded}{_games(played)}")

    def _played(self, target: CheckTarget, result: CheckedTarget, on: Sequence[str]) -> PlayedGames:
        """Play random games of a game without errors, unless that is not wanted."""
        arguments = self._arguments
        games = 0 if arguments.no_play else arguments.games
        if result.game is None or not games:
            return PlayedGames()
        if target.scenarios:
            played = played_briefly(result.game.checked)
        else:
            played = play(result.game, target.name, on, self._chosen, arguments.path, games)
        counts = {key: value for key, value in vars(played).items() if key != "finding"}
        self._played_games.append({"checked": target.name, "with": [*on], **counts})
        return played

    def subsets(self, target: CheckTarget) -> None:
        """Check a ruleset with every subset of the expansions, or with all that can differ.

        A finding is shown with the first subset that has it, which is a smallest one.
        """
        from rulesdsl.engine.build.combinations import (
            Subsets,  # all stages, which are not needed otherwise
        )

        wrong = 0
        name, paths = target.name, self._arguments.path
        loaded = load_rulesets(name, self._expansions, paths=paths, report=Report())
        known = list(sources(loaded))
        stopped, every = "", Subsets(name, self._expansions, paths=paths)
        try:
            with progress_bar(self._console, 1, "subsets") as show:
                for subset in every:
                    heading = f"with {', '.join(subset.expansions) or 'no expansion'}:"
                    sifted = self._sieve.sift(subset.findings, known)
                    with show.aside() if sifted.fresh else nullcontext():
                        found = self._show(sifted, heading)
                    wrong += bool(found)
                    show(every.checked, every.planned)
        except (KeyboardInterrupt, OutOfTime, WorkerLost) as stop:
            stopped = self.stopped(stop, f"stopped after {_number(every.checked, 'subset')}")
        verdict = f"problems in {wrong} of them" if wrong else "no problems"
        if not stopped:
            loaded = load_rulesets(name, every.ids, paths=paths, report=Report())
            broken = len(self._show(self._sieve.sift(_damaged(loaded), known)))
            verdict += f", and {_number(broken, 'damaged image')}" if broken else ""
        extends = ", ".join(every.ids) or "nothing extends it"
        played = "" if stopped else self._played_sets(target)
        self._told(target, f"{stopped}{_covered(every)}, {verdict}; {extends}{played}")
        if every.refused:
            self._show(self._sieve.sift(every.refused, ()))
        if every.left and not stopped:
            self._show(self._sieve.sift([_too_many(every)], ()))

    def _played_sets(self, target: CheckTarget) -> str:
        """Play random games with sets of the expansions in which any two meet; return how many.

        Sets with errors are not played. A fault is shown with the first set that has it.
        """
        if self._arguments.no_play:
            return ""
        from rulesdsl.author.lint.trials import sets_of  # not needed otherwise

        sets = games = ended = 0
        given = sets_of(target.name, self._expansions, self._arguments.path)
        with progress_bar(self._console, len(given), "sets") as show:
            for done, on in enumerate(given, 1):
                result = check(target, on, {}, self._arguments.path)
                played = self._played(target, result, on)
                if played.finding is not None:
                    sifted = self._sieve.sift([played.finding], result.sources)
                    with show.aside() if sifted.fresh else nullcontext():
                        self._show(sifted, f"with {', '.join(on) or 'no expansion'}:")
                sets += bool(played.games)
                games += played.games
                ended += played.ended
                show(done, len(given))
        told = f"{_number(games, 'random game')} with {_number(sets, 'set')} of them"
        return f"; played {told}{_ended(ended, games)}"

    def play(self, target: CheckTarget) -> None:
        # Only `--play` needs the engine.
        from rulesdsl.author.lint.trials import tables
        from rulesdsl.cli.trials import Failures, played

        arguments = self._arguments
        games = tables(
            target.name,
            self._expansions,
            self._chosen,
            arguments.path,
            arguments.play,
            arguments.seed,
        )
        seen, stop = played(games, self._console)
        failures = Failures(arguments.failures, self._records)
        found = [
            *seen.refused,
            *failures.findings(seen.faults.values(), complete=stop is None),
        ]
        # After fewer games than asked for, things that never happened mean nothing.
        found += () if stop else seen.missed()
        counted = self._show(self._sieve.sift(found, ()))
        stopped = (
            self.stopped(stop, f"stopped after {_number(seen.games, 'random game')}")
            if stop
            else ""
        )
        sets = len({table.expansions for table in games})
        said = f"{_number(seen.games, 'random game')} with {_number(sets, 'set')} of expansions"
        self._told(target, f"{stopped}{_count(counted)} in {said}")

    def stopped(self, stop: KeyboardInterrupt | OutOfTime | WorkerLost, after: str) -> str:
        """Report that a check has ended early, and return the beginning of its verdict.

        Raises `stop` if it is a KeyboardInterrupt.
        """
        if isinstance(stop, KeyboardInterrupt):
            self._console.note(after)
            raise stop
        if isinstance(stop, OutOfTime):
            message = f"the check did not end within {stop.seconds:g} s"
            help = (after, f"to give it more time: --timeout {2 * stop.seconds:g}")
            found: Sequence[Diagnostic] = (Diagnostic("out-of-time", message, help=help),)
        else:
            found = worker_lost(stop).diagnostics
        self._show(self._sieve.sift(found, ()))
        return "stopped early: "

    def end(self) -> int:
        self._show(self._sieve.end())
        sieve, arguments = self._sieve, self._arguments
        if arguments.write_baseline:
            return self._write_baseline()
        if not self._as_text:
            found = tuple(sorted(sieve.shown, key=lambda each: each.sort_key))
            hidden = tuple(sieve.allowed), tuple(sieve.known)
            run = Run(__version__, tuple(self._names), found, *hidden, tuple(self._played_games))
            self._console.document(FORMATS[arguments.format](run))
        elif sieve.allowed or sieve.known:
            kept = f"{len(sieve.allowed)} allowed, {len(sieve.known)} in the baseline"
            self._console.say((f"not reported: {kept}", "faint"))
        if self._as_text and sieve.shown and self._console.terminal:
            slug = sieve.shown[0].slug
            self._console.tell((f"for details: rulesdsl explain {slug}", "faint"))
        return exit_code(sieve.shown)

    def _show(self, sifted: Sifted, heading: str = "") -> Sequence[Diagnostic]:
        """Show new findings below a heading, and return all that count."""
        if sifted.fresh and self._as_text:
            if heading:
                self._console.say(heading)
            self._console.show(sifted.fresh, output=True)
        return sifted.counted

    def _told(self, target: CheckTarget, verdict: str) -> None:
        if target.name not in self._names:
            self._names.append(target.name)
        if self._as_text:
            self._console.say(f"{target.name}: {verdict}")

    def _write_baseline(self) -> int:
        """Write the findings to the baseline and return the exit code; errors remain problems."""
        sieve, name = self._sieve, self._arguments.baseline
        assert sieve.baseline is not None
        stops = [each for each in sieve.shown if each.severity is Severity.ERROR]
        listed = [each for each in sieve.shown if each not in stops]
        write_output(name, sieve.baseline.text(listed).encode())
        self._console.say(f"{name}: {_count(listed)} listed")
        return exit_code(stops) if stops else CLEAN


def _damaged(rulesets: Sequence[Ruleset]) -> list[Diagnostic]:
    if not any(ruleset.images for ruleset in rulesets):
        return []
    from rulesdsl.show.draw.images import damaged  # few rulesets have images

    return list(damaged(rulesets))


def _covered(every: Subsets) -> str:
    """Return which subsets were checked, and how the others follow from them, as text."""
    among = f"{_number(every.checked, 'subset')} of {_number(len(every.ids), 'expansion')}"
    if every.checked == every.of:
        return among
    if every.left or every.checked < every.planned:
        return f"{every.checked:,} of {every.of:,} subsets of {len(every.ids)} expansions"
    return f"{among}, from which all {every.of:,} follow"


def _too_many(every: Subsets) -> Diagnostic:
    """Return the error that linked expansions are too many to check completely."""
    ids, size = max(every.left, key=lambda left: len(left[0]))
    message = f"{len(ids)} expansions change what the others use: not every subset was checked"
    help = (
        f"they are {', '.join(ids)}",
        f"all sets of up to {size} of them were checked, and the set of all",
        "to check more, name those that matter with `--with`",
    )
    return Diagnostic("bad-argument", message, help=help)


def _count(found: Sequence[Diagnostic]) -> str:
    notes = sum(each.severity is Severity.NOTE for each in found)
    problems = len(found) - notes
    told = _number(problems, "problem") if problems else "no problems"
    return f"{told}, {_number(notes, 'note')}" if notes else told


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _games(played: PlayedGames) -> str:
    if not played.wanted:
        return ""
    games = _number(played.games, "random game")
    if played.finding is None and played.games < played.wanted:
        games = f"{played.games} of {_number(played.wanted, 'random game')}"
    people = f"{numbers(played.players)} player{'s' * (played.players != (1,))}"
    chosen = f" and {_number(played.choices + 1, 'choice')} of settings" if played.choices else ""
    both = f" ({played.compared:,} under both orders of names)" if played.compared else ""
    ended = _ended(played.ended, played.games)
    return f"{_invariants(played)}; played {games} with {people}{chosen}{ended}{both}"


def _ended(ended: int, games: int) -> str:
    return "" if ended == games else f", {ended} to {'its' if ended == 1 else 'their'} end"


def _invariants(played: PlayedGames) -> str:
    if not played.proved + played.watched:
        return ""
    said = f"{_number(played.proved, 'invariant')} proved" if played.proved else ""
    if played.watched:
        many = f"{played.watched}" if said else _number(played.watched, "invariant")
        said = f"{said}, {many} watched" if said else f"{many} watched"
    return f"; {said}"


def _loaded(rulesets: Sequence[Ruleset]) -> str:
    kinds = {
        "with": [r for r in rulesets if not r.interaction],
        "interactions": [r for r in rulesets if r.interaction],
    }
    named = (
        f"{kind} " + ", ".join(f"{r.id} {r.version}{' (house rules)' * r.house}" for r in found)
        for kind, found in kinds.items()
        if found
    )
    return "; ".join(named) or "nothing was loaded"
