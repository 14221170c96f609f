"""The check of one target: its findings, and the texts that were read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulesdsl.build.combinations import check_absent
from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.engines import READY_ENGINE
from rulesdsl.model.game import Ruleset
from rulesdsl.play import load
from rulesdsl.read import load_rulesets
from rulesdsl.read.files import DiskFolder, FileProblem, decode, read_source, user_file
from rulesdsl.read.find import SCENARIO_SUFFIXES, FolderSearch, FoundFile, TextFile, manifests_of
from rulesdsl.read.manifest import read_ruleset
from rulesdsl.records import dataclass

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
    found = [each for each in FolderSearch([folder]).found if each.header or _is_meant_as_one(each)]
    rulesets = [TextFile(each.folder, each.file) for each in found]
    names = [name for name in folder.files() if name.endswith(SCENARIO_SUFFIXES)]
    scenarios = [TextFile(folder, name) for name in names]
    return [CheckTarget(each.shown, each in scenarios, each) for each in (*rulesets, *scenarios)]


def _is_meant_as_one(found: FoundFile) -> bool:
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
    """The findings in a target, the texts that were read for it, and its rulesets."""

    found: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    rulesets: tuple[Ruleset, ...] = ()


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
    try:
        game = load(target.name, expansions, chosen, READY_ENGINE, paths=paths)
        found = tuple(game.report.sorted())
    except RulesError as error:
        found = error.diagnostics
    found += check_absent(
        target.name, expansions, chosen, paths=paths, rulesets=rulesets, found=found
    )
    return CheckedTarget(found, sources(rulesets), tuple(rulesets))


def _check_scenarios(name: str, paths: Sequence[str]) -> CheckedTarget:
    from rulesdsl.play.scenario import read_scenarios  # takes longer to import than to check by

    report = Report()
    read = read_source(*user_file(name), report)
    if read is None:
        return CheckedTarget(tuple(report), ())
    try:
        read_scenarios(read[0], paths)
    except RulesError as error:
        return CheckedTarget(error.diagnostics, (read[0],))
    return CheckedTarget((), (read[0],))


def sources(rulesets: Sequence[Ruleset]) -> tuple[Source, ...]:
    """Return the texts of rulesets."""
    manifests = [ruleset.manifest.span.source for ruleset in rulesets]
    return (*manifests, *(ruleset.rules for ruleset in rulesets if ruleset.rules is not None))
