"""The program's own texts in every language, as data that translators edit.

A language is a file beside this one, named for it: `en.json` has every section and text, and the
others may leave texts out. What the rulesets say is not here but in their labels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

FALLBACK = "en"


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that have texts, sorted."""
    names = (each.name.partition(".json") for each in files(__name__).iterdir())
    return tuple(sorted(language for language, suffix, _ in names if suffix))


@cache
def section(name: str, language: str) -> Mapping[str, str]:
    """Return the texts of a section by key: those that a language lacks are English."""
    known = dict.fromkeys((FALLBACK, language if language in languages() else FALLBACK))
    return {key: text for each in known for key, text in _read(each).get(name, {}).items()}


@cache
def _read(language: str) -> dict[str, dict[str, str]]:
    """Return the sections of a language's file."""
    found: dict[str, dict[str, str]] = json.loads(
        files(__name__).joinpath(f"{language}.json").read_text("utf-8")
    )
    return found
