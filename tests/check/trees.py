"""The checked tree as text: what the rules of a ruleset became."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.values import EnumMember, Kind, Player


def lines(checked: Checked, ruleset: str) -> Iterator[str]:
    """Everything a ruleset declares or adds to others, one line for each body."""
    for state in checked.states.values():
        if state.key.startswith(f"{ruleset}/"):
            yield f"{state.key}: {state.type} = {shown(state.initial)}"
    declared = (value for key, value in checked.values.items() if key not in checked.actions)
    for value in declared:
        for rule in value.rules:
            if rule.ruleset == ruleset:
                yield f"{rule.verb} {value.key}{_guarded(rule)}: {_block(rule.body)}"
    for action in checked.actions.values():
        if action.key.startswith(f"{ruleset}/"):
            yield f"action {action.key}: {_block(action.body)}"
        for rule in action.requires:
            yield f"require {action.key}{_guarded(rule)}: {_block(rule.body)}"
        yield from _hooks(action.key, action.hooks, ruleset)
    for choice in checked.choices.values():
        yield from _hooks(choice.key, choice.hooks, ruleset)
        for option in choice.options:
            if option.ruleset == ruleset:
                binders = "".join(f" {shown(binder)}" for binder in option.binders)
                needs = f" needs {shown(option.precondition)}" if option.precondition else ""
                yield f"option {option.key}{binders}{needs}: {_block(option.body)}"
            for forbid in option.forbids:
                yield f"forbid {option.key}({', '.join(forbid.params)}){_when(forbid.guard)}"
            yield from _hooks(option.key, option.hooks, ruleset)


def _hooks(key: str, hooks: tree.Hooks, ruleset: str) -> Iterator[str]:
    for hook in hooks.arounds + hooks.befores + hooks.afters:
        if hook.ruleset == ruleset:
            yield f"{hook.when} {key}{_guarded(hook)}: {_block(hook.body)}"


def _guarded(rule: tree.Rule | tree.Hook) -> str:
    return f"({', '.join(rule.params)}){_when(rule.guard)}"


def _when(guard: tree.Expr | None) -> str:
    return "" if guard is None else f" when {shown(guard)}"


def _block(statements: tree.Block) -> str:
    return "; ".join(shown(statement) for statement in statements) or "nothing"


def shown(node: object) -> str:
    """A node as `word(parts)`: locals by their keys, constants by their values."""
    match node:
        case tree.Local(name=name):
            return name
        case tree.Const(value=Player(seat=seat)):
            return f"seat {seat}"
        case tree.Const(value=EnumMember(enum=enum, index=index)):
            return f"{enum}#{index}"
        case tree.Const(value=Kind(index=index)):
            return f"kind {index}"
        case tree.Const(value=value):
            return str(value)
        case tuple():
            return f"[{'; '.join(shown(item) for item in node)}]"
        case None:
            return "-"
    if not is_dataclass(node):
        return str(node)
    parts = [getattr(node, f.name) for f in fields(node) if f.name not in ("span", "type")]
    while parts and (parts[-1] is None or parts[-1] is False or parts[-1] in ((), "")):
        parts.pop()
    return f"{type(node).__name__}({', '.join(shown(part) for part in parts)})"
