"""The runtime as a program of the IR: well formed, of bounded depth, and the same as in Python
with every check on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine import runtime
from rulesdsl.engine.ir.subset import read_functions
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime import draws, effects, faults, heap, likeness, places, tables
from rulesdsl.engine.runtime.declare import make_tables
from rulesdsl.language.model import ir
from tests.ir.evaluate import evaluate
from tests.ir.verify import verify
from tests.runtime.player import Player
from tests.runtime.twins import GAMES, TABLES, Twins, laid_out

FOLDER = Path(runtime.__file__).parent
DECLARATIONS = {"__init__", "declare", "faults", "slots", "tables"}
MODULES = {
    f"rulesdsl.engine.runtime.{path.stem}": path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.glob("*.py"))
    if path.stem not in DECLARATIONS
}
CONSTANTS = {
    name: value
    for module in (faults, faults, tables)
    for name, value in vars(module).items()
    if isinstance(value, int)
}
PAIRS = [(name, players) for name, counts in GAMES.items() for players in counts]


@cache
def program(name: str, players: int) -> ir.Program:
    """The runtime with the tables of a game."""
    _, dims, values = laid_out(name, players)
    functions = read_functions(MODULES, TABLES, CONSTANTS)
    return ir.Program(make_tables(TABLES, dims, values), functions, ())


@pytest.mark.parametrize(("name", "players"), PAIRS)
def test_the_core_is_well_formed(name: str, players: int) -> None:
    assert verify(program(name, players), faults.MESSAGES) == []


def called(node: object) -> Iterator[str]:
    """The functions that something of a program calls."""
    if isinstance(node, ir.Call):
        yield node.function
    if isinstance(node, tuple):
        for item in node:
            yield from called(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from called(getattr(node, field.name))


def test_no_function_of_the_core_calls_itself() -> None:
    functions = program("plain", 2).functions
    calls = {name: set(called(function.body)) for name, function in functions.items()}
    while leaves := {name for name, inner in calls.items() if not inner}:
        calls = {name: inner - leaves for name, inner in calls.items() if name not in leaves}
    assert functions
    assert calls == {}


class Checked:
    """Does things in Python, and in the evaluator on a copy of all tables."""

    def __init__(self, name: str, players: int, seed: int) -> None:
        self.program = program(name, players)
        self.twins = Twins(name, players)
        self.rng = Rng.seeded(seed)
        tables.rng[:] = self.rng.state
        tables.top[0] = -1
        player = Player(self.twins, self.rng)
        for _ in range(20):
            player.step()
        self.copies: dict[str, list[int]] = {}

    def same(self, function: object, *arguments: int) -> None:
        """The same result and the same tables."""
        name = getattr(function, "__name__", "")
        assert callable(function)
        for key, table in TABLES.items():
            if self.copies.get(key) != table:  # millions of entries stay as they are
                self.copies[key] = list(table)
        found = evaluate(self.program, self.copies, name, *arguments)
        assert found == function(*arguments)
        assert self.copies == TABLES


@pytest.mark.parametrize(("name", "players"), PAIRS)
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_the_core_does_the_same_with_every_check_on(name: str, players: int, seed: int) -> None:
    both = Checked(name, players, seed)
    zones = [zone for zone in range(tables.ZONES[0]) if tables.amount[zone] > 0]
    tables.resolves[0] = 1
    for zone in zones:
        both.same(draws.draw, draws.TAKE, zone)
        both.same(effects.shuffle_zone, zone)
        if tables.amount[zone] > 0:
            both.same(draws.take_open, zone)
    pieces = [piece.index for piece in both.twins.world.box.pieces]
    tables.moves[:20] = [n for row in range(10) for n in (row // 5, pieces[row % len(pieces)])]
    both.same(likeness.fuse, 0, 2, 10, likeness.PIECE)
    both.same(heap.begin)
    for _ in range(12):
        both.same(heap.insert, 0, both.rng.below(30))
    both.same(heap.pairs, 0)
    both.same(heap.put_sorted, 13)
    both.same(heap.union, 0, 13)
    both.same(places.start_all)
