"""Parser: rules text to syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import field, replace
from itertools import islice
from typing import Any

from lark import Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, Report, Source, Span
from rulesdsl.language.model import ast
from rulesdsl.language.parse.grammar import MOST_WORDS, grammar
from rulesdsl.language.parse.layout import IS_WITH, Chunk, Mistake, TokenLayout, end, mark, split
from rulesdsl.language.parse.mistakes import Stop, bad_character, unexpected
from rulesdsl.language.parse.trees import Branch, build, declaration

_UNCLEAR = frozenset({"bad-indent", "missing-body", "nested-too-deep", "too-large", "unclosed"})
"""Mistakes after which the structure of the following lines is unknown."""

_GOES_ON = re.compile(r"(?:else|otherwise)\b")
_STATEMENT = "x()"
_WITH_BLOCK = {"if": "if x:", "for": "if x:", "while": "if x:", "option": "option x:"}
_DECLARATION = {"choice": "choice x() by y:"}
_ANY_DECLARATION = "action x():"


def further(
    chunk: Chunk, first: Diagnostic, parse: Callable[[Chunk], object]
) -> Iterator[Diagnostic]:
    """Yield the mistakes that `parse` finds after the `first` one.

    The broken statement is replaced by a correct one each time. `parse` raises `Mistake`.
    """
    found: Diagnostic | None = first
    while found is not None and found.span is not None and found.slug not in _UNCLEAR:
        mended = _mended(chunk, found.span.start - chunk.start)
        if mended is None:
            return
        chunk, end = mended
        try:
            parse(chunk)
        except Mistake as mistake:
            found = mistake.diagnostic
        else:
            return
        if found.span is None or found.span.start - chunk.start < end:
            return  # the replacement does not fit there
        yield found


def _mended(chunk: Chunk, at: int) -> tuple[Chunk, int] | None:
    """Return a chunk with the statement at an offset replaced, and the end of that statement.

    Statements inside it become blank, and everything else keeps its place. None if there is no room
    for the replacement.
    """
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
    """Return the replacement for a line of code; it has a block if the line has one."""
    word = re.split(r"\W", code.strip(), maxsplit=1)[0]
    if not code.endswith(":"):
        return "option x" if word == "option" else _STATEMENT
    if first:
        return _DECLARATION.get(word, _ANY_DECLARATION)
    return _WITH_BLOCK.get(word, _STATEMENT)


def _below(lines: list[str], indent: int) -> Iterator[str]:
    """Yield the lines inside the statement above them, whose indentation is given."""
    for line in lines:
        code = line.strip()
        depth = len(line) - len(line.lstrip())
        own = depth > indent or (depth == indent and _GOES_ON.match(code))
        if code and not code.startswith("#") and not own:
            return
        yield line


_DECLARED = re.compile(
    r"(?:(?:step\s+)?action|value|choice|state(?:\s+\w+\.)?)\s*\b(\w+)", re.ASCII
)
_WORD = re.compile(r"#[^\n]*|'[^'\n]*'|\w+|[^\w\s]")
MOST_IN_ONE = 20_000
"""Maximum number in one declaration; the largest that is shipped has 200."""
_SIZE_HELP = ("split it: give parts of it names, as values or actions of their own",)
_DEEPEST = 100
MAX_BROKEN = 100
MAX_AGAIN = 200_000
"""Number of characters that are parsed once more to find further mistakes in declarations."""
_DEPTH_HELP = (
    f"at most {_DEEPEST} levels; each `else if` and each `when` line adds one",
    "give a part of it a name, as a value or action of its own",
)


@dataclass
class Trees:
    """The parse trees of declarations, or of expressions, by their texts.

    They are reused for later versions of a file.
    """

    known: dict[str, tuple[TokenLayout, Branch]] = field(default_factory=dict)

    def of(
        self, chunk: Chunk, before: Trees, start: str = "declaration"
    ) -> tuple[TokenLayout, Branch]:
        """Return the parse tree of a declaration and its layout at the current position.

        The tree is taken from `before` if it is there. Raises `Mistake`.
        """
        found = before.known.get(chunk.text)
        if found is None:
            layout = TokenLayout(chunk)
            found = layout, _tree(layout, start)
        self.known[chunk.text] = found
        layout = copy(found[0])
        layout.chunk = chunk
        return layout, found[1]


def parse(source: Source, report: Report, trees: Trees | None = None) -> ast.Module:
    """Return the syntax tree of a rules text.

    Every declaration that cannot be parsed is one `Broken` in the tree, and its mistakes are in
    `report`. After `MAX_BROKEN` of them the others count as broken without being parsed. `trees`
    are those of an earlier version, and are replaced by those of this one.
    """
    lines, chunks = split(source)
    found: list[ast.Decl] = []
    inside: list[ast.Decl] = []
    now, before = Trees(), trees or Trees()
    broken, left, total = 0, MAX_AGAIN, 0
    for chunk in chunks:
        into = inside if chunk.base else found
        ending: tuple[str, ...] = ()
        own = size(chunk.text)
        total += own
        if total > MOST_WORDS >= total - own:
            limit = f"at most {MOST_WORDS} words and signs, and this one has more"
            message, help = f"a rules file has {limit}", ("remove some of the rules",)
            report.error("too-large", message, _first_line(chunk), help=help)
        if total <= MOST_WORDS and broken < MAX_BROKEN:
            try:
                _check_size(chunk, own)
                layout, tree = now.of(chunk, before)
                into.append(declaration(layout, tree, lines))
                lines, ending = layout.leftover, layout.ending
            except Mistake as mistake:
                report.add(mistake.diagnostic)
                more = further(chunk, mistake.diagnostic, _declaration)
                again = list(islice(more, max(left, 0) // len(chunk.text)))
                report.extend(again)
                left -= (len(again) + 1) * len(chunk.text)
                broken += 1
            else:
                _close(chunk, found, inside, ending)
                continue
        into.append(_broken(chunk, lines))
        lines = tuple(line.strip() for line in chunk.text[chunk.code_end :].split("\n")[1:-1])
        _close(chunk, found, inside, ending)
    before.known = now.known
    end = next((number for number in range(len(lines), 0, -1) if lines[number - 1]), 0)
    return ast.Module(source, tuple(found), lines[:end], total)


def _close(
    chunk: Chunk, found: list[ast.Decl], inside: list[ast.Decl], ending: tuple[str, ...]
) -> None:
    """Put the declarations of a `with` block into it if the chunk is its last."""
    if not chunk.closes or not inside:
        return
    block = found[-1]
    if isinstance(block, ast.WithDecl):
        whole = block.span.to(inside[-1].span)
        found[-1] = replace(block, span=whole, declarations=tuple(inside), trailing=ending)
    inside.clear()


def parse_expression(
    source: Source, span: Span, report: Report, trees: Trees | None = None
) -> ast.Expr | None:
    """Return the expression at `span` of a manifest, a plain or quoted scalar.

    None when it cannot be parsed, with the mistake in `report`. The spans of the tree point into
    `source`. Trees of expressions are taken from `trees`, and put there.
    """
    start, text = span.start, span.text
    quote = text[:1] if text[:1] in ("'", '"') and text[:1] == text[-1:] and len(text) > 1 else ""
    if quote:
        start, text = start + 1, text[1:-1]
    chunk = Chunk(source, start, text, len(text))
    known = trees or Trees()
    try:
        if quote and (escape := re.search(r"\\" if quote == '"' else "''", text)):
            where = chunk.span(*escape.span())
            raise Mistake(
                Diagnostic(
                    "bad-character",
                    "an expression cannot be written with escapes",
                    where,
                    help=("use the other kind of quotes around it",),
                )
            )
        _check_size(chunk, size(text))
        layout, tree = known.of(chunk, known, "expression")
        found: ast.Expr = build(layout, tree)
        return found
    except Mistake as mistake:
        report.add(mistake.diagnostic)
        return None


def _tree(layout: TokenLayout, start: str) -> Branch:
    """Return the parse tree of a chunk; raises `Mistake`."""
    chunk = layout.chunk
    if start == "declaration":
        _check_place(chunk)
    parser: Any = grammar().parse_interactive(chunk.text, start=start)
    stream = parser.lexer_thread.lex(parser.parser_state)
    previous: Token | None = None
    try:
        for token in layout.tokens(stream) if start == "declaration" else layout.words(stream):
            parser.feed_token(token)
            previous = token
        tree = parser.feed_token(mark("$END", end(layout.last) if layout.last else 0))
    except UnexpectedToken as error:
        stop = Stop(layout, error.token, previous, frozenset(parser.accepts()))
        raise Mistake(unexpected(stop)) from error
    except UnexpectedCharacters as error:
        raise Mistake(bad_character(layout, error.pos_in_stream or 0)) from error
    assert isinstance(tree, Tree)
    _check_depth(layout, tree)
    return tree


def _check_place(chunk: Chunk) -> None:
    """Raise `Mistake` when a declaration does not begin in the right column."""
    if chunk.indented:
        indent = len(chunk.text) - len(chunk.text.lstrip(" \t\r"))
        message = "a declaration begins in the first column"
        if chunk.base:
            message = "indent all declarations of a `with` block equally, with spaces"
        raise Mistake(Diagnostic("bad-indent", message, chunk.span(0, indent or 1)))
    if chunk.base and IS_WITH.match(chunk.text):
        message = "a `with` block cannot be inside another one"
        help_lines = ("name all rulesets at once, as in `with a, b:`",)
        raise Mistake(Diagnostic("misplaced", message, chunk.span(0, 4), help=help_lines))


def size(text: str) -> int:
    """Return the number of words and signs of a rules text, without its comments."""
    return sum(not found.group().startswith("#") for found in _WORD.finditer(text))


def _check_size(chunk: Chunk, words: int) -> None:
    """Raise `Mistake` when a declaration or expression is too large to check quickly."""
    if words > MOST_IN_ONE:
        what = _DECLARED.match(chunk.text)
        name = f"`{what.group(1)}`" if what else "this"
        message = f"{name} has {words} words and signs, more than {MOST_IN_ONE}"
        raise Mistake(Diagnostic("too-large", message, _first_line(chunk), help=_SIZE_HELP))


def _first_line(chunk: Chunk) -> Span:
    return chunk.span(0, len(chunk.text.partition("\n")[0]))


def _check_depth(layout: TokenLayout, tree: Branch) -> None:
    """Raise `Mistake` when a tree is too deep for recursive functions."""
    open_: list[tuple[Branch, int]] = [(tree, 1)]
    while open_:
        branch, depth = open_.pop()
        if depth > _DEEPEST:
            where = layout.chunk.span(branch.meta.start_pos, branch.meta.start_pos + 1)
            message = "this is nested too deeply"
            raise Mistake(Diagnostic("nested-too-deep", message, where, help=_DEPTH_HELP))
        for child in branch.children:
            if isinstance(child, Tree):
                open_.append((child, depth + 1))
                # The following lines of a ladder become the `else` of this one.
                depth += child.data == "when"


def _declaration(chunk: Chunk) -> ast.Decl:
    """Return a declaration without the comments above it; raises `Mistake`."""
    layout = TokenLayout(chunk)
    return declaration(layout, _tree(layout, "declaration"), ())


def _broken(chunk: Chunk, before: tuple[str, ...]) -> ast.Broken:
    name = _DECLARED.match(chunk.text)
    where = chunk.span(0, len(chunk.text[: chunk.code_end].rstrip()))
    found = ast.Ident(name[1], chunk.span(*name.span(1))) if name else None
    return ast.Broken(where, found, ast.Trivia(before))
