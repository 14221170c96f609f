"""What holds for every drawing, right or wrong."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report
from rulesdsl.language.geometry.notation import draw
from rulesdsl.language.model.geometry import (
    CENTRE,
    SIDES,
    KindShape,
    Outline,
    Port,
    Shape,
    outer_sides,
    ring,
    rotate,
    rotate_cell,
)
from tests.geometry.drawing import KINDS, Drawing, outline

SEES_ALL = {**KINDS, "field": KindShape("field", Shape.FILL, frozenset(KINDS))}
CORNERS = ["NE", "SE", "SW", "NW"]
ENDS = ["", "", "", *(f">{end}" for end in ("C", *CORNERS, *SIDES))]


@st.composite
def drawings(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Drawings in which every side is free or held by one segment, often without a mistake."""
    drawing: dict[str, list[Any]] = {"monastery": ["I"] * draw(st.integers(0, 1))}
    groups: dict[tuple[str, int], str] = {}
    for side in SIDES:
        kind = draw(st.sampled_from(["city", "road", "river", ""]))
        if kind:
            group = (kind, draw(st.integers(0, 2)))
            groups[group] = f"{groups[group]}-{side}" if group in groups else side
    for (kind, _), sides in groups.items():
        end = draw(st.sampled_from(ENDS))
        over = draw(st.sampled_from([*[at for at in groups.values() if at != sides], None]))
        bridge = over is not None and draw(st.booleans())
        entry = {"at": sides + end, "over": over} if bridge else sides + end
        drawing.setdefault(kind, []).append(entry)
    return drawing


def turn_text(text: str, turns: int) -> str:
    """Port notation turned clockwise."""

    def turn(match: re.Match[str]) -> str:
        word = match[0]
        if word in CORNERS:
            return CORNERS[(CORNERS.index(word) + turns) % 4]
        return SIDES[(SIDES.index(word[0]) + turns) % 4] + word[1:]

    return re.sub("|".join(CORNERS) + "|[NESW][LCR]?", turn, text)


def turn_drawing(drawing: Drawing, turns: int) -> Drawing:
    def turn(entry: Any) -> Any:
        if isinstance(entry, str):
            return turn_text(entry, turns)
        return {key: turn_text(text, turns) for key, text in entry.items()}

    return {kind: [turn(entry) for entry in entries] for kind, entries in drawing.items()}


def content(piece: Outline, turns: int) -> Counter[tuple[Any, ...]]:
    """All segments of a piece after some turns, by kind, ports, and ports of what they border."""
    held = [frozenset(rotate(p, turns, piece.size) for p in s.ports) for s in piece.segments]
    return Counter(
        (
            segment.kind,
            ports,
            frozenset(held[index] for index in segment.borders),
            tuple(sorted(rotate_cell(cell, turns, piece.size) for cell in segment.cells)),
        )
        for segment, ports in zip(piece.segments, held, strict=True)
    )


@given(drawings(), st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_turning_the_notation_turns_the_piece(drawing: Drawing, turns: int) -> None:
    report, again = Report(), Report()
    piece = outline(drawing, kinds=SEES_ALL, report=report)
    turned = outline(turn_drawing(drawing, turns), kinds=SEES_ALL, report=again)
    assert [d.slug for d in report] == [d.slug for d in again]
    if report.ok:
        assert content(turned, 0) == content(piece, turns)
    for x, y, side in outer_sides(piece.size):
        assert turned.sides[x, y, (side + turns) % 4] == piece.sides[x, y, side]


@given(drawings())
@settings(max_examples=100, deadline=None)
def test_regions_share_out_what_is_free(drawing: Drawing) -> None:
    report = Report()
    piece = outline(drawing, report=report)
    assume(report.ok)
    held = Counter(port for segment in piece.segments for port in segment.ports)
    reached = {SIDES.index(at[-1]) for at in _texts(drawing) if re.search(">[NESW]$", at)}
    parted = {Port(0, 0, side, CENTRE) for side in reached} - held.keys()
    assert set(held.values()) <= {1}
    assert held.keys() | parted == set(ring((1, 1)))
    assert all(segment.ports == tuple(sorted(segment.ports)) for segment in piece.segments)


def _texts(drawing: Drawing) -> list[str]:
    entries = [entry for found in drawing.values() for entry in found]
    return [entry if isinstance(entry, str) else entry["at"] for entry in entries]


WORDS = st.text("NESWLRCI->.r0c1 x", max_size=12) | st.text(max_size=6)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(KINDS)),
            WORDS,
            st.none() | WORDS,
            st.none() | st.lists(WORDS, max_size=3),
        ),
        max_size=6,
    ),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
@settings(max_examples=100, deadline=None)
def test_any_text_gives_an_outline(
    entries: list[tuple[str, str, str | None, list[str] | None]], size: tuple[int, int]
) -> None:
    drawing: dict[str, list[Any]] = {}
    for kind, at, over, borders in entries:
        drawing.setdefault(kind, []).append({"at": at, "over": over, "borders": borders})
    piece = outline(drawing, size, report=Report())
    held = Counter(port for segment in piece.segments for port in segment.ports)
    assert set(held.values()) <= {1}
    assert held.keys() <= set(ring(size))
    assert list(piece.sides) == list(outer_sides(size))
    assert all(i < len(piece.segments) for segment in piece.segments for i in segment.borders)
    assert draw(piece)
