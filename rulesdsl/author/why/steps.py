"""Explanations of values: the rules that were tried, line by line, with their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from rulesdsl.author.why.answer import HIDDEN, MOST, AnswerStep, ValueMark, ValueTexts, written
from rulesdsl.author.why.tracing import Bound, Evaluation, ExpressionTrace, RuleTrial
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked
from rulesdsl.language.model.flow import FLOWING
from rulesdsl.language.model.types import BOOL, IntType


@dataclass
class BinderRow:
    """The values of the binders, the evaluation of their `where`, and the term or keys."""

    bound: Bound
    where: ExpressionTrace | None = None
    terms: list[ExpressionTrace] = field(default_factory=list)

    @property
    def taken(self) -> bool:
        """True if its `where` held."""
        return self.where is None or self.where.value is True

    @property
    def hidden(self) -> bool:
        """True if any of its values is hidden from the player who asks."""
        return any(each.hidden for each in (self.where, *self.terms) if each is not None)


def members(seen: ExpressionTrace) -> list[BinderRow]:
    """Return the members of an iteration, in order, without those that were not evaluated."""
    expression = seen.expression
    assert isinstance(expression, checked.Aggregate | checked.Comprehension)
    wheres = [id(binder.where) for binder in expression.binders if binder.where is not None]
    domains = [id(binder.domain) for binder in expression.binders]
    terms = [id(expression.value)]
    if isinstance(expression, checked.Aggregate):
        terms += [id(key) for key in expression.keys]
    found: dict[Bound, BinderRow] = {}
    for part in seen.parts:
        which = id(part.expression)
        if which in domains or not part.bound or not (which in wheres or which in terms):
            continue
        member = found.setdefault(part.bound, BinderRow(part.bound))
        if which in wheres:
            member.where = part
        else:
            member.terms.append(part)
    return list(found.values())


def notes(seen: ExpressionTrace, texts: ValueTexts) -> Iterator[str]:
    """Yield a line for each of the first members."""
    assert isinstance(seen.expression, checked.Aggregate)
    found = members(seen)
    if not found:
        domain = next(iter(seen.parts), None)
        if domain is not None and domain.value == ():
            yield f"{written(domain.expression.span)} is empty"
        elif domain is not None and isinstance(domain.value, tuple) and not domain.hidden:
            yield f"{written(domain.expression.span)} is {texts.value(domain.value)}"
    # Members that were taken come first: they made the result.
    shown = sorted(found, key=lambda member: not member.taken)
    for member in shown[:MOST]:
        yield _note(member, texts)
    if len(found) > MOST:
        yield f"and {len(found) - MOST} more"


def _note(member: BinderRow, texts: ValueTexts) -> str:
    names = texts.bound(member.bound)
    if member.hidden:
        return f"{names}: {HIDDEN}"
    if not member.taken:
        assert member.where is not None, "it was not taken for a reason"
        return f"{names}: left out, {reason(member.where, texts)}"
    terms = ", ".join(
        f"{written(term.expression.span)} is {texts.of(term)}" for term in member.terms
    )
    return f"{names}: {terms}" if terms else names


def reason(seen: ExpressionTrace, texts: ValueTexts) -> str:
    """Return the reason for the value of a condition in short: the part that decided it."""
    deciding = decisive(seen)
    if len(deciding) == 1 and deciding[0] is not seen and not sugared(seen, deciding):
        return reason(deciding[0], texts)
    return f"`{written(seen.expression.span)}` is {texts.of(seen)}"


def decisive(seen: ExpressionTrace) -> list[ExpressionTrace]:
    """Return the parts of a condition that decided its value.

    The condition itself, if it has no such parts.
    """
    match seen.expression:
        case checked.Binary(operator="and" | "or" as operator):
            # An evaluation that stops at the first false (or true) one ended with it.
            stopped = seen.value is (operator == "or")
            return [seen.parts[-1]] if stopped else list(seen.parts)
        case checked.Not():
            return list(seen.parts)
        case checked.IfElse():
            return list(seen.parts)
    return [seen]


def sugared(seen: ExpressionTrace, deciding: list[ExpressionTrace]) -> bool:
    """Return whether a negation is written in one piece, as `is not` and `not in` are."""
    return len(deciding) == 1 and deciding[0].expression.span == seen.expression.span


def made_by(seen: ExpressionTrace) -> Iterator[ExpressionTrace]:
    """Yield the calls of values that determined the result of an aggregate."""
    assert isinstance(seen.expression, checked.Aggregate)
    for member in members(seen):
        if member.taken and not member.hidden and _counts(member, seen):
            for term in member.terms:
                if isinstance(term.expression, checked.CallValue) and term.value not in (
                    0,
                    (),
                    None,
                ):
                    yield term


def _counts(member: BinderRow, seen: ExpressionTrace) -> bool:
    """Return whether the member is in the result, or its value is the result."""
    match seen.expression:
        case checked.Aggregate(function="most", value=value) if value is not None:
            return isinstance(seen.value, tuple) and member.terms[0].value in seen.value
        case checked.Aggregate(function="most" | "top"):
            chosen = seen.value if isinstance(seen.value, tuple) else ()
            return member.bound[-1][1] in chosen
        case checked.Aggregate(function="max" | "min"):
            return bool(member.terms) and member.terms[0].value == seen.value
        case checked.Aggregate(function="first" | "the"):
            return member.bound[-1][1] == seen.value
    return True


ENOUGH = 40
"""Approximate maximum number of steps of an answer."""

DEEPEST = 8
"""Maximum nesting of steps."""

_PARTS = ("+", "-", "*", "div", "mod")


@dataclass
class _Sketch:
    """A step under construction."""

    marks: list[ValueMark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    steps: list[AnswerStep] = field(default_factory=list)

    def step(self, title: str, span: Span) -> AnswerStep:
        marks = tuple(dict.fromkeys(self.marks))
        return AnswerStep(title, span, marks, tuple(self.notes), tuple(self.steps))


class Steps:
    """Builder of steps from evaluations; nothing is explained twice."""

    def __init__(self, texts: ValueTexts) -> None:
        self._texts = texts
        self._told: set[object] = set()
        self._count = self._depth = 0

    def amount(self, title: str, span: Span, seen: ExpressionTrace) -> AnswerStep:
        """Return the step for a number, or for any other value but a condition."""
        sketch = _Sketch()
        self._flow(seen, sketch)
        if not sketch.marks:
            self._mark(seen, sketch)
        return sketch.step(title, span)

    def condition(self, title: str, span: Span, seen: ExpressionTrace) -> AnswerStep:
        """Return the step for a condition."""
        sketch = _Sketch()
        self._whether(seen, sketch)
        return sketch.step(title, span)

    # --- amounts -------------------------------------------------------------------------------

    def _mark(self, seen: ExpressionTrace, sketch: _Sketch) -> None:
        span = seen.expression.span
        if isinstance(seen.expression, checked.Local) and any(
            span.text == mark.span.text for mark in sketch.marks
        ):
            return
        sketch.marks.append(ValueMark(span, self._texts.of(seen)))

    def _flow(self, seen: ExpressionTrace, sketch: _Sketch) -> None:
        """Mark the terms of a value, and add their explanations."""
        match seen.expression:
            case checked.Binary(operator=operator) if operator in _PARTS:
                self._flow_all(seen.parts, sketch)
            case checked.Negate() | checked.Ranged():
                self._flow_all(seen.parts, sketch)
            case checked.Const(setting=None):
                pass
            case checked.Local() if isinstance(seen.expression.type, IntType):
                self._mark(seen, sketch)
                sketch.steps += self._origins(seen)
            case _ if seen.hidden:
                self._mark(seen, sketch)
            case checked.CallBuiltin(function=function) if function in FLOWING:
                self._mark(seen, sketch)
                self._flow_all(seen.parts, sketch)
            case checked.IfElse():
                condition, chosen = seen.parts
                self._mark(condition, sketch)
                self._flow(chosen, sketch)
            case checked.CallValue() | checked.Previous():
                self._mark(seen, sketch)
                sketch.steps += self._call(seen)
            case checked.EntryAt(what="table"):
                self._mark(seen, sketch)
                self._flow_all(seen.parts, sketch)
            case checked.Aggregate():
                self._mark(seen, sketch)
                sketch.notes += notes(seen, self._texts)
                for part in made_by(seen):
                    sketch.steps += self._call(part)
            case _ if seen.expression.type == BOOL:
                self._whether(seen, sketch)
            case _:
                self._mark(seen, sketch)

    def _flow_all(self, parts: Iterable[ExpressionTrace], sketch: _Sketch) -> None:
        for part in parts:
            self._flow(part, sketch)

    def _origins(self, seen: ExpressionTrace) -> list[AnswerStep]:
        """Return the steps for the value of a local, unless it is obvious."""
        name, value = seen.expression.span.text, self._texts.of(seen)
        steps = []
        for origin in seen.origins:
            plain = (
                isinstance(origin.expression, checked.Const | checked.Local) and not origin.origins
            )
            if plain or not self._new(id(origin)):
                continue
            title = f"{name} = {value}"
            if len(seen.origins) > 1:
                title = f"{self._texts.of(origin)} of {title}"
            self._depth += 1
            steps.append(self.amount(title, origin.expression.span, origin))
            self._depth -= 1
        return steps

    def _new(self, what: object) -> bool:
        """Return whether to explain something: for the first time, and within the limits."""
        if what in self._told or self._count >= ENOUGH or self._depth >= DEEPEST:
            return False
        self._told.add(what)
        self._count += 1
        return True

    # --- conditions ----------------------------------------------------------------------------

    def _whether(self, seen: ExpressionTrace, sketch: _Sketch) -> None:
        """Mark a condition, or the parts of it that decided."""
        deciding = [] if seen.hidden else decisive(seen)
        if deciding in ([], [seen]):
            self._mark(seen, sketch)
            self._decide(seen, sketch)
        elif sugared(seen, deciding):
            self._mark(seen, sketch)
            self._decide(deciding[0], sketch)
        else:
            for part in deciding:
                self._whether(part, sketch)

    def _decide(self, seen: ExpressionTrace, sketch: _Sketch) -> None:
        """Explain a condition without parts."""
        if seen.hidden:
            return
        match seen.expression:
            case checked.Compare(left=left, right=right):
                self._sides((left, right), seen.parts, sketch)
            case checked.Member():
                self._sides((seen.expression.item, seen.expression.set), seen.parts, sketch)
            case checked.IsKind():
                self._sides((seen.expression.object,), seen.parts, sketch)
            case checked.CallValue() | checked.Previous():
                sketch.steps += self._call(seen)
            case checked.Aggregate(function="any" | "all"):
                self._any(seen, sketch)
            case checked.Local():
                for origin in seen.origins:
                    sketch.steps.append(
                        self.condition(seen.expression.span.text, origin.expression.span, origin)
                    )

    def _sides(
        self, sides: Sequence[checked.Expr], parts: Sequence[ExpressionTrace], sketch: _Sketch
    ) -> None:
        for part in parts:
            if not any(part.expression is side for side in sides):
                continue
            if isinstance(part.expression.type, IntType):
                self._flow(part, sketch)
            elif not isinstance(part.expression, checked.Const):
                self._mark(part, sketch)

    def _any(self, seen: ExpressionTrace, sketch: _Sketch) -> None:
        """Explain an `any` or `all`: by the last member tried if it decided, otherwise by all."""
        assert isinstance(seen.expression, checked.Aggregate)
        stopped = seen.value is (seen.expression.function == "any")
        found = members(seen)
        if not stopped or not found:
            sketch.notes += notes(seen, self._texts)
            return
        last = found[-1]
        sketch.notes.append(self._texts.bound(last.bound))
        for part in (last.where, *last.terms):
            if part is not None:
                self._whether(part, sketch)

    # --- calls of values -----------------------------------------------------------------

    def _call(self, seen: ExpressionTrace) -> list[AnswerStep]:
        """Return the steps for a call: the rules that gave its result."""
        found = seen.evaluation
        if found is None or seen.hidden:
            return []
        if isinstance(seen.expression, checked.Previous):
            # The enclosing call has shown the arguments.
            trial = found.winner(seen)
            if trial is None or _plain(trial.rule) or not self._new(_key(found, trial)):
                return []
            return [self.rule(found, trial)]
        key = (found.definition.key, found.arguments)
        return self.rules(seen, found) if self._new(key) else []

    def rules(self, seen: ExpressionTrace, found: Evaluation) -> list[AnswerStep]:
        """Return the steps for the rules that gave the result of a call."""
        policy = found.definition.policy
        if policy == "unique":
            trial = found.winner(seen)
            chosen = [] if trial is None else [trial]
        elif policy in ("all", "any"):
            stopped = seen.value is (policy == "any")
            made = [t for t in found.trials if t.body or (not stopped and not t.applies)]
            chosen = made[-1:] if stopped else made
        else:
            given = [t for t in found.trials if t.applies and t.result]
            if policy in ("max", "min"):
                chosen = [t for t in given if t.result and t.result.value == seen.value][:1]
            else:
                chosen = [t for t in given if t.result and t.result.value not in (0, ())]
        return [self.rule(found, trial) for trial in chosen if not _plain(trial.rule)]

    def told_apart(self, found: Evaluation) -> None:
        """Mark the rules of this call as explained one by one, so that they are not repeated."""
        self._told.update(_key(found, trial) for trial in found.trials)

    def rule(self, found: Evaluation, trial: RuleTrial) -> AnswerStep:
        """Return the step for one rule of a value: its result and the reasons."""
        self._depth += 1
        call = self._texts.call(found.definition.key, found.arguments)
        sketch = _Sketch()
        if trial.guard is not None and trial.applies:
            self._mark(trial.guard, sketch)
        elif trial.guard is not None:
            self._whether(trial.guard, sketch)
        self._body(trial, sketch)
        self._depth -= 1
        given = trial.result
        result = "does not apply" if given is None else self._texts.of(given)
        return sketch.step(f"{call}: {result}{by(trial.rule)}", place(trial))

    def _body(self, trial: RuleTrial, sketch: _Sketch) -> None:
        if trial.result is None:
            return
        for condition in trial.body[:-1]:
            # The case of a ladder that applied.
            if condition.expression.type == BOOL and condition.value is True:
                self._mark(condition, sketch)
        if trial.result.expression.type == BOOL:
            self._whether(trial.result, sketch)
            return
        before = len(sketch.marks)
        self._flow(trial.result, sketch)
        if len(sketch.marks) == before:
            self._mark(trial.result, sketch)


def _key(found: Evaluation, trial: RuleTrial) -> object:
    return id(found), trial.number


def by(rule: checked.Rule) -> str:
    """Return the author of a rule as text; empty for the value's own body."""
    return "" if rule.verb == "base" else f", `{rule.verb}` of {rule.ruleset}"


def place(trial: RuleTrial) -> Span:
    """Return the span of a rule's result, or else of its guard."""
    shown = trial.result or trial.guard
    return trial.rule.span if shown is None else shown.expression.span


def _plain(rule: checked.Rule) -> bool:
    """Return whether a rule only reads an attribute of components."""
    match rule.body:
        case (checked.Return(value=checked.ReadAttribute()),):
            return rule.verb == "base"
    return False


_RANK = {"+": 1, "-": 1, "*": 2, "div": 2, "mod": 2}
_ATOM = 3


def formula(seen: ExpressionTrace) -> str:
    """Return the sum that gave a number; only the number if it is not a sum."""
    return _made(seen)[0]


def _made(seen: ExpressionTrace) -> tuple[str, int]:
    """Return the text and its operator precedence."""
    match seen.expression:
        case checked.Binary(operator=operator) if operator in _RANK:
            return _joined(operator, [_made(part) for part in seen.parts])
        case checked.Ranged():
            return _made(seen.parts[0])
        case checked.Local() if _added(seen) and not seen.hidden:
            return _joined("+", [_made(origin) for origin in seen.origins])
        case checked.Const():
            return str(seen.value), _ATOM
    if seen.hidden:
        return HIDDEN, _ATOM
    match seen.expression:
        case checked.IfElse():
            return _made(seen.parts[1])
        case checked.CallBuiltin(function="max" | "min"):
            return _made(next(p for p in seen.parts if p.value == seen.value))
        case checked.CallValue() | checked.Previous():
            return _called(seen)
        case checked.Aggregate(function="sum"):
            terms = [member.terms[0] for member in members(seen) if member.taken and member.terms]
            if len(terms) > 1:
                return _joined("+", [_made(term) for term in terms])
    return str(seen.value), _ATOM


def _added(seen: ExpressionTrace) -> bool:
    """Return whether a local is the sum of the values added to it, some perhaps negative."""
    values = [origin.value for origin in seen.origins]
    return bool(values) and sum(each for each in values if isinstance(each, int)) == seen.value


def _called(seen: ExpressionTrace) -> tuple[str, int]:
    found = seen.evaluation
    if found is not None and found.definition.policy == "unique":
        trial = found.winner(seen)
        if trial is not None and trial.result is not None:
            return _made(trial.result)
    if found is not None and found.definition.policy == "sum":
        results = [t.result for t in found.trials if t.applies and t.result is not None]
        if results:
            return _joined("+", [_made(result) for result in results])
    return str(seen.value), _ATOM


def _joined(operator: str, parts: list[tuple[str, int]]) -> tuple[str, int]:
    """Join terms with an operator, in parentheses where needed.

    Terms without effect are left out.
    """
    if operator == "+":
        parts = [part for part in parts if part[0] != "0"] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    rank = _RANK[operator]
    first, *others = parts
    texts = [_bracketed(first, rank)]
    # `a - (b + c)` and `a * (b div c)` need them where `a + (b + c)` does not.
    least = rank if operator == "+" else rank + 1
    texts += [_bracketed(part, least) for part in others]
    return f" {operator} ".join(texts), rank


def _bracketed(part: tuple[str, int], rank: int) -> str:
    text, own = part
    return f"({text})" if own < rank else text
