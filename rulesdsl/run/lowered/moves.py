"""What a lowered game waits for: the rows of `moves` as a decision."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.lower.plan import ChoicePlan, DrawLayer, Plan
from rulesdsl.model.types import FACE, PIECE, ZONE
from rulesdsl.model.values import Value
from rulesdsl.run.engine import Candidate, Decision
from rulesdsl.run.lowered.frames import read_value
from rulesdsl.run.lowered.machine import Tables
from rulesdsl.run.reference.program import Code
from rulesdsl.run.reference.runtime import Waiting

NOBODY, PLAYER, CHANCE = 0, 1, 2
"""What `waiting` says."""

NAMES = {"take": ("zone", "piece"), "roll": ("die", "face")}
"""What the argument and the outcome of a chance move are called."""

OUTCOMES = {"take": PIECE, "roll": FACE}


def waiting(plan: Plan, tables: Tables) -> Waiting | None:
    """What is waited for, `moves` being filled for it; None when the game is over."""
    match tables["waiting"][0]:
        case 0:
            return None
        case 1:
            return _choice(plan, tables, plan.choices[tables["asked"][0]])
        case _:
            return _chance(plan, tables)


def _choice(plan: Plan, tables: Tables, choice: ChoicePlan) -> Waiting:
    stack, frame, encoding = tables["stack"], tables["top"][0], plan.encoding
    given = tuple(
        (slot.name, read_value(encoding, tables, stack[frame + slot.offset], slot.type))
        for slot in choice.arguments
    )
    arguments = tuple(value for _, value in given)
    candidates: list[Candidate] = []
    options: list[tuple[Code, tuple[Value, ...]]] = []
    codes = [Code("option", choice.key, number) for number in range(len(choice.options))]
    for number, *numbers in _rows(tables):
        option = choice.options[number]
        own = tuple(
            (name, encoding.decode(each, type_))
            for (name, type_), each in zip(option.arguments, numbers, strict=False)
        )
        candidates.append(Candidate(option.name, option.key, own, secret=option.secret))
        options.append((codes[number], arguments + tuple(value for _, value in own)))
    decision = Decision(tables["asked_seat"][0], choice.key, given, tuple(candidates))
    return Waiting(decision, tuple(options))


def _chance(plan: Plan, tables: Tables) -> Waiting:
    stack, frame, encoding = tables["stack"], tables["top"][0], plan.encoding
    draw = plan.points[stack[frame]].layers[-1]
    assert isinstance(draw, DrawLayer), "what waits for chance draws"
    given, drawn = NAMES[draw.effect]
    slot = draw.argument
    argument = encoding.decode(stack[frame + slot.offset], slot.type)
    kind = OUTCOMES[draw.effect]
    found = [(encoding.decode(number, kind), weight) for weight, number in _rows(tables)]
    candidates = tuple(
        Candidate(draw.effect, draw.effect, ((drawn, outcome),), weight)
        for outcome, weight in found
    )
    decision = Decision(None, draw.effect, ((given, argument),), candidates)
    return Waiting(decision, outcomes=tuple(outcome for outcome, _ in found))


def _rows(tables: Tables) -> Iterator[list[int]]:
    """The rows of `moves`."""
    width, moves = tables["move_width"][0], tables["moves"]
    for row in range(tables["move_count"][0]):
        yield moves[row * width : (row + 1) * width]


def write_waiting(plan: Plan, tables: Tables, found: Waiting | None) -> None:
    """Let the tables, whose frames ask for it, say that this is waited for."""
    tables["waiting"][0] = NOBODY
    if found is None:
        return
    decision = found.decision
    if decision.seat is None:
        given, drawn = decision.arguments[0][1], list(NAMES).index(decision.choice)
        kind = ZONE if decision.choice == "take" else PIECE
        tables["waiting"][0], tables["asked"][0] = CHANCE, drawn
        tables["asked_given"][0] = plan.encoding.encode(given, kind)
        return
    numbers = {choice.key: number for number, choice in enumerate(plan.choices)}
    tables["waiting"][0], tables["asked"][0] = PLAYER, numbers[decision.choice]
    tables["asked_seat"][0] = decision.seat
