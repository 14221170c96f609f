"""Arguments that people write: names of things as moves show them, or expressions."""

from __future__ import annotations

import re

from rulesdsl.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.types import CELL, PLACEMENT, OptionalType, Type
from rulesdsl.model.values import Cell, Placement, Value
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.play.moves import means
from rulesdsl.play.things import things
from rulesdsl.run.engine import PlayError
from rulesdsl.run.reference.context import Scope
from rulesdsl.run.reference.machine import evaluating
from rulesdsl.run.reference.observing import Observing

_PLACE = re.compile(r"\(?(-?\d{1,9}), ?(-?\d{1,9})(?:, ?(\d{1,9}))?\)?")


def given(text: str, wanted: Type, state: State, runtime: Observing) -> Value:
    """The value of that type which a text means in a game, which changes nothing in it. Raises
    RulesError when there is none, or when it asks for what the player who asks may not know."""
    kind = wanted.item if isinstance(wanted, OptionalType) else wanted
    place = _place(text, kind)
    if place is not None:
        return place
    names = state.names
    found = next((each for each in things(kind, state) if means(text, each, names)), None)
    if found is not None:
        return found
    source = Source("argument", text)
    report = Report()
    checked = expression(source.span(0, len(text)), state.game.checked, wanted, {}, report)
    if checked is None or not report.ok:
        known = [f(each) for each in things(kind, state) for f in (names.full, names.short)]
        near = did_you_mean(text, map(str, known))
        if near:
            message = f"there is no {wanted} `{text}`"
            raise RulesError([Diagnostic("bad-argument", message, help=near)])
        raise RulesError(report.sorted())
    try:
        with evaluating(runtime):
            value = runtime.evaluate(checked, Scope())
    except PlayError as error:
        why = f": {error.message}" if runtime.eyes is None else " of what this player knows"
        message = f"`{text}` cannot be computed{why}"
        raise RulesError([Diagnostic("bad-argument", message)]) from None
    if runtime.recent[-1].hidden:
        message = f"`{text}` cannot be computed of what this player knows"
        raise RulesError([Diagnostic("bad-argument", message)])
    return value


def _place(text: str, kind: Type) -> Value:
    numbers = _PLACE.fullmatch(text)
    if numbers is None or kind not in (CELL, PLACEMENT):
        return None
    x, y, turned = numbers.groups()
    cell = Cell(0, 0, int(y), int(x))
    return cell if kind == CELL else Placement(cell, int(turned or 0) // 90 % 4)
