"""Profiles: the work of the rules and of the runtime in random games, by function.

The unit of work is a node of the program, before any function is inlined. It takes a few processor
instructions and is counted exactly, so two runs give the same figures on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.box import SIMPLE_HEAD
from rich.table import Table

from rulesdsl.engine.ir.passes import trees
from rulesdsl.engine.lower import lower
from rulesdsl.engine.lower.plan import PLAYING
from rulesdsl.engine.run.wasm.machine import Instance
from rulesdsl.engine.run.wasm.printer import print_module
from rulesdsl.engine.run.wasm.program import compile_module
from rulesdsl.language.model import ir
from tools.bench.building import build_anew
from tools.bench.playing import LIMIT, PLAYERS, Setup

GAMES, SEED = 50, 1
SHOWN = 40
WORK, CALLS = "part_work", "part_calls"


@dataclass(frozen=True)
class Part:
    """A function, with its calls and its own work in an average game."""

    name: str
    calls: float
    work: float


def parts(setup: Setup, games: int = GAMES) -> list[Part]:
    """Return the parts of the same random games, those with the most work first."""
    players = setup.players or PLAYERS
    plan = lower(build_anew(setup.path, setup.expansions), players, False, entries=PLAYING)
    instance = Instance(compile_module(print_module(counting(plan.program))))
    games = min(games, instance.tables["BATCH"][0])
    instance.call("playouts", SEED, 0, 0, games, LIMIT)
    counts = (instance.tables[name] for name in (CALLS, WORK))
    counted = zip(plan.program.functions, *counts, strict=True)
    found = [Part(name, calls / games, work / games) for name, calls, work in counted if calls]
    return sorted(found, key=lambda part: -part.work)


def counting(program: ir.Program) -> ir.Program:
    """Return a program that counts the calls of each function, and the nodes that it evaluates."""
    size = len(program.functions)
    tables = {name: ir.Table(name, "scratch", size, 0, ir.LARGEST) for name in (WORK, CALLS)}
    functions = {
        name: replace(function, body=(_add(CALLS, number, 1), *_counted(function.body, number)))
        for number, (name, function) in enumerate(program.functions.items())
    }
    return replace(program, tables={**program.tables, **tables}, functions=functions)


def _counted(block: ir.Block, number: int) -> ir.Block:
    """Return a block that adds its nodes, without those of blocks inside, to the work so far."""
    found, nodes = list[ir.Stmt](), 0
    for statement in block:
        nodes += 1 + len(ir.nodes(_expressions(statement)))
        new = trees.map_statement(statement, lambda e: e, lambda inner: _counted(inner, number))
        found.append(new)
    return (_add(WORK, number, nodes), *found)


def _expressions(statement: ir.Stmt) -> Iterator[ir.Expr]:
    """Yield the expressions of a statement, in order."""
    found: list[ir.Expr] = []

    def see(expr: ir.Expr) -> ir.Expr:
        found.append(expr)
        return expr

    trees.map_statement(statement, see, lambda inner: inner)
    yield from found


def _add(table: str, number: int, amount: int) -> ir.Stmt:
    at = ir.Const(number)
    return ir.Store(table, at, ir.Binary("+", ir.Load(table, at), ir.Const(amount)))


def profile(setup: Setup) -> Table:
    """Return a table of the parts with the most work."""
    found = parts(setup)
    whole = sum(part.work for part in found)
    title = f"{setup.name}: {whole:,.0f} nodes a game"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("function", no_wrap=True)
    for name in ("share", "nodes a game", "calls a game"):
        table.add_column(name, justify="right", no_wrap=True)
    for part in found[:SHOWN]:
        share = f"{part.work / whole:.1%}"
        table.add_row(part.name, share, f"{part.work:,.0f}", f"{part.calls:,.0f}")
    return table
