"""Words in messages: lists, and near matches for misspelt ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from rulesdsl.diagnostics.report import Fix, Span


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to `word`, or None when none is close.

    Ties break by spelling.
    """
    matches = get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)
    return matches[0] if matches else None


def near(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words similar to `word`, at most three, the most similar first.

    Words that contain it count, too.
    """
    words = sorted(set(known))
    holding = [each for each in words if word and word in each]
    return list(dict.fromkeys(get_close_matches(word, words, n=3, cutoff=0.6) + holding))[:3]


def did_you_mean(word: str, known: Iterable[str], at: Span | None = None) -> tuple[str, ...]:
    """Return help lines for an unknown `word`: one suggestion, or none.

    `at` is the span of the word if the finding covers more than that.
    """
    match = nearest(word, known)
    return (Fix(f"did you mean `{match}`?", match, at),) if match else ()


def listed(words: Sequence[str], last: str = "or") -> str:
    """Join words as in `a, b or c`, with `last` before the last word.

    There must be at least one word.
    """
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def copies(found: Mapping[int, Sequence[int]]) -> str:
    """Return how many copies there are for which numbers of players, as `LinkedGame.copies`."""
    return ", ".join(
        f"{count} for {numbers(players)} player{'s' if players[-1] > 1 else ''}"
        for count, players in found.items()
    )


def numbers(found: Sequence[int]) -> str:
    """Return rising numbers in words: `2 to 5` if none is left out between them, or `2, 4 or 5`."""
    whole = len(found) > 1 and found[-1] - found[0] + 1 == len(found)
    return f"{found[0]} to {found[-1]}" if whole else listed([str(each) for each in found])
