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
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from rulesdsl import load
from rulesdsl.serve.server import HostServer
from rulesdsl.serve.store import TableStore
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
        _serving(plan, database.add("both"), count, 2) as two,
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


class _Table:
    """A table with its two clients."""

    def __init__(self, seats: Sequence[_Seat], random: Random) -> None:
        self._seats, self._random = seats, random

    def close(self) -> None:
        """Close the connections of the clients."""
        for seat in self._seats:
            seat.transport.close()

    async def play(self, moves: int, pause: float) -> list[float]:
        """Play so many moves, and return the times of each."""
        times = list[float]()
        await asyncio.sleep(self._random.random() * pause)
        for _ in range(moves):
            mover = next((each for each in self._seats if each.now.result()["moves"]), None)
            if mover is None:
                break  # The game is over.
            begun, now = perf_counter(), mover.now.result()
            for seat in self._seats:
                seat.now = asyncio.get_running_loop().create_future()
            row = self._random.randrange(len(now["moves"]))
            mover.send(type="play", turn=now["turn"], move=row)
            await asyncio.gather(*(seat.now for seat in self._seats))
            times.append(perf_counter() - begun)
            await asyncio.sleep(max(0.0, pause - times[-1]))
        return times


class _Seat(asyncio.Protocol):
    """A client that reads of all messages only the last `now`: the server is to be measured."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._unread, self._opened = b"", False
        self.now = asyncio.get_running_loop().create_future()
        """The next `now`."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Take frames of a WebSocket, once the server has agreed to send them."""
        self._unread += data
        if not self._opened and b"\r\n\r\n" in self._unread:
            self._opened, self._unread = True, self._unread.partition(b"\r\n\r\n")[2]
        while self._opened and len(self._unread) >= _LEAST:
            length, begin = self._unread[1], 2
            if length > _SHORT:
                begin = 4 if length == _SHORT + 1 else 10
                length = int.from_bytes(self._unread[2:begin])
            if len(self._unread) < begin + length:
                break
            kind, content = self._unread[0], self._unread[begin : begin + length]
            self._unread = self._unread[begin + length :]
            self._take(kind, content)

    def _take(self, kind: int, content: bytes) -> None:
        _, now, rest = content.partition(b'{"type": "now"')
        if kind == _PING:
            self._write(_PONG, content)
        elif now and not self.now.done():
            self.now.set_result(json.loads(now + rest.removesuffix(b"]")))

    def send(self, **message: object) -> None:
        """Send a message."""
        self._write(_TEXT, json.dumps(message).encode())

    def _write(self, kind: int, content: bytes) -> None:
        """Write a short frame, with a mask that changes nothing."""
        assert len(content) <= _SHORT, "it is short"
        self.transport.write(bytes([kind, 0x80 | len(content), 0, 0, 0, 0]) + content)

    def connection_lost(self, _: Exception | None) -> None:
        """Tell who waits."""
        if not self.now.done():
            self.now.set_exception(ConnectionError("the server has closed the connection"))


_TEXT, _PING, _PONG = 0x81, 0x89, 0x8A
"""The first bytes of frames."""
_SHORT, _LEAST = 125, 2
"""The longest content of a short frame, and the bytes of one without any."""


async def _joined(link: str, free: asyncio.Semaphore) -> _Seat:
    address, _, secret = link.partition("#")
    parts = urlsplit(address)
    async with free:
        loop = asyncio.get_running_loop()
        _, seat = await loop.create_connection(_Seat, str(parts.hostname), parts.port or 0)
        lines = [
            *(f"GET {parts.path}table HTTP/1.1", f"Host: {parts.netloc}", "Upgrade: websocket"),
            *("Connection: Upgrade", "Sec-WebSocket-Version: 13"),
            *("Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", ""),
        ]
        seat.transport.write("\r\n".join(lines).encode())
        seat.send(type="join", secret=secret)
        await seat.now
        return seat


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
