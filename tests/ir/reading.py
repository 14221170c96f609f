"""Parsing of the IR's text form (`docs/reference/ir.md`, "Text"): programs of tests are texts.

Parsing a printed program gives an equal one.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection
from typing import NoReturn, TypeVar, cast, get_args

from rulesdsl.base.records import dataclass
from rulesdsl.engine.ir.text import LEVELS, SIGN, WORDS
from rulesdsl.language.model import ir

# --- the tokens of a line, and expressions -------------------------------------------------------


Read = TypeVar("Read")

TOKEN = re.compile(r"\s*(\$?[A-Za-z_]\w*|\d+|->|//|<<|>>|[<>=!]=|[-+*%&|^<>=()\[\],:])", re.ASCII)
COMPARISONS = get_args(ir.CompareOp)


class TextError(Exception):
    """A text that is not valid IR; `line` is counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class Tokens:
    """The tokens of a line, read from the left.

    Methods raise TextError if the next token is not an expected one.
    """

    def __init__(self, text: str, line: int) -> None:
        self.line = line
        self.found: list[str] = []
        self.at = 0
        end = 0
        while end < len(text.rstrip()):
            match = TOKEN.match(text, end)
            if match is None:
                self.fail(f"no word or sign of the IR: {text[end:].strip()}")
            self.found.append(match[1])
            end = match.end()

    def fail(self, message: str) -> NoReturn:
        raise TextError(self.line, message)

    def done(self) -> bool:
        return self.at == len(self.found)

    def ahead(self, token: str) -> bool:
        """Return whether this is the next token."""
        return not self.done() and self.found[self.at] == token

    def accept(self, token: str) -> bool:
        """Read a token if it is the next one, and say whether it was."""
        found = self.ahead(token)
        self.at += found
        return found

    def take(self, *tokens: str) -> None:
        """Read these tokens."""
        for token in tokens:
            if not self.accept(token):
                self.fail(f"expected {token}, not {self.next_text()}")

    def next_text(self) -> str:
        return "the end of the line" if self.done() else self.found[self.at]

    def one_of(self, tokens: Collection[str]) -> str:
        """Read and return one of these tokens."""
        for token in tokens:
            if self.accept(token):
                return token
        self.fail(f"expected {' or '.join(tokens)}, not {self.next_text()}")

    def last(self, found: Read) -> Read:
        """Return `found` if the line ends here."""
        if not self.done():
            self.fail(f"expected the end of the line, not {self.next_text()}")
        return found

    def listed(self, read: Callable[[], Read]) -> list[Read]:
        """Read one or more items that are separated by commas."""
        found = [read()]
        while self.accept(","):
            found.append(read())
        return found

    def name(self) -> str:
        token = "" if self.done() else self.found[self.at]
        if not re.match(r"[$A-Za-z_]", token) or token in WORDS:
            self.fail(f"expected a name, not {self.next_text()}")
        self.at += 1
        return token.removeprefix("$")

    def kind(self) -> ir.Kind:
        return cast(ir.Kind, self.one_of(get_args(ir.Kind)))

    def declaration(self) -> tuple[str, ir.Kind]:
        name = self.name()
        self.take(":")
        return name, self.kind()

    def integer(self) -> int:
        sign = -1 if self.accept("-") else 1
        if self.done() or not self.found[self.at].isdigit():
            self.fail(f"expected a number, not {self.next_text()}")
        self.at += 1
        return sign * int(self.found[self.at - 1])

    def integers(self) -> list[int]:
        """Read integers up to the end of the line."""
        found = []
        while not self.done():
            found.append(self.integer())
        return found

    # --- expressions -----------------------------------------------------------------------------

    def expression(self) -> ir.Expr:
        then = self.disjunction()
        if not self.accept("if"):
            return then
        condition = self.disjunction()
        self.take("else")
        return ir.Select(condition, then, self.expression())

    def disjunction(self) -> ir.Expr:
        left = self.conjunction()
        while self.accept("or"):
            left = ir.Logic("or", left, self.conjunction())
        return left

    def conjunction(self) -> ir.Expr:
        left = self.negation()
        while self.accept("and"):
            left = ir.Logic("and", left, self.negation())
        return left

    def negation(self) -> ir.Expr:
        if self.accept("not"):
            return ir.Unary("not", self.negation())
        return self.comparison()

    def comparison(self) -> ir.Expr:
        left = self.binary(min(LEVELS.values()))
        if self.done() or self.found[self.at] not in COMPARISONS:
            return left
        operator = cast(ir.CompareOp, self.one_of(COMPARISONS))
        return ir.Compare(operator, left, self.binary(min(LEVELS.values())))

    def binary(self, level: int) -> ir.Expr:
        """Read an expression of operators with at least this precedence."""
        if level == SIGN:
            return self.signed()
        left = self.binary(level + 1)
        while not self.done() and LEVELS.get(self.found[self.at]) == level:
            self.at += 1
            operator = cast(ir.BinaryOp, self.found[self.at - 1])
            left = ir.Binary(operator, left, self.binary(level + 1))
        return left

    def signed(self) -> ir.Expr:
        if not self.ahead("-"):
            return self.operand()
        following = self.found[self.at + 1 : self.at + 2]
        if following and following[0].isdigit():
            return ir.Const(self.integer())
        self.take("-")
        return ir.Unary("-", self.signed())

    def operand(self) -> ir.Expr:
        """Read an operand."""
        if self.accept("("):
            inner = self.expression()
            self.take(")")
            return inner
        if self.accept("true"):
            return ir.Truth(True)
        if self.accept("false"):
            return ir.Truth(False)
        if self.accept("int"):
            (operand,) = self.arguments(1)
            return ir.Unary("int", operand)
        if self.ahead("min") or self.ahead("max"):
            operator = cast(ir.BinaryOp, self.one_of(("min", "max")))
            left, right = self.arguments(2)
            return ir.Binary(operator, left, right)
        if not self.done() and self.found[self.at].isdigit():
            return ir.Const(self.integer())
        return self.named()

    def named(self) -> ir.Expr:
        """Read a local, an entry of a table or a call."""
        name = self.name()
        if self.accept("["):
            index = self.expression()
            self.take("]")
            return ir.Load(name, index)
        if self.ahead("("):
            return ir.Call(name, self.arguments())
        return ir.Local(name)

    def arguments(self, count: int | None = None) -> tuple[ir.Expr, ...]:
        """Read arguments in parentheses; `count` is the number of them that is required."""
        self.take("(")
        found = [] if self.ahead(")") else self.listed(self.expression)
        self.take(")")
        if count not in (None, len(found)):
            self.fail(f"{count} arguments are expected, not {len(found)}")
        return tuple(found)


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line that is not empty: its number in the text, its indentation, and its text."""

    number: int
    indent: int
    text: str


def read_program(text: str) -> ir.Program:
    """Return the program of a text; raise TextError if it is not valid."""
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
    """Return the only function of a text; raise TextError if it is not valid."""
    return _alone(text, _Reader.function)


def read_tables(text: str) -> dict[str, ir.Table]:
    """Return the tables, by name, of a text of nothing else; raise TextError if it is not valid."""
    reader = _Reader(text)
    tables: dict[str, ir.Table] = {}
    while (tokens := reader.peek()) is not None:
        _add(tables, reader.table(), tokens)
    return tables


def read_block(text: str) -> ir.Block:
    """Return the statements of a text; raise TextError if it is not valid."""
    return _alone(text, lambda reader: reader.block(-1))


def read_expression(text: str) -> ir.Expr:
    """Return the expression of a text of one line; raise TextError if it is not valid."""
    tokens = Tokens(text, 1)
    return tokens.last(tokens.expression())


def _alone(text: str, read: Callable[[_Reader], Read]) -> Read:
    """Return the result of `read`, which must read the whole text."""
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
    """The reader of the lines of a text.

    Comments right before a declaration are its `doc`; all others are ignored.
    """

    def __init__(self, text: str) -> None:
        rows = textwrap.dedent(text).split("\n")
        self.rows = [*rows, ""]
        self.at = 0
        self.doc: list[str] = []

    # --- lines -----------------------------------------------------------------------------------

    def line(self) -> Line | None:
        """Return the next line that is not a comment, None at the end; do not read it."""
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
        """Read the next line."""
        tokens = self.peek()
        if tokens is None:
            raise TextError(len(self.rows), "something more is expected")
        self.at += 1
        self.doc.clear()
        return tokens

    def taken_doc(self) -> str:
        """Return the comments right before the next line."""
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
        """Read the statements that are indented deeper than `outer`."""
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
        return tokens.last(_read_simple(tokens))

    def branches(self, tokens: Tokens, indent: int) -> ir.If:
        """Read an `if` or `elif` after that word, with its branches."""
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


def _read_simple(tokens: Tokens) -> ir.Stmt:
    """Read a statement that contains no others."""
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
    if tokens.accept("enter"):
        return ir.Enter(tokens.expression())
    if tokens.accept("save"):
        return ir.Copy("save", tokens.expression())
    if tokens.accept("load"):
        return ir.Copy("load", tokens.expression())
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
