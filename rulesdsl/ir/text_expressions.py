"""One line of the text form of the IR: its tokens, and the expressions in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NoReturn, TypeVar, cast, get_args

from rulesdsl.ir.words import LEVELS, SIGN, WORDS
from rulesdsl.model import ir

Read = TypeVar("Read")

TOKEN = re.compile(r"\s*(\$?[A-Za-z_]\w*|\d+|->|//|<<|>>|[<>=!]=|[-+*%&|^<>=()\[\],:])", re.ASCII)
COMPARISONS = get_args(ir.CompareOp)


class TextError(Exception):
    """A text is not one of the IR; `line` is counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class Tokens:
    """The tokens of a line, read from the left. What is not as expected raises TextError."""

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
        """Is this the next token?"""
        return not self.done() and self.found[self.at] == token

    def accept(self, token: str) -> bool:
        """Is this the next token? It is read then."""
        found = self.ahead(token)
        self.at += found
        return found

    def take(self, *tokens: str) -> None:
        """These tokens come next."""
        for token in tokens:
            if not self.accept(token):
                self.fail(f"expected {token}, not {self.next_text()}")

    def next_text(self) -> str:
        return "the end of the line" if self.done() else self.found[self.at]

    def one_of(self, tokens: Collection[str]) -> str:
        """One of these tokens comes next."""
        for token in tokens:
            if self.accept(token):
                return token
        self.fail(f"expected {' or '.join(tokens)}, not {self.next_text()}")

    def last(self, found: Read) -> Read:
        """What was read, with nothing after it."""
        if not self.done():
            self.fail(f"expected the end of the line, not {self.next_text()}")
        return found

    def listed(self, read: Callable[[], Read]) -> list[Read]:
        """At least one, separated by commas."""
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
        """All that is left of the line."""
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
        """An expression of operators that bind at least so tight."""
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
        """What binds tightest."""
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
        """A local, an entry of a table or a call."""
        name = self.name()
        if self.accept("["):
            index = self.expression()
            self.take("]")
            return ir.Load(name, index)
        if self.ahead("("):
            return ir.Call(name, self.arguments())
        return ir.Local(name)

    def arguments(self, count: int | None = None) -> tuple[ir.Expr, ...]:
        """What stands in parentheses; `count` is how many there have to be."""
        self.take("(")
        found = [] if self.ahead(")") else self.listed(self.expression)
        self.take(")")
        if count not in (None, len(found)):
            self.fail(f"{count} arguments are expected, not {len(found)}")
        return tuple(found)
