"""What output may not hold: characters that steer, and commands of servers that build and test."""

from __future__ import annotations

import re
import unicodedata

ESCAPES = (
    *("\x1b[31m", "\x07", "\x08", "\r", "\x0b", "\x7f", "\x85", "\x9b2J", "\x9d0;x\x9c", "\0"),
    *("\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\ufeff", "\u2060", "\xad"),
    *("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"),
    *("\U000e0041", "\ud800", "\uffff"),
)
"""Texts that steer, one of each kind."""

_COMMAND = re.compile(r"::|.*##\w*\[")


def harmful(text: str) -> list[str]:
    """What would harm in lines of output: characters, and lines with commands."""
    steering = [
        char
        for char in text
        if (char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"))
        or char in "\u061c\u200b\u200e\u200f\u2060\ufeff\xad\uffff"
        or "\u202a" <= char <= "\u202e"
        or "\u2066" <= char <= "\u2069"
        or "\U000e0000" <= char <= "\U000e007f"
    ]
    return steering + [line for line in text.split("\n") if _COMMAND.match(line.strip())]
