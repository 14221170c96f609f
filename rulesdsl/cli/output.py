"""Files that are written as a whole, or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shutil import copymode

from rulesdsl.cli.problems import output_failed


def replace_file(name: str, data: bytes) -> None:
    """Write a file, in the place of an older one if there is one, whose permissions it then has;
    raises RulesError."""
    path = Path(name)
    part = path.with_name(f".{path.name}.part") if path.name else path
    try:
        part.write_bytes(data)
        with suppress(FileNotFoundError):
            copymode(path, part)
        os.replace(part, path)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            part.unlink()
        raise output_failed(f"`{name}`", error) from None
