"""Constant expressions of manifests: numbers and conditions over the chosen settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import checked
from rulesdsl.model.checked import fold, walk
from rulesdsl.model.game import Game, SettingDef
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.model.types import BOOL, INT, INT_MAX, INT_MIN, Type
from rulesdsl.model.uses import Uses
from rulesdsl.model.values import Value

Typed = Callable[[Span, str, Type, Game, Uses, Report], checked.Expr | None]
"""Type of a function that types an expression of a ruleset's manifest.

Only the settings of the game are known then. It returns None after reporting.
"""


@dataclass(frozen=True)
class Constants:
    """Evaluator of scalars that may be expressions, over the settings of `game`.

    `typed` types the expressions. `chosen` are settings, by full name, that override those of the
    game.
    """

    game: Game
    uses: Uses
    typed: Typed
    report: Report
    chosen: Mapping[str, SettingDef] = field(default_factory=dict)
    _known: dict[Span, tuple[checked.Expr | None, Report]] = field(default_factory=dict)

    def number(
        self, node: Node | None, ruleset: str, default: int, low: int, high: int = INT_MAX
    ) -> int:
        """Return the number of `node` in `ruleset`; `default` when it is missing or broken.

        A number outside `low`..`high` is reported and clamped.
        """
        value = self._value(node, ruleset, INT) if isinstance(node, Scalar) else None
        if not isinstance(node, Scalar) or not isinstance(value, int):
            return default
        if not low <= value <= high:
            slug = "range" if type(node.value) is int else "setting-impossible"
            message = f"{value} is outside {low}..{high}"
            if not INT_MIN <= value <= INT_MAX:
                slug, message = "range", "the result does not fit in 32 bits"
            self.report.error(slug, message, node.span)
            return min(max(value, low), high)
        return value

    def truth(self, node: Node | None, ruleset: str, *, broken: bool = True) -> bool:
        """Say whether the condition `node` holds.

        True without a condition, `broken` when the condition has no value.
        """
        if not isinstance(node, Scalar):
            return True
        found = self._value(node, ruleset, BOOL)
        return broken if found is None else bool(found)

    def settings(self, node: Node | None, ruleset: str, type_: Type) -> Iterator[str]:
        """Yield the full names of the settings that a scalar of a type reads."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            for each in walk(self._expression(node, ruleset, type_)):
                if isinstance(each, checked.Const) and each.setting is not None:
                    yield each.setting

    def _value(self, node: Scalar, ruleset: str, wanted: Type) -> Value:
        if type(node.value) is (int if wanted == INT else bool):
            return node.value
        found = self._expression(node, ruleset, wanted)
        if found is None:
            return None
        value = fold(found, {key: each.value for key, each in self.chosen.items()})
        if value is None:
            message = "this is not known before the game begins"
            help = "a manifest computes with numbers, conditions and `settings.NAME` alone"
            self.report.error("bad-value", message, found.span, help=(help,))
        return value

    def _expression(self, node: Scalar, ruleset: str, wanted: Type) -> checked.Expr | None:
        """Return the expression of a scalar, typed once."""
        if node.span not in self._known:
            own = Report()
            found = self.typed(node.span, ruleset, wanted, self.game, self.uses, own)
            self._known[node.span] = found, own
        found, own = self._known[node.span]
        self.report.extend(own)
        return found
