"""Texts of authors as Markdown: no link, picture or HTML of a stranger reaches an editor."""

from __future__ import annotations

import re

from rulesdsl.diagnostics.visible import visible

_MARKS = re.compile(r"[\\`*_{}\[\]<>#~!&]")
_CODE = re.compile(r"`([^`\n]+)`")
_TICKS = re.compile("`+")


def plain(text: str) -> str:
    """Write a text that is shown as it is."""
    return _MARKS.sub(r"\\\g<0>", visible(text))


def authored(text: str) -> str:
    """Write what an author says, in which code stands between backticks."""
    parts = _CODE.split(visible(text))
    return "".join(code(part) if at % 2 else plain(part) for at, part in enumerate(parts))


def code(text: str) -> str:
    """Write code that stands within a line."""
    text = visible(text)
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"
