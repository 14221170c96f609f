"""Every mistake in a drawing is reported once, where it was made, with the piece drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.language.diagnostics import Diagnostic, Report, Span
from rulesdsl.language.geometry.outline import derive
from rulesdsl.language.model.geometry import KindShape, Shape, port_name, ring
from tests.geometry.drawing import KINDS, drawn, outline

MISTAKES = yaml.safe_load((Path(__file__).parent / "mistakes.yaml").read_text(encoding="utf-8"))
# Where the twelve ports of a single cell stand in a sketch: (line, column).
NORTH, EAST = [(0, 2), (0, 4), (0, 6)], [(1, 8), (2, 8), (3, 8)]
SOUTH, WEST = [(4, 6), (4, 4), (4, 2)], [(3, 0), (2, 0), (1, 0)]
NAMES = [port_name(port, (1, 1)) for port in ring((1, 1))]
PLACES = dict(zip(NAMES, [*NORTH, *EAST, *SOUTH, *WEST], strict=True))


def place(span: Span | None) -> tuple[int, int] | None:
    return None if span is None else (span.start, span.end)


def findings(case: dict[str, Any]) -> list[Diagnostic]:
    report = Report()
    outline(case["drawn"], tuple(case.get("size", (1, 1))), report=report)
    return report.sorted()


@pytest.mark.parametrize("case", MISTAKES, ids=[f"{c['slug']} {c['drawn']}" for c in MISTAKES])
def test_a_mistake_is_one_finding_at_its_place(case: dict[str, Any]) -> None:
    entries, whole = drawn(case["drawn"])
    spans = {entry.at: entry.span for entry in entries} | {"tile": whole}
    (found,) = findings(case)
    assert found.slug == case["slug"]
    assert place(found.span) == place(spans[case["at"]])
    assert case["message"] in found.message
    assert found.message.startswith("`tile`: ")
    assert case["help"] in " ".join(found.help)
    labels = [case["label"]] if "label" in case else []
    assert [place(label.span) for label in found.labels] == [place(spans[at]) for at in labels]


@pytest.mark.parametrize("case", [case for case in MISTAKES if "marked" in case], ids=str)
def test_a_sketch_marks_the_bad_ports(case: dict[str, Any]) -> None:
    (found,) = findings(case)
    *sketch, legend = found.picture
    marked = {name for name, (line, column) in PLACES.items() if sketch[line][column] == "!"}
    assert marked == set(case["marked"].split())
    assert legend.endswith(". free, ! here")


def test_a_sketch_without_a_bad_port_names_the_free_ones() -> None:
    (found,) = findings({"drawn": {"city": ["N", "Z"]}})
    assert found.picture == (
        "+-c--c--c--+",
        "WR        EL",
        "WC        EC",
        "WL        ER",
        "+-SR-SC-SL-+",
        "c city",
    )


def test_a_large_piece_is_not_sketched() -> None:
    (found,) = findings({"drawn": {"city": ["r0c0.Z"]}, "size": (40, 40)})
    assert (len(found.help), found.picture) == (1, ())


def test_mistakes_of_one_reading_are_all_reported() -> None:
    found = findings({"drawn": {"city": ["Q", "N", "N-E"], "road": ["SL"]}})
    assert [finding.slug for finding in found] == ["port-unknown", "port-twice", "port-lane"]


def test_two_fill_kinds_on_one_side() -> None:
    kinds = {**KINDS, "sea": KindShape("sea", Shape.FILL)}
    report = Report()
    entries, span = drawn({"city": ["N>S"], "sea": ["SL"]})
    piece = derive("tile", (1, 1), entries, kinds, span, report)
    (found,) = report.sorted()
    assert (found.slug, found.span) == ("port-lane", span)
    assert piece.sides[0, 0, 2] == "field"


def test_what_could_be_read_is_kept() -> None:
    piece = outline({"city": ["N", "N-E", "Q"]}, report=Report())
    assert [len(segment.ports) for segment in piece.segments] == [3, 3, 6]
