"""Where a place is in a YAML text that may be in any state: which keys lead to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Step = str | int
"""A key of a mapping, or the number of an item in a list."""

_KEY = re.compile(
    r"(?:\"([^\"\n]*)\"|'([^'\n]*)'"
    r"|([^\s#\[\]{},:&*!|>'\"%@`-](?:[^#\[\]{},:\n]*[^\s#\[\]{},:])?))\s*:(?=\s|\Z)"
)
_WORD = re.compile(r"(?<![^\s\[\]{},:])[^\s\[\]{},:]*\Z")


@dataclass(frozen=True)
class YamlPlace:
    """The steps that lead to what is written at a place. `key`: it is a key of the mapping there,
    not the value of one, or, if it is an `item`, one of a list there (`flow`: in brackets). `keys`
    are those that the mapping has already, `text` what of the scalar stands before the place, and
    `start` where its last word begins."""

    steps: tuple[Step, ...]
    key: bool
    item: bool
    flow: bool
    keys: frozenset[str]
    text: str
    start: int


@dataclass
class _Frame:
    """A mapping or list that is open: its column, or -1 inside of brackets."""

    column: int
    sequence: bool
    flow: bool = False
    step: Step | None = None
    keys: set[str] = field(default_factory=set)


def place_at(text: str, offset: int) -> YamlPlace:
    """The place of an offset."""
    frames: list[_Frame] = [_Frame(0, False)]
    begin = 0
    for line in text[:offset].split("\n")[:-1]:
        _line(line, frames)
        begin += len(line) + 1
    rest = text[begin:offset]
    scalar = _line(rest, frames, last=True)
    word = _WORD.search(scalar)
    start = offset - len(word[0]) if word else offset
    top = frames[-1]
    steps = tuple(frame.step for frame in frames if frame.step is not None)
    is_key = top.step is None or top.sequence
    keys = frozenset(top.keys | (_below(text, offset, top.column) if not top.flow else set()))
    keys |= _beside(text, offset) if top.flow and not top.sequence else set()
    return YamlPlace(steps, is_key, top.sequence, top.flow, keys, scalar, start)


def _line(line: str, frames: list[_Frame], last: bool = False) -> str:
    """Take a line into account; the scalar that stands open at its end."""
    if not frames[-1].flow:
        body = line.lstrip(" ")
        if not body.strip() or body.startswith("#"):
            if last:
                _dedent(frames, len(line), "")
            return ""
        column = len(line) - len(body)
        _dedent(frames, column, body)
        return _block(body, column, frames)
    return _flow(line, frames)


def _dedent(frames: list[_Frame], column: int, body: str) -> None:
    """Close what a line at this column is no part of."""
    item = body.startswith("- ") or body == "-"
    while len(frames) > 1 and (
        frames[-1].column > column
        or (frames[-1].column == column and frames[-1].sequence and not item)
    ):
        frames.pop()
    top = frames[-1]
    if top.column == column and not top.sequence and not item:
        top.step = None
    elif top.column < column and not item and top.step is not None:
        frames.append(_Frame(column, False))


def _block(body: str, column: int, frames: list[_Frame]) -> str:
    """A line, or what follows a dash, outside of brackets."""
    while body.startswith("- ") or body == "-":
        top = frames[-1]
        if not (top.sequence and top.column == column):
            top = _Frame(column, True, step=-1)
            frames.append(top)
        top.step = int(top.step or 0) + 1 if isinstance(top.step, int) else 0
        inner = body[1:].lstrip(" ")
        column += len(body) - len(inner)
        body = inner
        if not body:
            return ""
        if _KEY.match(body):
            frames.append(_Frame(column, False))
    found = _KEY.match(body)
    if found is None:
        return _flow(body, frames) if body[:1] in "[{" else body
    if frames[-1].sequence:
        frames.append(_Frame(column, False))
    name = found[1] or found[2] or found[3] or ""
    frames[-1].step = name
    frames[-1].keys.add(name)
    value = body[found.end() :]
    if not value:
        return ""
    inner = value.lstrip(" ")
    return _flow(inner, frames) if inner[:1] in ("[", "{") else inner


def _flow(text: str, frames: list[_Frame]) -> str:
    """What stands in brackets; the scalar that stands open at the end."""
    at, scalar = 0, ""
    while at < len(text):
        sign = text[at]
        if sign == "#" and (at == 0 or text[at - 1] in " \t"):
            break
        if sign in "\"'" and not scalar.strip():
            end = text.find(sign, at + 1)
            if end < 0:
                return text[at:]
            scalar, at = text[at : end + 1], end + 1
            continue
        if sign in "[{":
            frames.append(_Frame(-1, sign == "[", True, 0 if sign == "[" else None))
            scalar = ""
        elif sign in "]}":
            if frames[-1].flow:
                frames.pop()
            scalar = ""
            if not frames[-1].flow:
                return ""
        elif sign == ",":
            scalar = _next(frames)
        elif sign == ":" and text[at + 1 : at + 2] in ("", " ") and not frames[-1].sequence:
            name = scalar.strip().strip("\"'")
            frames[-1].step = name
            frames[-1].keys.add(name)
            scalar = ""
        else:
            scalar += sign
        at += 1
    return scalar.lstrip()


def _next(frames: list[_Frame]) -> str:
    """The next entry inside of brackets begins."""
    top = frames[-1]
    if top.flow:
        top.step = int(top.step or 0) + 1 if top.sequence else None
    return ""


def _below(text: str, offset: int, column: int) -> set[str]:
    """The keys of the same mapping in the lines below."""
    found: set[str] = set()
    for line in text[offset:].split("\n")[1:]:
        body = line.lstrip(" ")
        depth = len(line) - len(body)
        if not body.strip() or body.startswith("#") or depth > column:
            continue
        if depth < column:
            break
        if match := _KEY.match(body):
            found.add(match[1] or match[2] or match[3] or "")
    return found


def _beside(text: str, offset: int) -> frozenset[str]:
    """The keys that follow in the same brackets, on the same line."""
    depth, rest = 0, text[offset:].partition("\n")[0]
    flat = []
    for sign in rest:
        depth += (sign in "[{") - (sign in "]}")
        if depth < 0:
            break
        flat.append(sign if depth == 0 else " ")
    return frozenset(re.findall(r"(?<![\w-])([\w-]+)\s*:", "".join(flat)))
