"""The language server protocol, in which every request gets an answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Generator
from typing import Any

import attrs
from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from rulesdsl.lsp.wire import VERSION, Cancelled, Id, request_id

_MOST_MISTAKES = 3

# The library logs whatever clients do wrong, with tracebacks; they are told in answers.
logging.getLogger("pygls").addHandler(logging.NullHandler())
logging.getLogger("pygls").propagate = False


class Protocol(LanguageServerProtocol):
    """The protocol of the library, which leaves requests unanswered that it cannot read.

    The texts of documents are the server's concern: it knows what is open.
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
        """The exit code that the protocol asks for: 0 after `shutdown`, otherwise 1."""
        return 0 if self._shutdown else 1

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Answer `initialize`. Folders of the workspace mean nothing to this server."""
        unplaced = attrs.evolve(params, root_uri=None, root_path=None, workspace_folders=None)
        result = yield from super().lsp_initialize(unplaced)
        self._is_initialized = True
        return result

    def receive(self, message: object) -> bool:
        """Handle a message, or the error for one that could not be read; True for `exit`."""
        if isinstance(message, Cancelled):
            self._refuse(message.id, JsonRpcRequestCancelled())
        elif isinstance(message, JsonRpcException):
            self._refuse(None, message)
        elif isinstance(message, dict) and message.get("method") == types.EXIT:
            return True
        elif not isinstance(message, dict) or not _is_well_formed(message):
            what = "a message is an object with `jsonrpc`, a `method` and, if it is a request, an"
            error = JsonRpcInvalidRequest(f"{what} `id`, which is a number or a text")
            self._refuse(request_id(message), error)
        elif "method" in message:
            self._receive_call(message)
        return False

    def _receive_call(self, message: dict[str, Any]) -> None:
        """Handle a request or a notification."""
        try:
            call = self._call(message)
        except JsonRpcException as error:
            if "id" in message:
                self._refuse(message["id"], error)
        else:
            self.handle_message(call)

    def _call(self, message: dict[str, Any]) -> Any:
        """Give a message the types of its method; raises the error that answers it."""
        method = message["method"]
        initializes = method == types.INITIALIZE
        if not self._is_initialized and not initializes:
            raise JsonRpcServerNotInitialized("the first request must be `initialize`")
        if self._is_initialized and initializes:
            raise JsonRpcInvalidRequest("`initialize` was sent before")
        if self._shutdown:
            raise JsonRpcInvalidRequest("after `shutdown` only `exit` may follow")
        self._get_handler(method)
        type_, response_type, params_type, _ = types.METHOD_TO_TYPES[method]
        if ("id" in message) != (response_type is not None):
            raise JsonRpcMethodNotFound(f"`{method}` is sent {_way(response_type)}")
        if params_type is None:
            message = {key: each for key, each in message.items() if key != "params"}
        try:
            return self._converter.structure(message, type_)
        except Exception as error:  # whatever does not fit, in one of the converter's many ways
            raise JsonRpcInvalidParams(_mistakes(error)) from None

    def _refuse(self, id: Id | None, error: JsonRpcException) -> None:
        """Answer with an error; the library has no type for an answer whose `id` is null."""
        told = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": VERSION, "id": id, "error": told})

    def _send_data(self, data: Any) -> None:
        """Send a message; one that cannot be written as JSON raises, and so is answered anew."""
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


def _way(response_type: object) -> str:
    return "without `id`" if response_type is None else "with an `id`"


def _mistakes(error: Exception) -> str:
    found = transform_error(error, path="message")
    more = ["…"] if len(found) > _MOST_MISTAKES else []
    return "; ".join([*found[:_MOST_MISTAKES], *more])
