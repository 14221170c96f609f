"""Games that are played out at random are the same games however they are played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesdsl import load
from rulesdsl.engine.run import playing
from rulesdsl.engine.run.interface import Engine, PlayError
from rulesdsl.engine.run.playouts import LIMIT, play_out, seeds_of
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime import rng
from rulesdsl.engine.runtime.tables import luck
from rulesdsl.engine.runtime.tables import rng as chance
from rulesdsl.language.model.flow import sources
from rulesdsl.play.events import GainLog
from tests.engines.machine_games import ENGINES, game, on_every_engine
from tests.runtime.handmade import lay_out

ANY = st.integers(-(2**70), 2**70)
GAMES = Path(__file__).parents[1] / "games"
SEED = 0x1234_5678_9ABC_DEF0

FAILING = """
state game.drawn: int 0..9 = 0

action game():
    for i in 1..2:
        let c = take(deck)
        drawn += 1
        if c is sun and drawn == 2: drawn += 8
        choose()
    end_game(players)

choice choose() by first(players):
    option go: log += 1
"""
"""Of a deck of suns and moons the second card is a sun in some games."""


@given(ANY, st.integers(0, 2**40))
def test_the_core_seeds_games_as_is_specified(seed: int, number: int) -> None:
    lay_out({})
    rng.seed_game(seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF, number)
    first, second = seeds_of(seed, number)
    assert tuple(chance) == Rng.seeded(first).state
    assert tuple(luck) == Rng.seeded(second).state
    assert rng.word() == Rng.seeded(first).word()


@pytest.mark.parametrize(
    ("path", "expansions"),
    [("base", ()), ("base", ("river",)), ("dice_game", ()), (str(GAMES / "vault.yaml"), ())],
)
def test_engines_play_the_same_games(path: str, expansions: tuple[str, ...]) -> None:
    found = {
        engine: list(
            load(path, expansions, engine=engine).playouts(range(2, 4), 2, SEED, limit=150)
        )
        for engine in ENGINES
    }
    assert found["python"] == found["wasm"]
    assert all(each.moves > 3 for each in found["wasm"])


def test_a_game_is_the_one_that_its_seeds_start() -> None:
    base = load("base", engine="wasm")
    for number, found in zip(range(7, 10), base.playouts(range(7, 10), 3, SEED), strict=True):
        first, second = seeds_of(SEED, number)
        state = base.start(3, first)
        assert play_out(state.position, LIMIT, Rng.seeded(second)) == found.moves
        assert tuple(state.scores().values()) == found.scores
        assert state.position.winners == found.winners


def test_what_is_told_of_a_game_is_what_is_told_of_its_moves() -> None:
    base = load("base", engine="wasm")
    played = enumerate(base.playouts(range(20), 3, SEED))
    number, found = next((number, each) for number, each in played if each.leads > 1)
    first, second = seeds_of(SEED, number)
    state, luck, moves = base.start(3, first), Rng.seeded(second), list[int]()
    leaders, offered = list[str](), 0
    while state.mover is not None:
        offered += len(state.moves())
        moves.append(luck.below(len(state.moves())))
        state.play(state.moves()[moves[-1]])
        most = max(state.scores().values())
        ahead = [colour for colour, points in state.scores().items() if points == most]
        if len(ahead) == 1 and leaders[-1:] != ahead:
            leaders += ahead
    assert base.told(moves, 3, first) == found
    assert (found.moves, found.decisions, found.options) == (len(moves), len(moves), offered)
    assert found.leads == len(leaders) - 1
    slow = load("base", engine="python")
    assert slow.told(moves[:9], 3, first) == base.told(moves[:9], 3, first)


def test_points_are_told_by_source() -> None:
    base = load("base", ["traders_and_builders", "robbers"], engine="wasm")
    log: Counter[tuple[str, str]] = Counter()
    first, second = seeds_of(SEED, 3)
    state, luck = base.start(2, first), Rng.seeded(second)
    gains = GainLog(state)
    state.listen(gains.hear)
    while state.mover is not None:
        state.play(state.moves()[luck.below(len(state.moves()))])
    for gain in gains.take():
        log[gain.source, gain.player] += gain.amount
    (found,) = base.playouts(range(3, 4), 2, SEED)
    told = {
        (source, colour): points
        for source, gained in zip(base.sources, found.gains, strict=True)
        for colour, points in zip(base.colours, gained, strict=False)
        if points
    }
    assert told == log
    assert len({source for source, _ in told}) > 3


SCORING = """
action game():
    for i in 1..3:
        give(1, if_any(i))
        plain()
        choose()
    end_game(players)

value if_any(i: int 1..3) -> colour?: violet if i == 2 else none

action give(n: int, reason: colour?):
    first(players).score += n

action plain():
    let old = first(players).score
    first(players).score = old + 10

before plain(): first(players).score -= 1

choice choose() by first(players):
    option go: first(players).score += 100
"""


@on_every_engine
def test_points_have_the_source_of_what_gives_them(engine: Engine) -> None:
    scoring = game(SCORING)
    names = [name.rsplit("/", 1)[-1] for name in sources(scoring).names]
    (found,) = engine.playouts(scoring, 2, SEED, range(1), LIMIT)
    told = dict(zip(names, (gained[0] for gained in found.gains), strict=True))
    assert {name: points for name, points in told.items() if points} == {
        "give": 2,
        "colour.violet": 1,
        "plain": 27,
        "choose": 300,
    }
    assert sum(told.values()) == found.scores[0]


def test_threads_and_stretches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    base = load("base", engine="wasm")
    once = list(base.playouts(range(3000), 2, SEED))
    assert len({each.scores for each in once}) > 500
    assert list(base.playouts(range(3000), 2, SEED, threads=3)) == once
    assert list(base.playouts(range(5, 3000, 7), 2, SEED)) == once[5::7]
    assert list(base.playouts(range(9, 3, -1), 2, SEED)) == once[9:3:-1]
    monkeypatch.setattr(playing, "PATIENCE", 0)
    assert list(base.playouts(range(20), 2, SEED)) == once[:20]


def test_a_game_is_given_up_at_the_limit() -> None:
    base = load("base", engine="wasm")
    for each in base.playouts(range(3), 2, SEED, limit=10):
        assert (each.moves, each.over, each.winners) == (10, False, ())


def test_games_in_between_are_not_disturbed() -> None:
    base = load("base", engine="wasm")
    state, other = base.start(2, 1), load("base", engine="python").start(2, 1)
    state.moves()
    list(base.playouts(range(50), 2, SEED))
    for _ in range(10):
        assert state.moves() == other.moves()
        state.play(state.moves()[-1])
        other.play(other.moves()[-1])
        list(base.playouts(range(1), 2, SEED))
    assert state.canonical() == other.canonical()


@on_every_engine
def test_a_rule_that_fails_is_told_when_it_comes_to_its_game(engine: Engine) -> None:
    failing_game = game(FAILING)

    def fails(number: int) -> bool:
        first, second = seeds_of(SEED, number)
        try:
            position = ENGINES["python"].start(failing_game, 2, first)
            play_out(position, LIMIT, Rng.seeded(second))
        except PlayError:
            return True
        return False

    failing = next(number for number in range(100) if fails(number))
    played = list(engine.playouts(failing_game, 2, SEED, range(failing), LIMIT))
    assert len(played) == failing > 0
    with pytest.raises(PlayError) as error:
        list(engine.playouts(failing_game, 2, SEED, range(100), LIMIT))
    assert error.value.message == "`t/game.drawn` holds int 0..9 and cannot become 10"
    assert error.value.span is not None
    assert error.value.span.text == "drawn += 8"
