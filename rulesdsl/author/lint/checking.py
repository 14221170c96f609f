"""The check of one target: its findings, and the filters by severity, allowance and baseline."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.engine.build.combinations import check_absent
from rulesdsl.engine.run import READY_ENGINE
from rulesdsl.language.diagnostics import (
    SLUGS,
    Diagnostic,
    Report,
    RulesError,
    Severity,
    Source,
    Span,
)
from rulesdsl.language.diagnostics.allow import Allowance, allowances, places, unused
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.diagnostics.slugs import LIKELY
from rulesdsl.language.model import nodes
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.nodes import plain
from rulesdsl.language.read.files import DiskFolder, FileProblem, decode, read_source, user_file
from rulesdsl.language.read.find import (
    SCENARIO_SUFFIXES,
    FolderSearch,
    FoundFile,
    TextFile,
    manifests_of,
)
from rulesdsl.language.read.load import load_rulesets
from rulesdsl.language.read.manifest import read_ruleset
from rulesdsl.language.read.schema import validate
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play import Game, load

_RULES = ".rules"
_OF_MANIFESTS = re.compile(r"^(?:edition|requires|rules|ruleset|tiles)\b", re.M)


@dataclass(frozen=True)
class CheckTarget:
    """A ruleset by its id, path or folder, or a file of `scenarios`; `name` is shown to users.

    `found` is the file in a folder, if a user named only the folder.
    """

    name: str
    scenarios: bool = False
    found: TextFile | None = None


def targets(given: Iterable[str]) -> list[CheckTarget]:
    """Return the targets of these names, each once.

    A folder that is not a ruleset stands for all rulesets and scenarios in it, a file of rules for
    the rulesets beside it that use it, any other name for itself.
    """
    found: dict[str, CheckTarget] = {}
    for name in given:
        for each in _meant(name):
            key = os.path.realpath(each.name) if os.path.exists(each.name) else each.name
            found.setdefault(key, each)
    return list(found.values())


def _meant(given: str) -> Iterator[CheckTarget]:
    if given.endswith(SCENARIO_SUFFIXES):
        yield CheckTarget(given, True)
    elif given.endswith(_RULES):
        yield from _using(given) or (CheckTarget(given),)
    elif not os.path.isdir(given) or manifests_of(DiskFolder.at(given)):
        yield CheckTarget(given)
    else:
        yield from _inside(DiskFolder.at(given)) or (CheckTarget(given),)


def _using(given: str) -> list[CheckTarget]:
    folder, file = user_file(given)
    shown = folder.shown(file)
    return [
        CheckTarget(each.shown)
        for each in FolderSearch([folder]).found
        if each.header
        and (ruleset := read_ruleset(folder, each.file, Report())) is not None
        and ruleset.rules is not None
        and ruleset.rules.name == shown
    ]


def _inside(folder: DiskFolder) -> list[CheckTarget]:
    found = (each for each in FolderSearch([folder]).found if each.header or is_meant_as_one(each))
    files = [TextFile(each.folder, each.file) for each in found]
    files += [TextFile(folder, name) for name in folder.files() if name.endswith(SCENARIO_SUFFIXES)]
    return [CheckTarget(e.shown, e.file.endswith(SCENARIO_SUFFIXES), e) for e in files]


def is_meant_as_one(found: FoundFile) -> bool:
    """Return whether a file whose header cannot be read is meant as a manifest.

    Other programs keep YAML files beside rulesets, too.
    """
    try:
        text = decode(found.folder.read(found.file), found.file).text
    except FileProblem:
        return not found.file.startswith(".")
    return _OF_MANIFESTS.search(text) is not None


@dataclass(frozen=True)
class CheckedTarget:
    """The findings in a target, the texts that were read for it, and its rulesets.

    `game` is None if it cannot be played; that of scenarios has the invariants of the file alone.
    """

    found: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    rulesets: tuple[Ruleset, ...] = ()
    game: Game | None = None


def check(
    target: CheckTarget,
    expansions: Sequence[str],
    chosen: Mapping[str, int | bool | str],
    paths: Sequence[str],
) -> CheckedTarget:
    """Check a ruleset with these expansions and settings, or the form of a file of scenarios."""
    if target.found is not None:
        try:
            target.found.read()  # unlike a link that is named, one out of the folder is refused
        except RulesError as error:
            return CheckedTarget(error.diagnostics, ())
    if target.scenarios:
        return _check_scenarios(target.name, paths)
    rulesets = load_rulesets(target.name, expansions, paths=paths, report=Report())
    game = None
    try:
        game = load(target.name, expansions, chosen, READY_ENGINE, paths=paths)
        found = tuple(game.report.sorted())
    except RulesError as error:
        found = error.diagnostics
    found += check_absent(
        target.name, expansions, chosen, paths=paths, rulesets=rulesets, found=found
    )
    return CheckedTarget(found, sources(rulesets), tuple(rulesets), game)


def _check_scenarios(name: str, paths: Sequence[str]) -> CheckedTarget:
    from rulesdsl.play import scenario  # takes longer to import than to check by

    report = Report()
    read = read_source(*user_file(name), report)
    if read is None:
        return CheckedTarget(tuple(report), ())
    try:
        scenario.read_scenarios(read[0], paths)
        game = scenario.game_of_invariants(read[0], paths, READY_ENGINE)
    except RulesError as error:
        return CheckedTarget(error.diagnostics, (read[0],))
    return CheckedTarget((), (read[0],), (), game)


def sources(rulesets: Sequence[Ruleset]) -> tuple[Source, ...]:
    """Return the texts of rulesets."""
    manifests = [ruleset.manifest.span.source for ruleset in rulesets]
    return (*manifests, *(ruleset.rules for ruleset in rulesets if ruleset.rules is not None))


ALL = "all"
"""The name for all slugs that have no level of their own."""

OFF = "off"

Levels = Mapping[str, Severity | None]
"""Severities by slug, None for slugs that are off."""

_LEVELS = {**{each.value: each for each in Severity}, OFF: None}


def read_levels(chosen: Iterable[tuple[str, str]]) -> Levels:
    """Return the levels by slug; the last one given for a slug counts.

    Raises RulesError for an unknown slug or level.
    """
    found: dict[str, Severity | None] = {}
    for slug, level in chosen:
        if slug not in SLUGS and slug != ALL:
            raise _wrong(f"there is no kind of finding `{slug}`", did_you_mean(slug, [*SLUGS, ALL]))
        if level not in _LEVELS:
            help = f"levels are {listed([f'`{each}`' for each in _LEVELS])}"
            raise _wrong(f"`{level}` is not a level", (help,))
        found[slug] = _LEVELS[level]
    return found


def _wrong(message: str, help: tuple[str, ...]) -> RulesError:
    return RulesError([Diagnostic("bad-argument", message, help=help)])


def leveled(found: Diagnostic, levels: Levels) -> Diagnostic | None:
    """Return a finding with its severity under these levels, None if it is off.

    Errors, which prevent play, stay errors.
    """
    if found.severity is Severity.ERROR:
        return found
    level = levels.get(found.slug, levels.get(ALL, found.severity))
    return None if level is None else replace(found, severity=level)


FORMAT = 1


class BaselineEntry(NamedTuple):
    """The part of a finding that stays the same from one run to the next.

    `file` is relative to the folder of the baseline.
    """

    slug: str
    file: str
    text: str


@dataclass
class Baseline:
    """The entries of a baseline file, and how many findings of each have not been met yet."""

    folder: str
    left: Counter[BaselineEntry] = field(default_factory=Counter)
    spans: dict[BaselineEntry, Span] = field(default_factory=dict)

    def entry(self, found: Diagnostic) -> BaselineEntry:
        if found.span is None:
            return BaselineEntry(found.slug, "", _plain(found.message))
        text = _plain(found.span.source.line(found.span.line))
        return BaselineEntry(found.slug, self.path(found.span.source.name), text)

    def path(self, name: str) -> str:
        """Return a path relative to the folder of the baseline."""
        try:
            return os.path.relpath(name, self.folder or os.curdir).replace(os.sep, "/")
        except ValueError:  # on another drive
            return name

    def has(self, found: Diagnostic) -> bool:
        """Return whether a finding is known, and count it against its entry."""
        entry = self.entry(found)
        if self.left[entry] == 0:
            return False
        self.left[entry] -= 1
        return True

    def gone(self, files: Iterable[str], slugs: frozenset[str]) -> Iterator[Diagnostic]:
        """Yield a warning for each entry that was not met, if its file was checked for its slug."""
        looked = {self.path(name) for name in files} | {""}
        for entry, count in self.left.items():
            if count and entry.file in looked and entry.slug in slugs:
                yield Diagnostic(
                    "baseline-unused",
                    f"`{entry.slug}` is not found any more in `{entry.file}`: `{entry.text}`",
                    self.spans[entry],
                    help=("write the baseline again, with `--write-baseline`",),
                    severity=Severity.WARNING,
                )

    def text(self, found: Iterable[Diagnostic]) -> str:
        """Return the text of a baseline with these findings as entries, without errors."""
        counted = Counter(self.entry(each) for each in found if each.severity is not Severity.ERROR)
        entries = [{**entry._asdict(), "count": counted[entry]} for entry in sorted(counted)]
        document = {"format": FORMAT, "findings": entries}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plain(line: str) -> str:
    """Return a line with single spaces and without unprintable characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())


def read_baseline(source: Source) -> Baseline:
    """Return the baseline in a file; raises RulesError if the file is not a baseline."""
    report = Report()
    node = parse_yaml(source, report)
    if node is not None:
        validate(node, "baseline", report)
    report.check()
    assert isinstance(node, nodes.Mapping)
    listed = node.get("findings")
    assert isinstance(listed, nodes.Sequence)
    found = Baseline(os.path.dirname(source.name))
    for item in listed:
        content: Any = plain(item)
        entry = BaselineEntry(content["slug"], content["file"], content["text"])
        found.left[entry] += content["count"]
        found.spans.setdefault(entry, item.span)
    return found


def no_baseline(name: str) -> Baseline:
    """Return the empty baseline of a file that does not exist yet."""
    return Baseline(os.path.dirname(name))


PLAYED = frozenset({"never-given", "never-offered", "never-ran"})
"""Slugs that are found only by playing."""

MEETING = LIKELY - PLAYED
"""Slugs that are found only between expansions."""

ALWAYS = frozenset(SLUGS) - PLAYED - MEETING - {"uncovered", "unnoticed"}
"""Slugs that every check looks for; the others need scenarios."""


@dataclass(frozen=True)
class Sifted:
    """The findings that passed the sieve: all, and those that are new in this run."""

    counted: tuple[Diagnostic, ...]
    fresh: tuple[Diagnostic, ...]


@dataclass
class Sieve:
    """A filter for the findings of a run.

    `levels` are the severities by slug, `baseline` has the known findings. `judged` are the slugs
    that this run looks for. `shown` are the findings that passed, `allowed` and `known` those that
    did not.
    """

    levels: Levels
    baseline: Baseline | None = None
    judged: frozenset[str] = frozenset(SLUGS)
    shown: list[Diagnostic] = field(default_factory=list)
    allowed: list[Diagnostic] = field(default_factory=list)
    known: list[Diagnostic] = field(default_factory=list)
    _judged: dict[str, Diagnostic | None] = field(default_factory=dict)
    _sources: dict[str, list[Allowance]] = field(default_factory=dict)
    _wrong: dict[str, list[Diagnostic]] = field(default_factory=dict)
    _used: set[Allowance] = field(default_factory=set)
    _errors: list[Diagnostic] = field(default_factory=list)

    def sift(self, found: Iterable[Diagnostic], sources: Iterable[Source]) -> Sifted:
        """Return the findings that pass, out of those in rulesets with these sources."""
        wrong = [each for source in sources for each in self._read(source)]
        counted: dict[str, Diagnostic] = {}
        fresh: list[Diagnostic] = []
        for each in (*found, *wrong):
            text = render([each])
            new = text not in self._judged
            if new:
                self._judged[text] = self._kept(each)
            kept = self._judged[text]
            if kept is not None:
                counted[text] = kept
                fresh += [kept] if new else []
        self.shown += fresh
        return Sifted(tuple(counted.values()), tuple(fresh))

    def end(self) -> Sifted:
        """Return warnings about comments that allow nothing and entries that no longer occur."""
        left: list[Diagnostic] = []
        for each in (each for comments in self._sources.values() for each in comments):
            stops = next((error for error in self._errors if each.covers(error)), None)
            # After an error, not all findings are looked for.
            judged = each.slug in self.judged and not self._errors
            if each not in self._used and (judged or stops is not None):
                left.append(unused(each, stops))
        if self.baseline is not None and not self._errors:
            left += self.baseline.gone(self._sources, self.judged)
        return self.sift(sorted(left, key=lambda each: each.sort_key), ())

    def _read(self, source: Source) -> list[Diagnostic]:
        """Note the allowances in a file and return the findings about them."""
        if source.name in self._sources:
            return self._wrong[source.name]
        found = list(allowances(source))
        self._sources[source.name] = [each for each in found if isinstance(each, Allowance)]
        self._wrong[source.name] = [each for each in found if isinstance(each, Diagnostic)]
        return self._wrong[source.name]

    def _kept(self, found: Diagnostic) -> Diagnostic | None:
        if found.severity is Severity.ERROR:
            self._errors.append(found)
            return found
        names = dict.fromkeys(at.source.name for at in places(found))
        near = (each for name in names for each in self._sources.get(name, ()))
        covering = [each for each in near if each.covers(found)]
        if covering:
            self._used.update(covering)
            self.allowed.append(found)
            return None
        if self.baseline is not None and self.baseline.has(found):
            self.known.append(found)
            return None
        return leveled(found, self.levels)
