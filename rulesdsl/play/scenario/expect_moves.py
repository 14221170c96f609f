"""Moves that must be offered at the end of a scenario, and moves that must not."""

from __future__ import annotations

from rulesdsl.model.nodes import Node, Scalar, plain
from rulesdsl.model.nodes import Sequence as SequenceNode
from rulesdsl.play import differences
from rulesdsl.play.game import State
from rulesdsl.play.move import Move
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.findings import Findings, rewritten
from rulesdsl.play.scenario.steps import NOBODY, ambiguous, as_step, check_words, find, offered


def legal(state: State, node: Node, found: Findings) -> None:
    """Every move must be offered."""
    for item in _scalars(node):
        moves = _meant(state, item, found)
        if moves == []:
            help = [f"there is {offered(state)}"] if state.mover else []
            found.wrong(item.span, f"this is not offered to {state.mover or NOBODY}", help)


def illegal(state: State, node: Node, found: Findings) -> None:
    """No move may be offered; each must name existing things."""
    for item in _scalars(node):
        moves = find(state, str(item.value))
        if moves:
            help = [f"it means `{as_step(moves[0])}`"] if as_step(moves[0]) != item.value else []
            found.wrong(item.span, f"this is offered to {state.mover}", help)
        else:
            _meant(state, item, found)


def offers(state: State, node: Node, found: Findings) -> None:
    """These moves must be offered, and no others."""
    items = _scalars(node)
    known = [(item, moves) for item in items if (moves := _meant(state, item, found)) is not None]
    wanted = {move: None for _, moves in known for move in moves}
    missing = [str(item.value) for item, moves in known if not moves]
    others = [as_step(move) for move in state.moves() if move not in wanted]
    if missing or others:
        help = differences.of_sets(missing, others)
        steps = [as_step(move) for move in state.moves()]
        edits = [rewritten(node, steps)] if len(known) == len(items) else []
        found.wrong(node.span, f"{state.mover or NOBODY} is offered other moves", [help], edits)


def _meant(state: State, item: Scalar, found: Findings) -> list[Move] | None:
    """The move that is meant, if it is offered, or none; None for one that names nothing or may be
    several, which is found."""
    moves = find(state, str(item.value))
    if len(moves) > 1:
        found.wrong(item.span, ambiguous(str(item.value), moves))
        return None
    try:
        if not moves:
            check_words(state, item)
    except Failed as failure:
        found.add(failure.diagnostic())
        return None
    return moves


def _scalars(node: Node) -> list[Scalar]:
    assert isinstance(plain(node), list), "the schema asks for a list"
    items = node.items if isinstance(node, SequenceNode) else ()
    return [item for item in items if isinstance(item, Scalar)]
