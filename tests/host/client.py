"""Clients of the server of tables, in tests."""

from __future__ import annotations

import asyncio
import json
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from rulesdsl.serve.server import HostServer

Message = dict[str, Any]
LONGEST = 20.0


class Client:
    """A connection to a table, with everything that it was told."""

    def __init__(
        self, server: HostServer, link: str, *, texts: bool = True, place: int = 0
    ) -> None:
        self._server, where = server, urlsplit(link)
        self._secret, self._path = where.fragment, where.path or "/"
        self.texts, self.place = texts, place
        self._unread: list[Message] = []
        self.told: list[Message] = []
        self.plies: list[Message] = []
        self.now: Message = {}
        self.about: Message = {}

    async def __aenter__(self) -> Self:
        self.socket = await connected(self._server, self._path)
        await self.send(type="join", secret=self._secret, texts=self.texts)
        self.about = await self.until("table")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await ended(self.socket)

    async def send(self, **message: object) -> None:
        """Send a message."""
        await self.socket.write_message(json.dumps(message))

    async def read(self) -> Message | None:
        """Return the next message, None at the end."""
        while not self._unread:
            text = await asyncio.wait_for(_next(self.socket), LONGEST)
            if text is None:
                return None
            self._unread += json.loads(text)
        message = self._unread.pop(0)
        self.told.append(message)
        match message["type"]:
            case "start":
                self.plies = []
            case "ply":
                self.plies.append(message)
            case "cut":
                del self.plies[message["moves"] :]
            case "now":
                self.now = message
        return message

    async def until(self, *types: str) -> Message:
        """Read up to a message of one of these types, and return it."""
        while (message := await self.read()) is not None:
            if message["type"] in types:
                return message
        raise ConnectionError("the connection has ended")

    async def play(self, row: int) -> None:
        """Play a move."""
        await self.send(type="play", turn=self.now["turn"], move=row)


async def connected(
    server: HostServer, path: str = "/", **headers: str
) -> WebSocketClientConnection:
    """Connect to a server."""
    request = HTTPRequest(
        f"ws://{server.host}{path}table", headers=headers, request_timeout=LONGEST
    )
    return await websocket_connect(request)


async def _next(socket: WebSocketClientConnection) -> str | bytes | None:
    return await socket.read_message()


async def ended(socket: WebSocketClientConnection) -> None:
    """Close a connection, or wait until the server has closed it."""
    socket.close()
    while await asyncio.wait_for(_next(socket), LONGEST) is not None:
        pass
