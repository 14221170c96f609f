"""Time from the studio's address to its game, and from an edit to what it changes, in Chromium.

The times are those on the wall, because several processes work on it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from rulesdsl.author.studio.site import pyodide_folder, single, site
from rulesdsl.base.writing import write_all
from tools.bench.measuring import Reading, Task, Unit
from tools.bench.plan import Plan
from tools.environment import PAGE, node

BY = "Chromium"
FILE, FIRST, AGAIN = "one file, from disk", "folder, first visit", "folder, second visit"
START, EDIT = "start", "edit to result"
EVERYTHING = "base and 7 expansions"
_PROGRAM = Path(__file__).with_name("studio.mjs")


def tasks(plan: Plan) -> list[Task]:
    """Return one task, with a studio of each form."""
    folder, pyodide = plan.scratch / "studio", pyodide_folder(None)
    folder.mkdir()
    file = plan.scratch / "studio.html"
    file.write_text(single(pyodide, print), encoding="utf-8")
    write_all(str(folder), site(pyodide, print))
    return [Task("in the browser", partial(_visit, folder, file))]


def _visit(folder: Path, file: Path, _: int) -> Iterator[Reading]:
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        command = [str(node()), str(_PROGRAM), str(PAGE / "chromium.mjs"), str(file), address]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        server.shutdown()
    found = json.loads(done.stdout)
    for what, name in ((FILE, "file"), (FIRST, "first"), (AGAIN, "again")):
        yield Reading(what, BY, START, found[name], Unit.TIME)
    for of, name in (("base", "base"), (EVERYTHING, "every")):
        yield Reading(of, BY, EDIT, found[name], Unit.TIME)


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_: Any) -> None: ...
