"""Builders: the body of one IR function, and the blocks of the callables of a game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from rulesdsl.base.records import dataclass
from rulesdsl.engine.lower import runtime
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import BOOL, PIECE, UNIT, SetType, Type

ZERO, ONE, MINUS = ir.Const(0), ir.Const(1), ir.Const(-1)


class LocalStorage(Protocol):
    """The storage of the locals of the rules: locals of the IR, or slots of a frame."""

    def read(self, name: str, type_: Type) -> ir.Expr:
        """Return the current value of a local of the rules.

        It is the local's number, a bool as an IR bool, a set as an offset into `heap`.
        """

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Emit the assignment of a value to a local of the rules."""


class Builder:
    """The statements of a function being built.

    `emit` appends one to the innermost block. `reserved` are names that no local gets.
    """

    def __init__(self, *reserved: str) -> None:
        self.kinds: dict[str, ir.Kind] = {}
        self._reserved = frozenset(reserved)
        self._blocks: list[list[ir.Stmt]] = [[]]
        self._count: dict[str, int] = {}

    def emit(self, statement: ir.Stmt) -> None:
        self._blocks[-1].append(statement)

    @contextmanager
    def block(self) -> Iterator[list[ir.Stmt]]:
        """Open an inner block for an `If` or a loop, and yield the list of its statements."""
        inner = self.open()
        try:
            yield inner
        finally:
            self.close()

    def open(self) -> list[ir.Stmt]:
        """Open an inner block, up to the next `close`, and return the list of its statements."""
        inner: list[ir.Stmt] = []
        self._blocks.append(inner)
        return inner

    def close(self) -> None:
        """Close the innermost block."""
        self._blocks.pop()

    def function(
        self,
        name: str,
        doc: str,
        params: tuple[tuple[str, ir.Kind], ...] = (),
        result: ir.Kind | None = None,
        span: Span | None = None,
    ) -> ir.Function:
        """Return the function of all statements emitted outside of inner blocks."""
        given = {param for param, _ in params}
        kinds = tuple(row for row in self.kinds.items() if row[0] not in given)
        return ir.Function(name, params, result, tuple(self._blocks[0]), kinds, doc, span)

    def fresh(self, hint: str, kind: ir.Kind = "int") -> str:
        """Return the name of a new local.

        It is the hint as an identifier, numbered from the second on.
        """
        hint = re.sub(r"\W", "_", hint)
        number = self._count[hint] = self._count.get(hint, 0) + 1
        name = hint if number == 1 else f"{hint}_{number}"
        if name in self.kinds or name in self._reserved:
            return self.fresh(hint, kind)
        self.kinds[name] = kind
        return name

    def let(
        self, hint: str, value: ir.Expr, span: Span | None = None, kind: ir.Kind = "int"
    ) -> ir.Local:
        """Return a new local with that value."""
        name = self.fresh(hint, kind)
        self.emit(ir.Assign(name, value, span))
        return ir.Local(name)

    def do(
        self, function: str | runtime.Function, *arguments: ir.Expr, span: Span | None = None
    ) -> None:
        """Emit a call of a function, of the runtime or given by name, for its effect."""
        name = function if isinstance(function, str) else function.__name__
        self.emit(ir.Do(ir.Call(name, arguments), span))

    def trap_if(self, condition: ir.Expr, code: int, span: Span | None) -> None:
        """Emit fault `code` for the case that the condition holds."""
        self.emit(ir.If(condition, (ir.Trap(code, span),), (), span))


# --- conditions -----------------------------------------------------------------------------------

TRUE, FALSE = ir.Truth(True), ir.Truth(False)


def negation(condition: ir.Expr) -> ir.Expr:
    """Return the negation of a condition."""
    match condition:
        case ir.Truth(value):
            return ir.Truth(not value)
        case ir.Unary("not", operand):
            return operand
        case ir.Compare(operator, left, right):
            return ir.Compare(ir.OPPOSITE[operator], left, right)
    return ir.Unary("not", condition)


def both(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Return the conjunction of two conditions.

    The right one is evaluated only if the left one holds.
    """
    if left == TRUE:
        return right
    if left == FALSE or right == TRUE:
        return left
    return ir.Logic("and", left, right)


def either(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Return the disjunction of two conditions.

    The right one is evaluated only if the left one does not hold.
    """
    if left == FALSE:
        return right
    if left == TRUE or right == FALSE:
        return left
    return ir.Logic("or", left, right)


def kind_of(type_: Type) -> ir.Kind:
    """Return the IR kind of a result or local of that type: "bool" for a plain bool, else "int"."""
    return "bool" if type_ == BOOL else "int"


def as_value(number: ir.Expr, type_: Type) -> ir.Expr:
    """Return a number as a value of a type: as a bool, if it is a plain one."""
    return ir.Compare("!=", number, ZERO) if type_ == BOOL else number


def as_number(value: ir.Expr, type_: Type) -> ir.Expr:
    """Return a value of a type as a number: 1 or 0 for a bool."""
    if type_ != BOOL:
        return value
    if isinstance(value, ir.Truth):
        return ir.Const(int(value.value))
    return ir.Unary("int", value)


def is_plain(value: ir.Expr) -> bool:
    """Return whether a value is a constant or a local, which is free to repeat and cannot fault."""
    return isinstance(value, ir.Const | ir.Truth | ir.Local)


# --- sums ----------------------------------------------------------------------------------------


def plus_folded(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """Return the sum, computed now if both numbers are known."""
    if isinstance(a, ir.Const) and isinstance(b, ir.Const):
        return ir.Const(a.value + b.value)
    return plus(a, b)


def plus(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """Return the sum, folded where that is simple."""
    if a == ZERO:
        return b
    return a if b == ZERO else ir.Binary("+", a, b)


def times(a: ir.Expr, factor: int) -> ir.Expr:
    """Return the product, folded where that is simple."""
    if factor == 1 or a == ZERO:
        return a
    return ir.Binary("*", a, ir.Const(factor))


Names = tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class CallableCode:
    """The identity of a callable: `kind` is action, choice, option or always.

    `key` is that of the action or choice (empty for always); `number` is the index of an option
    in its choice, or of an always rule.
    """

    kind: str
    key: str
    number: int = 0


@dataclass(frozen=True)
class Runs:
    """The running callable: its kind and key as in its code, and its names for the arguments.

    `part` is the name of the part of it that runs.
    """

    kind: str
    key: str
    params: tuple[str, ...]
    part: str = ""


NOTHING_RUNS = Runs("always", "", ())


@dataclass(frozen=True)
class CallablePart:
    """A block of a callable: `name` is body, otherwise, before, after or around.

    `params` are its names for the arguments of the callable.
    """

    name: str
    number: int
    params: tuple[str, ...]
    guard: tree.Expr | None
    block: tree.Block
    span: Span


@dataclass(frozen=True)
class Routine:
    """A callable with its parameters, its result type and its parts.

    The parameters of an option are those of its choice and its own binders. `result` is UNIT
    for none. `recorded` are the places of the parameters whose records follow the arguments, with
    the subjects; None: nothing follows (see `terms`).
    """

    code: CallableCode
    params: Names
    result: Type
    span: Span
    arounds: tuple[CallablePart, ...] = ()
    befores: tuple[CallablePart, ...] = ()
    body: CallablePart | None = None
    afters: tuple[CallablePart, ...] = ()
    otherwise: CallablePart | None = None
    recorded: tuple[int, ...] | None = None

    @property
    def parts(self) -> tuple[CallablePart, ...]:
        """All parts that the routine has."""
        single = tuple(part for part in (self.body, self.otherwise) if part is not None)
        return (*self.arounds, *self.befores, *single, *self.afters)


def action_routine(checked: Checked, key: str) -> Routine:
    """Return an action as a routine."""
    action = checked.actions[key]
    params = tuple((p.name, p.type) for p in action.params)
    body = CallablePart("body", 0, _names(params), None, action.body, action.span)
    routine = Routine(CallableCode("action", key), params, action.type, action.span, body=body)
    return _hooked(routine, action.hooks, ())


def choice_routine(checked: Checked, key: str) -> Routine:
    """Return a choice as a routine, whose body is the asking."""
    choice = checked.choices[key]
    params = tuple((p.name, p.type) for p in choice.params)
    otherwise = None
    if choice.otherwise is not None:
        names = _names(params)
        otherwise = CallablePart("otherwise", 0, names, None, choice.otherwise, choice.span)
    code = CallableCode("choice", key)
    routine = Routine(code, params, choice.type, choice.span, otherwise=otherwise)
    return _hooked(routine, choice.hooks, ())


def option_routine(choice: tree.ChoiceDef, number: int) -> Routine:
    """Return an option of a choice as a routine."""
    option = choice.options[number]
    own = option_params(option)
    outer = tuple((p.name, p.type) for p in choice.params)
    params = outer + own
    body = CallablePart("body", 0, _names(params), None, option.body, option.span)
    code = CallableCode("option", choice.key, number)
    routine = Routine(code, params, choice.type, option.span, body=body)
    return _hooked(routine, option.hooks, _names(outer))


def always_routine(rule: tree.AlwaysDef, number: int) -> Routine:
    """Return the body of an always rule, by its number, as a routine."""
    params = tuple(_bound((rule.binder,)))
    body = CallablePart("body", number, _names(params), None, rule.body, rule.span)
    return Routine(CallableCode("always", "", number), params, UNIT, rule.span, body=body)


def option_params(option: tree.OptionDef) -> Names:
    """Return the own arguments of an option."""
    return tuple(_bound(option.binders))


def forbid_names(choice: tree.ChoiceDef, option: tree.OptionDef, forbid: tree.Forbid) -> Names:
    """Return the names of a veto for the arguments of an option, with their types."""
    outer = tuple((p.name, p.type) for p in choice.params)
    if not forbid.params:
        return outer
    types = [kind for _, kind in option_params(option)]
    return outer + tuple(zip(forbid.params, types, strict=True))


def _bound(binders: tuple[tree.Binder, ...]) -> Iterator[tuple[str, Type]]:
    for binder in binders:
        yield from binder_names(binder)


def binder_names(binder: tree.Binder) -> Names:
    """Return the names a binder binds, with their types."""
    kind = binder.domain.type
    item = kind.item if isinstance(kind, SetType) else PIECE
    return tuple((name, item) for name in binder.names)


def _names(params: Names) -> tuple[str, ...]:
    return tuple(name for name, _ in params)


def _hooked(routine: Routine, hooks: tree.Hooks, outer: tuple[str, ...]) -> Routine:
    """Return the routine with its hooks.

    On an option, they refer to the arguments of its choice by their own names.
    """

    def parts(name: str, found: tuple[tree.Hook, ...]) -> tuple[CallablePart, ...]:
        return tuple(
            CallablePart(name, number, (*outer, *hook.params), hook.guard, hook.body, hook.span)
            for number, hook in enumerate(found)
        )

    return replace(
        routine,
        arounds=parts("around", hooks.arounds),
        befores=parts("before", hooks.befores),
        afters=parts("after", hooks.afters),
    )
