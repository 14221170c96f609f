"""Checks one thing after another: what is found in it, and what was looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.audit.targets import Target
from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.pipeline.meeting import check_absent
from rulesdsl.play import load
from rulesdsl.read import load_rulesets
from rulesdsl.read.files import read_source, user_file


@dataclass(frozen=True)
class Checked:
    """What was found in a target, the texts that were read for it, and the rulesets among them."""

    found: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]
    rulesets: tuple[Ruleset, ...] = ()


def check(
    target: Target,
    expansions: Sequence[str],
    chosen: Mapping[str, int | bool | str],
    paths: Sequence[str],
) -> Checked:
    """Check a ruleset with these expansions and settings, or the form of a file of scenarios."""
    if target.scenarios:
        return _check_scenarios(target.name, paths)
    rulesets = load_rulesets(target.name, expansions, paths=paths, report=Report())
    try:
        found = tuple(load(target.name, expansions, chosen, paths=paths).report.sorted())
    except RulesError as error:
        found = error.diagnostics
    found += check_absent(
        target.name, expansions, chosen, paths=paths, rulesets=rulesets, found=found
    )
    return Checked(found, sources(rulesets), tuple(rulesets))


def _check_scenarios(name: str, paths: Sequence[str]) -> Checked:
    from rulesdsl.play.scenario import read_scenarios  # takes longer to import than to check by

    report = Report()
    read = read_source(*user_file(name), report)
    if read is None:
        return Checked(tuple(report), ())
    try:
        read_scenarios(read[0], paths)
    except RulesError as error:
        return Checked(error.diagnostics, (read[0],))
    return Checked((), (read[0],))


def sources(rulesets: Sequence[Ruleset]) -> tuple[Source, ...]:
    """The texts of rulesets."""
    manifests = [ruleset.manifest.span.source for ruleset in rulesets]
    return (*manifests, *(ruleset.rules for ruleset in rulesets if ruleset.rules is not None))
