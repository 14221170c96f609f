"""Output files of commands, and what is said when one cannot be written."""

from __future__ import annotations

from rulesdsl.cli.problems import output_failed
from rulesdsl.writing import write_file


def write_output(name: str, data: bytes) -> None:
    """Write a file that the user named, whole or not at all; raises RulesError."""
    try:
        write_file(name, data)
    except (OSError, ValueError) as error:
        raise output_failed(f"`{name}`", error) from None
