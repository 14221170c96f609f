"""Which expressions give features that are what is connected now.

A feature is a segment of it. What a feature that was kept means may have grown or split since, so
it is looked up again where it is compared; one that was just asked for need not be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rulesdsl.model.checked import (
    Aggregate,
    Binary,
    CallBuiltin,
    CallValue,
    Checked,
    Comprehension,
    Expr,
    IfElse,
    Local,
    Reach,
    Return,
    SetLiteral,
    Stmt,
    walk,
)


class Freshness:
    """What is known of locals here, and of the results of values."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._locals: set[str] = set()
        self._values: dict[str, bool] = {}

    @contextmanager
    def knowing(self, names: Iterable[str]) -> Iterator[None]:
        """Inside, these locals are what is connected now."""
        before = set(self._locals)
        self._locals |= set(names)
        yield
        self._locals = before

    def is_fresh(self, expression: Expr) -> bool:
        """Are the features in its value certainly what is connected when it is evaluated?"""
        match expression:
            case Local(name=name):
                return name in self._locals
            case CallBuiltin() | Reach():
                return True
            case Binary(operator="union" | "difference"):
                return True
            case Aggregate(value=None):
                return True
            case Comprehension(value=value, binders=binders):
                with self.knowing(name for binder in binders for name in binder.names):
                    return self.is_fresh(value)
            case IfElse(then=then, otherwise=otherwise):
                return self.is_fresh(then) and self.is_fresh(otherwise)
            case SetLiteral(items=items):
                return all(self.is_fresh(item) for item in items)
            case CallValue(value=key):
                return self._value(key)
        return False

    def _value(self, key: str) -> bool:
        """Are the features in every result of a value of the rules fresh? (Not if it calls itself
        for them.)"""
        if key not in self._values:
            self._values[key] = False
            rules = self._checked.values[key].rules
            here, self._locals = self._locals, set()
            self._values[key] = all(
                self.is_fresh(result) for rule in rules for result in _results(rule.body)
            )
            self._locals = here
        return self._values[key]


def _results(body: tuple[Stmt, ...]) -> list[Expr]:
    found = walk(body)
    return [node.value for node in found if isinstance(node, Return) and node.value is not None]
