"""What a module can do: nothing but count in a memory of its own, and stop."""

from __future__ import annotations

import gc
from collections.abc import Callable
from threading import Thread

import pytest
import wasmtime

from rulesdsl.engine.run.machine import Stopped
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.wasm.binary import PAGE, Op
from rulesdsl.engine.run.wasm.engine import ENGINE as wasm
from rulesdsl.engine.run.wasm.machine import Instance, WasmMachine
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import WasmProgram, compile_module
from rulesdsl.engine.runtime.faults import INDEX, OVERFLOW, TOO_DEEP, ZERO
from tests.engines.machine_games import game as small
from tests.engines.printed.placed import at, placed, rules
from tests.ir.reading import read_program
from tests.rulesets.shipped import game

FILE = rules("wild.rules")
WILD = placed(
    """\
entries fall, deep, quotient, entry, wide

state kept[3] from 0 to 9 = 4 5 6
state numbers[2] from -9223372036854775808 to 9223372036854775807

function fall(n: int) -> int:
    kept[0] = 1
    return fall(n + 1) + 1

function deep(n: int) -> int:
    return deep(n - 1) + 1 if n > 0 else 0

function quotient(a: int, b: int) -> int:
    return a // b

function entry(index: int) -> int:
    return kept[index]

function wide(n: int):
    numbers[1] = n
""",
    {"fall": [None, at(FILE, 3), at(FILE, 4)], "quotient": [None, at(FILE, 7)]},
)


def wild() -> WasmProgram:
    return compile_module(print_module(WILD))


def fault_of(instance: Instance, name: str, *arguments: int) -> Stopped:
    with pytest.raises(Stopped) as caught:
        instance.call(name, *arguments)
    return caught.value


def in_a_thread(act: Callable[[], object]) -> object:
    """What is given in another thread."""
    given: list[object] = []
    thread = Thread(target=lambda: given.append(act()))
    thread.start()
    thread.join(60)
    assert given, "the thread has failed"
    return given[0]


# --- what there is in a module -------------------------------------------------------------------


def modules() -> list[wasmtime.Module]:
    """Those of some games."""
    found = [wild().module]
    for name in ("base", "dice_game"):
        position = wasm.start(game(name).checked, 2, 1)
        assert isinstance(position, LoweredPosition)
        machine = position._machine
        assert isinstance(machine, WasmMachine)
        found.append(machine.sharing.instance.program.module)
    return found


def test_a_module_imports_nothing_and_cannot_grow_its_memory() -> None:
    for module in modules():
        assert module.imports == []
        (memory,) = [e.type for e in module.exports if isinstance(e.type, wasmtime.MemoryType)]
        assert not memory.is_64
        kinds = {type(export.type) for export in module.exports}
        assert kinds == {wasmtime.MemoryType, wasmtime.GlobalType, wasmtime.FuncType}


def test_there_is_no_instruction_that_grows_a_memory() -> None:
    assert 0x40 not in {int(op) for op in Op}
    before = len(Instance(wild()).memory)
    assert len(Instance(wild(), 1).memory) == before + PAGE


def test_a_program_without_tables_needs_no_memory() -> None:
    program = read_program("entries f\nfunction f(n: int) -> int:\n    return n + 1\n")
    instance = Instance(compile_module(print_module(program)))
    assert instance.call("f", 4) == 5
    assert instance.tables == {}
    assert len(instance.memory) == 0


def test_a_memory_is_there_for_as_long_as_somebody_looks_at_it() -> None:
    tables = Instance(wild()).tables
    gc.collect(1)  # the instance is young; all others together take seconds
    Instance(wild()).call("wide", 1)
    assert [table.tolist() for table in tables.values()] == [[0, 0], [4, 5, 6]]


# --- what stops it -------------------------------------------------------------------------------


def test_calls_without_end_are_a_fault() -> None:
    instance = Instance(wild())
    for _ in range(3):
        stopped = fault_of(instance, "fall", 0)
        assert stopped.code == TOO_DEEP
        assert stopped.where == ("wild.rules", at(FILE, 4).start, at(FILE, 4).end)
    assert instance.tables["kept"].tolist() == [1, 5, 6]
    assert instance.call("deep", 1000) == 1000


def test_so_they_are_in_other_threads() -> None:
    def fall() -> int:
        return fault_of(Instance(wild()), "fall", 0).code

    assert [in_a_thread(fall) for _ in range(3)] == [TOO_DEEP] * 3


def deep_in_python(depth: int, act: Callable[[], object]) -> object:
    return deep_in_python(depth - 1, act) if depth else act()


def test_so_they_are_deep_within_calls_of_python() -> None:
    instance = Instance(wild())
    found = deep_in_python(400, lambda: fault_of(instance, "fall", 0).code)
    assert found == TOO_DEEP


def test_every_fault_of_the_machine_has_its_code() -> None:
    instance = Instance(wild())
    assert fault_of(instance, "quotient", 1, 0).code == ZERO
    assert fault_of(instance, "entry", 3).code == INDEX
    # No program does this, and the code of the fault before is not its.
    assert fault_of(instance, "quotient", -(2**63), -1).code == OVERFLOW
    assert fault_of(instance, "save", -1).code == INDEX
    assert instance.call("quotient", 7, 2) == 3


def test_rules_may_go_as_deep_as_the_language_lets_them() -> None:
    """An action of a hundred locals, 320 times in itself: with what is around each, that is nearly
    the limit."""
    kept = "".join(f"    let a{i} = n * {i + 2}\n" for i in range(100))
    used = "".join(f"        if k == {-i - 5}: return a{i}\n" for i in range(100))
    checked = small(
        "action game():\n    let deepest = down(320)\n    note(deepest)\n    end_game(players)\n"
        f"action down(n: int) -> int recursive up to 330:\n{kept}    if n > 0:\n"
        f"        let k = down(n - 1)\n{used}        return k + 1\n    return 0\n"
    )
    played = [wasm.start(checked, 2, 1).canonical(), python.start(checked, 2, 1).canonical()]
    played.append(str(in_a_thread(lambda: wasm.start(checked, 2, 1).canonical())))
    assert len(set(played)) == 1
    assert "320" in played[0]
