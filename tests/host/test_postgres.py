"""Servers that share the tables of a PostgreSQL database."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from queue import SimpleQueue
from random import Random
from subprocess import PIPE, Popen
from time import monotonic
from types import SimpleNamespace
from typing import cast

import psycopg
import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from tornado.websocket import websocket_connect

from rulesdsl.serve.server import HostServer
from rulesdsl.serve.store import (
    ADMIN,
    WATCHER,
    GoneOn,
    OtherTables,
    SeatPlace,
    TableChange,
    TableStore,
)
from rulesdsl.serve.table import GameTable, MessageRefused, new_table
from tests.cli.test_host import hosting, joined, links_of
from tests.host.client import LONGEST, Client, ended
from tests.host.test_lost import played
from tests.host.test_serve import (
    Links,
    agree_to,
    check_record,
    game,
    record_of,
    said,
    serving_from,
)
from tools.postgres import OwnPostgres, running

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture(scope="module")
def postgres() -> Iterator[OwnPostgres]:
    with running(fsync="off") as server:
        yield server


@pytest.fixture
def database(postgres: OwnPostgres) -> str:
    """The address of a database without any tables."""
    with psycopg.connect(postgres.address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres.address


@pytest.fixture
def servers(database: str) -> Iterator[list[HostServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving_from(database, game("card_game"))) for _ in range(2)]


def test_games_are_played_at_two_servers(servers: list[HostServer]) -> None:
    """People, a bot and somebody who watches, at both."""
    own = game("card_game")

    async def run(links: Links) -> None:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(servers[at], links[place]))
                for at, place in ((0, 0), (1, 1), (1, 0), (0, WATCHER))
            ]
            await asyncio.gather(*(play_out_once(each) for each in clients))
            check_record(await record_of(servers[1], links), own, clients)

    asyncio.run(run(servers[0].add(5, ["human", "human", "greedy"])))


def test_a_server_plays_the_moves_of_another_without_the_database(
    servers: list[HostServer], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(links: Links) -> None:
        async with Client(servers[0], links[0]) as red, Client(servers[1], links[1]) as blue:
            for client in (red, blue):
                await told_here(client, [True, True])
                await client.send(type="say", text="hello")  # All that was asked for is done.
            for client in (red, blue, red, blue):
                await client.until("said")
            monkeypatch.setattr(TableStore, "load", None)
            for _ in range(10):
                await (red if red.now["moves"] else blue).play(0)
                for client in (red, blue):
                    await client.until("ply")
                    await client.until("now")
            monkeypatch.undo()
            assert len(red.plies) == len(blue.plies) == 10

    asyncio.run(run(servers[0].add(1, ["human"] * 2)))


def test_a_notice_that_is_too_long_tells_only_of_a_change(database: str) -> None:
    stores, heard = [TableStore(database) for _ in range(2)], SimpleQueue[tuple[object, object]]()
    try:
        stores[0].listen(lambda id, message: heard.put((id, message)))
        while heard.get(timeout=LONGEST) != (None, None):
            pass  # It listens.
        for length in (1_000, 8_000):
            stores[1].tell("t", ["\u00e4" * length])
            assert heard.get(timeout=LONGEST) == (
                "t",
                ["\u00e4" * length] if length < 2000 else None,
            )
    finally:
        for store in stores:
            store.close()


async def play_out_once(client: Client) -> None:
    """Play at random until the game is over; another client of the seat may be faster."""
    random, over = Random(1), False
    while not over:
        message = await client.read()
        assert message is not None
        assert message["type"] != "failed", message
        if message["type"] == "now":
            over = bool(client.plies) and client.plies[-1]["mover"] is None
            if message["moves"]:
                await client.play(random.randrange(len(message["moves"])))


def test_people_at_two_servers_talk_and_take_back(servers: list[HostServer], database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        for text in ("of another program", "5", "[1, 2]"):
            connection.execute(f"NOTIFY rulesdsl, '{text}'")

    async def run(links: Links) -> None:
        async with Client(servers[0], links[0]) as red, Client(servers[1], links[1]) as blue:
            await told_here(red, [True, True])
            await told_here(blue, [True, True])
            await red.send(type="name", name="Ann")
            while (await blue.until("people"))["people"][0]["name"] != "Ann":
                pass
            await red.send(type="say", text="hello")
            assert (await blue.until("said"))["text"] == "hello"
            mover, other = (red, blue) if red.now["moves"] else (blue, red)
            await mover.play(0)
            for client in (mover, other):
                await client.until("ply")
                await client.until("now")
            for agree in (False, True) if mover.now["undo"] is None else ():
                await mover.send(type="undo")
                asked = await other.until("asks")
                await agree_to(other, asked, agree=agree)
                if not agree:
                    await mover.until("declined")
            if mover.now["undo"] is not None:
                await mover.send(type="undo")
            for client in (mover, other):
                await client.until("cut")
                await client.until("now")
                assert client.plies == []
        async with Client(servers[0], links[0]) as red:
            await told_here(red, [True, False])

    asyncio.run(run(servers[0].add(1, ["human"] * 2)))


QUICK = 0.2, 1.0
ANOTHER = """
import sys
from tests.host.test_serve import game, serving_from
with serving_from(sys.argv[1], game("card_game"), times=(0.2, 1.0)) as server:
    print(server.host, flush=True)
    server.wait()
"""
"""A server in a process of its own, with the same times."""


def test_people_at_a_killed_server_are_gone(database: str) -> None:
    """Those at one that stood still are here again once it goes on."""

    async def run(server: HostServer, links: Links, other: Popen[str]) -> None:
        assert other.stdout is not None
        host = other.stdout.readline().strip()
        async with Client(server, links[0]) as red:
            socket = await websocket_connect(f"ws://{host}/table")
            joins = {"type": "join", "secret": links[1].partition("#")[2], "texts": True}
            await socket.write_message(json.dumps(joins))
            await told_here(red, [True, True])
            await asyncio.sleep(1.5 * QUICK[1])
            other.send_signal(signal.SIGSTOP)
            begun = monotonic()
            await told_here(red, [True, False])
            assert monotonic() - begun > QUICK[1] - QUICK[0]
            other.send_signal(signal.SIGCONT)
            await told_here(red, [True, True])
            other.kill()
            await told_here(red, [True, False])
            await ended(socket)

    with (
        serving_from(database, game("card_game"), times=QUICK) as server,
        Popen([sys.executable, "-c", ANOTHER, database], stdout=PIPE, text=True) as other,
    ):
        try:
            asyncio.run(run(server, server.add(1, ["human"] * 2), other))
        finally:
            other.kill()


async def told_here(client: Client, wanted: list[bool]) -> None:
    """Read until exactly these players are here."""
    while [each["here"] for each in (await client.until("people"))["people"]] != wanted:
        pass


def test_of_two_changes_at_once_one_is_made(database: str) -> None:
    stores = [TableStore(database) for _ in range(2)]
    places = {seat: (str(seat), SeatPlace("", "human")) for seat in range(2)}
    own, random = game("card_game"), Random(3)
    try:
        first = new_table(own, stores[0], "t", 1, places)
        tables = [first, GameTable(own, stores[1], stores[1].load("t"))]
        for _ in range(12):
            one, two = random.sample(tables, 2)
            seat = one.players.index(one.state.mover or "")
            one.play(seat, one.turn, random.randrange(len(one.state.moves())))
            with pytest.raises(MessageRefused, match="the game has gone on"):
                two.play(seat, two.turn, 0) if random.random() < 0.7 else two.undo(two.turn, 0)
            assert (one.text(), one.turn) == (two.text(), two.turn)
            assert one.state.canonical() == two.state.canonical()
            if random.random() < 0.3:
                one.undo(one.turn, random.randrange(len(one.plies)))
                two.catch_up()
                assert (one.text(), one.turn) == (two.text(), two.turn)
                assert one.state.canonical() == two.state.canonical()
                assert [ply.taken for ply in one.plies] == [ply.taken for ply in two.plies]
        late = TableChange("t", tables[0].turn - 1, 0, "")
        stores[0].change(late)
        assert isinstance(late.error, GoneOn)
    finally:
        for store in stores:
            store.close()


def test_lost_connections_are_made_again(servers: list[HostServer], database: str) -> None:
    async def run(links: Links) -> None:
        async with Client(servers[0], links[0]) as red, Client(servers[1], links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE pid != pg_backend_pid() AND backend_type = 'client backend'"
                )
            mover, other = (red, blue) if red.now["moves"] else (blue, red)
            await mover.play(0)
            await mover.until("ply")
            await other.until("ply")

    asyncio.run(run(servers[0].add(1, ["human"] * 2)))


def test_nothing_is_lost_where_two_servers_end(database: str) -> None:
    for seed in range(2):
        played("cups", seed, database, 2)


def test_two_processes_begin_at_once(database: str, tmp_path: Path) -> None:
    options = "--port", "0", "--database", database
    with (
        hosting(tmp_path, *options, tables=False) as lines,
        hosting(tmp_path, *options, "--no-table", tables=False) as others,
    ):
        address = next(lines).split("/")[2]
        (_, _, secret), *_ = links_of(lines, 4)
        for host in (address, next(others).split("/")[2]):
            assert '"seat": 0' in str(asyncio.run(joined(host, secret)))


def test_a_table_is_administered_at_any_server(servers: list[HostServer]) -> None:
    async def run(links: Links) -> None:
        async with Client(servers[0], links[0]) as red, Client(servers[1], links[ADMIN]) as admin:
            await red.until("now")
            await admin.send(type="kind", seat=0, kind="greedy")
            while (await red.until("people"))["people"][0]["kind"] != "greedy":
                pass

    asyncio.run(run(servers[0].add(1, ["human"] * 2)))


def test_a_seat_of_a_player_at_another_server_is_not_free(database: str) -> None:
    async def run(first: HostServer, second: HostServer, links: Links) -> None:
        async with Client(second, links[0]) as red:
            await red.until("now")
            (listed,) = (await said(first, {"type": "lobby"}))["tables"]
            assert [each["free"] for each in listed["people"]] == [False, True]
            sit = {"type": "sit", "table": listed["table"], "name": "Ann"}
            assert (await said(first, {**sit, "seat": 0}))["text"] == "this seat is taken"
            assert (await said(first, {**sit, "seat": 1}))["type"] == "seat"

    own = game("card_game")
    with (
        serving_from(database, own, lobby=True) as first,
        serving_from(database, own, lobby=True) as second,
    ):
        asyncio.run(run(first, second, first.add(1, ["human"] * 2)))


STOPS = """
import os, signal, sys, time
from rulesdsl.serve.store import TableStore
from tests.host.test_serve import game, serving_from
write = TableStore._write

def stopping(*given):
    TableStore._write = write
    write(*given)
    os.kill(os.getpid(), signal.Signals[sys.argv[2]])
    time.sleep(1)  # This thread goes on for a moment.

TableStore._write = stopping
with serving_from(sys.argv[1], game("card_game")) as server:
    print(server.host, flush=True)
    server.wait()
"""
"""A server that gets a signal when its first move is written, but not kept yet."""


@pytest.mark.parametrize("sign", ["SIGKILL", "SIGSTOP"])
def test_a_server_that_ends_or_stands_still_in_a_move_keeps_nobody_from_it(
    sign: str, database: str
) -> None:
    async def run(server: HostServer, links: Links, other: Popen[str]) -> None:
        assert other.stdout is not None
        there = cast(HostServer, SimpleNamespace(host=other.stdout.readline().strip()))
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            mover = red if red.now["moves"] else blue
            late = Client(there, links[0 if mover is red else 1])
            await late.__aenter__()
            await late.until("now")
            await late.play(0)
            ends = os.WSTOPPED | os.WEXITED | os.WNOWAIT
            await asyncio.to_thread(os.waitid, os.P_PID, other.pid, ends)
            await mover.play(1)
            for client in (red, blue):
                await client.until("ply")
            if sign == "SIGSTOP":
                other.send_signal(signal.SIGCONT)
                while not late.plies or "refused" not in {each["type"] for each in late.told}:
                    await late.read()
                assert late.plies == mover.plies
            late.socket.close()

    with (
        serving_from(database, game("card_game")) as server,
        Popen([sys.executable, "-c", STOPS, database, sign], stdout=PIPE, text=True) as other,
    ):
        try:
            asyncio.run(run(server, server.add(1, ["human"] * 2), other))
        finally:
            other.kill()


def test_a_move_is_told_though_the_answer_of_the_database_was_lost(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = TableStore._write

    def lost(store: TableStore, connection: Connection, changes: Sequence[TableChange]) -> None:
        monkeypatch.undo()
        write(store, connection, changes)
        connection.connection.commit()
        raise OperationalError("commit", {}, OSError("connection lost"))

    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            mover = red if red.now["moves"] else blue
            monkeypatch.setattr(TableStore, "_write", lost)
            await mover.play(0)
            await mover.until("refused")
            for client in (red, blue):
                await client.until("ply")

    with serving_from(database, game("card_game")) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


def test_games_go_on_once_the_database_is_back(
    servers: list[HostServer], postgres: OwnPostgres
) -> None:
    async def run(links: Links) -> None:
        async with Client(servers[0], links[0]) as red, Client(servers[1], links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            first = red if red.now["moves"] else blue
            await first.play(0)  # So there is a move to take back.
            for client in (red, blue):
                await client.until("ply")
                await client.until("now")
            mover = red if red.now["moves"] else blue
            await asyncio.to_thread(postgres.stop)
            try:
                for client, kind in ((mover, "play"), (first, "undo")):
                    await client.send(type=kind, turn=1, move=0)
                    assert "cannot be kept" in (await client.until("refused"))["text"]
            finally:
                await asyncio.to_thread(postgres.start)
            await mover.play(0)
            for client in (red, blue):
                await client.until("ply")
            await red.send(type="say", text="hello")
            await blue.until("said")
            assert "failed" not in {each["type"] for each in red.told + blue.told}

    asyncio.run(run(servers[0].add(1, ["human"] * 2)))


def test_the_clock_goes_on_once_the_database_is_back(database: str, postgres: OwnPostgres) -> None:
    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red:
            await red.until("clock")
            await asyncio.to_thread(postgres.stop)
            try:
                await red.until("refused")
            finally:
                await asyncio.to_thread(postgres.start)
            await red.until("ply")

    with serving_from(database, game("card_game"), turn_time=0.5) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


def test_tables_of_another_version_are_refused(database: str) -> None:
    TableStore(database).close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ALTER TABLE places DROP COLUMN joined")
    with pytest.raises(OtherTables):
        TableStore(database)
