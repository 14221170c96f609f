"""What a lowered game waits for: the rows of `moves` as a decision."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.lower.plan import ChoicePlan, DrawLayer, Plan
from rulesdsl.model.types import FACE, PIECE, ZONE
from rulesdsl.run.engine import Candidate, Decision
from rulesdsl.run.lowered.blocks import read_value
from rulesdsl.run.lowered.machine import Tables

NOBODY, PLAYER, CHANCE = 0, 1, 2
"""What `waiting` says."""

NAMES = {"take": ("zone", "piece"), "roll": ("die", "face")}
"""What the argument and the outcome of a chance move are called."""

OUTCOMES = {"take": PIECE, "roll": FACE}


def asked(plan: Plan, tables: Tables) -> Decision | None:
    """What is waited for, `moves` being filled for it; None when the game is over."""
    match tables["waiting"][0]:
        case 0:
            return None
        case 1:
            return _choice(plan, tables, plan.choices[tables["asked"][0]])
        case _:
            return _chance(plan, tables)


def _choice(plan: Plan, tables: Tables, choice: ChoicePlan) -> Decision:
    stack, frame, encoding = tables["stack"], tables["top"][0], plan.encoding
    given = tuple(
        (slot.name, read_value(encoding, tables, stack[frame + slot.offset], slot.type))
        for slot in choice.arguments
    )
    decoders = [
        [(name, encoding.decoder(type_)) for name, type_ in option.arguments]
        for option in choice.options
    ]
    candidates: list[Candidate] = []
    for number, *numbers in rows(tables):
        option = choice.options[number]
        own = tuple(
            [
                (name, decoded(each))
                for (name, decoded), each in zip(decoders[number], numbers, strict=False)
            ]
        )
        candidates.append(Candidate(option.name, option.key, own, secret=option.secret))
    return Decision(tables["asked_seat"][0], choice.key, given, tuple(candidates))


def _chance(plan: Plan, tables: Tables) -> Decision:
    stack, frame, encoding = tables["stack"], tables["top"][0], plan.encoding
    draw = plan.points[stack[frame]].layers[-1]
    assert isinstance(draw, DrawLayer), "what waits for chance draws"
    given, drawn = NAMES[draw.effect]
    slot = draw.argument
    argument = encoding.decode(stack[frame + slot.offset], slot.type)
    outcome = encoding.decoder(OUTCOMES[draw.effect])
    candidates = tuple(
        Candidate(draw.effect, draw.effect, ((drawn, outcome(number)),), weight)
        for weight, number in rows(tables)
    )
    return Decision(None, draw.effect, ((given, argument),), candidates)


def rows(tables: Tables) -> Iterator[list[int]]:
    """The rows of `moves`."""
    width, count = tables["move_width"][0], tables["move_count"][0]
    numbers = tables["moves"][: width * count]
    for row in range(count):
        yield numbers[row * width : (row + 1) * width]


def write_asked(plan: Plan, tables: Tables, decision: Decision | None) -> None:
    """Let the tables, whose frames ask for it, say that this is waited for."""
    tables["waiting"][0] = NOBODY
    if decision is None:
        return
    if decision.seat is None:
        given, drawn = decision.arguments[0][1], list(NAMES).index(decision.choice)
        kind = ZONE if decision.choice == "take" else PIECE
        tables["waiting"][0], tables["asked"][0] = CHANCE, drawn
        tables["asked_given"][0] = plan.encoding.encode(given, kind)
        return
    numbers = {choice.key: number for number, choice in enumerate(plan.choices)}
    tables["waiting"][0], tables["asked"][0] = PLAYER, numbers[decision.choice]
    tables["asked_seat"][0] = decision.seat
