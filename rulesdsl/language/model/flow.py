"""Analyses of checked code: conditions on the way, sources of points, reads of identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from itertools import chain, pairwise, takewhile
from operator import is_not
from typing import NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.language.model import Tree, checked
from rulesdsl.language.model.checked import ActionDef, Checked, SetState, walk
from rulesdsl.language.model.game import AttributeDef, KindDef, LinkedGame, Plain
from rulesdsl.language.model.names import ruleset_of
from rulesdsl.language.model.types import BOOL, FEATURE, SIDE_NAMES, EnumType, IntType, OptionalType
from rulesdsl.language.model.values import EnumMember, Value

# --- answers -------------------------------------------------------------------------------------

MOST_ANSWERS = 30
"""The number of answers that rules can tell in a game."""


class Answers(NamedTuple):
    """The answers about an attribute that is told: whether it is one of some values.

    They have consecutive numbers from `first` on. A bool has one answer, an integer those from the
    smallest to the largest value of all components.
    """

    attribute: AttributeDef
    values: Sequence[Plain]
    first: int

    @property
    def low(self) -> int:
        """The number of the first value."""
        value = self.values[0]
        return value if isinstance(value, int) else -int(value is None)

    @property
    def mask(self) -> int:
        """The bits of all its answers."""
        return (1 << len(self.values)) - 1 << self.first

    def so_of(self, kind: KindDef) -> int:
        """Return the bit of the answer that is so of a kind of component, 0 for none."""
        value = kind.attributes.get(self.attribute.key, self.attribute.default)
        so = kind.cls in self.attribute.owners and value in self.values
        return 1 << self.first + self.values.index(value) if so else 0


def told_attribute(told: checked.Expr) -> checked.Expr:
    """Return the attribute in what `reveal` tells."""
    return _plain(told.left if isinstance(told, checked.Compare) else told)


def _plain(node: checked.Expr) -> checked.Expr:
    return _plain(node.operand) if isinstance(node, checked.Ranged) else node


def told_keys(game: Checked) -> list[str]:
    """Return the full names of the attributes that rules tell, sorted."""
    nodes = walk(tuple(body.code for body in rule_bodies(game)))
    told = [each.told for each in nodes if isinstance(each, checked.EffectCall) and each.told]
    found = map(told_attribute, told)
    return sorted({each.attribute for each in found if isinstance(each, checked.ReadAttribute)})


def answers(game: LinkedGame, keys: Iterable[str]) -> dict[str, Answers]:
    """Return the answers about attributes, by full name."""
    found, first = dict[str, Answers](), 0
    for attribute in (each for key in keys for each in game.attributes if each.key == key):
        values = _values(game, attribute)
        found[attribute.key] = Answers(attribute, values, first)
        first += len(values)
    return found


def _values(game: LinkedGame, attribute: AttributeDef) -> Sequence[Plain]:
    match attribute.type:
        case OptionalType(EnumType(name)) | EnumType(name):
            members = {each.key: each.members for each in game.enums}.get(name, SIDE_NAMES)
            none = (None,) if isinstance(attribute.type, OptionalType) else ()
            return (*none, *members)
        case IntType():
            kinds = (each for each in game.kinds if each.cls in attribute.owners)
            carried = [each.attributes.get(attribute.key, attribute.default) for each in kinds]
            numbers = [each for each in carried if isinstance(each, int)] or [0]
            return range(min(numbers), max(numbers) + 1)
    return (True,)


# --- control -------------------------------------------------------------------------------------


def contains(code: object, *kinds: type[checked.Node]) -> bool:
    """Return whether a node of one of these kinds is in a statement, block or expression."""
    return any(isinstance(node, kinds) for node in walk(code))


def ends_early(body: checked.Block) -> bool:
    """Return whether a round of a loop with this body can end the loop, or the code around it."""
    return contains(body, checked.Return, checked.Leave) or _breaks(body)


def _breaks(block: checked.Block) -> bool:
    """Return whether a block can end the loop around it; loops inside end themselves."""
    return any(
        isinstance(each, checked.Break)
        or (isinstance(each, checked.If) and (_breaks(each.then) or _breaks(each.otherwise)))
        for each in block
    )


def proceeds(block: checked.Block) -> bool:
    """Return whether every path through a block proceeds before it leaves."""
    for statement in block:
        match statement:
            case checked.Perform(call=checked.ProceedCall()):
                return True
            case checked.If(then=then, otherwise=otherwise):
                if proceeds(then) and proceeds(otherwise):
                    return True
        if contains(statement, checked.Return):
            return False
    return False


# --- the way to code -----------------------------------------------------------------------------

ALWAYS = "always"
"""The key of what `always` rules belong to."""


class RuleBody(NamedTuple):
    """Code in the rules of a ruleset, and the guard under which it runs.

    `what` is `rule` (of a value), `precondition`, `action`, `choice` (if no option is open),
    `option`, `veto`, `hook` or `always`; `key` is the full name of the value, action or choice to
    which it belongs. `node` declares it.
    """

    what: str
    key: str
    ruleset: str
    guard: checked.Expr | None
    code: checked.Block
    node: checked.Node


def rule_bodies(game: Checked) -> Iterator[RuleBody]:
    """Yield all code in the rules of a game; that of states and invariants does not count."""
    for key, value in game.values.items():
        what = "precondition" if key in game.actions else "rule"
        for rule in value.rules:
            yield RuleBody(what, key, rule.ruleset, rule.guard, rule.body, rule)
    for key, action in game.actions.items():
        yield RuleBody("action", key, ruleset_of(key), action.guard, action.body, action)
        yield from _hooks(key, action.hooks)
    for key, choice in game.choices.items():
        yield RuleBody("choice", key, ruleset_of(key), None, choice.otherwise or (), choice)
        yield from _hooks(key, choice.hooks)
        for option in choice.options:
            yield RuleBody("option", key, option.ruleset, option.guard, option.body, option)
            for veto in option.forbids:
                yield RuleBody("veto", key, veto.ruleset, veto.guard, (), veto)
            yield from _hooks(key, option.hooks)
    for each in game.always:
        yield RuleBody("always", ALWAYS, each.ruleset, each.binder.where, each.body, each)


def _hooks(key: str, hooks: checked.Hooks) -> Iterator[RuleBody]:
    for hook in (*hooks.arounds, *hooks.befores, *hooks.afters):
        yield RuleBody("hook", key, hook.ruleset, hook.guard, hook.body, hook)


Conditions = tuple[checked.Expr, ...]
"""Conditions that hold where code runs."""


def way_to(node: checked.Node, code: object) -> tuple[object, ...]:
    """Return the nodes and blocks around a node, outermost first, and the node itself.

    The result is empty if the node is not inside the code.
    """
    if code is node:
        return (node,)
    if isinstance(code, tuple | Tree | checked.Hooks):
        for part in code if isinstance(code, tuple) else vars(code).values():
            if found := way_to(node, part):
                return (code, *found)
    return ()


def conditions_at(
    node: checked.Node,
    code: object,
    known: Conditions = (),
    kept: Callable[[object, Conditions], Conditions] = lambda _, conditions: conditions,
) -> Conditions:
    """Return the conditions that hold where code comes to a node inside it, outermost first.

    These are the conditions `known` where the code begins, and those of statements and expressions
    around the node and before it. `kept` returns those conditions that hold after some code has run
    too. A condition that does not hold is in the result as its negation. The result is empty if the
    node is not inside the code.
    """
    way = way_to(node, code)
    for outer, inner in pairwise(way):
        match outer:
            case tuple() if isinstance(inner, checked.Stmt):
                for statement in takewhile(partial(is_not, inner), outer):
                    known = _after(statement, known, kept)
            case (
                checked.If(condition=test, then=then, otherwise=otherwise)
                | checked.IfElse(condition=test, then=then, otherwise=otherwise)
            ):
                known += (test,) * (inner is then) + (negation(test),) * (inner is otherwise)
            case checked.Binary(operator="and" | "or" as operator, left=left, right=right):
                if inner is right:
                    known = (*known, left if operator == "and" else negation(left))
            case checked.For(binder=binder, body=body) if inner is body:
                known = kept(body, known + elements(binder))
            case checked.While(condition=test, body=body) if inner is body:
                known = (*kept(body, known), test)
            case checked.Aggregate(binders=binders) | checked.Comprehension(binders=binders):
                if inner is outer.value or inner is getattr(outer, "keys", None):
                    known += tuple(chain.from_iterable(map(elements, binders)))
    return known if way else ()


def _after(
    statement: checked.Stmt, known: Conditions, kept: Callable[[object, Conditions], Conditions]
) -> Conditions:
    match statement:
        case checked.If(
            then=(*_, checked.Return() | checked.Leave() | checked.Break()), otherwise=()
        ):
            return (*kept(statement, known), negation(statement.condition))
        case checked.Let(name=name, value=value):
            local = checked.Local(statement.span, value.type, name)
            test = checked.Compare(statement.span, BOOL, "==", local, value)
            return (*kept(statement, known), test)
    return kept(statement, known)


def elements(binder: checked.Binder) -> Conditions:
    """Return what is known of the elements of a binder."""
    domain = binder.domain
    of_zone = isinstance(domain, checked.CallBuiltin) and domain.function == "kinds"
    locals_ = (checked.Local(binder.span, binder.item, name) for name in binder.names)
    inside = (checked.Member(binder.span, BOOL, each, domain) for each in locals_ if of_zone)
    return (*(() if binder.where is None else (binder.where,)), *inside)


def negation(test: checked.Expr) -> checked.Expr:
    """Return a condition that holds if another one does not."""
    if isinstance(test, checked.Const) and test.setting is None:
        return checked.Const(test.span, BOOL, test.value is not True)
    return test.operand if isinstance(test, checked.Not) else checked.Not(test.span, BOOL, test)


# --- identity ------------------------------------------------------------------------------------

Names = Mapping[str, str]
Written = Callable[[str], str]


def structure(node: object, names: Names, free: Written = str) -> str:
    """Return the structure of a checked node or block as text, without places and types.

    Code with the same text means the same; operands that can change places are sorted. `names` has
    names for the locals declared around it; `free` gives those of all others. `previous` differs
    from rule to rule, so each is equal to itself alone.
    """
    match node:
        case checked.Local(name=name):
            return names.get(name, free(name))
        case str(text):
            return repr(free(text))
        case checked.Const(value=value, setting=setting):
            return f"settings.{setting}" if setting else repr(value)
        case checked.Previous(span=span):
            return f"previous at {span}"
        case checked.Ranged(operand=operand):
            return structure(operand, names, free)
        case checked.Binary(operator=("+" | "*" | "union" | "and" | "or") as operator):
            texts = (structure(each, names, free) for each in _operands(node, operator))
            return f"({f' {operator} '.join(sorted(texts))})"
        case checked.Compare(operator=("==" | "!=") as operator, left=left, right=right):
            texts = (structure(each, names, free) for each in (left, right))
            return f"({f' {operator} '.join(sorted(texts))})"
        case checked.CallBuiltin(function=("max" | "min" | "between") as function):
            texts = (structure(each, names, free) for each in node.arguments)
            return f"{function}({', '.join(sorted(texts))})"
        case checked.Aggregate() | checked.Comprehension():
            text, inside = ranged(node.binders, names, free)
            return f"({_fields(node, inside, free, but='binders')} for {text})"
        case checked.Reach(name=name, start=start, step=step):
            begin = structure(start, names, free)
            inside = {**names, name: f"#{len(names)}"}
            return f"reach({begin} by {structure(step, inside, free)})"
        case checked.Node():
            return _fields(node, names, free)
        case tuple():
            return f"({','.join(structure(each, names, free) for each in node)})"
    return repr(node)


def _operands(node: checked.Expr, operator: str) -> Iterator[checked.Expr]:
    if isinstance(node, checked.Binary) and node.operator == operator:
        yield from _operands(node.left, operator)
        yield from _operands(node.right, operator)
    else:
        yield node


def ranged(
    binders: tuple[checked.Binder, ...], names: Names, free: Written = str
) -> tuple[str, Names]:
    """Return the text of a range as `structure` does, and names for all locals inside it."""
    texts = []
    for binder in binders:
        domain = structure(binder.domain, names, free)
        places = {name: f"#{len(names) + number}" for number, name in enumerate(binder.names)}
        names = {**names, **places}
        where = structure(binder.where, names, free)
        texts.append(f"{len(places)} in {domain} where {where}")
    return ", ".join(texts), names


def _fields(node: checked.Node, names: Names, free: Written, but: str = "") -> str:
    parts = [
        structure(getattr(node, each.name), names, free)
        for each in fields(node)
        if each.name not in ("span", "type", but)
    ]
    return f"{type(node).__name__}({','.join(parts)})"


@dataclass(frozen=True)
class Sources:
    """All sources of points of a game, by name; the members of an enum are adjacent."""

    names: tuple[str, ...]

    def row(self, name: str) -> int:
        """Return the number of a source."""
        return self.names.index(name)


def sources(checked: Checked) -> Sources:
    """Return the sources of points of a game, in canonical order."""
    found = [checked.score] if scores(checked, checked.always) else []
    members = {enum.key: enum.members for enum in checked.game.enums}
    for action in checked.actions.values():
        if not scores(checked, action):
            continue
        named = enum_given(action)
        if named is not None:
            enum = named[1]
            found += [member_source(enum, member) for member in members[enum]]
        if named is None or named[2]:
            found.append(action.key)
    found += [choice.key for choice in checked.choices.values() if scores(checked, choice)]
    return Sources(tuple(dict.fromkeys(found)) or (checked.score,) * bool(checked.score))


def enum_given(action: ActionDef) -> tuple[int, str, bool] | None:
    """Return the first enum parameter of an action.

    The result is its index, the enum, and whether it is optional; None if there is no such
    parameter.
    """
    for place, param in enumerate(action.params):
        optional = isinstance(param.type, OptionalType)
        type_ = param.type.item if isinstance(param.type, OptionalType) else param.type
        if isinstance(type_, EnumType):
            return place, type_.name, optional
    return None


def member_source(enum: str, member: str) -> str:
    """Return the name of the source for a member of an enum."""
    return f"{enum}.{member}"


def source_of(checked: Checked, kind: str, key: str, arguments: tuple[Value, ...]) -> str:
    """Return the source of points that a callable gives when called with these arguments.

    `kind` is `action`, `choice`, `option` or `always`.
    """
    if kind in ("choice", "option"):
        return key
    if kind != "action":
        return checked.score
    named = enum_given(checked.actions[key])
    value = None if named is None else arguments[named[0]]
    if not isinstance(value, EnumMember):
        return key
    enum = next(each for each in checked.game.enums if each.key == value.enum)
    return member_source(enum.key, enum.members[value.index])


def scores(checked: Checked, tree: object) -> bool:
    """Return whether anything in a tree changes the score."""
    return any(isinstance(node, SetState) and node.state == checked.score for node in walk(tree))


# --- the terms of points --------------------------------------------------------------------------

FLOWING = frozenset({"abs", "max", "min", "half_up", "div_up"})
"""The functions whose result has the readings of their arguments."""


def domain_name(game: LinkedGame, domain: checked.Expr) -> str:
    """Return the name of the function, zone or value that a domain calls, else an empty one."""
    match domain:
        case checked.CallBuiltin():
            return domain.function
        case checked.CallValue():
            return domain.value
        case checked.EntryAt(what="zone"):
            return game.zones[domain.number].key
        case checked.Comprehension() | checked.Aggregate(function="top"):
            return domain_name(game, domain.binders[0].domain)
        case _:
            return ""


_ALIKE = frozenset({"home", "kind", "owned", "owner"})
"""The builtins whose result is the same for interchangeable pieces, now and later."""


def telling_parameters(game: Checked) -> frozenset[tuple[str, int]]:
    """Return the parameters of values, by place, whose identity the result depends on."""
    found = frozenset[tuple[str, int]]()
    while True:
        more = set(found)
        for key, value in game.values.items():
            for rule in value.rules:
                names = set(identity_reads((rule.guard, rule.body), found))
                more.update((key, at) for at, name in enumerate(rule.params) if name in names)
        if len(more) == len(found):
            return found
        found = frozenset(more)


def identity_reads(node: object, telling: frozenset[tuple[str, int]]) -> Iterator[str]:
    """Yield the names of the locals whose identity a node reads."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case checked.Local(name=name):
                yield name
            case checked.ReadAttribute(object=thing) | checked.IsKind(object=thing) if _is_alike(
                thing
            ):
                pass
            case checked.AttributeAt(object=thing, index=index) if _is_alike(thing):
                waiting.append(index)
            case checked.CallBuiltin(function=function, arguments=(thing,)) if (
                function in _ALIKE and _is_alike(thing)
            ):
                pass
            case checked.CallValue(value=key, arguments=arguments):
                waiting += [
                    each
                    for at, each in enumerate(arguments)
                    if (key, at) in telling or not _is_alike(each)
                ]
            case tuple() as nodes:
                waiting += nodes
            case Tree() | checked.Hooks() as other:
                waiting += vars(other).values()


def _is_alike(node: checked.Expr) -> bool:
    """Return whether an expression is a local that holds a piece, or a part of one."""
    while isinstance(node, checked.Ranged):
        node = node.operand
    return isinstance(node, checked.Local) and node.type != FEATURE
