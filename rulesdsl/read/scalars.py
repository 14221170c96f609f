"""What a plain YAML scalar means here: true, false, a decimal integer, or text; nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rulesdsl.model.types import INT_MAX, INT_MIN

_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")


@dataclass(frozen=True)
class Doubt:
    """Why a plain scalar is refused: a slug, one sentence, and what to write instead."""

    slug: str
    message: str
    help: tuple[str, ...]


# Plain words which some YAML readers take for another kind of value than text. The first row
# that matches all of the word counts.
_DOUBTFUL: tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), meaning, advice)
    for pattern, meaning, advice in (
        (r"~|null|Null|NULL", "a missing value", ("leave the key out if there is nothing to say",)),
        (r"yes|Yes|YES|on|On|ON|True|TRUE", "a truth value", ("write `true` if it holds",)),
        (r"no|No|NO|off|Off|OFF|False|FALSE", "a truth value", ("write `false` if it does not",)),
        (
            r"[-+]?0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)",
            "a number that is not decimal",
            ("write the number in decimal digits",),
        ),
        (
            r"[-+]?0[0-9_]+",
            "an octal number to some YAML readers",
            ("write the number without leading zeros",),
        ),
        (r"[-+]?[0-9][0-9_]*", "a number", ("write the number in digits alone",)),
        (
            r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+",
            "a number in base 60 to some YAML readers",
            (),
        ),
        (
            r"[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
            "a number with a fraction",
            ("numbers are whole here: count in smaller units",),
        ),
    )
)
_DOUBTFUL_START = frozenset("~+-.0123456789nNyYoOtTfF")


def interpret(text: str) -> str | int | bool | Doubt:
    """The value of a non-empty plain scalar, or why it is refused."""
    if text[0] not in _DOUBTFUL_START:
        return text
    if text in ("true", "false"):
        return text == "true"
    if _INT.fullmatch(text):
        # Ten digits and a sign: longer ones are not worth converting.
        if len(text) <= 11 and INT_MIN <= int(text) <= INT_MAX:
            return int(text)
        return Doubt(
            "range",
            f"the number {shorten(text)} does not fit in 32 bits",
            (f"numbers lie between {INT_MIN} and {INT_MAX}",),
        )
    for pattern, meaning, advice in _DOUBTFUL:
        if pattern.fullmatch(text):
            quote = f'write "{text}" in quotes if the text is meant'
            return Doubt("yaml-scalar", f"`{shorten(text)}` looks like {meaning}", (*advice, quote))
    return text


def shorten(text: str) -> str:
    """Cut a text to 40 characters, for messages."""
    return text if len(text) <= 40 else text[:39] + "…"
