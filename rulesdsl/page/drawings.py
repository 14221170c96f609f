"""Pictures of pieces as trees of SVG elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic, TypeVar
from xml.etree import ElementTree

from rulesdsl.draw.pieces import Pieces, Tile, badge_lines, die_face, frame, mark_lines
from rulesdsl.draw.shapes import Spots
from rulesdsl.draw.svg import CELL, Lines
from rulesdsl.model.game import KindDef
from rulesdsl.play import Game

STANDING = 34.0
"""The size of a piece that stands on a segment, in hundredths of a cell."""
_STANDS = 4
"""The number of points for pieces on each segment."""
_TALLEST = 1.6
_USUAL = 29.0

Data = dict[str, Any]
Tree = list[Any]
"""An element: its name, its attributes, then its children; a text is a string."""


_Made = TypeVar("_Made")


class KindMemo(Generic[_Made]):
    """Results for the kinds of components of the last game, by name.

    They are used again for a game with the same surroundings: an author changes few kinds at once.
    """

    def __init__(self) -> None:
        self._surroundings: list[object] = []
        self._made: dict[object, tuple[KindDef, _Made]] = {}

    def enter(self, surroundings: list[object]) -> None:
        """Forget all results unless all that they depend on, besides the kinds, is the same."""
        if surroundings != self._surroundings:
            self._surroundings = surroundings
            self._made.clear()

    def result(self, name: object, kind: KindDef, make: Callable[[], _Made]) -> _Made:
        """Return the result for a kind, made now unless there is one of an equal kind."""
        before = self._made.get(name)
        if before is None or before[0] != kind:
            before = self._made[name] = kind, make()
        return before[1]


_drawn: KindMemo[Data] = KindMemo()
"""The drawings by language and name."""


def drawings(game: Game, language: str) -> list[Data]:
    """Return the drawing of every kind of component, in order."""
    linked, pieces = game.checked.game, Pieces(game, language)
    names = [(kind.cls, kind.key) for kind in linked.kinds]
    looks: list[object] = [linked.roles.ruleset, linked.roles.colours, linked.styles, linked.labels]
    looks += [linked.attributes, linked.enums, linked.feature_kinds, names]
    _drawn.enter(looks)
    return [_drawn_before(pieces, index, kind) for index, kind in enumerate(linked.kinds)]


def _drawn_before(pieces: Pieces, index: int, kind: KindDef) -> Data:
    plain = kind.cls in _WITHOUT_WORDS or (kind.cls == "tile" and kind.outline is not None)
    name = "" if plain else pieces.language, f"{kind.ruleset}/{kind.text}"
    return _drawn.result(name, kind, partial(_drawing, pieces, index, kind))


_WITHOUT_WORDS = ("figure", "token", "die")
"""The classes whose drawings are the same in every language."""


def tree(lines: Lines) -> list[Tree]:
    """Return lines of SVG as trees."""
    return [node(each) for each in ElementTree.fromstring(f"<svg>{''.join(lines)}</svg>")]


def node(element: ElementTree.Element) -> Tree:
    """Return an element as a tree; names lose their namespaces."""
    attributes = {name: _number(value) for name, value in element.attrib.items()}
    words = element.text.strip() if element.text else ""
    tag = element.tag.rpartition("}")[2]
    return [tag, attributes, *([words] if words else []), *map(node, element)]


def _number(value: str) -> str | int | float:
    """Return a number as such, since it is shorter."""
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() else number


def _drawing(pieces: Pieces, index: int, kind: KindDef) -> Data:
    if kind.cls in ("figure", "token"):
        return {"size": [1, 1], "stands": list(_standing(pieces, kind))}
    if kind.cls == "die":
        faces = [tree(die_face(kind, face, pieces.looks)) for face in kind.faces]
        return {"size": [1, 1], "faces": faces}
    if kind.cls == "tile" and kind.outline is not None:
        tile = pieces.tile(index)
        across, down = kind.outline.size
        return {
            "size": [across, down],
            "ground": tree([*tile.ground, frame(CELL * across, CELL * down)]),
            "marks": [
                {"at": _point(mark.at), "drawn": tree(mark_lines(mark.moved((0.0, 0.0))))}
                for mark in tile.marks
            ],
            "spots": _spots(tile),
        }
    drawn, (width, height) = pieces.draw(kind)
    return {"size": [width / CELL, height / CELL], "ground": tree(drawn)}


Spot = list[float]

_known: dict[object, list[list[Spot]]] = {}
"""The points of tiles drawn before: searching for them takes longer than all else."""
_MOST_KNOWN = 2000


def _spots(tile: Tile) -> list[list[Spot]]:
    """Return the points on each segment for several pieces."""
    marks = tuple((mark.at, mark.size) for mark in tile.marks)
    key = repr(tile.outline), tuple(tile.ground), marks
    found = _known.get(key)
    if found is None:
        room = tile.room()
        found = [_stands(room.copy(), segment) for segment in range(len(tile.outline.segments))]
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = found
    return found


def _stands(room: Spots, segment: int) -> list[Spot]:
    return [_point(room.stand(segment, STANDING)) for _ in range(_STANDS)]


def _standing(pieces: Pieces, kind: KindDef) -> Iterator[list[Tree]]:
    """Yield the drawing of a piece that stands on something, for each colour of its owners."""
    size = min(_TALLEST, pieces.looks.size(kind, _USUAL) / _USUAL) * STANDING
    for colour in pieces.looks.players if kind.owned else [None]:
        yield tree(badge_lines(pieces.looks.stands(kind, colour), (0.0, 0.0), size))


def _point(at: tuple[float, float]) -> list[float]:
    return [round(at[0], 1), round(at[1], 1)]
