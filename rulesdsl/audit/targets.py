"""What a name stands for that someone wants checked: rulesets, and files of scenarios."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rulesdsl.diagnostics import Report
from rulesdsl.read.files import DiskFolder, FileProblem, Folder, decode, user_file
from rulesdsl.read.find import SCENARIO_SUFFIXES, Found, Search, manifests_of
from rulesdsl.read.manifest import read_ruleset

_RULES = ".rules"
_OF_MANIFESTS = re.compile(r"^(?:edition|requires|rules|ruleset|tiles)\b", re.M)


@dataclass(frozen=True)
class Target:
    """A ruleset by its id, path or folder, or a file of `scenarios`; `name` is how it is shown."""

    name: str
    scenarios: bool = False


def targets(given: Iterable[str]) -> list[Target]:
    """What the names stand for, each once: a folder that is not a ruleset for all rulesets and
    scenarios in it, a file of rules for the rulesets beside it that use it, others for themselves.
    """
    found: dict[str, Target] = {}
    for name in given:
        for each in _meant(name):
            key = os.path.realpath(each.name) if os.path.exists(each.name) else each.name
            found.setdefault(key, each)
    return list(found.values())


def _meant(given: str) -> Iterator[Target]:
    if given.endswith(SCENARIO_SUFFIXES):
        yield Target(given, True)
    elif given.endswith(_RULES):
        yield from _using(given) or (Target(given),)
    elif not os.path.isdir(given) or manifests_of(DiskFolder.at(given)):
        yield Target(given)
    else:
        yield from _inside(DiskFolder.at(given)) or (Target(given),)


def _using(given: str) -> list[Target]:
    folder, file = user_file(given)
    shown = folder.shown(file)
    return [
        Target(each.shown)
        for each in Search([folder]).found
        if each.header
        and (ruleset := read_ruleset(folder, each.file, Report())) is not None
        and ruleset.rules is not None
        and ruleset.rules.name == shown
    ]


def _inside(folder: Folder) -> list[Target]:
    found = Search([folder]).found
    rulesets = [Target(each.shown) for each in found if each.header or _is_meant_as_one(each)]
    names = (name for name in folder.files() if name.endswith(SCENARIO_SUFFIXES))
    return [*rulesets, *(Target(folder.shown(name), True) for name in names)]


def _is_meant_as_one(found: Found) -> bool:
    """Whether a file whose header cannot be read is a manifest all the same: other programs keep
    YAML beside rulesets, too."""
    try:
        text = decode(found.folder.read(found.file), found.file).text
    except FileProblem:
        return not found.file.startswith(".")
    return _OF_MANIFESTS.search(text) is not None
