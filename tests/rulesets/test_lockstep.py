"""Every shipped ruleset plays complete random games, alike on all engines.

The engine `python` plays some tens of games a second, and lock-step with it, which also copies,
saves and samples positions on the way, is slower still. `wasm` plays thousands, and its program is
played as it is lowered (`plain`) and optimised (`wasm`). So of each ruleset, in the tests that
always run:

- the first sixty decisions of one game go in lock-step with the engine `python`, every other game
  on `plain` and on `wasm`: with the fewest players with all that is done beside it, with the most
  greedily, with others with little beside it;
- four games with each number of players, of an expansion with one number, are played to their
  ends in lock-step by `plain` and `wasm`: all that can be played is the same after every move, so
  is all of the state, in three of the four after every twentieth, and no component is lost;
- the first sixty decisions of a game of greedy bots are alike on `plain` and `wasm`;
- every point of the first sixty decisions of a game is explained;
- expansions are played together, in lock-step and alone, in a few sets: of any two there are sets
  with both, with either and with neither.

With `-m long` games go on for two hundred decisions or to their ends, those of base rulesets with
every number of players; there are 20,000 on the compiled engine, and more of all the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import cycle, product

import pytest

from rulesdsl import Game, State
from rulesdsl.engine.build.combinations import covering
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime.faults import ENDLESS
from rulesdsl.play.bots import GreedyBot, RandomBot
from rulesdsl.play.events import GainLog
from tests.engines.compiled.pair import Pair
from tests.engines.lockstep import MOVES, Mix, lockstep
from tests.rulesets.ledger import losses
from tests.rulesets.shipped import NAMES, ROOTS, expansions, game

MOST, BEGINNING = 200, 60
"""The decisions of a game in the long tests, more than most games have, and in the others."""
USUAL = Mix(most=MOST)
GREEDY = Mix(greedy=60, tries=2, cloned=3, sampled=3, listened=3, disturbed=3, most=MOST // 2)
LITTLE = Mix(
    greedy=2, cloned=1, saved=1, sampled=1, listened=1, finished=1, looked=1, disturbed=1, most=MOST
)

PLAYERS = (2, 3, 4, 5)
GAMES, MANY = range(14, 18), range(1000, 6000)
"""The seeds of games in lock-step with each number of players, and in the long tests."""
DECISIONS = 2_000
"""No further game is begun after so many decisions: there are games that random players do not end
before they may decide no more."""
LOOKS, TRIES, THOROUGH = 20, 60, 16
"""Of so many decisions one is looked at closely, and the end of each game; before one of so many a
move is tried as if it came too late; and of so many games one is looked at after every move."""
THOUGHTFUL = 5
"""So many games of greedy bots with each number of players, to their ends, in the long tests."""
FURTHER = 20
"""Games in lock-step with the engine `python` in the long tests."""
BESIDE = 2
"""Games of each set of expansions in the tests that always run."""
PLAYED_OUT = 500
"""So many moves at least are in games that are played in one call each."""

SETS = [(root, each) for root in ROOTS for each in covering(expansions(root)) if each]
every_set = pytest.mark.parametrize(
    ("root", "others"), SETS, ids=[" ".join((root, *others)) for root, others in SETS]
)


@dataclass(frozen=True)
class Table:
    """A game for some players, ready on all engines."""

    name: str
    game: Game
    pair: Pair
    faults: set[int | None] = field(default_factory=set)
    """What stopped moves after too many decisions; None for those that were not stopped."""

    @classmethod
    def of(cls, players: int, name: str, *expansions: str) -> Table:
        together = game(name, *expansions)
        return cls(name, together, Pair(together.checked, players))

    def alike(self, seed: int, mix: Mix) -> None:
        """A game goes on as the engine `python` has it: every other one without a generator, and
        of those with one and without, every other one on the one engine and on the other."""
        turn = seed // 2 + NAMES.index(self.name)
        engine = self.pair.engine("wasm" if turn % 2 else "plain")
        offered = seed % 2 == 1
        lockstep(python, engine, self.game, self.pair.players, seed, offered=offered, mix=mix)

    def in_step(self, seed: int) -> int:
        """A random game comes to its end on both machines, and nothing is lost on the way; gives
        how many decisions it had."""
        pair, drawn, decisions = self.pair, Rng.seeded(seed, MOVES), 0
        pair.thorough = seed % THOROUGH == 0
        pair.start(seed)
        while pair.tables["waiting"][0]:
            if decisions % LOOKS == 0:
                pair.compare()
                assert not losses(pair.position), (seed, decisions)
            if decisions % TRIES == 0:
                row = drawn.below(pair.tables["move_count"][0])
                limit = pair.tables["LIMIT"][0]
                self.faults.add(pair.fail(row, decisions // TRIES % 2 * limit + limit))
            pair.play(drawn.below(pair.tables["move_count"][0]))
            decisions += 1
        pair.compare()
        assert not losses(pair.position), seed
        assert pair.position.winners, seed
        return decisions

    def greedily(self, seed: int, most: int) -> int:
        """A game of greedy bots, who think on `wasm`, is alike on both machines until it is over or
        so many decisions were made; gives how many there were."""
        pair = self.pair
        position = pair.engine("wasm").start(self.game.checked, pair.players, seed)
        state = State(self.game, position)
        bots = {each: GreedyBot(seed, seat) for seat, each in enumerate(state.players)}
        pair.thorough = True
        pair.clear()
        pair.start(seed)
        decisions = 0
        while state.mover is not None and decisions < most:
            move = bots[state.mover].decide(state)
            pair.play(state.moves().index(move))
            state.play(move)
            decisions += 1
            assert not losses(pair.position), (seed, decisions)
        pair.compare_with(position)
        return decisions

    def explained(self, seed: int, most: int) -> None:
        """The points that a listener hears of make up the scores."""
        engine = self.pair.engine("wasm" if seed % 2 else "plain")
        state = State(self.game, engine.start(self.game.checked, self.pair.players, seed))
        log, bot, decisions = GainLog(state), RandomBot(seed, 0), 0
        state.listen(log.hear)
        totals = state.scores()
        while state.mover is not None and decisions < most:
            state.play(bot.choose(state))
            decisions += 1
            for gain in log.take():
                totals[gain.player] += gain.amount
            assert state.scores() == totals, decisions


# --- one ruleset ---------------------------------------------------------------------------------


def test_these_are_all_numbers_of_players() -> None:
    assert {tuple(game(name).players) for name in NAMES} == {PLAYERS}


def group(name: str, players: int) -> pytest.MarkDecorator:
    """Lets one process make all tests of a table, so that it is made ready once."""
    return pytest.mark.xdist_group(f"{name} {players}")


def tables(each: Iterable[tuple[str, int]]) -> pytest.MarkDecorator:
    """Some rulesets, each with a number of players."""
    params = [
        pytest.param((name, players), marks=group(name, players), id=f"{name} {players}")
        for name, players in each
    ]
    return pytest.mark.parametrize("table", params, indirect=True)


ONE_EACH = list(zip(NAMES, cycle(PLAYERS), strict=False))
once_each = tables(ONE_EACH)
usual = tables(each for each in product(NAMES, PLAYERS) if each[0] in ROOTS or each in ONE_EACH)
every_table = tables(product(NAMES, PLAYERS))


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Table:
    """A ruleset with a number of players: all tests of one, and then those of the next."""
    name, players = request.param
    return Table.of(players, name)


def usual_mix(players: int) -> Mix:
    """What is done beside a game with so many players."""
    return {PLAYERS[0]: USUAL, PLAYERS[-1]: GREEDY}.get(players, LITTLE)


@once_each
def test_the_beginning_of_a_game_is_that_of_python(table: Table) -> None:
    players = table.pair.players
    table.alike(players, replace(usual_mix(players), most=BEGINNING))


@pytest.mark.long
@usual
def test_games_are_those_of_python(table: Table) -> None:
    table.alike(table.pair.players, usual_mix(table.pair.players))


@usual
def test_games_are_alike_on_both_machines_and_lose_nothing(table: Table) -> None:
    decisions = 0
    for seed in GAMES:
        if decisions < DECISIONS:
            decisions += table.in_step(seed)
    assert table.faults == {None, ENDLESS}


@once_each
def test_the_beginning_of_a_game_of_greedy_bots_is_alike_on_both_machines(table: Table) -> None:
    assert table.greedily(1, BEGINNING) > 0


@pytest.mark.long
@once_each
def test_a_game_of_greedy_bots_is_alike_on_both_machines(table: Table) -> None:
    whole = table.greedily(1, MOST) < MOST
    assert whole or table.name == "dice_game"


@pytest.mark.long
@every_table
def test_games_of_greedy_bots_are_alike_on_both_machines(table: Table) -> None:
    for seed in range(THOUGHTFUL):
        table.greedily(seed, sys.maxsize)


@usual
def test_games_in_one_call_are_alike_on_both_machines(table: Table) -> None:
    moves, seed = 0, 0
    while moves < PLAYED_OUT:
        moves += table.pair.play_out(seed, 1000 + seed) or 0
        seed += 1


@pytest.mark.long
@every_table
def test_many_games_are_those_of_python(table: Table) -> None:
    for seed in range(100, 100 + FURTHER):
        table.alike(seed, Mix() if seed % 4 else Mix(greedy=90))


@pytest.mark.long
@every_table
def test_many_games_are_alike_on_both_machines_and_lose_nothing(table: Table) -> None:
    for seed in MANY:
        table.in_step(seed)


@once_each
def test_every_point_is_explained(table: Table) -> None:
    table.explained(11, BEGINNING)


@pytest.mark.long
@every_table
def test_every_point_of_many_games_is_explained(table: Table) -> None:
    for seed in range(FURTHER):
        table.explained(seed, MOST)


# --- sets of expansions --------------------------------------------------------------------------


def test_all_expansions_are_in_the_sets() -> None:
    played = {name for root, others in SETS for name in (root, *others)}
    assert {name for name in NAMES if name not in ROOTS} <= played


@every_set
def test_sets_of_expansions_are_alike_on_all_engines(root: str, others: tuple[str, ...]) -> None:
    table = Table.of(PLAYERS[len(others) % len(PLAYERS)], root, *others)
    table.alike(len(others), replace(LITTLE, most=BEGINNING))
    for seed in range(BESIDE):
        table.in_step(seed)


@pytest.mark.long
@every_set
def test_many_games_of_sets_are_alike_on_all_engines(root: str, others: tuple[str, ...]) -> None:
    for players in PLAYERS:
        table = Table.of(players, root, *others)
        for seed in range(100, 100 + FURTHER):
            table.alike(seed, Mix())
