"""Stable names for the callables of a game and their blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulesdsl.model.checked import (
    ActionDef,
    Binder,
    Block,
    Checked,
    ChoiceDef,
    Forbid,
    Hook,
    Hooks,
    Let,
    Node,
    OptionDef,
    Perform,
    Stmt,
)
from rulesdsl.model.types import PIECE, SetType, Type


@dataclass(frozen=True, slots=True)
class Code:
    """The name of a callable.

    `kind` is action, choice, option or always. `key` is that of the action or choice (empty for
    always). `number` is the index of an option in its choice, or of an always rule.
    """

    kind: str
    key: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """The name of a block of a callable.

    It is its `body`, its `otherwise`, or the body of hook `number` of its `before`, `after` or
    `around` hooks.
    """

    code: Code
    name: str
    number: int = 0


HOOKS = ("around", "before", "after")


def hooks_of(hooks: Hooks, when: str) -> tuple[Hook, ...]:
    """Return the hooks of one kind."""
    return {"around": hooks.arounds, "before": hooks.befores, "after": hooks.afters}[when]


class Program:
    """A lookup of the parts of a checked game by name."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked

    def action(self, code: Code) -> ActionDef:
        return self.checked.actions[code.key]

    def choice(self, code: Code) -> ChoiceDef:
        return self.checked.choices[code.key]

    def option(self, code: Code) -> OptionDef:
        """Return the option of a choice that a code of kind `option` names."""
        return self.checked.choices[code.key].options[code.number]

    def hooks(self, code: Code) -> Hooks:
        """Return the hooks on a callable."""
        match code.kind:
            case "action":
                return self.action(code).hooks
            case "choice":
                return self.choice(code).hooks
            case "option":
                return self.option(code).hooks
            case _:
                return Hooks()

    def parameters(self, code: Code) -> tuple[tuple[str, Type], ...]:
        """Return the parameters of a callable with their types.

        Those of an option are the parameters of the choice and then its binders.
        """
        match code.kind:
            case "action":
                return tuple((p.name, p.type) for p in self.action(code).params)
            case "choice":
                return tuple((p.name, p.type) for p in self.choice(code).params)
            case "option":
                choice = tuple((p.name, p.type) for p in self.choice(code).params)
                return (*choice, *bound(self.option(code).binders))
            case _:
                return tuple(bound((self.checked.always[code.number].binder,)))

    def names(self, part: Part) -> tuple[str, ...]:
        """Return the names of the arguments of its callable in a part."""
        own = tuple(name for name, _ in self.parameters(part.code))
        if part.name not in HOOKS:
            return own
        return self.hook_names(part.code, self.hook(part))

    def hook_names(self, code: Code, hook: Hook | Forbid) -> tuple[str, ...]:
        """Return the names of the arguments of a callable in a hook or veto on it.

        On an option, the arguments of the choice keep the names they have there.
        """
        if code.kind != "option":
            return hook.params
        return (*(p.name for p in self.choice(code).params), *hook.params)

    def hook(self, part: Part) -> Hook:
        return hooks_of(self.hooks(part.code), part.name)[part.number]

    def written(self, part: Part) -> Node:
        """Return the declaration that a part of a call belongs to."""
        if part.name in HOOKS:
            return self.hook(part)
        return self.option(part.code) if part.code.kind == "option" else self.action(part.code)

    def block(self, part: Part) -> Block:
        """Return the statements of a part."""
        if part.name in HOOKS:
            return self.hook(part).body
        if part.name == "otherwise":
            return self.choice(part.code).otherwise or ()
        match part.code.kind:
            case "action":
                return self.action(part.code).body
            case "option":
                return self.option(part.code).body
            case "always":
                return self.checked.always[part.code.number].body
            case _:
                raise AssertionError(f"a {part.code.kind} has no body")


def bound(binders: tuple[Binder, ...]) -> Iterator[tuple[str, Type]]:
    """Yield the names that binders bind, with their types."""
    for binder in binders:
        kind = binder.domain.type
        for name in binder.names:
            yield name, kind.item if isinstance(kind, SetType) else PIECE


def declares(statement: Stmt) -> str | None:
    """Return the local that a statement declares for the rest of its block."""
    match statement:
        case Let():
            return statement.name
        case Perform():
            return statement.into
        case _:
            return None
