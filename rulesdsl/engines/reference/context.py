"""What evaluation needs: the game at this moment, and the locals of one callable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import Listener, PlayError, Reading
from rulesdsl.engines.reference.world import World
from rulesdsl.model.checked import Checked, Expr, Node, ValueDef
from rulesdsl.model.types import INT_MAX, INT_MIN, IntType, OptionalType, SetType, Type
from rulesdsl.model.values import Value
from rulesdsl.runtime import limits

Terms = tuple[Reading, ...]
StateKey = tuple[str, Value, tuple[Value, ...]]
"""State, owner (None for the game), index."""

Watcher = Callable[[Node, bool], None]
"""Told of every condition whether it holds, and of every rule, hook, option, veto and statement
that runs, with False only for a rule that gives false."""


@dataclass(slots=True)
class Evaluation:
    """One evaluation of a value: what is known so far of its rules, by their index.

    `readings` are those of a result.
    """

    definition: ValueDef
    arguments: tuple[Value, ...]
    terms: tuple[Terms, ...]
    applies: dict[int, bool] = field(default_factory=dict)
    results: dict[int, Value] = field(default_factory=dict)
    readings: dict[int, Terms] = field(default_factory=dict)


@dataclass(slots=True)
class Scope:
    """The locals of one running callable.

    `terms` are the readings that went into them (kept only for a listener); `evaluation` and `rule`
    say which rule of a value this is; `result` is what a pure block has returned.
    """

    locals: dict[str, Value] = field(default_factory=dict)
    terms: dict[str, Terms] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    rule: int = 0
    result: Value = None

    def copy(self) -> Scope:
        """Return a scope of its own with the same locals."""
        return Scope(dict(self.locals), dict(self.terms), self.evaluation, self.rule, self.result)


def bind(
    names: Iterable[str], arguments: tuple[Value, ...], terms: tuple[Terms, ...] = ()
) -> Scope:
    """Return a scope in which the names stand for the arguments."""
    names = tuple(names)
    known = {name: t for name, t in zip(names, terms, strict=False) if t}
    return Scope(dict(zip(names, arguments, strict=True)), known)


def merge(readings: Iterable[Reading]) -> Terms:
    """Readings of one name added up, those of nothing left out, in order of first reading."""
    totals: dict[str, int] = {}
    for reading in readings:
        totals[reading.name] = totals.get(reading.name, 0) + reading.value
    return tuple(Reading(name, value) for name, value in totals.items() if value)


def bounded(value: int, span: Span) -> int:
    """Return the value, if it fits 32 bits; raises PlayError."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise PlayError("the number does not fit 32 bits", span)


def misfit(kind: Type, value: Value) -> tuple[Type, Value] | None:
    """Return the part of a value that is outside of its type's range, with the type of that part.

    None if there is none.
    """
    match kind, value:
        case OptionalType(item), _ if value is not None:
            return misfit(item, value)
        case SetType(item), tuple():
            return next((found for member in value if (found := misfit(item, member))), None)
        case IntType(low, high), int() if low <= value <= high:
            return None
        case IntType(), _:
            return kind, value
    return None


def number(value: Value, span: Span) -> int:
    """Return the value, if it is an integer and not none; raises PlayError."""
    if isinstance(value, int):
        return value
    raise PlayError("none is no number", span)


def set_members(value: Value, span: Span) -> tuple[Value, ...]:
    """Return the value, if it is a set and not none; raises PlayError."""
    if isinstance(value, tuple):
        return value
    raise PlayError("none is no set", span)


class Context(ABC):
    """The game at one moment as expressions see it.

    `states` holds what differs from `initial`; `fuel` is how many steps are left; `depth` how many
    values are being evaluated; `trace` gathers readings, None when nobody listens; `watcher` is
    told what of the rules is run, also of copies.
    """

    def __init__(self, checked: Checked, world: World) -> None:
        self.checked = checked
        self.world = world
        self.states: dict[StateKey, Value] = {}
        self.initial: Mapping[str, Value] = {}
        self.attributes = {row.key: row for row in checked.game.attributes}
        self.fuel = limits.STEPS
        self.depth = 0
        self.trace: list[Reading] | None = None
        self.listener: Listener | None = None
        self.watcher: Watcher | None = None

    @abstractmethod
    def evaluate(self, expression: Expr, scope: Scope) -> Value:
        """Return the value of an expression; raises PlayError."""

    def quiet(self, expression: Expr, scope: Scope) -> Value:
        """Return the value of an expression of which nothing flows into the result around it."""
        if self.trace is None:
            return self.evaluate(expression, scope)
        kept, self.trace = self.trace, None
        value = self.evaluate(expression, scope)
        self.trace = kept
        return value

    def holds(self, condition: Expr | None, scope: Scope) -> bool:
        """Is there no condition, or is it true?"""
        if condition is None:
            return True
        held = self.quiet(condition, scope) is True
        self.watch(condition, held)
        return held

    def watch(self, node: Node, outcome: bool = True) -> None:
        """Tell the watcher, if there is one."""
        if self.watcher is not None:
            self.watcher(node, outcome)

    def traced(self, expression: Expr, scope: Scope) -> tuple[Value, Terms]:
        """Return the value of an expression and, for a listener, the readings that went into it."""
        if self.listener is None or not isinstance(expression.type, IntType):
            return self.quiet(expression, scope), ()
        kept, self.trace = self.trace, []
        value = self.evaluate(expression, scope)
        terms, self.trace = merge(self.trace), kept
        return value, terms

    def joined(self, *terms: Terms) -> Terms:
        """Readings that flow into one value together."""
        return merge(chain(*terms))

    def integer(self, expression: Expr, scope: Scope) -> int:
        """Return the value of an integer expression."""
        return number(self.evaluate(expression, scope), expression.span)

    def read(self, name: str, value: Value) -> None:
        """Note a quantity that flows into a result, when readings are gathered."""
        if self.trace is not None and value and isinstance(value, int):
            self.trace.append(Reading(name, int(value)))

    def mark(self) -> int:
        """Where in the readings the next one will stand."""
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
        """Return the error for rules that run on and on, at the loop that does if there is one."""
        return PlayError(
            f"the rules ran {limits.STEPS} steps without asking anyone: this seems not to end",
            span,
            "no-steps-left",
        )
