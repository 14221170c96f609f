"""Findings as other programs read them: a function from a `Run` to text for each format."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rulesdsl.audit.formats.run import Run

FORMATS = ("github", "json", "junit", "sarif")
"""The formats by name, each a module beside this with a function `text`."""


def written(format: str, run: Run) -> str:
    """A run in a format, a key of `FORMATS`; ends with a line end."""
    text: Callable[[Run], str] = import_module(f"rulesdsl.audit.formats.{format}").text
    return text(run)


__all__ = ["FORMATS", "Run", "written"]
