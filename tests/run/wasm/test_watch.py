"""What takes too long is stopped, and the position is as it was before."""

from __future__ import annotations

from time import monotonic

import pytest

from rulesdsl.model.checked import Checked
from rulesdsl.run.engine import PlayError, Position
from rulesdsl.run.playouts import LIMIT
from rulesdsl.run.wasm import engine as wasm
from rulesdsl.run.wasm import watch
from tests.run.machine_games import game, offers, play

SLOW = """
action game():
    take(deck)
    for i in 1..9: choose()

choice choose() by first(players):
    option quick: log += 1
    option slow:
        log += 1
        for i in 1..90000:
            if 1..90000 == 2..90000: log += 1
"""
"""Each of these steps compares two sets of ninety thousand: it would take half a minute."""


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.setattr(watch, "LONGEST", 0.5)
    monkeypatch.setattr(watch, "OFTEN", 0.05)
    return game(SLOW)


def test_a_move_that_takes_too_long_is_stopped(slow: Checked) -> None:
    position: Position = wasm.start(slow, 2, 1)
    play(position, "choose.quick()")
    before = position.canonical()
    began = monotonic()
    with pytest.raises(PlayError) as error:
        play(position, "choose.slow()")
    assert monotonic() - began < 20
    assert error.value.slug == "no-steps-left"
    assert position.canonical() == before
    play(position, "choose.quick()")
    assert "choose.slow()" in offers(position)


def test_so_are_games_that_are_played_out(slow: Checked) -> None:
    with pytest.raises(PlayError) as error:
        wasm.playouts(slow, 2, 5, range(50), LIMIT)
    assert error.value.slug == "no-steps-left"


class Called:
    """Something that is called, and how often it was stopped."""

    def __init__(self) -> None:
        self.running, self.stopped = 0, 0

    def stop(self) -> None:
        self.stopped += 1


def test_time_is_what_was_slept_during_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LONGEST", 2.0)
    monkeypatch.setattr(watch, "OFTEN", 1000.0)
    called, own = Called(), watch.Watch()
    own.add(called)
    for number in (0, 0, 0, 0, 1, 1, 2, 2, 2, 0, 3, 3, 3):
        called.running = number
        assert not own.look(1.0)
    assert own.look(1.0)
    assert own.look(0.001)
    assert called.stopped == 2
    called.running = 4
    assert not own.look(1.0)
    assert called.stopped == 2
