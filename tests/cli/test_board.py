"""Pieces in characters."""

from __future__ import annotations

import pytest

from rulesdsl.cli.board import PLAIN, SYMBOLS, Glyphs, TerminalStyle, draw_piece
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.geometry.outline import derive
from rulesdsl.language.model.game import FeatureKindDef
from rulesdsl.language.model.geometry import Drawn, KindShape, Outline, Shape

SPAN = Source("test", "").span(0, 0)
SHAPES = {
    "lane": Shape.LINE,
    "canal": Shape.LINE,
    "village": Shape.AREA,
    "wood": Shape.AREA,
    "meadow": Shape.FILL,
    "well": Shape.INSIDE,
}
KINDS = {name: KindShape(name, shape) for name, shape in SHAPES.items()}


def _outline(size: tuple[int, int], written: str) -> Outline:
    """The outline of a piece written like `village N-E, lane S>C, lane E-W over N-S`."""
    drawn = []
    for part in written.split(", "):
        kind, at, *over = part.split()
        drawn.append(Drawn(kind, at, SPAN, over=over[1] if over else None))
    report = Report()
    found = derive("piece", size, drawn, KINDS, SPAN, report)
    assert found is not None, [d.message for d in report]
    return found


def _look(glyphs: Glyphs) -> TerminalStyle:
    return TerminalStyle.of(
        tuple(FeatureKindDef(n, "g", SPAN, s) for n, s in KINDS.items()), glyphs
    )


def _drawn(
    written: str, rotation: int = 0, glyphs: Glyphs = SYMBOLS, size: tuple[int, int] = (1, 1)
) -> list[str]:
    picture = draw_piece(_outline(size, written), rotation, _look(glyphs))
    return ["".join(char for char, _ in row) for row in picture.chars]


@pytest.mark.parametrize(
    ("written", "rotation", "rows"),
    [
        ("lane N-S", 0, ["·  │  ·", "   │   ", "·  │  ·"]),
        ("lane N-S", 1, ["·     ·", "───────", "·     ·"]),
        ("lane N-E", 0, ["·  │  ·", "   └───", "·     ·"]),
        ("lane N-E", 2, ["·     ·", "───┐   ", "·  │  ·"]),
        ("canal N-E", 0, ["·  ║  ·", "   ╚═══", "·     ·"]),
        ("lane N, lane E, lane S", 0, ["·  │  ·", "   •───", "·  │  ·"]),
        ("lane N-S, lane E-W over N-S", 0, ["·  │  ·", "───╫───", "·  │  ·"]),
        ("lane N-E, lane S-W", 0, ["·  │  ·", "───\u2572───", "·  │  ·"]),
        ("lane N-W, lane S-E", 0, ["·  │  ·", "───\u2571───", "·  │  ·"]),
        ("village N", 0, ["·▒▒▒▒▒·", "       ", "·     ·"]),
        ("village N", 3, ["·     ·", "▒▒     ", "·     ·"]),
        ("village N-S", 0, ["·▒▒▒▒▒·", "  ▒▒▒  ", "·▒▒▒▒▒·"]),
        ("village N-E-S-W", 0, ["▒▒▒▒▒▒▒", "▒▒▒▒▒▒▒", "▒▒▒▒▒▒▒"]),
        ("village N-E, lane S-W", 0, ["·▒▒▒▒▒▒", "───┐▒▒▒", "·  │  ·"]),
        ("village N-E-S, lane W", 0, ["·▒▒▒▒▒▒", "───▒▒▒▒", "·▒▒▒▒▒▒"]),
        ("village N, wood E", 0, ["·▒▒▒▒▒ ", "     ░░", "·     ·"]),
        ("well I", 0, ["·     ·", "   ▣   ", "·     ·"]),
        ("lane S, well I", 0, ["·     ·", "   ▣   ", "·  │  ·"]),
    ],
)
def test_a_piece(written: str, rotation: int, rows: list[str]) -> None:
    assert _drawn(written, rotation) == rows


def test_a_piece_in_ascii() -> None:
    rows = _drawn("village N, lane E-S, well I", glyphs=PLAIN)
    assert rows == [".#####.", "   @---", ".  |  ."]
    assert _drawn("canal N-E, lane S-W", glyphs=PLAIN) == [".  :  .", "---\\===", ".  |  ."]


def test_a_piece_of_two_cells() -> None:
    rows = _drawn("lane r0c0.W-r0c1.E, village r0c0.N-r0c1.N", size=(2, 1))
    assert rows[0] == "·▒▒▒▒▒▒▒▒▒▒▒▒·"
    assert rows[1] == "──────────────"


@pytest.mark.parametrize("glyphs", [SYMBOLS, PLAIN])
def test_every_sign_is_one_of_its_own(glyphs: Glyphs) -> None:
    crosses = [sign[15] for sign in glyphs.lines]
    signs = [*crosses, *glyphs.areas, *glyphs.insides]
    assert len(set(signs)) == len(signs)
    assert all(len(sign) == 16 for sign in glyphs.lines)


def test_a_figure_stands_in_the_middle_of_what_it_is_on() -> None:
    outline = _outline((1, 1), "village N-S, lane E>C")
    picture = draw_piece(outline, 0, _look(SYMBOLS))
    first = {outline.segments[i].kind: spots[0] for i, spots in picture.spots.items() if spots}
    assert first["village"] == (3, 1)
    assert first["lane"] == (5, 1)
    for spots in picture.spots.values():
        assert spots, "every segment has a place for a figure"
