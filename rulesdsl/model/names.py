"""Full names, `ruleset/name`: how everything that rulesets declare is called inside of a game."""

from __future__ import annotations


def short_name(full: str) -> str:
    """The name without its ruleset."""
    return full.rpartition("/")[2]


def ruleset_of(full: str) -> str:
    """The ruleset that declares it."""
    return full.partition("/")[0]


def words_of(setting: str) -> str:
    """The full name of the words that a setting, `ruleset/name`, has as values:
    `ruleset/settings.name`."""
    ruleset, _, name = setting.partition("/")
    return f"{ruleset}/settings.{name}"


def written_name(full: str) -> str:
    """The name with its ruleset as rules write it: `ruleset.name`."""
    return full.replace("/", ".")
