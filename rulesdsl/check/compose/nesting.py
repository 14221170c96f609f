"""Nesting of hooks: where an `around` proceeds, and hooks that go around those of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from rulesdsl.model import checked as tree
from rulesdsl.model.checked import walk
from rulesdsl.model.types import UNIT, Type

_RESULT = "$inside"
"""The local that holds what is inside a hook gave."""


def every(hooks: tree.Hooks) -> tuple[tree.Hook, ...]:
    """The hooks on one target."""
    return hooks.arounds + hooks.befores + hooks.afters


def may_replace(block: tree.Block) -> bool:
    """Is there a way through the block of an `around` that does not proceed?"""
    return not _proceeds(block)


def _proceeds(block: tree.Block) -> bool:
    """Does every way through the block proceed before it leaves?"""
    for statement in block:
        match statement:
            case tree.Perform(call=tree.ProceedCall()):
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _proceeds(then) and _proceeds(otherwise):
                    return True
                if _leaves(then) or _leaves(otherwise):
                    return False
            case tree.For(body=body) | tree.While(body=body):
                if _leaves(body):
                    return False
            case tree.Return():
                return False
    return False


def _leaves(block: tree.Block) -> bool:
    """May the block return?"""
    for statement in block:
        match statement:
            case tree.Return():
                return True
            case tree.If(then=then, otherwise=otherwise):
                if _leaves(then) or _leaves(otherwise):
                    return True
            case tree.For(body=body) | tree.While(body=body):
                if _leaves(body):
                    return True
    return False


def halves(block: tree.Block) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Split the block of an `around` into what can run before it proceeds, and after that."""
    before: list[object] = []
    after: list[object] = []
    for number, statement in enumerate(block):
        if not _contains_proceed(statement):
            before.append(statement)
            continue
        match statement:
            case tree.If(condition=condition, then=then, otherwise=otherwise):
                before.append(condition)
                for part in (then, otherwise):
                    earlier, later = halves(part)
                    before += earlier
                    after += later
                before += block[number + 1 :] if may_replace((statement,)) else ()
            case tree.For() | tree.While():
                before.append(statement)
                after.append(statement)
        after += block[number + 1 :]
        break
    return tuple(before), tuple(after)


def _contains_proceed(statement: tree.Stmt) -> bool:
    return any(isinstance(node, tree.ProceedCall) for node in walk((statement,)))


def nested(hooks: tree.Hooks, behind: Mapping[str, Collection[str]], result: Type) -> tree.Hooks:
    """The hooks with every `before` and `after` outside the `around`s of the rulesets `behind`
    its own. It stays inside all other `around`s, where it was."""
    places = {}
    for ruleset, later in behind.items():
        numbers = [n for n, hook in enumerate(hooks.arounds) if hook.ruleset in later]
        if numbers:
            places[ruleset] = numbers[0]
    arounds: list[tree.Hook] = []
    for number, hook in enumerate(hooks.arounds):
        here = {ruleset for ruleset, place in places.items() if place == number}
        arounds += (_lifted_before(h, result) for h in hooks.befores if h.ruleset in here)
        # The first of them runs first: it is the innermost.
        arounds += (_lifted_after(h, result) for h in reversed(hooks.afters) if h.ruleset in here)
        arounds.append(hook)
    return tree.Hooks(
        tuple(arounds),
        tuple(hook for hook in hooks.befores if hook.ruleset not in places),
        tuple(hook for hook in hooks.afters if hook.ruleset not in places),
    )


def _lifted_before(hook: tree.Hook, result: Type) -> tree.Hook:
    """An `around` that does what a `before` does, then proceeds."""
    rest = _proceeding(hook, result)
    return replace(hook, body=_returning(hook.body, rest) + rest)


def _lifted_after(hook: tree.Hook, result: Type) -> tree.Hook:
    """An `around` that proceeds, then does what an `after` does."""
    first, *last = _proceeding(hook, result)
    body = _returning(hook.body, tuple(last) or (tree.Return(hook.span, None),))
    if hook.guard is not None:
        body = (tree.If(hook.span, hook.guard, body),)
    return replace(hook, guard=None, body=(first, *body, *last))


def _proceeding(hook: tree.Hook, result: Type) -> tree.Block:
    proceed = tree.ProceedCall(hook.span)
    if result == UNIT:
        return (tree.Perform(hook.span, proceed),)
    given = tree.Local(hook.span, result, _RESULT)
    return tree.Perform(hook.span, proceed, _RESULT), tree.Return(hook.span, given)


def _returning(block: tree.Block, instead: tree.Block) -> tree.Block:
    """The block with something else in the place of every `return`."""

    def statements(statement: tree.Stmt) -> Iterable[tree.Stmt]:
        match statement:
            case tree.Return():
                return instead if isinstance(instead[-1], tree.Return) else (*instead, statement)
            case tree.If(then=then, otherwise=otherwise):
                one, other = _returning(then, instead), _returning(otherwise, instead)
                return (replace(statement, then=one, otherwise=other),)
            case tree.For(body=body) | tree.While(body=body):
                return (replace(statement, body=_returning(body, instead)),)
        return (statement,)

    return tuple(found for statement in block for found in statements(statement))
