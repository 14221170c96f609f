"""Reading the core's Python into functions of the IR.

The core (`rulesdsl/core/`) is written in a subset of typed Python that means the same as the IR:

- A module holds imports, constants (`NAME = 3`, also sums and the like of constants), a docstring,
  and functions whose parameters are annotated `int` or `bool` and whose result is `int`, `bool` or
  `None`. Function names are unique, but for those with an underscore; what a module uses of another
  one it imports, by name or as a module (`from rulesdsl.core import hooks`).
- Statements: assignments to a local or an entry of a table (plain, annotated, augmented), `if`,
  `while`, `for` over `range` of one or two numbers, `break`, `continue`, `pass`, `return`, calls,
  and `fault(CODE)`.
- Expressions: numbers, `True`, `False`, constants, locals, entries of tables, `+ - * // % & | ^ <<
  >>`, `-x`, `~x`, comparisons, `and`, `or`, `not`, `x if c else y`, `min` and `max` of two,
  `int(b)`, calls of core functions.

Conditions are bools; a bool where a number is meant counts as 1 or 0. A local has the type of what
it is given first in the text. A loop's variable is neither assigned in the loop nor read after it.
An entry is stored as in Python: the value is worked out before the index.

Functions of `core/hooks.py` are read like all others. They are what holds for a game without
rules: whoever lowers a game replaces them in the dict by functions of the same names.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from rulesdsl.ir.subset_code import (
    Meaning,
    Signature,
    SubsetError,
    TableName,
    read_function,
    statements,
)
from rulesdsl.model import ir

__all__ = ["Declared", "SubsetError", "make_tables", "read_core", "read_functions", "read_module"]


class Declared(Protocol):
    """A declared table; `size`, `low` and `high` are sums and products of dimensions and numbers,
    as in `"segments * 4"`."""

    role: ir.Role
    size: str
    low: str
    high: str


def read_core(
    modules: Mapping[str, str],
    tables: Mapping[str, Declared],
    dimensions: Mapping[str, int],
    values: Mapping[str, Sequence[int]],
    constants: Mapping[str, int],
) -> tuple[dict[str, ir.Function], dict[str, ir.Table]]:
    """The functions and tables of a core, by name: see `read_functions` and `make_tables`."""
    return read_functions(modules, tables, constants), make_tables(tables, dimensions, values)


def make_tables(
    tables: Mapping[str, Declared],
    dimensions: Mapping[str, int],
    values: Mapping[str, Sequence[int]],
) -> dict[str, ir.Table]:
    """The tables of a core as large as these dimensions say. Each const table has the values
    given, and what they range over for its bounds; all others begin with zeros."""
    found = {}
    for name, table in tables.items():
        size, low, high = (
            _constant(ast.parse(text, name, "eval").body, dimensions, name)
            for text in (table.size, table.low, table.high)
        )
        entries: tuple[int, ...] = ()
        if table.role == "const":
            entries = tuple(values[name])
            if len(entries) != size:
                raise ValueError(f"{name} has {len(entries)} values, not {size}")
            if entries and not low <= min(entries) <= max(entries) <= high:
                raise ValueError(f"{name} has values outside of {low}..{high}")
            low, high = min(entries, default=low), max(entries, default=high)
        else:
            # Of what a game has none of, even the empty tables begin with zeros.
            low, high = min(low, 0), max(high, 0)
        found[name] = ir.Table(name, table.role, size, low, high, entries)
    return found


def read_functions(
    modules: Mapping[str, str], tables: Collection[str], constants: Mapping[str, int]
) -> dict[str, ir.Function]:
    """The functions of modules given as name and source. `tables` and `constants` are names that
    they may import from modules that are not among them."""
    trees = {name: _parse(source, name) for name, source in modules.items()}
    outside: dict[str, Meaning] = {**constants, **{key: TableName(key) for key in tables}}
    numbers: dict[str, Mapping[str, int]] = {}
    exports: dict[str, Mapping[str, Meaning]] = {}
    homes: dict[str, str] = {}
    for name, tree in trees.items():
        functions = _signatures(tree, name)
        exports[name] = {**_module_constants(name, trees, constants, numbers), **functions}
        for function in functions.values():
            home = homes.setdefault(function.name, name)
            if home != name:
                raise SubsetError(name, 1, f"{home} has a function {function.name} as well")
    found = {}
    for name, tree in trees.items():
        found.update(_read_tree(tree, name, outside, exports))
    return found


def read_module(
    source: str, name: str, constants: Mapping[str, int], tables: Collection[str]
) -> dict[str, ir.Function]:
    """The functions of one module that calls only its own."""
    return read_functions({name: source}, tables, constants)


def _parse(source: str, name: str) -> ast.Module:
    try:
        return ast.parse(source, name)
    except SyntaxError as error:
        raise SubsetError(name, error.lineno or 1, error.msg) from None


def _signatures(tree: ast.Module, name: str) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if node.name in found:
                raise SubsetError(name, node.lineno, f"a second function {node.name}")
            found[node.name] = Signature.of(node, name)
    return found


def _module_constants(
    name: str,
    trees: Mapping[str, ast.Module],
    outside: Mapping[str, int],
    known: dict[str, Mapping[str, int]],
) -> Mapping[str, int]:
    """The constants of a module, those of the modules it imports first."""
    if name in known:
        return known[name]
    found: dict[str, int] = {}
    known[name] = found
    for node in trees[name].body:
        if isinstance(node, ast.ImportFrom):
            source = outside
            if node.module in trees and isinstance(node.module, str):
                source = _module_constants(node.module, trees, outside, known)
            for alias in node.names:
                if alias.name in source:
                    found[alias.asname or alias.name] = source[alias.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
                raise SubsetError(name, node.lineno, "a module assigns constants only")
            found[targets[0].id] = _constant(node.value, found, name)
    return found


def _read_tree(
    tree: ast.Module,
    name: str,
    outside: Mapping[str, Meaning],
    exports: Mapping[str, Mapping[str, Meaning]],
) -> dict[str, ir.Function]:
    """The functions of a module. `exports` has the names of each module that is read, `outside`
    those of all others."""
    names: dict[str, Meaning] = dict(exports[name])
    for node in statements(tree.body):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            source = exports.get(node.module, outside)
            for alias in node.names:
                own = alias.asname or alias.name
                if f"{node.module}.{alias.name}" in exports:
                    names[own] = exports[f"{node.module}.{alias.name}"]
                elif alias.name in source:
                    names[own] = source[alias.name]
                elif node.module in exports:
                    raise SubsetError(
                        name, node.lineno, f"there is no {alias.name} in {node.module}"
                    )
    found = {}
    for statement in tree.body:
        match statement:
            case ast.FunctionDef():
                function = read_function(statement, names, name)
                found[function.name] = function
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.ImportFrom() | ast.Import() | ast.Assign() | ast.AnnAssign():
                pass
            case _:
                raise SubsetError(name, statement.lineno, "not in the subset, at module level")
    return found


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def _constant(node: ast.expr, names: Mapping[str, int], file: str) -> int:
    """What a constant expression is."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_constant(operand, names, file)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return ~_constant(operand, names, file)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_constant(left, names, file), _constant(right, names, file))
    raise SubsetError(file, node.lineno, f"not a constant number: {ast.unparse(node)}")
