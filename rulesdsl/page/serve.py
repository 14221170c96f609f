"""A server for a page that only this machine can reach, and the records that it keeps."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

from rulesdsl.writing import create, write_file

LOOPBACK = "127.0.0.1"
MOST = 8_000_000
"""The largest record in bytes that the page may send."""
MOST_GAMES = 10_000
_GAME = re.compile(r"[0-9a-f]{16}")

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

    `stem` begins the names of the files.
    """

    def __init__(self, folder: Path, told: Told, stem: str = "game") -> None:
        self._folder, self._stem = folder, stem
        self._told = told
        self._names: dict[str, Path] = {}
        self._lock = Lock()

    def keep(self, game: str, record: bytes) -> None:
        """Write the record of a game: to a new file at first, then in its place.

        Raises OSError if it cannot be written.
        """
        with self._lock:
            if game in self._names:
                write_file(os.fspath(self._names[game]), record)
            elif len(self._names) < MOST_GAMES:
                self._names[game] = self._begun(record)
                self._told(os.fspath(self._names[game]))

    def answer(self, headers: Headers, body: bytes) -> Post:
        """Keep the record that a page posts, with the name of its game in a header."""
        game = headers.get("Game", "")
        if not _GAME.fullmatch(game):
            return Post(403)
        try:
            self.keep(game, body)
        except OSError as error:
            return Post(500, (error.strerror or "").encode())
        return Post(204)

    def _begun(self, record: bytes) -> Path:
        number = 1
        while True:
            path = self._folder / f"{self._stem}{'' if number == 1 else f'-{number}'}.jsonl"
            try:
                create(os.fspath(path), record)
            except FileExistsError:
                number += 1
            else:
                return path


class PageServer(ThreadingHTTPServer):
    """Serves one page at an address with a token that nobody can guess.

    Other addresses, other hosts (a name that points here) and other origins get nothing. `posts`
    are the functions, by name, that answer what the page posts: they are given the headers and the
    body, of `most` bytes at most.
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

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{self.host}/{self.token}/"

    @property
    def host(self) -> str:
        """The host and the port."""
        return f"{LOOPBACK}:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    server: PageServer
    timeout = 30

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
        if not length.isdecimal() or int(length) > self.server.most:
            return self._answer(413)
        post = answer(self.headers, self.rfile.read(int(length)))
        self._answer(post.status, post.body)

    def _known(self, name: str) -> bool:
        """Say whether the address asked for is `name` below the token, and answer if it is not."""
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

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""
