"""Locals of the rules as locals of the IR."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rulesdsl.diagnostics import Span
from rulesdsl.lower.emit import ZERO, Builder
from rulesdsl.lower.logic import as_number
from rulesdsl.lower.tables.encoding import none_of
from rulesdsl.model import ir
from rulesdsl.model.types import BOOL, NONE, Type


def kind_of(type_: Type) -> ir.Kind:
    """What a result or local of that type is in the IR: a bool that cannot be none is a bool, all
    else a number."""
    return "bool" if type_ == BOOL else "int"


class Locals:
    """An environment (`emit.Environment`) whose locals are locals of the IR. `types` are the types
    of those that will be declared (see `local_types`)."""

    def __init__(self, builder: Builder, types: Mapping[str, Type] | None = None) -> None:
        self.builder = builder
        self.types = dict(types or {})
        self.names: dict[str, str] = {}

    def parameter(self, name: str, type_: Type, kind: ir.Kind | None = None) -> tuple[str, ir.Kind]:
        """A parameter of the function that is built, of that kind or as a local is."""
        self.types[name] = type_
        kind = kind or kind_of(type_)
        self.names[name] = self.builder.fresh(re.sub(r"\W", "_", name), kind)
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
            self.names[name] = self.builder.fresh(re.sub(r"\W", "_", name), kind)
        local = self.names[name]
        if type_ == NONE:
            value = ir.Const(none_of(self.types.get(name, type_)))
        elif self.builder.kinds[local] == "int":
            value = as_number(value, type_ == BOOL)
        self.builder.emit(ir.Assign(local, value, span))
