"""Results that depend on the names of rulesets.

Components and members of enums are ordered by ruleset first, those of strangers by the rulesets'
names. So a loop over things of strangers must give the same result in any order, `first` and `top`
must not choose among them, and steps from one member of an enum to the next must not pass theirs.
The same holds for the order in which components begin in an ordered zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import fields

from rulesdsl.check.conflicts.effects import (
    Column,
    Effects,
    EffectScope,
    EffectTable,
    Part,
    listed_columns,
)
from rulesdsl.check.graph import Contents
from rulesdsl.diagnostics import Report
from rulesdsl.model import checked as tree
from rulesdsl.model import types
from rulesdsl.model.flow import ends_early, structure
from rulesdsl.model.game import KindDef, LinkedGame, ZoneDef
from rulesdsl.model.names import short_name
from rulesdsl.records import dataclass


def check_name_order(
    checked: tree.Checked, inside: Contents, effects: EffectTable, report: Report
) -> None:
    """Report `order-of-names`, a warning, for results that depend on the names of rulesets."""
    _Orders(checked, inside, effects, report).check()
    _check_zones(checked.game, inside, report)


@dataclass
class _Orders:
    checked: tree.Checked
    contents: Contents
    effects: EffectTable
    report: Report

    def check(self) -> None:
        for key, nodes in self.contents.actions.items():
            self._check_nodes(nodes, self.effects.inside(key))
        for key, nodes in self.contents.choices.items():
            self._check_nodes(nodes, self.effects.inside(key))
        for nodes in (*self.contents.states.values(), *self.contents.values.values()):
            self._check_nodes(nodes, True)
        self._check_nodes(self.contents.always, True)

    def _check_nodes(self, nodes: tree.Nodes, inside: bool) -> None:
        aggregates = nodes.of(tree.Aggregate)
        settled = {id(each) for each in map(_by_keys_alone, aggregates) if each is not None}
        chosen = [
            each
            for each in aggregates
            if each.function == "first" or (each.function == "top" and id(each) not in settled)
        ]
        loops = nodes.of(tree.For)
        rules = nodes.of(tree.AlwaysDef)
        if chosen or loops or rules:
            scope = EffectScope(self.effects.values, nodes)
            for aggregate in chosen:
                for binder in aggregate.binders:
                    self._check_chosen(aggregate.function, binder, scope)
            for loop in loops:
                self._check_loop(loop, nodes, scope, inside)
            for rule in rules:
                self._check_always(rule, nodes, scope)
        for call in nodes.of(tree.CallBuiltin):
            if call.function in ("forward", "steps"):
                self._check_steps(call)

    def _check_chosen(self, function: str, binder: tree.Binder, scope: EffectScope) -> None:
        found = self._strangers(binder, scope)
        if found is not None:
            self._report_choice(binder, f"`{function}`", found)

    def _check_loop(
        self, loop: tree.For, nodes: tree.Nodes, scope: EffectScope, inside: bool
    ) -> None:
        binder = loop.binder
        placed = len(binder.names) == 1 and binder.item in _ON_PIECES
        if placed or binder.item == types.PLAYER:
            return  # these go by cells, and by seats
        found = self._strangers(binder, scope)
        if found is None:
            return
        if ends_early(loop.body):
            self._report_choice(binder, "this loop, which can end early,", found)
            return
        body = tree.Nodes(loop.body)
        local = _carried(body)
        if local is not None:
            self._report_order(binder, f"round by round, this loop changes `{local}`", found)
            return
        clash = self._clash(binder, body, nodes, inside)
        if clash:
            self._report_order(
                binder, f"each round of this loop touches {listed_columns(clash)}", found
            )

    def _check_always(self, rule: tree.AlwaysDef, nodes: tree.Nodes, scope: EffectScope) -> None:
        found = self._strangers(rule.binder, scope)
        if found is None:
            return
        clash = self._clash(rule.binder, tree.Nodes((rule.binder, rule.body)), nodes, True)
        if clash:
            self._report_order(
                rule.binder, f"this rule touches {listed_columns(clash)} for each", found
            )

    def _clash(
        self, binder: tree.Binder, body: tree.Nodes, nodes: tree.Nodes, inside: bool
    ) -> frozenset[str]:
        """Return the names of the columns because of which the order of two rounds matters."""
        element = binder.names if len(binder.names) == 1 else ()
        scope = EffectScope(self.effects.values, nodes, element=element)
        return _meets_itself(self.effects.within(body, scope, inside))

    def _check_steps(self, call: tree.CallBuiltin) -> None:
        type_ = call.arguments[0].type
        if not isinstance(type_, types.EnumType):
            return
        found = _apart(self.checked.game, _members(self.checked.game, type_))
        if found is not None:
            one, other = found
            self.report.warning(
                "order-of-names",
                f"`{call.function}` passes `{one}` and `{other}`, which rulesets that do not know "
                "each other add: only their names decide which comes first",
                call.span,
                help=("use a table or a value that says what follows what",),
            )

    def _report_choice(self, binder: tree.Binder, what: str, found: tuple[str, str]) -> None:
        one, two = found
        name = binder.names[0].partition("$")[0]
        settles = "read nothing but the keys, as in `sum(E for x in top(3, x in S by E))`"
        self.report.warning(
            "order-of-names",
            f"{what} can choose between `{one}` and `{two}`, whose rulesets do not know each "
            "other: only their names decide",
            binder.span,
            help=(
                f"say which are meant, as in `where {name} is {short_name(one)}`",
                *((settles,) if what == "`top`" else ()),
                "or let a value decide: `most(… by …)`",
            ),
        )

    def _report_order(self, binder: tree.Binder, what: str, found: tuple[str, str]) -> None:
        one, two = found
        self.report.warning(
            "order-of-names",
            f"{what}, and only the names of their rulesets decide whether `{one}` or `{two}` comes "
            "first",
            binder.span,
            help=(
                "let a round depend on nothing that another changes, or go through the players, "
                "cells or numbers",
                "# allow: order-of-names at the end of this line says that any order is right",
            ),
        )

    def _strangers(self, binder: tree.Binder, scope: EffectScope) -> tuple[str, str] | None:
        return _apart(self.checked.game, _things(self.checked.game, binder, scope))


# --- the largest of a set ------------------------------------------------------------------------


def _by_keys_alone(outer: tree.Aggregate) -> tree.Aggregate | None:
    """Return the `top` over which an aggregate ranges, if any choice among equal keys does.

    It does if the aggregate reads nothing of the elements but the keys of the `top`.
    """
    if len(outer.binders) != 1 or outer.function not in _OF_NUMBERS:
        return None
    (binder,) = outer.binders
    match binder:
        case tree.Binder(names=(name,), domain=tree.Aggregate(function="top") as found):
            inner = found.binders[0].names[0]
            keys = {structure(key, {inner: "#"}) for key in found.keys}
            parts = (outer.value, binder.where)
            return found if all(_reads_only(part, name, keys) for part in parts) else None
    return None


_OF_NUMBERS = ("count", "sum", "max", "min", "any", "all")


def _reads_only(node: object, name: str, keys: Set[str]) -> bool:
    """Return whether a node reads a local in nothing but expressions with the texts of keys."""
    match node:
        case tree.Local(name=read) if read == name:
            return "#" in keys
        case tree.Node() if structure(node, {name: "#"}) in keys:
            return True
        case tree.Node():
            return all(_reads_only(getattr(node, each.name), name, keys) for each in fields(node))
        case tuple():
            return all(_reads_only(each, name, keys) for each in node)
    return True


# --- things of rulesets --------------------------------------------------------------------------


_Thing = tuple[str, str]
"""A ruleset, and the full name of what it declares or extends: components or an enum member."""


def _members(game: LinkedGame, type_: types.EnumType) -> Iterator[_Thing]:
    for enum in game.enums:
        if enum.key == type_.name:
            for member, origin in zip(enum.members, enum.origins, strict=True):
                yield origin, f"{origin}/{member}"


_IN_ORDER_OF_PIECES = (types.ZONE, types.PIECE, types.KIND, types.FACE)
_ON_PIECES = (types.SEGMENT, types.FEATURE)


def _things(game: LinkedGame, binder: tree.Binder, scope: EffectScope) -> Iterator[_Thing]:
    """Yield the kinds and enum members that a binder ranges over."""
    item = binder.item
    if isinstance(item, types.EnumType):
        yield from _members(game, item)
    elif item in _ON_PIECES and not _of_one_piece(binder.domain):
        for kind in game.kinds:
            if kind.outline is not None or any(face.outline for face in kind.faces):
                yield from _of_kind(kind)
    elif item in _IN_ORDER_OF_PIECES or str(item) in types.PIECE_CLASSES:
        known = scope.binder(binder)
        classes = _classes(game, item, known.where)
        for kind in game.kinds:
            if kind.cls in classes and (
                not isinstance(known.kinds, frozenset) or kind.key in known.kinds
            ):
                yield from _of_kind(kind)


def _of_one_piece(domain: tree.Expr) -> bool:
    """Return whether a set of segments is that of one piece, in whose order they are."""
    match domain:
        case tree.CallBuiltin(function="segments", arguments=(piece,)):
            return str(piece.type) in types.PIECE_CLASSES
    return False


def _of_kind(kind: KindDef) -> Iterator[_Thing]:
    """Yield the rulesets that declare or extend a kind, each with its name."""
    name = f"{kind.ruleset}/{kind.text}"
    yield kind.ruleset, name
    yield from ((ruleset, name) for ruleset in kind.extended)


def _classes(game: LinkedGame, item: types.Type, where: Part) -> frozenset[str]:
    """Return the classes of components of a type, or in the zones where they are known to be."""
    if item == types.FACE:
        return frozenset({"die"})
    if item in (types.ZONE, types.KIND):
        held = [zone.holds for zone in game.zones]
        if isinstance(where, frozenset):
            held = [zone.holds for zone in game.zones if zone.key in where]
        return frozenset[str]().union(*held)
    return frozenset(types.PIECE_CLASSES if item == types.PIECE else [str(item)])


def _apart(game: LinkedGame, things: Iterable[_Thing]) -> tuple[str, str] | None:
    """Return two of some things that belong to strangers, None if there are none.

    Each thing comes with its ruleset.
    """
    first = dict[str, str]()
    for own, name in things:
        for ruleset, other in first.items():
            if game.strangers(ruleset, own):
                return other, name
        first.setdefault(own, name)
    return None


# --- rounds --------------------------------------------------------------------------------------


def _carried(body: tree.Nodes) -> str | None:
    """Return a local that carries something from one round into the next, None if there is none.

    Adding to it, or keeping the largest or smallest, gives the same in any order.
    """
    own = {let.name for let in body.of(tree.Let)}
    own |= {perform.into for perform in body.of(tree.Perform) if perform.into is not None}
    changes: dict[str, list[tree.SetLocal]] = {}
    for change in body.of(tree.SetLocal):
        if change.name not in own:
            changes.setdefault(change.name, []).append(change)
    reads = [local.name for local in body.of(tree.Local)]
    for name, sets in changes.items():
        ways = {_way(change) for change in sets}
        in_changes = sum(_way(change) in ("max", "min") for change in sets)
        if len(ways) > 1 or None in ways or reads.count(name) > in_changes:
            return name
    return None


def _way(change: tree.SetLocal) -> str | None:
    """Return how a local is changed: in the same way, changes have no order. None if they have."""
    match change:
        case tree.SetLocal(operator="="):
            match change.value:
                case tree.Const(value=value, setting=None):
                    return repr(value)
                case tree.CallBuiltin(function="max" | "min" as way, arguments=parts):
                    mine = [isinstance(p, tree.Local) and p.name == change.name for p in parts]
                    return way if sum(mine) == 1 else None
            return None
        case tree.SetLocal(value=value) if isinstance(value.type, types.SetType):
            return change.operator
    return "+"


def _meets_itself(effects: Effects) -> frozenset[str]:
    """Return the names of columns because of which the order of two rounds matters.

    Parts that are the element of a round (see `EffectScope`) are others in the other round.
    """
    found = set[str]()
    by_name: dict[str, list[Column]] = {}
    for column in effects.reads | effects.writes:
        by_name.setdefault(column.name, []).append(column)
    for one in effects.writes | effects.added:
        for two in by_name.get(one.name, ()):
            if one.overlaps(two) and not any(
                isinstance(part, int) and part < 0 and part == other
                for part, other in zip(one.parts, two.parts, strict=True)
            ):
                found.add(one.name)
    return frozenset(found)


# --- zones ---------------------------------------------------------------------------------------


def _check_zones(game: LinkedGame, inside: Contents, report: Report) -> None:
    """Report ordered zones in which things of strangers begin, unless the zone is shuffled."""
    shuffled = set[int]()
    for nodes in inside.every():
        for effect in nodes.of(tree.EffectCall):
            if effect.effect == "shuffle":
                zones = [each for each in tree.walk(effect) if isinstance(each, tree.EntryAt)]
                shuffled |= {zone.number for zone in zones if zone.what == "zone"}
                shuffled |= set() if zones else set(range(len(game.zones)))
    for number, zone in enumerate(game.zones):
        if not zone.ordered or zone.visible == "none" or number in shuffled:
            continue
        found = _apart(game, dict.fromkeys(_beginning(game, zone)))
        if found is not None:
            one, two = found
            report.warning(
                "order-of-names",
                f"`{zone.name}` keeps its order, and only the names of their rulesets decide "
                f"whether `{one}` or `{two}` lies before the other when the game begins",
                zone.span,
                help=(
                    f"shuffle it before the first turn: `shuffle({zone.name})`",
                    "or let them begin in another zone",
                ),
            )


def _beginning(game: LinkedGame, zone: ZoneDef) -> Iterator[_Thing]:
    """Yield the kinds of components that begin in a zone."""
    for piece in game.pieces:
        if piece.start == zone.key:
            yield from _of_kind(game.kinds[piece.kind])
