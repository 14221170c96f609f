"""How a value came about: the rules it was made by, line by line, with what was worth what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Span
from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    CallBuiltin,
    CallValue,
    Compare,
    Const,
    EntryAt,
    Expr,
    IfElse,
    IsKind,
    Local,
    Member,
    Negate,
    Previous,
    Ranged,
    ReadAttribute,
    Return,
    Rule,
)
from rulesdsl.model.types import BOOL, IntType
from rulesdsl.run.reference.evaluate import FLOWING
from rulesdsl.run.reference.observing import Seen
from rulesdsl.why.answer import Mark, Step
from rulesdsl.why.members import decisive, made_by, members, notes, sugared
from rulesdsl.why.texts import Texts
from rulesdsl.why.trials import Trial, Tried, tried, winner

ENOUGH = 40
"""An answer has at most about so many steps."""

DEEPEST = 8
"""So many steps lie inside of each other at most."""

_PARTS = ("+", "-", "*", "div", "mod")


@dataclass
class _Sketch:
    """A step that is being made."""

    marks: list[Mark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def step(self, title: str, span: Span) -> Step:
        marks = tuple(dict.fromkeys(self.marks))
        return Step(title, span, marks, tuple(self.notes), tuple(self.steps))


class Steps:
    """Makes steps of what was seen; what was told once is not told again."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._told: set[object] = set()
        self._count = self._depth = 0

    def amount(self, title: str, span: Span, seen: Seen) -> Step:
        """How a number, or anything that is no condition, came about."""
        sketch = _Sketch()
        self._flow(seen, sketch)
        if not sketch.marks:
            self._mark(seen, sketch)
        return sketch.step(title, span)

    def condition(self, title: str, span: Span, seen: Seen) -> Step:
        """What made a condition true or false."""
        sketch = _Sketch()
        self._whether(seen, sketch)
        return sketch.step(title, span)

    # --- what flows into a number --------------------------------------------------------------

    def _mark(self, seen: Seen, sketch: _Sketch) -> None:
        span = seen.expression.span
        if isinstance(seen.expression, Local) and any(
            span.text == mark.span.text for mark in sketch.marks
        ):
            return
        sketch.marks.append(Mark(span, self._texts.of(seen)))

    def _flow(self, seen: Seen, sketch: _Sketch) -> None:
        """Mark the terms of a value, and tell how they came about."""
        match seen.expression:
            case Binary(operator=operator) if operator in _PARTS:
                self._flow_all(seen.parts, sketch)
            case Negate() | Ranged():
                self._flow_all(seen.parts, sketch)
            case Const(setting=None):
                pass
            case Local() if isinstance(seen.expression.type, IntType):
                self._mark(seen, sketch)
                sketch.steps += self._origins(seen)
            case _ if seen.hidden:
                self._mark(seen, sketch)
            case CallBuiltin(function=function) if function in FLOWING:
                self._mark(seen, sketch)
                self._flow_all(seen.parts, sketch)
            case IfElse():
                condition, chosen = seen.parts
                self._mark(condition, sketch)
                self._flow(chosen, sketch)
            case CallValue() | Previous():
                self._mark(seen, sketch)
                sketch.steps += self._call(seen)
            case EntryAt(what="table"):
                self._mark(seen, sketch)
                self._flow_all(seen.parts, sketch)
            case Aggregate():
                self._mark(seen, sketch)
                sketch.notes += notes(seen, self._texts)
                for part in made_by(seen):
                    sketch.steps += self._call(part)
            case _ if seen.expression.type == BOOL:
                self._whether(seen, sketch)
            case _:
                self._mark(seen, sketch)

    def _flow_all(self, parts: Iterable[Seen], sketch: _Sketch) -> None:
        for part in parts:
            self._flow(part, sketch)

    def _origins(self, seen: Seen) -> list[Step]:
        """How a local got its value, unless that is plain."""
        name, value = seen.expression.span.text, self._texts.of(seen)
        steps = []
        for origin in seen.origins:
            plain = isinstance(origin.expression, Const | Local) and not origin.origins
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
        """Is it to be told: for the first time, and not too much already?"""
        if what in self._told or self._count >= ENOUGH or self._depth >= DEEPEST:
            return False
        self._told.add(what)
        self._count += 1
        return True

    # --- what makes a condition true or false --------------------------------------------------

    def _whether(self, seen: Seen, sketch: _Sketch) -> None:
        """Mark a condition, or those of its parts that decided."""
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

    def _decide(self, seen: Seen, sketch: _Sketch) -> None:
        """Tell how a condition without parts came about."""
        if seen.hidden:
            return
        match seen.expression:
            case Compare(left=left, right=right):
                self._sides((left, right), seen.parts, sketch)
            case Member():
                self._sides((seen.expression.item, seen.expression.set), seen.parts, sketch)
            case IsKind():
                self._sides((seen.expression.object,), seen.parts, sketch)
            case CallValue() | Previous():
                sketch.steps += self._call(seen)
            case Aggregate(function="any" | "all"):
                self._any(seen, sketch)
            case Local():
                for origin in seen.origins:
                    sketch.steps.append(
                        self.condition(seen.expression.span.text, origin.expression.span, origin)
                    )

    def _sides(self, sides: Sequence[Expr], parts: Sequence[Seen], sketch: _Sketch) -> None:
        for part in parts:
            if not any(part.expression is side for side in sides):
                continue
            if isinstance(part.expression.type, IntType):
                self._flow(part, sketch)
            elif not isinstance(part.expression, Const):
                self._mark(part, sketch)

    def _any(self, seen: Seen, sketch: _Sketch) -> None:
        """What decided is the last member that was looked at, or else all of them did."""
        assert isinstance(seen.expression, Aggregate)
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

    def _call(self, seen: Seen) -> list[Step]:
        """How the rules of a value made its result."""
        if isinstance(seen.expression, Previous):
            return self._previous(seen)
        found = tried(seen)
        if found is None or seen.hidden:
            return []
        key = (found.evaluation.definition.key, found.evaluation.arguments)
        return self.rules(seen, found) if self._new(key) else []

    def _previous(self, seen: Seen) -> list[Step]:
        # The call that it is a part of has told the arguments.
        if seen.call is None or seen.hidden or self._within is None:
            return []
        trial = winner(seen, self._within)
        if trial is None or _plain(trial.rule) or not self._new(_key(self._within, trial)):
            return []
        return [self.rule(self._within, trial)]

    _within: Tried | None = None

    def rules(self, seen: Seen, found: Tried) -> list[Step]:
        """The rules that made the result of a call."""
        policy = found.evaluation.definition.policy
        if policy == "unique":
            trial = winner(seen, found)
            chosen = [] if trial is None else [trial]
        elif policy in ("all", "any"):
            stopped = seen.value is (policy == "any")
            made = [t for t in found.trials if t.body or (not stopped and not t.applies)]
            chosen = made[-1:] if stopped else made
        elif policy in ("max", "min"):
            chosen = [t for t in found.applying if t.result and t.result.value == seen.value][:1]
        else:
            chosen = [t for t in found.applying if t.result and t.result.value not in (0, ())]
        return [self.rule(found, trial) for trial in chosen if not _plain(trial.rule)]

    def told_apart(self, found: Tried) -> None:
        """The rules of this call are told one by one, and not again where they fall back."""
        self._told.update(_key(found, trial) for trial in found.trials)

    def rule(self, found: Tried, trial: Trial) -> Step:
        """What one rule of a value gave, and how."""
        kept, self._within = self._within, found
        self._depth += 1
        evaluation = found.evaluation
        call = self._texts.call(evaluation.definition.key, evaluation.arguments)
        sketch = _Sketch()
        if trial.guard is not None and trial.applies:
            self._mark(trial.guard, sketch)
        elif trial.guard is not None:
            self._whether(trial.guard, sketch)
        self._body(trial, sketch)
        self._depth -= 1
        self._within = kept
        given = trial.result
        result = "does not apply" if given is None else self._texts.of(given)
        return sketch.step(f"{call}: {result}{by(trial.rule)}", place(trial))

    def _body(self, trial: Trial, sketch: _Sketch) -> None:
        if trial.result is None:
            return
        for condition in trial.body[:-1]:
            # The case of a ladder that was met.
            if condition.expression.type == BOOL and condition.value is True:
                self._mark(condition, sketch)
        if trial.result.expression.type == BOOL:
            self._whether(trial.result, sketch)
            return
        before = len(sketch.marks)
        self._flow(trial.result, sketch)
        if len(sketch.marks) == before:
            self._mark(trial.result, sketch)


def _key(found: Tried, trial: Trial) -> object:
    return id(found.evaluation), trial.number


def by(rule: Rule) -> str:
    """Who wrote a rule that is not the value's own body."""
    return "" if rule.verb == "base" else f", `{rule.verb}` of {rule.ruleset}"


def place(trial: Trial) -> Span:
    """Where a rule gives its result, or else where its guard stands."""
    shown = trial.result or trial.guard
    return trial.rule.span if shown is None else shown.expression.span


def _plain(rule: Rule) -> bool:
    """Is it nothing but what components carry, by manifest?"""
    match rule.body:
        case (Return(value=ReadAttribute()),):
            return rule.verb == "base"
    return False
