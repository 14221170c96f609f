"""Tiles with three sides: their ports, turns, corners and drawings, and the cells around a cell."""

from __future__ import annotations

import pickle

import pytest

from rulesdsl.language.diagnostics import Report
from rulesdsl.language.geometry.notation import draw
from rulesdsl.language.model.geometry import (
    HEXAGON,
    INVERTED,
    LANE,
    TRIANGLES,
    UPRIGHT,
    distinct_rotations,
    drawn_at,
    has_side,
    over_sides,
    port_name,
    ring,
    rotate,
    turned,
)
from tests.geometry.drawing import Drawing, names, outline

BY_NAME = {port_name(port, UPRIGHT): port for port in ring(UPRIGHT)}


def test_every_second_side_is_one_of_a_triangle() -> None:
    assert list(BY_NAME) == [side + lane for side in ("NE", "S", "NW") for lane in "LCR"]
    below = [port_name(port, INVERTED) for port in ring(INVERTED)]
    assert below == [side + lane for side in ("N", "SE", "SW") for lane in "LCR"]


def test_a_turn_makes_it_point_the_other_way() -> None:
    for turn in range(6):
        ports = {rotate(port, turn, UPRIGHT) for port in ring(UPRIGHT)}
        assert ports == set(ring(turned(UPRIGHT, turn)))
    assert turned(UPRIGHT, 1) == turned(UPRIGHT, 5) == INVERTED
    assert turned(INVERTED, 3) == turned(UPRIGHT, 2) == UPRIGHT


def test_its_size_is_that_of_nothing_else() -> None:
    sizes = {HEXAGON, UPRIGHT, INVERTED, (1, 1)}
    assert len(sizes) == len(sizes | {pickle.loads(pickle.dumps(each)) for each in sizes}) == 4


def test_neighbours_over_sides_see_each_other() -> None:
    for x in range(-2, 3):
        for y in range(-2, 3):
            near = list(over_sides(TRIANGLES, x, y))
            assert len(near) == len(set(near)) == 3
            assert all((x, y) in over_sides(TRIANGLES, *each) for each in near)
            assert sum(has_side(TRIANGLES, x, y, side) for side in range(6)) == 3
            here = complex(*drawn_at(TRIANGLES, x, y))
            apart = [abs(here - complex(*drawn_at(TRIANGLES, *each))) for each in near]
            assert apart == pytest.approx([0.8] * 3)


@pytest.mark.parametrize(
    ("drawing", "rotations"),
    [
        ({"road": ["NE-S-NW"]}, (0, 1)),
        ({"road": ["NE", "S", "NW"]}, (0, 1)),
        ({"road": ["NE-S"]}, (0, 1, 2, 3, 4, 5)),
        ({"city": ["NW"]}, (0, 1, 2, 3, 4, 5)),
        ({"road": ["NE>N"]}, (0, 1, 2, 3, 4, 5)),
    ],
    ids=str,
)
def test_rotations_that_look_different(drawing: Drawing, rotations: tuple[int, ...]) -> None:
    assert distinct_rotations(outline(drawing, UPRIGHT)) == rotations


def test_lines_part_the_fill() -> None:
    piece = outline({"road": ["NE-S"]}, UPRIGHT)
    assert names(piece) == ["NE.S", "NEL.SR.NWL.NWR", "NER.SL"]


@pytest.mark.parametrize(
    ("line", "before"), [("S>N", "NWR"), ("NW>SE", "NER"), ("NE>SW", "SR")], ids=str
)
def test_corners(line: str, before: str) -> None:
    (road, *_) = outline({"road": [line]}, UPRIGHT).segments
    assert road.end is not None
    assert road.end.rim == LANE * ring(UPRIGHT).index(BY_NAME[before]) + LANE // 2


@pytest.mark.parametrize(
    ("drawing", "slug", "help"),
    [
        ({"road": ["N-S"]}, "port-unknown", "sides are NE S NW"),
        ({"road": ["SE"]}, "port-unknown", "sides are NE S NW"),
        ({"road": ["NE>NE"]}, "segment-target", ""),
        ({"city": ["I"]}, "segment-empty", "name a side, such as `NE`"),
    ],
    ids=str,
)
def test_mistakes(drawing: Drawing, slug: str, help: str) -> None:
    report = Report()
    outline(drawing, UPRIGHT, report=report)
    (found,) = report.sorted()
    assert found.slug == slug
    assert help in " ".join(found.help)


def test_it_is_drawn_as_text() -> None:
    lines = draw(outline({"road": ["NE-S"]}, UPRIGHT))
    assert lines[:4] == [
        "    /f1  f1\\",
        "  /f1      r1\\",
        "/f1          f2\\",
        "+---f1 r1 f2---+",
    ]
