"""The transport of the language server protocol, which answers every request."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
import threading
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import attrs
from cattrs import transform_error
from lsprotocol import types
from pygls import exceptions
from pygls.protocol import LanguageServerProtocol, lsp_method

VERSION = "2.0"
MAX_MESSAGE = 32_000_000
"""The greatest length of a message, in bytes."""
MAX_DEPTH = 100
"""The greatest depth of lists and objects in a message."""

_MAX_LINE = 10_000
_READ_AHEAD = 100
_CANCEL = "$/cancelRequest"
# A line may begin with the rest of a message that was longer than its header said.
_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,15})[ \t]*\r?\n\Z", re.IGNORECASE)

Id = int | str


class Cancelled:
    """A request that was cancelled before it was handled."""

    def __init__(self, id: Id) -> None:
        self.id = id


def request_id(message: object) -> Id | None:
    """Return the id for the answer to `message`, None if it has no valid one."""
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, int | str) and not isinstance(id, bool) else None


async def received(stream: BinaryIO) -> AsyncIterator[object]:
    """Yield messages as they arrive, until the stream ends.

    A thread reads ahead, so that a request can be cancelled while the server is busy: it is yielded
    as `Cancelled`. The thread is a daemon because nothing can wake it from a read.
    """
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[object]()
    room, end = threading.Semaphore(_READ_AHEAD), object()
    waiting, cancelled = set[Id](), set[Id]()

    def fill() -> None:
        with suppress(RuntimeError):  # the loop has ended
            for message in messages(stream):
                if isinstance(message, dict) and message.get("method") == _CANCEL:
                    if (id := request_id(message.get("params"))) in waiting and id is not None:
                        cancelled.add(id)
                    continue
                if (id := request_id(message)) is not None:
                    waiting.add(id)
                room.acquire()
                loop.call_soon_threadsafe(queue.put_nowait, message)
            loop.call_soon_threadsafe(queue.put_nowait, end)

    threading.Thread(target=fill, daemon=True).start()
    while (message := await queue.get()) is not end:
        room.release()
        if (id := request_id(message)) is not None:
            waiting.discard(id)
            if id in cancelled:
                cancelled.discard(id)
                message = Cancelled(id)
        yield message


def messages(stream: BinaryIO) -> Iterator[object]:
    """Yield the decoded messages of a stream, and for invalid bytes the error to answer."""
    while (length := _length(stream)) is not None:
        if isinstance(length, exceptions.JsonRpcParseError):
            yield length
        elif length > MAX_MESSAGE:
            yield exceptions.JsonRpcInvalidRequest(f"the message has more than {MAX_MESSAGE} bytes")
            while length and (skipped := stream.read(min(length, MAX_MESSAGE))):
                length -= len(skipped)
        else:
            body = stream.read(length)
            if len(body) < length:
                return
            yield decoded(body)


def _length(stream: BinaryIO) -> int | exceptions.JsonRpcParseError | None:
    """Read a header up to the empty line, and return the length of its message.

    Returns None at the end of the stream, and the error to answer for an invalid header.
    """
    length, empty = None, True
    while line := stream.readline(_MAX_LINE):
        if line not in (b"\r\n", b"\n"):
            empty = False
            if found := _LENGTH.search(line):
                length = int(found[1])
        elif length is not None:
            return length
        elif not empty:
            return exceptions.JsonRpcParseError(
                "the header of a message has no valid `Content-Length`"
            )
    return None


def decoded(body: bytes) -> object:
    """Return the JSON value of a message, or the error to answer."""
    try:
        text = body.decode("utf-8")
        value: object = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        return _too_deep()
    except ValueError as error:
        return exceptions.JsonRpcParseError(f"the message is not JSON in UTF-8: {error}")
    return _too_deep() if _nests_deeply(value) else value


def _finite(written: str) -> float:
    """Return a number, or raise ValueError if it is not finite, as no answer could hold it."""
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


def _too_deep() -> exceptions.JsonRpcInvalidRequest:
    return exceptions.JsonRpcInvalidRequest(
        f"the message is nested more than {MAX_DEPTH} levels deep"
    )


class Writer:
    """The output stream to the editor.

    Bytes written after the editor has closed it are dropped.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.gone = False

    def write(self, data: bytes) -> None:
        try:
            if not self.gone:
                self._stream.write(data)
                self._stream.flush()
        except OSError:
            self.gone = True

    def close(self) -> None:
        """Leave the stream open, because it belongs to the process."""


# --- the protocol ---------------------------------------------------------------------------------

_MOST_MISTAKES = 3

# The library logs clients' errors with tracebacks; the responses report them anyway.
logging.getLogger("pygls").addHandler(logging.NullHandler())
logging.getLogger("pygls").propagate = False


class Protocol(LanguageServerProtocol):
    """The library's protocol, extended to answer requests that it cannot read.

    The texts of documents are left to the server, which knows the open files.
    """

    _is_initialized = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        for method in (
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_CLOSE,
        ):
            del self.fm.builtin_features[method]

    @property
    def exit_code(self) -> int:
        """The exit code that the protocol demands: 0 after `shutdown`, otherwise 1."""
        return 0 if self._shutdown else 1

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Answer `initialize`; hints and signatures are only declared to clients that know them.

        Workspace folders are ignored.
        """
        unplaced = attrs.evolve(params, root_uri=None, root_path=None, workspace_folders=None)
        result = yield from super().lsp_initialize(unplaced)
        self._is_initialized = True
        able = params.capabilities.text_document
        if not (able and able.signature_help):
            result.capabilities.signature_help_provider = None
        if not (able and able.inlay_hint):
            result.capabilities.inlay_hint_provider = None
        return result

    def receive(self, message: object) -> bool:
        """Handle a message, or the error for an unreadable one; return True for `exit`."""
        if isinstance(message, Cancelled):
            self._refuse(message.id, exceptions.JsonRpcRequestCancelled())
        elif isinstance(message, exceptions.JsonRpcException):
            self._refuse(None, message)
        elif isinstance(message, dict) and message.get("method") == types.EXIT:
            return True
        elif not isinstance(message, dict) or not _is_well_formed(message):
            what = "a message is an object with `jsonrpc`, a `method` and, if it is a request, an"
            error = exceptions.JsonRpcInvalidRequest(f"{what} `id`, which is a number or a text")
            self._refuse(request_id(message), error)
        elif "method" in message:
            self._receive_call(message)
        return False

    def _receive_call(self, message: dict[str, Any]) -> None:
        try:
            call = self._call(message)
        except exceptions.JsonRpcException as error:
            if "id" in message:
                self._refuse(message["id"], error)
        else:
            self.handle_message(call)

    def _call(self, message: dict[str, Any]) -> Any:
        """Return a message converted to the types of its method; raise the error to answer."""
        method = message["method"]
        initializes = method == types.INITIALIZE
        if not self._is_initialized and not initializes:
            raise exceptions.JsonRpcServerNotInitialized("the first request must be `initialize`")
        if self._is_initialized and initializes:
            raise exceptions.JsonRpcInvalidRequest("`initialize` was sent before")
        if self._shutdown:
            raise exceptions.JsonRpcInvalidRequest("after `shutdown` only `exit` may follow")
        self._get_handler(method)
        type_, response_type, params_type, _ = types.METHOD_TO_TYPES[method]
        if ("id" in message) != (response_type is not None):
            way = "without `id`" if response_type is None else "with an `id`"
            raise exceptions.JsonRpcMethodNotFound(f"`{method}` is sent {way}")
        if params_type is None:
            message = {key: each for key, each in message.items() if key != "params"}
        try:
            return self._converter.structure(message, type_)
        except Exception as error:  # the converter raises many kinds of errors
            found = transform_error(error, path="message")
            more = ["…"] if len(found) > _MOST_MISTAKES else []
            told = "; ".join([*found[:_MOST_MISTAKES], *more])
            raise exceptions.JsonRpcInvalidParams(told) from None

    def _refuse(self, id: Id | None, error: exceptions.JsonRpcException) -> None:
        """Answer with an error; the library has no type for a response whose `id` is null."""
        told = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": VERSION, "id": id, "error": told})

    def _send_data(self, data: Any) -> None:
        """Send a message; raise if it is not valid JSON, so that an error is sent instead."""
        body = json.dumps(data, default=self._serialize_message, allow_nan=False)
        if self.writer is not None:
            self.writer.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii"))


def _is_well_formed(message: dict[str, Any]) -> bool:
    if message.get("jsonrpc") != VERSION:
        return False
    if "method" in message:
        has_id = "id" not in message or request_id(message) is not None
        return isinstance(message["method"], str) and has_id
    return "id" in message and ("result" in message or "error" in message)
