"""Rules with a missing condition."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random

from rulesdsl.author.testing import mutants
from rulesdsl.language.model import ast
from tools.mutants.counts import totals
from tools.mutants.mutant import Line, Mutant
from tools.mutants.places import words
from tools.mutants.shipped import WORD, Ruleset, rulesets

_DECLARES = re.compile(r"(^|\s)(value|action|choice|let|var|state \w+\.)\s*$")
_SORTS = {
    "guard of rule": "of a rule",
    "guard of option": "of an option",
    "where": "of a set",
    "if that leaves": "that leaves",
    "if": "of a statement",
    "part of and": "part of a condition",
}
"""Names in the report for the changes of the product."""


def candidates(_: Random) -> Iterator[Mutant]:
    """Yield rules without a guard, without the condition of a set or `if`, or a part of `and`."""
    for ruleset in rulesets().values():
        if ruleset.rules is not None:
            for change in mutants.guards(ruleset.module):
                rule = change.kind == "guard of rule"
                target = _target(change.node) if rule or change.kind == "guard of option" else ""
                sort = _SORTS[change.kind]
                yield _cut(ruleset, sort, change.start, change.end, False, change.new, target)
        for scalar, start in mutants.conditions(ruleset.yaml, ruleset.scalars()):
            yield _cut(ruleset, "of what is in the box", start, scalar.span.end, True)


def _cut(
    ruleset: Ruleset,
    sort: str,
    start: int,
    end: int,
    manifest: bool = False,
    new: str = "",
    target: str = "",
) -> Mutant:
    source = ruleset.yaml if manifest else ruleset.rules
    assert source is not None
    lost = set(WORD.findall(source.text[start:end]))
    # Something that is no longer used is found at its declaration.
    declared = [_declarations(id) for id in ruleset.loaded]
    parties = {line for word in lost for each in declared for line in each.get(word, ())}
    parties.update(_rules_of(target, ruleset.loaded) if target else ())
    parties.update(_lines(source.name, source.text, start, end))
    parties.update(totals(ruleset) if manifest else ())
    return Mutant(sort, ruleset.id, source.name, start, end, new, tuple(sorted(parties)))


def _lines(name: str, text: str, start: int, end: int) -> Iterator[Line]:
    first = text.count("\n", 0, start) + 1
    yield from ((name, first + n) for n in range(text.count("\n", start, end) + 1))


@cache
def _declarations(id: str) -> Mapping[str, Sequence[Line]]:
    """Return the lines of the declarations of a ruleset, by name."""
    found: dict[str, list[Line]] = defaultdict(list)
    ruleset = rulesets()[id]
    for keys, scalar, key in ruleset.scalars():
        if key and len(keys) == 2 and keys[0] != "labels":
            found[keys[-1]].append((ruleset.yaml.name, scalar.span.line))
    for word in words(ruleset.rules) if ruleset.rules else ():
        if _DECLARES.search(word.before):
            assert ruleset.rules is not None
            found[word.text].append((ruleset.rules.name, ruleset.rules.position(word.start)[0]))
    return dict(found)


def _rules_of(target: str, ids: tuple[str, ...]) -> Iterator[Line]:
    """Yield the lines of other rules for the target of a rule."""
    for id in ids:
        ruleset = rulesets()[id]
        for node in ruleset.module.declarations if ruleset.rules else ():
            if _target(node) == target:
                assert ruleset.rules is not None
                yield ruleset.rules.name, node.span.line


def _target(node: object) -> str:
    match node:
        case ast.Contribution(target=target) | ast.HookDecl(target=target):
            return str(target).rpartition(".")[2]
        case ast.ValueDecl(name=name) | ast.ActionDecl(name=name):
            return name
    return ""
