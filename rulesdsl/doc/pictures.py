"""Pictures of boards."""

from __future__ import annotations

from markupsafe import Markup

from rulesdsl.draw.board import board_svg
from rulesdsl.draw.piece import Pieces
from rulesdsl.play import Game, State
from rulesdsl.play.boards import boards, standing

_WIDE = 56
"""How many pixels wide a cell is."""


class Pictures:
    """Draws boards with labels in one language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._pieces: dict[int, tuple[Game, Pieces]] = {}

    def board(self, state: State) -> Markup:
        """The board of a state, or nothing if nothing lies on one."""
        if not any(board.laid or board.cells for board in boards(state, standing(state))):
            return Markup()
        return Markup(board_svg(self._drawer(state.game), state, _WIDE))

    def _drawer(self, game: Game) -> Pieces:
        """What draws the pieces of a game; the game is kept, so that no other has its place."""
        if id(game) not in self._pieces:
            self._pieces[id(game)] = game, Pieces(game, self._language)
        return self._pieces[id(game)][1]
