"""The terms of points: a checked game whose program notes the quantities that points come from.

The game is rewritten. Every integer local and parameter `x` gets a companion, `$terms x`, that
holds the record of the readings that its value depends on, and the expressions that points come
from call functions that gather readings (see `runtime.terms`). Conditions and everything
else without readings stay as they are: values have a second version, named with a `$`, for calls
whose readings are gathered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from rulesdsl.engine.lower.tables.encoding import without_none
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.checked import Block, Checked, Expr, Parameter
from rulesdsl.language.model.flow import FLOWING, domain_name
from rulesdsl.language.model.types import INT, IntType, Type

TRACED = "$"
"""The end of the names of values that are traced."""

NOTED, RECALLED, OPENED, CLOSED, GIVEN, SUM, BEST, COMPARED, SUBJECT = (
    "$noted", "$recalled", "$opened", "$closed", "$given", "$sum", "$best", "$compared", "$subject"
)  # fmt: skip
"""The functions that gather readings, which only rewritten games call:

- `$noted(e, n)`: e is a quantity, number n of the names
- `$recalled(x, t)`: x, with the readings of record t
- `$opened(e)`, `$opened(e, t)`: e; its readings, perhaps with those of a record, are gathered apart
- `$closed()`: the record of the readings gathered since the last `$opened`
- `$given(e, subject)`: e is the change of a score, or the new one
- `$sum(e, n)`: e is a sum, and a quantity itself if nothing is read for it
- `$best(e)`, `$compared(e, sign)`: only the readings of the largest `$compared` inside of e count
- `$subject(things, outer)`: the number of the first thing that is not none, else the outer one
"""

Node = TypeVar("Node", bound=tree.Node)

Blocks = Callable[[tuple[str, ...], Block], Block]
"""A function that rewrites a block, given its names for the arguments."""

BELOW = "$below"
"""The parameter that holds the subject of what called the outermost step, or -1 outside of steps.

It is the subject of calls that wait for the end of that step.
"""


def is_hidden(name: str) -> bool:
    """Return whether a parameter is one that the rewriting has added."""
    return name.startswith("$")


def traced(checked: Checked) -> tuple[Checked, tuple[str, ...], Mapping[int, tree.Node]]:
    """Return the game whose program gathers the terms of points, and the names of quantities.

    The last part has, by their identity, the nodes of the given game that other ones stand for.
    """
    rewriting = _Rewriting(checked)
    game, names = rewriting.game()
    return game, names, rewriting.instead


class _Rewriting:
    """A game while it is rewritten."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.names: dict[str, int] = {}
        self.values: dict[str, tree.ValueDef] = {}
        self.wanted: list[str] = []
        self.instead: dict[int, tree.Node] = {}
        self.scoring = _scoring(checked)
        self.actions = self.scoring & checked.actions.keys() - {checked.play, checked.finish}
        self.choices = self.scoring & checked.choices.keys()

    def game(self) -> tuple[Checked, tuple[str, ...]]:
        checked = self.checked
        actions = {key: self._action(each) for key, each in checked.actions.items()}
        choices = {key: self._choice(each) for key, each in checked.choices.items()}
        always = tuple(
            replace(each, body=_Body(self, each.body, (), None).block(each.body))
            for each in checked.always
        )
        while self.wanted:
            key = self.wanted.pop()
            if key + TRACED not in self.values:
                self.values[key + TRACED] = self._value(checked.values[key])
        made = replace(
            checked,
            actions=actions,
            choices=choices,
            always=always,
            values={**checked.values, **self.values},
        )
        return made, tuple(self.names)

    def name(self, key: str) -> int:
        return self.names.setdefault(key, len(self.names))

    # --- callables -------------------------------------------------------------------------------

    def _action(self, action: tree.ActionDef) -> tree.ActionDef:
        if action.key not in self.scoring:
            return action
        rewritten = action.key in self.actions

        def block(names: tuple[str, ...], body: Block) -> Block:
            params = action.params
            own = self._with_terms(names, params) if rewritten else ()
            outer = SUBJECT if rewritten else None
            return _Body(self, body, own, outer, _things(names, params)).block(body)

        names = tuple(param.name for param in action.params)
        body, hooks = block(names, action.body), action.hooks
        if not rewritten:
            return replace(action, body=body, hooks=_hooked(hooks, block, lambda given: given))
        return replace(
            action,
            params=_extended(action.params),
            body=body,
            hooks=_hooked(hooks, block, lambda given: _interleaved(given, action.params)),
            said=tuple(len(_extended(action.params[:at], subject=False)) for at in action.said),
        )

    def _with_terms(self, names: Iterable[str], params: Iterable[Parameter]) -> tuple[str, ...]:
        return tuple(n for n, p in zip(names, params, strict=True) if is_number(p.type))

    def _choice(self, choice: tree.ChoiceDef) -> tree.ChoiceDef:
        if choice.key not in self.choices:
            return choice

        def block(names: tuple[str, ...], body: Block) -> Block:
            return _Body(self, body, self._with_terms(names, choice.params), SUBJECT).block(body)

        outer = tuple(param.name for param in choice.params)
        otherwise = None if choice.otherwise is None else block(outer, choice.otherwise)
        return replace(
            choice,
            params=_extended(choice.params),
            options=tuple(self._option(option, outer, block) for option in choice.options),
            otherwise=otherwise,
            hooks=_hooked(choice.hooks, block, lambda given: _interleaved(given, choice.params)),
        )

    def _option(
        self, option: tree.OptionDef, outer: tuple[str, ...], block: Blocks
    ) -> tree.OptionDef:
        return replace(
            option,
            body=block(outer, option.body),
            hooks=_hooked(option.hooks, lambda names, body: block(outer, body), lambda n: n),
        )

    # --- values ----------------------------------------------------------------------------------

    def _value(self, value: tree.ValueDef) -> tree.ValueDef:
        sign = {"max": 1, "min": -1}.get(value.policy, 0)
        rules = tuple(
            replace(
                rule,
                params=_interleaved(rule.params, value.params, subject=False),
                body=_Body(
                    self, rule.body, self._with_terms(rule.params, value.params), None, sign=sign
                ).block(rule.body),
            )
            for rule in value.rules
        )
        params = _extended(value.params, subject=False)
        return replace(value, key=value.key + TRACED, params=params, rules=rules)


class _Body:
    """A block while it is rewritten.

    `given` are the parameters that have terms, `outer` is the parameter with the subject of the
    caller, and `things` are the parameters that can be a subject. `sign` is 1 or -1 in rules of a
    value that is the largest or smallest of their results, 0 in other values, None elsewhere.
    """

    def __init__(
        self,
        game: _Rewriting,
        body: Block,
        given: Iterable[str],
        outer: str | None,
        things: tuple[Parameter, ...] = (),
        sign: int | None = None,
    ) -> None:
        self.game = game
        self.outer = outer
        self.things = things
        self.sign = sign
        assigned = (
            node.name
            for node in tree.walk(body)
            if isinstance(node, tree.Let | tree.SetLocal) and isinstance(node.value.type, IntType)
        )
        self.with_terms = {*given, *assigned}

    # --- statements ------------------------------------------------------------------------------

    def block(self, block: Block) -> Block:
        return tuple(
            self._standing(found, statement)
            for statement in block
            for found in self._statement(statement)
        )

    def _standing(self, node: Node, old: tree.Node) -> Node:
        """Remember the node that one stands for, unless it is an additional one."""
        if type(node) is type(old) and not is_hidden(getattr(node, "name", "")):
            self.game.instead[id(node)] = old
        return node

    def _statement(self, node: tree.Stmt) -> Iterator[tree.Stmt]:
        match node:
            case tree.Let() | tree.SetLocal():
                yield from self._assigned(node)
            case tree.SetState(state=state) if state == self.game.checked.score:
                yield replace(node, value=self._points(node.value))
            case tree.Perform():
                yield replace(node, call=self._call(node.call))
                if node.into is not None and node.into in self.with_terms:
                    yield tree.Let(node.span, _terms(node.into), _zero(node.span))
            case tree.Later():
                yield replace(node, call=self._later(node.call))
            case tree.If():
                then, otherwise = self.block(node.then), self.block(node.otherwise)
                yield replace(node, then=then, otherwise=otherwise)
            case tree.For() | tree.While():
                yield replace(node, body=self.block(node.body))
            case tree.Return(value=value) if self.sign is not None and value is not None:
                yield replace(node, value=self._result(value))
            case _:
                yield node

    def _assigned(self, node: tree.Let | tree.SetLocal) -> Iterator[tree.Stmt]:
        if node.name not in self.with_terms:
            yield node
            return
        span, own = node.span, _terms(node.name)
        adds = isinstance(node, tree.SetLocal) and node.operator != "="
        if not isinstance(node.value.type, IntType):
            yield node
            after: Expr = _zero(span)
        else:
            before = (tree.Local(span, INT, own),) if adds else ()
            yield replace(node, value=_call(OPENED, node.value, self.number(node.value), *before))
            after = tree.CallBuiltin(span, INT, CLOSED, ())
        is_new = isinstance(node, tree.Let)
        yield tree.Let(span, own, after) if is_new else tree.SetLocal(span, own, "=", after)

    def _points(self, value: Expr) -> Expr:
        return _call(GIVEN, value, self.number(value), self._subject(value.span))

    def _subject(self, span: Span) -> Expr:
        outer: Expr = _zero(span) if self.outer is None else tree.Local(span, INT, self.outer)
        if not self.things:
            return outer
        things = (tree.Local(span, each.type, each.name) for each in self.things)
        return tree.CallBuiltin(span, INT, SUBJECT, (*things, outer))

    def _call(self, call: tree.Call) -> tree.Call:
        game = self.game
        match call:
            case tree.ActionCall(action=key) if key in game.actions:
                params = game.checked.actions[key].params
            case tree.ChoiceCall(choice=key) if key in game.choices:
                params = game.checked.choices[key].params
            case _:
                return call
        step = isinstance(call, tree.ActionCall) and game.checked.actions[call.action].step
        subject, below = self._subject(call.span), self._below(call.span)
        if step:
            below = _either(below, subject)
        return replace(call, arguments=(*self.arguments(call.arguments, params), subject, below))

    def _later(self, call: tree.ActionCall) -> tree.ActionCall:
        game, span = self.game, call.span
        if call.action not in game.actions:
            return call
        action = game.checked.actions[call.action]
        subject = _either(self._below(span), _const(span, 0))
        given = self.arguments(call.arguments, action.params)
        return replace(call, arguments=(*given, subject, subject))

    def _below(self, span: Span) -> Expr:
        return _const(span, -1) if self.outer is None else tree.Local(span, INT, BELOW)

    def _result(self, value: Expr) -> Expr:
        if not self.sign:
            return self.number(value)
        return _call(COMPARED, value, self.number(value), _const(value.span, self.sign))

    # --- expressions -----------------------------------------------------------------------------

    def arguments(self, given: tuple[Expr, ...], params: tuple[Parameter, ...]) -> list[Expr]:
        """Return arguments, each number followed by its terms."""
        found: list[Expr] = []
        for argument, param in zip(given, params, strict=True):
            if not is_number(param.type):
                found.append(argument)
            elif not isinstance(argument.type, IntType) or isinstance(argument, tree.Const):
                found += [argument, _zero(argument.span)]
            else:
                closed = tree.CallBuiltin(argument.span, INT, CLOSED, ())
                found += [_call(OPENED, argument, self.number(argument)), closed]
        return found

    def number(self, node: Expr) -> Expr:
        """Return a number whose readings are gathered."""
        found = inner = self._number(node)
        while isinstance(inner, tree.CallBuiltin) and is_hidden(inner.function):
            inner = inner.arguments[0]
        self._standing(inner, node)
        return found

    def _number(self, node: Expr) -> Expr:
        match node:
            case tree.Local(name=name) if name in self.with_terms:
                return _call(RECALLED, node, node, tree.Local(node.span, INT, _terms(name)))
            case tree.ReadState(state=key) if is_number(node.type):
                return self._noted(node, key)
            case tree.ReadAttribute(attribute=key) if isinstance(node.type, IntType):
                return self._noted(node, key.partition(".")[0])
            case tree.AttributeAt(attribute=key) if isinstance(node.type, IntType):
                return self._noted(node, key)
            case tree.EntryAt(what="table", number=number):
                return self._noted(node, self.game.checked.game.tables[number].key)
            case tree.CallValue() if isinstance(node.type, IntType):
                return self._value(node)
            case tree.CallBuiltin(function=function) if function in FLOWING:
                return replace(node, arguments=tuple(map(self.number, node.arguments)))
            case tree.CallBuiltin(function=function) if isinstance(node.type, IntType):
                return self._noted(node, function)
            case tree.Negate() | tree.Ranged():
                return replace(node, operand=self.number(node.operand))
            case tree.Binary() if isinstance(node.type, IntType):
                return replace(node, left=self.number(node.left), right=self.number(node.right))
            case tree.IfElse():
                then, otherwise = self.number(node.then), self.number(node.otherwise)
                return replace(node, then=then, otherwise=otherwise)
            case tree.Aggregate():
                return self._aggregate(node)
        return node

    def _value(self, node: tree.CallValue) -> Expr:
        value = self.game.checked.values[node.value]
        self.game.wanted.append(node.value)
        given = tuple(self.arguments(node.arguments, value.params))
        called = replace(node, value=node.value + TRACED, arguments=given)
        return _call(BEST, node, called) if value.policy in ("max", "min") else called

    def _aggregate(self, node: tree.Aggregate) -> Expr:
        game = self.game.checked.game
        function, value = node.function, node.value
        domain = domain_name(game, node.binders[0].domain)
        if function in ("count", "alike"):
            return self._noted(node, domain or function)
        inner = None if value is None else self.number(value)
        if function == "sum":
            number = _const(node.span, self.game.name(domain or "sum"))
            return _call(SUM, node, replace(node, value=inner), number)
        if function not in ("max", "min"):
            return replace(node, value=inner)
        if value is not None and inner is not None:
            sign = _const(node.span, 1 if function == "max" else -1)
            inner = _call(COMPARED, value, inner, sign)
        default = None if node.default is None else self.number(node.default)
        if inner is None:
            return replace(node, default=default)
        return _call(BEST, node, replace(node, value=inner, default=default))

    def _noted(self, node: Expr, key: str) -> Expr:
        return _call(NOTED, node, node, _const(node.span, self.game.name(key)))


# --- parts --------------------------------------------------------------------------------------


def is_number(type_: Type) -> bool:
    """Return whether a local of the type may hold an integer."""
    return isinstance(without_none(type_), IntType)


_SUBJECTS = {types.FEATURE, types.SEGMENT, types.PIECE, *map(types.NamedType, types.PIECE_CLASSES)}


def _terms(name: str) -> str:
    return f"$terms {name}"


def _zero(span: Span) -> Expr:
    return _const(span, 0)


def _const(span: Span, value: int) -> Expr:
    return tree.Const(span, INT, value)


def _either(number: Expr, otherwise: Expr) -> Expr:
    """Return a number, or another one if it is negative."""
    if isinstance(number, tree.Const):
        return otherwise
    there = tree.Compare(number.span, types.BOOL, ">=", number, _zero(number.span))
    return tree.IfElse(number.span, INT, there, number, otherwise)


def _call(function: str, like: Expr, *arguments: Expr) -> Expr:
    """Return a call of a function for the program, of the type of an expression."""
    return tree.CallBuiltin(like.span, like.type, function, arguments)


def _extended(params: tuple[Parameter, ...], *, subject: bool = True) -> tuple[Parameter, ...]:
    found = []
    for param in params:
        found.append(param)
        if is_number(param.type):
            found.append(Parameter(_terms(param.name), INT))
    return (*found, *([Parameter(SUBJECT, INT), Parameter(BELOW, INT)] if subject else []))


def _interleaved(
    names: tuple[str, ...], params: tuple[Parameter, ...], *, subject: bool = True
) -> tuple[str, ...]:
    """Return the names of a part for arguments, with those of the new ones."""
    renamed = tuple(Parameter(n, p.type) for n, p in zip(names, params, strict=True))
    return tuple(param.name for param in _extended(renamed, subject=subject))


def _hooked(
    hooks: tree.Hooks, block: Blocks, names: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> tree.Hooks:
    """Return hooks with their blocks rewritten, and their names for the arguments."""

    def all_of(found: tuple[tree.Hook, ...]) -> tuple[tree.Hook, ...]:
        return tuple(
            replace(hook, params=names(hook.params), body=block(hook.params, hook.body))
            for hook in found
        )

    return tree.Hooks(all_of(hooks.arounds), all_of(hooks.befores), all_of(hooks.afters))


def _things(names: tuple[str, ...], params: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Return the parameters that can be the subject of points, under the names of a part."""
    found = (Parameter(name, param.type) for name, param in zip(names, params, strict=True))
    return tuple(each for each in found if without_none(each.type) in _SUBJECTS)


def _scoring(checked: Checked) -> set[str]:
    """Return the keys of the actions and choices that give points, or call others that do."""
    calls: dict[str, set[str]] = {}
    found: set[str] = set()
    for key, each in (*checked.actions.items(), *checked.choices.items()):
        inside = tree.walk(each)
        calls[key] = {
            node.action if isinstance(node, tree.ActionCall) else node.choice
            for node in inside
            if isinstance(node, tree.ActionCall | tree.ChoiceCall)
        }
        if any(isinstance(n, tree.SetState) and n.state == checked.score for n in inside):
            found.add(key)
    while more := {key for key, others in calls.items() if key not in found and others & found}:
        found |= more
    return found
