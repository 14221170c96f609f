"""What a piece of the game reads and writes, through everything it calls.

Data is divided into columns: a state (by its full name), where the components of a class are
(`place of figure`), the faces of dice, the links between segments, and `decisions`: asking a
player or chance counts as writing it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rulesdsl.builtins import BOARD, EFFECTS, FACES, READS
from rulesdsl.check.contents import Contents
from rulesdsl.model import checked as tree
from rulesdsl.model.types import FEATURE, PIECE_CLASSES, NamedType
from rulesdsl.model.walk import Nodes

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


_Name = tuple[str, str]
"""What can be called: `value`, `action` or `choice`, and its full name."""


class EffectTable:
    """The effects of a game's values and actions, found as a least fixpoint."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def of(self, node: object) -> Effects:
        """The effects of a node or block, with everything it calls."""
        effects, called = _direct(Nodes(node))
        for callee in called:
            effects |= self._known[callee]
        return effects

    @cached_property
    def _known(self) -> dict[_Name, Effects]:
        own = self._contents
        tables = {"value": own.values, "action": own.actions, "choice": own.choices}
        direct = {
            (what, key): _direct(nodes)
            for what, table in tables.items()
            for key, nodes in table.items()
        }
        callers: dict[_Name, list[_Name]] = {name: [] for name in direct}
        for name, (_, called) in direct.items():
            for callee in called:
                callers[callee].append(name)
        known = {name: effects for name, (effects, _) in direct.items()}
        # What has grown since its callers looked.
        waiting = list(direct)
        while waiting:
            name = waiting.pop()
            for caller in callers[name]:
                grown = known[caller] | known[name]
                if grown != known[caller]:
                    known[caller] = grown
                    waiting.append(caller)
        return known


def _direct(nodes: Nodes) -> tuple[Effects, set[_Name]]:
    """The effects of nodes without those of what they call, and what they call."""
    reads = {node.state for node in nodes.of(tree.ReadState)}
    reads.update(*(_builtin_reads(node.function) for node in nodes.of(tree.CallBuiltin)))
    if any(node.object.type == FEATURE for node in nodes.of(tree.ReadAttribute)):
        reads |= _board()
    if any(node.what == "zone" for node in nodes.of(tree.EntryAt)):
        reads |= _places(PIECE_CLASSES)
    writes, added = set[str](), set[str]()
    for change in nodes.of(tree.SetState):
        (writes if change.operator == "=" else added).add(change.state)
    writes.update(*(_effect(n.effect, n.arguments) for n in nodes.of(tree.EffectCall)))
    called = {("value", node.value) for node in nodes.of(tree.CallValue)}
    called |= {("action", node.action) for node in nodes.of(tree.ActionCall)}
    if choices := {("choice", node.choice) for node in nodes.of(tree.ChoiceCall)}:
        called |= choices
        writes.add(DECISIONS)
    return Effects(frozenset(reads), frozenset(writes), frozenset(added)), called


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


def _effect(effect: str, arguments: tuple[tree.Expr, ...]) -> set[str]:
    """What an effect writes."""
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
    return writes | {DECISIONS} if EFFECTS[effect].asks else writes
