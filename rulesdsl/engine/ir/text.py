"""Printing of the IR's text form (`docs/reference/ir.md`, "Text").

Each line holds one statement; spans are not printed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from rulesdsl.language.model import ir

_WORDS = """
    entries const state scratch from to function local int bool pass if elif else while for in
    break continue return trap spend enter save load beside true false not and or min max
"""
WORDS = frozenset(_WORDS.split())
"""The words of the text form; a name that is one of them is written with `$` before it."""

LOWEST, DISJUNCTION, CONJUNCTION, NEGATION, COMPARISON = range(5)
LEVELS = {
    operator: COMPARISON + 1 + level
    for level, operators in enumerate(("|", "^", "&", "<< >>", "+ -", "* // %"))
    for operator in operators.split()
}
"""The precedence of infix operators between two ints."""
SIGN = COMPARISON + 7
OPERAND = COMPARISON + 8
"""The precedence of everything, from `x if c else y` up to operands without parentheses."""


# --- writing -------------------------------------------------------------------------------------


INDENT = "    "
WIDTH = 100


def program_text(program: ir.Program) -> str:
    """Return the text of a whole program: entries, tables, functions."""
    names = ", ".join(_name(name) for name in program.entries)
    entries = [f"entries {names}\n"] if program.entries else []
    tables = [tables_text(program.tables.values())] if program.tables else []
    return "\n".join(entries + tables + [function_text(f) for f in program.functions.values()])


def tables_text(tables: Iterable[ir.Table]) -> str:
    """Return the declarations of tables, one per line."""
    return "".join(line + "\n" for table in tables for line in _table_lines(table))


def function_text(function: ir.Function) -> str:
    """Return the text of a function's definition."""
    given = ", ".join(_declarations(function.params))
    result = f" -> {function.result}" if function.result else ""
    lines = [*_comments(function.doc), f"function {_name(function.name)}({given}){result}:"]
    if function.locals:
        lines.append(f"{INDENT}local {', '.join(_declarations(function.locals))}")
    lines += block_lines(function.body, INDENT)
    return "".join(line + "\n" for line in lines)


def expression_text(expression: ir.Expr) -> str:
    """Return the text of an expression, with as few parentheses as it needs."""
    return _expression(expression, LOWEST)


# --- tables and functions ------------------------------------------------------------------------


def _table_lines(table: ir.Table) -> Iterator[str]:
    yield from _comments(table.doc)
    line = f"{table.role} {_name(table.name)}[{table.size}] from {table.low} to {table.high}"
    values = " ".join(map(str, table.values))
    if not values:
        yield line
    elif len(line) + len(values) + 3 <= WIDTH:
        yield f"{line} = {values}"
    else:
        yield f"{line} ="
        yield from textwrap.wrap(
            values,
            WIDTH,
            initial_indent=INDENT,
            subsequent_indent=INDENT,
            break_on_hyphens=False,
        )


def _comments(doc: str) -> Iterator[str]:
    for line in doc.split("\n") if doc else ():
        yield f"# {line}" if line else "#"


def _declarations(variables: Iterable[tuple[str, ir.Kind]]) -> Iterator[str]:
    for name, kind in variables:
        yield f"{_name(name)}: {kind}"


def _name(name: str) -> str:
    """Return a name, with `$` before a word of the text form."""
    return f"${name}" if name in WORDS else name


# --- statements ----------------------------------------------------------------------------------


def block_lines(block: ir.Block, indent: str) -> Iterator[str]:
    """Yield the lines of statements."""
    if not block:
        yield f"{indent}pass"
    for statement in block:
        yield from _statement(statement, indent)


def _statement(statement: ir.Stmt, indent: str) -> Iterator[str]:
    match statement:
        case ir.If():
            yield from _if(statement, indent, "if")
        case ir.While(condition, body):
            yield f"{indent}while {expression_text(condition)}:"
            yield from block_lines(body, indent + INDENT)
        case ir.For(name, low, high, body):
            bounds = f"{expression_text(low)}, {expression_text(high)}"
            yield f"{indent}for {_name(name)} in range({bounds}):"
            yield from block_lines(body, indent + INDENT)
        case _:
            yield indent + _simple(statement)


def _if(statement: ir.If, indent: str, word: str) -> Iterator[str]:
    yield f"{indent}{word} {expression_text(statement.condition)}:"
    yield from block_lines(statement.then, indent + INDENT)
    match statement.otherwise:
        case ():
            pass
        case (ir.If() as other,):
            yield from _if(other, indent, "elif")
        case otherwise:
            yield f"{indent}else:"
            yield from block_lines(otherwise, indent + INDENT)


def _simple(statement: ir.Stmt) -> str:
    match statement:
        case ir.Assign(name, value):
            return f"{_name(name)} = {expression_text(value)}"
        case ir.Store(table, index, value):
            return f"{_name(table)}[{expression_text(index)}] = {expression_text(value)}"
        case ir.Do(call):
            return expression_text(call)
        case ir.Break():
            return "break"
        case ir.Continue():
            return "continue"
        case ir.Return(None):
            return "return"
        case ir.Return(value) if value is not None:
            return f"return {expression_text(value)}"
        case ir.Trap(code):
            return f"trap {code}"
        case ir.Spend(amount):
            return f"spend {expression_text(amount)}"
        case ir.Enter(row):
            return f"enter {expression_text(row)}"
        case ir.Copy(operator, slot):
            return f"{operator} {expression_text(slot)}"
    raise AssertionError(statement)


# --- expressions ---------------------------------------------------------------------------------


def _expression(expression: ir.Expr, level: int) -> str:
    """Return the text of an expression, in parentheses if its precedence is below `level`."""
    text, own = _parts(expression)
    return f"({text})" if own < level else text


def _parts(expression: ir.Expr) -> tuple[str, int]:
    """Return the text of an expression, and its precedence."""
    match expression:
        case ir.Const(value):
            return str(value), OPERAND
        case ir.Truth(value):
            return "true" if value else "false", OPERAND
        case ir.Local(name):
            return _name(name), OPERAND
        case ir.Load(table, index):
            return f"{_name(table)}[{expression_text(index)}]", OPERAND
        case ir.Call(function, arguments):
            return f"{_name(function)}({_listed(*arguments)})", OPERAND
        case ir.Unary("int", operand):
            return f"int({expression_text(operand)})", OPERAND
        case ir.Unary("not", operand):
            return f"not {_expression(operand, NEGATION)}", NEGATION
        case ir.Unary("-", ir.Const(value)):
            return f"-({value})", SIGN
        case ir.Unary("-", operand):
            return f"-{_expression(operand, SIGN)}", SIGN
        case ir.Binary("min" | "max" as operator, left, right):
            return f"{operator}({_listed(left, right)})", OPERAND
        case ir.Binary(operator, left, right):
            return _infix(operator, left, right, LEVELS[operator])
        case ir.Compare(operator, left, right):
            sides = _expression(left, COMPARISON + 1), _expression(right, COMPARISON + 1)
            return f"{sides[0]} {operator} {sides[1]}", COMPARISON
        case ir.Logic(operator, left, right):
            return _infix(operator, left, right, CONJUNCTION if operator == "and" else DISJUNCTION)
        case ir.Select(condition, then, otherwise):
            first, second = _expression(then, LOWEST + 1), _expression(condition, LOWEST + 1)
            return f"{first} if {second} else {_expression(otherwise, LOWEST)}", LOWEST
    raise AssertionError(expression)


def _infix(operator: str, left: ir.Expr, right: ir.Expr, level: int) -> tuple[str, int]:
    """Return the text and precedence of two operands of an operator, which is left-associative."""
    return f"{_expression(left, level)} {operator} {_expression(right, level + 1)}", level


def _listed(*expressions: ir.Expr) -> str:
    return ", ".join(expression_text(e) for e in expressions)
