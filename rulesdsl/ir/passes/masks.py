"""Masks: several tests of one number become one test.

- Tests of bit fields, `(x & m1) == c1 and (x & m2) == c2`, become `(x & (m1 | m2)) == (c1 | c2)`;
  a field may be written `x >> s & f` or `(x & m) >> s` as well. Fields of two numbers that are
  compared with each other, `a >> s & f == b >> s & f`, are fields of `a ^ b` compared with 0.
- `x == c1 or x == c2 or x == c3` becomes `table >> x & 1 != 0` if x is known to be from 0 to 62.
- Likewise for what is opposite: `!=` joined by `or`, and `!=` joined by `and`.
- Tests one after another that lead to the same end are joined by `or`, if that makes them fewer.

All of it is exact: only tests next to each other are joined, and of what calls nothing. That a
pattern with wild fields fits, `(a ^ b) & mask` being 0 field by field, is one comparison as well if
it is written like that; written as "the mask has no bit there, or the fields agree" it would be
only where each field of the mask is empty or full, which no pass can know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Literal

from rulesdsl.diagnostics import Span
from rulesdsl.ir.comparing import OPPOSITE
from rulesdsl.ir.passes import trees
from rulesdsl.ir.passes.algebra import fits
from rulesdsl.model import ir

FEWEST = 3
"""So many numbers at least a local is compared with before a table of bits is used."""
WORD = 63
"""Numbers below this are bits of a table."""


def masks(program: ir.Program) -> ir.Program:
    """Join tests all through a program."""
    return trees.map_functions(program, lambda f: mask_function(f, program.tables))


def mask_function(function: ir.Function, tables: Mapping[str, ir.Table]) -> ir.Function:
    """Join tests in a function."""
    if not function.nodes.of(ir.Compare):
        return function
    masker = _Masker(function, tables)
    return trees.with_body(function, masker.block(function.body), {})


@dataclass(frozen=True)
class _Field:
    """Is `number & mask` equal to `value`, or is it not?"""

    number: ir.Expr
    mask: int
    value: int
    equal: bool

    def test(self) -> ir.Expr:
        masked = ir.Binary("&", self.number, ir.Const(self.mask))
        return ir.Compare("==" if self.equal else "!=", masked, ir.Const(self.value))

    def joined(self, other: _Field) -> _Field | None:
        """Both at once, if they do not contradict each other."""
        if self.number != other.number or self.equal != other.equal:
            return None
        if self.value & other.mask != other.value & self.mask or trees.calls(self.number):
            return None
        mask, value = self.mask | other.mask, self.value | other.value
        return _Field(self.number, mask, value, self.equal)


def _field(test: ir.Expr) -> _Field | None:
    """The field that a test is of."""
    if not isinstance(test, ir.Compare) or test.operator not in ("==", "!="):
        return None
    equal = test.operator == "=="
    number, mask, shift = _bits(test.left)
    if isinstance(test.right, ir.Const):
        value = test.right.value << shift
        return _Field(number, mask, value, equal) if mask and value & ~mask == 0 else None
    other, same_mask, same_shift = _bits(test.right)
    if mask and (mask, shift) == (same_mask, same_shift):
        return _Field(ir.Binary("^", number, other), mask, 0, equal)
    return None


def _bits(expr: ir.Expr) -> tuple[ir.Expr, int, int]:
    """Number, mask and shift: the expression is `(number & mask) >> shift`. The mask is 0 if it is
    no such thing."""
    match expr:
        case ir.Binary("&", ir.Binary(">>", number, ir.Const(shift)), ir.Const(field)):
            if 0 <= shift < 64 and field > 0 and fits(field << shift):
                return number, field << shift, shift
        case ir.Binary("&", number, ir.Const(mask)) if mask > 0:
            return number, mask, 0
        case ir.Binary(">>", ir.Binary("&", number, ir.Const(mask)), ir.Const(shift)):
            if 0 <= shift < 64 and mask > 0:
                return number, mask >> shift << shift, shift
    return expr, 0, 0


class _Masker:
    """Joins tests in one function."""

    def __init__(self, function: ir.Function, tables: Mapping[str, ir.Table]) -> None:
        self.tables = tables
        self.writes = Counter(name for name, _ in function.params)
        self.writes.update(function.nodes.writes())
        self.values = {
            node.name: node.value
            for node in function.nodes.of(ir.Assign)
            if self.writes[node.name] == 1
        }

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: ir.Block) -> ir.Block:
        found: list[ir.Stmt] = []
        same = True
        for statement in block:
            new = trees.map_statement(statement, self.expression, self.block)
            joined = self.joined(found[-1], new) if found else None
            if joined is not None:
                found[-1] = joined
            else:
                found.append(new)
            same = same and joined is None and new is statement
        return block if same else tuple(found)

    def joined(self, one: ir.Stmt, other: ir.Stmt) -> ir.Stmt | None:
        """Two tests with the same end as one, if that needs fewer comparisons."""
        if not isinstance(one, ir.If) or not isinstance(other, ir.If):
            return None
        if one.otherwise or other.otherwise or one.then != other.then:
            return None
        if not trees.leaves(one.then) or _spans(one) != _spans(other):
            return None
        tests = [*_terms(one.condition, "or"), *_terms(other.condition, "or")]
        fewer = self.chain("or", tests)
        if len(fewer) == len(tests):
            return None
        return ir.If(_chained("or", fewer), one.then, (), one.span)

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, expr: ir.Expr) -> ir.Expr:
        if not isinstance(expr, ir.Logic):
            return trees.map_parts(expr, self.expression)
        terms = _terms(expr, expr.operator)
        inner = [self.expression(term) for term in terms]
        fewer = self.chain(expr.operator, inner)
        if len(fewer) == len(terms) and all(map(_is, fewer, terms)):
            return expr
        return _chained(expr.operator, fewer)

    def chain(self, operator: Literal["and", "or"], terms: list[ir.Expr]) -> list[ir.Expr]:
        """Tests that are joined by an operator, some of those next to each other made one."""
        return self.choices(operator, _joined_fields(operator, terms))

    def choices(self, operator: Literal["and", "or"], terms: list[ir.Expr]) -> list[ir.Expr]:
        """Comparisons of one number with constants become one test of a bit."""
        sign: ir.CompareOp = "==" if operator == "or" else "!="
        found: list[ir.Expr] = []
        for number, group in groupby(terms, lambda term: _number(term, sign)):
            run = list(group)
            fewest = FEWEST if isinstance(number, ir.Local) else 2
            if number is not None and len(run) >= fewest and self.small(number):
                table = sum(1 << value for value in {_value(test) for test in run})
                bit = ir.Binary("&", ir.Binary(">>", ir.Const(table), number), ir.Const(1))
                run = [ir.Compare(OPPOSITE[sign], bit, ir.Const(0))]
            found += run
        return found

    def small(self, expr: ir.Expr) -> bool:
        """Is a number, which calls nothing, sure to be one of the bits of a table?"""
        match expr:
            case ir.Local(name):
                value = self.values.get(name)
                return value is not None and not isinstance(value, ir.Local) and self.small(value)
            case ir.Load(name, index):
                table = self.tables[name]
                return 0 <= table.low <= table.high < WORD and not trees.calls(index)
            case ir.Binary("&", left, ir.Const(mask)):
                return 0 <= mask < WORD and not trees.calls(left)
            case ir.Binary("%", left, ir.Const(divisor)):
                return 0 < divisor <= WORD and not trees.calls(left)
        return False


def _joined_fields(operator: Literal["and", "or"], terms: list[ir.Expr]) -> list[ir.Expr]:
    """Tests of fields of one number become one."""
    found: list[ir.Expr] = []
    last: _Field | None = None
    for term in terms:
        field = _field(term)
        if field is not None and field.equal != (operator == "and"):
            field = None
        both = last.joined(field) if last is not None and field is not None else None
        if both is None:
            found.append(term)
        else:
            found[-1] = both.test()
        last = both or field
    return found


def _number(test: ir.Expr, sign: ir.CompareOp) -> ir.Expr | None:
    """What a test compares with a small constant."""
    match test:
        case ir.Compare(operator, number, ir.Const(value)) if operator == sign:
            return number if 0 <= value < WORD else None
    return None


def _value(test: ir.Expr) -> int:
    assert isinstance(test, ir.Compare)
    assert isinstance(test.right, ir.Const)
    return test.right.value


def _terms(expr: ir.Expr, operator: Literal["and", "or"]) -> list[ir.Expr]:
    """The conditions that are joined by an operator, in order."""
    if isinstance(expr, ir.Logic) and expr.operator == operator:
        return [*_terms(expr.left, operator), *_terms(expr.right, operator)]
    return [expr]


def _chained(operator: Literal["and", "or"], terms: list[ir.Expr]) -> ir.Expr:
    return reduce(lambda one, other: ir.Logic(operator, one, other), terms)


def _is(one: object, other: object) -> bool:
    return one is other


def _spans(statement: ir.If) -> tuple[Span | None, ...]:
    return (statement.span, *(inner.span for inner in statement.then))
