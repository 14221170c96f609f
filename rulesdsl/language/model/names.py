"""Ids of rulesets, and full names, `ruleset/name`: those of all declarations inside of a game."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

TEXT = ".text"
"""The end of the name under which labels have what a component says."""


class RulesetId(str):
    """The id of a ruleset that a file, a link or a request names.

    It is looked up where rulesets are. A plain text from a user may name a path instead.
    """

    __slots__ = ()


def short_name(full: str) -> str:
    """Return the name without its ruleset."""
    return full.partition("/")[2] or full


def ruleset_of(full: str) -> str:
    """Return the ruleset that declares it."""
    return full.partition("/")[0]


def option_names(key: str) -> tuple[str, ...]:
    """Return the names under which an option, or an effect of chance, is written.

    `ants/ask.beg` and `ants.ask.beg` are full names; `ask.beg` and `beg` may be those of several.
    """
    return key, written_name(key), short_name(key), key.rpartition(".")[2]


def option_word(name: str) -> str:
    """Return the last part of the name of a move; the whole name if that has its ruleset."""
    return name if "/" in name else name.rpartition(".")[2]


def part_id(ruleset: str, names: Collection[str]) -> str:
    """Return the id of a part of a ruleset's rules, which holds together with other rulesets."""
    return f"{ruleset} with {', '.join(names)}" if names else ruleset


def owner_of(part: str) -> str:
    """Return the ruleset that a part of rules belongs to, by the part's id."""
    return part.partition(" with ")[0]


def parties_of(part: str) -> tuple[str, ...]:
    """Return the ruleset that a part of rules belongs to, and those that its block names."""
    ruleset, _, names = part.partition(" with ")
    return (ruleset, *names.split(", ")) if names else (ruleset,)


def words_of(setting: str) -> str:
    """Return the full name of the enum of a setting's words: `ruleset/settings.name`.

    The setting is given as `ruleset/name`.
    """
    ruleset, _, name = setting.partition("/")
    return f"{ruleset}/settings.{name}"


def written_name(full: str) -> str:
    """Return the name with its ruleset as rules write it: `ruleset.name`."""
    return full.replace("/", ".")


def required_first(ids: Iterable[str], needs: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return ids in their order, but each after those that it needs, never in a circle."""
    order, waiting = list[str](), list(ids)
    while waiting:
        ready = next(id for id in waiting if all(needed in order for needed in needs[id]))
        order.append(ready)
        waiting.remove(ready)
    return tuple(order)
