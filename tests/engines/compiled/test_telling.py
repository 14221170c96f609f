"""Changes that `wasm` reads from its notes are those that the engine python reports."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from rulesdsl import Game, State, load
from rulesdsl.engine.run.interface import Change, Engine, PlayError, Position
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.language.model.values import Piece, Player
from tests.engines.machine_games import game as small
from tests.engines.machine_games import play
from tests.rulesets.shipped import NAMES

ROOT = Path(__file__).parents[3]
FILES = {
    path.stem: str(path)
    for folder in ("rulesets", "examples/*", "tests/games")
    for path in ROOT.glob(f"{folder}/*.rules")
    for path in [path.with_suffix(".yaml")]
}
MOVES, SLOW = 60, {"draughts": 15, "hive": 15, "strands": 15}
"""How many moves of a game are compared, and of games slow on the engine python."""

Heard = list[tuple[Change, tuple[int, ...], object, object]]


def _hear(position: Position) -> Heard:
    """What is heard of a position, with what it looks like then."""
    heard: Heard = []

    def hear(change: Change) -> None:
        thing = change.arguments[0] if change.arguments else None
        where = None
        if isinstance(thing, Piece):
            where = position.place_of(thing), position.face_of(thing)
        heard.append((change, position.scores(), (position.laid(), where), position.decision))

    position.listener = hear
    return heard


@pytest.mark.parametrize("name", sorted(FILES))
def test_both_engines_report_the_same_changes(name: str) -> None:
    game = load(FILES[name], engine="python")
    players, said = game.players[-1], 0
    for seed in (None, 4):
        drawn = Rng.seeded(seed or 7)
        own, other = (engine.start(game.checked, players, seed) for engine in (python, wasm))
        heard, found = _hear(own), _hear(other)
        for _ in range(SLOW.get(name, MOVES)):
            decision = own.decision
            if decision is None:
                break
            index = drawn.below(len(decision.candidates))
            failed = [_failure(position, index) for position in (own, other)]
            assert failed[0] == failed[1]
            assert found == heard
            said += len(heard)
            heard.clear()
            found.clear()
    assert said


def _failure(position: Position, index: int) -> str | None:
    try:
        position.play(index)
    except PlayError as error:
        return str(error)
    return None


def test_all_that_is_shipped_is_compared() -> None:
    assert set(NAMES) <= FILES.keys()


FAILING = small(
    """
state cell.marked: bool
state player.seen: set of player
state game.few: int 0..3 = 0

action game():
    while true: pick(first(players))

choice pick(p: player) by p:
    option mark(c in cells(board) where not c.marked):
        c.marked = true
        p.seen += {p}
    option twice:
        few += 1
        few -= 1
    option bad:
        p.score += 2
        few += 4
"""
)


@pytest.mark.parametrize("engine", [python, wasm])
def test_states_are_reported_once_and_a_move_that_fails_as_far_as_it_went(
    engine: Engine,
) -> None:
    position = engine.start(FAILING, 2, 1)
    changes: list[Change] = []
    position.listener = changes.append
    play(position, "pick.twice()")
    assert changes == []
    with pytest.raises(PlayError, match="cannot become 4"):
        play(position, "pick.bad()")
    (gained,) = changes
    assert (gained.name, gained.old, gained.new) == (FAILING.score, 0, 2)
    assert gained.arguments == (Player(0),)
    assert position.scores() == (0, 0)


BEST, RATIO = 100, 1.25
"""The fastest of at most so many games counts: a busy machine needs more of them to show one."""


def test_a_listener_takes_little_time() -> None:
    game = load("base", engine="wasm")
    times: dict[bool, list[float]] = {False: [], True: []}
    _time(game, listens=True)
    for _ in range(BEST):
        for listens, taken in times.items():
            taken.append(_time(game, listens=listens))
        if len(times[True]) >= 9 and min(times[True]) < RATIO * min(times[False]):
            return
    pytest.fail(f"{min(times[True])} s with a listener, {min(times[False])} s without")


def _time(game: Game, *, listens: bool) -> float:
    """The time of a game, whose players look at their moves."""
    state: State = game.start(2, 5)
    changes: list[Change] = []
    state.listen(changes.append if listens else None)
    drawn, begun = Rng.seeded(1), process_time()
    while moves := state.moves():
        state.play(moves[drawn.below(len(moves))])
    assert bool(changes) == listens
    return process_time() - begun
