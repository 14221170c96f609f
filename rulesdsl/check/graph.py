"""What calls itself: values that need each other, actions that do not end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulesdsl.check.compose.effects import walk
from rulesdsl.diagnostics import Label, Report, Span
from rulesdsl.model import checked

Edges = Mapping[str, Mapping[str, Span]]
"""Who calls whom, and where first."""


def check_cycles(game: checked.Checked, report: Report) -> None:
    """Report values and actions that call themselves."""
    for cycle in _cycles(_value_calls(game)):
        _report(
            report,
            "cyclic-value",
            "value",
            cycle,
            ("what spreads over neighbours is written `reach(x from S by E)`",),
        )
    for cycle in _cycles(_action_calls(game)):
        name = _short(cycle[0][0])
        _report(
            report,
            "recursive-action",
            "action",
            cycle,
            (
                f"queue one call: `later {name}(…)`",
                f"or bound it: `action {name}(…) recursive up to 3`",
            ),
        )


def _report(
    report: Report, slug: str, what: str, cycle: list[tuple[str, Span]], help: Iterable[str]
) -> None:
    name, span = cycle[0]
    names = [f"`{_short(each)}`" for each, _ in cycle[1:]]
    through = f" through {', '.join(names)}" if names else ""
    labels = [Label(where, f"`{_short(each)}` calls on") for each, where in cycle[1:]]
    message = f"{what} `{_short(name)}` needs itself{through}"
    report.error(slug, message, span, labels=labels, help=help)


def _short(key: str) -> str:
    return key.partition("/")[2]


def _value_calls(game: checked.Checked) -> Edges:
    return {
        key: _calls(
            (node.value, node.span)
            for rule in value.rules
            for node in walk((rule.guard, rule.body))
            if isinstance(node, checked.CallValue)
        )
        for key, value in game.values.items()
    }


def _action_calls(game: checked.Checked) -> Edges:
    """Calls of actions without a bound, and of choices; hooks belong to what they hook."""
    edges: dict[str, Mapping[str, Span]] = {}
    for action in game.actions.values():
        if action.depth is None:
            edges[action.key] = _calls(_performed((action.body, action.hooks)))
    for choice in game.choices.values():
        parts = [(option.body, option.hooks) for option in choice.options]
        edges[choice.key] = _calls(_performed((*parts, choice.otherwise, choice.hooks)))
    return edges


def _performed(node: object) -> Iterator[tuple[str, Span]]:
    for each in walk(node):
        match each:
            case checked.Perform(call=checked.ActionCall(action=key) as call):
                yield key, call.span
            case checked.Perform(call=checked.ChoiceCall(choice=key) as call):
                yield key, call.span


def _calls(found: Iterable[tuple[str, Span]]) -> dict[str, Span]:
    calls: dict[str, Span] = {}
    for key, span in found:
        calls.setdefault(key, span)
    return calls


def _cycles(edges: Edges) -> Iterator[list[tuple[str, Span]]]:
    """One shortest cycle for each group of names that reach each other: each name with the place
    where it calls the next."""
    told: set[str] = set()
    for start in edges:
        if start in told:
            continue
        cycle = _shortest(edges, start)
        if cycle is not None:
            told.update(name for name, _ in cycle)
            yield cycle


def _shortest(edges: Edges, start: str) -> list[tuple[str, Span]] | None:
    """The shortest way from a name back to itself."""
    seen: set[str] = set()
    queue = [[(start, span), (name, span)] for name, span in edges[start].items()]
    while queue:
        path = queue.pop(0)
        name = path[-1][0]
        if name == start:
            return path[:-1]
        if name in seen or name not in edges:
            continue
        seen.add(name)
        for after, span in edges[name].items():
            queue.append([*path[:-1], (name, span), (after, span)])
    return None
