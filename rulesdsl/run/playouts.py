"""Whole games played out at random: which games there are, and what comes of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from rulesdsl.run.engine import Playout, Position
from rulesdsl.run.rng import Rng

LIMIT = 1 << 40
"""After so many moves a game is given up: more than any has, as rules limit decisions."""

CHUNK = 1024
"""So many games are played by one thread before it takes more."""

AHEAD = 3
"""So many chunks a thread are under way: enough that none waits, few enough to keep."""


def seeds_of(seed: int, number: int) -> tuple[int, int]:
    """The seeds of game `number` (from 0) of a seed: of its chance, and of its random players. See
    `docs/generator.md`."""
    words = Rng.seeded(seed, -1 - number).state
    return words[0] | words[1] << 32, words[2] | words[3] << 32


def play_out(position: Position, limit: int, luck: Rng) -> int:
    """Play moves drawn with `luck`, chance by its weights, until the game is over or `limit` moves
    were played; gives how many. Raises PlayError in the position in which a move failed."""
    for played in range(limit):
        decision = position.decision
        if decision is None:
            return played
        position.play(luck.weighted([each.weight for each in decision.candidates]))
    return limit


def roll_out(position: Position, count: int, seed: int, limit: int) -> list[Playout]:
    """What `Position.rollouts` gives, by way of what all positions can do."""
    luck, found = Rng.seeded(seed), list[Playout]()
    for _ in range(count):
        copy = position.clone()
        copy.offer_chance()
        played = play_out(copy, limit, luck)
        over = copy.decision is None
        if not over:
            copy.finish()
        found.append(Playout(played, over, copy.winners, copy.scores()))
    return found


def in_threads(
    play: Callable[[range], list[Playout]], games: range, threads: int
) -> Iterator[Playout]:
    """What comes of all games, in their order, played by so many threads."""
    chunks = (games[at : at + CHUNK] for at in range(0, len(games), CHUNK))
    if threads == 1:
        for chunk in chunks:
            yield from play(chunk)
        return
    # Importing it takes as long as starting a game.
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    under_way = deque(pool.submit(play, chunk) for chunk in islice(chunks, threads * AHEAD))
    try:
        while under_way:
            played = under_way.popleft().result()
            under_way.extend(pool.submit(play, chunk) for chunk in islice(chunks, 1))
            yield from played
    finally:
        pool.shutdown(cancel_futures=True)
