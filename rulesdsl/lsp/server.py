"""The server that an editor talks to: its documents, and the findings that it publishes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from rulesdsl import __version__
from rulesdsl.diagnostics import Diagnostic, Source, Span
from rulesdsl.lsp.findings import NAME, finding
from rulesdsl.lsp.positions import UTF16, Lines, edited
from rulesdsl.lsp.protocol import Protocol, Writer, received
from rulesdsl.lsp.studio import Findings, Studio, merged


def path_of(uri: str) -> str:
    """The real path of a document; for one that is on no disk, a path at which no file can be."""
    try:
        path = to_fs_path(uri)
        if path and os.path.isabs(path):
            return os.path.realpath(path)
    except ValueError:  # characters that no URI, or no file name, has
        pass
    folder, _, name = uri.rpartition("/")
    return os.path.join(os.devnull, *(_quoted(part) for part in (folder, name) if part))


def _quoted(part: str) -> str:
    return quote(part, safe="", errors="backslashreplace")


def uri_of(path: str, opened: Mapping[str, str]) -> str:
    """How an editor names a file; `opened` maps the real paths of open ones to their names."""
    real = os.path.realpath(path)
    return opened.get(real) or Path(real).as_uri()


PAUSE = 0.3
"""Seconds without a keystroke after which the other open files are checked too."""


class Server(LanguageServer):
    """One editor's server, with what it has open."""

    protocol: Protocol

    def __init__(self) -> None:
        # Whole texts are sent: rules are short, and nothing can go wrong with them.
        kind = types.TextDocumentSyncKind.Full
        super().__init__(NAME, __version__, kind, protocol_cls=Protocol)
        self.studio = Studio()
        self._uris: dict[str, str] = {}
        self._checks: dict[str, Findings] = {}
        self._published: dict[str, tuple[list[types.Diagnostic], int | None]] = {}
        self._found: dict[str, list[Diagnostic]] = {}
        self._versions: dict[str, int] = {}
        self._due: dict[str, None] = {}
        self._fresh: set[str] = set()
        self._lines: dict[int, tuple[Source, int, Lines]] = {}
        self._timers: list[asyncio.TimerHandle] = []
        self._failures: set[str] = set()

    def serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        """Answer an editor until it says `exit` or a stream ends; the exit code."""
        return asyncio.run(self._serve(stdin, stdout))

    async def _serve(self, stdin: BinaryIO, stdout: BinaryIO) -> int:
        asyncio.get_running_loop().set_exception_handler(self._failed)
        writer = Writer(stdout)
        self.protocol.set_writer(writer)
        async for message in received(stdin):
            if self.protocol.receive(message) or writer.gone:
                break
        return self.protocol.exit_code

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Tell the editor of an internal error, once; an answer tells of itself."""
        text = f"internal error: {error}; please report it"
        if source is not FeatureRequestError and text not in self._failures:
            self._failures.add(text)
            shown = types.ShowMessageParams(types.MessageType.Error, text)
            self.window_show_message(shown)

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Tell the editor of a check that failed."""
        error = context.get("exception")
        named = f"{type(error).__name__}: {error}" if error else str(context.get("message"))
        self.report_server_error(RuntimeError(named), None)

    def look_again(self) -> None:
        """Files may have changed on disk."""
        self.studio.forget()
        self._check_soon(*self._uris)

    # --- documents

    def open(self, uri: str, version: int, text: str) -> None:
        """A document is open, or was changed."""
        path = path_of(uri)
        self._versions[uri] = version
        self._lines.clear()
        self._uris[path] = uri
        self.studio.open(path, text)
        self._check_soon(path)

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> None:
        """Give an open document another text, or other parts, which editors are not asked to."""
        path = path_of(uri)
        if self._uris.get(path) == uri:
            text = edited(self.studio.opened[path], changes, self._encoding)
            self.open(uri, version, text)

    def close(self, uri: str) -> None:
        """A document is open no more; nothing is told of its ruleset, unless another is open."""
        path = path_of(uri)
        self._uris.pop(path, None)
        self._versions.pop(uri, None)
        self.studio.close(path)
        self._fresh.clear()
        self._check_others()

    def lines(self, path: str) -> Lines:
        """The lines of a file as the editor has it."""
        return Lines(self.studio.text(path), self._encoding)

    def offset(self, path: str, position: types.Position) -> int:
        """The offset in the source of a file that the editor has at a position."""
        lines = self.lines(path)
        return max(0, lines.offset(position) - _shift(lines.text))

    def locate(self, span: Span) -> types.Location:
        """Where a span stands for the editor."""
        source = span.source
        shift = _shift(self.studio.opened.get(os.path.realpath(source.name), ""))
        lines = self._lines.get(id(source))
        if lines is None or lines[0] is not source or lines[1] != shift:
            text = "\ufeff" * shift + source.text
            lines = self._lines[id(source)] = source, shift, Lines(text, self._encoding)
        range_ = lines[2].range(span.start + shift, span.end + shift)
        return types.Location(uri_of(source.name, self._uris), range_)

    @property
    def _encoding(self) -> str:
        return self.workspace.position_encoding or UTF16

    # --- findings

    def _check_soon(self, *paths: str) -> None:
        """Check the rulesets of files when all that the editor has sent has been read, and later
        those of other open files."""
        self._due.update(dict.fromkeys(paths))
        self._fresh.clear()
        for timer in self._timers:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers = [
            loop.call_later(0, self._check_due),
            loop.call_later(PAUSE, self._check_others),
        ]

    def _check_due(self) -> None:
        """Check what was changed. What other rulesets found in it was about an older text."""
        due, self._due = [path for path in self._due if path in self._uris], {}
        for root, check in self._checks.items():
            self._checks[root] = {path: each for path, each in check.items() if path not in due}
        self._check(due)

    def _check_others(self) -> None:
        self._check(self._uris)

    def _check(self, paths: Iterable[str]) -> None:
        """Check the rulesets of these files, forget those of which none is open, and tell."""
        for root in dict.fromkeys(root for path in paths for root in self.studio.roots(path)):
            if root not in self._fresh:
                self._checks[root] = self.studio.check(root)
                self._fresh.add(root)
        open_ = {root for path in self._uris for root in self.studio.roots(path)}
        self._checks = {root: each for root, each in self._checks.items() if root in open_}
        self._publish()

    def _publish(self) -> None:
        """Tell the editor what is wrong with what it has open, and what has changed elsewhere."""
        everything = dict.fromkeys(self._uris, ()) | merged(self._checks.values())
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
        """What the editor has been told last about a document."""
        shown, _ = self._published.get(uri, ([], None))
        return zip(shown, self._found.get(uri, ()), strict=True)


def _shift(text: str) -> int:
    """How many characters editors keep that no source has: the mark that a file may begin with."""
    return int(text[:1] == "\ufeff")
