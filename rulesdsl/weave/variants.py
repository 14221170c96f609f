"""Copies of one component entry that differ: which copies say what, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Label, Span
from rulesdsl.model.game import Plain
from rulesdsl.weave.box import Box

PIECE = -1
IN = "in"

Slot = tuple[int, str]
"""What a copy can say: the number of a segment or `PIECE`, an attribute's full name or `IN`."""


@dataclass(frozen=True)
class Said:
    """A value, and who says it where."""

    value: Plain
    ruleset: str
    span: Span


@dataclass(frozen=True)
class Change:
    """What some copies of an entry say beside what all say; `copies` None for all of them."""

    copies: int | None
    says: Mapping[Slot, Said]
    span: Span


@dataclass(frozen=True)
class Variant:
    """Copies with the same attributes: their numbers from 1, with the place each begins in where
    it says one, and the attributes that are other than those of the entry."""

    copies: Mapping[int, str | None]
    says: Mapping[Slot, Plain]


def deal(box: Box, name: str, count: int, changes: Sequence[Change]) -> list[dict[Slot, Said]]:
    """What each of `count` copies says after `changes`, in their order.

    A change for n copies goes to the first n that say nothing of the kind yet.
    """
    copies: list[dict[Slot, Said]] = [{} for _ in range(count)]
    for change in changes:
        taken = copies
        if change.copies is not None:
            free = [copy for copy in copies if copy.keys().isdisjoint(change.says)]
            taken = free[: change.copies]
            if len(taken) < change.copies:
                box.report.error(
                    "bad-value",
                    f"{change.copies} copies of `{name}` are asked for, of which "
                    f"{len(free)} are left",
                    change.span,
                    help=(f"there are {count} in all",),
                )
        for copy in taken:
            for slot, said in change.says.items():
                if slot in copy:
                    _check_override(box, name, copy[slot], said)
                copy[slot] = said
    return copies


def _check_override(box: Box, name: str, before: Said, after: Said) -> None:
    """Report two values for one copy unless the later ruleset builds on the earlier."""
    if before.value == after.value:
        return
    same = before.ruleset == after.ruleset
    if same or not box.family.related(before.ruleset, after.ruleset):
        box.report.error(
            "bad-value" if same else "ruleset-conflict",
            f"a copy of `{name}` is given two values",
            after.span,
            labels=(Label(before.span, f"the other one, by `{before.ruleset}`"),),
            help=("say `copies:` in both, or settle it in an interaction",),
        )


def variants(copies: Sequence[Mapping[Slot, Said]], plain: Mapping[Slot, Plain]) -> list[Variant]:
    """The copies by what they say, in the order of their first ones; `plain` is what all say."""
    groups: dict[frozenset[tuple[Slot, Plain]], dict[int, str | None]] = {}
    for number, copy in enumerate(copies, start=1):
        says = frozenset(
            (slot, said.value)
            for slot, said in copy.items()
            if slot != (PIECE, IN) and (slot not in plain or plain[slot] != said.value)
        )
        start = copy[PIECE, IN].value if (PIECE, IN) in copy else plain.get((PIECE, IN))
        groups.setdefault(says, {})[number] = None if start is None else str(start)
    return [Variant(numbers, dict(sorted(says))) for says, numbers in groups.items()]


def differing(found: Sequence[Variant]) -> list[Slot]:
    """The slots whose values tell variants apart, in order."""
    slots = sorted({slot for variant in found for slot in variant.says})
    absent = object()
    return [s for s in slots if len({v.says.get(s, absent) for v in found}) > 1]
