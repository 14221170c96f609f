"""Assignments: the states that statements, calls and hooks may assign.

They are looked up in the syntax trees, because they are needed while bodies are checked. A call may
assign what its hooks and everything that it calls do; if a step can end in it, also what queued
calls and `always` rules do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from rulesdsl.base.records import dataclass
from rulesdsl.language.builtins import EFFECTS
from rulesdsl.language.check.symbols import Symbols
from rulesdsl.language.model import ast
from rulesdsl.language.model.ast import desugared
from rulesdsl.language.model.checked import walk


@dataclass(frozen=True)
class Changes:
    """Changes of the position: of these states (full names), or of anything at all."""

    states: frozenset[str] = frozenset()
    any: bool = False

    def __or__(self, other: Changes) -> Changes:
        return Changes(self.states | other.states, self.any or other.any)


@dataclass(frozen=True)
class _Body:
    """A block in the rules of a part, which may run as part of a routine."""

    part: str
    block: ast.Block


@dataclass(frozen=True)
class _HookBody:
    """A `before`, `around` or `instead` of one of some routines, or of an option of that name."""

    routines: tuple[str, ...]
    option: str
    body: _Body


class Assignments:
    """The states that each routine of a game may assign."""

    def __init__(self, symbols: Symbols, modules: Mapping[str, ast.Module]) -> None:
        self._symbols = symbols
        self._modules = modules
        self._by_call: dict[str, Changes] = {}

    def by_block(self, block: ast.Block, part: str) -> Changes:
        """Return the changes of a block in the rules of a part."""
        return self._made((_Body(part, block),))

    def acts(self, block: ast.Block, part: str) -> bool:
        """Return whether a block in the rules of a part changes anything."""
        return self._own(_Body(part, block)).any

    def by_call(self, key: str) -> Changes:
        """Return the changes of a call of an action or choice (full name)."""
        found = self._by_call.get(key)
        if found is None:
            found = self._by_call[key] = self._made(self._bodies[key], {key})
        return found

    def before(self, key: str, option: str = "") -> Changes:
        """Return the changes of hooks between the guard of an action or option and its body.

        `key` is the full name of the action, or that of the choice.
        """
        hooks = (hook for hook in self._hooks if key in hook.routines and hook.option == option)
        return self._made([hook.body for hook in hooks])

    def _made(self, bodies: Iterable[_Body], seen: Iterable[str] = ()) -> Changes:
        queue, reached = list(bodies), set(seen)
        settled = not reached.isdisjoint(self._steps)
        queue += self._settling if settled else ()
        found = Changes(any=bool(reached))
        while queue:
            body = queue.pop()
            found |= self._own(body)
            for key in self._called(body) - reached:
                reached.add(key)
                queue += self._bodies[key]
                if key in self._steps and not settled:
                    settled = True
                    queue += self._settling
        return found

    def _own(self, body: _Body) -> Changes:
        nodes = walk(body.block)
        names = {_stored(node.target) for node in nodes if isinstance(node, ast.Assign)}
        effects = any(
            isinstance(node, ast.Call) and _name(node.function)[1] in EFFECTS for node in nodes
        )
        states = frozenset(
            datum.key
            for other in self._symbols.game.visible[body.part]
            for datum in self._symbols.data.get(other, {}).values()
            if datum.name in names
        )
        return Changes(states, bool(states) or effects or bool(self._called(body)))

    def _called(self, body: _Body) -> set[str]:
        return {
            key
            for node in walk(body.block)
            if isinstance(node, ast.Call)
            for key in self._routines(body.part, *_name(node.function))
        }

    def _routines(self, part: str, qualifier: str | None, name: str | None) -> Iterator[str]:
        if name is None:
            return
        found = self._symbols.find(self._symbols.routines, name, part, qualifier)
        yield from (routine.key for routine in found if routine.what != "value")

    # --- all bodies of the game ---------------------------------------------------------------

    @cached_property
    def _rules(self) -> list[tuple[str, ast.Decl]]:
        return [
            (part.id, node)
            for part in self._symbols.game.parts
            if part.ruleset in self._modules
            for node in desugared(self._modules[part.ruleset], part.names)
        ]

    @cached_property
    def _bodies(self) -> Mapping[str, list[_Body]]:
        """The bodies of each action and choice with its options and hooks, by full name."""
        found: dict[str, list[_Body]] = defaultdict(list)
        for part, node in self._rules:
            match node:
                case ast.ActionDecl(name=name, body=body):
                    found[self._symbols.routine(part, name).key].append(_Body(part, body))
                case ast.ChoiceDecl(name=name, options=options, otherwise=otherwise):
                    key = self._symbols.routine(part, name).key
                    blocks = (otherwise, *(option.body for option in options))
                    found[key] += [_Body(part, block) for block in blocks if block is not None]
                case ast.OptionDecl(choice=ast.Path() as path, body=ast.Block() as body):
                    for key, _ in self._targets(part, path):
                        found[key].append(_Body(part, body))
                case ast.HookDecl(target=path, body=body):
                    for key, _ in self._targets(part, path):
                        found[key].append(_Body(part, body))
        return found

    @cached_property
    def _hooks(self) -> list[_HookBody]:
        """The hooks that run between the guard of an action or option and its body."""
        found = []
        for part, node in self._rules:
            if isinstance(node, ast.HookDecl) and node.when != "after":
                targets = list(self._targets(part, node.target))
                keys = tuple(key for key, _ in targets)
                options = {option for _, option in targets}
                found += [_HookBody(keys, each, _Body(part, node.body)) for each in options]
        return found

    @cached_property
    def _steps(self) -> frozenset[str]:
        steps = (
            self._symbols.routine(part, node.name).key
            for part, node in self._rules
            if isinstance(node, ast.ActionDecl) and node.step
        )
        return frozenset(steps)

    @cached_property
    def _settling(self) -> list[_Body]:
        found = []
        for part, node in self._rules:
            if isinstance(node, ast.AlwaysDecl):
                found.append(_Body(part, node.body))
            for each in walk(node):
                if isinstance(each, ast.Later) and isinstance(each.call, ast.Call):
                    for key in self._routines(part, *_name(each.call.function)):
                        found += self._bodies[key]
        return found

    def _targets(self, part: str, path: ast.Path) -> Iterator[tuple[str, str]]:
        """Yield the routines that a path may mean, each with the option of it that is meant."""
        for number, name in enumerate(path.parts[:2]):
            qualifier = str(path.parts[0]) if number else None
            if qualifier is None or self._symbols.may_qualify(qualifier, part):
                rest = path.parts[number + 1 :]
                for key in self._routines(part, qualifier, name):
                    yield key, str(rest[0]) if rest else ""


def _name(function: ast.Expr) -> tuple[str | None, str | None]:
    """Return the qualifier and the name of a callee."""
    match function:
        case ast.Name(name=name):
            return None, name
        case ast.Attribute(object=ast.Name(name=qualifier), name=name):
            return qualifier, name
    return None, None


def _stored(target: ast.Expr) -> str | None:
    """Return the short name of the state or local that is assigned."""
    match target:
        case ast.Name(name=name) | ast.Attribute(name=name):
            return name
        case ast.Index(object=object_):
            return _stored(object_)
        case ast.Call(function=function):
            return _name(function)[1]
    return None
