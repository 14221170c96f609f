"""Constant folding of checked expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesdsl.model import checked
from rulesdsl.model.values import Value

_INTEGERS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def fold(found: checked.Expr, chosen: Mapping[str, Value] | None = None) -> Value:
    """Return the constant value of an expression, None if it is not constant.

    `chosen` has values of settings, by full name, that override those in the expression.
    """
    match found:
        case checked.Const(value=value, setting=setting):
            return (chosen or {}).get(setting, value) if setting else value
        case checked.Negate(operand=operand):
            inner = fold(operand, chosen)
            return -inner if isinstance(inner, int) else None
        case checked.Not(operand=operand):
            inner = fold(operand, chosen)
            return None if inner is None else not inner
        case checked.IfElse(condition=condition, then=then, otherwise=otherwise):
            truth = fold(condition, chosen)
            return None if truth is None else fold(then if truth else otherwise, chosen)
        case checked.Member(item=item, set=checked.SetLiteral(items=items)):
            values = [fold(each, chosen) for each in (item, *items)]
            return None if None in values else values[0] in values[1:]
        case checked.CallBuiltin(function="max" | "min" as function, arguments=arguments):
            numbers = [fold(each, chosen) for each in arguments]
            known = [each for each in numbers if isinstance(each, int)]
            combine = max if function == "max" else min
            return combine(known) if known and len(known) == len(numbers) else None
        case (
            checked.Binary(operator=operator, left=left, right=right)
            | checked.Compare(operator=operator, left=left, right=right)
        ):
            return _computed(operator, fold(left, chosen), fold(right, chosen))
    return None


def _computed(operator: str, a: Value, b: Value) -> Value:
    if a is None or b is None:
        return None
    match operator:
        case "and":
            return a and b
        case "or":
            return a or b
        case "==":
            return a == b
        case "!=":
            return a != b
    if operator not in _INTEGERS or not isinstance(a, int) or not isinstance(b, int):
        return None
    return None if b == 0 and operator in ("div", "mod") else _INTEGERS[operator](a, b)
