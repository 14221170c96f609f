"""The context of an expression or statement: locals in scope, and facts about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Literal

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import report_taken
from rulesdsl.language.check import errors, presence
from rulesdsl.language.check import types as types_
from rulesdsl.language.check.assignments import Assignments, Changes
from rulesdsl.language.check.symbols import Symbols
from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.model import ast, checked, types, uses
from rulesdsl.language.model.checked import walk
from rulesdsl.language.model.game import KindDef
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.uses import Symbol


def held(symbols: Symbols, locals_: Mapping[str, types.Type], zone: checked.Expr) -> types.Type:
    """Return the class of the components in `zone`: `piece` if there may be several.

    `locals_` has the classes for local zones, by key.
    """
    match zone:
        case checked.EntryAt(what="zone", number=number):
            return _class(symbols.game.zones[number].holds)
        case checked.Local(name=name):
            return locals_.get(name, types.PIECE)
        case checked.IfElse(then=then, otherwise=otherwise):
            return _common((held(symbols, locals_, then), held(symbols, locals_, otherwise)))
        case checked.CallValue(value=key):
            return symbols.held.get(key, types.PIECE)
    return types.PIECE


def note_values(symbols: Symbols, bodies: Mapping[str, Sequence[tuple[str, ast.Node]]]) -> None:
    """Fill `symbols.held` for values that return a zone.

    `bodies` has, by the value's key, the ruleset and the tree of each of its rules. A value returns
    one of the zones that its rules mention.
    """
    for key in bodies:
        symbols.held[key] = _common(_mentioned(symbols, bodies, key, set()))


def _mentioned(
    symbols: Symbols,
    bodies: Mapping[str, Sequence[tuple[str, ast.Node]]],
    key: str,
    seen: set[str],
) -> Iterator[types.Type]:
    """Yield the classes of all zones that a value may return, directly or by values it calls."""
    if key in seen:
        return
    seen.add(key)
    for ruleset, body in bodies[key]:
        for node in walk(body):
            match node:
                case ast.Param(type=ast.TypeRef(name=ast.Path(parts=(types.ZONE.name,)))):
                    yield types.PIECE
                case ast.Attribute(name="zone") | ast.Call(function=ast.Name(name="home")):
                    yield types.PIECE
                case ast.Name(name=name) | ast.Attribute(name=name):
                    for noun in symbols.find(symbols.nouns, name, ruleset, _qualifier(node)):
                        if noun.what == "zone":
                            yield _class(symbols.game.zones[noun.number].holds)
                    for value in symbols.find(symbols.routines, name, ruleset, _qualifier(node)):
                        if value.key in bodies:
                            yield from _mentioned(symbols, bodies, value.key, seen)


def _qualifier(node: ast.Name | ast.Attribute) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.object, ast.Name):
        return node.object.name
    return None


def _class(holds: frozenset[str]) -> types.Type:
    return types_.CLASSES[next(iter(holds))] if len(holds) == 1 else types.PIECE


def _common(classes: Iterable[types.Type]) -> types.Type:
    found = set(classes)
    return found.pop() if len(found) == 1 else types.PIECE


# --- locals ---------------------------------------------------------------------------------------


LocalKind = Literal["parameter", "binder", "let", "var"]


@dataclass
class ScopeLocal:
    """A local: a parameter, a binder's name, a `let` or a `var`.

    `key` is its name in the checked tree, where no two locals of one callable share one. `zone` is
    the class of the components in the zone that it names.
    """

    key: str
    what: LocalKind
    type: types.Type
    span: Span
    zone: types.Type | None = None
    read: bool = False


@dataclass(frozen=True)
class Fact:
    """A fact about a local beyond its declared type, or about another expression.

    `type` is a narrower type of the local; `kinds` are the kinds of features or components (full
    names) that it may still have. Another expression is not none: `reads` is what that depends on.
    """

    type: types.Type | None = None
    kinds: frozenset[str] | None = None
    reads: presence.Reads | None = None


Facts = Mapping[str, Fact]
"""Facts by the keys of locals and the texts of other expressions."""


Infer = Callable[["CheckContext", ast.Expr, types.Type | None], checked.Expr]
"""Types an expression, with a hint of the expected type."""


@dataclass
class CheckContext:
    """A place in the rules of `ruleset`.

    `result` is the type that `return` gives (None: no result is expected). `acts`: code may change
    things here. `previous` is the type of `previous` where it has a meaning. `around`, `leaves` and
    `loops`: `proceed`, `leave` and `break` are allowed here. `proceeded`: a `proceed` may have been
    reached already. `infer` types an expression, with a hint of the expected type. `owners` has,
    for each place where an owner is read, and for the key of a `let` that holds one, the kinds
    without an owner that the component may have. `hooked` is the action or choice (full name) that
    `proceed` runs. `forgotten` has, for an expression that was known not to be none, the statement
    that may have changed that. `missing` are the names that were reported.
    """

    symbols: Symbols
    report: Report
    ruleset: str
    infer: Infer
    result: types.Type | None = None
    acts: bool = False
    previous: types.Type | None = None
    around: types.Type | None = None
    leaves: bool = False
    loops: int = 0
    proceeded: bool = False
    names: dict[str, ScopeLocal] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    locals: list[ScopeLocal] = field(default_factory=list)
    owners: dict[Span | str, tuple[KindDef, ...]] = field(default_factory=dict)
    assignments: Assignments | None = None
    hooked: str = ""
    forgotten: dict[str, Span] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def declare(self, name: ast.Ident, what: LocalKind, type_: types.Type) -> ScopeLocal:
        """Declare a new local, whose name must differ from those in scope."""
        if (other := self.names.get(name)) is not None:
            errors.duplicate(self.report, name, name.span, other.span)
        report_taken(name, "local", name.span, self.report)
        self.use(name, uses.local(name.span), declares=True)
        key, number = str(name), 2
        while key in self.taken:
            key, number = f"{name}${number}", number + 1
        self.taken.add(key)
        local = ScopeLocal(key, what, type_, name.span)
        self.names[str(name)] = local
        self.locals.append(local)
        return local

    def use(self, name: ast.Ident, symbol: Symbol, *, declares: bool = False) -> None:
        """Note the meaning of a name, unless it is written nowhere."""
        if name in name.span.text:
            self.symbols.uses.add(name.span, symbol, declares)

    def invent(self) -> str:
        """Return a key for a local without a name in the rules."""
        number = 1
        while (key := f"${number}") in self.taken:
            number += 1
        self.taken.add(key)
        return key

    def held(self, zone: checked.Expr) -> types.Type:
        """Return the class of the components in the zone that an expression gives."""
        classes = {local.key: local.zone for local in self.locals if local.zone is not None}
        return held(self.symbols, classes, zone)

    def type_of(self, local: ScopeLocal) -> types.Type:
        """Return the local's type, narrowed by the known facts."""
        fact = self.facts.get(local.key)
        return local.type if fact is None or fact.type is None else fact.type

    def learn(self, facts: Facts) -> None:
        """Add facts from here on."""
        for key, fact in facts.items():
            known = self.facts.get(key, Fact())
            self.facts[key] = meet(known, fact)

    def forget(self, changes: Changes, span: Span, local: str = "") -> None:
        """Drop facts that the changes of a statement, or of a local, may make false."""
        for key, fact in tuple(self.facts.items()):
            read = fact.reads
            if read is not None and (
                local in read.locals
                or not read.states.isdisjoint(changes.states)
                or (read.board and changes.any)
            ):
                del self.facts[key]
                self.forgotten[key] = span

    def forget_call(self, key: str, span: Span) -> None:
        """Drop facts that a call of an action or choice may make false."""
        self.forget(Changes(any=True), span)
        if self.assignments is not None and self._knows_states():
            self.forget(self.assignments.by_call(key), span)

    def forget_block(self, block: ast.Block) -> None:
        """Drop facts that a block may make false, which runs several times."""
        if self.assignments is not None and self._knows_others():
            if self.assignments.acts(block, self.ruleset):
                self.forget(Changes(any=True), block.span)
            if self._knows_states():
                self.forget(self.assignments.by_block(block, self.ruleset), block.span)

    def forget_hooks(self, span: Span, key: str, option: str = "") -> None:
        """Drop facts that hooks may make false between the guard of an action and its body."""
        if self.assignments is not None and self._knows_others():
            self.forget(self.assignments.before(key, option), span)

    def _knows_states(self) -> bool:
        return any(fact.reads is not None and fact.reads.states for fact in self.facts.values())

    def _knows_others(self) -> bool:
        return any(fact.reads is not None for fact in self.facts.values())

    def present(self, found: checked.Expr) -> checked.Expr:
        """Return the expression with its type without `none` if it is known not to be none.

        That is checked again at run time, as scenarios can set any state.
        """
        if not isinstance(found.type, types.OptionalType) or not self._knows_others():
            return found
        if presence.subject(found) not in self.facts:
            return found
        return checked.Ranged(found.span, found.type.item, found)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Limit the scope of declarations to a `with` block."""
        names = dict(self.names)
        yield
        self.names = names

    @contextmanager
    def knowing(self, facts: Facts) -> Iterator[None]:
        """Assume `facts` within a `with` block, and drop what is learnt there afterwards."""
        known = dict(self.facts)
        self.learn(facts)
        yield
        self.facts = known

    def expect(self, node: ast.Expr, wanted: types.Type, why: str = "") -> checked.Expr:
        """Check an expression of type `wanted`; `why` names its role (`the condition`)."""
        return self.coerce(self.infer(self, node, wanted), wanted, why)

    def coerce(self, found: checked.Expr, wanted: types.Type, why: str = "") -> checked.Expr:
        """Return `found` as a value of type `wanted`; a mismatch is reported."""
        if not isinstance(wanted, types.OptionalType):
            found = self.present(found)
        if isinstance(wanted, types.SetType):
            found = as_set(self, found)
        if not types_.fits(found.type, wanted):
            self.mismatch(found, wanted, why)
            return poison(found.span)
        errors.check_range(self.report, found, wanted)
        return ranged(found, wanted)

    def mismatch(
        self, found: checked.Expr, wanted: types.Type, why: str = "", help: tuple[str, ...] = ()
    ) -> None:
        """Report that `found` does not fit its place; `help` says what to write instead."""
        unowned, changed = self.unowned(found), self.changed(found)
        enum = types_.required(wanted)
        if isinstance(enum, types.EnumType) and isinstance(found.type, types.IntType):
            members = map(short_name, self.symbols.members(enum.name))
            help = help or (f"`{enum}` is {errors.quoted(members)}",)
        errors.mismatch(self.report, found, wanted, why, unowned, changed, help)

    def changed(self, found: checked.Expr) -> Span | None:
        """Return the statement that may have made an expression none, which was known not to be."""
        if not self.forgotten or not isinstance(found.type, types.OptionalType):
            return None
        return self.forgotten.get(presence.subject(found))

    def unowned(self, found: checked.Expr) -> tuple[KindDef, ...]:
        """Return the kinds without an owner because of which `found` may be none.

        `found` is an owner or a set of owners.
        """
        for node in walk((found,)):
            match node:
                case checked.CallBuiltin(function="owner", span=span):
                    kinds = self.owners.get(span, ())
                case checked.Local(name=name):
                    kinds = self.owners.get(name, ())
                case _:
                    continue
            if kinds:
                return kinds
        return ()


def meet(a: Fact, b: Fact) -> Fact:
    """Return the fact that both facts hold; the type of `b` is the later and narrower one."""
    kinds = b.kinds if a.kinds is None else a.kinds
    if a.kinds is not None and b.kinds is not None:
        kinds = a.kinds & b.kinds
    return Fact(b.type or a.type, kinds, b.reads or a.reads)


def poison(span: Span) -> checked.Expr:
    """Return an expression in place of one whose mistake has been reported."""
    return checked.Const(span, types.ERROR, None)


def ranged(found: checked.Expr, wanted: types.Type) -> checked.Expr:
    """Return the expression with a range check at run time, unless it cannot leave the ranges."""
    if not types_.may_leave(found.type, wanted):
        return found
    type_ = wanted if isinstance(found.type, types.OptionalType) else types_.required(wanted)
    return checked.Ranged(found.span, type_, found)


def as_set(ctx: CheckContext, found: checked.Expr) -> checked.Expr:
    """Return a zone as the set of its pieces, and anything else as it is."""
    if found.type != types.ZONE:
        return found
    item = ctx.held(found)
    name = ctx.invent()
    binder = checked.Binder(found.span, (name,), found, None)
    element = checked.Local(found.span, item, name)
    return checked.Comprehension(found.span, types.SetType(item), element, (binder,))


# --- facts from conditions ------------------------------------------------------------------------


def condition(ctx: CheckContext, node: ast.Expr | None) -> checked.Expr | None:
    """Check a guard or `where`, if there is one; the facts in it hold from here on."""
    if node is None:
        return None
    found = ctx.expect(node, types.BOOL, "the condition")
    ctx.learn(known(ctx, found))
    return found


def known(ctx: CheckContext, condition: checked.Expr, holds: bool = True) -> Facts:
    """Return the facts about locals where `condition` is true, or false if not `holds`."""
    match condition:
        case checked.Not(operand=operand):
            return known(ctx, operand, not holds)
        case checked.Binary(operator="and" | "or" as operator, left=left, right=right):
            a, b = known(ctx, left, holds), known(ctx, right, holds)
            return _both(a, b) if (operator == "and") == holds else either(a, b)
        case checked.IsKind(object=checked.Local(name=name) as local):
            fact = _kind_fact(ctx, local, condition, holds)
            return {} if fact is None else {name: fact}
        case checked.IsKind(object=object_, test="none") if not holds:
            return there(object_)
        case checked.CallBuiltin(function="owned", arguments=(checked.Local(name=name),)):
            return {name: _component_fact(ctx, lambda kind: kind.owned == holds)}
        case checked.CallBuiltin(function="owned", arguments=(object_,)) if holds:
            optional_player = types.OptionalType(types.PLAYER)
            owner = checked.CallBuiltin(object_.span, optional_player, "owner", (object_,))
            return there(owner)
        case checked.ReadAttribute(object=checked.Local(name=name, type=type_), attribute=key) if (
            types_.is_piece(type_)
        ):
            return {
                name: _component_fact(ctx, lambda kind: kind.attributes.get(key, holds) is holds)
            }
        case checked.Member(item=item, set=over) if holds:
            owned = _owned_fact(ctx, item) if over.type == types.SetType(types.PLAYER) else {}
            return owned or there(item, over.type)
        case checked.Aggregate(function="any", binders=binders) if holds:
            return _some(binders)
        case checked.Compare(operator=operator, left=left, right=right):
            operator = operator if holds else types_.OPPOSITE[operator]
            facts = {
                **_compare_fact(operator, left, right.type),
                **_compare_fact(types_.MIRRORED[operator], right, left.type),
            }
            if operator == "==" and types.PLAYER in (left.type, right.type):
                facts |= {**_owned_fact(ctx, left), **_owned_fact(ctx, right)}
            return facts
    return {}


def there(found: checked.Expr, other: types.Type = types.UNIT) -> dict[str, Fact]:
    """Return the fact that an expression is not none, unless what it equals may be none.

    `other` is the type of that, or of a set or zone in which the expression is.
    """
    item = other.item if isinstance(other, types.SetType) else other
    if isinstance(item, types.OptionalType) or item == types.NONE:
        return {}
    if not isinstance(found.type, types.OptionalType):
        return {}
    return {presence.subject(found): Fact(reads=presence.reads(found))}


def _some(binders: tuple[checked.Binder, ...]) -> dict[str, Fact]:
    """Return the fact that there is something in a range, also without its condition."""
    if len(binders) != 1:
        return {}
    found = {presence.some(binders): Fact(reads=_reads_of(binders))}
    if binders[0].where is not None:
        every = (replace(binders[0], where=None),)
        found[presence.some(every)] = Fact(reads=_reads_of(every))
    return found


def _reads_of(binders: tuple[checked.Binder, ...]) -> presence.Reads:
    return replace(presence.reads(binders), board=True)


def kinds_of(ctx: CheckContext, found: checked.Expr) -> frozenset[str] | None:
    """Return the kinds that a component may have, None if only its class is known."""
    match found:
        case checked.Local(name=name):
            return ctx.facts.get(name, Fact()).kinds
        case checked.Aggregate(
            function="first" | "the", binders=(checked.Binder(names=(name,), where=where),)
        ) if where is not None:
            return known(ctx, where).get(name, Fact()).kinds
    return None


def _component_fact(ctx: CheckContext, of: Callable[[KindDef], bool]) -> Fact:
    return Fact(kinds=frozenset(kind.key for kind in ctx.symbols.game.kinds if of(kind)))


def _owned_fact(ctx: CheckContext, owner: checked.Expr) -> dict[str, Fact]:
    """Return the fact that a component is of a kind with owners, because its owner is a player."""
    match owner:
        case checked.CallBuiltin(function="owner", arguments=(checked.Local(name=name),)):
            return {name: _component_fact(ctx, lambda kind: kind.owned)}
    return {}


def _kind_fact(
    ctx: CheckContext, local: checked.Local, test: checked.IsKind, holds: bool
) -> Fact | None:
    match test.test:
        case "none":
            return Fact(types.NONE if holds else types_.required(local.type))
        case "class" if types_.is_piece(local.type):
            fact = _component_fact(ctx, lambda kind: (kind.cls == test.name) == holds)
            return replace(fact, type=types_.CLASSES[test.name] if holds else None)
        case "kind" if types_.is_piece(local.type):
            fact = _component_fact(ctx, lambda kind: (kind.key == test.name) == holds)
            if not holds or local.type != types.PIECE:
                return fact
            of_name = (kind.cls for kind in ctx.symbols.game.kinds if kind.key == test.name)
            return replace(fact, type=types_.CLASSES[next(of_name)])
        case "feature":
            every = frozenset(kind.key for kind in ctx.symbols.game.feature_kinds)
            return Fact(None, frozenset({test.name}) if holds else every - {test.name})
    return None


def _compare_fact(operator: str, side: checked.Expr, other: types.Type) -> Facts:
    match side:
        case checked.Local():
            pass
        case checked.Aggregate(function="count", binders=binders, type=types.IntType() as type_):
            size = (
                types_.compared(operator, type_, other)
                if isinstance(other, types.IntType)
                else None
            )
            return _some(binders) if size is not None and size.low > 0 else {}
        case _:
            return there(side, other) if operator == "==" else {}
    if isinstance(side.type, types.IntType) and isinstance(other, types.IntType):
        left = types_.compared(operator, side.type, other)
        return {} if left is None else {side.name: Fact(left)}
    if operator == "==" and isinstance(side.type, types.OptionalType):
        return {} if isinstance(other, types.OptionalType) else {side.name: Fact(side.type.item)}
    return {}


def _both(a: Facts, b: Facts) -> Facts:
    return {**a, **{key: meet(a[key], fact) if key in a else fact for key, fact in b.items()}}


def either(a: Facts, b: Facts) -> dict[str, Fact]:
    """Return the facts that hold if either of two sets of facts does."""
    found = {}
    for key in a.keys() & b.keys():
        one, other = a[key], b[key]
        type_ = types_.join(one.type, other.type) if one.type and other.type else None
        kinds = None
        if one.kinds is not None and other.kinds is not None:
            kinds = one.kinds | other.kinds
        reads = one.reads if other.reads else None
        if type_ is not None or kinds is not None or reads is not None:
            found[key] = Fact(type_, kinds, reads)
    return found
