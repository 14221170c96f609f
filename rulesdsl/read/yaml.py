"""YAML text -> nodes with positions and comments, by the scalars of docs/reference/language.md.

PyYAML's events are used, never its constructors: what a scalar means is decided in `scalars`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

import yaml

from rulesdsl.diagnostics import Label, Report, Source, Span
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.nodes import Comments, Mapping, Node, Scalar, Sequence
from rulesdsl.read.comments import CommentScanner
from rulesdsl.read.scalars import Doubt, interpret, shorten
from rulesdsl.read.steering import in_file
from rulesdsl.read.syntax import report_syntax

MAX_DEPTH = 40
MAX_NODES = 200_000
MAX_FINDINGS = 100

LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser is about eight times as fast, but not every build of PyYAML has it."""

_DIRECTIVE = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*+(%[^\r\n]*)")
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s|#[^\r\n]*)*)+")


def parse_yaml(source: Source, report: Report) -> Node | None:
    """The one document of `source` as nodes, or None if anything in it was reported as an error.

    Goes on after an error where it can, so that one reading shows all (at most `MAX_FINDINGS`).
    """
    own = Report()
    node = parse_partly(source, own)
    report.extend(own)
    return node if own.ok else None


def parse_partly(source: Source, report: Report) -> Node | None:
    """As `parse_yaml`, but after errors what could be read: of a mapping, the entries before the
    one that ended the reading, and stand-ins for values that are wrong."""
    if (problem := in_file(source)) is not None:
        report.add(problem)
        return None
    if directive := _DIRECTIVE.match(source.text):
        report.error(
            "yaml-tag",
            "YAML directives are not supported",
            source.span(*directive.span(1)),
            help=("remove this line",),
        )
        return None
    return _Composer(source, report).document()


_Content = yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.MappingStartEvent


class _Stop(Exception):
    """Reading cannot go on; what there is to say is in the report."""


@dataclass
class _Anchor:
    """What an anchor names: its node (None while it is being read), node count and height."""

    span: Span
    node: Node | None = None
    size: int = 0
    height: int = 0


class _Composer:
    """Builds nodes from one parser's events."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.shift = len(source.text) - len(source.text.removeprefix("\ufeff"))
        self.events: Iterator[yaml.Event] = yaml.parse(source.text[self.shift :], Loader=LOADER)
        self.scanner = CommentScanner(source.text[self.shift :], 0)
        self.anchors: dict[str, _Anchor] = {}
        self.findings = 0
        self.nodes = 0
        self.deepest = 0
        self.read: dict[str, tuple[Scalar, Node]] = {}

    def document(self) -> Node | None:
        """The only document; after an error that ends the reading, what it was a mapping of."""
        try:
            return self._document()
        except _Stop:
            pass
        except yaml.MarkedYAMLError as error:
            report_syntax(self.source, self.shift, error, self.report)
        if not self.read:
            return None
        entries = tuple(self.read.values())
        return Mapping(entries[0][0].span.to(entries[-1][1].span), entries)

    def _document(self) -> Node | None:
        next(self.events)  # the stream begins
        if isinstance(next(self.events), yaml.StreamEndEvent):
            self.error("file-empty", "there is nothing but comments here", self.span(0, 0))
            return None
        root = self.node(next(self.events), 1)
        if _is_empty(root) and self.findings == 0:
            self.error("file-empty", "there is no value here", root.span)
        next(self.events)  # the document ends
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.error(
                "yaml-documents",
                "a second document begins here",
                self.span(_start(after), _end(after)),
                help=("put it into a file of its own",),
            )
        rest = self.scanner.within(len(self.scanner.text))
        return _with_after(root, "\n".join(filter(None, (root.comments.after, *rest))))

    def error(
        self,
        slug: str,
        message: str,
        span: Span,
        *,
        mark: str = "",
        labels: tuple[Label, ...] = (),
        help: tuple[str, ...] = (),
    ) -> None:
        """Report an error; too many of them end the reading."""
        self.report.error(slug, message, span, mark=mark, labels=labels, help=help)
        self.findings += 1
        if self.findings >= MAX_FINDINGS:
            raise _Stop

    def stop(self, slug: str, message: str, event: yaml.Event) -> NoReturn:
        """Report an error that ends the reading."""
        self.error(slug, message, self.span(_start(event), _start(event) + 1))
        raise _Stop

    def span(self, start: int, end: int) -> Span:
        """The span of parser offsets `start` to `end`."""
        return self.source.span(start + self.shift, end + self.shift)

    def node(self, event: yaml.Event, depth: int) -> Node:
        """The node that begins with `event`, at nesting `depth` (the root's is 1)."""
        self._measure(event, depth)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        assert isinstance(event, _Content)
        start = self._content_start(event)
        if event.anchor is None:
            return self._content(event, start, depth)
        anchor = self.anchors[event.anchor] = _Anchor(self.span(start, start + 1))
        nodes, deepest = self.nodes, self.deepest
        self.deepest = depth
        node = self._content(event, start, depth)
        anchor.node, anchor.size, anchor.height = node, self.nodes - nodes, self.deepest - depth
        self.deepest = max(deepest, self.deepest)
        return node

    def _content(self, event: _Content, start: int, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, start)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, start, depth)
        return self._mapping(event, start, depth)

    def _measure(self, event: yaml.Event, depth: int, nodes: int = 1, height: int = 0) -> None:
        """Count `nodes` more, reaching `height` levels below `depth`; stop past the limits."""
        self.nodes += nodes
        self.deepest = max(self.deepest, depth + height)
        if depth + height > MAX_DEPTH:
            self.stop("yaml-too-deep", f"nested more than {MAX_DEPTH} levels deep", event)
        if self.nodes > MAX_NODES:
            self.stop("yaml-too-large", f"more than {MAX_NODES} values in one file", event)

    def _content_start(self, event: _Content) -> int:
        """Where the node's own text begins, past its anchor; a tag is reported."""
        start = _start(event)
        properties = _PROPERTIES.match(self.scanner.text, start)
        if properties is None or (event.anchor is None and event.tag is None):
            return start
        if event.tag is not None:
            self.error(
                "yaml-tag",
                "tags are not supported",
                self.span(start, start + len(properties[0].rstrip())),
                help=("remove the tag", "put the value in quotes if the `!` belongs to it"),
            )
        return properties.end()

    def _alias(self, event: yaml.AliasEvent, depth: int) -> Node:
        name, span = event.anchor or "", self.span(_start(event), _end(event))
        before = self.scanner.above(_start(event))
        comments = Comments(before, self.scanner.beside(_end(event)))
        anchor = self.anchors.get(name)
        if anchor is None:
            self.error(
                "yaml-alias",
                f"no anchor `&{shorten(name)}` stands above",
                span,
                help=did_you_mean(name, self.anchors)
                or ("put the value in quotes if the text is meant",),
            )
            return Scalar(span, "", comments=comments)
        if anchor.node is None:
            self.error(
                "yaml-alias",
                f"`*{shorten(name)}` stands inside of what it stands for",
                span,
                labels=(Label(anchor.span, "which begins here"),),
            )
            return Scalar(span, "", comments=comments)
        self._measure(event, depth, anchor.size, anchor.height)
        return replace(anchor.node, comments=comments)

    def _scalar(self, event: yaml.ScalarEvent, start: int) -> Scalar:
        end = max(start, _end(event))
        if event.style in ("|", ">"):
            end = start + len(self.scanner.text[start:end].rstrip())
        before = self.scanner.above(start)
        comments = Comments(before, self.scanner.beside(end))
        span = self.span(start, end)
        quoted = event.style in ("'", '"', "|", ">")
        if quoted or not event.value:
            return Scalar(span, event.value, quoted, comments)
        value = interpret(event.value)
        if isinstance(value, Doubt):
            self.error(value.slug, value.message, span, help=value.help)
            value = event.value
        return Scalar(span, value, False, comments)

    def _sequence(self, event: yaml.SequenceStartEvent, start: int, depth: int) -> Sequence:
        before = self.scanner.above(start)
        items: list[Node] = []
        while not isinstance(inner := next(self.events), yaml.SequenceEndEvent):
            findings = self.findings
            item = self.node(inner, depth + 1)
            if _is_empty(item) and self.findings == findings:
                self._report_empty("this list item is empty", item.span)
            items.append(item)
        end, after = self._close(event, inner, start, items[-1] if items else None)
        return Sequence(self.span(start, end), tuple(items), Comments(before, after))

    def _mapping(self, event: yaml.MappingStartEvent, start: int, depth: int) -> Mapping:
        before = self.scanner.above(start)
        entries: dict[str, tuple[Scalar, Node]] = {}
        if depth == 1:
            self.read = entries
        last: Node | None = None
        while not isinstance(inner := next(self.events), yaml.MappingEndEvent):
            key = self._key(inner, depth)
            findings = self.findings
            last = self.node(next(self.events), depth + 1)
            if key is None:
                continue
            if _is_empty(last) and self.findings == findings:
                self._report_no_value(key)
            if first := entries.get(str(key.value)):
                self.error(
                    "yaml-duplicate-key",
                    f"the key `{shorten(str(key.value))}` is written twice",
                    key.span,
                    labels=(Label(first[0].span, "first written here"),),
                )
                continue
            entries[str(key.value)] = (key, last)
        end, after = self._close(event, inner, start, last)
        return Mapping(self.span(start, end), tuple(entries.values()), Comments(before, after))

    def _close(
        self, event: yaml.CollectionStartEvent, last: yaml.Event, start: int, inner: Node | None
    ) -> tuple[int, str]:
        """Where a collection ends, and the comments at that place."""
        if not event.flow_style:
            # The parser ends a block only where the next token begins.
            return (start if inner is None else max(start, inner.span.end - self.shift)), ""
        end = _end(last)
        rest = self.scanner.within(end - 1)
        return end, "\n".join(filter(None, (*rest, self.scanner.beside(end))))

    def _key(self, event: yaml.Event, depth: int) -> Scalar | None:
        """The key that begins with `event`, or None (reported) if it is no plain string."""
        findings = self.findings
        key = self.node(event, depth + 1)
        if isinstance(key, Scalar) and isinstance(key.value, str) and key.value:
            if key.value == "<<" and not key.quoted:
                self.error(
                    "yaml-key",
                    "merge keys are not supported",
                    key.span,
                    help=("write the keys out",),
                )
                return None
            return key
        if self.findings > findings:
            return None
        if isinstance(key, Scalar) and not isinstance(key.value, str):
            self.error(
                "yaml-key",
                f"the key `{key.span.text}` is no text",
                key.span,
                help=(f'write "{key.span.text}" in quotes',),
            )
        elif isinstance(key, Scalar):
            self.error("yaml-key", "a key is missing here", key.span)
        else:
            self.error("yaml-key", "a list or mapping cannot be a key", key.span)
        return None

    def _report_no_value(self, key: Scalar) -> None:
        text = shorten(str(key.value))
        first, space, rest = text.partition(" ")
        if space:
            message = f"a key without `: ` and a value: `{text}`"
            self.error("yaml-scalar", message, key.span, help=(f"write `{first}: {rest}`",))
        else:
            self._report_empty(f"`{text}` has no value", key.span)

    def _report_empty(self, message: str, span: Span) -> None:
        self.error(
            "yaml-scalar",
            message,
            span,
            help=('write `[]`, `{}` or `""` for an empty list, mapping or text',),
        )


def _start(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.index


def _end(event: yaml.Event) -> int:
    assert event.end_mark is not None
    return event.end_mark.index


def _is_empty(node: Node) -> bool:
    """Whether nothing is written where a value should stand."""
    return isinstance(node, Scalar) and node.value == "" and node.span.start == node.span.end


def _with_after(node: Node, after: str) -> Node:
    return replace(node, comments=Comments(node.comments.before, after))
