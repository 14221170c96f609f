"""`rulesdsl check`: say what is wrong with rulesets."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence

from rulesdsl.cli.console import Console
from rulesdsl.cli.loading import parts, settings
from rulesdsl.cli.problems import CLEAN, bad_argument, exit_code
from rulesdsl.cli.recording import STDIN
from rulesdsl.diagnostics import Diagnostic, Report, RulesError
from rulesdsl.diagnostics.render import render
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.pipeline.subsets import subsets
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
    if arguments.all_subsets and arguments.set:
        raise bad_argument("`--all-subsets` takes no `--set`: all values of settings are looked at")
    names = [each for given in arguments.rulesets for each in _manifests(given)]
    expansions, shown = parts(arguments.expansions), _Shown(console)
    if arguments.all_subsets:
        code = max(_subsets(name, expansions, arguments.path, shown) for name in names)
    else:
        chosen = settings(arguments.set)
        code = max(_one(name, expansions, chosen, arguments.path, shown) for name in names)
    if shown.slug is not None and console.terminal:
        console.tell((f"to read more: rulesdsl explain {shown.slug}", "faint"))
    return code


class _Shown:
    """Writes findings, each only once; `slug` is that of the first."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.slug: str | None = None
        self._known: set[str] = set()

    def show(self, found: Iterable[Diagnostic], heading: str = "") -> None:
        """Those of `found` that are new, if there are any below a heading."""
        new = [each for each in found if render([each]) not in self._known]
        self._known.update(render([each]) for each in new)
        if new and heading:
            self.console.say(heading)
        if new and self.slug is None:
            self.slug = new[0].slug
        self.console.show(new, output=True)


def _one(
    name: str,
    expansions: list[str],
    chosen: dict[str, int | bool | str],
    paths: list[str],
    shown: _Shown,
) -> int:
    """Check one ruleset with these expansions; the exit code."""
    loaded = load_rulesets(name, expansions, paths=paths, report=Report())
    found = _findings(name, expansions, chosen, paths)
    shown.show(found)
    shown.console.say(f"{name}: {_count(found)}; {_loaded(loaded)}")
    return exit_code(found)


def _subsets(name: str, expansions: list[str], paths: list[str], shown: _Shown) -> int:
    """Check one ruleset with every subset of the expansions; the exit code. A finding is shown
    with the first, so a smallest, subset that has it."""
    checked, ids, codes, wrong = 0, set[str](), [CLEAN], 0
    for subset in subsets(name, expansions, paths=paths):
        on = ", ".join(subset.expansions) or "no expansion"
        shown.show(subset.findings, f"with {on}:")
        codes.append(exit_code(subset.findings))
        checked, wrong = checked + 1, wrong + bool(subset.findings)
        ids.update(subset.expansions)
    verdict = f"problems in {wrong} of them" if wrong else "no problems"
    among = f"{_number(checked, 'subset')} of {_number(len(ids), 'expansion')}"
    shown.console.say(
        f"{name}: {among}, {verdict}; {', '.join(sorted(ids)) or 'nothing extends it'}"
    )
    return max(codes)


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
    return _number(len(found), "problem") if found else "no problems"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


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
