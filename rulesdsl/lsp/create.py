"""A server with all that it can be asked."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from rulesdsl.lsp import features, texts
from rulesdsl.lsp.server import Server
from rulesdsl.lsp.studio import Options


def create() -> Server:
    """The server, not yet talking to anybody."""
    server = Server()

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.studio.options = options(params.initialization_options)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.open(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        server.change(document.uri, document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.look_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.look_again()

    features.add(server)
    texts.add(server)
    return server


def options(given: object) -> Options:
    """The options that an editor sends: `{"with": [ID, …], "path": [FOLDER, …]}`."""
    told: Mapping[str, object] = given if isinstance(given, dict) else {}
    return Options(_words(told.get("with")), _words(told.get("path")))


def _words(given: object) -> tuple[str, ...]:
    """A list of words, or one word alone; anything else is none."""
    items = given if isinstance(given, list) else [given]
    return tuple(item for item in items if isinstance(item, str) and item)
