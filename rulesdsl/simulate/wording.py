"""What is said of a study, whatever the form."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import floor, inf, log10

from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.summary import FIRST, SOURCES, Finding, Summary

NOTES = (
    "Intervals hold the true value in 95 of 100 studies: by Wilson's formula for shares of wins, "
    "by Student's t for means and for differences between games of the same number, linearised "
    "for the ratio of options to decisions.",
    "All who win a game share it in equal parts.",
    "Spread is the standard deviation from game to game; pp are percentage points.",
    "The lead changes when a player has most points alone, and the last one of whom that was true "
    "is another.",
)


def heading(summary: Summary) -> list[tuple[str, str]]:
    """What was played, as pairs of a name and what it is."""
    study = summary.study
    found = [("games", f"{summary.games:,} of seed {study.seed}, by {study.players} players")]
    if not summary.complete:
        found.append(("interrupted", f"{study.games:,} games were asked for"))
    found.append(("bots", bots(study)))
    for variant, kind in zip(study.variants, study.kinds, strict=True):
        rulesets = ", ".join(kind.rulesets)
        chosen = "".join(f", {name}={value}" for name, value in variant.settings)
        name = f"rulesets of {variant.name}" if len(study.variants) > 1 else "rulesets"
        found.append((name, rulesets + chosen))
    if summary.unfinished:
        found.append(("not over", f"{summary.unfinished:,} games were given up"))
    return found


def bots(study: Study) -> str:
    """Who plays."""
    if len(set(study.bots)) == 1:
        return f"{study.bots[0]} in every seat"
    return f"{', '.join(study.bots)}; each moves on by one seat from game to game"


def sections(findings: list[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Findings of one variant by section, without sources that gave nothing."""
    kept = [
        each
        for each in findings
        if each.section != SOURCES or each.deviation != 0 or each.interval.value != 0
    ]
    for section, found in groupby(kept, key=lambda each: each.section):
        yield section, list(found)


def groups(findings: list[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Findings by variant, and by what it is compared with, each with a title."""
    for (variant, against), found in groupby(findings, key=lambda e: (e.variant, e.against)):
        yield f"{variant} minus {against}" if against else variant, list(found)


def value(finding: Finding) -> str:
    """The value, as exact as its interval allows."""
    return _number(finding, finding.interval.value)


def bounds(finding: Finding) -> str:
    """The interval."""
    low, high = finding.interval.low, finding.interval.high
    return f"{_number(finding, low)} to {_number(finding, high)}"


def spread(finding: Finding) -> str:
    """The standard deviation, if it says something: that of a share follows from the share."""
    if finding.deviation is None or finding.share or finding.deviation == inf:
        return ""
    return f"{finding.deviation:,.2f}"


def unit(finding: Finding) -> str:
    """What follows a value: of shares per cent, of differences of shares percentage points."""
    if not finding.share:
        return ""
    return " pp" if finding.against or finding.section == FIRST else " %"


def _number(finding: Finding, number: float) -> str:
    if abs(number) == inf:
        return "?"
    factor = 100 if finding.share else 1
    width = (finding.interval.high - finding.interval.low) * factor
    places = 2 if width in (0, inf) else min(4, max(0, 1 - floor(log10(width / 2))))
    sign = "+" if finding.against and number > 0 else ""
    text = f"{number * factor:,.{places}f}"
    if not text.strip("-0."):
        text, sign = text.lstrip("-"), ""
    return f"{sign}{text}{unit(finding)}"
