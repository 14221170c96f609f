"""The studio on this machine: a server that answers the page with native Python."""

from __future__ import annotations

import json
from threading import Lock

from rulesdsl.page.serve import Headers, PageServer, Post
from rulesdsl.studio.protocol import MAX_REQUEST
from rulesdsl.studio.session import Session
from rulesdsl.studio.write import page


class _Desk:
    """Answers one request after the other."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = Lock()

    def answer(self, headers: Headers, body: bytes) -> Post:
        """Return the answer to a request as JSON."""
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            return Post(400)
        with self._lock:
            answer = self._session.answer(request)
        return Post(200, json.dumps(answer).encode())


def server(session: Session, port: int = 0) -> PageServer:
    """Return the server of a session; raises OSError if the port is taken."""
    posts = {"ask": _Desk(session).answer}
    return PageServer(page("server"), posts, port, most=MAX_REQUEST)
