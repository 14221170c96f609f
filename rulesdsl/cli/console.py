"""Where output goes, and what that place can show."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from rulesdsl.diagnostics import Diagnostic
from rulesdsl.diagnostics.render import lines

if TYPE_CHECKING:
    from rich.style import Style

Styled = Sequence[str | tuple[str, str]]
"""One line in pieces: plain text, or text and what it is (a key of `STYLES`, or `player` and a
colour)."""

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
    "line": "bold",
    "area": "yellow",
    "inside": "bold magenta",
    "fill": "green",
    "attribute": "bold cyan",
}


@dataclass(frozen=True)
class Console:
    """The three streams; `terminal`: somebody watches `out`; `width`: its columns, None when there
    is no limit; `symbols`: it shows box-drawing characters; `colour`: it shows colours."""

    input: TextIO
    out: TextIO
    err: TextIO
    terminal: bool = False
    width: int | None = None
    symbols: bool = True
    colour: bool = False

    @classmethod
    def standard(cls) -> Console:
        """The standard streams as they are; what they cannot encode or decode becomes question
        marks from now on, never an exception. One that was closed is empty, or swallows all."""
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

    def say(self, *pieces: str | tuple[str, str]) -> None:
        """One line of output."""
        self.write([pieces])

    def write(self, text: Iterable[Styled]) -> None:
        """Lines of output."""
        self._write(self.out, text, self.colour)

    def clear(self) -> None:
        """A clean screen, where it is one."""
        if self.terminal and os.environ.get("TERM") != "dumb":
            self.out.write("\x1b[H\x1b[2J")
            self.out.flush()

    def ask(self, question: str) -> None:
        """A question, to be answered on the same line."""
        self.out.write(question)
        self.out.flush()

    def tell(self, *pieces: str | tuple[str, str]) -> None:
        """One line that is not output: to standard error."""
        self._write(self.err, [pieces], self.colour and self.err.isatty())

    def show(self, diagnostics: Iterable[Diagnostic], *, output: bool = False) -> None:
        """Findings: to standard error, or as output."""
        stream = self.out if output else self.err
        for diagnostic in diagnostics:
            block = [[(text, role) for role, text in line] for line in lines(diagnostic)]
            self._write(stream, [*block, []], self.colour and stream.isatty())

    def _write(self, stream: TextIO, text: Iterable[Styled], colour: bool) -> None:
        shown = (_coloured(line) if colour else _plain(line).rstrip() for line in text)
        stream.write("".join(f"{line}\n" for line in shown))
        stream.flush()


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


def _plain(line: Styled) -> str:
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in line)


def _coloured(line: Styled) -> str:
    return "".join(
        piece if isinstance(piece, str) else _style(piece[1]).render(piece[0]) for piece in line
    )


def _style(name: str) -> Style:
    """How a thing looks; a player in the colour of that name, if terminals have it."""
    # Output that nobody watches has no colours, and starts sooner without what makes them.
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
