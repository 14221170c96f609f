"""The server of tables: whole games by clients, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from random import Random
from threading import Event
from time import sleep
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError
from tornado.httpclient import HTTPClientError

from rulesdsl import Game, load
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.records import check_origin, read_record, replay
from rulesdsl.serve.server import BY_ADDRESS, MOST_AT_PLACE, HostServer
from rulesdsl.serve.store import (
    ADMIN,
    ALIVE,
    SILENT,
    WATCHER,
    Kept,
    OtherTables,
    SeatPlace,
    TableStore,
)
from rulesdsl.serve.table import GameTable, MessageRefused, listed_as, new_table
from tests.host.client import Client, Message, connected, ended

Links = Mapping[int, str]


@cache
def game(name: str, *expansions: str) -> Game:
    return load(name, expansions, engine="wasm")


@contextmanager
def serving(
    folder: Path,
    game: Game,
    page: str = "<!doctype html>",
    port: int = 0,
    **more: Any,
) -> Iterator[HostServer]:
    database = f"sqlite:///{folder / 'tables.db'}"
    with serving_from(database, game, page, port, **more) as server:
        yield server


@contextmanager
def serving_from(
    database: str,
    game: Game,
    page: str = "<!doctype html>",
    port: int = 0,
    times: tuple[float, float] = (ALIVE, SILENT),
    **more: Any,
) -> Iterator[HostServer]:
    """A server of the tables of a database."""
    store = TableStore(database, *times)
    try:
        with HostServer(page, game, store, "127.0.0.1", port, **more) as server:
            yield server
    finally:
        store.close()


async def play_out(client: Client, random: Random, most: int = 10_000) -> None:
    """Play at random for a seat until the game is over."""
    while True:
        message = await client.read()
        assert message is not None
        assert message["type"] not in ("refused", "failed"), message
        if message["type"] == "now" and (over(client) or len(client.plies) >= most):
            return
        if message["type"] == "now" and message["moves"]:
            await client.play(random.randrange(len(message["moves"])))


def over(client: Client) -> bool:
    return bool(client.plies) and client.plies[-1]["mover"] is None


async def record_of(server: HostServer, links: Links) -> str:
    async with Client(server, links[ADMIN]) as admin:
        await admin.send(type="record")
        text: str = (await admin.until("record"))["text"]
        return text


def check_record(text: str, game: Game, clients: list[Client]) -> None:
    """Check that the record is the game that everybody was told."""
    record = read_record(Source("table", text))
    check_origin(record, game)
    *_, (state, _) = replay(record, game)
    for client in clients:
        assert len(client.plies) == len(record.entries)
        for told, entry in zip(client.plies, record.entries, strict=True):
            assert (told["by"], told["move"]) == (entry.by, entry.move)
            assert {k: v for k, v in told["args"].items() if v is not None}.items() <= set(
                entry.args.items()
            )
        assert client.plies[-1]["scores"] == state.scores()


@pytest.mark.parametrize(
    ("name", "expansions", "players"), [("base", ("river",), 2), ("card_game", (), 3)]
)
def test_clients_play_a_whole_game(
    name: str, expansions: tuple[str, ...], players: int, tmp_path: Path
) -> None:
    own = game(name, *expansions)

    async def run(server: HostServer, links: Links) -> None:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(server, links[place]))
                for place in (*range(players), WATCHER)
            ]
            await asyncio.gather(*(play_out(each, Random(at)) for at, each in enumerate(clients)))
            assert [client.about["seat"] for client in clients] == [*range(players), None]
            check_record(await record_of(server, links), own, clients)

    with serving(tmp_path, own) as server:
        asyncio.run(run(server, server.add(5, ["human"] * players)))


def test_bots_play_the_other_seats(tmp_path: Path) -> None:
    own = game("card_game")

    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as client, Client(server, links[ADMIN]) as admin:
            await admin.send(type="kind", seat=1, kind="random")
            await play_out(client, Random(1))
            check_record(await record_of(server, links), own, [client])

    with serving(tmp_path, own) as server:
        asyncio.run(run(server, server.add(5, ["human", "human", "greedy"])))


def test_a_bot_moves_for_who_takes_too_long(tmp_path: Path) -> None:
    own = game("card_game")

    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            turns = set()
            while len(red.plies) < 4:
                message = await red.until("clock", "ply")
                if message["type"] == "clock":
                    assert 0 <= message["seconds"] <= 0.2
                    turns.add(message["turn"])
            assert turns >= set(range(4))
            await blue.until("ply")
        record = read_record(Source("", await record_of(server, links)))
        check_origin(record, own)
        assert [each.by for each in record.entries[:4]] == [each["by"] for each in red.plies[:4]]

    with serving(tmp_path, own, turn_time=0.2) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


async def said(server: HostServer, *messages: Message) -> Message:
    socket = await connected(server)
    for message in messages:
        await socket.write_message(json.dumps(message))
        (found,) = json.loads(str(await socket.read_message()))
    await ended(socket)
    assert isinstance(found, dict)
    return found


def test_people_meet_in_the_lobby(tmp_path: Path) -> None:
    async def run(server: HostServer, links: Links) -> None:
        (listed,) = (await said(server, {"type": "lobby"}))["tables"]
        assert [each["kind"] for each in listed["people"]] == ["human", "human", "greedy"]
        sit = {"type": "sit", "table": listed["table"], "name": " Ann "}
        secret = (await said(server, {**sit, "seat": 1}))["secret"]
        for seat in (1, 2, 7):
            assert (await said(server, {**sit, "seat": seat}))["text"] == "this seat is taken"
        async with Client(server, links[0]) as red, Client(server, f"#{secret}") as blue:
            assert blue.about["seat"] == 1
            assert (await red.until("people"))["people"][1]["name"] == "Ann"
            assert (await said(server, {**sit, "seat": 0}))["text"] == "this seat is taken"
            await red.send(type="name", name="Bob")
            await blue.until("people")
            while (await said(server, {"type": "lobby"}))["tables"]:
                pass
        assert await closed(server, {"type": "join", "secret": links[1].partition("#")[2]})
        opened = await said(server, {"type": "open", "players": 2})
        assert [len(each["people"]) for each in opened["tables"]] == [2]
        assert "not 9" in (await said(server, {"type": "open", "players": 9}))["text"]

    with serving(tmp_path, game("card_game"), lobby=True) as server:
        asyncio.run(run(server, server.add(1, ["human", "human", "greedy"])))
    with serving(tmp_path, game("card_game")) as server:
        refused = asyncio.run(said(server, {"type": "lobby"}))
        assert refused["text"] == "the first message joins"


def test_no_seat_is_free_once_somebody_has_joined(tmp_path: Path) -> None:
    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[1]):
            pass
        (listed,) = (await said(server, {"type": "lobby"}))["tables"]
        assert [each["free"] for each in listed["people"]] == [True, False]
        sit = {"type": "sit", "table": listed["table"], "seat": 1, "name": "Ann"}
        assert (await said(server, sit))["text"] == "this seat is taken"

    with serving(tmp_path, game("card_game"), lobby=True) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


def test_the_lobby_asks_the_store_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulesdsl.serve.server.LISTED_FOR", 1000.0)
    asked = list[str]()

    async def run(server: HostServer) -> None:
        event.listen(server._store._engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
        lists = await asyncio.gather(*(said(server, {"type": "lobby"}) for _ in range(5)))
        assert [len(each["tables"]) for each in lists] == [3] * 5
        assert len(asked) == 1
        opened = await said(server, {"type": "open", "players": 2})
        assert len(opened["tables"]) == 4

    with serving(tmp_path, game("card_game"), lobby=True) as server:
        for seed in range(3):
            server.add(seed, ["human"] * 2)
        asyncio.run(run(server))


def test_a_server_ends_quietly_while_the_lobby_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, free = Event(), TableStore.free

    def slow(store: TableStore, listed: str, most: int) -> list[Message]:
        begun.set()
        sleep(1)
        return free(store, listed, most)

    monkeypatch.setattr(TableStore, "free", slow)

    async def run(server: HostServer) -> None:
        sockets = []
        messages: list[Message] = [{"type": "lobby"}, {"type": "open", "players": 2}]
        for message in [*messages, {"type": "join", "secret": "x"}, *messages]:
            sockets.append(await connected(server))
            await sockets[-1].write_message(json.dumps(message))
        await asyncio.to_thread(begun.wait, 20)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(server.__exit__)
        for socket in sockets:
            await ended(socket)

    with at_table(tmp_path, "random") as (_, store):
        server = HostServer("", game("card_game"), store, "127.0.0.1", 0, lobby=True)
        asyncio.run(run(server.__enter__()))
    assert caplog.text == ""


def test_strange_notifications_are_not_heard(tmp_path: Path) -> None:
    told = list[object]()
    with at_table(tmp_path, "random") as (_, store):
        strange = ["", "of another program", "5", "{}", "[1, 2]", "[" * 7000, '["a", 1, null]']
        for text in [*strange, '["a", "t", {}]', f'["{store.name}", "t", null]', '["a", "t", [1]]']:
            store._notified(text, lambda *heard: told.append(heard))
    assert told == [("t", [1])]


def test_a_game_that_is_over_is_not_listed(tmp_path: Path) -> None:
    with at_table(tmp_path, "random", listed=True) as (table, store):
        table.seat(0, "", "human")
        own, other = listed_as(game("card_game")), listed_as(game("base"))
        assert [each["table"] for each in store.free(own, 5)] == ["t"]
        assert store.free(own, 0) == store.free(other, 5) == []
        assert not store.sit(other, "t", 0, "Ann", "x")
        table.seat(0, "", "random")
        while table.play_bot():
            pass
        table.seat(0, "", "human")
        assert store.free(own, 5) == []
        assert not store.sit(own, "t", 0, "Ann", "x")


def test_a_move_is_taken_back(tmp_path: Path) -> None:
    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            mover, other = (red, blue) if red.now["moves"] else (blue, red)
            await mover.play(0)
            for client in (mover, other):
                await client.until("now")
            if mover.now["undo"] is None:
                await mover.send(type="undo")
                asked = await other.until("asks")
                assert asked["moves"] == 0
                await agree_to(other, asked)
            else:
                await mover.send(type="undo")
            await mover.until("cut")
            await mover.until("now")
            assert (mover.plies, bool(mover.now["moves"])) == ([], True)
            await mover.send(type="undo")
            assert (await mover.until("refused"))["text"] == "you have made no move"

    for name in ("base", "card_game"):
        folder = tmp_path / name
        folder.mkdir()
        with serving(folder, game(name)) as server:
            asyncio.run(run(server, server.add(1, ["human"] * 2)))


async def agree_to(client: Client, asked: Message, *, agree: bool = True) -> None:
    """Answer a request to take back a move."""
    await client.send(type="agree", turn=asked["turn"], moves=asked["moves"], agree=agree)


def test_all_agree_to_end_a_game(tmp_path: Path) -> None:
    """The record has the points as they stand; nobody moves any more, also after a restart."""
    own = game("card_game")

    async def play(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            mover, other = (red, blue) if red.now["moves"] else (blue, red)
            await mover.play(0)
            for client in (red, blue):
                await client.until("ply")
                await client.until("now")
            for agree in (False, True):
                await mover.send(type="end")
                asked = await other.until("asks")
                assert asked["end"]
                await agree_to(other, asked, agree=agree)
                if not agree:
                    assert (await mover.until("declined"))["seat"] == other.about["seat"]
            for client in (red, blue):
                await client.until("ended")
                assert (await client.until("now"))["moves"] == []
            await closed_to(red)
            await closed_to(blue)

    async def closed_to(client: Client) -> None:
        for message in ({"type": "end"}, {"type": "undo"}, {"type": "play", "move": 0}):
            await client.send(turn=client.now["turn"], **message)
            refused = (await client.until("refused"))["text"]
            assert refused in ("the game is over", "it is not your turn")

    async def again(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red:
            await red.until("ended")
            assert (await red.until("now"))["moves"] == []
            await closed_to(red)
            await red.send(type="record")
            text = (await red.until("record"))["text"]
        record = read_record(Source("table", text))
        *_, (state, _) = replay(record, own)
        assert (record.result, record.winners) == (state.scores(), ())
        assert json.loads(text.splitlines()[-1])["agreed"] is True
        assert state.mover is not None

    with serving(tmp_path, own) as server:
        links = server.add(5, ["human"] * 3)
        asyncio.run(seat_bot(server, links))
        asyncio.run(play(server, links))
    with serving(tmp_path, own, port=server.port) as server:
        asyncio.run(again(server, links))


def test_a_bot_agrees_to_what_is_asked(tmp_path: Path) -> None:
    """A request is granted once a bot takes the seat of the only one who has not answered."""

    async def play(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red:
            await red.send(type="end")
            await red.until("asks")
            await seat_bot(server, links, 1)
            await red.until("ended")

    with serving(tmp_path, game("card_game")) as server:
        links = server.add(5, ["human", "human"])
        asyncio.run(play(server, links))


async def seat_bot(server: HostServer, links: Links, seat: int = 2) -> None:
    """Seat a bot at a place, the third if no other is given: nobody asks it."""
    async with Client(server, links[ADMIN]) as admin:
        await admin.send(type="kind", seat=seat, kind="greedy")
        while (await admin.until("people"))["people"][seat]["kind"] != "greedy":
            pass


def test_who_agrees_names_the_request(tmp_path: Path) -> None:
    """The players of the first two moves ask one after the other; each yes is for its own."""

    async def run(server: HostServer, links: Links) -> None:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(server, links[seat])) for seat in range(3)
            ]
            movers = list[Client]()
            for length in range(4):
                for client in clients:
                    while not client.now or len(client.plies) < length:
                        await client.until("now")
                if length < 3:
                    movers.append(next(each for each in clients if each.now["moves"]))
                    await movers[-1].play(0)
            first, second, third = movers
            requests = list[Message]()
            for client in (second, first):
                await client.send(type="undo")
                for each in clients:
                    asked = await each.until("asks")
                requests.append(asked)
            old, new = requests
            assert (old["turn"], old["moves"]) == (new["turn"], new["moves"] + 1)
            await agree_to(third, old)
            assert (await third.until("refused"))["text"] == "nobody asks for that now"
            await agree_to(second, new)
            await second.send(type="say", text="not yet")
            assert (await second.until("cut", "said"))["type"] == "said"
            await agree_to(third, new)
            assert (await second.until("cut"))["moves"] == new["moves"]

    with serving(tmp_path, game("card_game")) as server:
        asyncio.run(run(server, server.add(5, ["human"] * 3)))


def test_nothing_is_taken_back_at_the_end(tmp_path: Path) -> None:
    with at_table(tmp_path, "random") as (table, _):
        while table.play_bot():
            pass
        table.seat(0, "", "human")
        assert table.may_undo(0) is None
        with pytest.raises(MessageRefused, match="the game is over"):
            table.take_back(0)
        with pytest.raises(MessageRefused, match="the game is over"):
            table.undo(table.turn, 0)


@contextmanager
def at_table(
    folder: Path, kind: str, *, listed: bool = False
) -> Iterator[tuple[GameTable, TableStore]]:
    """A table at which two bots of a kind sit, and its store."""
    store = TableStore(f"sqlite:///{folder / 't.db'}")
    places = {seat: (str(seat), SeatPlace("", kind)) for seat in range(2)}
    try:
        yield new_table(game("card_game"), store, "t", 1, places, listed=listed), store
    finally:
        store.close()


def test_a_table_of_other_rulesets_says_which(tmp_path: Path) -> None:
    with serving(tmp_path, game("card_game")) as server:
        links = server.add(1, ["human"] * 2)

    async def run(server: HostServer) -> str:
        red = Client(server, links[0])
        red.socket = await connected(server)
        await red.send(type="join", secret=links[0].partition("#")[2], texts=True)
        text: str = (await red.until("failed"))["text"]
        await ended(red.socket)
        return text

    with serving(tmp_path, game("base")) as server:
        text = asyncio.run(run(server))
    assert "`card_game` was loaded when the record was made, with version 1.0.0 (digest " in text
    assert "`base` is loaded, but was not when the record was made" in text
    assert text.endswith("the rulesets it was made with: rulesdsl host --path FOLDER")


def test_a_link_is_open_so_often_and_no_more(tmp_path: Path) -> None:
    async def run(server: HostServer, links: Links) -> None:
        async with AsyncExitStack() as stack:
            blue = await stack.enter_async_context(Client(server, links[1]))
            reds = [
                await stack.enter_async_context(Client(server, links[0]))
                for _ in range(MOST_AT_PLACE + 1)
            ]
            assert (await reds[0].until("failed"))["text"] == "this link is open too often"
            for client in (*reds[1:], blue):
                await client.send(type="say", text="here")
                assert (await client.until("said", "failed"))["type"] == "said"

    with serving(tmp_path, game("card_game")) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


def test_a_table_is_loaded_once_for_all_who_come_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, loads, load = game("card_game"), list[str](), TableStore.load

    def loaded(store: TableStore, id: str) -> Kept:
        loads.append(id)
        return load(store, id)

    async def run(server: HostServer, links: Links) -> None:
        clients = [Client(server, links[place]) for place in (0, 1, WATCHER, ADMIN, 0)]
        await asyncio.gather(*(each.__aenter__() for each in clients))
        for client in clients:
            await client.until("now")
        await clients[0].send(type="say", text="here")
        for client in clients:
            await client.until("said")
            await ended(client.socket)

    monkeypatch.setattr(TableStore, "load", loaded)
    with serving(tmp_path, own) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))
    assert len(loads) == 1


def test_a_bot_that_fails_tells_nothing_of_why(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: GameTable) -> bool:
        raise PlayError("hand[red] is no ace")

    monkeypatch.setattr(GameTable, "play_bot", fails)

    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red:
            assert "ace" not in (await red.until("failed"))["text"]

    with serving(tmp_path, game("card_game")) as server:
        asyncio.run(run(server, server.add(1, ["human", "random"])))
    assert "ace" in capfd.readouterr().err


def test_a_bot_of_another_kind_plays_from_then_on(tmp_path: Path) -> None:
    with at_table(tmp_path, "greedy") as (table, _):
        for kind in ("greedy", "random"):
            for seat in range(2):
                table.seat(seat, "", kind)
            assert table.play_bot()
        assert [kind for _, kind in table._bots] == ["greedy", "random"]


def test_two_servers_do_not_share_a_file(tmp_path: Path) -> None:
    with serving(tmp_path, game("card_game")), pytest.raises(SQLAlchemyError, match="locked"):
        TableStore(f"sqlite:///{tmp_path / 'tables.db'}")


@pytest.mark.parametrize("name", ["tables", "places", "lines"])
def test_nothing_is_written_to_the_file_of_another_program(name: str, tmp_path: Path) -> None:
    file = tmp_path / "tables.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"CREATE TABLE {name} (strange)")
    before = file.read_bytes()
    with pytest.raises(OtherTables):
        TableStore(f"sqlite:///{file}")
    assert [*tmp_path.iterdir()] == [file]
    assert file.read_bytes() == before


def test_people_talk(tmp_path: Path) -> None:
    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red, Client(server, links[WATCHER]) as watcher:
            await red.send(type="name", name=" Ann\u202e ")
            people = (await watcher.until("people"))["people"]
            while not people[0]["name"]:
                people = (await watcher.until("people"))["people"]
            assert people[0] == {"name": "Ann\\u{202e}", "kind": "human", "here": True}
            await watcher.send(type="say", text="hello")
            assert await red.until("said") == {"type": "said", "place": WATCHER, "text": "hello"}
            await red.send(type="name", name="\u202e" * 5)
            while people[0]["name"] != "\\u{202e}" * 5:
                people = (await watcher.until("people"))["people"]
            await red.send(type="name", name="\u202e" * 6)
            assert "at most 40" in (await red.until("refused"))["text"]
            await watcher.send(type="name", name="Bob")
            assert (await watcher.until("refused"))["text"] == "only players have names"
            await watcher.send(type="record")
            assert "seed" in (await watcher.until("refused"))["text"]

    with serving(tmp_path, game("card_game")) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


def mutated(random: Random, message: Message) -> str | bytes:
    """A message with something wrong."""
    values: list[object] = [None, -1, 2**63, 1.5, "", "\ud800", "x" * 600, [], {}, True, "human"]
    given = dict(message)
    for _ in range(random.randrange(1, 3)):
        given[random.choice([*given, "x"])] = random.choice(values)
    text = json.dumps(given)
    match random.randrange(4):
        case 0:
            return text[: random.randrange(len(text))]
        case 1:
            at = random.randrange(len(text))
            return text[:at] + chr(random.randrange(32, 127)) + text[at + 1 :]
        case 2:
            return bytes(random.choices(range(256), k=random.randrange(60)))
        case _:
            return text


def test_strange_messages_change_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulesdsl.serve.server.AT_ONCE", 10_000)
    monkeypatch.setattr("rulesdsl.serve.server.OPENED", (0, 3))
    monkeypatch.setitem(BY_ADDRESS, "message", (200, 10_000))
    own, random = game("card_game"), Random(5)
    in_lobby: list[Message] = [
        {"type": "lobby"},
        {"type": "open", "players": 2},
        {"type": "sit", "table": "x", "seat": 0, "name": "Ann"},
    ]
    messages: list[Message] = [
        {"type": "undo"},
        {"type": "end"},
        {"type": "name", "name": "Ann"},
        {"type": "say", "text": "hello"},
        {"type": "play", "turn": 0, "move": 10_000},
        {"type": "play", "turn": 7, "move": 0},
        {"type": "agree", "turn": 0, "moves": 0, "agree": True},
        {"type": "kind", "seat": 1, "kind": "greedy"},
        {"type": "record"},
        {"type": "join", "secret": "x"},
    ]

    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red:
            stranger = await connected(server)
            for socket, given in ((red.socket, messages), (stranger, in_lobby)):
                for _ in range(2000):
                    message = mutated(random, random.choice(given))
                    await socket.write_message(message, binary=isinstance(message, bytes))
            await stranger.write_message('{"type": "sit", "table": "", "seat": 0, "name": "last"}')
            while "`table` is a text" not in str(await stranger.read_message()):
                pass
            await ended(stranger)
            await red.send(type="say", text="done")
            while (await red.until("said"))["text"] != "done":
                pass
            assert red.plies == []
        assert len(read_record(Source("", await record_of(server, links))).entries) == 0

    with serving(tmp_path, own, lobby=True) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))
    assert capfd.readouterr().err == ""


async def closed(server: HostServer, *messages: object) -> bool:
    """Whether the server closes a connection after these messages."""
    socket = await connected(server)
    for message in messages:
        await socket.write_message(json.dumps(message))
    while (await asyncio.wait_for(socket.read_message(), 20)) is not None:
        pass
    socket.close()
    return True


def test_strangers_get_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulesdsl.serve.server.TO_JOIN", 0.2)

    async def run(server: HostServer) -> None:
        assert await closed(server)
        assert await closed(server, {"type": "join", "secret": "x" * 22})
        assert await closed(server, {"type": "join", "secret": "x" * 5000})
        assert await closed(server, *[{"type": "record"}] * 200)
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            with pytest.raises(HTTPClientError):
                await connected(server, **headers)
        await ended(await connected(server, Origin=f"http://{server.host}"))

    with serving(tmp_path, game("card_game")) as server:
        asyncio.run(run(server))


def test_secrets_are_not_kept(tmp_path: Path) -> None:
    with serving(tmp_path, game("card_game")) as server:
        links = server.add(1, ["human"] * 2)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for link in links.values():
        secret = link.partition("#")[2]
        assert len(secret) == 22
        assert secret.encode() not in kept


@pytest.mark.parametrize("trouble", ["max_page_count = 1", "query_only = 1"])
def test_who_plays_is_told_once_that_nothing_can_be_kept(
    trouble: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The disk is full, or can only be read: everybody else is told nothing, and links open."""
    monkeypatch.setattr("rulesdsl.serve.server._SAID", {})

    async def run(server: HostServer, links: Links) -> None:
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            for client in (red, blue):
                await client.until("now")
            mover = red if red.now["moves"] else blue
            await mover.play(0)
            while (await mover.until("now", "refused"))["type"] == "now":
                await (blue if mover is red else red).until("now")
                mover = red if red.now["moves"] else blue
                await mover.play(0)
            async with Client(server, links[WATCHER]) as watcher:
                await watcher.send(type="say", text="here")
                for client in (red, blue, watcher):
                    await client.until("said")
                assert len({len(each.plies) for each in (red, blue, watcher)}) == 1
            told = [each["text"] for each in red.told + blue.told if each["type"] == "refused"]
            assert told == ["the game cannot be kept, so nothing was changed"]

    with serving(tmp_path, game("card_game")) as server:
        links = server.add(1, ["human"] * 2)
        event.listen(
            server._store._engine, "begin", lambda each: each.exec_driver_sql(f"PRAGMA {trouble}")
        )
        asyncio.run(run(server, links))
    assert capfd.readouterr().err.count("the database failed") == 1
