"""Files as editors name them, and as rulesets do."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pygls.uris import from_fs_path, to_fs_path


def path_of(uri: str) -> str:
    """The real path of a document, or, of one that is on no disk, what stands for it."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.realpath(path) if path else uri


def uri_of(path: str, opened: Mapping[str, str]) -> str:
    """How an editor names a file; `opened` maps the real paths of open ones to their names."""
    real = os.path.realpath(path)
    return opened.get(real) or from_fs_path(real) or real


def encoded(text: str) -> bytes:
    """The bytes of a file that an editor would write."""
    return text.encode("utf-8", "surrogatepass")
