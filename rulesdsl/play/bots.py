"""Bots, which search a player's sample of the state and never see the state itself."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from functools import partial

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run import DEFAULT_ENGINE, playable
from rulesdsl.engine.run.interface import PlayError, Position, standings
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.rng import Rng
from rulesdsl.play.game import State
from rulesdsl.play.moves import Move


class Bot(ABC):
    """A player of seat `seat` in a game started with `seed`.

    All its random numbers come from its own stream, `1 + seat` of the seed: one word for each
    sample, and more as it needs them to choose.
    """

    def __init__(self, seed: int, seat: int) -> None:
        self.rng = Rng.seeded(seed, 1 + seat)

    def decide(self, state: State) -> Move:
        """Return the move for the mover of `state`, who is the bot's player.

        The state does not change.
        """
        mover = state.mover
        assert mover is not None, "the game is not over"
        return self.choose(state.sample(mover, self.rng.word()))

    @abstractmethod
    def choose(self, sample: State) -> Move:
        """Return one of `sample.moves()`; the bot may change the sample."""


PLAYOUTS = 2000
SAMPLES = 8
"""The number of samples of a search if something is hidden."""


@dataclass(frozen=True)
class Budget:
    """The time to think about a move, as a number of playouts or as seconds."""

    playouts: int | None = PLAYOUTS
    seconds: float | None = None


class MctsBot(Bot):
    """Monte Carlo search within a `budget` (see `engine.runtime.search`).

    With a number of playouts the same seed gives the same moves. It draws one word for each further
    sample, and one for the search. Positions that another engine plays are searched on a copy that
    `wasm` plays; where `wasmtime` cannot be loaded, see `after_one_move`.
    """

    def __init__(self, seed: int, seat: int, budget: Budget | None = None) -> None:
        super().__init__(seed, seat)
        self.budget = budget or Budget()

    def choose(self, sample: State) -> Move:
        """Return the move with the most playouts, among several the one with the best value."""
        moves = sample.moves()
        if len(moves) == 1:
            return moves[0]
        if not searches():
            return after_one_move(sample, self.rng)
        first, *others = [each.position.compiled() for each in self._samples(sample)]
        playouts = MANY if self.budget.playouts is None else self.budget.playouts
        return moves[first.search(others, self.rng.word(), playouts, self.budget.seconds)]

    def _samples(self, sample: State) -> list[State]:
        own = sample.mover
        assert own is not None, "a bot is asked for its player's move"
        if not sample.hides(own):
            return [sample]
        return [sample, *(sample.sample(own, self.rng.word()) for _ in range(1, SAMPLES))]


MANY = 1 << 30
"""More playouts than there is time for."""


def searches() -> bool:
    """Return whether positions can be searched: `wasmtime` can be loaded."""
    return playable(DEFAULT_ENGINE)[0] == DEFAULT_ENGINE


def after_one_move(sample: State, rng: Rng) -> Move:
    """Return a move with the largest margin if the game ended after it, one of them at random.

    Bots that search choose so where `wasmtime` cannot be loaded. At most `COMPARED` moves, evenly
    spread, are tried; one in which a rule fails is left out.
    """
    moves = sample.moves()
    margins = {
        row: _margin(sample, row) for row in range(0, len(moves), 1 + len(moves) // COMPARED)
    }
    best = max(margins.values())
    rows = [row for row, margin in margins.items() if margin == best > LEAST] or [0]
    return moves[rows[rng.below(len(rows)) if len(rows) > 1 else 0]]


COMPARED = 60


def _margin(sample: State, row: int) -> int:
    """Return the mover's margin if the game ended after this move."""
    position = sample.position.clone()
    try:
        position.play(row)
    except PlayError:
        return LEAST
    return _ended(position, sample.position.outlook.seat)


def _ended(position: Position, seat: int | None) -> int:
    """Return the score of a seat minus the best rival's if the game ended in a position."""
    try:
        position.finish()
        own, *others = sorted(enumerate(standings(position)), key=lambda each: each[0] != seat)
    except PlayError:
        return LEAST
    return own[1] - max((score for _, score in others), default=0)


MAX_TRIES = 400
"""The number of sequences of moves that a greedy bot tries at a decision."""

FURTHER = 16
"""The number of playouts with which a greedy bot compares moves that all have the same margin."""


class RandomBot(Bot):
    """A bot that chooses among all moves with equal probability."""

    def decide(self, state: State) -> Move:
        """Return a uniformly drawn move.

        No sample is made, since that takes longer than the move: the player has the same moves in
        it, and the bot looks at nothing else.
        """
        self.rng.word()  # the seed of the sample
        return self.choose(state)

    def choose(self, sample: State) -> Move:
        """Return a uniformly drawn move."""
        moves = sample.moves()
        return moves[self.rng.below(len(moves))]


class GreedyBot(Bot):
    """A bot that maximises its own score minus the best rival's at the end of its own moves.

    It tries sequences of its own moves until the mover changes or chance comes, ends each copy
    there as if the game ended now, and keeps the moves that begin a sequence with the largest
    margin. If there are more than `MAX_TRIES` sequences, it tries every move, gives each an even
    share of the tries for what can follow it, and ends the copies there. Sequences in which a rule
    fails are left out.

    Where chance decides what an option is worth, the bot compares the mean of `DRAWS` samples that
    go on after chance, the same ones for all moves. They have the stream `100 + seat`, so that
    moves which chance does not decide do not depend on them.

    If the margin is the same for all moves, as where points come rounds later, a tree search with
    `FURTHER` playouts chooses. Positions that another engine plays are tried on a copy that `wasm`
    plays; where `wasmtime` cannot be loaded, see `after_one_move`.
    """

    def __init__(self, seed: int, seat: int) -> None:
        super().__init__(seed, seat)
        self._certain: Counter[str] = Counter()
        self._luck = Rng.seeded(seed, 100 + seat)

    def choose(self, sample: State) -> Move:
        """Return a move that begins a best sequence; draw one number if there are several.

        The number is the seed of the search if the margin is the same for all moves.
        """
        moves = sample.moves()
        if len(moves) == 1:
            return moves[0]
        if not searches():
            return after_one_move(sample, self.rng)
        position = sample.position.compiled()
        margins = self._mean(sample, _margins(position, MAX_TRIES))
        best = max(margins)
        if best == min(margins) > LEAST:
            return moves[position.search([], self.rng.word(), FURTHER)]
        rows = [row for row, margin in enumerate(margins) if margin == best > LEAST] or [0]
        return moves[rows[self.rng.below(len(rows)) if len(rows) > 1 else 0]]

    def _mean(self, sample: State, margins: list[int]) -> list[int]:
        """Return the margins, times `DRAWS`; those of moves that chance decides are means.

        An option of which the first move came out as expected `PROBED` times is not asked again.
        """
        moves = sample.moves()
        first: dict[str, int] = {}
        for row, move in enumerate(moves):
            first.setdefault(move.name, row)
        asked = {name: row for name, row in first.items() if self._certain[name] < PROBED}
        own = sample.mover
        if not asked or own is None:
            return [DRAWS * margin for margin in margins]
        worlds = [self._world(sample, own) for _ in range(2)]
        for name, row in asked.items():
            even = all(_after(world, row, margins[row]) == margins[row] for world in worlds)
            self._certain[name] = self._certain[name] + 1 if even else 0
        chancy = {name for name in asked if self._certain[name] == 0}
        while chancy and len(worlds) < DRAWS:
            worlds.append(self._world(sample, own))
        return [
            sum(_after(world, row, margin) for world in worlds)
            if moves[row].name in chancy
            else DRAWS * margin
            for row, margin in enumerate(margins)
        ]

    def _world(self, sample: State, own: str) -> LoweredPosition:
        return sample.sample(own, self._luck.word()).position.compiled()


DRAWS = 12
"""The number of samples over which a greedy bot takes the mean."""

PROBED = 4
"""The number of times that a greedy bot looks whether chance decides what an option is worth."""


def _margins(position: LoweredPosition, tries: int) -> list[int]:
    """Return the margin of the mover after the best sequence that begins with each move."""
    from rulesdsl.engine.runtime.outcomes import MARGIN, TRIED  # a game without this bot needs less

    found = position.outcomes(tries)
    return [outcome[MARGIN] if outcome[TRIED] else LEAST for outcome in found]


def _after(world: LoweredPosition, row: int, margin: int) -> int:
    """Return the mover's margin after a move and what chance makes of it.

    It is `margin` if chance does not come. The player makes the best further moves if it is asked
    next.
    """
    seat, position = world.outlook.seat, world.clone()
    try:
        position.play(row)
        if list(position.tables["rng"]) == list(world.tables["rng"]):
            return margin
        if position.outlook.seat == seat:
            return max(_margins(position, MAX_TRIES // DRAWS))
    except PlayError:
        return LEAST
    return _ended(position, seat)


LEAST = -(1 << 40)
"""Less than any margin."""


BOTS: dict[str, type[Bot]] = {"greedy": GreedyBot, "mcts": MctsBot, "random": RandomBot}
"""The bots by name."""


def bot_maker(text: str) -> Callable[[int, int], Bot]:
    """Return a function that makes the bot called `text` from a seed and a seat.

    `mcts` may have a budget: playouts a move (`mcts:500`) or seconds (`mcts:0.5s`). Raises
    ValueError for anything else.
    """
    name, colon, budget = text.partition(":")
    if name not in BOTS:
        raise ValueError(f"there is no bot `{name}`; the bots are {', '.join(sorted(BOTS))}")
    if not colon:
        return BOTS[name]
    if name != "mcts":
        raise ValueError(f"only `mcts` has a budget, `{name}` has none: leave out `:{budget}`")
    return partial(MctsBot, budget=_budget(text, budget))


def _budget(text: str, budget: str) -> Budget:
    playouts = re.fullmatch(r"[0-9]{1,9}", budget)
    seconds = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)s", budget)
    if playouts and int(budget) > 0:
        return Budget(int(budget))
    if seconds and float(seconds[1]) > 0:
        return Budget(None, float(seconds[1]))
    raise ValueError(
        f"`{text}`: a budget is a number of playouts (mcts:2000) or of seconds (mcts:0.5s)"
    )
