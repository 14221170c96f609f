"""The reference engine, which walks the checked tree over plain data: slow, and easy to verify."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rulesdsl.engines.engine import Change, PlayError, Playout, RulePlace, standings
from rulesdsl.engines.playouts import seeds_of
from rulesdsl.engines.reference import machine
from rulesdsl.engines.reference.context import Watcher
from rulesdsl.engines.reference.position import ReferencePosition, from_bytes, start
from rulesdsl.engines.reference.runtime import Callables, Runtime
from rulesdsl.engines.reference.world import World
from rulesdsl.engines.rng import Rng
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Checked
from rulesdsl.model.flow import sources
from rulesdsl.model.values import Player


class Account:
    """A game that keeps statistics while it is played.

    The `watcher` is called for everything that runs.
    """

    def __init__(
        self, checked: Checked, players: int, seed: int, watcher: Watcher | None = None
    ) -> None:
        self._checked = checked
        self._gains: Counter[tuple[str, int]] = Counter()
        self._runtime = Runtime(Callables(checked), World(checked, players))
        self._runtime.watcher, self._runtime.listener = watcher, self._hear
        self._runtime.generator = Rng.seeded(seed)
        machine.begin(self._runtime, checked.play)
        self.position = ReferencePosition(self._runtime, (None, ("start", players, seed)))
        self._moves = self._decisions = self._options = self._leads = 0
        self._lead: int | None = None
        self._look()

    def play(self, index: int) -> None:
        """Play candidate `index`."""
        decision = self.position.decision
        assert decision is not None, "the game is not over"
        if decision.seat is not None:
            self._decisions += 1
            self._options += len(decision.candidates)
        self.position.play(index)
        self._moves += 1
        self._look()

    def result(self) -> Playout:
        """Return the result of the game so far."""
        position, seats = self.position, range(self.position.players)
        return Playout(
            self._moves,
            position.decision is None,
            position.winners,
            position.scores(),
            self._decisions,
            self._options,
            self._leads,
            tuple(
                tuple(self._gains[source, seat] for seat in seats)
                for source in sources(self._checked).names
            ),
        )

    def _hear(self, change: Change) -> None:
        """Add up the points of each seat by source."""
        if change.name == self._checked.score:
            (owner,) = change.arguments
            assert isinstance(owner, Player), "a score is a player's"
            self._gains[change.source, owner.seat] += change.amount

    def _look(self) -> None:
        """Count a change of the lead."""
        scores = standings(self.position)
        if scores.count(max(scores)) > 1:
            return
        leader = scores.index(max(scores))
        self._leads += self._lead not in (None, leader)
        self._lead = leader


def playouts(
    checked: Checked, players: int, seed: int, games: range, limit: int
) -> Iterator[Playout]:
    """Play games of a seed at random and yield their results in order.

    Each game is given up after `limit` moves. Raises PlayError at the first game in which a rule
    fails.
    """
    for number in games:
        chance, drawn = seeds_of(seed, number)
        account, luck = Account(checked, players, chance), Rng.seeded(drawn)
        position = account.position
        for _ in range(limit):
            if position.decision is None:
                break
            account.play(luck.weighted([each.weight for each in position.decision.candidates]))
        yield account.result()


def told(checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
    """Play candidates of the game of a seed, one after the other, and return the result.

    Raises PlayError when a rule fails.
    """
    account = Account(checked, players, seed)
    for index in moves:
        account.play(index)
    return account.result()


class WatchedGame:
    """An `engines.engine.Trial` that uses a watcher."""

    def __init__(self, checked: Checked, players: int) -> None:
        self._checked, self._players = checked, players

    def start(self, seed: int | None) -> ReferencePosition:
        """Return a new game at its first decision; raises PlayError when a rule fails before it."""
        return start(self._checked, self._players, seed)

    def told(
        self, seed: int, moves: Sequence[int], *, finish: bool = False
    ) -> tuple[Playout | None, frozenset[RulePlace]]:
        """Play candidates of the game of a seed and return the result and the rules that ran.

        With `finish` the game is then ended. If a rule fails, the play stops there and the result
        is None.
        """
        ran = set[RulePlace]()

        def watch(node: tree.Node, _: bool) -> None:
            ran.add((node.span.source.name, node.span.start))

        try:
            account = Account(self._checked, self._players, seed, watch)
            for index in moves:
                account.play(index)
            if finish:
                account.position.finish()
        except PlayError:
            return None, frozenset(ran)
        return account.result(), frozenset(ran)


def trial(checked: Checked, players: int) -> WatchedGame:
    """Return a game prepared for a few plays."""
    return WatchedGame(checked, players)


__all__ = [
    "Account",
    "ReferencePosition",
    "WatchedGame",
    "from_bytes",
    "playouts",
    "start",
    "told",
    "trial",
]
