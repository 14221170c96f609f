"""Calls of functions of the runtime, and entries of its tables.

The functions and tables of `runtime` are passed themselves, not their names, so that
a type checker and an editor see what the lowering uses.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.engine.runtime.declare import DeclaredTable
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ir

Function = Callable[..., int | bool | None]
"""A function of the runtime, which is called in programs by its own name."""


def call(function: Function, *arguments: ir.Expr) -> ir.Call:
    """Return a call of a function of the runtime."""
    return ir.Call(function.__name__, arguments)


def load(table: DeclaredTable, index: ir.Expr) -> ir.Load:
    """Return an expression that reads an entry of a table of the runtime."""
    return ir.Load(table.name, index)


def store(
    table: DeclaredTable, index: ir.Expr, value: ir.Expr, span: Span | None = None
) -> ir.Store:
    """Return a statement that writes an entry of a table of the runtime."""
    return ir.Store(table.name, index, value, span)
