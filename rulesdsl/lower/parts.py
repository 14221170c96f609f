"""The callables of a game, and the blocks they consist of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rulesdsl.diagnostics import Span
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import PIECE, UNIT, SetType, Type
from rulesdsl.records import dataclass

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
    """The running callable: its kind and key as in its code, and its names for the arguments."""

    kind: str
    key: str
    params: tuple[str, ...]


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
    for none.
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
