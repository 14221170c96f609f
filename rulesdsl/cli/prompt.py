"""The prompt that asks people for their moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TextIO

from rulesdsl.cli.board import Painter, Picture, draw_piece
from rulesdsl.cli.console import Console, Styled
from rulesdsl.cli.narration import in_lines, standing
from rulesdsl.cli.words import Words
from rulesdsl.diagnostics.visible import inert, visible
from rulesdsl.model.geometry import Outline
from rulesdsl.model.values import Piece, Segment
from rulesdsl.play import Move, Place, Plain, Spot, State

_NUMBER = re.compile(r"[0-9]{1,6}")
_STEP = re.compile(r"[A-Za-z_].*")
_LONGEST = 200
"""The most characters of a move that is typed."""


class Command(Enum):
    """An input other than a number or a move."""

    UNDO = "u"
    QUIT = "q"
    BACK = "b"
    VIEW = "v"
    HELP = "?"


@dataclass
class Prompt:
    """Lets a person choose one of the numbered moves, or type it.

    If moves lay a piece, the cell is chosen first.
    """

    console: Console
    words: Words
    painter: Painter
    board: bool
    input: TextIO
    _told: list[Styled] = field(default_factory=list)
    """The status that was written last."""

    def ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        """Return the chosen move, or UNDO or QUIT.

        `fresh` shows the board in any case; `last` is the cell of the last piece laid.
        """
        while True:
            answer = self._ask(state, last, fresh)
            if answer is not Command.BACK:
                return answer

    def _ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        moves = state.moves()
        cells = {cell: None for move in moves if (cell := _cell(move)) is not None}
        by_cell = len(cells) > 1
        if self.board and (fresh or by_cell):
            numbers = {cell: str(n) for n, cell in enumerate(cells, 1)} if by_cell else {}
            self.console.write(self.painter.board(state, last, numbers))
        stands = standing(state, self.words, self.console.width)
        if fresh or by_cell or stands != self._told:
            self.console.write(stands)
            self._told = stands
        self._headline(state)
        if not by_cell:
            return self._pick_move(state, moves)
        if (shown := self._piece(state)) is not None:
            self.console.write(
                self.painter.pieces([("", draw_piece(shown[1], 0, self.painter.look))])
            )
        others = [move for move in moves if _cell(move) is None]
        texts = [self.words.value(cell) for cell in cells] + [self.words.move(m) for m in others]
        answer = self._pick(state, texts)
        if not isinstance(answer, int):
            return answer
        if answer >= len(cells):
            return others[answer - len(cells)]
        chosen = list(cells)[answer]
        return self._pick_move(state, [move for move in moves if _cell(move) == chosen])

    def say(self, key: str) -> None:
        """Write one of the texts of the command line."""
        self.console.say(self.words.texts(key))

    def _headline(self, state: State) -> None:
        """Write the question, with the pieces it is about."""
        decision = state.position.decision
        assert decision is not None, "someone is asked"
        asked = decision.choice
        label = self.words.game.labels.find(asked, self.words.language)
        given = [state.names.short(value) for _, value in decision.arguments]
        about = self.words.about(given, state.mover or "")
        question = label or asked.rpartition("/")[2].replace("_", " ")
        player = state.mover or ""
        self.console.say(
            (self.words.player(player), f"player {player}"), " ", question, f"  {about}"
        )

    def _pick_move(self, state: State, moves: Sequence[Move]) -> Move | Command:
        """Ask for one of the moves, with a picture of the piece in every rotation."""
        if len(moves) == 1 and len(state.moves()) > 1:
            return moves[0]
        pictures = self._pictures(state, moves)
        if pictures:
            self.console.write(self.painter.pieces(pictures))
        answer = self._pick(state, [self.words.move(move) for move in moves])
        return moves[answer] if isinstance(answer, int) else answer

    def _pictures(self, state: State, moves: Sequence[Move]) -> list[tuple[str, Picture]]:
        """Return pictures of the piece that the choice is about, one for each move.

        A piece that is laid has a single picture, with the numbers of the moves on their segments.
        """
        shown, names = self._piece(state), state.names
        if shown is None:
            return []
        piece, outline = shown
        if (laid := state.position.placement_of(piece)) is not None:
            picture = draw_piece(outline, laid.rotation, self.painter.look)
            for index, spots in picture.spots.items():
                text = names.short(Segment(piece.index, index))
                number = next((n for n, m in enumerate(moves, 1) if text in _values(m)), None)
                if number is not None and spots:
                    picture.write(spots[0], str(number), "choice")
            return [("", picture)]
        return [
            (str(number), draw_piece(outline, spot.rotation // 90, self.painter.look))
            for number, move in enumerate(moves, 1)
            if (spot := _spot(move)) is not None
        ]

    def _piece(self, state: State) -> tuple[Piece, Outline] | None:
        """Return the piece that the choice is about and its outline, if there is exactly one."""
        decision = state.position.decision
        assert decision is not None, "someone is asked"
        pieces = [value for _, value in decision.arguments if isinstance(value, Piece)]
        drawn = [(p, o) for p in pieces if (o := state.names.outline(p)) is not None]
        return drawn[0] if len(drawn) == 1 else None

    def _pick(self, state: State, texts: Sequence[str]) -> int | Move | Command:
        """Return a number below `len(texts)`, any legal move, or UNDO, QUIT or BACK."""
        self._menu(texts)
        player = self.words.player(state.mover or "")
        while True:
            self.console.ask(self.words.texts("pick", player=player, low=1, high=len(texts)))
            line = self.input.readline()
            if not line:
                self.console.say()
                return Command.QUIT
            typed = line.strip()
            if 1 <= (number := _number(typed)) <= len(texts):
                return number - 1
            try:
                command = Command(typed.lower())
            except ValueError:
                move, mistake = _typed(state, typed)
                if move is not None:
                    return move
                for text in mistake:
                    self.console.say(inert(visible(text)))
                self.console.say(self.words.texts("not-a-number", low=1, high=len(texts)))
                continue
            match command:
                case Command.HELP:
                    example = _example(state)
                    words = self.words.texts("help", move=example).split(" ")
                    self.console.write(in_lines(words, self.console.width, " "))
                case Command.VIEW:
                    self.console.write(_view(state))
                case _:
                    return command

    def _menu(self, texts: Sequence[str]) -> None:
        """Write the numbered texts, in as many columns as fit."""
        entries = [f"{number:>3} {text}" for number, text in enumerate(texts, 1)]
        wide = max(map(len, entries)) + 2
        columns = max(1, min((self.console.width or 80) // wide, 6))
        for start in range(0, len(entries), columns):
            self.console.say("".join(e.ljust(wide) for e in entries[start : start + columns]))


def _number(typed: str) -> int:
    """Return the number that is typed; 0 for anything else."""
    return int(typed) if _NUMBER.fullmatch(typed) else 0


def _example(state: State) -> str:
    """Return a legal move as it may be typed."""
    from rulesdsl.play.scenario.steps import as_step  # slow to import and rarely needed

    return as_step(state.moves()[0])


def _typed(state: State, typed: str) -> tuple[Move | None, tuple[str, ...]]:
    """Return the move that is typed as scenarios write it, or else the reason and what to type."""
    from rulesdsl.play.scenario.steps import find, why_not  # as above

    if not _STEP.fullmatch(typed) or len(typed) > _LONGEST:
        return None, ()
    found = find(state, typed)
    if len(found) == 1:
        return found[0], ()
    message, help = why_not(state, typed, found)
    return None, (message, *help)


def _view(state: State) -> list[Styled]:
    """Return everything that the player to move may know, without the running rules."""
    told = state.view(state.mover or "").splitlines()
    return [[line] for line in told if not line.startswith("running ")]


def _values(move: Move) -> list[Plain]:
    return [value for _, value in move.args]


def _spot(move: Move) -> Spot | None:
    """Return the placement at which a move lays a piece, None if it lays none."""
    return next((value for value in _values(move) if isinstance(value, Spot)), None)


def _cell(move: Move) -> Place | None:
    """Return the cell that a move is about, if there is one."""
    for value in _values(move):
        if isinstance(value, Spot):
            return Place(value.x, value.y, value.grid)
        if isinstance(value, Place):
            return value
    return None
