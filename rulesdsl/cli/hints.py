"""Hints: what each legal move leads to for the player who asks."""

from __future__ import annotations

from statistics import mean

from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.rng import Rng
from rulesdsl.play import Move, State
from rulesdsl.play.bots import GreedyBot, compiled
from rulesdsl.play.events import Gain, GainLog
from rulesdsl.play.game import CHANCE
from rulesdsl.records import dataclass

_FOLLOWING = 8
"""The most decisions of the player that are looked at after a move."""
_DRAWS = 20
"""The number of draws of hidden pieces and of chance that a hint is made of."""
_COMPARED = 3
"""The number of draws of hidden pieces in which gains must be equal to be certain."""


@dataclass(frozen=True)
class Hint:
    """The points if the game ended after a move, and the gains that are certain.

    Further decisions of the player before the turn ends are made as `greedy` makes them. Hidden
    pieces and chance are drawn several times: `points` is the mean, `low` and `high` are the least
    and the most. `gains` are those that the move gives whatever is drawn.
    """

    points: float
    low: int
    high: int
    gains: tuple[Gain, ...]


def hints(state: State) -> dict[Move, Hint]:
    """Return a hint for each legal move, from states that look the same to the player.

    Moves after which a rule fails have none.
    """
    mover = state.mover
    assert mover is not None, "someone is asked"
    compared = _COMPARED if state.hides(mover) else 1
    samples = [_sample(state, mover, seed) for seed in range(_DRAWS)]
    found = {}
    for move in state.moves():
        points, gains = list[int](), list[tuple[Gain, ...]]()
        try:
            for seed, sample in enumerate(samples):
                tried = _Trial(sample.clone(), mover, seed, listens=seed < compared)
                tried.play(move)
                points.append(tried.end())
                if tried.gains is not None:
                    gains.append(tried.gains)
                if compared == 1 and not tried.drawn:
                    break
        except PlayError:
            continue
        sure = tuple(each for each in gains[0] if all(each in others for others in gains))
        found[move] = Hint(mean(points), min(points), max(points), sure)
    return found


def _sample(state: State, mover: str, seed: int) -> State:
    """Return a state that looks the same to the player, on the fastest engine, with open chance."""
    sample = State(state.game, compiled(state.sample(mover, seed).position))
    sample.offer_chance()
    return sample


class _Trial:
    """A move and the rest of the player's turn.

    A turn ends with the decision of another player, and before an outcome of chance once the
    player's points have changed: that chance belongs to what comes next. `drawn` tells whether
    chance decided anything, `gains` are the player's before that, or None if nobody listens.
    """

    def __init__(self, state: State, mover: str, seed: int, *, listens: bool) -> None:
        self._state, self._mover = state, mover
        self._bot, self._luck = GreedyBot(seed, state.players.index(mover)), Rng.seeded(seed)
        self._before = self._score()
        self._log = GainLog(state) if listens else None
        self.gains: tuple[Gain, ...] | None = None
        self.drawn = False

    def play(self, move: Move) -> None:
        """Play the move and the decisions after it; raises PlayError."""
        state, decisions = self._state, 0
        if self._log is not None:
            state.listen(self._log.hear)
        state.play(move)
        while state.mover in (self._mover, CHANCE) and decisions < _FOLLOWING:
            if state.mover == CHANCE:
                if self._score() != self._before:
                    break
                self._draw()
            else:
                decisions += 1
                state.play(self._bot.choose(state))
        self._heard()

    def _draw(self) -> None:
        """Draw an outcome of chance; gains after it are not certain."""
        self._heard()
        self.drawn = True
        weights = [move.weight for move in self._state.moves()]
        # By its number, since two outcomes may have the same name.
        self._state.position.play(self._luck.weighted(weights))
        self._state.refresh()

    def _heard(self) -> None:
        if self._log is not None:
            self.gains = tuple(each for each in self._log.take() if each.player == self._mover)
            self._state.listen(None)
            self._log = None

    def end(self) -> int:
        """Return the player's points if the game ended now; raises PlayError."""
        if self._state.mover is not None:
            self._state.finish()
        return self._score()

    def _score(self) -> int:
        return self._state.scores()[self._mover]
