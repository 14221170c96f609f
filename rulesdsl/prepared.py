"""Results that come with the package, so that a first start need not compute them.

Installing the package writes them to a folder: what reading and parsing the shipped rulesets gives,
and the functions of the runtime. They belong to exactly one state of the sources. With other
sources they count as missing.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from rulesdsl.cache import own_sources
from rulesdsl.writing import create_all

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_INSTALLED = os.path.join(_PACKAGE, "_data")
FOLDER = "prepared"
_STATE = "sources"

Entry = tuple[str, str, bytes]
"""The kind of a result, the text that it belongs to, and the result."""


def find(kind: str, text: str) -> bytes | None:
    """Return a result of this kind for a text; None if there is none.

    It is as trustworthy as the package itself.
    """
    if not _valid():
        return None
    path = os.path.join(_folder(), _name(kind, text))
    with suppress(OSError, zlib.error), open(path, "rb") as file:
        return zlib.decompress(file.read())
    return None


def write(folder: str, entries: Iterable[Entry]) -> None:
    """Write results to a folder that does not exist yet."""
    files = {_name(kind, text): zlib.compress(content, 9) for kind, text, content in entries}
    create_all(folder, files | {_STATE: own_sources()})


def _folder() -> str:
    """Return the folder of the results: in the package, or in a checkout beside it."""
    home = _INSTALLED if os.path.isdir(_INSTALLED) else os.path.dirname(_PACKAGE)
    return os.path.join(home, FOLDER)


def _name(kind: str, text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind}-{digest[:32]}"


@cache
def _valid() -> bool:
    """Return whether the results belong to these sources."""
    try:
        with open(os.path.join(_folder(), _STATE), "rb") as file:
            return file.read() == own_sources()
    except OSError:
        return False
