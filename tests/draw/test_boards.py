"""Boards: pieces as they lie, with what stands on them."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rulesdsl.language.model.geometry import (
    INVERTED,
    TRIANGLES,
    UPRIGHT,
    drawn_at,
    over_sides,
    points_up,
)
from rulesdsl.language.model.values import Zone
from rulesdsl.play import Place, State, load
from rulesdsl.play.events import Watch
from rulesdsl.play.table import boards, marks, occupants, pieces, said_of
from rulesdsl.show.draw import Pieces, board_svg
from rulesdsl.show.draw.svg import polygon_corners
from tests.draw.conftest import ODD, game


def played(names: tuple[str, ...], moves: int, seed: int) -> State:
    """A game in which what is possible is chosen in turn, and figures are put where they can."""
    state = game(*names).start(3 if names[0] != "card_game" else 2, seed)
    for number in range(moves):
        found = [move for move in state.moves() if not move.name.endswith("pass")]
        if not state.moves():
            break
        every = found or list(state.moves())
        state.play(every[(number * 7) % len(every)])
    return state


BOARDS = (("base", "river", "hills_and_sheep"), ("card_game",), ("dice_game",), (str(ODD),))


@pytest.mark.parametrize("names", BOARDS, ids=lambda names: names[0].rpartition("/")[2])
def test_boards_are_drawn_the_same_each_time(names: tuple[str, ...]) -> None:
    state = played(names, 24, 5)
    pieces = Pieces(state.game)
    svg = board_svg(pieces, state, 60)
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert svg == board_svg(Pieces(state.game), state, 60)
    stands = occupants(state)
    for board in boards(state, stands):
        for item in board.laid:
            kind = state.names.kind(item.piece)
            if kind.outline is not None:
                place = f"{100 * item.cell.x} {100 * item.cell.y}" if not item.rotation else ""
                assert f"translate({place}" in svg


HIVE = load(Path(__file__).parents[1] / "games" / "hive.yaml", engine="python")


def test_hexagons_lie_side_by_side() -> None:
    """Each is one wide, and each row half a cell east and three quarters of a height below."""
    state = HIVE.start(2, seed=1)
    for number in range(8):
        state.play(state.moves()[number % len(state.moves())])
    root = ElementTree.fromstring(board_svg(Pieces(state.game), state))
    drawn = [group for group in root.iter() if any("polygon" in each.tag for each in group)]
    corners = {tuple(map(float, re.findall(r"[-\d.]+", g.get("transform", "")))) for g in drawn}
    (board,) = boards(state, occupants(state))
    steps = [(0, 0), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    shown = {(cell.x + x, cell.y + y) for cell in board.cells for x, y in steps}
    assert len(corners) == len(shown)
    apart = min(
        (a - c) ** 2 + (b - d) ** 2 for a, b in corners for c, d in corners if (a, b) != (c, d)
    )
    assert apart == pytest.approx(100**2, rel=0.01)


def test_triangles_share_two_corners_with_those_over_their_sides() -> None:
    def corners(x: int, y: int) -> set[tuple[int, int]]:
        size = UPRIGHT if points_up(x, y) else INVERTED
        east, south = drawn_at(TRIANGLES, x, y)
        return {
            (round(100 * east + across), round(100 * south + down))
            for across, down in polygon_corners(size)
        }

    for x in range(-2, 3):
        for y in range(-2, 3):
            shared = [len(corners(x, y) & corners(*each)) for each in over_sides(TRIANGLES, x, y)]
            assert shared == [2, 2, 2]


def test_figures_stand_in_the_colours_of_their_owners() -> None:
    state = played(("base",), 40, 5)
    pieces = Pieces(state.game)
    svg = board_svg(pieces, state)
    owners = [
        state.game.checked.game.pieces[piece.index].seat
        for found in occupants(state).values()
        for piece in found
    ]
    assert owners
    for seat, colour in enumerate(pieces.looks.players):
        drawn = svg.count(f'fill="{colour}"')
        expected = owners.count(seat) + (seat < len(state.players))
        shields = svg.count(f'fill="{colour}" stroke="#2b2622" stroke-width="1.3"')
        assert drawn >= expected
        assert shields >= owners.count(seat)


def test_zones_are_drawn_that_everybody_sees() -> None:
    state = played(("dice_game",), 6, 5)
    svg = board_svg(Pieces(state.game), state)
    root = ElementTree.fromstring(svg)
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    dice = [piece for zone in range(len(state.game.checked.game.zones)) for index in range(2)
            for piece in _lying(state, zone, index)]  # fmt: skip
    assert dice
    assert any(str(word).startswith("dice: ") for word in words)
    hidden = board_svg(Pieces(game("card_game")), game("card_game").start(2, 1))
    assert "hand" not in hidden


def _lying(state: State, zone: int, index: int) -> tuple[object, ...]:
    if state.game.checked.game.zones[zone].per != ("player",):
        return ()
    return state.position.seen(Zone(zone, index), 0)


def test_zones_of_members_are_drawn_with_the_state_that_stands_on_one() -> None:
    state = played(("base", "wheel_of_fortune"), 40, 5)
    svg = board_svg(Pieces(state.game), state)
    held = marks(state, ["wheel_of_fortune/section"])
    sections = ["Fortune", "Taxes", "Famine", "Storm", "Inquisition", "Plague"]
    own = sections[held["wheel_of_fortune/game.pig"]]
    found = re.findall(r'stroke="([^"]*)"[^>]*/>\s*<text [^>]*>([^<]*)</text>', svg)
    assert [name for stroke, name in found if name in sections and stroke == "#d55e00"] == [own]
    assert {name for _, name in found} >= set(sections)
    assert "section of the pig" in svg


def test_tracks_are_drawn_with_what_stands_on_them() -> None:
    state = played(("base",), 2, 1)
    root = ElementTree.fromstring(board_svg(Pieces(state.game), state))
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "score track" in words
    spaces = words[words.index("score track") + 1 :]
    assert [str(number) for number in range(50)] == spaces[:50]
    owners = {str(seat + 1) for seat in range(len(state.players))}
    assert set(spaces[50:]) == owners, "markers have the numbers of their owners"


def test_the_last_piece_is_marked() -> None:
    state = played(("base",), 4, 1)
    pieces = Pieces(state.game)
    plain = board_svg(pieces, state)
    marked = board_svg(pieces, state, last=Place(0, 0, "board"))
    assert len(marked.splitlines()) == len(plain.splitlines()) + 1
    assert marked != plain


def test_the_last_board_keeps_the_figures_that_were_scored() -> None:
    state = game("base").start(2, 1)
    watch = Watch(state)
    while state.mover is not None:
        move = state.moves()[0]
        watch.before(move)
        state.play(move)
        watch.after(move)
    plain = board_svg(Pieces(state.game), state)
    whole = board_svg(Pieces(state.game), state, scored=watch.departed)
    assert watch.departed, "farmers go home at the end"
    assert "scored and returned at the end" in whole
    assert "returned at the end" not in plain


def test_pieces_have_their_labelled_states_below_them() -> None:
    """A king of draughts is told from a man."""
    state = load(Path(__file__).parents[1] / "games" / "draughts.yaml").start(2, seed=1)
    while not any("king" in key for piece in pieces(state) for key, _ in said_of(state, piece)):
        assert "king" not in board_svg(Pieces(state.game), state)
        state.play(state.moves()[len(state.moves()) // 2])
    assert ">king</text>" in board_svg(Pieces(state.game), state)


def test_a_layer_is_drawn_over_its_grid() -> None:
    """The bridge lies across the first tile, turned to its upper right corner."""
    game = load(Path(__file__).parents[1] / "games" / "spans.yaml", engine="python")
    state = game.start(2, seed=3)
    while not any(board.name == "air" for board in boards(state, occupants(state))):
        moves = state.moves()
        state.play(next((m for m in moves if m.name.endswith("over")), moves[-1]))
    svg = board_svg(Pieces(game), state)
    assert ">air<" not in svg
    assert ">board<" not in svg
    tile = svg.index('<g transform="translate(0 0)"')
    assert tile < svg.index('<g transform="translate(100 0) rotate(90)"')
