"""Locals of the rules as locals of the IR, and the types of those that blocks declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulesdsl.diagnostics import Span
from rulesdsl.lower.emit import ZERO, Builder, as_number
from rulesdsl.lower.parts import binder_names
from rulesdsl.lower.tables.encoding import none_of
from rulesdsl.model import checked as tree
from rulesdsl.model import ir
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import BOOL, FACE, NONE, PIECE, IntType, OptionalType, SetType, Type
from rulesdsl.records import dataclass


def kind_of(type_: Type) -> ir.Kind:
    """Return the IR kind of a result or local of that type: "bool" for a plain bool, else "int"."""
    return "bool" if type_ == BOOL else "int"


class Locals:
    """An environment (`emit.LocalStorage`) whose locals are locals of the IR.

    `types` are the types of the locals that will be declared (see `LocalTypes`).
    """

    def __init__(self, builder: Builder, types: Mapping[str, Type] | None = None) -> None:
        self.builder = builder
        self.types = dict(types or {})
        self.names: dict[str, str] = {}

    def parameter(self, name: str, type_: Type, kind: ir.Kind | None = None) -> tuple[str, ir.Kind]:
        """Return a new parameter of the function, of the given kind or that of a local."""
        self.types[name] = type_
        kind = kind or kind_of(type_)
        self.names[name] = self.builder.fresh(name, kind)
        return self.names[name], kind

    def renamed(self, names: Mapping[str, str], types: Mapping[str, Type]) -> Locals:
        """Return an environment in which other names stand for locals of this one.

        It will have locals of its own, of the types given.
        """
        inner = Locals(self.builder, types)
        for name, own in names.items():
            inner.types[name], inner.names[name] = self.types[own], self.names[own]
        return inner

    def read(self, name: str, type_: Type) -> ir.Expr:
        """Return the current value of a local of the rules."""
        local = self.names[name]
        if type_ == BOOL and self.builder.kinds[local] == "int":
            return ir.Compare("!=", ir.Local(local), ZERO)
        return ir.Local(local)

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Assign a value of that type to a local of the rules."""
        if name not in self.names:
            kind = kind_of(self.types.get(name, type_))
            self.names[name] = self.builder.fresh(name, kind)
        local = self.names[name]
        if type_ == NONE:
            value = ir.Const(none_of(self.types.get(name, type_)))
        elif self.builder.kinds[local] == "int":
            value = as_number(value, type_ == BOOL)
        self.builder.emit(ir.Assign(local, value, span))


@dataclass
class LocalTypes:
    """The widest type each local of some statements is used with.

    `proceeds` is the type of the result of `proceed` there.
    """

    checked: Checked
    proceeds: Type

    def of(self, statements: Iterable[tree.Stmt]) -> dict[str, Type]:
        """Return the type of every local that the statements declare or read."""
        found: dict[str, Type] = {}
        for node in tree.walk(tuple(statements)):
            match node:
                case tree.Let(name=name, value=value) | tree.SetLocal(name=name, value=value):
                    self._meet(found, name, value.type)
                case tree.Local(name=name, type=type_):
                    self._meet(found, name, type_)
                case tree.Perform(into=str(name)):
                    self._meet(found, name, self.result(node))
                case tree.For(binder=binder):
                    for name, type_ in binder_names(binder):
                        self._meet(found, name, type_)
        return found

    def result(self, node: tree.Perform) -> Type:
        """Return the type of a call's result."""
        match node.call:
            case tree.ActionCall(action=key):
                return self.checked.actions[key].type
            case tree.ChoiceCall(choice=key):
                return self.checked.choices[key].type
            case tree.EffectCall(effect="take"):
                return PIECE
            case tree.EffectCall(effect="roll"):
                return FACE
        return self.proceeds

    def _meet(self, found: dict[str, Type], name: str, type_: Type) -> None:
        found[name] = widest(found[name], type_) if name in found else type_


def widest(a: Type, b: Type) -> Type:
    """Return a type that holds the values of two types of a local."""
    if a == b or b == NONE:
        return optional(a) if b == NONE and a != NONE else a
    if a == NONE:
        return optional(b)
    if isinstance(a, OptionalType) or isinstance(b, OptionalType):
        return optional(widest(_item(a), _item(b)))
    if isinstance(a, IntType) and isinstance(b, IntType):
        return IntType(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, SetType) and isinstance(b, SetType):
        return a if a.item != NONE else b
    return a


def optional(type_: Type) -> Type:
    """Return the optional type of a type."""
    return type_ if isinstance(type_, OptionalType) else OptionalType(type_)


def _item(type_: Type) -> Type:
    return type_.item if isinstance(type_, OptionalType) else type_
