"""The table of what each form of rules touches, recorded from lowered programs.

A traced program calls a function at every expression and statement of the rules. What it loads and
stores between two such calls belongs to the innermost one that has begun; functions of the runtime
count with all that they call.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory

from rulesdsl.engine.build.stages import build
from rulesdsl.engine.lower.plan import Plan
from rulesdsl.engine.lower.program import core_functions, lower_rules
from rulesdsl.engine.lower.tracing import TRACE, TracePoints
from rulesdsl.engine.runtime import hooks
from rulesdsl.engine.runtime.tables import TABLES
from rulesdsl.language.builtins import FUNCTIONS, PROPERTIES
from rulesdsl.language.check.conflicts.touched import Touched, forms
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir, types
from tools.environment import ROOT

TABLE = ROOT / "rulesdsl" / "language" / "check" / "conflicts" / "touched.json"

MACHINE = "machine"
"""The column of tables in which each routine has a part of its own, and of what bounds all."""
STATES = "states"
"""The column of the tables of the states of the rules."""

_BEGINS = ("statement", "call", "moves", "option", "row", "part")
"""What a traced program says where another statement, or part of a callable, begins."""

_Function = tuple[str, tuple[tuple[str, int], ...]]
"""A function, with those of its parameters that are constants in a call."""


class Record:
    """What the nodes of a game touch, and what the functions of its rules do beside them."""

    def __init__(self, game: tree.Checked) -> None:
        points = TracePoints()
        plan = lower_rules(game, min(game.game.numbers), tracing=points)
        self._points = points.points
        self._tables = plan.program.tables
        self._functions = {**core_functions(), **plan.program.functions}
        self.rules = set(_functions_of_rules(plan))
        self._depths = {name for (what, _), name in plan.names.items() if what == "depth"}
        self._closed: dict[_Function, Touched] = {}
        self.nodes: dict[int, tree.Node] = {}
        self._own: dict[int, list[ir.Node]] = {}
        self.beside: dict[str, list[ir.Node]] = {}
        """The code of each function that belongs to no node."""
        for function in plan.program.functions.values():
            self._open: list[tree.Node | str] = [function.name]
            self._block(function.body)
            assert self._open == [function.name], f"{function.name} leaves expressions open"

    def of(self, node: tree.Node) -> Touched:
        """Return what a node touches itself."""
        return self._touched(self._own.get(id(node), ()), {})

    def beside_of(self, name: str) -> Touched:
        """Return what a function touches that belongs to no node."""
        return self._touched(self.beside.get(name, ()), {})

    # --- which code belongs to which node ------------------------------------------------------

    def _block(self, block: ir.Block) -> None:
        own = self._open[-1]
        for statement in block:
            self._statement(statement)
        self._open[-1] = own

    def _statement(self, statement: ir.Stmt) -> None:
        match statement:
            case ir.Do(ir.Call(name, (ir.Const(number), value))) if name == TRACE:
                self._point(number, value)
            case ir.Assign(value=ir.Call(name, (ir.Const(number), value))) if name == TRACE:
                self._point(number, value)
            case ir.If():
                self._note(statement.condition)
                self._block(statement.then)
                self._block(statement.otherwise)
            case ir.While():
                self._note(statement.condition)
                self._block(statement.body)
            case ir.For():
                self._note(statement.low, statement.high)
                self._block(statement.body)
            case _:
                self._note(statement)

    def _point(self, number: int, value: ir.Expr) -> None:
        point = self._points[number]
        self._note(value)
        if point.what == "begin":
            self._open.append(point.node)
        elif point.what == "end":
            ended = self._open.pop()
            assert ended is point.node, "expressions end in the order in which they began"
        elif point.what in _BEGINS and isinstance(point.node, tree.Node):
            self._open[-1] = point.node

    def _note(self, *code: ir.Node) -> None:
        own = self._open[-1]
        if isinstance(own, str):
            self.beside.setdefault(own, []).extend(code)
        else:
            self.nodes[id(own)] = own
            self._own.setdefault(id(own), []).extend(code)

    # --- what code touches ---------------------------------------------------------------------

    def _touched(self, code: Iterable[ir.Node], given: Mapping[str, int]) -> Touched:
        loads, stores = set[str](), set[str]()
        found = Touched()
        for node in _nodes(code, given):
            match node:
                case ir.Load(table):
                    loads |= self._columns(table)
                case ir.Store(table):
                    stores |= self._columns(table)
                case ir.Call():
                    found |= self._called(node, given)
        return found | Touched(frozenset(loads), frozenset(stores))

    def _called(self, call: ir.Call, given: Mapping[str, int]) -> Touched:
        if call.function in self.rules or call.function == TRACE:
            return Touched()
        function = self._functions[call.function]
        constants = []
        for (name, _), each in zip(function.params, call.arguments, strict=True):
            match each:
                case ir.Const(value):
                    constants.append((name, value))
                case ir.Local(local) if local in given:
                    constants.append((name, given[local]))
        key = call.function, tuple(constants)
        if key not in self._closed:
            self._closed[key] = Touched()  # while it is being computed, as it may call itself
            before = Touched(frozenset("?"))
            while before != self._closed[key]:
                before = self._closed[key]
                self._closed[key] |= self._touched(function.body, dict(constants))
        return self._closed[key]

    def _columns(self, name: str) -> set[str]:
        column = TABLES[name].column if name in TABLES else ""
        if not column and self._tables[name].role == "state":
            column = MACHINE if name in self._depths else STATES
        return {column} - {"", MACHINE}


def _nodes(code: Iterable[ir.Node], given: Mapping[str, int]) -> Iterator[ir.Node]:
    """Yield all nodes of code, without branches for other values of what is given."""
    for node in code:
        match node:
            case ir.If(condition=ir.Compare("==", ir.Local(name), ir.Const(value))) if (
                name in given
            ):
                yield from _nodes(node.then if given[name] == value else node.otherwise, given)
            case _:
                yield node
                yield from _nodes(ir.parts(node), given)


_CONTINUES = (
    hooks.begin_game,
    hooks.begin_finish,
    hooks.begin_option,
    hooks.list_moves,
    hooks.step,
)
_OF_STATES = ("get", "set", "find_row", "make_row")


def _functions_of_rules(plan: Plan) -> Iterator[str]:
    """Yield the functions of callables, whose effects are found through the rules that call them.

    All others of a game's functions are parts of the runtime that were made for it.
    """
    runtime = set(vars(hooks)) - {each.__name__ for each in _CONTINUES}
    runtime |= {name for (what, _), name in plan.names.items() if what in _OF_STATES}
    yield from (name for name in plan.program.functions if name not in runtime)


# --- the sheet -----------------------------------------------------------------------------------

_TYPES = [
    "tile",
    "card",
    "die",
    "token",
    "figure",
    "piece",
    "zone",
    "cell",
    "grid",
    "placement",
    "segment",
    "feature",
    "space",
]
_FOR_ANY = re.compile(r"\bT\b|(?<=_)T(?=\b|_)")


def recorded() -> dict[str, Touched]:
    """Return what every form touches, from the sheet and from a call of each builtin."""
    record = Record(sheet())
    found = dict[str, Touched]()
    nodes = ((list(forms(node)), record.of(node)) for node in record.nodes.values())
    for named, own in sorted(nodes, key=lambda each: len(each[0])):
        # What a node with one form touches explains the same of a node with several.
        known = reduce(or_, (found.get(form, Touched()) for form in named), Touched())
        more = own if len(named) == 1 or not own <= known else Touched()
        for form in named:
            found[form] = found.get(form, Touched()) | more
    return found


def text(found: Mapping[str, Touched]) -> str:
    """Return a table of forms as its file, by what they touch."""
    rows = defaultdict[str, list[str]](list)
    for form, each in sorted(found.items()):
        rows[" / ".join(" ".join(sorted(part)) for part in (each.loads, each.stores))].append(form)
    return json.dumps({each: "; ".join(rows[each]) for each in sorted(rows)}, indent=1) + "\n"


def sheet() -> tree.Checked:
    """Return the game of the sheet, with a value for every signature of a builtin."""
    here = Path(__file__).parent
    every = (here / "each.rules").read_text(encoding="utf-8").splitlines()
    with TemporaryDirectory() as folder:
        shutil.copy(here / "sheet.yaml", folder)
        rules = [(here / "sheet.rules").read_text(encoding="utf-8")]
        for name in _TYPES:
            # A subset cannot hold features.
            lines = (each for each in every if name != "feature" or "subsets" not in each)
            rules += (_FOR_ANY.sub(name, line) for line in lines)
        (Path(folder) / "sheet.rules").write_text("\n".join(rules), encoding="utf-8")
        report = Report()
        game = build(Path(folder) / "sheet.yaml", report=report)
    assert game is not None, report.sorted()
    values = {value.key: value for value in _builtins(game)}
    return replace(game, values={**game.values, **values})


def _builtins(game: tree.Checked) -> Iterator[tree.ValueDef]:
    rows = [(name, each) for name, row in FUNCTIONS.items() for each in row.signatures]
    rows += [(name, each.signature()) for name, several in PROPERTIES.items() for each in several]
    span, enum = game.game.roles.span, types.EnumType("sheet/ware")
    for number, (name, signature) in enumerate(rows):
        params, result = (
            tuple(enum if each == types.ANY else each for each in found)
            for found in (signature.params, (signature.result,))
        )
        given = tuple(tree.Local(span, type_, f"p{i}") for i, type_ in enumerate(params))
        call = tree.CallBuiltin(span, result[0], name, given)
        rule = tree.Rule(
            span, "sheet", "base", tuple(e.name for e in given), None, (tree.Return(span, call),)
        )
        named = tuple(tree.Parameter(each.name, each.type) for each in given)
        yield tree.ValueDef(span, f"sheet/{name}_{number}", named, result[0], "unique", (rule,))
