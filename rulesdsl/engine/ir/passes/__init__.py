"""Passes over programs of the IR, each of which makes an equivalent program that is faster.

Results, tables and the fuel that is spent stay the same whenever no fault happens, and so does
whether one happens. If several faults are possible, another of them may happen; the tables after a
fault may differ, because a fault undoes everything.
"""

from __future__ import annotations

from collections.abc import Collection

from rulesdsl.engine.ir.passes.fold import fold
from rulesdsl.engine.ir.passes.inline import inline, narrow, prune
from rulesdsl.language.model import ir

__all__ = ["fold", "inline", "narrow", "optimise", "prune"]


def optimise(program: ir.Program, sure: Collection[str] = ()) -> ir.Program:
    """Return a program with all passes applied, always in the same order.

    No index of the tables `sure` is ever out of range.
    """
    return inline(fold(prune(program), sure))
