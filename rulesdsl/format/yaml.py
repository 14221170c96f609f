"""YAML as it should look: every token as it was written, the blanks between them put in order.

Lines stay as they are: what stands on one line stays there, what is broken stays broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from rulesdsl.format.yaml_lines import Lines
from rulesdsl.read.yaml import LOADER

STEP = 2

_BREAK = re.compile(r"\r\n|[\n\r]")
_BLANKS = re.compile(r"[ \t]*")
_ENDS = re.compile(r"[ \t]*(?:#|\n)")
_SIGNS = {
    yaml.BlockEntryToken: "-",
    yaml.KeyToken: "?",
    yaml.ValueToken: ":",
    yaml.FlowEntryToken: ",",
    yaml.FlowSequenceStartToken: "[",
    yaml.FlowSequenceEndToken: "]",
    yaml.FlowMappingStartToken: "{",
    yaml.FlowMappingEndToken: "}",
}


def formatted_yaml(text: str) -> str:
    """A YAML text that can be read, as it should look."""
    return _Formatter(text.removeprefix("\ufeff")).text()


@dataclass
class _Block:
    """A block that is open, where it was indented and where it will be.

    `implied`: a list that is indented no more than the key it belongs to.
    """

    old: int
    new: int
    is_list: bool = False
    implied: bool = False

    @property
    def inside(self) -> int:
        """Where a value of its own line begins, that is no block."""
        return self.new + STEP


@dataclass(frozen=True)
class _Flow:
    """Brackets that are open: where lines inside of them begin, and one that closes them."""

    inside: int
    closing: int


class _Formatter:
    """Walks through the tokens of one text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = Lines()
        self.blocks = [_Block(-1, -STEP)]
        self.flows: list[_Flow] = []
        self.left = list[_Block]()
        """Blocks that were closed since the last token: a comment may still belong to them."""
        self.at = 0
        self.last = ""
        self.is_key = False
        self.commas = 0

    def text(self) -> str:
        """All of it."""
        tokens: Iterator[yaml.Token] = yaml.scan(self.source, Loader=LOADER)
        for token in tokens:
            self._token(token)
        unended = self.at == len(self.source)
        self._gap(len(self.source), 0)
        text = self.lines.text()
        # A line end more at the end would belong to a text in lines.
        return text[:-1] if unended and self.last in ("|", ">") else text

    def _token(self, token: yaml.Token) -> None:
        start, end = _offsets(token)
        match token:
            case yaml.BlockSequenceStartToken() | yaml.BlockMappingStartToken():
                is_list = isinstance(token, yaml.BlockSequenceStartToken)
                self._open(_Block(self._column(start), self.blocks[-1].new + STEP, is_list))
                return
            case yaml.BlockEndToken():
                self._close_implied()
                self.left.append(self.blocks.pop())
                return
            case yaml.KeyToken() if not self.flows:
                self._close_implied()
                self.is_key = True
            case yaml.BlockEntryToken() if not self.blocks[-1].is_list:
                block = _Block(self._column(start), self.blocks[-1].new + STEP, True, True)
                self._open(block)
        if start < end:
            self._write(token, start, end)

    def _open(self, block: _Block) -> None:
        self.blocks.append(block)

    def _close_implied(self) -> None:
        if self.blocks[-1].implied:
            self.left.append(self.blocks.pop())

    def _write(self, token: yaml.Token, start: int, end: int) -> None:
        """Write a token, after the gap before it."""
        sign = _SIGNS.get(type(token), "")
        self._gap(start, self._indent(sign))
        if self.lines.begun:
            self.lines.write(_between(self.last, sign), "")
        if isinstance(token, yaml.ScalarToken):
            end = self._scalar(token, start, end)
        else:
            self.lines.write("", self.source[start:end].rstrip(" \n"))
        if not self.flows and (self.is_key or sign in ("-", ":")):
            self.lines.no_entry()
            self.commas = 0
        if sign == ":" and not self.flows:
            self._entry(end, 0)
        elif sign == "," and len(self.flows) == 1:
            self.commas += 1
            self._entry(end, self.commas)
        self.lines.go_on()
        self.last = sign or getattr(token, "style", None) or type(token).__name__
        self.at, self.is_key = end, False
        self.left.clear()
        if sign in ("[", "{"):
            self._open_flow(end)
        elif sign in ("]", "}"):
            self.flows.pop()

    def _indent(self, sign: str) -> int:
        """Where the next token stands if it begins a line."""
        if self.flows:
            return self.flows[-1].closing if sign in ("]", "}") else self.flows[-1].inside
        block = self.blocks[-1]
        return block.new if sign in ("-", "?", ":") or self.is_key else block.inside

    def _open_flow(self, end: int) -> None:
        block = self.blocks[-1]
        outer = self.flows[-1].inside if self.flows else block.new + STEP * block.is_list
        if _ENDS.match(self.source, end):
            self.flows.append(_Flow(outer + STEP, outer))
        else:
            column = self.lines.column
            self.flows.append(_Flow(column, column - 1))

    # --- what stands between tokens

    def _gap(self, end: int, indent: int) -> None:
        """The comments, line ends and blank lines up to `end`, where what follows is indented."""
        first, *lines = _BREAK.split(self.source[self.at : end])
        if comment := first.strip():
            self.lines.write("  " if self.lines.begun else "", comment)
        if not lines:
            if comment:
                self.lines.end(indent)
            return
        *between, last = lines
        if end == len(self.source):
            between, last = lines, ""
        for line in between:
            if comment := line.strip():
                self.lines.end(self._comment_indent(line, len(last), indent))
                self.lines.write("", comment)
            else:
                self.lines.blank()
        self.lines.end(indent)

    def _comment_indent(self, line: str, next_: int, indent: int) -> int:
        """Where a comment stands on its line: with what follows if it was in line with it, else in
        the block into which it was indented."""
        column = len(line) - len(line.lstrip())
        if self.flows:
            return self.flows[-1].inside
        if column == next_:
            return indent
        open_ = [*self.blocks[1:], *reversed(self.left)]
        fitting = [block for block in open_ if block.old <= column]
        if not fitting:
            return indent
        return max(fitting, key=lambda block: (block.old, block.new)).new

    def _column(self, offset: int) -> int:
        return offset - self.source.rfind("\n", 0, offset) - 1

    def _entry(self, end: int, number: int) -> None:
        """Note where what follows a colon or comma was written, if that is on the same line."""
        blanks = _BLANKS.match(self.source, end)
        assert blanks is not None
        if self.source[blanks.end() : blanks.end() + 1] not in ("", "#", "\n", "\r"):
            column = self._column(blanks.end())
            self.lines.entry(self.blocks[-1], number, column, blanks.end() - end)

    # --- scalars

    def _scalar(self, token: yaml.ScalarToken, start: int, end: int) -> int:
        """Write a scalar; the offset behind it."""
        if token.style in ("|", ">"):
            return self._block_scalar(start, end)
        text = self.source[start:end].rstrip(" \t\n")
        inside = self.flows[-1].inside if self.flows else self.blocks[-1].inside
        first, *rest = text.split("\n")
        self.lines.write("", first)
        for line in rest:
            self.lines.raw((" " * max(inside, 1) + line.lstrip(" \t")) if line.strip(" \t") else "")
        return start + len(text)

    def _block_scalar(self, start: int, end: int) -> int:
        header, *lines = self.source[start:end].removesuffix("\n").split("\n")
        block = self.blocks[-1]
        indents = (len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" "))
        old, new = next(indents, max(map(len, lines), default=0)), max(block.inside, 1)
        if re.search(r"\d", header.split("#")[0]):
            old, new = max(block.old, 0), max(block.new, 0)
        while lines and not lines[-1][old:] and "+" not in header.split("#")[0]:
            lines.pop()
        marks, _, comment = header.partition("#")
        self.lines.write("", marks.rstrip())
        if comment:
            self.lines.write("  ", f"#{comment.rstrip()}")
        for line in lines:
            self.lines.raw(" " * new + line[old:] if line[old:] else "")
        size = len("\n".join((header, *lines)))
        return start + size


def _between(last: str, sign: str) -> str:
    """The blank between a token and the next on one line; a sign, or what it is."""
    if last in ("[", "{") or sign in ("]", "}", ","):
        return ""
    return "" if sign == ":" and last != "AliasToken" else " "


def _offsets(token: yaml.Token) -> tuple[int, int]:
    assert token.start_mark is not None
    assert token.end_mark is not None
    return token.start_mark.index, token.end_mark.index
