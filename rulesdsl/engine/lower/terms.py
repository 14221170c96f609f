"""The quantities that points come from, of a whole game, and which callables hand them on.

Every program notes them. A callable that gives points takes, behind its arguments, the records of
readings (see `runtime.terms`) that its numbers depend on, the subject of its caller and the one
below. A value has a second function for calls whose readings are gathered.
`expressions.readings` has the code that gathers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulesdsl.engine.lower.emit import CallablePart, Names, Routine
from rulesdsl.engine.lower.tables.encoding import without_none
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import Checked, Parameter
from rulesdsl.language.model.types import IntType, Type

SUBJECT = "the subject"
"""The name of the number that says what points of a callable are for, unless it has a thing."""

BELOW = "the subject below"
"""The name of the subject of what called the outermost step, or -1 outside of steps.

It is the subject of calls that wait for the end of that step.
"""


_SUBJECTS = {types.FEATURE, types.SEGMENT, types.PIECE, *map(types.NamedType, types.PIECE_CLASSES)}


def record_of(name: str) -> str:
    """Return the name of the record of a local's readings."""
    return f"the terms of {name}"


def is_number(type_: Type) -> bool:
    """Return whether a local of the type may hold an integer."""
    return isinstance(without_none(type_), IntType)


def numbers_among(params: Iterable[Parameter]) -> tuple[int, ...]:
    """Return the places of parameters that may hold integers."""
    return tuple(place for place, param in enumerate(params) if is_number(param.type))


def behind(routine: Routine, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of what follows the arguments of a routine, which a part gives `names`."""
    if routine.recorded is None:
        return ()
    return (*(record_of(names[place]) for place in routine.recorded), SUBJECT, BELOW)


class TermNames:
    """The quantities whose readings a program notes.

    `names` numbers them; `scoring` are the actions and choices that give points, or call others
    that do; `wanted` are the values whose readings are gathered. All grow during lowering but
    `scoring`.
    """

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.names: dict[str, int] = {}
        self.wanted: dict[str, None] = {}
        self.scoring = _scoring(checked)
        self._alone = checked.play, checked.finish

    def number(self, key: str) -> int:
        """Return the number of a quantity."""
        return self.names.setdefault(key, len(self.names))

    def recorded(self, key: str) -> tuple[int, ...] | None:
        """Return the places of arguments of an action or choice that records follow.

        Return None if nothing follows its arguments.
        """
        if key not in self.scoring or key in self._alone:
            return None
        callables = self.checked.actions if key in self.checked.actions else self.checked.choices
        params: Sequence[Parameter] = callables[key].params
        return numbers_among(params)

    def gathering(self, routine: Routine, part: CallablePart) -> GatheredBody | None:
        """Return that of a part of a routine, None if it gives no points."""
        kind, key = routine.code.kind, routine.code.key
        if kind == "always":
            return GatheredBody(part.block)
        if key not in self.scoring:
            return None
        types = [type_ for _, type_ in routine.params]
        things = tuple(zip(part.params, types, strict=True)) if kind == "action" else ()
        recorded = [part.params[place] for place in routine.recorded or ()]
        return GatheredBody(part.block, recorded, things, within=routine.recorded is not None)


class GatheredBody:
    """A body whose readings are gathered.

    `recorded` are the locals that have records, `things` the arguments that can be the subject of
    points, and `within` says whether there is a subject of the caller. `sign` is 1 or -1 in rules
    of a value that is the largest or smallest of their results, 0 in other values, None elsewhere.
    `marks` are the expressions whose readings are gathered, by identity: 1 or -1 where only those
    of the largest or smallest one count.
    """

    def __init__(
        self,
        body: tree.Block,
        given: Sequence[str] = (),
        things: Names = (),
        *,
        within: bool = False,
        sign: int | None = None,
    ) -> None:
        self.things = tuple(each for each in things if without_none(each[1]) in _SUBJECTS)
        self.within = within
        self.sign = sign
        assigned = (
            node.name
            for node in tree.walk(body)
            if isinstance(node, tree.Let | tree.SetLocal) and isinstance(node.value.type, IntType)
        )
        self.recorded = {*given, *assigned}
        self.marks: dict[int, int] = {}


def _scoring(checked: Checked) -> set[str]:
    """Return the keys of the actions and choices that give points, or call others that do."""
    calls: dict[str, set[str]] = {}
    found: set[str] = set()
    for key, each in (*checked.actions.items(), *checked.choices.items()):
        calls[key] = set()
        for node in tree.walk(each):
            match node:
                case tree.ActionCall(action=called) | tree.ChoiceCall(choice=called):
                    calls[key].add(called)
                case tree.SetState(state=state) if state == checked.score:
                    found.add(key)
    while more := {key for key, others in calls.items() if key not in found and others & found}:
        found |= more
    return found
