"""References of the wrong kind, or to missing things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from rulesdsl.language.builtins import EFFECTS, FORMS, FUNCTIONS
from rulesdsl.language.model import ast
from tools.mutants.mutant import Line, Mutant
from tools.mutants.places import CLASSES, declared, declares, is_drawing, is_key, is_text, words
from tools.mutants.shipped import WORD, Ruleset, lines_with, rulesets, section

_SORTS = {
    "settings": "setting",
    "attributes": "attribute",
    "features": "kind of feature",
    "grids": "place",
    "zones": "place",
    "tracks": "place",
    "tables": "table",
    "enums": "enum",
}
"""Nouns for the names in each section of a manifest."""


def candidates(random: Random) -> Iterator[Mutant]:
    """Yield wrong references in rules and in manifests."""
    for ruleset in rulesets().values():
        yield from _rules(random, ruleset)
        yield from _manifest(random, ruleset)


def _rules(random: Random, ruleset: Ruleset) -> Iterator[Mutant]:
    for word in words(ruleset.rules) if ruleset.rules else ():
        sort = _sort(ruleset, word.text)
        if sort is None or declares(word) or (word.attribute and sort != "setting"):
            continue
        named = re.search(r"\b(?:let|var) (\w+) = [^=]*$", word.before)
        uses = lines_with(named[1], (ruleset.id,)) if named else ()
        place = word.start, word.end
        yield from _both(random, ruleset, "rules", word.text, place, sort, uses)


def _manifest(random: Random, ruleset: Ruleset) -> Iterator[Mutant]:
    for keys, scalar, key in ruleset.scalars():
        if is_text(keys) or declared(ruleset, keys, scalar, key) or is_drawing(keys):
            continue
        if key and is_key(keys):
            continue
        for match in WORD.finditer(ruleset.yaml.text, scalar.span.start, scalar.span.end):
            sort = _sort(ruleset, match[0])
            if sort is not None:
                yield from _both(random, ruleset, "a manifest", match[0], match.span(), sort)


def _both(
    random: Random,
    ruleset: Ruleset,
    where: str,
    word: str,
    place: tuple[int, int],
    sort: str,
    parties: tuple[Line, ...] = (),
) -> Iterator[Mutant]:
    """Yield a name of the wrong kind, and an undeclared name, in the place of a word."""
    source = ruleset.rules if where == "rules" else ruleset.yaml
    assert source is not None
    there = names(ruleset.loaded)
    others = sorted(
        {each for other, all in there.items() if other != sort for each in all} - {word}
    )
    mine = {each for all in there.values() for each in all}
    absent = sorted(names(tuple(rulesets())).get(sort, frozenset()) - mine)
    for kind, choice in (("wrong", others), ("absent", absent)):
        usable = [each for each in choice if "-" not in each or where != "rules"]
        if usable:
            new = random.choice(usable)
            yield Mutant(f"{kind} {sort} in {where}", ruleset.id, source.name, *place, new, parties)


def _sort(ruleset: Ruleset, word: str) -> str | None:
    """Return the kind of thing that a word names; None if it is ambiguous."""
    found = [sort for sort, all in names(ruleset.loaded).items() if word in all]
    return found[0] if len(found) == 1 else None


@cache
def names(ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the names that some rulesets declare, by kind.

    A name for things of two kinds is listed under both.
    """
    found: dict[str, set[str]] = {}
    for id in ids:
        ruleset = rulesets()[id]
        for sort, name in (*_declared(ruleset), *_in_rules(ruleset)):
            found.setdefault(sort, set()).add(name)
    found["function"] = {*FUNCTIONS, *FORMS, *EFFECTS}
    return {sort: frozenset(all) for sort, all in found.items()}


def _declared(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    for key, sort in _SORTS.items():
        yield from ((sort, name) for name in section(ruleset, key))
    for members in section(ruleset, "enums").values():
        assert isinstance(members, list)
        yield from (("member", str(each)) for each in members)
    for keys, scalar, _ in ruleset.scalars():
        if keys[0] in CLASSES and keys[1:] == ("*", "id"):
            yield "component", str(scalar.value)


def _in_rules(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    for node in ruleset.module.declarations if ruleset.rules else ():
        match node:
            case ast.ValueDecl(name=name):
                yield "value", name
            case ast.ActionDecl(name=name):
                yield "action", name
            case ast.ChoiceDecl(name=name):
                yield "choice", name
            case ast.StateDecl(name=name):
                yield "state", name
