"""Random effects on both engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from rulesdsl.engine.lower.tables.encoding import most_segments
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime import heap, knowledge, places, tables
from rulesdsl.language.model import values
from rulesdsl.language.model.values import Cell, Face, Piece, Placement, Segment, Value
from tests.oracle import board
from tests.oracle.board import placements
from tests.oracle.drawing import Drawing, Nothing
from tests.oracle.effects import EFFECTS
from tests.runtime.twins import Twins

T = TypeVar("T")
STEPS = (
    *("lay",) * 6,
    *("stand", "stand", "stand", "home", "home", "home", "draw", "mix", "arrange"),
    *sorted(EFFECTS),
)


class Player:
    """Does and asks things at random, most of them possible."""

    def __init__(self, twins: Twins, rng: Rng) -> None:
        self.twins, self.rng = twins, rng
        self.world, self.game = twins.world, twins.game

    def one(self, items: Sequence[T]) -> T:
        return items[self.rng.below(len(items))]

    def laid(self) -> list[Segment]:
        return [s for p in self.world.laid() for s in board.segments(self.world, p)]

    def piece(self) -> Piece:
        """Any piece of the box, played or not."""
        return Piece(self.rng.below(len(self.game.pieces)))

    def segment(self) -> Segment | None:
        """Any segment, most often of a piece on a grid."""
        laid = self.laid()
        if laid and self.rng.below(8):
            return self.one(laid)
        piece = self.piece()
        size = most_segments(self.game.kinds[self.game.pieces[piece.index].kind])
        return Segment(piece.index, self.rng.below(size)) if size else None

    def cell(self) -> Cell | None:
        """Any cell near the middle, or far out."""
        if not self.world.box.grids:
            return None
        grid = self.one(self.world.box.grids)
        far = 0 if self.rng.below(8) else 1000
        return Cell(grid.grid, grid.index, self.rng.below(7) - 2, self.rng.below(7) - 2 + far)

    def place(self) -> Value:
        """Anywhere a piece might be moved."""
        box = self.world.box
        return self.one([*box.zones, *box.spaces, self.cell(), self.segment()])

    # --- doing -------------------------------------------------------------------------------

    def step(self) -> None:
        step, twins, world = self.one(STEPS), self.twins, self.world
        match step:
            case "lay":
                self.lay()
            case "place":
                cell = self.cell()
                if cell is not None:
                    twins.do(step, self.piece(), Placement(cell, self.rng.below(4)))
            case "stand":
                pieces = [p for p in world.box.pieces if world.box.cls(p) in ("token", "figure")]
                to = self.cell() if self.rng.below(3) == 0 else self.segment()
                if pieces and to is not None:
                    twins.do("move", self.one(pieces), to)
            case "home":
                zone = self.one(world.box.zones)
                holds = self.game.zones[zone.zone].holds
                fit = [p for p in world.box.pieces if world.box.cls(p) in holds]
                if fit:
                    at = [self.rng.below(5)] if self.rng.below(3) == 0 else []
                    twins.do("move", self.one(fit), zone, *at)
            case "move":
                anywhere = self.place()
                if anywhere is not None:
                    twins.do(step, self.piece(), anywhere)
            case "turn_to" if world.faces:
                die = self.one([*world.faces, *world.faces, self.piece()])
                kind = self.game.pieces[self.one(list(world.faces)).index].kind
                twins.do(step, die, Face(kind, self.rng.below(len(self.game.kinds[kind].faces))))
            case "reveal" | "conceal":
                seats = world.box.players
                seat = self.rng.below(2 * seats) if step == "reveal" else seats
                twins.do(step, self.piece(), *([values.Player(seat)] if seat < seats else []))
            case "link" | "unlink":
                a, b = self.segment(), self.segment()
                if a is not None and b is not None:
                    twins.do(step, a, b)
            case "draw" | "mix" | "arrange":
                self.hide(step)
            case _:
                with suppress(Nothing):
                    twins.do(step, *Drawing.of(world, self.rng).given(step))

    def lay(self) -> None:
        """Lay a piece where it fits."""
        box = self.world.box
        if box.grids:
            grid = self.one(box.grids)
            fit = [p for p in box.pieces if box.cls(p) in box.game.grids[grid.grid].holds]
            piece = self.one(fit)
            found = placements(self.world, grid, piece)
            if found:
                self.twins.do("place", piece, self.one(found))

    def hide(self, step: str) -> None:
        """What `take` does: mix some pieces, put one last, take one out of the game."""
        world = self.world
        zone = self.one([zone for zone, inside in world.zones.items() if inside])
        inside = list(world.zones[zone])
        number = self.twins.worlds.number(zone)
        if step == "draw":
            piece = self.one(inside)
            self.twins.both(
                lambda: world.put(piece, None),
                lambda: places.put(piece.index, tables.NOWHERE, -1),
            )
        elif step == "arrange":
            order = self.rng.shuffled(inside)
            self.twins.both(
                lambda: world.arrange(zone, order),
                lambda: self.given(order, lambda items: places.arrange(number, items)),
            )
        else:
            some = [piece for piece in inside if self.rng.below(3)]
            known = frozenset(seat for seat in world.box.seats if self.rng.below(2))
            mask = sum(1 << seat for seat in known)
            self.twins.both(
                lambda: world.mix(some, known),
                lambda: self.given(some, lambda items: knowledge.mix(items, mask)),
            )

    def given(self, pieces: Sequence[Piece], use: Callable[[int], None]) -> None:
        """Call the runtime with a list of pieces."""
        top = heap.mark()
        items = heap.begin()
        for piece in pieces:
            heap.push(items, piece.index)
        use(items)
        heap.release(top)
