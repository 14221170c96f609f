"""Players whom the rules name by colour, though they do not play."""

from __future__ import annotations

from rulesdsl.model.checked import Checked, Const, walk
from rulesdsl.model.values import Player


def names_absent(checked: Checked, players: int) -> bool:
    """Say whether the rules name a player by colour who does not play."""
    trees = (
        tuple(checked.values.values()),
        tuple(checked.actions.values()),
        tuple(checked.choices.values()),
        tuple(checked.states.values()),
        checked.always,
    )
    return any(
        isinstance(node.value, Player) and node.value.seat >= players
        for node in walk(trees)
        if isinstance(node, Const)
    )
