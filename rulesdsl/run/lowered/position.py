"""Positions of lowered games."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesdsl.core.faults import ENDLESS, MESSAGES, NO_STEPS, STUCK, TOO_MANY_ALWAYS, Fault
from rulesdsl.model.checked import Expr
from rulesdsl.model.values import Face, Feature, Piece, Placement, Segment, Value
from rulesdsl.run.engine import Decision, Laid, Listener, PlayError
from rulesdsl.run.lowered.machine import Machine, Tables
from rulesdsl.run.lowered.moves import CHANCE, NOBODY, PLAYER, waiting, write_waiting
from rulesdsl.run.lowered.pack import refused
from rulesdsl.run.lowered.shared import Lowered
from rulesdsl.run.lowered.snapshot import winners, write_generator
from rulesdsl.run.reference import chance, statements, views
from rulesdsl.run.reference import position as reference
from rulesdsl.run.reference.context import FUEL
from rulesdsl.run.reference.effects import perform
from rulesdsl.run.reference.fault import Fault as WorldFault
from rulesdsl.run.reference.position import ReferencePosition
from rulesdsl.run.reference.runtime import Runtime, Waiting
from rulesdsl.run.rng import Rng

SLUGS = {
    NO_STEPS: "no-steps-left",
    TOO_MANY_ALWAYS: "no-steps-left",
    ENDLESS: "no-steps-left",
    STUCK: "stuck-choice",
}
"""The slugs of faults that have one of their own."""


ASK_AGAIN = 2
"""A choice that has asked goes on, when it is answered, so many points after the one that asks."""

Replay = Callable[[ReferencePosition], object]
"""Does to the twin what was done to the tables."""


class LoweredPosition:
    """One game at one moment; a `run.engine.Position`. Made by `start` and `from_bytes`.

    The program plays. Everything else is asked of the *twin*, a runtime of the readable engine made
    of the tables when it is needed. While somebody listens a twin plays along: it tells the events,
    and for as long as it goes on what is asked from outside is answered by it.
    """

    def __init__(self, lowered: Lowered, machine: Machine) -> None:
        self.checked = lowered.checked
        self.players = lowered.players
        self._lowered = lowered
        self._machine = machine
        self._listener: Listener | None = None
        self._twin: Runtime | None = None
        self._waiting: Waiting | None = None

    @property
    def listener(self) -> Listener | None:
        """Who is told what happens; a clone has none. What a move that failed did has been told."""
        return self._listener

    @listener.setter
    def listener(self, listener: Listener | None) -> None:
        self._listener = listener

    @property
    def tables(self) -> Tables:
        """The tables of the program as they are now; not to be changed."""
        return self._machine.tables

    @property
    def decision(self) -> Decision | None:
        live = self._live
        found = live.waiting if live else self._asked()
        return found.decision if found else None

    @property
    def winners(self) -> tuple[int, ...]:
        live = self._live
        return live.winners if live else winners(self.tables)

    def scores(self) -> tuple[int, ...]:
        live = self._live
        return live.scores if live else self._lowered.scores(self.tables)

    def laid(self) -> tuple[Laid, ...]:
        live = self._live
        if live is not None:
            return ReferencePosition(live).laid()
        return self._lowered.laid(self.tables)

    def place_of(self, piece: Piece) -> Value:
        live = self._live
        if live is not None:
            return ReferencePosition(live).place_of(piece)
        worlds = self._lowered.snapshots.worlds
        worlds.check(piece)
        place = worlds.place(self.tables, piece.index, self.tables["place"][piece.index])
        return place.cell if isinstance(place, Placement) else place

    def face_of(self, die: Piece) -> Face:
        live = self._live
        if live is not None:
            return ReferencePosition(live).face_of(die)
        return self._lowered.face(self.tables, die)

    def features(self) -> tuple[tuple[Feature, tuple[Segment, ...]], ...]:
        return self._readable().features()

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        """The value of a checked expression whose locals have `values`; raises PlayError."""
        return self._readable().evaluate(expression, values)

    def canonical(self) -> str:
        return views.canonical(self._runtime())

    def view(self, seat: int) -> str:
        return views.view(self._runtime(), seat)

    def to_bytes(self) -> bytes:
        return self._lowered.pack.to_bytes(self._lowered.snapshots.read(self.tables))

    def clone(self) -> LoweredPosition:
        clone = LoweredPosition(self._lowered, self._machine.clone())
        if self._twin is not None and self._listener is not None:
            clone._twin = self._twin.clone()
        return clone

    # --- changing ------------------------------------------------------------------------------

    def play(self, index: int) -> None:
        """Play candidate `index` of the decision; raises PlayError and changes nothing then, and
        IndexError for a candidate that is not there."""
        if not 0 <= index < self._count():
            raise IndexError(f"there is no candidate {index}")
        self._attempt(
            lambda: self._run("play", index),
            lambda twin: twin.play(index),
        )

    def finish(self) -> None:
        """Drop everything running and run the game's finish action, as if the game ended now.

        Chance in it resolves by the generator (seed 0 when there is none); if it asks a player, the
        position waits for that as for any decision.
        """

        def change() -> None:
            if not self.tables["resolves"][0]:
                write_generator(self.tables, Rng.seeded(0))
            self._run("finish")

        self._attempt(change, lambda twin: twin.finish())

    def offer_chance(self) -> None:
        """Drop the generator: from now on chance moves are offered."""
        write_generator(self.tables, None)
        if self._twin is not None:
            self._twin.generator = None

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        """Run a builtin effect from outside the rules; raises PlayError and changes nothing if it
        fails. What is asked is enumerated anew."""

        def change() -> None:
            worlds = self._lowered.snapshots.worlds
            world = worlds.read(self.tables)
            try:
                perform(world, effect, arguments)
            except WorldFault as fault:
                raise PlayError(str(fault)) from None
            worlds.write(self.tables, world)
            self._run("rebuild")
            self._ask_again()

        self._attempt(change, lambda twin: twin.apply(effect, arguments))

    def assign(self, state: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
        """Set a state from outside the rules; raises PlayError and changes nothing if the value is
        out of its range."""

        def change() -> None:
            declared = self.checked.states[state]
            statements.check_range(state, declared.type, value, declared.span)
            table = self._lowered.plan.states[state]
            table.write(self.tables, table.row(self.tables, owner, index), value)
            self._ask_again()

        self._attempt(change, lambda twin: twin.assign(state, owner, index, value))

    def sample(self, seat: int, seed: int) -> LoweredPosition:
        """A position that looks the same to `seat`, with what it cannot know drawn at random; a
        generator starts anew from the seed."""
        snapshots, drawn = self._lowered.snapshots, Rng.seeded(seed)
        snapshot = snapshots.read(self.tables)
        snapshot.world, becomes = chance.sample(snapshot.world, seat, drawn)
        snapshots.rename(snapshot, becomes)
        if snapshot.generator is not None:
            snapshot.generator = Rng.seeded(drawn.word())
        sample = LoweredPosition(self._lowered, self._machine.clone())

        def change() -> None:
            snapshots.write(sample.tables, snapshot)
            sample._run("rebuild")
            # What others are asked names pieces that may have been exchanged.
            sample._ask_again()

        sample._attempt(change, lambda _: self._readable().sample(seat, seed))
        return sample

    def playout(self, limit: int, seed: int) -> int:
        """Play moves drawn from the seed, chance by its weights, until the game is over or `limit`
        moves were played; gives how many. Raises PlayError in the position in which a move
        failed."""
        kept = self._machine.keep()
        self.tables["luck"][:] = Rng.seeded(seed).state
        try:
            self._count()
            played = self._run("playout", limit)
        except Fault:
            self._back(kept)
            self.tables["luck"][:] = Rng.seeded(seed).state
            return self._play_on(limit)
        except BaseException:
            self._back(kept)
            raise
        return int(played or 0)

    def _play_on(self, limit: int) -> int:
        """A playout move by move, so that the position before each of them is known."""
        drawn = Rng(tuple(self.tables["luck"]))
        for played in range(limit):
            decision = self.decision
            if decision is None:
                return played
            self.play(drawn.weighted([each.weight for each in decision.candidates]))
        return limit

    # --- the program ---------------------------------------------------------------------------

    def _run(self, entry: str, *arguments: int) -> int | bool | None:
        """Call an entry; raises Fault. What was known is forgotten."""
        self._lowered.asking = self._waiting = self._twin = None
        given = self._machine.call(entry, *arguments)
        if entry not in ("rebuild", "playout"):
            self._lowered.asking = self._machine
        return given

    def _ask_again(self) -> None:
        """Work out anew what is waited for."""
        tables = self.tables
        tables["fuel"][0] = FUEL
        if tables["waiting"][0] == PLAYER:
            tables["waiting"][0] = NOBODY
            tables["stack"][tables["top"][0]] -= ASK_AGAIN
            self._run("run")
        elif tables["waiting"][0] == CHANCE:
            self._run("enumerate_moves")
            if tables["move_count"][0] == 1:
                self._run("play", 0)

    def _count(self) -> int:
        """How many moves there are; `moves` holds them."""
        if self.tables["waiting"][0] == NOBODY:
            return 0
        if self._lowered.asking is not self._machine:
            self._lowered.asking = None
            self._machine.call("enumerate_moves")
            self._lowered.asking = self._machine
        return self.tables["move_count"][0]

    def _asked(self) -> Waiting | None:
        """What is waited for, read from the tables."""
        if self._waiting is None and self._count():
            self._waiting = waiting(self._lowered.plan, self.tables)
        return self._waiting

    def _attempt(self, change: Callable[[], object], replay: Replay) -> None:
        """Make a change; whatever stops it, everything is as before. `replay` does the same to a
        twin of the position before: so faults get their words, and a listener its events."""
        kept = self._machine.keep()
        before = self._runtime() if self._listener is not None else None
        self._waiting = self._twin = None
        try:
            change()
            if before is not None:
                self._follow(before, replay)
        except Fault as fault:
            error = limit(fault, self._machine)
            self._back(kept, before)
            raise self._words(replay) or error from None
        except BaseException:
            self._back(kept, before)
            raise

    def _back(self, kept: object, before: Runtime | None = None) -> None:
        """Be again as when this was kept; the twin from then, if there was one."""
        self._machine.restore(kept)
        self._lowered.asking = self._waiting = None
        self._twin = before

    def _follow(self, before: Runtime, replay: Replay) -> None:
        """Let the twin from before a change do the same, and be the twin from now on."""
        found = self._asked()
        self._replay(before, replay)
        assert self._twin is not None
        told = self._twin.waiting
        assert (told and told.decision) == (found and found.decision), "the engines disagree"

    def _replay(self, before: Runtime, replay: Replay) -> None:
        """Do to a copy of a twin what is to be done; it is what the listener sees meanwhile."""
        twin = before.clone()
        twin.listener = self._listener
        self._twin = twin
        replay(ReferencePosition(twin))
        twin.listener = None

    def _words(self, replay: Replay) -> PlayError | None:
        """What the readable engine says of what has failed here; None if it does not fail."""
        before = self._runtime()
        try:
            self._replay(before, replay)
        except PlayError as error:
            return error
        finally:
            self._twin = before
        return None

    # --- the twin ------------------------------------------------------------------------------

    @property
    def _live(self) -> Runtime | None:
        """The twin while somebody listens, who may look at the position in the middle of a move."""
        return self._twin if self._listener is not None else None

    def _runtime(self) -> Runtime:
        """The twin. It is not to be changed."""
        if self._twin is None:
            found = self._asked()
            snapshots = self._lowered.snapshots
            runtime = snapshots.runtime(snapshots.read(self.tables))
            runtime.waiting = found
            runtime.fuel = self.tables["fuel"][0]
            self._twin = runtime
        return self._twin

    def _readable(self) -> ReferencePosition:
        return ReferencePosition(self._runtime())


def start(lowered: Lowered, machine: Machine, seed: int | None) -> LoweredPosition:
    """A new game at its first decision, on a machine of its program that may be in any state.
    Chance is resolved from the seed, or without one asked for as decisions. Raises PlayError when
    the rules fail before the first decision."""
    position = LoweredPosition(lowered, machine)
    write_generator(machine.tables, None if seed is None else Rng.seeded(seed))
    try:
        position._run("start")
    except Fault as fault:
        reference.start(lowered.checked, lowered.players, seed)
        raise limit(fault, machine) from None
    return position


def from_bytes(lowered: Lowered, machine: Machine, data: bytes) -> LoweredPosition:
    """The position that `to_bytes` gave `data` for, on a machine that may be in any state; raises
    `SavedError` for data that is not one of this game with this number of players."""
    snapshots, tables = lowered.snapshots, machine.tables
    snapshot, runtime = lowered.pack.from_bytes(data)
    position = LoweredPosition(lowered, machine)
    try:
        snapshots.write(tables, snapshot)
        position._run("rebuild")
        write_waiting(lowered.plan, tables, runtime.waiting)
        found = position.decision
    except OverflowError as error:
        raise refused(str(error)) from None
    except Fault as fault:
        raise refused(MESSAGES[fault.code]) from None
    assert found == (runtime.waiting and runtime.waiting.decision), "the engines disagree"
    return position


def limit(fault: Fault, machine: Machine) -> PlayError:
    """A fault of which the readable engine says nothing: a limit of the tables."""
    slug = SLUGS.get(fault.code, "play-error")
    return PlayError(MESSAGES[fault.code], machine.place(fault), slug)
