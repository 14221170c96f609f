"""The context of an evaluation: the game at one moment, and the locals of one callable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from itertools import chain

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import Listener, PlayError, Reading
from rulesdsl.engines.ranges import misfit as misfit
from rulesdsl.engines.reference.world import World
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import INT_MAX, INT_MIN, IntType
from rulesdsl.model.values import Value
from rulesdsl.records import dataclass
from rulesdsl.runtime import faults

Terms = tuple[Reading, ...]
StateKey = tuple[str, Value, tuple[Value, ...]]
"""The name of a state, its owner (None for the game) and its index."""

Watcher = Callable[[tree.Node, bool], None]
"""A function called for every condition, with its truth value, and for everything that runs.

Rules, hooks, options, vetoes and statements are passed with True, except a rule whose result is
false.
"""


@dataclass(slots=True)
class Evaluation:
    """An evaluation of a value, with the guards and results computed so far, by index of the rule.

    `readings` are those that each result depends on.
    """

    definition: tree.ValueDef
    arguments: tuple[Value, ...]
    terms: tuple[Terms, ...]
    applies: dict[int, bool] = field(default_factory=dict)
    results: dict[int, Value] = field(default_factory=dict)
    readings: dict[int, Terms] = field(default_factory=dict)


@dataclass(slots=True)
class Scope:
    """The locals of one running callable.

    `terms` are the readings that they depend on (kept only for a listener). `evaluation` and `rule`
    identify the rule of a value, if it is one. `result` is the value that a pure block has
    returned.
    """

    locals: dict[str, Value] = field(default_factory=dict)
    terms: dict[str, Terms] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    rule: int = 0
    result: Value = None

    def copy(self) -> Scope:
        """Return an independent scope with the same locals."""
        return Scope(dict(self.locals), dict(self.terms), self.evaluation, self.rule, self.result)


def bind(
    names: Iterable[str], arguments: tuple[Value, ...], terms: tuple[Terms, ...] = ()
) -> Scope:
    """Return a scope in which the names are bound to the arguments."""
    names = tuple(names)
    known = {name: t for name, t in zip(names, terms, strict=True) if t} if terms else {}
    return Scope(dict(zip(names, arguments, strict=True)), known)


def merge(readings: Iterable[Reading]) -> Terms:
    """Return the sum of the readings of each name, without zeros, in order of first reading."""
    totals: dict[str, int] = {}
    for reading in readings:
        totals[reading.name] = totals.get(reading.name, 0) + reading.value
    return tuple(Reading(name, value) for name, value in totals.items() if value)


def bounded(value: int, span: Span) -> int:
    """Return the value if it fits 32 bits, else raise PlayError."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise PlayError("the number does not fit in 32 bits", span)


def number(value: Value, span: Span) -> int:
    """Return the value if it is an integer and not none, else raise PlayError."""
    if isinstance(value, int):
        return value
    raise PlayError("none is not a number", span)


def set_members(value: Value, span: Span) -> tuple[Value, ...]:
    """Return the value if it is a set and not none, else raise PlayError."""
    if isinstance(value, tuple):
        return value
    raise PlayError("none is not a set", span)


Offering = Callable[[tuple[Value, ...], "Scope", Span], list[int]]
"""A function that gives for each member of a set that an option offers subsets of the index of the
interchangeable piece before it, or -1."""


class Context(ABC):
    """The game at one moment, as expressions see it.

    `states` holds the values that differ from `initial`. `fuel` is the number of steps left, and
    `depth` the number of nested evaluations of values. `trace` collects readings; it is None when
    nobody listens. `watcher` is called for everything that runs, also in copies. `offering` is set
    while moves are listed.
    """

    def __init__(self, checked: Checked, world: World) -> None:
        self.checked = checked
        self.world = world
        self.states: dict[StateKey, Value] = {}
        self.initial: Mapping[str, Value] = {}
        self.attributes = {row.key: row for row in checked.game.attributes}
        self.fuel = faults.STEPS
        self.depth = 0
        self.trace: list[Reading] | None = None
        self.listener: Listener | None = None
        self.watcher: Watcher | None = None
        self.offering: Offering | None = None

    @abstractmethod
    def evaluate(self, expression: tree.Expr, scope: Scope) -> Value:
        """Return the value of an expression; raises PlayError."""

    def quiet(self, expression: tree.Expr, scope: Scope) -> Value:
        """Return the value of an expression without adding its readings to the trace."""
        if self.trace is None:
            return self.evaluate(expression, scope)
        kept, self.trace = self.trace, None
        value = self.evaluate(expression, scope)
        self.trace = kept
        return value

    def holds(self, condition: tree.Expr | None, scope: Scope) -> bool:
        """Return whether a condition is true or absent."""
        if condition is None:
            return True
        held = self.quiet(condition, scope) is True
        self.watch(condition, held)
        return held

    def watch(self, node: tree.Node, outcome: bool = True) -> None:
        """Call the watcher, if there is one."""
        if self.watcher is not None:
            self.watcher(node, outcome)

    @property
    def follows(self) -> bool:
        """True if the readings of arguments and locals are wanted."""
        return self.listener is not None

    def traced(self, expression: tree.Expr, scope: Scope) -> tuple[Value, Terms]:
        """Return the value of an expression and, for a listener, the readings it depends on."""
        if self.listener is None or not isinstance(expression.type, IntType):
            return self.quiet(expression, scope), ()
        kept, self.trace = self.trace, []
        value = self.evaluate(expression, scope)
        terms, self.trace = merge(self.trace), kept
        return value, terms

    def joined(self, *terms: Terms) -> Terms:
        """Return the readings of a value that depends on all these terms."""
        return merge(chain(*terms))

    def integer(self, expression: tree.Expr, scope: Scope) -> int:
        """Return the value of an integer expression."""
        return number(self.evaluate(expression, scope), expression.span)

    def read(self, name: str, value: Value) -> None:
        """Record a reading of a quantity, if readings are collected."""
        if self.trace is not None and value and isinstance(value, int):
            self.trace.append(Reading(name, int(value)))

    def mark(self) -> int:
        """Return the index that the next reading will have."""
        return 0 if self.trace is None else len(self.trace)

    def forget(self, start: int, end: int) -> None:
        """Drop the readings from mark `start` to mark `end`."""
        if self.trace is not None:
            del self.trace[start:end]

    def spend(self, span: Span) -> None:
        """Use up one step; raises PlayError when none is left."""
        self.fuel -= 1
        if self.fuel < 0:
            raise self.exhausted(span)

    def exhausted(self, span: Span) -> PlayError:
        """Return the error for rules that ran out of steps.

        Its place is the loop that used them up, if there is one.
        """
        return PlayError(
            f"the rules ran {faults.STEPS} steps without asking anyone: this does not seem to end",
            span,
            "no-steps-left",
        )
