"""Lines, indentation and comments: the beginnings of declarations, and joined or broken lines.

The grammar sees one declaration at a time, as tokens with _NEWLINE, _INDENT and _DEDENT between
them. Comments and blank lines never reach it; they are kept here by the offset of the line they
belong to, until the tree is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import Token

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Label, Source, Span
from rulesdsl.language.model.ast import Ident, Inner, Trivia
from rulesdsl.language.parse.grammar import CONTINUES, INDENT, OPENING, SIGNS

_CODE_LINE = re.compile(r"(?:\A\ufeff?+|(?<=\n))(?P<line>[ \t\r]*[^# \t\r\n])")
IS_WITH = re.compile(r"with\b")
"""Pattern of the beginning of a `with` block."""
_BLANK = re.compile(r"[ \t\r]*")
_CLOSING = frozenset(OPENING.values())
_CALLED = frozenset(["NAME", "QUOTED", "RPAR", "RSQB"])


class Mistake(Exception):
    """A mistake that makes a declaration unusable; caught by the parser of declarations."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class Chunk:
    """One declaration with the comment and blank lines after it.

    `text` begins at offset `start` of the source and ends with a line end; its last line of code
    ends before offset `code_end` of `text`. `base` is the indentation of the enclosing `with`
    block, 0 outside of any. `closes` is set for the last declaration of a block, and for a head
    without block.
    """

    source: Source
    start: int
    text: str
    code_end: int
    base: int = 0
    closes: bool = False

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters `start` to `end` of `text`."""
        limit = len(self.source.text)
        return self.source.span(min(self.start + start, limit), min(self.start + end, limit))

    def token_span(self, token: Token) -> Span:
        """Return the span of `token`."""
        return self.span(begin(token), end(token))

    def ident(self, token: Token) -> Ident:
        """Return `token` as a name or word with its span."""
        return Ident(str(token), self.token_span(token))

    @property
    def indented(self) -> bool:
        """True if the first line does not begin where the neighbouring declarations do."""
        line = self.source.text.rfind("\n", 0, self.start) + 1
        above = self.source.text[line : self.start].removeprefix("\ufeff")
        return self.text[:1] in (" ", "\t", "\r") or above != " " * self.base


def begin(token: Token) -> int:
    """Return the offset of the first character of `token`."""
    assert token.start_pos is not None
    return token.start_pos


def end(token: Token) -> int:
    """Return the offset after the last character of `token`."""
    assert token.end_pos is not None
    return token.end_pos


def split(source: Source) -> tuple[tuple[str, ...], list[Chunk]]:
    """Split a source into the lines before the first declaration, and the declarations.

    A declaration begins at every line whose first column holds neither a blank nor a comment, and
    at the first line of code whatever its column; so does every declaration of a `with` block, at
    its own indentation.
    """
    text = source.text
    code = [match.start("line") for match in _CODE_LINE.finditer(text)]
    first = [i for i, at in enumerate(code) if i == 0 or text[at] not in " \t\r"]
    if not first:
        return _comments(text.removeprefix("\ufeff")), []
    chunks: list[Chunk] = []
    for number, i in enumerate(first):
        last = first[number + 1] if number + 1 < len(first) else len(code)
        lines = code[i : last + 1] if last < len(code) else [*code[i:], len(text)]
        chunks += _block(source, lines) if IS_WITH.match(text, code[i]) else [_chunk(source, lines)]
    return _comments(text[: code[0]].removeprefix("\ufeff")), chunks


def _chunk(source: Source, lines: list[int], base: int = 0, closes: bool = False) -> Chunk:
    """Return the declaration with lines of code at these offsets; the last one is its end."""
    start, stop = lines[0], lines[-1]
    if base:
        start += _depth(source.text, start)
    part = source.text[start:stop]
    part = part if part.endswith("\n") else part + "\n"
    return Chunk(source, start, part, part.index("\n", max(lines[-2], start) - start), base, closes)


def _block(source: Source, lines: list[int]) -> list[Chunk]:
    """Return the head of a `with` block, and the declarations in it."""
    text, end_ = source.text, 1
    while end_ < len(lines) - 1:
        line = text[lines[end_ - 1] : lines[end_]].partition("\n")[0]
        if not line.partition("#")[0].rstrip().endswith(","):
            break
        end_ += 1
    head, rest = lines[: end_ + 1], lines[end_:]
    if len(rest) == 1:
        return [_chunk(source, head, closes=True)]
    base = _depth(text, rest[0])
    first = [n for n, at in enumerate(rest[:-1]) if _depth(text, at) <= base]
    ends = [*first[1:], len(rest) - 1]
    return [
        _chunk(source, head),
        *(
            _chunk(source, rest[one : last + 1], base, closes=last == ends[-1])
            for one, last in zip(first, ends, strict=True)
        ),
    ]


def _depth(text: str, line: int) -> int:
    """Return the indentation of the line of code at an offset."""
    blank = _BLANK.match(text, line)
    assert blank is not None
    return len(blank[0])


def _comments(text: str) -> tuple[str, ...]:
    """Return the stripped lines of a text of comments and blank lines."""
    return tuple(line.strip() for line in text.removesuffix("\n").split("\n")) if text else ()


class TokenLayout:
    """Converter of the tokens of one chunk to tokens with _NEWLINE, _INDENT and _DEDENT.

    It keeps the comments it passes. One object serves one pass over one chunk. After the pass,
    `leftover` are the comment and blank lines that belong to the following declaration, and
    `ending` those at the end of the `with` block that the chunk closes. `last` is the last token of
    code, `line` the first of its line.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.last: Token | None = None
        self.line: Token | None = None
        self.brackets: list[Token] = []
        self.leftover: tuple[str, ...] = ()
        self.ending: tuple[str, ...] = ()
        self._blocks: list[tuple[int, int]] = []
        self._before: dict[int, tuple[str, ...]] = {}
        self._after: dict[int, str] = {}
        self._trailing: dict[int, tuple[str, ...]] = {}
        self._inner: dict[int, tuple[Inner, ...]] = {}
        self._waiting: list[Inner] = []
        self._count = 0
        self._grouping: set[int] = set()

    # --- comments, by the offset of the first token of a line

    def trivia(self, start: int) -> Trivia:
        """Return the comments of the line that begins at `start`, if one does."""
        before, after = self._before.get(start, ()), self._after.get(start, "")
        return Trivia(before, after, self._inner.get(start, ()))

    def trailing(self, start: int) -> tuple[str, ...]:
        """Return the comments at the end of the block whose first line begins at `start`."""
        return self._trailing.get(start, ())

    def pass_on(self, start: int) -> None:
        """Leave the comments at the end of a block to the declaration that follows."""
        self.leftover = self.trailing(start) + self.leftover

    # --- tokens

    def tokens(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the tokens of a declaration; raises `Mistake` on what does not fit."""
        for token in stream:
            if token.type == "_LINE_END":
                yield from self._line_end(token)
            else:
                self._see(token)
                yield token

    def words(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the tokens of a lone expression, in which line ends have no meaning."""
        for token in stream:
            if token.type != "_LINE_END":
                self._see(token)
                yield token
        self._check_closed()

    def _see(self, token: Token) -> None:
        opening = token
        if token.type in OPENING:
            self.brackets.append(token)
            if token.type == "LPAR" and not (self.last and self.last.type in _CALLED):
                self._grouping.add(begin(token))
        elif token.type in _CLOSING:
            opening = self._close(token)
        self._count += begin(opening) not in self._grouping
        self.line = self.line or token
        self.last = token

    def _close(self, token: Token) -> Token:
        if not self.brackets:
            where = self.chunk.token_span(token)
            raise Mistake(Diagnostic("bad-syntax", f"this `{token}` closes nothing", where))
        opening = self.brackets.pop()
        if OPENING[opening.type] != token.type:
            raise Mistake(self.unclosed(opening, token))
        return opening

    def unclosed(self, opening: Token, noticed: Token) -> Diagnostic:
        """Return the finding that bracket `opening` is not closed, as `noticed` shows."""
        found = f"`{noticed}` is here instead" if noticed else "the declaration ends here"
        return Diagnostic(
            "unclosed",
            f"this `{opening}` is not closed",
            self.chunk.token_span(opening),
            mark=f"needs a `{SIGNS[OPENING[opening.type]]}`",
            labels=(Label(self.chunk.token_span(noticed), found),),
        )

    def _check_closed(self) -> None:
        if self.brackets and self.last:
            raise Mistake(self.unclosed(self.brackets[-1], mark("_NEWLINE", end(self.last))))

    def _line_end(self, token: Token) -> Iterator[Token]:
        rest, *lines, indent = token.split("\n")
        final = end(token) == len(self.chunk.text)
        if final:
            self._check_closed()
        elif self.brackets or (self.last and self.last.type in CONTINUES):
            found = [Inner(self._count, rest.strip(), False)] if rest.strip() else []
            found += (Inner(self._count, line.strip(), True) for line in lines if line.strip())
            self._waiting += found
            return
        assert self.line is not None
        assert self.last is not None
        start, stop = begin(self.line), end(self.last)
        self._after[start] = rest.strip()
        self._inner[start] = tuple(self._waiting)
        self._waiting.clear()
        yield mark("_NEWLINE", stop)
        self.line, self._count = None, 0
        yield from self._indentation(indent, lines, end(token), stop)

    def _indentation(self, indent: str, lines: list[str], start: int, stop: int) -> Iterator[Token]:
        """Yield the tokens for the change of indentation at the line at `start`.

        `stop` is the end of the code before it, `lines` are the comments between them.
        """
        final = start == len(self.chunk.text)
        width = self.chunk.base if final else len(indent)
        if indent.strip(" "):
            self._bad_indent(start - width, start, "indent with spaces, not tabs")
        if width > self._width:
            yield mark("_INDENT", start)
            self._blocks.append((width, start))
        first = start
        while width < self._width:
            depth, first = self._blocks.pop()
            count = _belonging(lines, depth)
            self._trailing[first] = tuple(line.strip() for line in lines[:count])
            lines = lines[count:]
            yield mark("_DEDENT", stop)
        if width == self._width + INDENT:
            where = self.chunk.span(start, start + 1)
            help = f"line {where.line} of the same block begins in column {where.column}"
            self._bad_indent(first, first + 1, "this line is indented too far", help)
        if width != self._width:
            self._bad_indent(start, start + 1, "this indentation matches no line above")
        count = _belonging(lines, self.chunk.base) if final and self.chunk.closes else 0
        self.ending = tuple(line.strip() for line in lines[:count])
        kept = tuple(line.strip() for line in lines[count:])
        if final:
            self.leftover = kept
        else:
            self._before[start] = kept

    @property
    def _width(self) -> int:
        return self._blocks[-1][0] if self._blocks else self.chunk.base

    def _bad_indent(self, start: int, stop: int, message: str, *help: str) -> None:
        raise Mistake(Diagnostic("bad-indent", message, self.chunk.span(start, stop), help=help))


def _belonging(lines: list[str], depth: int) -> int:
    """Return the number of comment and blank lines that belong to the block above them.

    These are the lines up to the last comment before one that is indented less than `depth`.
    """
    count = 0
    for i, line in enumerate(lines):
        comment = line.lstrip()
        if not comment:
            continue
        if len(line) - len(comment) < depth:
            break
        count = i + 1
    return count


def mark(type_: str, at: int) -> Token:
    """Return a token without text at offset `at`."""
    return Token(type_, "", at, 0, 0, 0, 0, at)
