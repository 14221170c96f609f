"""The protocol between the page of the studio and its host: calls, their fields and refusals.

A request is an object with the name of a call and its fields; the answer is the object that the
call returns. Both are JSON, and the same for every host. `docs/reference/studio.md` describes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rulesdsl.diagnostics.visible import described
from rulesdsl.lsp.family import Refused

VERSION = 1
"""The version of the protocol; a page of another version is refused."""
MAX_REQUEST = 8_000_000
"""The largest request in bytes."""

Data = dict[str, Any]

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Characters that neither a file nor the name of one can have."""


_WORDS, _TEXTS = "a list of texts", "an object of texts"
_KINDS = {str: "a text", int: "a whole number", list: _WORDS, dict: _TEXTS}

FIELDS: Mapping[str, Mapping[str, type]] = {
    "open": {"version": int},
    "load": {"files": dict},
    "change": {"file": str, "text": str},
    "check": {},
    "remove": {"file": str},
    "save": {},
    "complete": {"file": str, "at": int},
    "hover": {"file": str, "at": int},
    "definition": {"file": str, "at": int},
    "rename": {"file": str, "at": int, "name": str},
    "format": {"file": str},
    "colours": {"file": str},
    "components": {"file": str},
    "build": {"main": str, "with": list, "players": int},
    "test": {"file": str, "first": int},
    "board": {"file": str, "name": str},
    "scenario": {"file": str, "record": str, "name": str},
    "why": {"record": str, "number": int, "move": str},
}
"""The calls of the protocol, each with the types of its fields. All fields are required."""


def checked(request: object) -> tuple[str, Data]:
    """Return the call of a request and its fields; raises Refused for anything else."""
    if not isinstance(request, dict) or not isinstance(request.get("call"), str):
        raise Refused("a request is an object with the name of a `call`")
    call = request["call"]
    if call not in FIELDS:
        raise Refused(f"there is no call `{call[:40]}`")
    found = {}
    for name, type_ in FIELDS[call].items():
        value = request.get(name)
        if not _fits(value, type_):
            raise Refused(f"`{name}` of `{call}` is not {_KINDS[type_]}")
        if char := _NO_TEXT.search("\n".join(_texts(value))):
            raise Refused(f"`{name}` of `{call}` has the character {described(char[0])} in it")
        found[name] = value
    return call, found


def _fits(value: object, type_: type) -> bool:
    if isinstance(value, bool) or not isinstance(value, type_):
        return False
    return isinstance(value, int) or all(isinstance(each, str) for each in _texts(value))


def _texts(value: object) -> Iterable[Any]:
    """Return what the texts of a field should be."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else [value] if isinstance(value, str) else ()
