"""Near matches for misspelt words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, or None when none is close; ties break by spelling."""
    matches = get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Help lines for an unknown `word`: one suggestion, or nothing."""
    match = nearest(word, known)
    return (f"did you mean `{match}`?",) if match else ()
