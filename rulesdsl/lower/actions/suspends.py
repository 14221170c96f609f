"""The actions that can be suspended: those that may ask, roll or end the game.

All others run to their end at once and become plain functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulesdsl.lower.parts import Routine, action_routine, always_routine
from rulesdsl.model.checked import (
    ActionCall,
    Break,
    Checked,
    ChoiceCall,
    EffectCall,
    For,
    If,
    Later,
    Leave,
    Perform,
    ProceedCall,
    Return,
    Stmt,
    While,
    walk,
)

CHANCE = ("take", "roll")
"""Effects with several outcomes, by the number they have in `asked`."""

STOPPING = frozenset({*CHANCE, "end_game"})


class Suspension:
    """The actions that can be suspended, as `actions`.

    `settles` says whether anything can follow a step at all, `settle` whether that can be
    suspended; `recursive` says whether actions can recurse.
    """

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.actions: set[str] = set()
        self.settle = False
        routines = {key: action_routine(checked, key) for key in checked.actions}
        always = [always_routine(rule, number) for number, rule in enumerate(checked.always)]
        later = {
            node.call.action
            for routine in _all_routines(checked)
            for node in walk(routine)
            if isinstance(node, Later)
        }
        self.settles = bool(later or always)
        self.later = tuple(sorted(later))
        self.recursive = any(action.depth is not None for action in checked.actions.values())
        self._find(routines, always, later)

    def _find(
        self, routines: Mapping[str, Routine], always: Iterable[Routine], later: set[str]
    ) -> None:
        """Find the actions that can be suspended: those that ask, then all their callers."""
        callers: dict[str, list[str]] = {}
        for key, routine in routines.items():
            for called in _called(routine):
                callers.setdefault(called, []).append(key)
        waiting = [key for key, routine in routines.items() if self.routine(routine)]
        while True:
            while waiting:
                key = waiting.pop()
                if key not in self.actions:
                    self.actions.add(key)
                    waiting += callers.get(key, ())
            settle = not later.isdisjoint(self.actions) or any(map(self.routine, always))
            if settle == self.settle:
                return
            self.settle = settle
            waiting = [key for key in routines if self.checked.actions[key].step]

    def routine(self, routine: Routine) -> bool:
        """Say whether any part of a routine can be suspended."""
        return any(self.statement(node) for part in routine.parts for node in part.block)

    def statement(self, statement: Stmt) -> bool:
        """Say whether a statement, or one inside it, can be suspended."""
        return any(isinstance(node, Perform) and self.call(node) for node in walk(statement))

    def call(self, node: Perform) -> bool:
        """Say whether the call itself can be suspended."""
        match node.call:
            case ChoiceCall():
                return True
            case EffectCall(effect=effect):
                return effect in STOPPING
            case ActionCall(action=action):
                return action in self.actions
        return False

    def in_blocks(self, statement: Stmt) -> bool:
        """Say whether a statement must be split into blocks.

        It must if it can be suspended inside, or leaves a block.
        """
        if isinstance(statement, Return | Leave | Break):
            return True
        if isinstance(statement, If):
            return any(map(self.in_blocks, (*statement.then, *statement.otherwise)))
        if isinstance(statement, For | While):
            leaves = any(isinstance(node, Return | Leave) for node in walk(statement.body))
            return leaves or self.statement(statement) or _proceeds(statement)
        return self.statement(statement) or _proceeds(statement)


def _called(routine: Routine) -> set[str]:
    """Return the actions that a routine calls."""
    calls = (n.call for p in routine.parts for n in walk(p.block) if isinstance(n, Perform))
    return {call.action for call in calls if isinstance(call, ActionCall)}


def _proceeds(statement: Stmt) -> bool:
    return any(
        isinstance(node, Perform) and isinstance(node.call, ProceedCall) for node in walk(statement)
    )


def _all_routines(checked: Checked) -> tuple[object, ...]:
    return (
        tuple(checked.actions.values()),
        tuple(checked.choices.values()),
        tuple(checked.always),
    )
