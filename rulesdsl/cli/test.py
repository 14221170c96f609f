"""`rulesdsl test`: try scenarios and golden records, and say which do not hold."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulesdsl.cli.console import Console
from rulesdsl.cli.output import write_output
from rulesdsl.cli.problems import CLEAN, PROBLEMS, bad_argument, exit_code, worker_lost
from rulesdsl.cli.recording import STDIN
from rulesdsl.deadline import Deadline, under
from rulesdsl.diagnostics import Diagnostic
from rulesdsl.diagnostics.render import render
from rulesdsl.interrupts import INTERRUPTS
from rulesdsl.play.scenario import Outcome
from rulesdsl.processes import WorkerLost, cores
from rulesdsl.read.disk import is_folder
from rulesdsl.suite.find import SuiteFile, distinct, files_at
from rulesdsl.suite.pairs import Pair, pairs_of
from rulesdsl.suite.pairs import findings as pair_findings
from rulesdsl.suite.result import Result
from rulesdsl.suite.spread import try_all
from rulesdsl.suite.trying import Options, Tried

if TYPE_CHECKING:
    from rulesdsl.cli.test_update import Updater

_MAKE = "try: rulesdsl test --record game.jsonl --to my_game.test.yaml"


def command(arguments: Namespace, console: Console) -> int:
    """Try all tests of the files, folders and archives named, or make one of a recorded game; the
    exit code is the worst of all."""
    _check(arguments)
    if arguments.record is not None:
        from rulesdsl.cli.test_record import record

        with under(Deadline.after(arguments.each)):
            return record(arguments, console)
    options, jobs = _options(arguments), _jobs(arguments)
    updater = _updater(arguments, options, console) if arguments.update else None
    files = distinct(each for given in arguments.files for each in _files(given))
    if arguments.mutants:
        files = [each for each in files if not each.golden]
    told = Told(console, silent=arguments.format != "text")
    tried = list[Tried]()
    try:
        for each in try_all(files, options, jobs):
            told.add(each)
            tried.append(each)
            if updater is not None:
                updater.look(each)
    except (WorkerLost, KeyboardInterrupt) as stop:
        INTERRUPTS.finish()
        told.end()
        console.tell(("note", "note"), f": stopped after {len(tried)} of {len(files)} files")
        if isinstance(stop, WorkerLost):
            raise worker_lost(stop) from None
        raise
    if options.names and told.all_read and not told.count:
        raise _no_such_name(options.names, told.left_out)
    result = _result(tried, arguments.files, options.coverage and told.all_read)
    if result.coverage:
        told.gaps(result, arguments.files)
    if arguments.mutants:
        from rulesdsl.cli.test_mutants import mutants

        return mutants(result, options, jobs, told, arguments, console)
    told.end()
    if arguments.format != "text":
        write(result, arguments, console)
    return told.worst if updater is None or not told.all_read else updater.code


def _result(tried: list[Tried], paths: Sequence[str], coverage: bool) -> Result:
    """All that came of the tests, with what they show together if that is asked for."""
    if not coverage:
        return Result(tuple(tried))
    # The engine that is needed for this alone is imported for this alone.
    from rulesdsl.play.scenario.coverage import Coverage, rulesets_at

    whole = Coverage()
    for each in tried:
        if each.coverage is not None:
            whole.add(each.coverage)
    pairs = pairs_of(rulesets_at(paths), tried)
    return Result(tuple(tried), whole.of(paths), pairs, True)


def write(result: Result, arguments: Namespace, console: Console) -> None:
    """Write the result in a format, to standard output or to a file."""
    if arguments.format == "html":
        from rulesdsl.suite.html import page as written
    elif arguments.format == "junit":
        from rulesdsl.suite.formats import as_junit as written
    else:
        from rulesdsl.suite.formats import as_json as written
    text = written(result)
    if arguments.to is None:
        console.document(text)
    else:
        write_output(arguments.to, text.encode())
        console.tell(f"written to {arguments.to}")


def never_played(pairs: Sequence[Pair], paths: Sequence[str]) -> Sequence[Diagnostic]:
    """A warning for each pair of expansions that no test plays together."""
    from rulesdsl.play.scenario.coverage import rulesets_at

    return pair_findings(pairs, rulesets_at(paths))


def _check(arguments: Namespace) -> None:
    """Raise RulesError for options that do not go together."""
    making = {"--turn": arguments.turn, "--name": arguments.name}
    if arguments.format == "text":
        making["--to"] = arguments.to
    trying = {
        "a file": arguments.files,
        "--coverage": arguments.coverage,
        "--mutants": arguments.mutants,
        "--update": arguments.update,
        "-k": arguments.filter,
        "--format": arguments.format != "text",
    }
    if arguments.record is None:
        if not arguments.files:
            raise bad_argument("nothing to try is named", "try: rulesdsl test rulesets/")
        if given := [name for name, value in making.items() if value is not None]:
            raise bad_argument(f"{' and '.join(given)} says what to make of a recorded game", _MAKE)
        if arguments.yes and not arguments.update:
            raise bad_argument("--yes takes all changes that --update finds: give both")
        if arguments.update and arguments.format != "text":
            raise bad_argument("--update shows changes to people: leave out --format")
        if arguments.coverage and arguments.engine != "reference":
            raise bad_argument(
                "only the reference engine can tell for --coverage what it runs: leave out --engine"
            )
        if arguments.mutants:
            _check_mutants(arguments)
    elif given := [name for name, value in trying.items() if value]:
        raise bad_argument(f"--record makes a test and tries none: leave out {', '.join(given)}")


def _check_mutants(arguments: Namespace) -> None:
    others = {
        "--coverage": arguments.coverage,
        "--update": arguments.update,
        "--engine": arguments.engine != "reference",
        f"--format {arguments.format}": arguments.format in ("junit", "html"),
    }
    if given := [name for name, value in others.items() if value]:
        raise bad_argument(f"--mutants does not go with {' and '.join(given)}")


def _updater(arguments: Namespace, options: Options, console: Console) -> Updater:
    from rulesdsl.cli.test_update import Updater

    return Updater(arguments, options, console)


def _options(arguments: Namespace) -> Options:
    if STDIN in arguments.files:
        raise bad_argument(
            "tests name rulesets beside them, so they cannot come from standard input",
            "give the path of the file",
        )
    return Options(
        arguments.engine,
        tuple(arguments.path),
        tuple(arguments.filter),
        arguments.coverage,
        arguments.each,
        reach=arguments.mutants,
    )


def _jobs(arguments: Namespace) -> int:
    if arguments.jobs is not None and arguments.jobs < 1:
        raise bad_argument(f"{arguments.jobs} jobs try nothing; it takes one at least")
    return arguments.jobs or cores()


def _no_such_name(names: Sequence[str], count: int) -> Exception:
    words = " or ".join(f"`{name}`" for name in names)
    return bad_argument(f"none of the {count} tests has {words} in its name")


def _files(given: str) -> list[SuiteFile]:
    """The file named, or all files of tests in a folder or an archive and below; raises RulesError
    if there is none."""
    found = files_at(given)
    if not found:
        what = "folder" if is_folder(given) else "archive"
        raise bad_argument(
            f"there is no file of tests in the {what} `{given}`",
            "the name of a file of scenarios ends in `.test.yaml`, that of a golden record in "
            "`.game.jsonl`",
        )
    return found


class Told:
    """Tells of tests and counts them; what was shown once is not shown again. Unless they are
    `all_read`, nothing can be said about what they leave out."""

    def __init__(self, console: Console, *, silent: bool) -> None:
        self.passed = self.failed = self.left_out = 0
        self.worst = CLEAN
        self.all_read = True
        self._console = console
        self._silent = silent
        self._shown: set[str] = set()

    @property
    def count(self) -> int:
        """How many tests were tried."""
        return self.passed + self.failed

    def add(self, tried: Tried) -> None:
        """Tell of the tests of a file."""
        self.left_out += tried.left_out
        if tried.unreadable:
            self.show(tried.unreadable)
            self.all_read = False
            self.worst = max(self.worst, exit_code(tried.unreadable))
        for outcome in tried.outcomes:
            if outcome.passed:
                self.passed += 1
                self.show([each for each in outcome.findings if render([each]) not in self._shown])
            else:
                self.failed += 1
                self.worst = max(self.worst, PROBLEMS)
                self._failed(outcome)

    def gaps(self, result: Result, paths: Sequence[str]) -> None:
        """Say what the tests do not show of the rules they are about and of pairs of expansions,
        and how much they do."""
        found = result.covered
        missing: list[Sequence[Diagnostic]] = [each.findings for each in found if each.findings]
        missing += [never_played(result.pairs, paths)] if result.pairs else []
        for each in missing:
            self.show(each)
        if any(missing):
            self.worst = max(self.worst, PROBLEMS)
        for covered in found:
            self.say(f"{covered.file}: {covered.shown} of {covered.demanded} shown")
        shown, demanded = sum(each.shown for each in found), sum(each.demanded for each in found)
        self.say((f"all rules: {shown} of {demanded} shown", "title"))
        if result.pairs:
            together = sum(each.played for each in result.pairs)
            text = f"pairs of expansions: {together} of {len(result.pairs)} played together"
            self.say((text, "title"))

    def end(self) -> None:
        """Say how many there were of each sort."""
        if self.count:
            left_out = f", {self.left_out} left out" if self.left_out else ""
            self.say((f"{self.passed} passed, {self.failed} failed{left_out}", "title"))

    def _failed(self, outcome: Outcome) -> None:
        new = [each for each in outcome.findings if render([each]) not in self._shown]
        again = "" if new else ": as above"
        place = f"{outcome.span.source.name}:{outcome.span.line}"
        self.say(("failed", "error"), f": {outcome.name} ({place}){again}")
        self.show(new)

    def show(self, findings: Sequence[Diagnostic]) -> None:
        """Show findings, unless a format tells them."""
        self._shown.update(render([each]) for each in findings)
        if not self._silent:
            self._console.show(findings, output=True)

    def say(self, *pieces: str | tuple[str, str]) -> None:
        """Say a line, unless a format tells it."""
        if not self._silent:
            self._console.say(*pieces)
