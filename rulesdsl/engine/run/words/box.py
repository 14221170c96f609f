"""The immutable part of a game: its components, places, and their names in texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rulesdsl.base.records import dataclass
from rulesdsl.language.model import values
from rulesdsl.language.model.game import IndexedDef, KindDef, LinkedGame, PieceDef
from rulesdsl.language.model.geometry import (
    Outline,
    port_text,
    rotate,
    turned,
    turned_side,
)
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.types import PIECE_CLASSES, SIDE

REACH = 1000
"""The distance that a grid without a size extends from its centre, in cells."""


@dataclass(frozen=True)
class TurnedOutline:
    """The outline of a piece after rotation, with x and y counted from its north-west cell.

    `kinds[i]` and `texts[i]` belong to segment i. `sides` gives the kind of every outer side, keyed
    (x, y, side); those in `agreeing` agree with every side.
    """

    size: tuple[int, int]
    kinds: tuple[str, ...]
    texts: tuple[str, ...]
    sides: Mapping[tuple[int, int, int], str | None]
    agreeing: frozenset[tuple[int, int, int]]


class Absent(Exception):
    """An error for a component or place that is not in the game; `message` says which.

    The caller that runs a rule adds the place in the rules text.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class GameBox:
    """The components and places of a game with its number of players.

    `pieces`, the `classes` of pieces, `zones`, `grids` and `spaces` are in canonical order.
    Components that do not take part are left out.
    """

    def __init__(self, game: LinkedGame, players: int) -> None:
        self.game = game
        self.players = players
        self.seats = frozenset(range(players))
        self.enums = {enum.key: enum.members for enum in game.enums} | {SIDE.name: game.side_names}
        self.pieces = tuple(
            values.Piece(i) for i, p in enumerate(game.pieces) if p.takes_part(players)
        )
        self.zones = tuple(
            values.Zone(i, j) for i, z in enumerate(game.zones) for j in range(z.instances(players))
        )
        self.grids = tuple(
            values.Grid(i, j) for i, g in enumerate(game.grids) for j in range(g.instances(players))
        )
        self.spaces = tuple(
            values.Space(i, j) for i, t in enumerate(game.tracks) for j in range(t.length)
        )
        self.classes = {
            cls: tuple(piece for piece in self.pieces if self.cls(piece) == cls)
            for cls in PIECE_CLASSES
        }
        self._members = frozenset[object](self.pieces + self.zones + self.grids + self.spaces)
        self._shapes = {kind.shape.name: kind.shape.shape for kind in game.feature_kinds}
        self._layouts: dict[tuple[int, int, int], TurnedOutline] = {}

    def __contains__(self, handle: object) -> bool:
        """Return whether this piece, zone, grid or space is in the box."""
        return handle in self._members

    def check(self, piece: values.Piece) -> None:
        """Raise Absent unless the piece is in the game with its number of players."""
        if piece not in self:
            text, seat = self.piece_text(piece), self.piece(piece).seat
            if seat is None or seat in self.seats:
                raise Absent(f"a game of {self.players} players has no {text}")
            raise Absent(f"nobody plays {text}")

    def piece(self, piece: values.Piece) -> PieceDef:
        return self.game.pieces[piece.index]

    def kind(self, piece: values.Piece) -> KindDef:
        return self.game.kinds[self.piece(piece).kind]

    def cls(self, piece: values.Piece) -> str:
        """Return the class of a piece: tile, card, die, token or figure."""
        return self.kind(piece).cls

    def keeps_order(self, zone: values.Zone) -> bool:
        """Return whether a zone keeps the order in which pieces arrive.

        A zone that nobody may see does not.
        """
        declared = self.game.zones[zone.zone]
        return declared.ordered and declared.visible != "none"

    def inside(self, cell: values.Cell) -> bool:
        """Return whether a cell lies within its grid.

        A grid with a size has x from 0 to width - 1 and y from 0 to height - 1; one without extends
        `REACH` cells to each side of its centre.
        """
        size = self.game.grids[cell.grid].size
        if size is None:
            return max(abs(cell.x), abs(cell.y)) <= REACH
        return 0 <= cell.x < size[0] and 0 <= cell.y < size[1]

    def layout(self, piece: values.Piece, face: int, rotation: int) -> TurnedOutline:
        """Return the layout of a piece with this face up, turned clockwise.

        The face of a piece without faces is 0.
        """
        key = (self.piece(piece).kind, face, rotation)
        if key not in self._layouts:
            kind = self.kind(piece)
            outline = kind.faces[face].outline if kind.faces else kind.outline
            self._layouts[key] = self._turn(outline or self.game.blank, rotation)
        return self._layouts[key]

    def _turn(self, outline: Outline, rotation: int) -> TurnedOutline:
        size = outline.size
        kinds = tuple(segment.kind for segment in outline.segments)
        texts = []
        for segment in outline.segments:
            held = tuple(rotate(port, rotation, size) for port in segment.ports)
            text = port_text(held, self._shapes[segment.kind], turned(size, rotation))
            texts.append(f"{short_name(segment.kind)} {text}")
        return TurnedOutline(
            size=turned(size, rotation),
            kinds=kinds,
            texts=_numbered(texts),
            sides={turned_side(s, rotation, size): kind for s, kind in outline.sides.items()},
            agreeing=frozenset(turned_side(side, rotation, size) for side in outline.agreeing),
        )

    def player_text(self, seat: int) -> str:
        """Return the colour of a seat, or its number."""
        colours = self.game.roles.colours
        return colours[seat] if seat < len(colours) else f"player {seat + 1}"

    def piece_text(self, piece: values.Piece) -> str:
        """Return the text of a component: `corner#2`, `red house#1`."""
        definition = self.piece(piece)
        text = f"{self.game.texts.kinds[definition.kind]}#{definition.copy}"
        return text if definition.seat is None else f"{self.player_text(definition.seat)} {text}"

    def kind_text(self, kind: values.Kind) -> str:
        return self.game.texts.kinds[kind.index]

    def face_text(self, face: values.Face) -> str:
        return self.game.kinds[face.kind].faces[face.index].name

    def zone_text(self, zone: values.Zone) -> str:
        """Return the text of a zone: `bag`, `home[red]`, `row[wine]`."""
        declared = self.game.zones[zone.zone]
        return self.game.texts.zones[zone.zone] + self._index_text(declared, zone.index)

    def grid_text(self, grid: values.Grid) -> str:
        declared = self.game.grids[grid.grid]
        return self.game.texts.grids[grid.grid] + self._index_text(declared, grid.index)

    def space_text(self, space: values.Space) -> str:
        return f"{self.game.texts.tracks[space.track]}[{space.index}]"

    def cell_text(self, cell: values.Cell) -> str:
        """Return the text of a cell: `board (0, -1)`, x east and y south."""
        return f"{self.grid_text(values.Grid(cell.grid, cell.owner))} ({cell.x}, {cell.y})"

    def member_text(self, member: values.EnumMember) -> str:
        return self.enums[member.enum][member.index]

    def segment_text(self, segment: values.Segment, layout: TurnedOutline) -> str:
        """Return the text of a segment of a piece with this layout: `corner#2 village N.E`."""
        return f"{self.piece_text(values.Piece(segment.piece))} {layout.texts[segment.index]}"

    def _index_text(self, declared: IndexedDef, instance: int) -> str:
        return "".join(
            f"[{self.member_text(each)}]"
            if isinstance(each, values.EnumMember)
            else f"[{self.player_text(each.seat)}]"
            for each in declared.indices(instance)
        )


def _numbered(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts, with equal ones numbered from the second on."""
    seen: Counter[str] = Counter()
    numbered = []
    for text in texts:
        seen[text] += 1
        numbered.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return tuple(numbered)
