"""The checked tree, which the engines play: names resolved, expressions typed, sugar gone.

Ladders have become `If` / `IfElse`, `x.name` and `name(x)` one node, hooks and contributions are
sorted. Calls that can ask or roll appear only as `Perform` and `Later`. Names of locals are unique
within one callable (parameters included). Full names (`ruleset/name`) are keys in `Checked`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulesdsl.diagnostics import Span
from rulesdsl.model.game import Game
from rulesdsl.model.tree import ByClass, Tree
from rulesdsl.model.types import Type
from rulesdsl.model.values import Value


@dataclass(frozen=True)
class Node(Tree):
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Typed(Node):
    """Base of expressions."""

    type: Type


@dataclass(frozen=True)
class Const(Typed):
    """`value`: int, bool, None, or a handle that is known at load (enum member, kind, face,
    player, ...), or a set of such. `setting` is the full name when it is a setting's chosen
    value."""

    value: Value
    setting: str | None = None


@dataclass(frozen=True)
class Local(Typed):
    name: str


@dataclass(frozen=True)
class ReadState(Typed):
    """State `state` (key of `Checked.states`) of `owner` (None for the game) at `index`."""

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
class CallValue(Typed):
    """Value `value` (key of `Checked.values`)."""

    value: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class CallBuiltin(Typed):
    """Pure builtin `function` of `rulesdsl.builtins.FUNCTIONS` (without arguments, as in `players`:
    all there are), or a property in `PROPERTIES`, with the object as its only argument."""

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class EntryAt(Typed):
    """`table[i]`, `zone[p]`, `grid[p]`, `track[i]`: `number` indexes the Game's tuple that `what`
    names; `index` is None for the only instance."""

    what: str
    number: int
    index: Expr | None


@dataclass(frozen=True)
class Not(Typed):
    operand: Expr


@dataclass(frozen=True)
class Negate(Typed):
    operand: Expr


@dataclass(frozen=True)
class Ranged(Typed):
    """`operand`, checked against the range of `type` (of its members, if it is a set)."""

    operand: Expr


@dataclass(frozen=True)
class Binary(Typed):
    """`operator`: `or`, `and` (short-circuit), `+`, `-`, `*`, `div`, `mod` on integers (32-bit
    checked), or `union`, `difference` on sets."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Typed):
    """`operator`: `==`, `!=`, `<`, `<=`, `>`, `>=`.

    Features are equal when connected now.
    """

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Member(Typed):
    """`item in set`; `set` is of a set type or a zone."""

    item: Expr
    set: Expr


@dataclass(frozen=True)
class IsKind(Typed):
    """`object is name`: `test` is `none`, `class` (of pieces), `kind` (a component's full name, any
    variant) or `feature` (a feature kind's full name, for segments and features)."""

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
    """`low..high`, empty when high < low."""

    low: Expr
    high: Expr


@dataclass(frozen=True)
class EnumSet(Typed):
    """All members of an enum, by full name."""

    enum: str


@dataclass(frozen=True)
class SetLiteral(Typed):
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Binder(Node):
    """`names` range over `domain` (a set or a zone) where `where`; two names: unordered pairs."""

    names: tuple[str, ...]
    domain: Expr
    where: Expr | None
    secret: bool = False


@dataclass(frozen=True)
class Comprehension(Typed):
    value: Expr
    binders: tuple[Binder, ...]


@dataclass(frozen=True)
class Aggregate(Typed):
    """`value` is the term (sum, max, min, any, all), None when the binder alone decides.

    A plain set argument has become a binder over it. `default` is the `else` of max and min.
    """

    function: str
    value: Expr | None
    binders: tuple[Binder, ...]
    keys: tuple[Expr, ...] = ()
    default: Expr | None = None


@dataclass(frozen=True)
class Reach(Typed):
    name: str
    start: Expr
    step: Expr


@dataclass(frozen=True)
class Previous(Typed):
    """What the next lower applicable rule of the same value gives for the same arguments.

    With `ruleset`, of the rules of that one and those they beat.
    """

    ruleset: str | None = None


Expr = (
    Const
    | Local
    | ReadState
    | ReadAttribute
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
    | EnumSet
    | SetLiteral
    | Comprehension
    | Aggregate
    | Reach
    | Previous
)


@dataclass(frozen=True)
class ActionCall(Node):
    """Action `action` (key of `Checked.actions`)."""

    action: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class ChoiceCall(Node):
    """Choice `choice` (key of `Checked.choices`)."""

    choice: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class EffectCall(Node):
    """Builtin effect or chance of `rulesdsl.builtins.EFFECTS`."""

    effect: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class ProceedCall(Node):
    pass


Call = ActionCall | ChoiceCall | EffectCall | ProceedCall


@dataclass(frozen=True)
class Let(Node):
    """A new local, fixed or assignable (`check` has told them apart)."""

    name: str
    value: Expr


@dataclass(frozen=True)
class SetLocal(Node):
    """`operator`: `=`, `+=`, `-=`."""

    name: str
    operator: str
    value: Expr


@dataclass(frozen=True)
class SetState(Node):
    """`operator`: `=`, `+=`, `-=` (integers; sets too).

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
    """Run a call to its end; its result becomes the local `into`.

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
    """The domain and its `where` are evaluated before the first round.

    `start`: go round the players from that one on (for components: what each owns, and what has no
    owner last).
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
    """Ends the running option and the `repeat` choice it belongs to."""


Stmt = Let | SetLocal | SetState | Perform | Later | If | For | While | Return | Break | Leave
Block = tuple[Stmt, ...]


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type


@dataclass(frozen=True)
class StateDef(Node):
    """`owner`: game, player, a piece class, segment or cell.

    `initial` is closed: it may use `first(players)` and constants, not other state.
    """

    key: str
    owner: str
    index: tuple[Type, ...]
    type: Type
    initial: Expr


@dataclass(frozen=True)
class Rule(Node):
    """One body of a value, or one precondition of an action.

    `ruleset` is the id of a `Part`, as below; `verb` is `base` for the declaration's own body;
    `params` its names for the arguments; `beats` the indices, in the value's `rules`, of those
    `previous` may fall back on, in order.
    """

    ruleset: str
    verb: str
    params: tuple[str, ...]
    guard: Expr | None
    body: Block
    beats: tuple[int, ...] = ()


@dataclass(frozen=True)
class ValueDef(Node):
    """`rules`: for `unique` a rule stands before all it beats (the first whose guard holds gives
    the result), the base body last; otherwise the base body, if any, first, then by ruleset and
    line. Without a body another policy starts from its neutral element."""

    key: str
    params: tuple[Parameter, ...]
    type: Type
    policy: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Hook(Node):
    """`when`: before, after or around, as written; what goes around others is in `arounds`."""

    ruleset: str
    when: str
    params: tuple[str, ...]
    guard: Expr | None
    body: Block


@dataclass(frozen=True)
class Hooks:
    """In the order they run; `arounds` outermost first."""

    arounds: tuple[Hook, ...] = ()
    befores: tuple[Hook, ...] = ()
    afters: tuple[Hook, ...] = ()


@dataclass(frozen=True)
class ActionDef(Node):
    """`depth` is N of `recursive up to N`, else None; `requires` are preconditions."""

    key: str
    params: tuple[Parameter, ...]
    type: Type
    step: bool
    depth: int | None
    guard: Expr | None
    requires: tuple[Rule, ...]
    body: Block
    hooks: Hooks = Hooks()


@dataclass(frozen=True)
class Forbid(Node):
    """`params` name the option's arguments (empty for `choice.*`)."""

    ruleset: str
    params: tuple[str, ...]
    guard: Expr | None


@dataclass(frozen=True)
class OptionDef(Node):
    """`key` is `ruleset/choice.name` with the ruleset that wrote the option.

    `name` is `choice.name`. The choice's parameters and the binders are in scope of guard, forbids,
    hooks and body. `precondition`: the body's first statement when it calls an action with
    `requires` on arguments that are the option's own (then a false one closes the option).
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
    """Options by ruleset, then line.

    `otherwise` is None when there is none.
    """

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
class Checked:
    """A game that can be played.

    `play`, `finish` are keys of actions, `score` of a state; `always` in ruleset order. `values`
    has the preconditions of an action too, under its key.
    """

    game: Game
    states: Mapping[str, StateDef]
    values: Mapping[str, ValueDef]
    actions: Mapping[str, ActionDef]
    choices: Mapping[str, ChoiceDef]
    always: tuple[AlwaysDef, ...]
    play: str
    finish: str
    score: str


_INSIDE = (tuple, Tree, Hooks)


def walk(tree: object) -> list[Tree]:
    """All nodes of a syntax tree or a checked tree, each before those inside it.

    `tree` may be a tuple of trees; hooks belong to what they hook; what is no tree is passed over.
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
    """The nodes of what `walk` goes through, found once and told apart by their class."""

    def __init__(self, tree: object) -> None:
        super().__init__(walk(tree))
