"""The streams of the command line, its exit codes, and the errors of commands themselves.

All output passes through here, with terminal control sequences escaped.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rulesdsl.base.deadline import OutOfTime
from rulesdsl.base.processes import WorkerLost
from rulesdsl.base.records import dataclass
from rulesdsl.base.writing import write_file
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Severity
from rulesdsl.language.diagnostics.render import columns, lines, shown
from rulesdsl.language.diagnostics.report import command_signs, escaped, inert, listed

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from rich.progress import Progress
    from rich.style import Style


_TOKEN = re.compile(r"`[^`]*`\S*|\S+|\s+")
"""A word, a quoted move or a gap; lines break at gaps."""

_WIDEST = 100
"""The most columns of prose."""
CLEAN = 0
PROBLEMS = 1
FAILED = 2
"""Exit codes: no problems; problems were found in the input; the command could not run."""


def bad_argument(message: str, *help: str) -> RulesError:
    """Return the error for an argument that the command cannot use."""
    return RulesError([Diagnostic("bad-argument", message, help=help)])


PAGE = "", ".html", ".htm"
"""The endings of the names of pages, which need none."""


def check_ending(
    to: str | None, what: str, endings: Sequence[str], console: Console | None = None
) -> None:
    """Raise RulesError if the name of a file has none of these endings.

    With a console there must be a file if that is a terminal, which nobody wants flooded.
    """
    if to is None and console is not None and console.terminal:
        raise bad_argument(f"{what} is for a file, not for a terminal", f"--to FILE{endings[1]}")
    if to is not None and Path(to).suffix.lower() not in endings:
        shown = listed([ending for ending in endings if ending])
        raise bad_argument(f"`{to}` is not a name for {what}", f"it must end in {shown}")


@contextmanager
def refusing(*help: str) -> Iterator[None]:
    """Raise RulesError for a ValueError, which says what is wrong with an argument."""
    try:
        yield
    except ValueError as error:
        raise bad_argument(str(error), *help) from None


@contextmanager
def output_to(name: str, *help: str) -> Iterator[None]:
    """Raise RulesError for an error of output."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise output_failed(name, error, *help) from None


def output_failed(name: str, error: OSError | ValueError, *help: str) -> RulesError:
    """Return the error for output that failed; a ValueError is a name that no file can have."""
    reason = getattr(error, "strerror", None) or str(error)
    said = f"{name} cannot be written: {reason[:1].lower()}{reason[1:]}"
    return RulesError([Diagnostic("output-failed", said, help=help)])


def package_missing(what: str, package: str, extra: str) -> RulesError:
    """Return the error for a package that is not installed and belongs to an extra."""
    message = f"{what} needs the package `{package}`, which is not installed"
    help = (f"to install it: pip install 'rulesdsl[{extra}]'",)
    return RulesError([Diagnostic("package-missing", message, help=help)])


def games_stopped(message: str, *help: str) -> RulesError:
    """Return the error for a failure of those that play games."""
    return RulesError([Diagnostic("games-stopped", message, help=help)])


def worker_lost(error: WorkerLost, *help: str) -> RulesError:
    """Return the error for a worker process that ended before its work was done."""
    again = help or ("if memory has run out, close other programs; then run the command again",)
    return games_stopped(str(error), *again)


def out_of_time(error: OutOfTime, *help: str) -> RulesError:
    """Return the error for rules that ran for longer than `--timeout` allows."""
    longer = f"to give them more time: --timeout {2 * error.seconds:g}"
    return RulesError([Diagnostic("out-of-time", str(error), help=(*help, longer))])


def exit_code(diagnostics: Iterable[Diagnostic]) -> int:
    """Return the exit code for diagnostics.

    It is `FAILED` if an error has no place in a file, since it is then about the command. Notes are
    not problems.
    """
    found = list(diagnostics)
    if any(each.span is None and each.severity is Severity.ERROR for each in found):
        return FAILED
    return PROBLEMS if any(each.severity is not Severity.NOTE for each in found) else CLEAN


Styled = Sequence[str | tuple[str, str]]
"""A line in pieces: plain text, or text with its role.

A role is a key of `STYLES`, or `player` and a colour.
"""

STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "text": "",
    "frame": "blue",
    "mark": "bold red",
    "label": "cyan",
    "help": "green",
    "title": "bold",
    "faint": "dim",
    "gain": "green",
    "choice": "bold reverse",
    "chosen": "bold black on bright_yellow",
    "bar": "bold white on blue",
    "line": "bold",
    "area": "yellow",
    "inside": "bold magenta",
    "fill": "green",
    "attribute": "bold cyan",
}


@dataclass(frozen=True)
class Console:
    """The three streams of the command line.

    `terminal` is True if `out` is a terminal, `width` the number of its columns, None if there is
    no limit. `symbols` is True if it shows box-drawing characters, `colour` if it shows colours.
    """

    input: TextIO
    out: TextIO
    err: TextIO
    terminal: bool = False
    width: int | None = None
    symbols: bool = True
    colour: bool = False

    @classmethod
    def standard(cls) -> Console:
        """Return the standard streams.

        Characters that they cannot encode or decode become question marks from now on and raise no
        exception. If they were closed, input is empty, output fails, and messages are dropped.
        """
        if sys.stdout is None:
            sys.stdout = TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
        input, out, err = map(_usable, (sys.stdin, sys.stdout, sys.stderr))
        dumb = os.environ.get("TERM") == "dumb"
        terminal = out.isatty()
        return cls(
            input,
            out,
            err,
            terminal=terminal,
            width=shutil.get_terminal_size((0, 0)).columns or None,
            symbols=not dumb and _encodes(out, "│▒▣"),
            colour=terminal and not dumb and not os.environ.get("NO_COLOR"),
        )

    @property
    def asks(self) -> bool:
        """Whether a person can be asked: input and output are a terminal."""
        return self.terminal and self.input.isatty()

    def say(self, *pieces: str | tuple[str, str]) -> None:
        """Write one line of output."""
        self.write([pieces])

    def prose(self, *pieces: str | tuple[str, str], indent: int = 0) -> None:
        """Write a sentence, wrapped if the terminal has a width."""
        self.write(wrapped(pieces, self.width, indent))

    def write(self, text: Iterable[Styled]) -> None:
        """Write lines of output."""
        self._write(self.out, text, self.colour)

    def clear(self) -> bool:
        """Clear the screen, if output goes to one; return whether it did."""
        clears = self.terminal and os.environ.get("TERM") != "dumb"
        if clears:
            self.out.write("\x1b[H\x1b[2J")
            self.out.flush()
        return clears

    def clear_all(self) -> None:
        """Clear the screen and the lines that were scrolled off it."""
        if self.clear():
            self.out.write("\x1b[3J")
            self.out.flush()

    def ask(self, question: str) -> None:
        """Write a question, to be answered on the same line."""
        self.out.write(inert(shown(question)))
        self.out.flush()

    def document(self, text: str | bytes) -> None:
        """Write a whole document as it is.

        Its maker has escaped foreign texts by the rules of its format.
        """
        if isinstance(text, bytes):
            self.out.flush()
            self.out.buffer.write(text)
        else:
            self.out.write(text)
        self.out.flush()

    def markdown(self, text: str) -> None:
        """Write a text in Markdown, in lines of at most `_WIDEST` columns."""
        width = min(self.width or _WIDEST, _WIDEST)
        if not self.colour:
            for line in text.splitlines():
                self.write(wrapped([line], width if len(line) > _WIDEST else None))
            return
        # Imported here, as output without colours starts faster without it.
        from rich.console import Console as Terminal
        from rich.markdown import Markdown
        from rich.theme import Theme

        theme = Theme({"markdown.code": STYLES["label"]})
        terminal = Terminal(file=self.out, width=width, force_terminal=True, theme=theme)
        safe = "\n".join(_plain(_harmless([line])) for line in text.splitlines())
        terminal.print(Markdown(safe, code_theme="ansi_dark"))

    def note(self, text: str) -> None:
        """Write a note to standard error."""
        self.tell(("note", "note"), f": {text}")

    def tell(self, *pieces: str | tuple[str, str]) -> None:
        """Write one line that is not output, to standard error."""
        self._write(self.err, [pieces], self.colour and self.err.isatty())

    def show(self, diagnostics: Iterable[Diagnostic], *, output: bool = False) -> None:
        """Write diagnostics to standard error, or as output."""
        stream = self.out if output else self.err
        for diagnostic in diagnostics:
            self._write(stream, rendered(diagnostic), self.colour and stream.isatty())

    def _write(self, stream: TextIO, text: Iterable[Styled], colour: bool) -> None:
        """Write lines, escaped so that they cannot control a terminal, and coloured if wanted."""
        safe = map(_harmless, text)
        written = (_coloured(line) if colour else _plain(line).rstrip() for line in safe)
        stream.write("".join(f"{line}\n" for line in written))
        stream.flush()


def wrapped(line: Styled, width: int | None, indent: int = 0) -> list[Styled]:
    """Return a line as lines of at most `width` columns (None: no limit), the rest indented.

    It breaks between words, so a word that is longer exceeds the width.
    """
    if width is None:
        return [line]
    rows: list[list[str | tuple[str, str]]] = [[]]
    column, gap = 0, ""
    for piece in line:
        for token in _TOKEN.findall(piece if isinstance(piece, str) else piece[0]):
            if token.isspace():
                gap += token
                continue
            if gap and rows[-1] and column + columns(gap + token) > width:
                rows.append([])
                column, gap = 0, " " * indent
            rows[-1].append(gap)
            rows[-1].append(token if isinstance(piece, str) else (token, piece[1]))
            column, gap = column + columns(gap + token), ""
    return list(rows)


def rendered(diagnostic: Diagnostic) -> list[Styled]:
    """Return the lines of a diagnostic, with an empty one at the end."""
    return [*([(text, role) for role, text in line] for line in lines(diagnostic)), []]


class _Closed(RawIOBase):
    """Standard output that was closed: writing fails.

    The next `flush` fails as well, once, for writers that ignore errors.
    """

    _lost = False

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        self._lost = True
        raise _closed()

    def flush(self) -> None:
        lost, self._lost = self._lost, False
        if lost:
            raise _closed()


def _closed() -> OSError:
    return OSError(errno.EBADF, "standard output is closed")


def _usable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return TextIOWrapper(BytesIO())
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")
    return stream


def _encodes(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def plain_text(text: Iterable[Styled]) -> str:
    """Return lines without colours, as a console writes them."""
    return "".join(f"{_plain(_harmless(line)).rstrip()}\n" for line in text)


def _harmless(line: Styled) -> Styled:
    """Escape control sequences; the signs of a command may be spread over several pieces."""
    pieces = [_mapped(piece, shown) for piece in line]
    signs = command_signs(_plain(pieces))
    before = 0
    for at, piece in enumerate(pieces if signs else ()):
        end = before + len(_plain([piece]))
        here = [sign - before for sign in signs if before <= sign < end]
        pieces[at], before = _mapped(piece, partial(escaped, offsets=here)), end
    return pieces


def _mapped(piece: str | tuple[str, str], change: Callable[[str], str]) -> str | tuple[str, str]:
    return change(piece) if isinstance(piece, str) else (change(piece[0]), piece[1])


def _plain(line: Styled) -> str:
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in line)


def _coloured(line: Styled) -> str:
    return "".join(
        piece if isinstance(piece, str) else _style(piece[1]).render(piece[0]) for piece in line
    )


def _style(name: str) -> Style:
    """Return the style of a name; a player has the colour of that name, if terminals have it."""
    # Imported here, as output without colours starts faster without it.
    from rich.color import Color, ColorParseError
    from rich.style import Style

    kind, _, colour = name.partition(" ")
    if kind != "player":
        return Style.parse(STYLES[name])
    try:
        triplet = Color.parse(colour).get_truecolor()
    except ColorParseError:
        return Style(reverse=True, bold=True)
    bright = 299 * triplet.red + 587 * triplet.green + 114 * triplet.blue > 100_000
    return Style(color="black" if bright else "bright_white", bgcolor=colour, bold=True)


def write_output(name: str, data: bytes) -> None:
    """Write a file that the user named, completely or not at all; raises RulesError."""
    with output_to(f"`{name}`"):
        write_file(name, data)


def save_output(name: str, data: bytes, console: Console) -> None:
    """Write a file that the user named and say so; raises RulesError."""
    write_output(name, data)
    console.tell(f"written to {name}")


def deliver(text: str, name: str | None, console: Console) -> None:
    """Write a document to the file that the user named, or to standard output."""
    if name is None:
        console.document(text)
    else:
        save_output(name, text.encode(), console)


class Shown:
    """Shows progress; call it with the amount of work that is done."""

    def __init__(self, progress: Progress | None, total: int, what: str) -> None:
        self._progress, self._total = progress, total
        self._task = progress.add_task(what, total=None) if progress else None

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how much is done; `total` is the whole amount if it was not known before."""
        self._total = total or self._total
        if self._progress is None or self._task is None:
            return
        if self._progress.tasks[0].total is None:
            # Earlier work counts neither for the rate nor for the time left.
            self._progress.reset(self._task, total=self._total, completed=done)
        self._progress.update(self._task, completed=done)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar away while something else is written."""
        if self._progress is None:
            yield
            return
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()


@contextmanager
def progress_bar(console: Console, total: int, what: str = "games") -> Iterator[Shown]:
    """Show a bar with rate, time passed and time left on standard error, if that is a terminal.

    A spinner and the time passed move even if a single game or file takes long.
    """
    if not console.err.isatty():
        yield Shown(None, total, what)
        return
    from datetime import timedelta

    from rich.console import Console as Terminal
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TimeElapsedColumn,
    )
    from rich.text import Text

    def speed(task: Task) -> float:
        """Return the rate per second since the start: units may come many at a time."""
        return task.completed / task.elapsed if task.elapsed else 0.0

    class Rate(ProgressColumn):
        """A column with the rate per second."""

        def render(self, task: Task) -> Text:
            rate = speed(task)
            return Text(f"{rate:,.{0 if rate >= 10 else 2}f}/s" if rate else "")

    class Left(ProgressColumn):
        """A column with the time left."""

        def render(self, task: Task) -> Text:
            rate = speed(task)
            left = timedelta(seconds=int((task.remaining or 0) / rate)) if rate else "-:--:--"
            return Text(str(left))

    columns = (
        *(SpinnerColumn(), what, BarColumn(), MofNCompleteColumn()),
        *(Rate(), TimeElapsedColumn(), Left()),
    )
    terminal = Terminal(file=console.err)
    with Progress(*columns, console=terminal, transient=True) as progress:
        yield Shown(progress, total, what)


PATIENCE = 0.5
"""The seconds after which work is announced."""


@contextmanager
def waiting(console: Console, text: str) -> Iterator[None]:
    """Show a text with a spinner on a terminal while something takes longer than `PATIENCE`."""
    if not console.terminal or not console.symbols:
        yield
        return
    from threading import Timer

    from rich.console import Console as Terminal
    from rich.markup import escape

    status = Terminal(file=console.out).status(escape(shown(text)))
    timer = Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
