"""An editor for tests: it starts the server as a process and talks to it by the protocol."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

T = TypeVar("T")
TIMEOUT = 15


class Editor:
    """One editor with its server. What it asks for it waits for."""

    def __init__(
        self,
        options: dict[str, object] | None = None,
        encoding: str = "utf-16",
        *,
        asks: bool = False,
        rich: bool = True,
    ) -> None:
        markdown = [types.MarkupKind.Markdown] if rich else None
        self.found: dict[str, list[types.Diagnostic]] = {}
        self.messages: list[str] = []
        self._versions: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self._news = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._client = LanguageClient("tests", "1")
        note, say = lambda told: self._note(told), lambda told: self.messages.append(told.message)
        self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(note)
        self._client.feature(types.WINDOW_SHOW_MESSAGE)(say)
        command = (sys.executable, "-m", "rulesdsl", "lsp", "--stdio")
        self._run(self._client.start_io(*command))
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=[encoding]),
            text_document=types.TextDocumentClientCapabilities(
                hover=types.HoverClientCapabilities(content_format=markdown),
                signature_help=types.SignatureHelpClientCapabilities() if rich else None,
                inlay_hint=types.InlayHintClientCapabilities() if rich else None,
                completion=types.CompletionClientCapabilities(
                    completion_item=types.ClientCompletionItemOptions(
                        snippet_support=rich, documentation_format=markdown
                    )
                ),
            ),
            workspace=types.WorkspaceClientCapabilities(
                workspace_edit=types.WorkspaceEditClientCapabilities(
                    document_changes=asks,
                    change_annotation_support=types.ChangeAnnotationsSupportOptions(),
                )
            ),
        )
        asked = types.InitializeParams(capabilities, initialization_options=options)
        self.server = self._run(self._client.initialize_async(asked)).capabilities
        self._client.initialized(types.InitializedParams())

    def close(self) -> None:
        """End the server as editors do."""
        self._run(self._client.shutdown_async(None))
        self._client.exit(None)
        self._run(self._client.stop())  # type: ignore[no-untyped-call]
        self._loop.close()

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, with its own text unless another is given; how it is called."""
        uri = path.as_uri()
        content = path.read_text("utf-8") if text is None else text
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "rulesdsl", 1, content)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def write(self, uri: str, text: str) -> None:
        """Change the text of an open file."""
        self._versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def shut(self, uri: str) -> None:
        """Close a file."""
        document = types.TextDocumentIdentifier(uri)
        self._client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def ask(self, method: str, params: object) -> Any:
        """The answer to a request."""

        async def answer() -> Any:
            return await self._client.protocol.send_request_async(method, params)

        return self._run(answer())

    def told(self, uri: str) -> list[types.Diagnostic]:
        """What is wrong with an open file as it is now, once the server says it."""

        async def wait() -> None:
            while self._told.get(uri) != self._versions[uri]:
                self._news.clear()
                await self._news.wait()

        self._run(wait())
        return self.found[uri]

    def later(self, uri: str) -> list[types.Diagnostic]:
        """What is wrong with a file in which nothing was found at first."""

        async def wait() -> None:
            while not self.found.get(uri):
                self._news.clear()
                await self._news.wait()

        self._run(wait())
        return self.found[uri]

    def _note(self, params: types.PublishDiagnosticsParams) -> None:
        self.found[params.uri] = list(params.diagnostics)
        if params.version is not None:
            self._told[params.uri] = params.version
        self._news.set()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(asyncio.wait_for(work, TIMEOUT))
