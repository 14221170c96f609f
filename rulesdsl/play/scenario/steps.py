"""Moves as scenarios write them: `take corner; at 1,0,90; put house village@N.E; pass`.

A move is the name of its option, then its arguments in order as text; places may leave out their
brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulesdsl.builtins import EFFECTS
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.nodes import Scalar
from rulesdsl.play.game import CHANCE, State
from rulesdsl.play.move import Move, matches
from rulesdsl.play.scenario.failure import Failed

NOBODY = "nobody"
"""Who decides when the game is over."""

_SHOWN = 6
_CHANCE = {name for name, effect in EFFECTS.items() if effect.asks}


def play_line(state: State, line: Scalar) -> None:
    """Play the moves of one line; raises Failed at one that is not offered, and PlayError."""
    for step in str(line.value).split(";"):
        if not step.strip():
            raise Failed("a move is missing before or after a `;`", line.span)
        found = find(state, step)
        if len(found) != 1:
            raise Failed(_why(state, step, found), line.span)
        state.play(found[0])


def find(state: State, step: str) -> list[Move]:
    """The moves offered now that `step` may mean."""
    name, *arguments = step.split() or [""]
    return [
        move
        for move in state.moves()
        if matches(move, name, {})
        and len(arguments) == len(move.args)
        and all(_same(given, text) for given, (_, text) in zip(arguments, move.texts, strict=True))
    ]


def check_words(state: State, step: Scalar) -> None:
    """Raise Failed for a move that can never be offered: no option has its name, or no piece that
    is laid has the segment it names."""
    name, *arguments = str(step.value).split()
    options = {
        known
        for choice in state.game.checked.choices.values()
        for option in choice.options
        for known in (option.name, option.name.rpartition(".")[2])
    } | _CHANCE
    if name not in options:
        raise Failed(f"there is no option `{name}`", step.span, did_you_mean(name, options))
    known = segment_names(state)
    for argument in (argument.rpartition(":")[2] for argument in arguments):
        if "@" in argument and argument not in known:
            message = f"no piece that is laid has a segment `{argument}`"
            raise Failed(message, step.span, did_you_mean(argument, known))


def segment_names(state: State) -> set[str]:
    """The names, short and full, of all segments on the grids."""
    names = state.names
    laid = [segment for _, segments in state.position.features() for segment in segments]
    return {str(name) for segment in laid for name in (names.short(segment), names.full(segment))}


def _same(given: str, text: str) -> bool:
    return given == text or f"({given})" == text


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


def _why(state: State, step: str, found: list[Move]) -> str:
    step = " ".join(step.split())
    if state.mover is None:
        return f"`{step}` comes after the end of the game"
    if found:
        return f"`{step}` could be {len(found)} different moves"
    refused = "cannot happen now" if state.mover == CHANCE else f"is not offered to {state.mover}"
    return f"`{step}` {refused}; there is {offered(state)}"
