"""The checked game while it is being made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulesdsl.check.compose import HookOrder
from rulesdsl.check.expressions import infer
from rulesdsl.check.scope import Context, Infer
from rulesdsl.check.symbols import Routine, Symbols
from rulesdsl.diagnostics import Report
from rulesdsl.model import ast, checked
from rulesdsl.model.types import Type


@dataclass
class Option:
    """An option: the choice it is of and, once it is checked, the names and types of its
    arguments."""

    key: str
    ruleset: str
    choice: Routine
    node: ast.OptionDecl
    arguments: tuple[tuple[str, Type], ...] = ()
    result: checked.OptionDef | None = None
    forbids: list[checked.Forbid] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its short name, without its choice."""
        return self.node.name


@dataclass
class Draft:
    """What has been checked so far. `rules` are those of values and the preconditions of actions,
    `hooks` those of actions, choices and options, each by the full name of what they belong to;
    `options` all of them, by the choice's full name. `orders` are those of hooks, `rankings`
    those of refinements, by the value's full name. `infer` types expressions."""

    symbols: Symbols
    report: Report
    infer: Infer = infer
    states: dict[str, checked.StateDef] = field(default_factory=dict)
    values: dict[str, checked.ValueDef] = field(default_factory=dict)
    actions: dict[str, checked.ActionDef] = field(default_factory=dict)
    choices: dict[str, checked.ChoiceDef] = field(default_factory=dict)
    always: list[checked.AlwaysDef] = field(default_factory=list)
    rules: dict[str, list[checked.Rule]] = field(default_factory=dict)
    hooks: dict[str, list[checked.Hook]] = field(default_factory=dict)
    options: dict[str, list[Option]] = field(default_factory=dict)
    orders: list[HookOrder] = field(default_factory=list)
    rankings: dict[str, list[HookOrder]] = field(default_factory=dict)
    contexts: list[Context] = field(default_factory=list)

    def context(self, ruleset: str) -> Context:
        """A place in the rules of a ruleset."""
        ctx = Context(self.symbols, self.report, ruleset, self.infer)
        self.contexts.append(ctx)
        return ctx

    def hooks_of(self, key: str) -> checked.Hooks:
        """The hooks of an action, choice or option, as they were written."""
        hooks = self.hooks.get(key, [])
        return checked.Hooks(
            *(tuple(h for h in hooks if h.when == when) for when in ("around", "before", "after"))
        )


def declare_params(
    ctx: Context, names: Sequence[ast.Param], types: Sequence[Type]
) -> tuple[str, ...]:
    """Declare parameters; their keys in the checked tree."""
    return tuple(
        ctx.declare(param.name, "parameter", type_).key
        for param, type_ in zip(names, types, strict=True)
    )


def declare_choice(ctx: Context, routine: Routine) -> None:
    """The parameters of a choice are in sight of its options."""
    for name, param in zip(routine.names, routine.params, strict=True):
        ctx.declare(name, "parameter", param.type)
