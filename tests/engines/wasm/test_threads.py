"""Several threads play at once, each positions of its own; what two of them share is not harmed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Thread
from weakref import ref

import pytest
import wasmtime
from wasmtime import _ffi as ffi

from rulesdsl.engine.run.machine import Stopped
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.wasm import machine
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.engine.run.wasm.machine import Instance, Sharing, WasmMachine
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module
from rulesdsl.engine.runtime.faults import INDEX, ZERO, Fault
from tests.engines.busy import BUSY
from tests.ir.reading import read_program

PROGRAM = """\
entries add, work, at, whole, both, nothing, quotient

state sum[2] from -5 to 100000 = 3 4
state wide[3] from -9223372036854775808 to 9223372036854775807

function add(n: int) -> int:
    sum[0] = sum[0] + n
    return sum[0]

function work(rounds: int) -> int:
    local i: int
    for i in range(0, rounds):
        wide[i % 3] = (wide[(i + 1) % 3] ^ i) * 3 & 1023
    return wide[0]

function at(index: int) -> int:
    return wide[index]

function whole(n: int) -> int:
    return n

function both(so: bool, n: int, also: bool) -> bool:
    return so and n > 0 or also

function nothing(n: int):
    wide[2] = n

function quotient(a: int, b: int) -> int:
    return a // b
"""
ROUNDS = 40_000_000
"""So many take long enough for another thread to come between."""


def instance() -> Instance:
    return Instance(compile_module(print_module(read_program(PROGRAM))))


def machines() -> tuple[WasmMachine, WasmMachine]:
    """Two on one instance."""
    one = WasmMachine(Sharing(instance()), {})
    return one, one.clone()


def is_gone(what: ref[Instance]) -> bool:
    """Is an instance gone? The thread that watches over calls may look at it for a moment."""
    end = time.monotonic() + 10
    while what() is not None and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    return what() is None


# --- threads of their own ------------------------------------------------------------------------


def played(seed: int) -> str:
    """A game, played by the thread that calls."""
    position = wasm.start(BUSY, 2, seed)
    while position.decision is not None:
        position.play(seed % len(position.decision.candidates))
    return position.canonical()


def test_threads_play_as_one_does() -> None:
    expected = [played(seed) for seed in range(12)]
    assert len(set(expected)) > 6
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(played, range(12))) == expected


def test_what_a_thread_had_goes_with_it() -> None:
    seen: list[ref[Instance]] = []

    def play() -> None:
        machine = wasm.start(BUSY, 2, 1)._machine
        assert isinstance(machine, WasmMachine)
        seen.append(ref(machine.sharing.instance))

    thread = Thread(target=play)
    thread.start()
    thread.join()
    assert len(seen) == 1
    assert is_gone(seen[0])


def test_a_position_can_be_handed_over() -> None:
    here, there = wasm.start(BUSY, 2, 5), wasm.start(BUSY, 2, 5)

    def step(position: LoweredPosition) -> None:
        position.play(0)

    for _ in range(6):
        step(here)
        thread = Thread(target=step, args=(there,))
        thread.start()
        thread.join()
        assert here.canonical() == there.canonical()


# --- the same position ---------------------------------------------------------------------------


@contextmanager
def at_work(machine: WasmMachine) -> Iterator[list[int | bool | None]]:
    """While another thread works with a machine; what that gives is known afterwards."""
    given: list[int | bool | None] = []
    thread = Thread(target=lambda: given.append(machine.call("work", ROUNDS)))
    thread.start()
    try:
        while not machine.sharing.instance._lock.locked() and thread.is_alive():
            time.sleep(0.001)
        yield given
        assert not given, "the other thread was done too soon"
    finally:
        thread.join()


@cache
def worked() -> tuple[int | bool | None, bytes]:
    """What that gives, and the state after it."""
    machine, _ = machines()
    return machine.call("work", ROUNDS), machine.keep()


TOUCHES: dict[str, Callable[[WasmMachine], object]] = {
    "call": lambda machine: machine.call("add", 1),
    "keep": lambda machine: machine.keep(),
    "restore": lambda machine: machine.restore(bytes(machine.sharing.state)),
    "clone": lambda machine: machine.clone(),
    "read": lambda machine: machine.tables["sum"][0],
    "read all": lambda machine: machine.tables["sum"][:],
    "iterate": lambda machine: list(machine.tables["sum"]),
    "write": lambda machine: machine.tables["sum"].__setitem__(0, 1),
    "write all": lambda machine: machine.tables["sum"].__setitem__(slice(None), [1, 2]),
}


def test_what_another_thread_works_with_is_not_touched() -> None:
    machine, _ = machines()
    with at_work(machine) as given:
        for touch in TOUCHES.values():
            with pytest.raises(RuntimeError, match="played by another thread"):
                touch(machine)
    assert (given[0], machine.keep()) == worked()
    assert machine.call("add", 1) == 4


def test_nor_by_way_of_another_machine_on_the_instance() -> None:
    machine, other = machines()
    with at_work(machine) as given:
        for name in ("call", "read", "read all", "iterate", "write", "write all"):
            with pytest.raises(RuntimeError, match="played by another thread"):
                TOUCHES[name](other)
        kept = other.keep()
        other.restore(kept)
        further = other.clone()
    assert (given[0], machine.keep()) == worked()
    assert [other.call("add", 1), further.call("add", 2)] == [4, 5]


# --- calls ---------------------------------------------------------------------------------------

CALLS: list[tuple[str, tuple[int, ...]]] = [
    *(("whole", (n,)) for n in (0, 1, -1, 2**63 - 1, -(2**63), 2**31, -(2**31) - 1)),
    *(("both", (so, n, also)) for so in (True, False) for n in (1, -1) for also in (True, False)),
    *(("at", (n,)) for n in (0, 2, 3, -1)),
    ("nothing", (7,)),
    ("at", (2,)),
    ("quotient", (-7, 2)),
    ("quotient", (1, 0)),
    ("quotient", (9, 3)),
]


def told(instance: Instance) -> list[object]:
    found: list[object] = []
    for name, arguments in CALLS:
        try:
            found.append(instance.call(name, *arguments))
        except Stopped as stopped:
            found.append(f"fault {stopped.code}")
    return found


def test_the_two_ways_to_call_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    short = told(instance())
    monkeypatch.setattr("rulesdsl.engine.run.wasm.machine.caller", machine.public)
    assert told(instance()) == short
    assert short.count(f"fault {INDEX}") == 2
    assert short.count(f"fault {ZERO}") == 1
    assert short[-3:] == [-4, f"fault {ZERO}", 3]


@pytest.mark.parametrize("missing", ["wasmtime_val_raw_t", "dll"])
def test_without_what_is_private_the_public_call_is_used(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[wasmtime.Func] = []
    public = machine.public

    def noted(store: wasmtime.Store, function: wasmtime.Func) -> machine.Call:
        used.append(function)
        return public(store, function)

    expected = told(instance())
    monkeypatch.setattr(machine, "public", noted)
    assert told(instance()) == expected
    assert not used
    monkeypatch.delattr(ffi, missing)
    assert told(instance()) == expected
    assert len(used) == len({name for name, _ in CALLS})


# --- machines that share an instance -------------------------------------------------------------


def test_clones_go_on_by_themselves() -> None:
    one, other = machines()
    third = other.clone()
    assert [one.call("add", 5), other.call("add", 1), third.call("add", 2)] == [8, 4, 5]
    assert [each.tables["sum"][0] for each in (one, other, third, other.clone())] == [8, 4, 5, 4]
    one.tables["sum"][1] = 9
    assert [each.tables["sum"][:] for each in (one, other)] == [[8, 9], [4, 4]]


def test_what_is_kept_is_restored_wherever_the_machine_is() -> None:
    one, other = machines()
    one.call("add", 5)
    here = one.keep()
    one.call("add", 5)
    other.call("add", 1)
    away = one.keep()
    one.restore(here)
    assert one.tables["sum"][0] == 8
    other.call("add", 1)
    one.restore(away)
    assert [one.call("add", 0), other.call("add", 0)] == [13, 5]
    one.restore(here)
    assert [one.call("add", 0), one.clone().call("add", 0), other.call("add", 0)] == [8, 8, 5]


def test_a_fault_leaves_other_machines_alone() -> None:
    one, other = machines()
    kept = other.keep()
    with pytest.raises(Fault):
        one.call("add", 10**6)
    with pytest.raises(Fault):
        one.call("quotient", 1, 0)
    assert other.keep() == kept
    assert other.call("add", 1) == 4


def test_a_table_holds_what_it_can_hold() -> None:
    table = machines()[0].tables["sum"]
    for wrong in (-6, 100001, 2**32 + 1, 2**70, -(2**70)):
        with pytest.raises(OverflowError):
            table[0] = wrong
        with pytest.raises(OverflowError):
            table[:] = [1, wrong]
    assert table[:] == [3, 4]
    table[:] = (-5, 100000)
    assert list(table) == [-5, 100000]
    assert table == [-5, 100000]
    with pytest.raises(ValueError, match="structure"):
        table[:] = [1, 2, 3]
    with pytest.raises(IndexError):
        table[2] = 1
    with pytest.raises(IndexError):
        table[2]
    wide = machines()[0].tables["wide"]
    wide[1] = -(2**63)
    with pytest.raises(OverflowError):
        wide[1] = 2**63
    assert wide[:] == [0, -(2**63), 0]


def test_dropped_clones_leave_nothing_behind() -> None:
    one, other = machines()
    clones = [other.clone() for _ in range(1000)]
    assert [clone.call("add", number) for number, clone in enumerate(clones)] == [
        3 + number for number in range(1000)
    ]
    left = [ref(clone) for clone in clones]
    instances = ref(one.sharing.instance)
    clones.clear()
    assert not any(each() for each in left)
    assert [one.call("add", 0), other.call("add", 0)] == [3, 3]
    del one, other
    assert is_gone(instances)
