"""The symbol table: all declarations of a game, by ruleset and name, and their visibility."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal, TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import uses
from rulesdsl.language.model.ast import Ident
from rulesdsl.language.model.checked import Checked, Parameter
from rulesdsl.language.model.game import (
    AttributeDef,
    Declaration,
    FeatureKindDef,
    LinkedGame,
    SettingDef,
)
from rulesdsl.language.model.names import owner_of, ruleset_of, short_name
from rulesdsl.language.model.types import SIDE, Type
from rulesdsl.language.model.uses import Symbol, Uses
from rulesdsl.language.model.values import EnumMember, Face, Kind, Player, Value

T = TypeVar("T")
D = TypeVar("D", bound=Declaration)
Table = dict[str, dict[str, T]]
"""Declarations by ruleset, then short name."""
RoutineKind = Literal["value", "action", "choice"]
NounKind = Literal["enum", "grid", "zone", "track", "table"]


@dataclass(frozen=True)
class RoutineSymbol:
    """A value, action or choice as its callers see it.

    `policy` is that of a value, as in the syntax tree. `type` is that of its result, and `names`
    are those of its parameters as they were written.
    """

    key: str
    what: RoutineKind
    params: tuple[Parameter, ...]
    type: Type
    span: Span | None = field(default=None, compare=False)
    policy: str = ""
    names: tuple[Ident, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The short name."""
        return short_name(self.key)

    @property
    def ruleset(self) -> str:
        """The ruleset that declares it."""
        return ruleset_of(self.key)


@dataclass(frozen=True)
class Datum:
    """A state as its readers see it; `key` is `ruleset/owner.name`."""

    key: str
    owner: str
    index: tuple[Type, ...]
    type: Type
    span: Span = field(compare=False)

    @property
    def name(self) -> str:
        """The short name, without its owner."""
        return self.key.rpartition(".")[2]


@dataclass(frozen=True)
class Noun:
    """A named thing of the box; `number` is its index in the Game's table."""

    what: NounKind
    key: str
    number: int
    span: Span = field(compare=False)


@dataclass
class Symbols:
    """All declarations of a game.

    `refined` are the attributes (full names) that rules contribute to. `broken` are the names of
    declarations that could not be parsed, by ruleset. `held` is the class of the components in the
    zone that a value returns, by the value's key. `asked` are the actions (full names) whose
    preconditions `allowed` reads, `unconditional` those known to have none.
    """

    game: LinkedGame
    routines: Table[RoutineSymbol] = field(default_factory=dict)
    data: Table[Datum] = field(default_factory=dict)
    nouns: Table[Noun] = field(default_factory=dict)
    attributes: Table[AttributeDef] = field(default_factory=dict)
    settings: Table[SettingDef] = field(default_factory=dict)
    features: Table[FeatureKindDef] = field(default_factory=dict)
    components: Table[tuple[int, ...]] = field(default_factory=dict)
    refined: set[str] = field(default_factory=set)
    broken: dict[str, set[str]] = field(default_factory=dict)
    held: dict[str, Type] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    unconditional: set[str] = field(default_factory=set)
    uses: Uses = field(default_factory=Uses)

    def find(
        self, table: Table[T], name: str, ruleset: str, qualifier: str | None = None
    ) -> tuple[T, ...]:
        """Return the possible meanings of `name` in `ruleset`.

        These are its own declarations, otherwise all of those it requires, or with a qualifier only
        that ruleset's. `with` blocks of a ruleset are its own as far as they are in scope.
        """
        seen = self.game.visible[ruleset]
        if qualifier is not None:
            return _one(table, qualifier, name) or _all(table, seen, name, qualifier)
        own = _one(table, ruleset, name) or _all(table, seen, name, owner_of(ruleset))
        return own or tuple(found for other in seen for found in _one(table, other, name))

    def own(self, table: Table[T], name: str, ruleset: str) -> tuple[T, ...]:
        """Return a ruleset's declarations of a name, in scope or not."""
        return _all(table, table, name, owner_of(ruleset))

    def routine(self, ruleset: str, name: str) -> RoutineSymbol:
        """Return the routine that a ruleset declares by a name; there must be one."""
        return self.own(self.routines, name, ruleset)[0]

    def seen(self, table: Table[T], ruleset: str, qualifier: str | None = None) -> Iterator[str]:
        """Yield all names of `table` that have a meaning in `ruleset`."""
        for other in (qualifier,) if qualifier else self.game.visible[ruleset]:
            yield from table.get(other, {})
        if qualifier:
            for other in self.game.visible[ruleset]:
                if other != qualifier and owner_of(other) == qualifier:
                    yield from table.get(other, {})

    def is_bare(self, name: str, ruleset: str) -> bool:
        """Return whether a bare `name` means a state of the game or a thing of the box."""
        data = self.find(self.data, f"game.{name}", ruleset)
        return bool(data) or bool(self.find(self.nouns, name, ruleset))

    def declarers(self, name: str) -> set[str]:
        """Return the rulesets that declare something with the bare name `name`."""
        tables: tuple[Mapping[str, Mapping[str, object]], ...] = (
            self.routines,
            self.nouns,
            self.components,
            self.features,
        )
        found = {r for table in tables for r, names in table.items() if name in names}
        return found | {r for r, names in self.data.items() if f"game.{name}" in names}

    def is_broken(self, name: str, ruleset: str) -> bool:
        """Return whether a declaration of `name`, in scope of `ruleset`, could not be parsed."""
        return any(name in self.broken.get(r, ()) for r in self.game.reach[ruleset])

    def may_qualify(self, qualifier: str, ruleset: str) -> bool:
        """Return whether `qualifier` is a ruleset whose names `ruleset` may use."""
        return qualifier in self.game.reach[ruleset]

    def members(self, key: str) -> tuple[str, ...]:
        """Return the members of an enum by its full name.

        It is an enum of the game, the built-in `side`, or the words of a setting
        (`ruleset/settings.name`).
        """
        if key == SIDE.name:
            return self.game.side_names
        ruleset, _, name = key.partition("/settings.")
        if name:
            return tuple(str(value) for value in self.settings[ruleset][name].values)
        return next(enum.members for enum in self.game.enums if enum.key == key)

    def members_named(
        self, name: str, ruleset: str, qualifier: str | None = None
    ) -> tuple[EnumMember, ...]:
        """Return the members of that name in the enums in scope.

        A side is meant only where one is expected.
        """
        visible = self.game.visible[ruleset]
        enums = [each.key for each in self.game.enums if each.ruleset in visible]
        return tuple(m for enum in enums for m in self.called(enum, name, ruleset, qualifier))

    def called(
        self, key: str, name: str, ruleset: str, qualifier: str | None = None
    ) -> tuple[EnumMember, ...]:
        """Return the members of an enum (see `members`) that a name may mean in a ruleset."""
        enum = next((enum for enum in self.game.enums if enum.key == key), None)
        if enum is None:
            numbers = [at for at, member in enumerate(self.members(key)) if member == name]
        else:
            full = name if qualifier is None else f"{qualifier}/{name}"
            numbers = [*enum.called(full, self.game.visible[ruleset])]
        return tuple(EnumMember(key, number) for number in numbers)

    def faces_named(self, name: str) -> tuple[Face, ...]:
        """Return every die's face of that name."""
        return tuple(
            Face(number, index)
            for number, kind in enumerate(self.game.kinds)
            for index, face in enumerate(kind.faces)
            if face.name == name
        )

    def meaning(self, value: Value) -> Symbol:
        """Return the symbol of a named value that is known at load."""
        match value:
            case EnumMember(enum=enum, index=index):
                return uses.member(enum, self.members(enum)[index])
            case Kind(index=index):
                return uses.declared("component", self.game.kinds[index].key)
            case Face(kind=number, index=index):
                kind = self.game.kinds[number]
                return uses.declared("face", f"{kind.key}.{kind.faces[index].name}")
            case Player(seat=seat):
                roles = self.game.roles
                return uses.declared("colour", f"{roles.ruleset}/{roles.colours[seat]}")
        raise AssertionError(f"{value} has no name")


def _one(table: Table[T], ruleset: str, name: str) -> tuple[T, ...]:
    names = table.get(ruleset, {})
    return (names[name],) if name in names else ()


def _all(table: Table[T], parts: Iterable[str], name: str, owner: str) -> tuple[T, ...]:
    """Return the declarations of a name in those of the parts that belong to one ruleset."""
    owned = (part for part in parts if owner_of(part) == owner)
    return tuple(found for part in owned for found in _one(table, part, name))


def _by_name(items: Iterable[D]) -> Table[D]:
    table: Table[D] = {}
    for item in items:
        table.setdefault(item.ruleset, {})[item.name] = item
    return table


def of_game(game: LinkedGame, uses: Uses | None = None) -> Symbols:
    """Return the declarations of the box; the meanings of names are noted in `uses`."""
    symbols = Symbols(
        game,
        uses=Uses() if uses is None else uses,
        attributes=_by_name(game.declared_attributes),
        settings=_by_name(game.settings),
        features=_by_name(game.feature_kinds),
    )
    boxes: Mapping[NounKind, tuple[Declaration, ...]] = {
        "enum": game.enums,
        "grid": game.grids,
        "zone": game.zones,
        "track": game.tracks,
        "table": game.tables,
    }
    for what, items in boxes.items():
        for number, item in enumerate(items):
            noun = Noun(what, item.key, number, item.span)
            symbols.nouns.setdefault(item.ruleset, {})[item.name] = noun
    for number, kind in enumerate(game.kinds):
        names = symbols.components.setdefault(kind.ruleset, {})
        names[kind.name] = (*names.get(kind.name, ()), number)
    return symbols


def of_checked(checked: Checked, uses: Uses | None = None) -> Symbols:
    """Return the declarations of a checked game, for expressions that are checked later.

    The meanings of names are noted in `uses`.
    """
    symbols = of_game(checked.game, uses)
    attributes = {attribute.key for attribute in checked.game.declared_attributes}
    for value in checked.values.values():
        if value.key in checked.actions:
            continue
        if value.key in attributes:
            symbols.refined.add(value.key)
            continue
        routine = RoutineSymbol(
            value.key, "value", value.params, value.type, value.span, value.policy
        )
        symbols.routines.setdefault(routine.ruleset, {})[routine.name] = routine
    for action in checked.actions.values():
        routine = RoutineSymbol(action.key, "action", action.params, action.type, action.span)
        if action.key not in checked.values:
            symbols.unconditional.add(action.key)
        symbols.routines.setdefault(routine.ruleset, {})[routine.name] = routine
    for choice in checked.choices.values():
        routine = RoutineSymbol(choice.key, "choice", choice.params, choice.type, choice.span)
        symbols.routines.setdefault(routine.ruleset, {})[routine.name] = routine
    for state in checked.states.values():
        ruleset, _, name = state.key.partition("/")
        datum = Datum(state.key, state.owner, state.index, state.type, state.span)
        symbols.data.setdefault(ruleset, {})[name] = datum
    return symbols
