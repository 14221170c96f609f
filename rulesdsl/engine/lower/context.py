"""State shared by all parts of lowering: the game, its numbers, and the program so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from rulesdsl.engine.lower.emit import ONE, ZERO, Builder
from rulesdsl.engine.lower.tables.box import Carried
from rulesdsl.engine.lower.tables.encoding import Encoding, feature_kinds
from rulesdsl.engine.lower.tables.state_tables import StateTable, state_tables
from rulesdsl.engine.lower.terms import TermNames
from rulesdsl.engine.lower.tracing import TRACE, TracePoint, TracePoints, trace_function
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Span
from rulesdsl.language.model import ir
from rulesdsl.language.model.checked import Checked, Const, walk
from rulesdsl.language.model.flow import sources
from rulesdsl.language.model.tables import RAN
from rulesdsl.language.model.types import BOOL, PIECE_CLASSES, Type
from rulesdsl.language.model.values import Player

MOST_NODES = 100_000
"""The most nodes the functions of a game's rules may have; the largest shipped game has 12,000."""


class Lowering:
    """The program being built; tables and functions of the rules are added to those of the runtime.

    `marks` numbers the places in the rules (file and start) that a marked program records when
    it passes them; None for programs that record nothing. Only an `optimised` program has code
    that does the same in another way than the rules say it. `values` names the IR function of
    every value of the rules; `taken` are names that are not given to anything of the rules.
    """

    def __init__(
        self,
        checked: Checked,
        players: int,
        taken: Iterable[str] = (),
        *,
        optimised: bool = False,
        marked: bool = False,
        tracing: TracePoints | None = None,
        names: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        """Begin a program; `names` are those of another one of the same game, to add to it."""
        self.tracing = tracing
        self.optimised = optimised
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
        self.names = dict(names or {})
        self._taken = {RAN, TRACE, *taken}
        if tracing is not None:
            self.add_function(trace_function())
        self.sources = sources(checked)
        self.states: Mapping[str, StateTable] = state_tables(checked, self.encoding)
        for state in self.states.values():
            for table in state.tables:
                self.add_table(table)
        self.values = {key: self.name("value", key) for key in checked.values}

    @cached_property
    def quantities(self) -> TermNames:
        """The quantities whose readings the program notes."""
        return TermNames(self.checked)

    def gathered_value(self, key: str) -> str:
        """Return the function of a value whose readings are gathered."""
        return self.name("gathered_value", key)

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
        return names_absent(self.checked, self.players)

    def name(self, what: str, key: str) -> str:
        """Return the unique identifier of something of the rules, the same one on every call."""
        if (what, key) not in self.names:
            plain = re.sub(r"\W", "_", key.rsplit("/", 1)[-1])
            name, number = f"{what}_{plain}", 1
            while name in self._taken:
                number += 1
                name = f"{what}_{plain}_{number}"
            self._taken.add(name)
            self.names[what, key] = name
        return self.names[what, key]

    def mark(self, builder: Builder, span: Span) -> None:
        """Emit the record that the rules at `span` run, in a marked program."""
        if self.marks is not None:
            number = self.marks.setdefault((span.source.name, span.start), len(self.marks))
            builder.emit(ir.Store(RAN, ir.Const(number), ONE, span))
            self.trace(builder, "ran", span)

    def trace(
        self,
        builder: Builder,
        what: str,
        node: object,
        value: ir.Expr = ZERO,
        *,
        type_: Type = BOOL,
        name: str = "",
        number: int = 0,
    ) -> None:
        """Emit that a traced program is at a point of the rules."""
        if self.tracing is not None:
            self.tracing.emit(builder, TracePoint(what, node, type_, name, number), value)

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


def names_absent(rules: Checked, players: int) -> bool:
    """Return whether the rules name, by colour, a player who does not play."""
    tables = (rules.values, rules.actions, rules.choices, rules.states)
    return any(
        isinstance(node, Const) and isinstance(node.value, Player) and node.value.seat >= players
        for node in walk((*(tuple(table.values()) for table in tables), rules.always))
    )
