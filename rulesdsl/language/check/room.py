"""The memory that the state of a game takes, computed from its declarations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import prod
from typing import NamedTuple

from rulesdsl.engine.runtime import tables
from rulesdsl.engine.runtime.declare import DeclaredTable, measure
from rulesdsl.language.check.types import domain
from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.model.checked import Checked, StateDef
from rulesdsl.language.model.game import KindDef, LinkedGame
from rulesdsl.language.model.types import CELL, LAID_CLASSES, PLAYER, SEGMENT

MOST = 64_000_000
"""The greatest number of bytes for the state of a game."""
ENTRY = 8
"""The number of bytes of an entry of a table."""

_SHOWN = 3
_GRID_BITS = 7
"""The bits of a placement for its grid and its rotation."""
_CELLS = 1024
"""The number of cells for which a state of cells is stored."""


class MemoryPart(NamedTuple):
    """The memory that a declaration takes."""

    bytes: int
    what: str
    span: Span


def check_room(checked: Checked, report: Report) -> None:
    """Report a game whose state takes more than `MOST` bytes, at the largest declaration.

    Report a grid for tiles, cards or dice whose number has no room in that of a placement, too.
    """
    _check_grids(checked.game, report)
    found = parts(checked)
    total = sum(part.bytes for part in found)
    if total <= MOST:
        return
    most = [part for part in found[:_SHOWN] if part.bytes >= 1_000_000]
    shown = [f"{_megabytes(part.bytes)} for {part.what}" for part in most]
    report.error(
        "state-too-large",
        f"the state of a game takes {_megabytes(total)}, more than the limit of {_megabytes(MOST)}",
        found[0].span,
        help=(f"the largest parts: {', '.join(shown)}", "declare fewer members, copies or indices"),
    )


def _check_grids(game: LinkedGame, report: Report) -> None:
    most, count = 1 << (_GRID_BITS - (game.sides - 1).bit_length()), 0
    for grid in game.grids:
        count += grid.instances(game.roles.most)
        if count > most and not grid.holds.isdisjoint(LAID_CLASSES):
            message = f"with `{grid.name}` there are {count} grids, and {most} are the most"
            fewer = "declare fewer grids, or fewer members of what a grid is `per`"
            report.error("state-too-large", message, grid.span, help=(fewer,))
            return


def parts(checked: Checked) -> list[MemoryPart]:
    """Return the memory that each declaration takes, the largest first."""
    found = [*_states(checked), *_pieces(checked.game), *_places(checked.game)]
    return sorted(found, key=lambda part: part.bytes, reverse=True)


def _megabytes(size: int) -> str:
    return f"{-(-size // 1_000_000):,} MB"


def _states(checked: Checked) -> Iterator[MemoryPart]:
    game = checked.game
    for key, state in checked.states.items():
        entries = _owners(game, state) * prod(domain(game, each) or 0 for each in state.index)
        yield MemoryPart(entries * ENTRY, f"state `{key}`", state.span)


def _owners(game: LinkedGame, state: StateDef) -> int:
    if state.owner == "game":
        return 1
    if state.owner == PLAYER.name:
        return game.roles.most
    if state.owner == CELL.name:
        return _CELLS
    if state.owner == SEGMENT.name:
        return sum(_segments(game.kinds[piece.kind]) for piece in game.pieces)
    return sum(game.kinds[piece.kind].cls == state.owner for piece in game.pieces)


def _pieces(game: LinkedGame) -> Iterator[MemoryPart]:
    """Yield the memory of the components of each box entry, with their segments and cells.

    The cells around the components count too.
    """
    copies = Counter(piece.kind for piece in game.pieces)
    on_grids = frozenset[str]().union(*(grid.holds for grid in game.grids))
    folds = sum(attribute.fold is not None for attribute in game.attributes)
    for number, kind in enumerate(game.kinds):
        segments = _segments(kind)
        # The cells that a component occupies or touches.
        around = max((w * h + 2 * (w + h) for w, h, _ in _outlines(kind)), default=5)
        slots = around + game.sides - 4 if kind.cls in on_grids else 0
        entries = _unit("pieces", folds) + slots * _unit("slots", folds)
        entries += segments * (_unit("segments", folds) + _unit("places", folds))
        what = f"{copies[number]} pieces `{kind.key}`"
        yield MemoryPart(copies[number] * entries * ENTRY, what, kind.span)


def _places(game: LinkedGame) -> Iterator[MemoryPart]:
    for zone in game.zones:
        count = zone.instances(game.roles.most)
        entries = count * (_unit("zones", 0) + _unit("places", 0))
        yield MemoryPart(entries * ENTRY, f"{count} zones `{zone.key}`", zone.span)
    for grid in game.grids:
        count = grid.instances(game.roles.most)
        yield MemoryPart(
            count * _unit("grids", 0) * ENTRY, f"{count} grids `{grid.key}`", grid.span
        )
    for track in game.tracks:
        entries = track.length * (_unit("spaces", 0) + _unit("places", 0))
        yield MemoryPart(entries * ENTRY, f"{track.length} spaces of `{track.key}`", track.span)


def _outlines(kind: KindDef) -> Iterator[tuple[int, int, int]]:
    """Yield width, height and number of segments of everything that a component can show."""
    for outline in (kind.outline, *(face.outline for face in kind.faces)):
        if outline is not None:
            yield (*outline.size, len(outline.segments))


def _segments(kind: KindDef) -> int:
    return max((segments for _, _, segments in _outlines(kind)), default=0)


@cache
def _unit(dimension: str, folds: int) -> int:
    """Return the number of table entries that are added when a dimension grows by one."""
    declared = [table for table in vars(tables).values() if isinstance(table, DeclaredTable)]
    names = {word for table in declared for word in table.size.split() if word.isidentifier()}
    nothing = {**dict.fromkeys(names, 0), "folds": folds, "fits": 1}
    sizes = (measure(table.size, {**nothing, dimension: 1}) for table in declared)
    return sum(sizes) - sum(measure(table.size, nothing) for table in declared)
