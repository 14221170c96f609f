"""Faults that only combinations have: rules that break what rulesets which do not know them need.

A call may not fulfil a precondition of another ruleset. Amounts of strangers may leave a range
together; their pieces may not all fit a zone, or a cell. `the` may find a second thing that another
ruleset adds. Conditions on the way to the code that exclude a fault settle it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, reduce
from itertools import chain, combinations

from rulesdsl.builtins import DECISIONS
from rulesdsl.check.conflicts.effects import (
    GRIDS,
    TRACKS,
    Column,
    EffectScope,
    EffectTable,
    KnownValues,
    Part,
    bounds,
    is_piece,
    place_of,
)
from rulesdsl.check.conflicts.guards import FINDING, Guard, TooMuch, Work, both, key, normal
from rulesdsl.check.conflicts.hooks import halves
from rulesdsl.check.conflicts.unfolded import Unfolder, conjunction, negation, substituted
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.diagnostics.allow import allowing
from rulesdsl.model import checked as tree
from rulesdsl.model import types
from rulesdsl.model.game import LinkedGame, Removal
from rulesdsl.model.names import owner_of, ruleset_of, short_name
from rulesdsl.records import dataclass

_WIDE = 100
"""In a range with more values than this, only amounts that are known count, once each."""
_DEEP = 3
"""Calls inside of each other that are followed to what they change."""
_MOST = 10
"""The greatest number of contributions of which those that exclude each other are looked for."""

_ON_GRID = ("tile", "segment", "feature", "cell", "rotation")
"""Questions about components that fail for those that are not on a grid."""

_STANDING = ("figures", "tokens")
"""What may stand on a piece of a grid, and the questions for it."""
_COUNTED = ("index", "steps", "x", "y")
"""Questions about places that tell how far it is to an end."""

_SHOWN = 3
"""The options that are shown with a veto that does not reach them."""

_Known = tuple[tree.Expr, ...]
"""Conditions that hold where code begins."""


@dataclass(frozen=True)
class _Body:
    """Code of a ruleset, the conditions that hold where it begins, and the expressions around.

    `value` is the value of which it is a rule, `action` the action of which it is the body, and
    `run_by` the action or choice that runs it. `call` is where a ruleset runs it, if that is not
    the place of the code; `caller` has the locals that it then reads.
    """

    ruleset: str
    known: _Known
    code: tree.Block
    around: tuple[tree.Node, ...] = ()
    value: str = ""
    action: tree.ActionDef | None = None
    run_by: str = ""
    call: tree.ActionCall | None = None
    caller: tuple[object, ...] = ()

    @cached_property
    def nodes(self) -> tree.Nodes:
        return tree.Nodes((self.around, self.known, self.code))

    def at(self, node: tree.Node) -> Span:
        """Return where its ruleset does what a node of the code does."""
        return node.span if self.call is None else self.call.span


@dataclass(frozen=True)
class _Use:
    """A use of something limited: `amount` at most, or if `safe`, never more than there is.

    `again` is the name of an action or choice if the use is a call of it, which runs another use.
    """

    ruleset: str
    span: Span
    amount: int
    safe: bool = False
    again: str = ""


def check_together(checked: tree.Checked, effects: EffectTable, report: Report) -> None:
    """Report `escaped-veto`, `unmet-require`, `shared-limit`, `never-ends` and `not-the-one`.

    These are warnings.

    The search ends early if it takes too long.
    """
    found = _Together(checked, effects, report)
    with suppress(TooMuch):
        found.check_vetoes()
        found.check_always()
        found.check_removed()
        if not any(found.strangers(*pair) for pair in combinations(checked.game.visible, 2)):
            return
        found.check_circles()
        found.check_kept()
        found.check_requires()
        found.check_ranges()
        found.check_numbers()
        found.check_steps()
        found.check_sums()
        found.check_places()
        found.check_takes()
        found.check_the()
        found.check_one()
        found.check_gone()
        found.check_laden()


class _Together:
    def __init__(self, checked: tree.Checked, effects: EffectTable, report: Report) -> None:
        self._checked = checked
        self._game = checked.game
        self._effects = effects
        self._report = report
        self._work = Work()
        self._bodies = list(_bodies(checked))
        self._scopes: dict[int, tuple[EffectScope, _Body]] = {}
        self._changed_by: dict[str, frozenset[str]] = {}
        self._seen: dict[str, set[str]] = {}
        for part, others in self._game.visible.items():
            self._seen.setdefault(owner_of(part), set()).update(others)

    def _unknown(self, one: str, other: str) -> bool:
        """Return whether a part of rules was written without knowledge of another one.

        A house rule may not know what it beats.
        """
        return owner_of(other) not in self._seen[owner_of(one)]

    def strangers(self, one: str, other: str) -> bool:
        """Return whether neither of two parts knows the other."""
        return self._unknown(one, other) and self._unknown(other, one)

    def _warn(
        self,
        slug: str,
        message: str,
        span: Span,
        labels: Iterable[Label],
        *advice: str,
        unless: str = "that cannot happen",
    ) -> None:
        self._work.spend(FINDING)
        allow = f"if {unless}, say so:", allowing(span, slug)
        self._report.warning(slug, message, span, labels=labels, help=(*advice, *allow))

    # --- vetoes --------------------------------------------------------------------------------

    def check_vetoes(self) -> None:
        """Report each veto once that options do not meet, in code that its ruleset does not know.

        The veto is about what the forbidden option gives to an action. Another option may give the
        same to that action, also in a hook or through further actions.
        """
        told = set[Span]()
        options = [each for choice in self._checked.choices.values() for each in choice.options]
        for option in options:
            for veto in option.forbids:
                for call in tree.Nodes(option.body).of(tree.ActionCall):
                    if veto.span not in told:
                        escaped = list(self._escaped(veto, option, call, options))
                        if escaped:
                            told.add(veto.span)
                            self._report_escaped(veto, call, escaped)

    def _escaped(
        self,
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
        requires = self._checked.actions[call.action].requires
        reach = self._game.reach[veto.ruleset]
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
            opened = self._unfolder.opened(other)
            for body, act in self._acts(_parts(other, _locals(other)), reach, _DEEP):
                if act.action == call.action:
                    same = {name: act.arguments[given[names[name]]] for name in asked}
                    forbidden = self._unfolder.condition(veto.guard, same)
                    if self._possible((opened, *self._at(body, act)), forbidden):
                        yield other, Label(act.span, f"of `{body.ruleset}`")
                        break

    def _acts(
        self, bodies: Iterable[_Body], reach: Collection[str], deep: int
    ) -> Iterator[tuple[_Body, tree.ActionCall]]:
        """Yield the calls in bodies of rulesets that are not within reach, and in what they run."""
        for body in bodies:
            for call in body.nodes.of(tree.ActionCall) if body.ruleset not in reach else ():
                yield body, call
                self._work.spend(len(body.nodes))
                known = self._at(body, call)
                parts = _parts(self._checked.actions[call.action], call.arguments) if deep else ()
                inner = (replace(each, known=(*known, *each.known)) for each in parts)
                yield from self._acts(inner, reach, deep - 1)

    def _report_escaped(
        self,
        veto: tree.Forbid,
        call: tree.ActionCall,
        escaped: Sequence[tuple[tree.OptionDef, Label]],
    ) -> None:
        name = short_name(call.action)
        named = ", ".join(f"`{short_name(each.key)}`" for each, _ in escaped)
        self._warn(
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

    # --- preconditions -------------------------------------------------------------------------

    def check_requires(self) -> None:
        """Report each precondition once that a call may not fulfil whose ruleset ignores it."""
        told = set[Span]()
        for body in self._bodies:
            for call in body.nodes.of(tree.ActionCall):
                for rule in self._checked.actions[call.action].requires:
                    new = rule.span not in told and self._unknown(body.ruleset, rule.ruleset)
                    if new and self._unmet(body, call, rule):
                        cause = self._cause(body, call, rule)
                        if cause is None:
                            continue
                        told.add(rule.span)
                        text = " ".join(call.span.text.split())
                        labels = [Label(call.span, f"called by {body.ruleset}")]
                        if cause[1] != call.span:
                            labels.append(Label(cause[1], f"changed by {cause[0]}"))
                        self._warn(
                            "unmet-require",
                            f"`{body.ruleset}` calls `{short_name(call.action)}` where this may "
                            "not hold, which is an error during the game",
                            rule.span,
                            labels,
                            "test it before the call:",
                            f"    if allowed({text}): {text}",
                        )

    def _cause(
        self, body: _Body, call: tree.ActionCall, rule: tree.Rule
    ) -> tuple[str, Span] | None:
        """Return a stranger of a precondition because of whose code it may not hold.

        This is the call, or what changes its arguments or what the precondition reads.
        """
        asked = (rule.guard, rule.body, call.arguments, body.known)
        reads = self._effects.of((rule.guard, rule.body))
        values = self._values(asked)
        for other in (body, *self._bodies):
            self._work.spend(len(other.nodes))
            if self.strangers(other.ruleset, rule.ruleset) and (
                other is body
                or other.value in values
                or replace(self._effects.of(other.code), added=frozenset()).disturbs(reads)
            ):
                changed = other is not body and other.code
                return other.ruleset, changed[0].span if changed else call.span
        needed = set(self._needed(self._unfolder.holds(rule, call.arguments), 1))
        for other, change in self._changes({state for state, _ in needed}):
            low, high = _added(change, self._game)
            less, more = low < 0 and (change.state, 1), high > 0 and (change.state, -1)
            if self.strangers(other.ruleset, rule.ruleset) and needed & {less, more}:
                return other.ruleset, change.span if other.call is None else other.call.span
        return None

    def _needed(self, expr: tree.Expr, sign: int) -> Iterator[tuple[str, int]]:
        """Yield the states that have to be large (1) or small (-1) for a condition to hold.

        For a number, they are those that make it larger; with a `sign` of -1, the opposite.
        """
        match expr:
            case tree.Not(operand=operand) | tree.Negate(operand=operand):
                yield from self._needed(operand, -sign)
            case tree.Ranged(operand=operand):
                yield from self._needed(operand, sign)
            case tree.Binary(operator="and" | "or" | "+", left=left, right=right):
                yield from (*self._needed(left, sign), *self._needed(right, sign))
            case tree.Binary(operator="-", left=left, right=right):
                yield from (*self._needed(left, sign), *self._needed(right, -sign))
            case tree.Compare(operator="<" | "<=" | ">" | ">=" as operator):
                sign = -sign if operator in ("<", "<=") else sign
                yield from (*self._needed(expr.left, sign), *self._needed(expr.right, -sign))
            case tree.ReadState(state=state):
                yield state, sign
            case tree.Compare() | tree.Binary():
                for read in tree.Nodes(expr).of(tree.ReadState):
                    yield from ((read.state, 1), (read.state, -1))

    def _values(self, asked: object) -> set[str]:
        """Return the values that code asks for, through those that they call."""
        values = set[str]()
        waiting = [each.value for each in tree.Nodes(asked).of(tree.CallValue)]
        while waiting:
            value = waiting.pop()
            if value not in values:
                values.add(value)
                inside = self._effects.contents.values[value]
                waiting += [each.value for each in inside.of(tree.CallValue)]
        return values

    # --- what goes on for ever -------------------------------------------------------------------

    def check_always(self) -> None:
        """Report each `always` whose condition asks for a value that an unknown ruleset changes.

        What the body does to make the condition false may not do so any more. A body is fine that
        moves the element elsewhere, or changes a state for which the condition itself asks. Its own
        ruleset counts too if its rule is true where the other rules of the value are not.
        """
        for rule in self._checked.always:
            values = self._values((rule.binder.where,))
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
            for other in self._bodies:
                if other.value in values and (
                    self._unknown(rule.ruleset, other.ruleset) or self._keeps(rule, other)
                ):
                    span = other.code[0].span if other.code else rule.span
                    self._warn(
                        "never-ends",
                        f"`always` may apply for ever: `{other.ruleset}` changes "
                        f"`{short_name(other.value)}`, for which its condition asks",
                        rule.span,
                        [Label(span, f"changed by {other.ruleset}")],
                        "let the condition ask for what the rule changes, too",
                    )
                    break

    def check_kept(self) -> None:
        """Report each `always` and `while` whose condition strangers keep true in what it runs.

        A loop that asks somebody ends with the game, at the limit of decisions.
        """
        loops = [
            (body.ruleset, each.condition, each.body, each.span, True)
            for body in self._bodies
            for each in body.nodes.of(tree.While)
            if Column(DECISIONS) not in self._effects.of(each.body).writes
        ]
        for rule in self._checked.always:
            if rule.binder.where is not None:
                loops.append((rule.ruleset, rule.binder.where, rule.body, rule.span, False))
        for ruleset, condition, code, span, loop in loops:
            keeping = [
                each
                for needed in dict.fromkeys(self._needed(condition, 1))
                for each in self._growing(ruleset, code, needed, condition)
            ]
            for one, other in combinations([(ruleset, span), *keeping], 2):
                if self.strangers(one[0], other[0]) or (not loop and one[1] is span):
                    labels = [Label(each[1], f"from {each[0]}") for each in (one, other)]
                    self._warn(
                        "never-ends",
                        f"this may go on for ever: `{other[0]}` keeps its condition true",
                        span,
                        labels if one[1] is not span else labels[1:],
                        "ask for something that each round uses up",
                    )
                    break

    def _growing(
        self, ruleset: str, code: tree.Block, needed: tuple[str, int], condition: tree.Expr
    ) -> Iterator[tuple[str, Span]]:
        """Yield where rulesets keep a condition of a loop true, if its rounds may not end that.

        The condition needs a state that is large, or small (see `_needed`).
        """
        waiting = [call.action for call in tree.Nodes(code).of(tree.ActionCall)]
        for at in waiting:
            waiting += {called for called, *_ in self._calls.get(at, ())} - {*waiting}
        total = sum(self._pull(each, needed, condition) for each in code)
        found = list[tuple[str, Span]]()
        for body in self._bodies if waiting else ():
            if body.run_by in waiting:
                changes = [
                    (c, self._pull(c, needed, condition))
                    for c in tree.Nodes(body.code).of(tree.SetState)
                ]
                always = body.code if body.action else ()
                total += sum(pull for c, pull in changes if pull > 0 or c in always)
                if self._unknown(ruleset, body.ruleset):
                    found += [(body.ruleset, c.span) for c, pull in changes if pull > 0][:1]
        yield from found if total >= 0 else ()

    def _pull(self, change: tree.Stmt, needed: tuple[str, int], condition: tree.Expr) -> int:
        """Return how far a statement may bring a state to where a condition holds, or away."""
        state, sign = needed
        if not isinstance(change, tree.SetState) or change.state != state:
            return 0
        added = _added(change, self._game)
        if change.operator != "=" or any(added):
            return max(sign * end for end in added)
        reads = (r for r in tree.Nodes(condition).of(tree.ReadState) if r.state == state)
        sets = (tree.Compare(r.span, types.BOOL, "==", r, change.value) for r in reads)
        return 1 if any(self._possible((each,), condition) for each in sets) else -1

    def check_circles(self) -> None:
        """Report calls that strangers make run again: queued ones, and those with a limit."""
        told = set[frozenset[str]]()
        for body in self._bodies:
            queued = {id(later.call) for later in body.nodes.of(tree.Later)}
            for call in body.nodes.of(tree.ActionCall):
                depth, name = self._checked.actions[call.action].depth, short_name(call.action)
                if id(call) not in queued and depth is None:
                    continue
                for other, span in self._closing(body, call):
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
                    self._warn(slug, message, call.span, [Label(span, f"from {other}")], advice)

    def _closing(self, body: _Body, call: tree.ActionCall) -> Iterator[tuple[str, Span]]:
        """Yield calls of strangers in circles of calls that come back to a body."""
        due: list[tuple[str, tuple[str, Span] | None]] = [(call.action, None)]
        seen = {(call.action, False)}
        for at, strange in due:
            self._work.spend(1)
            if strange and at == body.run_by:
                yield strange
            for called, ruleset, span in self._calls[at] if at in self._checked.actions else ():
                other = (ruleset, span) if self.strangers(ruleset, body.ruleset) else None
                step = called, strange or other
                if (called, bool(step[1])) not in seen:
                    seen.add((called, bool(step[1])))
                    due.append(step)

    @cached_property
    def _calls(self) -> Mapping[str, Sequence[tuple[str, str, Span]]]:
        """The calls in each action and choice: what is called, the ruleset that does it, where."""
        found = defaultdict[str, list[tuple[str, str, Span]]](list)
        for body in self._bodies:
            calls = [(call.action, call.span) for call in body.nodes.of(tree.ActionCall)]
            calls += [(asked.choice, asked.span) for asked in body.nodes.of(tree.ChoiceCall)]
            found[body.run_by] += [(name, body.ruleset, span) for name, span in calls]
        return found

    def _keeps(self, rule: tree.AlwaysDef, other: _Body) -> bool:
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
            and any(each and self._possible((*other.known, *below), each) for each in results)
        )

    def _unmet(self, body: _Body, call: tree.ActionCall, rule: tree.Rule) -> bool:
        action = self._checked.actions[call.action]
        names = {p.name: each for p, each in zip(action.params, call.arguments, strict=True)}
        known = (*_given(substituted(action.guard, names)), *self._called(body, call))
        return self._possible(known, negation(self._unfolder.holds(rule, call.arguments)))

    @property
    def _unfolder(self) -> Unfolder:
        return Unfolder(self._checked, self._effects.contents, self._work)

    def _possible(self, known: _Known, also: tree.Expr) -> bool:
        """Return whether something can hold where conditions are known to hold."""
        unfolder, guard = self._unfolder, normal(also, ())
        for each in known:
            guard = both(guard, normal(unfolder.condition(each), ()))
            self._work.spend(1 + len(guard))
        return bool(guard)

    # --- ranges --------------------------------------------------------------------------------

    def check_ranges(self) -> None:
        """Report states that amounts of strangers may take out of their range together."""
        uses: dict[str, tuple[list[_Use], list[_Use]]] = {}
        more: dict[str, tuple[list[_Use], list[_Use]]] = {}
        limited = dict[str, types.IntType]()
        for each in self._checked.states.values():
            if isinstance(each.type, types.IntType) and each.type != types.INT:
                limited[each.key] = each.type
        for body, change in self._changes(limited):
            type_ = limited[change.state]
            low, high = _added(change, self._game)
            read = tree.ReadState(change.span, type_, *_entry(change))
            after = change.value
            if change.operator != "=":
                after = tree.Binary(change.span, types.INT, change.operator[0], read, after)
            above = _compare(read, ">", type_.high - high), _compare(after, ">", type_.high)
            below = _compare(read, "<", type_.low - low), _compare(after, "<", type_.low)
            found = uses.setdefault(change.state, ([], []))
            for way, amount, beyond in ((0, high, above), (1, -low, below)):
                if amount > 0:
                    known = self._at(body, change)
                    safe = not all(self._possible(known, each) for each in beyond)
                    span = body.at(change)
                    # Of what an action does with its parameters, only constants are known.
                    most = amount if body.call is None or low == high else types.INT.high
                    most = min(most, type_.high - type_.low) if safe else most
                    use = _Use(body.ruleset, span, most, safe)
                    found[way].append(use)
                    more.setdefault(change.state, ([], []))[way].extend(self._again(body, use))
        for state, ways in uses.items():
            name, type_ = short_name(state), limited[state]
            start = tree.fold(self._checked.states[state].initial)
            low, high = type_.low, type_.high
            begin, end = (start, start) if isinstance(start, int) else (low, high)
            lines = f"min({name} + …, {high})", f"max({name} - …, {low})"
            rooms = high - begin, end - low
            for own, again, left, line in zip(
                ways, more.get(state, ((), ())), rooms, lines, strict=True
            ):
                adding = [*own, *again]
                total = sum(use.amount for use in adding)
                if high - low < _WIDE or left < total < types.INT.high:
                    what = f"`{name}` has to stay in {low}..{high}"
                    if self._report_shared(adding, what, f"keep to it, as in `{name} = {line}`"):
                        break

    def check_numbers(self) -> None:
        """Report numbers with a range, and indices of tables, that strangers may push out of it."""
        told = set[tuple[str, int]]()
        for body in self._bodies:
            for node, number, low, high in self._numbers(body):
                known = self._around(body, node) if high - low < _WIDE else None
                for sign, way, end in ((1, ">", high), (-1, "<", low)) if known is not None else ():
                    needed = set(self._needed(number, sign)) - told
                    if needed and self._possible(known or (), _compare(number, way, end)):
                        told |= needed
                        uses = [_Use(body.ruleset, node.span, 0, safe=True)]
                        for other, change in self._changes({state for state, _ in needed}):
                            amount = max(sign * each for each in _added(change, self._game))
                            if amount > 0:
                                read = tree.ReadState(change.span, types.INT, *_entry(change))
                                past = _compare(read, way, end - sign * min(amount, high - low))
                                safe = not self._possible(self._at(other, change), past)
                                uses.append(_Use(other.ruleset, other.at(change), amount, safe))
                        what = f"`{number.span.text}` of `{body.ruleset}` has to stay in "
                        line = f"min({number.span.text}, {high})" if sign > 0 else "max(…)"
                        what += f"{low}..{high}"
                        self._report_shared(uses, what, f"keep to it there, as in `{line}`")

    def _numbers(self, body: _Body) -> Iterator[tuple[tree.Expr, tree.Expr, int, int]]:
        """Yield each number that fails out of a range: the check, the number, and the range."""
        # What a state may hold is compared with all that changes it (`check_ranges`).
        stored = {id(change.value) for change in body.nodes.of(tree.SetState)}
        for each in body.nodes.of(tree.Ranged):
            if isinstance(each.type, types.IntType) and id(each) not in stored:
                yield each, each.operand, each.type.low, each.type.high
        for entry in body.nodes.of(tree.EntryAt):
            for index in entry.index if entry.what == "table" else ():
                table = self._game.tables[entry.number]
                yield entry, index, table.low, table.low + len(table.values) - 1

    def check_steps(self) -> None:
        """Report components that strangers move on, from space to space or cell to cell."""
        uses: dict[str, list[_Use]] = {}
        for body in self._movers:
            for call in body.nodes.of(tree.EffectCall):
                steps = tree.Nodes(call.arguments[1:]).of(tree.CallBuiltin)
                ends = [each for each in steps if call.effect == "move" and self._ends(each)]
                if ends:
                    asked = (c for c in body.nodes.of(tree.CallBuiltin) if c.function in _COUNTED)
                    safe = any(not _inside(each, call) for each in asked)
                    kinds = self._kinds(call.arguments[0].type, self._moved(body, call))
                    for kind in sorted(map(str, kinds)) if isinstance(kinds, frozenset) else ():
                        use = _Use(body.ruleset, body.at(call), 1, safe)
                        uses.setdefault(kind, []).append(use)
        for kind, steps_of in uses.items():
            what = f"`{short_name(kind)}` cannot go past the end"
            self._report_shared(steps_of, what, "look first how far it can go")

    def _ends(self, step: tree.CallBuiltin) -> bool:
        """Return whether a builtin goes on from a place to another one that may not exist."""
        if step.function == "forward":
            return step.type == types.SPACE and not all(each.loop for each in self._game.tracks)
        sizes = any(grid.size is not None for grid in self._game.grids)
        return step.function == "cell_at" and step.arguments[0].type == types.CELL and sizes

    def _again(self, body: _Body, use: _Use) -> Iterator[_Use]:
        """Yield calls by strangers that run a body, with a use in it, more often.

        A use that is safe stays so. Of each ruleset one call counts.
        """
        told = set[str]()
        for ruleset, runs in self._runs.items() if not use.safe and body.run_by else ():
            call = runs.get(body.run_by)
            if call is not None and ruleset not in told and self.strangers(ruleset, body.ruleset):
                told.add(ruleset)
                yield _Use(ruleset, call[1], use.amount, again=short_name(call[0]))

    @cached_property
    def _runs(self) -> Mapping[str, Mapping[str, tuple[str, Span]]]:
        """The actions and choices that each ruleset runs: what it calls to do so, and where."""
        own: dict[str, dict[str, Span]] = {}
        for name, ruleset, span in chain.from_iterable(self._calls.values()):
            own.setdefault(ruleset, {}).setdefault(name, span)
        found: dict[str, dict[str, tuple[str, Span]]] = {}
        for ruleset, called in own.items():
            runs = found[ruleset] = {}
            for first, span in called.items():
                waiting = [first]
                while waiting:
                    self._work.spend(1)
                    key = waiting.pop()
                    if runs.setdefault(key, (first, span)) == (first, span):
                        waiting += [n for n, *_ in self._calls.get(key, ()) if n not in runs]
        return found

    def _changes(self, states: Collection[str]) -> Iterator[tuple[_Body, tree.SetState]]:
        """Yield the changes of states, for those by actions also as what callers do.

        What an action does with its parameters counts for its callers only.
        """
        calls = {call.action for body in self._bodies for call in body.nodes.of(tree.ActionCall)}
        for root in self._bodies:
            own = root.action
            free = {each.name for each in own.params} if own and own.key in calls else set[str]()
            for body in (root, *self._run(root, set(states), _DEEP)):
                for change in body.nodes.of(tree.SetState):
                    named = {each.name for each in tree.Nodes(change.value).of(tree.Local)}
                    if change.state in states and not named & free:
                        yield body, change

    @cached_property
    def _movers(self) -> Sequence[_Body]:
        """All bodies, and those of actions that move pieces, also as what callers do."""
        places = {place_of(cls).name for cls in types.PIECE_CLASSES}
        return [b for root in self._bodies for b in (root, *self._run(root, places, _DEEP))]

    def _run(self, body: _Body, states: set[str], deep: int) -> Iterator[_Body]:
        """Yield the bodies of actions that change states, with what is known where a body calls."""
        for call in body.nodes.of(tree.ActionCall) if deep else ():
            action, given = self._checked.actions[call.action], call.arguments
            foreign = owner_of(body.ruleset) != ruleset_of(call.action)
            if (foreign or given) and self._changing(call) & states:
                self._work.spend(len(body.nodes))
                names = dict(zip((param.name for param in action.params), given, strict=True))
                known = (*self._called(body, call), *_given(substituted(action.guard, names)))
                known += tuple(self._unfolder.holds(rule, given) for rule in action.requires)
                known = self._kept((action.hooks.arounds, action.hooks.befores), known)
                code = substituted(action.body, names)
                inner = replace(
                    _Body(body.ruleset, known, code),
                    run_by=body.run_by,
                    call=body.call or call,
                    caller=(body.caller, body.around, body.code),
                )
                yield from (inner, *self._run(inner, states, deep - 1))

    def _changing(self, call: tree.ActionCall) -> frozenset[str]:
        """Return the names of the columns that an action changes."""
        if call.action not in self._changed_by:
            self._changed_by[call.action] = self._effects.of(call).changing
        return self._changed_by[call.action]

    def _called(self, body: _Body, call: tree.ActionCall) -> _Known:
        """Return the conditions that hold where a body calls an action, none if it is queued."""
        queued = any(later.call is call for later in body.nodes.of(tree.Later))
        return () if queued else self._at(body, call)

    def check_sums(self) -> None:
        """Report totals that contributions of strangers may take out of their range."""
        for value in self._checked.values.values():
            type_ = value.type
            if value.policy != "sum" or not isinstance(type_, types.IntType):
                continue
            for sign, limit in ((1, type_.high), (-1, -type_.low)) if type_ != types.INT else ():
                rules, uses = list[tuple[Guard, int]](), list[_Use]()
                for rule in value.rules:
                    given = [r.value for r in tree.Nodes(rule.body).of(tree.Return) if r.value]
                    ends = [sign * end for each in given for end in bounds(each, self._game)]
                    most = max(ends, default=0)
                    rules.append((normal(rule.guard, rule.params), most))
                    uses += [_Use(rule.ruleset, rule.span, most)] if most > 0 else ()
                total = sign * self._largest(rules)
                if sign * total > limit:
                    wide = types.IntType(min(type_.low, total), max(type_.high, total))
                    known = types.INT.low <= wide.low and wide.high <= types.INT.high
                    what = f"the total of `{short_name(value.key)}` has to stay in "
                    what += f"{type_.low}..{type_.high}"
                    advice = f"declare its result as `{wide if known else types.INT}`"
                    self._report_shared(uses, what, advice)

    def _largest(self, rules: Sequence[tuple[Guard, int]], guard: Guard = ({},)) -> int:
        """Return the largest total of contributions that can apply together."""
        self._work.spend(1 + len(guard))
        if len(rules) > _MOST or not rules:
            return sum(max(amount, 0) for _, amount in rules)
        (first, amount), *rest = rules
        met = both(guard, first)
        applies = amount + self._largest(rest, met) if met else types.INT.low
        return applies if met == guard else max(applies, self._largest(rest, guard))

    # --- places --------------------------------------------------------------------------------

    def check_places(self) -> None:
        """Report rooms in zones, and cells, to which strangers may take too many pieces."""
        rooms: dict[str, list[_Use]] = {}
        cells: dict[object, list[_Use]] = {}
        limits = {each.key: min(each.room) for each in self._game.zones if each.room is not None}
        keys = [self._game.kinds[piece.kind].key for piece in self._game.pieces]
        moves = list[tuple[KnownValues, Part]]()
        for body in self._movers:
            for call in body.nodes.of(tree.EffectCall):
                if call.effect == "place" and (cell := _fixed(call.arguments[1], body.nodes)):
                    reads = (self._effects.of(each).reads for each in self._at(body, call))
                    looks = any(column.name == place_of("tile").name for r in reads for column in r)
                    cells.setdefault(cell, []).append(_Use(body.ruleset, body.at(call), 1, looks))
                if call.effect in ("move", "move_all"):
                    moved = self._moved(body, call)
                    where = self._target(body, call, moved)
                    moves.append((moved, where))
                    self._work.spend(len(keys))
                    number = sum(_in(each, moved.kinds) for each in keys)
                    for name in limits.keys() & where if isinstance(where, frozenset) else ():
                        safe = self._fits(body, call, limits[name])
                        use = _Use(body.ruleset, body.at(call), number, safe)
                        rooms.setdefault(name, []).append(use)
        for name, uses in sorted(rooms.items()):
            if sum(use.amount for use in uses) > limits[name]:
                what = f"`{short_name(name)}` has room for {limits[name]}"
                line = f"if room({short_name(name)}) > 0: move(…)"
                advice = f"look for room first, as in `{line}`"
                uses += self._coming(name, moves)
                self._report_shared(uses, what, advice)
        for uses in cells.values():
            line = "if spot in placements(board, t): place(t, spot)"
            self._report_shared(uses, "a cell holds one piece", f"look first, as in `{line}`")

    def _coming(self, zone: str, moves: Sequence[tuple[KnownValues, Part]]) -> Iterator[_Use]:
        """Yield the pieces of a game that moves take to a zone, by kind, from where they begin."""
        for number, kind in enumerate(self._game.kinds):
            its = [piece for piece in self._game.pieces if piece.kind == number]
            there: set[object] = {piece.start for piece in its}
            ways = [(known.where, to) for known, to in moves if _in(kind.key, known.kinds)]
            self._work.spend(len(its) + len(moves))
            while more := {
                place
                for where, to in ways
                if isinstance(where, frozenset) and isinstance(to, frozenset) and where & there
                for place in to - there
            }:
                there |= more
            if zone in there:
                yield _Use(kind.ruleset, kind.span, len(its), safe=True)

    def check_takes(self) -> None:
        """Report zones from which strangers take, of whom one does not look whether it can.

        A hook that takes from a zone before the action does that it hooks has to leave one piece.
        """
        zones: dict[str, list[_Use]] = {}
        for body in self._movers:
            for call in body.nodes.of(tree.EffectCall):
                where = self._taken(body, call) if call.effect in ("take", "move_all") else ()
                safe = call.effect == "move_all" or (
                    bool(where) and self._more(body, call, call.arguments[0], 0)
                )
                for name in where:
                    use = _Use(body.ruleset, body.at(call), 1, safe)
                    # Who takes from a zone of its own knows how many are left.
                    known = body.call is not None or ruleset_of(name) == body.ruleset
                    again = () if known else self._again(body, use)
                    zones.setdefault(name, []).extend((use, *again))
                    if body.action is not None and not safe:
                        self._report_emptied(body.action.hooks, name, use)
        for name, uses in sorted(zones.items()):
            short = short_name(name)
            line = f"look first, as in `if count({short}) > 0: …`"
            self._report_shared(uses, f"`{short}` holds a limited number of pieces", line)

    def _report_emptied(self, hooks: tree.Hooks, zone: str, use: _Use) -> None:
        """Report hooks that may take the last piece of a zone before the hooked action does."""
        number = next(n for n, each in enumerate(self._game.zones) if each.key == zone)
        short = short_name(zone)
        for hook in (*hooks.arounds, *hooks.befores):
            body = _Body(hook.ruleset, _given(hook.guard), hook.body)
            first = tree.Nodes(halves(hook.body)[0])
            entries = [each for each in body.nodes.of(tree.EntryAt) if each.number == number]
            taken = [c for c in first.of(tree.EffectCall) if zone in self._taken(body, c)]
            for call in taken[:1] if self._unknown(use.ruleset, hook.ruleset) else ():
                if not any(self._more(body, call, each, 1) for each in entries):
                    self._warn(
                        "shared-limit",
                        f"`{hook.ruleset}` may take the last piece of `{short}` before "
                        f"`{use.ruleset}` takes one",
                        call.span,
                        [Label(use.span, f"from {use.ruleset}")],
                        f"leave one, as in `if count({short}) > 1: …`",
                    )

    def check_removed(self) -> None:
        """Report components that a ruleset takes out of the game, where rules need one of them."""
        for removal in self._game.removed:
            needs = (
                need
                for body in self._bodies
                if self._unknown(body.ruleset, removal.ruleset)
                for need in self._needing(body, removal)
            )
            for ruleset, span in needs:
                name = short_name(removal.kind)
                self._warn(
                    "not-the-one",
                    f"`{ruleset}` needs a `{name}`, of which `{removal.ruleset}` leaves none",
                    removal.span,
                    [Label(span, f"from {ruleset}")],
                    "leave one, or refine the rule",
                )
                break

    def _needing(self, body: _Body, removal: Removal) -> Iterator[tuple[str, Span]]:
        """Yield the places where a body fails if there is no copy of a component."""
        kind, start = removal.kind, removal.start
        empty = all(piece.start != start for piece in self._game.pieces)
        for need, known in self._needs(body):
            there = empty and known.where == frozenset({start}) and _in(kind, known.kinds)
            there = there and isinstance(need, tree.Aggregate)
            if there or known.kinds == frozenset({kind}):
                yield body.ruleset, need.span

    def _needs(self, body: _Body) -> Iterator[tuple[tree.Node, KnownValues]]:
        """Yield each `the`, `one` and choice that may find no component, and what it looks for.

        Such a choice has one option, which takes a component.
        """
        scope = self._scope(body)
        for one in body.nodes.of(tree.Aggregate):
            sought = _sought(one) if one.function == "the" else None
            binders = sought.binders if isinstance(sought, tree.Aggregate) else ()
            if binders and _of_pieces(binders[0]) and self._lacks(body, one, binders):
                known = scope.binder(binders[0])
                yield one, KnownValues(self._kinds(binders[0].item, known), known.where)
        for call in body.nodes.of(tree.CallBuiltin):
            kinds = scope.part(call.arguments[1]) if call.function == "one" else None
            if isinstance(kinds, frozenset):
                local = tree.Local(call.span, types.PIECE, "x")
                tests: list[tree.Expr] = [
                    tree.IsKind(call.span, types.BOOL, local, "kind", str(kind)) for kind in kinds
                ]
                where = reduce(_either, tests) if tests else None
                binder = tree.Binder(call.span, ("x",), call.arguments[0], where)
                if self._lacks(body, call, (binder,)):
                    yield call, KnownValues(kinds, scope.place(call.arguments[0]))
        for asked in body.nodes.of(tree.ChoiceCall):
            choice = self._checked.choices[asked.choice]
            binders = choice.options[0].binders if len(choice.options) == 1 else ()
            if choice.otherwise is None and binders and _of_pieces(binders[0]):
                given = zip((each.name for each in choice.params), asked.arguments, strict=True)
                binder = substituted(binders[0], dict(given))
                if self._lacks(body, asked, (binder,)):
                    known = scope.binder(binder)
                    yield asked, KnownValues(self._kinds(binder.item, known), known.where)

    def _lacks(self, body: _Body, at: tree.Node, binders: tuple[tree.Binder, ...]) -> bool:
        """Return whether there may be nothing in a range where a node is evaluated."""
        known = self._around(body, at)
        inside = tree.Aggregate(at.span, types.BOOL, "any", None, binders)
        count = tree.Aggregate(at.span, types.INT, "count", None, binders)
        none = negation(inside), _compare(count, "<=", 0)
        return all(self._possible(known, each) for each in none)

    def check_one(self) -> None:
        """Report each `one` after a look whether anything lies where strangers add other kinds."""
        for body in self._bodies:
            for call in body.nodes.of(tree.CallBuiltin):
                if call.function == "one" and self._more(body, call, call.arguments[0], 0):
                    zone, kind = call.arguments
                    inside = tree.Binder(call.span, ("x",), zone, None)
                    for ruleset, does, span in self._second(body, inside):
                        asked = f"any(x in {zone.span.text} where x is {kind.span.text})"
                        self._warn(
                            "not-the-one",
                            f"`one` may find no {kind.span.text}: `{ruleset}` {does}",
                            call.span,
                            [Label(span, f"from {ruleset}")],
                            f"look for that kind, as in `if {asked}: …`",
                        )
                        break

    def _taken(self, body: _Body, call: tree.EffectCall) -> tuple[str, ...]:
        """Return the zones out of which an effect takes a piece, by their full names."""
        where = self._moved(body, call).where
        return tuple(sorted(map(str, where))) if isinstance(where, frozenset) else ()

    def _moved(self, body: _Body, call: tree.EffectCall) -> KnownValues:
        """Return the pieces that an effect moves, and where they are before."""
        scope, moved = self._scope(body), call.arguments[0]
        for loop in body.nodes.of(tree.For):
            here = isinstance(moved, tree.Local) and moved.name in loop.binder.names
            if here and not tree.Nodes(loop.body).of(tree.ProceedCall):
                return scope.binder(loop.binder)
        return scope.known(moved)

    def _more(self, body: _Body, call: tree.Node, zone: tree.Expr, number: int) -> bool:
        """Return whether a zone certainly has more pieces than a number where a call runs."""
        inside = (tree.Binder(call.span, ("x",), zone, None),)
        none = negation(tree.Aggregate(call.span, types.BOOL, "any", None, inside))
        count = tree.Aggregate(call.span, types.INT, "count", None, inside)
        few = (_compare(count, "<=", number), *((none,) if number == 0 else ()))
        return not all(self._possible(self._at(body, call), each) for each in few)

    def _fits(self, body: _Body, call: tree.EffectCall, room: int) -> bool:
        """Return whether a zone certainly has room for a piece that is moved there."""
        zone, span = call.arguments[1], call.span
        inside = (tree.Binder(span, ("x",), zone, None),)
        full = (
            tree.Aggregate(span, types.BOOL, "any", None, inside),
            _compare(tree.Aggregate(span, types.INT, "count", None, inside), ">=", room),
            _compare(tree.CallBuiltin(span, types.INT, "room", (zone,)), "<=", 0),
        )
        return not all(self._possible(self._at(body, call), each) for each in full)

    def _report_shared(self, uses: Iterable[_Use], what: str, advice: str) -> bool:
        """Report two uses by strangers of which one is not safe; return whether there are any."""
        for one, other in combinations(sorted(uses, key=lambda use: (use.again, use.safe)), 2):
            if not (one.safe or one.again) and self.strangers(one.ruleset, other.ruleset):
                both_of = f"`{one.ruleset}` and `{other.ruleset}` together may exceed that"
                more = f", runs `{other.again}` more often" if other.again else ""
                label = Label(other.span, f"from {other.ruleset}{more}")
                self._warn("shared-limit", f"{what}, and {both_of}", one.span, [label], advice)
                return True
        return False

    # --- the only one --------------------------------------------------------------------------

    def check_the(self) -> None:
        """Report each `the` for which strangers, of it or of each other, may add a second thing."""
        for body in self._bodies:
            for one in body.nodes.of(tree.Aggregate):
                if one.function == "the" and not self._counted(body, one):
                    own = body.ruleset, "", one.span
                    added = list(self._second(body, one.binders[0]))
                    for first, (ruleset, does, span) in combinations((own, *added), 2):
                        if self.strangers(first[0], ruleset):
                            more = f", and `{first[0]}` {first[1]}" if first is not own else ""
                            labels = [Label(span, f"from {ruleset}")]
                            if more:
                                labels.append(Label(first[2], f"from {first[0]}"))
                            self._warn(
                                "not-the-one",
                                f"`the` may find two things: `{ruleset}` {does}{more}",
                                one.span,
                                labels,
                                "say which one is meant, as in `where x is …`",
                            )
                            break

    def _counted(self, body: _Body, one: tree.Aggregate) -> bool:
        """Return whether conditions around `the` say that there is only one."""
        number = tree.Aggregate(one.span, types.INT, "count", None, one.binders)
        return not self._possible(self._around(body, one), _compare(number, ">", 1))

    def _second(self, body: _Body, binder: tree.Binder) -> Iterator[tuple[str, str, Span]]:
        """Yield what unknown rulesets add to a set: the ruleset, what it does, and where."""
        game, scope = self._game, self._scope(body)
        known = scope.binder(binder)
        item = "piece" if binder.item == types.ZONE else str(binder.item)
        match binder.domain:
            case tree.CallBuiltin(function="segments" | "features", arguments=(piece,)):
                for kind in game.kinds if is_piece(piece.type) else ():
                    faces = (kind.outline, *(face.outline for face in kind.faces))
                    parts = (each.segments for each in faces if each is not None)
                    most = max((sum(_wanted(binder, s.kind) for s in p) for p in parts), default=0)
                    new = self._unknown(body.ruleset, kind.ruleset) and _in(
                        kind.key, scope.part(piece)
                    )
                    if most > 1 and new:
                        yield kind.ruleset, f"adds `{kind.name}` with {most}", kind.span
        if not is_piece(binder.item) and binder.item != types.ZONE:
            return
        tracks = {track.key: TRACKS for track in game.tracks}
        self._work.spend(len(game.pieces))
        for each in game.pieces:
            kind, start = game.kinds[each.kind], tracks.get(each.start or "", each.start)
            there = _in(start, known.where) and _in(kind.key, known.kinds)
            if there and item in (kind.cls, "piece") and self._unknown(body.ruleset, kind.ruleset):
                yield kind.ruleset, f"adds `{kind.name}`", kind.span
        for other in self._bodies if known.where is not None else ():
            its = self._scope(other) if self._unknown(body.ruleset, other.ruleset) else None
            for call in other.nodes.of(tree.EffectCall) if its is not None else ():
                if its is not None and call.effect in ("move", "move_all", "place"):
                    moved, to = call.arguments[:2]
                    where = frozenset({GRIDS}) if call.effect == "place" else its.place(to)
                    held = self._held(known.where) if item == "piece" else {item}
                    fits = str(moved.type) in {*held, "piece", "zone"}
                    if fits and _meet(where, known.where) and _meet(its.part(moved), known.kinds):
                        yield other.ruleset, "moves something there", call.span

    def _held(self, where: Part) -> frozenset[str]:
        """Return the classes that can lie in zones."""
        zones = (zone.holds for zone in self._game.zones if _in(zone.key, where))
        return frozenset[str]().union(*zones)

    # --- what is gone ------------------------------------------------------------------------

    def check_gone(self) -> None:
        """Report each look for a component, or a state, that a stranger may have taken away."""
        for body in self._bodies:
            for need, known in chain(self._needs(body), self._places(body)):
                if isinstance(where := known.where, frozenset):
                    asked = isinstance(need, tree.CallBuiltin) and need.function != "one"
                    looks = "x in figures(…)" if asked else "any(x in … where …)"
                    gone = self._leaving(body, known.kinds, where, owned=_names_owner(need))
                    self._report_gone(body, need, gone, looks)
            for one in body.nodes.of(tree.Aggregate):
                sought = _sought(one) if one.function == "the" else None
                if isinstance(sought, tree.ReadState) and not any(
                    sought.state == read.state
                    for read in tree.Nodes(self._around(body, one)).of(tree.ReadState)
                ):
                    gone = self._unsetting(body, sought.state)
                    self._report_gone(body, one, gone, f"{sought.span.text} is not none")

    def _report_gone(
        self, body: _Body, need: tree.Node, gone: Iterator[tuple[str, Span]], looks: str
    ) -> None:
        for ruleset, span in gone:
            self._warn(
                "not-the-one",
                f"`{body.ruleset}` needs what `{ruleset}` may have taken away",
                need.span,
                [Label(span, f"from {ruleset}")],
                f"look first whether it is there, as in `if {looks}: …`",
            )
            break

    def check_laden(self) -> None:
        """Report pieces that leave their grid while something of a stranger may lie on them."""
        grids = frozenset({GRIDS})
        put = [(grid.ruleset, grid.span) for grid in self._game.grids if grid.over]
        leaving = list[tuple[str, Span]]()
        for body in self._movers:
            looks = {each.function for each in body.nodes.of(tree.CallBuiltin)} & {*_STANDING}
            for call in body.nodes.of(tree.EffectCall):
                if call.effect == "move":
                    moved = self._moved(body, call)
                    to, cls = self._target(body, call, moved), str(call.arguments[0].type)
                    if to == grids and f"{cls}s" in _STANDING:
                        put.append((body.ruleset, body.at(call)))
                    known = moved != KnownValues() and _in(GRIDS, moved.where)
                    if known and not (looks or _meet(to, grids)) and cls in types.LAID_CLASSES:
                        leaving.append((body.ruleset, body.at(call)))
        for one, here in leaving:
            for other, span in put:
                if self.strangers(one, other):
                    self._warn(
                        "shared-limit",
                        f"nothing can lie on what leaves its grid, and `{other}` may put it there",
                        here,
                        [Label(span, f"from {other}")],
                        "look first, as in `if count(figures(t)) == 0: …`",
                    )
                    break

    def _places(self, body: _Body) -> Iterator[tuple[tree.Expr, KnownValues]]:
        """Yield each question for the place of a component that fails elsewhere."""
        scope = self._scope(body)
        zones = frozenset(zone.key for zone in self._game.zones)
        ordered = frozenset(zone.key for zone in self._game.zones if zone.ordered)
        places = {"space": {TRACKS}, "zone": zones, "position": {*ordered, GRIDS}}
        for call in body.nodes.of(tree.CallBuiltin):
            if call.function in (*places, *_ON_GRID) and is_piece(call.arguments[0].type):
                (piece,) = call.arguments
                where = frozenset[object](places.get(call.function, {GRIDS}))
                found, kinds = scope.known(piece).where, scope.part(piece)
                safe = isinstance(found, frozenset) and found <= where
                if isinstance(kinds, frozenset) and not (safe or self._located(body, call, piece)):
                    yield call, KnownValues(kinds, where)

    def _located(self, body: _Body, at: tree.Node, piece: tree.Expr) -> bool:
        """Return whether conditions around a node ask where a component is."""
        nodes = tree.Nodes(self._around(body, at))
        asked = [each.item for each in nodes.of(tree.Member)]
        asked += [c.arguments[0] for c in nodes.of(tree.CallBuiltin) if c.function == "on_board"]
        return any(key(each, {}) == key(piece, {}) for each in asked)

    def _leaving(
        self, body: _Body, needed: Part, here: frozenset[object], *, owned: bool
    ) -> Iterator[tuple[str, Span]]:
        """Yield where strangers of a body move components of needed kinds away from here.

        If those needed are `owned`, what belongs to nobody may go.
        """
        for other, call, kinds, where, to in self._moves:
            stays = isinstance(to, frozenset) and to <= here
            met = _meet(where, here) and _meet(kinds, needed)
            if met and not stays and self.strangers(body.ruleset, other.ruleset):
                belongs = tree.CallBuiltin(call.span, types.BOOL, "owned", call.arguments[:1])
                if not owned or self._possible(self._at(other, call), belongs):
                    yield other.ruleset, other.at(call)

    @cached_property
    def _moves(self) -> Sequence[tuple[_Body, tree.EffectCall, Part, Part, Part]]:
        """Moves of known components: the code, the effect, kinds, from where, to where."""
        found = []
        for body in self._movers:
            for call in body.nodes.of(tree.EffectCall):
                if call.effect in ("move", "move_all", "place"):
                    moved = self._moved(body, call)
                    kinds = self._kinds(call.arguments[0].type, moved)
                    to = self._target(body, call, replace(moved, kinds=kinds))
                    if moved != KnownValues():
                        found.append((body, call, kinds, moved.where, to))
        return found

    def _unsetting(self, body: _Body, state: str) -> Iterator[tuple[str, Span]]:
        """Yield where strangers of a body may set a state to none."""
        for other in self._bodies:
            strange = self.strangers(body.ruleset, other.ruleset)
            for change in other.nodes.of(tree.SetState) if strange else ():
                none = change.value.type == types.NONE
                maybe = none or isinstance(change.value.type, types.OptionalType)
                if change.state == state and maybe:
                    yield other.ruleset, change.span

    def _target(self, body: _Body, call: tree.EffectCall, moved: KnownValues) -> Part:
        """Return the places to which an effect moves components."""
        laid = call.effect == "place"
        return frozenset({GRIDS}) if laid else self._scope(body).target(call.arguments[1], moved)

    def _kinds(self, type_: types.Type, known: KnownValues) -> Part:
        """Return the kinds of components of a type that are, or can lie, where they are known."""
        held = (str(type_),) if str(type_) in types.PIECE_CLASSES else self._held(known.where)
        of_class = frozenset(kind.key for kind in self._game.kinds if kind.cls in held)
        return of_class & known.kinds if isinstance(known.kinds, frozenset) else of_class

    # --- the way to code -----------------------------------------------------------------------

    def _scope(self, body: _Body) -> EffectScope:
        if id(body) not in self._scopes:
            self._work.spend(len(body.nodes))
            guard = reduce(conjunction, body.known) if body.known else None
            code = (body.caller, body.around, body.known, body.code)
            nodes = tree.Nodes(code) if body.caller else body.nodes
            # The body is kept, so that no other one gets its id.
            self._scopes[id(body)] = EffectScope(self._effects.values, nodes, (), guard), body
        return self._scopes[id(body)][0]

    def _at(self, body: _Body, node: tree.Node) -> _Known:
        """Return the conditions that hold where a body comes to a node of its code."""
        self._work.spend(len(body.nodes))
        return self._leading(body.code, node, body.known) if _inside(node, body.code) else ()

    def _around(self, body: _Body, node: tree.Node) -> _Known:
        """Return the conditions that hold for a node, also those of expressions around it."""
        known = self._at(body, node)
        for choice in body.nodes.of(tree.IfElse):
            known += (choice.condition,) * _inside(node, choice.then)
            known += (negation(choice.condition),) * _inside(node, choice.otherwise)
        for pair in body.nodes.of(tree.Binary):
            known += (pair.left,) * (pair.operator == "and" and _inside(node, pair.right))
        ranging = [(e.binders, (e.value, e.keys)) for e in body.nodes.of(tree.Aggregate)]
        ranging += [(e.binders, (e.value, ())) for e in body.nodes.of(tree.Comprehension)]
        for binders, parts in ranging:
            if _inside(node, parts):
                known += _given(*(binder.where for binder in binders))
        return known

    def _leading(self, code: tree.Block, node: tree.Node, known: _Known) -> _Known:
        for number, statement in enumerate(code):
            if _inside(node, statement):
                known = self._after(code[:number], known)
                match statement:
                    case tree.If(condition=test, then=then) if _inside(node, then):
                        return self._leading(then, node, (*known, test))
                    case tree.If(condition=test, otherwise=rest) if _inside(node, rest):
                        return self._leading(rest, node, (*known, negation(test)))
                    case tree.For(binder=binder, body=body) if _inside(node, body):
                        known = self._kept(body, (*known, *_given(binder.where)))
                        return self._leading(body, node, known)
                    case tree.While(condition=test, body=body) if _inside(node, body):
                        return self._leading(body, node, (*self._kept(body, known), test))
                break
        return known

    def _after(self, code: tree.Block, known: _Known) -> _Known:
        """Return the conditions that hold after statements."""
        for each in code:
            known = self._kept(each, known)
            match each:
                case tree.If(then=(*_, tree.Return() | tree.Leave() | tree.Break()), otherwise=()):
                    known = (*known, negation(each.condition))
                case tree.Let(name=name, value=value):
                    local = tree.Local(each.span, value.type, name)
                    known = (*known, tree.Compare(each.span, types.BOOL, "==", local, value))
        return known

    def _kept(self, code: object, known: _Known) -> _Known:
        """Return the conditions that code does not change."""
        if not known:
            return known
        nodes, effects = tree.Nodes(code), self._effects.of(code)
        self._work.spend(len(nodes) * len(known))
        changed = {change.name for change in nodes.of(tree.SetLocal)}

        def stays(condition: tree.Expr) -> bool:
            own = self._effects.of_condition(condition)
            names = {local.name for local in tree.Nodes(condition).of(tree.Local)}
            proceeds = own.reads and nodes.of(tree.ProceedCall)
            return not (changed & names or proceeds or effects.disturbs(own))

        return tuple(filter(stays, known))


def _bodies(checked: tree.Checked) -> Iterator[_Body]:
    """Yield all bodies of the rules of a game."""
    for name, value in checked.values.items():
        for rule in value.rules:
            yield _Body(rule.ruleset, _given(rule.guard), rule.body, value=name)
    for action in checked.actions.values():
        key = action.key
        yield _Body(ruleset_of(key), _given(action.guard), action.body, action=action, run_by=key)
        yield from _hooked(action, key)
    for choice in checked.choices.values():
        key, code = choice.key, choice.otherwise or ()
        yield _Body(ruleset_of(key), (), code, (choice.by,), run_by=key)
        yield from _hooked(choice, key)
        for option in choice.options:
            # A precondition that does not hold closes the option.
            body = option.body if option.precondition is None else option.body[1:]
            known = _given(option.guard, *(binder.where for binder in option.binders))
            yield _Body(option.ruleset, known, body, option.binders, run_by=key)
            yield from (_Body(each.ruleset, _given(each.guard), ()) for each in option.forbids)
            yield from _hooked(option, key)
    for always in checked.always:
        yield _Body(always.ruleset, _given(always.binder.where), always.body, (always.binder,))


def _parts(
    target: tree.ActionDef | tree.OptionDef, given: tuple[tree.Expr, ...]
) -> Iterator[_Body]:
    """Yield the bodies of an action or option and of its hooks, for the arguments given."""
    hooks = target.hooks
    parts = [
        (h.ruleset, h.params, h.guard, h.body)
        for h in (*hooks.arounds, *hooks.befores, *hooks.afters)
    ]
    if isinstance(target, tree.OptionDef):
        parts.append((target.ruleset, (), target.guard, target.body))
    else:
        params = tuple(each.name for each in target.params)
        parts.append((ruleset_of(target.key), params, target.guard, target.body))
    for ruleset, params, guard, body in parts:
        names = dict(zip(params, given, strict=False))
        yield _Body(ruleset, _given(substituted(guard, names)), substituted(body, names))


def _locals(option: tree.OptionDef) -> tuple[tree.Local, ...]:
    """Return the arguments of an option, as its body reads them."""
    return tuple(tree.Local(b.span, b.item, n) for b in option.binders for n in b.names)


def _hooked(
    target: tree.ActionDef | tree.ChoiceDef | tree.OptionDef, run_by: str
) -> Iterator[_Body]:
    for hook in (*target.hooks.arounds, *target.hooks.befores, *target.hooks.afters):
        yield _Body(hook.ruleset, _given(hook.guard), hook.body, run_by=run_by)


def _given(*conditions: tree.Expr | None) -> _Known:
    return tuple(each for each in conditions if each is not None)


def _compare(left: tree.Expr, operator: str, right: int) -> tree.Expr:
    constant = tree.Const(left.span, types.INT, right)
    return tree.Compare(left.span, types.BOOL, operator, left, constant)


def _inside(node: tree.Node, code: object) -> bool:
    return any(each is node for each in tree.walk(code))


def _in(value: object, part: Part) -> bool:
    return not isinstance(part, frozenset) or value in part


def _names_owner(need: tree.Node) -> bool:
    """Return whether a look for a component asks for that of a player."""
    for binder in need.binders if isinstance(need, tree.Aggregate) else ():
        match binder.where:
            case tree.Compare(operator="==", left=one, right=other):
                asked = {getattr(side, "function", "") for side in (one, other)}
                return "owner" in asked and types.PLAYER in (one.type, other.type)
    return False


def _of_pieces(binder: tree.Binder) -> bool:
    return is_piece(binder.item) or binder.item == types.ZONE


def _either(one: tree.Expr, other: tree.Expr) -> tree.Expr:
    return tree.Binary(one.span, types.BOOL, "or", one, other)


def _sought(one: tree.Aggregate) -> tree.Expr:
    """Return what may be none in `the(x)`, or the aggregate itself if it looks for a component."""
    match one.binders[0].domain:
        case tree.Comprehension(binders=(tree.Binder(domain=tree.SetLiteral(items=(item,))),)):
            return item
    return one


def _meet(one: Part, other: Part) -> bool:
    return not (isinstance(one, frozenset) and isinstance(other, frozenset)) or bool(one & other)


def _wanted(binder: tree.Binder, kind: str) -> bool:
    """Return whether a binder may want segments of a kind."""
    match binder.where:
        case None | tree.IsKind(object=tree.Local(), test="feature"):
            return binder.where is None or binder.where.name == kind
    return False


def _entry(change: tree.SetState) -> tuple[str, tree.Expr | None, tuple[tree.Expr, ...]]:
    return change.state, change.owner, change.index


def _added(change: tree.SetState, game: LinkedGame) -> tuple[int, int]:
    """Return bounds of what a change adds to a number; nothing if it sets it."""
    low, high = bounds(change.value, game)
    match change:
        case tree.SetState(operator="+="):
            return low, high
        case tree.SetState(operator="-="):
            return -high, -low
        case tree.SetState(value=tree.Ranged(operand=value)):
            return _added(replace(change, value=value), game)
        case tree.SetState(value=tree.Binary(operator="+" | "-" as sign, left=left) as value):
            if key(left, {}) == key(tree.ReadState(left.span, left.type, *_entry(change)), {}):
                return _added(replace(change, operator=f"{sign}=", value=value.right), game)
        case tree.SetState(value=tree.CallBuiltin(function="max" | "min", arguments=values)):
            added = (_added(replace(change, value=value), game) for value in values)
            return next(filter(any, added), (0, 0))
    return 0, 0


def _fixed(spot: tree.Expr, nodes: tree.Nodes) -> tuple[object, ...]:
    """Return the cell of a placement that is the same on any board, nothing if it may not be."""
    match spot:
        case tree.CallBuiltin(function="centre", arguments=(grid,)):
            return key(grid, {}), 0, 0
        case tree.CallBuiltin(function="placement_at", arguments=(grid, x, y, _)):
            return key(grid, {}), tree.fold(x), tree.fold(y)
        case tree.Local(name=name):
            given = [let.value for let in nodes.of(tree.Let) if let.name == name]
            return _fixed(given[0], nodes) if len(given) == 1 else ()
    return ()
