"""Games that nobody has made an engine for: they load, play and keep their secrets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from rulesdsl import Game, State, load
from rulesdsl.engine.build.stages import expression
from rulesdsl.engine.run import DEFAULT_ENGINE, ENGINES
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.types import BOOL
from rulesdsl.language.model.values import Piece
from rulesdsl.play.bots import RandomBot

FOLDER = Path(__file__).parent
GAMES: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "invariants.yaml").read_text())


LOOKS = 10
"""Of so many decisions of a game one is looked at."""
SLOW = {"draughts", "hive", "strands"}
"""Games that take long in Python: there they only begin. `tests/engines/compiled`
compares their beginnings on both engines."""
SAVES = 25
"""Of so many decisions one is saved, and all before it are played again."""

every_game = pytest.mark.parametrize("name", sorted(GAMES))
on_every_engine = pytest.mark.parametrize(
    ("name", "engine"),
    [
        pytest.param(
            name,
            engine,
            marks=[pytest.mark.long] if name in SLOW and engine != DEFAULT_ENGINE else [],
        )
        for name in sorted(GAMES)
        for engine in ENGINES
    ],
)


@cache
def game(name: str, engine: str = DEFAULT_ENGINE) -> Game:
    return load(FOLDER / f"{name}.yaml", settings=GAMES[name]["settings"], engine=engine)


def played(state: State, seed: int) -> Iterator[State]:
    """The state at every decision of a random game, and at its end."""
    bots = {colour: RandomBot(seed, seat) for seat, colour in enumerate(state.players)}
    while state.mover:
        yield state
        state.play(bots[state.mover].choose(state))
    yield state


def table(name: str, engine: str, players: int, seed: int) -> Iterator[State]:
    """A game of so many players."""
    return played(game(name, engine).start(players, seed), seed)


def offered(state: State) -> list[tuple[str, int]]:
    return [(str(move), move.weight) for move in state.moves()]


def test_every_ruleset_here_is_played() -> None:
    assert {path.stem for path in FOLDER.glob("*.rules")} == set(GAMES)


@every_game
def test_nothing_is_found_in_it(name: str) -> None:
    assert list(game(name).report) == []


@on_every_engine
def test_games_end_and_their_invariants_hold(name: str, engine: str) -> None:
    conditions = []
    for text in GAMES[name]["holds"]:
        report = Report()
        source = Source(f"{name} invariant", text)
        checked = expression(source.span(0, len(text)), game(name).checked, BOOL, {}, report)
        assert checked is not None, [str(found) for found in report]
        conditions.append((text, checked))
    ends, seen = 0, 0
    for state in (s for players in game(name).players for s in table(name, engine, players, 1)):
        seen += 1
        if seen % LOOKS and state.mover:
            continue
        broken = [text for text, tree in conditions if not state.position.evaluate(tree, {})]
        assert broken == [], state.canonical()
        places = [
            state.position.place_of(Piece(index))
            for index, piece in enumerate(game(name).checked.game.pieces)
            if piece.takes_part(len(state.players))
        ]
        assert None not in places
        ends += state.mover is None
        assert bool(state.winners) == (state.mover is None)
    assert ends == len(game(name).players)


@on_every_engine
def test_saved_and_copied_states_go_on_alike(name: str, engine: str) -> None:
    for number, state in enumerate(table(name, engine, game(name).players[0], 3)):
        if number % SAVES and state.mover:
            continue
        saved, copy = game(name, engine).from_bytes(state.to_bytes()), state.clone()
        for other in (saved, copy):
            assert other.canonical() == state.canonical()
            assert other.to_bytes() == state.to_bytes()
            assert offered(other) == offered(state)
        if state.mover:
            move = state.moves()[-1]
            before = state.canonical()
            saved.play(move)
            copy.play(move)
            assert saved.canonical() == copy.canonical() != before
            assert state.canonical() == before


@on_every_engine
def test_the_same_seed_gives_the_same_game(name: str, engine: str) -> None:
    games = [list(map(offered, table(name, engine, 2, 5))) for _ in range(2)]
    assert games[0] == games[1]


@on_every_engine
def test_what_differs_only_in_what_is_hidden_looks_the_same(name: str, engine: str) -> None:
    """To everybody; and whoever is asked is offered the same, also after it has moved."""
    differed = 0
    for number, state in enumerate(table(name, engine, game(name).players[-1], 7)):
        for player in state.players if number % LOOKS == 0 else ():
            sample = state.sample(player, number)
            assert sample.view(player) == state.view(player)
            differed += _without_generator(sample) != _without_generator(state)
            if state.mover == player:
                assert offered(sample) == offered(state)
    assert (differed > 0) == GAMES[name]["hidden"]


@pytest.mark.parametrize("name", sorted({*GAMES} - SLOW))
def test_samples_are_played_alike_on_every_engine(name: str) -> None:
    games = [game(name, engine).start(game(name).players[0], 184) for engine in ENGINES]
    random = Random(184)
    for number in range(3):
        samples = [state.sample(state.players[-1], number) for state in games]
        for _ in range(LOOKS):
            rows = [offered(sample) for sample in samples]
            assert rows[1:] == rows[:-1]
            if not rows[0]:
                break
            row = random.randrange(len(rows[0]))
            for sample in samples:
                sample.play(sample.moves()[row])
        assert len({sample.canonical() for sample in samples}) == 1


def _without_generator(state: State) -> str:
    return "".join(line for line in state.canonical().splitlines() if "generator" not in line)


@on_every_engine
def test_bots_play_with_what_they_know(name: str, engine: str) -> None:
    state = game(name, engine).start(seed=2)
    bots = {colour: RandomBot(2, seat) for seat, colour in enumerate(state.players)}
    while state.mover:
        state.play(bots[state.mover].decide(state))
    assert state.winners


@every_game
@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_seed_chance_is_offered_with_its_weights(name: str, engine: str) -> None:
    state = game(name, engine).start()
    weights: list[int] = []
    chooser = RandomBot(4, 0)
    while state.mover and len(weights) < 4:
        if state.mover == "chance":
            weights.append(sum(move.weight for move in state.moves()))
        state.play(chooser.choose(state))
    begins = {
        "ferries": 11,
        "stones": 21,
        "mosaic": 54,
        "vault": 18,
        "journeys": 24,
        "tricks": 12,
        "parcels": 19,
        "fireworks": 50,
        "marks": 12,
        "oxen": 104,
        "towers": 12,
        "peaks": 24,
        "strands": 35,
        "deltas": 23,
        "shards": 21,
        "spans": 18,
    }
    first = begins.get(name)
    drawn = [first - n for n in range(4)] if first else []
    others = {
        "risk": [6, 6, 5, 6],
        "sets": [5, 5, 3, 3],
        "partners": [10, 10, 9, 8],
        "jewels": [5, 4, 3, 12],
        "throws": [6, 6, 6, 6],
    }
    assert weights == others.get(name, drawn)


def ways(state: State, turns: int) -> int:
    """Count the ways to play so many turns; all that a player decides in a row is one turn."""
    found = 0
    for move in state.moves():
        after = state.clone()
        after.play(move)
        if after.mover == state.mover:
            found += ways(after, turns)
        elif turns == 1:
            found += 1
        elif after.mover:
            found += ways(after, turns - 1)
    return found


COUNTED = [(name, *each) for name in GAMES for each in enumerate(GAMES[name].get("turns", ()))]


@pytest.mark.parametrize(
    ("name", "number", "count"),
    [
        pytest.param(name, number, count, marks=[pytest.mark.long] if count > 5000 else [])
        for name, number, count in COUNTED
    ],
)
def test_first_turns_can_be_played_in_as_many_ways_as_published(
    name: str, number: int, count: int
) -> None:
    assert ways(game(name).start(2), number + 1) == count
