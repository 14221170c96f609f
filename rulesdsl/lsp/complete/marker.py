"""What is known at a place in rules: a word is put there, what stands around it is mended until it
can be read, and the checker says what it takes the word for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rulesdsl.check.expressions import infer
from rulesdsl.check.scope import Context, Local
from rulesdsl.diagnostics import Report, Source
from rulesdsl.model import ast
from rulesdsl.model.ast import every
from rulesdsl.model.checked import Expr
from rulesdsl.model.types import Type
from rulesdsl.parse import Trees, parse
from rulesdsl.parse.layout import IS_WITH, Chunk, split

MARK = "word__that__is__being__written"
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_SIGN = re.compile(r"#[^\n]*|'[^'\n]*'|[()\[\]{}]")
_NAME = re.compile(r"\w+")
_COMMENT = re.compile(r"#[^\n]*")
_ENDS = (
    "",
    ": nothing",
    ": 0",
    " else 0",
    " else 0: nothing",
    " == 0: nothing",
    " in players: nothing",
    ":\n    option pass",
)
"""What a line may lack."""


@dataclass(frozen=True)
class Place:
    """What the checker says about a place: `role` is that of the word there. A `name` stands by
    itself, an `attribute` behind a dot, a `test` behind `is`; `object` is what stands before.
    `names` are the locals in sight, `hint` the type that is expected."""

    role: Literal["name", "attribute", "test"]
    ctx: Context
    names: dict[str, Local]
    hint: Type | None = None
    object: Expr | None = None


class Marked:
    """The checker's view of the place where the mark is."""

    def __init__(self) -> None:
        self.place: Place | None = None
        self._objects: dict[int, Expr] = {}

    def infer(self, ctx: Context, node: ast.Expr, hint: Type | None) -> Expr:
        """Types an expression as the checker does, and notes the mark in it."""
        found = self._objects[id(node)] = infer(ctx, node, hint)
        match node:
            case ast.Name() if node.name == MARK:
                self._found(Place("name", ctx, dict(ctx.names), hint))
            case ast.Attribute() if node.name == MARK:
                object_ = self._objects.get(id(node.object))
                self._found(Place("attribute", ctx, dict(ctx.names), hint, object_))
            case ast.Compare(right=ast.Name(name=name)) if name == MARK and "is" in node.operator:
                object_ = self._objects.get(id(node.left))
                self._found(Place("test", ctx, dict(ctx.names), hint, object_))
        return found

    def _found(self, place: Place) -> None:
        # What is expected is known better when the other side has been looked at.
        if self.place is None or (self.place.hint is None and place.hint is not None):
            self.place = place


def chunk_at(source: Source, offset: int) -> Chunk | None:
    """The declaration, with what follows it up to the next, that holds an offset."""
    _, chunks = split(source)
    return next((c for c in chunks if c.start <= offset <= c.start + len(c.text)), None)


def rulesets_at(source: Source, offset: int) -> tuple[str, ...]:
    """The rulesets that the `with` block names which holds an offset; none outside of any."""
    names: tuple[str, ...] = ()
    _, chunks = split(source)
    for chunk in chunks:
        if chunk.start > offset:
            break
        if not chunk.base:
            head = chunk.text.partition(":")[0] if IS_WITH.match(chunk.text) else ""
            names = tuple(sorted(set(_NAME.findall(_COMMENT.sub("", head))[1:])))
    line = source.text.rfind("\n", 0, offset) + 1
    return names if source.text[line : line + 1] in (" ", "\t") else ()


def marked(source: Source, start: int, end: int, trees: Trees) -> ast.Module | None:
    """The rules with the mark in place of what stands from `start` to `end`, and what is wrong
    around it mended; None if nothing helps. `trees` are those of the rules as they are."""
    chunk = chunk_at(source, start)
    if chunk is None:
        return None
    stop = chunk.start + len(chunk.text)
    for text in _attempts(source.text[chunk.start : start], source.text[end:stop]):
        whole = source.text[: chunk.start] + text + "\n" + source.text[stop:]
        module = parse(Source(source.name, whole), Report(), trees)
        if any(MARK in node.span.text for node in every(module) if _read(node)):
            return module
    return None


def _read(node: ast.Decl) -> bool:
    return not isinstance(node, ast.Broken)


def _attempts(before: str, after: str) -> Iterator[str]:
    """Texts of a declaration with the mark between `before` and `after`, the likeliest first."""
    line, _, below = after.partition("\n")
    yield before + MARK + after
    closing = _closing(before)
    for end in _ENDS:
        yield f"{before}{MARK}{closing}{end}\n{below}"
    for end in _ENDS:
        yield f"{before}{MARK}{closing}{end}"
    yield f"{before}{MARK}(){line}\n{below}"


def _closing(text: str) -> str:
    """The brackets that are open at the end of a text, closed."""
    open_: list[str] = []
    for match in _SIGN.finditer(text):
        sign = match[0]
        if sign in _PAIRS:
            open_.append(_PAIRS[sign])
        elif open_ and sign == open_[-1]:
            open_.pop()
    return "".join(reversed(open_))
