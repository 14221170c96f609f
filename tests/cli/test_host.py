"""`rulesdsl host`: its links, what goes on after Ctrl-C, and what it makes of mistakes."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tornado.websocket import websocket_connect

from tests.cli.conftest import HAMLETS, Cli, heed_ctrl_c
from tools.environment import ROOT

LINK = re.compile(r"(.+): http://(127\.0\.0\.1:\d+)/#([\w-]{22})")


@contextmanager
def hosting(
    folder: Path, *more: str, tables: bool = True, others: Sequence[str] = ()
) -> Iterator[Iterator[str]]:
    """The lines that a server prints, which ends by Ctrl-C."""
    file = ["--tables", "t.db"] if tables else []
    command = [sys.executable, "-m", "rulesdsl", "host", HAMLETS, *others, *file, *more]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, preexec_fn=heed_ctrl_c
    ) as process:
        assert process.stdout is not None
        try:
            yield iter(process.stdout)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130


def links_of(lines: Iterator[str], count: int) -> list[tuple[str, ...]]:
    """The names, hosts and secrets of the links that are printed next."""
    links = [LINK.fullmatch(next(lines).strip()) for _ in range(count)]
    return [link.groups() for link in links if link]


async def joined(host: str, secret: str) -> str | bytes | None:
    """What the server answers to somebody with a secret."""
    socket = await websocket_connect(f"ws://{host}/table")
    await socket.write_message(f'{{"type": "join", "secret": "{secret}", "texts": true}}')
    found = await socket.read_message()
    socket.close()
    while await socket.read_message() is not None:
        pass
    return found


def test_a_table_is_there_after_ctrl_c(tmp_path: Path) -> None:
    with hosting(tmp_path, "--port", "0", "--bots", "greedy") as lines:
        next(lines)
        found = links_of(lines, 4)
    assert [name for name, _, _ in found] == ["red", "blue", "to watch", "to administer the table"]
    assert (tmp_path / "t.db").stat().st_mode & 0o77 == 0
    with hosting(tmp_path, "--port", "0", "--no-table") as lines:
        host = next(lines).split("/")[2]
        answer = str(asyncio.run(joined(host, found[0][2])))
        assert '"seat": 0' in answer
        assert "leads to no table" in str(asyncio.run(joined(host, "x" * 22)))


def test_a_server_offers_several_games(tmp_path: Path) -> None:
    with hosting(tmp_path, "--port", "0", others=["dice_game"]) as lines:
        address = next(lines).split()[2]
        found = []
        for name, path in (("hamlets", ""), ("dice_game", "dice_game/")):
            assert next(lines) == f"{name}:\n"
            found += [next(lines).split("#") for _ in range(4)]
            assert found[-1][0] == f"to administer the table: {address}{path}"
        host, (_, secret) = address.split("/")[2], found[4]
        for own, seated in ((host, False), (f"{host}/dice_game", True), (host, False)):
            told = str(asyncio.run(joined(own, secret.strip())))
            assert ('"seat": 0' in told, "leads to no table" in told) == (seated, not seated)
        first = found[0][1].strip()
        for own in (host, f"{host}/hamlets"):
            assert '"seat": 0' in str(asyncio.run(joined(own, first)))


@pytest.mark.parametrize(
    ("more", "what"), [([], "play with a link"), (["--lobby"], "take free seats")]
)
def test_it_says_what_an_open_address_lets_others_do(
    more: list[str], what: str, tmp_path: Path
) -> None:
    reach = ["--bind", "0.0.0.0", "--address", "http://localhost:1", "--port", "0", "--no-table"]
    with hosting(tmp_path, *reach, *more) as lines:
        assert next(lines).startswith("tables at")
        assert next(lines) == f"whoever reaches 0.0.0.0 can {what}; nothing is encrypted\n"


def test_the_dockerfile_has_arguments_that_are_understood(cli: Cli) -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    given = [json.loads(line[line.index("[") :]) for line in lines if line.endswith("]")]
    assert [words[0] for words in given] == ["rulesdsl", "base"]
    told = cli(*given[0][1:], *given[1], "--port", "99999")
    assert told.err.startswith("error[bad-argument]: `--port 99999` is out of range")


MISTAKES = {
    "base card_game --with river": "`--with` and `--set` are for one game",
    "base base": "two of these games are `base`: leave out one",
    "--bind x": "`x` is not the IP address of a network of this machine",
    "--bind 0.0.0.0": "--bind needs --address here: how browsers reach it",
    "--address foo": "`foo` is not the address of a server",
    "--bots nobody": "there is no bot `nobody`; the bots are greedy, mcts, random",
    "--bots greedy,greedy": "2 bots leave no seat for people",
    "--players 9": "this game is for 2 to 4 players, not 9",
    "base dice_game --players 6": "base: this game is for 2 to 5 players, not 6",
    "--tables :memory:": "tables are kept in a file, not in memory\n   = such as: --tables new.db",
    "--address http://\u00fc.a": "`http://\u00fc.a` is not the address of a server: browsers send",
    "--tables no/t.db": "`no/t.db` cannot keep tables: no such file or directory",
    "--database t.db": "`--database` takes the address of a PostgreSQL database",
    "--database postgresql://x --tables t.db": "`--database` cannot be combined with `--tables`",
    "--database postgresql://127.0.0.1:1/x": "the database cannot keep tables: connection failed",
    "--connections 0": "`--connections 0` is out of range\n   = use 1 to 100,000",
    "--turn-time 1": "`--turn-time 1` is out of range\n   = use 5 to 604,800",
    "--port 99999": "`--port 99999` is out of range",
}


@pytest.mark.parametrize("given", MISTAKES)
def test_mistakes_are_explained(cli: Cli, given: str) -> None:
    told = cli("host", *given.split() if given.startswith("base") else (HAMLETS, *given.split()))
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(f"error[bad-argument]: {MISTAKES[given]}")


def test_tables_of_another_version_are_not_used(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "t.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute('CREATE TABLE places ("table" TEXT, place INTEGER)')
    told = cli("host", HAMLETS, "--tables", str(file))
    assert (told.code, told.out) == (2, "")
    assert "has tables of another version of rulesdsl" in told.err
    assert "for new games use another file: --tables new.db" in told.err
