"""What authors say in comments: headings, paragraphs, and what is said of one thing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_RULE = re.compile(r"#\s*---(.*)")
_MODELINE = re.compile(r"#\s*yaml-language-server:")


@dataclass(frozen=True)
class Said:
    """Comments above something: `heading` begins a section, `about` are paragraphs that stand
    apart, `own` those right above it."""

    heading: str = ""
    about: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def said(lines: Iterable[str]) -> Said:
    """What comment lines (with their `#`; blank lines empty) say above something."""
    heading, blocks, block = "", list[str](), list[str]()
    for line in lines:
        ruled = _RULE.match(line.strip())
        text = line.strip().lstrip("#").strip()
        if ruled is not None or not text:
            blocks += [" ".join(block)] if block else []
            block = []
            if ruled is not None:
                heading = ruled[1].lstrip("-").strip().rstrip("-").rstrip()
                heading, blocks = heading[:1].upper() + heading[1:], []
        elif not _MODELINE.match(line.strip()):
            block.append(text)
    return Said(heading, tuple(blocks), (" ".join(block),) if block else ())
