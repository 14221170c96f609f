"""State shared by all parts of lowering: the game, its numbers, and the program so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Diagnostic, RulesError, Span
from rulesdsl.lower.emit import ONE, Builder
from rulesdsl.lower.tables.box import Carried
from rulesdsl.lower.tables.encoding import Encoding, feature_kinds
from rulesdsl.lower.tables.state_tables import StateTable, state_tables
from rulesdsl.model import ir
from rulesdsl.model.checked import Checked, Const, walk
from rulesdsl.model.flow import sources
from rulesdsl.model.tables import RAN
from rulesdsl.model.types import PIECE_CLASSES
from rulesdsl.model.values import Player
from rulesdsl.records import dataclass

MOST_NODES = 100_000
"""The most nodes the functions of a game's rules may have; the largest shipped game has 12,000."""


class Lowering:
    """The program being built; tables and functions of the rules are added to those of the runtime.

    `marks` numbers the places in the rules (file and start) that a marked program records when
    it passes them; None for programs that record nothing. `values` names the IR function of
    every value of the rules; `taken` are names that are not given to anything of the rules.
    """

    def __init__(
        self,
        checked: Checked,
        players: int,
        taken: Iterable[str] = (),
        *,
        marked: bool = False,
    ) -> None:
        self.marks: dict[tuple[str, int], int] | None = {} if marked else None
        self.checked = checked
        self.game = checked.game
        self.players = players
        self.encoding = Encoding(checked, players)
        self.kinds_of_features = feature_kinds(checked.game)
        self.classes = {name: number for number, name in enumerate(PIECE_CLASSES)}
        self.tables: dict[str, ir.Table] = {}
        self.functions: dict[str, ir.Function] = {}
        self._size = 0
        self._names: dict[tuple[str, str], str] = {}
        self._taken = {RAN, *taken}
        self.sources = sources(checked)
        self.states: Mapping[str, StateTable] = state_tables(checked, self.encoding)
        for state in self.states.values():
            for table in state.tables:
                self.add_table(table)
        self.values = {key: self.name("value", key) for key in checked.values}

    @cached_property
    def carried(self) -> Carried:
        """The size of the game's box."""
        return Carried(self.game)

    @cached_property
    def drawn_on_faces(self) -> bool:
        """Return whether a piece shows some segments only with some face up."""
        kinds = (self.game.kinds[number] for number in {p.kind for p in self.game.pieces})
        return any(f.outline and f.outline.segments for kind in kinds for f in kind.faces)

    @cached_property
    def names_absent(self) -> bool:
        """Return whether the rules name, by colour, a player who does not play."""
        rules = self.checked
        tables = (rules.values, rules.actions, rules.choices, rules.states)
        return any(
            isinstance(node, Const)
            and isinstance(node.value, Player)
            and node.value.seat >= self.players
            for node in walk((*(tuple(table.values()) for table in tables), rules.always))
        )

    def name(self, what: str, key: str) -> str:
        """Return the unique identifier of something of the rules, the same one on every call."""
        if (what, key) not in self._names:
            plain = re.sub(r"\W", "_", key.rsplit("/", 1)[-1])
            name, number = f"{what}_{plain}", 1
            while name in self._taken:
                number += 1
                name = f"{what}_{plain}_{number}"
            self._taken.add(name)
            self._names[what, key] = name
        return self._names[what, key]

    def mark(self, builder: Builder, span: Span) -> None:
        """Emit the record that the rules at `span` run, in a marked program."""
        if self.marks is not None:
            number = self.marks.setdefault((span.source.name, span.start), len(self.marks))
            builder.emit(ir.Store(RAN, ir.Const(number), ONE, span))

    def add_table(self, table: ir.Table) -> None:
        assert table.name not in self.tables, table.name
        self.tables[table.name] = table

    def const_table(self, name: str, values: tuple[int, ...], doc: str = "") -> str:
        """Return the name of the const table with these values.

        The same name must always have the same values.
        """
        if name not in self.tables:
            low, high = min(values, default=0), max(values, default=0)
            self.add_table(ir.Table(name, "const", len(values), low, high, values, doc))
        return name

    def add_function(self, function: ir.Function) -> None:
        """Add a function of the rules.

        Raise `RulesError` if the program becomes too large.
        """
        assert function.name not in self.functions, function.name
        self.functions[function.name] = function
        self._size += len(function.nodes)
        if self._size > MOST_NODES:
            raise self._too_large()

    def _too_large(self) -> RulesError:
        """Return the error for a program that is too large, naming its largest part."""
        written = (f for f in self.functions.values() if f.span is not None)
        largest = max(written, key=lambda function: len(function.nodes))
        message = f"the rules of this game compile to more than {MOST_NODES} instructions"
        what = f"the largest part of it has {len(largest.nodes)}"
        help_lines = ("remove some rules, or split this part into several values or actions",)
        span = largest.span
        return RulesError([Diagnostic("too-large", message, span, mark=what, help=help_lines)])


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
    """The layout of an option's rows in `moves`: its own arguments, after the number of the option.

    `key` and `name` identify the option.
    """

    key: str
    name: str
    arguments: tuple[tuple[str, Type], ...]
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
class Plan:
    """A lowered program and the meaning of its numbers.

    `again[p]` is the point where a choice that has asked at point p would ask anew; `actions`
    are the keys of queued actions by number, with their parameters' types in `queue` rows;
    `marks` are the places in the rules (file and start) by number that a marked program records
    in the table `ran`; `terms` are the quantities by number whose readings a program notes. A plan
    loaded from the cache has no program: the compiled one is used to play it.
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
    terms: tuple[str, ...] = ()


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
"""All functions called from outside; see `rulesdsl.runtime.machine`.

`start()` initialises the game and runs to the first decision (`rng` and `resolves` are set before);
`run()` continues from where it was stopped; `enumerate_moves()` fills `moves` for the pending
decision and changes nothing else; `play(row)` plays that row of `moves`, chance too, and runs on;
`finish()` drops all frames and runs the finish action; `rebuild()` recomputes all derived tables;
`playout(limit) -> int` plays moves drawn with `luck`, chance among them, until the game is over or
`limit` moves were played, and returns their number; `playouts` plays whole games like that
(`rulesdsl.runtime.playouts`); `can_place(piece, placement) -> bool` says whether the grid takes a
piece there, whatever the rules say; `start_told()` and `play_told(row)` are `start` and `play` in
a game whose statistics `tell(0, moves)` writes; `look(seat)` writes what a player knows of each
piece; `begin_rows`, `choose_rows`, `step_rows`, `observe_rows`, `list_rows` and `look_rows` play
many games (`rulesdsl.runtime.rows`);
`weigh_begin`, `weigh_rows` and `columns` are for the outcomes of moves
(`rulesdsl.runtime.outcomes`), the others for a search (`rulesdsl.runtime.search`).
"""
