"""The plan of a lowered game: its program, and the meaning of the program's numbers.

A start from the cache imports this module, and none of the lowering.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from rulesdsl.base.records import dataclass

if TYPE_CHECKING:
    from rulesdsl.engine.lower.tables.encoding import Encoding
    from rulesdsl.engine.lower.tables.state_tables import StateTable
    from rulesdsl.language.model.checked import Checked
    from rulesdsl.language.model.ir import Program
    from rulesdsl.language.model.types import Type


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
    """The layout of an option's rows in `moves`: its own arguments, after the number of the option.

    `key` and `name` identify the option. A set has a number for each member that it can have, none
    in those behind the last; `sets` are the names of these arguments.
    """

    key: str
    name: str
    arguments: tuple[tuple[str, Type], ...]
    sets: frozenset[str]
    secret: frozenset[str]


@dataclass(frozen=True)
class ChoicePlan:
    """The layout of a choice, by its number in `asked`.

    Its arguments are the `arguments` of the innermost frame.
    """

    key: str
    arguments: tuple[Slot, ...]
    options: tuple[OptionPlan, ...]


@dataclass(frozen=True)
class RoutinePlan:
    """A routine that has frames: a part of a callable (`kind`, `key`, `number`).

    `inner` counts the `around` hooks whose `proceed` runs it. The arguments are slots of all its
    frames; the `flag` says of a choice that nothing more is asked, and of others that `proceed` has
    run. `function` is the function of the program that runs it.
    """

    kind: str
    key: str
    number: int
    inner: int
    arguments: tuple[Slot, ...]
    flag: Slot | None
    function: str


@dataclass(frozen=True)
class PointPlan:
    """A point where a routine continues, by its number in a frame.

    `slots` are in use there, `rounds` are those of loops (the list, and behind it the number of
    rounds done). `again` is the point where a choice that has asked here would ask anew, and
    `called` the place (file, start and end) of the call that runs meanwhile.
    """

    routine: int
    slots: tuple[Slot, ...] = ()
    rounds: tuple[Slot, ...] = ()
    again: int | None = None
    called: tuple[str, int, int] | None = None


@dataclass(frozen=True)
class QueuedPlan:
    """A call of an action in `queue`: its number is followed by those of its arguments.

    A set has its length (-1 for none) before its members. Numbers without a name are not of the
    rules.
    """

    key: str
    arguments: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class Plan:
    """A lowered program and the meaning of its numbers.

    `routines` and `points` are those of frames, by number, `actions` those that can be queued;
    `marks` are the places in the rules (file and start) by number that a marked program records
    in the table `ran`; `terms` are the quantities by number whose readings a program notes;
    `names` those of functions and tables, by what they are and their keys in the rules. A plan
    loaded from the cache has no program: the compiled one is used to play it.
    """

    checked: Checked
    players: int
    encoding: Encoding
    program: Program
    states: Mapping[str, StateTable]
    routines: tuple[RoutinePlan, ...]
    points: tuple[PointPlan, ...]
    choices: tuple[ChoicePlan, ...]
    actions: tuple[QueuedPlan, ...]
    marks: tuple[tuple[str, int], ...] = ()
    terms: tuple[str, ...] = ()
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)


PLAYING = (
    *("start", "run", "enumerate_moves", "play", "finish", "rebuild", "playout", "playouts"),
    *("can_place", "look", "start_told", "play_told", "tell"),
)
"""The functions called from outside that play single games; a program of them is smaller."""

ENTRIES = (
    *PLAYING,
    *("begin_rows", "choose_rows", "step_rows", "observe_rows", "list_rows", "look_rows"),
    *("weigh_begin", "weigh_rows", "columns"),
    *("search_sample", "search_open", "search_grow", "search_failed", "search_best"),
)
"""All functions called from outside; see `runtime.machine`.

`start()` initialises the game and runs to the first decision (`rng` and `resolves` are set before);
`run()` continues from where it was stopped; `enumerate_moves()` fills `moves` for the pending
decision and changes nothing else; `play(row)` plays that row of `moves`, chance too, and runs on;
`finish()` drops all frames and runs the finish action; `rebuild()` recomputes all derived tables;
`playout(limit) -> int` plays moves drawn with `luck`, chance among them, until the game is over or
`limit` moves were played, and returns their number; `playouts` plays whole games like that
(`runtime.playouts`); `can_place(piece, placement) -> bool` says whether the grid takes a
piece there, whatever the rules say; `start_told()` and `play_told(row)` are `start` and `play` in
a game whose statistics `tell(0, moves)` writes; `look(seat)` writes what a player knows of each
piece; `begin_rows`, `choose_rows`, `step_rows`, `observe_rows`, `list_rows` and `look_rows` play
many games (`runtime.rows`);
`weigh_begin`, `weigh_rows` and `columns` are for the outcomes of moves
(`runtime.outcomes`), the others for a search (`runtime.search`).
"""
