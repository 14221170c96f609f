"""Lowered values give what the plain evaluator gives, and fail where it fails."""

from __future__ import annotations

import pytest

from rulesdsl.engine.run.rng import Rng
from tests.ir.verify import verify
from tests.lower.positions import one, wander
from tests.lower.questions import Asked, lowered

GAMES = ((True, 2), (True, 1), (False, 3))
"""With something drawn on dice or not, and the number of players of three."""
RARE = {
    *("cards_hidden", "in_pile", "pile_worth", "pads", "one_there", "place_in_row", "apart"),
    "nobodys",
}
"""Questions that have no answer at most positions: what they ask about is hidden or elsewhere, or
belongs to nobody."""


@pytest.mark.parametrize(("drawn", "players"), GAMES)
def test_the_program_is_well_formed(drawn: bool, players: int) -> None:
    assert verify(lowered(drawn, players).program) == []


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("drawn", "players"), GAMES)
def test_the_evaluator_and_the_program_answer_alike(drawn: bool, players: int, seed: int) -> None:
    rng = Rng.seeded(seed)
    asked = Asked(drawn, players)
    wander(asked, rng, 12 + 24 * seed)
    differences = []
    for key, definition in asked.checked.values.items():
        for _ in range(5):
            arguments = tuple(one(asked, rng, param.type) for param in definition.params)
            expected = asked.plain(key, arguments)
            found = asked.program(key, arguments)
            if found != expected:
                differences.append((key, arguments, expected, found))
    assert not differences


def test_most_questions_have_answers() -> None:
    """What always fails would tell little."""
    answered = set()
    for seed in range(4):
        rng = Rng.seeded(100 + seed)
        asked = Asked(True, 2)
        wander(asked, rng, 30 + 20 * seed)
        for key, definition in asked.checked.values.items():
            for _ in range(20):
                arguments = tuple(one(asked, rng, param.type) for param in definition.params)
                if asked.plain(key, arguments) != "fault":
                    answered.add(key.partition("/")[2])
    every = {key.partition("/")[2] for key in lowered(True, 2).checked.values}
    assert every - answered <= RARE
