"""Which rulesets are loaded, in canonical order, and what each of them stands for and sees."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Label, Report
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model import ast
from rulesdsl.model.ast import blocks, named
from rulesdsl.model.game import Part
from rulesdsl.model.ruleset import Ruleset


@dataclass(frozen=True)
class Family:
    """`rulesets`, `parts`, `reach` and `visible` as documented on `Game`."""

    rulesets: tuple[Ruleset, ...]
    parts: tuple[Part, ...]
    reach: Mapping[str, frozenset[str]]
    visible: Mapping[str, tuple[str, ...]]

    def related(self, one: str, other: str) -> bool:
        """Does one of two rulesets stand for the other?"""
        return one in self.reach[other] or other in self.reach[one]


def arrange(
    rulesets: Sequence[Ruleset], modules: Mapping[str, ast.Module], report: Report
) -> Family:
    """Sort rulesets into canonical order; the order they are given in does not matter. `modules`
    are their rules.

    Reports an id that is given twice, requirements and parties that are not loaded, circles, and
    `with` blocks that name what is always there.
    """
    loaded = _by_id(rulesets, report)
    needs = {id: _needs(ruleset, loaded, report) for id, ruleset in loaded.items()}
    order = _sorted(loaded, needs, report)
    closed = {id: _closed(id, needs) for id in order}
    said = [part for id in order for part in _blocks(id, modules.get(id), closed[id], report)]
    there = [part for part in dict.fromkeys(said) if loaded.keys() >= set(part.names)]
    whole = {Part(id): frozenset(closed[id]) for id in order}
    for part in there:
        whole[part] = frozenset().union(*(closed[id] for id in (part.ruleset, *part.names)))
    parts = _placed(order, there, whole)
    houses = {id for id in order if loaded[id].house}
    reach = {part.id: _reach(part, whole, houses) for part in parts}
    visible = {part.id: _visible(part, parts, whole) for part in parts}
    return Family(tuple(loaded[id] for id in order), parts, reach, visible)


def _blocks(
    id: str, module: ast.Module | None, closed: Collection[str], report: Report
) -> Iterator[Part]:
    """The parts of a ruleset's rules that its `with` blocks make, there or not."""
    for block in () if module is None else blocks(module):
        for path in block.names:
            if str(path) in closed:
                report.error(
                    "with-needless",
                    f"`{path}` is on in every game with `{id}`",
                    path.span,
                    help=("`with` names rulesets that may be off: leave this one out",),
                )
        yield Part(id, named(block))


def _placed(
    order: Sequence[str], there: Sequence[Part], whole: Mapping[Part, frozenset[str]]
) -> tuple[Part, ...]:
    """The parts in canonical order: each block after its ruleset and those that it names."""
    after: dict[str, list[Part]] = {id: [] for id in order}
    for part in sorted(there, key=lambda part: len(whole[part])):
        after[max((part.ruleset, *part.names), key=order.index)].append(part)
    return tuple(part for id in order for part in (Part(id), *after[id]))


def _reach(
    part: Part, whole: Mapping[Part, frozenset[str]], houses: Collection[str]
) -> frozenset[str]:
    """What the rules of a part stand for."""
    if part.ruleset in houses:
        others = (p.id for p in whole if not p.names or p.ruleset not in houses)
        lower = (p.id for p in whole if p.ruleset == part.ruleset and whole[p] < whole[part])
        return frozenset({part.id, *others, *lower})
    return whole[part].union({part.id}, _below(part, whole))


def _below(part: Part, whole: Mapping[Part, frozenset[str]]) -> set[str]:
    """The blocks that stand for fewer rulesets, all of them among those of a part."""
    return {other.id for other in whole if other.names and whole[other] < whole[part]}


def _visible(
    part: Part, parts: Sequence[Part], whole: Mapping[Part, frozenset[str]]
) -> tuple[str, ...]:
    """The id of a part, then all that it needs, closed, in canonical order."""
    seen = whole[part] | _below(part, whole)
    return (part.id, *(other.id for other in parts if other.id in seen and other != part))


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


def _closed(id: str, needs: Mapping[str, tuple[str, ...]]) -> set[str]:
    """A ruleset and all that it needs, closed."""
    seen: set[str] = set()
    todo = [id]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo.extend(needs[one])
    return seen
