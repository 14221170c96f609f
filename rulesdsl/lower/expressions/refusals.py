"""What a condition refuses, asked once before all that it could refuse.

Most rules about where a tile may lie are about some tiles: for all others they need not be asked
of every place.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial, reduce
from typing import TYPE_CHECKING

from rulesdsl.lower.expressions import members
from rulesdsl.lower.logic import FALSE, negation
from rulesdsl.model import ir
from rulesdsl.model.asked import asked
from rulesdsl.model.checked import Aggregate, Binder, CallValue, Local, Return, Rule, walk

if TYPE_CHECKING:
    from rulesdsl.lower.expressions.expressions import Expressions

STEPS = 2
"""The steps that each member takes of which nothing is refused: binding it, and the value."""


def may_refuse(x: Expressions, binder: Binder) -> ir.Expr | None:
    """Can the `where` of a binder refuse any member at all? None if only looking at each can tell.

    It can tell of a value with policy `all` whose rules say something of all members of a domain:
    where that has none, nothing is refused.
    """
    call = _only_call(binder)
    if call is None:
        return None
    definition = x.lowering.checked.values[call.value]
    if definition.policy != "all":
        return None
    found = [_rule_refuses(x, rule, call, binder.names[0]) for rule in definition.rules]
    known = [each for each in found if each is not None]
    if not known or len(known) < len(found):
        return None
    while len(known) > 1:  # in pairs, so that many make no deep tree
        known = [reduce(partial(ir.Logic, "or"), known[n : n + 2]) for n in range(0, len(known), 2)]
    return known[0]


def _only_call(binder: Binder) -> CallValue | None:
    """The call of a value of locals that is all that a binder asks."""
    kinds, others = asked(binder)
    if kinds or len(others) != 1 or not isinstance(others[0], CallValue):
        return None
    return others[0] if all(isinstance(each, Local) for each in others[0].arguments) else None


def _rule_refuses(x: Expressions, rule: Rule, call: CallValue, member: str) -> ir.Expr | None:
    """Has the domain any member of which a rule says something? None if that is not sure to be the
    same for all."""
    match rule.body:
        case (Return(value=Aggregate(function="all", binders=(inner, *_))),) if rule.guard is None:
            domain = inner.domain
        case _:
            return None
    inside = walk(domain)
    if any(isinstance(node, CallValue) for node in inside):
        return None  # it takes steps for each member
    names = {node.name for node in inside if isinstance(node, Local)}
    with ExitStack() as stack:
        for name, argument in zip(rule.params, call.arguments, strict=True):
            assert isinstance(argument, Local)
            if argument.name == member:
                if name in names:
                    return None
            else:
                stack.enter_context(x.bind(name, x.value(argument)))
        nothing = members.of_binder(x, inner).unless
    return None if nothing == FALSE else negation(nothing)
