"""The intermediate representation: small, typed, structured, over flat integer tables.

`docs/reference/ir.md` defines every node precisely. An expression is of type `int` (64 bits,
signed) or `bool`; tables hold integers. There are no objects, no exceptions and no recursion that
is not bounded by a counter of the program itself, so that any machine can run it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ByClass
from rulesdsl.language.model.tables import IN_ROWS as IN_ROWS
from rulesdsl.language.model.tables import RAN as RAN
from rulesdsl.language.model.tables import SLOTS as SLOTS
from rulesdsl.language.model.tables import Entries as Entries
from rulesdsl.language.model.tables import Role as Role
from rulesdsl.language.model.tables import Rows as Rows
from rulesdsl.language.model.tables import Table as Table
from rulesdsl.language.model.tables import Tables as Tables

SMALLEST, LARGEST = -(2**63), 2**63 - 1
"""The bounds of an int."""

FUEL = "fuel"
"""The table from which `Spend` takes."""

Kind = Literal["int", "bool"]
"""The types of expressions, parameters and locals."""

# --- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """An integer."""

    value: int


@dataclass(frozen=True, slots=True)
class Truth:
    """A bool, `true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter or local of the function, assigned before it is read."""

    name: str


@dataclass(frozen=True, slots=True)
class Load:
    """The value of entry `index` of a table; out of range is a fault."""

    table: str
    index: Expr


UnaryOp = Literal["-", "not", "int"]


@dataclass(frozen=True, slots=True)
class Unary:
    """A unary operation: `-` of an int; `not` of a bool; `int` of a bool (1 or 0)."""

    operator: UnaryOp
    operand: Expr


BinaryOp = Literal["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "min", "max"]


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary operation on ints; the left one is evaluated first.

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
"""The negation of each comparison operator."""

TURNED: Mapping[CompareOp, CompareOp] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}
"""The operator for swapped operands."""


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two ints, a bool."""

    operator: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logic:
    """A conjunction or disjunction of bools, `and` or `or`.

    The right one is evaluated only if it matters.
    """

    operator: Literal["and", "or"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Select:
    """A choice between two expressions of one type; only the chosen one is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function with arguments, which are evaluated from left to right."""

    function: str
    arguments: tuple[Expr, ...] = ()


Expr = Const | Truth | Local | Load | Unary | Binary | Compare | Logic | Select | Call


# --- statements ----------------------------------------------------------------------------------
# `span` is that of the rule behind a statement; None for the runtime. Faults are reported there.


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment to a local (not a parameter's name in use by an enclosing `For`)."""

    name: str
    value: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Store:
    """An assignment to an entry of a state or scratch table.

    The index is evaluated, then the value, then both are checked.
    """

    table: str
    index: Expr
    value: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Do:
    """A call of a function for its effects; the result is dropped."""

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
    """A loop whose condition is evaluated before every round."""

    condition: Expr
    body: Block
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class For:
    """A loop in which `name` counts from `low` up to `high` - 1.

    Both are evaluated once, before the first round. The body does not assign `name`, and its value
    after the loop must not be read.
    """

    name: str
    low: Expr
    high: Expr
    body: Block
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Break:
    """A jump out of the innermost loop."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Continue:
    """A jump to the next round of the innermost loop."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    """A return; `value` is None exactly in functions without a result."""

    value: Expr | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Trap:
    """A fault that stops everything, with `code` of `engine.runtime.faults`."""

    code: int
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Spend:
    """A reduction of entry 0 of table `fuel` by `amount` (at least 0).

    Below 0 is fault `NO_STEPS`.
    """

    amount: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enter:
    """A change to another row: its tables are used from now on.

    A row that the machine has no room for is fault `INDEX`.
    """

    row: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of all state tables: `save` writes it to a slot, `load` reads it back.

    A slot that is not from 0 to `SLOTS` - 1 is a fault.
    """

    operator: Literal["save", "load"]
    slot: Expr
    span: Span | None = field(default=None, compare=False, repr=False)


Jump = Break | Continue | Return | Trap
Stmt = Assign | Store | Do | If | While | For | Jump | Spend | Enter | Copy
Block = tuple[Stmt, ...]


# --- programs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """A function; `params` and `locals` have types.

    A function whose `result` is None returns nothing; any other ends every path in `Return` or
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
        """All nodes in the body."""
        return Nodes(self.body)

    @cached_property
    def called(self) -> Counter[str]:
        """Count the calls of each function in the text."""
        return Counter(call.function for call in self.nodes.of(Call))


@dataclass(frozen=True)
class Program:
    """A program: tables and functions by name, in the order they are printed.

    `entries` are the functions that are called from outside; all others may be inlined away.
    """

    tables: Mapping[str, Table]
    functions: Mapping[str, Function]
    entries: tuple[str, ...]


# --- traversal -----------------------------------------------------------------------------------

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
    Enter: lambda node: (node.row,),
    Copy: lambda node: (node.slot,),
}


def parts(node: Node) -> tuple[Node, ...]:
    """Return the expressions and statements of which a node is made."""
    found = _PARTS.get(type(node))
    return () if found is None else found(node)


def nodes(roots: Iterable[Node]) -> list[Node]:
    """Return all expressions and statements under these roots, each before those inside it."""
    found, parts_of = list(roots), _PARTS.get
    for node in found:
        parts = parts_of(type(node))
        if parts is not None:
            found += parts(node)
    return found


class Nodes(ByClass):
    """All expressions and statements under some roots, grouped by class, ordered as by `nodes`."""

    def __init__(self, roots: Iterable[Node]) -> None:
        super().__init__(nodes(roots))

    def reads(self) -> Counter[str]:
        """Count the reads of each local in the text."""
        return Counter([node.name for node in self.of(Local)])

    def writes(self) -> Counter[str]:
        """Count the assignments to each local in the text."""
        written: list[Assign | For] = [*self.of(Assign), *self.of(For)]
        return Counter([node.name for node in written])

    def mentions(self) -> Counter[str]:
        """Count the occurrences of each local in the text."""
        found = self.reads()
        found.update(self.writes())
        return found
