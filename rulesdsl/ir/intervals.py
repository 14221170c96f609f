"""Intervals of numbers: what an operator can give for operands of which only bounds are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf

from rulesdsl.model import ir

Interval = tuple[float, float]
"""The least and the greatest that a number can be: integers, or infinite where nothing is known."""

UNKNOWN: Interval = (-inf, inf)
BIT: Interval = (0, 1)


def join(one: Interval | None, other: Interval | None) -> Interval | None:
    """What one or the other can be; None stands for nothing at all."""
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def meet(one: Interval, other: Interval) -> Interval | None:
    """What both can be."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else None


def minus(one: Interval) -> Interval:
    """`-` of a number."""
    return -one[1], -one[0]


def combine(operator: ir.BinaryOp, one: Interval, other: Interval) -> Interval | None:
    """What a binary operator can give; None if it always faults."""
    found = _COMBINE[operator](one, other)
    if found is None:
        return None
    low, high = found
    return (low if low >= -(2**63) else -inf), (high if high < 2**63 else inf)


def compare(operator: ir.CompareOp, one: Interval, other: Interval) -> Interval | None:
    """What the first number can be if the comparison with the second one holds."""
    low, high = one
    match operator:
        case "==":
            return meet(one, other)
        case "!=":
            if other[0] == other[1]:
                low += low == other[0]
                high -= high == other[0]
        case "<":
            high = min(high, other[1] - 1)
        case "<=":
            high = min(high, other[1])
        case ">":
            low = max(low, other[0] + 1)
        case ">=":
            low = max(low, other[0])
    return (low, high) if low <= high else None


def _plus(one: Interval, other: Interval) -> Interval:
    return one[0] + other[0], one[1] + other[1]


def _times(one: Interval, other: Interval) -> Interval:
    corners = [a * b if a and b else 0 for a in one for b in other]
    return min(corners), max(corners)


def _part(divisor: Interval) -> list[Interval]:
    """The divisors above and below zero."""
    parts = meet(divisor, (1, inf)), meet(divisor, (-inf, -1))
    return [part for part in parts if part is not None]


def _divided(one: Interval, other: Interval) -> Interval | None:
    found: Interval | None = None
    for part in _part(other):
        corners = [_quotient(a, b) for a in one for b in part]
        found = join(found, (min(corners), max(corners)))
    return found


def _quotient(number: float, divisor: float) -> float:
    """Rounded down; for an infinite divisor as for one that is large enough."""
    if number in (inf, -inf):
        return number if divisor > 0 else -number
    if divisor in (inf, -inf):
        return 0 if number == 0 or (number > 0) == (divisor > 0) else -1
    return number // divisor


def _modulo(one: Interval, other: Interval) -> Interval | None:
    found: Interval | None = None
    for low, high in _part(other):
        if low > 0:
            inside = one[0] >= 0 and one[1] < low
            rest = (0, high - 1) if one[0] < 0 else (0, min(high - 1, one[1]))
            found = join(found, one if inside else rest)
        else:
            found = join(found, (low + 1, 0))
    return found


def _width(*bounds: float) -> float:
    """2 ** bits, all numbers between the bounds being from -2 ** bits to 2 ** bits - 1."""
    if any(bound in (inf, -inf) for bound in bounds):
        return inf
    return 1 << max((int(b) if b >= 0 else ~int(b)).bit_length() for b in bounds)


def _and(one: Interval, other: Interval) -> Interval:
    if one[0] >= 0 and other[0] >= 0:
        return 0, min(one[1], other[1])
    if one[0] >= 0 or other[0] >= 0:
        return 0, one[1] if one[0] >= 0 else other[1]
    return -_width(one[0], other[0]), max(one[1], other[1])


def _or(one: Interval, other: Interval) -> Interval:
    low = min(one[0], other[0])
    if one[0] >= 0 and other[0] >= 0:
        low = max(one[0], other[0])
    if one[1] < 0 or other[1] < 0:
        return low, -1
    return low, _width(one[1], other[1]) - 1


def _xor(one: Interval, other: Interval) -> Interval:
    width = _width(*one, *other)
    return (0 if one[0] >= 0 and other[0] >= 0 else -width), width - 1


def _left(one: Interval, other: Interval) -> Interval | None:
    by = meet(other, (0, 63))
    return None if by is None else _times(one, (1 << int(by[0]), 1 << int(by[1])))


def _right(one: Interval, other: Interval) -> Interval | None:
    by = meet(other, (0, 63))
    return None if by is None else _divided(one, (1 << int(by[0]), 1 << int(by[1])))


_COMBINE: Mapping[ir.BinaryOp, Callable[[Interval, Interval], Interval | None]] = {
    "+": _plus,
    "-": lambda one, other: _plus(one, minus(other)),
    "*": _times,
    "//": _divided,
    "%": _modulo,
    "&": _and,
    "|": _or,
    "^": _xor,
    "<<": _left,
    ">>": _right,
    "min": lambda one, other: (min(one[0], other[0]), min(one[1], other[1])),
    "max": lambda one, other: (max(one[0], other[0]), max(one[1], other[1])),
}
