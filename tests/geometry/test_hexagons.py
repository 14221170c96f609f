"""Tiles with six sides: their ports, turns, regions and corners, and mistakes in their drawings."""

from __future__ import annotations

import pickle

import pytest

from rulesdsl.language.diagnostics import Report
from rulesdsl.language.geometry.notation import draw
from rulesdsl.language.model.geometry import (
    HEXAGON,
    LANE,
    STEPS_OF_HEXAGON,
    Size,
    distinct_rotations,
    outer_sides,
    port_name,
    ring,
    rotate,
)
from tests.geometry.drawing import Drawing, names, outline
from tests.oracle.board import mirror

BY_NAME = {port_name(port, HEXAGON): port for port in ring(HEXAGON)}


def test_the_ring_begins_at_the_north_corner() -> None:
    sides = ("NE", "E", "SE", "SW", "W", "NW")
    assert list(BY_NAME) == [side + lane for side in sides for lane in "LCR"]


def test_a_turn_moves_the_ring_by_one_side() -> None:
    ports = ring(HEXAGON)
    for turn in range(6):
        turned = [rotate(port, turn, HEXAGON) for port in ports]
        assert turned == [*ports[3 * turn :], *ports[: 3 * turn]]


@pytest.mark.parametrize(("port", "neighbour"), [("NEL", "SWR"), ("EC", "WC"), ("SER", "NWL")])
def test_lanes_meet_mirrored(port: str, neighbour: str) -> None:
    there = mirror(BY_NAME[port], STEPS_OF_HEXAGON)
    assert (there.side, there.lane) == (BY_NAME[neighbour].side, BY_NAME[neighbour].lane)
    assert mirror(there, STEPS_OF_HEXAGON) == BY_NAME[port]


def test_its_size_is_that_of_no_square() -> None:
    square: Size = (1, 1)
    assert square != HEXAGON
    assert square != HEXAGON
    assert len({HEXAGON, square, pickle.loads(pickle.dumps(HEXAGON))}) == 2
    assert len(outer_sides(HEXAGON)) == 6
    assert len(outer_sides(square)) == 4


@pytest.mark.parametrize(
    ("drawing", "rotations"),
    [
        ({"city": ["NE-E-SE-SW-W-NW"]}, (0,)),
        ({"road": ["NE", "SE", "W"]}, (0, 1)),
        ({"road": ["NE-SW"]}, (0, 1, 2)),
        ({"road": ["NE-E"]}, (0, 1, 2, 3, 4, 5)),
        ({"road": [{"at": "NE-SW", "over": "W"}, "E-W"]}, (0, 1, 2)),
        ({"city": ["NE", "SW"]}, (0, 1, 2)),
        ({"road": ["NE>N"]}, (0, 1, 2, 3, 4, 5)),
    ],
    ids=str,
)
def test_rotations_that_look_different(drawing: Drawing, rotations: tuple[int, ...]) -> None:
    assert distinct_rotations(outline(drawing, HEXAGON)) == rotations


def test_lines_part_the_fill() -> None:
    piece = outline({"road": ["W-E", "SW-SE"]}, HEXAGON)
    assert names(piece) == ["E.W", "SE.SW", "NEL.NER.EL.WR.NWL.NWR", "ER.SEL.SWR.WL", "SER.SWL"]


@pytest.mark.parametrize(
    ("corner", "before"),
    [("N", "NWR"), ("ENE", "NER"), ("ESE", "ER"), ("S", "SER"), ("WSW", "SWR"), ("WNW", "WR")],
)
def test_corners(corner: str, before: str) -> None:
    side = {"N": "SE", "ENE": "W", "ESE": "W", "S": "NE", "WSW": "E", "WNW": "E"}[corner]
    (road, *_) = outline({"road": [f"{side}>{corner}"]}, HEXAGON).segments
    assert road.end is not None
    assert road.end.rim == LANE * ring(HEXAGON).index(BY_NAME[before]) + LANE // 2


@pytest.mark.parametrize(
    ("drawing", "slug", "help"),
    [
        ({"road": ["N-S"]}, "port-unknown", "sides are NE E SE SW W NW"),
        ({"road": ["ne"]}, "port-unknown", "did you mean `NE`?"),
        ({"road": ["NE>NNE"]}, "port-unknown", "sides are NE E SE SW W NW"),
        ({"road": ["NE-SE", "E-W"]}, "segments-cross", "{at: NE-SE, over: E-W}"),
        ({"city": ["I"]}, "segment-empty", "name a side, such as `NE`"),
    ],
    ids=str,
)
def test_mistakes(drawing: Drawing, slug: str, help: str) -> None:
    report = Report()
    outline(drawing, HEXAGON, report=report)
    (found,) = report.sorted()
    assert found.slug == slug
    assert help in " ".join(found.help)


def test_it_is_drawn_as_text() -> None:
    lines = draw(outline({"road": ["W-E"]}, HEXAGON))
    assert lines[:9] == [
        "      /f1  f1\\",
        "    /f1      f1\\",
        "  /f1          f1\\",
        "|f1              f1|",
        "|r1              r1|",
        "|f2              f2|",
        "  \\f2          f2/",
        "    \\f2      f2/",
        "      \\f2  f2/",
    ]
