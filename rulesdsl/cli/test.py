"""`rulesdsl test`: run scenarios and golden records, and report failures."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from rulesdsl.author import testing as running
from rulesdsl.author.lint.checking import targets
from rulesdsl.author.testing import UpdatedTest, changes
from rulesdsl.author.testing.mutants import Fate, Survey
from rulesdsl.base.deadline import Deadline, under
from rulesdsl.base.interrupts import INTERRUPTS
from rulesdsl.base.processes import WorkerLost, cores
from rulesdsl.cli.console import (
    CLEAN,
    PROBLEMS,
    Console,
    bad_argument,
    deliver,
    exit_code,
    output_failed,
    progress_bar,
    worker_lost,
    write_output,
)
from rulesdsl.cli.loading import STDIN, read_source, record_path
from rulesdsl.language.diagnostics import Diagnostic, Source
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.diagnostics.report import inert, visible
from rulesdsl.language.read.files import SUFFIX, is_folder
from rulesdsl.language.read.find import (
    GOLDEN_SUFFIX,
    RULES,
    SCENARIO_SUFFIXES,
    located,
    places_of,
)
from rulesdsl.play import Game, PlayError, load
from rulesdsl.play.golden import golden_text
from rulesdsl.play.records import Record, read_record
from rulesdsl.play.scenario.outcome import Outcome, edited
from rulesdsl.play.scenario.write import (
    NotRetold,
    OtherGame,
    WrittenScenario,
    added_to,
    new_file,
    scenario_of,
)


def command(arguments: Namespace, console: Console) -> int:
    """Run all tests of the files, folders and archives named, or make one of a recorded game.

    Returns the worst exit code.
    """
    if arguments.record is not None:
        with under(Deadline.after(arguments.each)):
            return record(arguments, console)
    if not arguments.files:
        raise bad_argument("no test is given", "try: rulesdsl test rulesets/")
    if arguments.mutants and arguments.format in ("junit", "html"):
        raise bad_argument(f"`--mutants` cannot be combined with `--format {arguments.format}`")
    options = _options(arguments)
    # The files that other processes read would not be watched.
    jobs = 1 if arguments.watch else arguments.jobs or cores()
    updater = Updater(arguments, options, console) if arguments.update else None
    named = [located(each, arguments.path) for each in arguments.files]
    rules = [each.name for each in targets(each for each in named if each.endswith(RULES))]
    arguments.files = [*(each for each in named if not each.endswith(RULES)), *rules]
    files = running.distinct(each for given in arguments.files for each in _files(given))
    if arguments.mutants:
        files = [each for each in files if not each.golden]
    told = Told(console, silent=arguments.format != "text")
    tried = list[running.Tried]()
    try:
        with progress_bar(console, len(files), "files") as show:
            show(0)
            for each in running.try_all(files, options, jobs):
                with show.aside():
                    told.add(each)
                    tried.append(each)
                    if updater is not None:
                        updater.look(each)
                show(len(tried))
    except (WorkerLost, KeyboardInterrupt) as stop:
        INTERRUPTS.finish()
        told.end()
        console.note(f"stopped after {len(tried)} of {len(files)} files")
        if isinstance(stop, WorkerLost):
            raise worker_lost(stop) from None
        raise
    if options.names and told.all_read and not told.count:
        words = " or ".join(f"`{name}`" for name in options.names)
        raise bad_argument(f"none of the {told.left_out} tests has {words} in its name")
    result = _result(tried, arguments.files, options.coverage and told.all_read)
    if result.coverage:
        told.gaps(result, arguments.files)
    if arguments.mutants:
        return mutants(result, options, jobs, told, arguments, console)
    told.end()
    if arguments.format != "text":
        write(result, arguments, console)
    return told.worst if updater is None or not told.all_read else updater.code


def _result(tried: list[running.Tried], paths: Sequence[str], coverage: bool) -> running.Result:
    if not coverage:
        return running.Result(tuple(tried))
    # Imported here, as only coverage needs the lowering.
    from rulesdsl.play.scenario.coverage import Coverage, rulesets_at

    whole = Coverage()
    for each in tried:
        if each.coverage is not None:
            whole.add(each.coverage)
    pairs = running.pairs_of(rulesets_at(paths), tried)
    return running.Result(tuple(tried), whole.of(paths), pairs, True)


def write(result: running.Result, arguments: Namespace, console: Console) -> None:
    """Write the result in a format, to standard output or to a file."""
    from rulesdsl.author.testing import report

    makers = {"html": report.page, "junit": report.as_junit, "json": report.as_json}
    deliver(makers[arguments.format](result), arguments.to, console)


def _options(arguments: Namespace) -> running.Options:
    if STDIN in arguments.files:
        raise bad_argument(
            "tests name rulesets beside them, so they cannot come from standard input",
            "give the path of the file",
        )
    return running.Options(
        arguments.engine,
        tuple(arguments.path),
        tuple(arguments.filter),
        arguments.coverage,
        arguments.each,
        reach=arguments.mutants,
    )


def _files(given: str) -> list[running.SuiteFile]:
    """Return the file that is named, or all test files in a folder or an archive and below.

    Raises RulesError if there is none.
    """
    found = running.files_at(given)
    if not found:
        what = "in the archive" if given.endswith(SUFFIX) else "that name the ruleset of"
        what = "in the folder" if is_folder(given) else what
        raise bad_argument(
            f"there are no tests {what} `{given}`",
            "files of scenarios end in `.test.yaml`, golden records in `.game.jsonl`",
        )
    return found


class Told:
    """Reports tests and counts them; findings that were shown are not shown again.

    `all_read` is False if a file could not be read; then coverage and mutants cannot be judged.
    """

    def __init__(self, console: Console, *, silent: bool) -> None:
        self.passed = self.failed = self.left_out = 0
        self.worst = CLEAN
        self.all_read = True
        self._console = console
        self._silent = silent
        self._shown: set[str] = set()

    @property
    def count(self) -> int:
        return self.passed + self.failed

    def add(self, tried: running.Tried) -> None:
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

    def gaps(self, result: running.Result, paths: Sequence[str]) -> None:
        """Report the gaps in the coverage of rules and of pairs of expansions, and the totals."""
        found = result.covered
        missing: list[Sequence[Diagnostic]] = [each.findings for each in found if each.findings]
        if result.pairs:
            from rulesdsl.play.scenario.coverage import rulesets_at

            missing.append(running.findings(result.pairs, rulesets_at(paths)))
        for each in missing:
            self.show(each)
        if any(missing):
            self.worst = max(self.worst, PROBLEMS)
        for covered in found:
            self.say(f"{covered.file}: {covered.shown} of {covered.demanded} covered")
        shown, demanded = sum(each.shown for each in found), sum(each.demanded for each in found)
        self.say((f"all rules: {shown} of {demanded} covered", "title"))
        if result.pairs:
            together = sum(each.played for each in result.pairs)
            text = f"pairs of expansions: {together} of {len(result.pairs)} played together"
            self.say((text, "title"))

    def end(self) -> None:
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
        """Show findings, unless a format reports them."""
        self._shown.update(render([each]) for each in findings)
        if not self._silent:
            self._console.show(findings, output=True)

    def say(self, *pieces: str | tuple[str, str]) -> None:
        """Write a line, unless a format reports it."""
        if not self._silent:
            self._console.say(*pieces)


def mutants(
    result: running.Result,
    options: running.Options,
    jobs: int,
    told: Told,
    arguments: Namespace,
    console: Console,
) -> int:
    """Judge all mutants of the rulesets, if all tests pass; return the exit code."""
    if result.failed or not told.all_read:
        told.end()
        console.note("mutants are only made if all tests pass")
        if arguments.format != "text":
            write(result, arguments, console)
        return told.worst
    survey = Survey.of(arguments.files, result.tried, options)
    for name in survey.packed:
        console.note(f"{name} is in an archive, so no mutants are made of it")
    stop = _judge(survey, jobs, console)
    found, _ = survey.sifted()
    told.show(found)
    told.end()
    _sum_up(survey, told)
    if arguments.format != "text":
        write(replace(result, mutants=survey), arguments, console)
    if stop is not None:
        console.note(f"stopped after {len(survey.verdicts)} of {len(survey.mutants)} mutants")
        if isinstance(stop, WorkerLost):
            raise worker_lost(stop) from None
        raise stop
    return max(told.worst, exit_code(found))


def _judge(survey: Survey, jobs: int, console: Console) -> KeyboardInterrupt | WorkerLost | None:
    """Judge the mutants with a progress bar; return what stopped that, None if nothing did."""
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


def record(arguments: Namespace, console: Console) -> int:
    """Make a test of a recorded game, and write it to the file of `--to` or standard output."""
    arguments.record = record_path(arguments.record)
    source = read_source(arguments.record, console.input)
    told = read_record(source)
    game = _game(told, source, arguments)
    to = arguments.to
    if to is not None and to.endswith(GOLDEN_SUFFIX):
        if arguments.turn is not None:
            raise bad_argument("a golden record contains the whole game: leave out --turn")
        try:
            text = golden_text(told, game, arguments.name)
        except (PlayError, ValueError) as error:
            raise bad_argument(f"the recorded game cannot be played: {error}") from None
        _save(to, text, console)
        return CLEAN
    if to is not None and not to.endswith(SCENARIO_SUFFIXES):
        raise bad_argument(
            f"the ending of `{to}` does not say what to write",
            "a file of scenarios ends in `.test.yaml`, a golden record in `.game.jsonl`",
        )
    _scenario(told, game, arguments, console)
    return CLEAN


def _game(told: Record, source: Source, arguments: Namespace) -> Game:
    """Return the game of a record with the current rulesets, with which the new test must pass."""
    head = told.header
    beside = [] if arguments.record == STDIN else places_of(source.name)
    paths = [*beside, *arguments.path]
    return load(head.root, head.expansions, head.settings, arguments.engine, paths=paths)


def _scenario(told: Record, game: Game, arguments: Namespace, console: Console) -> None:
    file = inert(visible(os.path.basename(arguments.record)))
    try:
        written = scenario_of(told, game, arguments.turn, arguments.name)
    except NotRetold as error:
        raise bad_argument(str(error)) from None
    remark = f"turn {written.turn} of {'a record' if file == STDIN else file}"
    if arguments.to is None:
        console.document(new_file(game, written.test, remark))
    else:
        _save(arguments.to, _with(arguments.to, game, written, remark, console), console)
    if written.fallback:
        console.note(f"all moves before turn {written.turn} are played: {written.fallback}")


def _with(to: str, game: Game, written: WrittenScenario, remark: str, console: Console) -> str:
    """Return the file with the scenario added at its end."""
    try:
        os.stat(to)  # an existing file never counts as new, even if it cannot be read
    except FileNotFoundError:
        return new_file(game, written.test, remark)
    except (OSError, ValueError) as error:
        raise output_failed(f"`{to}`", error) from None
    source = read_source(to, console.input)
    try:
        return added_to(source, game, written.test, remark)
    except OtherGame as error:
        raise bad_argument(f"the scenario does not fit into `{to}`: {error}") from None


def _save(to: str, text: str, console: Console) -> None:
    there = os.path.exists(to)
    write_output(to, text.encode())
    console.say(("changed" if there else "made", "gain"), f" {to}")
    console.say(f"to try it: rulesdsl test {to}")


ANSWERS = "change it? [y]es, [n]o, [a]ll, [q]uit: "


class Updater:
    """Shows how failing tests would be changed, asks for confirmation, and changes their files."""

    def __init__(self, arguments: Namespace, options: running.Options, console: Console) -> None:
        if not arguments.yes and not (console.terminal and console.input.isatty()):
            raise bad_argument(
                "--update needs a terminal to show the changes",
                "run it on a terminal, or make all changes: --update --yes",
            )
        self.left = 0
        self._all = bool(arguments.yes)
        self._quit = False
        self._options = options
        self._console = console

    @property
    def code(self) -> int:
        """The exit code: `PROBLEMS` if a failing test was left as it is."""
        return PROBLEMS if self.left else CLEAN

    def look(self, tried: running.Tried) -> None:
        """Go through the failing tests of a file, and change it."""
        if tried.unreadable or all(each.passed for each in tried.outcomes):
            return
        if tried.file.packed:
            self.left += sum(not each.passed for each in tried.outcomes)
            self._console.say(f"{tried.file.shown} is in an archive, which is not changed")
            return
        taken = [each for each in changes(tried, self._options) if self._takes(each)]
        if taken:
            self._write(tried.file, taken)

    def _takes(self, change: UpdatedTest) -> bool:
        if not change.possible:
            self.left += 1
            self._console.say(("  by hand", "warning"), f": {change.outcome.name}")
            return False
        self._show(change)
        taken = not self._quit and (self._all or self._asked())
        if not taken or change.by_hand:
            self.left += 1
        return taken

    def _show(self, change: UpdatedTest) -> None:
        self._console.say(("  change", "title"), f" in {change.outcome.name}:")
        for line in change.lines():
            self._console.say((f"    {line}", "mark" if line[0] == "-" else "gain"))
        if change.anew is not None:
            self._console.say("    the record is written anew from there")
        if change.by_hand:
            many = len(change.by_hand)
            what = "one thing is" if many == 1 else f"{many} things are"
            self._console.say(f"    {what} to be changed by hand")

    def _asked(self) -> bool:
        while True:
            self._console.ask(f"  {ANSWERS}")
            line = self._console.input.readline()
            answer = line.strip().lower()[:1] if line else "q"
            if answer in ("q", "a"):
                self._quit, self._all = answer == "q", answer == "a"
            if answer in ("y", "n", "q", "a"):
                return answer in ("y", "a")

    def _write(self, file: running.SuiteFile, taken: Sequence[UpdatedTest]) -> None:
        text = taken[0].outcome.span.source.text
        if file.read()[0].text != text:
            raise bad_argument(f"`{file.shown}` was changed while its tests ran", "run it again")
        anew = next((each.anew for each in taken if each.anew is not None), None)
        edits = [edit for each in taken for edit in each.edits]
        name = file.folder.identity(file.file)
        write_output(name, (edited(text, edits) if anew is None else anew).encode())
        self._console.say(("changed", "gain"), f" {file.shown}")
        tried = running.try_file(file, self._options)
        names = {each.outcome.name for each in taken if not each.by_hand}
        for outcome in tried.outcomes:
            if outcome.name in names and not outcome.passed:
                self.left += 1
                self._console.say(("still fails", "warning"), f": {outcome.name}")
                self._console.show(outcome.findings, output=True)
