"""Values of the wrong type."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rulesdsl.language.model import checked
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.language.model.types import BOOL, IntType
from tools.mutants.mutant import Mutant
from tools.mutants.places import is_text
from tools.mutants.shipped import Keys, Ruleset, lines_with, rulesets

_INSTEAD = {
    "a number": ("true", "[1]", "many"),
    "a truth": ("3", "[true]", "maybe"),
    "a word": ("12", "{}", "[3]"),
    "an expression": ("[3]", "{}"),
    "a list": ("4", "true", "{}"),
    "a mapping": ("4", "[]", "nothing"),
}
"""Replacements of the wrong type for values in a manifest."""


def candidates(random: Random) -> Iterator[Mutant]:
    """Yield values of another type in manifests, and in rules a number for a truth and the like."""
    for ruleset in rulesets().values():
        yield from _manifest(random, ruleset, (), ruleset.manifest)
        yield from _rules(random, ruleset)


def _manifest(random: Random, ruleset: Ruleset, keys: Keys, node: Node) -> Iterator[Mutant]:
    text = ruleset.yaml.text[node.span.start : node.span.end]
    if keys and not is_text(keys) and "\n" not in text:
        what = _what(node)
        start, end, new = node.span.start, node.span.end, random.choice(_INSTEAD[what])
        # The default of an attribute or a setting determines its type: its uses are then wrong.
        parties = lines_with(keys[1], ruleset.loaded) if keys[-1] == "default" else ()
        where = f"{what} in a manifest"
        yield Mutant(where, ruleset.id, ruleset.yaml.name, start, end, new, parties)
    match node:
        case Sequence():
            for item in node:
                yield from _manifest(random, ruleset, (*keys, "*"), item)
        case Mapping():
            for key, value in node:
                yield from _manifest(random, ruleset, (*keys, str(key.value)), value)
        case Scalar():
            pass


def _what(node: Node) -> str:
    match node:
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"
        case Scalar(value=bool()):
            return "a truth"
        case Scalar(value=int()):
            return "a number"
        case Scalar(value=str(text)) if "settings." in text:
            return "an expression"
        case Scalar():
            return "a word"


def _rules(random: Random, ruleset: Ruleset) -> Iterator[Mutant]:
    """Yield one mutant for each expression, by its type as the outermost one."""
    seen: set[tuple[int, int]] = set()
    game = ruleset.checked
    for part in (game.values, game.actions, game.choices, game.always):
        nodes = walk(tuple(part.values()) if hasattr(part, "values") else part)
        for node in nodes:
            if not isinstance(node, checked.Typed) or ruleset.rules is None:
                continue
            span = node.span
            if span.source.text != ruleset.rules.text or (span.start, span.end) in seen:
                continue
            seen.add((span.start, span.end))
            match node.type:
                case each if each == BOOL:
                    sort, instead = "a truth in rules", ("3", "first(players)")
                case IntType():
                    sort, instead = "a number in rules", ("true", "first(players)")
                case _:
                    sort, instead = "a thing in rules", ("3", "true")
            new = random.choice(instead)
            yield Mutant(sort, ruleset.id, ruleset.rules.name, span.start, span.end, new)
