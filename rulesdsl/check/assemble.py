"""Checks all declarations of a game and puts the checked game together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulesdsl.check import errors
from rulesdsl.check.actions import check_action, check_always
from rulesdsl.check.choices import check_choice, check_forbid, collect_options
from rulesdsl.check.compose import Work, check_rankings, order_rules
from rulesdsl.check.draft import Draft, Option
from rulesdsl.check.hooks import check_hook, check_order
from rulesdsl.check.rules import check_contribution, check_value, preconditions
from rulesdsl.check.state import check_state
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.ast import declared
from rulesdsl.model.types import IntType


def check_declarations(draft: Draft, modules: Mapping[str, ast.Module]) -> None:
    """Check every declaration: first what is declared, then what is added to it."""
    collect_options(draft, modules)
    rules = [
        (part.id, node)
        for part in draft.symbols.game.parts
        if part.ruleset in modules
        for node in declared(modules[part.ruleset], part.names)
    ]
    for ruleset, node in rules:
        match node:
            case ast.StateDecl():
                check_state(draft, ruleset, node)
            case ast.ValueDecl() if _is(draft, ruleset, node.name, "value"):
                check_value(draft, ruleset, node)
            case ast.ActionDecl() if _is(draft, ruleset, node.name, "action"):
                check_action(draft, ruleset, node)
            case ast.ChoiceDecl():
                check_choice(draft, ruleset, node)
    for ruleset, node in rules:
        match node:
            case ast.Contribution():
                check_contribution(draft, ruleset, node)
            case ast.HookDecl():
                check_hook(draft, ruleset, node)
            case ast.ForbidDecl():
                check_forbid(draft, ruleset, node)
            case ast.AlwaysDecl():
                check_always(draft, ruleset, node)
            case ast.OrderDecl():
                check_order(draft, ruleset, node)


def _is(draft: Draft, ruleset: str, name: str, what: str) -> bool:
    return draft.symbols.routine(ruleset, name).what == what


def assemble(draft: Draft) -> checked.Checked | None:
    """The checked game, its rules sorted; None if its roles cannot be filled."""
    game = draft.symbols.game
    roles = _roles(draft)
    values, work = {}, Work()
    check_rankings(draft.rankings, draft.values, draft.rules, draft.report)
    for key, value in draft.values.items():
        value = replace(value, rules=tuple(draft.rules.get(key, ())))
        values[key] = order_rules(value, game, draft.rankings.get(key, ()), draft.report, work)
    actions = {
        key: replace(action, requires=tuple(draft.rules.get(key, ())), hooks=draft.hooks_of(key))
        for key, action in draft.actions.items()
    }
    values |= {
        key: preconditions(action)
        for key, action in actions.items()
        if action.requires or key in draft.symbols.asked
    }
    choices = {
        key: replace(
            choice,
            options=tuple(
                found
                for option in draft.options.get(key, [])
                if (found := _option(draft, option, actions)) is not None
            ),
            hooks=draft.hooks_of(key),
        )
        for key, choice in draft.choices.items()
    }
    if roles is None:
        return None
    play, finish, score = roles
    return checked.Checked(
        game, draft.states, values, actions, choices, tuple(draft.always), play, finish, score
    )


def _option(
    draft: Draft, option: Option, actions: Mapping[str, checked.ActionDef]
) -> checked.OptionDef | None:
    found = option.result
    if found is None:
        return None
    precondition = None
    match found.body:
        case (checked.Perform(call=checked.ActionCall(action=key) as call), *_):
            precondition = call if key in actions and actions[key].requires else None
    return replace(
        found,
        forbids=tuple(option.forbids),
        precondition=precondition,
        hooks=draft.hooks_of(option.key),
    )


def _roles(draft: Draft) -> tuple[str, str, str] | None:
    """The full names of the actions that are the game and its end, and of the score."""
    roles = draft.symbols.game.roles
    play = _action(draft, "play", roles.play)
    finish = _action(draft, "finish", roles.finish)
    score = _score(draft)
    return None if play is None or finish is None or score is None else (play, finish, score)


def _action(draft: Draft, role: str, name: str) -> str | None:
    roles, symbols = draft.symbols.game.roles, draft.symbols
    routine = symbols.routines.get(roles.ruleset, {}).get(name)
    if routine is None or routine.what != "action":
        if not symbols.is_broken(name, roles.ruleset):
            actions = (
                each.name
                for each in symbols.routines.get(roles.ruleset, {}).values()
                if each.what == "action"
            )
            message = f"`game: {role}` names no action: `{name}`"
            help_lines = did_you_mean(name, actions) or (f"declare it: `action {name}():`",)
            draft.report.error("unknown-name", message, roles.spans[role], help=help_lines)
        return None
    symbols.uses.add_last(roles.spans[role], uses.declared("action", routine.key))
    if routine.params:
        message = f"`{name}` is `game: {role}` and takes no parameters"
        draft.report.error("arity", message, routine.span)
    return routine.key


def _score(draft: Draft) -> str | None:
    roles, symbols = draft.symbols.game.roles, draft.symbols
    data = symbols.data.get(roles.ruleset, {})
    datum = data.get(roles.score)
    if datum is None:
        short = roles.score.rpartition(".")[2]
        if not symbols.is_broken(short, roles.ruleset):
            message = f"`game: score` names no state: `{roles.score}`"
            help_lines = did_you_mean(roles.score, data) or (
                "declare it: `state player.score: int`",
            )
            draft.report.error("unknown-name", message, roles.spans["score"], help=help_lines)
        return None
    symbols.uses.add_last(roles.spans["score"], uses.declared("state", datum.key))
    if not isinstance(datum.type, IntType) or datum.index:
        message = f"the score is an integer of each player, not {errors.described(datum.type)}"
        draft.report.error("type-mismatch", message, datum.span)
    return datum.key
