"""The plain world by the names that texts give its things."""

from __future__ import annotations

from typing import Any

from rulesdsl.language.model.types import INT, TILE, SetType
from rulesdsl.language.model.values import Piece, Zone
from tests.engines.worlds import Table
from tests.oracle.builtins import call
from tests.oracle.chance import take
from tests.oracle.effects import perform
from tests.oracle.world import World


class PlainTable(Table):
    """A plain world and its names. What cannot be raises Absent."""

    def __init__(self, world: World) -> None:
        self.world = world
        super().__init__()

    def take(self, zone: Zone, piece: Piece) -> None:
        take(self.world, zone, piece, lambda other: None)

    def perform(self, name: str, *arguments: Any) -> None:
        perform(self.world, name, arguments)

    def ask(self, name: str, *arguments: Any) -> Any:
        result = INT if name.startswith(".") else SetType(TILE)
        return call(self.world, name.removeprefix("."), tuple(arguments), result)
