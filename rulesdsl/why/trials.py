"""Which rules of a value were tried in one evaluation of it, and what each gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulesdsl.model.checked import CallValue, Previous, Rule
from rulesdsl.run.reference.context import Evaluation
from rulesdsl.run.reference.observing import Seen
from rulesdsl.run.reference.rules import below


@dataclass
class Trial:
    """A rule that was tried: what its guard gave, and what its body evaluated, the result last."""

    number: int
    rule: Rule
    applies: bool
    guard: Seen | None = None
    body: list[Seen] = field(default_factory=list)

    @property
    def result(self) -> Seen | None:
        """What it gave; None if its body was not evaluated."""
        return self.body[-1] if self.body else None


@dataclass(frozen=True)
class Tried:
    """An evaluation of a value with the rules that were tried, in their order."""

    evaluation: Evaluation
    trials: tuple[Trial, ...]

    @property
    def applying(self) -> tuple[Trial, ...]:
        """The rules whose guards held."""
        return tuple(trial for trial in self.trials if trial.applies)

    def of(self, number: int) -> Trial:
        """The trial of a rule."""
        return next(trial for trial in self.trials if trial.number == number)


def tried(seen: Seen) -> Tried | None:
    """The rules that were tried for a call of a value; None if it has none that was."""
    assert isinstance(seen.expression, CallValue)
    parts = seen.parts[len(seen.expression.arguments) :]
    evaluation = next((part.call for part in parts if part.call is not None), None)
    if evaluation is None:
        return None
    rules = evaluation.definition.rules
    found = {
        number: Trial(number, rules[number], applies)
        for number, applies in evaluation.applies.items()
    }
    for part in _roots(parts):
        trial = found.get(part.rule)
        if trial is None:
            continue
        if part.expression is trial.rule.guard:
            trial.guard = part
        else:
            trial.body.append(part)
    return Tried(evaluation, tuple(found[number] for number in sorted(found)))


def winner(seen: Seen, within: Tried) -> Trial | None:
    """The rule that gave the result of a call of a value of which one rule wins, or of
    `previous` in one of its rules."""
    evaluation, numbers = within.evaluation, range(len(within.evaluation.definition.rules))
    allowed = (
        below(seen.expression, evaluation, seen.rule)
        if isinstance(seen.expression, Previous)
        else tuple(numbers)
    )
    found = next((number for number in allowed if evaluation.applies.get(number)), None)
    return None if found is None else within.of(found)


def _roots(parts: list[Seen]) -> Iterator[Seen]:
    """What the rules evaluated by themselves, also those that `previous` falls back on."""
    for part in parts:
        yield part
        yield from _fallen_back(part)


def _fallen_back(seen: Seen) -> Iterator[Seen]:
    if isinstance(seen.expression, Previous):
        yield from _roots(seen.parts)
        return
    parts = seen.parts
    if isinstance(seen.expression, CallValue):
        # What its rules evaluated belongs to it.
        parts = parts[: len(seen.expression.arguments)]
    for part in parts:
        yield from _fallen_back(part)
