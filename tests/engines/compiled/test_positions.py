"""What lowered positions do beyond what games in lock-step see: errors, playouts, who uses the
scratch tables, what is asked while a move is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rulesdsl.engine.lower.plan import PLAYING
from rulesdsl.engine.run.interface import Change, PlayError, Position
from rulesdsl.engine.run.machine import Machine
from rulesdsl.engine.run.playouts import play_out
from rulesdsl.engine.run.position import LoweredPosition, start
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.engine.run.wasm.games import compiled_game
from rulesdsl.engine.run.words.box import Absent as WorldFault
from rulesdsl.engine.runtime.faults import MESSAGES, NO_SPACE, STUCK, Fault
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.ir import Tables
from rulesdsl.language.model.values import Piece
from tests.engines.compiled.blank import game
from tests.engines.machine_games import game as small

VAULT = game("vault")

FAILING = small(
    """
state game.few: int 0..3 = 0

action game():
    while true: pick(first(players))

choice pick(p: player) by p:
    option good: p.score += 1
    option bad when p.score > 3: few += p.score
"""
)

FEW = "`t/game.few` holds int 0..3 and cannot become 4"


def both(checked: Checked, players: int, seed: int | None) -> tuple[LoweredPosition, Position]:
    return wasm.start(checked, players, seed), python.start(checked, players, seed)


def error_of(act: Callable[[], object]) -> tuple[str, Span | None, str]:
    with pytest.raises(PlayError) as found:
        act()
    return found.value.message, found.value.span, found.value.slug


# --- errors --------------------------------------------------------------------------------------


def test_a_move_that_fails_says_what_the_readable_engine_says_and_changes_nothing() -> None:
    lowered, readable = both(FAILING, 1, 1)
    for _ in range(4):
        lowered.play(0)
        readable.play(0)
    before, decision = lowered.canonical(), lowered.decision
    message, span, slug = error_of(lambda: lowered.play(1))
    assert (message, span, slug) == error_of(lambda: readable.play(1))
    assert message == FEW
    assert span is not None
    assert (lowered.canonical(), lowered.decision) == (before, decision)
    lowered.play(0)
    readable.play(0)
    assert lowered.canonical() == readable.canonical()


@pytest.mark.parametrize(
    ("rules", "slug"),
    [
        ("state game.red: int 0..9 = 9\naction game(): red += red\n", "play-error"),
        ("state game.red: int = 0\naction game():\n    while true: red = 1\n", "no-steps-left"),
        (
            "action game(): pick(first(players))\n"
            "choice pick(p: player) by p:\n    option never when p.score > 0: p.score += 1\n",
            "stuck-choice",
        ),
    ],
)
def test_a_game_that_does_not_begin_fails_as_it_does_for_the_readable_engine(
    rules: str, slug: str
) -> None:
    checked = small(rules)
    found = error_of(lambda: wasm.start(checked, 2, 1))
    assert found == error_of(lambda: python.start(checked, 2, 1))
    assert found[2] == slug


class Failing:
    """A machine whose `play` always has one fault, whatever the rules say."""

    def __init__(self, machine: Machine, code: int) -> None:
        self._machine = machine
        self._code = code

    @property
    def tables(self) -> Tables:
        return self._machine.tables

    def first(self, name: str) -> int:
        return self._machine.first(name)

    def call(self, entry: str, *arguments: int) -> int | bool | None:
        given = self._machine.call(entry, *arguments)
        if entry == "play":
            raise Fault(self._code)
        return given

    def clone(self) -> Failing:
        return Failing(self._machine.clone(), self._code)

    def keep(self) -> object:
        return self._machine.keep()

    def restore(self, kept: object) -> None:
        self._machine.restore(kept)

    def place(self, fault: Fault) -> Span | None:
        return VAULT.game.roles.span


@pytest.mark.parametrize(("code", "slug"), [(NO_SPACE, "play-error"), (STUCK, "stuck-choice")])
def test_a_limit_of_the_tables_is_told_at_its_place(code: int, slug: str) -> None:
    compiled = compiled_game(VAULT, 2, PLAYING)
    failing: Any = Failing(compiled.blank.clone(), code)
    position = start(compiled.lowered, failing, 3)
    before, decision = position.canonical(), position.decision
    found = error_of(lambda: position.play(0))
    assert found == (MESSAGES[code], VAULT.game.roles.span, slug)
    assert (position.canonical(), position.decision) == (before, decision)


def test_a_move_that_is_not_there_is_an_index_error() -> None:
    position = wasm.start(VAULT, 2, 3)
    assert position.decision is not None
    for index in (-1, len(position.decision.candidates)):
        with pytest.raises(IndexError):
            position.play(index)


def test_a_component_that_nobody_plays_is_nowhere() -> None:
    base = game("base")
    number = next(i for i, piece in enumerate(base.game.pieces) if piece.seat == 3)
    with pytest.raises(WorldFault, match="nobody plays"):
        wasm.start(base, 2, 1).place_of(Piece(number))


# --- frames --------------------------------------------------------------------------------------

LATE = small(
    """
state game.sum: int = 0

action game():
    pick(first(players))
    for n in 1..3:
        maybe(n)
        let late = {n, n + 1}
        let later_still = {n}
        sum += count(late) + 10 * count(later_still)
    pick(first(players))

action maybe(n: int):
    let two = {n, n + 1}
    if n > 7: pick(first(players))
    note(n + count(two))

choice pick(p: player) by p:
    option go
"""
)


def test_a_loaded_frame_has_room_for_what_is_declared_later() -> None:
    lowered, readable = both(LATE, 2, 1)
    loaded, sampled = wasm.from_bytes(LATE, lowered.to_bytes()), lowered.sample(0, 1)
    for position in (lowered, loaded, sampled, readable):
        position.play(0)
    assert "state t/game.sum: 36" in lowered.canonical()
    assert lowered.canonical() == loaded.canonical() == readable.canonical()
    assert sampled.canonical().count("state t/game.sum: 36") == 1


# --- who is asked what ---------------------------------------------------------------------------


def test_positions_that_share_scratch_tables_do_not_mix_up_their_moves() -> None:
    one, other = wasm.start(VAULT, 2, 3), wasm.start(VAULT, 2, 4)
    for _ in range(6):
        copy = one.clone()
        assert other.decision is not None
        other.play(len(other.decision.candidates) - 1)
        assert one.decision == copy.decision
        one.play(0)
        copy.play(0)
        assert one.canonical() == copy.canonical()


def test_playing_needs_no_decision_to_be_looked_at() -> None:
    looked, blind = wasm.start(VAULT, 2, 3), wasm.start(VAULT, 2, 3)
    for _ in range(10):
        assert looked.decision is not None
        looked.play(0)
        blind.play(0)
    assert blind.canonical() == looked.canonical()


def test_a_listener_may_look_at_the_position_in_the_middle_of_a_move() -> None:
    lowered, readable = both(game("base"), 2, 5)
    seen: list[list[object]] = []
    for position in (lowered, readable):
        notes: list[object] = []

        def hear(
            change: Change, position: Position = position, notes: list[object] = notes
        ) -> None:
            notes.append((change, position.scores(), len(position.laid()), position.decision))

        position.listener = hear
        drawn = Rng.seeded(1)
        for _ in range(20):
            assert position.decision is not None
            position.play(drawn.below(len(position.decision.candidates)))
        seen.append(notes)
    assert seen[0] == seen[1]
    assert len(seen[0]) > 20
    assert lowered.canonical() == readable.canonical()


def test_what_a_listener_raises_ends_the_move_and_nothing_has_happened() -> None:
    position = wasm.start(VAULT, 2, 3)
    before = position.canonical()

    def hear(change: Change) -> None:
        raise KeyError(change.name)

    position.listener = hear
    with pytest.raises(KeyError):
        position.play(0)
    position.listener = None
    assert position.canonical() == before
    position.play(0)
    assert position.canonical() != before


# --- playouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [None, 3])
def test_a_playout_is_a_random_game(seed: int | None) -> None:
    position = wasm.start(VAULT, 2, seed)
    copy = position.clone()
    played = position.playout(10_000, 7)
    assert position.decision is None
    assert play_out(copy, 10_000, Rng.seeded(7)) == played
    assert copy.canonical() == position.canonical()


def test_a_playout_stops_when_it_is_told_to() -> None:
    position = wasm.start(VAULT, 2, 3)
    assert position.playout(5, 1) == 5
    assert position.decision is not None
    position.play(0)


def test_a_playout_that_fails_stands_before_the_move_that_failed() -> None:
    position = wasm.start(FAILING, 1, 1)
    found = error_of(lambda: position.playout(1000, 1))
    assert position.scores() > (3,)
    assert found == error_of(lambda: position.play(1))
    position.play(0)
