"""JSON-RPC messages in a stream of bytes, as the language server protocol frames them."""

from __future__ import annotations

import asyncio
import json
import math
import re
import threading
from collections.abc import AsyncIterator, Iterator
from typing import BinaryIO

from pygls.exceptions import JsonRpcInvalidRequest, JsonRpcParseError

VERSION = "2.0"
MAX_MESSAGE = 32_000_000
"""Most bytes of a message."""
MAX_DEPTH = 100
"""Most levels of lists and objects in a message."""

_MAX_LINE = 10_000
_READ_AHEAD = 100
_CANCEL = "$/cancelRequest"
# A line may begin with what is left of a message that was longer than its header said.
_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,15})[ \t]*\r?\n\Z", re.IGNORECASE)

Id = int | str


class Cancelled:
    """A request that was cancelled before its turn came."""

    def __init__(self, id: Id) -> None:
        self.id = id


def request_id(message: object) -> Id | None:
    """Return the id that an answer to `message` must have, None if it has no valid one."""
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, int | str) and not isinstance(id, bool) else None


async def received(stream: BinaryIO) -> AsyncIterator[object]:
    """Yield messages as they arrive, until the stream ends.

    A thread reads ahead, so that a request can be cancelled while the server is busy: it comes as
    `Cancelled`. The thread is a daemon because nothing can wake it from a read.
    """
    inbox = Inbox(asyncio.get_running_loop())
    threading.Thread(target=inbox.fill, args=(stream,), daemon=True).start()
    async for message in inbox.messages():
        yield message


class Inbox:
    """The messages that have been read and whose turn has not come."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[object] = asyncio.Queue()
        self._room = threading.Semaphore(_READ_AHEAD)
        self._waiting: set[Id] = set()
        self._cancelled: set[Id] = set()

    def fill(self, stream: BinaryIO) -> None:
        """Read the stream to its end; runs in a thread."""
        for message in messages(stream):
            if isinstance(message, dict) and message.get("method") == _CANCEL:
                if (id := request_id(message.get("params"))) in self._waiting and id is not None:
                    self._cancelled.add(id)
                continue
            if (id := request_id(message)) is not None:
                self._waiting.add(id)
            self._room.acquire()
            if not self._put(message):
                return
        self._put(self)

    def _put(self, message: object) -> bool:
        """Hand over a message; False when the loop has ended."""
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, message)
        except RuntimeError:
            return False
        return True

    async def messages(self) -> AsyncIterator[object]:
        """Yield the messages in their order."""
        while (message := await self._queue.get()) is not self:
            self._room.release()
            id = request_id(message)
            if id is not None:
                self._waiting.discard(id)
                if id in self._cancelled:
                    self._cancelled.discard(id)
                    message = Cancelled(id)
            yield message


def messages(stream: BinaryIO) -> Iterator[object]:
    """Yield the messages of a stream, decoded; for bytes that are none, the error to answer."""
    while (length := _length(stream)) is not None:
        if isinstance(length, JsonRpcParseError):
            yield length
        elif length > MAX_MESSAGE:
            yield JsonRpcInvalidRequest(f"the message has more than {MAX_MESSAGE} bytes")
            while length and (skipped := stream.read(min(length, MAX_MESSAGE))):
                length -= len(skipped)
        else:
            body = stream.read(length)
            if len(body) < length:
                return
            yield decoded(body)


def _length(stream: BinaryIO) -> int | JsonRpcParseError | None:
    """Read a header, up to the empty line; None at the end of the stream."""
    length, empty = None, True
    while line := stream.readline(_MAX_LINE):
        if line not in (b"\r\n", b"\n"):
            empty = False
            if found := _LENGTH.search(line):
                length = int(found[1])
        elif length is not None:
            return length
        elif not empty:
            return JsonRpcParseError("the header of a message has no valid `Content-Length`")
    return None


def decoded(body: bytes) -> object:
    """Return the JSON value of a message, or the error to answer."""
    try:
        text = body.decode("utf-8")
        value: object = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        return _too_deep()
    except ValueError as error:
        return JsonRpcParseError(f"the message is not JSON in UTF-8: {error}")
    return _too_deep() if _nests_deeply(value) else value


def _finite(written: str) -> float:
    """Read a number; no answer could hold one that is not finite."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"`{written[:20]}` is not a finite number")
    return number


def _nests_deeply(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        lists = (each for each in level if isinstance(each, list | dict))
        level = [
            item for each in lists for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def _too_deep() -> JsonRpcInvalidRequest:
    return JsonRpcInvalidRequest(f"the message is nested more than {MAX_DEPTH} levels deep")


class Writer:
    """The stream to an editor. What is written after it has gone away is dropped."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.gone = False

    def write(self, data: bytes) -> None:
        """Send bytes at once."""
        try:
            if not self.gone:
                self._stream.write(data)
                self._stream.flush()
        except OSError:
            self.gone = True

    def close(self) -> None:
        """Leave the stream open: it belongs to the process."""
