"""The index of a state by name."""

from __future__ import annotations

from rulesdsl.model.types import PLAYER, SIDE, SIDE_NAMES, EnumType, Type
from rulesdsl.model.values import EnumMember, Player
from rulesdsl.play.game import State


def members(state: State, index: Type) -> dict[str, Player | EnumMember]:
    """List the members of an index by name: the players who take part, or those of its enum."""
    if index == PLAYER:
        return {colour: Player(seat) for seat, colour in enumerate(state.players)}
    assert isinstance(index, EnumType), "an index is an enum or a player"
    enums = {enum.key: enum.members for enum in state.game.checked.game.enums}
    names = SIDE_NAMES if index.name == SIDE.name else enums[index.name]
    return {name: EnumMember(index.name, number) for number, name in enumerate(names)}
