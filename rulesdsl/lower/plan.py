"""What is known of a lowered game beside its program: which numbers mean what."""

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
    """A local of the rules (or an argument) at `stack[frame + offset]`.

    A set is a handle of `store` there.
    """

    name: str
    offset: int
    type: Type


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
    """All that is known of a program.

    `again[p]` is the point where a choice that has asked at point p would ask anew; `actions` are
    the keys of queued actions by number, with their parameters' types in `queue` rows; `marks` are
    the places in the rules (file and start) by number that a marked program notes in the table
    `ran`. A plan that was kept has no program: it is played by what was compiled.
    """

    checked: Checked
    players: int
    encoding: Encoding
    program: Program
    states: Mapping[str, StateTable]
    again: tuple[int | None, ...]
    choices: tuple[ChoicePlan, ...]
    actions: tuple[tuple[str, tuple[Type, ...]], ...]
    marks: tuple[tuple[str, int], ...] = ()


ENTRIES = (
    *("start", "run", "enumerate_moves", "play", "finish", "rebuild", "playout", "playouts"),
    *("start_told", "play_told", "tell"),
)
"""What is called from outside, see `rulesdsl.runtime.machine`.

`start()` sets everything up and runs to the first decision (`rng` and `resolves` are set before);
`run()` goes on from where it was stopped; `enumerate_moves()` fills `moves` for the decision that
is waited for and changes nothing else; `play(row)` plays that row of `moves`, chance too, and runs
on; `finish()` drops what runs and runs the finish action; `rebuild()` makes anew all tables that
follow from others; `playout(limit) -> int` plays moves drawn with `luck`, chance among them, until
the game is over or `limit` moves were played, and gives how many; `playouts` plays whole games like
that (`rulesdsl.runtime.playouts`); `start_told()` and `play_told(row)` are `start` and `play` in a
game of which `tell(0, moves)` will tell."""
