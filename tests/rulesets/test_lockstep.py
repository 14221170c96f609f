"""Every shipped ruleset plays complete random games, alike on both engines.

The reference engine plays one or two games a second, and so slow is lock-step, which also copies,
saves and samples positions on the way; the other engine alone plays fifty. So of each ruleset, in
the tests that always run:

- a game with each number of players goes in lock-step: with the fewest with all that is done
  beside it, with the most greedily, with others with little beside it; of an expansion with more
  than the fewest players, only the beginning;
- two hundred games are played to their ends on the python engine, and no component is lost;
- every point of one game is explained;
- expansions are played together, in lock-step and alone, in a few sets: of any two there are sets
  with both, with either and with neither.

With `-m long` there are 20,000 games, and more of all the others.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import pytest

from rulesdsl import Game
from rulesdsl.play.bots import RandomBot
from rulesdsl.play.gains import GainLog
from rulesdsl.run import reference
from rulesdsl.run.lowered.position import LoweredPosition
from rulesdsl.run.python import engine as python
from rulesdsl.run.rng import Rng
from tests.rulesets.ledger import losses
from tests.rulesets.shipped import NAMES, ROOTS, covering, expansions, game
from tests.run.lockstep import MOVES, Mix, lockstep

MOST = 400
"""How many decisions of a game the tests see that always run; more than most games have."""
BEGINNING, TOGETHER = 60, 150
USUAL = Mix(most=MOST)
GREEDY = Mix(greedy=60, tries=2, cloned=3, sampled=3, listened=3, disturbed=3, most=MOST)
LITTLE = Mix(
    greedy=2, cloned=1, saved=1, sampled=1, listened=1, finished=1, looked=1, disturbed=1, most=MOST
)

GAMES, MANY = 200, 20_000
DECISIONS = 40_000
"""No further game is begun after so many decisions: there are games that random players do not end
before they may decide no more."""
LOOKS = 10
"""Of so many decisions one is looked at closely, and the end of each game."""
FURTHER = 20
"""Games of each set; and in lock-step with each number of players in the long tests."""

SETS = [(root, each) for root in ROOTS for each in covering(expansions(root)) if each]
every_ruleset = pytest.mark.parametrize("name", NAMES)
every_set = pytest.mark.parametrize(
    ("root", "others"), SETS, ids=[" ".join((root, *others)) for root, others in SETS]
)


def alike(game: Game, players: int, seed: int, mix: Mix) -> None:
    """A game goes on alike on both engines; every other one without a generator."""
    lockstep(reference, python, game, players, seed, offered=seed % 2 == 1, mix=mix)


# --- one ruleset ---------------------------------------------------------------------------------


@every_ruleset
def test_games_are_alike_on_both_engines(name: str) -> None:
    fewest, *others, most = game(name).players
    mixes = {fewest: USUAL, **dict.fromkeys(others, LITTLE), most: GREEDY}
    for players, mix in mixes.items():
        whole = name in ROOTS or players == fewest
        alike(game(name), players, players, mix if whole else replace(mix, most=BEGINNING))


@pytest.mark.long
@every_ruleset
def test_many_games_are_alike_on_both_engines(name: str) -> None:
    for players, seed in product(game(name).players, range(100, 100 + FURTHER)):
        alike(game(name), players, seed, Mix() if seed % 4 else Mix(greedy=90))


def keeps_everything(game: Game, players: int, seed: int) -> int:
    """A random game comes to its end, and nothing is lost on the way; gives how many decisions it
    had."""
    position = python.start(game.checked, players, seed)
    assert isinstance(position, LoweredPosition)
    drawn, decisions = Rng.seeded(seed, MOVES), 0
    while position.tables["waiting"][0]:
        if decisions % LOOKS == 0:
            assert not losses(position), (seed, decisions)
        position.play(drawn.below(position.tables["move_count"][0]))
        decisions += 1
    assert not losses(position), seed
    assert position.winners, seed
    return decisions


@every_ruleset
def test_random_games_lose_nothing(name: str) -> None:
    decisions, numbers = 0, game(name).players
    for seed in range(GAMES):
        if decisions < DECISIONS:
            decisions += keeps_everything(game(name), numbers[seed % len(numbers)], seed)


@pytest.mark.long
@every_ruleset
def test_many_random_games_lose_nothing(name: str) -> None:
    numbers = game(name).players
    for seed in range(GAMES, MANY):
        keeps_everything(game(name), numbers[seed % len(numbers)], seed)


def explains_everything(game: Game, players: int, seed: int) -> None:
    """The points that a listener hears of make up the scores."""
    state = game.start(players, seed)
    log, bot, decisions = GainLog(state), RandomBot(seed, 0), 0
    state.listen(log.hear)
    totals = state.scores()
    while state.mover is not None and decisions < MOST:
        state.play(bot.choose(state))
        decisions += 1
        for gain in log.take():
            totals[gain.player] += gain.amount
        assert state.scores() == totals, decisions


@every_ruleset
def test_every_point_is_explained(name: str) -> None:
    explains_everything(game(name), game(name).players[-1], 11)


@pytest.mark.long
@every_ruleset
def test_every_point_of_many_games_is_explained(name: str) -> None:
    for players, seed in product(game(name).players, range(FURTHER)):
        explains_everything(game(name), players, seed)


# --- sets of expansions --------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(25))
def test_of_two_names_there_are_both_either_and_neither(count: int) -> None:
    names = [f"n{number}" for number in range(count)]
    sets = covering(names)
    assert sets[0] == tuple(names)
    assert len(sets) <= 8
    for one, other in combinations(names, 2):
        states = {(one in each, other in each) for each in sets}
        assert states == set(product((False, True), repeat=2)), (one, other)


def test_all_expansions_are_in_the_sets() -> None:
    played = {name for root, others in SETS for name in (root, *others)}
    assert {name for name in NAMES if name not in ROOTS} <= played


@every_set
def test_sets_of_expansions_are_alike_on_both_engines(root: str, others: tuple[str, ...]) -> None:
    together = game(root, *others)
    players = together.players[len(others) % len(together.players)]
    alike(together, players, len(others), replace(LITTLE, most=TOGETHER))
    for seed in range(FURTHER):
        keeps_everything(together, players, seed)


@pytest.mark.long
@every_set
def test_many_games_of_sets_are_alike_on_both_engines(root: str, others: tuple[str, ...]) -> None:
    together = game(root, *others)
    for players, seed in product(together.players, range(100, 100 + FURTHER)):
        alike(together, players, seed, Mix())
