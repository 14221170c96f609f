"""Locals of the rules as locals of the IR, and the types of those that blocks declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.lower.emit import ZERO, Builder, as_number
from rulesdsl.lower.parts import binder_names
from rulesdsl.lower.tables.encoding import none_of
from rulesdsl.model import ir
from rulesdsl.model.checked import (
    ActionCall,
    Checked,
    ChoiceCall,
    EffectCall,
    For,
    Let,
    Local,
    Perform,
    SetLocal,
    Stmt,
    walk,
)
from rulesdsl.model.types import BOOL, FACE, NONE, PIECE, IntType, OptionalType, SetType, Type


def kind_of(type_: Type) -> ir.Kind:
    """What a result or local of that type is in the IR: a bool that cannot be none is a bool, all
    else a number."""
    return "bool" if type_ == BOOL else "int"


class Locals:
    """An environment (`emit.Environment`) whose locals are locals of the IR.

    `types` are the types of those that will be declared (see `local_types`).
    """

    def __init__(self, builder: Builder, types: Mapping[str, Type] | None = None) -> None:
        self.builder = builder
        self.types = dict(types or {})
        self.names: dict[str, str] = {}

    def parameter(self, name: str, type_: Type, kind: ir.Kind | None = None) -> tuple[str, ir.Kind]:
        """Return a parameter of the function that is built, of that kind or as a local is."""
        self.types[name] = type_
        kind = kind or kind_of(type_)
        self.names[name] = self.builder.fresh(name, kind)
        return self.names[name], kind

    def renamed(self, names: Mapping[str, str], types: Mapping[str, Type]) -> Locals:
        """An environment in which other names stand for locals of this one, and that will have
        locals of these types of its own."""
        inner = Locals(self.builder, types)
        for name, own in names.items():
            inner.types[name], inner.names[name] = self.types[own], self.names[own]
        return inner

    def read(self, name: str, type_: Type) -> ir.Expr:
        """What a local of the rules is now."""
        local = self.names[name]
        if type_ == BOOL and self.builder.kinds[local] == "int":
            return ir.Compare("!=", ir.Local(local), ZERO)
        return ir.Local(local)

    def write(self, name: str, type_: Type, value: ir.Expr, span: Span) -> None:
        """Give a local of the rules a value of that type."""
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

    `proceeds` is what `proceed` gives there.
    """

    checked: Checked
    proceeds: Type

    def of(self, statements: Iterable[Stmt]) -> dict[str, Type]:
        """Return the type of every local the statements declare, and of locals they read."""
        found: dict[str, Type] = {}
        for node in walk(tuple(statements)):
            match node:
                case Let(name=name, value=value) | SetLocal(name=name, value=value):
                    self._meet(found, name, value.type)
                case Local(name=name, type=type_):
                    self._meet(found, name, type_)
                case Perform(into=str(name)):
                    self._meet(found, name, self.result(node))
                case For(binder=binder):
                    for name, type_ in binder_names(binder):
                        self._meet(found, name, type_)
        return found

    def result(self, node: Perform) -> Type:
        """Return the type of what a call gives."""
        match node.call:
            case ActionCall(action=key):
                return self.checked.actions[key].type
            case ChoiceCall(choice=key):
                return self.checked.choices[key].type
            case EffectCall(effect="take"):
                return PIECE
            case EffectCall(effect="roll"):
                return FACE
        return self.proceeds

    def _meet(self, found: dict[str, Type], name: str, type_: Type) -> None:
        found[name] = widest(found[name], type_) if name in found else type_


def widest(a: Type, b: Type) -> Type:
    """Return a type that holds what two types hold that a local is used with."""
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
    """Return the type with none."""
    return type_ if isinstance(type_, OptionalType) else OptionalType(type_)


def _item(type_: Type) -> Type:
    return type_.item if isinstance(type_, OptionalType) else type_
