"""Pictures of boards."""

from __future__ import annotations

from markupsafe import Markup

from rulesdsl.draw.board import board_svg
from rulesdsl.draw.pieces import Pieces
from rulesdsl.draw.svg import Lines, element, group
from rulesdsl.play import Game, State
from rulesdsl.play.things import boards, standing

_WIDE = 56
"""How many pixels wide a cell is."""


class Pictures:
    """Draws boards with labels in one language. What they have in common stands in the page once:
    pictures refer to the `shared` ones."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._pieces: dict[int, tuple[Game, Pieces]] = {}
        self._shared: dict[tuple[str, ...], str] = {}

    @property
    def shared(self) -> Markup:
        """A picture that nobody sees, with all that those which were drawn refer to."""
        parts = [group(lines, id=name) for lines, name in self._shared.items()]
        lines = "\n".join(line for part in parts for line in part)
        hidden = '<svg width="0" height="0" aria-hidden="true"><defs>\n{}\n</defs></svg>'
        return Markup(hidden).format(Markup(lines))

    def board(self, state: State) -> Markup:
        """The board of a state, or nothing if nothing lies on one."""
        if not any(board.laid or board.cells for board in boards(state, standing(state))):
            return Markup()
        return Markup(board_svg(self._drawer(state.game), state, _WIDE))

    def _drawer(self, game: Game) -> Pieces:
        """What draws the pieces of a game; the game is kept, so that no other has its place."""
        if id(game) not in self._pieces:
            self._pieces[id(game)] = game, Pieces(game, self._language, self._share)
        return self._pieces[id(game)][1]

    def _share(self, lines: Lines) -> Lines:
        """What refers to a shared picture."""
        name = self._shared.setdefault(tuple(lines), f"picture.{len(self._shared) + 1}")
        return [element("use", href=f"#{name}")]
