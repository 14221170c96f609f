"""Batches: the same games as one by one, what movers see of them, and threads."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest

from rulesdsl import Game, State, load
from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.runtime.faults import NO_SPACE, Fault
from rulesdsl.rl import Batch, environment
from tests.cli.test_timeout import MANIFEST, RULES
from tests.engines.test_deadlines import SECOND
from tests.play.boxes import write_box
from tests.rulesets.test_hidden import Case, every_case, game, played


def number_of(batch: Batch, *names: str) -> int:
    return sum(int(batch.parts[0]._scratch(name)[0]) for name in names)


class Followed:
    """A batch whose games are played by states as well, with the same moves."""

    def __init__(self, box: Game, count: int, players: int, seed: int, threads: int = 1) -> None:
        self.box, self.seed = box, seed
        self.batch = Batch(box, count, players, seed, threads=threads)
        self.drawn = np.random.default_rng(seed)
        self.states = [self.start(number) for number in range(count)]
        self.ended = 0

    def start(self, number: int) -> State:
        return self.box.start(self.batch.players, seeds_of(self.seed, number)[0])

    def step(self) -> None:
        """Compare all games, and play a move in each."""
        batch, states = self.batch, self.states
        assert batch.counts.tolist() == [len(state.moves()) for state in states]
        for row, state in enumerate(states):
            assert state.players[batch.movers[row]] == state.mover
            assert batch.scores[row].tolist() == list(state.scores().values())
        choices = (self.drawn.random(len(states)) * batch.counts).astype(np.int64)
        wanted = [state.moves()[choice] for state, choice in zip(states, choices, strict=True)]
        rewards, over = batch.play(choices)
        for row, (state, move) in enumerate(zip(states, wanted, strict=True)):
            state.play(move)
            assert over[row] == (state.mover is None)
            if over[row]:
                self.ended += 1
                final = batch.table("final")[row].tolist()
                assert final == list(state.scores().values())
                best = {
                    p for p, reward in zip(state.players, rewards[row], strict=True) if reward > 0
                }
                assert best in (set(), set(state.winners))
                states[row] = self.start(int(batch.numbers[row]))


@pytest.mark.parametrize("threads", [1, 2])
def test_the_games_are_those_of_states(tmp_path: Path, threads: int) -> None:
    small = load(write_box(tmp_path), engine="wasm")
    followed = Followed(small, 5, 2, seed=7, threads=threads)
    for _ in range(60):
        followed.step()
    assert followed.ended > 5
    assert followed.batch.begun == 5 + followed.ended
    assert sorted(followed.batch.numbers % 5) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["base", "card_game", "dice_game"])
def test_games_of_other_boxes_are_those_of_states(name: str) -> None:
    followed = Followed(load(name, engine="wasm"), 3, 2, seed=3)
    for _ in range(25):
        followed.step()


def test_the_games_are_those_of_pettingzoo() -> None:
    base = load("base", engine="wasm")
    batch, env = Batch(base, 1, 2, seed=5), environment(base, 2)
    env.reset(seed=1)
    env._state = base.start(2, seeds_of(5, 0)[0])
    env._ask()
    drawn = np.random.default_rng(2)
    for _ in range(60):
        assert batch.offered(0).tolist() == env._offered.tolist()
        seen = env.observe(env.agent_selection)
        assert np.array_equal(batch.observe()[0], seen["observation"])
        assert np.array_equal(batch.masks()[0], seen["action_mask"])
        action = drawn.choice(env._offered)
        batch.step(np.array([action]))
        env.step(int(action))


def test_threads_change_nothing() -> None:
    base = load("base", engine="wasm")
    one, two = Batch(base, 6, 2, seed=1), Batch(base, 6, 2, seed=1, threads=2)
    drawn = np.random.default_rng(1)
    for _ in range(30):
        assert np.array_equal(one.legal, two.legal)
        assert np.array_equal(one.offsets, two.offsets)
        for mine, other in zip(one.view(), two.view(), strict=True):
            assert np.array_equal(mine, other)
        choices = (drawn.random(6) * one.counts).astype(np.int64)
        assert all(map(np.array_equal, one.play(choices), two.play(choices)))


def test_arrays_are_views() -> None:
    batch = Batch(load("base", engine="wasm"), 4, 2)
    planes, facts = batch.view()
    memory = batch.parts[0]._memory
    arrays = planes, facts, batch.legal, batch.counts, batch.scores, batch.table("place")
    for array in arrays:
        assert np.shares_memory(array, memory)
        assert not array.flags.writeable


def test_planes_show_the_pieces_that_lie() -> None:
    followed = Followed(load("base", engine="wasm"), 2, 2, seed=9)
    for _ in range(40):
        followed.step()
    batch = followed.batch
    planes, facts = batch.view()
    assert planes.shape[1] == 1
    assert planes.shape[-1] == 16
    for row, state in enumerate(followed.states):
        seat = int(facts[row, 1])
        assert state.players[seat] == state.mover
        scores = list(state.scores().values())
        assert facts[row, 3:5].tolist() == scores[seat:] + scores[:seat]
        laid = state.position.laid()
        here = planes[row, 0]
        assert int(here[..., 0].sum()) == len(laid)
        west, north = batch.table("origin")[row].tolist()
        for each in laid:
            cell = here[each.cell.y - north, each.cell.x - west]
            assert cell[0] == 1
            assert cell[7] == each.rotation
        standing = batch.table("place")[row] >= number_of(batch, "ZONES", "SPACES")
        assert int(here[..., 12:14].sum()) == np.count_nonzero(standing)
        # A claim on a side is a claim on the side that it lies against.
        claims = here[..., 8:12].astype(int)
        east, west_side = claims[:, :-1, 1], claims[:, 1:, 3]
        both = (here[:, :-1, 0] == 1) & (here[:, 1:, 0] == 1)
        assert np.array_equal(east[both], west_side[both])
        sides = here[..., 2:6]
        assert np.array_equal(sides[:, :-1, 1][both], sides[:, 1:, 3][both])


@every_case
def test_views_hide_what_is_hidden(case: Case) -> None:
    """A game is laid into a row, and looked at by everybody who must not see the difference."""
    states = [played(case, which, "wasm") for which in ("one", "other")]
    box = game(case["game"], tuple(case.get("with", ())), "wasm")
    batch = Batch(box, 2, len(states[0].players))
    (part,) = batch.parts
    layout = part._layout
    for row, state in enumerate(states):
        at = layout.rows + row * layout.row
        held: Any = state.position._machine.keep()
        part._memory[at : at + layout.state] = np.frombuffer(held, np.uint8)
    for player in case["from"]:
        part.table("asked_seat")[:] = states[0].players.index(player)
        for seen in batch.view():
            assert np.array_equal(seen[0], seen[1])


def test_a_choice_that_there_is_not_is_refused(tmp_path: Path) -> None:
    batch = Batch(load(write_box(tmp_path), engine="wasm"), 2)
    before = batch.table("place").copy()
    for wrong in (np.array([0, batch.counts[1]]), np.array([-1, 0]), np.array([0])):
        with pytest.raises(ValueError, match="none of the legal moves"):
            batch.play(wrong)
    assert np.array_equal(batch.table("place"), before)
    with pytest.raises(ValueError, match="a game for each thread"):
        Batch(load("base", engine="wasm"), 1, threads=2)


def test_many_games_play_without_a_fault() -> None:
    batch, drawn = Batch(load("base", engine="wasm"), 64, 2, seed=2), np.random.default_rng(2)
    for _ in range(400):
        batch.view()
        batch.observe()
        batch.play((drawn.random(64) * batch.counts).astype(np.int64))
        assert not batch.failed.any()
    assert batch.begun >= 64 * 3


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_go_on_alike(threads: int) -> None:
    batch = Batch(load("base", engine="wasm"), 4, 2, seed=3, threads=threads)
    drawn = np.random.default_rng(3)

    for _ in range(30):
        batch.play((drawn.random(4) * batch.counts).astype(np.int64))
    moves = batch.legal[batch.owners == 2].copy()
    batch.copy(np.array([2, 1, 2, 2]))
    assert batch.offsets[-1] == len(batch.legal)
    assert np.array_equal(batch.legal[batch.owners == 0], moves)
    for _ in range(30):
        choices = (drawn.random(4) * batch.counts).astype(np.int64)
        choices[[0, 3]] = choices[2]
        batch.play(choices)
        assert batch.counts[0] == batch.counts[2] == batch.counts[3]
        assert np.array_equal(batch.table("place")[0], batch.table("place")[3])
    with pytest.raises(ValueError, match="a row of the batch for each row"):
        batch.copy(np.array([0, 1, 2, 4]))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_deadline_stops_a_step_and_undoes_it(threads: int, tmp_path: Path) -> None:
    (tmp_path / "days.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "days.rules").write_text(RULES, encoding="utf-8")
    batch = Batch(load(tmp_path / "days.yaml", engine="wasm"), 20_000, 2, threads=threads)
    drawn = np.random.default_rng(1)
    batch.play(drawn.integers(0, 2, 20_000))
    before, legal = [part.whole.copy() for part in batch.parts], batch.legal.copy()
    begun = monotonic()
    with pytest.raises(OutOfTime), under(Deadline(0.01)):
        batch.play(drawn.integers(0, 2, 20_000))
    assert monotonic() - begun < 0.01 + SECOND
    assert all(map(np.array_equal, [part.whole for part in batch.parts], before))
    assert np.array_equal(batch.legal, legal)
    with under(Deadline(1000)):
        batch.play(drawn.integers(0, 2, 20_000))
    assert (batch.table("decided")[:, 0] == 2).all()


def test_more_moves_than_there_is_room_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Batch(load("base", engine="wasm"), 2, 2)
    (part,) = batch.parts
    call = part._instance.call

    def full(name: str, *arguments: int) -> int | None:
        if name == "step_rows":
            raise Fault(NO_SPACE)
        return call(name, *arguments)

    monkeypatch.setattr(part._instance, "call", full)
    with pytest.raises(ValueError, match="fewer games, or more threads"):
        batch.play(np.zeros(2, np.int64))


@pytest.mark.parametrize(("path", "threads"), [("card_game", 1), ("dice_game", 2), ("base", 1)])
def test_outcomes_are_those_of_single_games(path: str, threads: int) -> None:
    followed = Followed(load(path, engine="wasm"), 4, 2, 3, threads)
    for _ in range(9):
        followed.step()
    batch = followed.batch
    legal = batch.legal.copy()
    for tries in (1, 400):
        found = batch.outcomes(tries).tolist()
        alone = [position_of(state).outcomes(tries) for state in followed.states]
        assert found == [line for lines in alone for line in lines]
        assert (batch.legal == legal).all()
    followed.step()


def position_of(state: State) -> LoweredPosition:
    assert isinstance(state.position, LoweredPosition)
    return state.position
