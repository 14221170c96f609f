"""A position as values: between tables, bytes, and the readable engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rulesdsl.lower.plan import CallLayer, Plan, SettleLayer
from rulesdsl.lower.tables.encoding import set_item
from rulesdsl.model.types import Type
from rulesdsl.model.values import Value
from rulesdsl.run.lowered.frames import Frame, Frames
from rulesdsl.run.lowered.layers import reference_stack
from rulesdsl.run.lowered.machine import Tables, winners, write_generator
from rulesdsl.run.lowered.states import Found, States
from rulesdsl.run.lowered.worlds import Worlds
from rulesdsl.run.reference.context import FUEL
from rulesdsl.run.reference.frames import Queued
from rulesdsl.run.reference.program import Program
from rulesdsl.run.reference.renaming import Becomes, each, renamed
from rulesdsl.run.reference.runtime import Runtime
from rulesdsl.run.reference.world import World
from rulesdsl.run.rng import Rng


@dataclass
class Snapshot:
    """Everything of a position that does not follow from the rest; `frames` outermost first."""

    world: World
    states: Found
    frames: list[Frame]
    queue: list[Queued]
    generator: Rng | None
    winners: tuple[int, ...]
    decided: int
    cut_short: bool
    settling: tuple[int, int]


class Snapshots:
    """Takes snapshots of the tables of one program, and lets tables hold them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        checked = plan.checked
        self._blank = Runtime(Program(checked), World(checked.game, plan.players))
        self.worlds = Worlds(plan.encoding, self._blank.world)
        self.states = States(plan.states, self._blank.initial)
        self.frames = Frames(plan)
        self.actions = {key: number for number, (key, _) in enumerate(plan.actions)}

    def read(self, tables: Tables) -> Snapshot:
        """What the tables hold."""
        words = tables["rng"]
        return Snapshot(
            self.worlds.read(tables),
            self.states.read(tables),
            self.frames.read(tables),
            self._read_queue(tables),
            Rng(tuple(words)) if tables["resolves"][0] else None,
            winners(tables),
            tables["decided"][0],
            bool(tables["cut_short"][0]),
            (tables["settling"][0], tables["settling"][1]),
        )

    def write(self, tables: Tables, snapshot: Snapshot) -> None:
        """Let the tables hold a snapshot. What follows from it is for the program's `rebuild`;
        what is waited for stays as it is. Raises OverflowError for what tables have no room for."""
        self.worlds.write(tables, snapshot.world)
        self.states.write(tables, snapshot.states)
        self.frames.write(tables, snapshot.frames)
        self._write_queue(tables, snapshot.queue)
        write_generator(tables, snapshot.generator)
        tables["winners"][0] = sum(1 << seat for seat in snapshot.winners)
        tables["decided"][0] = snapshot.decided
        tables["cut_short"][0] = int(snapshot.cut_short)
        tables["settling"][:] = snapshot.settling
        tables["fuel"][0] = FUEL
        self._count(tables, snapshot.frames)

    def _count(self, tables: Tables, frames: list[Frame]) -> None:
        """Let the tables that count what runs say how much it is."""
        nested = [self.plan.points[frame.point].layers for frame in frames]
        tables["nested"][0] = sum(map(len, nested[:-1]))
        called: Counter[str] = Counter()
        settling = 0
        for layer in (layer for layers in nested for layer in layers):
            settling += isinstance(layer, SettleLayer)
            if isinstance(layer, CallLayer) and layer.kind == "action" and not layer.inner:
                called[layer.key] += 1
        steps = (count for key, count in called.items() if self.plan.checked.actions[key].step)
        tables["steps"][0] = settling + sum(steps)
        for key, table in self.plan.depths.items():
            tables[table][0] = called[key]

    def runtime(self, snapshot: Snapshot) -> Runtime:
        """The readable twin, which waits for nothing yet; it shares what the snapshot holds.
        Raises `DataError` for frames that cannot lie on each other."""
        runtime = self._blank.clone()
        runtime.world = snapshot.world
        runtime.states = snapshot.states
        runtime.stack = reference_stack(
            self.plan, runtime.program, snapshot.frames, snapshot.settling
        )
        runtime.queue = snapshot.queue
        runtime.generator = snapshot.generator
        runtime.winners = snapshot.winners
        runtime.decided = snapshot.decided
        runtime.cut_short = snapshot.cut_short
        return runtime

    def rename(self, snapshot: Snapshot, becomes: Becomes) -> None:
        """Let states, frames and the queue name, for every piece, the one that it becomes."""

        def rename(value: Value) -> Value:
            return renamed(value, becomes)

        snapshot.states = {
            (state, rename(owner), each(index, becomes)): rename(value)
            for (state, owner, index), value in snapshot.states.items()
        }
        snapshot.frames = [
            frame.renamed(rename, self.frames.shapes[frame.point]) for frame in snapshot.frames
        ]
        snapshot.queue = [
            Queued(queued.action, each(queued.arguments, becomes)) for queued in snapshot.queue
        ]

    # --- the queue -----------------------------------------------------------------------------

    def _read_queue(self, tables: Tables) -> list[Queued]:
        numbers = iter(tables["queue"][: tables["queue_free"][0]])
        found = []
        for number in numbers:
            key, types = self.plan.actions[number]
            found.append(Queued(key, tuple(self._read_queued(numbers, each) for each in types)))
        return found

    def _read_queued(self, numbers: Iterator[int], type_: Type) -> Value:
        encoding, item, number = self.plan.encoding, set_item(type_), next(numbers)
        if item is None:
            return encoding.decode(number, type_)
        if number < 0:
            return None
        return tuple(encoding.decode(each, item) for each in islice(numbers, number))

    def _write_queue(self, tables: Tables, queue: list[Queued]) -> None:
        numbers: list[int] = []
        for queued in queue:
            number = self.actions[queued.action]
            numbers.append(number)
            for value, type_ in zip(queued.arguments, self.plan.actions[number][1], strict=True):
                numbers += self._queued(value, type_)
        if len(numbers) > len(tables["queue"]):
            raise OverflowError("too many calls wait")
        tables["queue"][: len(numbers)] = numbers
        tables["queued"][0], tables["queue_free"][0] = len(queue), len(numbers)

    def _queued(self, value: Value, type_: Type) -> list[int]:
        """The numbers of an argument."""
        encoding, item = self.plan.encoding, set_item(type_)
        if item is None:
            return [encoding.encode(value, type_)]
        if value is None:
            return [-1]
        assert isinstance(value, tuple)
        return [len(value), *(encoding.encode(each, item) for each in value)]
