"""The studio on this machine: a server that answers the page with native Python."""

from __future__ import annotations

import json
from functools import partial
from threading import Lock

from rulesdsl.author.studio.project import MAX_REQUEST
from rulesdsl.author.studio.session import Session
from rulesdsl.author.studio.site import NoPyodide, page, pyodide_folder, single
from rulesdsl.show.page.serve import Answer, Headers, PageServer, Post


def _alone(pyodide: str | None, headers: Headers, body: bytes) -> Post:
    """Return the studio as one HTML file with Python in it, or the reason why it cannot be made."""
    try:
        return Post(200, single(pyodide_folder(pyodide), lambda _: None).encode())
    except NoPyodide as error:
        help = "type `npm install pyodide` where `rulesdsl studio` runs, or send the zip"
        return Post(409, f"one HTML file needs Python in it: {error}; {help}".encode())


def server(session: Session, port: int = 0, pyodide: str | None = None) -> PageServer:
    """Return the server of a session; raises OSError if the port is taken.

    `pyodide` is the folder with the files of Pyodide, for the studio as one file.
    """
    lock = Lock()

    def ask(headers: Headers, body: bytes) -> Post:
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            return Post(400)
        with lock:  # one request after the other
            return Post(200, json.dumps(session.answer(request)).encode())

    posts: dict[str, Answer] = {"ask": ask, "alone": partial(_alone, pyodide)}
    return PageServer(page("server"), posts, port, most=MAX_REQUEST)
