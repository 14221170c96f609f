"""Sources of points: names for the places in rules that change the score.

Points that an action gives are named after the member of the first enum that it is given, in full
as `ruleset/enum.member`, otherwise after the action; those that an option gives after its choice;
all others after the score.
"""

from __future__ import annotations

from rulesdsl.model import checked as tree
from rulesdsl.model.checked import ActionDef, Checked, SetState, walk
from rulesdsl.model.game import LinkedGame
from rulesdsl.model.types import EnumType, OptionalType
from rulesdsl.model.values import EnumMember, Value
from rulesdsl.records import dataclass


@dataclass(frozen=True)
class Sources:
    """All sources of points of a game, by name; the members of an enum are adjacent."""

    names: tuple[str, ...]

    def row(self, name: str) -> int:
        """Return the number of a source."""
        return self.names.index(name)


def sources(checked: Checked) -> Sources:
    """Return the sources of points of a game, in canonical order."""
    found = [checked.score] if _scores(checked, checked.always) else []
    members = {enum.key: enum.members for enum in checked.game.enums}
    for action in checked.actions.values():
        if not _scores(checked, action):
            continue
        named = enum_given(action)
        if named is not None:
            enum = named[1]
            found += [member_source(enum, member) for member in members[enum]]
        if named is None or named[2]:
            found.append(action.key)
    found += [choice.key for choice in checked.choices.values() if _scores(checked, choice)]
    return Sources(tuple(dict.fromkeys(found)) or (checked.score,))


def enum_given(action: ActionDef) -> tuple[int, str, bool] | None:
    """Return the first enum parameter of an action.

    The result is its index, the enum, and whether it is optional; None if there is no such
    parameter.
    """
    for place, param in enumerate(action.params):
        optional = isinstance(param.type, OptionalType)
        type_ = param.type.item if isinstance(param.type, OptionalType) else param.type
        if isinstance(type_, EnumType):
            return place, type_.name, optional
    return None


def member_source(enum: str, member: str) -> str:
    """Return the name of the source for a member of an enum."""
    return f"{enum}.{member}"


def source_of(checked: Checked, kind: str, key: str, arguments: tuple[Value, ...]) -> str:
    """Return the source of points that a callable gives when called with these arguments.

    `kind` is `action`, `choice`, `option` or `always`.
    """
    if kind in ("choice", "option"):
        return key
    if kind != "action":
        return checked.score
    named = enum_given(checked.actions[key])
    value = None if named is None else arguments[named[0]]
    if not isinstance(value, EnumMember):
        return key
    enum = next(each for each in checked.game.enums if each.key == value.enum)
    return member_source(enum.key, enum.members[value.index])


def _scores(checked: Checked, tree: object) -> bool:
    """Return whether anything in a tree changes the score."""
    return any(isinstance(node, SetState) and node.state == checked.score for node in walk(tree))


# --- the terms of points --------------------------------------------------------------------------

FLOWING = frozenset({"abs", "max", "min", "half_up", "div_up"})
"""The functions whose result has the readings of their arguments."""


def domain_name(game: LinkedGame, domain: tree.Expr) -> str:
    """Return the name of the function, zone or value that a domain calls, else an empty one."""
    match domain:
        case tree.CallBuiltin():
            return domain.function
        case tree.CallValue():
            return domain.value
        case tree.EntryAt(what="zone"):
            return game.zones[domain.number].key
        case tree.Comprehension() | tree.Aggregate(function="top"):
            return domain_name(game, domain.binders[0].domain)
        case _:
            return ""
