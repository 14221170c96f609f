"""Every piece of every shipped game is drawn: the same each time, within its bounds, legibly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from math import dist
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from rulesdsl.language.model.game import KindDef
from rulesdsl.language.model.geometry import Outline, Shape
from rulesdsl.show.draw import Pieces, piece_svg, sheet_svg
from rulesdsl.show.draw.pieces import Tile
from rulesdsl.show.draw.shapes import PiecePaths, Spots, inward, middle, region
from rulesdsl.show.draw.svg import holds
from tests.draw.conftest import GAMES, game
from tests.geometry import drawing

SVG = "{http://www.w3.org/2000/svg}"
SHIPPED = pytest.mark.parametrize("names", GAMES, ids=lambda names: names[0].rpartition("/")[2])


def tiles(names: tuple[str, ...]) -> Iterator[tuple[KindDef, Tile]]:
    pieces = Pieces(game(*names))
    for index, kind in enumerate(pieces.game.checked.game.kinds):
        if kind.outline is not None:
            yield kind, pieces.tile(index)


def outlines(names: tuple[str, ...]) -> Iterator[tuple[str, Outline]]:
    for kind in game(*names).checked.game.kinds:
        if kind.outline is not None:
            yield kind.text, kind.outline
        yield from ((face.name, face.outline) for face in kind.faces if face.outline is not None)


@SHIPPED
def test_every_piece_is_drawn_the_same_each_time(names: tuple[str, ...]) -> None:
    loaded = game(*names)
    for kind in loaded.checked.game.kinds:
        svg = piece_svg(loaded, kind)
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert len(list(root.iter())) > 3, kind.text
        anew = piece_svg(loaded, kind, language="xx")  # nothing is kept from the other language
        assert svg == anew, kind.text
        values = " ".join(re.findall(r'="([^#"]*)"', svg))
        assert not re.search(r"\b(nan|inf|\d{5,})\b", values), kind.text


@SHIPPED
def test_marks_lie_within_their_tile_and_beside_one_another(names: tuple[str, ...]) -> None:
    for kind, tile in tiles(names):
        width, height = (100 * cells for cells in tile.outline.size)
        for mark in tile.marks:
            x, y = mark.at
            half = mark.size / 2
            assert half <= x <= width - half, kind.text
            assert half <= y <= height - half, kind.text
        for one, other in combinations(tile.marks, 2):
            assert dist(one.at, other.at) > 0.45 * (one.size + other.size), kind.text


@SHIPPED
def test_words_lie_within_the_picture(names: tuple[str, ...]) -> None:
    loaded = game(*names)
    pieces = Pieces(loaded, "es")
    svg = sheet_svg([(pieces, kind) for kind in loaded.checked.game.kinds])
    captions = ElementTree.fromstring(svg).findall(f".//{SVG}text")
    assert captions
    for kind in loaded.checked.game.kinds:
        lines, (width, height) = pieces.draw(kind)
        for text in ElementTree.fromstring(f"<g>{''.join(lines)}</g>").iter("text"):
            x, y, size = (float(text.attrib[key]) for key in ("x", "y", "font-size"))
            reach = 0.57 * size * len(text.text or "") / 2
            assert x - reach >= -1, kind.text
            assert x + reach <= width + 1, kind.text
            assert size * 0.7 <= y <= height, kind.text


@SHIPPED
def test_the_middle_of_each_lane_lies_on_the_shape_of_its_segment(names: tuple[str, ...]) -> None:
    shapes = {kind.key: kind.shape.shape for kind in game(*names).checked.game.feature_kinds}
    for name, outline in outlines(names):
        check_lanes(name, outline, shapes)


DRAWINGS = yaml.safe_load((Path(drawing.__file__).with_name("regions.yaml")).read_text("utf-8"))


@pytest.mark.parametrize("case", DRAWINGS, ids=[case["why"] for case in DRAWINGS])
def test_drawings_of_all_sorts(case: dict[str, Any]) -> None:
    outline = drawing.outline(case["drawn"], tuple(case.get("size", (1, 1))))
    shapes = {name: kind.shape for name, kind in drawing.KINDS.items()}
    check_lanes(case["why"], outline, shapes)
    layout = PiecePaths(outline, shapes)
    spots = Spots(layout, [10.0] * len(outline.segments))
    width, height = (100 * cells for cells in outline.size)
    for index in range(len(outline.segments)):
        x, y = spots.on(index, 20)
        assert 10 < x < width - 10
        assert 10 < y < height - 10


def check_lanes(name: str, outline: Outline, shapes: Mapping[str, Shape]) -> None:
    """Lines begin at their ports, areas and fills hold what lies beside theirs."""
    layout = PiecePaths(outline, shapes)
    for index, segment in enumerate(outline.segments):
        shape = layout.shape(index)
        for port in segment.ports:
            (x, y), (dx, dy) = middle(outline.size, port), inward(outline.size, port)
            at = (x + 1.5 * dx, y + 1.5 * dy)
            if shape is Shape.LINE:
                ends = [path.start for path in layout.paths(index)]
                ends += [path.points()[-1] for path in layout.paths(index)]
                assert any(dist((x, y), end) < 0.01 for end in ends), name
            elif shape is Shape.AREA:
                assert holds(layout.paths(index)[0].points(), at), (name, port)
            else:
                path = region(layout, index)
                assert path is not None
                assert holds(path.points(), at), (name, port)


@SHIPPED
def test_no_two_areas_cover_the_same(names: tuple[str, ...]) -> None:
    shapes = {kind.key: kind.shape.shape for kind in game(*names).checked.game.feature_kinds}
    for name, outline in outlines(names):
        layout = PiecePaths(outline, shapes)
        areas = [layout.paths(index)[0].points() for index in layout.of(Shape.AREA)]
        width, height = outline.size
        for x in range(2, 100 * width, 7):
            for y in range(2, 100 * height, 7):
                over = [points for points in areas if holds(points, (x + 0.1, y + 0.2))]
                assert len(over) < 2, (name, x, y)


def test_a_piece_is_found_by_its_name() -> None:
    loaded = game(*GAMES[0])
    full = piece_svg(loaded, "base/road-curve", 60)
    assert full == piece_svg(loaded, "road-curve", 60)
    assert 'width="60" height="60"' in full
    with pytest.raises(KeyError):
        piece_svg(loaded, "base/nothing")


def test_a_sheet_names_the_faces_of_dice_and_counts_what_each_player_has() -> None:
    games = Path(__file__).parents[1] / "games"
    words = r">([^<]*)</text>"

    def told(name: str, language: str) -> str:
        pieces = Pieces(game(str(games / name)), language)
        svg = sheet_svg([(pieces, kind) for kind in pieces.game.checked.game.kinds])
        return " ".join(re.findall(words, svg))

    assert "cube \u00d73: one, two, star" in told("vault.yaml", "en")
    assert "para cada jugador" in told("ferries.yaml", "es")
