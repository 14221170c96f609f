"""What is running: a stack of small frames of plain data, so that it can be copied and written down
in the middle of any choice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from rulesdsl.engines.reference.context import Scope, Terms
from rulesdsl.engines.reference.program import Code, Part
from rulesdsl.engines.reference.ranging import Items
from rulesdsl.model.checked import Block, For, While
from rulesdsl.model.values import Value


class Phase(Enum):
    """What a call does next."""

    ENTER = "enter"
    AROUND = "around"
    BEFORE = "before"
    BODY = "body"
    AFTER = "after"
    LEAVE = "leave"


@dataclass(slots=True)
class Call:
    """An action, choice or option with its hooks; or, with `inner`, what `proceed` runs of it.

    `at` is the next hook of the phase; `into` the local of the block below that takes the result.
    """

    code: Code
    arguments: tuple[Value, ...]
    into: str | None = None
    inner: bool = False
    phase: Phase = Phase.ENTER
    at: int = 0
    proceeded: bool = False
    result: Value = None
    terms: tuple[Terms, ...] = ()


@dataclass(slots=True)
class Body:
    """A part of the callable below, from statement `at` on; it holds the locals."""

    part: Part
    scope: Scope
    block: Block
    at: int = 0


@dataclass(slots=True)
class Branch:
    """A branch of the `If` that the frame below is at: `number` 0 for `then`, 1 for `otherwise`."""

    number: int
    block: Block
    at: int = 0


@dataclass(slots=True)
class Loop:
    """The `For` that the frame below is at: `items` is what it visits, round `round` next."""

    loop: For
    items: Items
    round: int = 0
    at: int = 0

    @property
    def block(self) -> Block:
        return self.loop.body


@dataclass(slots=True)
class Repeat:
    """The `While` that the frame below is at."""

    loop: While
    at: int = 0

    @property
    def block(self) -> Block:
        return self.loop.body


@dataclass(slots=True)
class Ask:
    """The asking of the choice below: `done` when nothing more is asked."""

    done: bool = False


@dataclass(slots=True)
class Draw:
    """A chance move that has no outcome yet."""

    effect: str
    arguments: tuple[Value, ...]
    into: str | None


@dataclass(slots=True)
class Settle:
    """What follows the outermost step, before its result is handed on."""

    into: str | None
    result: Value
    always: bool = False
    rounds: int = 0


Frame = Call | Body | Branch | Loop | Repeat | Ask | Draw | Settle
Running = Body | Branch | Loop | Repeat
"""Frames that run statements."""


def copied(frame: Frame) -> Frame:
    """Return a frame like this one that goes on by itself."""
    if isinstance(frame, Body):
        return replace(frame, scope=frame.scope.copy())
    return replace(frame)


@dataclass(frozen=True, slots=True)
class Queued:
    """A call that waits for the outermost step to end."""

    action: str
    arguments: tuple[Value, ...]
    terms: tuple[Terms, ...] = field(default=(), compare=False)
