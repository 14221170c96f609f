"""What is known of a lowered game beside its program: which numbers mean what.

With it a position can be read back: every frame of the program stands for some frames of the
reference engine (`rulesdsl.run.reference.frames`), from the outermost to the innermost layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulesdsl.lower.tables.encoding import Encoding
    from rulesdsl.lower.tables.state_tables import StateTable
    from rulesdsl.model.checked import Checked
    from rulesdsl.model.ir import Program
    from rulesdsl.model.types import Type


@dataclass(frozen=True)
class Slot:
    """A local of the rules (or an argument) at `stack[frame + offset]`; a set is a handle of
    `store` there."""

    name: str
    offset: int
    type: Type


@dataclass(frozen=True)
class CallLayer:
    """A `Call`: `kind`, `key`, `number` are its code; `result` is where its result is kept so far
    (None: it gives nothing); `proceeded` the slot that is 1 once `proceed` ran (None: it has not).
    Its `into` is that of the point of the frame below."""

    kind: str
    key: str
    number: int
    arguments: tuple[Slot, ...]
    inner: bool
    phase: str
    at: int
    proceeded: Slot | None
    result: Slot | None


@dataclass(frozen=True)
class BodyLayer:
    """A `Body`: the part's name and number, the statement it goes on with, the locals in scope."""

    part: str
    number: int
    at: int
    locals: tuple[Slot, ...]


@dataclass(frozen=True)
class BranchLayer:
    """A `Branch`."""

    number: int
    at: int


@dataclass(frozen=True)
class LoopLayer:
    """A `Loop`: `items` is a list in `store`, `width` items a round, of these `types`; `round` is
    the slot that counts ITEMS that were visited (rounds * width)."""

    items: Slot
    types: tuple[Type, ...]
    round: Slot
    at: int


@dataclass(frozen=True)
class RepeatLayer:
    """A `Repeat`."""

    at: int


@dataclass(frozen=True)
class AskLayer:
    """An `Ask`; `done` is the slot that is 1 when nothing more is asked."""

    done: Slot


@dataclass(frozen=True)
class DrawLayer:
    """A `Draw`: what `take` draws from, or what is rolled."""

    effect: str
    argument: Slot
    into: str | None


@dataclass(frozen=True)
class SettleLayer:
    """A `Settle`, with the `into` of the point of the frame below; `always` and `rounds` are in the
    table `settling`. `result` is None where the step gives nothing."""

    result: Slot | None


Layer = (
    CallLayer
    | BodyLayer
    | BranchLayer
    | LoopLayer
    | RepeatLayer
    | AskLayer
    | DrawLayer
    | SettleLayer
)


@dataclass(frozen=True)
class Point:
    """Where a callable can be suspended: `layers` from the outermost (its call) inwards; `into` is
    the local that takes the result of the call that runs above, if any; `again` is where a choice
    that has asked here would ask anew."""

    layers: tuple[Layer, ...]
    into: str | None = None
    again: int | None = None


@dataclass(frozen=True)
class OptionPlan:
    """How the rows of an option in `moves` read: `key`, `name` and its own arguments in order,
    after the number of the option."""

    key: str
    name: str
    arguments: tuple[tuple[str, Type], ...]
    secret: frozenset[str]


@dataclass(frozen=True)
class ChoicePlan:
    """A choice by its number in `asked`: its arguments are `arguments` of the innermost frame."""

    key: str
    arguments: tuple[Slot, ...]
    options: tuple[OptionPlan, ...]


@dataclass(frozen=True)
class Plan:
    """All that is known of a program. `points[p]` belongs to point p; `actions` are the keys of
    queued actions by number, with their parameters' types in `queue` rows; `sizes` says how much of
    `stack` a frame at each point takes; `depths` names the tables that count how often recursive
    actions run, by their keys; `marks` are the places in the rules (file and start) by number that
    a marked program notes in the table `ran`. A plan that was kept has no program: it is played by
    what was compiled."""

    checked: Checked
    players: int
    encoding: Encoding
    program: Program
    states: Mapping[str, StateTable]
    points: tuple[Point, ...]
    choices: tuple[ChoicePlan, ...]
    actions: tuple[tuple[str, tuple[Type, ...]], ...]
    sizes: tuple[int, ...]
    depths: Mapping[str, str]
    marks: tuple[tuple[str, int], ...] = ()


ENTRIES = (
    *("start", "run", "enumerate_moves", "play", "finish", "rebuild", "playout", "playouts"),
    *("start_told", "play_told", "tell"),
)
"""What is called from outside, see `rulesdsl.core.machine`.

`start()` sets everything up and runs to the first decision (`rng` and `resolves` are set before);
`run()` goes on from where it was stopped; `enumerate_moves()` fills `moves` for the decision that
is waited for and changes nothing else; `play(row)` plays that row of `moves`, chance too, and runs
on; `finish()` drops what runs and runs the finish action; `rebuild()` makes anew all tables that
follow from others; `playout(limit) -> int` plays moves drawn with `luck`, chance among them, until
the game is over or `limit` moves were played, and gives how many; `playouts` plays whole games like
that, see `rulesdsl.core.playouts`; `start_told()` and `play_told(row)` are `start` and `play` in a
game of which `tell(0, moves)` will tell."""
