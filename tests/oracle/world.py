"""The state of all components: their places, the players who know them, and links of segments.

Everything else (features, occupants, open placements) is derived from these few tables on request
and cached until the next change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import field

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.words.box import Absent as BuiltinFault
from rulesdsl.engine.run.words.world import Joint, Place
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.values import Cell, Grid, Piece, Placement, Segment, Space, Zone
from tests.oracle.box import Layout, PlainBox


@dataclass
class Answers:
    """The cache of results that any change invalidates.

    Clones share it until one of them changes.
    """

    standing: dict[Place, tuple[Piece, ...]] | None = None


@dataclass
class BoardAnswers:
    """The cache of results that only changes on the grids invalidate."""

    occupied: dict[Cell, Piece] | None = None
    facing: dict[tuple[Cell, int], tuple[str | None, Piece, bool]] | None = None
    features: dict[Segment, tuple[Segment, ...]] = field(default_factory=dict)
    placements: dict[tuple[Grid, Piece], tuple[Placement, ...]] = field(default_factory=dict)


class World:
    """The state of all components.

    `places` and `known` (the seats that know the front of a piece) have an entry for every piece of
    the box. `zones` has for every zone its pieces, in order of arrival if it keeps one, else
    sorted. `faces` has the upper face of every die. `face_down` pieces are not shown where they
    lie; `shuffled` ones are not resolved until they are taken. Pieces with the same number in
    `pools`, their lowest index, could be exchanged without anyone who does not know them noticing.
    """

    def __init__(self, game: LinkedGame, players: int) -> None:
        """Put all components in their initial places, for seats 0 to players - 1."""
        self.box = PlainBox(game, players)
        self.places: dict[Piece, Place] = dict.fromkeys(self.box.pieces)
        self.zones: dict[Zone, tuple[Piece, ...]] = dict.fromkeys(self.box.zones, ())
        self.faces = {p: 0 for p in self.box.pieces if self.box.kind(p).faces}
        self.known = dict.fromkeys(self.box.pieces, frozenset[int]())
        # In the order of pieces, which `mix` relies on.
        self.pools = {piece: piece.index for piece in self.box.pieces}
        self.face_down: frozenset[Piece] = frozenset()
        self.shuffled: frozenset[Piece] = frozenset()
        self.arrived: dict[Piece, int] = {}
        self.links: frozenset[Joint] = frozenset()
        self.unlinks: frozenset[Joint] = frozenset()
        self.answers = Answers()
        self.board_answers = BoardAnswers()
        begun: dict[Place, list[Piece]] = {}
        for piece in self.box.pieces:
            begun.setdefault(self.box.start(piece), []).append(piece)
        for start, pieces in begun.items():
            self._begin(pieces, start)
            self.uncover(start)

    def _begin(self, pieces: Sequence[Piece], start: Place) -> None:
        """Put pieces, in canonical order, in their common initial place."""
        if isinstance(start, Zone):
            self.arrange(start, pieces)
        for piece in pieces:
            self.places[piece] = start
            self.pools[piece] = pieces[0].index
            self._arrive(piece, start)

    def clone(self) -> World:
        """Return an independent copy."""
        clone = copy(self)
        clone.places, clone.zones = dict(self.places), dict(self.zones)
        clone.arrived = dict(self.arrived)
        clone.faces, clone.known, clone.pools = dict(self.faces), dict(self.known), dict(self.pools)
        return clone

    # --- queries ---------------------------------------------------------------------------------

    def place(self, piece: Piece) -> Place:
        """Return the place of a piece; raises Fault for one that is not in the game."""
        self.check(piece)
        return self.places[piece]

    def check(self, piece: Piece) -> None:
        """Raise Fault unless the piece is in the game with its number of players."""
        if piece not in self.places:
            text, seat = self.box.piece_text(piece), self.box.piece(piece).seat
            if seat is None or seat in self.box.seats:
                raise BuiltinFault(f"a game of {self.box.players} players has no {text}")
            raise BuiltinFault(f"nobody plays {text}")

    def members(self, zone: Zone) -> tuple[Piece, ...]:
        """Return the pieces in a zone, in its order; raises Fault for an unknown zone."""
        if zone not in self.zones:
            raise BuiltinFault(f"there is no {self.box.zone_text(zone)} in this game")
        return self.zones[zone]

    def layout(self, piece: Piece, rotation: int = 0) -> Layout:
        """Return the layout of a piece (for a die with its current face) after rotation."""
        return self.box.layout(piece, self.faces.get(piece, 0), rotation)

    def rotations(self, piece: Piece) -> tuple[int, ...]:
        """Return the rotations of a piece that look different, for a die with its current face."""
        return self.box.rotations(piece, self.faces.get(piece, 0))

    def laid(self) -> dict[Piece, Placement]:
        """Return all pieces on grids with their placements, in canonical order of the pieces."""
        return {p: at for p, at in self.places.items() if isinstance(at, Placement)}

    def standing(self, place: Place) -> tuple[Piece, ...]:
        """Return the pieces with this place, in canonical order."""
        if self.answers.standing is None:
            found: dict[Place, list[Piece]] = {}
            for piece, where in self.places.items():
                found.setdefault(where, []).append(piece)
            self.answers.standing = {where: tuple(pieces) for where, pieces in found.items()}
        return self.answers.standing.get(place, ())

    def place_text(self, place: Place) -> str:
        """Return the text of a place."""
        match place:
            case Zone():
                return self.box.zone_text(place)
            case Segment():
                return self.segment_text(place)
            case Space():
                return self.box.space_text(place)
            case Cell():
                return self.box.cell_text(place)
            case Placement(cell, rotation):
                turn = f" turned {90 * rotation}" if rotation else ""
                return self.box.cell_text(cell) + turn
            case None:
                return "nowhere"

    def segment_text(self, segment: Segment) -> str:
        """Return the text of a segment, with its sides in the current rotation of the piece."""
        piece = Piece(segment.piece)
        where = self.places.get(piece)
        rotation = where.rotation if isinstance(where, Placement) else 0
        return self.box.segment_text(segment, self.layout(piece, rotation))

    # --- changes ---------------------------------------------------------------------------------

    def put(self, piece: Piece, place: Place) -> None:
        """Move a piece to a place that accepts it; whoever sees it there knows it.

        Pieces on it and its links are not checked: the effects do that.
        """
        old = self.places[piece]
        self.shuffled -= {piece}
        self.places[piece] = place
        self.arrived[piece] = max(self.arrived.values(), default=0) + 1
        if isinstance(old, Zone):
            self.arrange(old, [p for p in self.zones[old] if p != piece])
        if isinstance(place, Zone):
            self.arrange(place, [*self.zones[place], piece])
        self._arrive(piece, place)
        self._changed(board=isinstance(old, Placement) or isinstance(place, Placement))

    def arrange(self, zone: Zone, inside: Sequence[Piece]) -> None:
        """Set the pieces of a zone, in that order if the zone keeps one.

        Pieces whose order does not matter are sorted.
        """
        if not self.box.keeps_order(zone):
            self.zones[zone] = tuple(sorted(inside))
            return
        loose = iter(sorted(p for p in inside if p in self.shuffled))
        self.zones[zone] = tuple(next(loose) if p in self.shuffled else p for p in inside)

    def _arrive(self, piece: Piece, place: Place) -> None:
        """Let the players who see a piece at its new place know it; a die out of sight is reset."""
        if place is None:
            return
        zone = self.box.game.zones[place.zone] if isinstance(place, Zone) else None
        if zone is not None and zone.visible == "top":
            return
        if zone is not None and zone.visible != "all":
            self.face_down -= {piece}
        if zone is not None and zone.visible == "none" and piece in self.faces:
            self.faces[piece] = 0
        if zone is None or zone.visible == "all":
            if piece not in self.face_down:
                self.see(piece, self.box.seats)
        elif isinstance(place, Zone) and zone.visible == "owner":
            seat = zone.seat(place.index)
            self.see(piece, () if seat is None else (seat,))
        elif isinstance(place, Zone) and zone.visible == "others":
            self.see(piece, self.box.seats - {zone.seat(place.index)})

    def uncover(self, place: Place) -> None:
        """Let all seats know the last piece of a zone `visible: top`."""
        if isinstance(place, Zone) and self.box.game.zones[place.zone].visible == "top":
            for piece in self.zones[place][-1:]:
                if piece not in self.face_down | self.shuffled:
                    self.see(piece, self.box.seats)

    def see(self, piece: Piece, seats: Iterable[int]) -> None:
        """Let these seats know a piece from now on."""
        self.known[piece] |= frozenset(seats)

    def turn_face_down(self, piece: Piece) -> None:
        """Turn a piece face down: players who know it still do."""
        self.face_down |= {piece}

    def turn_face_up(self, piece: Piece) -> None:
        """Show a piece to all players, and separate it from those it was shuffled with."""
        self.face_down -= {piece}
        self.shuffled -= {piece}
        self.see(piece, self.box.seats)

    def show(self, piece: Piece, seat: int) -> None:
        """Show a piece to one player, and separate it from those it was shuffled with."""
        self.shuffled -= {piece}
        self.see(piece, (seat,))

    def turn(self, die: Piece, face: int) -> None:
        """Turn a die to this face."""
        self.faces[die] = face
        self._changed(board=True)

    def join(self, links: Iterable[Joint], unlinks: Iterable[Joint]) -> None:
        """Set the links and unlinks made by rules."""
        self.links, self.unlinks = frozenset(links), frozenset(unlinks)
        self._changed(board=True)

    def _changed(self, board: bool) -> None:
        self.answers = Answers()
        if board:
            self.board_answers = BoardAnswers()

    def mix(self, pieces: Collection[Piece], known: frozenset[int]) -> None:
        """Mix pieces, so that only the seats `known` can tell them apart.

        They are also mixed with all pieces that could already be exchanged with one of them.
        """
        hidden = {p for p in self.pools if self.known[p] != self.box.seats}
        pools = {self.pools[p] for p in hidden.intersection(pieces)}
        mixed = {p for p in hidden if self.pools[p] in pools}.union(pieces)
        first: dict[int | None, int] = {}
        for piece, pool in self.pools.items():
            label = None if piece in mixed else pool
            self.pools[piece] = first.setdefault(label, piece.index)
        for piece in pieces:
            self.known[piece] = known

    def shuffle(self, zone: Zone) -> None:
        """Shuffle a zone: the order and identity of its pieces become unknown."""
        pieces = self.members(zone)
        self.mix(pieces, frozenset())
        self.shuffled |= set(pieces)
        self.face_down -= set(pieces)
        self.arrange(zone, pieces)
        self._changed(board=False)


def joint(a: Segment, b: Segment) -> Joint:
    """Return the joint of two segments."""
    return (a, b) if a < b else (b, a)
