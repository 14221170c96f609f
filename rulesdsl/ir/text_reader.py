"""Reading the text form of the IR (`docs/reference/ir.md`, "Text")."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast, get_args

from rulesdsl.ir.text_expressions import TextError, Tokens
from rulesdsl.model import ir

Read = TypeVar("Read")


@dataclass(frozen=True)
class Line:
    """A line that is not empty: its number in the text, how far it is indented, what it says."""

    number: int
    indent: int
    text: str


def read_program(text: str) -> ir.Program:
    """The program of a text; raises TextError."""
    reader = _Reader(text)
    entries: tuple[str, ...] = ()
    tables: dict[str, ir.Table] = {}
    functions: dict[str, ir.Function] = {}
    while (tokens := reader.peek()) is not None:
        if tokens.ahead("entries"):
            entries = reader.entries()
        elif tokens.ahead("function"):
            _add(functions, reader.function(), tokens)
        else:
            _add(tables, reader.table(), tokens)
    return ir.Program(tables, functions, entries)


def read_function(text: str) -> ir.Function:
    """The only function of a text; raises TextError."""
    return _alone(text, _Reader.function)


def read_tables(text: str) -> dict[str, ir.Table]:
    """The tables of a text of nothing else, by name; raises TextError."""
    reader = _Reader(text)
    tables: dict[str, ir.Table] = {}
    while (tokens := reader.peek()) is not None:
        _add(tables, reader.table(), tokens)
    return tables


def read_block(text: str) -> ir.Block:
    """The statements of a text; raises TextError."""
    return _alone(text, lambda reader: reader.block(-1))


def read_expression(text: str) -> ir.Expr:
    """The expression of a text of one line; raises TextError."""
    tokens = Tokens(text, 1)
    return tokens.last(tokens.expression())


def _alone(text: str, read: Callable[[_Reader], Read]) -> Read:
    """What a text holds, if that is all it holds."""
    reader = _Reader(text)
    found = read(reader)
    left = reader.peek()
    if left is not None:
        left.fail("nothing more is expected")
    return found


Named = TypeVar("Named", ir.Table, ir.Function)


def _add(found: dict[str, Named], item: Named, tokens: Tokens) -> None:
    if item.name in found:
        tokens.fail(f"a second {item.name}")
    found[item.name] = item


class _Reader:
    """The lines of a text, and how far they are read. Comments right before something are its
    `doc`, all others say nothing."""

    def __init__(self, text: str) -> None:
        rows = textwrap.dedent(text).split("\n")
        self.rows = [*rows, ""]
        self.at = 0
        self.doc: list[str] = []

    # --- lines -----------------------------------------------------------------------------------

    def line(self) -> Line | None:
        """The next line that says something, None at the end."""
        while self.at < len(self.rows):
            row = self.rows[self.at]
            text = row.split("#")[0].strip()
            if text:
                return Line(self.at + 1, len(row) - len(row.lstrip()), text)
            if row.startswith("#"):
                self.doc.append(row[2:])
            elif not row.strip():
                self.doc.clear()
            self.at += 1
        return None

    def peek(self) -> Tokens | None:
        line = self.line()
        return Tokens(line.text, line.number) if line else None

    def next(self) -> Tokens:
        """The next line, which is read then."""
        tokens = self.peek()
        if tokens is None:
            raise TextError(len(self.rows), "something more is expected")
        self.at += 1
        self.doc.clear()
        return tokens

    def taken_doc(self) -> str:
        """The comments right before the next line."""
        self.line()
        return "\n".join(self.doc)

    # --- declarations ----------------------------------------------------------------------------

    def entries(self) -> tuple[str, ...]:
        tokens = self.next()
        tokens.take("entries")
        return tokens.last(tuple(tokens.listed(tokens.name)))

    def table(self) -> ir.Table:
        doc = self.taken_doc()
        tokens = self.next()
        role = tokens.one_of(get_args(ir.Role))
        name = tokens.name()
        tokens.take("[")
        size = tokens.integer()
        tokens.take("]", "from")
        low = tokens.integer()
        tokens.take("to")
        high = tokens.integer()
        values: list[int] = []
        if tokens.accept("="):
            values += tokens.integers()
            while (line := self.line()) is not None and line.indent > 0:
                values += self.next().integers()
        tokens.last(None)
        return ir.Table(name, cast(ir.Role, role), size, low, high, tuple(values), doc)

    def function(self) -> ir.Function:
        doc = self.taken_doc()
        tokens = self.next()
        tokens.take("function")
        name = tokens.name()
        tokens.take("(")
        params = [] if tokens.ahead(")") else tokens.listed(tokens.declaration)
        tokens.take(")")
        result = tokens.kind() if tokens.accept("->") else None
        tokens.take(":")
        tokens.last(None)
        local: list[tuple[str, ir.Kind]] = []
        following = self.peek()
        if following is not None and following.accept("local"):
            local = following.last(following.listed(following.declaration))
            self.next()
        return ir.Function(name, tuple(params), result, self.block(0), tuple(local), doc)

    # --- statements ------------------------------------------------------------------------------

    def block(self, outer: int) -> ir.Block:
        """The lines that are indented further than what they are in."""
        first = self.line()
        if first is None or first.indent <= outer:
            number = first.number if first else len(self.rows)
            raise TextError(number, "a block is expected, or `pass`")
        found: list[ir.Stmt] = []
        while (line := self.line()) is not None and line.indent > outer:
            if line.indent != first.indent:
                raise TextError(line.number, "not indented like the line before")
            tokens = self.next()
            if tokens.accept("pass"):
                tokens.last(None)
            else:
                found.append(self.statement(tokens, line.indent))
        return tuple(found)

    def statement(self, tokens: Tokens, indent: int) -> ir.Stmt:
        if tokens.accept("if"):
            return self.branches(tokens, indent)
        if tokens.accept("while"):
            condition = tokens.expression()
            return ir.While(condition, self.inner(tokens, indent))
        if tokens.accept("for"):
            name = tokens.name()
            tokens.take("in", "range", "(")
            low = tokens.expression()
            tokens.take(",")
            high = tokens.expression()
            tokens.take(")")
            return ir.For(name, low, high, self.inner(tokens, indent))
        return tokens.last(_simple(tokens))

    def branches(self, tokens: Tokens, indent: int) -> ir.If:
        """An `if` or `elif` after that word, with what follows it."""
        condition = tokens.expression()
        then = self.inner(tokens, indent)
        line, other = self.line(), self.peek()
        if line is None or other is None or line.indent != indent:
            return ir.If(condition, then)
        if other.accept("elif"):
            self.next()
            return ir.If(condition, then, (self.branches(other, indent),))
        if other.accept("else"):
            self.next()
            return ir.If(condition, then, self.inner(other, indent))
        return ir.If(condition, then)

    def inner(self, tokens: Tokens, indent: int) -> ir.Block:
        tokens.take(":")
        tokens.last(None)
        return self.block(indent)


def _simple(tokens: Tokens) -> ir.Stmt:
    """A statement that holds no others."""
    if tokens.accept("break"):
        return ir.Break()
    if tokens.accept("continue"):
        return ir.Continue()
    if tokens.accept("return"):
        return ir.Return(None if tokens.done() else tokens.expression())
    if tokens.accept("trap"):
        return ir.Trap(tokens.integer())
    if tokens.accept("spend"):
        return ir.Spend(tokens.expression())
    target = tokens.operand()
    match target:
        case ir.Call():
            return ir.Do(target)
        case ir.Local(name):
            tokens.take("=")
            return ir.Assign(name, tokens.expression())
        case ir.Load(table, index):
            tokens.take("=")
            return ir.Store(table, index, tokens.expression())
    tokens.fail("not a statement")
