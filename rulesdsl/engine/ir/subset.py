"""A reader that translates the runtime's Python into functions of the IR.

The runtime (`runtime/`) is written in a typed subset of Python with the meaning of the IR:

- A module holds imports, constants (`NAME = 3`, also sums and the like of constants), a docstring,
  and functions whose parameters are annotated `int` or `bool` and whose result is `int`, `bool` or
  `None`. Function names are unique, but for those with an underscore; what a module uses of another
  one it imports, by name or as a module (`from rulesdsl.engine.runtime import hooks`). Of
  `runtime/tables.py` it may import everything (`*`).
- Statements: assignments to a local or an entry of a table (plain, annotated, augmented), `if`,
  `while`, `for` over `range` of one or two numbers, `break`, `continue`, `pass`, `return`, calls,
  `fault(CODE)`, and `enter_row(number)`, `save_state(slot)` and `load_state(slot)` of
  `runtime/tables.py`.
- Expressions: numbers, `True`, `False`, constants, locals, entries of tables, `+ - * // % & | ^ <<
  >>`, `-x`, `~x`, comparisons, `and`, `or`, `not`, `x if c else y`, `min` and `max` of two,
  `int(b)`, calls of functions of the runtime.

Conditions are bools; a bool where a number is meant counts as 1 or 0. A local has the type of what
it is given first in the text. A loop's variable is neither assigned in the loop nor read after it.
An entry is stored as in Python: the value is worked out before the index.

Functions of `runtime/hooks.py` are read like all others. They are for a game without rules:
compiling a game replaces them in the dict by functions of the same names.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NoReturn

from rulesdsl.base.records import dataclass
from rulesdsl.language.model import ir


class SubsetError(Exception):
    """A module of the runtime that is not in the subset; the text begins with module and line."""

    def __init__(self, module: str, line: int, message: str) -> None:
        super().__init__(f"{module}:{line}: {message}")
        self.module = module
        self.line = line


@dataclass(frozen=True)
class TableName:
    """A name that means a table."""

    name: str


@dataclass(frozen=True)
class Signature:
    """A name that means a function.

    `name` is its name in the IR, where functions with an underscore have the name of their module
    before them.
    """

    name: str
    params: tuple[tuple[str, ir.Kind], ...]
    result: ir.Kind | None

    @staticmethod
    def of(node: ast.FunctionDef, module: str) -> Signature:
        """Return the signature of a definition."""
        given = node.args
        if node.decorator_list or given.posonlyargs or given.kwonlyargs or given.vararg:
            raise SubsetError(module, node.lineno, "only plain functions are in the subset")
        if given.kwarg or given.defaults:
            raise SubsetError(module, node.lineno, "parameters have no defaults in the subset")
        params = tuple((arg.arg, _kind(arg.annotation, arg.lineno, module)) for arg in given.args)
        stem = module.rpartition(".")[2]
        name = f"_{stem}{node.name}" if node.name.startswith("_") else node.name
        result = node.returns
        if isinstance(result, ast.Constant) and result.value is None:
            return Signature(name, params, None)
        return Signature(name, params, _kind(result, node.lineno, module))


Meaning = int | TableName | Signature | Mapping[str, "Meaning"]
"""The meaning of a name in a module; a mapping is a module."""

Typed = tuple[ir.Expr, ir.Kind]

_BINARY: dict[type[ast.operator], ir.BinaryOp] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARE: dict[type[ast.cmpop], ir.CompareOp] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def read_function(node: ast.FunctionDef, names: Mapping[str, Meaning], module: str) -> ir.Function:
    """Return a definition as a function of the IR.

    `names` are those of its module.
    """
    signature = Signature.of(node, module)
    own = frozenset(_assigned(node.body)) | {arg.arg for arg in node.args.args}
    code = _Code(signature, names, module, own)
    doc = ast.get_docstring(node) or ""
    body = code.block(node.body[1:] if doc else node.body)
    params = dict(signature.params)
    found = tuple((name, kind) for name, kind in code.kinds.items() if name not in params)
    return ir.Function(signature.name, signature.params, signature.result, body, found, doc)


def _kind(annotation: ast.expr | None, line: int, module: str) -> ir.Kind:
    match annotation:
        case ast.Name(id="int"):
            return "int"
        case ast.Name(id="bool"):
            return "bool"
    raise SubsetError(module, line, "annotated neither int nor bool")


def statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements of a block and of the blocks in it.

    Expressions, which are most of a tree, are not visited.
    """
    for node in block:
        yield node
        for inner in (getattr(node, "body", ()), getattr(node, "orelse", ())):
            yield from statements(inner)


def _assigned(block: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements assign, which hide those of the module."""
    for node in statements(block):
        match node:
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case (
                ast.AnnAssign(target=ast.Name(id=name))
                | ast.AugAssign(target=ast.Name(id=name))
                | ast.For(target=ast.Name(id=name))
            ):
                yield name


class _Code:
    """The translator of the statements and expressions of one function."""

    def __init__(
        self,
        signature: Signature,
        names: Mapping[str, Meaning],
        module: str,
        own: frozenset[str],
    ) -> None:
        self.result = signature.result
        self.names = names
        self.module = module
        self.own = own
        self.kinds: dict[str, ir.Kind] = dict(signature.params)
        self.readable = set(self.kinds)
        self.counting: list[str] = []

    def fail(self, node: ast.stmt | ast.expr, message: str) -> NoReturn:
        raise SubsetError(self.module, node.lineno, message)

    # --- statements ------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> ir.Block:
        return tuple(made for node in statements for made in self.statement(node))

    def statement(self, node: ast.stmt) -> Iterator[ir.Stmt]:
        match node:
            case ast.Pass() | ast.ImportFrom():
                pass
            case ast.Assign(targets=[target], value=value):
                yield from self.assign(target, value)
            case ast.AnnAssign(
                target=ast.Name() as target, annotation=kind, value=ast.expr() as value
            ):
                self.declare(target, _kind(kind, node.lineno, self.module))
                yield from self.assign(target, value)
            case ast.AugAssign():
                yield from self.augmented(node)
            case ast.If(test=test, body=then, orelse=otherwise):
                yield ir.If(self.condition(test), self.block(then), self.block(otherwise))
            case ast.While(test=test, body=body, orelse=[]):
                yield ir.While(self.condition(test), self.block(body))
            case ast.For(target=ast.Name() as target, iter=ast.Call() as rounds, orelse=[]):
                yield self.loop(node, target, rounds)
            case ast.Break():
                yield ir.Break()
            case ast.Continue():
                yield ir.Continue()
            case ast.Return():
                yield ir.Return(self.returned(node))
            case ast.Expr(value=ast.Call() as call):
                yield self.call_statement(call)
            case _:
                self.fail(node, f"not in the subset: {ast.unparse(node).splitlines()[0]}")

    def declare(self, target: ast.Name, kind: ir.Kind) -> None:
        if target.id in self.counting:
            self.fail(target, f"the variable of a loop is assigned in the loop: {target.id}")
        if self.kinds.setdefault(target.id, kind) != kind:
            self.fail(target, f"{target.id} is {self.kinds[target.id]} elsewhere")

    def assign(self, target: ast.expr, value: ast.expr) -> Iterator[ir.Stmt]:
        found = self.expression(value)
        if isinstance(target, ast.Name):
            kind = self.kinds.get(target.id, found[1])
            self.declare(target, kind)
            self.readable.add(target.id)
            yield ir.Assign(target.id, self.as_kind(found, kind, value))
            return
        table, index = self.entry(target)
        number = self.as_kind(found, "int", value)
        if _calls(value) and not isinstance(index, ir.Const | ir.Local):
            number = yield from self.temporary(number)
        yield ir.Store(table, index, number)

    def augmented(self, node: ast.AugAssign) -> Iterator[ir.Stmt]:
        operator = _BINARY.get(type(node.op))
        if operator is None:
            self.fail(node, f"not in the subset: {ast.unparse(node)}")
        if isinstance(node.target, ast.Name):
            old = self.as_kind(self.local(node.target), "int", node.target)
            self.declare(node.target, "int")
            yield ir.Assign(node.target.id, ir.Binary(operator, old, self.number(node.value)))
            return
        table, index = self.entry(node.target)
        if _calls(node.target) or _calls(node.value):
            index = yield from self.temporary(index)
        value = ir.Binary(operator, ir.Load(table, index), self.number(node.value))
        yield ir.Store(table, index, value)

    def temporary(self, value: ir.Expr) -> Generator[ir.Stmt, None, ir.Expr]:
        """Assign a number to a new local, and return the local.

        Constants and locals are returned as they are.
        """
        if isinstance(value, ir.Const | ir.Local):
            return value
        number = 1
        while f"kept_{number}" in self.kinds or f"kept_{number}" in self.own:
            number += 1
        name = f"kept_{number}"
        self.kinds[name] = "int"
        yield ir.Assign(name, value)
        return ir.Local(name)

    def loop(self, node: ast.For, target: ast.Name, rounds: ast.Call) -> ir.Stmt:
        match rounds:
            case ast.Call(func=ast.Name(id="range"), args=[high], keywords=[]):
                bounds: tuple[ir.Expr, ir.Expr] = (ir.Const(0), self.number(high))
            case ast.Call(func=ast.Name(id="range"), args=[low, high], keywords=[]):
                bounds = self.number(low), self.number(high)
            case _:
                self.fail(node, "only ranges of one or two numbers are looped over")
        self.declare(target, "int")
        with self.count(target.id):
            body = self.block(node.body)
        return ir.For(target.id, *bounds, body)

    @contextmanager
    def count(self, name: str) -> Iterator[None]:
        """Make the variable of a loop readable, and not assignable, within a `with` block."""
        self.counting.append(name)
        self.readable.add(name)
        yield
        self.readable.discard(name)
        self.counting.pop()

    def returned(self, node: ast.Return) -> ir.Expr | None:
        if (node.value is None) != (self.result is None):
            self.fail(node, "what is returned is not what the function is annotated with")
        if node.value is None or self.result is None:
            return None
        return self.as_kind(self.expression(node.value), self.result, node.value)

    def call_statement(self, node: ast.Call) -> ir.Stmt:
        if isinstance(node.func, ast.Name) and node.func.id == "fault":
            code = self.number(node.args[0]) if len(node.args) == 1 else None
            if not isinstance(code, ir.Const):
                self.fail(node, "fault takes one constant")
            return ir.Trap(code.value)
        match node:
            case ast.Call(func=ast.Name(id="enter_row"), args=[row]):
                return ir.Enter(self.number(row))
            case ast.Call(func=ast.Name(id="save_state"), args=[slot]):
                return ir.Copy("save", self.number(slot))
            case ast.Call(func=ast.Name(id="load_state"), args=[slot]):
                return ir.Copy("load", self.number(slot))
        call, _ = self.call(node)
        if not isinstance(call, ir.Call):
            self.fail(node, f"does nothing: {ast.unparse(node)}")
        return ir.Do(call)

    # --- expressions -----------------------------------------------------------------------------

    def number(self, node: ast.expr) -> ir.Expr:
        return self.as_kind(self.expression(node), "int", node)

    def condition(self, node: ast.expr) -> ir.Expr:
        return self.as_kind(self.expression(node), "bool", node)

    def as_kind(self, found: Typed, kind: ir.Kind, node: ast.expr) -> ir.Expr:
        """Return an expression as a type: a bool becomes a number, never the other way."""
        expr, own = found
        if own == kind:
            return expr
        if kind == "bool":
            self.fail(node, f"a number where a bool is needed: {ast.unparse(node)}")
        return ir.Const(int(expr.value)) if isinstance(expr, ir.Truth) else ir.Unary("int", expr)

    def expression(self, node: ast.expr) -> Typed:
        match node:
            case ast.Constant(value=bool() as truth):
                return ir.Truth(truth), "bool"
            case ast.Constant(value=int() as number):
                return ir.Const(number), "int"
            case ast.Name(id=name) if name in self.own:
                return self.local(node)
            case ast.Name() | ast.Attribute():
                return self.constant(node)
            case ast.Subscript():
                return ir.Load(*self.entry(node)), "int"
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(node, op, operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                operands = self.number(left), self.number(right)
                return ir.Binary(_BINARY[type(op)], *operands), "int"
            case ast.Compare():
                return self.compare(node), "bool"
            case ast.BoolOp(op=op, values=values):
                return self.logic("and" if isinstance(op, ast.And) else "or", values), "bool"
            case ast.IfExp(test=test, body=then, orelse=otherwise):
                return self.select(node, test, then, otherwise)
            case ast.Call():
                expr, kind = self.call(node)
                if kind is None:
                    self.fail(node, f"a call without a result is used: {ast.unparse(node)}")
                return expr, kind
        self.fail(node, f"not in the subset: {ast.unparse(node)}")

    def meaning(self, node: ast.expr) -> Meaning | None:
        match node:
            case ast.Name(id=name):
                return self.of_module(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                owner = self.of_module(name)
                return owner.get(attribute) if isinstance(owner, Mapping) else None
        return None

    def of_module(self, name: str) -> Meaning | None:
        """Return the meaning of a name unless the function has a local of that name."""
        return None if name in self.own else self.names.get(name)

    def constant(self, node: ast.expr) -> Typed:
        value = self.meaning(node)
        if not isinstance(value, int):
            self.fail(node, f"{ast.unparse(node)} is no constant and no local")
        return ir.Const(value), "int"

    def local(self, node: ast.Name) -> Typed:
        if node.id not in self.readable:
            self.fail(node, f"{node.id} is read before it is assigned, or after its loop")
        return ir.Local(node.id), self.kinds[node.id]

    def entry(self, node: ast.expr) -> tuple[str, ir.Expr]:
        if isinstance(node, ast.Subscript):
            table = self.meaning(node.value)
            if isinstance(table, TableName):
                return table.name, self.number(node.slice)
        self.fail(node, f"not an entry of a table: {ast.unparse(node)}")

    def unary(self, node: ast.expr, op: ast.unaryop, operand: ast.expr) -> Typed:
        if isinstance(op, ast.Not):
            return ir.Unary("not", self.condition(operand)), "bool"
        value = self.number(operand)
        if isinstance(op, ast.USub):
            if isinstance(value, ir.Const):
                return ir.Const(-value.value), "int"
            return ir.Unary("-", value), "int"
        if isinstance(op, ast.Invert):
            return ir.Binary("^", value, ir.Const(-1)), "int"
        self.fail(node, f"not in the subset: {ast.unparse(node)}")

    def compare(self, node: ast.Compare) -> ir.Expr:
        operands = [self.number(operand) for operand in (node.left, *node.comparators)]
        if len(operands) > 2 and any(_calls(middle) for middle in node.comparators[:-1]):
            self.fail(node, "a call between two comparisons")
        found: ir.Expr | None = None
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if type(op) not in _COMPARE:
                self.fail(node, f"not in the subset: {ast.unparse(node)}")
            test = ir.Compare(_COMPARE[type(op)], left, right)
            found = test if found is None else ir.Logic("and", found, test)
        assert found is not None
        return found

    def logic(self, operator: Literal["and", "or"], values: Sequence[ast.expr]) -> ir.Expr:
        first, *others = (self.condition(value) for value in values)
        for other in others:
            first = ir.Logic(operator, first, other)
        return first

    def select(self, node: ast.expr, test: ast.expr, then: ast.expr, otherwise: ast.expr) -> Typed:
        condition = self.condition(test)
        one, other = self.expression(then), self.expression(otherwise)
        kind: ir.Kind = "bool" if one[1] == other[1] == "bool" else "int"
        return (
            ir.Select(condition, self.as_kind(one, kind, then), self.as_kind(other, kind, node)),
            kind,
        )

    def call(self, node: ast.Call) -> tuple[ir.Expr, ir.Kind | None]:
        called = self.meaning(node.func)
        if node.keywords:
            self.fail(node, f"arguments are given in order: {ast.unparse(node)}")
        if isinstance(called, Signature):
            if len(node.args) != len(called.params):
                self.fail(node, f"{called.name} takes {len(called.params)} arguments")
            given = (
                self.as_kind(self.expression(arg), kind, arg)
                for arg, (_, kind) in zip(node.args, called.params, strict=True)
            )
            return ir.Call(called.name, tuple(given)), called.result
        match node.func, node.args:
            case ast.Name(id="min" | "max" as operator), [left, right]:
                return ir.Binary(operator, self.number(left), self.number(right)), "int"
            case ast.Name(id="int"), [operand]:
                return self.number(operand), "int"
        self.fail(node, f"not a function of the runtime: {ast.unparse(node)}")


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


# --- modules -------------------------------------------------------------------------------------


def read_functions(
    modules: Mapping[str, str], tables: Collection[str], constants: Mapping[str, int]
) -> dict[str, ir.Function]:
    """Return the functions of modules, which are given as name and source.

    `tables` and `constants` are names that they may import from other modules.
    """
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
    """Return the constants of a module, after those of the modules it imports."""
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
    """Return the functions of a module.

    `exports` has the names of each module that is read, `outside` those of all others.
    """
    names: dict[str, Meaning] = dict(exports[name])
    for node in statements(tree.body):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            source = exports.get(node.module, outside)
            for alias in node.names:
                own = alias.asname or alias.name
                if own == "*":
                    names = {**outside, **names}
                elif f"{node.module}.{alias.name}" in exports:
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
