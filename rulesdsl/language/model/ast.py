"""The syntax tree of a rules text, as written, with nothing resolved.

Every node begins with its `span`. Spans are left out of equality, so that a tree equals the tree of
its own unparsed text. Line-level nodes carry `trivia`: the comment and blank lines above them, the
comments where their line is broken, and the comment at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import TypeVar

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Source, Span
from rulesdsl.language.model import Tree


@dataclass(frozen=True)
class Inner:
    """A comment inside a line that goes on.

    `after` is the number of words and signs of the line before it, without grouping parentheses.
    `own` is set if it has a line of its own.
    """

    after: int
    text: str
    own: bool


@dataclass(frozen=True)
class Trivia:
    """The comments of a line.

    `before` are the comment lines above it with their `#`, with blank lines as empty strings.
    `after` is the comment at the end of the node's first line, with its `#`; `inner` are those
    where that line is broken.
    """

    before: tuple[str, ...] = ()
    after: str = ""
    inner: tuple[Inner, ...] = ()


class Ident(str):
    """A name or word as it was written: a text with its span."""

    __slots__ = ("span",)
    span: Span

    def __new__(cls, text: str, span: Span) -> Ident:
        """Make a word with its span."""
        found = super().__new__(cls, text)
        found.span = span
        return found

    def __reduce__(self) -> tuple[type[Ident], tuple[str, Span]]:
        """Pickle the text and its span."""
        return Ident, (str(self), self.span)


@dataclass(frozen=True)
class Node(Tree):
    """Base of all nodes."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Path(Node):
    """A dotted name: `turn`, `move_figure.pass`, `a.pig`."""

    parts: tuple[Ident, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)


# --- types -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TypeRef(Node):
    """A written type: `int`, `int 0..9`, `good`, `set of player`, `tile?`.

    `low` and `high` are expressions over settings.
    """

    name: Path
    low: Expr | None = None
    high: Expr | None = None
    is_set: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Param(Node):
    """A parameter; `type` is None in hooks and contributions, which name parameters only."""

    name: Ident
    type: TypeRef | None = None


# --- expressions -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Int(Node):
    value: int


@dataclass(frozen=True)
class Bool(Node):
    value: bool


@dataclass(frozen=True)
class NoneLiteral(Node):
    pass


@dataclass(frozen=True)
class Name(Node):
    """A bare or quoted name; `quoted` names are components only."""

    name: Ident
    quoted: bool = False


@dataclass(frozen=True)
class Attribute(Node):
    """An attribute: `object.name`, also `ruleset.name`, `settings.name`, `game.name`."""

    object: Expr
    name: Ident
    quoted: bool = False


@dataclass(frozen=True)
class Index(Node):
    object: Expr
    index: Expr


@dataclass(frozen=True)
class Call(Node):
    """A call; `function` is a Name or an Attribute of a ruleset's name."""

    function: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Unary(Node):
    """A unary operation; `operator` is `not` or `-`."""

    operator: str
    operand: Expr


@dataclass(frozen=True)
class Binary(Node):
    """A binary operation; `operator` is one of `or and + - * div mod`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Node):
    """A comparison; `operator` is one of `== != < <= > >= in`, `not in`, `is`, `is not`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class IfElse(Node):
    """A conditional expression, `then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Range(Node):
    """A range, `low..high`, both included."""

    low: Expr
    high: Expr


@dataclass(frozen=True)
class Binder(Node):
    """A binder, `x in domain where condition`; `{a, b}` are two names, `secret x` hides it."""

    names: tuple[Ident, ...]
    domain: Expr
    where: Expr | None = None
    secret: bool = False


@dataclass(frozen=True)
class SetLiteral(Node):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Comprehension(Node):
    """A comprehension, `{value for binders}`; `value` is None in `{x in S where C}`."""

    value: Expr | None
    binders: tuple[Binder, ...]


@dataclass(frozen=True)
class Aggregate(Node):
    """An aggregate, `function(amount, value for binders by keys … else default)`.

    `function` is one of `count sum max min any all most top alike first the`. Without binders,
    `value` is the single argument: a set (`count(bag)`, `first(players)`). `max(a, b)` and
    `min(a, b)` are ordinary calls.
    """

    function: str
    value: Expr | None
    binders: tuple[Binder, ...] = ()
    keys: tuple[Expr, ...] = ()
    default: Expr | None = None
    amount: Expr | None = None


@dataclass(frozen=True)
class Reach(Node):
    """A closure, `reach(name from start by step)`, of `start` under the set `step`."""

    name: Ident
    start: Expr
    step: Expr


@dataclass(frozen=True)
class Previous(Node):
    """The result of the next rule below: `previous`, `previous in ruleset`."""

    ruleset: Ident | None = None


@dataclass(frozen=True)
class Proceed(Node):
    """A `proceed` in an `around`, as a statement or after `let x =` / `return`."""


Expr = (
    Int
    | Bool
    | NoneLiteral
    | Name
    | Attribute
    | Index
    | Call
    | Unary
    | Binary
    | Compare
    | IfElse
    | Range
    | SetLiteral
    | Comprehension
    | Aggregate
    | Reach
    | Previous
    | Proceed
)

# --- statements --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block(Node):
    """A block of statements; `inline` when written after the colon on the same line.

    `trailing` are comment and blank lines after the last statement, indented with it. `joined` when
    the block is the next range of a loop, `, y in T`: it holds that loop alone.
    """

    statements: tuple[Stmt, ...]
    inline: bool = False
    trailing: tuple[str, ...] = ()
    joined: bool = False


@dataclass(frozen=True)
class Let(Node):
    """A local, `let name: type = value`; `mutable` for `var`."""

    name: Ident
    type: TypeRef | None
    value: Expr
    mutable: bool = False
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Assign(Node):
    """An assignment; `operator` is `=`, `+=` or `-=`; `target` a Name, Attribute, Index or Call."""

    target: Expr
    operator: str
    value: Expr
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class ExprStmt(Node):
    """An expression on a line of its own: a call, `proceed`, or the result of a value's block."""

    value: Expr
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Later(Node):
    call: Expr
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class If(Node):
    """A conditional statement; for `else if`, `otherwise` is a Block with an If alone."""

    condition: Expr
    then: Block
    otherwise: Block | None = None
    else_trivia: Trivia = Trivia()
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Case(Node):
    """A line of a ladder; `condition` is None for `otherwise`."""

    condition: Expr | None
    body: Block
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class When(Node):
    """A ladder of cases, of which the first that holds applies."""

    cases: tuple[Case, ...]
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class For(Node):
    """A loop, `for binder from start: body`; one with several ranges has joined bodies."""

    binder: Binder
    start: Expr | None
    body: Block
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class While(Node):
    condition: Expr
    body: Block
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Return(Node):
    value: Expr | None
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Simple(Node):
    """A statement of one `word`: `break`, `leave` or `nothing`."""

    word: str
    trivia: Trivia = Trivia()


Stmt = Let | Assign | ExprStmt | Later | If | When | For | While | Return | Simple

# --- declarations ------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateDecl(Node):
    owner: Ident
    name: Ident
    index: tuple[TypeRef, ...]
    type: TypeRef
    initial: Expr | None
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class ValueDecl(Node):
    """A value; `policy` is `unique`, `sum`, `max`, `min`, `all`, `any` or `union`."""

    name: Ident
    params: tuple[Param, ...]
    type: TypeRef
    policy: str
    body: Block | None
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Contribution(Node):
    """A contribution; `verb` is `refine`, `add`, `require`, `allow` or `include`.

    `require` also names actions.
    """

    verb: Ident
    target: Path
    params: tuple[Param, ...]
    guard: Expr | None
    body: Block
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class OnceIn(Node):
    """A limit, `once in action`, to one time from a beginning of the action to the next."""

    action: Path


@dataclass(frozen=True)
class ActionDecl(Node):
    """An action; `depth` is N of `recursive up to N`, `body` never None (`nothing` is a body)."""

    name: Ident
    params: tuple[Param, ...]
    type: TypeRef | None
    step: bool
    depth: Expr | None
    once: OnceIn | None
    guard: Expr | None
    body: Block
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class HookDecl(Node):
    """A hook; `when` is `before`, `after`, `around` or `instead`.

    With `nameless`, it uses no parameters and names none.
    """

    when: Ident
    target: Path
    params: tuple[Param, ...]
    guard: Expr | None
    body: Block
    trivia: Trivia = Trivia()
    nameless: bool = False


@dataclass(frozen=True)
class OptionDecl(Node):
    """An option of a choice.

    `choice` is None for an option written inside its choice, `body` None when it has none.
    """

    choice: Path | None
    name: Ident
    binders: tuple[Binder, ...]
    once: OnceIn | None
    guard: Expr | None
    body: Block | None
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class ChoiceDecl(Node):
    name: Ident
    params: tuple[Param, ...]
    by: Expr
    type: TypeRef | None
    repeat: bool
    options: tuple[OptionDecl, ...]
    otherwise: Block | None
    otherwise_trivia: Trivia = Trivia()
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class ForbidDecl(Node):
    """A veto; `option` is `*` for every option of the choice `target`."""

    target: Path
    option: Ident
    params: tuple[Param, ...]
    guard: Expr | None
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class AlwaysDecl(Node):
    binder: Binder
    body: Block
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class InvariantDecl(Node):
    """A condition that `holds` whenever a player decides."""

    name: Ident
    holds: Expr
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class OrderDecl(Node):
    """An order of rulesets: `first` runs before `second`.

    With `independent`, their order does not matter.
    """

    first: Path
    second: Path
    independent: bool = False
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class WithDecl(Node):
    """A block `with a, b:` of declarations that hold where the rulesets `names` are active.

    `trailing` are the comment and blank lines after the last of them, indented with it.
    """

    names: tuple[Path, ...]
    declarations: tuple[Decl, ...] = ()
    trailing: tuple[str, ...] = ()
    trivia: Trivia = Trivia()


@dataclass(frozen=True)
class Broken(Node):
    """A declaration that could not be parsed; its mistake is in the report.

    `name` is the name it seemed to declare, so that later stages do not report uses of it.
    """

    name: Ident | None = None
    trivia: Trivia = Trivia()


Limited = TypeVar("Limited", ActionDecl, OptionDecl)
Decl = (
    StateDecl
    | ValueDecl
    | Contribution
    | ActionDecl
    | HookDecl
    | ChoiceDecl
    | OptionDecl
    | ForbidDecl
    | AlwaysDecl
    | InvariantDecl
    | OrderDecl
    | WithDecl
    | Broken
)


@dataclass(frozen=True)
class Module:
    """A whole rules text.

    `trailing` are the comment and blank lines after the last declaration; `size` is its number of
    words and signs.
    """

    source: Source = field(compare=False, repr=False)
    declarations: tuple[Decl, ...]
    trailing: tuple[str, ...] = ()
    size: int = field(default=0, compare=False, repr=False)


def blocks(module: Module) -> tuple[WithDecl, ...]:
    """Return the `with` blocks."""
    return tuple(each for each in module.declarations if isinstance(each, WithDecl))


def named(block: WithDecl) -> tuple[str, ...]:
    """Return the rulesets that a block names, each once, sorted."""
    return tuple(sorted(set(map(str, block.names))))


def declared(module: Module, rulesets: tuple[str, ...] = ()) -> tuple[Decl, ...]:
    """Return the declarations outside `with` blocks, or in blocks that name these rulesets."""
    if not rulesets:
        return tuple(each for each in module.declarations if not isinstance(each, WithDecl))
    found = (each.declarations for each in blocks(module) if named(each) == rulesets)
    return tuple(inner for block in found for inner in block)


def every(module: Module) -> tuple[Decl, ...]:
    """Return the declarations outside and inside of `with` blocks, in the order of the text."""
    return tuple(
        inner
        for each in module.declarations
        for inner in (each.declarations if isinstance(each, WithDecl) else (each,))
    )


def desugared(module: Module, rulesets: tuple[str, ...] = ()) -> Iterator[Decl]:
    """Yield the declarations; each `once` becomes a state, a hook, a guard and a statement."""
    for each in declared(module, rulesets):
        match each:
            case ActionDecl(once=OnceIn() as once, name=name):
                yield from _reset(once, f"{name}_once")
                yield _limited(each, once, f"{name}_once")
            case OptionDecl(once=OnceIn() as once, choice=Path(parts=(*_, choice)), name=name):
                yield from _reset(once, f"{choice}_{name}_once")
                yield _limited(each, once, f"{choice}_{name}_once")
            case ChoiceDecl(name=name, options=options) if any(option.once for option in options):
                limited = []
                for option in options:
                    if option.once:
                        yield from _reset(option.once, f"{name}_{option.name}_once")
                        option = _limited(option, option.once, f"{name}_{option.name}_once")
                    limited.append(option)
                yield replace(each, options=tuple(limited))
            case _:
                yield each


def _reset(once: OnceIn, state: str) -> Iterator[Decl]:
    """Yield the state that says whether something ran, and the hook that resets it."""
    span = once.span.head(len("once"))
    type_ = TypeRef(span, Path(span, (Ident("bool", span),)))
    yield StateDecl(once.span, Ident("game", span), Ident(state, span), (), type_, None)
    body = Block(span, (Assign(span, _read(state, span), "=", Bool(span, False)),))
    yield HookDecl(once.span, Ident("before", span), once.action, (), None, body, nameless=True)


def _limited(node: Limited, once: OnceIn, state: str) -> Limited:
    """Return an action or option that runs only while the state is false, and sets it."""
    read = _read(state, once.span)
    guard: Expr = Unary(once.span, "not", read)
    if node.guard is not None:
        guard = Binary(once.span.to(node.guard.span), "and", guard, node.guard)
    begin = Assign(once.span, read, "=", Bool(once.span, True))
    rest: tuple[Stmt, ...] = node.body.statements if node.body is not None else ()
    body = Block(once.span if node.body is None else node.body.span, (begin, *rest))
    return replace(node, guard=guard, body=body)


def _read(state: str, span: Span) -> Expr:
    return Attribute(span, Name(span, Ident("game", span)), Ident(state, span))
