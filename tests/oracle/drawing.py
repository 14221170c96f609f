"""Random arguments of effects, by the types of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.box import GameBox
from rulesdsl.language.builtins import EFFECTS, TOLD
from rulesdsl.language.model.types import CELL, SEGMENT, Type
from rulesdsl.language.model.values import Cell, Face, Grid, Piece, Placement, Player, Segment
from tests.oracle import board
from tests.oracle.effects import STANDING
from tests.oracle.world import World


class Nothing(Exception):
    """There is nothing to draw from."""


@dataclass(frozen=True)
class Drawing:
    """Draws what effects are done to: mostly what is possible, and mostly what lies on grids."""

    rng: Rng
    box: GameBox
    laid: Sequence[Piece]
    segments: Callable[[Piece], Sequence[Segment]]
    joined: Callable[[Segment], Sequence[Segment]]
    placements: Callable[[Grid, Piece], Sequence[Placement]]

    @classmethod
    def of(cls, world: World, rng: Rng) -> Drawing:
        """Draw from a plain world."""
        return cls(
            rng,
            world.box,
            list(world.laid()),
            partial(board.segments, world),
            partial(board.joined, world),
            partial(board.placements, world),
        )

    def one(self, items: Sequence[Any]) -> Any:
        """Return one of some items; raises Nothing if there are none."""
        if not items:
            raise Nothing
        return items[self.rng.below(len(items))]

    def given(self, effect: str) -> tuple[Any, ...]:
        """Return arguments for an effect; raises Nothing if it can be done to nothing."""
        if effect == "place":
            grid = self.one(self.box.grids)
            piece = self._piece(self.box.game.grids[grid.grid].holds)
            return piece, self.one(self.placements(grid, piece))
        rows = [each.params for each in EFFECTS[effect].signatures if each.params[0] not in TOLD]
        params, given = self.one(rows), list[Any]()
        for type_ in params:
            given.append(self._value(type_, given))
        if effect == "move" and params[1] in (SEGMENT, CELL):
            given[0] = self._piece(STANDING)
        elif effect == "unlink":
            given[1] = self.one(self.joined(given[0]))
        return tuple(given)

    def _piece(self, classes: Collection[str]) -> Piece:
        found: Piece = self.one([each for each in self.box.pieces if self.box.cls(each) in classes])
        return found

    def _value(self, type_: Type, before: Sequence[Any]) -> Any:
        """Return a value of a type, `before` which other arguments are."""
        match str(type_):
            case "piece":
                return self.one(self.one([self.laid or self.box.pieces, self.box.pieces]))
            case "die":
                return self._piece({"die"})
            case "face":
                kind = self.box.piece(before[0]).kind
                return Face(kind, self.rng.below(len(self.box.game.kinds[kind].faces)))
            case "player":
                return Player(self.rng.below(self.box.players))
            case "zone":
                return self.one(self.box.zones)
            case "space":
                return self.one(self.box.spaces)
            case "segment":
                return self.one([each for piece in self.laid for each in self.segments(piece)])
            case "cell":
                grid = self.one(self.box.grids)
                return Cell(grid.grid, grid.index, self.rng.below(5) - 1, self.rng.below(5) - 1)
            case "int":
                return self.rng.below(5)
        raise AssertionError(f"no {type_} is drawn yet")
