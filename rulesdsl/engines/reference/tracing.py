"""A runtime that traces the evaluation of every expression, for explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import chain

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError, Position, Reading
from rulesdsl.engines.history import History
from rulesdsl.engines.reference import machine
from rulesdsl.engines.reference.context import Evaluation, Scope, Terms
from rulesdsl.engines.reference.effects import shows
from rulesdsl.engines.reference.position import ReferencePosition
from rulesdsl.engines.reference.rules import applies, result_of
from rulesdsl.engines.reference.runtime import (
    AskFrame,
    BlockFrame,
    BlockId,
    BodyFrame,
    BranchFrame,
    Callables,
    CallFrame,
    Frame,
    LoopFrame,
    Runtime,
)
from rulesdsl.engines.reference.world import World
from rulesdsl.engines.rng import Rng
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Checked
from rulesdsl.model.values import Feature, Piece, Segment, Value, Zone
from rulesdsl.records import dataclass

Bound = tuple[tuple[str, Value], ...]
"""The names and values of locals."""


@dataclass(slots=True, eq=False)
class ExpressionTrace:
    """The trace of an evaluated expression.

    `parts` are the traces of its parts, in order; for a call the arguments first, then the
    expressions that the rules of the value evaluated. `call` and `rule` identify the rule of the
    evaluation that the expression belongs to (None: it belongs to none). `bound` has the values of
    the surrounding binders, for an expression inside their range. `origins` are, for a local, the
    traces of its value, empty if it is an argument. `hidden` is true if it depends on something
    that the player who asks does not know.
    """

    expression: tree.Expr
    call: Evaluation | None
    rule: int
    bound: Bound
    value: Value = None
    parts: list[ExpressionTrace] = field(default_factory=list)
    origins: tuple[ExpressionTrace, ...] = ()
    hidden: bool = False


@dataclass(frozen=True)
class Origin(Reading):
    """A term of a local: the trace of its value."""

    seen: ExpressionTrace


@dataclass(frozen=True, eq=False)
class Site:
    """A running statement.

    `part` is the part of a callable that holds it, and `arguments` are those of the call. `inside`
    are the loops and branches around it, innermost first, each with the traces of its evaluation.
    `locals` are the locals in scope, and `body` is the frame that holds them.
    """

    part: BlockId
    arguments: tuple[Value, ...]
    statement: tree.Stmt
    inside: tuple[tuple[LoopFrame | BranchFrame, tuple[ExpressionTrace, ...]], ...]
    locals: dict[str, Value]
    body: BodyFrame


class Tracing(Runtime):
    """A runtime that can trace evaluations.

    While `observing`, it keeps in `recent` the traces of the current statement or option. With
    `eyes` (a seat) it marks the values that this player may not know.
    """

    observing = False
    eyes: int | None = None
    passed_over: Callable[[], None] | None = None
    """A function called when a choice has no open option."""
    noticed: tuple[str, Callable[[ExpressionTrace], None]] | None = None
    """The full name of a value, and a function called with the trace of each of its calls."""
    _open: ExpressionTrace | None = None

    @classmethod
    def over(cls, runtime: Runtime) -> Tracing:
        """Return a runtime that takes over the state of another one.

        The other one must not be used any more.
        """
        made = cls(runtime.program, runtime.world)
        made.states, made.stack, made.queue = runtime.states, runtime.stack, runtime.queue
        made.generator, made.winners = runtime.generator, runtime.winners
        made.waiting, made.decided = runtime.waiting, runtime.decided
        made.cut_short = runtime.cut_short
        return made

    def observe(self, eyes: int | None) -> None:
        """Trace evaluations from now on."""
        self.observing, self.eyes = True, eyes
        self.recent: list[ExpressionTrace] = []
        self._reasons: dict[int, tuple[Frame, tuple[ExpressionTrace, ...]]] = {}

    def clone(self) -> Tracing:
        """Return a copy that traces independently."""
        clone = super().clone()
        assert isinstance(clone, Tracing), "a copy is of the same class"
        clone.passed_over = clone.noticed = clone.watcher = None
        if self.observing:
            clone.observe(self.eyes)
        return clone

    # --- evaluation ------------------------------------------------------------------------------

    def evaluate(self, expression: tree.Expr, scope: Scope) -> Value:
        if not self.observing:
            return super().evaluate(expression, scope)
        outer = self._open
        seen = ExpressionTrace(expression, scope.evaluation, scope.rule, _bound(outer, scope))
        self._open = seen
        try:
            seen.value = super().evaluate(expression, scope)
        finally:
            self._open = outer
        if isinstance(expression, tree.Local):
            seen.origins = _origins(scope.terms.get(expression.name, ()))
        seen.hidden = self.eyes is not None and self._hidden(seen, self.eyes)
        (self.recent if outer is None else outer.parts).append(seen)
        if self.noticed is not None and isinstance(expression, tree.CallValue):
            key, notice = self.noticed
            if key == expression.value:
                notice(seen)
        return seen.value

    def try_all(self, seen: ExpressionTrace, evaluation: Evaluation) -> None:
        """Evaluate also the rules of a call of a value that its result did not need.

        A rule that fails counts as one that does not apply.
        """
        outer, self._open = self._open, seen
        unique = evaluation.definition.policy == "unique"
        needed = evaluation.results if unique else evaluation.applies
        left = [n for n in range(len(evaluation.definition.rules)) if n not in needed]
        for number in left:
            try:
                if applies(self, evaluation, number):
                    result_of(self, evaluation, number)
            except PlayError:
                evaluation.applies[number] = False
        self._open = outer

    @property
    def follows(self) -> bool:
        return True

    def traced(self, expression: tree.Expr, scope: Scope) -> tuple[Value, Terms]:
        value = self.quiet(expression, scope)
        if not self.observing:
            return value, ()
        latest = (self.recent if self._open is None else self._open.parts)[-1]
        return value, (Origin("", 0, latest),)

    def joined(self, *terms: Terms) -> Terms:
        return tuple(chain(*terms))

    def watch(self, node: tree.Node, outcome: bool = True) -> None:
        super().watch(node, outcome)
        if isinstance(node, tree.ChoiceDef) and self.passed_over is not None:
            self.passed_over()
        if self.observing and self._open is None and isinstance(node, tree.Stmt):
            self.recent.clear()

    def _hidden(self, seen: ExpressionTrace, seat: int) -> bool:
        if any(part.hidden for part in chain(seen.parts, seen.origins)):
            return True
        if isinstance(seen.expression, tree.CallBuiltin) and seen.expression.function != "room":
            # The result may reveal pieces of a zone without being one, for example their kinds.
            zones = [part.value for part in seen.parts if isinstance(part.value, Zone)]
            inside = chain(*(self.world.members(zone) for zone in zones))
            return any(self.hides(piece, seat) for piece in inside)
        return self.hides(seen.value, seat)

    def hides(self, value: Value, seat: int) -> bool:
        """Return whether a value is or contains something that a player does not know."""
        match value:
            case tuple():
                return any(self.hides(item, seat) for item in value)
            case Piece():
                return not shows(self.world, seat, value)
            case Segment():
                return not shows(self.world, seat, Piece(value.piece))
            case Feature():
                return not shows(self.world, seat, Piece(value.segment.piece))
        return False

    # --- running statements ----------------------------------------------------------------------

    def push(self, frame: Frame, span: Span | None = None) -> None:
        super().push(frame, span)
        if self.observing and isinstance(frame, LoopFrame | BranchFrame):
            # Keeping the frame makes sure that no other one gets its id.
            self._reasons[id(frame)] = frame, tuple(self.recent)

    def sites(self) -> tuple[Site, ...]:
        """Return the running statements, innermost first."""
        found: list[Site] = []
        inside: list[BlockFrame] = []
        for at in range(len(self.stack) - 1, -1, -1):
            frame = self.stack[at]
            if isinstance(frame, BlockFrame):
                inside.append(frame)
            if isinstance(frame, BodyFrame):
                found.append(self._site(frame, inside, self._given(at - 1)))
                inside = []
        return tuple(found)

    def _given(self, at: int) -> tuple[Value, ...]:
        """Return the arguments of the call at this index, or below an `AskFrame` there."""
        frame = self.stack[at] if at >= 0 else None
        if isinstance(frame, AskFrame):
            frame = self.stack[at - 1]
        return frame.arguments if isinstance(frame, CallFrame) else ()

    def _site(self, body: BodyFrame, inside: list[BlockFrame], given: tuple[Value, ...]) -> Site:
        innermost = inside[0]
        return Site(
            body.part,
            given,
            innermost.block[max(innermost.at - 1, 0)],
            tuple(
                (frame, self._reasons.get(id(frame), (frame, ()))[1])
                for frame in inside
                if isinstance(frame, LoopFrame | BranchFrame)
            ),
            dict(body.scope.locals),
            body,
        )


class TracedPosition(ReferencePosition):
    """A position that traces its evaluations."""

    def __init__(self, runtime: Tracing, history: History) -> None:
        super().__init__(runtime, history)

    @property
    def runtime(self) -> Tracing:
        assert isinstance(self._runtime, Tracing), "copies of what is observed are observed"
        return self._runtime


def start(
    checked: Checked, players: int, seed: int | None, eyes: int | None = None
) -> TracedPosition:
    """Return a new game like `reference.start`, traced from the first decision on.

    `eyes` is the seat of the player who asks.
    """
    runtime = Tracing(Callables(checked), World(checked, players))
    runtime.generator = None if seed is None else Rng.seeded(seed)
    machine.begin(runtime, checked.play)
    runtime.observe(eyes)
    return TracedPosition(runtime, (None, ("start", players, seed)))


def resume(position: Position, eyes: int | None = None) -> TracedPosition:
    """Return a copy of a position of any engine, traced from now on with the eyes of a seat."""
    copy = position.readable()
    assert isinstance(copy, ReferencePosition), "the reference engine plays it"
    runtime = Tracing.over(copy.runtime)
    runtime.observe(eyes)
    return TracedPosition(runtime, copy.history)


def _origins(terms: Terms) -> tuple[ExpressionTrace, ...]:
    return tuple(term.seen for term in terms if isinstance(term, Origin))


def _bound(outer: ExpressionTrace | None, scope: Scope) -> Bound:
    """Return the values of the binders of an expression during its iteration."""
    if outer is None or not isinstance(outer.expression, tree.Aggregate | tree.Comprehension):
        return ()
    names = _names(outer.expression.binders)
    return tuple((name, scope.locals[name]) for name in names if name in scope.locals)


def _names(binders: tuple[tree.Binder, ...]) -> Iterator[str]:
    for binder in binders:
        yield from binder.names
