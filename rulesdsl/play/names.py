"""Names of the things of a game, as people and programs write them, and labels by language."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import NamedTuple, assert_never

from rulesdsl.base.texts import FALLBACK
from rulesdsl.engine.run.interface import Position, ToldAnswer
from rulesdsl.language.model import values
from rulesdsl.language.model.game import IndexedDef, KindDef, LinkedGame
from rulesdsl.language.model.geometry import Outline, port_text, rotate, turned
from rulesdsl.language.model.names import TEXT, short_name
from rulesdsl.language.model.types import SIDE

# --- labels --------------------------------------------------------------------------------------

_ORIGIN = re.compile(r"([a-z0-9_]+)/")
_NAME = re.compile(r"[^@\[#:]+")
_INDEX = re.compile(r"\[([^\[\]]*)\]")


class Labels:
    """The labels of a game.

    Names may be full (`base/bag`) or short. A short name is that of a component or place if there
    is one, otherwise it takes the first ruleset in canonical order that labels it.
    """

    def __init__(self, game: LinkedGame) -> None:
        self._texts = game.labels
        self._order = [ruleset.id for ruleset in game.rulesets]
        self._enums = [enum.key for enum in game.enums]
        tables = (game.kinds, game.zones, game.grids, game.tracks)
        keys = dict[str, set[str]]()
        for table, names in zip(tables, game.texts, strict=False):
            for row, name in zip(table, names, strict=True):
                keys.setdefault(name, set()).add(row.key)
        self._things = {name: [*found] for name, found in keys.items() if len(found) == 1}

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the labels, sorted."""
        return tuple(sorted(self._texts))

    def find(self, name: str, language: str = FALLBACK, *, count: int = 1) -> str | None:
        """Return the label of `name`, singular or plural by `count`, or None if there is none."""
        for tongue in dict.fromkeys((language, FALLBACK)):
            texts = self._texts.get(tongue, {})
            for key in self._keys(name):
                if key in texts:
                    return form(texts[key], count)
        return None

    def __call__(self, name: str, language: str = FALLBACK, *, count: int = 1) -> str:
        """Return the label of `name`, or without one the part of the name after the last `/`."""
        found = self.find(name, language, count=count)
        return short_name(name) if found is None else found

    def said(self, kind: str, language: str = FALLBACK) -> str:
        """Return the text on a kind of component, by its full name; an empty one if it has none."""
        return self.find(f"{kind}{TEXT}", language) or ""

    def plain(self, text: str, language: str = FALLBACK, ruleset: str = "") -> str:
        """Replace the names in a plain form (see `rulesdsl.play.names`) by their labels.

        Names are the part before `@`, `[` or `#`, also after an owner's name and a dot or after a
        `:`, and the words in brackets. A `ruleset` that is written before a name comes behind it.
        """
        if origin := _ORIGIN.match(text):
            return self.plain(text[origin.end() :], language, origin[1])
        if not ruleset and (whole := self.find(text, language)) is not None:
            return whole
        owner, dot, rest = text.partition(".")
        if dot and owner.isidentifier() and (label := self.find(owner, language)) is not None:
            return f"{label} {self.plain(rest, language, ruleset)}"
        match = _NAME.match(text)
        name = match.group() if match else text
        after = text[len(name) :]
        shown = self(name, language)
        if ruleset:
            shown = f"{self(f'{ruleset}/{name}', language)} ({self(ruleset, language)})"
        if after.startswith(":"):
            return f"{shown}: {self.plain(after[1:], language)}"
        return shown + _INDEX.sub(lambda index: f"[{self.plain(index[1], language)}]", after)

    def title(self, key: str, name: str, language: str = FALLBACK) -> str:
        """Return the label of a place by its key, with its ruleset if its `name` has that."""
        return self.plain(name, language) if "/" in name else self(key, language)

    def _keys(self, name: str) -> list[str]:
        own = [] if "/" in name else [f"{ruleset}/{name}" for ruleset in self._order]
        own = self._things.get(name, own)
        return [*own, name, *(f"{enum}.{name}" for enum in self._enums)]


def form(text: str, count: int) -> str:
    """Return the singular or the plural of a text `singular | plural`.

    A text without a bar is both.
    """
    singular, bar, plural = text.partition("|")
    return (plural if bar and count != 1 else singular).strip()


# --- names ---------------------------------------------------------------------------------------

MEMORY = 4096
"""The number of forms of values, and of segments, to cache: moves often name the same things."""


class Place(NamedTuple):
    """A cell of a grid."""

    x: int
    """Cells east of the centre."""
    y: int
    """Cells south of the centre."""
    grid: str
    """The name of the grid."""

    def __str__(self) -> str:
        return f"({self.x},{self.y})"


class Spot(NamedTuple):
    """A placement: the cell of the north-west corner of a piece as it lies, and its turn."""

    x: int
    """Cells east of the centre."""
    y: int
    """Cells south of the centre."""
    rotation: int
    """Degrees clockwise."""
    grid: str
    """The name of the grid."""

    def __str__(self) -> str:
        return f"({self.x},{self.y},{self.rotation})"


class PlaceOnGrid(Place):
    """A cell whose text names its grid, since another grid may be meant."""

    def __str__(self) -> str:
        return f"{self.grid}{super().__str__()}"


class SpotOnGrid(Spot):
    """A placement whose text names its grid, since another grid may be meant."""

    def __str__(self) -> str:
        return f"{self.grid}{super().__str__()}"


class SegmentName(str):
    """The exact name of a segment or feature; it also holds what words for it are made of.

    It is the segment of this index on a kind of component, in its `rotation`, for a die
    with this `face` up. `cell` is None if the component is not on a grid.
    """

    kind: int
    face: int | None
    segment: int
    rotation: int
    cell: tuple[int, int] | None


class ToldText(str):
    """The answers that a player was `told` about a piece: `[fire=red][number!=3]`."""

    told: tuple[ToldAnswer, ...]


class StateName(str):
    """The full name of a state."""


class UnknownPiece(str):
    """The name of a piece that a player does not know, or of a segment of it, by its place.

    `cls` is its class, `owner` the colour of its owner or None, `place` the plain form of its
    place, and `number` its position there, 0 if it has none; then the name says what the player was
    `told` of it.
    """

    cls: str
    owner: str | None
    place: Plain
    number: int
    told: tuple[ToldAnswer, ...]

    @property
    def untold(self) -> UnknownPiece:
        """The name without what the player was told, for all others."""
        name = UnknownPiece(self.replace("".join(map(str, self.told)), "", 1))
        name.cls, name.owner, name.told = self.cls, self.owner, ()
        name.place, name.number = self.place, self.number
        return name


Plain = int | bool | str | None | Place | Spot | tuple["Plain", ...]
"""A value as programs see it: pieces, segments and players are their names, sets are tuples."""

Lasting = (
    values.Player
    | values.EnumMember
    | values.Kind
    | values.Face
    | values.Cell
    | values.Placement
    | values.Zone
    | values.Grid
    | values.Space
)
"""Values whose form no move changes."""


class Forms:
    """The plain forms of the values of a game.

    `lasting` returns the form of a `Lasting` value. `segment` returns `kind@ports` of segment
    `index` of a kind of component, with ports from NL on, for the face `face` (None unless it is a
    die) in its `rotation`.
    """

    def __init__(self, game: LinkedGame) -> None:
        # The caches do not refer to this, so that games are freed as soon as nobody uses them.
        self.lasting = lru_cache(MEMORY)(partial(_lasting, game))
        self.segment = lru_cache(MEMORY)(partial(_segment, game))


def outline_of(game: LinkedGame, kind: int, face: int | None) -> Outline | None:
    """Return the outline of a kind of component, for a die that of the face that is up."""
    declared = game.kinds[kind]
    return declared.outline if face is None else declared.faces[face].outline


def grid_name(game: LinkedGame, grid: int, index: int) -> str:
    """Return the name of a grid instance: `board`, `pad[red]`."""
    return game.texts.grids[grid] + instance_text(game, game.grids[grid], index)


def _lasting(game: LinkedGame, value: Lasting) -> Plain:
    match value:
        case values.Player(seat):
            return game.roles.colours[seat]
        case values.EnumMember():
            return _member(game, value)
        case values.Kind(index):
            return game.texts.kinds[index]
        case values.Face(kind, index):
            return game.kinds[kind].faces[index].name
        case values.Cell():
            return Place(value.x, value.y, grid_name(game, value.grid, value.owner))
        case values.Placement(cell, rotation):
            return Spot(
                cell.x, cell.y, game.degrees * rotation, grid_name(game, cell.grid, cell.owner)
            )
        case values.Zone(zone, index):
            return game.texts.zones[zone] + instance_text(game, game.zones[zone], index)
        case values.Grid(grid, index):
            return grid_name(game, grid, index)
        case values.Space(track, index):
            return f"{game.texts.tracks[track]}[{index}]"
        case _:
            assert_never(value)


def _segment(game: LinkedGame, kind: int, face: int | None, index: int, rotation: int) -> str:
    outline = outline_of(game, kind, face)
    assert outline is not None, "a segment belongs to an outline"
    found = outline.segments[index]
    shape = next(k.shape.shape for k in game.feature_kinds if k.shape.name == found.kind)
    ports = [rotate(port, rotation, outline.size) for port in found.ports]
    where = port_text(ports, shape, turned(outline.size, rotation))
    return f"{game.texts.features[found.kind]}@{where}{_twin(outline, index)}"


def _twin(outline: Outline, index: int) -> str:
    """Return a number that distinguishes segments of one piece without ports, or an empty text."""
    own = outline.segments[index]
    twins = [i for i, s in enumerate(outline.segments) if s.kind == own.kind and not s.ports]
    if own.ports or len(twins) < 2:
        return ""
    return str(twins.index(index) + 1)


def _member(game: LinkedGame, member: values.EnumMember) -> str:
    if member.enum == SIDE.name:
        return game.side_names[member.index]
    return next(e for e in game.enums if e.key == member.enum).members[member.index]


def instance_text(game: LinkedGame, place: IndexedDef, instance: int) -> str:
    """Return the indices of an instance of a grid or zone in brackets."""
    return "".join(f"[{_lasting(game, each)}]" for each in place.indices(instance))


class PlainForms:
    """The plain forms of the values of one position.

    `forms` are those of its game, if they exist already. `short` gives the forms that moves show;
    `full` tells apart values that share a short form. For the player in a `seat`, both name pieces
    that the player does not know by their places.
    """

    def __init__(
        self, position: Position, forms: Forms | None = None, seat: int | None = None
    ) -> None:
        self.position = position
        self.seat = seat
        self.game: LinkedGame = position.checked.game
        self.forms = forms or Forms(self.game)

    def short(self, value: values.Value) -> Plain:
        """Return the plain form of a value: integers, booleans and None as they are."""
        if value is None or isinstance(value, int):
            return value
        if self.seat is not None and (unknown := self.unknown(value)) is not None:
            return unknown
        match value:
            case values.Segment():
                return self.segment(value)
            case values.Piece(index):
                return self.piece(index)
            case values.Feature(segment):
                return self.segment(segment) + self._where(segment)
            case tuple():
                return tuple(self.short(item) for item in value)
            case _:
                return self.forms.lasting(value)

    def full(self, value: values.Value) -> Plain:
        """Return a form that no other value of the game shares."""
        if self.seat is not None and (unknown := self.unknown(value)) is not None:
            return unknown
        match value:
            case values.Piece():
                return self._piece_in_full(value)
            case values.Segment():
                return self.segment(value) + self._where(value)
            case values.Face(kind, _):
                return f"{self.game.texts.kinds[kind]}:{self.short(value)}"
            case tuple():
                return tuple(map(self.full, value))
            case _:
                short = self.short(value)
                if isinstance(short, Spot):
                    return SpotOnGrid(*short)
                return PlaceOnGrid(*short) if isinstance(short, Place) else short

    def unknown(self, value: values.Value) -> UnknownPiece | None:
        """Return the place of a piece that the player in the seat does not know, or of its segment.

        It is None for any other value, and without a seat.
        """
        match value:
            case values.Segment(piece, index) | values.Feature(values.Segment(piece, index)):
                return self._unknown_piece(values.Piece(piece), f".{index + 1}")
            case values.Piece():
                return self._unknown_piece(value, "")
            case _:
                return None

    def _unknown_piece(self, piece: values.Piece, part: str) -> UnknownPiece | None:
        seat = self.seat
        number = None if seat is None else self.position.unknown_at(piece, seat)
        if number is None or seat is None:
            return None
        return self.by_place(piece, number, self.position.told(piece, seat), part)

    def by_place(
        self,
        piece: values.Piece,
        number: int,
        told: tuple[ToldAnswer, ...] = (),
        part: str = "",
    ) -> UnknownPiece:
        """Return the name of a piece by its place and its position there, see `UnknownPiece`."""
        place = PlainForms(self.position, self.forms).full(self.position.place_of(piece))
        own = self.game.pieces[piece.index]
        cls, seat = self.kind(piece).cls, own.seat
        owner = None if seat is None else self.game.roles.colours[seat]
        what = cls if owner is None else f"{owner}.{cls}"
        what = str(number) if number else what + "".join(map(str, told))
        name = UnknownPiece(f"{place}#{what}{part}")
        name.cls, name.owner, name.place, name.number = cls, owner, place, number
        name.told = told
        return name

    @staticmethod
    def told(told: tuple[ToldAnswer, ...]) -> ToldText:
        """Return what a player was told of a piece."""
        text = ToldText("".join(map(str, told)))
        text.told = told
        return text

    def spoken(self, value: values.Value) -> Plain:
        """Return the form that events and points have: a `SegmentName` of segments and features."""
        match value:
            case values.Segment():
                return self._segment_name(value)
            case values.Feature(segment):
                return self._segment_name(segment)
            case tuple():
                return tuple(map(self.spoken, value))
            case _:
                return self.short(value)

    def _segment_name(self, segment: values.Segment) -> SegmentName:
        piece = values.Piece(segment.piece)
        laid = self.position.placement_of(piece)
        name = SegmentName(self.segment(segment) + self._where(segment))
        name.kind, name.face = self.game.pieces[piece.index].kind, self.face(piece)
        name.segment, name.rotation = segment.index, laid.rotation if laid else 0
        name.cell = (laid.cell.x, laid.cell.y) if laid else None
        return name

    def grid(self, grid: int, index: int) -> str:
        """Return the name of a grid instance: `board`, `pad[red]`."""
        return grid_name(self.game, grid, index)

    def segment(self, segment: values.Segment) -> str:
        """Return `kind@ports` as placed, clockwise from NL.

        A piece that is not on a grid has rotation 0.
        """
        piece = values.Piece(segment.piece)
        laid = self.position.placement_of(piece)
        rotation = laid.rotation if laid else 0
        kind = self.game.pieces[piece.index].kind
        return self.forms.segment(kind, self.face(piece), segment.index, rotation)

    def outline(self, piece: values.Piece) -> Outline | None:
        """Return the outline of a piece now, for a die that of the face that is up."""
        return outline_of(self.game, self.game.pieces[piece.index].kind, self.face(piece))

    def kind(self, piece: values.Piece) -> KindDef:
        """Return the component entry of a piece."""
        return self.game.kinds[self.game.pieces[piece.index].kind]

    def kind_text(self, piece: values.Piece) -> str:
        """Return the name of the component entry of a piece."""
        return self.game.texts.kinds[self.game.pieces[piece.index].kind]

    def face(self, piece: values.Piece) -> int | None:
        """Return the number of the face of a die that is up; None for anything else."""
        return self.position.face_of(piece).index if self.kind(piece).cls == "die" else None

    def _where(self, segment: values.Segment) -> str:
        found = self.position.placement_of(values.Piece(segment.piece))
        if found is None:
            return f"#{self.game.pieces[segment.piece].copy}"
        return f"({found.cell.x},{found.cell.y})"

    def piece(self, index: int, *, hidden: bool = False) -> str:
        """Return the name of a piece with its owner, if any, and the face of a die that is up.

        A die in a zone that nobody sees shows no face, nor does a `hidden` one.
        """
        piece = self.game.pieces[index]
        kind, text = self.game.kinds[piece.kind], self.game.texts.kinds[piece.kind]
        if piece.seat is not None:
            origin = text.removesuffix(kind.text)
            text = f"{origin}{self.game.roles.colours[piece.seat]}.{kind.text}"
        hidden = hidden or self.hides(self.position.place_of(values.Piece(index)))
        if kind.faces and not hidden:
            return f"{text}:{self.short(self.position.face_of(values.Piece(index)))}"
        return text

    def called(self, piece: values.Piece) -> dict[str, values.Face | None]:
        """Return the names that a piece can have without its place: a die one for each face."""
        name, number = self.piece(piece.index, hidden=True), self.game.pieces[piece.index].kind
        faces = enumerate(self.game.kinds[number].faces)
        return {f"{name}:{face.name}": values.Face(number, i) for i, face in faces} or {name: None}

    def drawn(self, piece: values.Piece, zone: values.Value) -> str:
        """Return the name of a piece that was just taken from a zone."""
        return self.piece(piece.index, hidden=self.hides(zone))

    def hides(self, place: values.Value) -> bool:
        """Return whether a place is a zone that nobody sees."""
        return isinstance(place, values.Zone) and self.game.zones[place.zone].visible == "none"

    def _piece_in_full(self, piece: values.Piece) -> str:
        """Return the name of a piece with the segment or space that it alone of its name stands on.

        Otherwise the name has the number of the piece.
        """
        name, place = self.piece(piece.index), self.position.place_of(piece)
        if isinstance(place, (values.Segment, values.Space)) and not self._has_twin(piece, place):
            return f"{name}:{self.full(place)}"
        return f"{name}#{self.game.pieces[piece.index].copy}"

    def _has_twin(self, piece: values.Piece, place: values.Value) -> bool:
        own = self.game.pieces[piece.index]
        return any(
            self.position.place_of(values.Piece(index)) == place
            for index, other in enumerate(self.game.pieces)
            if (other.kind, other.seat) == (own.kind, own.seat) and index != piece.index
            if other.takes_part(self.position.players)
        )
