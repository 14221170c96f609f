"""Moves at many tables of servers on the loopback address, each with two clients.

With SQLite a move is made every second at each table. The times are those on the wall: clients and
the server are different processes, and a move counts once both clients have it.

With PostgreSQL the next move is made as soon as both clients have the last one: the same games at
one server, and at two that share a database. Clients, servers and the database use the same
cores, so a second server has no core of its own, and moves a second say little about what it adds.
The claim is made by processor time: if two servers need no more of it for a move than one does, and
have a core each, they carry twice as many moves.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, NamedTuple

from tornado.websocket import WebSocketClientConnection, websocket_connect

from rulesdsl import load
from rulesdsl.host.serve import HostServer
from rulesdsl.host.store import TableStore
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.environment import ROOT

BY = "server of tables"
MEDIAN, LATE = "move to both clients, median", "move to both clients, 99th percentile"
MEMORY, WORK = "memory of a table", "processor time of a move"
ONE, TWO = "one server, PostgreSQL", "two servers, PostgreSQL"
RATE = "moves/s to both clients"
CARRIED, FASTER = "moves carried / by one server", "moves/s / of one server"
SECONDS = 1.0
"""The time between two moves at a table."""
PART = 5
"""The moves that are made at each table before other servers have their turn."""
_MOST_OPEN = 20
"""The connections that are opened at once."""


def tasks(plan: Plan) -> list[Task]:
    """Return a task for each of the numbers of tables, and one for servers that share tables."""
    alone = [Task(f"{count} tables", partial(_play, plan, count)) for count in plan.effort.tables]
    return [*alone, Task("PostgreSQL", partial(_share, plan))]


def _play(plan: Plan, count: int, _: int) -> Iterator[Reading]:
    file = plan.scratch / f"{count}-tables.db"

    async def play(servers: _Servers) -> Played:
        tables = await servers.join()
        found = await servers.play(tables, plan.effort.moves, SECONDS)
        found = found._replace(memory=servers.used("memory") - servers.memory)
        for each in tables:
            each.close()
        return found

    with _serving(plan, f"sqlite:///{file}", count, 1) as servers:
        found = asyncio.run(play(servers))
    for path in plan.scratch.glob(f"{file.name}*"):
        path.unlink()
    of = f"base, {count} tables"
    yield Reading(of, BY, MEDIAN, median(found.times), Unit.TIME)
    late = quantiles(found.times, n=100, method="inclusive")[-1]
    yield Reading(of, BY, LATE, late, Unit.TIME)
    yield Reading(of, BY, MEMORY, found.memory / count, Unit.BYTES)
    yield Reading(of, BY, WORK, found.work, Unit.TIME)


def _share(plan: Plan, _: int) -> Iterator[Reading]:
    """Play the same games at one server and at two, some moves here and some there in turn.

    So a machine that becomes slower, or quicker, does so for both.
    """
    from tools.postgres import running

    count, parts = plan.effort.shared

    async def play(one: _Servers, two: _Servers) -> tuple[Played, Played]:
        own, both = Played((), 0, 0), Played((), 0, 0)
        tables, others = await one.join(), await two.join()
        for part in range(parts):
            for first in (True, False) if part % 2 else (False, True):
                if first:
                    own = own.and_then(await one.play(tables, PART, 0))
                else:
                    both = both.and_then(await two.play(others, PART, 0))
        for each in (*tables, *others):
            each.close()
        return own, both

    with (
        running() as database,
        _serving(plan, database.address, count, 1) as one,
        _serving(plan, database.add("shared"), count, 2) as two,
    ):
        found = asyncio.run(play(one, two))
    yield from shared(f"base, {count} tables", *found)


def shared(of: str, one: Played, two: Played) -> Iterator[Reading]:
    """Compare the same games at one server and at two servers that share their tables."""
    for by, each in ((ONE, one), (TWO, two)):
        yield Reading(of, by, WORK, each.work, Unit.TIME)
        yield Reading(of, by, RATE, each.rate, Unit.RATE)
    yield Reading(of, TWO, CARRIED, 2 * one.work / two.work, Unit.SPEEDUP)
    yield Reading(of, TWO, FASTER, two.rate / one.rate, Unit.SPEEDUP)


class Played(NamedTuple):
    """Moves that were played: how long each took to reach both clients, and all of them together.

    `processor` is what all servers needed for them, and `memory` what their tables take.
    """

    times: Sequence[float]
    seconds: float
    processor: float
    memory: float = 0

    @property
    def work(self) -> float:
        """The processor time of a move."""
        return self.processor / len(self.times)

    @property
    def rate(self) -> float:
        """Moves a second."""
        return len(self.times) / self.seconds

    def and_then(self, more: Played) -> Played:
        """Return these moves and those of another time."""
        seconds, processor = self.seconds + more.seconds, self.processor + more.processor
        return Played([*self.times, *more.times], seconds, processor)


class _Servers(NamedTuple):
    """Servers of one database: their processes, and the links to the tables.

    `memory` is what they took before anybody came.
    """

    processes: Sequence[subprocess.Popen[str]]
    links: Sequence[Sequence[str]]
    memory: float

    def used(self, what: str) -> float:
        """Return what all servers have used so far."""
        return sum(_used(each)[what] for each in self.processes)

    async def join(self) -> list[_Table]:
        """Return the tables, each with its two clients."""
        free = asyncio.Semaphore(_MOST_OPEN)
        every = (_joined(link, free) for links in self.links for link in links)
        seats = await asyncio.gather(*every)
        return [_Table(seats[2 * at : 2 * at + 2], Random(at)) for at in range(len(self.links))]

    async def play(self, tables: Sequence[_Table], moves: int, pause: float) -> Played:
        """Play so many moves at each table."""
        used, begun = self.used("processor"), perf_counter()
        found = await asyncio.gather(*(table.play(moves, pause) for table in tables))
        seconds = perf_counter() - begun
        times = [each for times in found for each in times]
        return Played(times, seconds, self.used("processor") - used)


def _used(process: subprocess.Popen[str]) -> dict[str, float]:
    """Return what a server has used so far."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    found: dict[str, float] = _told(process)
    return found


@contextmanager
def _serving(plan: Plan, address: str, count: int, servers: int) -> Iterator[_Servers]:
    """Start servers of a database, which have its tables in turn."""
    with ExitStack() as stack:
        processes = []
        for at in range(servers):
            command = [sys.executable, "-m", __name__, str(plan.base.path), address]
            command += map(str, (at, count, servers))
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            processes.append(stack.enter_context(process))
            assert process.stdin is not None
            stack.callback(process.stdin.close)
        begun = [_told(each) for each in processes]
        links = [begun[at % servers]["tables"][at // servers] for at in range(count)]
        yield _Servers(processes, links, sum(each["memory"] for each in begun))


def _told(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


Seat = tuple[WebSocketClientConnection, dict[str, Any]]
"""A connection, and its last `now`."""


class _Table:
    """A table with its two clients."""

    def __init__(self, seats: Sequence[Seat], random: Random) -> None:
        self._seats, self._random = seats, random

    def close(self) -> None:
        """Close the connections of the clients."""
        for socket, _ in self._seats:
            socket.close()

    async def play(self, moves: int, pause: float) -> list[float]:
        """Play so many moves, and return the times of each."""
        times = list[float]()
        await asyncio.sleep(self._random.random() * pause)
        for _ in range(moves):
            mover = next((each for each in self._seats if each[1]["moves"]), None)
            if mover is None:
                break  # The game is over.
            begun, now = perf_counter(), mover[1]
            row = self._random.randrange(len(now["moves"]))
            await mover[0].write_message(
                json.dumps({"type": "play", "turn": now["turn"], "move": row})
            )
            told = await asyncio.gather(*(_now(socket) for socket, _ in self._seats))
            times.append(perf_counter() - begun)
            self._seats = [
                (socket, now) for (socket, _), now in zip(self._seats, told, strict=True)
            ]
            await asyncio.sleep(max(0.0, pause - times[-1]))
        return times


async def _joined(link: str, free: asyncio.Semaphore) -> Seat:
    address, _, secret = link.partition("#")
    async with free:
        socket = await websocket_connect(address.replace("http", "ws", 1) + "table")
        await socket.write_message(json.dumps({"type": "join", "secret": secret}))
        return socket, await _now(socket)


async def _now(socket: WebSocketClientConnection) -> dict[str, Any]:
    """Read up to the next `now`, and return it."""
    while (text := await socket.read_message()) is not None:
        _, now, rest = str(text).partition('{"type": "now"')
        if now:  # Only this one, the last, is read: clients must be quick.
            found: dict[str, Any] = json.loads(now + rest.removesuffix("]"))
            return found
    raise ConnectionError("the server has closed the connection")


def _serve(ruleset: str, address: str, *seeds: int) -> None:
    """Serve tables until the input ends; print their links, and at a line what was used."""
    store, count = TableStore(address), len(range(*seeds))
    game = load(ruleset, engine="wasm")
    with HostServer("", game, store, "127.0.0.1", 0, connections=4 * count + 16) as server:
        links = [server.add(seed, ["human"] * 2) for seed in range(*seeds)]
        tables = [[each[0], each[1]] for each in links]
        _tell(tables=tables, memory=_memory())
        for _ in sys.stdin:
            _tell(processor=process_time(), memory=_memory())
    store.close()


def _tell(**found: object) -> None:
    print(json.dumps(found), flush=True)


def _memory() -> int:
    """Return the memory of this process in bytes, 0 where the system has no such file."""
    file = Path("/proc/self/statm")
    return int(file.read_text().split()[1]) * 4096 if file.exists() else 0


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
