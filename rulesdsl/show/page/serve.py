"""A server for a page that only this machine can reach, and the records that it keeps."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import secrets
import sys
import traceback
import webbrowser
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hmac import compare_digest
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Self, cast
from weakref import WeakKeyDictionary

from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler, stream_request_body

from rulesdsl.base.records import dataclass
from rulesdsl.base.writing import create, write_file
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.diagnostics.report import inert
from rulesdsl.language.read.files import FileProblem, decode
from rulesdsl.play.records import read_record, with_paths

LOOPBACK = "127.0.0.1"
MOST = 8_000_000
"""The largest record in bytes that the page may send."""
MOST_GAMES = 10_000
MOST_CONNECTIONS = 192
LEAST_SHARE, SHARES = 8, 8
"""The connections that one address has in any case when there are too many: so many, or this part
of all."""
MOST_THREADS = 4
"""The threads that answer what pages post, while others are read and written."""
LONGEST = 60.0
"""Seconds that a client has to send its headers, to send its body, and to take the answer."""

_GAME = re.compile(r"[0-9a-f]{16}")
_LENGTH = re.compile(r"[0-9]{1,12}")
HEADERS = {
    "Server": "rulesdsl",
    "Content-Type": "text/plain",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

Headers = Mapping[str, str]
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


class _Connections(HTTPServer):
    def initialize(self, *arguments: Any, **options: Any) -> None:  # instead of `__init__`
        super().initialize(*arguments, **options)
        self.most = MOST_CONNECTIONS
        self.known: dict[IOStream, bool] = {}
        """Whether each open connection has shown the token, the oldest one first."""
        self.visitors = WeakKeyDictionary[IOStream, str]()
        """The addresses of connections, where they are known and one has a share of all."""
        self.shared = False
        """Whether the address of a connection is that of its client, who has a share of all."""

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Answer a new connection; close another one if there are too many.

        The oldest one goes of the address that has the most, if that is more than its share, and
        else of all. Those that have shown the token go last, and stay if they keep to their share,
        so nobody else can keep the owner out: then the new one is closed.
        """
        self.known = {each: known for each, known in self.known.items() if not each.closed()}
        if len(self.known) >= self.most:
            oldest = self._spared()
            if oldest is None:
                stream.close()
                return
            oldest.close()
        self.known[stream] = False
        if self.shared:
            self.visitors[stream] = str(address[0])
        super().handle_stream(stream, address)

    def _spared(self) -> IOStream | None:
        of = {each: found for each in self.known if (found := self.visitors.get(each))}
        (visitor, count), *_ = [*Counter(of.values()).most_common(1), ("", 0)]
        many = count > max(LEAST_SHARE, self.most // SHARES)
        own = [each for each in self.known if many and of.get(each) == visitor]
        oldest = min(own or self.known, key=self.known.__getitem__)
        return oldest if own or not self.known[oldest] else None


class OwnServer:
    """A server in a thread of its own, during a `with` block.

    The number of its connections and their time are bounded. `host` is the address and port that it
    listens on, `address` is what a browser opens.
    """

    def __init__(
        self, application: Application, bind: str, port: int, most: int, *, lasting: bool = False
    ) -> None:
        """Listen on a port, 0 for any free one; raises OSError if that cannot be.

        A body of a request has at most `most` bytes. A connection that is not `lasting` ends with
        its first answer.
        """
        self._sockets = bind_sockets(port, bind)
        self.port = int(self._sockets[0].getsockname()[1])
        self.host = f"{bind}:{self.port}"
        self.address = f"http://{self.host}/"
        self.connections = _Connections(
            application,
            no_keep_alive=not lasting,
            idle_connection_timeout=LONGEST,
            body_timeout=LONGEST,
            max_body_size=most,
        )

    def __enter__(self) -> Self:
        """Serve in a thread, so that Ctrl-C interrupts nothing but `wait`."""
        started = Event()
        serving = self._serve(started)
        self._serving = Thread(target=asyncio.run, args=(serving,), daemon=True)
        self._serving.start()
        started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._serving.join()

    async def _serve(self, started: Event) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        started.set()
        self.connections.add_sockets(self._sockets)
        await self._end.wait()
        self.connections.stop()
        self.stopped()

    def stopped(self) -> None:
        """End what answers connections."""

    def wait(self) -> None:
        while self._serving.is_alive():
            self._serving.join(0.2)

    def open_browser(self) -> None:
        """Show the page in the user's browser; one in the terminal needs it before this ends."""
        Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()


class PageServer(OwnServer):
    """Serves one page at an address with a token that nobody can guess, during a `with` block.

    Other addresses, other hosts (a name that points here) and other origins get nothing. What a
    client can take up is bounded: the number of connections, their time, and the size of what it
    posts. `posts` are the functions, by name, that answer what the page posts, in threads: they
    are given the headers and the body, of `most` bytes at most.
    """

    def __init__(
        self, page: str, posts: Mapping[str, Answer], port: int = 0, *, most: int = MOST
    ) -> None:
        """Listen on a port, 0 for any free one; raises OSError if it is taken."""
        application = Application(
            default_handler_class=_Answers,
            default_handler_args={"server": self},
            log_function=lambda _: None,
        )
        super().__init__(application, LOOPBACK, port, most)
        self.page, self.posts, self.most = page.encode(), posts, most
        self.token = secrets.token_urlsafe(24)
        self.address = f"{self.address}{self.token}/"
        self.threads = ThreadPoolExecutor(MOST_THREADS)

    def stopped(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)


@stream_request_body
class _Answers(RequestHandler):
    def initialize(self, server: PageServer) -> None:
        self._server, self._body = server, bytearray()
        self._stream = cast(HTTP1Connection, self.request.connection).stream

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse what is not allowed before the body is read."""
        server, headers = self._server, self.request.headers
        address, post = str(self.request.uri), self.request.method == "POST"
        name = address.rpartition("/")[2] if post else ""
        here = compare_digest(address.encode(), f"/{server.token}/{name}".encode())
        if not here or headers.get("Host") != server.host or (name in server.posts) != post:
            raise HTTPError(404)
        self._name, length = name, headers.get("Content-Length", "")
        if post and headers.get("Origin") != f"http://{server.host}":
            raise HTTPError(403)
        if post and (not _LENGTH.fullmatch(length) or int(length) > server.most):
            raise HTTPError(413)
        server.connections.known[self._stream] = True

    def data_received(self, chunk: bytes) -> None:
        self._body += chunk

    def get(self) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(self._server.page)

    async def post(self) -> None:
        answer, loop = self._server.posts[self._name], asyncio.get_running_loop()
        given = self.request.headers, bytes(self._body)
        post = await loop.run_in_executor(self._server.threads, answer, *given)
        self.set_status(post.status)
        self.finish(post.body or None)

    def on_finish(self) -> None:
        """Close the connection of a client that does not take its answer."""
        asyncio.get_running_loop().call_later(LONGEST, self._stream.close)

    def write_error(self, status_code: int, **_: Any) -> None:
        """Answer an internal error with these words, and any other error with nothing."""
        self.finish(b"internal error" if status_code == 500 else None)

    def log_exception(self, *error: Any) -> None:
        """Write an internal error to standard error."""
        if not isinstance(error[1], HTTPError):
            sys.stderr.write(inert("".join(traceback.format_exception(*error))))
