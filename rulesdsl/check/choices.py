"""Choices, their options and vetoes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulesdsl.check import errors
from rulesdsl.check.actions import acting
from rulesdsl.check.draft import Draft, Option, declare_choice, declare_params
from rulesdsl.check.facts import condition
from rulesdsl.check.ranging import bind
from rulesdsl.check.scope import Context
from rulesdsl.check.symbols import Routine
from rulesdsl.check.targets import find_option, target
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.ast import declared
from rulesdsl.model.names import owner_of
from rulesdsl.model.types import PLAYER, UNIT, Type


def collect_options(draft: Draft, modules: Mapping[str, ast.Module]) -> None:
    """All options of all choices, by ruleset, then line."""
    for part in draft.symbols.game.parts:
        if part.ruleset not in modules:
            continue
        for node in declared(modules[part.ruleset], part.names):
            match node:
                case ast.ChoiceDecl():
                    routine = draft.symbols.routine(part.id, node.name)
                    if routine.what == "choice":
                        for option in node.options:
                            _note(draft, part.id, routine, option)
                case ast.OptionDecl(choice=ast.Path() as path):
                    _note_outer(draft, part.id, path, node)


def _note_outer(draft: Draft, ruleset: str, path: ast.Path, node: ast.OptionDecl) -> None:
    ctx = draft.context(ruleset)
    found = target(ctx, path, "choice")
    if found is None:
        return
    if found.routine.what != "choice" or found.rest:
        message = f"`{path}` is no choice and takes no options"
        draft.report.error("wrong-verb", message, path.span)
        return
    _note(draft, ruleset, found.routine, node)


def _note(draft: Draft, ruleset: str, routine: Routine, node: ast.OptionDecl) -> None:
    options = draft.options.setdefault(routine.key, [])
    for other in options:
        own = owner_of(other.ruleset) == owner_of(ruleset)
        if other.name == node.name and (own or other.ruleset in draft.symbols.game.reach[ruleset]):
            errors.duplicate(draft.report, node.name, node.name.span, other.node.name.span)
            return
    key = f"{owner_of(ruleset)}/{routine.name}.{node.name}"
    draft.symbols.uses.add(node.name.span, uses.declared("option", key), declares=True)
    options.append(Option(key, ruleset, routine, node))


def check_option(draft: Draft, option: Option, repeat: bool) -> None:
    """An option's arguments, guard and body."""
    node, choice = option.node, option.choice
    ctx = draft.context(option.ruleset)
    declare_choice(ctx, choice)
    binders = tuple(bind(ctx, binder) for binder in node.binders)
    names = [name for binder in node.binders for name in binder.names]
    guard = condition(ctx, node.guard)
    option.arguments = tuple((name, _type(ctx, name)) for name in names if name in ctx.names)
    ctx.leaves = repeat and choice.type == UNIT
    body: checked.Block = ()
    span = node.name.span
    body_node = node.body or ast.Block(node.span, ())
    body = acting(ctx, body_node, choice.type, span, must_give=not repeat)
    option.result = checked.OptionDef(
        span, option.key, f"{choice.name}.{node.name}", option.ruleset, binders, guard, (), body
    )


def _type(ctx: Context, name: str) -> Type:
    return ctx.type_of(ctx.names[name])


def check_choice(draft: Draft, ruleset: str, node: ast.ChoiceDecl) -> None:
    """A choice without its options: who decides, and what happens when nothing is open."""
    routine = draft.symbols.routine(ruleset, node.name)
    if routine.key in draft.choices or routine.what != "choice":
        return
    ctx = draft.context(ruleset)
    declare_params(ctx, node.params, [param.type for param in routine.params])
    by = ctx.expect(node.by, PLAYER, "who decides")
    span = node.name.span
    otherwise = None
    if node.otherwise is not None:
        otherwise = acting(ctx, node.otherwise, routine.type, span)
    for option in draft.options.get(routine.key, []):
        check_option(draft, option, node.repeat)
    draft.choices[routine.key] = checked.ChoiceDef(
        span, routine.key, routine.params, by, routine.type, node.repeat, (), otherwise
    )


def check_forbid(draft: Draft, ruleset: str, node: ast.ForbidDecl) -> None:
    """`forbid choice.option(…)` or `forbid choice.*`."""
    ctx = draft.context(ruleset)
    found = target(ctx, node.target, "choice")
    if found is None:
        return
    choice = found.routine
    if choice.what != "choice" or found.rest:
        message = f"`{node.target}` is no choice, so nothing of it can be forbidden"
        draft.report.error("wrong-verb", message, node.target.span)
        return
    options = draft.options.get(choice.key, [])
    if node.option != "*":
        option = find_option(draft, ctx, replace(found, rest=(node.option,)))
        if option is None:
            return
        options = [option]
    declare_choice(ctx, choice)
    params: tuple[str, ...] = ()
    if node.option != "*":
        arguments = options[0].arguments
        if len(node.params) != len(arguments):
            wanted = errors.counted(arguments, "parameter")
            span, where = node.option.span, options[0].node.name.span
            errors.arity(draft.report, node.option, span, len(node.params), wanted, where)
            return
        params = declare_params(ctx, node.params, [type_ for _, type_ in arguments])
    guard = condition(ctx, node.guard)
    for option in options:
        option.forbids.append(checked.Forbid(node.span, ruleset, params, guard))
