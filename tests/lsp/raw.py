"""A client that sends whatever bytes it is given to a server, and reads what comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import Any

from rulesdsl.author.lsp.answers import create

Json = Any
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
SHUTDOWN = {"jsonrpc": "2.0", "id": "last", "method": "shutdown"}
EXIT = {"jsonrpc": "2.0", "method": "exit"}


@dataclass(frozen=True)
class Ended:
    """A server that has ended: all it said."""

    code: int
    stderr: str
    told: list[Json]

    @property
    def answers(self) -> dict[object, list[Json]]:
        """The answers by the id of their request."""
        found: dict[object, list[Json]] = {}
        for each in self.told:
            if "method" not in each:
                found.setdefault(each["id"], []).append(each)
        return found

    def error(self, id: object) -> int:
        """The code of the error that is the only answer to a request."""
        (answer,) = self.answers[id]
        return int(answer["error"]["code"])

    def result(self, id: object) -> Json:
        """The result that is the only answer to a request."""
        (answer,) = self.answers[id]
        return answer["result"]


def framed(message: Json) -> bytes:
    """A message as it is sent; bytes are sent as they are."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def conversation(*messages: Json) -> Ended:
    """Send messages to a new server, all at once, and close its input; bytes go as they are."""
    told, errors = BytesIO(), StringIO()
    with redirect_stderr(errors):
        code = create().serve(BytesIO(_sent(messages)), told)
    return Ended(code, errors.getvalue(), list(_unframed(told.getvalue())))


def process(*messages: Json, timeout: float = 120) -> Ended:
    """The same with a process, as editors start it."""
    command, sent = (sys.executable, "-m", "rulesdsl", "lsp"), _sent(messages)
    done = subprocess.run(command, input=sent, capture_output=True, timeout=timeout, check=False)
    return Ended(done.returncode, done.stderr.decode(), list(_unframed(done.stdout)))


def _sent(messages: Iterable[Json]) -> bytes:
    return b"".join(each if isinstance(each, bytes) else framed(each) for each in messages)


def request(id: object, method: str, **params: Json) -> Json:
    """A request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def notice(method: str, **params: Json) -> Json:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def asked(id: object, line: Json, character: Json, uri: str = "untitled:a.rules") -> Json:
    """A request about a place."""
    position = {"line": line, "character": character}
    return request(id, "textDocument/hover", textDocument={"uri": uri}, position=position)


def opened(uri: str, text: str) -> Json:
    """The notification that a document is open."""
    document = {"uri": uri, "languageId": "rulesdsl", "version": 1, "text": text}
    return notice("textDocument/didOpen", textDocument=document)


def changed(uri: str, *changes: Json) -> Json:
    """The notification that a document was changed."""
    document = {"uri": uri, "version": 2}
    return notice("textDocument/didChange", textDocument=document, contentChanges=list(changes))


def _unframed(data: bytes) -> Iterable[Json]:
    while data:
        header, _, data = data.partition(b"\r\n\r\n")
        length = int(header.removeprefix(b"Content-Length: "))
        yield json.loads(data[:length])
        data = data[length:]
