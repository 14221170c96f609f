"""Moves that must be offered at the end of a scenario, and moves that must not."""

from __future__ import annotations

from rulesdsl.model.nodes import Node, Scalar, plain
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.play import differences
from rulesdsl.play.game import State
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.findings import Findings, rewritten
from rulesdsl.play.scenario.steps import NOBODY, as_step, check_words, find, offered


def legal(state: State, node: Node, found: Findings) -> None:
    """Every move must be offered."""
    for item in _scalars(node):
        if not find(state, str(item.value)) and _has_known_words(state, item, found):
            help = [f"there is {offered(state)}"] if state.mover else []
            found.wrong(item.span, f"this is not offered to {state.mover or NOBODY}", help)


def illegal(state: State, node: Node, found: Findings) -> None:
    """No move may be offered."""
    for item in _scalars(node):
        _has_known_words(state, item, found)
        if find(state, str(item.value)):
            found.wrong(item.span, f"this is offered to {state.mover}")


def offers(state: State, node: Node, found: Findings) -> None:
    """These moves must be offered, and no others."""
    items = _scalars(node)
    known = [item for item in items if _has_known_words(state, item, found)]
    wanted = {move: None for item in known for move in find(state, str(item.value))}
    missing = [str(item.value) for item in known if not find(state, str(item.value))]
    others = [as_step(move) for move in state.moves() if move not in wanted]
    if missing or others:
        help = differences.of_sets(missing, others)
        steps = [as_step(move) for move in state.moves()]
        edits = [rewritten(node, steps)] if len(known) == len(items) else []
        found.wrong(node.span, f"{state.mover or NOBODY} is offered other moves", [help], edits)


def _has_known_words(state: State, item: Scalar, found: Findings) -> bool:
    """Whether this may be a move at all; what is misspelt is found."""
    try:
        check_words(state, item)
    except Failed as failure:
        found.add(failure.diagnostic())
        return False
    return True


def _scalars(node: Node) -> list[Scalar]:
    assert isinstance(plain(node), list), "the schema asks for a list"
    items = node.items if isinstance(node, SequenceNode) else ()
    return [item for item in items if isinstance(item, Scalar)]
