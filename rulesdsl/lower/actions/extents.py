"""How many frames the readable engine can have inside each other while a game is played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter

from rulesdsl.lower.parts import (
    Code,
    Routine,
    action_routine,
    always_routine,
    choice_routine,
    option_routine,
)
from rulesdsl.model.checked import (
    ActionCall,
    Checked,
    ChoiceCall,
    For,
    If,
    Later,
    Perform,
    Stmt,
    While,
    walk,
)


def most_frames(checked: Checked) -> int:
    """At least as many as there ever are. Between two runs of actions that may recurse lies no
    callable twice."""
    extents = _Extents(checked)
    depths = [action.depth for action in checked.actions.values() if action.depth is not None]
    return extents.settling() + max(extents.known.values()) * (1 + sum(depths))


class _Extents:
    """How many frames a call brings with it, itself among them; calls of actions that may recurse
    bring none."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self.known: dict[Code, int] = {}
        routines = {Code("action", key): action_routine(checked, key) for key in checked.actions}
        for key, choice in checked.choices.items():
            routines[Code("choice", key)] = choice_routine(checked, key)
            for number in range(len(choice.options)):
                routines[Code("option", key, number)] = option_routine(choice, number)
        inside = {code: set(self._called(routine)) for code, routine in routines.items()}
        for code in TopologicalSorter(inside).static_order():
            self.known[code] = self._routine(routines[code])

    def settling(self) -> int:
        """Of what follows a step."""
        checked = self._checked
        trees = (tuple(checked.actions.values()), tuple(checked.choices.values()), checked.always)
        found = [
            self.known[Code("action", node.call.action)]
            for node in walk(trees)
            if isinstance(node, Later)
        ]
        for number, rule in enumerate(checked.always):
            found.append(self._routine(always_routine(rule, number)))
        return 1 + max(found, default=0)

    def _called(self, routine: Routine) -> Iterator[Code]:
        """What runs on top of a routine."""
        key = routine.code.key
        if routine.code.kind == "choice":
            options = self._checked.choices[key].options
            yield from (Code("option", key, number) for number in range(len(options)))
        for node in walk(tuple(part.block for part in routine.parts)):
            if isinstance(node, Perform):
                yield from self._performed(node)

    def _performed(self, node: Perform) -> Iterator[Code]:
        match node.call:
            case ActionCall(action=key):
                if self._checked.actions[key].depth is None:
                    yield Code("action", key)
            case ChoiceCall(choice=key):
                yield Code("choice", key)

    def _routine(self, routine: Routine) -> int:
        arounds = sum(2 + self._block(part.block) for part in routine.arounds)
        inner = [1 + self._block(part.block) for part in routine.parts if part.name != "around"]
        if routine.code.kind == "choice":
            inner += [self.known[code] for code in self._called(routine)]
            return 2 + arounds + max(inner)
        return 1 + arounds + max(inner)

    def _block(self, block: Iterable[Stmt]) -> int:
        return max(map(self._statement, block), default=0)

    def _statement(self, statement: Stmt) -> int:
        match statement:
            case Perform():
                return max((self.known[code] for code in self._performed(statement)), default=1)
            case If(then=then, otherwise=otherwise):
                return 1 + max(self._block(then), self._block(otherwise))
            case For(body=body) | While(body=body):
                return 1 + self._block(body)
        return 0
