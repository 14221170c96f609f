"""Moves at many tables of a server on the loopback address, each with two clients.

At each table a move is made every second. The times are those on the wall: clients and the server
are different processes, and a move counts once both clients have it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import IO, Any

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
SECONDS = 1.0
"""The time between two moves at a table."""
_MOST_OPEN = 20
"""The connections that are opened at once."""


def tasks(plan: Plan) -> list[Task]:
    """Return a task for each of the numbers of tables."""
    return [Task(f"{count} tables", partial(_play, plan, count)) for count in plan.effort.tables]


def _play(plan: Plan, count: int, _: int) -> Iterator[Reading]:
    file = plan.scratch / f"{count}-tables.db"
    command = [sys.executable, "-m", __name__, str(plan.base.path), str(file), str(count)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        begun = json.loads(server.stdout.readline())
        used = partial(_used, server.stdin, server.stdout)
        times, joined = asyncio.run(_clients(begun["tables"], plan.effort.moves, used))
        ended = used()
        server.stdin.close()
    for path in plan.scratch.glob(f"{file.name}*"):
        path.unlink()
    of = f"base, {count} tables"
    yield Reading(of, BY, MEDIAN, median(times), Unit.TIME)
    yield Reading(of, BY, LATE, quantiles(times, n=100, method="inclusive")[-1], Unit.TIME)
    memory = (ended["memory"] - begun["memory"]) / count
    yield Reading(of, BY, MEMORY, memory, Unit.BYTES)
    work = (ended["processor"] - joined["processor"]) / len(times)
    yield Reading(of, BY, WORK, work, Unit.TIME)


def _used(asks: IO[str], answers: IO[str]) -> dict[str, float]:
    """Return what the server has used so far."""
    asks.write("\n")
    asks.flush()
    found: dict[str, float] = json.loads(answers.readline())
    return found


async def _clients(
    tables: list[list[str]], moves: int, used: Callable[[], dict[str, float]]
) -> tuple[list[float], dict[str, float]]:
    """Play moves at all tables.

    Returns how long each took to reach both clients, and what was used before the first one.
    """
    free = asyncio.Semaphore(_MOST_OPEN)
    seats = await asyncio.gather(*(_joined(link, free) for links in tables for link in links))
    joined, pairs = used(), zip(seats[::2], seats[1::2], strict=True)
    found = await asyncio.gather(*(_table(pair, at, moves) for at, pair in enumerate(pairs)))
    for socket, _ in seats:
        socket.close()
    return [each for times in found for each in times], joined


Seat = tuple[WebSocketClientConnection, dict[str, Any]]
"""A connection, and its last `now`."""


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


async def _table(seats: tuple[Seat, Seat], number: int, moves: int) -> list[float]:
    """Play at a table, and return the times of its moves."""
    random, times = Random(number), list[float]()
    await asyncio.sleep(random.random() * SECONDS)
    for _ in range(moves):
        mover = next((each for each in seats if each[1]["moves"]), None)
        if mover is None:
            break  # The game is over.
        begun, now = perf_counter(), mover[1]
        move = {"type": "play", "turn": now["turn"], "move": random.randrange(len(now["moves"]))}
        await mover[0].write_message(json.dumps(move))
        told = await asyncio.gather(*(_now(socket) for socket, _ in seats))
        times.append(perf_counter() - begun)
        seats = (seats[0][0], told[0]), (seats[1][0], told[1])
        await asyncio.sleep(max(0.0, SECONDS - times[-1]))
    return times


def _serve(ruleset: str, file: str, count: int) -> None:
    """Serve tables until the input ends; print their links, and at a line what was used."""
    store = TableStore(f"sqlite:///{file}")
    game = load(ruleset, engine="wasm")
    with HostServer("", game, store, "127.0.0.1", 0, connections=4 * count + 16) as server:
        links = [server.add(seed, ["human"] * 2) for seed in range(count)]
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
    _serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
