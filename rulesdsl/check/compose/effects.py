"""What a piece of the game reads and writes, through everything it calls.

Data is divided into columns: a state (by its full name), where the components of a class are
(`place of figure`), the faces of dice, the links between segments, and `decisions`: asking a
player or chance counts as writing it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rulesdsl.builtins import BOARD, EFFECTS, FACES, READS
from rulesdsl.model import checked as tree
from rulesdsl.model.types import FEATURE, PIECE_CLASSES, NamedType
from rulesdsl.model.walk import walk

DECISIONS = "decisions"
_FACES = "faces"
_LINKS = "links"
_LAID = ("tile", "die", "card")


@dataclass(frozen=True)
class Effects:
    """Columns read, written, and written by nothing but `+=` and `-=` (`added`)."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.reads | other.reads, self.writes | other.writes, self.added | other.added
        )

    def meets(self, other: Effects) -> frozenset[str]:
        """The columns that make the order of the two matter."""
        touched = (self.writes | self.added) & (other.reads | other.writes)
        touched |= (other.writes | other.added) & (self.reads | self.writes)
        return touched


class EffectTable:
    """The effects of a game's values and actions, found as a least fixpoint."""

    def __init__(self, checked: tree.Checked) -> None:
        tables = {"value": checked.values, "action": checked.actions, "choice": checked.choices}
        direct = {
            (what, key): _direct(node)
            for what, table in tables.items()
            for key, node in table.items()
        }
        callers: dict[_Name, list[_Name]] = {name: [] for name in direct}
        for name, (_, called) in direct.items():
            for callee in called:
                callers[callee].append(name)
        self._known = {name: effects for name, (effects, _) in direct.items()}
        # What has grown since its callers looked.
        waiting = list(direct)
        while waiting:
            name = waiting.pop()
            for caller in callers[name]:
                grown = self._known[caller] | self._known[name]
                if grown != self._known[caller]:
                    self._known[caller] = grown
                    waiting.append(caller)

    def of(self, node: object) -> Effects:
        """The effects of a node or block, with everything it calls."""
        effects, called = _direct(node)
        for callee in called:
            effects |= self._known[callee]
        return effects


_Name = tuple[str, str]
"""What can be called: `value`, `action` or `choice`, and its full name."""


def _direct(node: object) -> tuple[Effects, set[_Name]]:
    """The effects of a node or block without those of what it calls, and what it calls."""
    effects, called = Effects(), set[_Name]()
    for inner in walk(node):
        match inner:
            case tree.ReadState(state=state):
                effects |= Effects(reads=frozenset({state}))
            case tree.SetState(state=state, operator="="):
                effects |= Effects(writes=frozenset({state}))
            case tree.SetState(state=state):
                effects |= Effects(added=frozenset({state}))
            case tree.CallValue(value=value):
                called.add(("value", value))
            case tree.ActionCall(action=action):
                called.add(("action", action))
            case tree.ChoiceCall(choice=choice):
                called.add(("choice", choice))
                effects |= Effects(writes=frozenset({DECISIONS}))
            case tree.CallBuiltin(function=function):
                effects |= Effects(reads=frozenset(_builtin_reads(function)))
            case tree.ReadAttribute(object=owner) if owner.type == FEATURE:
                effects |= Effects(reads=frozenset(_board()))
            case tree.EntryAt(what="zone"):
                effects |= Effects(reads=frozenset(_places(PIECE_CLASSES)))
            case tree.EffectCall(effect=effect, arguments=arguments):
                effects |= _effect(effect, arguments)
    return effects, called


def _places(classes: Iterable[str]) -> set[str]:
    return {f"place of {cls}" for cls in classes}


def _board() -> set[str]:
    return _places(_LAID) | {_LINKS, _FACES}


def _builtin_reads(function: str) -> set[str]:
    read = set(READS[function])
    columns = _places(read - {BOARD, FACES})
    if BOARD in read:
        columns |= _board()
    if FACES in read:
        columns.add(_FACES)
    return columns


def _effect(effect: str, arguments: tuple[tree.Expr, ...]) -> Effects:
    classes: tuple[str, ...] = PIECE_CLASSES
    if arguments and isinstance(arguments[0].type, NamedType):
        name = arguments[0].type.name
        classes = (name,) if name in PIECE_CLASSES else PIECE_CLASSES
    writes = {
        "link": {_LINKS},
        "unlink": {_LINKS},
        "turn_to": {_FACES},
        "roll": {_FACES},
        "end_game": {DECISIONS},
    }.get(effect, _places(classes))
    if EFFECTS[effect].asks:
        writes = writes | {DECISIONS}
    return Effects(writes=frozenset(writes))
