"""Effects: the columns that code reads and writes, through everything it calls."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from rulesdsl.builtins import BOARD, EFFECTS, FACES, READS
from rulesdsl.check.compose import columns
from rulesdsl.check.compose.columns import DECISIONS, GRIDS, LINKS, TRACKS, Column, Effects, Part
from rulesdsl.check.compose.columns import place as place_of
from rulesdsl.check.compose.known import Known, Scope, Values, is_piece
from rulesdsl.check.graph import Contents
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Nodes
from rulesdsl.model.game import Game
from rulesdsl.model.types import FEATURE, PIECE_CLASSES, ZONE, NamedType, SetType

_LAID = ("tile", "die", "card")
_LISTS = {"tiles": "tile", "cards": "card", "dice": "die", "tokens": "token", "figures": "figure"}
_UNJOINED = ("position", "segment", "space", "zone")
"""Members of components that do not depend on the board."""

_Name = tuple[str, str]
"""A callable: `value`, `action` or `choice`, and its full name."""
_Calls = dict[_Name, set[tuple[Part, ...]]]
"""Called callables, with the known facts about the arguments."""


class EffectTable:
    """The effects of a game's values and actions, found as a least fixpoint."""

    def __init__(self, checked: tree.Checked, contents: Contents) -> None:
        self._points = Column(checked.score, (None,))
        self._contents = contents
        self._values = Values(checked.game, contents)

    def of(
        self, node: object, params: tuple[str, ...] = (), guard: tree.Expr | None = None
    ) -> Effects:
        """Return the effects of a node or block, with everything that it calls.

        `params` are the parameters of a hook, and its `guard` may narrow them.
        """
        nodes = Nodes(node)
        effects, calls = self._direct(nodes, Scope(self._values, nodes, params, guard))
        for callee, arguments in _each(calls):
            effects |= _given(self._known[callee], arguments)
        return effects

    @cached_property
    def _known(self) -> dict[_Name, Effects]:
        own = self._contents
        tables = {"value": own.values, "action": own.actions, "choice": own.choices}
        direct = {
            (what, key): self._direct(nodes, Scope(self._values, nodes))
            for what, table in tables.items()
            for key, nodes in table.items()
        }
        callers: dict[_Name, list[tuple[_Name, tuple[Part, ...]]]] = {name: [] for name in direct}
        for name, (_, calls) in direct.items():
            for callee, arguments in _each(calls):
                callers[callee].append((name, arguments))
        known = {name: effects for name, (effects, _) in direct.items()}
        # The callables whose effects have grown since their callers were updated.
        waiting = list(direct)
        while waiting:
            name = waiting.pop()
            for caller, arguments in callers[name]:
                grown = known[caller] | _given(known[name], arguments)
                if grown != known[caller]:
                    known[caller] = grown
                    waiting.append(caller)
        return known

    def _direct(self, nodes: Nodes, scope: Scope) -> tuple[Effects, _Calls]:
        """Return the effects of nodes themselves, and the calls in them."""
        found = _Direct(nodes, scope, self._values.game, self._points)
        calls: _Calls = {}
        for value in nodes.of(tree.CallValue):
            calls.setdefault(("value", value.value), set()).add(found.arguments(value.arguments))
        for action in nodes.of(tree.ActionCall):
            calls.setdefault(("action", action.action), set()).add(
                found.arguments(action.arguments)
            )
        for choice in nodes.of(tree.ChoiceCall):
            calls.setdefault(("choice", choice.choice), set()).add(
                found.arguments(choice.arguments)
            )
        return found.effects(), calls


def _each(calls: _Calls) -> Iterable[tuple[_Name, tuple[Part, ...]]]:
    return ((callee, arguments) for callee, lists in calls.items() for arguments in lists)


def _given(effects: Effects, arguments: tuple[Part, ...]) -> Effects:
    return effects.given(lambda number: arguments[number])


class _Direct:
    """The columns that the nodes of one callable touch."""

    def __init__(self, nodes: Nodes, scope: Scope, game: Game, points: Column) -> None:
        self._nodes = nodes
        self._scope = scope
        self._game = game
        self._points = points
        # Zones read for some kinds only, and zones that are only destinations.
        self._asked: dict[int, Part] = {}
        self._unread: set[int] = set()
        for binder in nodes.of(tree.Binder):
            self._asked[id(binder.domain)] = scope.binder(binder).kinds
        for member in nodes.of(tree.Member):
            self._asked[id(member.set)] = scope.part(member.item)
        for call in nodes.of(tree.CallBuiltin):
            if call.function == "one":
                self._asked[id(call.arguments[0])] = scope.part(call.arguments[1])
        for effect in nodes.of(tree.EffectCall):
            self._unread.update(id(each) for each in effect.arguments if each.type == ZONE)

    def arguments(self, arguments: Iterable[tree.Expr]) -> tuple[Part, ...]:
        """Return the known facts about the arguments of a call."""
        return tuple(map(self._scope.part, arguments))

    def effects(self) -> Effects:
        """Collect the columns that the nodes read and write themselves."""
        reads = {self._state(node) for node in self._nodes.of(tree.ReadState)}
        for call in self._nodes.of(tree.CallBuiltin):
            reads |= self._builtin(call)
        if any(node.object.type == FEATURE for node in self._nodes.of(tree.ReadAttribute)):
            reads |= _board()
        for entry in self._nodes.of(tree.EntryAt):
            if entry.what == "zone" and id(entry) not in self._unread:
                zone = self._game.zones[entry.number]
                kinds = self._asked.get(id(entry))
                reads |= {place_of(cls, kinds, frozenset({zone.key})) for cls in zone.holds}
        writes, added = set[Column](), set[Column]()
        for change in self._nodes.of(tree.SetState):
            # Adding to a set and removing from it depend on the order.
            adds = change.operator == "+=" or (
                change.operator == "-=" and not isinstance(change.value.type, SetType)
            )
            (added if adds else writes).add(self._state(change))
        for effect in self._nodes.of(tree.EffectCall):
            writes |= self._effect(effect)
        if self._nodes.of(tree.ChoiceCall):
            writes.add(Column(DECISIONS))
            # Players decide by the scores, which are public.
            reads.add(self._points)
        return Effects(frozenset(reads), frozenset(writes), frozenset(added))

    def _state(self, node: tree.ReadState | tree.SetState) -> Column:
        """Return the column of a state, limited to the kinds of the component that owns it."""
        return Column(node.state, tuple(map(self._scope.part, (node.owner, *node.index))))

    def _builtin(self, call: tree.CallBuiltin) -> set[Column]:
        function, arguments = call.function, call.arguments
        read = set(READS[function])
        found = _board() if BOARD in read else set[Column]()
        if FACES in read:
            found.add(Column(columns.FACES))
        classes = read - {BOARD, FACES}
        if function in _LISTS:
            if not arguments:
                return set()
            where = self._scope.place(arguments[0])
            found = _board() if where == frozenset({GRIDS}) or where is None else set()
            kinds = self._asked.get(id(call))
            return found | {place_of(_LISTS[function], kinds, where)}
        if arguments and arguments[0].type == ZONE:
            known = self._scope.known(arguments[0])
            if known.where is not None:
                return set()  # the zone itself counts as read
            kinds = self._scope.part(arguments[1]) if function == "one" else None
            return {place_of(cls, kinds) for cls in PIECE_CLASSES}
        if arguments and is_piece(arguments[0].type):
            if function in _UNJOINED:
                found = set()
            kinds = self._scope.part(arguments[0])
            own = _classes(arguments[0])
            touched = classes.intersection(own) if classes else set(own) if found else set()
            return found | {place_of(cls, kinds) for cls in touched}
        return found | {place_of(cls) for cls in classes}

    def _effect(self, call: tree.EffectCall) -> set[Column]:
        """Return the columns that an effect writes."""
        arguments = call.arguments
        match call.effect:
            case "link" | "unlink":
                return {Column(LINKS)}
            case "turn_to":
                return {Column(columns.FACES)}
            case "roll":
                return {Column(columns.FACES), Column(DECISIONS)}
            case "end_game":
                return {Column(DECISIONS)}
            case "take" | "shuffle":
                found = self._all_of(arguments[0])
                return found | {Column(DECISIONS)} if EFFECTS[call.effect].asks else found
        known = self._scope.known(arguments[0])
        kinds = self._scope.part(arguments[0])
        where: Part = known.where
        found = set()
        if call.effect == "place":
            where = columns.either(where, frozenset({GRIDS}))
        elif call.effect == "move":
            where = columns.either(where, self._target(arguments[1], known))
            found = self._ordered(arguments)
        return found | {place_of(cls, kinds, where) for cls in _classes(arguments[0])}

    def _all_of(self, zone: tree.Expr) -> set[Column]:
        where = self._scope.known(zone).where
        zones = [z for z in self._game.zones if not isinstance(where, frozenset) or z.key in where]
        return {place_of(cls, None, where) for zone in zones for cls in zone.holds}

    def _target(self, target: tree.Expr, moved: Known) -> Part:
        """Return the places to which a component is moved."""
        match target:
            case tree.CallBuiltin(function="home") if isinstance(moved.kinds, frozenset):
                kinds = self._game.kinds
                return frozenset(
                    TRACKS
                    if any(track.key == piece.start for track in self._game.tracks)
                    else piece.start
                    for piece in self._game.pieces
                    if kinds[piece.kind].key in moved.kinds and piece.start is not None
                )
        return self._scope.place(target)

    def _ordered(self, arguments: tuple[tree.Expr, ...]) -> set[Column]:
        """Return the other columns for which the order of arrival in an ordered zone matters."""
        if arguments[1].type != ZONE:
            return set()
        where = self._scope.known(arguments[1]).where
        return {
            place_of(cls, None, frozenset({zone.key}))
            for zone in self._game.zones
            if zone.ordered and isinstance(where, frozenset) and zone.key in where
            for cls in _classes(arguments[0])
        }


def _classes(expr: tree.Expr) -> tuple[str, ...]:
    """Return the classes of components that an expression can have."""
    if isinstance(expr.type, NamedType) and expr.type.name in PIECE_CLASSES:
        return (expr.type.name,)
    return PIECE_CLASSES


def _board() -> set[Column]:
    laid = {place_of(cls, None, frozenset({GRIDS})) for cls in _LAID}
    return laid | {Column(LINKS), Column(columns.FACES)}
