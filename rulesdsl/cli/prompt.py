"""The prompt that asks people for their moves, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TextIO

from rulesdsl.cli.board import Painter, Picture, draw_piece
from rulesdsl.cli.console import Console, Styled, waiting
from rulesdsl.cli.hints import hints
from rulesdsl.cli.narration import in_lines, standing
from rulesdsl.cli.question import (
    Command,
    PromptMistake,
    PromptQuestion,
    example,
    spot_of,
    values_of,
)
from rulesdsl.cli.words import Words
from rulesdsl.diagnostics.visible import inert, visible
from rulesdsl.model.values import Segment
from rulesdsl.play import Move, Place, State
from rulesdsl.play.things import has_secrets
from rulesdsl.records import dataclass


@dataclass
class Prompt:
    """Lets a person choose one of the numbered moves, or type it.

    With several `people` and hidden components, a terminal is cleared before the next person looks.
    """

    console: Console
    words: Words
    painter: Painter
    board: bool
    input: TextIO
    people: int = 1
    exact: bool = False
    _told: list[Styled] = field(default_factory=list)
    """The status that was written last."""
    _looking: str | None = None
    """The player whose hidden components are on the screen."""

    def ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        """Return the chosen move, or UNDO or QUIT.

        `fresh` shows the board in any case; `last` is the cell of the last piece laid.
        """
        if not self._passed_on(state):
            return Command.QUIT
        while True:
            answer = self._ask(state, last, fresh)
            if answer not in (Command.BACK, Command.NAMES):
                return answer
            self.exact ^= answer is Command.NAMES

    def say(self, key: str) -> None:
        """Write one of the texts of the command line."""
        self.console.say(self.words.texts(key))

    @contextmanager
    def thinking(self, player: str) -> Iterator[None]:
        """Say that a player is thinking, if that takes long."""
        with waiting(self.console, self.words.texts("thinking", player=self.words.player(player))):
            yield

    def _passed_on(self, state: State) -> bool:
        """Hide what the last person saw until the next one is there; False at the end of input."""
        before, self._looking = self._looking, state.mover
        if self.people < 2 or not self.console.terminal or before == state.mover:
            return True
        if not has_secrets(state):
            return True
        self.console.clear_all()
        player = self.words.player(state.mover or "")
        self.console.ask(self.words.texts("pass-on", player=player))
        return bool(self.input.readline())

    def _ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        question = PromptQuestion.of(state, self.words, exact=self.exact)
        by_cell = question.by_cell
        if self.board and (fresh or by_cell):
            self.console.write(self.painter.board(state, last, question.cells))
        stands = standing(state, self.words, self.console.width)
        if fresh or by_cell or stands != self._told:
            self.console.write(stands)
            self._told = stands
        player = state.mover or ""
        self.console.say((self.words.player(player), f"player {player}"), " ", question.text())
        while True:
            pictures = piece_pictures(question, self.painter)
            if pictures:
                self.console.write(self.painter.pieces(pictures))
            answer = self._pick(question)
            if not isinstance(answer, PromptQuestion):
                return answer
            question = answer

    def _pick(self, question: PromptQuestion) -> Move | PromptQuestion | Command:
        """Return a legal move, the next question, or UNDO, QUIT, BACK or NAMES."""
        state = question.state
        self._menu(question.shown())
        player = self.words.player(state.mover or "")
        while True:
            high = len(question.answers)
            self.console.ask(self.words.texts("pick", player=player, low=1, high=high))
            line = self.input.readline()
            if not line:
                self.console.say()
                return Command.QUIT
            answer = question.read(line)
            match answer:
                case PromptMistake(lines):
                    for text in lines:
                        self.console.say(inert(visible(text)))
                case Command.HELP:
                    words = self.words.texts("help", move=example(state)).split(" ")
                    self.console.write(in_lines(words, self.console.width, " "))
                case Command.VIEW:
                    self.console.write(view(state))
                case Command.HINT:
                    with self.thinking(state.mover or ""):
                        question = replace(question, hints=hints(state))
                    self.say("hints-mean")
                    self._menu(question.shown())
                case _:
                    return answer

    def _menu(self, texts: Sequence[str]) -> None:
        """Write the numbered texts, in as many columns as fit."""
        entries = [f"{number:>3} {text}" for number, text in enumerate(texts, 1)]
        wide = max(map(len, entries)) + 2
        columns = max(1, min((self.console.width or 80) // wide, 6))
        for start in range(0, len(entries), columns):
            self.console.say("".join(e.ljust(wide) for e in entries[start : start + columns]))


def piece_pictures(question: PromptQuestion, painter: Painter) -> list[tuple[str, Picture]]:
    """Return pictures of the piece that a question is about, with titles.

    There is one for each answer that lays it, with its number. A piece that is laid has a single
    picture, with the numbers of the answers on their segments.
    """
    if question.piece is None:
        return []
    state, (piece, outline) = question.state, question.piece
    if question.by_cell:
        return [("", draw_piece(outline, 0, painter.look))]
    if (laid := state.position.placement_of(piece)) is not None:
        picture = draw_piece(outline, laid.rotation, painter.look)
        for segment, text in numbered_segments(question).items():
            if picture.spots[segment.index]:
                picture.write(picture.spots[segment.index][0], text, "choice")
        return [("", picture)]
    return [
        (str(number), draw_piece(outline, spot.rotation // 90, painter.look))
        for number, answer in enumerate(question.answers, 1)
        if (spot := spot_of(answer.moves[0])) is not None
    ]


def numbered_segments(question: PromptQuestion) -> dict[Segment, str]:
    """Return the segments of the piece that a question is about with the numbers of answers."""
    if question.piece is None:
        return {}
    piece, outline = question.piece
    found = {}
    for index in range(len(outline.segments)):
        segment = Segment(piece.index, index)
        text = question.state.names.short(segment)
        for number, answer in enumerate(question.answers, 1):
            if text in values_of(answer.moves[0]):
                found[segment] = str(number)
                break
    return found


def view(state: State) -> list[Styled]:
    """Return everything that the player to move may know, without the running rules."""
    told = state.view(state.mover or "").splitlines()
    return [[line] for line in told if not line.startswith("running ")]
