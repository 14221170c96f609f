"""Invariants of a game: which of them follow from its rules, and how games watch the others.

Three forms are proved. Ranges of states, attributes and counts can leave no other truth. What no
rule changes stays what it is when a game begins. A sum of states stays the same where every rule
that takes from one of them gives as much to another in the next line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from rulesdsl.check.conflicts.effects import DIE_FACES, ORDER_IN, EffectScope, EffectTable, bounds
from rulesdsl.check.graph import contents
from rulesdsl.engines import reference
from rulesdsl.engines.engine import PlayError, Position
from rulesdsl.model import checked as tree
from rulesdsl.model import types
from rulesdsl.model.names import ruleset_of, short_name

# --- proofs --------------------------------------------------------------------------------------


def proved(game: tree.Checked) -> frozenset[str]:
    """Return the keys of the invariants of a game that are proved."""
    found = {each.key for each in game.invariants if _ranges(each.holds, game)}
    left = [each for each in game.invariants if each.key not in found]
    if not left:
        return frozenset(found)
    effects = EffectTable(game, contents(game))
    blocks, changed = list(_blocks(game)), _changed(effects)
    stays = [e for e in left if _unchanged(e.holds, effects, changed) or _kept(e.holds, blocks)]
    begun = _beginnings(game) if stays else ()
    found |= {e.key for e in stays if begun and all(_holds(at, e.holds) for at in begun)}
    return frozenset(found)


def _ranges(holds: tree.Expr, game: tree.Checked) -> bool:
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
            low, high = _bounds(item, game)
            return _bounds(least, game)[1] <= low and high <= _bounds(most, game)[0]
        case tree.Compare(operator=operator, left=left, right=right) if _numbers(left, right):
            (low, high), (less, more) = _bounds(left, game), _bounds(right, game)
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


def _bounds(number: tree.Expr, game: tree.Checked) -> tuple[int, int]:
    return bounds(number, game.game)


def _changed(effects: EffectTable) -> frozenset[str]:
    """Return the names of the columns that rules change, or that chance sets up."""
    inside = effects.contents
    found = {DIE_FACES}
    for nodes in (*inside.actions.values(), *inside.choices.values(), inside.always):
        found |= effects.within(nodes, EffectScope(effects.values, nodes), False).changing
    return frozenset(found)


def _unchanged(holds: tree.Expr, effects: EffectTable, changed: frozenset[str]) -> bool:
    """Return whether a condition reads nothing that is changed, and no order that is drawn."""
    read = {column.name for column in effects.of(holds).reads}
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
            named = [(each.name,) if isinstance(each, tree.Local) else () for each in _of(read)]
            if ranged != [(names, None) for names in named] or not all(map(_whole, binders)):
                return False
            terms[read.state] += sign
            return True
        case tree.ReadState(state=state, owner=None, index=()):
            terms[state] += sign
            return True
    return False


def _of(read: tree.ReadState) -> tuple[tree.Expr, ...]:
    """Return the owner of a state, if it is not the game, and its indices."""
    return (*(() if read.owner is None else (read.owner,)), *read.index)


def _whole(binder: tree.Binder) -> bool:
    """Return whether a binder ranges over all players, or over all members of an enum."""
    return tree.is_players((binder,)) or isinstance(binder.domain, tree.EnumSet)


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


def _beginnings(game: tree.Checked) -> tuple[Position, ...]:
    """Return the first positions of games, one for each number of players; none if rules fail."""
    try:
        return tuple(reference.start(game, players, 0) for players in game.game.numbers)
    except PlayError:
        return ()


def _holds(position: Position, holds: tree.Expr) -> bool:
    with suppress(PlayError):
        return position.evaluate(holds, {}) is True
    return False


# --- play ----------------------------------------------------------------------------------------


def watched(game: tree.Checked, invariants: Iterable[tree.Invariant]) -> tree.Checked:
    """Return a game in which a number leaves its range, at the invariant, where one is broken.

    Each choice gets an option that is never open and looks at the invariants, whenever it is asked.
    """
    guard: tree.Expr | None = None
    for each in invariants:
        found = _never(each)
        guard = found if guard is None else tree.Binary(each.span, types.BOOL, "or", guard, found)
    if guard is None:
        return game
    choices = {}
    for key, choice in game.choices.items():
        name = f"{key}.{_WATCHES}"
        option = tree.OptionDef(choice.span, name, name, ruleset_of(key), (), guard, (), ())
        choices[key] = replace(choice, options=(*choice.options, option))
    return replace(game, choices=choices)


_WATCHES = "invariants"
_TRUTH = types.IntType(0, 1)


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
