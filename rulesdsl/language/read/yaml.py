"""YAML text to nodes with positions and comments, by the scalars of docs/reference/language.md.

PyYAML's events are used, never its constructors: the meaning of scalars is decided in `scalars`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NoReturn

import yaml
from yaml import MarkedYAMLError

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Label, Report, Source, Span
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.language.model.nodes import Comments, Mapping, Node, Scalar, Sequence
from rulesdsl.language.model.types import INT_MAX, INT_MIN
from rulesdsl.language.read.files import in_file

_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")


@dataclass(frozen=True)
class Doubt:
    """The reason to refuse a plain scalar: a slug, one sentence, and the replacements."""

    slug: str
    message: str
    help: tuple[str, ...]


# Plain words which some YAML readers take for another kind of value than text. The first row
# that matches all of the word counts.
_DOUBTFUL: tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), meaning, advice)
    for pattern, meaning, advice in (
        (r"~|null|Null|NULL", "a missing value", ("leave the key out if there is nothing to say",)),
        (r"yes|Yes|YES|on|On|ON|True|TRUE", "a boolean", ("write `true` if it holds",)),
        (r"no|No|NO|off|Off|OFF|False|FALSE", "a boolean", ("write `false` if it does not",)),
        (
            r"[-+]?0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)",
            "a number that is not decimal",
            ("write the number in decimal digits",),
        ),
        (
            r"[-+]?0[0-9_]+",
            "an octal number to some YAML readers",
            ("write the number without leading zeros",),
        ),
        (r"[-+]?[0-9][0-9_]*", "a number", ("write the number in digits alone",)),
        (
            r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+",
            "a number in base 60 to some YAML readers",
            (),
        ),
        (
            r"[0-9]{1,4}\.[0-9]{1,4}",
            "a number with a fraction",
            ("numbers are whole here: count in smaller units", "a version is three numbers: 1.2.3"),
        ),
        (
            r"[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
            "a number with a fraction",
            ("numbers are whole here: count in smaller units",),
        ),
    )
)
_DOUBTFUL_START = frozenset("~+-.0123456789nNyYoOtTfF")


def interpret(text: str) -> str | int | bool | Doubt:
    """Return the value of a non-empty plain scalar, or the reason to refuse it."""
    if text[0] not in _DOUBTFUL_START:
        return text
    if text in ("true", "false"):
        return text == "true"
    if _INT.fullmatch(text):
        # Ten digits and a sign: longer ones are out of range anyway.
        if len(text) <= 11 and INT_MIN <= int(text) <= INT_MAX:
            return int(text)
        return Doubt(
            "range",
            f"the number {shorten(text)} does not fit in 32 bits",
            (f"numbers lie between {INT_MIN} and {INT_MAX}",),
        )
    for pattern, meaning, advice in _DOUBTFUL:
        if pattern.fullmatch(text):
            quote = f'write "{text}" in quotes if you mean the text'
            return Doubt("yaml-scalar", f"`{shorten(text)}` looks like {meaning}", (*advice, quote))
    return text


def shorten(text: str) -> str:
    """Cut a text to 40 characters, for messages."""
    return text if len(text) <= 40 else text[:39] + "…"


_BREAK = re.compile(r"\r\n|[\n\r]")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")
_NO_COMMENT = re.compile(r"[^#\n\r]*+(?:\n[^#\n\r]*+)?\Z")
_AT_LINE_END = re.compile(r"(?:[ \t]++|[ \t]*+[:,][ \t]++)(#[^\n\r]*)")


@dataclass
class CommentScanner:
    """A reader of comments beside the parser; `cursor` is the end of the last node or comment."""

    text: str
    cursor: int

    def above(self, start: int) -> tuple[str, ...]:
        """Return the comment and blank lines between the last node and the one at `start`.

        Each comment is returned once: of nodes that begin at one place the first gets it.
        """
        if self.cursor and _NO_COMMENT.match(self.text, self.cursor, start):
            self.cursor = max(self.cursor, start)
            return ()
        # The last line is the node's own.
        return tuple(self._lines(start)[:-1])

    def beside(self, end: int) -> str:
        """Return the comment on the line of the node that ends at `end`; empty if there is none."""
        match = _AT_LINE_END.match(self.text, end)
        self.cursor = max(self.cursor, match.end() if match else end)
        return match[1].rstrip() if match else ""

    def within(self, end: int) -> tuple[str, ...]:
        """Return the remaining comments before `end`, where a collection closes."""
        return tuple(filter(None, self._lines(end)))

    def _lines(self, end: int) -> list[str]:
        """Return the lines since the last node, each as its comment, or empty.

        Lines with other text are left out, as is the rest of the last node's own line if it is
        blank.
        """
        gap, fresh = self.text[self.cursor : end], self.cursor == 0
        self.cursor = max(self.cursor, end)
        lines = _BREAK.split(gap)
        found = []
        for number, line in enumerate(lines):
            if comment := _COMMENT.search(line):
                found.append(comment[0].rstrip())
            elif number == len(lines) - 1 or (not line.strip() and (number > 0 or fresh)):
                found.append("")
        return found


@dataclass(frozen=True)
class _Failure:
    """A syntax error at `at`, in a construct that begins at `opened` (or None)."""

    source: Source
    at: int
    opened: int | None

    @property
    def char(self) -> str:
        """The character at which parsing stopped; empty at the end of the text."""
        return self.source.text[self.at : self.at + 1]

    @property
    def before(self) -> str:
        """The part of the line to the left of the position."""
        return self.source.text[self.source.text.rfind("\n", 0, self.at) + 1 : self.at]


MAX_DEPTH = 40
_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


@dataclass(frozen=True)
class _Cause:
    """An explanation of an error, marked `back` characters before the stopping position.

    `whole` marks the opening instead.
    """

    message: str
    help: tuple[str, ...] = ()
    slug: str = "yaml-syntax"
    opened: str = ""
    whole: bool = False
    back: int = 0


_LINE_UP = "give lines of one block the same indentation"


def _bad_start(failure: _Failure) -> _Cause:
    if failure.char == "\t":
        return _Cause("lines cannot be indented with tabs", ("indent with spaces",))
    return _Cause(
        "a value cannot begin like this", ("put the value in quotes if you mean the text",)
    )


def _second_colon(failure: _Failure) -> _Cause:
    if item := re.match(r"\s*(-[^\s-].*)", failure.before):
        says = "an item of a list without a space after its `-`"
        return _Cause(says, ("write a space after `-`",), back=len(item[1]))
    if re.search(r"\S\s*:\s", failure.before):
        return _Cause(
            "a second `:` on one line",
            ("put the value in quotes if the colon belongs to it", "or begin a new line"),
        )
    above = failure.source.line(failure.source.position(failure.at)[0] - 1)
    if re.fullmatch(r"\s*[\w.-]+:\S.*", above):
        return _Cause(
            "the line above is not a key with a value", ("write a space after its colon",)
        )
    return _Cause("this key is not in line with a mapping above it", (_LINE_UP,))


def _left_over(failure: _Failure) -> _Cause:
    if failure.before.strip():
        return _Cause(
            "text after the end of a value", ("put the whole value in quotes, or begin a new line",)
        )
    if failure.char == ":":
        return _Cause("there is no key before this `:`")
    return _Cause(
        "this line is not in line with the keys above it",
        (_LINE_UP,),
        opened="the mapping begins here",
    )


def _not_closed(bracket: str, what: str) -> Callable[[_Failure], _Cause]:
    def explain(failure: _Failure) -> _Cause:
        # The construct begins on an earlier line.
        if failure.opened is None or "\n" in failure.source.text[failure.opened : failure.at]:
            return _Cause(
                f"a {what} that is not closed", (f"write `{bracket}` at its end",), whole=True
            )
        return _Cause(
            f"a `,` or `{bracket}` is missing here",
            (
                f"close the {what}, or separate its entries with commas",
                "a text that contains brackets, braces or commas needs quotes",
            ),
            opened=f"the {what} is opened here",
        )

    return explain


def _constantly(cause: _Cause) -> Callable[[_Failure], _Cause]:
    return lambda _: cause


# Matched against "context: problem" as either of PyYAML's two parsers words it; first row wins.
_CAUSES: tuple[tuple[re.Pattern[str], Callable[[_Failure], _Cause]], ...] = tuple(
    (re.compile(pattern), cause if callable(cause) else _constantly(cause))
    for pattern, cause in (
        (r"cannot start any token", _bad_start),
        (r"mapping values are not allowed", _second_colon),
        (
            r"quoted scalar: found unexpected (end of stream|document)",
            _Cause("a quote that is never closed", whole=True),
        ),
        (
            r"unknown escape|hexdecimal|hexadecimal|escape sequence",
            _Cause(
                "an unknown escape in double quotes",
                ("write `\\\\` for a backslash, or use single quotes",),
            ),
        ),
        (r"flow sequence: [^:]*(',' or '\]')", _not_closed("]", "list")),
        (r"flow mapping: [^:]*(',' or '\}')", _not_closed("}", "mapping")),
        (
            r"block (collection|sequence): ",
            _Cause(
                "this line is not an item of the list above it",
                ("begin items with `- ` in line with the first one", _LINE_UP),
                opened="the list begins here",
            ),
        ),
        (r"block mapping: ", _left_over),
        (
            r"find expected ':'",
            _Cause("a line without `: `", ("write `key: value`, with a space after the colon",)),
        ),
        (r"expected (the )?node content", _Cause("a value is missing here")),
        (
            r"tag|directive|incompatible YAML",
            _Cause("tags and directives are not supported", ("remove it",), slug="yaml-tag"),
        ),
        (
            r"scanning an (anchor|alias)",
            _Cause(
                "`&` and `*` must be followed by a name",
                ("put the value in quotes if you mean the text",),
                slug="yaml-alias",
            ),
        ),
        (
            r"block scalar",
            _Cause(
                "this does not fit a block of text opened with `|` or `>`",
                ("write `|` or `>` alone on the line and indent the text below it with spaces",),
            ),
        ),
        (
            r"sequence entries are not allowed",
            _Cause("a list cannot begin here", ("begin it on the next line, or write `[a, b]`",)),
        ),
        (
            # libyaml has a limit of its own, far beyond ours, that it meets before it gives events.
            r"maximum nesting depth",
            _Cause(_TOO_DEEP, slug="yaml-too-deep"),
        ),
        (
            r"<document start>",
            _Cause("this line belongs to nothing above it", (_LINE_UP,)),
        ),
    )
)
_UNKNOWN = _constantly(_Cause("YAML cannot be read here"))


def report_syntax(source: Source, shift: int, error: MarkedYAMLError, report: Report) -> None:
    """Report the cause of `error` at its position; parser positions count from `shift`."""
    marks = (error.problem_mark, error.context_mark)
    at, opened = (
        None if mark is None else min(mark.index + shift, len(source.text)) for mark in marks
    )
    failure = _Failure(source, len(source.text) if at is None else at, opened)
    last = source.text.rfind("\n", 0, len(source.text[: failure.at].rstrip())) + 1
    if any(_report_comment(source, each, "yaml-syntax", report) for each in (opened or last, last)):
        return
    said = f"{error.context or ''}: {error.problem or ''}"
    found = next((cause for pattern, cause in _CAUSES if pattern.search(said)), _UNKNOWN)(failure)
    start = failure.at - found.back
    if (found.whole or "find expected ':'" in said) and opened is not None:
        start = opened
    word = re.compile(r"[^\s,\]}]+").match(source.text, start)
    end = min(word.end() if word else start + 1, max(len(source.text), start))
    labels: tuple[Label, ...] = ()
    if found.opened and opened is not None and opened != start:
        labels = (Label(source.span(opened, opened + 1), found.opened),)
    report.error(
        found.slug,
        found.message,
        source.span(start, end),
        labels=labels,
        help=found.help,
    )


_COMMENTED = re.compile(r"[^\n#]*:[ \t]+(#\w[^\s,}\]]*)")
"""A value that its `#` makes a comment, and what is before it in its line."""


def _report_comment(source: Source, at: int, slug: str, report: Report) -> bool:
    """Report a value, such as a colour, that its `#` makes a comment; return whether there is one.

    It is in the line at an offset.
    """
    found = _COMMENTED.match(source.text, at)
    if found is None:
        return False
    help = f"write it in quotes: `'{found[1]}'`"
    report.error(slug, "a `#` begins a comment", source.span(*found.span(1)), help=(help,))
    return True


MAX_NODES = 200_000
MAX_FINDINGS = 100

LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser is about eight times as fast, but not every build of PyYAML has it."""

_DIRECTIVE = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*+(%[^\r\n]*)")
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s|#[^\r\n]*)*)+")


def parse_yaml(source: Source, report: Report) -> Node | None:
    """Return the one document of `source` as nodes, or None if an error was reported.

    Parsing goes on after an error if possible, so that one pass reports all (at most
    `MAX_FINDINGS`).
    """
    own = Report()
    node = parse_partly(source, own)
    report.extend(own)
    return node if own.ok else None


def parse_partly(source: Source, report: Report) -> Node | None:
    """Return the readable part of a document, with errors reported as by `parse_yaml`.

    Of a mapping, these are the entries before the one that ended the parsing, with stand-ins for
    broken values.
    """
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
    """Signal that parsing cannot go on; the errors are in the report."""


@dataclass
class _Anchor:
    """The target of an anchor: its node (None while it is read), node count and height."""

    span: Span
    node: Node | None = None
    size: int = 0
    height: int = 0


class _Composer:
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
        """Return the only document.

        After an error that ends the parsing, the entries of the mapping read so far.
        """
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
            self.error("file-empty", "this file has no content", self.span(0, 0))
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
        comments = "\n".join(filter(None, (root.comments.after, *rest)))
        return replace(root, comments=Comments(root.comments.before, comments))

    def error(
        self,
        slug: str,
        message: str,
        span: Span,
        labels: tuple[Label, ...] = (),
        help: tuple[str, ...] = (),
    ) -> None:
        """Report an error; too many of them end the parsing."""
        self.report.error(slug, message, span, labels=labels, help=help)
        self.findings += 1
        if self.findings >= MAX_FINDINGS:
            raise _Stop

    def stop(self, slug: str, message: str, event: yaml.Event) -> NoReturn:
        """Report an error that ends the parsing."""
        self.error(slug, message, self.span(_start(event), _start(event) + 1))
        raise _Stop

    def span(self, start: int, end: int) -> Span:
        return self.source.span(start + self.shift, end + self.shift)

    def node(self, event: yaml.Event, depth: int) -> Node:
        """Return the node that begins with `event`, at nesting `depth` (the root's is 1)."""
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
            self.stop("yaml-too-deep", _TOO_DEEP, event)
        if self.nodes > MAX_NODES:
            self.stop("yaml-too-large", f"more than {MAX_NODES} values in one file", event)

    def _content_start(self, event: _Content) -> int:
        """Return the start of the node's own text, past its anchor, and report a tag."""
        start = _start(event)
        bare = event.anchor is None and event.tag is None
        properties = None if bare else _PROPERTIES.match(self.scanner.text, start)
        if properties is None:
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
                f"there is no anchor `&{shorten(name)}` above",
                span,
                help=did_you_mean(name, self.anchors)
                or ("put the value in quotes if you mean the text",),
            )
            return Scalar(span, "", comments=comments)
        if anchor.node is None:
            self.error(
                "yaml-alias",
                f"`*{shorten(name)}` is inside the value that it repeats",
                span,
                labels=(Label(anchor.span, "the value begins here"),),
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
        """Return the end of a collection and the comments there."""
        if not event.flow_style:
            # The parser ends a block only where the next token begins.
            return (start if inner is None else max(start, inner.span.end - self.shift)), ""
        end = _end(last)
        rest = self.scanner.within(end - 1)
        return end, "\n".join(filter(None, (*rest, self.scanner.beside(end))))

    def _key(self, event: yaml.Event, depth: int) -> Scalar | None:
        """Return the key that begins with `event`, or None (reported) if it is no plain string."""
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
            help = f'write "{key.span.text}" in quotes'
            before = self.source.text[max(0, key.span.start - 60) : key.span.start].rstrip()
            name, _, first = before.removesuffix(",").rpartition(":")
            if before.endswith(",") and first.strip().removeprefix("-").isdecimal():
                name = re.split(r"[\s{,]", name)[-1]
                pair = f"[{first.strip()}, {key.span.text}]"
                help = f"a list is written in brackets: `{name}: {pair}`"
            message = f"the key `{key.span.text}` is not a text"
            self.error("yaml-key", message, key.span, help=(help,))
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
        elif not _report_comment(key.span.source, key.span.start, "yaml-scalar", self.report):
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
    return isinstance(node, Scalar) and node.value == "" and node.span.start == node.span.end
