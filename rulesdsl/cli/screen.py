"""The full screen on which people play in a terminal.

The terminal belongs to a thread of its own, so that it answers while a bot thinks. All decisions
are made in the thread of the game: the other one hands it the keys and draws the sheet it is given.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from queue import Queue
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rulesdsl.cli import sheet as sheets
from rulesdsl.cli.board import HEIGHT, WIDTH, Painter, Preview
from rulesdsl.cli.console import Console, Styled, shielded, terminal_style
from rulesdsl.cli.hints import hints
from rulesdsl.cli.narration import Start, TextNarrator, in_lines, standing
from rulesdsl.cli.prompt import numbered_segments, piece_pictures, view
from rulesdsl.cli.question import Command, PromptMistake, PromptQuestion, example, spot_of
from rulesdsl.cli.words import Words
from rulesdsl.diagnostics.visible import inert, visible
from rulesdsl.play import Move, Place, State
from rulesdsl.play.things import has_secrets
from rulesdsl.play.watch import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prompt_toolkit.application import Application
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent
    from prompt_toolkit.output import Output

_SCROLLS: dict[str, sheets.Cell] = {
    "left": (-1, 0),
    "right": (1, 0),
    "up": (0, -1),
    "down": (0, 1),
}
_KEYS = {
    "enter": ("enter", "c-j"),
    "up": ("up",),
    "down": ("down",),
    "pageup": ("pageup",),
    "pagedown": ("pagedown",),
    "erase": ("backspace", "c-h"),
    "escape": ("escape",),
    "centre": ("home",),
    "next": ("tab",),
    "end": ("c-d",),
    "scroll left": ("left", "s-left", "c-left"),
    "scroll right": ("right", "s-right", "c-right"),
    "scroll up": ("s-up", "c-up"),
    "scroll down": ("s-down", "c-down"),
}
"""The names of keys for the game, and their names in prompt_toolkit."""
_LONGEST = 200


class Screen:
    """Shows a game on a full screen, and asks people for their moves: a narrator and an asker.

    Use it as a context: the terminal is as it was afterwards, and then the result is written.
    """

    def __init__(
        self,
        console: Console,
        words: Words,
        painter: Painter,
        humans: Sequence[str],
        terminal: tuple[Input, Output] | None = None,
        exact: bool = False,
    ) -> None:
        self.console, self.words, self.painter, self.humans = console, words, painter, humans
        quiet = Console(console.input, StringIO(), console.err)
        self._teller = TextNarrator(quiet, words, painter, False, False, humans)
        self._sheet = sheets.Sheet(words.label(words.game.checked.game.roles.ruleset))
        self._keys: Queue[str] = Queue()
        self._size = 80, 24
        self._since = 0.0
        self._exact = exact
        self._looking: str | None = None
        self._result: list[Styled] = []
        self._log: list[list[Styled]] = []
        self._marks: list[int] = []  # the length of the log before each move of a person
        self._terminal = terminal
        self._started = Event()
        self._thread = Thread(target=self._run, name="screen", daemon=True)

    # --- the terminal ----------------------------------------------------------------------------

    def __enter__(self) -> Screen:
        self._app = self._application()
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loop = self._app.loop
        if loop is not None and self._app.is_running:
            loop.call_soon_threadsafe(self._leave)
        self._thread.join(5)
        self.console.write(self._result)

    def _leave(self) -> None:
        if self._app.is_running:
            self._app.exit()

    def _run(self) -> None:
        try:
            self._app.run(pre_run=self._started.set, handle_sigint=False)
        finally:
            self._started.set()
            self._keys.put("end")

    def _application(self) -> Application[None]:
        from prompt_toolkit.application import Application
        from prompt_toolkit.input import create_input
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.layout import Layout, Window
        from prompt_toolkit.layout.controls import UIContent, UIControl
        from prompt_toolkit.output import ColorDepth, create_output

        screen = self

        class Control(UIControl):
            """Draws the sheet."""

            def create_content(self, width: int, height: int) -> UIContent:
                lines = screen._drawn(width, height)
                return UIContent(lambda row: lines[row], line_count=len(lines), show_cursor=False)

        bindings = KeyBindings()
        for name, keys in _KEYS.items():
            for key in keys:
                bindings.add(key, eager=key == "escape")(self._forward(name))
        bindings.add("c-c")(lambda _event: os.kill(os.getpid(), signal.SIGINT))
        bindings.add("<any>")(lambda event: self._typed(event.data))
        bindings.add("<bracketed-paste>")(lambda event: self._typed(event.data))
        input, output = self._terminal or (
            create_input(self.console.input),
            create_output(self.console.out),
        )
        return Application(
            Layout(Window(Control(), always_hide_cursor=True)),
            key_bindings=bindings,
            full_screen=True,
            refresh_interval=0.2,
            color_depth=None if self.console.colour else ColorDepth.DEPTH_1_BIT,
            input=input,
            output=output,
        )

    def _forward(self, name: str) -> Callable[[KeyPressEvent], None]:
        return lambda _event: self._keys.put(name)

    def _typed(self, text: str) -> None:
        for char in text:
            self._keys.put("enter" if char in "\r\n" else f"type {char}")

    def _drawn(self, width: int, height: int) -> list[Any]:
        """Return the lines of the sheet for prompt_toolkit."""
        self._size = width, height
        elapsed = time.monotonic() - self._since
        lines = sheets.compose(self._sheet, width, height, elapsed)
        return [
            [(terminal_style(role), text) for text, role in map(_piece, shielded(line))]
            for line in lines
        ]

    def _show(self, **changes: Any) -> None:
        self._sheet = replace(self._sheet, **changes)
        self._app.invalidate()

    # --- narrating -------------------------------------------------------------------------------

    def start(self, start: Start) -> None:
        """Show the game at its start."""
        seed = "" if start.seed is None else f" · {self.words.texts('seed', seed=start.seed)}"
        self._log = [self._teller.lines(step) for step in start.steps]
        self._show(title=self._sheet.title + seed, log=tuple(self._log))
        laid = [step.laid for step in start.steps if step.laid is not None]
        self._show_state(start.state, laid[-1] if laid else None)

    def moved(self, step: Step, state: State) -> None:
        """Show a move, the reasons for its points, and the board after it."""
        if step.by in self.humans:
            self._marks.append(len(self._log))
        self._log.append(self._teller.lines(step))
        self._show(log=tuple(self._log), texts=(), picture=(), message=(), typed="")
        if state.mover not in self.humans:
            self._show_state(state, step.laid)

    def end(self, state: State, points: Mapping[tuple[str, str], int]) -> None:
        """Show the result until a key is pressed; it is written when the screen is left."""
        self._result = self._teller.result(state, points)
        self._show_state(state, None)
        self._page([*self._result], self.words.texts("any-key"))

    def _show_state(self, state: State, last: Place | None) -> None:
        planes, legend = self.painter.planes(state, {}, {})
        focus = self._sheet.focus if last is None else sheets.middle(last)
        seen = standing(state, self.words, None, everyone=True)
        plane = self._plane_of(planes, last)
        self._show(
            planes=tuple(planes),
            legend=tuple(legend),
            status=_plain(seen),
            focus=focus,
            plane=plane,
            question=(),
            texts=(),
            keys=self.words.texts("keys-watching"),
        )

    def _plane_of(self, planes: Sequence[Any], place: Place | None) -> int:
        """Return the number of the board with a place; the one that is shown if there is none."""
        names = [plane.name for plane in planes]
        if place is not None and place.grid in names:
            return names.index(place.grid)
        return min(self._sheet.plane, max(0, len(planes) - 1))

    @contextmanager
    def thinking(self, player: str) -> Iterator[None]:
        """Say that a player is thinking, if that takes long."""
        self._since = time.monotonic()
        self._show(busy=self.words.texts("thinking", player=self.words.player(player)))
        try:
            yield
        finally:
            self._show(busy="")

    def say(self, key: str) -> None:
        """Show one of the texts of the command line."""
        self._show(message=(self.words.texts(key),))

    def undone(self) -> None:
        """Remove the moves that were taken back from the log, and say so."""
        del self._log[self._marks.pop() :]
        self._show(log=tuple(self._log))
        self.say("undone")

    # --- asking ----------------------------------------------------------------------------------

    def ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        """Return the chosen move, or UNDO or QUIT."""
        if not self._passed_on(state):
            return Command.QUIT
        question = self._first(state)
        self._put(question, last if fresh else None)
        while True:
            answer = self._step(question)
            match answer:
                case None:
                    continue
                case Command.BACK:
                    question = self._first(state)
                    self._put(question, None)
                case Command.NAMES:
                    self._exact = not self._exact
                    question = self._first(state)
                    self._put(question, None)
                case Command.HINT:
                    with self.thinking(state.mover or ""):
                        question = replace(question, hints=hints(state))
                    meaning = (self.words.texts("hints-mean"),)
                    self._show(texts=tuple(question.shown()), message=meaning, typed="")
                case PromptQuestion():
                    question = answer
                    self._put(question, None)
                case _:
                    self._show(message=(), typed="")
                    return answer

    def _first(self, state: State) -> PromptQuestion:
        return PromptQuestion.of(state, self.words, exact=self._exact)

    def _passed_on(self, state: State) -> bool:
        """Hide what the last person saw until the next one is there; False at the end of input."""
        before, self._looking = self._looking, state.mover
        if len(self.humans) < 2 or before == state.mover or not has_secrets(state):
            return True
        text = self.words.texts("pass-on", player=self.words.player(state.mover or ""))
        return self._page([[], [text]], "")

    def _put(self, question: PromptQuestion, last: Place | None) -> None:
        """Show a question with its answers, the first of which is chosen."""
        state = question.state
        player = state.mover or ""
        name = (self.words.player(player), f"player {player}")
        pictures = piece_pictures(question, self.painter) if question.by_cell else []
        self._show(
            status=_plain(standing(state, self.words, None)),
            texts=tuple(question.shown()),
            picture=tuple(self.painter.pieces(pictures)),
            question=(name, " ", question.text()),
            typed="",
            keys=self.words.texts("keys"),
            page=None,
        )
        self._choose(question, 0, last)

    def _choose(self, question: PromptQuestion, number: int, last: Place | None = None) -> None:
        """Let an answer stand out, with the piece where it would lie."""
        chosen = question.answers[number]
        cell = chosen.cell
        laid = None if question.by_cell else spot_of(chosen.moves[0])
        preview = None
        if question.piece is not None and laid is not None and cell is not None:
            preview = Preview(question.piece[1], laid.rotation // 90, cell)
        numbers = numbered_segments(question)
        planes, legend = self.painter.planes(
            question.state, question.cells, numbers, cell if question.by_cell else None, preview
        )
        place = last or cell
        plane = self._plane_of(planes, place)
        self._show(planes=tuple(planes), plane=plane, legend=tuple(legend), chosen=number)
        if place is not None and (last is not None or not self._visible(place)):
            self._show(focus=sheets.middle(place))

    def _visible(self, place: Place) -> bool:
        """Return whether a cell of the board is on the screen as a whole."""
        sheet, (width, height) = self._sheet, self._size
        if not sheet.planes:
            return True
        wide, high = sheets.layout(sheet, width, height).board
        inner = wide - 4, high - 1 - (sheets.LEGEND if high >= sheets.ROOM_FOR_LEGEND else 0)
        left, top = sheets.origin(sheet.planes[sheet.plane], sheet.focus, *inner)
        column, row = place.x * WIDTH, place.y * HEIGHT
        across = left <= column and column + WIDTH <= left + inner[0]
        return across and top <= row and row + HEIGHT <= top + inner[1]

    def _step(self, question: PromptQuestion) -> Move | PromptQuestion | Command | None:
        """Take a key; return what it answers, None if nothing yet."""
        sheet, key = self._sheet, self._keys.get()
        kind, _, value = key.partition(" ")
        last = len(question.answers) - 1
        match kind:
            case "end":
                return Command.QUIT
            case "enter" if sheet.typed.strip():
                return self._read(question, sheet.typed)
            case "enter":
                return question.pick(sheet.chosen)
            case "up" | "down":
                step = 1 if kind == "down" else -1
                self._choose(question, (sheet.chosen + step) % (last + 1))
            case "pageup" | "pagedown":
                step = 8 if kind == "pagedown" else -8
                self._choose(question, min(max(0, sheet.chosen + step), last))
            case "escape":
                if not sheet.typed:
                    return Command.BACK
                self._show(typed="", message=())
            case "type" | "erase":
                typed = sheet.typed[:-1] if kind == "erase" else sheet.typed + value
                self._show(typed=typed[:_LONGEST], message=())
            case _:
                self._look(kind, value)
        return None

    def _look(self, kind: str, value: str) -> None:
        """Scroll the board, show another one, or the whole of it."""
        sheet = self._sheet
        if not sheet.planes:
            return
        match kind:
            case "scroll":
                x, y = _SCROLLS[value]
                by = x * WIDTH, y * HEIGHT
                plane = sheet.planes[sheet.plane]
                self._show(focus=sheets.scrolled(plane, sheet.focus, by))
            case "next":
                self._show(plane=(sheet.plane + 1) % len(sheet.planes), focus=None)
            case "centre":
                self._show(focus=None)

    def _read(self, question: PromptQuestion, typed: str) -> Move | PromptQuestion | Command | None:
        answer = question.read(typed)
        match answer:
            case PromptMistake(lines):
                self._show(typed="", message=tuple(inert(visible(line)) for line in lines))
                return None
            case Command.HELP:
                text = self.words.texts("help", move=example(question.state))
                words = f"{text}. {self.words.texts('help-keys')}".split(" ")
                self._page(in_lines(words, self._size[0], " "), self.words.texts("any-key"))
            case Command.VIEW:
                self._page([*self._full_log(), [], *view(question.state)], "")
            case _:
                return answer
        self._show(typed="")
        return None

    def _full_log(self) -> list[Styled]:
        return [line for move in self._log for line in move]

    def _page(self, lines: list[Styled], keys: str) -> bool:
        """Show lines on the whole screen until Enter or Escape; False at the end of input."""
        self._show(page=tuple(lines), row=0, keys=keys or self.words.texts("keys-page"))
        while True:
            kind = self._keys.get().partition(" ")[0]
            rows = max(1, self._size[1] - 3)
            by = {"down": 1, "up": -1, "pagedown": rows, "pageup": -rows}.get(kind, 0)
            row = min(max(0, self._sheet.row + by), max(0, len(lines) - rows))
            self._show(row=row)
            if kind in ("enter", "escape", "end") or (kind == "type" and len(lines) <= rows):
                self._show(page=None, keys=self.words.texts("keys"))
                return kind != "end"


def _plain(lines: Sequence[Styled]) -> tuple[str, ...]:
    return tuple(sheets.text_of(line) for line in lines)


def _piece(piece: str | tuple[str, str]) -> tuple[str, str]:
    return (piece, "text") if isinstance(piece, str) else piece
