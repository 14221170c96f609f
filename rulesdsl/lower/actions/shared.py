"""What the lowering of all callables shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulesdsl.lower.actions.frames import Entry, Fixed, Points, fixed_slots
from rulesdsl.lower.actions.suspends import Suspension
from rulesdsl.lower.context import Lowering
from rulesdsl.lower.parts import (
    Code,
    Routine,
    action_routine,
    always_routine,
    choice_routine,
    option_routine,
)


@dataclass
class Shared:
    """`choices` numbers the choices, `queued` the actions that calls may wait for; `settling` are
    the routines that settle, by what the steps give that wait meanwhile; `sizes` are those of the
    frames of routines; `stores` says whether any frame can hold a set or list; `listed` are the
    choices whose moves are a set on the heap (see the table `listed`)."""

    lowering: Lowering
    suspension: Suspension
    points: Points
    choices: dict[str, int] = field(default_factory=dict)
    queued: dict[str, int] = field(default_factory=dict)
    settling: dict[Code, Routine] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    stores: bool = False
    listed: set[str] = field(default_factory=set)

    def routine(self, code: Code) -> Routine:
        """The callable with that code."""
        checked = self.lowering.checked
        match code.kind:
            case "action":
                return action_routine(checked, code.key)
            case "choice":
                return choice_routine(checked, code.key)
            case "option":
                return option_routine(checked.choices[code.key], code.number)
            case "always":
                return always_routine(checked.always[code.number], code.number)
            case "settle":
                return self.settling[code]
        raise AssertionError(f"no callable {code}")

    def fixed(self, code: Code) -> Fixed:
        """The slots that every frame of a callable has."""
        return fixed_slots(self.routine(code))

    def entry(self, code: Code) -> int:
        """The point at which a callable begins."""
        return self.points.entry[Entry(code)]

    def function(self, entry: Entry) -> str:
        """The name of the function of a routine."""
        code = entry.code
        key = code.key or f"{code.number + 1}"
        if code.kind == "option":
            key = self.lowering.checked.choices[code.key].options[code.number].key
        return self.lowering.name(
            f"run_{code.kind}", f"{key}.{entry.inner}" if entry.inner else key
        )

    def direct(self, action: str) -> str:
        """The name of the function of an action that cannot be suspended."""
        return self.lowering.name("do", action)

    def requires(self, action: str) -> str:
        """The name of the function that tells whether the preconditions of an action hold."""
        return self.lowering.name("requires", action)

    def depth(self, action: str) -> str:
        """The table that counts how often a recursive action runs."""
        return self.lowering.name("depth", action)
