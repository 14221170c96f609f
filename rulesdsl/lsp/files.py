"""Files as editors name them, and as rulesets do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from pygls.uris import to_fs_path


def path_of(uri: str) -> str:
    """The real path of a document; for one that is on no disk, a path at which no file can be."""
    try:
        path = to_fs_path(uri)
        if path and os.path.isabs(path):
            return os.path.realpath(path)
    except ValueError:  # characters that no URI, or no file name, has
        pass
    folder, _, name = uri.rpartition("/")
    return os.path.join(os.devnull, *(_quoted(part) for part in (folder, name) if part))


def _quoted(part: str) -> str:
    return quote(part, safe="", errors="backslashreplace")


def uri_of(path: str, opened: Mapping[str, str]) -> str:
    """How an editor names a file; `opened` maps the real paths of open ones to their names."""
    real = os.path.realpath(path)
    return opened.get(real) or Path(real).as_uri()
