"""The server of `rulesdsl play`: its page, and the records that the page sends."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest

from rulesdsl.page.serve import LOOPBACK, PageServer, Records

GAME = "0123456789abcdef"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    told: list[str] = []
    posts = {"record": Records(tmp_path, told.append).answer}
    with PageServer("<!doctype html>", posts) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: PageServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, bytes]:
    connection = HTTPConnection(LOOPBACK, server.server_address[1], timeout=10)
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


def test_another_name_of_this_machine_gets_nothing(server: PageServer) -> None:
    status, _ = ask(server, "GET", f"/{server.token}/", Host=f"evil.example:{server.server_port}")
    assert status == 404


def test_each_game_has_a_file_that_grows(server: PageServer, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_text("mine", encoding="utf-8")
    assert sent(server, b"one\n") == 204
    assert sent(server, b"one\ntwo\n") == 204
    assert sent(server, b"other\n", "f" * 16) == 204
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    expected = {"game.jsonl": "mine", "game-2.jsonl": "one\ntwo\n", "game-3.jsonl": "other\n"}
    assert files == expected


def test_other_origins_and_names_write_nothing(server: PageServer, tmp_path: Path) -> None:
    assert sent(server, b"x", Origin="http://evil.example") == 403
    assert sent(server, b"x", Origin="null") == 403
    assert sent(server, b"x", "../../etc") == 403
    assert sent(server, b"", **{"Content-Length": "999999999"}) == 413
    assert list(tmp_path.iterdir()) == []
