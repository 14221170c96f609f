"""Misspelt keys, names and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rulesdsl.language.diagnostics import Source
from tools.mutants.mutant import Line, Mutant
from tools.mutants.places import (
    attributes,
    declared,
    declares,
    is_attribute,
    is_drawing,
    is_key,
    is_text,
    words,
)
from tools.mutants.shipped import WORD, Ruleset, lines_with, rulesets

SHORTEST = 3
"""Minimum length of misspelt words: shorter ones are confused, not misspelt."""

_NEAR = {
    letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for at, letter in enumerate(row)
}


def misspelt(random: Random, word: str) -> str:
    """Return `word` with a typing mistake, always different from it.

    Two letters are swapped, or one is left out, doubled or replaced by a neighbour on the keyboard.
    """
    while True:
        at = random.randrange(len(word))
        letter = word[at]
        new = random.choice(
            (
                word[:at] + word[at + 1 : at + 2] + letter + word[at + 2 :],
                word[:at] + word[at + 1 :],
                word[:at] + 2 * letter + word[at + 1 :],
                word[:at] + random.choice(_NEAR.get(letter, letter)) + word[at + 1 :],
            )
        )
        if new != word and WORD.fullmatch(new):
            return new


def keys(random: Random) -> Iterator[Mutant]:
    """Yield misspelt keys that the schema defines."""
    for ruleset in rulesets().values():
        for path, scalar, key in ruleset.scalars():
            if key and is_key(path):
                where = "the whole" if len(path) == 1 else path[0]
                yield _slip(random, f"key of {where}", ruleset, ruleset.yaml, *_place(scalar))


def names(random: Random) -> Iterator[Mutant]:
    """Yield misspelt names in manifests and rules, in declarations and uses."""
    for ruleset in rulesets().values():
        yield from _manifest_names(random, ruleset)
        if ruleset.rules is None:
            continue
        for word in words(ruleset.rules):
            if len(word.text) < SHORTEST or _of_attribute(word.text, word.before):
                continue
            source, place = ruleset.rules, (word.start, word.end)
            if declares(word):
                yield _slip(
                    random, "declared in rules", ruleset, source, *place, _uses(ruleset, word.text)
                )
            else:
                yield _slip(random, "used in rules", ruleset, source, *place)


def attributes_read(random: Random) -> Iterator[Mutant]:
    """Yield misspelt attributes of components and in rules, and misspelt properties."""
    for ruleset in rulesets().values():
        for path, scalar, key in ruleset.scalars():
            if key and is_attribute(path) and len(path[-1]) >= SHORTEST:
                yield _slip(random, "said in a manifest", ruleset, ruleset.yaml, *_place(scalar))
        if ruleset.rules is None:
            continue
        for word in words(ruleset.rules):
            if len(word.text) >= SHORTEST and _of_attribute(word.text, word.before):
                place = word.start, word.end
                sort = "read in rules" if word.text in attributes() else "property"
                yield _slip(random, sort, ruleset, ruleset.rules, *place)


def _manifest_names(random: Random, ruleset: Ruleset) -> Iterator[Mutant]:
    for path, scalar, key in ruleset.scalars():
        if key and (is_key(path) or is_attribute(path) or (path[0] == "labels" and len(path) == 2)):
            continue
        if not key and (is_text(path) or is_drawing(path) or not isinstance(scalar.value, str)):
            continue
        start, end = _place(scalar)
        for match in WORD.finditer(ruleset.yaml.text, start, end):
            if len(match[0]) < SHORTEST or match[0] in ("not", "and", "else", "settings", "true"):
                continue
            label = path[0] == "labels"
            makes = declared(ruleset, path, scalar, key)
            sort = "label" if label else f"{'declared' if makes else 'used'} in a manifest"
            parties = _uses(ruleset, match[0]) if makes else ()
            yield _slip(random, sort, ruleset, ruleset.yaml, *match.span(), parties)


def _of_attribute(word: str, before: str) -> bool:
    """Return whether a word of rules follows a dot, but neither a ruleset nor a choice."""
    owner = before.rstrip(".").split()[-1:] if before.endswith(".") else []
    return (
        bool(owner)
        and before[-1] == "."
        and not before.endswith(("settings.", "game."))
        and before.strip().split(" ")[0] not in ("forbid", "option", "order", "state")
    )


def _uses(ruleset: Ruleset, word: str) -> tuple[Line, ...]:
    return lines_with(word, ruleset.loaded)


def _place(scalar: object) -> tuple[int, int]:
    return scalar.span.start, scalar.span.end  # type: ignore[attr-defined]


def _slip(
    random: Random,
    sort: str,
    ruleset: Ruleset,
    source: Source,
    start: int,
    end: int,
    parties: tuple[Line, ...] = (),
) -> Mutant:
    new = misspelt(random, source.text[start:end])
    return Mutant(sort, ruleset.id, source.name, start, end, new, parties)
