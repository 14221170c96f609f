"""The call stack, as frames of plain data.

It can be copied and saved in the middle of any choice.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from rulesdsl.engines.reference.context import Scope, Terms
from rulesdsl.engines.reference.program import Code, Part
from rulesdsl.engines.reference.ranging import Items
from rulesdsl.model.checked import Block, For, While
from rulesdsl.model.values import Value


class Phase(Enum):
    """The next phase of a call."""

    ENTER = "enter"
    AROUND = "around"
    BEFORE = "before"
    BODY = "body"
    AFTER = "after"
    LEAVE = "leave"


@dataclass(slots=True)
class Call:
    """A call of an action, choice or option with its hooks, or the part of it that `proceed` runs.

    `inner` marks the latter. `at` is the index of the next hook of the phase. `into` is the local
    of the block below that receives the result.
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
    """The execution of a part of the callable below, with its locals.

    `at` is the index of the next statement.
    """

    part: Part
    scope: Scope
    block: Block
    at: int = 0


@dataclass(slots=True)
class Branch:
    """A branch of the `If` in the frame below: `number` is 0 for `then`, 1 for `otherwise`."""

    number: int
    block: Block
    at: int = 0


@dataclass(slots=True)
class Loop:
    """The `For` in the frame below, with its `items`; `round` is the index of the next one."""

    loop: For
    items: Items
    round: int = 0
    at: int = 0

    @property
    def block(self) -> Block:
        return self.loop.body


@dataclass(slots=True)
class Repeat:
    """The `While` in the frame below."""

    loop: While
    at: int = 0

    @property
    def block(self) -> Block:
        return self.loop.body


@dataclass(slots=True)
class Ask:
    """The decisions of the choice below; `done` is true when it asks no more."""

    done: bool = False


@dataclass(slots=True)
class Draw:
    """A chance move without an outcome so far."""

    effect: str
    arguments: tuple[Value, ...]
    into: str | None


@dataclass(slots=True)
class Settle:
    """The work after the outermost step, before its result is passed on.

    It consists of the queue and the `always` rules.
    """

    into: str | None
    result: Value
    always: bool = False
    rounds: int = 0


Frame = Call | Body | Branch | Loop | Repeat | Ask | Draw | Settle
Running = Body | Branch | Loop | Repeat
"""The frames that run statements."""


def copied(frame: Frame) -> Frame:
    """Return an independent copy of a frame."""
    if isinstance(frame, Body):
        return replace(frame, scope=frame.scope.copy())
    return replace(frame)


@dataclass(frozen=True, slots=True)
class Queued:
    """A call that is queued until the outermost step ends."""

    action: str
    arguments: tuple[Value, ...]
    terms: tuple[Terms, ...] = field(default=(), compare=False)
