"""Builds without caches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rulesdsl.engine.build import build
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model.checked import Checked

NO_CACHE = "RULESDSL_NO_CACHE"


def build_anew(path: Path, expansions: Sequence[str] = ()) -> Checked:
    """Read, parse, link and check a game without the cache on disk."""
    with uncached():
        checked = build(path, expansions, report=Report())
    assert checked is not None, f"{path.name} has mistakes"
    return checked


@contextmanager
def uncached() -> Iterator[None]:
    """Turn the cache on disk off."""
    before = os.environ.get(NO_CACHE)
    os.environ[NO_CACHE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[NO_CACHE]
        else:
            os.environ[NO_CACHE] = before
