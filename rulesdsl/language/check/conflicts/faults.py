"""Faults that only a combination has: rules that break what rulesets that do not know them need.

A row of `ROWS` is one kind of fault: which nodes can fail, because of which quantity, and how to
say so. Conditions on the way to such a node that exclude the fault make it safe. A condition needs
quantities that are large or small: states, and numbers of pieces in places. Two strangers fail
together if one of them has an unsafe node, and the other pushes a quantity to where it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.effects import (
    GRIDS,
    TRACKS,
    Column,
    ColumnPart,
    KnownValues,
    bounds,
    is_piece,
    only,
    place_of,
)
from rulesdsl.language.check.conflicts.guards import Guard, both, key, normal
from rulesdsl.language.check.conflicts.hooks import halves
from rulesdsl.language.check.conflicts.paths import (
    PIECES,
    Body,
    Need,
    Paths,
    addition,
    given_by,
    of_pieces,
    reading,
)
from rulesdsl.language.check.conflicts.quantities import Party, Quantities
from rulesdsl.language.check.conflicts.unfolded import substituted
from rulesdsl.language.diagnostics import Label
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.flow import negation
from rulesdsl.language.model.names import ruleset_of, short_name

_WIDE = 100
"""In a range with more values than this, only amounts that are known count, once each."""
_MOST = 10
"""The greatest number of contributions of which those that exclude each other are looked for."""
_STANDING = ("figures", "tokens")
"""What may stand on a piece of a grid, and the questions for it."""
_ON_GRID = ("tile", "segment", "feature", "cell", "rotation")
"""Questions about components that fail for those that are not on a grid."""
_COUNTED = ("index", "steps", "x", "y")
"""Questions about places that tell how far it is to an end."""


@dataclass(frozen=True)
class RuleFault:
    """A way in which a node fails: where all of `tests` hold, which mean the same in other words.

    `needs` are the quantities that bring this about, None for those of the first test; `others` are
    parties that do so in another way. The amounts of all together have to exceed `room`, if that is
    not negative. Faults `about` the same thing are reported once. `own` is the party that fails, by
    default the ruleset of the code. Strangers that run the action or choice `run_by` fail with it.
    `labels` show what else belongs to the fault.
    """

    tests: tuple[tree.Expr, ...] = ()
    about: object = None
    needs: tuple[Need, ...] | None = None
    words: Mapping[str, object] = field(default_factory=dict)
    amount: int = 1
    room: int = 0
    safe: bool = False
    owned: bool = False
    own: Party | None = None
    others: Iterable[Party] = ()
    run_by: str = ""
    labels: tuple[Label, ...] = ()


_Site = tuple[Party, RuleFault]


@dataclass(frozen=True)
class Row:
    """A kind of fault: the nodes that can fail, by class and by names of effects or functions.

    `find` yields how a node fails. `what` and `advice` have places for the names of the two
    rulesets, what the other one `does`, and the words of the fault. `through`: in actions that
    strangers run, nodes count as theirs too. `sharing`: the nodes about one thing push it, so a
    safe one can be the other party. `pairs`: two parties that push also fail together. `unknowing`:
    it is enough that the ruleset of the node does not know the other. `by` are the words before the
    name of the other one.
    """

    find: Callable[[Quantities, Body, Any], Iterable[RuleFault]]
    slug: str
    what: str
    advice: str
    nodes: tuple[type[tree.Node], ...]
    names: tuple[str, ...] = ()
    through: bool = False
    sharing: bool = False
    pairs: bool = False
    unknowing: bool = False
    by: str = "from"


def check_faults(paths: Quantities, *, unknowing: bool = False) -> None:
    """Report the faults of all rows, or those that need nobody but a ruleset not known."""
    for row in ROWS:
        groups: dict[object, list[_Site]] = {}
        for body, node in _nodes(paths, row) if row.unknowing == unknowing else ():
            for fault in row.find(paths, body, node):
                fault = replace(fault, needs=_needs(paths, body, fault))
                safe = fault.safe or _excluded(paths, body, node, *fault.tests)
                own = fault.own or Party(body.ruleset, body.at(node), amount=fault.amount)
                if row.sharing or not safe:
                    about = fault.about or node.span
                    groups.setdefault(about, []).append((replace(own, safe=safe), fault))
        for sites in groups.values():
            _judge(paths, row, sites)
    if not unknowing:
        for fault, contributions in _totals(paths):
            _judge(paths, _TOTAL, [(each, fault) for each in contributions])


def _nodes(paths: Paths, row: Row) -> Iterator[tuple[Body, tree.Node]]:
    if tree.SetState in row.nodes:
        limited = (s for s in paths.checked.states.values() if isinstance(s.type, types.IntType))
        yield from paths.changes({each.key for each in limited if each.type != types.INT})
        return
    for body in paths.movers if row.through else paths.bodies:
        for cls in row.nodes:
            for node in body.nodes.of(cls):
                name = getattr(node, "effect", getattr(node, "function", ""))
                if not row.names or name in row.names:
                    yield body, node


def _needs(paths: Paths, body: Body, fault: RuleFault) -> tuple[Need, ...]:
    """Return the quantities that bring a fault about, those of its first test if none are given."""
    if fault.needs is None and fault.tests:
        return tuple(dict.fromkeys(paths.needed(fault.tests[0], scope=paths.scope(body))))
    return fault.needs or ()


def _judge(paths: Quantities, row: Row, sites: Sequence[_Site]) -> None:
    """Report the first two parties of which neither knows the other, and one is not safe."""
    fault = sites[0][1]
    if row.sharing:
        parties = [own for own, _ in sites]
        parties += (again for own, each in sites for again in _again(paths, own, each))
        total = sum(each.amount for each in parties)
        if fault.room < total and (fault.room < 0 or total < types.INT.high):
            parties += _others(paths, fault, safe=True)
            parties.sort(key=lambda each: (each.again, each.safe))
            for pair in combinations(parties, 2):
                if _reported(paths, row, fault, *pair):
                    break
        return
    for own, fault in sites:
        pushing = list[Party]()
        for other in _others(paths, fault):
            if _reported(paths, row, fault, own, other) or (
                row.pairs and any(_reported(paths, row, fault, e, other, own) for e in pushing)
            ):
                return
            pushing.append(other)


def _others(paths: Quantities, fault: RuleFault, *, safe: bool = False) -> Iterator[Party]:
    """Yield the parties that bring a fault about; those that only push what it needs are `safe`."""
    yield from fault.others
    for need in fault.needs or ():
        for party in paths.pushing(need, owned=fault.owned):
            yield replace(party, safe=safe)


def _again(paths: Paths, own: Party, fault: RuleFault) -> Iterator[Party]:
    """Yield calls by strangers that run an unsafe node more often, one of each ruleset."""
    for ruleset, runs in paths.runs.items() if fault.run_by and not own.safe else ():
        call = runs.get(fault.run_by)
        if call is not None and paths.strangers(ruleset, own.ruleset):
            yield Party(ruleset, call[1], amount=own.amount, again=short_name(call[0]))


def _reported(
    paths: Paths, row: Row, fault: RuleFault, one: Party, other: Party, own: Party | None = None
) -> bool:
    """Report two parties if they can fail; `own` has the node if that is not `one`."""
    if one.safe or one.again or not paths.unknown(one.ruleset, other.ruleset):
        return False
    if not (row.unknowing or paths.unknown(other.ruleset, one.ruleset)):
        return False
    words = {"own": one.ruleset, "other": other.ruleset, "does": other.does, **fault.words}
    more = f", runs `{other.again}` more often" if other.again else ""
    at, labels = one, [*fault.labels]
    if other.span not in (label.span for label in labels):
        labels.append(Label(other.span, f"{row.by} {other.ruleset}{more}"))
    if row.unknowing:
        at, labels = other, [Label(one.span, f"from {one.ruleset}")]
    elif own is not None:
        at, words["does"] = own, f"{other.does}, and `{one.ruleset}` {one.does}"
        labels.append(Label(one.span, f"from {one.ruleset}"))
    advice = row.advice.format_map(words).split("\n")
    paths.warn(row.slug, row.what.format_map(words), at.span, labels, *advice)
    return True


def _excluded(paths: Paths, body: Body, node: tree.Node, *tests: tree.Expr) -> bool:
    """Return whether the conditions on the way to a node exclude that all tests hold."""
    known = paths.at(body, node) if tests else ()
    return any(not paths.possible(known, each) for each in tests)


# --- numbers -------------------------------------------------------------------------------------


def _stored(paths: Quantities, body: Body, change: tree.SetState) -> Iterator[RuleFault]:
    """Yield the ends of the range of a state that a change may pass."""
    state = paths.checked.states[change.state]
    type_ = state.type
    assert isinstance(type_, types.IntType)
    read = reading(change, type_)
    low, high = addition(change, paths.game)
    after = change.value
    if change.operator != "=":
        after = tree.Binary(change.span, types.INT, change.operator[0], read, after)
    start, name = tree.fold(state.initial), short_name(change.state)
    begin, end = (start, start) if isinstance(start, int) else (type_.low, type_.high)
    wide = type_.high - type_.low >= _WIDE
    words: dict[str, object] = {"what": f"`{name}` has to stay in {type_.low}..{type_.high}"}
    for amount, sign, limit, left in (
        (high, ">", type_.high, type_.high - begin),
        (-low, "<", type_.low, end - type_.low),
    ):
        if amount > 0:
            step = -amount if sign == ">" else amount
            tests = _compare(read, sign, limit + step), _compare(after, sign, limit)
            line = f"min({name} + …, {limit})" if sign == ">" else f"max({name} - …, {limit})"
            # Of what an action does with its parameters, only constants are known.
            most = amount if body.call is None or low == high else types.INT.high
            safe = _excluded(paths, body, change, *tests)
            yield RuleFault(
                about=(change.state, sign),
                needs=(),
                words={**words, "line": f"{name} = {line}"},
                amount=min(most, type_.high - type_.low) if safe else most,
                room=left if wide else -1,
                safe=safe,
                run_by=body.run_by if body.call is None else "",
            )


def _number(paths: Quantities, body: Body, node: tree.Ranged | tree.EntryAt) -> Iterator[RuleFault]:
    """Yield the ends that a number with a range, or an index of a table, may pass."""
    numbers = list[tuple[tree.Expr, int, int]]()
    if isinstance(node, tree.EntryAt):
        table = paths.game.tables[node.number] if node.what == "table" else None
        if table is not None:
            numbers += [(i, table.low, table.low + len(table.values) - 1) for i in node.index]
    elif isinstance(node.type, types.IntType) and all(
        each.value is not node for each in body.nodes.of(tree.SetState)
    ):
        numbers.append((node.operand, node.type.low, node.type.high))
    for number, low, high in numbers:
        text = number.span.text
        for sign, way, end in ((1, ">", high), (-1, "<", low)) if high - low < _WIDE else ():
            needs = tuple(paths.needed(number, sign))
            if needs and not _excluded(paths, body, node, _compare(number, way, end)):
                words = {
                    "what": f"`{text}` of `{body.ruleset}` has to stay in {low}..{high}",
                    "line": f"min({text}, {high})" if sign > 0 else "max(…)",
                }
                yield RuleFault(
                    about=(needs[0][0], sign),
                    needs=(),
                    words=words,
                    amount=0,
                    room=-1,
                    safe=True,
                    others=_passing(paths, needs, sign, end, high - low),
                )


def _passing(
    paths: Paths, needs: Iterable[Need], sign: int, end: int, most: int
) -> Iterator[Party]:
    """Yield the changes that push a number past an end, safe if they look before."""
    for other, change in paths.changes({column.name for column, _ in needs}):
        amount = max(sign * each for each in addition(change, paths.game))
        if amount > 0:
            read = reading(change, types.INT)
            past = _compare(read, ">" if sign > 0 else "<", end - sign * min(amount, most))
            safe = not paths.possible(paths.at(other, change), past)
            yield Party(other.ruleset, other.at(change), amount=amount, safe=safe)


def _totals(paths: Paths) -> Iterator[tuple[RuleFault, list[Party]]]:
    """Yield totals of contributions that may be out of their range, and the contributions."""
    for value in paths.checked.values.values():
        type_ = value.type
        if value.policy != "sum" or not isinstance(type_, types.IntType) or type_ == types.INT:
            continue
        for sign, limit in ((1, type_.high), (-1, -type_.low)):
            rules, parties = list[tuple[Guard, int]](), list[Party]()
            for rule in value.rules:
                given = [r.value for r in tree.Nodes(rule.body).of(tree.Return) if r.value]
                ends = [sign * end for each in given for end in bounds(each, paths.game)]
                most = max(ends, default=0)
                rules.append((normal(rule.guard, rule.params), most))
                parties += [Party(rule.ruleset, rule.span, amount=most)] if most > 0 else ()
            total = sign * _largest(paths, rules)
            if sign * total > limit and parties:
                wide = types.IntType(min(type_.low, total), max(type_.high, total))
                known = types.INT.low <= wide.low and wide.high <= types.INT.high
                what = f"the total of `{short_name(value.key)}` has to stay in "
                what += f"{type_.low}..{type_.high}"
                words = {"what": what, "line": wide if known else types.INT}
                yield RuleFault(needs=(), words=words, room=-1), parties


def _largest(paths: Paths, rules: Sequence[tuple[Guard, int]], guard: Guard = ({},)) -> int:
    """Return the largest total of contributions that can apply together."""
    paths.work.spend(1 + len(guard))
    if len(rules) > _MOST or not rules:
        return sum(max(amount, 0) for _, amount in rules)
    (first, amount), *rest = rules
    met = both(guard, first)
    applies = amount + _largest(paths, rest, met) if met else types.INT.low
    return applies if met == guard else max(applies, _largest(paths, rest, guard))


# --- places --------------------------------------------------------------------------------------


def _filled(paths: Quantities, body: Body, call: tree.EffectCall) -> Iterator[RuleFault]:
    """Yield the zones that may have no room for what comes there."""
    moved, zone = paths.moved(body, call), call.arguments[1]
    where = paths.target(body, call, moved)
    limits = {each.key: min(each.room) for each in paths.game.zones if each.room is not None}
    for name in sorted(limits.keys() & (where.values or ())):
        tests = (
            _compare(_aggregate("count", call, zone), ">=", limits[name]),
            _aggregate("any", call, zone),
            _compare(tree.CallBuiltin(call.span, types.INT, "room", (zone,)), "<=", 0),
        )
        kinds = [paths.game.kinds[piece.kind].key for piece in paths.game.pieces]
        yield RuleFault(
            tests,
            name,
            (),
            {"zone": short_name(str(name)), "room": limits[name]},
            sum(each in moved.kinds for each in kinds),
            limits[name],
            others=_coming(paths, name),
        )


def _coming(paths: Quantities, zone: str) -> Iterator[Party]:
    """Yield the pieces that moves take to a zone, by kind, from where they begin."""
    for kind in paths.game.kinds:
        if zone in paths.reach[kind.key]:
            number = len(paths.starts[kind.key])
            yield Party(kind.ruleset, kind.span, amount=number, safe=True)


def _covered(paths: Quantities, body: Body, call: tree.EffectCall) -> Iterator[RuleFault]:
    """Yield the cell, if it is the same one on any board, that may hold something."""
    if cell := _fixed(call.arguments[1], body.nodes):
        reads = (paths.effects.of(each).reads for each in paths.at(body, call))
        looks = any(column.name == place_of("tile").name for r in reads for column in r)
        yield RuleFault(about=cell, needs=(), safe=looks)


def _fixed(spot: tree.Expr, nodes: tree.Nodes) -> tuple[object, ...]:
    """Return the cell of a placement that is the same on any board, nothing if it may not be."""
    match spot:
        case tree.CallBuiltin(function="centre", arguments=(grid,)):
            return key(grid, {}), 0, 0
        case tree.CallBuiltin(function="placement_at", arguments=(grid, x, y, _)):
            return key(grid, {}), tree.fold(x), tree.fold(y)
        case tree.Local(name=name):
            given = [let.value for let in nodes.of(tree.Let) if let.name == name]
            return _fixed(given[0], nodes) if len(given) == 1 else ()
    return ()


def _taken(paths: Quantities, body: Body, call: tree.EffectCall) -> Iterator[RuleFault]:
    """Yield the zones of which a component is taken, and that may be empty."""
    for name in _zones(paths, body, call):
        # Who takes from a zone of its own knows how many are left.
        own = body.call is not None or ruleset_of(name) == body.ruleset
        there = KnownValues(where=only(name))
        yield RuleFault(
            _none(call, call.arguments[0]) if call.effect == "take" else (),
            name,
            ((Column(PIECES, (paths.kinds(types.ZONE, there), there.where)), -1),),
            {"zone": short_name(name)},
            safe=call.effect == "move_all",
            run_by="" if own else body.run_by,
        )


def _zones(paths: Paths, body: Body, call: tree.EffectCall) -> list[str]:
    """Return the zones out of which an effect takes pieces, empty if they are not known."""
    return sorted(map(str, paths.moved(body, call).where.values or ()))


def _emptied(paths: Quantities, body: Body, call: tree.EffectCall) -> Iterator[RuleFault]:
    """Yield the zones of which a hook may take the last piece before its action takes one."""
    hooks = body.action.hooks if body.action else tree.Hooks()
    for name in _zones(paths, body, call):
        for hook in (*hooks.arounds, *hooks.befores):
            inner = Body(hook.ruleset, given_by(hook.guard), hook.body)
            entries = [
                each
                for each in inner.nodes.of(tree.EntryAt)
                if each.what == "zone" and paths.game.zones[each.number].key == name
            ]
            first = tree.Nodes(halves(hook.body)[0]).of(tree.EffectCall)
            for taken in [c for c in first if name in _zones(paths, inner, c)][:1]:
                few = (_compare(_aggregate("count", taken, each), "<=", 1) for each in entries)
                if not any(_excluded(paths, inner, taken, each) for each in few):
                    yield RuleFault(
                        _none(call, call.arguments[0]),
                        (name, hook.span),
                        (),
                        {"zone": short_name(name)},
                        others=[Party(hook.ruleset, taken.span)],
                    )


def _stepped(paths: Quantities, body: Body, call: tree.EffectCall) -> Iterator[RuleFault]:
    """Yield the kinds of components that go on to a place that may not exist."""
    steps = tree.Nodes(call.arguments[1:]).of(tree.CallBuiltin)
    sized = any(grid.size is not None for grid in paths.game.grids)
    ends = not all(each.loop for each in paths.game.tracks)
    if any(
        (step.function == "forward" and step.type == types.SPACE and ends)
        or (step.function == "cell_at" and step.arguments[0].type == types.CELL and sized)
        for step in steps
    ):
        inside = {id(each) for each in tree.walk(call)}
        asked = (c for c in body.nodes.of(tree.CallBuiltin) if c.function in _COUNTED)
        safe = any(id(each) not in inside for each in asked)
        kinds = paths.kinds(call.arguments[0].type, paths.moved(body, call))
        for kind in sorted(map(str, kinds.values or ())):
            yield RuleFault(about=kind, needs=(), words={"kind": short_name(kind)}, safe=safe)


def _laden(paths: Quantities, body: Body, call: tree.EffectCall) -> Iterator[RuleFault]:
    """Yield a move of a piece that leaves its grid, on which something may lie."""
    moved, cls = paths.moved(body, call), str(call.arguments[0].type)
    to, grids = paths.target(body, call, moved), only(GRIDS)
    looks = {each.function for each in body.nodes.of(tree.CallBuiltin)} & {*_STANDING}
    known = moved != KnownValues() and GRIDS in moved.where
    if known and not (looks or to.meets(grids)) and cls in types.LAID_CLASSES:
        standing = only(*(k.key for k in paths.game.kinds if f"{k.cls}s" in _STANDING))
        over = [Party(each.ruleset, each.span) for each in paths.game.grids if each.over]
        needs = ((Column(PIECES, (standing, grids)), 1),)
        yield RuleFault(needs=needs, others=over)


# --- the only one --------------------------------------------------------------------------------


def _two(paths: Quantities, body: Body, one: tree.Aggregate) -> Iterator[RuleFault]:
    """Yield `the` of a set that may have two elements."""
    (binder, *_) = one.binders
    number = tree.Aggregate(one.span, types.INT, "count", None, one.binders)
    few = isinstance(binder.domain, tree.Aggregate) and binder.domain.amount
    if _sought(one) is one and (not few or tree.fold(few) != 1):
        yield RuleFault((_compare(number, ">", 1),), others=_parts(paths, body, binder))


def _parts(paths: Paths, body: Body, binder: tree.Binder) -> Iterator[Party]:
    """Yield the kinds of components that have two of the parts sought."""
    match binder.domain:
        case tree.CallBuiltin(function="segments" | "features", arguments=(piece,)):
            part = paths.scope(body).part(piece)
            for kind in paths.game.kinds if is_piece(piece.type) else ():
                faces = (kind.outline, *(face.outline for face in kind.faces))
                parts = (each.segments for each in faces if each is not None)
                most = max((sum(_wanted(binder, s.kind) for s in p) for p in parts), default=0)
                if most > 1 and kind.key in part:
                    yield Party(kind.ruleset, kind.span, f"adds `{kind.name}` with {most}", most)


def _wanted(binder: tree.Binder, kind: str) -> bool:
    match binder.where:
        case None | tree.IsKind(object=tree.Local(), test="feature"):
            return binder.where is None or binder.where.name == kind
    return False


def _missing(paths: Quantities, body: Body, node: tree.Expr) -> Iterator[RuleFault]:
    """Yield `the`, `one` and a choice that may find nothing, or a state that may be none."""
    binders: tuple[tree.Binder, ...] = ()
    asked: tuple[tree.Expr, ...] = ()
    looks = "any(x in … where …)"
    match node:
        case tree.Aggregate():
            sought = _sought(node)
            if isinstance(sought, tree.ReadState):
                reads = tree.Nodes(paths.at(body, node)).of(tree.ReadState)
                yield RuleFault(
                    words={"looks": f"{sought.span.text} is not none"},
                    safe=any(sought.state == read.state for read in reads),
                    others=_unsetting(paths, sought.state),
                )
            binders = sought.binders if isinstance(sought, tree.Aggregate) else ()
        case tree.CallBuiltin(arguments=(zone, kind)):
            kinds = paths.scope(body).part(kind)
            asked = (negation(_holds(node, zone, kind)),)
            if kinds.values is None:
                where = paths.scope(body).place(zone)
                held = paths.kinds(types.ZONE, KnownValues(where=where))
                need = Column(PIECES, (held, where)), -1
                yield RuleFault(asked, needs=(need,), words={"looks": looks, "own": body.ruleset})
                return
            local = tree.Local(node.span, types.PIECE, "x")
            test: tree.Expr | None = None
            for each in sorted(map(str, kinds.values)):
                is_so = tree.IsKind(node.span, types.BOOL, local, "kind", each)
                test = tree.Binary(node.span, types.BOOL, "or", test, is_so) if test else is_so
            binders = (tree.Binder(node.span, ("x",), zone, test),)
        case tree.ChoiceCall():
            choice = paths.checked.choices[node.choice]
            if len(choice.options) == 1 and choice.otherwise is None:
                given = zip((each.name for each in choice.params), node.arguments, strict=True)
                binders = substituted(choice.options[0].binders, dict(given))
    if binders and of_pieces(binders[0]):
        some = tree.Aggregate(node.span, types.BOOL, "any", None, binders)
        count = tree.Aggregate(node.span, types.INT, "count", None, binders)
        tests = negation(some), _compare(count, "<=", 0), *asked
        words = {"looks": looks, "own": body.ruleset}
        yield RuleFault(tests, words=words, owned=_names_owner(node))


def _removed(paths: Quantities, body: Body, node: tree.Expr) -> Iterator[RuleFault]:
    """Yield `the`, `one` and a choice of which a ruleset takes all pieces out of the game."""
    for fault in _missing(paths, body, node):
        for column, _ in _needs(paths, body, replace(fault, needs=None)):
            kinds, where = column.parts
            for removal in paths.game.removed:
                kind, start = removal.kind, removal.start
                empty = all(piece.start != start for piece in paths.game.pieces)
                there = empty and where == only(start) and kind in kinds
                if (there and isinstance(node, tree.Aggregate)) or kinds == only(kind):
                    gone = [Party(removal.ruleset, removal.span)]
                    words = {"kind": short_name(kind)}
                    yield RuleFault(fault.tests, removal.span, (), words, others=gone)


def _unsetting(paths: Paths, state: str) -> Iterator[Party]:
    for other in paths.bodies:
        for change in other.nodes.of(tree.SetState):
            none = change.value.type == types.NONE
            maybe = none or isinstance(change.value.type, types.OptionalType)
            if change.state == state and maybe:
                yield Party(other.ruleset, change.span)


def _mixed(paths: Quantities, body: Body, call: tree.CallBuiltin) -> Iterator[RuleFault]:
    """Yield `one` of a kind after a look whether anything lies there, not only of that kind."""
    zone, kind = call.arguments
    if _excluded(paths, body, call, *_none(call, zone)):
        known = paths.scope(body).binder(tree.Binder(call.span, ("x",), zone, None))
        held, own = paths.kinds(types.ZONE, known), paths.scope(body).part(kind)
        others = ColumnPart((held.values or frozenset()) - (own.values or frozenset()))
        asked = f"any(x in {zone.span.text} where x is {kind.span.text})"
        yield RuleFault(
            (negation(_holds(call, zone, kind)),),
            needs=((Column(PIECES, (others, known.where)), 1),),
            words={"kind": kind.span.text, "asked": asked},
        )


def _elsewhere(paths: Quantities, body: Body, call: tree.CallBuiltin) -> Iterator[RuleFault]:
    """Yield a question for the place of a component that may lie elsewhere."""
    piece, scope = call.arguments[0], paths.scope(body)
    zones = only(*(zone.key for zone in paths.game.zones))
    ordered = only(GRIDS, *(zone.key for zone in paths.game.zones if zone.ordered))
    places = {"space": only(TRACKS), "zone": zones, "position": ordered}
    where = places.get(call.function, only(GRIDS))
    if len(call.arguments) == 1 and is_piece(piece.type):
        found, kinds = scope.known(piece).where, scope.part(piece)
        known = kinds.values is not None and not found.within(where)
        if known and not _located(paths, body, call, piece):
            needs = ((Column(PIECES, (kinds, where)), -1),)
            yield RuleFault(needs=needs, words={"looks": "x in figures(…)"})


def _located(paths: Paths, body: Body, at: tree.Node, piece: tree.Expr) -> bool:
    """Return whether conditions around a node ask where a component is."""
    nodes = tree.Nodes(paths.at(body, at))
    asked = [each.item for each in nodes.of(tree.Member)]
    asked += [c.arguments[0] for c in nodes.of(tree.CallBuiltin) if c.function == "on_board"]
    return any(key(each, {}) == key(piece, {}) for each in asked)


def _sought(one: tree.Aggregate) -> tree.Expr:
    """Return what may be none in `the(x)`, or the aggregate itself if it looks for a component."""
    match one.binders[0].domain:
        case tree.Comprehension(binders=(tree.Binder(domain=tree.SetLiteral(items=(item,))),)):
            return item
    return one


def _names_owner(need: tree.Node) -> bool:
    """Return whether a look for a component asks for that of a player."""
    for binder in need.binders if isinstance(need, tree.Aggregate) else ():
        match binder.where:
            case tree.Compare(operator="==", left=one, right=other):
                asked = {getattr(side, "function", "") for side in (one, other)}
                return "owner" in asked and types.PLAYER in (one.type, other.type)
    return False


# --- preconditions -------------------------------------------------------------------------------


def _unmet(paths: Quantities, body: Body, call: tree.ActionCall) -> Iterator[RuleFault]:
    """Yield the preconditions of unknown rulesets that may not hold for a call."""
    action = paths.checked.actions[call.action]
    for rule in action.requires:
        if not paths.unknown(body.ruleset, rule.ruleset):
            continue
        names = {p.name: each for p, each in zip(action.params, call.arguments, strict=True)}
        known = (*given_by(substituted(action.guard, names)), *paths.called_at(body, call))
        test = negation(paths.unfolder.holds(rule, call.arguments))
        if paths.possible(known, test):
            yield RuleFault(
                about=rule.span,
                words={
                    "own": body.ruleset,
                    "name": short_name(call.action),
                    "text": " ".join(call.span.text.split()),
                },
                own=Party(rule.ruleset, rule.span),
                labels=(Label(call.span, f"called by {body.ruleset}"),),
                others=_unmeeting(paths, body, call, rule, test),
            )


def _unmeeting(
    paths: Quantities, body: Body, call: tree.ActionCall, rule: tree.Rule, test: tree.Expr
) -> Iterator[Party]:
    """Yield who may make a precondition false: the caller, and what changes what it reads."""
    reads = paths.effects.of((rule.guard, rule.body))
    values = paths.effects.contents.called((rule.guard, rule.body, call.arguments, body.known))
    yield Party(body.ruleset, call.span)
    for other in paths.bodies:
        paths.work.spend(len(other.nodes))
        writes = replace(paths.effects.of(other.code), added=frozenset())
        if other.value in values or writes.disturbs(reads):
            yield Party(other.ruleset, other.code[0].span if other.code else call.span)
    for need in dict.fromkeys(paths.needed(test)):
        yield from paths.pushing(need)


# --- expressions ---------------------------------------------------------------------------------


def _compare(left: tree.Expr, operator: str, right: int) -> tree.Expr:
    constant = tree.Const(left.span, types.INT, right)
    return tree.Compare(left.span, types.BOOL, operator, left, constant)


def _aggregate(function: str, node: tree.Node, zone: tree.Expr) -> tree.Expr:
    """Return an expression for how many pieces a zone has, or whether it has any."""
    inside = (tree.Binder(node.span, ("x",), zone, None),)
    type_ = types.INT if function == "count" else types.BOOL
    return tree.Aggregate(node.span, type_, function, None, inside)


def _none(node: tree.Node, zone: tree.Expr) -> tuple[tree.Expr, ...]:
    """Return two ways to say that nothing lies in a zone."""
    count, some = (_aggregate(each, node, zone) for each in ("count", "any"))
    return _compare(count, "<=", 0), negation(some)


def _holds(node: tree.Node, zone: tree.Expr, kind: tree.Expr) -> tree.Expr:
    """Return an expression for whether a zone has a piece of a kind."""
    kinds = tree.CallBuiltin(node.span, types.SetType(types.KIND), "kinds", (zone,))
    return tree.Member(node.span, types.BOOL, kind, kinds)


# --- rows ----------------------------------------------------------------------------------------

_SEEKING = (tree.Aggregate, tree.CallBuiltin, tree.ChoiceCall)
_GONE = (
    "not-the-one",
    "`{own}` needs what `{other}` may have taken away",
    "look first whether it is there, as in `if {looks}: …`",
)


def _limit(
    find: Callable[[Quantities, Body, Any], Iterable[RuleFault]],
    what: str,
    advice: str,
    *nodes: type[tree.Node],
    names: tuple[str, ...] = (),
    through: bool = True,
) -> Row:
    """Return the row of something limited that strangers may exceed together."""
    what += ", and `{own}` and `{other}` together may exceed that"
    return Row(find, "shared-limit", what, advice, nodes, names, through=through, sharing=True)


_TOTAL = _limit(lambda *_: (), "{what}", "declare its result as `{line}`")
"""The row of totals, whose contributions are not nodes of bodies."""

ROWS = (
    Row(
        _removed,
        "not-the-one",
        "`{own}` needs a `{kind}`, of which `{other}` leaves none",
        "leave one, or refine the rule",
        _SEEKING,
        ("the", "one", ""),
        unknowing=True,
    ),
    Row(
        _unmet,
        "unmet-require",
        "`{own}` calls `{name}` where this may not hold, which is an error during the game",
        "test it before the call:\n    if allowed({text}): {text}",
        (tree.ActionCall,),
        by="changed by",
    ),
    _limit(_stored, "{what}", "keep to it, as in `{line}`", tree.SetState),
    _limit(
        _number,
        "{what}",
        "keep to it there, as in `{line}`",
        *(tree.Ranged, tree.EntryAt),
        through=False,
    ),
    _limit(
        _stepped,
        "`{kind}` cannot go past the end",
        "look first how far it can go",
        tree.EffectCall,
        names=("move",),
    ),
    _limit(
        _filled,
        "`{zone}` has room for {room}",
        "look for room first, as in `if room({zone}) > 0: move(…)`",
        tree.EffectCall,
        names=("move", "move_all"),
    ),
    _limit(
        _covered,
        "a cell holds one piece",
        "look first, as in `if spot in placements(board, t): place(t, spot)`",
        tree.EffectCall,
        names=("place",),
    ),
    _limit(
        _taken,
        "`{zone}` holds a limited number of pieces",
        "look first, as in `if count({zone}) > 0: …`",
        tree.EffectCall,
        names=("take", "move_all"),
    ),
    Row(
        _emptied,
        "shared-limit",
        "`{other}` may take the last piece of `{zone}` before `{own}` takes one",
        "leave one, as in `if count({zone}) > 1: …`",
        (tree.EffectCall,),
        ("take",),
        unknowing=True,
    ),
    Row(
        _laden,
        "shared-limit",
        "nothing can lie on what leaves its grid, and `{other}` may put it there",
        "look first, as in `if count(figures(t)) == 0: …`",
        (tree.EffectCall,),
        ("move",),
        through=True,
    ),
    Row(
        _two,
        "not-the-one",
        "`the` may find two things: `{other}` {does}",
        "say which one is meant, as in `where x is …`",
        (tree.Aggregate,),
        ("the",),
        pairs=True,
    ),
    Row(
        _mixed,
        "not-the-one",
        "`one` may find no {kind}: `{other}` {does}",
        "look for that kind, as in `if {asked}: …`",
        (tree.CallBuiltin,),
        ("one",),
    ),
    Row(_missing, *_GONE, _SEEKING, ("the", "one", "")),
    Row(_elsewhere, *_GONE, (tree.CallBuiltin,), ("space", "zone", "position", *_ON_GRID)),
)
"""All kinds of faults at nodes of bodies."""
