"""Games that tell which parts of their rules run, and what their conditions are."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.engine.lower.tracing import TRACE, TracePoint
from rulesdsl.engine.run import position
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.traced import Listener, TracedGame
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


ANSWERS = frozenset({"require", "allow"})
"""Verbs of rules that say yes or no."""


class WatchedGame(TracedGame):
    """A game for a number of players whose positions call `watcher`."""

    def __init__(self, checked: Checked, players: int, watcher: Watcher) -> None:
        super().__init__(checked, players, marked=True)
        self.instance.functions[TRACE] = _Watching(self, checked, watcher).trace

    def start(self, seed: int | None) -> LoweredPosition:
        """Return a new game at its first decision, see `engines.engine.Engine.start`."""
        return position.start(self.lowered, self.blank.clone(), seed)


class _Watching(Listener):
    """A listener that calls a watcher.

    `_parts` are the parts of the rules by the places where they begin, and `_answers` the rules
    that say yes or no, by the identity of the expressions that they return.
    """

    def __init__(self, game: TracedGame, checked: Checked, watcher: Watcher) -> None:
        super().__init__(game)
        self._watcher = watcher
        tables = (checked.values, checked.actions, checked.choices)
        nodes = tree.walk((*(tuple(table.values()) for table in tables), checked.always))
        parts = [node for node in nodes if isinstance(node, _PARTS)]
        self._parts = {(node.span.source.name, node.span.start): node for node in parts}
        self._answers = {
            id(node.value): rule
            for rule in parts
            if isinstance(rule, tree.Rule) and rule.verb in ANSWERS
            for node in tree.walk(rule.body)
            if isinstance(node, tree.Return)
        }

    def _ran(self, point: TracePoint, value: int) -> None:
        part = self._parts.get((point.node.source.name, point.node.start))
        if part is not None and getattr(part, "verb", "") not in ANSWERS:
            self._watcher(part, True)

    def _statement(self, point: TracePoint, value: int) -> None:
        self._watcher(point.node, True)

    def _end(self, point: TracePoint, value: int) -> None:
        if point.node.type == BOOL:
            self._watcher(point.node, bool(value))
            rule = self._answers.get(id(point.node))
            if rule is not None:
                self._watcher(rule, bool(value))
