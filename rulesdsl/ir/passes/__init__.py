"""Passes over programs of the IR, each of which makes an equivalent program that is faster.

Results, tables and the fuel that is spent stay the same whenever no fault happens, and so does
whether one happens. If several faults are possible, another of them may happen; the tables after a
fault may differ, because a fault undoes everything.
"""

from __future__ import annotations

from rulesdsl.ir.passes.fold import fold, fold_function
from rulesdsl.ir.passes.inline import inline, narrow, prune
from rulesdsl.ir.passes.trees import map_functions
from rulesdsl.ir.passes.unroll import unroll, unroll_function
from rulesdsl.model import ir

__all__ = ["fold", "inline", "narrow", "optimise", "prune", "unroll"]

ROUNDS = 3
"""The greatest number of inlining rounds, each of which treats functions that became small."""


def optimise(program: ir.Program) -> ir.Program:
    """Return a program with all passes applied, always in the same order."""
    done: dict[str, ir.Function] = {}

    def polished(function: ir.Function) -> ir.Function:
        if done.get(function.name) is not function:
            done[function.name] = _polish(function, program)
        return done[function.name]

    program = fold(prune(program))
    for _ in range(ROUNDS):
        before = map_functions(program, polished)
        program = inline(before)
        if program is before:
            break
    return map_functions(program, polished)


def _polish(folded: ir.Function, program: ir.Program) -> ir.Function:
    """Return a function with all passes applied that look at one function only.

    The function must be folded already, as by `inline`.
    """
    unrolled = unroll_function(folded)
    return folded if unrolled is folded else fold_function(unrolled, program.tables)
