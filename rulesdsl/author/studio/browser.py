"""The session of Python in the browser, opened when the page loads or kept in a snapshot."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterable

os.environ["RULESDSL_NO_CACHE"] = "1"
from rulesdsl.author.studio.project import Data, Project, gallery
from rulesdsl.author.studio.session import Session
from rulesdsl.language.read.files import shipped
from rulesdsl.language.read.find import SCENARIO_SUFFIXES
from rulesdsl.language.read.load import extensions_of

_FOLDER = "/project"
os.makedirs(_FOLDER, exist_ok=True)
_session = Session(Project(_FOLDER), saves=False)


def answer(request: str) -> str:
    """Return the answer to a request; both are JSON."""
    return json.dumps(_session.answer(json.loads(request)))


def rehearse() -> None:
    """Open the base game and the first example, so that a snapshot has what every game needs.

    The base game has all expansions, since the points on tiles take long to find.
    """
    first, base = gallery()[:2]
    _open(base, extensions_of(str(shipped("rulesets") / base["main"])))
    _open(first, first["with"])
    for name in first["files"]:
        if name.endswith(SCENARIO_SUFFIXES):
            _ask(call="test", file=name, first=0)
    _ask(call="load", files={})
    gc.collect()
    gc.freeze()


def _open(example: Data, expansions: Iterable[str]) -> None:
    _ask(call="load", files=example["files"])
    _ask(call="check")
    _ask(call="components", file=example["main"])
    _ask(call="build", main=example["main"], players=2, **{"with": list(expansions)})
    for name in example["files"]:
        _ask(call="colours", file=name)


def _ask(**request: object) -> None:
    reply = _session.answer(request)
    assert "result" in reply, reply
