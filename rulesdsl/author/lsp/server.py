"""The language server: its transport, which answers every request, and its open documents."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import re
import threading
from bisect import bisect_right
from collections.abc import (
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import attrs
from cattrs import transform_error
from lsprotocol import types
from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)
from pygls import exceptions
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from rulesdsl import __version__
from rulesdsl.author.lsp.workspace import Findings, Workspace, merged, text
from rulesdsl.base.processes import WorkerLost, Workers
from rulesdsl.language.diagnostics import Diagnostic, Severity, Source, Span
from rulesdsl.language.diagnostics.slugs import page_file

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


# --- positions in texts --------------------------------------------------------------------------

UTF8 = PositionEncodingKind.Utf8
UTF16 = PositionEncodingKind.Utf16
UTF32 = PositionEncodingKind.Utf32

_LINE_END = re.compile("\r\n|\n|\r")


class TextLines:
    """The lines of a text.

    An offset counts characters. A position counts lines from 0, and within a line the units of
    `encoding`: UTF-16 unless both sides agree on another one.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind | str = UTF16) -> None:
        self.text = text
        self.encoding = encoding

    @cached_property
    def _ends(self) -> list[tuple[int, int]]:
        """The end of the content of each line but the last, and the start of the next line."""
        return [match.span() for match in _LINE_END.finditer(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(next_ for _, next_ in self._ends)]

    def _line(self, number: int) -> tuple[int, int]:
        end = self._ends[number][0] if number < len(self._ends) else len(self.text)
        return self._starts[number], end

    def offset(self, position: Position) -> int:
        """Return the offset of a position.

        A position behind the end of a line or of the text is moved to that end.
        """
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._line(position.line)
        line = self.text[start:end]
        if line.isascii() or self.encoding == UTF32:
            return min(start + position.character, end)
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._units(character)
        return end

    def position(self, offset: int) -> Position:
        number = bisect_right(self._starts, offset) - 1
        start, end = self._line(number)
        return Position(number, self._units(self.text[start : min(offset, end)]))

    def range(self, start: int, end: int) -> Range:
        return Range(self.position(start), self.position(end))

    def length(self, start: int, end: int) -> int:
        """Return the number of units from one offset to another in the same line."""
        return self._units(self.text[start:end])

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == UTF32:
            return len(text)
        if self.encoding == UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2


def edited(
    text: str,
    changes: Iterable[TextDocumentContentChangeEvent],
    encoding: PositionEncodingKind | str = UTF16,
) -> str:
    """Apply changes one after the other, each to the whole text or to a range in it."""
    for change in changes:
        if isinstance(change, TextDocumentContentChangePartial):
            lines = TextLines(text, encoding)
            start, end = lines.offset(change.range.start), lines.offset(change.range.end)
            text = text[:start] + change.text + text[max(start, end) :]
        else:
            text = change.text
    return text


# --- the server ----------------------------------------------------------------------------------


def path_of(uri: str) -> str:
    """Return the real path of a document.

    A document that is not on disk gets a path at which no file can exist.
    """
    try:
        path = to_fs_path(uri)
        if path and os.path.isabs(path):
            return os.path.realpath(path)
    except ValueError:  # characters that are not allowed in URIs or file names
        pass
    folder, _, name = uri.rpartition("/")
    parts = (quote(part, "", errors="backslashreplace") for part in (folder, name) if part)
    return os.path.join(os.devnull, *parts)


def uri_of(path: str, opened: Mapping[str, str]) -> str:
    """Return the URI of a file; `opened` maps the real paths of open files to the editor's URIs."""
    real = os.path.realpath(path)
    return opened.get(real) or Path(real).as_uri()


PAUSE = 0.3
"""The idle seconds after which the other open files are checked too."""
PLAY_PAUSE = 1.5
"""The idle seconds after which random games are played."""


def played(opened: tuple[Workspace, str]) -> Findings:
    """Return the findings of random games in one of an editor's rulesets, in a process for it."""
    workspace, root = opened
    return workspace.play(root)


class Server(LanguageServer):
    """The server of one editor, with its open documents."""

    protocol: Protocol

    def __init__(self) -> None:
        # Editors send whole texts: rules are short, and incremental edits could get out of step.
        kind = types.TextDocumentSyncKind.Full
        super().__init__(NAME, __version__, kind, protocol_cls=Protocol)
        self.studio = Workspace()
        self._uris: dict[str, str] = {}
        self._checks: dict[str, Findings] = {}
        self._games: dict[str, Findings] = {}
        self._players: Workers[tuple[Workspace, str], Findings] | None = None
        self._playing: asyncio.Task[None] | None = None
        self._published: dict[str, tuple[list[types.Diagnostic], int | None]] = {}
        self._found: dict[str, list[Diagnostic]] = {}
        self._versions: dict[str, int] = {}
        self._due: dict[str, None] = {}
        self._fresh: set[str] = set()
        self._lines: dict[int, tuple[Source, int, TextLines]] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._failures: set[str] = set()

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        """Serve an editor until it sends `exit` or a stream ends; return the exit code."""
        return asyncio.run(self._serve(stdin, stdout))

    async def _serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        asyncio.get_running_loop().set_exception_handler(self._failed)
        writer = Writer(stdout)
        self.protocol.set_writer(writer)
        async for message in received(stdin):
            if self.protocol.receive(message) or writer.gone:
                break
        self._stop_playing()
        return self.protocol.exit_code

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Show the user an internal error, once; errors of requests are in their responses."""
        text = f"internal error: {error}; please report it"
        if source is not FeatureRequestError and text not in self._failures:
            self._failures.add(text)
            shown = types.ShowMessageParams(types.MessageType.Error, text)
            self.window_show_message(shown)

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        named = f"{type(error).__name__}: {error}" if error else str(context.get("message"))
        self.report_server_error(RuntimeError(named), None)

    def look_again(self) -> None:
        """Recheck, because files may have changed on disk."""
        self.studio.forget()
        self._check_soon(*self._uris)

    # --- documents

    def open(self, uri: str, version: int, text: str) -> None:
        """Open a document, or replace its text."""
        path = path_of(uri)
        self._versions[uri] = version
        self._lines.clear()
        self._uris[path] = uri
        self.studio.open(path, text)
        self._check_soon(path)

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Change an open document, as a whole or in parts, which editors are not asked to send."""
        path = path_of(uri)
        if self._uris.get(path) == uri:
            text = edited(self.studio.opened[path], changes, self._encoding)
            self.open(uri, version, text)

    def close(self, uri: str) -> None:
        """Close a document; its ruleset's diagnostics go unless another file of it is open."""
        path = path_of(uri)
        self._uris.pop(path, None)
        self._versions.pop(uri, None)
        self.studio.close(path)
        self._check_soon()
        self._check_others()

    def version_of(self, uri: str) -> int | None:
        """Return the version of an open document; None for any other."""
        return self._versions.get(uri)

    def lines(self, path: str) -> TextLines:
        """Return the lines of a file as the editor has it."""
        return TextLines(self.studio.text(path), self._encoding)

    def offset(self, path: str, position: types.Position) -> int:
        lines = self.lines(path)
        return max(0, lines.offset(position) - _shift(lines.text))

    def locate(self, span: Span) -> types.Location:
        source = span.source
        shift = _shift(self.studio.opened.get(os.path.realpath(source.name), ""))
        lines = self._lines.get(id(source))
        if lines is None or lines[0] is not source or lines[1] != shift:
            text = "\ufeff" * shift + source.text
            lines = self._lines[id(source)] = source, shift, TextLines(text, self._encoding)
        range_ = lines[2].range(span.start + shift, span.end + shift)
        return types.Location(uri_of(source.name, self._uris), range_)

    @property
    def _encoding(self) -> str:
        return self.workspace.position_encoding or UTF16

    # --- findings

    def _check_soon(self, *paths: str) -> None:
        """Schedule a check of the rulesets of files, and later of the other open files.

        The check runs as soon as all that the editor has sent has been read.
        """
        self._due.update(dict.fromkeys(paths))
        self._fresh.clear()
        for timer in self._timers:
            timer.cancel()
        self._stop_playing()
        loop = asyncio.get_running_loop()
        self._timers = [
            loop.call_later(0, self._check_due),
            loop.call_later(PAUSE, self._check_others),
            loop.call_later(PLAY_PAUSE, self._play),
        ]

    def _check_due(self) -> None:
        """Check the changed files.

        Findings of other rulesets in them are dropped: they were about an older text.
        """
        due, self._due = [path for path in self._due if path in self._uris], {}
        for root, check in self._checks.items():
            self._checks[root] = {path: each for path, each in check.items() if path not in due}
        self._check(due)

    def _check_others(self) -> None:
        self._check(self._uris)

    def _check(self, paths: Iterable[str]) -> None:
        for root in dict.fromkeys(root for path in paths for root in self.studio.roots(path)):
            if root not in self._fresh:
                self._checks[root] = self.studio.check(root)
                self._fresh.add(root)
        open_ = {root for path in self._uris for root in self.studio.roots(path)}
        self._checks = {root: each for root, each in self._checks.items() if root in open_}
        self._publish()

    def _play(self) -> None:
        self._players = Workers(played, 1)
        self._playing = asyncio.ensure_future(self._play_all(self._players, tuple(self._checks)))

    async def _play_all(
        self, players: Workers[tuple[Workspace, str], Findings], roots: Sequence[str]
    ) -> None:
        texts = Workspace(self.studio.options, dict(self.studio.opened))
        for root in roots:
            with suppress(WorkerLost):
                done = players.unordered([(texts, root)])
                _, found = await asyncio.to_thread(next, done)
                if self._players is players:
                    self._games[root] = found
                    self._publish()
            if self._players is not players:
                break
        players.__exit__()

    def _stop_playing(self) -> None:
        self._games.clear()
        if self._players is not None:
            self._players.__exit__()
            self._players = None

    def _publish(self) -> None:
        """Publish the findings in open files, and those that changed in others."""
        checks = (*self._checks.values(), *self._games.values())
        everything = dict.fromkeys(self._uris, ()) | merged(checks)
        found = self._found = {
            uri_of(path, self._uris): list(diagnostics) for path, diagnostics in everything.items()
        }
        for uri in sorted({*self._published, *found}):
            shown = [finding(each, self.locate) for each in found.get(uri, ())]
            version = self._versions.get(uri)
            told = shown, version
            if self._published.get(uri) != told:
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(uri, shown, version)
                )
                self._published[uri] = told
        self._published = {uri: told for uri, told in self._published.items() if uri in found}

    def shown(self, uri: str) -> Iterator[tuple[types.Diagnostic, Diagnostic]]:
        """Yield the diagnostics that were last published for a document, with their findings."""
        shown, _ = self._published.get(uri, ([], None))
        return zip(shown, self._found.get(uri, ()), strict=True)


def _shift(text: str) -> int:
    """Return 1 for a text that begins with a byte order mark, which sources drop, otherwise 0."""
    return int(text[:1] == "\ufeff")


# --- findings ------------------------------------------------------------------------------------

NAME = "rulesdsl"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))
Locate = Callable[[Span], types.Location]
"""Converts a span to a location of the protocol."""


def finding(found: Diagnostic, locate: Locate) -> types.Diagnostic:
    """Return a finding as a diagnostic of the protocol.

    Each help is a line of the message; other places are related information. A finding without a
    place is reported at the top of its file.
    """
    tags = [types.DiagnosticTag.Unnecessary] if found.slug == "unused" else None
    related = [
        types.DiagnosticRelatedInformation(locate(label.span), label.text) for label in found.labels
    ]
    return types.Diagnostic(
        range=_TOP if found.span is None else locate(found.span).range,
        message=text(found),
        severity=_SEVERITIES[found.severity],
        code=found.slug,
        code_description=types.CodeDescription(page_file(found.slug).as_uri()),
        source=NAME,
        tags=tags,
        related_information=related or None,
    )
