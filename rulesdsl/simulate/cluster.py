"""The blocks of a study on a Dask cluster."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf
from urllib.parse import urlsplit

from rulesdsl.deadline import Deadline, active, under
from rulesdsl.processes import WorkerLost
from rulesdsl.simulate.columns import Columns
from rulesdsl.simulate.plan import Study
from rulesdsl.simulate.playing import play_block
from rulesdsl.simulate.runners import AHEAD, Block, Runner

DEFAULT_PORT = 8786
PATIENCE = 20
"""How many seconds a scheduler may take to answer."""


class NoScheduler(Exception):
    """No scheduler answers at an address."""


def on_cluster(address: str) -> Runner:
    """On the workers of the Dask scheduler at an address, as `tcp://host:8786`; what a worker did
    not finish before it died is played by another one. Raises ImportError without the package,
    NoScheduler if nobody answers."""

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        from distributed import Client

        _knock(address)
        with Client(address, timeout=PATIENCE, set_as_default=False) as client:
            yield from _played(client, study, blocks)

    return run


def _knock(address: str) -> None:
    """See whether anybody is there: a client that has nobody to talk to tries on and on."""
    try:
        found = urlsplit(address if "://" in address else f"tcp://{address}")
        with socket.create_connection((found.hostname, found.port or DEFAULT_PORT), PATIENCE):
            return
    except (OSError, ValueError) as error:
        raise NoScheduler(f"no Dask scheduler answers at `{address}`") from error


def _played(client, study: Study, blocks: Iterable[range]) -> Iterator[Block]:  # type: ignore[no-untyped-def]
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
            raise WorkerLost("workers died again and again over the same games") from error
        games = games_of.pop(future.key)
        future.release()
        yield games, played
        running.update(submit(1))


def _play_for(seconds: float, study: Study, games: range) -> tuple[Columns, ...]:
    """Play a block for so long at most: clocks of other machines show other times."""
    with under(Deadline(seconds)):
        return play_block(study, games)
