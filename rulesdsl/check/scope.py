"""Where an expression or statement stands: the locals in sight and what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from rulesdsl.check import errors, zones
from rulesdsl.check.symbols import Symbols
from rulesdsl.check.types import fits, may_leave, required
from rulesdsl.diagnostics import Report, Span
from rulesdsl.model import ast, checked, uses
from rulesdsl.model.checked import walk
from rulesdsl.model.game import KindDef
from rulesdsl.model.types import ERROR, ZONE, OptionalType, SetType, Type
from rulesdsl.model.uses import Symbol

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
        return zones.held(self.symbols, classes, zone)

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
