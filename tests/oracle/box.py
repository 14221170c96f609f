"""The box of a game with everything that is drawn on its components, turned."""

from __future__ import annotations

from collections.abc import Mapping

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.words.box import GameBox, TurnedOutline
from rulesdsl.language.model import values
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.geometry import Outline, Port, distinct_rotations, rotate, rotate_cell


@dataclass(frozen=True)
class Layout(TurnedOutline):
    """The outline of a piece after rotation.

    `ports[i]`, `cells[i]`, `borders[i]` and `touches[i]` belong to segment i. `holder` maps each
    port to its segment.
    """

    ports: tuple[tuple[Port, ...], ...]
    cells: tuple[tuple[tuple[int, int], ...], ...]
    borders: tuple[tuple[int, ...], ...]
    touches: tuple[tuple[int, ...], ...]
    holder: Mapping[Port, int]


class PlainBox(GameBox):
    """The box of the plain world."""

    def __init__(self, game: LinkedGame, players: int) -> None:
        super().__init__(game, players)
        self._rotations: dict[tuple[int, int], tuple[int, ...]] = {}
        self._laid: dict[tuple[int, int, int], Layout] = {}

    def start(self, piece: values.Piece) -> values.Zone | values.Space | None:
        """Return the zone or space in which a piece starts, None if it has none."""
        start = self.piece(piece).start
        for number, zone in enumerate(self.game.zones):
            if zone.key == start:
                seat = self.piece(piece).seat or 0
                return values.Zone(number, seat if zone.owned else 0)
        for number, track in enumerate(self.game.tracks):
            if track.key == start:
                return values.Space(number, 0)
        return None

    def rotations(self, piece: values.Piece, face: int) -> tuple[int, ...]:
        """The rotations of a piece that look different, with this face up."""
        key = (self.piece(piece).kind, face)
        if key not in self._rotations:
            kind = self.kind(piece)
            outline = kind.faces[face].outline if kind.faces else kind.outline
            self._rotations[key] = distinct_rotations(outline or self.game.blank)
        return self._rotations[key]

    def layout(self, piece: values.Piece, face: int, rotation: int) -> Layout:
        key = (self.piece(piece).kind, face, rotation)
        if key not in self._laid:
            kind = self.kind(piece)
            outline = (kind.faces[face].outline if kind.faces else kind.outline) or self.game.blank
            turned = super().layout(piece, face, rotation)
            self._laid[key] = _laid(turned, outline, rotation)
        return self._laid[key]


def _laid(turned: TurnedOutline, outline: Outline, rotation: int) -> Layout:
    segments, size = outline.segments, outline.size
    ports = tuple(tuple(rotate(p, rotation, size) for p in segment.ports) for segment in segments)
    return Layout(
        **vars(turned),
        ports=ports,
        cells=tuple(
            tuple(rotate_cell(cell, rotation, size) for cell in segment.cells)
            for segment in segments
        ),
        borders=tuple(segment.borders for segment in segments),
        touches=tuple(segment.touches for segment in segments),
        holder={port: index for index, held in enumerate(ports) for port in held},
    )
