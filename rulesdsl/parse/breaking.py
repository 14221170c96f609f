"""Text that knows where it may be broken into lines, and how it is laid out in a given width.

The method is Wadler's ("A prettier printer", 2003), laid out as Oppen's ("Prettyprinting", 1980):
a group stands on one line if that fits, otherwise all its own breaks become line ends.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rulesdsl.model.trivia import Inner
from rulesdsl.parse.words import CONTINUES, SIGNS

INDENT = 4

_WORD = re.compile(r"(?<!\s)\s*+('[^']*'|\w+|->|\.\.|[=!<>+-]=|\S)")
# Words and signs at the end of a line after which it goes on, as they are written.
_GOES_ON = frozenset(SIGNS.get(each, each.lower()) for each in CONTINUES)


@dataclass(frozen=True)
class Break:
    """A line end, or `flat`. One that is not `anywhere` is a line end inside brackets alone."""

    flat: str = " "
    anywhere: bool = False


@dataclass(frozen=True)
class Nest:
    """Lines that begin inside are indented once more."""

    content: Text


@dataclass(frozen=True)
class Group:
    """On one line if it fits there and is not `broken`."""

    content: Text
    broken: bool = False


@dataclass(frozen=True)
class Brackets:
    """A group between brackets; `grouping` parentheses only show what belongs together."""

    opening: str
    content: Text
    closing: str
    grouping: bool = False
    broken: bool = False


@dataclass(frozen=True)
class Remark:
    """A comment, after which a line ends; one of its `own` begins a line, too."""

    text: str
    own: bool


Text = str | tuple["Text", ...] | Break | Nest | Group | Brackets | Remark

LINE, AFTER_OPERATOR, EMPTY = Break(), Break(anywhere=True), Break("")


def flat(text: Text) -> str:
    """All on one line; there is no remark in it."""
    match text:
        case str():
            return text
        case tuple():
            return "".join(map(flat, text))
        case Break():
            return text.flat
        case Nest() | Group():
            return flat(text.content)
        case Brackets():
            return f"{text.opening}{flat(text.content)}{text.closing}"
        case Remark():
            raise ValueError("a comment takes the rest of its line")


def words(text: str) -> Iterator[str]:
    """The words and signs of a text, each with the blanks before it."""
    return (match[0] for match in _WORD.finditer(text))


def words_in(text: Text) -> int:
    """How many words and signs there are in a text, as `Inner.after` counts them."""
    placing = _Placing(deque())
    placing.into(text)
    return placing.count


def with_remarks(text: Text, inner: tuple[Inner, ...]) -> tuple[Text, tuple[Inner, ...]]:
    """The text with comments in it, and the comments for which it has no place: a line may end
    inside brackets and after words that need another."""
    placing = _Placing(deque(inner))
    found, _ = placing.into(text)
    return found, tuple(placing.waiting)


@dataclass
class _Placing:
    """Puts remarks before the first word from theirs on where a line may begin."""

    waiting: deque[Inner]
    count: int = 0
    depth: int = 0
    last: str = ""

    def into(self, text: Text) -> tuple[Text, bool]:
        """The text with its remarks, and whether there are any."""
        match text:
            case str():
                return self._into_words(text)
            case tuple():
                parts = [self.into(part) for part in text]
                return tuple(part for part, _ in parts), any(found for _, found in parts)
            case Nest():
                content, found = self.into(text.content)
                return Nest(content), found
            case Group():
                content, found = self.into(text.content)
                return Group(content, found), found
            case Brackets():
                return self._into_brackets(text)
            case Break() | Remark():
                return text, False

    def _into_brackets(self, text: Brackets) -> tuple[Text, bool]:
        before = self._due()
        self._pass(text.opening, not text.grouping)
        self.depth += 1
        content, found = self.into(text.content)
        # A comment before the end of a call stands inside of it.
        within = () if text.grouping else self._due()
        self.depth -= 1
        self._pass(text.closing, not text.grouping)
        broken = found or bool(within)
        done = replace(text, content=(content, *within), broken=broken)
        return (*before, done), broken or bool(before)

    def _into_words(self, text: str) -> tuple[Text, bool]:
        parts: list[Text] = []
        remarks = False
        for word in words(text):
            due = self._due()
            remarks = remarks or bool(due)
            parts += (*due, word)
            self._pass(word.strip(), True)
        rest = text[sum(map(len, words(text))) :]
        return (*parts, rest), remarks

    def _pass(self, word: str, counts: bool) -> None:
        self.count += counts
        self.last = word

    def _due(self) -> tuple[Remark, ...]:
        """The remarks that belong here or before."""
        if not (self.depth or self.last in _GOES_ON):
            return ()
        due = []
        while self.waiting and self.waiting[0].after <= self.count:
            first = self.waiting.popleft()
            due.append(Remark(first.text, first.own))
        return tuple(due)


def lay_out(text: Text, indent: int, further: int, width: int | None) -> list[str]:
    """The lines of a text that begins at column `indent`, without more breaks than it takes to
    keep to `width` columns (None: any number); comments may go beyond. All lines but the first are
    nested, and indented by `further` columns more."""
    layout = _Lines(indent, further, width)
    layout.add(text)
    return [line.rstrip() for line in (*layout.lines, layout.line)]


def _breaks(text: Text) -> bool:
    """Whether there is any break in it."""
    match text:
        case str():
            return False
        case tuple():
            return any(map(_breaks, text))
        case Nest() | Group() | Brackets():
            return _breaks(text.content)
        case Break() | Remark():
            return True


_Frame = tuple[int, bool, bool, "Text"]
"""Indentation, whether breaks are flat, whether inside brackets, and a text."""


class _Lines:
    """Lines that are being laid out; `line` is the last."""

    def __init__(self, indent: int, further: int, width: int | None) -> None:
        self.indent = indent + further
        self.width = width
        self.lines: list[str] = []
        self.line = " " * indent
        self._fresh = True
        self._ended = self._remarked = False

    def add(self, text: Text) -> None:
        """Lay out a text."""
        rest: list[_Frame] = [(self.indent, False, False, text)]
        while rest:
            indent, is_flat, inside, found = rest.pop()
            match found:
                case str():
                    self._write(found, indent)
                case tuple():
                    rest += ((indent, is_flat, inside, part) for part in reversed(found))
                case Nest():
                    rest.append((indent + INDENT, is_flat, inside, found.content))
                case Break():
                    self._break(found, indent, is_flat or not (inside or found.anywhere))
                case Remark():
                    self._remark(found, indent)
                case Group() | Brackets():
                    self._open(found, indent, is_flat, inside, rest)

    def _open(
        self, group: Group | Brackets, indent: int, is_flat: bool, inside: bool, rest: list[_Frame]
    ) -> None:
        content: Text = group.content
        if isinstance(group, Brackets):
            begin = EMPTY if group.broken or _breaks(group.content) else ""
            content = (group.opening, Nest((begin, group.content, group.closing)))
            inside = True
        frame = (indent, True, inside, content)
        stays = not group.broken and (is_flat or self._fits(frame, rest))
        rest.append((indent, stays, inside, content))

    def _fits(self, frame: _Frame, rest: list[_Frame]) -> bool:
        """Whether a frame and the rest behind it fit on this line, up to the next line end."""
        if self.width is None:
            return True
        room = self.width - len(self.line)
        todo, behind = [frame], len(rest)
        while room >= 0:
            if not todo:
                if not behind:
                    break
                behind -= 1
                todo.append(rest[behind])
            indent, is_flat, inside, found = todo.pop()
            match found:
                case str():
                    room -= len(found)
                case tuple():
                    todo += ((indent, is_flat, inside, part) for part in reversed(found))
                case Nest() | Group():
                    todo.append((indent, is_flat, inside, found.content))
                case Brackets():
                    begin = EMPTY if _breaks(found.content) else ""
                    content = (found.opening, begin, found.content, found.closing)
                    todo.append((indent, is_flat, True, content))
                case Break():
                    if not is_flat and (inside or found.anywhere):
                        return True
                    room -= len(found.flat)
                case Remark():
                    return True
        return room >= 0

    def _write(self, text: str, indent: int) -> None:
        if self._ended:
            self._end(indent)
        if self._fresh:
            text = text.lstrip()
        if text:
            self.line += text
            self._fresh = self._remarked = False

    def _break(self, found: Break, indent: int, is_flat: bool) -> None:
        if is_flat:
            self._write(found.flat, indent)
        elif not self._fresh:
            self._end(indent)

    def _remark(self, remark: Remark, indent: int) -> None:
        if self._fresh and self.lines and not remark.own and not self._remarked:
            self.lines[-1] = f"{self.lines[-1].rstrip()}  {remark.text}"
        elif self._fresh or remark.own or self._remarked:
            if not self._fresh or self._ended:
                self._end(indent)
            self.line += remark.text
            self._fresh, self._ended = False, True
        else:
            self.line = f"{self.line.rstrip()}  {remark.text}"
            self._ended = True
        self._remarked = True

    def _end(self, indent: int) -> None:
        self.lines.append(self.line)
        self.line = " " * max(indent, self.indent + INDENT)
        self._fresh, self._ended = True, False
