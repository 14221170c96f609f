"""The kinds of components that an expression can mean, and the zones in which they were found.

A local has all values that it can be given within its callable. An unknown value is any kind,
anywhere. Parameters stand for themselves, so that a caller can fill them in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rulesdsl.check.compose.columns import GRIDS, TRACKS, Part, both, either
from rulesdsl.check.graph import Contents
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Nodes
from rulesdsl.model.game import Game
from rulesdsl.model.types import (
    CELL,
    GRID,
    KIND,
    PIECE,
    PIECE_CLASSES,
    SEGMENT,
    SPACE,
    ZONE,
    NamedType,
    SetType,
    Type,
)
from rulesdsl.model.values import Kind, Zone

_ON_GRIDS = {"cell", "die", "feature", "grid", "segment", "tile"}
_LISTS = {"tiles", "cards", "dice", "tokens", "figures"}


@dataclass(frozen=True)
class Known:
    """The possible values of an expression.

    `kinds` are full names; the places are zones (full names) and others (`GRIDS`, `TRACKS`).
    """

    kinds: Part = None
    where: Part = None

    def __or__(self, other: Known) -> Known:
        return Known(either(self.kinds, other.kinds), either(self.where, other.where))


ANYTHING = Known()


def is_piece(type_: Type) -> bool:
    """Say whether a type is that of components, or of their kinds."""
    return type_ in (PIECE, KIND) or (isinstance(type_, NamedType) and type_.name in PIECE_CLASSES)


class Values:
    """The results that the values of a game can give."""

    def __init__(self, game: Game, contents: Contents) -> None:
        self.game = game
        self._contents = contents
        self._known: dict[str, Known] = {}

    def of(self, key: str) -> Known:
        """Return the possible results of a value; its parameters stand for themselves."""
        if key not in self._known:
            self._known[key] = ANYTHING  # while it is being computed, as it may call itself
            nodes = self._contents.values[key]
            scope = Scope(self, nodes)
            given = [scope.known(each.value) for each in nodes.of(tree.Return) if each.value]
            found = given[0] if given else ANYTHING
            for one in given[1:]:
                found |= one
            self._known[key] = found
        return self._known[key]


class Scope:
    """The locals of one callable, or of one hook with its `params` and `guard`."""

    def __init__(
        self,
        values: Values,
        nodes: Nodes,
        params: tuple[str, ...] | None = None,
        guard: tree.Expr | None = None,
    ) -> None:
        self._values = values
        self._params = _numbers(nodes) if params is None else dict.fromkeys(params)
        self._guard = guard
        self._sources: dict[str, list[tree.Expr | tree.Binder | tree.Perform | None]] = {}
        self._found: dict[str, Known] = {}
        # Components found before a `proceed` may be elsewhere after it.
        self._stays = not nodes.of(tree.ProceedCall)
        for let in nodes.of(tree.Let):
            self._sources.setdefault(let.name, []).append(let.value)
        for binder in nodes.of(tree.Binder):
            for name in binder.names:
                self._sources.setdefault(name, []).append(binder)
        for perform in nodes.of(tree.Perform):
            if perform.into is not None:
                self._sources.setdefault(perform.into, []).append(perform)
        for change in nodes.of(tree.SetLocal):
            self._sources.setdefault(change.name, []).append(None)
        for reach in nodes.of(tree.Reach):
            self._sources.setdefault(reach.name, []).append(None)

    def part(self, expr: tree.Expr | None) -> Part:
        """Return an expression as part of a column: kinds of a component, or a constant."""
        match expr:
            case None:
                return None
            case tree.Const(value=value) if not isinstance(value, Kind):
                return frozenset({value})
            case tree.Local(name=name) if name not in self._sources and name in self._params:
                if self._params[name] is not None:
                    return self._params[name]
        return self.known(expr).kinds if is_piece(expr.type) else None

    def binder(self, binder: tree.Binder) -> Known:
        """Return the possible elements of a binder's domain."""
        found = self.known(binder.domain)
        for name in binder.names:
            found = Known(both(found.kinds, self._narrowed(binder.where, name)), found.where)
        return found

    def known(self, expr: tree.Expr) -> Known:
        """Return the possible values of an expression: component, kind, zone, or a set of those."""
        match expr:
            case tree.Const(value=Kind(index=index)):
                return Known(frozenset({self._values.game.kinds[index].key}))
            case tree.Const(value=Zone(zone=number)):
                return Known(None, frozenset({self._values.game.zones[number].key}))
            case tree.Local(name=name):
                return self._local(name)
            case tree.EntryAt(what="zone", number=number):
                return Known(None, frozenset({self._values.game.zones[number].key}))
            case tree.Ranged(operand=operand):
                return self.known(operand)
            case tree.IfElse(then=one, otherwise=other):
                return self.known(one) | self.known(other)
            case tree.Binary(operator="union", left=one, right=other):
                return self.known(one) | self.known(other)
            case tree.Binary(operator="difference", left=one):
                return self.known(one)
            case tree.SetLiteral(items=(first, *others)):
                found = self.known(first)
                for other in others:
                    found |= self.known(other)
                return found
            case tree.Comprehension(value=value):
                return self.known(value)
            case tree.Aggregate(function="first" | "the" | "most", binders=(binder,)):
                return self.binder(binder)
            case tree.CallValue(value=key, arguments=arguments):
                return self._given(self._values.of(key), arguments)
            case tree.CallBuiltin(function=function, arguments=arguments):
                return self._builtin(function, arguments)
        return ANYTHING

    def _builtin(self, function: str, arguments: tuple[tree.Expr, ...]) -> Known:
        match function, arguments:
            case "one", (zone, kind):
                return Known(self.part(kind), self.known(zone).where)
            case "kind", (piece,):
                return Known(self.part(piece))
            case "kinds", (zone,):
                return Known(None, self.known(zone).where)
            case "tile", (_,):
                return Known(None, frozenset({GRIDS}))
            case _, (place,) if function in _LISTS:
                return Known(None, self.place(place))
        return ANYTHING

    def place(self, expr: tree.Expr) -> Part:
        """Return the zones of a place, or of a set of places."""
        type_ = expr.type.item if isinstance(expr.type, SetType) else expr.type
        if type_ == SPACE:
            return frozenset({TRACKS})
        if type_ in (SEGMENT, CELL, GRID) or str(type_) in _ON_GRIDS:
            return frozenset({GRIDS})
        return self.known(expr).where if type_ == ZONE else None

    def _given(self, known: Known, arguments: tuple[tree.Expr, ...]) -> Known:
        kinds = known.kinds
        return Known(self.part(arguments[kinds]) if isinstance(kinds, int) else kinds, known.where)

    def _local(self, name: str) -> Known:
        sources = self._sources.get(name)
        if sources is None:
            narrowed = self._narrowed(self._guard, name)
            return Known(self._params.get(name) if narrowed is None else narrowed)
        if name in self._params:
            return ANYTHING
        if name not in self._found:
            self._found[name] = ANYTHING  # while it is being computed, as it may refer to itself
            found = self._source(sources[0])
            for source in sources[1:]:
                found |= self._source(source)
            self._found[name] = found if self._stays else Known(found.kinds)
        return self._found[name]

    def _source(self, source: tree.Expr | tree.Binder | tree.Perform | None) -> Known:
        match source:
            case None:
                return ANYTHING
            case tree.Binder():
                return self.binder(source)
            case tree.Perform(call=tree.EffectCall(effect="take", arguments=(zone,))):
                return Known(None, self.known(zone).where)
            case tree.Perform():
                return ANYTHING
        return self.known(source)

    def _narrowed(self, condition: tree.Expr | None, name: str) -> Part:
        """Return the kinds that a local can have where a condition holds, None for any."""
        kinds = self._values.game.kinds
        match condition:
            case tree.Binary(operator="and", left=left, right=right):
                return both(self._narrowed(left, name), self._narrowed(right, name))
            case tree.Binary(operator="or", left=left, right=right):
                return either(self._narrowed(left, name), self._narrowed(right, name))
            case tree.IsKind(object=thing, test="kind", name=kind) if _means(thing, name):
                return frozenset({kind})
            case tree.Compare(operator="==", left=one, right=tree.Const(value=Kind(index=index))):
                return frozenset({kinds[index].key}) if _means(one, name) else None
            case tree.ReadAttribute(object=thing, attribute=key) if _means(thing, name):
                return frozenset(kind.key for kind in kinds if kind.attributes.get(key) is True)
        return None


def _means(expr: tree.Expr, name: str) -> bool:
    """Say whether an expression is a local, or its kind."""
    match expr:
        case tree.CallBuiltin(function="kind", arguments=(inner,)):
            return _means(inner, name)
    return isinstance(expr, tree.Local) and expr.name == name


def _numbers(nodes: Nodes) -> Mapping[str, int | None]:
    """Return the numbers of parameters by name, None for names with several or other meanings."""
    found: dict[str, int | None] = {}
    heads = [[param.name for param in each.params] for each in nodes.of(tree.ActionDef)]
    heads += [[param.name for param in each.params] for each in nodes.of(tree.ValueDef)]
    heads += [[param.name for param in each.params] for each in nodes.of(tree.ChoiceDef)]
    heads += [list(rule.params) for rule in nodes.of(tree.Rule)]
    if not nodes.of(tree.ChoiceDef):
        heads += [list(hook.params) for hook in nodes.of(tree.Hook)]
    for head in heads:
        for number, name in enumerate(head):
            found[name] = number if found.get(name, number) == number else None
    if nodes.of(tree.ChoiceDef):
        # Hooks and vetoes of options name the options' arguments too.
        others = [hook.params for hook in nodes.of(tree.Hook)]
        others += [forbid.params for forbid in nodes.of(tree.Forbid)]
        found.update((name, None) for params in others for name in params)
    return found
