"""What a player is told does not depend on what the player cannot know."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from rulesdsl.author.why import tracing
from rulesdsl.author.why.played import Observed
from rulesdsl.author.why.points import Valued
from rulesdsl.author.why.refused import RefusedQuestion
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.model.types import PLAYER
from rulesdsl.language.read.files import shipped
from rulesdsl.play import State, load
from rulesdsl.play.moves import wanted
from tests.why.asking import Silent, text

SEEDS = range(2)


@pytest.fixture(scope="module")
def state() -> State:
    """A card game that has begun."""
    game = load(shipped("rulesets") / "card_game.yaml", engine="python")
    state, luck = game.start(3, 5), random.Random(5)
    for _ in range(5):
        state.play(luck.choice(state.moves()))
    return state


def told(state: State, eyes: int) -> Iterator[str]:
    """All that a player is told of a state."""
    observed = Observed(state.game, tracing.resume(state.position, eyes), Silent())
    checked = state.game.checked
    options = [option for choice in checked.choices.values() for option in choice.options]
    for option in options:
        question = RefusedQuestion(wanted(option.name))
        try:
            question.after(observed, True)
        except RulesError as error:
            yield str(error)
        yield text(question.answers)
    for key, definition in checked.values.items():
        for colour in state.players if definition.params else ("",):
            if all(param.type == PLAYER for param in definition.params):
                yield from _value(observed, key, [colour] * len(definition.params))


def _value(observed: Observed, key: str, arguments: list[str]) -> Iterator[str]:
    question = Valued(key, arguments)
    try:
        question.after(observed, True)
    except RulesError as error:
        yield str(error)
    yield text(question.answers)


def test_what_looks_the_same_is_told_the_same(state: State) -> None:
    changed = 0
    for seat, colour in enumerate(state.players):
        known = list(told(state, seat))
        for seed in SEEDS:
            sample = state.sample(colour, seed)
            changed += sample.canonical() != state.canonical()
            assert list(told(sample, seat)) == known
    assert changed == 6


def test_the_one_who_is_asked_is_told_of_all_moves(state: State) -> None:
    seat = state.players.index(state.mover or "")
    (mine,) = {move.name.partition(".")[0] for move in state.moves()}
    said = "\n".join(told(state, seat))
    assert f"{mine}." in said
    assert "this player cannot know" not in said
    others = ("\n".join(told(state, other)) for other in range(3) if other != seat)
    assert all("this player cannot know" in each for each in others)


def test_arguments_do_not_ask_for_what_is_hidden(state: State) -> None:
    mover = state.players.index(state.mover or "")
    hand = {str(move["c"]) for move in state.moves() if "c" in move.args}
    card = f"most(c in hand[{state.mover}] where c is '{min(hand)}' by c.value)"
    for eyes in range(3):
        observed = Observed(state.game, tracing.resume(state.position, eyes), Silent())
        question = Valued("kind_of", [f"the(c in {card})"])
        if eyes == mover:
            question.after(observed, True)
            assert question.answers
        else:
            with pytest.raises(RulesError, match="cannot be computed from what this player knows"):
                question.after(observed, True)
