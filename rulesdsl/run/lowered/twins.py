"""What is asked of a lowered game as the readable engine has it.

To play takes nothing of this: it is imported, and its tables are made, when it is first needed.
"""

from __future__ import annotations

from rulesdsl.lower.plan import Plan
from rulesdsl.model.values import Piece, Placement, Value
from rulesdsl.run.engine import Decision, PlayError
from rulesdsl.run.lowered.machine import Tables
from rulesdsl.run.lowered.pack import Pack
from rulesdsl.run.lowered.snapshot import Snapshot, Snapshots
from rulesdsl.run.reference import chance, statements
from rulesdsl.run.reference import position as reference
from rulesdsl.run.reference.effects import perform
from rulesdsl.run.reference.fault import Fault
from rulesdsl.run.reference.position import ReferencePosition
from rulesdsl.run.reference.program import Code
from rulesdsl.run.reference.runtime import Runtime, Waiting
from rulesdsl.run.rng import Rng


class Twins:
    """Makes twins of the positions of one game with its number of players."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.snapshots = Snapshots(plan)
        self.pack = Pack(self.snapshots)

    def of(self, tables: Tables, decision: Decision | None) -> Runtime:
        """The runtime that tables stand for, which waits for that decision."""
        runtime = self.snapshots.runtime(self.snapshots.read(tables))
        runtime.waiting = None if decision is None else self._waiting(decision)
        runtime.fuel = tables["fuel"][0]
        return runtime

    def readable(self, runtime: Runtime) -> ReferencePosition:
        """A position of the readable engine."""
        return ReferencePosition(runtime)

    def start(self, seed: int | None) -> None:
        """Start a game; raises PlayError when the rules fail before the first decision."""
        reference.start(self.plan.checked, self.plan.players, seed)

    def place_of(self, tables: Tables, piece: Piece) -> Value:
        """Where a piece is, see `run.engine.Position`."""
        worlds = self.snapshots.worlds
        worlds.check(piece)
        place = worlds.place(tables, piece.index, tables["place"][piece.index])
        return place.cell if isinstance(place, Placement) else place

    def apply(self, tables: Tables, effect: str, arguments: tuple[Value, ...]) -> None:
        """Let the tables hold what a builtin effect makes of them, but for what follows from that;
        raises PlayError."""
        worlds = self.snapshots.worlds
        world = worlds.read(tables)
        try:
            perform(world, effect, arguments)
        except Fault as fault:
            raise PlayError(str(fault)) from None
        worlds.write(tables, world)

    def check_range(self, state: str, value: Value) -> None:
        """Raise PlayError for a value that the state cannot have."""
        declared = self.plan.checked.states[state]
        statements.check_range(state, declared.type, value, declared.span)

    def sample(self, tables: Tables, seat: int, seed: int) -> Snapshot:
        """A snapshot that looks the same to `seat`, with what it cannot know drawn at random; a
        generator starts anew from the seed."""
        drawn = Rng.seeded(seed)
        snapshot = self.snapshots.read(tables)
        snapshot.world, becomes = chance.sample(snapshot.world, seat, drawn)
        self.snapshots.rename(snapshot, becomes)
        if snapshot.generator is not None:
            snapshot.generator = Rng.seeded(drawn.word())
        return snapshot

    def _waiting(self, decision: Decision) -> Waiting:
        """What is waited for, with what each candidate runs."""
        own = [tuple(value for _, value in each.arguments) for each in decision.candidates]
        if decision.seat is None:
            return Waiting(decision, outcomes=tuple(outcome for (outcome,) in own))
        given = tuple(value for _, value in decision.arguments)
        options = self.plan.checked.choices[decision.choice].options
        codes = {
            option.key: Code("option", decision.choice, number)
            for number, option in enumerate(options)
        }
        runs = [
            (codes[candidate.option], given + values)
            for candidate, values in zip(decision.candidates, own, strict=True)
        ]
        return Waiting(decision, tuple(runs))
