"""Positions of lowered games."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import (
    Change,
    Decision,
    Laid,
    Listener,
    Outlook,
    PlayError,
    Revealed,
    Seen,
    ToldAnswer,
)
from rulesdsl.engines.history import History, Operation, Recorded, redo
from rulesdsl.engines.playouts import play_out
from rulesdsl.engines.rng import Rng
from rulesdsl.engines.samples import TRIES, differs, level, shown, told, unknown_at
from rulesdsl.engines.wasm import samples
from rulesdsl.engines.wasm.moves import CHANCE, NOBODY, PLAYER, asked, rows, winners
from rulesdsl.engines.wasm.shared import Lowered
from rulesdsl.engines.wasm.telling import Before, Telling
from rulesdsl.model.tables import Tables
from rulesdsl.model.values import Face, Feature, Piece, Placement, Segment, Value, Zone
from rulesdsl.runtime import faults
from rulesdsl.runtime.tables import legal_count, outcomes, trial

if TYPE_CHECKING:
    from rulesdsl.engines.reference.position import ReferencePosition
    from rulesdsl.engines.wasm.machine import WasmMachine
    from rulesdsl.lower.plan import Plan
    from rulesdsl.model.checked import Expr

SLUGS = {
    faults.NO_STEPS: "no-steps-left",
    faults.TOO_MANY_ALWAYS: "no-steps-left",
    faults.ENDLESS: "no-steps-left",
    faults.STUCK: "stuck-choice",
}
"""The slugs of faults other than `play-error`."""

PATIENCE = 0.01
"""The time in seconds that a call of a search takes, so that it can be interrupted."""

FINAL = Rng.seeded(0).state
"""The state of the generator for finish actions in positions that have none."""


class LoweredPosition(Recorded):
    """An `engines.engine.Position` of a lowered game, made by `start` and `from_bytes`.

    The program plays, and notes what it does for a listener. Texts and error messages come from
    the *twin*, a position of the reference engine with the same history.
    """

    def __init__(self, lowered: Lowered, machine: WasmMachine, history: History) -> None:
        self.checked = lowered.checked
        self.players = lowered.players
        self.history = history
        self._lowered = lowered
        self._machine = machine
        self.listener: Listener | None = None
        """The function that receives the changes, None in a clone."""
        self._decision: Decision | None = None
        self._before: bytes | None = None
        """The state of the machine, if that is known."""
        self._told: Tables | None = None
        """The tables that a listener sees while it is called."""
        self._looked: tuple[History, ReferencePosition] | None = None

    @property
    def tables(self) -> Tables:
        """The current tables of the program, which must not be changed."""
        return self._machine.tables

    @property
    def plan(self) -> Plan:
        """The plan, which says how to decode the tables."""
        return self._lowered.plan

    def rows(self) -> list[list[int]]:
        """Return the candidates of the decision as rows of numbers.

        Each row has the number of an option (the weight for chance), followed by its arguments.
        """
        return list(rows(self.tables)) if self._count() else []

    @property
    def decision(self) -> Decision | None:
        return None if self._told else self._asked()

    @property
    def winners(self) -> tuple[int, ...]:
        return winners(self.tables)

    @property
    def cut_short(self) -> bool:
        return bool(self.tables["cut_short"][0])

    def scores(self) -> tuple[int, ...]:
        return self._lowered.scores(self._told or self.tables)

    def laid(self) -> tuple[Laid, ...]:
        return self._lowered.laid(self._told or self.tables)

    def placement_of(self, piece: Piece) -> Placement | None:
        return self._lowered.placement(self._told or self.tables, piece)

    def place_of(self, piece: Piece) -> Value:
        return self._lowered.place(self._told or self.tables, piece)

    def face_of(self, die: Piece) -> Face:
        return self._lowered.face(self._told or self.tables, die)

    def level_of(self, piece: Piece) -> int:
        return level(self.tables, piece.index)

    def unknown_at(self, piece: Piece, seat: int) -> int | None:
        return unknown_at(self.tables, piece.index, seat)

    def told(self, piece: Piece, seat: int) -> tuple[ToldAnswer, ...]:
        answers = self._lowered.plan.encoding.answers
        return told(self.tables, answers, piece.index, seat)

    def seen(self, zone: Zone, seat: int) -> tuple[Seen, ...]:
        return self._idle().seen(zone, seat)

    def shown(self) -> Revealed:
        return shown(self.tables, self.tables["rng"])

    def features(self) -> tuple[tuple[Feature, tuple[Segment, ...]], ...]:
        return self._idle().features()

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        """Return the value of a checked expression whose locals have `values`; raises PlayError."""
        return self._idle().evaluate(expression, values)

    def canonical(self) -> str:
        return self._lowered.twins.of(self.history).canonical()

    def view(self, seat: int) -> str:
        return self._lowered.twins.of(self.history).view(seat)

    def clone(self) -> LoweredPosition:
        clone = LoweredPosition(self._lowered, self._machine.clone(), self.history)
        clone._arranging = self._arranging
        return clone

    def readable(self) -> ReferencePosition:
        """Return a copy that the reference engine plays."""
        return self._lowered.twins.of(self.history).clone()

    def looked(self) -> Before:
        """Return the tables as they are now, which stay and are quick to read."""
        return Before(self._machine.sharing.instance, self._machine.keep())

    def image(self, changed: Mapping[str, Sequence[int]]) -> bytes:
        """Return the state of the program: the bytes from address 0 of a module of the game.

        Tables that are `changed` have these numbers there, and zeros behind them.
        """
        found = bytearray(self._machine.keep())
        for name, numbers in changed.items():
            place = self._machine.sharing.instance.program.layout.places[name]
            packed = array(place.width.format, numbers).tobytes()
            found[place.address : place.address + place.bytes] = packed.ljust(place.bytes, b"\0")
        return bytes(found)

    def rebuilt(self, changed: Mapping[str, Sequence[int]]) -> LoweredPosition:
        """Return a copy in which tables are changed as in `image`, and derived ones made anew."""
        copy = self.clone()
        copy._machine.restore(self.image(changed))
        copy._run("rebuild")
        return copy

    def _idle(self) -> ReferencePosition:
        """Return a position of the reference engine with the same components and states.

        Nothing runs in it, so it can be looked at, but not played.
        """
        history, idle = self._looked or (None, None)
        if idle is None or history is not self.history:
            idle = self._lowered.idle(self.tables, self.history)
            self._looked = self.history, idle
        return idle

    # --- changes -------------------------------------------------------------------------------

    def play(self, index: int) -> None:
        """Play candidate `index` of the decision.

        Raises PlayError and changes nothing then, and IndexError for a candidate that does not
        exist.
        """
        if not 0 <= index < self._count():
            raise IndexError(f"there is no candidate {index}")
        self._attempt(lambda: self._run("play", index), index)

    def finish(self) -> None:
        """Drop all running actions and run the finish action of the game, as if the game ended now.

        Chance in it is resolved by the generator (by one with seed 0 if the position has none). If
        it asks a player, the position waits for that decision as for any other.
        """

        def change() -> None:
            if not self.tables["resolves"][0]:
                write_generator(self.tables, Rng(FINAL))
            self._run("finish")

        self._attempt(change, ("finish",))

    def offer_chance(self) -> None:
        """Drop the generator, so that outcomes of chance are offered as moves from now on."""
        write_generator(self.tables, None)
        self.history = self.history, ("offer_chance",)

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        """Run a builtin effect from outside the rules and enumerate the decision anew.

        Raises PlayError, and changes nothing then.
        """

        def change() -> None:
            self._lowered.asking = self._decision = None
            self._before = None
            self._lowered.apply(self.tables, effect, arguments)
            self._ask_anew()

        self._attempt(change, ("apply", effect, arguments))

    def assign(self, state: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
        """Set a state from outside the rules.

        Raises PlayError and changes nothing if the value is out of its range.
        """
        from rulesdsl.engines.reference.statements import check_range

        def change() -> None:
            table = self._lowered.plan.states[state]
            check_range(state, table.definition.type, value, table.definition.span)
            self._before = None
            table.write(self.tables, table.row(self.tables, owner, index), value)
            self._ask_anew()

        self._attempt(change, ("assign", state, owner, index, value))

    def sample(self, seat: int, seed: int, *, free: bool = False) -> LoweredPosition:
        """Return a position that looks the same to `seat`, see `Position.sample`.

        If the position has a generator, that of the sample starts anew from the seed.
        """
        sample = self.clone()

        def change() -> None:
            drawn, tables = Rng.seeded(seed), sample.tables
            count, kept = self._count(), sample._machine.keep()
            for _ in range(TRIES):
                if samples.exchange(self._lowered.plan, tables, seat, drawn):
                    sample._run("rebuild")
                try:
                    if sample._list_again(seat, count) or free:
                        break
                except faults.Fault:
                    if free:
                        raise
                sample._back(kept)
            write_generator(tables, Rng.seeded(drawn.word()) if tables["resolves"][0] else None)

        sample._attempt(change, ("sample", seat, seed, free))
        return sample

    def _list_again(self, seat: int, count: int) -> bool:
        """List the moves of the pending decision anew, after pieces exchanged places.

        Returns False if it would not be a decision, or for `seat` not one of `count` moves; raises
        Fault.
        """
        self._lowered.asking = self._decision = None
        waiting = self.tables["waiting"][0]
        if self._arranging or waiting == NOBODY:
            return True
        found = self._count()
        own = waiting == PLAYER and self.tables["asked_seat"][0] == seat
        return found == count if own else found > int(waiting == CHANCE)

    def hides(self, seat: int) -> bool:
        return differs(self.tables, seat)

    def playout(self, limit: int, seed: int) -> int:
        """Play moves drawn from the seed until the game is over or `limit` moves were played.

        Outcomes of chance are drawn by their weights. Returns the number of moves. Raises PlayError
        in the position in which a move failed.
        """
        kept = self._machine.keep()
        self.tables["luck"][:] = Rng.seeded(seed).state
        try:
            self._count()
            played = self._run("playout", limit)
        except faults.Fault as fault:
            self._back(kept)
            if not fault.again:
                raise limit_error(fault, self._machine) from None
            # Play move by move, so that the position before the failure is known.
            return play_out(self, limit, Rng.seeded(seed))
        except BaseException:
            self._back(kept)
            raise
        self.history = self.history, ("playout", limit, seed)
        return int(played or 0)

    @property
    def outlook(self) -> Outlook:
        count, tables = self._count(), self.tables
        if not count or tables["waiting"][0] == PLAYER:
            return Outlook(tables["asked_seat"][0] if count else None, (1,) * count)
        width = tables["move_width"][0]
        return Outlook(None, tuple(tables["moves"][: count * width : width]))

    def outcomes(self, tries: int) -> list[list[int]]:
        """Return the best outcome of each candidate of a player, see `rulesdsl.runtime.outcomes`.

        At most that many sequences of moves are tried, but every candidate once.
        """
        from rulesdsl.runtime.outcomes import LEVEL  # few games need it

        machine = self._searcher()
        machine.restore(self._machine.keep())
        machine.call("list_rows", 0, 1)
        machine.call("weigh_begin", 0)
        tables = machine.tables
        while True:
            try:
                machine.call("weigh_rows", 1, tries)
                break
            except faults.Fault as fault:
                if not tables[trial.name][LEVEL]:
                    raise limit_error(fault, machine) from None
        width = machine.call("columns") or 0
        end = tables[legal_count.name][0] * width
        found = tables[outcomes.name][:end]
        return [found[at : at + width] for at in range(0, end, width)]

    def search(
        self,
        others: Sequence[LoweredPosition],
        seed: int,
        playouts: int,
        seconds: float | None = None,
    ) -> int:
        """Return the candidate that a search chooses, see `rulesdsl.runtime.search`.

        It searches this position and others that look alike to the mover. It ends with that many
        playouts, or after that many seconds, but not before the first playout.
        """
        machine, start = self._searcher(), perf_counter()
        for number, sample in enumerate((self, *others)):
            machine.restore(sample._machine.keep())
            machine.call("search_sample", number)
        machine.call("search_open", 1 + len(others), seed)
        done, units, budget = 0, 1, playouts
        while done < playouts:
            begun = perf_counter()
            if seconds is not None and done:
                if begun - start >= seconds:
                    break
                # The search divides its budget among moves, so it must know it roughly.
                budget = min(playouts, 1 + int(done * seconds / (begun - start)))
            try:
                done = machine.call("search_grow", units, budget) or 0
            except faults.Fault as fault:
                if not machine.call("search_failed"):
                    raise limit_error(fault, machine) from None
            # A user, and the clock, can interrupt only between two calls.
            spent = perf_counter() - begun
            if 2 * spent < PATIENCE:
                units = min(2 * units, playouts)
            elif spent > PATIENCE:
                units = max(1, units // 2)
        return machine.call("search_best") or 0

    # --- the program ---------------------------------------------------------------------------

    def _searcher(self) -> WasmMachine:
        """Return the machine of the whole program, which may have the same scratch tables."""
        self._lowered.asking = None
        return self._lowered.searcher

    def _run(self, entry: str, *arguments: int) -> int | bool | None:
        """Call an entry of the program and invalidate the decoded decision; raises Fault."""
        self._lowered.asking = self._decision = None
        states: Iterable[Change] = ()
        if self.listener is None or entry == "playout":
            given = self._machine.call(entry, *arguments)
        else:
            given, states = self._told_call(self.listener, entry, *arguments)
        if entry not in ("rebuild", "playout"):
            self._lowered.asking = self._machine
        for change in states:
            assert self.listener is not None, "there are no changes without a listener"
            self.listener(change)
        return given

    def _told_call(
        self, listener: Listener, entry: str, *arguments: int
    ) -> tuple[int | bool | None, Iterable[Change]]:
        """Call an entry, report its steps, and return also what it made of states."""
        failed: faults.Fault | None = None
        before = self._before or self._machine.keep()
        telling = Telling(self._lowered, self._machine, before)
        try:
            given = telling.call(entry, *arguments)
        except faults.Fault as fault:
            given, failed = None, fault
        self._told = telling.tables
        try:
            for change in telling.steps():
                listener(change)
        finally:
            self._told = None
        if failed is not None:
            raise failed
        return given, telling.states()

    def arranged(self) -> None:
        """Enumerate the decision anew, after several changes; raises PlayError."""
        self._arranging = False
        self._attempt(self._ask_anew, ("arranged",))

    @contextmanager
    def _undone(self) -> Iterator[None]:
        kept, known, arranging = self._machine.keep(), self.history, self._arranging
        try:
            yield
        except BaseException:
            self._back(kept)
            self.history, self._arranging = known, arranging
            raise

    def _ask_anew(self) -> None:
        """Enumerate the decision anew, except inside an arrangement; raises Fault."""
        if self._arranging:
            return
        tables = self.tables
        tables["fuel"][0] = faults.STEPS
        if tables["waiting"][0] == PLAYER:
            tables["waiting"][0] = NOBODY
            frame = tables["top"][0]
            again = self._lowered.plan.again[tables["stack"][frame]]
            assert again is not None, "it waits where a choice has asked"
            tables["stack"][frame] = again
            self._run("run")
        elif tables["waiting"][0] == CHANCE:
            self._run("enumerate_moves")
            if tables["move_count"][0] == 1:
                self._run("play", 0)

    def _count(self) -> int:
        """Return the number of moves, and make sure that `moves` holds them."""
        if self._machine.first("waiting") == NOBODY:
            return 0
        if self._lowered.asking is not self._machine:
            self._lowered.asking = None
            self._machine.call("enumerate_moves")
            self._lowered.asking = self._machine
        return self._machine.first("move_count")

    def _asked(self) -> Decision | None:
        """Return the decision, decoded from the tables."""
        if self._decision is None and self._count():
            self._decision = asked(self._lowered.plan, self.tables)
        return self._decision

    def _attempt(self, change: Callable[[], object], operation: Operation) -> None:
        """Make a change; if it fails, restore the position.

        The reference engine then gives the reason.
        """
        kept, before = self._machine.keep(), self.history
        self._decision, self._before = None, kept
        try:
            change()
            self.history = before, operation
        except faults.Fault as fault:
            error = limit_error(fault, self._machine)
            self._back(kept)
            raise (self._words(operation) if fault.again else None) or error from None
        except BaseException:
            self._back(kept)
            self.history = before
            raise
        finally:
            self._before = None

    def _back(self, kept: object) -> None:
        """Restore the tables that were kept."""
        self._machine.restore(kept)
        self._lowered.asking = self._decision = None

    def _words(self, operation: Operation) -> PlayError | None:
        """Return the error of the reference engine for a failed operation.

        It is None if the operation succeeds there.
        """
        try:
            redo(self.readable(), operation)
        except PlayError as error:
            return error
        return None


def start(
    lowered: Lowered, machine: WasmMachine, seed: int | None, listener: Listener | None = None
) -> LoweredPosition:
    """Return a new game at its first decision, on a machine of its program in any state.

    Chance is resolved from the seed; without a seed its outcomes are offered as decisions. A
    listener hears what happens before the first one. Raises PlayError when the rules fail then.
    """
    position = LoweredPosition(lowered, machine, (None, ("start", lowered.players, seed)))
    position.listener = listener
    write_generator(machine.tables, None if seed is None else Rng.seeded(seed))
    try:
        position._run("start")
    except faults.Fault as fault:
        error = limit_error(fault, machine)
        if fault.again:
            lowered.twins.start(lowered.players, seed)
        raise error from None
    return position


def limit_error(fault: faults.Fault, machine: WasmMachine) -> PlayError:
    """Return the error for a fault that only compiled engines have: a limit of the tables."""
    return fault_error(fault, machine.place(fault))


def fault_error(fault: faults.Fault, place: Span | None = None) -> PlayError:
    """Return the error for a fault in a place of the rules."""
    return PlayError(faults.MESSAGES[fault.code], place, SLUGS.get(fault.code, "play-error"))


def write_generator(tables: Tables, generator: Rng | None) -> None:
    """Set the generator that resolves chance; with None its outcomes are offered as decisions."""
    tables["rng"][:] = generator.state if generator else (0, 0, 0, 0)
    tables["resolves"][0] = int(generator is not None)
