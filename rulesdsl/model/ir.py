"""The intermediate representation: small, typed, structured, over flat integer tables.

`docs/reference/ir.md` says what every node means to the last case. An expression is of type `int`
(64 bits, signed) or `bool`; tables hold integers. There are no objects, no exceptions and no
recursion that is not bounded by what the program itself counts, so that any machine can run it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal

from rulesdsl.diagnostics import Span
from rulesdsl.model.table import Role as Role
from rulesdsl.model.table import Table as Table
from rulesdsl.model.tree import ByClass

Kind = Literal["int", "bool"]
"""The types of expressions, parameters and locals."""

# --- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """An integer."""

    value: int


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter or local of the function, assigned before it is read."""

    name: str


@dataclass(frozen=True, slots=True)
class Load:
    """Entry `index` of a table; out of range is a fault."""

    table: str
    index: Expr


UnaryOp = Literal["-", "not", "int"]


@dataclass(frozen=True, slots=True)
class Unary:
    """`-` of an int; `not` of a bool; `int` of a bool (1 or 0)."""

    operator: UnaryOp
    operand: Expr


BinaryOp = Literal["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "min", "max"]


@dataclass(frozen=True, slots=True)
class Binary:
    """Both operands are ints, the left one evaluated first.

    `//` and `%` round down.
    """

    operator: BinaryOp
    left: Expr
    right: Expr


CompareOp = Literal["==", "!=", "<", "<=", ">", ">="]

OPPOSITE: Mapping[CompareOp, CompareOp] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
"""What holds where the comparison does not."""

TURNED: Mapping[CompareOp, CompareOp] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}
"""What holds of the operands the other way round."""


@dataclass(frozen=True, slots=True)
class Compare:
    """A bool, of two ints."""

    operator: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logic:
    """`and`, `or` of bools; the right one is evaluated only if it matters."""

    operator: Literal["and", "or"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Select:
    """One of two expressions of one type; only that one is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """What a function returns for its arguments, evaluated from left to right."""

    function: str
    arguments: tuple[Expr, ...] = ()


Expr = Const | Truth | Local | Load | Unary | Binary | Compare | Logic | Select | Call


# --- statements ----------------------------------------------------------------------------------
# `span` is the rule a statement was made from; None for the core. Faults are reported there.


@dataclass(frozen=True, slots=True)
class Assign:
    """Give a local (not a parameter's name in use by an enclosing `For`) a value."""

    name: str
    value: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Store:
    """Change an entry of a state or scratch table: index, then value, then both are checked."""

    table: str
    index: Expr
    value: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Do:
    """Call a function for what it does; what it returns is dropped."""

    call: Call
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Block
    otherwise: Block = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class While:
    """The condition is evaluated before every round."""

    condition: Expr
    body: Block
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class For:
    """`name` counts from `low` up to `high` - 1; both are evaluated once, before the first round.

    The body does not assign `name`; what it is after the loop is not to be read.
    """

    name: str
    low: Expr
    high: Expr
    body: Block
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Break:
    """Leave the innermost loop."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on with the next round of the innermost loop."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    """`value` is None exactly in functions that return nothing."""

    value: Expr | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Trap:
    """Stop everything: fault `code` of `rulesdsl.core.faults`."""

    code: int
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Spend:
    """Take `amount` (at least 0) from entry 0 of table `fuel`; below 0 is fault `NO_STEPS`."""

    amount: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


Stmt = Assign | Store | Do | If | While | For | Break | Continue | Return | Trap | Spend
Block = tuple[Stmt, ...]


# --- programs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """`params` and `locals` with their types.

    A function whose `result` is None returns nothing, any other ends every path in `Return` or
    `Trap`.
    """

    name: str
    params: tuple[tuple[str, Kind], ...]
    result: Kind | None
    body: Block
    locals: tuple[tuple[str, Kind], ...] = ()
    doc: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    @cached_property
    def nodes(self) -> Nodes:
        """All that is in the body."""
        return Nodes(self.body)


@dataclass(frozen=True)
class Program:
    """Tables and functions by name, in the order they are printed.

    `entries` are the functions that are called from outside, all others may be inlined away.
    """

    tables: Mapping[str, Table]
    functions: Mapping[str, Function]
    entries: tuple[str, ...]


# --- what is inside ------------------------------------------------------------------------------

Node = Expr | Stmt

_PARTS: Mapping[type, Callable[[Any], tuple[Node, ...]]] = {
    Load: lambda node: (node.index,),
    Unary: lambda node: (node.operand,),
    Binary: attrgetter("left", "right"),
    Compare: attrgetter("left", "right"),
    Logic: attrgetter("left", "right"),
    Select: attrgetter("condition", "then", "otherwise"),
    Call: attrgetter("arguments"),
    Assign: lambda node: (node.value,),
    Store: attrgetter("index", "value"),
    Do: lambda node: (node.call,),
    If: lambda node: (node.condition, *node.then, *node.otherwise),
    While: lambda node: (node.condition, *node.body),
    For: lambda node: (node.low, node.high, *node.body),
    Return: lambda node: () if node.value is None else (node.value,),
    Spend: lambda node: (node.amount,),
}


def nodes(roots: Iterable[Node]) -> list[Node]:
    """All expressions and statements of some, those before what is in them."""
    found, parts_of = list(roots), _PARTS.get
    for node in found:
        parts = parts_of(type(node))
        if parts is not None:
            found += parts(node)
    return found


class Nodes(ByClass):
    """All expressions and statements of some, told apart by their class, ordered as by `nodes`."""

    def __init__(self, roots: Iterable[Node]) -> None:
        super().__init__(nodes(roots))

    def reads(self) -> Counter[str]:
        """How often each local is read in the text."""
        return Counter(node.name for node in self.of(Local))

    def writes(self) -> Counter[str]:
        """How often each local is given a value in the text."""
        written: list[Assign | For] = [*self.of(Assign), *self.of(For)]
        return Counter(node.name for node in written)

    def mentions(self) -> Counter[str]:
        """How often each local is named in the text."""
        return self.reads() + self.writes()
