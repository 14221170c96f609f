"""The place where an expression or statement is: locals in sight, and facts about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from rulesdsl.check import errors
from rulesdsl.check.symbols import Symbols
from rulesdsl.check.types import (
    CLASSES,
    MIRRORED,
    OPPOSITE,
    compared,
    fits,
    is_piece,
    join,
    may_leave,
    required,
)
from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.checked import walk
from rulesdsl.model.game import KindDef
from rulesdsl.model.types import (
    BOOL,
    ERROR,
    NONE,
    PIECE,
    PLAYER,
    ZONE,
    IntType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.model.uses import Symbol


def held(symbols: Symbols, locals_: Mapping[str, Type], zone: checked.Expr) -> Type:
    """The class of the components in `zone`: `piece` where there may be several. `locals_` tells
    it for local zones, by key."""
    match zone:
        case checked.EntryAt(what="zone", number=number):
            return _class(symbols.game.zones[number].holds)
        case checked.Local(name=name):
            return locals_.get(name, PIECE)
        case checked.IfElse(then=then, otherwise=otherwise):
            return _common((held(symbols, locals_, then), held(symbols, locals_, otherwise)))
        case checked.CallValue(value=key):
            return symbols.held.get(key, PIECE)
    return PIECE


def note_values(symbols: Symbols, bodies: Mapping[str, Sequence[tuple[str, ast.Node]]]) -> None:
    """Fill `symbols.held` for values that give a zone. `bodies` holds, by the value's key, the
    ruleset and the tree of each of its rules: it gives one of the zones they mention."""
    for key in bodies:
        symbols.held[key] = _common(_mentioned(symbols, bodies, key, set()))


def _mentioned(
    symbols: Symbols,
    bodies: Mapping[str, Sequence[tuple[str, ast.Node]]],
    key: str,
    seen: set[str],
) -> Iterator[Type]:
    """The classes of all zones a value may give, those of the values it calls included."""
    if key in seen:
        return
    seen.add(key)
    for ruleset, body in bodies[key]:
        for node in walk(body):
            match node:
                case ast.Param(type=ast.TypeRef(name=ast.Path(parts=(ZONE.name,)))):
                    yield PIECE
                case ast.Attribute(name="zone") | ast.Call(function=ast.Name(name="home")):
                    yield PIECE
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


def _class(holds: frozenset[str]) -> Type:
    return CLASSES[next(iter(holds))] if len(holds) == 1 else PIECE


def _common(classes: Iterable[Type]) -> Type:
    found = set(classes)
    return found.pop() if len(found) == 1 else PIECE


# --- locals ---------------------------------------------------------------------------------------


LocalKind = Literal["parameter", "binder", "let", "var"]


@dataclass
class Local:
    """A parameter, a binder's name, `let` or `var`. `key` is its
    name in the checked tree, where no two locals of one callable share one. `zone` is the class
    of the components in the zone it names."""

    key: str
    what: LocalKind
    type: Type
    span: Span
    zone: Type | None = None
    read: bool = False


@dataclass(frozen=True)
class Fact:
    """What is known about a local here beyond its declared type: a narrower `type`, the kinds of
    features or components (full names) it may still be of."""

    type: Type | None = None
    kinds: frozenset[str] | None = None


Facts = Mapping[str, Fact]
"""By the locals' keys."""


Infer = Callable[["Context", ast.Expr, Type | None], checked.Expr]
"""Types an expression, with a hint of what is expected."""


@dataclass
class Context:
    """A place in the rules of `ruleset`.

    `result` is the type that `return` gives (None: no result wanted); `acts`: may things change
    here; `previous` the type of `previous` where it has a meaning; `around`, `leaves`, `loops`:
    may `proceed`, `leave`, `break` stand here; `proceeded`: it may already have been reached.
    `infer` types an expression, with a hint of what is expected. `owners`: for each place where an
    owner is read, and for the key of a `let` that holds one, the kinds without an owner that the
    component may be of.
    """

    symbols: Symbols
    report: Report
    ruleset: str
    infer: Infer
    result: Type | None = None
    acts: bool = False
    previous: Type | None = None
    around: Type | None = None
    leaves: bool = False
    loops: int = 0
    proceeded: bool = False
    names: dict[str, Local] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    locals: list[Local] = field(default_factory=list)
    owners: dict[Span | str, tuple[KindDef, ...]] = field(default_factory=dict)

    def declare(self, name: ast.Ident, what: LocalKind, type_: Type) -> Local:
        """A new local; its name must not be that of another in sight."""
        if (other := self.names.get(name)) is not None:
            errors.duplicate(self.report, name, name.span, other.span)
        self.use(name, uses.local(name.span), declares=True)
        key, number = str(name), 2
        while key in self.taken:
            key, number = f"{name}${number}", number + 1
        self.taken.add(key)
        local = Local(key, what, type_, name.span)
        self.names[str(name)] = local
        self.locals.append(local)
        return local

    def use(self, name: ast.Ident, symbol: Symbol, *, declares: bool = False) -> None:
        """Note what a name stands for here."""
        self.symbols.uses.add(name.span, symbol, declares)

    def invent(self) -> str:
        """The key of a local that the rules do not name."""
        number = 1
        while (key := f"${number}") in self.taken:
            number += 1
        self.taken.add(key)
        return key

    def held(self, zone: checked.Expr) -> Type:
        """The class of the components in the zone that an expression gives."""
        classes = {local.key: local.zone for local in self.locals if local.zone is not None}
        return held(self.symbols, classes, zone)

    def type_of(self, local: Local) -> Type:
        """The local's type, as narrow as it is known here."""
        fact = self.facts.get(local.key)
        return local.type if fact is None or fact.type is None else fact.type

    def learn(self, facts: Facts) -> None:
        """Know more from here on."""
        for key, fact in facts.items():
            known = self.facts.get(key, Fact())
            self.facts[key] = meet(known, fact)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is declared inside is out of sight afterwards."""
        names = dict(self.names)
        yield
        self.names = names

    @contextmanager
    def knowing(self, facts: Facts) -> Iterator[None]:
        """`facts` hold inside, and nothing that is learnt there holds afterwards."""
        known = dict(self.facts)
        self.learn(facts)
        yield
        self.facts = known

    def expect(self, node: ast.Expr, wanted: Type, why: str = "") -> checked.Expr:
        """The expression, as a value of type `wanted`; `why` it must be (`the condition`)."""
        return self.coerce(self.infer(self, node, wanted), wanted, why)

    def coerce(self, found: checked.Expr, wanted: Type, why: str = "") -> checked.Expr:
        """`found` where `wanted` is expected; a mismatch is reported."""
        if isinstance(wanted, SetType):
            found = as_set(self, found)
        if not fits(found.type, wanted):
            self.mismatch(found, wanted, why)
            return poison(found.span)
        errors.check_range(self.report, found, wanted)
        return ranged(found, wanted)

    def mismatch(self, found: checked.Expr, wanted: Type, why: str = "") -> None:
        """Report that `found` is not what its place needs."""
        errors.mismatch(self.report, found, wanted, why, self.unowned(found))

    def unowned(self, found: checked.Expr) -> tuple[KindDef, ...]:
        """The kinds without an owner that make `found`, an owner or a set of owners, optional."""
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
    """Both hold; the type of `b` is the later and narrower one."""
    kinds = b.kinds if a.kinds is None else a.kinds
    if a.kinds is not None and b.kinds is not None:
        kinds = a.kinds & b.kinds
    return Fact(b.type or a.type, kinds)


def poison(span: Span) -> checked.Expr:
    """Stands for an expression whose mistake has been reported."""
    return checked.Const(span, ERROR, None)


def ranged(found: checked.Expr, wanted: Type) -> checked.Expr:
    """The expression, checked while playing unless it cannot leave the ranges of `wanted`."""
    if not may_leave(found.type, wanted):
        return found
    type_ = wanted if isinstance(found.type, OptionalType) else required(wanted)
    return checked.Ranged(found.span, type_, found)


def as_set(ctx: Context, found: checked.Expr) -> checked.Expr:
    """A zone as the set of its pieces; anything else as it is."""
    if found.type != ZONE:
        return found
    item = ctx.held(found)
    name = ctx.invent()
    binder = checked.Binder(found.span, (name,), found, None)
    element = checked.Local(found.span, item, name)
    return checked.Comprehension(found.span, SetType(item), element, (binder,))


# --- what conditions tell -------------------------------------------------------------------------


def condition(ctx: Context, node: ast.Expr | None) -> checked.Expr | None:
    """A guard or `where`, if there is one; what it tells is known from here on."""
    if node is None:
        return None
    found = ctx.expect(node, BOOL, "the condition")
    ctx.learn(known(ctx, found))
    return found


def known(ctx: Context, condition: checked.Expr, holds: bool = True) -> Facts:
    """What is known of locals where `condition` is true, or, with `holds` false, is false."""
    match condition:
        case checked.Not(operand=operand):
            return known(ctx, operand, not holds)
        case checked.Binary(operator="and" | "or" as operator, left=left, right=right):
            a, b = known(ctx, left, holds), known(ctx, right, holds)
            return _both(a, b) if (operator == "and") == holds else either(a, b)
        case checked.IsKind(object=checked.Local(name=name) as local):
            fact = _kind_fact(ctx, local, condition, holds)
            return {} if fact is None else {name: fact}
        case checked.CallBuiltin(function="owned", arguments=(checked.Local(name=name),)):
            return {name: _component_fact(ctx, lambda kind: kind.owned == holds)}
        case checked.ReadAttribute(object=checked.Local(name=name, type=type_), attribute=key) if (
            is_piece(type_)
        ):
            return {
                name: _component_fact(ctx, lambda kind: kind.attributes.get(key, holds) is holds)
            }
        case checked.Member(item=item, set=over) if holds and over.type == SetType(PLAYER):
            return _owned_fact(ctx, item)
        case checked.Compare(operator=operator, left=left, right=right):
            operator = operator if holds else OPPOSITE[operator]
            facts = {
                **_compare_fact(operator, left, right.type),
                **_compare_fact(MIRRORED[operator], right, left.type),
            }
            if operator == "==" and PLAYER in (left.type, right.type):
                facts |= {**_owned_fact(ctx, left), **_owned_fact(ctx, right)}
            return facts
    return {}


def kinds_of(ctx: Context, found: checked.Expr) -> frozenset[str] | None:
    """The kinds that a component may be of, where more is known than its class."""
    match found:
        case checked.Local(name=name):
            return ctx.facts.get(name, Fact()).kinds
        case checked.Aggregate(
            function="first" | "the", binders=(checked.Binder(names=(name,), where=where),)
        ) if where is not None:
            return known(ctx, where).get(name, Fact()).kinds
    return None


def _component_fact(ctx: Context, of: Callable[[KindDef], bool]) -> Fact:
    return Fact(kinds=frozenset(kind.key for kind in ctx.symbols.game.kinds if of(kind)))


def _owned_fact(ctx: Context, owner: checked.Expr) -> dict[str, Fact]:
    """Narrow a component whose owner is a player."""
    match owner:
        case checked.CallBuiltin(function="owner", arguments=(checked.Local(name=name),)):
            return {name: _component_fact(ctx, lambda kind: kind.owned)}
    return {}


def _kind_fact(
    ctx: Context, local: checked.Local, test: checked.IsKind, holds: bool
) -> Fact | None:
    match test.test:
        case "none":
            return Fact(NONE if holds else required(local.type))
        case "class" if is_piece(local.type):
            fact = _component_fact(ctx, lambda kind: (kind.cls == test.name) == holds)
            return replace(fact, type=CLASSES[test.name] if holds else None)
        case "kind" if is_piece(local.type):
            fact = _component_fact(ctx, lambda kind: (kind.key == test.name) == holds)
            if not holds or local.type != PIECE:
                return fact
            of_name = (kind.cls for kind in ctx.symbols.game.kinds if kind.key == test.name)
            return replace(fact, type=CLASSES[next(of_name)])
        case "feature":
            every = frozenset(kind.key for kind in ctx.symbols.game.feature_kinds)
            return Fact(None, frozenset({test.name}) if holds else every - {test.name})
    return None


def _compare_fact(operator: str, side: checked.Expr, other: Type) -> Facts:
    if not isinstance(side, checked.Local):
        return {}
    if isinstance(side.type, IntType) and isinstance(other, IntType):
        left = compared(operator, side.type, other)
        return {} if left is None else {side.name: Fact(left)}
    if operator == "==" and isinstance(side.type, OptionalType):
        return {} if isinstance(other, OptionalType) else {side.name: Fact(side.type.item)}
    return {}


def _both(a: Facts, b: Facts) -> Facts:
    return {**a, **{key: meet(a[key], fact) if key in a else fact for key, fact in b.items()}}


def either(a: Facts, b: Facts) -> dict[str, Fact]:
    """What is known where one of two things happened."""
    found = {}
    for key in a.keys() & b.keys():
        one, other = a[key], b[key]
        type_ = join(one.type, other.type) if one.type and other.type else None
        kinds = None
        if one.kinds is not None and other.kinds is not None:
            kinds = one.kinds | other.kinds
        if type_ is not None or kinds is not None:
            found[key] = Fact(type_, kinds)
    return found
