"""Which expansions are played together by some test, and which never are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from rulesdsl.diagnostics import Diagnostic, Severity, Span
from rulesdsl.read.files import decode
from rulesdsl.read.find import Found
from rulesdsl.read.manifest import Header
from rulesdsl.suite.trying import Tried

_NAME = re.compile(r"^ruleset[ \t]*:[ \t]*([\w'\"]+)", re.M)


@dataclass(frozen=True)
class Pair:
    """Two expansions of one game: in how many scenarios and golden records both are on, and the ids
    of the rulesets, there or not, that say what they mean together."""

    one: str
    other: str
    scenarios: int
    golden: int
    interactions: tuple[str, ...]

    @property
    def played(self) -> bool:
        """Are they together anywhere?"""
        return self.scenarios + self.golden > 0


def pairs_of(found: Iterable[Found], tried: Iterable[Tried]) -> tuple[Pair, ...]:
    """Every pair of expansions of one game among these rulesets, by id, and what tests play of it.
    Pairs of which one requires the other are left out, as they always are together."""
    headers = {each.id: each.header for each in found if each.header}
    played = [
        (frozenset(outcome.rulesets), each.file.golden)
        for each in tried
        for outcome in each.outcomes
    ]
    plain = sorted(
        id for id, each in headers.items() if each.requires and not (each.house or each.interaction)
    )
    both = [
        _pair(one, other, headers, played)
        for one, other in combinations(plain, 2)
        if _apart(one, other, headers)
    ]
    return tuple(both)


def _pair(
    one: str,
    other: str,
    headers: Mapping[str, Header],
    played: list[tuple[frozenset[str], bool]],
) -> Pair:
    both = [golden for rulesets, golden in played if {one, other} <= rulesets]
    between = sorted(
        id
        for id, each in headers.items()
        if any({one, other} <= set(group) for group in each.interaction)
    )
    return Pair(one, other, len(both) - sum(both), sum(both), tuple(between))


def _apart(one: str, other: str, headers: Mapping[str, Header]) -> bool:
    """Do both extend one game, and does neither need the other?"""
    needs, others = _needs(one, headers), _needs(other, headers)
    return bool(needs & others) and one not in others and other not in needs


def _needs(id: str, headers: Mapping[str, Header]) -> set[str]:
    """What a ruleset requires, and what that requires."""
    found: set[str] = set()
    due = [id]
    while due:
        header = headers.get(due.pop())
        new = set(header.requires) - found if header else set()
        found |= new
        due += sorted(new)
    return found


def findings(pairs: Iterable[Pair], found: Iterable[Found]) -> tuple[Diagnostic, ...]:
    """A warning for each pair that is never played, at the head of one of the two."""
    manifests = {each.id: each for each in found}
    return tuple(
        Diagnostic(
            "uncovered",
            f"no test plays `{each.one}` and `{each.other}` together",
            _head(manifests[each.other]),
            f"never with `{each.one}`",
            severity=Severity.WARNING,
        )
        for each in pairs
        if not each.played
    )


def _head(found: Found) -> Span:
    """Where a manifest says what it is called."""
    source = decode(found.folder.read(found.file), found.shown)
    said = _NAME.search(source.text)
    return source.span(*said.span(1)) if said else source.span(0, 1)
