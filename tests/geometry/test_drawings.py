"""What the port notation means, beyond the tiles of the shipped sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.geometry.notation import draw
from rulesdsl.language.model.geometry import CENTRE, SIDES, KindShape, Outline, Port, Shape, rotate
from tests.geometry.drawing import KINDS, Drawing, names, outline, segments
from tests.oracle.board import mirror

SEES_ALL = {**KINDS, "field": KindShape("field", Shape.FILL, frozenset(KINDS))}

REGIONS = yaml.safe_load((Path(__file__).parent / "regions.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", REGIONS, ids=[case["why"] for case in REGIONS])
def test_regions_and_what_they_touch(case: dict[str, Any]) -> None:
    found = segments(outline(case["drawn"], kinds=SEES_ALL), SEES_ALL)
    assert found["field"] == case["field"]


MEETS: list[tuple[Drawing, dict[str, list[str]]]] = [
    ({"road": ["N", "E", "S"]}, {"N": ["E", "S"], "E": ["N", "S"], "S": ["E", "N"]}),
    ({"road": ["N", "E"], "monastery": ["I"]}, {"N": ["I"], "E": ["I"]}),
    ({"road": ["N", "S"], "city": ["E>C"]}, {"N": ["E", "S"], "S": ["E", "N"]}),
    ({"road": ["N>S", "S>N"]}, {"N": ["S"], "S": ["N"]}),
    ({"road": ["N-S", "E>N"]}, {"N.S": ["E"], "E": ["N.S"]}),
    ({"road": ["N>SW", "E>SW"]}, {"N": ["E"], "E": ["N"]}),
    ({"road": ["N"]}, {"N": []}),
    ({"road": [{"at": "N-S", "over": "E-W"}, "E-W"]}, {"N.S": [], "E.W": []}),
    ({"road": ["N"], "city": ["E-W"]}, {"N": ["E.W"]}),
    ({"road": [{"at": "N", "over": "E-W"}], "city": ["E-W"]}, {"N": []}),
]


@pytest.mark.parametrize(("drawing", "meets"), MEETS)
def test_lines_remember_what_they_meet(drawing: Drawing, meets: dict[str, list[str]]) -> None:
    assert segments(outline(drawing))["road"] == meets


def test_lines_that_cross_hold_any_lanes_and_divide_no_fill() -> None:
    piece = outline({"trail": ["NL-SR", "NR-EL", "WL-E"]})
    assert names(piece)[:3] == ["NL.SR", "NR.EL", "E.WL"]
    assert names(piece)[3:] == ["NC.ER.SL.WR"]
    assert [segment.touches for segment in piece.segments] == [()] * 4
    assert piece.sides == {(0, 0, side): "trail" for side in range(4)}


def test_sides_without_a_fill_kind_are_empty() -> None:
    piece = outline({"city": ["N"]}, kinds={"city": KINDS["city"]})
    assert [piece.sides[0, 0, side] for side in range(4)] == ["city", None, None, None]
    assert names(piece) == ["N"]


def test_segments_come_as_written_and_then_by_ring() -> None:
    piece = outline({"road": ["S-W"], "city": ["N-E"]})
    assert names(piece) == ["S.W", "N.E", "SL.WR", "SR.WL"]
    assert piece.segments[1].ports == tuple(sorted(piece.segments[1].ports))


def test_attributes_reach_their_segments() -> None:
    piece = outline({"city": [{"at": "N", "shield": 1}], "field": [{"at": "WL", "sheep": 2}]})
    assert [dict(segment.attributes) for segment in piece.segments] == [{"shield": 1}, {"sheep": 2}]


def test_an_enclosed_region_is_named_inside() -> None:
    piece = outline({"city": ["N", "E", "S-W"], "field": [{"at": "I", "sheep": 2}]})
    assert dict(piece.segments[-1].attributes) == {"sheep": 2}
    assert piece.segments[-1].borders == (0, 1, 2)


def test_a_fill_is_of_the_kind_of_its_entry_else_of_the_first() -> None:
    kinds = {**KINDS, "sea": KindShape("sea", Shape.FILL)}
    piece = outline({"road": ["N-E"], "sea": ["EL"]}, kinds=kinds)
    assert [segment.kind for segment in piece.segments] == ["road", "field", "sea"]


def test_fills_written_out() -> None:
    piece = outline(
        {
            "city": ["N", "S"],
            "field": [{"at": "WL-WR", "borders": ["S"], "sheep": 1}, {"at": "E", "borders": ["N"]}],
        }
    )
    assert segments(piece)["field"] == {"EL.ER": ["N"], "WL.WR": ["S"]}
    assert Port(0, 0, 1, CENTRE) in piece.segments[2].ports
    assert dict(piece.segments[3].attributes) == {"sheep": 1}


def test_fills_written_out_may_split_a_side_and_lie_inside() -> None:
    kinds = {**KINDS, "field": KindShape("field", Shape.FILL, frozenset({"city", "monastery"}))}
    fields: list[dict[str, Any]] = [
        {"at": "EL-W", "borders": ["N", "I"]},
        {"at": "ER-S", "borders": []},
        {"at": "I", "borders": ["N"]},
    ]
    piece = outline({"city": ["N"], "monastery": ["I"], "field": fields}, kinds=kinds)
    assert segments(piece, kinds)["field"] == {
        "EL.WL.WR": ["I", "N"],
        "ER.SL.SR": [],
        "I": ["N"],
    }
    assert all(Port(0, 0, 1, CENTRE) not in segment.ports for segment in piece.segments)


def test_cells_of_a_large_piece() -> None:
    piece = outline({"road": ["r0c1.N-r2c0.W"], "monastery": ["I"]}, (2, 3))
    assert [segment.cells for segment in piece.segments[:2]] == [((1, 0), (0, 2)), ((0, 1),)]


def test_lines_of_a_large_piece_meet_in_its_middle_beside_any_area() -> None:
    piece = outline({"road": ["r0c0.N", "r0c1.S"], "city": ["r0c1.N-r0c1.E"]}, (2, 1))
    assert segments(piece)["road"]["r0c0N"] == ["r0c1S"]


def test_corners_of_a_large_piece() -> None:
    east, west = (
        outline({"city": [f"r1c0.S>{corner}"]}, (2, 2)) for corner in ("r0c0.NE", "r0c1.NW")
    )
    assert names(east) == names(west)
    assert len(east.segments) == 3


def joined(one: Outline, two: Outline, direction: int) -> list[set[str]]:
    """What joins when `one`, turned so that its east side lies in `direction`, has `two` with its
    east side against it: sets of segments, `a` or `b` and the name on the unturned piece."""
    owners = {}
    for prefix, piece, turns in (("a", one, direction - 1), ("b", two, direction + 1)):
        for name, segment in zip(names(piece), piece.segments, strict=True):
            for port in segment.ports:
                owners[prefix, rotate(port, turns)] = f"{prefix} {name}"
    groups: list[set[str]] = []
    for (prefix, port), owner in owners.items():
        there = mirror(port)
        other = owners.get(("b", Port(0, 0, there.side, there.lane)))
        if prefix == "a" and port.side == direction and other is not None:
            touching = [group for group in groups if group & {owner, other}]
            groups = [group for group in groups if group not in touching]
            groups.append({owner, other}.union(*touching))
    return groups


@pytest.mark.parametrize("direction", range(4), ids=SIDES)
def test_a_shared_side_joins_all_areas_that_touch_it(direction: int) -> None:
    shared, whole = outline({"city": ["N-EL-EC", "ER-S"]}), outline({"city": ["N-E-S-W"]})
    assert joined(shared, shared, direction) == [{"a N.EL.EC", "a ER.S", "b N.EL.EC", "b ER.S"}]
    assert joined(shared, whole, direction) == [{"a N.EL.EC", "a ER.S", "b N.E.S.W"}]


@pytest.mark.parametrize("direction", range(4), ids=SIDES)
def test_a_side_parted_by_a_needle_joins_only_across_a_whole_side(direction: int) -> None:
    parted, whole = outline({"city": ["W>E"]}), outline({})
    assert names(parted) == ["W", "NL.NR.EL", "ER.SL.SR"]
    across = joined(parted, parted, direction)
    assert across == [{"a NL.NR.EL", "b ER.SL.SR"}, {"a ER.SL.SR", "b NL.NR.EL"}]
    beside_whole = joined(parted, whole, direction)
    assert beside_whole == [{"a NL.NR.EL", "a ER.SL.SR", "b NL.NR.EL.ER.SL.SR.WL.WR"}]


def test_a_picture_names_every_segment() -> None:
    drawing: Drawing = {"city": [{"at": "N", "shield": 1}], "road": ["E-W"], "monastery": ["I"]}
    assert draw(outline(drawing), {"field"}) == [
        "+-c1-c1-c1-+",
        "f1        f1",
        "r1   m1   r1",
        "f2        f2",
        "+-f2-f2-f2-+",
        "c1 city N, shield 1",
        "r1 road E.W",
        "m1 monastery I",
        "f1 field EL.WR, borders c1",
        "f2 field ER.S.WL",
    ]


def test_a_picture_of_a_large_piece() -> None:
    kinds = {"lake": KindShape("lake", Shape.AREA), "lane": KindShape("lane", Shape.LINE)}
    piece = outline({"lake": ["r0c0.NL"], "lane": ["r0c1.S"]}, (2, 1), kinds)
    assert draw(piece) == [
        "+-l1-.--.--.--.--.--+",
        ".                   .",
        ".                   .",
        ".                   .",
        "+-.--.--.--.--a1-.--+",
        "l1 lake r0c0NL",
        "a1 lane r0c1S, ends in the middle",
    ]


def test_the_legend_says_where_a_line_ends_and_what_it_touches() -> None:
    drawing: Drawing = {"city": ["N"], "road": ["S", "W>SW", "E>N"], "monastery": ["I"]}
    assert draw(outline(drawing), {"field"})[5:10] == [
        "c1 city N, touches r3",
        "r1 road S, borders m1, ends in the middle",
        "r2 road W, ends at the edge",
        "r3 road E, borders c1, ends at c1",
        "m1 monastery I, touches r1",
    ]
    bridge: Drawing = {"city": ["N"], "road": ["E-W", {"at": "S>N", "over": "E-W"}]}
    assert draw(outline(bridge), {"field"})[7] == "r2 road S, borders c1, over r1, ends at c1"
