"""The types of the locals that blocks declare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rulesdsl.lower.parts import binder_names
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
from rulesdsl.model.types import FACE, NONE, PIECE, IntType, OptionalType, SetType, Type


@dataclass
class LocalTypes:
    """The widest type each local of some statements is used with; `proceeds` is what `proceed`
    gives there."""

    checked: Checked
    proceeds: Type

    def of(self, statements: Iterable[Stmt]) -> dict[str, Type]:
        """The type of every local the statements declare, and of locals they read."""
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
        """The type of what a call gives."""
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
    """A type that holds what two types hold that a local is used with."""
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
    """The type with none."""
    return type_ if isinstance(type_, OptionalType) else OptionalType(type_)


def _item(type_: Type) -> Type:
    return type_.item if isinstance(type_, OptionalType) else type_
