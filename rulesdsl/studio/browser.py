"""The session of Python in the browser, opened when the page loads or kept in a snapshot."""

from __future__ import annotations

import gc
import json
import os

os.environ["RULESDSL_NO_CACHE"] = "1"
from rulesdsl.studio.gallery import gallery
from rulesdsl.studio.project import Project
from rulesdsl.studio.session import Session

_FOLDER = "/project"
os.makedirs(_FOLDER, exist_ok=True)
_session = Session(Project(_FOLDER), saves=False)


def answer(request: str) -> str:
    """Return the answer to a request; both are JSON."""
    return json.dumps(_session.answer(json.loads(request)))


def rehearse() -> None:
    """Open the first example and close it again, so that a snapshot has what every game needs."""
    example = gallery()[0]
    asked = [
        {"call": "load", "files": example["files"]},
        {"call": "check"},
        {"call": "components", "file": example["main"]},
        {"call": "build", "main": example["main"], "with": example["with"], "players": 2},
        *({"call": "colours", "file": name} for name in example["files"]),
        *({"call": "test", "file": name} for name in example["files"] if ".test." in name),
        {"call": "load", "files": {}},
    ]
    for request in asked:
        reply = _session.answer(request)
        assert "result" in reply, reply
    gc.collect()
