"""What all positions of one program share."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rulesdsl.core.tables import LAID
from rulesdsl.lower.plan import Plan
from rulesdsl.model.values import Face, Piece, Placement, Player
from rulesdsl.run.engine import Laid
from rulesdsl.run.lowered.machine import Tables

if TYPE_CHECKING:
    from rulesdsl.run.lowered.twins import Twins


class Lowered:
    """A lowered game. `asking` is the position for which the scratch tables hold the moves, None if
    they hold anything else."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.checked = plan.checked
        self.players = plan.players
        self.asking: object = None

    @cached_property
    def twins(self) -> Twins:
        """What makes twins of its positions."""
        # It brings all of the readable engine, without which a game starts twice as fast.
        from rulesdsl.run.lowered.twins import Twins

        return Twins(self.plan)

    def scores(self, tables: Tables) -> tuple[int, ...]:
        """The score of each seat."""
        state = self.plan.states[self.checked.score]
        if state.plain and state.owners == self.players:
            return tuple(tables[state.data][: self.players])
        found = []
        for seat in range(self.players):
            score = state.read(tables, state.row(tables, Player(seat), ()))
            assert isinstance(score, int)
            found.append(score)
        return tuple(found)

    def laid(self, tables: Tables) -> tuple[Laid, ...]:
        """All pieces on grids, in canonical order."""
        found = []
        for index, (place, spot) in enumerate(zip(tables["place"], tables["spot"], strict=True)):
            if place == LAID:
                at = self.plan.encoding.placement_of(spot)
                found.append(Laid(Piece(index), at.cell, at.rotation))
        return tuple(found)

    def placement(self, tables: Tables, piece: Piece) -> Placement | None:
        """Where a piece lies on a grid; None for one that does not."""
        if tables["place"][piece.index] != LAID:
            return None
        return self.plan.encoding.placement_of(tables["spot"][piece.index])

    def face(self, tables: Tables, die: Piece) -> Face:
        """The face of a die that lies up."""
        return Face(self.checked.game.pieces[die.index].kind, tables["face"][die.index])
