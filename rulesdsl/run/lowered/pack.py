"""Positions as bytes: every number as narrow as what it can be, nothing that follows from others.

First the magic, the version, the game's digest and the number of players; then the world, states,
frames, queue and what else a snapshot holds. What is read may be anybody's bytes: each number is
checked against what it can be, and the whole by the codec of the readable engine.
"""

from __future__ import annotations

from rulesdsl.lower.plan import SettleLayer
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import NamedType, Type
from rulesdsl.model.values import Value
from rulesdsl.run.engine import digest
from rulesdsl.run.lowered.bits import Reader, Writer
from rulesdsl.run.lowered.frames import Field, Frame, Held
from rulesdsl.run.lowered.packed import MOST, PackedWorlds, Values
from rulesdsl.run.lowered.snapshot import Snapshot, Snapshots
from rulesdsl.run.reference import codec
from rulesdsl.run.reference.codec import SavedError
from rulesdsl.run.reference.context import StateKey
from rulesdsl.run.reference.frames import Queued
from rulesdsl.run.reference.ordered import order_key
from rulesdsl.run.reference.plaindata import DataError
from rulesdsl.run.reference.runtime import MAX_FRAMES, MAX_QUEUE, Runtime
from rulesdsl.run.reference.settle import MAX_ROUNDS
from rulesdsl.run.rng import Rng

MAGIC = b"rdsl"
VERSION = 2
DIGEST = 32
HEAD = len(MAGIC) + 1 + DIGEST + 1
WORD = (1 << 32) - 1


def players_in(checked: Checked, data: bytes) -> int:
    """For how many players the position is that was written; raises SavedError."""
    try:
        reader = Reader(data)
        if reader.bytes(len(MAGIC)) != MAGIC:
            raise DataError("it does not begin like one")
        if reader.number(0, 255) != VERSION:
            raise DataError("it is of another version")
        if reader.bytes(DIGEST).hex() != digest(checked):
            raise DataError("it is of other rulesets, or of other settings")
        players = reader.number(0, 255)
        roles = checked.game.roles
        if not roles.least <= players <= roles.most:
            raise DataError(f"the game is not for {players} players")
    except DataError as error:
        raise refused(error.message) from None
    return players


def refused(why: str) -> SavedError:
    """The error for bytes that are no position."""
    return SavedError(f"this is no saved position of this game: {why}")


class Pack:
    """Writes and reads the positions of one game with its number of players."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._plan = snapshots.plan
        self._values = Values(self._plan.encoding)
        self._worlds = PackedWorlds(snapshots.worlds, self._plan.encoding)
        self._states = list(self._plan.states.values())
        self._numbers = {state.key: number for number, state in enumerate(self._states)}
        self._most_decided = 2 * self._plan.checked.game.roles.limit

    def to_bytes(self, snapshot: Snapshot) -> bytes:
        """A snapshot as bytes."""
        writer = Writer()
        writer.data += MAGIC
        writer.number(VERSION, 0, 255)
        writer.data += bytes.fromhex(digest(self._plan.checked))
        writer.number(self._plan.players, 0, 255)
        self._worlds.write(writer, snapshot.world)
        self._write_rest(writer, snapshot)
        self._write_states(writer, snapshot)
        self._write_frames(writer, snapshot)
        return bytes(writer.data)

    def from_bytes(self, data: bytes) -> tuple[Snapshot, Runtime]:
        """The snapshot that was written, and the readable engine's position of it, which knows what
        is waited for. Raises SavedError for bytes that are no position of this game for its number
        of players."""
        if players_in(self._plan.checked, data) != self._plan.players:
            raise refused("it is for another number of players")
        try:
            reader = Reader(data[HEAD:])
            snapshot = self._read(reader)
            reader.end()
            saved = codec.to_bytes(self._snapshots.runtime(snapshot))
        except DataError as error:
            raise refused(error.message) from None
        runtime = codec.from_bytes(self._plan.checked, saved)
        if self.to_bytes(snapshot) != data:
            raise refused("it is not written as it should be")
        return snapshot, runtime

    def _read(self, reader: Reader) -> Snapshot:
        world = self._worlds.read(reader)
        decided = reader.number(0, self._most_decided)
        cut_short = bool(reader.number(0, 1))
        winners = reader.number(0, (1 << self._plan.players) - 1)
        resolves = reader.number(0, 1)
        words = [reader.number(0, WORD) for _ in range(4 * resolves)]
        if resolves and not any(words):
            raise DataError("the state of its generator is none")
        states = dict(self._read_state(reader) for _ in range(reader.number(0, MOST)))
        frames = [self._read_frame(reader) for _ in range(reader.number(0, MAX_FRAMES))]
        settling = (0, 0)
        if self._settles(frames):
            settling = reader.number(0, 1), reader.number(0, MAX_ROUNDS)
        queue = [self._read_queued(reader) for _ in range(reader.number(0, MAX_QUEUE))]
        return Snapshot(
            world=world,
            states=states,
            frames=frames,
            queue=queue,
            generator=Rng(words) if resolves else None,
            winners=tuple(seat for seat in world.box.seats if winners >> seat & 1),
            decided=decided,
            cut_short=cut_short,
            settling=settling,
        )

    def _write_rest(self, writer: Writer, snapshot: Snapshot) -> None:
        writer.number(snapshot.decided, 0, self._most_decided)
        writer.number(int(snapshot.cut_short), 0, 1)
        winners = sum(1 << seat for seat in snapshot.winners)
        writer.number(winners, 0, (1 << self._plan.players) - 1)
        writer.number(int(snapshot.generator is not None), 0, 1)
        for word in snapshot.generator.state if snapshot.generator else ():
            writer.number(word, 0, WORD)

    # --- states --------------------------------------------------------------------------------

    def _write_states(self, writer: Writer, snapshot: Snapshot) -> None:
        rows = sorted(snapshot.states.items(), key=lambda row: self._state_order(row[0]))
        writer.number(len(rows), 0, MOST)
        for (key, owner, index), value in rows:
            writer.number(self._numbers[key], 0, len(self._states) - 1)
            definition = self._plan.states[key].definition
            if owner is not None:
                self._values.write(writer, owner, NamedType(definition.owner))
            for part, type_ in zip(index, definition.index, strict=True):
                self._values.write(writer, part, type_)
            self._values.write(writer, value, definition.type)

    def _state_order(self, key: StateKey) -> tuple[int, object]:
        return self._numbers[key[0]], order_key(key[1:])

    def _read_state(self, reader: Reader) -> tuple[StateKey, Value]:
        state = self._states[reader.number(0, len(self._states) - 1)]
        definition = state.definition
        owner = None
        if definition.owner != "game":
            owner = self._values.read(reader, NamedType(definition.owner))
        index = tuple(self._values.read(reader, type_) for type_ in definition.index)
        return (state.key, owner, index), self._values.read(reader, definition.type)

    # --- what runs -----------------------------------------------------------------------------

    def _write_frames(self, writer: Writer, snapshot: Snapshot) -> None:
        writer.number(len(snapshot.frames), 0, MAX_FRAMES)
        for frame in snapshot.frames:
            writer.number(frame.point, 0, len(self._plan.points) - 1)
            for field in self._fields(frame.point):
                self._write_held(writer, field, frame.held[field.offset])
        if self._settles(snapshot.frames):
            writer.number(snapshot.settling[0], 0, 1)
            writer.number(snapshot.settling[1], 0, MAX_ROUNDS)
        writer.number(len(snapshot.queue), 0, MAX_QUEUE)
        for queued in snapshot.queue:
            writer.number(self._snapshots.actions[queued.action], 0, len(self._plan.actions) - 1)
            for value, type_ in zip(queued.arguments, self._parameters(queued.action), strict=True):
                self._values.write(writer, value, type_)

    def _write_held(self, writer: Writer, field: Field, held: Held) -> None:
        if field.items is None:
            self._values.write(writer, held, field.type)
            return
        assert isinstance(held, tuple)
        writer.number(len(held), 0, MOST)
        for item in held:
            assert isinstance(item, tuple)
            for value, type_ in zip(item, field.items, strict=True):
                self._values.write(writer, value, type_)

    def _read_frame(self, reader: Reader) -> Frame:
        point = reader.number(0, len(self._plan.points) - 1)
        if not self._plan.points[point].layers:
            raise DataError("nothing stops there")
        held = {field.offset: self._read_held(reader, field) for field in self._fields(point)}
        return Frame(point, held)

    def _read_held(self, reader: Reader, field: Field) -> Held:
        if field.items is None:
            return self._values.read(reader, field.type)
        types = field.items
        return tuple(
            tuple(self._values.read(reader, type_) for type_ in types)
            for _ in range(reader.number(0, MOST))
        )

    def _read_queued(self, reader: Reader) -> Queued:
        action, types = self._plan.actions[reader.number(0, len(self._plan.actions) - 1)]
        return Queued(action, tuple(self._values.read(reader, type_) for type_ in types))

    def _fields(self, point: int) -> tuple[Field, ...]:
        return self._snapshots.frames.shapes[point].fields

    def _parameters(self, action: str) -> tuple[Type, ...]:
        return self._plan.actions[self._snapshots.actions[action]][1]

    def _settles(self, frames: list[Frame]) -> bool:
        """Does something settle what a step has done?"""
        layers = (layer for frame in frames for layer in self._plan.points[frame.point].layers)
        return any(isinstance(layer, SettleLayer) for layer in layers)
