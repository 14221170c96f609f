"""Which values have to count how deep values call each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulesdsl.model.checked import CallValue, Checked
from rulesdsl.model.walk import walk

VALUE_DEPTH = 200
"""How deep values may call each other."""

Graph = Mapping[str, frozenset[str]]


def counted_values(checked: Checked) -> frozenset[str]:
    """All values that can stand in a chain of calls that is too deep."""
    calls = {
        key: frozenset(node.value for node in walk(value.rules) if isinstance(node, CallValue))
        for key, value in checked.values.items()
    }
    if len(calls) > VALUE_DEPTH:
        return frozenset(calls)
    callers = {
        key: frozenset(other for other, called in calls.items() if key in called) for key in calls
    }
    recursive = {key for key in calls if key in _reached(calls, calls[key])}
    return frozenset(_reached(calls, recursive) | _reached(callers, recursive))


def _reached(graph: Graph, start: Iterable[str]) -> set[str]:
    """What can be reached from the start, that included."""
    found: set[str] = set()
    todo = list(start)
    while todo:
        key = todo.pop()
        if key not in found:
            found.add(key)
            todo.extend(graph[key])
    return found
