"""Playing of a study: in this thread, in threads, in processes, or on a Dask cluster.

Results are kept column by column: small to send and to keep, and quick to add up.
"""

from __future__ import annotations

import socket
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import ThreadPoolExecutor as Threads
from functools import lru_cache, partial
from itertools import islice
from math import inf
from time import perf_counter
from urllib.parse import urlsplit

from rulesdsl.base.deadline import Deadline, Deadlines, active, under
from rulesdsl.base.processes import WorkerLost, Workers
from rulesdsl.base.processes import cores as cores
from rulesdsl.engine.run.interface import Playout
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.play import Game
from rulesdsl.study.simulate.plan import Study, load_variant, maker_of

Columns = dict[str, "array[int]"]
"""Columns by name: those of `COUNTED`, `over`, `winners` (a mask of seats), `score.SEAT`, and
`gain.SOURCE.SEAT` in the order of sources."""

COUNTED = ("moves", "decisions", "options", "leads")


def names(players: int, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the names of all columns."""
    seats = range(players)
    return (
        *COUNTED,
        "over",
        "winners",
        *(score(seat) for seat in seats),
        *(gain(source, seat) for source in sources for seat in seats),
    )


def score(seat: int) -> str:
    """Return the name of the column with a seat's points."""
    return f"score.{seat}"


def gain(source: str, seat: int) -> str:
    """Return the name of the column with a seat's points from a source."""
    return f"gain.{source}.{seat}"


def columns_of(games: Iterable[Playout], players: int, sources: Sequence[str]) -> Columns:
    """Return the columns of games."""
    rows = [
        (
            *(game.moves, game.decisions, game.options, game.leads, game.over),
            sum(1 << seat for seat in game.winners),
            *game.scores,
            *(points for gained in game.gains for points in gained),
        )
        for game in games
    ]
    found = names(players, sources)
    turned = zip(*rows, strict=True) if rows else ((),) * len(found)
    return {name: array("q", column) for name, column in zip(found, turned, strict=True)}


class OtherRulesets(Exception):
    """An error for a place to play whose rulesets are not those of the study."""


def play_block(study: Study, games: range) -> tuple[Columns, ...]:
    """Return the columns of these games for each variant.

    Raises PlayError if a rule fails, and OtherRulesets if the rulesets found here are not those of
    the study.
    """
    return tuple(
        columns_of(_played(study, number, games), study.players, study.kinds[number].sources)
        for number in range(len(study.variants))
    )


def play_timed(
    study: Study, deadlines: Deadlines, games: range
) -> tuple[tuple[Columns, ...], float]:
    """Return the columns of `play_block` under these deadlines, and the seconds it took."""
    begun = perf_counter()
    with under(*deadlines):
        return play_block(study, games), perf_counter() - begun


def _played(study: Study, variant: int, games: range) -> list[Playout]:
    game = _game(study, variant)
    if study.at_random:
        return list(game.playouts(games, study.players, study.seed))
    return [play_with_bots(study, game, number) for number in games]


def play_with_bots(study: Study, game: Game, number: int) -> Playout:
    """Play game `number` with bots.

    Its chance has the first seed that `docs/reference/generator.md` gives it, and the bot in each
    seat has its stream of the second.
    """
    chance, luck = seeds_of(study.seed, number)
    count = study.players
    state = game.start(count, chance)
    bots = {
        colour: maker_of(study.bots[(seat + number) % count])(luck, seat)
        for seat, colour in enumerate(state.players)
    }
    moves = list[int]()
    while state.mover is not None:
        move = bots[state.mover].decide(state)
        moves.append(state.moves().index(move))
        state.play(move)
    return game.told(moves, count, chance)


@lru_cache(8)
def _game(study: Study, variant: int) -> Game:
    """Return the game of a variant, loaded once in each process."""
    game = load_variant(study.ruleset, study.variants[variant], study.engine, study.paths)
    if game.digest != study.kinds[variant].digest:
        raise OtherRulesets(
            f"the files of `{study.ruleset}` or its expansions differ on this machine"
        )
    return game


Block = tuple[range, tuple[Columns, ...]]
"""Games, and their columns by variant."""

Runner = Callable[[Study, Iterable[range]], Iterator[Block]]

Timed = tuple[range, tuple[Columns, ...], float]
"""Games, their columns by variant, and the seconds they took."""

AHEAD = 3
"""The number of blocks or portions in progress for each worker."""

PORTION = 0.1
"""The seconds that the games of a portion take, unless a single game takes longer.

If playing is interrupted, no more than that is lost of finished games.
"""


def local(jobs: int) -> Runner:
    """Return a runner that plays on this machine in `jobs` threads or processes.

    It uses threads if the engine lets them play in parallel, otherwise processes.
    """

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        portions = _Portions(blocks)
        found: Iterator[Timed]
        if study.at_random and study.engine == "wasm":
            # A thread even for one job, as this thread has to handle signals.
            found = _in_threads(study, portions, jobs)
        elif jobs == 1:
            found = ((games, *play_timed(study, (), games)) for games in portions)
        else:
            found = _in_processes(study, portions, jobs)
        for games, played, seconds in found:
            portions.took(len(games), seconds)
            yield games, played

    return run


class _Portions:
    """The games of blocks, in portions that depend on how long games take."""

    def __init__(self, blocks: Iterable[range]) -> None:
        self._blocks, self._size = blocks, 1

    def __iter__(self) -> Iterator[range]:
        for block in self._blocks:
            at = block.start
            while at < block.stop:
                end = min(at + self._size, block.stop)
                yield range(at, end)
                at = end

    def took(self, games: int, seconds: float) -> None:
        """Adapt the size of portions to the time that games have taken."""
        self._size = max(1, int(PORTION * games / max(seconds, 1e-9)))


def _in_processes(study: Study, portions: Iterable[range], jobs: int) -> Iterator[Timed]:
    with Workers(partial(play_timed, study, active()), jobs) as workers:
        for games, (played, seconds) in workers.unordered(portions, patience=PORTION):
            yield games, played, seconds


def _in_threads(study: Study, portions: Iterable[range], jobs: int) -> Iterator[Timed]:
    """Keep portions in progress, and yield each as soon as it is played."""
    left = iter(portions)
    under_way: dict[Future[tuple[tuple[Columns, ...], float]], range] = {}
    pool, closed = Threads(jobs), Deadline()
    play = partial(play_timed, study, (*active(), closed))

    def done(seconds: float | None) -> Iterator[Timed]:
        found, _ = wait(under_way, seconds, return_when=FIRST_COMPLETED)
        for future in found:
            yield under_way.pop(future), *future.result()

    try:
        while True:
            for games in islice(left, jobs * AHEAD - len(under_way)):
                under_way[pool.submit(play, games)] = games
            if not under_way:
                return
            yield from done(None)
    except KeyboardInterrupt:
        yield from done(PORTION)
        raise
    finally:
        # Nobody waits for the games in progress any more.
        closed.stop()
        pool.shutdown(wait=False, cancel_futures=True)


DEFAULT_PORT = 8786
PATIENCE = 20
"""The seconds that a scheduler may take to answer."""


class NoScheduler(Exception):
    """An error for an address at which no scheduler answers."""


def on_cluster(address: str) -> Runner:
    """Return a runner that plays on the workers of the Dask scheduler at `tcp://host:8786`.

    Games that a worker did not finish before it died are played by another one. Raises ImportError
    without the package, and NoScheduler if nobody answers.
    """

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        from distributed import Client

        _knock(address)
        with Client(address, timeout=PATIENCE, set_as_default=False) as client:
            yield from _blocks(client, study, blocks)

    return run


def _knock(address: str) -> None:
    """Raise NoScheduler if nobody answers at an address, since a client would retry forever."""
    try:
        found = urlsplit(address if "://" in address else f"tcp://{address}")
        with socket.create_connection((found.hostname, found.port or DEFAULT_PORT), PATIENCE):
            return
    except (OSError, ValueError) as error:
        raise NoScheduler(f"no Dask scheduler answers at `{address}`") from error


def _blocks(client, study: Study, blocks: Iterable[range]) -> Iterator[Block]:  # type: ignore[no-untyped-def]
    from distributed import KilledWorker, as_completed

    left, deadlines = iter(blocks), active()
    games_of = {}

    def submit(count: int) -> list:  # type: ignore[type-arg]
        made = []
        for games in islice(left, count):
            key = f"rulesdsl-{study.digest[:16]}-{games.start}-{games.stop}"
            seconds = min((deadline.left for deadline in deadlines), default=inf)
            future = client.submit(_play_for, seconds, study, games, key=key)
            games_of[future.key] = games
            made.append(future)
        return made

    width = AHEAD * max(1, sum(client.nthreads().values()))
    running = as_completed(submit(width), loop=client.loop)
    for future in running:
        try:
            played = future.result()
        except KilledWorker as error:
            raise WorkerLost("workers ended repeatedly while playing the same games") from error
        games = games_of.pop(future.key)
        future.release()
        yield games, played
        running.update(submit(1))


def _play_for(seconds: float, study: Study, games: range) -> tuple[Columns, ...]:
    """Play a block for at most so many seconds, since clocks of machines differ."""
    with under(Deadline(seconds)):
        return play_block(study, games)
