"""The decision of a lowered game, decoded from the table `moves`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from rulesdsl.engine.lower.plan import ChoicePlan, OptionPlan, Plan
from rulesdsl.engine.lower.tables.encoding import NONE, set_item
from rulesdsl.engine.run.interface import Candidate, Decision
from rulesdsl.engine.runtime.heap import HEADER
from rulesdsl.language.model.tables import Tables
from rulesdsl.language.model.types import FACE, PIECE, ZONE, Type
from rulesdsl.language.model.values import Value

NOBODY, PLAYER, CHANCE = 0, 1, 2
"""The values of `waiting`."""

DRAWS = (("take", "zone", ZONE, "piece", PIECE), ("roll", "die", PIECE, "face", FACE))
"""The chance moves: the name of each, and the names and types of its argument and its outcome."""


def asked(plan: Plan, tables: Tables) -> Decision | None:
    """Return the decision that `moves` has been filled for, None when the game is over."""
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
        (slot.name, slot_value(plan, tables, stack[frame + slot.offset], slot.type))
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
        if option.sets:
            own = tuple(_with_sets(option, own))
        candidates.append(Candidate(option.name, option.key, own, secret=option.secret))
    return Decision(tables["asked_seat"][0], choice.key, given, tuple(candidates))


def _with_sets(
    option: OptionPlan, numbers: tuple[tuple[str, Value], ...]
) -> Iterator[tuple[str, Value]]:
    """Yield the arguments of a move, with the members of each set together."""
    for name, own in groupby(numbers, key=itemgetter(0)):
        values = tuple(value for _, value in own)
        is_set = name in option.sets
        yield name, tuple(each for each in values if each is not None) if is_set else values[0]


def _chance(plan: Plan, tables: Tables) -> Decision:
    name, given, kind, drawn, outcome = DRAWS[tables["asked"][0]]
    argument = plan.encoding.decode(tables["asked_given"][0], kind)
    decoded = plan.encoding.decoder(outcome)
    candidates = tuple(
        Candidate(name, name, ((drawn, decoded(number)),), weight)
        for weight, number in rows(tables)
    )
    return Decision(None, name, ((given, argument),), candidates)


def slot_value(plan: Plan, tables: Tables, number: int, type_: Type) -> Value:
    """Return the value of a slot of a frame, decoded from its number."""
    item, store = set_item(type_), tables["store"]
    if item is None:
        return plan.encoding.decode(number, type_)
    if number == NONE:
        return None
    first = number + HEADER
    held = store[first : first + store[number + 2]] if number else ()
    return tuple(plan.encoding.decode(each, item) for each in held)


def rows(tables: Tables) -> Iterator[list[int]]:
    """Yield the rows of `moves`."""
    width, count = tables["move_width"][0], tables["move_count"][0]
    numbers = tables["moves"][: width * count]
    for row in range(count):
        yield numbers[row * width : (row + 1) * width]


def winners(tables: Tables) -> tuple[int, ...]:
    """Return the seats that have won."""
    return seats_of(tables["winners"][0])


def seats_of(mask: int) -> tuple[int, ...]:
    """Return the seats whose bits are set in a mask."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)
