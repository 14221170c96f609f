"""Faults that only combinations have: vetoes that do not reach, and what never ends.

What fails at one place in the code, because of something that a stranger does, is a row of
`faults`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from rulesdsl.language.check.conflicts.effects import DECISIONS, Column, EffectTable
from rulesdsl.language.check.conflicts.faults import check_faults
from rulesdsl.language.check.conflicts.guards import TooMuch
from rulesdsl.language.check.conflicts.hooks import every
from rulesdsl.language.check.conflicts.paths import DEEP, Body, Need, Paths, addition, given_by
from rulesdsl.language.check.conflicts.quantities import Quantities
from rulesdsl.language.check.conflicts.unfolded import substituted
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.flow import negation
from rulesdsl.language.model.names import owner_of, ruleset_of, short_name

_SHOWN = 3
"""The options that are shown with a veto that does not reach them."""


def check_together(checked: tree.Checked, effects: EffectTable, report: Report) -> None:
    """Report `escaped-veto`, `unmet-require`, `shared-limit`, `never-ends` and `not-the-one`.

    These are warnings.

    The search ends early if it takes too long.
    """
    paths = Quantities(checked, effects, report)
    with suppress(TooMuch):
        _check_vetoes(paths)
        _check_always(paths)
        check_faults(paths, unknowing=True)
        if not any(paths.strangers(*pair) for pair in combinations(checked.game.visible, 2)):
            return
        _check_circles(paths)
        _check_kept(paths)
        check_faults(paths)


# --- vetoes --------------------------------------------------------------------------------------


def _check_vetoes(paths: Paths) -> None:
    """Report each veto once that options do not meet, in code that its ruleset does not know.

    The veto is about what the forbidden option gives to an action. Another option may give the
    same to that action, also in a hook or through further actions.
    """
    told = set[Span]()
    options = [each for choice in paths.checked.choices.values() for each in choice.options]
    for option in options:
        for veto in option.forbids:
            for call in tree.Nodes(option.body).of(tree.ActionCall):
                if veto.span not in told:
                    escaped = list(_escaped(paths, veto, option, call, options))
                    if escaped:
                        told.add(veto.span)
                        _report_escaped(paths, veto, call, escaped)


def _escaped(
    paths: Paths,
    veto: tree.Forbid,
    option: tree.OptionDef,
    call: tree.ActionCall,
    options: Iterable[tree.OptionDef],
) -> Iterator[tuple[tree.OptionDef, Label]]:
    """Yield the options that do what a veto forbids where it calls an action, and where."""
    own = [name for binder in option.binders for name in binder.names]
    names = dict(zip(veto.params, own, strict=False))
    asked = {each.name for each in tree.Nodes(veto.guard).of(tree.Local)} & set(veto.params)
    given = {
        each.name: at for at, each in enumerate(call.arguments) if isinstance(each, tree.Local)
    }
    requires = paths.checked.actions[call.action].requires
    reach = paths.game.reach[veto.ruleset]
    if (
        not asked
        or not all(names.get(each) in given for each in asked)
        or ruleset_of(call.action) not in reach
        or any(owner_of(rule.ruleset) == owner_of(veto.ruleset) for rule in requires)
    ):
        return
    for other in options:
        if any(each.span == veto.span for each in other.forbids):
            continue
        opened = paths.unfolder.opened(other)
        locals_ = tuple(tree.Local(b.span, b.item, n) for b in other.binders for n in b.names)
        for body, act in _acts(paths, _parts(other, locals_), reach, DEEP):
            if act.action == call.action:
                same = {name: act.arguments[given[names[name]]] for name in asked}
                forbidden = paths.unfolder.condition(veto.guard, same)
                if paths.possible((opened, *paths.at(body, act)), forbidden):
                    yield other, Label(act.span, f"of `{body.ruleset}`")
                    break


def _acts(
    paths: Paths, bodies: Iterable[Body], reach: Collection[str], deep: int
) -> Iterator[tuple[Body, tree.ActionCall]]:
    """Yield the calls in bodies of rulesets that are not within reach, and in what they run."""
    for body in bodies:
        for call in body.nodes.of(tree.ActionCall) if body.ruleset not in reach else ():
            yield body, call
            paths.work.spend(len(body.nodes))
            known = paths.at(body, call)
            parts = _parts(paths.checked.actions[call.action], call.arguments) if deep else ()
            inner = (replace(each, known=(*known, *each.known)) for each in parts)
            yield from _acts(paths, inner, reach, deep - 1)


def _report_escaped(
    paths: Paths,
    veto: tree.Forbid,
    call: tree.ActionCall,
    escaped: Sequence[tuple[tree.OptionDef, Label]],
) -> None:
    name = short_name(call.action)
    named = ", ".join(f"`{short_name(each.key)}`" for each, _ in escaped)
    paths.warn(
        "escaped-veto",
        f"this veto does not reach {named}, where another ruleset may `{name}` what it forbids",
        veto.span,
        (
            *(label for _, label in escaped[:_SHOWN]),
            Label(call.span, f"the forbidden option calls `{name}`"),
        ),
        f"if it has to hold for every choice, write in its place: `require {name}(…): …`",
        unless="it is about this choice only",
    )


def _check_always(paths: Paths) -> None:
    """Report each `always` whose condition asks for a value that an unknown ruleset changes.

    What the body does to make the condition false may not do so any more. A body is fine that
    moves the element elsewhere, or changes a state for which the condition itself asks. Its own
    ruleset counts too if its rule is true where the other rules of the value are not.
    """
    for rule in paths.checked.always:
        values = paths.effects.contents.called((rule.binder.where,))
        names = set(rule.binder.names)
        moves = (
            call
            for call in tree.Nodes(rule.body).of(tree.EffectCall)
            if call.effect == "move"
            and isinstance(call.arguments[0], tree.Local)
            and call.arguments[0].name in names
        )
        asked = {each.state for each in tree.Nodes(rule.binder.where).of(tree.ReadState)}
        changed = {each.state for each in tree.Nodes(rule.body).of(tree.SetState)}
        if not values or asked & changed or any(moves):
            continue
        for other in paths.bodies:
            if other.value in values and (
                paths.unknown(rule.ruleset, other.ruleset) or _keeps(paths, rule, other)
            ):
                span = other.code[0].span if other.code else rule.span
                paths.warn(
                    "never-ends",
                    f"`always` may apply for ever: `{other.ruleset}` changes "
                    f"`{short_name(other.value)}`, for which its condition asks",
                    rule.span,
                    [Label(span, f"changed by {other.ruleset}")],
                    "let the condition ask for what the rule changes, too",
                )
                break


def _check_kept(paths: Paths) -> None:
    """Report each `always` and `while` whose condition strangers keep true in what it runs.

    A loop that asks somebody ends with the game, at the limit of decisions.
    """
    loops = [
        (body.ruleset, each.condition, each.body, each.span, True)
        for body in paths.bodies
        for each in body.nodes.of(tree.While)
        if Column(DECISIONS) not in paths.effects.of(each.body).writes
    ]
    for rule in paths.checked.always:
        if rule.binder.where is not None:
            loops.append((rule.ruleset, rule.binder.where, rule.body, rule.span, False))
    for ruleset, condition, code, span, loop in loops:
        keeping = [
            each
            for needed in dict.fromkeys(paths.needed(condition))
            for each in _growing(paths, ruleset, code, needed, condition)
        ]
        for one, other in combinations([(ruleset, span), *keeping], 2):
            if paths.strangers(one[0], other[0]) or (not loop and one[1] is span):
                labels = [Label(each[1], f"from {each[0]}") for each in (one, other)]
                paths.warn(
                    "never-ends",
                    f"this may go on for ever: `{other[0]}` keeps its condition true",
                    span,
                    labels if one[1] is not span else labels[1:],
                    "ask for something that each round uses up",
                )
                break


def _growing(
    paths: Paths, ruleset: str, code: tree.Block, needed: Need, condition: tree.Expr
) -> Iterator[tuple[str, Span]]:
    """Yield where rulesets keep a condition of a loop true, if its rounds may not end that.

    The condition needs a state that is large, or small (see `_needed`).
    """
    waiting = [call.action for call in tree.Nodes(code).of(tree.ActionCall)]
    for at in waiting:
        waiting += {called for called, *_ in paths.calls.get(at, ())} - {*waiting}
    total = sum(_pull(paths, each, needed, condition) for each in code)
    found = list[tuple[str, Span]]()
    for body in paths.bodies if waiting else ():
        if body.run_by in waiting:
            changes = [
                (c, _pull(paths, c, needed, condition))
                for c in tree.Nodes(body.code).of(tree.SetState)
            ]
            always = body.code if body.action else ()
            total += sum(pull for c, pull in changes if pull > 0 or c in always)
            if paths.unknown(ruleset, body.ruleset):
                found += [(body.ruleset, c.span) for c, pull in changes if pull > 0][:1]
    yield from found if total >= 0 else ()


def _pull(paths: Paths, change: tree.Stmt, needed: Need, condition: tree.Expr) -> int:
    """Return how far a statement may bring a state to where a condition holds, or away."""
    state, sign = needed[0].name, needed[1]
    if not isinstance(change, tree.SetState) or change.state != state:
        return 0
    added = addition(change, paths.game)
    if change.operator != "=" or any(added):
        return max(sign * end for end in added)
    reads = (r for r in tree.Nodes(condition).of(tree.ReadState) if r.state == state)
    sets = (tree.Compare(r.span, types.BOOL, "==", r, change.value) for r in reads)
    return 1 if any(paths.possible((each,), condition) for each in sets) else -1


def _check_circles(paths: Paths) -> None:
    """Report calls that strangers make run again: queued ones, and those with a limit."""
    told = set[frozenset[str]]()
    for body in paths.bodies:
        queued = {id(later.call) for later in body.nodes.of(tree.Later)}
        for call in body.nodes.of(tree.ActionCall):
            depth, name = paths.checked.actions[call.action].depth, short_name(call.action)
            if id(call) not in queued and depth is None:
                continue
            for other, span in _closing(paths, body, call):
                parties = frozenset((body.ruleset, other))
                if parties in told:
                    break
                told.add(parties)
                slug, advice = "never-ends", "ask for something that each call uses up"
                message = f"`{name}` may be queued for ever: `{other}` makes this run again"
                if depth is not None:
                    slug, advice = "shared-limit", "ask how deep it is, or use `later`"
                    message = f"`{name}` runs at most {depth} times at once, and "
                    message += f"`{body.ruleset}` and `{other}` together may exceed that"
                paths.warn(slug, message, call.span, [Label(span, f"from {other}")], advice)


def _closing(paths: Paths, body: Body, call: tree.ActionCall) -> Iterator[tuple[str, Span]]:
    """Yield calls of strangers in circles of calls that come back to a body."""
    due: list[tuple[str, tuple[str, Span] | None]] = [(call.action, None)]
    seen = {(call.action, False)}
    for at, strange in due:
        paths.work.spend(1)
        if strange and at == body.run_by:
            yield strange
        for called, ruleset, span in paths.calls[at] if at in paths.checked.actions else ():
            other = (ruleset, span) if paths.strangers(ruleset, body.ruleset) else None
            step = called, strange or other
            if (called, bool(step[1])) not in seen:
                seen.add((called, bool(step[1])))
                due.append(step)


def _keeps(paths: Paths, rule: tree.AlwaysDef, other: Body) -> bool:
    """Return whether a rule of the same ruleset may make a condition of an `always` true.

    It belongs to a value of another ruleset, and is true although the rules below are not.
    """
    where = tree.Nodes(rule.binder.where)
    denied = {id(call) for each in where.of(tree.Not) for call in tree.walk(each)}
    asked = {each.value for each in where.of(tree.CallValue) if id(each) not in denied}
    below = tuple(map(negation, other.nodes.of(tree.Previous)))
    results = [each.value for each in tree.Nodes(other.code).of(tree.Return)]
    return (
        owner_of(other.ruleset) == owner_of(rule.ruleset) != ruleset_of(other.value)
        and other.value in asked
        and any(each and paths.possible((*other.known, *below), each) for each in results)
    )


def _parts(target: tree.ActionDef | tree.OptionDef, given: tuple[tree.Expr, ...]) -> Iterator[Body]:
    """Yield the bodies of an action or option and of its hooks, for the arguments given."""
    parts = [(h.ruleset, h.params, h.guard, h.body) for h in every(target.hooks)]
    if isinstance(target, tree.OptionDef):
        parts.append((target.ruleset, (), target.guard, target.body))
    else:
        params = tuple(each.name for each in target.params)
        parts.append((ruleset_of(target.key), params, target.guard, target.body))
    for ruleset, params, guard, body in parts:
        names = dict(zip(params, given, strict=False))
        yield Body(ruleset, given_by(substituted(guard, names)), substituted(body, names))
