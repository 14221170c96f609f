"""The size of a game's box: its attributes, and the most cells and segments its pieces have."""

from __future__ import annotations

from functools import cached_property

from rulesdsl.model.game import Game
from rulesdsl.model.geometry import Outline
from rulesdsl.model.types import INT_MAX, INT_MIN, IntType

Range = tuple[int, int]
"""The least and the largest number, both included."""

WHOLE: Range = (INT_MIN, INT_MAX)


class Carried:
    """The size of a game's box, computed once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._attributes: dict[tuple[str, bool], Range] = {}

    @cached_property
    def _outlines(self) -> list[list[Outline]]:
        """List the outlines that may be drawn on each piece."""
        drawn = [[face.outline for face in k.faces] or [k.outline] for k in self.game.kinds]
        shown = [[outline for outline in found if outline is not None] for found in drawn]
        return [shown[piece.kind] for piece in self.game.pieces]

    @cached_property
    def cells(self) -> int:
        """Count the cells that all pieces cover at most."""
        return sum(
            max((width * height for width, height in (o.size for o in drawn)), default=1)
            for drawn in self._outlines
        )

    @cached_property
    def _segments(self) -> int:
        """Count the segments that all pieces show at most."""
        return sum(max((len(o.segments) for o in drawn), default=0) for drawn in self._outlines)

    def attribute(self, key: str, of_feature: bool) -> Range:
        """Return the range of an attribute, for any one owner or for a feature as a whole."""
        found = self._attributes.get((key, of_feature))
        if found is None:
            found = self._attributes[key, of_feature] = self._attribute(key, of_feature)
        return found

    def _attribute(self, key: str, of_feature: bool) -> Range:
        attribute = next(each for each in self.game.attributes if each.key == key)
        if not isinstance(attribute.type, IntType) or attribute.fold == "union":
            return WHOLE
        carried = [attribute.default]
        for kind in self.game.kinds:
            carried += [kind.attributes.get(key), *(f.attributes.get(key) for f in kind.faces)]
        for drawn in self._outlines:
            carried += [s.attributes.get(key) for outline in drawn for s in outline.segments]
        numbers = [int(plain) for plain in carried if isinstance(plain, int)] or [0]
        low, high = min(numbers), max(numbers)
        if not of_feature or attribute.fold != "sum":
            return low, high
        most = max(1, self._segments)
        return min(low, low * most), max(high, high * most)
