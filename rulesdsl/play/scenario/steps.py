"""Moves as scenarios write them: `take corner; at 1,0,90; put house village@N.E; pass`.

A move is the name of its option, then its arguments in order; `rulesdsl.play.written` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulesdsl.model.nodes import Scalar
from rulesdsl.play.game import CHANCE, State
from rulesdsl.play.move import Move
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.vocabulary import Mistake, mistake_in
from rulesdsl.play.written import wanted

NOBODY = "nobody"
"""Who decides when the game is over."""

_SHOWN = 6


def play_line(state: State, line: Scalar) -> None:
    """Play the moves of one line; raises Failed at one that is not offered, and PlayError."""
    for step in str(line.value).split(";"):
        if not step.strip():
            raise Failed("a move is missing before or after a `;`", line.span)
        found = find(state, step)
        if len(found) != 1:
            message, help = why_not(state, step, found)
            raise Failed(message, line.span, help)
        state.play(found[0])


def find(state: State, step: str) -> list[Move]:
    """List the moves offered now that `step` may mean."""
    move = wanted(step)
    count = len(move.ordered) + len(move.named)
    return [each for each in state.meant(move) if len(each.args) == count]


def check_words(state: State, step: Scalar) -> None:
    """Raise Failed for a move that can never be offered, since it names what does not exist."""
    if (mistake := mistake_in(wanted(str(step.value)), state)) is not None:
        message, help = mistake
        raise Failed(message, step.span, help)


def as_step(move: Move) -> str:
    """The text of `move` in a scenario."""
    return step_text(move.name, [text for _, text in move.texts])


def step_text(name: str, arguments: Sequence[str]) -> str:
    """The text in a scenario of the move called so, with the texts of its arguments."""
    texts = [text.strip("()") if text.startswith("(") else text for text in arguments]
    return " ".join([name.rpartition(".")[2], *texts])


def offered(state: State) -> str:
    """The first moves that are offered now, as steps, and how many more there are."""
    steps = [as_step(move) for move in state.moves()]
    shown = ", ".join(f"`{text}`" for text in steps[:_SHOWN])
    return f"{shown} and {len(steps) - _SHOWN} more" if len(steps) > _SHOWN else shown


def ambiguous(step: str, found: Sequence[Move]) -> str:
    """Say which moves a step may mean."""
    shown = ", ".join(f"`{as_step(move)}`" for move in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"`{' '.join(step.split())}` could be {len(found)} different moves: {shown}{more}"


def why_not(state: State, step: str, found: Sequence[Move]) -> Mistake:
    """Say why a step, which may mean the moves that are `found`, is not one move that is offered,
    and what to type instead."""
    shown = " ".join(step.split())
    if state.mover is None:
        return f"`{shown}` comes after the end of the game", ()
    if found:
        return ambiguous(step, found), ()
    if (mistake := mistake_in(wanted(step), state)) is not None:
        message, help = mistake
        return message, (*help, f"offered now: {offered(state)}")
    refused = "cannot happen now" if state.mover == CHANCE else f"is not offered to {state.mover}"
    return f"`{shown}` {refused}; there is {offered(state)}", ()
