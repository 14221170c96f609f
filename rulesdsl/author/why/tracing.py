"""Positions whose program says what it computes, and what is remembered of that."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from functools import lru_cache
from itertools import chain
from typing import cast

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower.bodies.values import beaten, rule_alone
from rulesdsl.engine.lower.emit import CallableCode, CallablePart
from rulesdsl.engine.lower.tables.encoding import Encoding, set_item
from rulesdsl.engine.lower.tracing import TRACE, TracePoint
from rulesdsl.engine.run.history import History, Operation
from rulesdsl.engine.run.interface import Decision, Position
from rulesdsl.engine.run.machine import Machine
from rulesdsl.engine.run.plans import GAMES, Same
from rulesdsl.engine.run.position import LoweredPosition, begin, limit_error
from rulesdsl.engine.run.python.asking import ASKED
from rulesdsl.engine.run.python.failing import reason_at_start
from rulesdsl.engine.run.python.games import printed_game
from rulesdsl.engine.run.python.traced import Listener, TracedGame
from rulesdsl.engine.run.samples import listed
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.tables import NOWHERE
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.tables import Tables
from rulesdsl.language.model.types import PLACEMENT, ZONE, Type
from rulesdsl.language.model.values import Feature, Piece, Placement, Segment, Value, Zone

Bound = tuple[tuple[str, Value], ...]
"""The names and values of locals."""


@dataclass(eq=False)
class RuleTrial:
    """A rule that was tried: the value of its guard and those in its body, the result last."""

    number: int
    rule: tree.Rule
    applies: bool = False
    guard: ExpressionTrace | None = None
    body: list[ExpressionTrace] = field(default_factory=list)

    @property
    def result(self) -> ExpressionTrace | None:
        """Its result; None if its body was not evaluated."""
        return self.body[-1] if self.body else None


@dataclass(eq=False)
class Evaluation:
    """An evaluation of a value with the rules that were tried, by index."""

    definition: tree.ValueDef
    arguments: tuple[Value, ...]
    tried: dict[int, RuleTrial] = field(default_factory=dict)

    @property
    def trials(self) -> tuple[RuleTrial, ...]:
        """The rules that were tried, in order."""
        return tuple(self.tried[number] for number in sorted(self.tried))

    @property
    def untold(self) -> list[int]:
        """The rules whose guard, or for one winning rule the result, was not needed."""
        unique = self.definition.policy == "unique"
        known = {t.number for t in self.trials if not t.applies or t.result or not unique}
        return [number for number in range(len(self.definition.rules)) if number not in known]

    def winner(self, seen: ExpressionTrace) -> RuleTrial | None:
        """Return the rule that gave the result of a call, for a value of which one rule wins.

        The call may also be `previous` in one of its rules.
        """
        allowed: Iterable[int] = sorted(self.tried)
        if isinstance(seen.expression, tree.Previous):
            rules = self.definition.rules
            allowed = beaten(rules, seen.scope.rule, seen.expression.ruleset)
        found = (self.tried[number] for number in allowed if number in self.tried)
        return next((trial for trial in found if trial.applies), None)


@dataclass(eq=False)
class Scope:
    """The owner of an expression: a rule of an evaluation, or None if it is in a callable.

    `origins` are the traces of the values of locals.
    """

    evaluation: Evaluation | None = None
    rule: int = 0
    origins: dict[str, Origins] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class ExpressionTrace:
    """The trace of an evaluated expression.

    `parts` are the traces of its parts, in order; for a call the arguments first, then the
    expressions that the rules of the value evaluated. `bound` has the values of the surrounding
    binders, for an expression inside their range. `origins` are, for a local, the traces of its
    value. `hidden` is true if it depends on something that the player who asks does not know.
    """

    expression: tree.Expr
    scope: Scope
    bound: Bound
    value: Value = None
    parts: list[ExpressionTrace] = field(default_factory=list)
    origins: tuple[ExpressionTrace, ...] = ()
    hidden: bool = False
    inside: Scope | None = None
    """The scope of its parts, if that is another one."""
    names: dict[str, Value] = field(default_factory=dict)
    """The values of its binders now."""

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the value that it calls, None if that has no rules."""
        return None if self.inside is None else self.inside.evaluation


Origins = tuple[ExpressionTrace, ...]
"""The traces of the value of a local: several if it is a sum of them."""


@dataclass(eq=False)
class RunningBody:
    """A callable that runs, with the part of it that runs now.

    `given` are the traces of its arguments. `number` is another one for each part that begins while
    the game is traced, 0 before. `loops` are those around the statement, innermost first, with the
    traces of their sets, and `locals` has the values of the names of loops.
    """

    code: CallableCode
    given: tuple[Origins, ...] = ()
    arguments: tuple[Value, ...] = ()
    part: str = ""
    number: int = 0
    scope: Scope = field(default_factory=Scope)
    statement: tree.Stmt | None = None
    loops: tuple[tuple[tree.For, ExpressionTrace | None], ...] = ()
    locals: dict[str, Value] = field(default_factory=dict)

    @property
    def span(self) -> Span:
        """The place of the statement that runs."""
        assert self.statement is not None, "a statement runs"
        return self.statement.span

    def copied(self) -> RunningBody:
        """Return it as it is now."""
        return replace(self, locals=dict(self.locals))


@dataclass(frozen=True)
class Binding:
    """A value that a name of a binder has from now on."""

    binder: tree.Binder
    name: str
    value: Value


@dataclass(frozen=True)
class OpenMove:
    """The move with the values bound so far is open."""


@dataclass(frozen=True)
class Listing:
    """The listing of the moves of a choice.

    `options` has, for each option, what happened in order: conditions and domains that were
    evaluated, values that were bound, and moves that were found open.
    """

    choice: tree.ChoiceDef
    arguments: tuple[Value, ...]
    options: dict[int, list[ExpressionTrace | Binding | OpenMove]] = field(default_factory=dict)


Given = tuple[ExpressionTrace | None, tuple[RunningBody, ...]]
"""A change of a score: the trace of the amount, and what runs, innermost first."""


class Tracer(Listener):
    """A listener that puts together the points of a traced program.

    `recent` are the traces of the current statement, `running` the callables that run, innermost
    last, and `later` the traces of the arguments of queued calls, by the names of their actions.
    `listing` is the last listing of moves, and `given` are the changes of scores since the last
    move began. For the player in the seat `eyes`, traces of values that this player may not know
    are hidden.
    """

    def __init__(self, game: _Program, eyes: int | None) -> None:
        super().__init__(game)
        self.eyes = eyes
        self.recent: list[ExpressionTrace] = []
        self.running: list[RunningBody] = []
        self.later: dict[str, list[tuple[Origins, ...]]] = {}
        self.listing: Listing | None = None
        self.given: deque[Given] = deque()
        self.noticed: tuple[str, Callable[[ExpressionTrace], None]] | None = None
        """The full name of a value, and a function called with the trace of each of its calls."""
        self.watcher: Callable[[ExpressionTrace], None] | None = None
        """A function called with the trace of each condition outside of values."""
        self.whole = False
        """True while subsets are listed that are equal to others."""
        self.passed_over: Callable[[], None] | None = None
        """A function called when a choice has no open option."""
        self._game = game
        self._encoding: Encoding = game.lowered.plan.encoding
        self._tables = game.instance.tables
        self._open: ExpressionTrace | None = None
        self._outer: list[ExpressionTrace] = []
        self._events: list[ExpressionTrace | Binding | OpenMove] | None = None
        self._called: tuple[Origins, ...] = ()
        self._parts = 0

    def begin(self) -> None:
        """Begin a call of the program from outside."""
        self._open, self._outer, self._events = None, [], None
        self.given.clear()

    # --- values ----------------------------------------------------------------------------------

    def members(self, zone: Zone) -> tuple[Piece, ...]:
        """Return the pieces in a zone, in its order."""
        return tuple(map(Piece, listed(self._tables, self._encoding.encode(zone, ZONE))))

    def hides(self, value: Value) -> bool:
        """Return whether the player who asks does not know what a value is or contains."""
        if self.eyes is None:
            return False
        match value:
            case tuple():
                return any(map(self.hides, value))
            case Piece(piece) | Segment(piece) | Feature(Segment(piece)):
                known = self._tables["known"][piece] >> self.eyes & 1
                return not known and self._tables["place"][piece] != NOWHERE
        return False

    def _hidden(self, seen: ExpressionTrace) -> bool:
        if any(part.hidden for part in chain(seen.parts, seen.origins)):
            return True
        if isinstance(seen.expression, tree.CallBuiltin) and seen.expression.function != "room":
            # The result may reveal pieces of a zone without being one, for example their kinds.
            zones = (part.value for part in seen.parts if isinstance(part.value, Zone))
            return any(self.hides(self.members(zone)) for zone in zones)
        return self.hides(seen.value)

    # --- expressions -----------------------------------------------------------------------------

    @property
    def _latest(self) -> list[ExpressionTrace]:
        return self.recent if self._open is None else self._open.parts

    @property
    def _scope(self) -> Scope:
        """The scope of the expressions that begin now."""
        if self._open is not None:
            return self._open.inside or self._open.scope
        return self.running[-1].scope if self.running and self._events is None else Scope()

    def _begin(self, point: TracePoint, value: int) -> None:
        seen = ExpressionTrace(point.node, self._scope, ())
        outer = self._open
        if outer is not None:
            self._outer.append(outer)
            seen.bound = tuple(outer.names.items())
        self._open = seen

    def _end(self, point: TracePoint, value: int) -> None:
        seen = self._open
        assert seen is not None, "ends follow beginnings"
        self._open = self._outer.pop() if self._outer else None
        seen.value = self._game.decoded(value, point.type)
        if isinstance(point.node, tree.Local):
            seen.origins = seen.scope.origins.get(point.node.name, ())
        seen.hidden = self.eyes is not None and self._hidden(seen)
        if self._open is None and self._events is not None:
            self._events.append(seen)
        else:
            self._latest.append(seen)
        scope = seen.scope
        if self._open is not None and scope is self._open.inside and scope.evaluation is not None:
            trial = scope.evaluation.tried[scope.rule]
            if point.node is trial.rule.guard:
                trial.guard = seen
            else:
                trial.body.append(seen)
        if self.noticed is not None and isinstance(point.node, tree.CallValue):
            key, notice = self.noticed
            if key == point.node.value:
                notice(seen)
        if self.watcher is not None and self._open is None:
            self.watcher(seen)

    def _bind(self, point: TracePoint, value: int) -> None:
        found, binder = self._game.decoded(value, point.type), point.node
        if self._open is not None:
            self._bind_inside(self._open, binder, point.name, found)
        elif self._events is not None:
            self._events.append(Binding(binder, point.name, found))
        elif self.running:
            self.running[-1].locals[point.name] = found

    def _bind_inside(
        self, seen: ExpressionTrace, binder: tree.Binder, name: str, value: Value
    ) -> None:
        """Bind a name in an expression with binders; the inner ones are not bound any more."""
        if isinstance(seen.expression, tree.Aggregate | tree.Comprehension):
            names = [each for one in seen.expression.binders for each in one.names]
            for inner in names[names.index(name) :]:
                seen.names.pop(inner, None)
            seen.names[name] = value

    # --- values of the rules ---------------------------------------------------------------------

    def _rule(self, point: TracePoint, value: int) -> None:
        owner = self._open
        assert owner is not None, "a value is called"
        definition: tree.ValueDef = point.node
        if isinstance(owner.expression, tree.Previous):
            evaluation, given = owner.scope.evaluation, owner.scope.origins
            assert evaluation is not None, "it is in a rule"
            old = evaluation.definition.rules[owner.scope.rule].params
            origins = tuple(given.get(name, ()) for name in old)
        else:
            assert isinstance(owner.expression, tree.CallValue), "a value is called"
            arguments = owner.parts[: len(owner.expression.arguments)]
            evaluation = owner.evaluation
            if evaluation is None:
                values = tuple(part.value for part in arguments)
                evaluation = Evaluation(definition, values)
            origins = tuple((part,) for part in arguments)
        rule = evaluation.definition.rules[point.number]
        evaluation.tried.setdefault(point.number, RuleTrial(point.number, rule))
        named = dict(zip(rule.params, origins, strict=False))
        owner.inside = Scope(evaluation, point.number, named)

    def _applies(self, point: TracePoint, value: int) -> None:
        assert self._open is not None, "a value is called"
        evaluation = self._open.evaluation
        assert evaluation is not None, "a rule is tried"
        evaluation.tried[point.number].applies = bool(value)

    # --- callables -------------------------------------------------------------------------------

    def _assign(self, point: TracePoint, value: int) -> None:
        node, origins = point.node, self._scope.origins
        before: Origins = ()
        if isinstance(node, tree.SetLocal) and node.operator != "=":
            before = origins.get(node.name, ())
        origins[node.name] = (*before, self._latest[-1])

    def _call(self, point: TracePoint, value: int) -> None:
        call: tree.ActionCall | tree.ChoiceCall = point.node.call
        found = {id(seen.expression): seen for seen in self._latest}
        given = tuple((found[id(each)],) for each in call.arguments)
        if isinstance(point.node, tree.Later):
            self.later.setdefault(point.node.call.action, []).append(given)
        else:
            self._called = given

    def _enter(self, point: TracePoint, value: int) -> None:
        code: CallableCode = point.node
        given = self._called
        if point.number and self.running:
            given = self.running[-1].given
        elif not given and self.later.get(code.key):
            given = self.later[code.key].pop(0)
        self._called, self._events = (), None
        self.running.append(RunningBody(code, given))

    def _argument(self, point: TracePoint, value: int) -> None:
        self.running[-1].arguments += (self._game.decoded(value, point.type),)

    def _part(self, point: TracePoint, value: int) -> None:
        part: CallablePart = point.node
        self._events = None
        self._parts += 1
        now = self.running[-1]
        scope = Scope(origins=dict(zip(part.params, now.given, strict=False)))
        self.running[-1] = RunningBody(
            now.code, now.given, now.arguments, part.name, self._parts, scope
        )
        if part.name == "otherwise" and self.passed_over is not None:
            self.passed_over()

    def _leave(self, point: TracePoint, value: int) -> None:
        while self.running.pop().code != point.node:
            pass

    def _statement(self, point: TracePoint, value: int) -> None:
        if self._open is None:
            self.recent.clear()
            self._events = None
            self.running[-1].statement, self.running[-1].part = point.node, point.name

    def _loop(self, point: TracePoint, value: int) -> None:
        if self._open is None:
            domain = point.node.binder.domain
            found = next((seen for seen in self.recent if seen.expression is domain), None)
            self.running[-1].loops = ((point.node, found), *self.running[-1].loops)

    def _looped(self, point: TracePoint, value: int) -> None:
        if self._open is None:
            now = self.running[-1]
            loops = [loop for loop, _ in now.loops]
            at = next((n for n, loop in enumerate(loops) if loop is point.node), -1)
            now.loops = now.loops[at + 1 :]

    def _score(self, point: TracePoint, value: int) -> None:
        amount = point.node.value
        found = next((s for s in reversed(self.recent) if s.expression is amount), None)
        sites = (each.copied() for each in reversed(self.running) if each.statement is not None)
        self.given.append((found, tuple(sites)))

    # --- moves -----------------------------------------------------------------------------------

    def _moves(self, point: TracePoint, value: int) -> None:
        choice = self._game.checked.choices[point.node.key]
        code = CallableCode("choice", choice.key)
        asking = next(each for each in reversed(self.running) if each.code == code)
        self.listing = Listing(choice, asking.arguments)

    def _option(self, point: TracePoint, value: int) -> None:
        assert self.listing is not None, "a choice lists its moves"
        self._events = self.listing.options[point.number] = []

    def _alike(self, point: TracePoint, value: int) -> int:
        return -1 if self.whole else value

    def _row(self, point: TracePoint, value: int) -> None:
        assert self._events is not None, "an option lists its moves"
        self._events.append(OpenMove())

    # --- questions -------------------------------------------------------------------------------

    def kept(self) -> Callable[[], None]:
        """Return a function after which the same callables run as now."""
        running = [each.copied() for each in self.running]
        later = {key: list(rows) for key, rows in self.later.items()}

        def restore() -> None:
            self.running, self.later = running, later

        return restore

    def asking(
        self, run: Callable[[], object], seen: ExpressionTrace | None = None
    ) -> ExpressionTrace:
        """Run a function of the program, and return the trace of the last expression outside.

        With `seen` its expressions become parts of that one, which is returned.
        """
        kept = self._open, self._outer, self._events, self.noticed, self.watcher, self.recent
        self._open, self._outer, self._events = seen, [], None
        self.noticed, self.watcher, self.recent = None, None, []
        try:
            run()
            return seen or self.recent[-1]
        finally:
            self._open, self._outer, self._events, self.noticed, self.watcher, self.recent = kept


class _Program(TracedGame):
    """The traced program of a game, for one thread, and what its positions share."""

    def __init__(self, checked: Checked, players: int, paused: str) -> None:
        super().__init__(checked, players, paused=paused)
        self.checked = checked

    def evaluating(self, expression: tree.Expr) -> None:
        """Add the function `ASKED`, which gives the value of an expression."""
        self.points.know(expression)
        self.instance.load(self.asking.program(expression, {}))

    def trying(self, value: tree.ValueDef, rule: int) -> None:
        """Add the function `ASKED`, which gives the result of a rule for some arguments."""
        self.instance.load(self.asking.printed(lambda low: rule_alone(low, value, rule, ASKED)))


@lru_cache(GAMES)
def _program(game: Same, players: int, paused: str = "") -> _Program:
    return _Program(game.checked, players, paused)


class TracedPosition(LoweredPosition):
    """A position of a traced program."""

    def __init__(
        self, game: _Program, machine: Machine, history: History, eyes: int | None
    ) -> None:
        super().__init__(game.lowered, machine, history)
        self._game = game
        self._running = False
        self.tracer = Tracer(game, eyes)

    @property
    def tables(self) -> Tables:
        return cast(Tables, self._game.instance.tables) if self._running else super().tables

    @property
    def decision(self) -> Decision | None:
        return None if self._running else super().decision

    def clone(self) -> TracedPosition:
        eyes = self.tracer.eyes
        clone = TracedPosition(self._game, self._machine.clone(), self.history, eyes)
        clone._arranging = self._arranging
        clone.tracer.running = [each.copied() for each in self.tracer.running]
        clone.tracer.later = {key: list(rows) for key, rows in self.tracer.later.items()}
        return clone

    def readable(self) -> LoweredPosition:
        game = printed_game(self.checked, self.players, paused=self._lowered.paused)
        machine = game.blank.clone()
        machine.restore(self._machine.keep())
        return LoweredPosition(game.lowered, machine, self.history)

    def listing(self) -> Listing | None:
        """Return a listing of the moves of the pending decision; raises PlayError.

        It also has the moves that equal others, unless these are too many.
        """
        kept = self._machine.keep()
        for whole in (True, False):
            self.tracer.whole = whole
            try:
                self._run("enumerate_moves")
                break
            except faults.Fault as fault:
                error = self._error(fault)
                self._back(kept)
                if not whole:
                    raise error from None
            finally:
                self.tracer.whole, self._lowered.asking = False, None
        return self.tracer.listing

    def can_place(self, piece: Piece, at: Placement) -> bool:
        """Return whether a grid takes a piece there, whatever the rules say."""
        return bool(self._ask("can_place", piece.index, self.plan.encoding.encode(at, PLACEMENT)))

    def value(self, expression: tree.Expr) -> ExpressionTrace:
        """Return the trace of an expression that is evaluated now; raises PlayError."""
        self._game.evaluating(expression)
        try:
            return self.tracer.asking(lambda: self._ask(ASKED))
        except faults.Fault as fault:
            error = self._error(fault)
            raise self._reason(lambda copy: copy.evaluate(expression, {})) or error from None

    def try_rules(self, seen: ExpressionTrace, evaluation: Evaluation) -> None:
        """Evaluate also the rules of a call of a value that its result did not need.

        A rule that fails counts as one that does not apply.
        """
        definition = evaluation.definition
        given = zip(evaluation.arguments, definition.params, strict=True)
        heap_top = self.tables["heap_top"]
        top = heap_top[0]
        numbers = [self._number(value, param.type) for value, param in given]
        for rule in evaluation.untold:
            self._game.trying(definition, rule)
            try:
                self.tracer.asking(lambda: self._ask(ASKED, *numbers), seen)
            except faults.Fault:
                evaluation.tried[rule].applies = False
        heap_top[0] = top

    def _number(self, value: Value, type_: Type) -> int:
        """Return a value as a number, a set as its place on the heap."""
        item = set_item(type_)
        if item is None or not isinstance(value, tuple):
            return self.plan.encoding.encode(value, type_)
        heap, top = self.tables["heap"], self.tables["heap_top"]
        at = top[0]
        top[0] = end = at + 1 + len(value)
        heap[at:end] = [len(value), *(self.plan.encoding.encode(each, item) for each in value)]
        return at

    def _ask(self, name: str, *given: int) -> int | bool | None:
        """Return what a function gives that changes nothing; raises Fault."""
        tables = self.tables
        top, fuel = tables["heap_top"][0], tables["fuel"][0]
        tables["fuel"][0] = faults.STEPS
        try:
            with self._traced():
                if self._running:
                    return self._game.instance.ask(name, *given)
                return self._machine.call(name, *given)
        finally:
            tables["heap_top"][0], tables["fuel"][0] = top, fuel

    @contextmanager
    def _traced(self) -> Iterator[None]:
        """Return a context in which the tracer hears what the program says."""
        functions = self._game.instance.functions
        before, functions[TRACE] = functions[TRACE], self.tracer.trace
        try:
            yield
        finally:
            functions[TRACE] = before

    def _run(self, entry: str, *arguments: int) -> int | bool | None:
        self.tracer.begin()
        return super()._run(entry, *arguments)

    def _call(self, entry: str, *arguments: int) -> int | bool | None:
        self._machine.first("waiting")  # its state is loaded
        self._running = True
        try:
            with self._traced():
                return super()._call(entry, *arguments)
        finally:
            self._running = False

    def _attempt(self, change: Callable[[], object], operation: Operation) -> None:
        restore = self.tracer.kept()
        try:
            super()._attempt(change, operation)
        except BaseException:
            restore()
            raise

    def finish(self) -> None:
        self.tracer.running.clear()
        super().finish()

    def _paused(self, action: str) -> _Program:
        self._game = game = _program(Same(self.checked), self.players, action)
        self.tracer = Tracer(game, self.tracer.eyes)
        game.instance.functions[TRACE] = self.tracer.trace
        return game


def start(
    checked: Checked, players: int, seed: int | None, eyes: int | None = None
) -> TracedPosition:
    """Return a new game, traced with the eyes of a seat.

    Raises PlayError when the rules fail before the first decision.
    """
    game = _program(Same(checked), players)
    machine = game.blank.clone()
    position = TracedPosition(game, machine, (None, ("start", players, seed)), eyes)
    try:
        begin(position, seed)
    except faults.Fault as fault:
        error = limit_error(fault, machine)
        raise reason_at_start(game.lowered, seed) or error from None
    return position


def resume(position: Position, eyes: int | None = None) -> TracedPosition:
    """Return a copy of a position of any engine, traced from now on with the eyes of a seat."""
    plain = position.readable()
    assert isinstance(plain, LoweredPosition), "all engines play programs"
    game = _program(Same(plain.checked), plain.players, plain.lowered.paused)
    machine = game.blank.clone()
    machine.restore(plain.machine.keep())
    found = TracedPosition(game, machine, plain.history, eyes)
    found.tracer.running = [
        RunningBody(
            CallableCode(each.kind, each.key, each.number), (), tuple(v for _, v in arguments)
        )
        for each, _, _, arguments, *_ in reversed(plain.frames())
        if each.kind != "settle"
    ]
    for action, _ in plain.queued():
        found.tracer.later.setdefault(action, []).append(())
    return found
