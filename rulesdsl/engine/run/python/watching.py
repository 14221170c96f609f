"""Games that tell which parts of their rules run, and what their conditions are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from rulesdsl.engine.run import position
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.traced import TracedGame
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import BOOL

Watcher = Callable[[tree.Node, bool], object]
"""A function called with each part of the rules that runs, and with the outcome of a condition.

The parts are rules, actions, hooks, options, vetoes, statements, and choices whose `otherwise`
runs.
The outcome of a part is True, but for a rule that answers yes or no.
"""

_PARTS = (
    tree.ActionDef,
    tree.Hook,
    tree.Rule,
    tree.OptionDef,
    tree.Forbid,
    tree.AlwaysDef,
    tree.ChoiceDef,
)


class WatchedGame(TracedGame):
    """A game for a number of players whose positions call `watcher`."""

    def __init__(self, checked: Checked, players: int, watcher: Watcher) -> None:
        self._checked = checked
        self._watcher = watcher
        super().__init__(checked, players, marked=True)

    def start(self, seed: int | None) -> LoweredPosition:
        """Return a new game at its first decision, see `engines.engine.Engine.start`."""
        return position.start(self.lowered, self.blank.clone(), seed)

    def trace(self, number: int, value: int) -> int:
        point = self.points.points[number]
        node = point.node
        if point.what == "ran":
            part = self._parts.get((node.source.name, node.start))
            if part is not None and getattr(part, "verb", "") not in ANSWERS:
                self._watcher(part, True)
        elif point.what == "statement":
            self._watcher(node, True)
        elif point.what == "end" and node.type == BOOL:
            self._watcher(node, bool(value))
            rule = self._answers.get(id(node))
            if rule is not None:
                self._watcher(rule, bool(value))
        return value

    @cached_property
    def _rules(self) -> tuple[object, ...]:
        """All rules of the game."""
        tables = (self._checked.values, self._checked.actions, self._checked.choices)
        return (*(tuple(table.values()) for table in tables), self._checked.always)

    @cached_property
    def _parts(self) -> Mapping[tuple[str, int], tree.Node]:
        """The parts of the rules by the places where they begin."""
        parts = (node for node in tree.walk(self._rules) if isinstance(node, _PARTS))
        return {(node.span.source.name, node.span.start): node for node in parts}

    @cached_property
    def _answers(self) -> Mapping[int, tree.Rule]:
        """The rules that say yes or no, by the identity of the expressions that they return."""
        return {
            id(node.value): rule
            for rule in tree.walk(self._rules)
            if isinstance(rule, tree.Rule) and rule.verb in ANSWERS
            for node in tree.walk(rule.body)
            if isinstance(node, tree.Return)
        }


ANSWERS = frozenset({"require", "allow"})
"""Verbs of rules that say yes or no."""
