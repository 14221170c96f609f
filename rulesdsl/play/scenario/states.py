"""States that a scene sets: of the game, of players, components, segments and cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rulesdsl.diagnostics import Report
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.model.checked import StateDef
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.model.types import (
    CELL,
    PIECE,
    PIECE_CLASSES,
    PLAYER,
    SEGMENT,
    OptionalType,
    Type,
)
from rulesdsl.model.values import Piece, Player, Value, Zone
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.play.indexes import members
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.places import inside, readable
from rulesdsl.play.scenario.vocabulary import name_mistake
from rulesdsl.play.things import cells_called, laid_segments, pieces, things
from rulesdsl.play.written import means
from rulesdsl.run.engine import PlayError

_STATE = re.compile(r"(?:(?P<owner>.+)\.)?(?P<name>\w+)(?P<index>(?:\[\w+\])*)")
_INDEX = re.compile(r"\[(\w+)\]")
_GAME = "game"


def assign(state: State, key: Scalar, node: Node) -> None:
    """Set the state that a scene names; raises Failed, and RulesError for an expression that has
    no value."""
    declared, owners, written = _named(state, key)
    index = _index(state, declared, written, key)
    for owner, value in zip(owners, _values(key, node, owners), strict=True):
        try:
            found = _value(state, declared.type, value)
            state.position.assign(declared.key, owner, index, found)
        except PlayError as error:
            raise Failed(error.message, value.span) from None


def in_order(state: State, found: Sequence[Piece]) -> list[Piece]:
    """Put like components into the order in which scenes list their states: that of the zone they
    are in, if it keeps one."""
    places = {state.position.place_of(piece) for piece in found}
    zone = places.pop() if len(places) == 1 else None
    if isinstance(zone, Zone):
        return [piece for piece in inside(readable(state), zone) if piece in found]
    return sorted(found)


# --- names ---------------------------------------------------------------------------------------


def _named(state: State, key: Scalar) -> tuple[StateDef, list[Value], str]:
    """The state that is named, those that have it, and its indexes as they are written."""
    written = _STATE.fullmatch(str(key.value))
    called = [] if written is None else list(_called(state, written["name"]))
    if written is None or not called:
        help = did_you_mean(str(key.value), _forms(state))
        raise Failed(f"there is no state `{key.value}`", key.span, help)
    owner = written["owner"] or _GAME
    found = [(each, owners) for each in called if (owners := _owners(state, each, owner))]
    if not found:
        raise _no_owner(state, called, written["owner"], key)
    if len(found) > 1:
        shown = listed([f"`{short_name(each.key)}`" for each, _ in found])
        raise Failed(f"`{key.value}` may be {shown}", key.span)
    declared, owners = found[0]
    if len(owners) > 1 and not isinstance(owners[0], Piece):
        shown = listed([f"`{state.names.full(each)}`" for each in owners])
        raise Failed(f"`{owner}` may be {shown}", key.span)
    return declared, owners, written["index"]


def _called(state: State, name: str) -> Iterator[StateDef]:
    """The states with that name, whatever has them."""
    for key, declared in state.game.checked.states.items():
        if short_name(key).partition(".")[2] == name:
            yield declared


def _owners(state: State, declared: StateDef, owner: str) -> list[Value]:
    """Those that are called so and have the state."""
    names = state.names
    match declared.owner:
        case "game":
            return [None] if owner == _GAME else []
        case "player":
            return [Player(state.players.index(owner))] if owner in state.players else []
        case "segment":
            return [each for each in laid_segments(state) if means(owner, each, names)]
        case "cell":
            return [*cells_called(owner, state)]
        case cls:
            called = [each for each in pieces(state, _class(cls)) if means(owner, each, names)]
            return [*in_order(state, called)]


def _class(owner: str) -> str | None:
    return None if owner == str(PIECE) else owner


def _no_owner(state: State, called: Sequence[StateDef], owner: str | None, key: Scalar) -> Failed:
    """Why nothing that is called so has the state."""
    kinds = [declared.owner for declared in called]
    if owner is None:
        name = short_name(called[0].key).partition(".")[2]
        form = f"{_example(state, kinds[0])}.{name}"
        return Failed(f"`{name}` is a state of a {kinds[0]}", key.span, (f"write `{form}`",))
    if kinds == [_GAME]:
        name = short_name(called[0].key).partition(".")[2]
        return Failed(f"`{name}` is a state of the game", key.span, (f"write `{name}`",))
    types = {str(each): each for each in (PLAYER, SEGMENT, CELL, PIECE)}
    message, help = name_mistake(owner, types.get(kinds[0], PIECE), state) or (
        f"`{owner}` has no state `{short_name(called[0].key).partition('.')[2]}`",
        (),
    )
    return Failed(message, key.span, help)


def _forms(state: State) -> list[str]:
    """The names of all states as scenes write them."""
    found = []
    for key in state.game.checked.states:
        owner, _, name = short_name(key).partition(".")
        found.append(name if owner == _GAME else f"{_example(state, owner)}.{name}")
    return found


def _example(state: State, owner: str) -> str:
    """The name of something that has states of an owner."""
    if owner == "player":
        return state.players[0]
    if owner == "cell":
        return "(0,0)"
    some: Iterator[Value] = (
        laid_segments(state) if owner == "segment" else iter(pieces(state, _class(owner)))
    )
    found = next(some, None)
    return owner if found is None else str(state.names.short(found))


def _index(state: State, declared: StateDef, written: str, key: Scalar) -> tuple[Value, ...]:
    names = _INDEX.findall(written)
    if len(names) != len(declared.index):
        message = f"`{key.value}` has {len(names)} of {len(declared.index)} indexes"
        raise Failed(message, key.span)
    return tuple(
        _member(state, name, type_, key) for name, type_ in zip(names, declared.index, strict=True)
    )


def _member(state: State, name: str, index: Type, key: Scalar) -> Value:
    known = members(state, index)
    if name not in known:
        message = f"no player `{name}` takes part" if index == PLAYER else ""
        message = message or f"`{index}` has no `{name}`"
        raise Failed(message, key.span, did_you_mean(name, known))
    return known[name]


# --- values --------------------------------------------------------------------------------------


def _values(key: Scalar, node: Node, owners: Sequence[Value]) -> list[Scalar]:
    """What is written for each owner: one value for all, or a list of as many as there are."""
    if isinstance(node, Scalar):
        return [node] * len(owners)
    values = [item for item in node if isinstance(item, Scalar)] if _is_list(node) else []
    if len(values) != len(owners):
        have = "component is" if len(owners) == 1 else "components are"
        message = f"{len(owners)} {have} called so, but there are {len(values)} values"
        raise Failed(message, node.span, (f"write one value, or {len(owners)}",))
    return values


def _is_list(node: Node) -> bool:
    return isinstance(node, SequenceNode)


def _value(state: State, type_: Type, node: Scalar) -> Value:
    """The value that is written: a component or segment by its name, anything else as an expression
    of the language."""
    item = type_.item if isinstance(type_, OptionalType) else type_
    if item in (PIECE, SEGMENT) or str(item) in PIECE_CLASSES:
        found = [each for each in things(item, state) if means(str(node.value), each, state.names)]
        if len(found) == 1:
            return found[0]
        if found:
            shown = listed([f"`{state.names.full(each)}`" for each in found])
            raise Failed(f"`{node.value}` may be {shown}", node.span)
    report = Report()
    checked = expression(node.span, state.game.checked, type_, {}, report)
    report.check()
    assert checked is not None, "an expression without errors"
    return state.position.evaluate(checked, {})
