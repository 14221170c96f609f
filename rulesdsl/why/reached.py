"""What stands before a choice: the conditions without which it is not asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rulesdsl.model.checked import (
    ActionCall,
    Block,
    Checked,
    ChoiceCall,
    Expr,
    For,
    Hooks,
    If,
    Later,
    Perform,
    While,
)


@dataclass(frozen=True)
class Barrier:
    """A condition: while it is `closed`, what is behind it does not run."""

    condition: Expr
    closed: bool


Path = tuple[Barrier, ...]
Barriers = Mapping[int, Barrier]
"""Barriers by the identity of their conditions."""


@dataclass(frozen=True)
class _Body:
    """A block that runs when something is called: of itself, or of a hook on it."""

    key: str
    guard: Expr | None
    block: Block


def barriers(checked: Checked, choice: str) -> Barriers:
    """All conditions between the beginning of a turn and a choice (its full name): guards of
    actions and hooks, and of `if`. What players choose is none."""
    bodies = tuple(_bodies(checked))
    found: dict[int, Barrier] = {}
    todo, known = [choice], {choice}
    while todo:
        wanted = todo.pop()
        for body in bodies:
            for path in _paths(body.block, wanted):
                guard = () if body.guard is None else (Barrier(body.guard, False),)
                found.update((id(each.condition), each) for each in (*guard, *path))
                if body.key not in known:
                    known.add(body.key)
                    todo.append(body.key)
    return found


def _bodies(checked: Checked) -> Iterator[_Body]:
    for action in checked.actions.values():
        yield _Body(action.key, action.guard, action.body)
        yield from _hooks(action.key, action.hooks)
    for choice in checked.choices.values():
        yield from _hooks(choice.key, choice.hooks)
        for option in choice.options:
            # Whoever asks does not make the player take this option, but can.
            yield _Body(choice.key, None, option.body)
            yield from _hooks(choice.key, option.hooks)


def _hooks(key: str, hooks: Hooks) -> Iterator[_Body]:
    for hook in (*hooks.arounds, *hooks.befores, *hooks.afters):
        yield _Body(key, hook.guard, hook.body)


def _paths(block: Block, wanted: str) -> Iterator[Path]:
    """The conditions around each call of something in a block, outermost first."""
    for statement in block:
        match statement:
            case Perform(call=ActionCall(action=key)) | Later(call=ActionCall(action=key)):
                if key == wanted:
                    yield ()
            case Perform(call=ChoiceCall(choice=key)):
                if key == wanted:
                    yield ()
            case If(condition=condition, then=then, otherwise=otherwise):
                for path in _paths(then, wanted):
                    yield (Barrier(condition, False), *path)
                for path in _paths(otherwise, wanted):
                    yield (Barrier(condition, True), *path)
            case For(body=body) | While(body=body):
                yield from _paths(body, wanted)
