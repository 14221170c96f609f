"""The contents of declarations, and cycles among them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Span
from rulesdsl.language.model import checked
from rulesdsl.language.model.names import short_name


@dataclass(frozen=True)
class Contents:
    """The nodes of all declarations of a game, by full name as on `Checked`."""

    states: Mapping[str, checked.Nodes]
    values: Mapping[str, checked.Nodes]
    actions: Mapping[str, checked.Nodes]
    choices: Mapping[str, checked.Nodes]
    always: checked.Nodes

    def every(self) -> Iterator[checked.Nodes]:
        """Yield the nodes of each declaration."""
        tables = (self.states, self.values, self.actions, self.choices)
        yield from chain.from_iterable(table.values() for table in tables)
        yield self.always

    def called(self, asked: object) -> set[str]:
        """Return the values (full names) for which code asks, through those that they call."""

        def values(nodes: checked.Nodes) -> Iterator[str]:
            yield from (each.value for each in nodes.of(checked.CallValue))

        return reachable(values(checked.Nodes(asked)), lambda key: values(self.values[key]))


def contents(game: checked.Checked) -> Contents:
    """Return the nodes of the rules of a game, which do not depend on the order of hooks."""
    return Contents(
        {key: checked.Nodes(state) for key, state in game.states.items()},
        {key: checked.Nodes(value) for key, value in game.values.items()},
        {key: checked.Nodes(action) for key, action in game.actions.items()},
        {key: checked.Nodes(choice) for key, choice in game.choices.items()},
        checked.Nodes(game.always),
    )


T = TypeVar("T")


def reachable(start: Iterable[T], after: Callable[[T], Iterable[T]]) -> set[T]:
    """Return everything that can be reached in steps, the start included."""
    found, waiting = set[T](), list(start)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += after(one)
    return found


# --- cycles ---------------------------------------------------------------------------------------


Edges = Mapping[str, Mapping[str, Span]]
"""The first call of each callee, by caller."""
Cycle = list[tuple[str, Span]]
"""Names, each with the place where it calls the next; the last calls the first."""

_MOST_NAMED = 5


def check_cycles(game: checked.Checked, contents: Contents, report: Report) -> None:
    """Report values and actions that call themselves."""
    rulesets = enumerate(game.game.rulesets)
    rank = {each.rules.name: number for number, each in rulesets if each.rules is not None}
    values = {
        key: _calls((node.value, node.span) for node in nodes.of(checked.CallValue))
        for key, nodes in contents.values.items()
    }
    for cycle in _cycles(values):
        hint = "to follow neighbours, write `reach(x from S by E)`"
        if any(span.source != game.values[name].span.source for name, span in cycle[:1]):
            hint = "write `previous`, the value without this rule"
            hint = hint if len(cycle) == 1 else "in a `refine`, `previous` is the value without it"
        _report(report, "cyclic-value", _closed_last(cycle, rank), (hint,))
    has_steps = any(action.step for action in game.actions.values())
    step = "" if has_steps else ", and declare the action that causes it as `step action`"
    for cycle in _cycles(_action_calls(game, contents)):
        cycle = _closed_last(cycle, rank)
        here = cycle[0][1].source
        own = {key for key, action in game.actions.items() if action.span.source == here}
        names = [short_name(name) for name, _ in cycle if name in game.actions]
        bound = [short_name(name) for name, _ in cycle if name in own]
        help_lines = (
            *(f"queue the call: `later {name}(…)`{step}" for name in names[:1]),
            *(f"or bound it: `action {name}(…) recursive up to 3`" for name in bound[:1]),
        )
        _report(report, "recursive-action", cycle, help_lines)


def _closed_last(cycle: Cycle, rank: Mapping[str, int]) -> Cycle:
    """Return the cycle, begun at the call that closes it: that of the last of the rulesets."""
    ranks = [rank.get(span.source.name, -1) for _, span in cycle]
    start = ranks.index(max(ranks))
    return cycle[start:] + cycle[:start]


def _report(report: Report, slug: str, cycle: Cycle, help: Iterable[str]) -> None:
    name, span = cycle[0]
    others = cycle[1 : _MOST_NAMED + 1]
    names = [f"`{short_name(each)}`" for each, _ in others]
    through = f" through {', '.join(names)}" if names else ""
    if len(cycle) - 1 > len(others):
        through += f" and {len(cycle) - 1 - len(others)} more"
    labels = [Label(where, f"`{short_name(each)}` calls the next") for each, where in others]
    report.error(
        slug, f"`{short_name(name)}` depends on itself{through}", span, labels=labels, help=help
    )


def _action_calls(game: checked.Checked, contents: Contents) -> Edges:
    """Return the calls of actions without a bound, and of choices.

    Calls in hooks count as calls by the hooked action or choice.
    """
    unbound = (key for key, action in game.actions.items() if action.depth is None)
    acting = {key: contents.actions[key] for key in unbound} | dict(contents.choices)
    return {key: _calls(_performed(nodes)) for key, nodes in acting.items()}


def _performed(nodes: checked.Nodes) -> Iterator[tuple[str, Span]]:
    for each in nodes.of(checked.Perform):
        match each.call:
            case checked.ActionCall(action=key) | checked.ChoiceCall(choice=key) as call:
                yield key, call.span


def _calls(found: Iterable[tuple[str, Span]]) -> dict[str, Span]:
    calls: dict[str, Span] = {}
    for key, span in found:
        calls.setdefault(key, span)
    return calls


def _cycles(edges: Edges) -> Iterator[Cycle]:
    """Yield one shortest cycle for each group of names that reach each other.

    Each name comes with the place where it calls the next.
    """
    try:
        TopologicalSorter(edges).prepare()
    except CycleError:
        told: set[str] = set()
        for start in edges:
            cycle = None if start in told else _shortest(edges, start)
            if cycle is not None:
                told.update(name for name, _ in cycle)
                yield cycle


def _shortest(edges: Edges, start: str) -> Cycle | None:
    """Return the shortest cycle through a name, None if there is none."""
    callers: dict[str, tuple[str, Span]] = {}
    queue = deque([start])
    while queue and start not in callers:
        name = queue.popleft()
        for called, span in edges.get(name, {}).items():
            if called not in callers:
                callers[called] = (name, span)
                queue.append(called)
    if start not in callers:
        return None
    cycle = [callers[start]]
    while cycle[-1][0] != start:
        cycle.append(callers[cycle[-1][0]])
    return cycle[::-1]
