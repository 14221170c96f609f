"""The standard folders of a user; None for a user without a home."""

from __future__ import annotations

from pathlib import Path

import platformdirs

_NAME = "rulesdsl"


def cache_folder() -> Path | None:
    """Return the folder for files that may be lost."""
    try:
        return _absolute(platformdirs.user_cache_dir(_NAME, appauthor=False))
    except RuntimeError:
        return None


def data_folder() -> Path | None:
    """Return the folder for files that must persist."""
    try:
        return _absolute(platformdirs.user_data_dir(_NAME, appauthor=False))
    except RuntimeError:
        return None


def _absolute(path: str) -> Path | None:
    return folder if (folder := Path(path)).is_absolute() else None
