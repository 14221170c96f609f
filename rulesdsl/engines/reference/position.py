"""Positions of the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from rulesdsl.engines import history, samples
from rulesdsl.engines.engine import (
    Decision,
    Laid,
    Listener,
    Outlook,
    PlayError,
    Position,
    Revealed,
    Seen,
    ToldAnswer,
)
from rulesdsl.engines.history import History, Operation, Recorded
from rulesdsl.engines.reference import effects, machine, statements
from rulesdsl.engines.reference.board import BuiltinFault
from rulesdsl.engines.reference.context import Scope, Watcher
from rulesdsl.engines.reference.effects import perform
from rulesdsl.engines.reference.runtime import (
    BodyFrame,
    Callables,
    CallFrame,
    ChanceFrame,
    Frame,
    LoopFrame,
    Runtime,
    SettleFrame,
)
from rulesdsl.engines.reference.world import World
from rulesdsl.engines.rng import Rng
from rulesdsl.model.checked import Checked, Expr
from rulesdsl.model.values import Face, Feature, Piece, Placement, Segment, Value, Zone, as_set

Becomes = Mapping[Piece, Piece]


def rename(runtime: Runtime, becomes: Becomes) -> None:
    """Replace every piece by the one it becomes, in states, frames and the queue.

    The states of a piece that becomes another one stay as they are.
    """
    for (state, owner, index), value in runtime.states.items():
        if owner is None or renamed(owner, becomes) == owner:
            runtime.states[state, owner, index] = renamed(value, becomes)
    for frame in runtime.stack:
        _rename_frame(frame, becomes)
    runtime.queue = [
        replace(queued, arguments=each(queued.arguments, becomes)) for queued in runtime.queue
    ]


def _rename_frame(frame: Frame, becomes: Becomes) -> None:
    match frame:
        case CallFrame():
            frame.arguments = each(frame.arguments, becomes)
            frame.result = renamed(frame.result, becomes)
        case BodyFrame():
            known = frame.scope.locals
            known.update({name: renamed(value, becomes) for name, value in known.items()})
        case LoopFrame():
            frame.items = tuple(each(item, becomes) for item in frame.items)
        case ChanceFrame():
            frame.arguments = each(frame.arguments, becomes)
        case SettleFrame():
            frame.result = renamed(frame.result, becomes)


def each(values: tuple[Value, ...], becomes: Becomes) -> tuple[Value, ...]:
    """Return the values in the same order, with every piece replaced."""
    return tuple(renamed(value, becomes) for value in values)


def renamed(value: Value, becomes: Becomes) -> Value:
    """Return the value with every piece replaced; sets stay in canonical order."""
    match value:
        case Piece():
            return becomes.get(value, value)
        case Segment():
            return Segment(becomes.get(Piece(value.piece), Piece(value.piece)).index, value.index)
        case Feature():
            piece = Piece(value.segment.piece)
            return Feature(Segment(becomes.get(piece, piece).index, value.segment.index))
        case tuple():
            return as_set(renamed(item, becomes) for item in value)
        case _:
            return value


class ReferencePosition(Recorded):
    """An `engines.engine.Position`, made by `start` and `from_bytes`."""

    def __init__(self, runtime: Runtime, history: History) -> None:
        self.checked = runtime.checked
        self.players = runtime.world.box.players
        self.history = history
        self._runtime = runtime

    @property
    def runtime(self) -> Runtime:
        """The runtime, which must not be changed."""
        return self._runtime

    @property
    def listener(self) -> Listener | None:
        """The function that receives the changes, None in a clone."""
        return self._runtime.listener

    @listener.setter
    def listener(self, listener: Listener | None) -> None:
        self._runtime.listener = listener

    @property
    def decision(self) -> Decision | None:
        waiting = self._runtime.waiting
        return waiting.decision if waiting else None

    @property
    def outlook(self) -> Outlook:
        decision = self.decision
        if decision is None:
            return Outlook(None, ())
        return Outlook(decision.seat, tuple(each.weight for each in decision.candidates))

    @property
    def winners(self) -> tuple[int, ...]:
        return self._runtime.winners

    @property
    def cut_short(self) -> bool:
        return self._runtime.cut_short

    def play(self, index: int) -> None:
        """Play candidate `index` of the decision.

        Raises PlayError and changes nothing then, and IndexError for a candidate that does not
        exist.
        """
        decision = self.decision
        if decision is None or not 0 <= index < len(decision.candidates):
            raise IndexError(f"there is no candidate {index}")
        self._attempt(lambda: machine.play(self._runtime, index), index)

    def finish(self) -> None:
        """Drop all running actions and run the finish action of the game, as if the game ended now.

        Chance in it is resolved by the generator (by one with seed 0 if the position has none). If
        it asks a player, the position waits for that decision as for any other.
        """
        self._attempt(self._finish, ("finish",))

    def _finish(self) -> None:
        runtime = self._runtime
        runtime.generator = runtime.generator or Rng.seeded(0)
        runtime.finish()
        machine.run(runtime)

    def _attempt(self, change: Callable[[], None], operation: Operation) -> None:
        """Make a change; if it fails, restore the position."""
        with self._undone():
            self._runtime.changed.clear()
            change()
            self._runtime.tell_states()
            self.history = self.history, operation

    @contextmanager
    def _undone(self) -> Iterator[None]:
        before, known, arranging = self._runtime.clone(), self.history, self._arranging
        before.listener = self._runtime.listener
        try:
            yield
        except BaseException:
            self._runtime, self.history, self._arranging = before, known, arranging
            raise

    def clone(self) -> ReferencePosition:
        clone = ReferencePosition(self._runtime.clone(), self.history)
        clone._arranging = self._arranging
        return clone

    def readable(self) -> ReferencePosition:
        """Return a copy that the reference engine plays."""
        return self.clone()

    def scores(self) -> tuple[int, ...]:
        return self._runtime.scores

    def laid(self) -> tuple[Laid, ...]:
        laid = self._runtime.world.laid().items()
        return tuple(Laid(piece, at.cell, at.rotation) for piece, at in laid)

    def placement_of(self, piece: Piece) -> Placement | None:
        place = self._runtime.world.place_of(piece)
        return place if isinstance(place, Placement) else None

    def place_of(self, piece: Piece) -> Value:
        place = self._runtime.world.place(piece)
        return place.cell if isinstance(place, Placement) else place

    def face_of(self, die: Piece) -> Face:
        world = self._runtime.world
        return Face(world.box.piece(die).kind, world.face(die))

    def level_of(self, piece: Piece) -> int:
        return samples.level(self._runtime.world.tables(), piece.index)

    def unknown_at(self, piece: Piece, seat: int) -> int | None:
        return samples.unknown_at(self._runtime.world.tables(), piece.index, seat)

    def told(self, piece: Piece, seat: int) -> tuple[ToldAnswer, ...]:
        world = self._runtime.world
        return samples.told(world.tables(), world.encoding.answers, piece.index, seat)

    def seen(self, zone: Zone, seat: int) -> tuple[Seen, ...]:
        world = self._runtime.world
        pieces = world.members(zone) if zone in world.box else ()
        found: list[Seen] = [
            piece if effects.shows(world, seat, piece) else self.told(piece, seat) or None
            for piece in pieces
        ]
        if world.box.keeps_order(zone):
            return tuple(found)
        return tuple(sorted(found, key=_told_last))

    def shown(self) -> Revealed:
        generator = self._runtime.generator
        return samples.shown(self._runtime.world.tables(), generator.state if generator else ())

    def features(self) -> tuple[tuple[Feature, tuple[Segment, ...]], ...]:
        world = self._runtime.world
        return tuple((feature, world.segments(feature)) for feature in world.features())

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        """Return the value of a checked expression whose locals have `values`; raises PlayError."""
        runtime = self._runtime.clone()
        runtime.refresh()
        with machine.evaluating(runtime):
            return runtime.evaluate(expression, Scope(dict(values)))

    def offer_chance(self) -> None:
        """Drop the generator, so that outcomes of chance are offered as moves from now on."""
        self._runtime.generator = None
        self.history = self.history, ("offer_chance",)

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        """Run a builtin effect from outside the rules and enumerate the decision anew.

        Raises PlayError, and changes nothing then.
        """

        def change() -> None:
            try:
                perform(self._runtime.world, effect, arguments)
            except BuiltinFault as fault:
                raise PlayError(str(fault)) from None
            self._ask_again()

        self._attempt(change, ("apply", effect, arguments))

    def assign(self, state: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
        """Set a state from outside the rules.

        Raises PlayError and changes nothing if the value is out of its range.
        """

        def change() -> None:
            declared = self.checked.states[state]
            statements.check_range(state, declared.type, value, declared.span)
            self._runtime.store((state, owner, index), value)
            self._ask_again()

        self._attempt(change, ("assign", state, owner, index, value))

    def rewind(self, action: str, times: int, seed: int | None) -> int:
        """Restart the game and stop right before the `times`-th call of an action.

        Every decision before takes its first candidate. The game goes on once something is
        arranged. Returns the number of missing calls if the game ends before. Raises PlayError.
        """
        self.history = self.history, ("rewind", action, times, seed)
        self._runtime.restart(None if seed is None else Rng.seeded(seed))
        return machine.run_to(self._runtime, action, times)

    def _ask_again(self) -> None:
        """Enumerate the decision anew, except inside an arrangement and when nothing runs."""
        if self._runtime.stack and not self._arranging:
            self._runtime.waiting = None
            machine.run(self._runtime)

    def sample(self, seat: int, seed: int, *, free: bool = False) -> ReferencePosition:
        """Return a position that looks the same to `seat`, see `Position.sample`.

        If the position has a generator, that of the sample starts anew from the seed.
        """
        drawn = Rng.seeded(seed)
        for _ in range(samples.TRIES):
            runtime = self._runtime.clone()
            runtime.world, becomes = effects.sample(runtime.world, seat, drawn)
            rename(runtime, becomes)
            try:
                if self._arranging or machine.list_again(runtime, seat) or free:
                    break
            except PlayError:
                if free:
                    raise
        else:
            runtime = self._runtime.clone()
        if runtime.generator is not None:
            runtime.generator = Rng.seeded(drawn.word())
        return ReferencePosition(runtime, (self.history, ("sample", seat, seed, free)))

    def hides(self, seat: int) -> bool:
        return effects.differs(self._runtime.world, seat)


def _told_last(seen: Seen) -> tuple[bool, str]:
    """Return the sort key that puts unknown pieces after the others, by what was told of them."""
    if isinstance(seen, Piece):
        return False, ""
    return True, "".join(map(str, seen or ()))


def unplayed(checked: Checked, players: int, seed: int | None = None) -> ReferencePosition:
    """Return a position in which no rule has run yet."""
    runtime = Runtime(Callables(checked), World(checked, players))
    return ReferencePosition(runtime, (None, ("start", players, seed)))


def start(
    checked: Checked,
    players: int,
    seed: int | None,
    watcher: Watcher | None = None,
    *,
    searches: bool = False,
    hearing: Callable[[ReferencePosition], Listener] | None = None,
) -> ReferencePosition:
    """Return a new game at its first decision.

    Chance is resolved from the seed; without a seed its outcomes are offered as decisions.
    `searches` makes no difference. Raises PlayError when the rules fail before the first decision.

    The `watcher` is called for everything that runs, in this position and all copies of it.
    `hearing` returns the listener of the changes before the first decision.
    """
    position = unplayed(checked, players, seed)
    runtime = position.runtime
    runtime.watcher = watcher
    runtime.generator = None if seed is None else Rng.seeded(seed)
    runtime.listener = hearing(position) if hearing is not None else None
    machine.begin(runtime, checked.play)
    runtime.tell_states()
    return position


def from_bytes(checked: Checked, data: bytes) -> Position:
    """Return the position that was saved by `to_bytes`.

    Raises `history.SavedError` for data that are not a saved position of this game.
    """
    return history.from_bytes(checked, data, partial(start, checked))
