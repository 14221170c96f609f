"""Random playouts: their seeds, their moves and their results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from rulesdsl.base.deadline import Deadline, Deadlines, active, under
from rulesdsl.engine.run.interface import Playout, Position
from rulesdsl.engine.run.rng import Rng

LIMIT = 1 << 40
"""The number of moves after which a game is given up.

No game has as many, because rules limit decisions.
"""

CHUNK = 1024
"""The number of games that a thread plays at a time."""

AHEAD = 3
"""The number of chunks per thread that are queued: enough to keep it busy, few enough to hold."""


def seeds_of(seed: int, number: int) -> tuple[int, int]:
    """Return the seeds of the chance and of the random players of game `number` (from 0) of a seed.

    See `docs/reference/generator.md`.
    """
    words = Rng.seeded(seed, -1 - number).state
    return words[0] | words[1] << 32, words[2] | words[3] << 32


def play_out(position: Position, limit: int, luck: Rng) -> int:
    """Play moves drawn with `luck` until the game is over or `limit` moves were played.

    Outcomes of chance are drawn by their weights. Returns the number of moves. Raises PlayError in
    the position in which a move failed.
    """
    for played in range(limit):
        decision = position.decision
        if decision is None:
            return played
        position.play(luck.weighted([each.weight for each in decision.candidates]))
    return limit


Chunk = tuple[list[Playout], Exception | None]
"""The results of some games, and the error that stopped the next one."""


def in_threads(
    play: Callable[[range], Iterator[Playout]],
    games: range,
    threads: int,
    deadline: Deadline | None = None,
) -> Iterator[Playout]:
    """Yield the results of all games in order, played by this number of threads.

    They stop at the deadlines of this thread, at `deadline`, and when this generator is closed.
    """
    closed = Deadline()
    deadlines = (*active(), *filter(None, (deadline,)), closed)
    chunks = (games[at : at + CHUNK] for at in range(0, len(games), CHUNK))
    if threads == 1:
        for chunk in chunks:
            yield from _results(_chunk(play, deadlines, chunk))
        return
    # This import takes as long as starting a game.
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    play_chunk = partial(_chunk, play, deadlines)
    under_way = deque(pool.submit(play_chunk, each) for each in islice(chunks, threads * AHEAD))
    try:
        while under_way:
            chunk_played = under_way.popleft().result()
            under_way.extend(pool.submit(play_chunk, each) for each in islice(chunks, 1))
            yield from _results(chunk_played)
    finally:
        closed.stop()
        pool.shutdown(cancel_futures=True)


def _chunk(play: Callable[[range], Iterator[Playout]], deadlines: Deadlines, games: range) -> Chunk:
    """Play games one after the other under these deadlines."""
    found = list[Playout]()
    with under(*deadlines):
        try:
            found.extend(play(games))
        except Exception as error:
            return found, error
    return found, None


def _results(chunk: Chunk) -> Iterator[Playout]:
    """Yield the results of a chunk, then raise the error that stopped it, if any."""
    found, error = chunk
    yield from found
    if error is not None:
        raise error
