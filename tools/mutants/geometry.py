"""Wrong drawings of tiles: swapped sides, crossing segments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random

from rulesdsl.language.model.nodes import Mapping, Node, Scalar, Sequence
from tools.mutants.mutant import Mutant
from tools.mutants.places import attributes
from tools.mutants.shipped import Ruleset, rulesets, section

SIDES = "NESW"
_SIDE = re.compile(r"(?<![A-Z])[NESW]{1,2}[LCR]?(?![A-Za-z])")
_CROSSED = (
    ("N-S", "E-W"),
    ("N>S", "E-W"),
    ("N-S", "E>W"),
    ("N-E-S", "EL-W"),
    ("NL-S", "N-W"),
    ("NL-S", "NR-W"),
)
"""Ways to draw two crossing segments; the last ones are for areas, which take lanes."""
_LANES = 3
"""Number of these ways that need no lanes of areas."""


@dataclass(frozen=True)
class _Drawn:
    """A segment on a piece: its kind, the node of its position, whether it has no more keys."""

    kind: str
    node: Scalar
    alone: bool


def swapped(_: Random) -> Iterator[Mutant]:
    """Yield drawings of a tile or a face with two sides swapped."""
    for ruleset, entry in _pieces():
        places = [drawn.node for drawn in _drawn(ruleset, entry)]
        for one, two in combinations(SIDES, 2):
            swap = str.maketrans(one + two, two + one)
            new = [_swapped(str(place.value), swap) for place in places]
            yield from _redrawn("swapped", ruleset, places, new)


def crossed(random: Random) -> Iterator[Mutant]:
    """Yield drawings of a tile with two crossing segments, of which one may be added."""
    for ruleset, entry in _pieces():
        drawn = [each for each in _drawn(ruleset, entry) if each.node.value != "I"]
        if not 1 <= len(drawn) <= 2 or any("." in str(each.node.value) for each in drawn):
            continue
        areas = all(_shape(ruleset, each.kind) == "area" for each in drawn)
        for ways in _CROSSED if areas else _CROSSED[:_LANES]:
            one, two = _turned(ways, random.randrange(4))
            places = [each.node for each in drawn]
            if len(drawn) == 2:
                new = [one, two] if random.random() < 0.5 else [two, one]
            elif drawn[0].alone:
                new = [f"{one}, {two}"]
            else:
                continue
            yield from _redrawn("crossed", ruleset, places, new)


def _redrawn(sort: str, ruleset: Ruleset, places: list[Scalar], new: list[str]) -> Iterator[Mutant]:
    """Yield the mutant with these texts at these places, if it differs."""
    old = [str(each.value) for each in places]
    if not places or _plain(old) == _plain(new):
        return
    text, start, end = ruleset.yaml.text, places[0].span.start, places[-1].span.end
    written, at = "", start
    for place, each in zip(places, new, strict=True):
        written += text[at : place.span.start] + each
        at = place.span.end
    yield Mutant(sort, ruleset.id, ruleset.yaml.name, start, end, written)


def _swapped(at: str, swap: dict[int, int]) -> str:
    return _SIDE.sub(lambda word: word[0].translate(swap), at)


def _plain(ways: list[str]) -> list[list[str]]:
    """Return the positions of segments, in an order that does not depend on the text."""
    return [sorted(re.split("([>,])|-", way), key=str) for way in ways]


def _turned(ways: tuple[str, str], turns: int) -> tuple[str, ...]:
    to = SIDES[turns:] + SIDES[:turns]
    return tuple(way.translate(str.maketrans(SIDES, to)) for way in ways)


def _shape(ruleset: Ruleset, kind: str) -> object:
    shapes = [section(rulesets()[id], "features").get(kind) for id in ruleset.loaded]
    return next((each["shape"] for each in shapes if isinstance(each, dict)), None)


def _pieces() -> Iterator[tuple[Ruleset, Mapping]]:
    """Yield all entries and faces that may have drawings."""
    for ruleset in rulesets().values():
        for entry in _items(ruleset.manifest.get("tiles")):
            yield ruleset, entry
        for die in _items(ruleset.manifest.get("dice")):
            for face in _items(die.get("faces")):
                yield ruleset, face


def _drawn(ruleset: Ruleset, entry: Mapping) -> Iterator[_Drawn]:
    """Yield the segments drawn on a piece, without fills."""
    for key, value in entry:
        kind = str(key.value)
        if _shape(ruleset, kind) in (None, "fill") or kind in attributes():
            continue
        for item in value if isinstance(value, Sequence) else ():
            at = item.get("at") if isinstance(item, Mapping) else item
            if isinstance(at, Scalar):
                yield _Drawn(kind, at, at is item)


def _items(node: Node | None) -> Iterator[Mapping]:
    for item in node if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping):
            yield item
