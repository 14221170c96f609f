"""Hints: what each legal move leads to for the player who asks."""

from __future__ import annotations

from rulesdsl.engines.engine import PlayError
from rulesdsl.play import Move, State
from rulesdsl.play.bots import GreedyBot
from rulesdsl.play.watch import Gain, GainLog
from rulesdsl.records import dataclass

_FOLLOWING = 8
"""The most decisions of the player that are looked at after a move."""


@dataclass(frozen=True)
class Hint:
    """The result of a move: the points if the game ended after it, and those it gives at once.

    Further decisions of the player before the turn ends are made as `greedy` makes them.
    """

    points: int
    gains: tuple[Gain, ...]


def hints(state: State) -> dict[Move, Hint]:
    """Return a hint for each legal move, from a state that looks the same to the player.

    Moves after which a rule fails have none.
    """
    mover = state.mover
    assert mover is not None, "someone is asked"
    sample = state.sample(mover, 0)
    found = {}
    for move in sample.moves():
        try:
            found[move] = _tried(sample.clone(), move, mover)
        except PlayError:
            continue
    return found


def _tried(state: State, move: Move, mover: str) -> Hint:
    log = GainLog(state)
    state.listen(log.hear)
    bot = GreedyBot(0, state.players.index(mover))
    state.play(move)
    for _ in range(_FOLLOWING):
        if state.mover != mover:
            break
        state.play(bot.choose(state))
    gains = tuple(gain for gain in log.take() if gain.player == mover)
    state.listen(None)
    if state.mover is not None:
        state.finish()
    return Hint(state.scores()[mover], gains)
