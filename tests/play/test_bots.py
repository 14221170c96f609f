"""Bots choose from what their player knows; random ones evenly, greedy ones for the most points."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rulesdsl import Move, State, load
from rulesdsl.play.bots import BOTS, Bot, GreedyBot, MctsBot, RandomBot
from tests.play.boxes import FEW, small_game
from tests.rulesets.shipped import game

COUNTERS = Path(__file__).parent / "counters.yaml"
CHI_SQUARE = 22.46
"""With 6 degrees of freedom one even sample in a thousand is above."""


def asked(most: int = 3) -> State:
    """Red has drawn a counter and is asked."""
    state = load(COUNTERS, settings={"most": most}).start()
    state.play(state.move("take", piece="one"))
    return state


def test_there_are_three_kinds() -> None:
    assert {"greedy": GreedyBot, "mcts": MctsBot, "random": RandomBot} == BOTS


def test_a_random_bot_chooses_all_moves_evenly() -> None:
    state = asked(5)
    moves = state.moves()
    assert len(moves) == 7
    bot = RandomBot(11, 0)
    drawn = Counter(bot.choose(state) for _ in range(7000))
    assert drawn.keys() == set(moves)
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < CHI_SQUARE


@pytest.mark.parametrize(
    ("name", "expansions"),
    [("card_game", ()), ("base", ("hills_and_sheep", "traders_and_builders"))],
)
def test_a_random_bot_chooses_what_it_would_from_a_sample(
    name: str, expansions: tuple[str, ...]
) -> None:
    state = game(name, *expansions).start(3, 5)
    straight, sampled = ([RandomBot(7, seat) for seat in range(3)] for _ in range(2))
    for _ in range(80):
        assert state.mover is not None
        seat = state.players.index(state.mover)
        move = straight[seat].decide(state)
        assert move == Bot.decide(sampled[seat], state)
        state.play(move)


def test_random_bots_of_different_seeds_and_seats_choose_differently() -> None:
    state = asked()

    def line(bot: RandomBot) -> list[str]:
        return [str(bot.choose(state)) for _ in range(20)]

    lines = [line(RandomBot(seed, seat)) for seed in (1, 2) for seat in (0, 1)]
    assert len({tuple(chosen) for chosen in lines}) == 4
    assert line(RandomBot(1, 0)) == lines[0]


def test_a_greedy_bot_looks_to_the_end_of_its_own_moves() -> None:
    state = asked()
    first = GreedyBot(1, 0).choose(state.clone())
    assert first == Move("spend.wait")
    state.play(first)
    assert GreedyBot(1, 0).choose(state.clone()) == Move("double.much")


def test_a_greedy_bot_takes_each_of_equally_good_moves_as_often() -> None:
    state = asked(7)
    bot = GreedyBot(1, 0)
    taken = Counter(bot.choose(state.clone()) for _ in range(400))
    assert taken.keys() == {Move("spend.points", {"n": 7}), Move("spend.wait")}
    assert min(taken.values()) > 150
    one, other = GreedyBot(4, 0), GreedyBot(4, 0)
    assert [one.choose(state.clone()) for _ in range(9)] == [
        other.choose(state.clone()) for _ in range(9)
    ]


def test_with_few_tries_a_greedy_bot_looks_at_every_move_but_not_beyond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rulesdsl.play.bots.MAX_TRIES", 1)
    assert GreedyBot(1, 0).choose(asked()) == Move("spend.points", {"n": 3})


def test_a_greedy_bot_gives_rivals_nothing() -> None:
    state = asked(6)
    state.play(state.move("points", n=1))
    state.play(state.move("take", piece="two"))
    assert GreedyBot(1, 1).choose(state.clone()) == Move("spend.wait")


SOWING = """
ruleset: sowing
edition: 1
version: 1.0.0
rules: sowing.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
"""
SOWING_RULES = """
state player.score: int 0..99 = 0
state player.sown: int 0..99 = 0

action game():
    for i in 1..2:
        for p in players: sow(p)
    for p in players: p.score += p.sown
    finish()

choice sow(p: player) by p:
    option little: nothing
    option much: p.sown += 9
    option some: p.sown += 1

action finish():
    end_game(most(p in players by p.score))
"""


def test_a_greedy_bot_searches_where_no_move_brings_points_at_once(tmp_path: Path) -> None:
    (tmp_path / "sowing.yaml").write_text(SOWING)
    (tmp_path / "sowing.rules").write_text(SOWING_RULES)

    def chosen(engine: str) -> list[str]:
        state = load(tmp_path / "sowing.yaml", engine=engine).start()
        return [str(GreedyBot(seed, 0).choose(state.clone())) for seed in range(20)]

    assert chosen("wasm") == chosen("python")
    assert chosen("wasm").count("sow.much") >= 14


@pytest.mark.parametrize("seed", [1, 2])
def test_a_greedy_bot_beats_a_random_one(seed: int, tmp_path: Path) -> None:
    state = small_game(tmp_path, FEW[:3]).start(2, seed)
    greedy = state.players[seed % 2]
    bots = {
        colour: (GreedyBot if colour == greedy else RandomBot)(seed, seat)
        for seat, colour in enumerate(state.players)
    }
    while state.mover is not None:
        state.play(bots[state.mover].decide(state))
    assert state.winners == (greedy,)


ROOT = Path(__file__).parents[2]
EVERY_GAME = [
    *("base", "card_game", "dice_game"),
    *sorted(
        str(path.with_suffix(".yaml").relative_to(ROOT))
        for folder in ("tests/games", "examples")
        for path in (ROOT / folder).rglob("*.rules")
    ),
]


def share_of_wins(name: str, games: int) -> tuple[float, float]:
    """The share of wins of a greedy bot among random ones, and the share of a random one."""
    game = load(name if name.isidentifier() else ROOT / name)
    players, won = game.players[0], 0.0
    for seed in range(games):
        state = game.start(players, seed)
        own = state.players[seed % players]
        bots = {
            colour: (GreedyBot if colour == own else RandomBot)(seed, seat)
            for seat, colour in enumerate(state.players)
        }
        while state.mover is not None:
            state.play(bots[state.mover].decide(state))
        best = state.winners or state.players  # a draw may have no winner
        won += (own in best) / len(best)
    return won / games, 1 / players


def test_a_greedy_bot_throws_on_as_long_as_that_gains_points_on_average() -> None:
    won, even = share_of_wins("examples/dare/dare.yaml", 200)
    assert won >= even + 0.08


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_greedy_bot_is_no_weaker_than_a_random_one_in_any_game(name: str) -> None:
    won, even = share_of_wins(name, 20 if name == "dice_game" else 100)
    assert won >= even - 0.1


def test_a_bot_sees_a_sample_only() -> None:
    class Curious(Bot):
        def choose(self, sample: State) -> Move:
            seen.append(sample.canonical())
            move = sample.moves()[0]
            sample.play(move)
            return move

    seen: list[str] = []
    state = asked()
    state.play(state.move("points", n=1))
    state.play(state.move("take", piece="two"))
    before = state.canonical()
    assert {Curious(seed, 0).decide(state) for seed in range(12)} == {state.moves()[0]}
    assert state.canonical() == before
    assert len(set(seen)) > 1
