"""The test runner: finds tests in folders and archives, runs them, and updates those that fail."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.base.processes import Workers
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Severity, Span
from rulesdsl.language.read.files import (
    SUFFIX,
    DiskFolder,
    FileProblem,
    Folder,
    decode,
    is_folder,
    open_archive,
    user_file,
)
from rulesdsl.language.read.find import (
    GOLDEN_SUFFIX,
    SCENARIO_SUFFIXES,
    FoundFile,
    TextFile,
    below,
    found_at,
    with_suffix,
)
from rulesdsl.language.read.manifest import ManifestHeader
from rulesdsl.play import Game, PlayError
from rulesdsl.play.golden import golden_text, read_golden
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import FileEdit, Outcome, RunnableTest, edited, try_within

if TYPE_CHECKING:
    from rulesdsl.author.testing.mutants import Survey
    from rulesdsl.play.scenario.coverage import Coverage, Covered, Reached


# --- files ---------------------------------------------------------------------------------------

TEST_SUFFIXES = (*SCENARIO_SUFFIXES, GOLDEN_SUFFIX)
_RULESETS = re.compile(r"^[ \t]*(?:- )?(?:scenarios|with)[ \t]*:(.*(?:\n[ \t]*- \w+)*)", re.M)


@dataclass(frozen=True)
class SuiteFile(TextFile):
    """A file of scenarios, or a golden record."""

    @property
    def golden(self) -> bool:
        """True if it is a record, since any record that is named may be a golden one."""
        return self.file.endswith(".jsonl")

    @property
    def packed(self) -> bool:
        return not isinstance(self.folder, DiskFolder)


def files_at(given: str) -> list[SuiteFile]:
    """Return the file that is named, or all test files in a folder or an archive and below.

    A manifest stands for the test files in its folder that name its ruleset. They are sorted by
    folder. Raises RulesError for an archive that cannot be opened.
    """
    if is_folder(given):
        return list(_below(DiskFolder.at(given)))
    folder, file = user_file(with_suffix(given))
    if not given.endswith(SUFFIX):
        header = found_at(folder, file).header
        if header is None:
            return [SuiteFile(folder, file)]
        tests = (SuiteFile(folder, name) for name in folder.files())
        return [each for each in tests if _names(each, header.id)]
    try:
        return list(_below(open_archive(folder, file)))
    except FileProblem as problem:
        found = Diagnostic(problem.slug, problem.message, problem.span, help=problem.help)
        raise RulesError([found]) from None


def distinct(files: Iterable[SuiteFile]) -> list[SuiteFile]:
    """Return the files without further paths to the same file."""
    seen: dict[str, SuiteFile] = {}
    for each in files:
        seen.setdefault(each.folder.identity(each.file), each)
    return list(seen.values())


def size(file: SuiteFile) -> int:
    """Return the size of a file in bytes, 0 if it cannot be read, to estimate how long it takes."""
    try:
        return len(file.folder.read(file.file))
    except FileProblem:
        return 0


def _names(test: SuiteFile, id: str) -> bool:
    if not test.file.endswith(TEST_SUFFIXES):
        return False
    try:
        text = test.folder.read(test.file).decode(errors="replace")
    except FileProblem:
        return False
    named = text.partition("\n")[:1] if test.golden else _RULESETS.findall(text)
    return any(re.search(rf"\b{re.escape(id)}\b", each) for each in named)


def _below(folder: Folder) -> Iterator[SuiteFile]:
    for inside in below(folder):
        yield from (
            SuiteFile(inside, name) for name in inside.files() if name.endswith(TEST_SUFFIXES)
        )


# --- runs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """The options of a test run.

    `paths` are folders in which rulesets are looked up. `names` are texts of which one must be in
    the name of a test (none: all tests run). `coverage` collects the events of all scenarios
    together, and `reach` those of each; both need the engine `python`. `seconds` is the time limit
    for each test (None: no limit).
    """

    engine: str
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    coverage: bool = False
    seconds: float | None = None
    reach: bool = False

    def wants(self, test: RunnableTest) -> bool:
        name = test.name.casefold()
        return not self.names or any(each.casefold() in name for each in self.names)


@dataclass(frozen=True)
class Tried:
    """The results of the tests of a file, in its order.

    `left_out` is the number of tests that were not to be run, and `unreadable` says why the file
    cannot be read. `coverage` has the events of its scenarios together, `reached` those of each.
    """

    file: SuiteFile
    outcomes: tuple[Outcome, ...] = ()
    seconds: tuple[float, ...] = ()
    left_out: int = 0
    unreadable: tuple[Diagnostic, ...] = ()
    coverage: Coverage | None = None
    reached: tuple[Reached, ...] = ()


def read_tests(
    file: SuiteFile, options: Options, coverage: Coverage | None = None
) -> Sequence[RunnableTest]:
    """Return all tests of a file; raises RulesError if it cannot be read."""
    source = file.read()[0]
    if file.golden:
        return (read_golden(source, options.paths, options.engine),)
    start = coverage.start if coverage else Game.start
    return read_scenarios(source, options.paths, options.engine, start)


def try_file(file: SuiteFile, options: Options) -> Tried:
    """Run the tests of a file that are wanted."""
    coverage = None
    if options.coverage or options.reach:
        # Imported here, as only coverage needs the lowering.
        from rulesdsl.play.scenario.coverage import Coverage

        coverage = Coverage()
    try:
        tests = read_tests(file, options, coverage)
    except RulesError as error:
        return Tried(file, unreadable=error.diagnostics)
    wanted = [test for test in tests if options.wants(test)]
    outcomes, seconds = list[Outcome](), list[float]()
    reached: list[Reached] = []
    for test in wanted:
        begun = time.perf_counter()
        outcomes.append(try_within(test, options.seconds))
        seconds.append(time.perf_counter() - begun)
        if options.reach and coverage is not None:
            reached.append(coverage.taken())
    left_out = len(tests) - len(wanted)
    kept = coverage if options.coverage else None
    return Tried(file, tuple(outcomes), tuple(seconds), left_out, (), kept, tuple(reached))


WORTH = 20_000
"""The bytes of tests up to which this process is done before others have started."""


def try_all(files: Sequence[SuiteFile], options: Options, jobs: int) -> Iterator[Tried]:
    """Run the tests of files in `jobs` processes and yield the results in the order of the files.

    Raises WorkerLost if a process is lost.
    """
    if jobs < 2 or len(files) < 2 or sum(map(size, files)) <= WORTH:
        yield from (try_file(file, options) for file in files)
        return
    sooner = sorted(range(len(files)), key=lambda at: size(files[at]), reverse=True)
    with Workers(partial(try_file, options=options), min(jobs, len(files))) as workers:
        yield from workers.ordered((files[at] for at in sooner), sooner)


_NAME = re.compile(r"^ruleset[ \t]*:[ \t]*([\w'\"]+)", re.M)


@dataclass(frozen=True)
class Pair:
    """Two expansions of one game.

    `scenarios` and `golden` are the numbers of tests in which both are on, and `interactions` the
    ids of the rulesets that define their interaction, whether on or not.
    """

    one: str
    other: str
    scenarios: int
    golden: int
    interactions: tuple[str, ...]

    @property
    def played(self) -> bool:
        return self.scenarios + self.golden > 0


def pairs_of(found: Iterable[FoundFile], tried: Iterable[Tried]) -> tuple[Pair, ...]:
    """Return every pair of expansions of one game among these rulesets, by id, with its tests.

    Pairs of which one requires the other are left out, as they always are together.
    """
    headers = {each.id: each.header for each in found if each.header}
    played = [
        (frozenset(outcome.rulesets), each.file.golden)
        for each in tried
        for outcome in each.outcomes
    ]
    plain = sorted(
        id for id, each in headers.items() if each.requires and not (each.house or each.interaction)
    )
    needs = {id: _needs(id, headers) for id in plain}
    pairs = list[Pair]()
    for on in combinations(plain, 2):
        one, other = on
        if not needs[one] & needs[other] or one in needs[other] or other in needs[one]:
            continue
        both = [golden for rulesets, golden in played if rulesets.issuperset(on)]
        between = sorted(
            id
            for id, each in headers.items()
            if any({one, other} <= set(group) for group in each.interaction)
        )
        pairs.append(Pair(one, other, len(both) - sum(both), sum(both), tuple(between)))
    return tuple(pairs)


def _needs(id: str, headers: Mapping[str, ManifestHeader]) -> set[str]:
    found: set[str] = set()
    due = [id]
    while due:
        header = headers.get(due.pop())
        new = set(header.requires) - found if header else set()
        found |= new
        due += sorted(new)
    return found


def findings(pairs: Iterable[Pair], found: Iterable[FoundFile]) -> tuple[Diagnostic, ...]:
    """Return a warning for each pair that is never played, at the head of one of the two."""
    manifests = {each.id: each for each in found}
    return tuple(
        Diagnostic(
            "uncovered",
            f"no test plays `{each.one}` and `{each.other}` together",
            _head(manifests[each.other]),
            f"never with `{each.one}`",
            severity=Severity.WARNING,
        )
        for each in pairs
        if not each.played
    )


def _head(found: FoundFile) -> Span:
    """Return the place of the id in a manifest."""
    source = decode(found.folder.read(found.file), found.shown)
    said = _NAME.search(source.text)
    return source.span(*said.span(1)) if said else source.span(0, 1)


@dataclass(frozen=True)
class Result:
    """The results of every file, in order.

    With `--coverage` they include the coverage of each ruleset and the pairs of expansions that are
    played together, and with `--mutants` the survey of those.
    """

    tried: tuple[Tried, ...]
    covered: tuple[Covered, ...] = ()
    pairs: tuple[Pair, ...] = ()
    coverage: bool = False
    mutants: Survey | None = None

    def outcomes(self) -> Iterator[tuple[SuiteFile, Outcome, float]]:
        """Yield every test with its file and its seconds."""
        for each in self.tried:
            for outcome, seconds in zip(each.outcomes, each.seconds, strict=True):
                yield each.file, outcome, seconds

    @property
    def passed(self) -> int:
        return sum(outcome.passed for _, outcome, _ in self.outcomes())

    @property
    def failed(self) -> int:
        return sum(not outcome.passed for _, outcome, _ in self.outcomes())


# --- updates of failing tests --------------------------------------------------------------------


@dataclass(frozen=True)
class UpdatedTest:
    """A change of a test that fails.

    `edits` are those of its file; `anew` is the whole text of a golden record instead. `by_hand`
    are failures that a person has to fix.
    """

    outcome: Outcome
    edits: tuple[FileEdit, ...]
    by_hand: tuple[Diagnostic, ...]
    anew: str | None = None

    @property
    def possible(self) -> bool:
        return bool(self.edits) or self.anew is not None

    def lines(self) -> Iterator[str]:
        """Yield the lines that would change: `- ` and the old line, `+ ` and the new one."""
        text = self.outcome.span.source.text
        changed = edited(text, self.edits)
        before, after = text.splitlines(), changed.splitlines()
        for line in list(unified_diff(before, after, n=0, lineterm=""))[2:]:
            if line[0] in "-+":
                yield f"{line[0]} {line[1:]}"


def changes(tried: Tried, options: Options) -> list[UpdatedTest]:
    """Return the possible changes of the tests of a file that fail."""
    if tried.file.golden:
        return [_golden(tried.file, each, options) for each in tried.outcomes if not each.passed]
    found = list[UpdatedTest]()
    for outcome in (each for each in tried.outcomes if not each.passed):
        edits = tuple(edit for each in outcome.found for edit in each.edits)
        by_hand = tuple(each.diagnostic for each in outcome.found if not each.edits)
        found.append(UpdatedTest(outcome, edits, by_hand))
    return found


def _golden(file: SuiteFile, outcome: Outcome, options: Options) -> UpdatedTest:
    """Return the change to the same moves under the current rules, as far as they are legal."""
    if any(each.slug == "broken-invariant" for each in outcome.findings):
        return UpdatedTest(outcome, (), outcome.findings)
    try:
        golden = read_golden(file.read()[0], options.paths, options.engine)
        with under(Deadline.after(options.seconds)):
            return UpdatedTest(outcome, (), (), golden_text(golden.record, golden.game()))
    except (OutOfTime, RulesError, PlayError, ValueError):
        return UpdatedTest(outcome, (), outcome.findings)
