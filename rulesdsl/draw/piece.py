"""One piece as a whole picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from rulesdsl.draw import card
from rulesdsl.draw.colours import COLOURS, INK
from rulesdsl.draw.looks import Badge, Looks
from rulesdsl.draw.paths import CELL
from rulesdsl.draw.svg import Lines, document, element
from rulesdsl.draw.tile import MARK, Tile
from rulesdsl.model.game import KindDef
from rulesdsl.model.values import Piece
from rulesdsl.play import Game, State

Drawn = tuple[Lines, tuple[float, float]]
"""A drawing, and how wide and high it is."""

_TALLEST = 1.6
"""So much larger than others a figure can be."""


Share = Callable[[Lines], Lines]
"""Is given what is drawn alike again and again, and gives what is put in its places."""


class Pieces:
    """Draws the pieces of a game; `language` is that of what is written on them. For pages with
    many pictures `share` may keep apart what they have in common."""

    def __init__(self, game: Game, language: str = "en", share: Share = list) -> None:
        self.game, self.language, self.share = game, language, share
        self.looks = Looks(game.checked.game)
        self.tile = cache(self._tile)

    def draw(self, kind: KindDef) -> Drawn:
        """A piece of any class; one that players own in the colour of the first."""
        colour = self.looks.players[0] if self._owned(kind) else None
        match kind.cls:
            case "card":
                return card.card(kind, self.looks, self.title(kind)), card.CARD
            case "die":
                return card.die(kind, self.looks), card.die_size(kind)
            case "figure":
                return card.figure(kind, self.looks, colour), (CELL, CELL)
            case "token":
                return card.token(kind, self.looks, colour), (CELL, CELL)
        index = self.game.checked.game.kinds.index(kind)
        if kind.outline is None:
            return self._plain(kind), (CELL, CELL)
        width, height = (CELL * cells for cells in kind.outline.size)
        return [*self.tile(index).lines(), frame(width, height)], (width, height)

    def mark(self, state: State, piece: Piece, size: float) -> tuple[Badge, float]:
        """What stands for a piece of a state, in the colour of its owner, and how large it is if
        others are of `size`."""
        seat = state.game.checked.game.pieces[piece.index].seat
        kind = state.names.kind(piece)
        badge = self.looks.stands(kind, None if seat is None else self.looks.players[seat])
        return badge, min(_TALLEST, self.looks.size(kind, MARK) / MARK) * size

    def title(self, kind: KindDef) -> str:
        """What people call a piece."""
        return self.game.labels.find(kind.key, self.language) or kind.name

    def _tile(self, index: int) -> Tile:
        """A kind that has segments, by its index."""
        kind = self.game.checked.game.kinds[index]
        assert kind.outline is not None, "only pieces with segments are drawn as tiles"
        return Tile(kind.outline, kind.attributes, self.looks, self.looks.own(kind))

    def _plain(self, kind: KindDef) -> Lines:
        """A tile on which nothing is drawn: its attributes and its name."""
        ground = element("rect", width=CELL, height=CELL, fill=COLOURS["cream"])
        return [ground, *card.token(kind, self.looks), frame(CELL, CELL)]

    def _owned(self, kind: KindDef) -> bool:
        index = self.game.checked.game.kinds.index(kind)
        pieces = self.game.checked.game.pieces
        return any(piece.kind == index and piece.seat is not None for piece in pieces)


def frame(width: float, height: float) -> str:
    """The rim of a tile."""
    return element(
        "rect", x=0.75, y=0.75, width=width - 1.5, height=height - 1.5,
        fill="none", stroke=INK, stroke_width=1.5,
    )  # fmt: skip


def piece_svg(
    game: Game, piece: str | KindDef, size: float = 100.0, *, language: str = "en"
) -> str:
    """A piece of a loaded game as SVG, drawn from its definition alone: the same text every time.

    `piece` is a kind, the full name of one (`ruleset/id`, `ruleset/id[bonus=2]`) or an id; of
    several with that name the first is taken. A cell of a tile, a face of a die, a card, a token
    and a figure are `size` pixels wide. Raises KeyError when the game has no such piece.
    """
    kind = piece if isinstance(piece, KindDef) else _found(game, piece)
    pieces = _pieces(game, language)
    lines, (width, height) = pieces.draw(kind)
    return document(lines, width, height, size / CELL, pieces.title(kind))


@lru_cache(maxsize=4)
def _pieces(game: Game, language: str) -> Pieces:
    """What draws the pieces of a game, kept for the next ones."""
    return Pieces(game, language)


def _found(game: Game, name: str) -> KindDef:
    kinds = game.checked.game.kinds
    exact = [k for k in kinds if name in (k.text, f"{k.ruleset}/{k.text}")]
    for kind in (*exact, *(k for k in kinds if name in (k.name, k.key))):
        return kind
    raise KeyError(name)
