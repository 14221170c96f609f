"""Deadlines stop every engine within a second, and positions are as they were before."""

from __future__ import annotations

from threading import Timer
from time import monotonic

import pytest

from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.engine.run import watch
from rulesdsl.engine.run.interface import Engine, PlayError
from rulesdsl.engine.run.playouts import LIMIT, in_threads, play_out
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.language.model.checked import Checked
from tests.engines.machine_games import game, offers, on_every_engine, play

DAYS = """
action game():
    take(deck)
    while log < 9: choose()

choice choose() by first(players):
    option short:
        log = 0
    option long:
        log = 0
        for i in 1..100:
            for j in 1..200: log = 1
"""
"""A million decisions, of which each may take forty thousand steps."""

SECOND = 5
"""A second, on a machine that many others use too."""


@pytest.fixture(scope="module")
def days() -> Checked:
    return game(DAYS)


@on_every_engine
def test_a_game_that_takes_days_is_stopped(engine: Engine, days: Checked) -> None:
    position = engine.start(days, 2, 1)
    play(position, "choose.long()")
    begun = monotonic()
    with pytest.raises(OutOfTime) as error, under(Deadline(0.3)):
        play_out(position, LIMIT, Rng.seeded(2))
    assert monotonic() - begun < 0.3 + SECOND
    assert str(error.value) == "the rules did not end within 0.3 s"
    play(position, "choose.long()")
    assert offers(position) == ["choose.short()", "choose.long()"]


@on_every_engine
def test_what_was_under_way_is_undone(
    engine: Engine, days: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    position, deadline = engine.start(days, 2, 1), Deadline()
    # The first look comes while the move is under way.
    monkeypatch.setattr(watch, "OFTEN", 0.0001)
    Timer(0.05, deadline.stop).start()
    begun = position.clone()

    def play_on() -> None:
        nonlocal position
        while True:
            position = begun.clone()
            play(position, "choose.long()")

    with pytest.raises(OutOfTime), under(deadline):
        play_on()
    assert position.canonical() == begun.canonical()
    play(position.clone(), "choose.long()")
    with pytest.raises(OutOfTime), under(deadline):
        play(position, "choose.short()")


@on_every_engine
def test_games_that_are_over_in_time_are_given(engine: Engine) -> None:
    half = game("""
action game():
    take(deck)
    choose()

choice choose() by first(players):
    option short: log = 1
    option long: toil()

action toil():
    while log < 9: again()

choice again() by first(players):
    option more:
        for i in 1..400: log = 0
""")
    found = list(engine.playouts(half, 2, 3, range(0), LIMIT))
    begun = monotonic()
    played = in_threads(
        lambda games: engine.playouts(half, 2, 3, games, LIMIT), range(100), 1, Deadline(0.5)
    )
    with pytest.raises(OutOfTime):
        found.extend(played)
    assert monotonic() - begun < 0.5 + SECOND
    assert found
    assert all(each.over for each in found)
    assert found == list(engine.playouts(half, 2, 3, range(len(found)), LIMIT))


def test_threads_stop_when_nobody_waits_any_more(days: Checked) -> None:
    begun = monotonic()
    played = in_threads(
        lambda games: wasm.playouts(days, 2, 3, games, LIMIT), range(4000), 2, Deadline(0.3)
    )
    with pytest.raises(OutOfTime):
        next(played)
    assert monotonic() - begun < 0.3 + 2 * SECOND


def test_a_deadline_inside_of_another_leaves_that_one(days: Checked) -> None:
    position = wasm.start(days, 2, 1)
    with under(Deadline(1000)):
        with under(Deadline(0.01)), pytest.raises(OutOfTime):
            play_out(position, LIMIT, Rng.seeded(2))
        play(position, "choose.long()")
    with under(None):
        play(position, "choose.long()")


def test_a_decision_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LONGEST", 0.0)
    monkeypatch.setattr(watch, "OFTEN", 0.0001)
    longer = DAYS.replace("1..100", "1..900").replace("200: log = 1", "200: shuffle(deck)")
    position = wasm.start(game(longer), 2, 1)

    def play_on() -> None:
        while True:
            play(position, "choose.long()")

    with pytest.raises(PlayError) as error:
        play_on()
    assert error.value.slug == "no-steps-left"
    assert offers(position) == ["choose.short()", "choose.long()"]


class Called:
    """A call of an engine, and how often it was stopped."""

    def __init__(self) -> None:
        self.progress, self.stopped, self.is_late = 0, 0, False

    def stop(self) -> None:
        self.stopped += 1

    def resume(self) -> None:
        self.stopped = -self.stopped

    def late(self) -> None:
        self.is_late = True


class NoThread:
    """Stands for the thread of a watch; a long sleep would be that of the whole process."""

    def __init__(self, **_: object) -> None:
        pass

    def start(self) -> None:
        pass


def test_time_is_what_a_decision_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "Thread", NoThread)
    monkeypatch.setattr(watch, "LONGEST", 2.0)
    called, own, clock = Called(), watch.CallWatch(), 5.0
    monkeypatch.setattr(watch.Running, "used", lambda _: clock)
    own.begin(called, ())
    for called.progress in (1, 1, 1, 2, 2, 2, 3, 3, 3):
        assert not own.look()
        clock += 1.0
    assert own.look()
    assert own.look()
    assert (called.stopped, called.is_late) == (2, True)
    called.progress = 4
    assert not own.look()
    own.end(called)
    assert called.stopped == -2
    clock += 1000.0
    own.begin(called, ())
    assert not own.look()
    own.end(called)
    assert called.stopped == -2


def test_what_has_ended_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "Thread", NoThread)
    called, own, deadline = Called(), watch.CallWatch(), Deadline()
    own.begin(called, (deadline,))
    assert not own.look()
    deadline.stop()
    assert own.look()
    own.end(called)
    assert not own.look()
    assert (called.stopped, called.is_late) == (-1, False)
