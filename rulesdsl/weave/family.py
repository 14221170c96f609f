"""Which rulesets are loaded, in canonical order, and what each of them stands for and sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Label, Report
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.ruleset import Ruleset


@dataclass(frozen=True)
class Family:
    """`rulesets`, `reach` and `visible` as documented on `Game`."""

    rulesets: tuple[Ruleset, ...]
    reach: Mapping[str, frozenset[str]]
    visible: Mapping[str, tuple[str, ...]]

    def related(self, one: str, other: str) -> bool:
        """Does one of two rulesets stand for the other?"""
        return one in self.reach[other] or other in self.reach[one]


def arrange(rulesets: Sequence[Ruleset], report: Report) -> Family:
    """Sort rulesets into canonical order; the order they are given in does not matter.

    Reports an id that is given twice, requirements and parties that are not loaded, circles.
    """
    loaded = _by_id(rulesets, report)
    needs = {id: _needs(ruleset, loaded, report) for id, ruleset in loaded.items()}
    order = _sorted(loaded, needs, report)
    visible = {id: _visible(id, needs, order) for id in order}
    reach = {id: frozenset(order) if loaded[id].house else frozenset(visible[id]) for id in order}
    return Family(tuple(loaded[id] for id in order), reach, visible)


def _by_id(rulesets: Sequence[Ruleset], report: Report) -> dict[str, Ruleset]:
    loaded: dict[str, Ruleset] = {}
    for ruleset in sorted(rulesets, key=lambda r: (r.id, r.digest, r.manifest.span.source.name)):
        first = loaded.setdefault(ruleset.id, ruleset)
        if first.digest != ruleset.digest:
            report.error(
                "ruleset-conflict",
                f"two rulesets are called `{ruleset.id}`",
                ruleset.manifest.span,
                labels=(Label(first.manifest.span, "the other one"),),
                help=("leave one of them out",),
            )
    return loaded


def _needs(ruleset: Ruleset, loaded: Mapping[str, Ruleset], report: Report) -> tuple[str, ...]:
    """The loaded rulesets that `ruleset` requires or is a meeting of."""
    for need in ruleset.needs:
        if need.name not in loaded:
            report.error(
                "ruleset-unmet",
                f"`{ruleset.id}` needs `{need.name}`, which is not loaded",
                need.span,
                help=did_you_mean(need.name, loaded) or (f"load `{need.name}` too",),
            )
    named = (need.name for need in ruleset.needs)
    return tuple(name for name in named if name in loaded and name != ruleset.id)


def _sorted(
    loaded: Mapping[str, Ruleset], needs: Mapping[str, tuple[str, ...]], report: Report
) -> tuple[str, ...]:
    """Ids so that what is needed comes first, otherwise by name."""
    order: list[str] = []
    waiting = sorted(loaded)
    while waiting:
        ready = next((id for id in waiting if all(n in order for n in needs[id])), None)
        if ready is None:
            ready = waiting[0]
            report.error(
                "ruleset-cycle",
                f"`{ready}` and what it needs need each other",
                loaded[ready].manifest.span,
                help=(f"one of these must not name the others: {', '.join(waiting)}",),
            )
            return (*order, *waiting)
        order.append(ready)
        waiting.remove(ready)
    return tuple(order)


def _visible(
    id: str, needs: Mapping[str, tuple[str, ...]], order: tuple[str, ...]
) -> tuple[str, ...]:
    """`id`, then all that it needs, closed, in canonical order."""
    seen: set[str] = set()
    todo = [id]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo.extend(needs[one])
    return (id, *(other for other in order if other in seen and other != id))
