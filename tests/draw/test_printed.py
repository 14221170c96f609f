"""What manifests say is printed on boards is drawn, by pictures and for the page alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from rulesdsl.cli.main import main
from rulesdsl.play import Game, load
from rulesdsl.show.draw import Pieces, board_svg
from rulesdsl.show.draw.board import fitted, grids_svg, printed
from rulesdsl.show.draw.sheets import print_sheets
from rulesdsl.show.draw.svg import COLOURS, ICONS, INK, PAPER
from rulesdsl.show.page.plan import shared
from tests.architecture.sources import ROOT
from tools.docs.examples import tasks

HOW_TO = ROOT / "docs" / "how-to" / "boards.md"

MANIFEST = """
ruleset: wall
edition: 1
version: 1.0.0
rules: wall.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
enums:
  glass: [blue, amber, red]
grids:
  wall: {holds: token, size: [3, 2]}
zones:
  bag: {holds: token, initial: true}
tracks:
  road: {length: 3, holds: token}
  loop: {length: 6, holds: token, loop: true}
tokens:
  - {id: pane, count: 2}
draw:
  wall: {cells: 'forward(blue, (x - y) mod 3)'}
  wall[2, 1]: {icon: star}
  wall[0,1]: {fill: '#010203'}
  glass.blue: {fill: sky}
  glass.amber: {fill: straw, icon: sun}
  glass.red: {fill: clay}
labels:
  en: {wall: Wall, 'wall[1,0]': Window}
"""
RULES = """
state player.score: int 0..9 = 0
state game.active: player = first(players)

action game():
    turn()
    finish()

choice turn() by active:
    option at(c in all_cells(wall)): move(one(bag, pane), c)

action finish(): end_game(players)
"""
IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60"><path d="M0 0H60V60Z"/></svg>'


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """Makes the game with other looks and other cells."""

    def make(draw: dict[str, Any] | None = None, **grid: Any) -> Game:
        manifest = yaml.safe_load(MANIFEST)
        if "shelf" in grid:
            manifest["zones"]["shelf"] = {"holds": "token", "per": grid.pop("shelf")}
        manifest["grids"]["wall"] |= grid
        manifest["draw"] |= draw or {}
        (tmp_path / "wall.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
        (tmp_path / "wall.rules").write_text(RULES, encoding="utf-8")
        (tmp_path / "pane.svg").write_text(IMAGE, encoding="utf-8")
        return load(tmp_path / "wall.yaml", engine="python")

    return make


def fills(lines: str) -> dict[str, list[tuple[float, ...]]]:
    """The first corners of the cells of each colour, from the paths with several of them."""
    paths = re.findall(r'<path d="([^"]*)" fill="([^"]*)" stroke="#cfc8bb"', lines)
    return {
        fill: [tuple(map(float, each.split())) for each in re.findall(r"M([^L]*)L", path)]
        for path, fill in paths
    }


def test_cells_have_the_look_of_their_members(made: Any) -> None:
    game = made()
    svg = board_svg(Pieces(game), game.start(2, 1))
    assert fills(svg) == {
        COLOURS["sky"]: [(0, 0), (100, 100)],
        COLOURS["straw"]: [(100, 0), (200, 100)],
        COLOURS["clay"]: [(200, 0)],
        "#010203": [(0, 100)],
    }
    assert svg.count(f'{ICONS["sun"].body}" fill="{PAPER}" stroke="{INK}"') == 1
    assert svg.count(f'{ICONS["star"].body}" fill="{PAPER}" stroke="{INK}"') == 1
    assert ">Window</text>" in svg


def test_a_board_of_an_expansion_takes_no_zone_of_the_game(made: Any, tmp_path: Path) -> None:
    made({"bag": {"place": [300, 0, 100, 100]}})
    head = "ruleset: more\nedition: 1\nversion: 1.0.0\nrequires: [wall]\n"
    grids = "grids: {more: {holds: token, size: [9, 9]}}\n"
    (tmp_path / "more.yaml").write_text(head + grids, encoding="utf-8")
    game = load(tmp_path / "wall.yaml", ["more"], engine="python")
    assert game.checked.game.styles["wall/bag"].board == "wall/wall"


def test_without_a_look_all_cells_have_a_rim(made: Any) -> None:
    game = made(
        {"wall": {"fill": "white"}, "wall[2, 1]": {"text": "x"}, "wall[0,1]": {"text": "y"}}
    )
    assert len(fills(board_svg(Pieces(game), game.start(2, 1)))[COLOURS["white"]]) == 6


def test_hexagons(made: Any) -> None:
    game = made({"wall[0,0]": {"image": "pane.svg"}}, cells="hexagons")
    svg = board_svg(Pieces(game), game.start(2, 1))
    assert fills(svg)[COLOURS["straw"]] == [(150, -7.7), (300, 78.9)]
    assert 'clip-path="url(#art-hexagon)"' in svg
    assert svg.count('<clipPath id="art-hexagon">') == 1


def test_the_page_and_the_book_have_the_same(made: Any) -> None:
    game = made({"wall[0,0]": {"image": "pane.svg"}}, cells="hexagons")
    pieces = Pieces(game)
    lines = printed(pieces.looks, game.checked.game.grids[0])
    plan = shared(game)
    ids = [attributes["id"] for _, attributes, *_ in plan["images"]]
    assert "art-hexagon" in ids
    (path,) = (each for each in plan["grids"][0]["drawn"] if each[1].get("fill") == COLOURS["clay"])
    assert path[1]["d"] in "".join(lines)
    clip, image, *_ = shared(made({"wall": {"image": "pane.svg"}}, cells="hexagons"))["grids"][0][
        "drawn"
    ]
    assert clip[0] == "clipPath"
    assert image[1]["clip-path"] == f"url(#{clip[1]['id']})"
    state = game.start(2, 1)
    state.play(state.moves()[0])
    for svg in (board_svg(pieces, state), grids_svg(pieces, state)):
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert path[1]["d"] in svg


PLACED = {
    "road": {"path": [[50, -50], [250, -50], [250, 50]], "board": "wall", "cells": "red"},
    "road[1]": {"icon": "star"},
    "bag": {"board": "wall", "place": [320, 0, 100, 200], "image": "pane.svg"},
    "loop": {"path": "ring"},
}
SHELVES = {"glass": "glass", "player": "player", "both": ["player", "glass"]}


def test_zones_share_a_place_in_equal_parts(made: Any) -> None:
    """Those of a player on the player's own board, all others on the same one."""
    for name, per in SHELVES.items():
        game = made({"shelf": {"board": "wall", "place": [0, 200, 90, 60]}}, shelf=per)
        svg = board_svg(Pieces(game), game.start(2, 1))
        corners = re.findall(r"translate\(([-\d.]+ 200)\)", svg)
        assert (
            corners
            == {
                "glass": ["0 200", "30 200", "60 200"],
                "player": ["0 200", "45 200"],
                "both": ["0 200", "15 200", "30 200", "45 200", "60 200", "75 200"],
            }[name]
        )


def test_tracks_and_zones_lie_on_boards(made: Any) -> None:
    """Pictures and the plan of the page have each space and each zone where manifests lay it."""
    game = made(PLACED)
    state = game.start(2, 1)
    svg = board_svg(Pieces(game), state)
    corners = re.findall(r"translate\(([-\d. ]+)\) scale\(2.043\)", svg)
    assert corners[:3] == ["3 -97", "203 -97", "203 3"]
    assert len(corners) == 3 + 6
    assert '"100" height="200" viewBox="0 0 60 60"' in svg
    assert svg.count(">bag</text>") == 1, "it is not drawn below the boards, too"
    page = print_sheets(game)
    assert re.findall(r"translate\(([-\d. ]+)\) scale\(2.043\)", page) == corners
    assert page.count(">bag</text>") == 1
    plan = shared(game)
    loop, road = plan["tracks"]
    assert road["board"]["spaces"] == [[50, -50], [250, -50], [250, 50]]
    assert (road["board"]["grid"], road["board"]["track"], road["board"]["width"]) == (0, None, 94)
    assert loop["board"]["grid"] is None
    assert len(loop["board"]["spaces"]) == 6
    assert ICONS["star"].body in str(road["printed"][1])
    (bag,) = plan["zones"]
    assert bag["board"] == {"grid": 0, "track": None, "box": [320, 0, 100, 200]}


def test_pieces_are_as_large_as_they_fit() -> None:
    assert fitted([], (10, 10)) == (1.5, [])
    scale, corners = fitted([(20, 20)] * 4, (45, 60))
    assert scale == 1.0
    assert corners == [(0, 0), (24, 0), (0, 24), (24, 24)]
    for (x, y), (wide, high) in zip(corners, [(20, 20)] * 4, strict=True):
        assert x + scale * wide <= 45
        assert y + scale * high <= 60


@pytest.mark.parametrize(("name", "size"), [("panes", 40), ("voyage", 50)])
def test_the_how_to_draws_its_pictures(
    name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = (each for each in tasks(HOW_TO) if each["main"] == f"{name}.yaml")
    monkeypatch.chdir(tmp_path)
    for file, text in task["files"].items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    drawn = [f"{name}.yaml", "--size", str(size), "--to", f"{name}.svg"]
    assert f"    rulesdsl show board {' '.join(drawn)}\n" in HOW_TO.read_text(encoding="utf-8")
    assert main(["show", "board", *drawn]) == 0
    wanted = ROOT / "docs" / "pictures" / f"{name}.svg"
    assert (tmp_path / f"{name}.svg").read_bytes() == wanted.read_bytes()
