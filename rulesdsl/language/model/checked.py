"""The checked tree, which the engines play: names resolved, expressions typed, sugar removed.

Ladders have become `If` / `IfElse`, `x.name` and `name(x)` one node, hooks and contributions are
sorted. Calls that can ask or roll appear only as `Perform` and `Later`. Names of locals are unique
within one callable (parameters included). Full names (`ruleset/name`) are keys in `Checked`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property, reduce

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import ByClass, Tree
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.types import BOOL, SetType, Type
from rulesdsl.language.model.values import EnumMember, Value


@dataclass(frozen=True)
class Node(Tree):
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Typed(Node):
    """Base of expressions."""

    type: Type


@dataclass(frozen=True)
class Const(Typed):
    """A constant: int, bool, None, a handle that is known at load, or a set of such.

    Handles are enum members, kinds, faces, players and so on. `setting` is the full name when the
    value is that of a setting.
    """

    value: Value
    setting: str | None = None


@dataclass(frozen=True)
class Local(Typed):
    name: str


@dataclass(frozen=True)
class ReadState(Typed):
    """The value of a state (key of `Checked.states`) at `index`; `owner` is None for the game."""

    state: str
    owner: Expr | None
    index: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class ReadAttribute(Typed):
    """A manifest attribute (full name) of a piece, kind, face, segment, or, folded, a feature.

    An owner that cannot carry it gives the attribute's default.
    """

    object: Expr
    attribute: str


@dataclass(frozen=True)
class AttributeAt(Typed):
    """An attribute with an index (full name as declared) at a member that is known while playing.

    At a constant member it is a `ReadAttribute` of that member.
    """

    object: Expr
    attribute: str
    index: Expr


@dataclass(frozen=True)
class CallValue(Typed):
    """A call of value `value` (key of `Checked.values`)."""

    value: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class CallBuiltin(Typed):
    """A call of a pure builtin `function` of `builtins.FUNCTIONS`, or a property.

    Without arguments, as in `players`, it gives all there are. A property of `PROPERTIES` has the
    object as its only argument.
    """

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class EntryAt(Typed):
    """An entry of a table, zone, grid or track: `table[i]`, `zone[p][e]`, `grid[p]`, `track[i]`.

    `number` is an index into the Game's tuple that `what` names; `index` is empty for the only
    instance, and has several parts where a zone has several indices.
    """

    what: str
    number: int
    index: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Not(Typed):
    operand: Expr


@dataclass(frozen=True)
class Negate(Typed):
    operand: Expr


@dataclass(frozen=True)
class Ranged(Typed):
    """A check of `operand` against `type`: its range (of its members, if it is a set), and `none`.

    `none` fits only an optional type.
    """

    operand: Expr


@dataclass(frozen=True)
class Binary(Typed):
    """A binary operation.

    `operator` is `or`, `and` (short-circuit), `+`, `-`, `*`, `div`, `mod` on integers (32-bit
    checked), or `union`, `difference` on sets.
    """

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Typed):
    """A comparison; `operator` is `==`, `!=`, `<`, `<=`, `>` or `>=`.

    Features are equal when connected now.
    """

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Member(Typed):
    """A membership test, `item in set`; `set` is of a set type or a zone."""

    item: Expr
    set: Expr


@dataclass(frozen=True)
class IsKind(Typed):
    """A kind test, `object is name`.

    `test` is `none`, `class` (of pieces), `kind` (a component's full name, any variant) or
    `feature` (a feature kind's full name, for segments and features).
    """

    object: Expr
    test: str
    name: str = ""


@dataclass(frozen=True)
class IfElse(Typed):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class RangeSet(Typed):
    """The set `low..high`, empty when high < low."""

    low: Expr
    high: Expr


@dataclass(frozen=True)
class EnumSet(Typed):
    """The set of all members of an enum, by full name."""

    enum: str


@dataclass(frozen=True)
class SetLiteral(Typed):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class SubsetRange(Typed):
    """The subsets of `set` that have from `low` to `high` members, in lexicographic order.

    It is only the domain of a binder. Without bounds, all subsets are meant. In an argument of an
    option it is `offered`: of subsets that differ in interchangeable pieces, the first is meant.
    """

    set: Expr
    low: Expr | None
    high: Expr | None
    offered: bool = False


@dataclass(frozen=True)
class Binder(Node):
    """An iteration of `names` over `domain` (a set or a zone) where `where` holds.

    Two names range over unordered pairs. With `blind`, neither the order of the members nor which
    they are comes out, so that they may be those of a zone that nobody sees.
    """

    names: tuple[str, ...]
    domain: Expr
    where: Expr | None
    secret: bool = False
    blind: bool = False

    @property
    def item(self) -> Type:
        """The type of its names."""
        type_ = self.domain.type
        return type_.item if isinstance(type_, SetType) else type_


@dataclass(frozen=True)
class Comprehension(Typed):
    value: Expr
    binders: tuple[Binder, ...]


@dataclass(frozen=True)
class Aggregate(Typed):
    """An aggregate; `value` is the term (sum, max, min, any, all, most, alike), or None.

    It is None when the binder alone decides. A plain set argument has become a binder over it.
    `default` is the `else` of max and min, `amount` the number of elements of top, which has no
    keys for `first(amount, x in S)`.
    """

    function: str
    value: Expr | None
    binders: tuple[Binder, ...]
    keys: tuple[Expr, ...] = ()
    default: Expr | None = None
    amount: Expr | None = None


@dataclass(frozen=True)
class Reach(Typed):
    name: str
    start: Expr
    step: Expr


@dataclass(frozen=True)
class Previous(Typed):
    """The result of the next lower applicable rule of the same value for the same arguments.

    With `ruleset`, only the rules of that ruleset and those they beat count.
    """

    ruleset: str | None = None


Expr = (
    Const
    | Local
    | ReadState
    | ReadAttribute
    | AttributeAt
    | CallValue
    | CallBuiltin
    | EntryAt
    | Not
    | Negate
    | Ranged
    | Binary
    | Compare
    | Member
    | IsKind
    | IfElse
    | RangeSet
    | SubsetRange
    | EnumSet
    | SetLiteral
    | Comprehension
    | Aggregate
    | Reach
    | Previous
)


@dataclass(frozen=True)
class ActionCall(Node):
    """A call of action `action` (key of `Checked.actions`)."""

    action: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class ChoiceCall(Node):
    """A call of choice `choice` (key of `Checked.choices`)."""

    choice: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class EffectCall(Node):
    """A call of a builtin effect or chance of `builtins.EFFECTS`.

    `told` is what `reveal` tells of its component: an attribute, or a comparison of one with a
    value; None if it shows the component. `ruleset` is the number of the one whose rules call
    `note_position`.
    """

    effect: str
    arguments: tuple[Expr, ...]
    told: Expr | None = None
    ruleset: int = -1


@dataclass(frozen=True)
class ProceedCall(Node):
    pass


Call = ActionCall | ChoiceCall | EffectCall | ProceedCall


@dataclass(frozen=True)
class Let(Node):
    """A new local, fixed or assignable; `check` has distinguished them."""

    name: str
    value: Expr


@dataclass(frozen=True)
class SetLocal(Node):
    """An assignment to a local; `operator` is `=`, `+=` or `-=`."""

    name: str
    operator: str
    value: Expr


@dataclass(frozen=True)
class SetState(Node):
    """An assignment to a state; `operator` is `=`, `+=` or `-=` (on integers or sets).

    The owner and index are evaluated before the value. The value is checked against the range of
    the state's type.
    """

    state: str
    owner: Expr | None
    index: tuple[Expr, ...]
    operator: str
    value: Expr


@dataclass(frozen=True)
class Perform(Node):
    """A call that runs to its end; its result becomes the local `into`.

    Names that begin with `$` are invented: `return call()` is `Perform(into="$1")` and
    `Return(Local("$1"))`.
    """

    call: Call
    into: str | None = None


@dataclass(frozen=True)
class Later(Node):
    call: ActionCall


@dataclass(frozen=True)
class If(Node):
    condition: Expr
    then: Block
    otherwise: Block = ()


@dataclass(frozen=True)
class For(Node):
    """A loop; the domain and its `where` are evaluated before the first round.

    With `start`, it goes round the players from that one on (for components: those that each player
    owns, with unowned ones last).
    """

    binder: Binder
    start: Expr | None
    body: Block


@dataclass(frozen=True)
class While(Node):
    condition: Expr
    body: Block


@dataclass(frozen=True)
class Return(Node):
    value: Expr | None


@dataclass(frozen=True)
class Break(Node):
    pass


@dataclass(frozen=True)
class Leave(Node):
    """A statement that ends the running option and the `repeat` choice it belongs to."""


Stmt = Let | SetLocal | SetState | Perform | Later | If | For | While | Return | Break | Leave
Block = tuple[Stmt, ...]


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type


@dataclass(frozen=True)
class StateDef(Node):
    """A state of `owner`: game, player, a piece class, segment or cell.

    `initial` is closed: it may use `first(players)` and constants, not other state.
    """

    key: str
    owner: str
    index: tuple[Type, ...]
    type: Type
    initial: Expr


@dataclass(frozen=True)
class Rule(Node):
    """A body of a value, or a precondition of an action.

    `ruleset` is the id of a `Part`, as below. `verb` is `base` for the declaration's own body.
    `params` are its names for the arguments. `beats` are the indices, in the value's `rules`, of
    those that `previous` may fall back on, in order.
    """

    ruleset: str
    verb: str
    params: tuple[str, ...]
    guard: Expr | None
    body: Block
    beats: tuple[int, ...] = ()


@dataclass(frozen=True)
class ValueDef(Node):
    """A value with its rules.

    With policy `unique`, a rule precedes all it beats (the first whose guard holds gives the
    result), the base body last. Otherwise the base body, if any, is first, followed by the others
    by ruleset and line. Without a body, another policy starts from its neutral element.
    """

    key: str
    params: tuple[Parameter, ...]
    type: Type
    policy: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Hook(Node):
    """A hook; `when` is before or after, as written; those around others are in `arounds`."""

    ruleset: str
    when: str
    params: tuple[str, ...]
    guard: Expr | None
    body: Block


@dataclass(frozen=True)
class Hooks:
    """The hooks of an action in the order they run; `arounds` outermost first."""

    arounds: tuple[Hook, ...] = ()
    befores: tuple[Hook, ...] = ()
    afters: tuple[Hook, ...] = ()


@dataclass(frozen=True)
class ActionDef(Node):
    """An action; `depth` is N of `recursive up to N`, else None; `requires` are preconditions.

    `said` are the places of the parameters that the line of the action names, in the order in which
    `LinkedGame.lines` numbers them; it is empty for an action without a line.
    """

    key: str
    params: tuple[Parameter, ...]
    type: Type
    step: bool
    depth: int | None
    guard: Expr | None
    requires: tuple[Rule, ...]
    body: Block
    hooks: Hooks = Hooks()
    said: tuple[int, ...] = ()


@dataclass(frozen=True)
class Forbid(Node):
    """A veto; `params` name the option's arguments (empty for `choice.*`)."""

    ruleset: str
    params: tuple[str, ...]
    guard: Expr | None


@dataclass(frozen=True)
class OptionDef(Node):
    """An option; `key` is `ruleset/choice.name` with the ruleset that wrote it.

    `name` is `choice.name`, or the key if the choice has several options of that name. The choice's
    parameters and the binders are in scope of guard, forbids, hooks and body. `precondition` is the
    body's first statement when it calls an action with `requires` on arguments that are the
    option's own (then a false one closes the option).
    """

    key: str
    name: str
    ruleset: str
    binders: tuple[Binder, ...]
    guard: Expr | None
    forbids: tuple[Forbid, ...]
    body: Block
    precondition: ActionCall | None = None
    hooks: Hooks = Hooks()


@dataclass(frozen=True)
class ChoiceDef(Node):
    """A choice with its options by ruleset, then line, and its `otherwise` if it has one."""

    key: str
    params: tuple[Parameter, ...]
    by: Expr
    type: Type
    repeat: bool
    options: tuple[OptionDef, ...]
    otherwise: Block | None
    hooks: Hooks = Hooks()


@dataclass(frozen=True)
class AlwaysDef(Node):
    ruleset: str
    binder: Binder
    body: Block


@dataclass(frozen=True)
class Invariant(Node):
    """A condition that holds whenever a player decides, and at the end; `key` is its full name."""

    key: str
    holds: Expr


@dataclass(frozen=True)
class Checked:
    """A game that can be played.

    `play`, `finish` are keys of actions, `score` of a state; `always` and `invariants` in ruleset
    order. `values` has the preconditions of an action too, under its key. Play needs no invariants.
    """

    game: LinkedGame
    states: Mapping[str, StateDef]
    values: Mapping[str, ValueDef]
    actions: Mapping[str, ActionDef]
    choices: Mapping[str, ChoiceDef]
    always: tuple[AlwaysDef, ...]
    play: str
    finish: str
    score: str
    invariants: tuple[Invariant, ...] = ()

    @property
    def spoken(self) -> tuple[str, ...]:
        """The keys of the actions with a line, in order."""
        return tuple(key for key, action in self.actions.items() if action.said)

    @cached_property
    def invariant(self) -> Expr:
        """All invariants, of which there are some, as one condition, which is lowered once."""
        conditions = (each.holds for each in self.invariants)
        return reduce(lambda a, b: Binary(b.span, BOOL, "and", a, b), conditions)


_INSIDE = (tuple, Tree, Hooks)


def walk(tree: object) -> list[Tree]:
    """Return all nodes of a syntax tree or a checked tree, each before those inside it.

    `tree` may be a tuple of trees. Hooks belong to the callable they hook. Anything that is not a
    tree is skipped.
    """
    found: list[Tree] = []
    if isinstance(tree, _INSIDE):
        _gather(tree, found)
    return found


def _gather(node: tuple[object, ...] | Tree | Hooks, found: list[Tree]) -> None:
    if isinstance(node, Tree):
        found.append(node)
    if isinstance(node, tuple) and node and isinstance(node[0], int):
        return  # numbers, of which there can be very many
    for part in node if isinstance(node, tuple) else vars(node).values():
        if isinstance(part, _INSIDE):
            _gather(part, found)


class Nodes(ByClass):
    """The nodes that `walk` visits, found once and grouped by class."""

    def __init__(self, tree: object) -> None:
        super().__init__(walk(tree))


_INTEGERS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


PREVIOUS = "previous"
PLAYERS = "count(players)"
"""The number of players, as an expression in a manifest reads it."""


def is_players(binders: tuple[Binder, ...]) -> bool:
    """Return whether an aggregate with these binders ranges over all players."""
    match binders:
        case (Binder(names=(_,), domain=CallBuiltin(function="players"), where=None),):
            return True
    return False


def fold(found: Expr, chosen: Mapping[str, Value] | None = None) -> Value:
    """Return the constant value of an expression, None if it is not constant.

    `chosen` has values of settings, by full name, that override those in the expression, the
    number of players as `PLAYERS`, the count before as `PREVIOUS`, the number of members of an enum
    as `count(...)` of its full name, and locals by name, where they are known.
    """
    match found:
        case Const(value=value, setting=setting):
            return (chosen or {}).get(setting, value) if setting else value
        case Local(name=name):
            return (chosen or {}).get(name)
        case CallBuiltin(function="forward", arguments=(start, steps)):
            first, many = fold(start, chosen), fold(steps, chosen)
            if not isinstance(first, EnumMember) or not isinstance(many, int):
                return None
            length = (chosen or {}).get(f"count({first.enum})")
            if not isinstance(length, int) or not length:
                return None
            return EnumMember(first.enum, (first.index + many) % length)
        case Aggregate(function="count", binders=binders) if is_players(binders):
            return (chosen or {}).get(PLAYERS)
        case Previous(ruleset=None):
            return (chosen or {}).get(PREVIOUS)
        case Negate(operand=operand):
            inner = fold(operand, chosen)
            return -inner if isinstance(inner, int) else None
        case Not(operand=operand):
            inner = fold(operand, chosen)
            return None if inner is None else not inner
        case IfElse(condition=condition, then=then, otherwise=otherwise):
            truth = fold(condition, chosen)
            return None if truth is None else fold(then if truth else otherwise, chosen)
        case Member(item=item, set=SetLiteral(items=items)):
            values = [fold(each, chosen) for each in (item, *items)]
            return None if None in values else values[0] in values[1:]
        case CallBuiltin(function="max" | "min" as function, arguments=arguments):
            numbers = [fold(each, chosen) for each in arguments]
            known = [each for each in numbers if isinstance(each, int)]
            combine = max if function == "max" else min
            return combine(known) if known and len(known) == len(numbers) else None
        case (
            Binary(operator=operator, left=left, right=right)
            | Compare(operator=operator, left=left, right=right)
        ):
            return computed(operator, fold(left, chosen), fold(right, chosen))
    return None


def computed(operator: str, a: Value, b: Value) -> Value:
    """Return what an operator gives for two constants, None if that is not known."""
    if a is None or b is None:
        return None
    match operator:
        case "and":
            return a and b
        case "or":
            return a or b
        case "==":
            return a == b
        case "!=":
            return a != b
    if operator not in _INTEGERS or not isinstance(a, int) or not isinstance(b, int):
        return None
    return None if b == 0 and operator in ("div", "mod") else _INTEGERS[operator](a, b)
