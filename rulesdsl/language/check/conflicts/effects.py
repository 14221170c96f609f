"""Effects: the columns that code reads and writes, through everything it calls.

A column is a state, where the components of a class are (`place of figure`), the faces of dice, the
links between segments, or `decisions`: asking a player or chance counts as writing it. Parts narrow
it: a state by its owner and index, a place by kinds of components and by zones. Which components an
expression can mean, and in which zones these were found, follows from the code around it.

Some columns stand for more than data. Ending the game writes `end`, which every change meets: what
comes later does not happen. `queue` is what waits for the end of a step, and a step that is not
inside another one reads it. A change that can leave the range of a state upwards reads its `range`,
one that can leave it downwards adds to it: in one order both may fit, in the other not. The same
holds for the room in a zone. What arrives in a zone, or on a cell, that keeps its order writes the
`order` there. `said` are the lines that players read, `result` is that of the hooked code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.touched import Touched, about, operands, touched
from rulesdsl.language.check.graph import Contents, reachable
from rulesdsl.language.diagnostics.report import listed
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import Kind, Zone

# --- columns -------------------------------------------------------------------------------------

DECISIONS = "decisions"
"""The players' and chance's decisions."""
DIE_FACES = "faces"
END = "end"
"""Whether the game goes on."""
LINKS = "links"
"""The joints that rules made or removed."""
LOCALS = "locals"
"""The components that are held by locals of code that waits for other code to end, by class."""
NOTED = "noted"
"""The positions that the rules of a ruleset have noted."""
GRIDS = "grids"
"""The place of things on a grid."""
TRACKS = "tracks"
"""The place of things on a track."""
QUEUE = "queue"
RANGE = "range of "
"""The column of a state's range is this and the state's."""
ROOM_IN = "room in "
"""The column of the room in a zone is this and the zone's name."""
ORDER_IN = "order in "
"""The column of the order in a zone, or on the cells of a grid, is this and its name."""
SAID = "said"
RESULT = "result"


@dataclass(frozen=True)
class ColumnPart:
    """The possible values of a part of a column, None if any value is possible.

    A `parameter`, which is given by its number, can have any value.
    """

    values: frozenset[object] | None = None
    parameter: int | None = None

    def __contains__(self, value: object) -> bool:
        return self.values is None or value in self.values

    def __or__(self, other: ColumnPart) -> ColumnPart:
        if self.values is None or other.values is None:
            return self if self == other else ANY
        return ColumnPart(self.values | other.values)

    def __and__(self, other: ColumnPart) -> ColumnPart:
        """Return a part that contains all common values."""
        if self.values is None or other.values is None:
            return other if self.values is None and other != ANY else self
        return ColumnPart(self.values & other.values)

    def meets(self, other: ColumnPart) -> bool:
        """Return whether a value may be in both."""
        return (
            self.values is None or other.values is None or not self.values.isdisjoint(other.values)
        )

    def within(self, other: ColumnPart) -> bool:
        """Return whether all values are certainly in another part, known by its values."""
        return self.values is not None and other.values is not None and self.values <= other.values


ANY = ColumnPart()


def only(*values: object) -> ColumnPart:
    """Return the part with these values."""
    return ColumnPart(frozenset(values))


@dataclass(frozen=True)
class Column:
    """A datum that is read or written: `name`, limited to some parts."""

    name: str
    parts: tuple[ColumnPart, ...] = ()

    def overlaps(self, other: Column) -> bool:
        """Return whether two columns can be the same datum."""
        return self.name == other.name and all(map(ColumnPart.meets, self.parts, other.parts))

    def given(self, arguments: Sequence[ColumnPart]) -> Column:
        """Return the column with parameters replaced by the arguments of a call."""
        if not self.of_arguments:
            return self
        parts = (p if p.parameter is None else arguments[p.parameter] for p in self.parts)
        return Column(self.name, tuple(parts))

    @property
    def of_arguments(self) -> bool:
        """True if a part is a parameter."""
        return any(part.parameter is not None for part in self.parts)


def place_of(cls: str, kinds: ColumnPart = ANY, where: ColumnPart = ANY) -> Column:
    """Return the column for the places of a class's components, of some kinds, in some zones."""
    return Column(f"place of {cls}", (kinds, where))


@dataclass(frozen=True)
class Effects:
    """The columns that are read, written, and only changed by `+=` and `-=` (`added`)."""

    reads: frozenset[Column] = frozenset()
    writes: frozenset[Column] = frozenset()
    added: frozenset[Column] = frozenset()

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.reads | other.reads, self.writes | other.writes, self.added | other.added
        )

    @property
    def using(self) -> frozenset[str]:
        """The names of columns for which changes by others matter."""
        end = {END} if self.writes or self.added else set[str]()
        return _names(self.reads | self.writes) | end

    @property
    def changing(self) -> frozenset[str]:
        """The names of the columns that are changed."""
        return _names(self.writes | self.added)

    def meets(self, other: Effects) -> frozenset[str]:
        """Return the names of the columns because of which the order of two effects matters."""
        touched = self.disturbs(other) | other.disturbs(self)
        ends = Column(END) in self.writes and END in other.using
        ends |= Column(END) in other.writes and END in self.using
        return touched | {END} if ends else touched

    def disturbs(self, other: Effects) -> frozenset[str]:
        """Return the names of the columns that these effects change and others use."""
        return _overlaps(self.writes | self.added, other.reads | other.writes)

    def given(self, arguments: Sequence[ColumnPart]) -> Effects:
        """Return the effects with parameters replaced by the arguments of a call."""
        if not self._of_arguments:
            return self
        return Effects(
            *(
                frozenset(column.given(arguments) for column in columns)
                for columns in (self.reads, self.writes, self.added)
            )
        )

    @cached_property
    def _of_arguments(self) -> bool:
        return any(column.of_arguments for column in self.reads | self.writes | self.added)


def _names(columns: Iterable[Column]) -> frozenset[str]:
    return frozenset(column.name for column in columns)


def _overlaps(changed: Iterable[Column], used: Iterable[Column]) -> frozenset[str]:
    by_name: dict[str, list[Column]] = {}
    for column in used:
        by_name.setdefault(column.name, []).append(column)
    return frozenset(
        one.name for one in changed if any(one.overlaps(two) for two in by_name.get(one.name, ()))
    )


def worded(columns: Collection[str]) -> str:
    """Return the names of columns in words, as a list."""
    words = dict[str, str]()
    for column in columns:
        name = column.rpartition(" ")[2]
        if column.startswith(RANGE) and name not in columns:
            words[column] = f"the range of `{short_name(name)}`"
        elif column.startswith(ROOM_IN):
            words[column] = f"the room in `{short_name(name)}`"
        elif column.startswith(ORDER_IN):
            words[column] = f"the order in `{short_name(name)}`"
        elif not column.startswith(RANGE):
            words[column] = f"`{short_name(column)}`"
    named = {
        DECISIONS: "the players' decisions",
        END: "the end of the game",
        LOCALS: "which components locals hold",
        NOTED: "the positions noted",
        QUEUE: "what waits for the end of a step",
        RESULT: "the result",
        SAID: "the lines that players read",
    }
    return listed(sorted(named.get(c, word) for c, word in words.items()), "and")


# --- the meanings of expressions -----------------------------------------------------------------

_ON_GRIDS = {"cell", "die", "feature", "grid", "segment", "tile"}


@dataclass(frozen=True)
class KnownValues:
    """The possible values of an expression.

    `kinds` are full names; the places are zones (full names) and others (`GRIDS`, `TRACKS`).
    """

    kinds: ColumnPart = ANY
    where: ColumnPart = ANY

    def __or__(self, other: KnownValues) -> KnownValues:
        return KnownValues(self.kinds | other.kinds, self.where | other.where)


ANYTHING = KnownValues()


def is_piece(type_: types.Type) -> bool:
    """Return whether a type is that of components, or of their kinds."""
    return type_ in (types.PIECE, types.KIND) or (
        isinstance(type_, types.NamedType) and type_.name in types.PIECE_CLASSES
    )


class Values:
    """The results that the values of a game can give."""

    def __init__(self, game: LinkedGame, contents: Contents) -> None:
        self.game = game
        self._contents = contents
        self._known: dict[str, KnownValues] = {}

    def of(self, key: str) -> KnownValues:
        """Return the possible results of a value; its parameters stand for themselves."""
        if key not in self._known:
            self._known[key] = ANYTHING  # while it is being computed, as it may call itself
            nodes = self._contents.values[key]
            scope = EffectScope(self, nodes)
            given = [scope.known(each.value) for each in nodes.of(tree.Return) if each.value]
            self._known[key] = reduce(or_, given) if given else ANYTHING
        return self._known[key]


class EffectScope:
    """The locals of one callable, or of one hook with its `params` and `guard`.

    The locals `element` are the element of a loop: as parts of columns they are negative numbers,
    which are equal only within one round.
    """

    def __init__(
        self,
        values: Values,
        nodes: tree.Nodes,
        params: tuple[str, ...] | None = None,
        guard: tree.Expr | None = None,
        element: tuple[str, ...] = (),
    ) -> None:
        self._values = values
        self._params = _numbers(nodes) if params is None else dict.fromkeys(params)
        self._guard = guard
        self._sources: dict[str, list[tree.Expr | tree.Binder | tree.Perform | None]] = {}
        self._found: dict[str, KnownValues] = {}
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
        for number, name in enumerate(element, start=1):
            self._sources.pop(name, None)
            self._params = {**self._params, name: -number}

    def part(self, expr: tree.Typed | None) -> ColumnPart:
        """Return an expression as part of a column: kinds of a component, or a constant."""
        match expr:
            case None:
                return ANY
            case tree.Const(value=value) if not isinstance(value, Kind):
                return only(value)
            case tree.Local(name=name) if name not in self._sources and name in self._params:
                if self._params[name] is not None:
                    return ColumnPart(parameter=self._params[name])
        if expr.type == types.ZONE:
            return self.known(expr).where
        return self.known(expr).kinds if is_piece(expr.type) else ANY

    def binder(self, binder: tree.Binder) -> KnownValues:
        """Return the possible elements of a binder's domain."""
        found = self.known(binder.domain)
        for name in binder.names:
            found = KnownValues(found.kinds & self._narrowed(binder.where, name), found.where)
        return found

    def known(self, expr: tree.Typed) -> KnownValues:
        """Return the possible values of an expression: component, kind, zone, or a set of those."""
        match expr:
            case tree.Const(value=Kind(index=index)):
                return KnownValues(only(self._values.game.kinds[index].key))
            case tree.Local(name=name, type=type_):
                known = self._local(name)
                # A parameter of this type stands for a zone, not for a kind.
                of_zone = type_ == types.ZONE and known.kinds.parameter is not None
                return KnownValues(where=known.kinds) if of_zone else known
            case tree.Const(value=Zone(zone=number)) | tree.EntryAt(what="zone", number=number):
                return KnownValues(where=only(self._values.game.zones[number].key))
            case tree.Ranged(operand=operand):
                return self.known(operand)
            case tree.IfElse(then=one, otherwise=other):
                return self.known(one) | self.known(other)
            case tree.Binary(operator="union", left=one, right=other):
                return self.known(one) | self.known(other)
            case tree.Binary(operator="difference", left=one):
                return self.known(one)
            case tree.SetLiteral(items=(_, *_) as items):
                return reduce(or_, map(self.known, items))
            case tree.Comprehension(value=value):
                return self.known(value)
            case tree.Aggregate(function="first" | "the" | "most" | "top", binders=(binder,)):
                return self.binder(binder) if expr.value is None else self.known(expr.value)
            case tree.CallValue(value=key, arguments=arguments):
                found = self._values.of(key)
                given = found.kinds.parameter
                return found if given is None else replace(found, kinds=self.part(arguments[given]))
            case tree.CallBuiltin(function=function, arguments=arguments):
                return self._builtin(function, arguments)
        return ANYTHING

    def _builtin(self, function: str, arguments: tuple[tree.Expr, ...]) -> KnownValues:
        match function, arguments:
            case "one", (place, kind):
                return KnownValues(self.part(kind), self.place(place))
            case "kind", (piece,):
                return KnownValues(self.part(piece))
            case "kinds", (zone,):
                return KnownValues(where=self.known(zone).where)
            case "tile", (_,):
                return KnownValues(where=only(GRIDS))
            case _, (place,) if function in _LISTS:
                return KnownValues(where=self.place(place))
        return ANYTHING

    def place(self, expr: tree.Typed) -> ColumnPart:
        """Return the zones of a place, or of a set of places."""
        type_ = expr.type.item if isinstance(expr.type, types.SetType) else expr.type
        if type_ == types.SPACE:
            return only(TRACKS)
        if type_ in (types.SEGMENT, types.CELL, types.GRID) or str(type_) in _ON_GRIDS:
            return only(GRIDS)
        return self.known(expr).where if type_ == types.ZONE else ANY

    def target(self, target: tree.Expr, moved: KnownValues) -> ColumnPart:
        """Return the places to which a component is moved."""
        match target:
            case tree.CallBuiltin(function="home"):
                game = self._values.game
                tracks = {track.key for track in game.tracks}
                return only(
                    *(
                        TRACKS if piece.start in tracks else piece.start
                        for piece in game.pieces
                        if piece.start is not None and game.kinds[piece.kind].key in moved.kinds
                    )
                )
        return self.place(target)

    def _local(self, name: str) -> KnownValues:
        sources = self._sources.get(name)
        if sources is None:
            return KnownValues(
                ColumnPart(parameter=self._params.get(name)) & self._narrowed(self._guard, name)
            )
        if name in self._params:
            return ANYTHING
        if name not in self._found:
            self._found[name] = ANYTHING  # while it is being computed, as it may refer to itself
            found = reduce(or_, map(self._source, sources))
            self._found[name] = found if self._stays else KnownValues(found.kinds)
        return self._found[name]

    def _source(self, source: tree.Expr | tree.Binder | tree.Perform | None) -> KnownValues:
        match source:
            case None:
                return ANYTHING
            case tree.Binder():
                return self.binder(source)
            case tree.Perform(call=tree.EffectCall(effect="take", arguments=(zone,))):
                return KnownValues(where=self.known(zone).where)
            case tree.Perform():
                return ANYTHING
        return self.known(source)

    def _narrowed(self, condition: tree.Expr | None, name: str) -> ColumnPart:
        """Return the kinds that a local can have where a condition holds."""
        kinds = self._values.game.kinds
        match condition:
            case tree.Binary(operator="and", left=left, right=right):
                return self._narrowed(left, name) & self._narrowed(right, name)
            case tree.Binary(operator="or", left=left, right=right):
                return self._narrowed(left, name) | self._narrowed(right, name)
            case tree.IsKind(object=thing, test="kind", name=kind) if _means(thing, name):
                return only(kind)
            case tree.Compare(operator="==", left=one, right=tree.Const(value=Kind(index=index))):
                return only(kinds[index].key) if _means(one, name) else ANY
            case tree.ReadAttribute():
                return self._having(condition, name, "==", True)
            case tree.Compare(left=tree.ReadAttribute() as read, right=tree.Const(value=int(n))):
                return self._having(read, name, condition.operator, n)
        return ANY

    def _having(self, read: tree.ReadAttribute, name: str, operator: str, value: int) -> ColumnPart:
        game, key = self._values.game, read.attribute
        if not _means(read.object, name):
            return ANY
        (default,) = (each.default for each in game.attributes if each.key == key)
        own = [(kind.key, kind.attributes.get(key, default)) for kind in game.kinds]
        return only(
            *(
                kind
                for kind, number in own
                if (operator == "!=" and not isinstance(number, int))
                or (isinstance(number, int) and tree.computed(operator, number, value) is True)
            )
        )


def _means(expr: tree.Expr, name: str) -> bool:
    """Return whether an expression is a local, or its kind."""
    match expr:
        case tree.CallBuiltin(function="kind", arguments=(inner,)):
            return _means(inner, name)
    return isinstance(expr, tree.Local) and expr.name == name


def _numbers(nodes: tree.Nodes) -> Mapping[str, int | None]:
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


# --- the effects of code -------------------------------------------------------------------------

_LISTS = {"tiles": "tile", "cards": "card", "dice": "die", "tokens": "token", "figures": "figure"}
_STANDING = ("figure", "token")
_WHOLE = frozenset({DECISIONS, END, LINKS, NOTED, QUEUE})
"""The columns of a program that are columns here."""

# The reasons why a form touches less than its program, or something else.
_ALONE = ("segment", "space", "zone")
"""Members of components that depend on their own place alone."""
_ORDERED = ("position", "top")
"""Functions that depend on what lies with a component in an order."""

_Name = tuple[str, str]
"""A callable: `value`, `action` or `choice`, and its full name; or `SETTLING`."""
_Context = tuple[_Name, bool]
"""A callable, and whether it runs inside of a step."""
_Calls = dict[_Context, set[tuple[ColumnPart, ...]]]
"""Called callables, with the known facts about the arguments."""

SETTLING: _Name = ("settling", "")
"""What happens when an outermost step ends: queued calls and `always` rules."""


class EffectTable:
    """The effects of a game's values and actions, found as a least fixpoint."""

    def __init__(self, checked: tree.Checked, contents: Contents) -> None:
        self._checked = checked
        self.contents = contents
        self.values = Values(checked.game, contents)
        self._conditions: dict[int, tuple[Effects, tree.Expr]] = {}

    def of_condition(self, condition: tree.Expr) -> Effects:
        """Return the effects of an expression, computed once for each node."""
        if id(condition) not in self._conditions:
            self._conditions[id(condition)] = self.of(condition), condition
        return self._conditions[id(condition)][0]

    def of(
        self,
        node: object,
        params: tuple[str, ...] = (),
        guard: tree.Expr | None = None,
        inside: bool = False,
    ) -> Effects:
        """Return the effects of a node or block, with everything that it calls.

        `params` are the parameters of a hook, and its `guard` may narrow them. `inside` says that
        the code runs inside of a step, which settles later.
        """
        nodes = tree.Nodes(node)
        return self.within(nodes, EffectScope(self.values, nodes, params, guard), inside)

    def within(self, nodes: tree.Nodes, scope: EffectScope, inside: bool) -> Effects:
        """Return the effects of nodes in a scope, with everything that they call."""
        effects, calls = self._direct(nodes, scope, inside)
        for callee, arguments in _each(calls):
            effects |= self._known[callee].given(arguments)
        return effects

    def held(self, body: tree.Block) -> Effects:
        """Return the effects of an `around` by what its locals hold while the hooked code runs."""
        nodes = tree.Nodes(body)
        if not nodes.of(tree.ProceedCall):
            return Effects()
        found = [each.value.type for each in nodes.of(tree.Let)]
        found += [each.item for each in nodes.of(tree.Binder)]
        read = {each.name: each.type for each in nodes.of(tree.Local)}
        for each in nodes.of(tree.Perform):
            if each.into is not None and not isinstance(each.call, tree.ProceedCall):
                found.append(read.get(each.into, types.PIECE))
        classes = {
            cls
            for each in found
            if about(each) in ("piece", "segment", "feature")
            for cls in _classes_of(each)
        }
        return Effects(writes=frozenset(Column(LOCALS, (only(cls),)) for cls in classes))

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names of the columns that rules change."""
        own, found = self.contents, set[str]()
        for nodes in (*own.actions.values(), *own.choices.values(), own.always):
            found |= self._direct(nodes, EffectScope(self.values, nodes), False)[0].changing
        return frozenset(found)

    def inside(self, target: str) -> bool:
        """Return whether an action or choice runs only inside of steps."""
        action = self._checked.actions.get(target)
        what = "choice" if action is None else "action"
        return (action is not None and action.step) or (what, target) not in self._outside

    @cached_property
    def _piles(self) -> frozenset[str]:
        """The grids on whose cells things are stacked, if any rule asks for their order."""
        asked = set[str]()
        for nodes in self.contents.every():
            asked.update(call.function for call in nodes.of(tree.CallBuiltin))
            asked.update(call.effect for call in nodes.of(tree.EffectCall))
        grids = self._checked.game.grids if asked & {*_ORDERED, "note_position"} else ()
        return frozenset(grid.key for grid in grids if grid.ordered)

    @cached_property
    def _outside(self) -> set[_Name]:
        """The actions and choices that can run outside of any step, and are not steps."""
        steps = {("action", key) for key, action in self._checked.actions.items() if action.step}

        def called(name: _Name) -> Iterator[_Name]:
            what, key = name
            table = self.contents.actions if what == "action" else self.contents.choices
            for perform in table[key].of(tree.Perform) if name not in steps else ():
                match perform.call:
                    case tree.ActionCall(action=other):
                        yield "action", other
                    case tree.ChoiceCall(choice=other):
                        yield "choice", other

        begins = ("action", self._checked.play), ("action", self._checked.finish)
        return reachable(begins, called) - steps

    @cached_property
    def _known(self) -> dict[_Context, Effects]:
        own = self.contents
        tables = {"value": own.values, "action": own.actions, "choice": own.choices}
        direct: dict[_Context, tuple[Effects, _Calls]] = {}
        for what, table in tables.items():
            for key, nodes in table.items():
                scope = EffectScope(self.values, nodes)
                for inside in (False, True) if (what, key) in self._outside else (True,):
                    direct[(what, key), inside] = self._direct(nodes, scope, inside)
        effects, calls = self._direct(own.always, EffectScope(self.values, own.always), True)
        # Who settles first runs what waits; nothing does unless code outside of steps lets it wait.
        waits = frozenset({Column(QUEUE)})
        waiting_outside = any(waits & each.added for each, _ in direct.values())
        effects |= Effects(writes=waits) if waiting_outside else Effects(reads=waits)
        direct[SETTLING, True] = effects, calls
        callers: dict[_Context, list[tuple[_Context, tuple[ColumnPart, ...]]]] = {
            n: [] for n in direct
        }
        for name, (_, calls) in direct.items():
            for callee, arguments in _each(calls):
                callers[callee].append((name, arguments))
        known = {name: effects for name, (effects, _) in direct.items()}
        # The callables whose effects have grown since their callers were updated.
        waiting = list(direct)
        while waiting:
            name = waiting.pop()
            for caller, arguments in callers[name]:
                grown = known[caller] | known[name].given(arguments)
                if grown != known[caller]:
                    known[caller] = grown
                    waiting.append(caller)
        return known

    def _direct(
        self, nodes: tree.Nodes, scope: EffectScope, inside: bool
    ) -> tuple[Effects, _Calls]:
        found = _Direct(nodes, scope, self._checked, self._piles)
        calls: _Calls = {}

        def call(name: _Name, arguments: tuple[tree.Expr, ...], within: bool) -> None:
            # Code that never runs outside of a step has effects only inside of one.
            context = name, within or (name[0] != "value" and name not in self._outside)
            calls.setdefault(context, set()).add(found.arguments(arguments))

        for value in nodes.of(tree.CallValue):
            call(("value", value.value), value.arguments, True)
        queued = {id(later.call) for later in nodes.of(tree.Later)}
        for action in nodes.of(tree.ActionCall):
            within = inside or id(action) in queued
            call(("action", action.action), action.arguments, within)
            if not within and self._checked.actions[action.action].step:
                call(SETTLING, (), True)
        for choice in nodes.of(tree.ChoiceCall):
            call(("choice", choice.choice), choice.arguments, inside)
        effects = found.effects()
        if queued and not inside:
            effects |= Effects(added=frozenset({Column(QUEUE)}))
        return effects, calls


def _each(calls: _Calls) -> Iterable[tuple[_Context, tuple[ColumnPart, ...]]]:
    return ((callee, arguments) for callee, lists in calls.items() for arguments in lists)


class _Direct:
    """The columns that the nodes of one callable touch."""

    def __init__(
        self,
        nodes: tree.Nodes,
        scope: EffectScope,
        checked: tree.Checked,
        piles: frozenset[str],
    ) -> None:
        self._nodes = nodes
        self._piles = piles
        self._scope = scope
        self._game = checked.game
        self._checked = checked
        self._states = checked.states
        self._points = Column(checked.score, (ANY,))
        game = checked.game
        self._laid = {cls for grid in game.grids for cls in grid.holds}
        self._drawn = {k.cls for k in game.kinds if k.outline or any(f.outline for f in k.faces)}
        self._faced = any(kind.faces for kind in game.kinds)
        # Operands that are asked about some kinds only.
        self._asked: dict[int, ColumnPart] = {}
        for binder in nodes.of(tree.Binder):
            self._asked[id(binder.domain)] = scope.binder(binder).kinds
        for member in nodes.of(tree.Member):
            self._asked[id(member.set)] = scope.part(member.item)
        for call in nodes.of(tree.CallBuiltin):
            if call.function == "one":
                self._asked[id(call.arguments[0])] = scope.part(call.arguments[1])

    def arguments(self, arguments: Iterable[tree.Expr]) -> tuple[ColumnPart, ...]:
        return tuple(map(self._scope.part, arguments))

    def effects(self) -> Effects:
        reads = {self._state(node) for node in self._nodes.of(tree.ReadState)}
        found = Effects()
        for node in self._nodes:
            if isinstance(node, tree.Node) and (own := touched(node)):
                match node:
                    case tree.Perform(call=tree.EffectCall() as effect):
                        found |= self._effect(effect, own)
                    case _:
                        reads |= self._read(node, own.loads)
        writes, added = set[Column](), set[Column]()
        for change in self._nodes.of(tree.SetState):
            # Adding to a set and removing from it depend on the order.
            adds = change.operator == "+=" or (
                change.operator == "-=" and not isinstance(change.value.type, types.SetType)
            )
            column = self._state(change)
            (added if adds else writes).add(column)
            type_ = self._states[change.state].type
            if adds and isinstance(type_, types.IntType) and type_ != types.INT:
                limit = Column(RANGE + column.name, column.parts)
                low, high = bounds(change.value, self._game)
                if change.operator == "-=":
                    low, high = -high, -low
                if low < 0:
                    added.add(limit)
                if high > 0:
                    reads.add(limit)
        if self._nodes.of(tree.ChoiceCall):
            # Who is asked sees the scores.
            reads.add(self._points)
            writes.add(Column(DECISIONS))
        found |= Effects(frozenset(reads), frozenset(writes), frozenset(added))
        if any(self._checked.actions[c.action].said for c in self._nodes.of(tree.ActionCall)):
            found |= Effects(writes=frozenset({Column(SAID)}))
        return found

    def _state(self, node: tree.ReadState | tree.SetState) -> Column:
        """Return the column of a state, limited to the kinds of the component that owns it."""
        return Column(node.state, tuple(map(self._scope.part, (node.owner, *node.index))))

    # --- from what a program touches to columns ------------------------------------------------

    def _read(self, node: tree.Node, loads: Collection[str]) -> set[Column]:
        """Return the columns of which a node of this form loads something."""
        found = {Column(name) for name in loads if name in _WHOLE}
        only_of = _LISTS.get(node.function) if isinstance(node, tree.CallBuiltin) else None
        things = list(operands(node))
        if "place" in loads or "contents" in loads:
            for each in things:
                found |= self._places(each, node, loads, only_of)
        if "board" in loads:
            found |= self._on_grids(self._laid)
        if "features" in loads:
            found |= {*self._on_grids(self._drawn), Column(LINKS)}
        if "standing" in loads:
            found |= self._on_grids([only_of] if only_of else _STANDING)
        found |= self._faces(loads)
        if LOCALS in loads:
            found |= self._alike({cls for each in things for cls in self._classes(each)})
        return found

    def _places(
        self, thing: tree.Typed, node: tree.Node, loads: Collection[str], only_of: str | None
    ) -> set[Column]:
        """Return where the components are that are asked for, by the type of an operand."""
        kinds = self._asked.get(id(node if only_of else thing), ANY)
        where = self._scope.place(thing)
        held: Collection[str] = types.PIECE_CLASSES
        found = set[Column]()
        match about(thing.type):
            case "zone" | "zones":
                held = self._held(where)
            case "piece":
                part = self._scope.part(thing)
                found = {place_of(cls, part) for cls in _classes_of(thing.type)}
                function = getattr(node, "function", "")
                if function not in _ALONE:
                    found |= self._on_grids(self._drawn)  # on which it may stand
                if "contents" not in loads:
                    return found
                if function in _ORDERED:
                    return found | self._positions()
            case "segment" | "feature":
                if DIE_FACES in loads and not self._faced and "features" not in loads:
                    return found  # without faces, a piece always shows the same segments
                found = self._on_grids(self._drawn)
                held = _STANDING
            case "cell" | "grid" | "placement":
                found = self._on_grids(self._laid)  # on which more may stand
                held = {*self._laid, *_STANDING}
            case "space":
                pass
            case _:
                return found
        return found | {
            place_of(cls, kinds, where) for cls in held if only_of is None or cls == only_of
        }

    def _classes(self, thing: tree.Typed) -> Collection[str]:
        match about(thing.type):
            case "piece":
                return _classes_of(thing.type)
            case "zone":
                return self._held(self._scope.place(thing))
            case "segment" | "feature":
                return self._drawn
        return ()

    def _faces(self, loads: Collection[str]) -> set[Column]:
        return {Column(DIE_FACES)} if DIE_FACES in loads and self._faced else set()

    def _on_grids(self, classes: Iterable[str]) -> set[Column]:
        return {place_of(cls, where=only(GRIDS)) for cls in classes}

    def _alike(self, classes: Collection[str]) -> set[Column]:
        """Return what tells components of some classes from those that are equal otherwise."""
        found = {Column(QUEUE), *(Column(LOCALS, (only(cls),)) for cls in classes)}
        if "die" in classes:
            found.add(Column(DIE_FACES))
        for state in self._states.values():
            own = state.owner in classes or state.owner == types.SEGMENT.name
            named = about(state.type) in ("segment", "feature") or (
                about(state.type) == "piece"
                and not set(_classes_of(state.type)).isdisjoint(classes)
            )
            if own or named:
                found.add(Column(state.key, (ANY,) * (1 + len(state.index))))
        return found

    def _effect(self, call: tree.EffectCall, own: Touched) -> Effects:
        """Return what an effect reads and writes, of that what its program touches."""
        loads, stores = own.loads, own.stores
        first, *others = call.arguments
        known, of_zone = self._scope.known(first), first.type == types.ZONE
        classes = set(self._held(known.where) if of_zone else _classes_of(first.type))
        kinds = ANY if of_zone else self._scope.part(first)
        moves, target = call.effect in ("move", "move_all"), only()
        if moves:
            target = self._scope.target(others[0], known)
        elif call.effect == "place":
            target = only(GRIDS)
        # What is in a zone lies on no grid, and what shows no segments joins nothing.
        laid = not of_zone and GRIDS in known.where and not self._laid.isdisjoint(classes)
        joined = laid and (not is_piece(first.type) or not self._drawn.isdisjoint(classes))
        reads, added = {Column(name) for name in (loads - stores) & _WHOLE}, set[Column]()
        writes = {Column(name) for name in stores & _WHOLE}
        if END in stores:
            writes = {Column(END)}  # what it drops waits for nothing any more, and END meets all
        if "place" in stores:
            writes |= {place_of(cls, kinds, known.where | target) for cls in classes}
        elif "place" in loads and laid:
            reads |= {place_of(cls, kinds, only(GRIDS)) for cls in self._laid & classes}
        writes -= {Column(LINKS)}
        if LINKS in stores and joined:
            # Each component that leaves its grid loses its own joints, in any order.
            (added if "place" in stores else writes).add(Column(LINKS))
        if DIE_FACES in stores and ("place" not in stores or self._hidden(classes, target)):
            writes.add(Column(DIE_FACES))
        reads -= {Column(LINKS)}
        if "board" in loads and (not moves or others[0].type == types.SEGMENT):
            reads |= {*self._on_grids(self._laid | self._drawn), Column(LINKS)}
            reads |= self._faces(loads)
        if "standing" in loads and "place" in stores and laid:
            reads |= self._on_grids(_STANDING)
        if LOCALS in loads:
            reads |= self._alike(classes)
        if NOTED in stores:
            # Each ruleset has its own positions; which locals hold what lies there does not matter.
            noted = Column(NOTED, (only(call.ruleset),))
            writes, reads = {noted}, reads - {Column(NOTED)} | self._positions()
            reads |= self._on_grids(self._laid | self._drawn) | {place_of(cls) for cls in classes}
            alike = self._alike(classes) - {Column(QUEUE)}
            reads |= {each for each in alike if each.name != LOCALS}
            reads |= {Column(LINKS), Column(DIE_FACES)}
        if moves:
            reads |= self._rooms(target)
            added |= self._rooms(known.where)
            writes |= self._orders(others[0].type, target, classes)
            # Who leaves the end of a pile of which all see the last shows the next one.
            added |= self._orders(types.ZONE, known.where, classes, ("top",))
            if len(others) == 2:
                reads |= {place_of(cls, where=target) for cls in self._held(target)}
        return Effects(frozenset(reads), frozenset(writes), frozenset(added))

    def _hidden(self, classes: Collection[str], target: ColumnPart) -> bool:
        """Return whether dice can get to places where nobody sees them, which turns them."""
        return "die" in classes and any(
            zone.visible == "none" and zone.key in target for zone in self._game.zones
        )

    def _rooms(self, where: ColumnPart) -> set[Column]:
        return {
            Column(ROOM_IN + zone.key)
            for zone in self._game.zones
            if zone.room is not None and zone.key in where
        }

    def _held(self, where: ColumnPart) -> set[str]:
        return {cls for zone in self._game.zones if zone.key in where for cls in zone.holds}

    def _positions(self) -> set[Column]:
        """Return what changes the position of a component in a zone, or on a cell.

        That is whatever comes and goes there.
        """
        where = only(GRIDS, *(zone.key for zone in self._game.zones if zone.ordered))
        return {place_of(cls, where=where) for cls in types.PIECE_CLASSES}

    def _orders(
        self,
        type_: types.Type,
        where: ColumnPart,
        classes: Collection[str],
        visible: tuple[str, ...] = ("all", "owner", "others", "top"),
    ) -> set[Column]:
        """Return the columns of the order in places of a type that components are moved to."""
        found = set(self._piles) if type_ == types.CELL else set[str]()
        if type_ == types.ZONE:
            found = {
                zone.key
                for zone in self._game.zones
                if zone.ordered and zone.visible in visible and not zone.holds.isdisjoint(classes)
                if zone.key in where
            }
        return {Column(ORDER_IN + key) for key in found}


def bounds(expr: tree.Expr, game: LinkedGame) -> tuple[int, int]:
    """Return bounds of a number, as far as its expression shows them."""
    if isinstance(constant := tree.fold(expr), int):
        return constant, constant
    match expr:
        case tree.Negate(operand=operand):
            low, high = bounds(operand, game)
            return -high, -low
        case tree.Binary(operator=("+" | "-") as operator, left=left, right=right):
            (low, high), (less, more) = bounds(left, game), bounds(right, game)
            return (low + less, high + more) if operator == "+" else (low - more, high - less)
        case tree.Binary(operator="*", left=left, right=right):
            products = [a * b for a in bounds(left, game) for b in bounds(right, game)]
            return min(products), max(products)
        case tree.IfElse(then=then, otherwise=otherwise):
            (low, high), (less, more) = bounds(then, game), bounds(otherwise, game)
            return min(low, less), max(high, more)
        case tree.Aggregate(function="count"):
            return 0, types.INT.high
        case tree.Aggregate(function="max" | "min", value=tree.Typed() as value, default=other):
            (low, high), (less, more) = bounds(value, game), bounds(other or value, game)
            return min(low, less), max(high, more)
        case tree.Aggregate(function="sum", value=tree.Typed() as value):
            low, high = bounds(value, game)
            return (0 if low >= 0 else types.INT.low), (0 if high <= 0 else types.INT.high)
        case tree.ReadAttribute(object=thing, attribute=key) if is_piece(thing.type):
            default = [each.default for each in game.attributes if each.key == key]
            given = [kind.attributes[key] for kind in game.kinds if key in kind.attributes]
            numbers = [each for each in (*default, *given) if isinstance(each, int)]
            return min(numbers, default=0), max(numbers, default=0)
    return (expr.type.low, expr.type.high) if isinstance(expr.type, types.IntType) else (0, 1)


def _classes_of(type_: types.Type) -> tuple[str, ...]:
    """Return the classes of components of a type, a set or a value that may be none."""
    while isinstance(type_, types.OptionalType | types.SetType):
        type_ = type_.item
    name = str(type_)
    return (name,) if name in types.PIECE_CLASSES else types.PIECE_CLASSES
