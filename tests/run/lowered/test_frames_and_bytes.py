"""What runs goes into tables and comes back the same; positions go into bytes and come back the
same; bytes from anybody are a position of the game or refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.model.checked import Checked
from rulesdsl.run.engine import digest
from rulesdsl.run.lowered.frames import Frames
from rulesdsl.run.lowered.layers import reference_stack
from rulesdsl.run.lowered.pack import HEAD, Pack, players_in
from rulesdsl.run.lowered.snapshot import Snapshot, Snapshots
from rulesdsl.run.reference import codec
from rulesdsl.run.reference.codec import SavedError
from rulesdsl.run.reference.framecodec import encode_frame
from rulesdsl.run.reference.program import Program
from rulesdsl.run.reference.runtime import Runtime
from rulesdsl.run.reference.views import canonical
from tests.run.busy import BUSY
from tests.run.lowered.blank import blank, game, plan, plan_of, positions
from tests.run.lowered.deep import DEEP
from tests.run.lowered.lifted import Lift, snapshot

GAMES: dict[str, Callable[[], Checked]] = {
    "base": lambda: game("base"),
    "busy": lambda: BUSY,
    "deep": lambda: DEEP,
    "mosaic": lambda: game("mosaic"),
    "vault": lambda: game("vault"),
}


@dataclass
class Played:
    """Some moments of a random game, as the readable engine has them and as snapshots."""

    snapshots: Snapshots
    moments: list[tuple[Runtime, Snapshot]]


@cache
def played(name: str) -> Played:
    checked = GAMES[name]()
    lift = Lift(checked)
    moments = []
    for number, position in enumerate(positions(checked, 2, 4)):
        if number % 5 == 0 or position.decision is None:
            runtime = position._runtime.clone()
            moments.append((runtime, snapshot(runtime, lift)))
    return Played(Snapshots(lift.plan(plan_of(checked, 2))), moments)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_frames_in_tables_are_the_frames_again(name: str) -> None:
    found = played(name)
    frames, tables = found.snapshots.frames, blank(found.snapshots.plan)
    program = Program(found.snapshots.plan.checked)
    longest = 0
    for runtime, moment in found.moments:
        frames.write(tables, moment.frames)
        again = frames.read(tables)
        assert again == moment.frames
        stack = reference_stack(frames.plan, program, again, moment.settling)
        assert list(map(encode_frame, stack)) == list(map(encode_frame, runtime.stack))
        longest = max(longest, len(stack))
    assert longest > 3


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_snapshot_in_tables_is_the_snapshot_again(name: str) -> None:
    found = played(name)
    tables = blank(found.snapshots.plan)
    for runtime, moment in found.moments:
        found.snapshots.write(tables, moment)
        twin = found.snapshots.runtime(found.snapshots.read(tables))
        twin.waiting = runtime.waiting
        assert canonical(twin) == canonical(runtime)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_bytes_give_the_position_again(name: str) -> None:
    found = played(name)
    pack = Pack(found.snapshots)
    for runtime, moment in found.moments[::3]:
        data = pack.to_bytes(moment)
        again, twin = pack.from_bytes(data)
        assert canonical(twin) == canonical(runtime)
        assert pack.to_bytes(again) == data
        assert twin.waiting == runtime.waiting


@pytest.mark.parametrize("name", sorted(GAMES))
def test_bytes_are_few(name: str) -> None:
    found = played(name)
    pack = Pack(found.snapshots)
    sizes = [len(pack.to_bytes(moment)) for _, moment in found.moments]
    assert max(sizes) < 4096


def test_bytes_of_another_game_are_refused() -> None:
    vault, mosaic = played("vault"), played("mosaic")
    data = Pack(vault.snapshots).to_bytes(vault.moments[0][1])
    with pytest.raises(SavedError, match="other rulesets"):
        Pack(mosaic.snapshots).from_bytes(data)
    assert players_in(game("vault"), data) == 2
    assert data[5:37].hex() == digest(game("vault"))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: b"", "cut off"),
        (lambda data: b"RDSL" + data[4:], "does not begin like one"),
        (lambda data: data[:4] + bytes([data[4] + 1]) + data[5:], "another version"),
        (lambda data: data[:37] + b"\x63" + data[38:], "not for 99 players"),
        (lambda data: data[:37] + b"\x03" + data[38:], "another number of players"),
        (lambda data: data[:-1], "cut off"),
        (lambda data: data + b"\x00", "after its end"),
    ],
)
def test_damaged_bytes_are_refused(change: Callable[[bytes], bytes], why: str) -> None:
    found = played("vault")
    pack = Pack(found.snapshots)
    data = pack.to_bytes(found.moments[2][1])
    with pytest.raises(SavedError, match=why):
        pack.from_bytes(change(data))


def read_or_refused(pack: Pack, data: bytes) -> bool:
    """Was it read? Then it is a position that the readable engine takes, written as it should."""
    try:
        again, twin = pack.from_bytes(data)
    except SavedError:
        return False
    assert pack.to_bytes(again) == data
    assert canonical(codec.from_bytes(twin.checked, codec.to_bytes(twin))) == canonical(twin)
    return True


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(["busy", "deep", "vault"]))
def test_flipped_bytes_are_a_position_or_refused(data: st.DataObject, name: str) -> None:
    found = played(name)
    pack = Pack(found.snapshots)
    _, moment = data.draw(st.sampled_from(found.moments))
    saved = bytearray(pack.to_bytes(moment))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(HEAD, len(saved) - 1))
        saved[place] = data.draw(st.integers(0, 255))
    read_or_refused(pack, bytes(saved))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(["busy", "deep", "vault"]))
def test_bytes_cut_short_are_refused(data: st.DataObject, name: str) -> None:
    found = played(name)
    pack = Pack(found.snapshots)
    _, moment = data.draw(st.sampled_from(found.moments))
    saved = pack.to_bytes(moment)
    assert not read_or_refused(pack, saved[: data.draw(st.integers(0, len(saved) - 1))])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=600), st.sampled_from(["busy", "deep", "vault"]))
def test_random_bytes_after_a_good_head_are_refused(noise: bytes, name: str) -> None:
    found = played(name)
    pack = Pack(found.snapshots)
    head = pack.to_bytes(found.moments[0][1])[:HEAD]
    assert not read_or_refused(pack, head + noise)


def test_a_plan_without_points_reads_nothing_that_runs() -> None:
    frames = Frames(plan("vault", 2))
    assert frames.read(blank(frames.plan) | {"top": [-1]}) == []
