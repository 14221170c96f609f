"""Comparisons and what they become when they are turned round or denied."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.model import ir

OPPOSITE: Mapping[ir.CompareOp, ir.CompareOp] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
"""What holds where the comparison does not."""

TURNED: Mapping[ir.CompareOp, ir.CompareOp] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}
"""What holds of the operands the other way round."""
