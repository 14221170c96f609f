"""What strangers get from a server of tables: its page, and a share of what it has."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path

import pytest
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError

from rulesdsl.serve.server import MOST_UNSEEN, HostServer
from rulesdsl.serve.store import WATCHER
from tests.host.client import Client, Message, connected, ended
from tests.host.test_serve import Links, game, serving

HOUSE = "https://play.example.org"
CROWD = 20
"""The connections of a server in these tests."""


def answered(
    server: HostServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, HTTPMessage, bytes]:
    connection = HTTPConnection(server.host, timeout=10)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_all_answers_are_for_who_asks_the_server_itself(tmp_path: Path) -> None:
    with serving(tmp_path, game("card_game")) as server:
        for path, status in (("/", 200), ("/other", 404), ("/table", 400)):
            found, headers, body = answered(server, path)
            assert (found, b"html" in body) == (status, status == 200)
            assert (headers["X-Frame-Options"], headers["Server"]) == ("DENY", "rulesdsl")
            assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
            assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("address", "hosts", "others"),
    [
        (None, ["LOCALHOST:{port}", "127.0.0.1:{port}", "localhost.:{port}"], ["evil.example"]),
        (
            HOUSE,
            ["play.example.org", "play.example.org:443", "Play.Example.Org", "play.example.org."],
            ["play.example.org:80", "play.example.org:8443", "play.example.org.evil", ""],
        ),
        (f"{HOUSE}:8443/games/", ["play.example.org:8443"], ["play.example.org"]),
    ],
)
def test_a_host_has_its_names_however_they_are_written(
    address: str | None, hosts: Sequence[str], others: Sequence[str], tmp_path: Path
) -> None:
    with serving(tmp_path, game("card_game"), address=address) as server:
        for host in hosts:
            assert answered(server, "/", Host=host.format(port=server.port))[0] == 200, host
        for host in others:
            assert answered(server, "/", Host=host)[0] == 404, host


@pytest.mark.parametrize("prefix", ["", "/games"])
@pytest.mark.parametrize("passed_on", [False, True])
def test_links_have_the_path_at_which_a_proxy_has_the_server(
    prefix: str, passed_on: bool, tmp_path: Path
) -> None:
    own = game("card_game")
    with serving(tmp_path, own, address=f"{HOUSE}{prefix}/", lobby=True) as server:
        before, host = prefix if passed_on else "", {"Host": "play.example.org"}
        assert server.add(1, ["human"] * 2)[0].startswith(f"{HOUSE}{prefix}/#")
        for path in ("/", "/?fbclid=a", "/card_game/"):
            assert answered(server, before + path, **host)[0] == 200
        status, headers, _ = answered(server, f"{before}/card_game?utm_source=a", **host)
        assert (status, headers["Location"]) == (301, "card_game/")

        async def run() -> None:
            client = await connected(server, f"{before}/card_game/", Origin=HOUSE, **host)
            (listed,) = await told(client, type="lobby")
            assert listed["games"] == [{"path": f"{prefix}/", "name": "card_game"}]
            await ended(client)

        asyncio.run(run())


def test_the_page_is_kept_by_its_digest(tmp_path: Path) -> None:
    page = "<!doctype html>" * 500
    with serving(tmp_path, game("card_game"), page) as server:
        for codings in ({}, {"Accept-Encoding": "br, gzip"}):
            status, headers, body = answered(server, "/", **codings)
            assert (status, headers["Cache-Control"]) == (200, "no-cache")
            assert (gzip.decompress(body) if codings else body) == page.encode()
            assert int(headers["Content-Length"]) == len(body)
            again = answered(server, "/", **codings, **{"If-None-Match": headers["Etag"]})
            assert (again[0], again[2]) == (304, b"")
            head = answered(server, "/", "HEAD", **codings)
            assert (head[0], head[1]["Content-Length"], head[2]) == (200, str(len(body)), b"")
        assert answered(server, "/", "POST")[1]["Allow"] == "GET, HEAD"
        assert answered(server, "/", "DELETE")[0] == 405


async def told(client: WebSocketClientConnection, **message: object) -> list[Message]:
    """Send a message, and return what the server tells."""
    await client.write_message(json.dumps(message))
    found: list[Message] = json.loads(str(await client.read_message()))
    return found


def from_address(number: int) -> dict[str, str]:
    return {"Host": "play.example.org", "X-Forwarded-For": f"192.0.2.9, 192.0.2.{number}"}


def test_one_address_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It opens tables, sits at them all, and holds each connection that it gets."""
    monkeypatch.setattr("rulesdsl.serve.server.MOST_LISTED", MOST_UNSEEN + 1)
    monkeypatch.setattr("rulesdsl.serve.server.LISTED_FOR", 0)

    async def sit(client: WebSocketClientConnection, table: Message) -> list[str]:
        taken = list[Message]()
        for seat in range(2):
            taken += await told(client, type="sit", table=table["table"], seat=seat, name="A")
        return [each["secret"] for each in taken if each["type"] == "seat"]

    async def run(server: HostServer, links: Links) -> None:
        honest = await connected(server, **from_address(1))
        ((_, own),) = [each["tables"] for each in await told(honest, type="open", players=2)]
        stranger = await connected(server, **from_address(2))
        answers = [(await told(stranger, type="open", players=2))[0] for _ in range(25)]
        (refused,) = {each["text"] for each in answers if each["type"] == "refused"}
        assert refused == "too many tables were opened from your address"
        listed = answers[0]["tables"]
        while (more := (await told(stranger, type="lobby"))[0]["tables"]) != listed:
            listed = more
        assert len(listed) <= MOST_UNSEEN + 1
        others = [each for each in listed if each["table"] != own["table"]]
        secrets = [secret for each in others for secret in await sit(stranger, each)]
        held = [await connected(server, **from_address(2)) for _ in range(2 * CROWD)]
        for client, secret in zip(held, secrets * 3, strict=False):
            with suppress(StreamClosedError, ValueError, WebSocketClosedError):  # It had to go.
                await told(client, type="join", secret=secret)
        assert own in (await told(honest, type="lobby"))[0]["tables"]
        more_honest = [await connected(server, **from_address(3)) for _ in range(3)]
        for client in more_honest:
            assert (await told(client, type="lobby"))[0]["type"] == "tables"
        assert answered(server, "/", **from_address(4))[0] == 200
        assert len(await sit(honest, own)) == 2
        joined = await connected(server, **from_address(5))
        secret = links[WATCHER].partition("#")[2]
        assert (await told(joined, type="join", secret=secret))[0]["type"] == "table"
        for client in (*held, *more_honest, honest, joined, stranger):
            await ended(client)

    with serving(
        tmp_path, game("card_game"), address=HOUSE, lobby=True, connections=CROWD
    ) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))
    assert capfd.readouterr().err == ""


def test_connections_that_say_nothing_are_a_loss_of_their_own_address(tmp_path: Path) -> None:
    async def run(server: HostServer) -> None:
        honest, port = await connected(server), server.port
        silent = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
            for _ in range(3 * CROWD)
        ]
        assert (await told(honest, type="lobby"))[0]["type"] == "tables"
        await ended(honest)
        for _, writer in silent:
            writer.close()

    with serving(tmp_path, game("card_game"), lobby=True, connections=CROWD) as server:
        asyncio.run(run(server))


def test_no_stranger_takes_the_connection_of_a_player(tmp_path: Path) -> None:
    async def run(server: HostServer, links: Links) -> None:
        stranger = await connected(server)
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            await ended(stranger)
            for _ in range(3):
                with pytest.raises(ConnectionError):
                    answered(server, "/")
            await red.send(type="say", text="here")
            assert (await blue.until("said"))["text"] == "here"

    with serving(tmp_path, game("card_game"), connections=2) as server:
        asyncio.run(run(server, server.add(1, ["human"] * 2)))


@pytest.mark.parametrize("limit", ["MOST_UNREAD", "MOST_UNREAD_IN_ALL"])
def test_who_does_not_read_goes(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are told everything; what waited for a client that has gone does not count."""
    most, size = 200_000, 50_000
    for name, value in {limit: most, "MOST_MESSAGE": 2 * size, "MOST_CHAT": size}.items():
        monkeypatch.setattr(f"rulesdsl.serve.server.{name}", value)
    monkeypatch.setattr("rulesdsl.serve.server.AT_ONCE", 10_000)

    async def run(server: HostServer, links: Links) -> int:
        unread = 0
        async with Client(server, links[0]) as red, Client(server, links[1]) as blue:
            quiet = Client(server, links[1])
            await quiet.__aenter__()
            stream = quiet.socket.stream
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            asyncio.get_running_loop().remove_reader(stream.fileno())
            for _ in range(1000):
                await red.send(type="say", text="x" * size)
                await red.until("said")
                await blue.until("said")
                unread = max(unread, server.unread)
                if len(server.clients) == 2:
                    break
            quiet.socket.close()
            stream.close()
        while server.clients:
            await asyncio.sleep(0.01)
        assert server.unread == 0
        return unread

    with serving(tmp_path, game("card_game")) as server:
        links = server.add(1, ["human"] * 2)
        assert 0 < asyncio.run(run(server, links)) <= most + 2 * size
