"""The games of the user, which are saved automatically in the user's data folder."""

from __future__ import annotations

import os
from datetime import date
from itertools import count
from pathlib import Path

from rulesdsl.user import data_folder

LAST = "last"
"""The name of the game that was played last."""
ENDING = ".jsonl"


def games_folder() -> Path | None:
    """Return the folder of saved games; None for a user without a home."""
    data = data_folder()
    return None if data is None else data / "games"


def made_folder() -> Path | None:
    """Return the folder of saved games, made if missing; None if it cannot be made."""
    folder = games_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


def new_path(folder: Path, ruleset: str, day: date) -> Path:
    """Return the path for a new game, with the ruleset and the day in its name."""
    for number in count(1):
        path = folder / f"{ruleset}-{day.isoformat()}-{number}{ENDING}"
        if not os.path.lexists(path):
            return path
    raise AssertionError("numbers do not end")


def saved_games() -> list[Path]:
    """Return the records of all saved games, the one that was played last first."""
    folder = games_folder()
    if folder is None or not folder.is_dir():
        return []
    found = [(_played(path), path.name, path) for path in folder.glob(f"*{ENDING}")]
    return [path for _, _, path in sorted(found, reverse=True)]


def _played(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def path_of(name: str) -> str:
    """Return the path of a record: a file, the name of a saved game, or `last`.

    A name that is none of these is returned as it is. Raises LookupError if there is no last game.
    """
    if os.path.exists(name):
        return name
    if name == LAST:
        games = saved_games()
        if not games:
            raise LookupError("no game has been saved yet")
        return os.fspath(games[0])
    folder = games_folder()
    if folder is not None and name and os.path.basename(name) == name:
        path = folder / (name if name.endswith(ENDING) else name + ENDING)
        if path.is_file():
            return os.fspath(path)
    return name


def is_saved(path: str) -> bool:
    """Return whether a record lies in the folder of saved games, where only this program writes."""
    folder = games_folder()
    if folder is None:
        return False
    try:
        return os.path.samefile(os.path.dirname(os.path.abspath(path)), folder)
    except OSError:
        return False
