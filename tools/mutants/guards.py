"""Rules that lost a condition."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random

from rulesdsl.model import ast
from rulesdsl.model.walk import walk
from tools.mutants.counts import totals
from tools.mutants.mutant import Line, Mutant
from tools.mutants.places import words
from tools.mutants.shipped import WORD, Ruleset, rulesets

_DECLARES = re.compile(r"(^|\s)(value|action|choice|let|var|state \w+\.)\s*$")
_LEAVES = (ast.Return, ast.Simple)


def candidates(_: Random) -> Iterator[Mutant]:
    """Guards of rules and options, conditions of sets, `if` and parts of what `and` joins."""
    for ruleset in rulesets().values():
        if ruleset.rules is not None:
            for node in walk(ruleset.module.declarations):
                yield from _dropped(ruleset, node)
        for keys, scalar, key in ruleset.scalars():
            if not key and keys[-1] == "when" and keys[0] != "refuse":
                text = ruleset.yaml.text
                start = text.rfind("when", 0, scalar.span.start)
                start = text.rfind(",", 0, start)
                yield _cut(ruleset, "of what is in the box", start, scalar.span.end, True)


def _dropped(ruleset: Ruleset, node: object) -> Iterator[Mutant]:
    assert ruleset.rules is not None
    text = ruleset.rules.text
    match node:
        case (
            ast.Contribution(guard=guard)
            | ast.ActionDecl(guard=guard)
            | ast.HookDecl(guard=guard)
            | ast.OptionDecl(guard=guard)
            | ast.ForbidDecl(guard=guard)
        ) if guard is not None:
            start = text.rindex("when", 0, guard.span.start)
            sort = "of an option" if isinstance(node, ast.OptionDecl) else "of a rule"
            yield _cut(ruleset, sort, _trimmed(text, start), guard.span.end, target=_target(node))
        case ast.Binder(where=where) if where is not None:
            start = text.rindex("where", 0, where.span.start)
            yield _cut(ruleset, "of a set", _trimmed(text, start), where.span.end)
        case ast.If(condition=condition, then=then, otherwise=None):
            start = text.rindex("if", 0, condition.span.start)
            body = then.statements[0]
            if isinstance(body, _LEAVES):
                # What was to be done only then would always leave: the slip is to forget it all.
                yield _cut(ruleset, "that leaves", start, body.span.end, new="nothing")
            elif then.inline:
                yield _cut(ruleset, "of a statement", start, body.span.start)
        case ast.Binary(operator="and", left=left, right=right):
            for start, end in (
                (left.span.end, right.span.end),
                (left.span.start, right.span.start),
            ):
                if text.count("(", start, end) == text.count(")", start, end):
                    yield _cut(ruleset, "part of a condition", start, end)


def _trimmed(text: str, at: int) -> int:
    """Where the space before a place begins."""
    while text[at - 1] == " ":
        at -= 1
    return at


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
    # What nothing reads any more is found where it is declared.
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
    """Where a ruleset declares what, by name."""
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
    """Where other rules say something of what a rule was about."""
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
