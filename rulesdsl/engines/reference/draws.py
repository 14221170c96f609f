"""Chance moves: their outcomes and effects.

`take` draws one of the pieces of a zone, all equally likely; interchangeable ones are one outcome,
with their number as weight. `roll` draws one of the faces of a die. Outcomes are in canonical
order. A single outcome happens at once: nobody is asked and nothing is drawn. Otherwise a game with
a generator draws the index of the outcome with one `weighted`, and a game without one offers the
outcomes as a decision.
"""

from __future__ import annotations

from rulesdsl.engines.engine import Candidate, Decision, PlayError
from rulesdsl.engines.reference import chance
from rulesdsl.engines.reference.choices import Likeness
from rulesdsl.engines.reference.effects import perform
from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.runtime import Draw, Runtime, Waiting
from rulesdsl.model.values import Face, Piece, Value, Zone

_NAMES = {"take": ("zone", "piece"), "roll": ("die", "face")}
"""The names of the argument and of the outcome of each chance move."""


def advance(runtime: Runtime, draw: Draw) -> None:
    """Draw an outcome, or offer the outcomes as a decision."""
    try:
        found = _outcomes(runtime, draw)
    except Fault as fault:
        raise PlayError(fault.message, runtime.statement_span()) from fault
    outcomes = tuple(outcome for outcome, _ in found)
    weights = tuple(weight for _, weight in found)
    if len(found) == 1:
        resolve(runtime, draw, outcomes[0])
    elif runtime.generator is not None:
        resolve(runtime, draw, outcomes[runtime.generator.weighted(weights)])
    else:
        given, drawn = _NAMES[draw.effect]
        candidates = tuple(
            Candidate(draw.effect, draw.effect, ((drawn, outcome),), weight)
            for outcome, weight in found
        )
        arguments = ((given, draw.arguments[0]),)
        decision = Decision(None, draw.effect, arguments, candidates)
        runtime.waiting = Waiting(decision, outcomes=outcomes)


def resolve(runtime: Runtime, draw: Draw, outcome: Value) -> None:
    """Apply this outcome to the innermost frame, a chance move."""
    (given,) = draw.arguments
    runtime.pop()
    try:
        if draw.effect == "take":
            assert isinstance(given, Zone)
            assert isinstance(outcome, Piece)
            chance.take(runtime.world, given, outcome, Likeness(runtime).key)
        else:
            perform(runtime.world, "turn_to", (given, outcome))
    except Fault as fault:
        raise PlayError(fault.message, runtime.statement_span()) from fault
    runtime.tell(draw.effect, runtime.statement_span(), (given,), None, outcome)
    runtime.give(draw.into, outcome)


def _outcomes(runtime: Runtime, draw: Draw) -> list[tuple[Value, int]]:
    (given,) = draw.arguments
    if draw.effect == "take":
        assert isinstance(given, Zone)
        return list(chance.take_outcomes(runtime.world, given, Likeness(runtime).key))
    assert isinstance(given, Piece)
    runtime.world.check(given)
    kind = runtime.world.box.piece(given).kind
    return [(Face(kind, index), 1) for index in range(len(runtime.checked.game.kinds[kind].faces))]
