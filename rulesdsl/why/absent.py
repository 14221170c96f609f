"""Why something is not among what an argument of an option can be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulesdsl.diagnostics.wording import near
from rulesdsl.model.checked import CallBuiltin, Comprehension
from rulesdsl.model.names import short_name
from rulesdsl.model.values import Cell, Grid, Piece, Placement, Value, Zone
from rulesdsl.play.moves import means
from rulesdsl.play.names import Names
from rulesdsl.run.reference.observing import Observing, Seen
from rulesdsl.run.reference.placements import Touch, refusal
from rulesdsl.why.answer import Step, written
from rulesdsl.why.members import members
from rulesdsl.why.steps import Steps
from rulesdsl.why.texts import MOST, Texts

Reason = tuple[str, tuple[str, ...], tuple[Step, ...]]
"""One line, and more of them, and steps."""

_NUMBERS = re.compile(r"\(?(-?\d{1,9}),\s*(-?\d{1,9})(?:,\s*(-?\d{1,9}))?\)?")
_SIDES = ("north", "east", "south", "west")


def absent(
    given: str, domain: Seen, runtime: Observing, texts: Texts, names: Names
) -> Iterator[Reason]:
    """The reasons why what was written is not in a set; more than one for a cell on which a piece
    can be turned, and none where it is in it, however it is turned."""
    found = list(_placed(given, domain, runtime, texts))
    found = found or list(_left_out(given, domain, texts, names))
    inside = domain.value if isinstance(domain.value, tuple) else ()
    if found or any(means(given, value, names) for value in inside):
        yield from found
        return
    where = written(domain.expression.span)
    there = _known(domain, names, runtime)
    notes = tuple(f"did you mean `{each}`?" for each in near(given, there))
    if there:
        more = f", … {len(there)} in all" if len(there) > MOST else ""
        notes += (f"there is {', '.join(there[:MOST])}{more}",)
    yield f"`{given}` is not in `{where}`", notes, ()


def _known(domain: Seen, names: Names, runtime: Observing) -> list[str]:
    """What there is instead, as the player who asks may know it."""
    if domain.hidden:
        return []
    value = runtime.world.members(domain.value) if isinstance(domain.value, Zone) else domain.value
    inside = value if isinstance(value, tuple) else ()
    eyes = runtime.eyes
    known = [each for each in inside if eyes is None or not runtime.hides(each, eyes)]
    return list(dict.fromkeys(str(names.short(each)) for each in known))


def _all(seen: Seen) -> Iterator[Seen]:
    yield seen
    for part in seen.parts:
        yield from _all(part)


# --- a piece that does not fit -------------------------------------------------------------------


def _placed(given: str, domain: Seen, runtime: Observing, texts: Texts) -> Iterator[Reason]:
    """Why a grid does not let a piece be laid there."""
    numbers = _NUMBERS.fullmatch(given)
    asked = next(
        (
            each
            for each in _all(domain)
            if isinstance(each.expression, CallBuiltin) and each.expression.function == "placements"
        ),
        None,
    )
    if numbers is None or asked is None or asked.hidden:
        return
    grid, piece = (part.value for part in asked.parts)
    assert isinstance(grid, Grid), "placements are those of a grid"
    assert isinstance(piece, Piece), "placements are those of a piece"
    x, y, turned = numbers.groups()
    cell = Cell(grid.grid, grid.index, int(y), int(x))
    offered = asked.value if isinstance(asked.value, tuple) else ()
    turns = [turn for turn in range(4) if Placement(cell, turn) not in offered]
    if turned is not None:
        turns = [int(turned) // 90 % 4]
    found = [(turn, _misfit(Placement(cell, turn), piece, runtime, texts)) for turn in turns]
    if len(found) == 4 and len({reason for _, reason in found}) == 1:
        _, (why, sides) = found[0]
        where = f"{texts.value(piece)} at {texts.value(cell)}, however it is turned"
        yield f"{where}: {why}", sides, ()
        return
    for turn, (why, sides) in found:
        yield f"{texts.value(piece)} at {texts.value(Placement(cell, turn))}: {why}", sides, ()


def _misfit(
    at: Placement, piece: Piece, runtime: Observing, texts: Texts
) -> tuple[str, tuple[str, ...]]:
    """Why it does not fit, and the sides that do not agree, if that is why."""
    found = refusal(runtime.world, piece, at)
    if found is None:
        return "it would fit there, but no such place is tried", ()
    why, sides = found
    return why, tuple(_side(touch, texts) for touch in sides)


def _side(touch: Touch, texts: Texts) -> str:
    mine, theirs = (short_name(each) if each else "nothing" for each in (touch.mine, touch.theirs))
    return f"{_SIDES[touch.side]}: {mine} here, {theirs} on {texts.value(touch.other)}"


# --- what a condition has left out ---------------------------------------------------------------


def _left_out(given: str, domain: Seen, texts: Texts, names: Names) -> Iterator[Reason]:
    """A set that was made with a condition that it does not meet."""
    for each in _all(domain):
        if each.hidden or not isinstance(each.expression, Comprehension):
            continue
        for member in members(each):
            value: Value = member.bound[-1][1]
            if member.where is None or member.taken or not means(given, value, names):
                continue
            title = f"{texts.bound(member.bound)}: left out"
            step = Steps(texts).condition(title, member.where.expression.span, member.where)
            where = written(domain.expression.span)
            yield f"`{given}` is not in `{where}`", (), (step,)
            return
