"""`rulesdsl check`: say what is wrong with rulesets."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from rulesdsl.cli.console import Console
from rulesdsl.cli.loading import parts, settings
from rulesdsl.cli.problems import CLEAN, bad_argument, exit_code
from rulesdsl.cli.recording import STDIN
from rulesdsl.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.diagnostics.render import render
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.play import load
from rulesdsl.read import load_rulesets
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import Search, manifests_of


def command(arguments: Namespace, console: Console) -> int:
    """Check each ruleset with what it requires; the exit code is the worst of all."""
    if STDIN in arguments.rulesets:
        raise bad_argument(
            "a manifest names files beside it, so it cannot come from standard input",
            "give the path of the manifest",
        )
    expansions, chosen = parts(arguments.expansions), settings(arguments.set)
    shown: set[str] = set()
    worst = CLEAN
    for name in [each for given in arguments.rulesets for each in _manifests(given)]:
        loaded = load_rulesets(name, expansions, paths=arguments.path, report=Report())
        found = _findings(name, expansions, chosen, arguments.path)
        new = [each for each in found if render([each]) not in shown]
        shown.update(render([each]) for each in new)
        console.show(new, output=True)
        console.say(f"{name}: {_count(found)}; {_loaded(loaded)}")
        worst = max(worst, exit_code(found))
    return worst


def _manifests(given: str) -> list[str]:
    """What a name stands for: itself, or all manifests in a folder that is not a ruleset."""
    if not os.path.isdir(given):
        return [given]
    folder = DiskFolder.at(given)
    if manifests_of(folder):
        return [given]
    return [each.shown for each in Search([folder]).found] or [given]


def _findings(
    name: str, expansions: list[str], chosen: dict[str, int | bool | str], paths: list[str]
) -> Sequence[Diagnostic]:
    try:
        return load(name, expansions, chosen, paths=paths).report.sorted()
    except RulesError as error:
        return error.diagnostics


def _count(found: Sequence[Diagnostic]) -> str:
    return "no problems" if not found else f"{len(found)} problem{'s' * (len(found) > 1)}"


def _loaded(rulesets: Sequence[Ruleset]) -> str:
    """The rulesets that were loaded, the interactions among them apart."""
    kinds = {
        "with": [r for r in rulesets if not r.interaction],
        "interactions": [r for r in rulesets if r.interaction],
    }
    named = (
        f"{kind} {', '.join(_named(r) for r in found)}" for kind, found in kinds.items() if found
    )
    return "; ".join(named) or "nothing was loaded"


def _named(ruleset: Ruleset) -> str:
    house = " (house rules)" if ruleset.house else ""
    return f"{ruleset.id} {ruleset.version}{house}"
