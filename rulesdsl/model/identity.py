"""Reads that tell a piece from an interchangeable one.

Everything counts that a local is used for, except questions that interchangeable pieces answer
alike whatever happens to them: their kind, owner and home, and attributes of their components.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulesdsl.model import checked as tree
from rulesdsl.model.tree import Tree
from rulesdsl.model.types import FEATURE
from rulesdsl.records import dataclass

PROCEED = "proceed"
"""The name among the reads of a block that stands for a `proceed`."""

PHASES = ("around", "before", "body", "after")
"""The phases of a call, in order."""

_ALIKE = frozenset({"home", "kind", "owned", "owner"})
"""The builtins whose result is the same for interchangeable pieces, now and later."""

Loop = tree.For | tree.While
Names = frozenset[str]


@dataclass(frozen=True)
class Rest:
    """The statements of a block that have yet to run, and the loop that it is the body of."""

    block: tree.Block
    loop: Loop | None = None


class IdentityReads:
    """The reads of a checked game that depend on which of interchangeable pieces a local holds."""

    def __init__(self, checked: tree.Checked) -> None:
        self._checked = checked
        self._telling: frozenset[tuple[str, int]] | None = None
        self._known: dict[int, Names] = {}

    def later(self, levels: Iterable[Rest]) -> Names:
        """Return the names of locals that are read once the running statement has ended.

        `levels` are the blocks inside each other that are running.
        """
        found = set[str]()
        for level in levels:
            found.update(*map(self._names, level.block))
            if level.loop is not None:
                found |= self._again(level.loop)
        return frozenset(found)

    def visits(self, loop: tree.For) -> bool:
        """Return whether the rounds of a loop read its elements."""
        names = loop.binder.names
        return any(not self._names(statement).isdisjoint(names) for statement in loop.body)

    def arguments(
        self, kind: str, key: str, number: int, phase: str, at: int = 0
    ) -> frozenset[int]:
        """Return the places of the arguments that a call reads from a phase on.

        `kind`, `key` and `number` name an action, choice, option or `always` rule; `at` is the
        first hook of the phase that has not begun.
        """
        found = set[int]()
        for each in PHASES[PHASES.index(phase) :]:
            parts = self._parts(kind, key, number, each)
            for params, nodes in parts[at if each == phase else 0 :]:
                names = frozenset[str]().union(*map(self._names, nodes))
                found.update(place for place, name in enumerate(params) if name in names)
        if kind == "action" and phase != "after":
            found.update(self._checked.actions[key].said)
        return frozenset(found)

    def asking(self, key: str) -> frozenset[int]:
        """Return the places of the arguments of a choice that are read by it and its options."""
        ((params, nodes),) = self._parts("choice", key, 0, "body")
        names = frozenset[str]().union(*map(self._names, nodes))
        return frozenset(place for place, name in enumerate(params) if name in names)

    # --- parts of callables ------------------------------------------------------------------

    def _parts(
        self, kind: str, key: str, number: int, phase: str
    ) -> list[tuple[tuple[str, ...], tuple[Tree, ...]]]:
        """Return the parts of a phase: their names for the arguments, and what they evaluate."""
        outer = tuple[str, ...]()
        nodes: tuple[Tree, ...]
        match kind:
            case "action":
                action = self._checked.actions[key]
                own, nodes, hooks = _params(action.params), action.body, action.hooks
            case "always":
                rule = self._checked.always[number]
                own, nodes, hooks = rule.binder.names, rule.body, tree.Hooks()
            case "choice":
                choice = self._checked.choices[key]
                nodes = (choice.by, *choice.options, *(choice.otherwise or ()))
                own, hooks = _params(choice.params), choice.hooks
            case _:
                choice = self._checked.choices[key]
                option, outer = choice.options[number], _params(choice.params)
                own = (*outer, *(name for binder in option.binders for name in binder.names))
                nodes, hooks = option.body, option.hooks
        if phase == "body":
            return [(own, nodes)]
        found = {"around": hooks.arounds, "before": hooks.befores, "after": hooks.afters}[phase]
        return [
            ((*outer, *hook.params), (*hook.body, *((hook.guard,) if hook.guard else ())))
            for hook in found
        ]

    # --- names -------------------------------------------------------------------------------

    def _again(self, loop: Loop) -> Names:
        """Return the names that the next rounds of a loop read, without those they declare."""
        found = self._known.get(-id(loop))
        if found is None:
            nodes = (*loop.body, loop.condition) if isinstance(loop, tree.While) else loop.body
            read = frozenset[str]().union(*map(self._names, nodes))
            found = self._known[-id(loop)] = read - frozenset(_declared(loop))
        return found

    def _names(self, node: Tree) -> Names:
        """Return the names that a node of the game reads; the result is kept for its next use."""
        found = self._known.get(id(node))
        if found is None:
            if self._telling is None:
                self._telling = _telling_parameters(self._checked)
            found = self._known[id(node)] = frozenset(_reads(node, self._telling))
        return found


def _params(params: tuple[tree.Parameter, ...]) -> tuple[str, ...]:
    return tuple(param.name for param in params)


def _declared(loop: Loop) -> Iterator[str]:
    """Yield the locals that each round of a loop sets anew."""
    for node in tree.walk(loop):
        match node:
            case tree.Let(name=name):
                yield name
            case tree.Perform(into=str(name)):
                yield name
            case tree.For(binder=binder):
                yield from binder.names


def _telling_parameters(checked: tree.Checked) -> frozenset[tuple[str, int]]:
    """Return the parameters of values, by place, whose identity the result depends on."""
    found = frozenset[tuple[str, int]]()
    while True:
        more = set(found)
        for key, value in checked.values.items():
            for rule in value.rules:
                names = set(_reads((rule.guard, rule.body), found))
                more.update((key, at) for at, name in enumerate(rule.params) if name in names)
        if len(more) == len(found):
            return found
        found = frozenset(more)


def _reads(node: object, telling: frozenset[tuple[str, int]]) -> Iterator[str]:
    """Yield the names of the locals whose identity a node reads."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case tree.Local(name=name):
                yield name
            case tree.ProceedCall():
                yield PROCEED
            case tree.ReadAttribute(object=thing) | tree.IsKind(object=thing) if _is_alike(thing):
                pass
            case tree.CallBuiltin(function=function, arguments=(thing,)) if (
                function in _ALIKE and _is_alike(thing)
            ):
                pass
            case tree.CallBuiltin(function="$subject"):
                pass  # it is only reported
            case tree.CallValue(value=key, arguments=arguments):
                waiting += [
                    each
                    for at, each in enumerate(arguments)
                    if (key, at) in telling or not _is_alike(each)
                ]
            case tuple() as nodes:
                waiting += nodes
            case Tree() | tree.Hooks() as other:
                waiting += vars(other).values()


def _is_alike(node: tree.Expr) -> bool:
    """Return whether an expression is a local that holds a piece, or a part of one."""
    while isinstance(node, tree.Ranged):
        node = node.operand
    return isinstance(node, tree.Local) and node.type != FEATURE
