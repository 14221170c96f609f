"""Footprints: what each ruleset changes and depends on, and which rulesets are linked by that.

Two rulesets are linked if the presence of one can matter to a proof about the other:

- one names the other, or both need or interact with a third one;
- one changes a datum that the other uses, through everything that their rules call;
- one changes a value, action or choice that rules of the other call;
- both change the same one, and the changes do not simply add up.

Hooks before or after the same action, contributions to one sum, additions to one state, components
and members of enums add up. They can break something only by their number, which a game with all of
them shows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from rulesdsl.language.check.conflicts.effects import Effects, EffectTable
from rulesdsl.language.check.graph import contents, reachable
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.flow import RuleBody, rule_bodies
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import owner_of, ruleset_of

_WORD = re.compile(r"\w+")
_ADDS = frozenset({"before", "after", "option", "contribution"})
"""Changes that add up with one another."""


class Footprint:
    """The effects, calls and changes of the rules of one ruleset.

    `calls` are the names of callables that its rules call, through everything; `changes` are those
    that it changes, each with the kinds of its changes.
    """

    def __init__(self) -> None:
        self.effects = Effects()
        self.calls: set[str] = set()
        self.changes: defaultdict[str, set[str]] = defaultdict(set)

    def meets(self, other: Footprint) -> bool:
        """Return whether a proof about one may depend on the other."""
        if self.changes.keys() & other.calls or other.changes.keys() & self.calls:
            return True
        both = self.changes.keys() & other.changes.keys()
        if any(not self.changes[key] | other.changes[key] <= _ADDS for key in both):
            return True
        return bool(self.effects.meets(other.effects))

    @property
    def removes(self) -> bool:
        """Whether it can take something away from a game, such as the effects of an action."""
        return any(not kinds <= _ADDS for kinds in self.changes.values())


def footprints(game: tree.Checked) -> dict[str, Footprint]:
    """Return the footprint of every ruleset in a game, by id."""
    inside = contents(game)
    effects = EffectTable(game, inside)
    tables = {**inside.values, **inside.actions, **inside.choices}
    called = {key: frozenset(_calls(nodes)) for key, nodes in tables.items()}
    found: defaultdict[str, Footprint] = defaultdict(Footprint)
    for body in rule_bodies(game):
        own = found[owner_of(body.ruleset)]
        if kind := _changed(body, game):
            own.changes[body.key].add(kind)
        around = [getattr(body.node, name, None) for name in ("binder", "binders", "by")]
        parts = (*around, body.guard, body.code)
        own.effects |= effects.of(parts, _params(body), body.guard)
        own.calls |= set(_calls(tree.Nodes(parts)))
    for own in found.values():
        own.calls = reachable(own.calls, lambda key: called.get(key, ()))
    return dict(found)


def _changed(body: RuleBody, game: tree.Checked) -> str:
    """Return how code changes the callable to which it belongs, empty for its declaration."""
    match body.node:
        case tree.Rule(verb=verb):
            adds = body.what == "rule" and game.values[body.key].policy != "unique"
            return "" if verb == "base" else "contribution" if adds else verb
        case tree.Hook(when=when):
            return when
        case tree.OptionDef():
            return "option" if owner_of(body.ruleset) != ruleset_of(body.key) else ""
    return "forbid" if body.what == "veto" else ""


def _params(body: RuleBody) -> tuple[str, ...]:
    match body.node:
        case tree.ActionDef(params=params):
            return tuple(each.name for each in params)
        case tree.Rule(params=names) | tree.Hook(params=names) | tree.Forbid(params=names):
            return names
    return ()


def _calls(nodes: tree.Nodes) -> Iterator[str]:
    yield from (each.value for each in nodes.of(tree.CallValue))
    yield from (each.action for each in nodes.of(tree.ActionCall))
    yield from (each.choice for each in nodes.of(tree.ChoiceCall))


def components(
    ids: Sequence[str],
    packs: Mapping[str, AbstractSet[str]],
    rulesets: Iterable[Ruleset],
    found: Mapping[str, Footprint] | None,
    linked: Iterable[Collection[str]] = (),
) -> list[tuple[str, ...]]:
    """Return the sets of `ids` that are linked with each other, directly or through others.

    `packs` are the rulesets that each of them activates, the root left out. Interactions belong to
    their parties. Without footprints (None) all are linked; `linked` are further links.
    """
    if found is None:
        return [tuple(ids)] if ids else []
    by_id = {each.id: each for each in rulesets}
    named = {id: words_of(by_id[id]) for id in ids}
    groups = {id: {id} for id in ids}

    def join(members: Iterable[str]) -> None:
        one = set[str]().union(*(groups[member] for member in members))
        groups.update(dict.fromkeys(one, one))

    homes: defaultdict[str, set[str]] = defaultdict(set)
    for id in ids:
        for each in packs[id]:
            homes[each].add(id)
    for ruleset in by_id.values():
        if ruleset.interaction and ruleset.id not in homes:
            parties = {party.name for party in ruleset.parties}
            homes[ruleset.id] = {id for id in ids if packs[id] & parties}
    for members in (*homes.values(), *linked):
        join(members)
    prints = {
        id: [found[each] for each, members in homes.items() if id in members and each in found]
        for id in ids
    }
    for one, other in combinations(ids, 2):
        if groups[one] is not groups[other] and (
            other in named[one]
            or one in named[other]
            or any(own.meets(its) for own in prints[one] for its in prints[other])
        ):
            join((one, other))
    return sorted({tuple(sorted(group)) for group in groups.values()})


def words_of(ruleset: Ruleset) -> frozenset[str]:
    """Return all words in the files of a ruleset."""
    texts = (ruleset.manifest.span.source, ruleset.rules)
    return frozenset(w for text in texts if text is not None for w in _WORD.findall(text.text))
