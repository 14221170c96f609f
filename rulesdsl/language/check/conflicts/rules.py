"""Refinements of a value: their ranks, and clashes between them.

Refinements of more rulesets beat those of fewer. `order a.x before b.x` makes those of `b` beat
those of `a`. Ranks that follow from several of these hold too.

Of two rules, q beats r if q's rulesets contain r's, and either strictly or q's guard is strictly
narrower, or if an `order` puts q's ruleset after r's. The base body is beaten by every refinement.
Two rules of which neither beats the other and that can both apply with different results are an
error, unless a rule that beats both applies wherever both do. Rules of strangers that change
`previous` alike, as `previous + {…}` does, beat each other in some order, since any gives the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import compress, pairwise
from operator import itemgetter, or_

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.guards import (
    FINDING,
    Guard,
    GuardIndex,
    TooMuch,
    Work,
    bits,
    both,
    implies,
    key,
    normal,
    renaming,
    transposed,
)
from rulesdsl.language.check.conflicts.hooks import HookOrder, by_line, parties_in
from rulesdsl.language.check.errors import bracketed, one_line, parties, pasted, places
from rulesdsl.language.diagnostics import Label, Report
from rulesdsl.language.diagnostics.report import listed
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.flow import contains
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.names import owner_of, short_name

_TOGETHER = 4
"""The number of pairs of rulesets that count as one step of work."""


def check_rankings(
    orders: Mapping[str, Sequence[HookOrder]],
    values: Mapping[str, tree.ValueDef],
    rules: Mapping[str, Sequence[tree.Rule]],
    report: Report,
) -> None:
    """Report `order-unknown` and `wrong-order` for orders of refinements.

    The first is for refinements that do not exist, the second for values whose policy has no order.
    `orders` and `rules` are by value.
    """
    for full, group in orders.items():
        value = values.get(full)
        refining = {rule.ruleset for rule in rules.get(full, ()) if rule.verb == "refine"}
        for line in by_line(group):
            order = line[0]
            if value is not None and value.policy != "unique":
                _report_combined(value, order, report)
            elif order.independent:
                _report_independent(order, report)
            else:
                _report_unknown(line, refining, report)


def _report_combined(value: tree.ValueDef, order: HookOrder, report: Report) -> None:
    name = short_name(value.key)
    report.error(
        "wrong-order",
        f"`{name}` combines its contributions by `{value.policy}`, so their order makes no "
        "difference",
        order.span,
        labels=(Label(value.span, "declared here"),),
        help=("remove this line",),
    )


def _report_independent(order: HookOrder, report: Report) -> None:
    name = short_name(order.target)
    one, other = (f"{owner_of(party)}.{name}" for party in (order.first, order.second))
    report.error(
        "wrong-order",
        f"refinements of `{name}` cannot be independent: if both apply, one of them gives the "
        "result",
        order.span,
        help=(
            "write which is first; the later one beats it:",
            f"    order {one} before {other}",
            f"    order {other} before {one}",
        ),
    )


def _report_unknown(line: Sequence[HookOrder], refining: Collection[str], report: Report) -> None:
    order = line[0]
    for party, parts in parties_in(line).items():
        if parts.isdisjoint(refining):
            report.error(
                "order-unknown",
                f"`{party}` has no refinement of `{short_name(order.target)}`",
                order.span,
                help=("remove this line, or name a ruleset that refines it",),
            )


def by_ruleset(
    rules: Sequence[tree.Rule],
    game: LinkedGame,
    orders: Sequence[HookOrder],
    report: Report,
    work: Work,
) -> list[int] | None:
    """Return for every rule a mask of the rules that beat it whatever their guards are.

    Refinements beat a base body, and refinements of some rulesets beat those of others. The result
    is None if they beat each other in a cycle, which is reported (`order-cycle`).
    """
    numbers = {part.id: number for number, part in enumerate(game.parts)}
    of: dict[str, int] = {}
    for number, rule in enumerate(rules):
        if rule.verb != "base":
            of[rule.ruleset] = of.get(rule.ruleset, 0) | 1 << number
    reach = {id_: sum(1 << numbers[each] for each in game.reach[id_]) for id_ in of}
    work.spend(len(of) ** 2 // _TOGETHER)
    above = {
        id_: [o for o in of if reach[o] != own and reach[o] | own == reach[o]]
        for id_, own in reach.items()
    }
    more = {id_: reduce(or_, (of[o] for o in higher), 0) for id_, higher in above.items()}
    said = [o for o in orders if not o.independent and o.first in of and o.second in of]
    if said:
        for order in said:
            above[order.first].append(order.second)
        try:
            ordered = tuple(TopologicalSorter(above).static_order())
        except CycleError as error:
            _report_circle(error.args[1], said, game, report)
            return None
        for id_ in ordered:
            work.spend(1 + len(above[id_]) // _TOGETHER)
            more[id_] = reduce(or_, (of[o] | more[o] for o in above[id_]), 0)
    refinements = reduce(or_, of.values(), 0)
    return [refinements if rule.verb == "base" else more[rule.ruleset] for rule in rules]


def _report_circle(
    circle: Sequence[str], orders: Sequence[HookOrder], game: LinkedGame, report: Report
) -> None:
    """Report `order-cycle`.

    Each ruleset of `circle` beats the next, and the last is the first again.
    """
    said = {(order.second, order.first): order for order in orders}
    pairs = list(pairwise(circle))
    lines = sorted((said[pair] for pair in pairs if pair in said), key=orders.index)
    lines = [line[0] for line in by_line(lines)]
    houses = {ruleset.id for ruleset in game.rulesets if ruleset.house}
    reasons = (
        f"refinements of `{one}` beat those of `{other}` whatever is ordered: `{one}` "
        + ("is a house ruleset" if owner_of(one) in houses else f"builds on `{other}`")
        for one, other in pairs
        if (one, other) not in said
    )
    report.error(
        "order-cycle",
        f"the refinements of `{short_name(lines[0].target)}` are ordered in a cycle",
        lines[0].span,
        labels=tuple(Label(order.span, "and this") for order in lines[1:]),
        help=(*reasons, "remove one of these lines" if len(lines) > 1 else "remove this line"),
    )


# --- rules whose order makes no difference --------------------------------------------------------


def _chain(value: tree.ValueDef, game: LinkedGame, above: list[int]) -> None:
    """Let rules of strangers that change `previous` alike beat each other, in some order.

    `above` are the masks of `by_ruleset`. A rule that reads `previous in` a ruleset would find more
    rules below those of one ruleset than of another, so there is no such order beside it.
    """
    if any(each.ruleset for each in tree.Nodes(value.rules).of(tree.Previous)):
        return
    beaten = [mask.bit_count() for mask in above]
    groups: dict[str, list[int]] = {}
    for number, rule in enumerate(value.rules):
        way = _way(value, rule)
        if way is not None:
            groups.setdefault(way, []).append(number)
    for numbers in groups.values():
        # A rule comes after all that beat it, so that no two beat each other.
        numbers.sort(key=lambda number: (beaten[number], -number))
        higher: dict[frozenset[str], int] = {}
        for number in numbers:
            own = game.reach[value.rules[number].ruleset]
            above[number] |= reduce(or_, (m for r, m in higher.items() if r != own), 0)
            higher[own] = higher.get(own, 0) | 1 << number


def _way(value: tree.ValueDef, rule: tree.Rule) -> str | None:
    """Return how a refinement changes `previous`, if several that do so can come in any order."""
    if rule.verb == "base" or contains(rule.guard, tree.Previous):
        return None
    if isinstance(value.type, types.IntType) and value.type != types.INT:
        return None  # a number on the way may be outside of the range
    ways = set(_block_ways(rule.body))
    return ways.pop() if len(ways) == 1 else None


def _block_ways(body: tree.Block) -> Iterator[str | None]:
    """Yield how the results of a body change `previous`; None for any that can depend on orders."""
    for statement in body:
        match statement:
            case tree.Return(value=tree.Typed() as result):
                yield _changes(result)
            case tree.If(condition=condition, then=then, otherwise=otherwise):
                if contains(condition, tree.Previous):
                    yield None
                yield from _block_ways(then)
                yield from _block_ways(otherwise)
            case _:
                if contains(statement, tree.Previous, tree.Return):
                    yield None


def _changes(result: tree.Expr) -> str | None:
    match result:
        case tree.Binary(operator=operator, left=left, right=right) if operator in _WAYS:
            if operator in _EITHER and isinstance(right, tree.Previous):
                left, right = right, left
            inner = "" if isinstance(left, tree.Previous) else _changes(left)
            way = _WAYS[operator]
            if operator in ("and", "or") and not _sure(right):
                return None  # the order decides which operands are reached, and these can fail
            return way if inner in ("", way) and not contains(right, tree.Previous) else None
        case tree.CallBuiltin(function="max" | "min" as function, arguments=(left, right)):
            others = [each for each in (left, right) if not isinstance(each, tree.Previous)]
            return function if len(others) == 1 and not contains(others, tree.Previous) else None
        case tree.Comprehension(
            value=tree.Local(name=name),
            binders=(tree.Binder(names=(bound,), domain=tree.Previous(), where=where),),
        ) if name == bound and not contains(where, tree.Previous):
            return "difference"
    return None


def _sure(condition: tree.Expr) -> bool:
    """Return whether a condition certainly does not fail."""
    for node in tree.walk(condition):
        match node:
            case tree.Binary(operator="and" | "or") | tree.EntryAt(what="zone"):
                pass
            case tree.Aggregate(function="any" | "all" | "count"):
                pass
            case tree.CallBuiltin(function="kind" | "owner" | "players" | "figures" | "tokens"):
                pass
            case _ if not isinstance(node, _SURE):
                return False
    return True


_SURE = (
    *(tree.Binder, tree.Compare, tree.Const, tree.IsKind, tree.Local),
    *(tree.Member, tree.Not, tree.ReadAttribute, tree.ReadState),
)
"""The nodes that cannot fail by themselves."""

_WAYS = {
    "union": "union",
    "difference": "difference",
    "+": "+",
    "-": "+",
    "and": "and",
    "or": "or",
}
"""The operators that change what is left of them, and what each shares with others."""
_EITHER = ("union", "+", "and", "or")
"""Those of them that change what is right of them too."""


# --- the order of rules ---------------------------------------------------------------------------


_BITS = bytes.maketrans(b"01", b"\0\1")
_FEW = 10
"""Rules that beat fewer rules than this have them sorted one by one."""
_NAMED = 20
"""The number of pairs of rules, one beating the other, that count as one step of work."""


@dataclass(frozen=True)
class _Ranked:
    """A rule with its rank; `number` is its place in the value's own order.

    `above`, `below` and `meeting` are masks of the numbers of the rules that beat it, that it
    beats, and that can apply together with it.
    """

    number: int
    rule: tree.Rule
    guard: Guard
    above: int
    below: int
    meeting: int

    @property
    def base(self) -> bool:
        return self.rule.verb == "base"

    @cached_property
    def result(self) -> str:
        """A text that is equal for rules with the same body."""
        return key(self.rule.body, renaming(self.rule.params))

    @cached_property
    def previous(self) -> Sequence[tree.Previous]:
        """The uses of `previous` in the rule; a base body has none."""
        return () if self.base else tree.Nodes(self.rule).of(tree.Previous)

    def beats(self, other: _Ranked) -> bool:
        return bool(self.below >> other.number & 1)


def order_rules(
    value: tree.ValueDef,
    game: LinkedGame,
    orders: Sequence[HookOrder],
    report: Report,
    work: Work,
) -> tree.ValueDef:
    """Return `value` with its rules in the order they are tried, `beats` filled in.

    `orders` are those of its refinements. Reports `never-applies`, `value-clash`,
    `previous-ambiguous`, `order-cycle` and `unknown-name`, and `too-large` if `work` does not
    suffice. Rules of other policies than `unique`, and a body that nobody refines, keep their order
    without being checked.
    """
    if value.policy != "unique" or all(rule.verb == "base" for rule in value.rules) or work.over:
        return value
    guards = tuple(rule.guard for rule in value.rules)
    if any(isinstance(each, tree.Const) and each.type == types.ERROR for each in tree.walk(guards)):
        return value  # what a guard means is not known
    try:
        above = by_ruleset(value.rules, game, orders, report, work)
        if above is None:
            return value
        _chain(value, game, above)
        named = {party for order in orders for party in (order.first, order.second)}
        ranked = _ranked(value.rules, game, above, named, work)
        return _ordered(value, game, ranked, report, work)
    except TooMuch:
        name, count = short_name(value.key), len(value.rules)
        message = f"the {count} rules of `{name}` take too long to compare with each other"
        help_lines = (
            f"split `{name}` into several values, each with some of its rules,",
            "or put what distinguishes them into a table",
        )
        report.error("too-large", message, value.span, help=help_lines)
        return value


def _ordered(
    value: tree.ValueDef, game: LinkedGame, ranked: Sequence[_Ranked], report: Report, work: Work
) -> tree.ValueDef:
    """Return `value` with its ranked rules in order; raise `TooMuch` if `work` does not suffice."""
    ordered = _sorted(ranked)
    _report_hidden(value, ordered, report)
    _report_clashes(value, ordered, game, report, work)
    _report_previous(value, ordered, game, report, work)
    _report_absent(value, ordered, report)
    work.spend(sum(one.below.bit_count() for one in ordered) // _NAMED)
    order = [one.number for one in ordered]
    place = {number: index for index, number in enumerate(order)}
    places = tuple(range(len(order)))  # shares one object per number among all pairs
    in_order = itemgetter(*order)

    def beaten(one: _Ranked) -> Iterator[int]:
        if one.below.bit_count() < _FEW:
            return iter(sorted(place[number] for number in bits(one.below)))
        flags = format(one.below, f"0{len(order)}b")[::-1].encode().translate(_BITS)
        return compress(places, in_order(flags))

    rules = tuple(replace(one.rule, beats=tuple(beaten(one))) for one in ordered)
    return replace(value, rules=rules)


def _ranked(
    rules: Sequence[tree.Rule],
    game: LinkedGame,
    by_ruleset: Sequence[int],
    named: Collection[str],
    work: Work,
) -> list[_Ranked]:
    """Return the rules with their ranks.

    `by_ruleset` has the masks of rules that beat each rule whatever its guard is; `named` are the
    rulesets with an order.
    """
    guards = [normal(rule.guard, rule.params) for rule in rules]
    index = GuardIndex(guards, work)
    above = list(by_ruleset)
    for alike in _alike(rules, game, named):
        narrower = {number: index.narrower(number) & alike for number in bits(alike)}
        equal: dict[int, int] = {}
        for number, mask in narrower.items():
            equal[mask] = equal.get(mask, 0) | 1 << number
        for number, mask in narrower.items():
            above[number] |= mask & ~equal[mask]
    below = transposed(above)
    return [
        _Ranked(number, rule, guards[number], above[number], below[number], index.meeting(number))
        for number, rule in enumerate(rules)
    ]


def _alike(rules: Sequence[tree.Rule], game: LinkedGame, named: Collection[str]) -> Collection[int]:
    """Return masks of the refinements of the same rulesets, among which the narrower guard wins.

    Rules of a ruleset with an order are compared with each other alone: two house rulesets could be
    ordered one way and their guards the other way.
    """
    found: dict[tuple[frozenset[str], str], int] = {}
    for number, rule in enumerate(rules):
        if rule.verb != "base":
            group = game.reach[rule.ruleset], rule.ruleset if rule.ruleset in named else ""
            found[group] = found.get(group, 0) | 1 << number
    return found.values()


def _sorted(ranked: Sequence[_Ranked]) -> list[_Ranked]:
    """Return every rule before those it beats, unrelated ones in reverse ruleset order."""
    # A rule waits for one of those that beat it, and is tried again when that one is placed.
    waiting: dict[int, list[_Ranked]] = {}
    free: list[int] = []
    left = (1 << len(ranked)) - 1

    def look(one: _Ranked) -> None:
        missing = one.above & left
        if missing:
            waiting.setdefault(_lowest(missing), []).append(one)
        else:
            heappush(free, -one.number)

    for one in ranked:
        look(one)
    ordered: list[_Ranked] = []
    while free:
        best = ranked[-heappop(free)]
        ordered.append(best)
        left ^= 1 << best.number
        for one in waiting.pop(best.number, ()):
            look(one)
    return ordered


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _report_hidden(value: tree.ValueDef, ordered: Sequence[_Ranked], report: Report) -> None:
    """Report a body that its own ruleset always replaces; another ruleset may do that."""
    body = next((one for one in ordered if one.base), None)
    for other in ordered:
        if body is None or other.base or other.rule.ruleset != body.rule.ruleset:
            continue
        if other.rule.guard is None and not other.previous:
            report.warning(
                "never-applies",
                f"this rule of `{short_name(value.key)}` never applies: another rule always wins",
                body.rule.span,
                labels=(Label(other.rule.span, "this one beats it wherever it applies"),),
                help=("remove it, or change its guard",),
            )


def _report_clashes(
    value: tree.ValueDef, ordered: Sequence[_Ranked], game: LinkedGame, report: Report, work: Work
) -> None:
    ranked = {one.number: one for one in ordered}
    place = {one.number: index for index, one in enumerate(ordered)}
    left = (1 << len(ordered)) - 1
    for one in ordered:
        left ^= 1 << one.number
        unclear = one.meeting & left & ~one.above & ~one.below
        work.spend(unclear.bit_count())
        for number in sorted(bits(unclear), key=place.__getitem__):
            other = ranked[number]
            if one.result == other.result:
                continue
            if not _settled(one, other, ranked, work):
                work.spend(FINDING)
                first, second = sorted((one, other), key=lambda r: r.number)
                _clash(value, first, second, game, report)


def _settled(one: _Ranked, other: _Ranked, ranked: Mapping[int, _Ranked], work: Work) -> bool:
    """Return whether a third rule beats two wherever both apply."""
    thirds = one.above & other.above
    work.spend(thirds.bit_count())
    meeting = both(one.guard, other.guard) if thirds else ()
    return any(implies(meeting, ranked[number].guard) for number in bits(thirds))


def _clash(
    value: tree.ValueDef, one: _Ranked, other: _Ranked, game: LinkedGame, report: Report
) -> None:
    name = short_name(value.key)
    names = _parameters(one.rule, other.rule)
    when = " and ".join(dict.fromkeys(_guard_texts(names, one.rule, other.rule)))
    circumstance = f"when {when}" if when else "always"
    parts = sorted({one.rule.ruleset, other.rule.ruleset})
    owners = sorted(set(map(owner_of, parts)))
    head = f"refine {name}({', '.join(names)})" + (f" when {when}" if when else "")
    advice: tuple[str, ...]
    if len(owners) == 1:
        others = [party for party in parties(*parts) if party not in owners]
        where = f", below `with {', '.join(others)}:`:" if len(parts) > 1 else ":"
        lead = f"make one guard narrower, or say what holds when both apply{where}"
        advice = (lead, f"    {head}: …")
    else:
        advice = (
            f"happens in every game with {listed(parties(*parts), 'and')}; write "
            f"one of these lines {places(*parts)}:",
            *_order_lines(one, other),
        )
        # Rules of house rulesets beat all others, even those for both rulesets. What is `previous`
        # in a guard of one of them has no name in others.
        by_previous = any(contains(each.rule.guard, tree.Previous) for each in (one, other))
        if not by_previous and not any(
            ruleset.house for ruleset in game.rulesets if ruleset.id in owners
        ):
            meaning = f"any expression; this one is what {owners[0]} alone gives"
            line = f"    {head}: previous in {owners[0]}  # {meaning}"
            own, rival = one.rule.ruleset, other.rule.ruleset
            advice = (*advice, pasted(line, one.rule.span, own, rival))
    report.error(
        "value-clash",
        f"`{name}` gets two values {circumstance}",
        one.rule.span,
        mark="gives one",
        labels=(Label(other.rule.span, "gives the other"),),
        help=advice,
    )


def _order_lines(one: _Ranked, other: _Ranked) -> tuple[str, ...]:
    """Return the two possible orders of the rules of two rulesets, each with its meaning."""
    at, parts = one.rule.span, (one.rule.ruleset, other.rule.ruleset)
    return tuple(
        pasted(
            f"    order {_written(first)} before {_written(second)}  # {_meaning(first, second)}",
            at,
            *parts,
        )
        for first, second in ((one, other), (other, one))
    )


def _meaning(first: _Ranked, second: _Ranked) -> str:
    """Return the meaning of one rule beating another where both apply, in words."""
    a, b = first.rule.ruleset, second.rule.ruleset
    if any(previous.ruleset is None for previous in second.previous):
        return f"first {a}, then {b}: `previous` in {b} is what {a} gives"
    return f"if both apply, only that of {b} counts"


_TARGET = re.compile(r"refine\s+([\w.]+)")


def _written(one: _Ranked) -> str:
    """Return the ruleset of a refinement and the value's name, as written there."""
    target = _TARGET.match(one.rule.span.text)
    assert target is not None, "a refinement names its value first"
    return f"{owner_of(one.rule.ruleset)}.{target[1]}"


_WORD = re.compile(r"(?<![.\w'])[A-Za-z_]\w*")


def _parameters(one: tree.Rule, other: tree.Rule) -> tuple[str, ...]:
    """Return common names for the parameters of two rules.

    They are the names of `one`, unless a guard uses such a name for something else.
    """
    taken = {
        word
        for rule in (one, other)
        for word in _WORD.findall(one_line(rule.guard))
        if word not in rule.params
    }
    return tuple(name + "_" if name in taken else name for name in one.params)


def _guard_texts(names: Sequence[str], *rules: tree.Rule) -> Iterable[str]:
    """Return the conditions of the guards as written, with the parameters called `names`."""
    for rule in rules:
        for condition in _conjuncts(rule.guard):
            text = _renamed(one_line(condition), dict(zip(rule.params, names, strict=True)))
            yield bracketed(text)


def _conjuncts(guard: tree.Expr | None) -> list[tree.Expr]:
    match guard:
        case None:
            return []
        case tree.Binary(operator="and", left=left, right=right):
            return _conjuncts(left) + _conjuncts(right)
    return [guard]


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)


def _report_previous(
    value: tree.ValueDef, ordered: Sequence[_Ranked], game: LinkedGame, report: Report, work: Work
) -> None:
    ranked = {one.number: one for one in ordered}
    place = {one.number: index for index, one in enumerate(ordered)}
    for one in ordered:
        bare = [previous for previous in one.previous if previous.ruleset is None]
        if not bare:
            continue
        top = sorted(_top(one.below & one.meeting, ranked), key=place.__getitem__)
        work.spend(len(top))
        rivals = [ranked[r] for r in top[1:] if ranked[top[0]].meeting >> r & 1]
        if rivals:
            first = ranked[top[0]]
            work.spend(FINDING + len(rivals))
            report.error(
                "previous-ambiguous",
                f"`previous` could be any of {len(rivals) + 1} rules of `{short_name(value.key)}`",
                bare[0].span,
                labels=tuple(Label(r.rule.span, "one of them") for r in (first, *rivals)),
                help=_choosing(one, (first, *rivals), game),
            )


def _choosing(one: _Ranked, rivals: Sequence[_Ranked], game: LinkedGame) -> tuple[str, ...]:
    """Return help lines for saying which of several rules `previous` means."""
    of = {owner_of(rival.rule.ruleset): rival for rival in rivals}
    names = sorted(of)
    if len(names) == 1:
        return (
            f"all are rules of `{names[0]}`: make one guard narrower, or do without `previous`",
        )
    orders = _order_lines(*(of[name] for name in names)) if len(names) == len(rivals) == 2 else ()
    if not game.reach[one.rule.ruleset].issuperset(names):
        where = places(*(rival.rule.ruleset for rival in rivals))
        return (f"say {where}:", *orders)
    known = tuple(f"write `(previous in {name})`" for name in names)
    return (*known, "or say which of them is first:", *orders) if orders else known


def _top(mask: int, ranked: Mapping[int, _Ranked]) -> Iterator[int]:
    """Yield those of some rules that no other of them beats."""
    left = mask
    while left:
        best = _lowest(left)
        while higher := ranked[best].above & mask:
            best = _lowest(higher)
        yield best
        left &= ~(ranked[best].below | 1 << best)


def _report_absent(value: tree.ValueDef, ordered: Sequence[_Ranked], report: Report) -> None:
    """Report `previous in` a ruleset of which no rule is beaten."""
    ranked = {one.number: one for one in ordered}
    of: dict[str, int] = {}
    for one in ordered:
        owner = owner_of(one.rule.ruleset)
        of[owner] = of.get(owner, 0) | 1 << one.number
    for one in ordered:
        for previous in one.previous:
            if previous.ruleset is not None and not of.get(previous.ruleset, 0) & one.below:
                message = (
                    f"`{previous.ruleset}` has no rule of `{short_name(value.key)}` below this one"
                )
                below = (ranked[number].rule.ruleset for number in bits(one.below))
                there = sorted(set(map(owner_of, below)))
                known = tuple(f"write `(previous in {name})`" for name in there)
                report.error("unknown-name", message, previous.span, help=known)
