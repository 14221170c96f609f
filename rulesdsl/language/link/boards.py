"""Boards: where tracks with a path and zones with a place lie, in cells of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

from rulesdsl.language.diagnostics import Span
from rulesdsl.language.diagnostics.report import listed
from rulesdsl.language.geometry import paths
from rulesdsl.language.link.box import BoxBuilder
from rulesdsl.language.model.game import GridDef, Style, TrackDef, ZoneDef
from rulesdsl.language.model.geometry import (
    APOTHEM_OF_TRIANGLE,
    HEXAGONS,
    ROW_OF_HEXAGONS,
    TRIANGLES,
)
from rulesdsl.language.model.names import ruleset_of, short_name

_Owners = Mapping[str, tuple[str, ...]]
"""The indices of each grid, by its full name."""
_Spans = Mapping[tuple[str, str], Span]
"""Where each key of each style is written that counts, by full name and key."""


def lay_out(
    box: BoxBuilder, grids: Sequence[GridDef], styles: dict[str, Style], spans: _Spans
) -> None:
    """Fill in where spaces and zones lie; report those that lie nowhere.

    Tracks come first, since zones may lie on the board of a track.
    """
    owners = {grid.key: grid.per for grid in grids}
    boards = {
        grid.key: _extent(grid, *grid.size)
        for grid in grids
        if grid.size is not None and not grid.over and grid.key not in box.absent
    }
    own = [key for key, track in box.tracks.items() if key in styles]
    for key in sorted(own, key=lambda key: styles[key].board is not None):
        styles[key] = _track(box, box.tracks[key], styles[key], boards, owners, spans)
        if styles[key].spaces is not None and styles[key].board is None:
            place = styles[key].place
            assert place is not None, "it lies there"
            boards[key] = place
    for key, zone in box.zones.items():
        if key in styles:
            styles[key] = _zone(box, zone, styles[key], boards, owners, spans)


def _extent(grid: GridDef, columns: int, rows: int) -> paths.Box:
    across, down = float(columns), float(rows)
    if grid.cells == HEXAGONS:
        over = 1 / sqrt(3) - 0.5
        return 0.0, -over, across + (down - 1) / 2, ROW_OF_HEXAGONS * (down - 1) + 1 + 2 * over
    if grid.cells == TRIANGLES:
        half = APOTHEM_OF_TRIANGLE * sqrt(3)
        left, top = 0.5 - half, 0.5 - 2 * APOTHEM_OF_TRIANGLE
        return left, top, half * (across + 1), 3 * APOTHEM_OF_TRIANGLE * down
    return 0.0, 0.0, across, down


def _track(
    box: BoxBuilder,
    track: TrackDef,
    style: Style,
    boards: Mapping[str, paths.Box],
    owners: _Owners,
    spans: _Spans,
) -> Style:
    """Return the style of a track with its spaces, without any after a mistake."""
    bare = replace(style, path=None, place=None, board=None)
    if style.path is None:
        for key in ("place", "board"):
            if (key_span := spans.get((track.key, key))) is not None:
                help_line = "write `path: row`, for example"
                box.report.error(
                    "missing-key",
                    f"`{track.name}` has no `path`, so it lies on no board",
                    key_span,
                    help=(help_line,),
                )
                break
        return bare
    span = spans[track.key, "path"]
    if track.length > paths.MOST_SPACES:
        message = f"`{track.name}` has {track.length} spaces, too many for a path"
        help_line = f"a path has at most {paths.MOST_SPACES} spaces"
        box.report.error("bad-value", message, span, help=(help_line,))
        return bare
    if style.board is not None and not _is_board(
        box, style.board, boards, spans[track.key, "board"]
    ):
        return bare
    if style.board is not None and owners.get(style.board):
        message = f"there is one `{track.name}`, but several boards `{short_name(style.board)}`"
        help_line = "leave `board` out, or name a grid that there is once"
        box.report.error("bad-value", message, spans[track.key, "board"], help=(help_line,))
        return bare
    if isinstance(style.path, str):
        around = style.place
        if around is None and style.board is not None and style.path != "row":
            around = boards[style.board]
        around = around or (0.0, 0.0, *paths.usual(style.path, track.length))
        spaces = paths.laid(style.path, around, track.length)
    else:
        spaces = paths.spread(style.path, track.length, closed=track.loop)
    size = paths.nearest(spaces)
    if size < paths.LEAST:
        message = f"the path is too short for the {track.length} spaces of `{track.name}`"
        help_line = (
            f"they would be smaller than {paths.LEAST:g} cells: lay the points further apart"
        )
        box.report.error("bad-value", message, span, help=(help_line,))
        return bare
    return replace(style, place=paths.around(spaces, size), spaces=tuple(spaces))


def _zone(
    box: BoxBuilder,
    zone: ZoneDef,
    style: Style,
    boards: Mapping[str, paths.Box],
    owners: _Owners,
    spans: _Spans,
) -> Style:
    """Return the style of a zone with the board on which it lies, without it after a mistake."""
    bare = replace(style, place=None, board=None)
    if style.place is None:
        if (zone.key, "board") in spans:
            message = f"`{zone.name}` has no `place` on this board"
            help_line = "write `place: [x, y, width, height]` in hundredths of a cell"
            box.report.error("missing-key", message, spans[zone.key, "board"], help=(help_line,))
        return bare
    span, on = spans[zone.key, "place"], style.board
    if on is None:
        # Other rulesets may add boards that the author of the zone does not know.
        known = {zone.ruleset, *box.family.reach[zone.ruleset]}
        own = [each for each in boards if ruleset_of(each) in known]
        if len(own) != 1:
            names = [f"`{short_name(each)}`" for each in own]
            message = f"`{zone.name}` needs a board on which it lies"
            help_line = f"write `board:` and {listed(names)}" if names else "give a grid a `size`"
            box.report.error("missing-key", message, span, help=(help_line,))
            return bare
        (on,) = own
    elif not _is_board(box, on, boards, spans[zone.key, "board"]):
        return bare
    index = owners.get(on, ())
    if zone.per[: len(index)] != index:
        message = f"there are several boards `{short_name(on)}`, and not a `{zone.name}` for each"
        help_line = f"give `{zone.name}` the index `{short_name(index[0])}` first"
        box.report.error("bad-value", message, span, help=(help_line,))
        return bare
    (left, top, wide, high), (x, y, w, h) = boards[on], style.place
    if w <= 0 or h <= 0:
        message = "a place has a width and a height of more than 0"
        box.report.error("bad-value", message, span, help=("write `[x, y, width, height]`",))
        return bare
    if not (
        left - 1 <= x + w and x <= left + wide + 1 and top - 1 <= y + h and y <= top + high + 1
    ):
        message = f"`{zone.name}` lies outside the board `{short_name(on)}`"
        corners = [f"{100 * each:.0f}" for each in (left, top, left + wide, top + high)]
        help_line = f"the board reaches from {', '.join(corners[:2])} to {', '.join(corners[2:])}"
        box.report.error(
            "bad-value",
            message,
            span,
            help=(help_line, "a zone lies on it, or at most a cell beside it"),
        )
        return bare
    return replace(style, board=on)


def _is_board(box: BoxBuilder, on: str, boards: Mapping[str, paths.Box], span: Span) -> bool:
    """Return whether things lie on the board of a grid or track; report it if not."""
    if on in boards:
        return True
    message = f"`{short_name(on)}` is no board"
    help_line = "a board is a grid with a `size`, or a track with a `path` and without `board`"
    box.report.error("bad-value", message, span, help=(help_line,))
    return False
