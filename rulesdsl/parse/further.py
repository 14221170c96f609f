"""Goes on after a mistake in a declaration: what is wrong further down in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from rulesdsl.diagnostics import Diagnostic
from rulesdsl.parse.layout import Chunk, Mistake

_UNCLEAR = frozenset({"bad-indent", "missing-body", "nested-too-deep", "too-large", "unclosed"})
"""After these nobody can say what the lines that follow belong to."""

_GOES_ON = re.compile(r"(?:else|otherwise)\b")
_STATEMENT = "x()"
_WITH_BLOCK = {"if": "if x:", "for": "if x:", "while": "if x:", "option": "option x:"}
_DECLARATION = {"choice": "choice x() by y:"}
_ANY_DECLARATION = "action x():"


def further(
    chunk: Chunk, first: Diagnostic, parse: Callable[[Chunk], object]
) -> Iterator[Diagnostic]:
    """The mistakes that `parse` meets (it raises `Mistake`) below the `first` one, once the
    statement with that is replaced by one without."""
    found: Diagnostic | None = first
    while found is not None and found.span is not None and found.slug not in _UNCLEAR:
        mended = _mended(chunk, found.span.start - chunk.start)
        if mended is None:
            return
        chunk, end = mended
        found = _met(chunk, parse)
        if found is None or found.span is None or found.span.start - chunk.start < end:
            return  # what was put in its place does not fit there
        yield found


def _met(chunk: Chunk, parse: Callable[[Chunk], object]) -> Diagnostic | None:
    try:
        parse(chunk)
    except Mistake as mistake:
        return mistake.diagnostic
    return None


def _mended(chunk: Chunk, at: int) -> tuple[Chunk, int] | None:
    """A chunk in which the statement at an offset is replaced, what stands below it is blank, and
    all else is where it was; and where the statement ended. None if there is no room for that."""
    start = chunk.text.rfind("\n", 0, at) + 1
    head, *rest = [*chunk.text[start:].splitlines(keepends=True), ""]
    code = head.partition("#")[0].rstrip()
    indent = len(code) - len(code.lstrip())
    stand_in, end = _stand_in(code, start == 0), start + len(head)
    if stand_in.startswith("choice") and not rest[0].lstrip().startswith("option"):
        return None
    if not stand_in.endswith(":"):
        end += sum(map(len, _below(rest, indent)))
    if len(code) - indent < len(stand_in):
        return None
    blank = re.sub(r"[^\n]", " ", chunk.text[start + indent + len(stand_in) : end])
    text = chunk.text[: start + indent] + stand_in + blank + chunk.text[end:]
    return replace(chunk, text=text), end


def _stand_in(code: str, first: bool) -> str:
    """What to read in place of a line of code; it has a block where that has one."""
    word = re.split(r"\W", code.strip(), maxsplit=1)[0]
    if not code.endswith(":"):
        return "option x" if word == "option" else _STATEMENT
    if first:
        return _DECLARATION.get(word, _ANY_DECLARATION)
    return _WITH_BLOCK.get(word, _STATEMENT)


def _below(lines: list[str], indent: int) -> Iterator[str]:
    """The lines that belong to the statement above them, whose indentation is given."""
    for line in lines:
        code = line.strip()
        depth = len(line) - len(line.lstrip())
        own = depth > indent or (depth == indent and _GOES_ON.match(code))
        if code and not code.startswith("#") and not own:
            return
        yield line
