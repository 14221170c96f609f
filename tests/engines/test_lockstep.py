"""The lock-step runner itself: an engine agrees with itself, and one that is wrong is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rulesdsl import load
from rulesdsl.engine.run.interface import Decision, PlayError, Position
from rulesdsl.engine.run.playing import LoweredEngine
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.model.checked import Checked
from tests.engines.lockstep import Differs, Mix, lockstep
from tests.scenarios import run_scenarios

FOLDER = Path(__file__).parents[1] / "games"
BUSY = Mix(cloned=20, saved=20, sampled=10, listened=20, finished=10, looked=20, most=12)


class Wrong(LoweredPosition):
    """From the tenth decision on its moves stand in another order."""

    @property
    def decision(self) -> Decision | None:
        found = super().decision
        if found is None or self.tables["decided"][0] < 10:
            return found
        return replace(found, candidates=found.candidates[::-1])


class Weak(LoweredPosition):
    """Its fifth move of a player fails."""

    def play(self, index: int) -> None:
        if self.tables["decided"][0] == 4 and self.decision and self.decision.seat is not None:
            raise PlayError("this is too much")
        super().play(index)


class Astray(LoweredPosition):
    """After its fifth decision a score is another one."""

    def play(self, index: int) -> None:
        super().play(index)
        if self.tables["decided"][0] == 5:
            self.tables[self.plan.states["vault/player.score"].data][0] += 1


class Other:
    """The engine python with positions of another class."""

    def __init__(self, position: type[LoweredPosition]) -> None:
        self._position = position

    def start(self, checked: Checked, players: int, seed: int | None) -> LoweredPosition:
        return self._as_mine(python.start(checked, players, seed))

    def from_bytes(self, checked: Checked, data: bytes) -> LoweredPosition:
        return self._as_mine(python.from_bytes(checked, data))

    def _as_mine(self, position: Position) -> LoweredPosition:
        assert isinstance(position, LoweredPosition)
        return self._position(position.lowered, position.machine, position.history)


@pytest.mark.parametrize("name", ["mosaic", "vault"])
@pytest.mark.parametrize("offered", [False, True])
def test_an_engine_agrees_with_itself(name: str, offered: bool) -> None:
    game = load(FOLDER / f"{name}.yaml")
    decisions = lockstep(python, python, game, 2, 5, offered=offered, mix=BUSY)
    assert decisions == 12


def difference(position: type[LoweredPosition]) -> Differs:
    game = load(FOLDER / "vault.yaml")
    with pytest.raises(Differs) as found:
        lockstep(python, Other(position), game, 2, 5, mix=Mix(saved=0, cloned=0))
    return found.value


def test_the_first_difference_is_told() -> None:
    text = str(difference(Wrong))
    assert "the decision differs in a game of 2 players, seed 5, after 10 moves" in text
    assert "one:   vault/keep" in text
    assert "other: vault/keep" in text


def test_a_state_that_is_another_one_is_told() -> None:
    assert "the position differs in a game of 2 players" in str(difference(Astray))


@pytest.mark.parametrize("position", [Wrong, Weak])
def test_the_game_so_far_is_a_scenario_that_the_first_engine_passes(
    position: type[LoweredPosition], tmp_path: Path
) -> None:
    differs = difference(position)
    path = tmp_path / "differs.test.yaml"
    path.write_text(differs.scenario)
    (outcome,) = run_scenarios(Source(str(path), differs.scenario), [str(FOLDER)])
    assert outcome.passed, [str(found) for found in outcome.findings]
    assert differs.scenario.count("\n  - ") >= 5


def test_a_failure_of_one_alone_is_told() -> None:
    text = str(difference(Weak))
    assert "what comes of" in text
    assert "this is too much" in text


def texts(position: LoweredPosition) -> list[str]:
    return [position.canonical(), *(position.view(seat) for seat in range(position.players))]


@pytest.mark.parametrize("engine", [python, wasm], ids=["python", "wasm"])
def test_texts_are_read_from_the_tables_of_the_position(engine: LoweredEngine) -> None:
    game = load(FOLDER / "vault.yaml")
    position = engine.start(game.checked, 2, 5)
    for _ in range(12):
        assert position.decision is not None
        position.play(0)
    before, score = texts(position), position.plan.states["vault/player.score"].data
    seen_by = {"head": 3, "known": 3, "rng": 1, score: 3}
    for name, least in seen_by.items():
        copy = position.clone()
        for at in range(len(copy.tables[name])):
            copy.tables[name][at] = 7 if name == score else 0
        changed = [a != b for a, b in zip(before, texts(copy), strict=True)]
        assert sum(changed) >= least, name
        assert changed[0], name
    assert texts(position) == before
