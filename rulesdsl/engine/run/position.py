"""Positions of lowered games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from rulesdsl.engine.lower.tables.encoding import set_item
from rulesdsl.engine.run import renaming
from rulesdsl.engine.run.history import History, Operation, operations, redo, to_bytes
from rulesdsl.engine.run.interface import (
    Change,
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
from rulesdsl.engine.run.lowered import Lowered
from rulesdsl.engine.run.machine import Before, Machine
from rulesdsl.engine.run.moves import CHANCE, NOBODY, PLAYER, asked, rows, slot_value, winners
from rulesdsl.engine.run.playouts import play_out
from rulesdsl.engine.run.ranges import check_range
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.samples import TRIES, differs, level, shown, told, unknown_at
from rulesdsl.engine.run.telling import Telling
from rulesdsl.engine.run.words.world import World
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.tables import legal_count, outcomes, trial
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.tables import Tables
from rulesdsl.language.model.types import FEATURE, SEGMENT, SetType
from rulesdsl.language.model.values import (
    Face,
    Feature,
    Piece,
    Placement,
    Segment,
    Value,
    Zone,
    order_key,
)

if TYPE_CHECKING:
    from rulesdsl.engine.lower.plan import Plan, PointPlan, RoutinePlan
    from rulesdsl.engine.run.playing import PreparedGame
    from rulesdsl.language.model.checked import Checked, Expr

StateKey = tuple[str, Value, tuple[Value, ...]]
"""The full name of a state, its owner (None: the game) and its index."""

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


class RunningFrame(NamedTuple):
    """A part of a callable that runs in a position, waiting at a point of its routine.

    `arguments` are those of the callable; `locals` are the values in use there, those of the rules
    and others; and `rounds` for each loop around the point the items that are left.
    """

    routine: RoutinePlan
    number: int
    point: PointPlan
    arguments: tuple[tuple[str, Value], ...]
    locals: tuple[tuple[str, Value], ...]
    rounds: tuple[tuple[Value, ...], ...]


class LoweredPosition(Position):
    """A position of a lowered game, made by `start` and `from_bytes`.

    The program plays, and notes what it does for a listener.
    """

    def __init__(self, lowered: Lowered, machine: Machine, history: History) -> None:
        self.checked = lowered.checked
        self.players = lowered.players
        self.history = history
        self._lowered = lowered
        self._machine = machine
        self._arranging = False
        self.listener: Listener | None = None
        """The function that receives the changes, None in a clone."""
        self._decision: Decision | None = None
        self._before: object = None
        """The state of the machine, if that is known."""
        self._told: Tables | None = None
        """The tables that a listener sees while it is called."""

    @property
    def tables(self) -> Tables:
        """The current tables of the program, which must not be changed."""
        return self._machine.tables

    @property
    def machine(self) -> Machine:
        """The machine, whose state must not be changed."""
        return self._machine

    @property
    def lowered(self) -> Lowered:
        """The game, with what its positions share."""
        return self._lowered

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
        world = self.world
        pieces = world.members(zone) if zone in world.box else ()
        found: list[Seen] = [
            piece if world.shows(seat, piece) else self.told(piece, seat) or None
            for piece in pieces
        ]
        if world.box.keeps_order(zone):
            return tuple(found)
        return tuple(sorted(found, key=_told_last))

    def shown(self) -> Revealed:
        return shown(self.tables, self.tables["rng"])

    def features(self) -> tuple[tuple[Feature, tuple[Segment, ...]], ...]:
        plain = self.readable()
        call, heap = plain._machine.call, plain._machine.tables["heap"]
        segment: Callable[[int], Any] = self.plan.encoding.decoder(SEGMENT)
        feature: Callable[[int], Any] = self.plan.encoding.decoder(FEATURE)

        def listed(function: str, number: int) -> list[int]:
            at = int(call(function, number) or 0)
            return heap[at + 1 : at + 1 + heap[at]]

        plain.tables["heap_top"][0] = 0
        grids = range(len(self._lowered.box.grids))
        found = sorted({number for grid in grids for number in listed("grid_features", grid)})
        return tuple(
            (feature(number), tuple(map(segment, listed("feature_segments", number))))
            for number in found
        )

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        from rulesdsl.engine.run.python.asking import asking_of  # it imports the lowering

        plain = self.readable()
        try:
            return asking_of(plain.lowered).value(plain, expression, values)
        except faults.Fault as fault:
            error = limit_error(fault, plain.machine)
            again = fault.again and self._reason(lambda copy: copy.evaluate(expression, values))
            raise again or error from None

    @property
    def world(self) -> World:
        """The components on the table, which must be asked before the position changes."""
        return World(self._lowered.box, self.plan.encoding, _Lists(self.tables))

    def frames(self) -> list[RunningFrame]:
        """Return what runs, innermost first."""
        tables, plan = self.tables, self.plan
        stack, found, frame = tables["stack"], list[RunningFrame](), tables["top"][0]
        while frame >= 0:
            number = stack[frame]
            point = plan.points[number]
            routine = plan.routines[point.routine]
            rounds = []
            for slot in point.rounds:
                items = slot_value(plan, tables, stack[frame + slot.offset], SetType(slot.type))
                assert isinstance(items, tuple), "a loop goes over a list"
                rounds.append(items[stack[frame + slot.offset + 1] :])
            used = [*point.slots]
            if routine.flag is not None and number >= len(plan.routines):
                used.append(routine.flag)
            arguments, known = (
                tuple(
                    (slot.name, slot_value(plan, tables, stack[frame + slot.offset], slot.type))
                    for slot in slots
                )
                for slots in (routine.arguments, used)
            )
            found.append(RunningFrame(routine, number, point, arguments, known, tuple(rounds)))
            frame = stack[frame + 1]
        return found

    def queued(self) -> list[tuple[str, tuple[Value, ...]]]:
        """Return the calls that wait for the end of a step, with their arguments."""
        tables, plan = self.tables, self.plan
        numbers, at = tables["queue"][: tables["queue_free"][0]], 0
        found = []
        while at < len(numbers):
            action, given = plan.actions[numbers[at]], list[Value]()
            at += 1
            for name, type_ in action.arguments:
                item, count = set_item(type_), 1
                if item is not None:
                    count, at = numbers[at], at + 1
                part = numbers[at : at + max(count, 0)]
                at += len(part)
                if name:
                    known = tuple(plan.encoding.decode(each, item or type_) for each in part)
                    given.append(known[0] if item is None else None if count < 0 else known)
            found.append((action.key, tuple(given)))
        return found

    def changed_states(self) -> list[tuple[StateKey, Value]]:
        """Return the states that differ from their initial values, in canonical order."""
        begun, now, found = self._lowered.begun, self.tables, []
        for key, state in self.plan.states.items():
            for owner, index, _, value in state.changed(now, begun):
                found.append(((key, owner, index), value))
        return sorted(found, key=lambda row: (row[0][0], order_key(row[0][1:])))

    def initial_states(self) -> Iterator[tuple[str, Value]]:
        """Yield the initial value of each state, by its full name."""
        begun = self._lowered.begun
        for key, state in self.plan.states.items():
            yield key, state.read(begun, state.initial_row)

    def to_bytes(self) -> bytes:
        return to_bytes(self.checked, self.history)

    def canonical(self) -> str:
        from rulesdsl.engine.run.words.views import canonical  # few games are printed

        return canonical(self)

    def view(self, seat: int) -> str:
        from rulesdsl.engine.run.words.views import view

        return view(self, seat)

    def clone(self) -> LoweredPosition:
        clone = LoweredPosition(self._lowered, self._machine.clone(), self.history)
        clone._arranging = self._arranging
        return clone

    def readable(self) -> LoweredPosition:
        machine = self._lowered.printed(self._machine)
        if machine is None:
            return self.clone()
        game, state = machine
        copy = LoweredPosition(game, state, self.history)
        copy._arranging = self._arranging
        return copy

    def compiled(self) -> LoweredPosition:
        """Return the position itself, or a copy that `wasm` plays; a rewound position has none."""
        found = self._lowered.compiled(self._machine)
        if found is None:
            return self
        return LoweredPosition(*found, self.history)

    def begun_again(self, hearing: Callable[[LoweredPosition], Listener]) -> LoweredPosition:
        """Return the game at its first decision; `hearing` returns who hears what was before."""
        first = operations(self.history)[0]
        assert isinstance(first, tuple), "a history begins with the start"
        _, _, seed = first
        return start(self._lowered, self._machine.fresh(), seed, hearing)

    def looked(self) -> Before:
        """Return the tables as they are now, which stay and are quick to read."""
        return self._machine.before(self._machine.keep())

    def rebuilt(self, changed: Mapping[str, Sequence[int]]) -> LoweredPosition:
        """Return a copy in which tables have other numbers, and derived ones are made anew."""
        copy = self.clone()
        for name, numbers in changed.items():
            table = copy.tables[name]
            table[:] = [*numbers, *[0] * (len(table) - len(numbers))]
        copy._run("rebuild")
        return copy

    # --- changes -------------------------------------------------------------------------------

    def play(self, index: int) -> None:
        if not 0 <= index < self._count():
            raise IndexError(f"there is no candidate {index}")
        self._attempt(lambda: self._run("play", index), index)

    def finish(self) -> None:
        def change() -> None:
            if not self.tables["resolves"][0]:
                write_generator(self.tables, Rng(FINAL))
            self._run("finish")

        self._attempt(change, ("finish",))

    def offer_chance(self) -> None:
        write_generator(self.tables, None)
        self.history = self.history, ("offer_chance",)

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        def change() -> None:
            self._lowered.asking = self._decision = None
            self._before = None
            try:
                self._lowered.apply(self._machine, effect, arguments)
            except faults.Fault as fault:
                from rulesdsl.engine.run.words.faults import reason  # few effects fail

                text = reason(self.world, effect, arguments, fault.code)
                raise PlayError(text, None, SLUGS.get(fault.code, "play-error")) from None
            self._ask_anew()

        self._attempt(change, ("apply", effect, arguments))

    def assign(self, state: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
        def change() -> None:
            table = self._lowered.plan.states[state]
            check_range(state, table.definition.type, value, table.definition.span)
            self._before = None
            table.write(self.tables, table.row(self.tables, owner, index), value)
            self._ask_anew()

        self._attempt(change, ("assign", state, owner, index, value))

    def rewind(self, action: str, times: int, seed: int | None) -> int:
        """Restart the game and stop right before the `times`-th call of an action.

        Every decision before takes its first candidate. The game goes on once something is
        arranged. Returns the number of missing calls if the game ends before. Raises PlayError.
        """
        from rulesdsl.engine.run.python.rewinding import rewound  # only scenes need it

        history, game = (self.history, ("rewind", action, times, seed)), self._paused(action)
        self._lowered = game.lowered
        self._machine, left = rewound(game, action, times, seed)
        self._lowered.asking = self._decision = None
        self.history = history
        return left

    def _paused(self, action: str) -> PreparedGame:
        """Return the game that can be stopped before an action."""
        from rulesdsl.engine.run.python.games import printed_game

        return printed_game(self.checked, self.players, paused=action)

    def sample(self, seat: int, seed: int, *, free: bool = False) -> LoweredPosition:
        sample = self.clone()

        def change() -> None:
            drawn, tables = Rng.seeded(seed), sample.tables
            count, kept = self._count(), sample._machine.keep()
            for _ in range(TRIES):
                if renaming.exchange(self._lowered.plan, tables, seat, drawn):
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

    @property
    def spent(self) -> int:
        """The steps of all decisions so far, of all games of the same program in this thread."""
        return int(self.tables["spent"][0])

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
        """Return the best outcome of each candidate of a player, see `runtime.outcomes`.

        At most that many sequences of moves are tried, but every candidate once.
        """
        from rulesdsl.engine.runtime.outcomes import LEVEL  # few games need it

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
        """Return the candidate that a search chooses, see `runtime.search`.

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

    def _searcher(self) -> Machine:
        """Return the machine of the whole program, which may have the same scratch tables."""
        self._lowered.asking = None
        return self._lowered.searcher

    def _run(self, entry: str, *arguments: int) -> int | bool | None:
        """Call an entry of the program and invalidate the decoded decision; raises Fault."""
        self._lowered.asking = self._decision = None
        states: Iterable[Change] = ()
        if self.listener is None or entry == "playout":
            given = self._call(entry, *arguments)
        else:
            given, states = self._told_call(self.listener, entry, *arguments)
        if entry not in ("rebuild", "playout"):
            self._lowered.asking = self._machine
        for change in states:
            assert self.listener is not None, "there are no changes without a listener"
            self.listener(change)
        return given

    def _call(self, entry: str, *arguments: int) -> int | bool | None:
        return self._machine.call(entry, *arguments)

    def _told_call(
        self, listener: Listener, entry: str, *arguments: int
    ) -> tuple[int | bool | None, Iterable[Change]]:
        """Call an entry, report its steps, and return also what it made of states."""
        failed: faults.Fault | None = None
        before = self._before or self._machine.keep()
        telling = Telling(self._lowered, self._machine, before)
        try:
            given = telling.call(partial(self._call, entry, *arguments))
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
        return given, telling.states(first=entry == "start")

    def arrange(self) -> None:
        """Work out nothing anew until `arranged`."""
        self._arranging = True
        self.history = self.history, ("arrange",)

    def arranged(self) -> None:
        """Enumerate the decision anew, after several changes; raises PlayError."""
        self._arranging = False
        self._attempt(self._ask_anew, ("arranged",))

    @contextmanager
    def arranging(self) -> Iterator[None]:
        kept, known, arranging = self._machine.keep(), self.history, self._arranging
        try:
            self.arrange()
            yield
            self.arranged()
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
            again = self._lowered.plan.points[tables["stack"][frame]].again
            assert again is not None, "it waits where a choice has asked"
            tables["stack"][frame] = again
            self._run("run")
        elif tables["waiting"][0] == CHANCE:
            self._run("enumerate_moves")
            if tables["move_count"][0] == 1:
                self._run("play", 0)
        elif tables["top"][0] >= 0:
            self._run("run")

    def _count(self) -> int:
        """Return the number of moves, and make sure that `moves` holds them."""
        if self._machine.first("waiting") == NOBODY:
            return 0
        if self._lowered.asking is not self._machine:
            self._lowered.asking = None
            self._call("enumerate_moves")
            self._lowered.asking = self._machine
        return self._machine.first("move_count")

    def _asked(self) -> Decision | None:
        """Return the decision, decoded from the tables."""
        if self._decision is None and self._count():
            self._decision = asked(self._lowered.plan, self.tables)
        return self._decision

    def _attempt(self, change: Callable[[], object], operation: Operation) -> None:
        """Make a change; if it fails, restore the position and find out the reason."""
        kept, before = self._machine.keep(), self.history
        self._decision, self._before = None, kept
        try:
            change()
            self.history = before, operation
        except faults.Fault as fault:
            error = self._error(fault)
            self._back(kept)
            again = fault.again and self._reason(lambda copy: redo(copy, operation))
            raise again or error from None
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

    def _error(self, fault: faults.Fault) -> PlayError:
        """Return the error of a fault, while the tables are as it left them."""
        return limit_error(fault, self._machine)

    def _reason(self, again: Callable[[LoweredPosition], object]) -> PlayError | None:
        """Return the error of what has failed, in the words of the rules.

        It is None if it succeeds `again`.
        """
        from rulesdsl.engine.run.python.failing import reason  # few games fail

        return reason(self, again)


def start(
    lowered: Lowered,
    machine: Machine,
    seed: int | None,
    hearing: Callable[[LoweredPosition], Listener] | None = None,
) -> LoweredPosition:
    """Return a new game at its first decision, on a machine of its program in any state.

    Chance is resolved from the seed; without a seed its outcomes are offered as decisions.
    `hearing` returns the listener of what happens before the first one. Raises PlayError when the
    rules fail then.
    """
    position = LoweredPosition(lowered, machine, (None, ("start", lowered.players, seed)))
    position.listener = None if hearing is None else hearing(position)
    try:
        begin(position, seed)
    except faults.Fault as fault:
        error = limit_error(fault, machine)
        if fault.again:
            from rulesdsl.engine.run.python.failing import reason_at_start  # few games fail

            error = reason_at_start(lowered, seed) or error
        raise error from None
    return position


def begin(position: LoweredPosition, seed: int | None) -> None:
    """Run a game to its first decision, with a generator for the seed if there is one.

    Raises Fault.
    """
    write_generator(position.machine.tables, None if seed is None else Rng.seeded(seed))
    position._run("start")


def unplayed(checked: Checked, players: int) -> LoweredPosition:
    """Return a position in which no rule has run yet."""
    from rulesdsl.engine.run.python.games import printed_game

    game = printed_game(checked, players)
    machine = game.blank.clone()
    for entry in ("start_all", "drop_all", "refuel", "prepare_states"):
        machine.call(entry)
    return LoweredPosition(game.lowered, machine, (None, ("start", players, None)))


def limit_error(fault: faults.Fault, machine: Machine) -> PlayError:
    """Return the error for a fault that only compiled engines have: a limit of the tables."""
    return fault_error(fault, machine.place(fault))


def fault_error(fault: faults.Fault, place: Span | None = None) -> PlayError:
    """Return the error for a fault in a place of the rules."""
    return PlayError(faults.MESSAGES[fault.code], place, SLUGS.get(fault.code, "play-error"))


def write_generator(tables: Tables, generator: Rng | None) -> None:
    """Set the generator that resolves chance; with None its outcomes are offered as decisions."""
    tables["rng"][:] = generator.state if generator else (0, 0, 0, 0)
    tables["resolves"][0] = int(generator is not None)


def _told_last(seen: Seen) -> tuple[bool, str]:
    """Return the sort key that puts unknown pieces after the others, by what was told of them."""
    if isinstance(seen, Piece):
        return False, ""
    return True, "".join(map(str, seen or ()))


class _Lists(dict[str, list[int]]):
    """Tables as lists, which are quick to read; each is copied when it is first asked for."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, name: str) -> list[int]:
        self[name] = found = list(self._tables[name])
        return found
