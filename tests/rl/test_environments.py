"""Environments for learners: PettingZoo's own tests, what is seen, and how moves are numbered."""

from __future__ import annotations

import pickle
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test

from rulesdsl import State, load
from rulesdsl.rl import Batch, Environment, environment
from rulesdsl.study.observe import HIDDEN
from tests.play.boxes import write_box
from tests.rulesets.test_hidden import CASES, Case, every_case, game, played

GAMES = Path(__file__).parents[1] / "games"


OTHERS = ("ferries", "mosaic", "stones", "vault")

dicts = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should",
    "ignore:We recommend agents to be named",
    "ignore:Observation is not a NumPy array",
)
"""PettingZoo's own games with masks have dicts, too, and are excepted by name; agents have the
names that players have everywhere else."""


def make(path: str, engine: str = "wasm", players: int | None = None) -> Environment:
    return environment(load(path, engine=engine), players)


def randomly(env: Environment, seed: int, steps: int) -> list[int]:
    """Random actions, played from the beginning of a game."""
    drawn, found = np.random.default_rng(seed), list[int]()
    env.reset(seed=seed)
    while len(found) < steps and not any(env.terminations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        found.append(int(drawn.choice(np.flatnonzero(mask))))
        env.step(found[-1])
    return found


@dicts
@pytest.mark.parametrize("path", ["base", "card_game"])
def test_the_api_of_pettingzoo_is_kept(path: str) -> None:
    api_test(make(path), num_cycles=60)


@dicts
def test_the_small_game_keeps_it_on_the_other_engine(tmp_path: Path) -> None:
    api_test(make(str(write_box(tmp_path)), "wasm"), num_cycles=60)


def test_a_seed_gives_the_same_game() -> None:
    seed_test(partial(make, "base"), num_cycles=60)


def test_environments_are_pickled_and_copied(tmp_path: Path) -> None:
    env = make(str(write_box(tmp_path)))
    randomly(env, 3, 4)
    for copy in (pickle.loads(pickle.dumps(env)), deepcopy(env)):
        for agent in env.possible_agents:
            seen, other = env.observe(agent), copy.observe(agent)
            assert all(np.array_equal(seen[key], other[key]) for key in seen)
        before = env.render()
        copy.step(int(copy.infos[copy.agent_selection]["actions"][0]))
        assert copy.render() != before == env.render()


@pytest.mark.long
def test_the_benchmark_of_pettingzoo_runs() -> None:
    env = make("base")
    performance_benchmark(env)
    assert env.terminations


@pytest.mark.parametrize("players", [2, 5])
def test_a_game_ends_with_rewards(tmp_path: Path, players: int) -> None:
    env = make(str(write_box(tmp_path)), players=players)
    randomly(env, 1, 1000)
    assert all(env.terminations.values())
    assert sum(env.rewards.values()) == pytest.approx(0)
    scores = env.infos[env.agents[0]]["scores"]
    best = [agent for agent in env.agents if scores[agent] == max(scores.values())]
    if len(best) < players:
        assert [agent for agent in env.agents if env.rewards[agent] > 0] == best


@every_case
def test_observations_hide_what_is_hidden(case: Case) -> None:
    one, other = (seen(played(case, which, "wasm"), case) for which in ("one", "other"))
    for player in case["from"]:
        for key, value in one[player].items():
            assert np.array_equal(value, other[player][key]), key


def seen(state: State, case: Case) -> dict[str, dict[str, np.ndarray]]:
    env = environment(game(case["game"], tuple(case.get("with", ())), "wasm"), len(state.players))
    env.reset()
    env._state = state
    if state.mover == "chance":
        env._offered = np.zeros(0, np.int64)
    elif state.mover is not None:
        env._ask()
    return {player: env.observe(player) for player in state.players}


def test_who_knows_sees() -> None:
    case = next(each for each in CASES if each["what"] == "the hand of another")
    one, other = (seen(played(case, which, "wasm"), case) for which in ("one", "other"))
    assert not np.array_equal(one["blue"]["observation"], other["blue"]["observation"])


def test_fields_say_where_what_stands() -> None:
    env = make("base")
    randomly(env, 1, 21)
    state = env._state
    parts = {field.name: slice(field.begin, field.end) for field in env.observer.fields}
    for seat, player in enumerate(state.players):
        found = env.observe(player)["observation"]
        assert found[parts["seat"]] == seat
        assert env.possible_agents[int(found[parts["mover"]][0])] == state.mover
        assert found[parts["scores"]].tolist() == list(state.scores().values())
        laid = found[parts["place"]] == -2
        columns = (found[parts[name]][laid].tolist() for name in ("x", "y", "rotation"))
        told = {(e.cell.x, e.cell.y, e.rotation) for e in state.position.laid()}
        assert set(zip(*columns, strict=True)) == told
        assert (found[parts["place"]] == HIDDEN).any()


@pytest.mark.parametrize(
    "path",
    [
        *("base", "card_game", "dice_game"),
        *(pytest.param(str(GAMES / f"{name}.yaml"), marks=pytest.mark.long) for name in OTHERS),
    ],
)
def test_every_move_has_an_action_of_its_own(path: str) -> None:
    env = make(path)
    env.reset(seed=1)
    drawn = np.random.default_rng(1)
    actions: dict[str, int] = {}
    for _ in range(40):
        if env._state.mover is None:
            break
        moves = [str(move) for move in env._state.moves()]
        assert len(set(env._offered.tolist())) == len(moves)
        for move, action in zip(moves, env._offered.tolist(), strict=True):
            assert 0 <= action < env.actions.count
            if path == "base" and "spot" in move:
                assert actions.setdefault(move, action) == action
        env.step(int(drawn.choice(env._offered)))


def test_the_action_of_an_unknown_piece_is_that_of_its_place() -> None:
    env = make(str(GAMES / "fireworks.yaml"))
    first: list[int] = []
    for seed in range(3):
        env.reset(seed=seed)
        offered = zip(env._state.moves(), env._offered.tolist(), strict=True)
        own = [action for move, action in offered if "hand" in str(move)]
        first = first or own
        assert own == first
        assert len(set(own)) == len(own) == 5


def test_many_games_number_unknown_pieces_alike() -> None:
    game = load(GAMES / "fireworks.yaml")
    batch, env = Batch(game, 3, 2, seed=1), make(str(GAMES / "fireworks.yaml"))
    first = batch.offered(0)
    for row in range(3):
        assert batch.offered(row)[:5].tolist() == first[:5].tolist()
    assert set(first.tolist()) <= set(range(env.actions.count))


def test_what_is_not_offered_is_refused() -> None:
    env = make("base")
    env.reset(seed=1)
    mask = env.observe(env.agent_selection)["action_mask"]
    with pytest.raises(ValueError, match="not legal"):
        env.step(int(np.flatnonzero(mask == 0)[0]))


def test_the_other_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="`wasm`"):
        make("base", "python")
    with pytest.raises(ValueError, match="`wasm`"):
        Batch(load("base", engine="python"), 2)
    with pytest.raises(ValueError, match="for 2 to 5 players"):
        make("base", players=9)


def test_a_batch_plays_the_games_of_its_seed(tmp_path: Path) -> None:
    small = load(write_box(tmp_path), engine="wasm")
    batch = Batch(small, 5, seed=7)
    scores, drawn, ended, scored = batch.scores, np.random.default_rng(1), 0, False
    assert not scores.flags.owndata
    for _ in range(60):
        masks, seen = batch.masks(), batch.observe()
        assert seen.shape == (5, batch.observer.size)
        assert seen[:, 1].tolist() == batch.movers.tolist() == seen[:, 0].tolist()
        actions = np.array([drawn.choice(batch.offered(row)) for row in range(5)])
        assert all(masks[row, action] for row, action in enumerate(actions))
        rewards, over = batch.step(actions)
        assert not rewards[~over].any()
        assert np.allclose(rewards.sum(axis=1), 0)
        assert not scores[over].any()
        ended += int(over.sum())
        scored = scored or bool(scores.any())
    assert ended > 5
    assert batch.begun == 5 + ended
    assert scored
    assert np.shares_memory(scores, batch.table(batch._score))


def test_a_batch_refuses_what_is_not_offered(tmp_path: Path) -> None:
    batch = Batch(load(write_box(tmp_path), engine="wasm"), 2)
    before = batch.table("place").copy()
    with pytest.raises(ValueError, match="not legal"):
        batch.step(np.array([batch.offered(0)[0], batch.actions.count]))
    assert np.array_equal(batch.table("place"), before)
    with pytest.raises(ValueError, match="not part of the state"):
        batch.table("moves")
