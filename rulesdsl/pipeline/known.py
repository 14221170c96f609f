"""What was worked out of files before, for those who build games again and again while few files
change: a checker of every subset, an editor, a watcher."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from rulesdsl.check import check_constant
from rulesdsl.diagnostics import Diagnostic, Report, Source, Span
from rulesdsl.geometry.ring import Size
from rulesdsl.model import ast, checked
from rulesdsl.model.game import Game
from rulesdsl.model.geometry import Drawn, Outline
from rulesdsl.model.types import Type
from rulesdsl.model.uses import Uses
from rulesdsl.parse import Trees, parse, parse_expression
from rulesdsl.read.manifest import Read, read_manifest
from rulesdsl.weave.drawing import Palette, draw

T = TypeVar("T")
_Done = tuple[Any, tuple[Diagnostic, ...]]
"""What a stage gave, and what it reported."""


MOST = 10_000
"""So many different expressions are remembered beyond the version of their file."""


@dataclass(frozen=True)
class _File:
    """One version of a file, and what stages made of it."""

    text: str
    done: dict[Hashable, _Done] = field(default_factory=dict)


class Known:
    """Does what the stages do for each file by itself, once for each version of it.

    Of every file, told by its name in messages, the version seen last is kept: what was made of
    an older one is forgotten, so that memory does not grow with changes. Findings are reported
    again each time. What is given has the spans of the source seen first.
    """

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._trees: dict[str, Trees] = {}
        self._expressions = Trees()

    def manifest(self, source: Source, report: Report) -> Read | None:
        """As `read.manifest.read_manifest` gives it."""
        return self._once(source, "manifest", partial(read_manifest, source), report)

    def module(self, source: Source, report: Report) -> ast.Module:
        """As `parse.parse` gives it. Of a new version only what changed is parsed."""
        trees = self._trees.setdefault(source.name, Trees())
        return self._once(source, "module", lambda own: parse(source, own, trees), report)

    def trees(self, name: str) -> Trees:
        """The parse trees of the version of a file of rules that was seen last."""
        return Trees(dict(self._trees.get(name, Trees()).known))

    def expression(self, span: Span, report: Report) -> ast.Expr | None:
        """As `parse.parse_expression` gives it."""
        key = ("expression", *_place(span))
        if len(self._expressions.known) > MOST:
            self._expressions.known.clear()
        return self._once(
            span.source,
            key,
            lambda own: parse_expression(span.source, span, own, self._expressions),
            report,
        )

    def constant(
        self, span: Span, ruleset: str, wanted: Type, game: Game, uses: Uses, report: Report
    ) -> checked.Expr | None:
        """The expression at a place of the manifest of `ruleset`, as `check_constant` gives it."""
        parsed = self.expression(span, report)
        if parsed is None:
            return None
        return check_constant(parsed, ruleset, wanted, game, uses, report)

    def draw(
        self,
        name: str,
        size: Size,
        drawn: Sequence[Drawn],
        colours: Palette,
        span: Span,
        report: Report,
    ) -> Outline:
        """As `weave.drawing.draw` gives it."""
        lines = tuple((*_place(each.span), each.kind, _items(each.attributes)) for each in drawn)
        key = ("outline", *_place(span), name, size, lines, colours.text)
        work = partial(draw, name, size, drawn, colours, span)
        return self._once(span.source, key, work, report)

    def _once(
        self, source: Source, key: Hashable, work: Callable[[Report], T], report: Report
    ) -> T:
        """What `work` gives and reports, done at most once for each version of a file."""
        file = self._files.get(source.name)
        if file is None or file.text != source.text:
            file = self._files[source.name] = _File(source.text)
        done = file.done.get(key)
        if done is None:
            own = Report()
            done = file.done[key] = work(own), tuple(own)
        result: T = done[0]
        report.extend(done[1])
        return result


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _items(mapping: Mapping[str, Hashable]) -> tuple[tuple[str, Hashable], ...]:
    return tuple(mapping.items())
