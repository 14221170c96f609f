"""Invariants of a game: which of them follow from its rules, and how games watch the others.

Three forms are proved. Ranges of states, attributes and counts can leave no other truth. What no
rule changes stays what it is when a game begins. A sum of states stays the same where every rule
that takes from one of them gives as much to another in the next line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.builtins import DOMAINS
from rulesdsl.language.check.conflicts.effects import DIE_FACES, ORDER_IN, EffectTable, bounds
from rulesdsl.language.check.graph import contents
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.names import ruleset_of, short_name

# --- proofs --------------------------------------------------------------------------------------


def proved(game: tree.Checked) -> frozenset[str]:
    """Return the keys of the invariants of a game that are proved, if they hold at its beginning.

    Its random games show that, which watch them all.
    """
    ranged = (each for each in game.invariants if _is_total(each.holds))
    found = {each.key for each in ranged if _ranges(each.holds, game.game)}
    left = [each for each in game.invariants if each.key not in found]
    if not left:
        return frozenset(found)
    effects = EffectTable(game, contents(game))
    blocks = list(_blocks(game))
    stays = [e for e in left if _unchanged(e.holds, effects) or _kept(e.holds, blocks)]
    return frozenset(found | {each.key for each in stays})


_TOTAL = frozenset(("abs", "div_up", "half_up", "kind", "max", "min", "next", "owner", *DOMAINS))
"""The builtins that give a result whatever they are asked for."""


def _is_total(holds: tree.Expr) -> bool:
    """Return whether a condition can be computed in every position, as long as numbers fit."""
    for node in tree.walk(holds):
        match node:
            case tree.CallBuiltin(function=function) if function not in _TOTAL:
                return False
            case tree.EntryAt(what=what) if what != "zone":
                return False
            case tree.Aggregate(function="the") | tree.CallValue() | tree.Reach():
                return False
    return True


def _ranges(holds: tree.Expr, game: LinkedGame) -> bool:
    """Return whether the ranges of numbers alone show that a condition holds."""
    match holds:
        case tree.Const(value=True):
            return True
        case tree.Binary(operator="and", left=left, right=right):
            return _ranges(left, game) and _ranges(right, game)
        case tree.Binary(operator="or", left=left, right=right):
            return _ranges(left, game) or _ranges(right, game)
        case tree.Aggregate(function="all", value=tree.Typed() as value):
            return _ranges(value, game)
        case tree.Member(item=item, set=tree.RangeSet(low=least, high=most)):
            low, high = bounds(item, game)
            return bounds(least, game)[1] <= low and high <= bounds(most, game)[0]
        case tree.Compare(operator=operator, left=left, right=right) if _numbers(left, right):
            (low, high), (less, more) = bounds(left, game), bounds(right, game)
            match operator:
                case "<=" | "<":
                    return high < less + (operator == "<=")
                case ">=" | ">":
                    return low > more - (operator == ">=")
                case "!=":
                    return high < less or low > more
    return False


def _numbers(*found: tree.Expr) -> bool:
    return all(isinstance(each.type, types.IntType) for each in found)


def _unchanged(holds: tree.Expr, effects: EffectTable) -> bool:
    """Return whether a condition reads nothing that is changed, and no order that is drawn."""
    read = {column.name for column in effects.of(holds).reads}
    changed = effects.changed | {DIE_FACES}
    return read.isdisjoint(changed) and not any(name.startswith(ORDER_IN) for name in read)


def _kept(holds: tree.Expr, blocks: Sequence[Sequence[object]]) -> bool:
    """Return whether a condition compares a sum that all blocks of rules keep with a constant."""
    match holds:
        case tree.Compare(operator="==", left=left, right=right) if _numbers(left, right):
            terms = Counter[str]()
            if not (_linear(left, 1, terms) and _linear(right, -1, terms)) or not terms:
                return False
            return all(_keeps(block, terms) for block in blocks)
    return False


def _linear(expr: tree.Expr, sign: int, terms: Counter[str]) -> bool:
    """Note the states that an expression adds up, all of each; return False for another form."""
    match expr:
        case tree.Const():
            return True
        case tree.Binary(operator="+" | "-" as operator, left=left, right=right):
            other = sign if operator == "+" else -sign
            return _linear(left, sign, terms) and _linear(right, other, terms)
        case tree.Aggregate(function="sum", value=tree.ReadState() as read, binders=binders):
            ranged = [(each.names, each.where) for each in binders]
            indices = read.index if read.owner is None else (read.owner, *read.index)
            named = [(each.name,) if isinstance(each, tree.Local) else () for each in indices]
            whole = (tree.is_players((e,)) or isinstance(e.domain, tree.EnumSet) for e in binders)
            if ranged != [(names, None) for names in named] or not all(whole):
                return False
            terms[read.state] += sign
            return True
        case tree.ReadState(state=state, owner=None, index=()):
            terms[state] += sign
            return True
    return False


def _blocks(game: tree.Checked) -> Iterator[Sequence[object]]:
    """Yield all sequences of statements that change a state."""
    rules = (*game.actions.values(), *game.choices.values(), *game.always)
    for node in tree.walk(rules):
        for part in vars(node).values():
            if isinstance(part, tuple) and any(isinstance(each, tree.SetState) for each in part):
                yield part


def _keeps(block: Sequence[object], terms: Counter[str]) -> bool:
    """Return whether each change of the states in a block is undone by that beside it."""
    at = 0
    while at < len(block):
        one, two = block[at], block[at + 1] if at + 1 < len(block) else None
        at += 1
        if not isinstance(one, tree.SetState) or not terms[one.state]:
            continue
        if not isinstance(two, tree.SetState) or _change(one, terms) != -_change(two, terms):
            return False
        same = isinstance(one.value, tree.Const | tree.Local) and one.value == two.value
        if not same or not _change(one, terms):
            return False
        at += 1
    return True


def _change(change: tree.SetState, terms: Counter[str]) -> int:
    """Return how often a change adds its value to the sum; 0 if that is not known."""
    return {"+=": 1, "-=": -1}.get(change.operator, 0) * terms[change.state]


# --- play ----------------------------------------------------------------------------------------


def watched(game: tree.Checked, invariants: Sequence[tree.Invariant]) -> tree.Checked:
    """Return a game in which a number leaves its range, at the invariant, where one is broken.

    Each choice gets an option that is never open and looks at the invariants, whenever it is asked,
    and the game looks at them before it ends. It is another game: the cached module is not its.
    """
    if not invariants:
        return game
    span, owner = invariants[0].span, ruleset_of(game.play)
    name, play = f"{owner}/{_WATCHES}", game.actions[game.play]
    broken: tree.Expr = tree.Const(span, types.BOOL, False)
    for each in invariants:
        broken = tree.Binary(each.span, types.BOOL, "or", broken, _never(each))
    rule = tree.Rule(span, owner, "base", (), None, (tree.Return(span, broken),))
    value = tree.ValueDef(span, name, (), types.BOOL, "unique", (rule,))
    look = tree.CallValue(span, types.BOOL, name, ())
    ends = tree.If(span, look, ())
    actions = {key: _looking(each, ends) for key, each in game.actions.items()}
    last = tree.Hook(span, owner, "after", (), None, (ends,))
    hooks = actions[play.key].hooks
    hooks = replace(hooks, afters=(*hooks.afters, last))
    actions[play.key] = replace(actions[play.key], hooks=hooks)
    choices = {}
    for key, choice in game.choices.items():
        never = f"{key}.{_WATCHES}"
        option = tree.OptionDef(choice.span, never, never, owner, (), look, (), ())
        choice = _looking(choice, ends)
        choices[key] = replace(choice, options=(*choice.options, option))
    always = _looking(game.always, ends)
    values = {**game.values, name: value}
    return replace(game, values=values, actions=actions, choices=choices, always=always)


_WATCHES = "$invariants"
_TRUTH = types.IntType(0, 1)
_Part = TypeVar("_Part")


def _looking(part: _Part, look: tree.Stmt) -> _Part:
    """Return rules with a statement before each end of the game."""
    if isinstance(part, tuple):
        found = list[object]()
        for each in part:
            match each:
                case tree.Perform(call=tree.EffectCall(effect="end_game")):
                    found.append(look)
            found.append(_looking(each, look))
        return type(part)(found)
    if not isinstance(part, _WITH_STATEMENTS):
        return part
    inside = {name: _looking(each, look) for name, each in vars(part).items()}
    same = all(each is inside[name] for name, each in vars(part).items())
    return part if same else replace(part, **inside)


_WITH_STATEMENTS = (
    *(tree.ActionDef, tree.ChoiceDef, tree.OptionDef, tree.AlwaysDef, tree.Hooks, tree.Hook),
    *(tree.If, tree.For, tree.While),
)


def _never(each: tree.Invariant) -> tree.Expr:
    """Return a condition that is false, and fails where an invariant is broken."""
    span = each.span
    zero, one = (tree.Const(span, _TRUTH, number) for number in (0, 1))
    truth = tree.IfElse(span, _TRUTH, each.holds, one, zero)
    checked = tree.Ranged(span, types.IntType(1, 1), truth)
    return tree.Compare(span, types.BOOL, "==", checked, zero)


def broken(game: tree.Checked, error: PlayError) -> tree.Invariant | None:
    """Return the invariant of a game that stopped it when it was `watched`."""
    return next((each for each in game.invariants if each.span == error.span), None)


def title(each: tree.Invariant) -> str:
    """Return the name of an invariant as its ruleset writes it."""
    return short_name(each.key)
