"""A server for a page that only this machine can reach, and the records that it keeps."""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
import sys
import traceback
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from email.message import Message
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any

from rulesdsl.diagnostics import RulesError
from rulesdsl.diagnostics.visible import inert
from rulesdsl.play.records import read_record, with_paths
from rulesdsl.read.files import FileProblem, decode
from rulesdsl.records import dataclass
from rulesdsl.writing import create, write_file

LOOPBACK = "127.0.0.1"
MOST = 8_000_000
"""The largest record in bytes that the page may send."""
MOST_GAMES = 10_000
MOST_CONNECTIONS = 64
LONGEST = 60.0
"""Seconds that a client has to send what it asks, and to take the answer."""

_GAME = re.compile(r"[0-9a-f]{16}")
_LENGTH = re.compile(r"[0-9]{1,12}")

Headers = Message
Answer = Callable[[Headers, bytes], "Post"]
"""A function that answers what a page posts, from the headers and the body."""
Told = Callable[[str], object]
"""A function that is told the name of each file that is begun."""


@dataclass(frozen=True)
class Post:
    """The answer to what a page posts: a status, and a body."""

    status: int
    body: bytes = b""


class Records:
    """The files of the games that pages have sent, each by the id that its page gave it.

    `stem` begins the names of the files, and `paths`, if any, are written into the headers as the
    folders of the rulesets.
    """

    def __init__(
        self, folder: Path, told: Told, stem: str = "game", paths: Sequence[str] = ()
    ) -> None:
        self._folder, self._stem, self._paths = folder, stem, paths
        self._told = told
        self._names: dict[str, Path] = {}
        self._next = 1
        self._lock = Lock()

    def keep(self, game: str, record: bytes) -> None:
        """Write the record of a game: to a new file at first, then in its place.

        Raises OSError if it cannot be written, or if there are too many games.
        """
        with self._lock:
            if game in self._names:
                write_file(os.fspath(self._names[game]), record)
                return
            if len(self._names) == MOST_GAMES:
                raise OSError(errno.ENOSPC, f"there are {MOST_GAMES:,} records already")
            self._names[game] = self._begun(record)
            self._told(os.fspath(self._names[game]))

    def finish(self) -> None:
        """Wait until no record is being written, and write none any more."""
        self._lock.acquire()

    def answer(self, headers: Headers, body: bytes) -> Post:
        """Keep the record that a page posts, with the name of its game in a header."""
        game = headers.get("Game", "")
        if not _GAME.fullmatch(game):
            return Post(403)
        try:
            read_record(decode(body, "the record"))
            self.keep(game, with_paths(body, self._paths))
        except FileProblem as problem:
            return Post(400, problem.message.encode())
        except RulesError as error:
            return Post(400, str(error).encode())
        except OSError as error:
            return Post(500, (error.strerror or "").encode())
        return Post(204)

    def _begun(self, record: bytes) -> Path:
        while True:
            number, self._next = self._next, self._next + 1
            path = self._folder / f"{self._stem}{'' if number == 1 else f'-{number}'}.jsonl"
            with suppress(FileExistsError):
                create(os.fspath(path), record)
                return path


class PageServer(ThreadingHTTPServer):
    """Serves one page at an address with a token that nobody can guess.

    Other addresses, other hosts (a name that points here) and other origins get nothing. What a
    client can take up is bounded: the number of connections, their time, and the size of what it
    posts. `posts` are the functions, by name, that answer what the page posts: they are given the
    headers and the body, of `most` bytes at most.
    """

    daemon_threads = True

    def __init__(
        self, page: str, posts: Mapping[str, Answer], port: int = 0, *, most: int = MOST
    ) -> None:
        """Listen on a port, 0 for any free one; raises OSError if it is taken."""
        super().__init__((LOOPBACK, port), _Answers)
        self.page = page.encode()
        self.posts = posts
        self.most = most
        self.token = secrets.token_urlsafe(24)
        self._ends: dict[socket.socket, float] = {}

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{self.host}/{self.token}/"

    def open_browser(self) -> None:
        """Show the page in the user's browser; one in the terminal needs it before this ends."""
        Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()

    @property
    def host(self) -> str:
        """The host and the port."""
        return f"{LOOPBACK}:{self.server_address[1]}"

    # --- connections -----------------------------------------------------------------------------

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; close the connection at once if there are too many."""
        if len(self._ends) >= MOST_CONNECTIONS:
            self.shutdown_request(request)
            return
        self.wait_for(request, LONGEST)
        super().process_request(request, client_address)

    def wait_for(self, request: socket.socket, seconds: float) -> None:
        """Give a client so many seconds from now."""
        self._ends[request] = monotonic() + seconds

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        self._ends.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End connections that last too long."""
        now = monotonic()
        for request, end in list(self._ends.items()):
            if end < now:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that have gone; write any other error to standard error, and go on."""
        if not isinstance(sys.exception(), OSError):
            sys.stderr.write(inert(traceback.format_exc()))


class _Answers(BaseHTTPRequestHandler):
    server: PageServer
    timeout = LONGEST

    def do_GET(self) -> None:
        """Answer with the page."""
        if self._known(""):
            self._answer(200, self.server.page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Answer what the page posts."""
        name = self.path.rpartition("/")[2]
        answer = self.server.posts.get(name)
        if answer is None:
            return self._answer(404)
        if not self._known(name):
            return
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Origin", "") != f"http://{self.server.host}":
            return self._answer(403)
        if not _LENGTH.fullmatch(length) or int(length) > self.server.most:
            return self._answer(413)
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return None  # the client has gone, and this is not all of it
        self.server.wait_for(self.connection, inf)
        try:
            post = answer(self.headers, body)
        except Exception:
            sys.stderr.write(inert(traceback.format_exc()))
            post = Post(500, b"internal error")
        self.server.wait_for(self.connection, LONGEST)
        return self._answer(post.status, post.body)

    def _known(self, name: str) -> bool:
        """Return whether the requested address is `name` below the token; answer if it is not."""
        wanted = f"/{self.server.token}/{name}".encode()
        here = compare_digest(self.path.encode("utf-8", "replace"), wanted)
        if here and self.headers.get("Host") == self.server.host:
            return True
        self._answer(404)
        return False

    def _answer(self, status: int, body: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        """Name the server, but no versions."""
        return "rulesdsl"

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""
