"""Results that depend on the names of rulesets.

Everything but players and numbers is ordered by ruleset first, and what strangers declare by the
rulesets' names. So a loop over things of strangers must give the same result in any order, `first`
and `top` must not choose among them, which of a pair comes first must not matter, and steps from
one member of an enum to the next must not pass theirs. The same holds for the order in which
components begin in an ordered zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import field, fields

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import EFFECTS
from rulesdsl.language.check.conflicts.effects import (
    ANY,
    GRIDS,
    TRACKS,
    Column,
    ColumnPart,
    Effects,
    EffectScope,
    EffectTable,
    is_piece,
    only,
    worded,
)
from rulesdsl.language.check.conflicts.hooks import every
from rulesdsl.language.check.conflicts.unfolded import substituted
from rulesdsl.language.check.graph import Contents
from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.diagnostics.allow import allowing
from rulesdsl.language.diagnostics.report import Fix
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.flow import ends_early, proceeds, structure
from rulesdsl.language.model.game import PER_PLAYER, IndexedDef, KindDef, LinkedGame, ZoneDef
from rulesdsl.language.model.names import ruleset_of, short_name


def check_name_order(
    checked: tree.Checked, inside: Contents, effects: EffectTable, report: Report
) -> None:
    """Report `order-of-names`, a warning, for results that depend on the names of rulesets."""
    _Orders(checked, inside, effects, report).check()
    _check_zones(checked, report)


_ROUNDS = (
    "let a round depend on nothing that another changes, or go through the players, cells or "
    "numbers"
)
_BY_VALUE = "let a value decide: `most(… by …)`"


@dataclass
class _Orders:
    checked: tree.Checked
    contents: Contents
    effects: EffectTable
    report: Report
    told: set[int] = field(default_factory=set)
    """The binders that were reported, by `id`."""
    dark: ColumnPart = field(default_factory=only)
    """The places where components may lie face down."""

    def check(self) -> None:
        self._find_dark()
        for key, nodes in self.contents.actions.items():
            self._check_nodes(nodes, self.effects.inside(key))
        for key, nodes in self.contents.choices.items():
            self._check_nodes(nodes, self.effects.inside(key))
            for option in self.checked.choices[key].options:
                self._check_unknown(option, self.checked.choices[key].by.span.text)
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
        pairs = [each for each in nodes.of(tree.Binder) if len(each.names) == 2]
        moves = [each for each in nodes.of(tree.EffectCall) if each.effect == "move_all"]
        if chosen or loops or rules or pairs or moves:
            scope = EffectScope(self.effects.values, nodes)
            for aggregate in chosen:
                for binder in aggregate.binders:
                    found = self._strangers(binder, scope)
                    if found is not None:
                        self._report_choice(binder, f"`{aggregate.function}`", found)
            for loop in loops:
                self._check_loop(loop, nodes, scope, inside)
            for rule in rules:
                self._check_always(rule, nodes, scope)
            for pair in pairs:
                self._check_pair(pair, nodes, scope)
            for move in moves:
                self._check_move(move, scope)
        for call in nodes.of(tree.CallBuiltin):
            if call.function in ("forward", "steps"):
                self._check_steps(call)

    def _find_dark(self) -> None:
        """Find where components are concealed, and where they come without being revealed."""
        moves, passed = list[tuple[bool, ColumnPart, ColumnPart]](), False
        for nodes in self.contents.every():
            calls = [call for call in nodes.of(tree.EffectCall) if call.arguments]
            texts = {"conceal": set[str](), "move": set[str](), "reveal": set[str]()}
            for call in calls:
                texts.setdefault(call.effect, set()).add(call.arguments[0].span.text)
            scope = EffectScope(self.effects.values, nodes)
            given = {a.span.text for c in nodes.of(tree.ActionCall) for a in c.arguments}
            for call in calls:
                text, where = call.arguments[0].span.text, scope.known(call.arguments[0]).where
                if call.effect == "conceal" and text not in texts["move"]:
                    passed |= text in given
                    self.dark |= where
                elif call.effect in ("move", "move_all") and text not in texts["reveal"]:
                    target = scope.place(call.arguments[1])
                    moves.append((text in texts["conceal"], where, target))
        before = None
        while before != self.dark:
            before = self.dark
            for concealed, where, target in moves:
                if concealed or (passed if where == ANY else (where & self.dark).values):
                    self.dark |= target

    def _check_unknown(self, option: tree.OptionDef, mover: str) -> None:
        """Report arguments that the player of an option cannot tell apart: the first is taken.

        `mover` is the text that means the player.
        """
        scope = EffectScope(self.effects.values, tree.Nodes(option))
        for binder in option.binders:
            if (is_piece(binder.item) or binder.domain.type == types.ZONE) and self._hides(
                binder, scope, mover
            ):
                found = self._strangers(binder, scope)
                if found is not None:
                    what = f"`{option.name}`, whose player does not see what lies there,"
                    self._report_choice(binder, what, found, "let chance choose: `take(…)`")

    def _hides(self, binder: tree.Binder, scope: EffectScope, mover: str) -> bool:
        """Return whether a player cannot tell apart some components of a binder where they lie."""
        game, entries = self.checked.game, dict[str, list[bool]]()
        for entry in self._entries((binder.domain, binder.where)):
            its = bool(entry.index) and entry.index[0].span.text == mover
            entries.setdefault(game.zones[entry.number].key, []).append(its)
        where = scope.known(binder.domain).where
        if where == ANY and entries:
            where = only(*entries)
        if (where & only(TRACKS, GRIDS) & self.dark).values:
            return True
        classes = _classes(game, binder.item, where)
        for zone in game.zones:
            own = entries.get(zone.key, [])
            hides = {
                "all": zone.key in self.dark,
                "owner": not own or not all(own),
                "others": not own or any(own),
            }
            there = zone.key in where and not zone.holds.isdisjoint(classes)
            if there and not zone.ordered and hides.get(zone.visible, False):
                return True
        return False

    def _entries(self, node: object, within: Set[str] = frozenset()) -> Iterator[tree.EntryAt]:
        """Yield the zones that code names, also in the values for which it asks."""
        for each in tree.walk(node):
            match each:
                case tree.EntryAt(what="zone"):
                    yield each
                case tree.CallValue(value=key, arguments=given) if key not in within:
                    for rule in self.checked.values[key].rules:
                        names = dict(zip(rule.params, given, strict=False))
                        yield from self._entries(substituted(rule.body, names), within | {key})

    def _check_loop(
        self, loop: tree.For, nodes: tree.Nodes, scope: EffectScope, inside: bool
    ) -> None:
        binder = loop.binder
        placed = len(binder.names) == 1 and binder.item in _ON_PIECES
        found = self._strangers(binder, scope, placed)
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
            self._report_order(binder, f"each round of this loop touches {worded(clash)}", found)

    def _check_always(self, rule: tree.AlwaysDef, nodes: tree.Nodes, scope: EffectScope) -> None:
        found = self._strangers(rule.binder, scope)
        if found is None:
            return
        clash = self._clash(rule.binder, tree.Nodes((rule.binder, rule.body)), nodes, True)
        if clash:
            self._report_order(rule.binder, f"this rule touches {worded(clash)} for each", found)

    def _check_pair(self, pair: tree.Binder, nodes: tree.Nodes, scope: EffectScope) -> None:
        """Report a pair of which it matters which one comes first."""
        uses = (each for cls in _RANGING for each in nodes.of(cls) if pair in _binders(each))
        found = self._strangers(pair, scope)
        if id(pair) in self.told or found is None:
            return
        if not all(_exchangeable(each, pair.names) for each in uses):
            one, other = (name.partition("$")[0] for name in pair.names)
            self._report_order(pair, f"`{one}` and `{other}` are not used alike", found)

    def _check_move(self, move: tree.EffectCall, scope: EffectScope) -> None:
        """Report things without a known order that come to a zone which keeps one."""
        every = list(enumerate(self.checked.game.zones))
        sources, targets = (
            [(n, z) for n, z in every if z.key in where]
            for where in map(scope.place, move.arguments)
        )
        calls = (call for nodes in self.contents.every() for call in nodes.of(tree.EffectCall))
        shuffled = {n for c in calls if c.effect == "shuffle" for n in _zones(c.arguments[0], {})}
        binder = tree.Binder(move.span, ("x",), move.arguments[0], None)
        found = self._strangers(binder, scope)
        if found is not None and any(
            new.ordered
            and new.visible != "none"
            and (not old.ordered or old.visible == "none" or number in shuffled)
            and (old.visible != "none" or new.visible == "all")
            for number, old in sources
            for _, new in targets
        ):
            help = "take one after the other, so that chance decides"
            self._report_order(binder, "this orders what had no order", found, help)

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
                help=(
                    "use a table or a value that says what follows what",
                    *_any_order(call.span),
                ),
            )

    def _report_choice(
        self, binder: tree.Binder, what: str, found: tuple[str, str], help: str = _BY_VALUE
    ) -> None:
        self.told.add(id(binder))
        one, two = found
        settles = "read nothing but the keys, as in `sum(E for x in top(3, x in S by E))`"
        self.report.warning(
            "order-of-names",
            f"{what} can choose between `{one}` and `{two}`, whose rulesets do not know each "
            "other: only their names decide",
            binder.span,
            help=(
                *self._narrowed(binder, found),
                *((settles,) if what == "`top`" else ()),
                help,
                *_any_order(binder.span),
            ),
        )

    def _report_order(
        self, binder: tree.Binder, what: str, found: tuple[str, str], help: str = _ROUNDS
    ) -> None:
        self.told.add(id(binder))
        one, two = found
        self.report.warning(
            "order-of-names",
            f"{what}, and only the names of their rulesets decide whether `{one}` or `{two}` comes "
            "first",
            binder.span,
            help=(help, *_any_order(binder.span)),
        )

    def _narrowed(self, binder: tree.Binder, found: tuple[str, str]) -> Iterator[str]:
        """Yield lines that narrow a binder to one of two things, if the rules know that."""
        game, text = self.checked.game, binder.span.source.text
        rulesets = (each for each in game.rulesets if each.rules is not None)
        own = next((r.id for r in rulesets if r.rules == binder.span.source), None)
        known = [each for each in found if own and ruleset_of(each) in game.reach[own]]
        is_kind = str(binder.item) in types.PIECE_CLASSES or binder.item == types.PIECE
        if len(set(found)) < 2 or not (is_kind or isinstance(binder.item, types.EnumType)):
            return
        end, name = binder.span.end, binder.names[0].partition("$")[0]
        lead = "say which are meant:"
        for thing in known:
            word = short_name(thing)
            word = word if word.isidentifier() else f"'{word}'"
            condition = f"{name} is {word}" if is_kind else f"{name} == {word}"
            where = f" where {condition}" if binder.where is None else f" and {condition}"
            line = text[text.rfind("\n", 0, end) + 1 : end].lstrip()
            rest = text[end:].partition("\n")[0]
            if lead:
                yield lead
                lead = ""
            yield Fix(f"    {line}{where}{rest}", where, binder.span.source.span(end, end))

    def _strangers(
        self, binder: tree.Binder, scope: EffectScope, placed: bool = False
    ) -> tuple[str, str] | None:
        """Return two things of strangers in a binder; those that are `placed` go by cells."""
        match binder.domain:
            case tree.Comprehension(binders=(tree.Binder(domain=tree.SetLiteral(items=(_,))),)):
                return None  # the set of a value that may be none
        return _apart(self.checked.game, _things(self.checked.game, binder, scope, placed))


def _any_order(span: Span) -> tuple[str, str]:
    return "or, if any of these orders is right, say so:", allowing(span, "order-of-names")


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


_ON_PIECES = (types.SEGMENT, types.FEATURE)
_ON_GRIDS = (*_ON_PIECES, types.CELL, types.PLACEMENT, types.GRID)


def _things(
    game: LinkedGame, binder: tree.Binder, scope: EffectScope, placed: bool
) -> Iterator[_Thing]:
    """Yield all that decides the order of the elements of a binder, except seats and numbers."""
    item = binder.item.item if isinstance(binder.item, types.OptionalType) else binder.item
    known = scope.binder(binder)
    if item == types.PLAYER or isinstance(item, types.IntType):
        return
    if isinstance(item, types.EnumType):
        yield from _members(game, item)
    elif item == types.SPACE:
        yield from ((track.ruleset, track.key) for track in game.tracks)
    elif item == types.ZONE and isinstance(binder.domain.type, types.SetType):
        for zone in game.zones:
            if zone.key in known.where:
                yield from _of_place(game, zone)
    elif item in _ON_GRIDS:
        if not _on_one_grid(binder.domain):
            for grid in game.grids:
                yield from _of_place(game, grid)
        if item in _ON_PIECES and not placed and not _of_one_piece(binder.domain):
            for kind in game.kinds:
                if kind.outline is not None or any(face.outline for face in kind.faces):
                    yield _of_kind(kind)
    else:
        classes = _classes(game, item, known.where)
        for kind in game.kinds:
            if kind.cls in classes and kind.key in known.kinds:
                yield _of_kind(kind)


def _of_place(game: LinkedGame, place: IndexedDef) -> Iterator[_Thing]:
    """Yield the ruleset of a zone or grid, and those of the members of the enums it is for."""
    yield place.ruleset, place.key
    for enum in place.per:
        yield from _members(game, types.EnumType(enum))


def _on_one_grid(domain: tree.Expr) -> bool:
    """Return whether all elements of a set certainly lie on one grid."""
    match domain:
        case tree.EntryAt(what="grid"):
            return True
        case tree.CallBuiltin(arguments=(_, *_) as arguments):
            return all(
                (not isinstance(each.type, types.SetType) and each.type != types.GRID)
                or _on_one_grid(each)
                for each in arguments
            )
        case tree.Binary(operator="difference", left=left):
            return _on_one_grid(left)
        case tree.Comprehension(value=tree.Local(name=name), binders=(binder,)):
            return binder.names == (name,) and _on_one_grid(binder.domain)
    return False


def _of_one_piece(domain: tree.Expr) -> bool:
    """Return whether a set of segments is that of one piece, in whose order they are."""
    match domain:
        case tree.CallBuiltin(function="segments", arguments=(piece,)):
            return str(piece.type) in types.PIECE_CLASSES
    return False


def _of_kind(kind: KindDef) -> _Thing:
    """Return the ruleset that declares a kind, and its name; changes of copies do not count."""
    return kind.ruleset, f"{kind.ruleset}/{kind.text}"


def _classes(game: LinkedGame, item: types.Type, where: ColumnPart) -> frozenset[str]:
    """Return the classes of components of a type, or in the zones where they are known to be."""
    if item == types.FACE:
        return frozenset({"die"})
    if item in (types.ZONE, types.KIND):
        return frozenset[str]().union(*(z.holds for z in game.zones if z.key in where))
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


# --- pairs ---------------------------------------------------------------------------------------


_RANGING = (tree.Aggregate, tree.Comprehension, tree.For, tree.OptionDef, tree.AlwaysDef)


def _binders(node: tree.Node) -> tuple[tree.Binder, ...]:
    """Return the binders of a node of `_RANGING`."""
    one = getattr(node, "binder", None)
    return getattr(node, "binders", ()) if one is None else (one,)


def _exchangeable(node: tree.Node, pair: tuple[str, ...]) -> bool:
    """Return whether code that ranges over pairs means the same if these names are exchanged."""
    one, other = pair
    texts = []
    for names in ({one: "#1", other: "#2"}, {one: "#2", other: "#1"}):
        parts: list[object] = [b.where if b.names == pair else b for b in _binders(node)]
        parts += [getattr(node, f.name) for f in fields(node) if f.name not in _NOT_USES]
        hooks = every(getattr(node, "hooks", tree.Hooks()))
        for part in (*getattr(node, "forbids", ()), *hooks):
            # Their parameters name the arguments of the option again.
            own = [name for binder in _binders(node) for name in binder.names]
            parts += [part.guard, getattr(part, "body", ())]
            names |= {
                new: names[old] for old, new in zip(own, part.params, strict=False) if old in names
            }
        texts.append([structure(part, names) for part in parts])
    return texts[0] == texts[1]


_NOT_USES = ("span", "type", "binder", "binders", "precondition", "forbids", "hooks")


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
                (part.parameter or 0) < 0 and part == other
                for part, other in zip(one.parts, two.parts, strict=True)
            ):
                found.add(one.name)
    return frozenset(found)


# --- zones ---------------------------------------------------------------------------------------


def _check_zones(checked: tree.Checked, report: Report) -> None:
    """Report ordered zones in which things of strangers begin, unless each game shuffles them."""
    game = checked.game
    shuffled = set[int]()
    _find_shuffled(checked, checked.play, {}, shuffled)
    for number, zone in enumerate(game.zones):
        if not zone.ordered or zone.visible == "none" or number in shuffled:
            continue
        here = dict.fromkeys(piece.kind for piece in game.pieces if piece.start == zone.key)
        found = _apart(game, (_of_kind(game.kinds[kind]) for kind in here))
        if found is not None:
            one, two = found
            report.warning(
                "order-of-names",
                f"`{zone.name}` keeps its order, and only the names of their rulesets decide "
                f"whether `{one}` or `{two}` lies before the other when the game begins",
                zone.span,
                help=(
                    f"shuffle it before the first turn, in the rules of {zone.ruleset}:",
                    f"    {_shuffling(checked, zone)}",
                    "or let them begin in another zone",
                    *_any_order(zone.span),
                ),
            )


def _shuffling(checked: tree.Checked, zone: ZoneDef) -> str:
    """Return a hook that shuffles a zone, each of several, when the game begins."""
    names = ("p", "q") if len(set(zone.per)) < len(zone.per) else tuple(x[0] for x in zone.per)
    loops = (
        f"for {name} in {'players' if each == PER_PLAYER else short_name(each)}: "
        for name, each in zip(names, zone.per, strict=False)
    )
    index = "".join(f"[{name}]" for name in names[: len(zone.per)])
    return f"before {short_name(checked.play)}(): {''.join(loops)}shuffle({zone.name}{index})"


def _find_shuffled(
    checked: tree.Checked, action: str, given: Mapping[str, tree.Expr], found: set[int]
) -> bool:
    """Find the zones that an action shuffles in any case, before anybody decides.

    `given` are its arguments. The result is whether it runs to its end without a decision.
    """
    one = checked.actions[action]
    if one.guard is not None or not all(proceeds(h.body) for h in one.hooks.arounds):
        found = set()  # it may not run at all
    bodies = [h.body for h in (*one.hooks.arounds, *one.hooks.befores) if h.guard is None]
    bodies += [one.body, *(h.body for h in one.hooks.afters if h.guard is None)]
    return all(_shuffles(checked, body, dict(given), found) for body in bodies)


def _shuffles(
    checked: tree.Checked, block: tree.Block, given: dict[str, tree.Expr], found: set[int]
) -> bool:
    for statement in block:
        match statement:
            case tree.Let(name=name, value=value):
                given[name] = value
            case tree.For(binder=binder, body=body):
                given.update(dict.fromkeys(binder.names, binder.domain))
                if not _shuffles(checked, body, given, found if binder.where is None else set()):
                    return False
            case tree.Perform(call=tree.EffectCall(effect="shuffle", arguments=(zone,))):
                found |= _zones(zone, given)
            case tree.Perform(call=tree.ActionCall(action=action, arguments=arguments)):
                called = checked.actions[action]
                names = (param.name for param in called.params)
                own = {
                    name: each if not isinstance(each, tree.Local) else given.get(each.name, each)
                    for name, each in zip(names, arguments, strict=True)
                }
                if called.depth is not None or not _find_shuffled(checked, action, own, found):
                    return False
            case tree.Perform(call=tree.EffectCall(effect=effect)) if not EFFECTS[effect].asks:
                continue
            case tree.SetState() | tree.SetLocal() | tree.Later():
                continue
            case tree.Perform(call=tree.ProceedCall()):
                continue
            case tree.If(then=then, otherwise=otherwise):
                if not all(_shuffles(checked, each, given, set()) for each in (then, otherwise)):
                    return False
            case _:
                return False
    return True


def _zones(expr: tree.Expr, given: Mapping[str, tree.Expr]) -> set[int]:
    """Return the numbers of the zones that an expression names, all instances of each."""
    found = set[int]()
    for node in tree.walk(expr):
        match node:
            case tree.EntryAt(what="zone", number=number, index=index):
                if not any(isinstance(each, tree.Const) for each in index):
                    found.add(number)
            case tree.Local(name=name) if name in given and given[name] is not expr:
                found |= _zones(given[name], given)
    return found
