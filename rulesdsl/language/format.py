"""The formatter for rules, manifests and scenarios.

Of YAML, tokens and line breaks stay as they were written; the space between tokens is normalised.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from typing import Any

import yaml

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model import ast
from rulesdsl.language.model.checked import walk
from rulesdsl.language.parse import parse, unparse
from rulesdsl.language.read.find import RULES, YAML, is_ours
from rulesdsl.language.read.yaml import LOADER, parse_yaml

WIDTH = 100
"""The most columns of a line of rules, if it can be broken so; comments may be longer."""

_BLANK_LINES = re.compile(r"\n{3,}")
_LAYOUT = ("source", "span", "size", "inline")


def formatted_rules(module: ast.Module, width: int = WIDTH) -> str:
    """Return the formatted text of a parsed module; the meaning and comments stay the same."""
    text = unparse(module, width)
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    text = f"{text}\n" if text else ""
    again = parse(Source(module.source.name, text), Report())
    name = module.source.name
    assert _meaning(again) == _meaning(module), f"{name}: another meaning"
    assert _comments(again) == _comments(module), f"{name}: other comments"
    return text


def _meaning(node: Any) -> object:
    """Return the content of a tree, without its layout and comments."""
    if isinstance(node, tuple):
        return tuple(map(_meaning, node))
    if not isinstance(node, ast.Node | ast.Module):
        return node
    names = [field.name for field in fields(node) if field.name not in _LAYOUT]
    kept = (name for name in names if name != "trailing" and not name.endswith("trivia"))
    return type(node), tuple(_meaning(getattr(node, name)) for name in kept)


def _comments(module: ast.Module) -> list[str]:
    found = [*module.trailing]
    for node in walk(module.declarations):
        for name, part in vars(node).items():
            if isinstance(part, ast.Trivia):
                found += (*part.before, part.after, *(each.text for each in part.inner))
            elif name == "trailing":
                found += part
    return sorted(filter(None, found))


_LINE_END = re.compile("\r\n?")


def formatted(text: str, path: str) -> str:
    """Format rules, a manifest or scenarios.

    The meaning and all comments stay the same, and formatting the result again changes nothing.
    Line ends are those of the first line. `path` is the name in findings, and its suffix gives the
    kind of the text: `.rules`, `.yaml` or `.yml`; for any other, the text does. Raises RulesError
    with all findings if the text cannot be parsed.
    """
    report = Report()
    if path.endswith(YAML) or (not path.endswith(RULES) and is_ours(text)):
        node = parse_yaml(Source(path, text), report)
        report.check()
        found = formatted_yaml(_LINE_END.sub("\n", text.removeprefix("\ufeff")))
        assert parse_yaml(Source(path, found), report) == node, f"{path}: another meaning"
    else:
        module = parse(Source(path, text), report)
        report.check()
        found = formatted_rules(module)
    first, end, _ = text.partition("\n")
    return found.replace("\n", "\r\n") if end and first.endswith("\r") else found


# --- YAML ----------------------------------------------------------------------------------------


@dataclass
class _Entry:
    """A colon or comma with a value after it on its line.

    `owner` is the block that it is part of, `number` the number of commas of one value before it (0
    for a colon), `line` its line, and `column` the column after it. `written_at` and `gap` are the
    column and the distance at which the value was written; `whole` is True if the value ends on its
    line.
    """

    owner: object
    number: int
    line: int
    column: int
    written_at: int
    gap: int
    whole: bool = True


class YamlLines:
    """Lines that are being written; the last one is unfinished."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last: list[str] = []
        self._indent = 0
        self._column = 0
        self._blank = False
        self._entries: list[_Entry] = []
        self._open: list[_Entry] = []
        self._goes_on = False
        self._on_line: dict[int, list[_Entry]] = defaultdict(list)

    @property
    def begun(self) -> bool:
        """True if the last line is not empty."""
        return bool(self._last)

    @property
    def column(self) -> int:
        """The column after the last line."""
        return self._column if self._last else self._indent

    def write(self, blanks: str, text: str) -> None:
        """Append to the last line; blanks are left out at its beginning."""
        if self._blank and not self._last:
            self._lines += [""] if self._lines else []
            self._blank = False
        parts = (blanks, text) if self._last else (" " * self._indent, text)
        self._column = sum(map(len, parts)) + (self._column if self._last else 0)
        self._last += parts

    def end(self, indent: int) -> None:
        """End the last line, if it is not empty, and begin a new one."""
        if self._last:
            self._lines.append("".join(self._last))
            self._last.clear()
        self._indent = indent

    def blank(self) -> None:
        """Separate the last line from the next, if both exist; several blank lines become one."""
        self._blank = True

    def raw(self, line: str) -> None:
        """End the last line and continue the value with a line of text as it is."""
        self._lines.append("".join(self._last))
        self._last[:], self._column = [line], len(line)

    def entry(self, owner: object, number: int, written_at: int, gap: int) -> None:
        """Note that the last line ends with a colon or comma `number` of `owner`.

        The value after it was written at column `written_at`, after `gap` blanks.
        """
        if not self._goes_on:
            line = len(self._lines)
            self._open.append(_Entry(owner, number, line, self.column, written_at, gap))
            self._entries.append(self._open[-1])

    def no_entry(self) -> None:
        """Note that the next token belongs to no value that was begun."""
        self._open.clear()
        self._goes_on = False

    def go_on(self) -> None:
        """Note that the value that was begun continues on the last line."""
        if self._open and self._open[0].line != len(self._lines):
            for entry in self._open:
                entry.whole = False
            self._open.clear()
            self._goes_on = True

    def text(self) -> str:
        """Return all lines."""
        self.end(0)
        for entry in self._entries:
            self._on_line[entry.line].append(entry)
        for run in self._runs():
            if _lined_up(run):
                self._line_up(run)
        return "".join(f"{line}\n" for line in self._lines)

    def _runs(self) -> Iterator[list[_Entry]]:
        """Yield the entries of one block and number on consecutive lines, sorted by number."""
        groups: dict[tuple[int, int], list[_Entry]] = {}
        for entry in self._entries:
            if entry.whole:
                groups.setdefault((entry.number, id(entry.owner)), []).append(entry)
        for _, group in sorted(groups.items(), key=lambda each: each[0][0]):
            run = group[:1]
            for entry in group[1:]:
                if entry.line != run[-1].line + 1:
                    yield run
                    run = []
                run.append(entry)
            yield run

    def _line_up(self, run: list[_Entry]) -> None:
        column = max(entry.column for entry in run) + 1
        for entry in run:
            line = self._lines[entry.line]
            before, after = line[: entry.column], line[entry.column :].lstrip(" ")
            self._lines[entry.line] = f"{before:<{column}}{after}"
            further = len(self._lines[entry.line]) - len(line)
            for other in self._on_line[entry.line]:
                if other.number > entry.number:
                    other.column += further


def _lined_up(run: list[_Entry]) -> bool:
    """Return whether two neighbours were aligned, one of them after several blanks."""
    return any(a.written_at == b.written_at and max(a.gap, b.gap) > 1 for a, b in pairwise(run))


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
    """Return the formatted text of valid YAML."""
    return _Formatter(text.removeprefix("\ufeff")).text()


@dataclass
class _Block:
    """An open block, with its old and its new indentation.

    `implied` is True for a list that is indented no further than its key.
    """

    old: int
    new: int
    is_list: bool = False
    implied: bool = False

    @property
    def inside(self) -> int:
        """The indentation of a value on its own line that is not a block."""
        return self.new + STEP


@dataclass(frozen=True)
class _Flow:
    """Open brackets, with the indentation of lines inside of them and of the closing one."""

    inside: int
    closing: int


class _Formatter:
    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = YamlLines()
        self.blocks = [_Block(-1, -STEP)]
        self.flows: list[_Flow] = []
        self.left = list[_Block]()
        """Blocks that were closed since the last token: a comment may still belong to them."""
        self.at = 0
        self.last = ""
        self.is_key = False
        self.commas = 0

    def text(self) -> str:
        tokens: Iterator[yaml.Token] = yaml.scan(self.source, Loader=LOADER)
        for token in tokens:
            self._token(token)
        unended = self.at == len(self.source)
        self._gap(len(self.source), 0)
        text = self.lines.text()
        # A further line end would become part of a block scalar at the end.
        return text[:-1] if unended and self.last in ("|", ">") else text

    def _token(self, token: yaml.Token) -> None:
        start, end = _offsets(token)
        match token:
            case yaml.BlockSequenceStartToken() | yaml.BlockMappingStartToken():
                is_list = isinstance(token, yaml.BlockSequenceStartToken)
                self.blocks.append(_Block(self._column(start), self.blocks[-1].new + STEP, is_list))
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
                self.blocks.append(block)
        if start < end:
            self._write(token, start, end)

    def _close_implied(self) -> None:
        if self.blocks[-1].implied:
            self.left.append(self.blocks.pop())

    def _write(self, token: yaml.Token, start: int, end: int) -> None:
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
        """Return the indentation of the next token if it begins a line."""
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

    # --- between tokens

    def _gap(self, end: int, indent: int) -> None:
        """Write the comments, line ends and blank lines up to `end`.

        `indent` is the indentation of the next token.
        """
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
        """Return the indentation of a comment on a line of its own.

        It is that of the next token if they were aligned, otherwise that of the block into which it
        was indented.
        """
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
        """Note the column of the value after a colon or comma, if it is on the same line."""
        blanks = _BLANKS.match(self.source, end)
        assert blanks is not None
        if self.source[blanks.end() : blanks.end() + 1] not in ("", "#", "\n", "\r"):
            column = self._column(blanks.end())
            self.lines.entry(self.blocks[-1], number, column, blanks.end() - end)

    # --- scalars

    def _scalar(self, token: yaml.ScalarToken, start: int, end: int) -> int:
        """Write a scalar and return the offset after it."""
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
    """Return the blank between a token and the next on one line.

    Both are given as a sign, or `last` as the name of its token.
    """
    if last in ("[", "{") or sign in ("]", "}", ","):
        return ""
    return "" if sign == ":" and last != "AliasToken" else " "


def _offsets(token: yaml.Token) -> tuple[int, int]:
    assert token.start_mark is not None
    assert token.end_mark is not None
    return token.start_mark.index, token.end_mark.index
