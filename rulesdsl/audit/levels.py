"""How bad findings count, by their slug, as someone chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rulesdsl.diagnostics import SLUGS, Diagnostic, RulesError, Severity
from rulesdsl.diagnostics.wording import did_you_mean, listed

ALL = "all"
"""Stands for every slug that nothing is said about."""

OFF = "off"

Levels = Mapping[str, Severity | None]
"""How bad findings of a slug count, None for not at all."""

_LEVELS = {**{each.value: each for each in Severity}, OFF: None}


def read_levels(chosen: Iterable[tuple[str, str]]) -> Levels:
    """Levels by slug, the last one that is said of each; raises RulesError for a slug or level that
    there is not."""
    found: dict[str, Severity | None] = {}
    for slug, level in chosen:
        if slug not in SLUGS and slug != ALL:
            raise _wrong(f"no finding is called `{slug}`", did_you_mean(slug, [*SLUGS, ALL]))
        if level not in _LEVELS:
            help = f"levels are {listed([f'`{each}`' for each in _LEVELS])}"
            raise _wrong(f"`{level}` is no level", (help,))
        found[slug] = _LEVELS[level]
    return found


def _wrong(message: str, help: tuple[str, ...]) -> RulesError:
    return RulesError([Diagnostic("bad-argument", message, help=help)])


def leveled(found: Diagnostic, levels: Levels) -> Diagnostic | None:
    """A finding as bad as it counts, None if it does not. What stops play stays an error."""
    if found.severity is Severity.ERROR:
        return found
    level = levels.get(found.slug, levels.get(ALL, found.severity))
    return None if level is None else replace(found, severity=level)
