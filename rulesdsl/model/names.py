"""Full names, `ruleset/name`: how everything that rulesets declare is called inside of a game."""

from __future__ import annotations


def short_name(full: str) -> str:
    """The name without its ruleset."""
    return full.rpartition("/")[2]


def ruleset_of(full: str) -> str:
    """The ruleset that declares it."""
    return full.partition("/")[0]


def written_name(full: str) -> str:
    """The name with its ruleset as rules write it: `ruleset.name`."""
    return full.replace("/", ".")
