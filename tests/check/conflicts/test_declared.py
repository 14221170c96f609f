"""What builtins and statements are known to read and write covers what their lowered code does.

The code is that of the program, followed through everything it calls. It must load and store no
table of the state that the effects of the rule do not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
import yaml

from rulesdsl.engine.lower.program import lower
from rulesdsl.engine.lower.tables.encoding import none_of
from rulesdsl.engine.runtime.tables import TABLES
from rulesdsl.language import builtins
from rulesdsl.language.check.conflicts.effects import SAID, Column, Effects, EffectTable
from rulesdsl.language.check.conflicts.hooks import of_result
from rulesdsl.language.check.graph import contents
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.tables import Table
from rulesdsl.language.model.types import ANY, INT, Type
from tests.check.conflicts.fair import fair
from tests.engines.worlds import plain
from tests.lower.test_builtins import Call, answers, calls

DECLARED = yaml.safe_load(Path(__file__).with_name("declared.yaml").read_text(encoding="utf-8"))
PARTS: Mapping[str, Mapping[str, str | None]] = {
    name: DECLARED["columns"][table.column] for name, table in TABLES.items() if table.column
}
"""The rows for the tables of the runtime that are part of a column."""


def test_every_table_of_the_state_is_part_of_a_column() -> None:
    state = {name for name, table in TABLES.items() if table.role == "state"}
    assert state <= PARTS.keys()
    assert {table.column for table in TABLES.values()} - {""} == DECLARED["columns"].keys()


# --- what code touches ---------------------------------------------------------------------------

Given = tuple[tuple[str, int], ...]
"""The parameters of a function that are constants in a call."""


def nodes(thing: object, given: Mapping[str, int]) -> Iterator[object]:
    """All nodes of code, without branches for other values of what is given."""
    match thing:
        case ir.If(condition=ir.Compare("==", ir.Local(name), ir.Const(value))) if name in given:
            yield from nodes(thing.then if given[name] == value else thing.otherwise, given)
            return
        case tuple():
            for item in thing:
                yield from nodes(item, given)
            return
    yield thing
    if is_dataclass(thing):
        for each in fields(thing):
            yield from nodes(getattr(thing, each.name), given)


def called(program: ir.Program, call: ir.Call, given: Mapping[str, int]) -> tuple[str, Given]:
    """The function of a call, and which of its parameters are constants there."""
    found = list[tuple[str, int]]()
    for (name, _), each in zip(
        program.functions[call.function].params, call.arguments, strict=True
    ):
        match each:
            case ir.Const(value):
                found.append((name, value))
            case ir.Local(local) if local in given:
                found.append((name, given[local]))
    return call.function, tuple(found)


def touched(program: ir.Program, names: Iterable[str]) -> tuple[set[str], set[str], set[str]]:
    """The tables that functions load and store, with all that they call, and what they call."""
    loads, stores, seen = set[str](), set[str](), set[tuple[str, Given]]()
    waiting: list[tuple[str, Given]] = [(name, ()) for name in names]
    assert waiting
    while waiting:
        one = name, given = waiting.pop()
        if one not in seen:
            seen.add(one)
            for node in nodes(program.functions[name].body, dict(given)):
                match node:
                    case ir.Load(table):
                        loads.add(table)
                    case ir.Store(table):
                        stores.add(table)
                    case ir.Call():
                        waiting.append(called(program, node, dict(given)))
    return loads, stores, {name for name, _ in seen}


def missing(
    effects: Effects, loads: Iterable[str], stores: Iterable[str], tables: Mapping[str, Table]
) -> list[str]:
    """What code does with the tables of the state that its effects do not name."""
    changed = {c.name for c in effects.writes | effects.added}
    used = {c.name for c in effects.reads} | changed
    lacks = [("reads", t) for t in loads if not within(t, used, "of")]
    lacks += [("writes", t) for t in stores if not within(t, changed, "stored")]
    return [told(how, t) for how, t in sorted(lacks) if tables[t].role == "state"]


def told(how: str, table: str) -> str:
    return f"{how} {table} of `{PARTS.get(table, {}).get('of')}`"


def within(table: str, columns: set[str], how: str) -> bool:
    """Whether one of the columns is that of a table: a state's table is named like it."""
    if table in PARTS:
        expected = PARTS[table].get(how, PARTS[table]["of"])
        return expected is None or any(re.match(expected, column) for column in columns)
    keys = (column.partition("/")[2] for column in columns)
    return table in {"state_" + key.replace(".", "_") for key in keys}


# --- functions and properties --------------------------------------------------------------------


@cache
def effects_of_plain() -> EffectTable:
    empty = Checked(plain(), {}, {}, {}, {}, (), "", "", "")
    return EffectTable(empty, contents(empty))


@pytest.mark.parametrize("call", calls(), ids=str)
def test_functions_and_properties(call: Call) -> None:
    builtin, params, result = call
    span = plain().roles.span
    given = tuple(tree.Local(span, type_, f"p{i}") for i, type_ in enumerate(params))
    node = tree.CallBuiltin(span, result, builtin, given)
    effects = effects_of_plain().of(node, tuple(each.name for each in given))
    program = answers().program
    loads, stores, _ = touched(program, [answers().functions[call]])
    assert missing(effects, loads, stores, program.tables) == []


# --- effects and statements ----------------------------------------------------------------------

GAMES = {
    name: ("\n".join(rules), re.findall(r"^(?:step )?action (\w+)", "\n".join(rules), re.MULTILINE))
    for name, rules in DECLARED["rules"].items()
}
"""The rules of each game, and the names of the actions in them."""
NAMES = [(game, name) for game, (_, names) in GAMES.items() for name in names]


@cache
def probes(name: str) -> tuple[Checked, EffectTable, ir.Program]:
    """The actions of some rules in one game."""
    made = fair({"east": (DECLARED["manifest"], GAMES[name][0])})
    assert made.checked is not None, [found.message for found in made.report]
    table = EffectTable(made.checked, contents(made.checked))
    return made.checked, table, lower(made.checked, 2, optimised=False).program


def called_by(action: tree.ActionDef) -> Iterable[tree.ActionCall]:
    return tree.Nodes(action).of(tree.ActionCall)


@pytest.mark.parametrize(("rules", "name"), NAMES)
def test_effects_and_statements(rules: str, name: str) -> None:
    game, table, program = probes(rules)
    action = game.actions[f"east/{name}"]
    asked = tree.Nodes(action).of(tree.ChoiceCall)
    effects = table.of(action, tuple(param.name for param in action.params), inside=action.step)
    names = [name, *(call.choice.rpartition("/")[2] for call in asked)]
    own = [f for f in program.functions if re.fullmatch(rf"[a-z_]+?_({'|'.join(names)})(_\d)?", f)]
    if not action.step and any(game.actions[c.action].step for c in called_by(action)):
        own += [f for f in program.functions if re.match(r"settle_|[a-z]+_always_", f)]
    loads, stores, called = touched(program, own)
    harmless = {
        told(how, table)
        for row in DECLARED["harmless"]
        if name in row["in"]
        for how, tables in row["does"].items()
        for table in tables
    }
    found = missing(effects, loads, stores, program.tables)
    assert [each for each in found if each not in harmless] == []
    assert harmless <= set(found)
    says = Column(SAID) in effects.writes or action.said
    assert bool(says) == ("note_line" in called)


def written(call: tree.EffectCall) -> Iterator[Type]:
    """The types of what a call names in the rules: what it tells stands for whose that is."""
    for number, each in enumerate(call.arguments):
        yield call.told.type if call.told is not None and number == 0 else each.type


def word(type_: Type) -> str:
    return "enum" if type_ == ANY else builtins.word(type_)


def test_every_effect_and_call_has_a_rule() -> None:
    game, _, _ = probes("plain")
    found = tree.Nodes(tuple(game.actions[f"east/{name}"] for name in GAMES["plain"][1]))
    for name, row in builtins.EFFECTS.items():
        made = [call for call in found.of(tree.EffectCall) if call.effect == name]
        given = {tuple(map(word, written(call))) for call in made}
        assert given >= {tuple(map(word, each.params)) for each in row.signatures}, name
    assert [cls for cls in get_args(tree.Call) if not found.of(cls)] == []
    assert {change.operator for change in found.of(tree.SetState)} == {"=", "+=", "-="}


# --- results of hooked code ----------------------------------------------------------------------

RESULTS = """
action priced(p: player) -> int: return 1
choice picked(p: player) by p -> int:
    option one: return 1
    option two: return 2
action calling(p: player):
    let one = priced(p)
    let two = picked(p)
    p.score += one + two
action saying(p: player): nothing
after trade(p): calling(p)
"""


def result_uses(function: ir.Function) -> list[str]:
    """What the function of an `around` does with the result of the code inside."""
    found = list(nodes(function.body, {}))
    stored: dict[object, list[ir.Expr]] = {}
    for each in found:
        match each:
            case ir.Assign(name, value):
                stored.setdefault(name, []).append(value)
            case ir.Store(table, index, value):
                stored.setdefault(("result",) if table == "result" else (table, index), []).append(
                    value
                )

    def passes(value: object) -> bool:
        match value:
            case ir.Load("result"):
                return True
            case ir.Load(table, index):
                return (table, index) in copies
            case ir.Local(name):
                return name in copies
        return False

    begun = ir.Const(none_of(INT))
    copies = {place for place, values in stored.items() if {*values} != {begun}} - {("result",)}
    while others := {
        each for each in copies if not all(v == begun or passes(v) for v in stored[each])
    }:
        copies -= others
    ends = {(v.table, v.index) for v in stored[("result",)] if isinstance(v, ir.Load)}
    copied = sum(
        passes(v) for place in {*copies, *ends, ("result",)} for v in stored.get(place, ())
    )
    reads = sum(map(passes, found)) > copied
    writes = not all(map(passes, stored[("result",)]))
    return ["reads"] * reads + ["writes"] * writes


@pytest.mark.parametrize("row", DECLARED["results"], ids=lambda row: "; ".join(row["body"]))
def test_results_of_hooked_code(row: Mapping[str, list[str]]) -> None:
    body = "".join(f"    {line}\n" for line in row["body"])
    arounds = [f"around {target}(p):\n{body}" for target in ("priced", "picked")]
    made = fair({"east": (DECLARED["manifest"], RESULTS + "".join(arounds))})
    game = made.checked
    assert game is not None, [found.message for found in made.report]
    program = lower(game, 2, optimised=False).program
    hooks = (*game.actions["east/priced"].hooks.arounds, *game.choices["east/picked"].hooks.arounds)
    for name, hook in zip(("action_priced", "choice_picked"), hooks, strict=True):
        assert result_uses(program.functions[f"run_{name}"]) == row["does"]
        effects = of_result(hook.body)
        known = {"reads": effects.reads, "writes": effects.writes}
        assert [how for how, columns in known.items() if columns] == row["does"]
