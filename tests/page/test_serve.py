"""The server of `rulesdsl page`: its page, and the records that the page sends."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from random import Random
from threading import Event, Thread
from time import monotonic

import pytest

from rulesdsl.show.page import serve
from rulesdsl.show.page.serve import LOOPBACK, PageServer, Post, Records

GAME = "0123456789abcdef"
HEAD = (
    b'{"record": 1, "root": "base", "expansions": [], "settings": {}, "rulesets": [], '
    b'"interactions": [], "players": 2, "seed": 7}\n'
)
MOVE = b'{"by": "red", "move": "place", "args": {"at": "(0, 0)"}}\n'


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    told: list[str] = []
    posts = {"record": Records(tmp_path, told.append).answer}
    with PageServer("<!doctype html>", posts) as server:
        yield server


def ask(
    server: PageServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, bytes]:
    connection = HTTPConnection(server.host, timeout=10)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def sent(server: PageServer, body: bytes, game: str = GAME, **headers: str) -> int:
    given = {"Origin": f"http://{server.host}", "Game": game} | headers
    return ask(server, "POST", f"/{server.token}/record", body, **given)[0]


def test_only_the_address_with_the_token_has_the_page(server: PageServer) -> None:
    assert ask(server, "GET", f"/{server.token}/") == (200, b"<!doctype html>")
    for path in ("/", "/x/", f"/{server.token}", f"/{server.token}/../", "/%ff/"):
        assert ask(server, "GET", path) == (404, b"")


def test_a_browser_in_the_terminal_gets_the_page(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not return before its user leaves it."""
    found, left = Queue[tuple[int, bytes]](), Event()

    def browse(address: str) -> None:
        found.put(ask(server, "GET", address.removeprefix(f"http://{server.host}")))
        left.wait(20)

    monkeypatch.setattr("webbrowser.open", browse)
    server.open_browser()
    assert found.get(timeout=20) == (200, b"<!doctype html>")
    left.set()


def test_another_name_of_this_machine_gets_nothing(server: PageServer) -> None:
    port = server.host.partition(":")[2]
    assert ask(server, "GET", f"/{server.token}/", Host=f"evil.example:{port}")[0] == 404


def test_each_game_has_a_file_that_grows(server: PageServer, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text("mine", encoding="utf-8")
    assert sent(server, HEAD) == 204
    assert sent(server, HEAD + MOVE) == 204
    assert sent(server, HEAD, "f" * 16) == 204
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    expected = {"game.jsonl": b"mine", "game-2.jsonl": HEAD + MOVE, "game-3.jsonl": HEAD}
    assert files == expected


OTHER = {
    "a text": b"#!/bin/sh\nrm -rf /\n",
    "no header": MOVE,
    "another object": b'{"root": "base"}\n',
    "a line of another kind": HEAD + b'{"x": 1}\n',
    "a path": HEAD.replace(b'"base"', b'"/etc/passwd"'),
    "a surrogate": HEAD + MOVE.replace(b"place", b"\\ud800"),
    "an escaped NUL": HEAD + MOVE.replace(b"place", b"\\u0000"),
    "a NUL": HEAD + b"\0",
    "bytes": HEAD + b"\xff\xfe",
    "nothing": b"",
    "nested deeply": b"[" * 100_000,
}


@pytest.mark.parametrize("body", OTHER.values(), ids=OTHER.keys())
def test_only_records_are_kept(body: bytes, server: PageServer, tmp_path: Path) -> None:
    assert sent(server, body) == 400
    assert list(tmp_path.iterdir()) == []


def test_a_record_names_no_folders_but_those_of_the_command(tmp_path: Path) -> None:
    head = HEAD.replace(b'"seed": 7', b'"seed": 7, "paths": ["/"]')
    for paths, kept in (((), HEAD), (("/mine",), HEAD[:-2] + b', "paths": ["/mine"]}\n')):
        records = Records(tmp_path, lambda _: None, paths=paths)
        assert records.answer({"Game": GAME}, head + MOVE).status == 204
        (file,) = tmp_path.iterdir()
        assert file.read_bytes() == kept + MOVE
        file.unlink()


def test_an_unexpected_error_ends_nothing(
    server: PageServer, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "read_record", lambda _: dict[str, str]()["\x1b[2J"])
    assert sent(server, HEAD) == 500
    assert ask(server, "GET", f"/{server.token}/")[0] == 200
    shown = capfd.readouterr().err
    assert "Traceback" in shown
    assert "\x1b" not in shown


def test_other_origins_and_names_write_nothing(server: PageServer, tmp_path: Path) -> None:
    assert sent(server, b"x", Origin="http://evil.example") == 403
    assert sent(server, b"x", Origin="null") == 403
    assert sent(server, b"x", "../../etc") == 403
    assert sent(server, b"", **{"Content-Length": "999999999"}) == 413
    assert list(tmp_path.iterdir()) == []


# --- clients that mean no good -------------------------------------------------------------------


def connect(server: PageServer, sent: bytes) -> socket.socket:
    client = socket.create_connection((LOOPBACK, int(server.host.partition(":")[2])), timeout=20)
    client.sendall(sent)
    return client


def upload(server: PageServer, length: object, body: bytes) -> bytes:
    """The request that keeps a record, with the length that it claims to have."""
    return (
        f"POST /{server.token}/record HTTP/1.1\r\nHost: {server.host}\r\n"
        f"Origin: http://{server.host}\r\nGame: {GAME}\r\nContent-Length: {length}\r\n\r\n"
    ).encode() + body


def rest(client: socket.socket) -> bytes:
    """Everything that comes until the server closes the connection."""
    found = b""
    try:
        while part := client.recv(1 << 16):
            found += part
    except ConnectionResetError:
        pass
    client.close()
    return found


def test_a_record_that_breaks_off_replaces_nothing(server: PageServer, tmp_path: Path) -> None:
    assert sent(server, HEAD + MOVE) == 204
    client = connect(server, upload(server, 1000, HEAD))
    client.shutdown(socket.SHUT_WR)
    assert rest(client) == b""
    assert (tmp_path / "game.jsonl").read_bytes() == HEAD + MOVE


@pytest.mark.parametrize("length", ["9" * 5000, "8000001", "-1", "+1", "1_0", "\xb2", "0x10", ""])
def test_lengths_that_are_none(length: str, server: PageServer, tmp_path: Path) -> None:
    client = connect(server, upload(server, length, b""))
    assert b" 413 " in rest(client).partition(b"\r\n")[0]
    assert list(tmp_path.iterdir()) == []


def test_slow_clients_are_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "LONGEST", 0.2)
    posts = {"record": Records(tmp_path, lambda _: None).answer}
    with PageServer("x" * 50_000_000, posts) as server:
        begun = monotonic()
        for request in (b"GET", b"GET / HTTP/1.1\r\nHost:", upload(server, 100, b"one")):
            assert rest(connect(server, request)) == b""
        client = connect(server, request_of_page(server))
        while not all(stream.closed() for stream in server.connections.known):
            assert monotonic() - begun < 15
        assert len(rest(client)) < 50_000_000


def request_of_page(server: PageServer) -> bytes:
    return f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()


SLOW = {
    "nothing": lambda _: b"",
    "headers": lambda _: b"GET / HTTP/1.1\r\nHost:",
    "a body without the token": lambda server: upload(server, 100, b"").replace(
        b"POST /", b"POST /x"
    ),
}


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW.keys())
def test_nobody_keeps_the_owner_out(
    slow: Callable[[PageServer], bytes], server: PageServer
) -> None:
    held = []
    for _ in range(500):
        held.append(connect(server, slow(server)))
        if len(held) % 50 == 0:
            begun = monotonic()
            assert ask(server, "GET", f"/{server.token}/")[0] == 200
            assert monotonic() - begun < 1
    assert sent(server, HEAD) == 204
    assert len(server.connections.known) <= serve.MOST_CONNECTIONS
    for client in held:
        client.close()


def test_the_owner_keeps_what_is_being_sent(server: PageServer, tmp_path: Path) -> None:
    client = connect(server, upload(server, len(HEAD), HEAD[:9]))
    # By the answer to a later request the server has read whose connection the first one is.
    assert ask(server, "GET", f"/{server.token}/")[0] == 200
    held = [connect(server, b"GET") for _ in range(2 * serve.MOST_CONNECTIONS)]
    client.sendall(HEAD[9:])
    assert b" 204 " in rest(client)
    assert (tmp_path / "game.jsonl").read_bytes() == HEAD
    for each in held:
        each.close()


def test_an_answer_that_takes_long_holds_nobody_up() -> None:
    begun, end = Event(), Event()

    def answer(_: object, body: bytes) -> Post:
        begun.set()
        end.wait(20)
        return Post(200, body)

    with PageServer("page", {"record": answer}) as server:
        client = connect(server, upload(server, 4, b"slow"))
        assert begun.wait(20)
        assert ask(server, "GET", f"/{server.token}/") == (200, b"page")
        end.set()
        assert rest(client).endswith(b"\r\n\r\nslow")


def test_clients_that_hang_up_are_nobodys_business(
    server: PageServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for request in (b"GET / HT", f"GET /{server.token}/ HTTP/1.1\r\n".encode()):
        client = connect(server, request)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()  # with a reset
    assert ask(server, "GET", f"/{server.token}/")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_noise_is_answered_or_cut_off(server: PageServer, tmp_path: Path) -> None:
    random = Random(1)
    good = upload(server, len(HEAD), HEAD).replace(b"POST", b"PUT")
    for _ in range(200):
        at, end = sorted(random.randrange(len(good)) for _ in range(2))
        noise = random.choice(
            (random.randbytes(9), b"\0", b"\r\n" * 200, b"%ff", b"A: b\r\n" * 200)
        )
        client = connect(server, good[:at] + noise + good[end:])
        client.shutdown(socket.SHUT_WR)
        assert b" 2" not in rest(client).partition(b"\r\n")[0]
    assert ask(server, "GET", f"/{server.token}/")[0] == 200
    assert list(tmp_path.iterdir()) == []


def test_more_games_than_are_kept(
    server: PageServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "MOST_GAMES", 2)
    assert [sent(server, HEAD, str(number) * 16) for number in (1, 2, 3, 2)] == [204, 204, 500, 204]
    assert len(list(tmp_path.iterdir())) == 2


def test_no_record_is_begun_after_the_end(tmp_path: Path) -> None:
    records = Records(tmp_path, lambda _: None)
    records.keep(GAME, b"one\n")
    records.finish()
    late = Thread(target=records.keep, args=(GAME, b"two\n"), daemon=True)
    late.start()
    late.join(0.2)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"one\n"]
