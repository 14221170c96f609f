"""What may come out of zones, who knows what, and what a sample may change."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.words.box import Absent
from rulesdsl.engine.run.words.views import canonical_lines, view_lines
from tests.engines.worlds import PositionTable, table


def outcomes(at: PositionTable, zone: str) -> list[Any]:
    return [(at.show(piece), weight) for piece, weight in at.outcomes(at.read(zone))]


def done(*steps: str) -> PositionTable:
    at = table()
    for step in steps:
        at.read(step)
    return at


def test_interchangeable_pieces_are_one_outcome() -> None:
    at = table()
    assert outcomes(at, "pile") == [("sun#1", 3), ("moon#1", 2), ("star#1", 1)]


def test_dice_and_owners_tell_copies_apart() -> None:
    at = done("turn_to(cube#2; void)", "move(red house#1; nook[violet])")
    at.read("move(blue house#1; nook[violet])")
    assert outcomes(at, "cup") == [("cube#1", 2), ("cube#2", 1)]
    assert outcomes(at, "nook[violet]") == [("red house#1", 1), ("blue house#1", 1)]


def test_from_an_ordered_zone_the_last_comes() -> None:
    at = done("move(cap#3; stack)", "move(cap#1; stack)", "move(ends#1; stack)")
    assert outcomes(at, "stack") == [("ends#1", 1)]


def test_from_an_ordered_zone_that_nobody_sees_any_comes() -> None:
    at = done("move(cap#3; well)", "move(ends#1; well)", "move(cap#1; well)")
    assert outcomes(at, "well") == [("cap#1", 2), ("ends#1", 1)]


def test_what_comes_upon_shuffled_pieces_comes_off_first() -> None:
    at = done("move(cap#3; stack)", "move(ends#1; stack)", "move(bend#1; stack)")
    at.read("shuffle(stack)")
    at.read("move(straight#1; stack)")
    assert outcomes(at, "stack") == [("straight#1", 1)]
    at.read("take(stack; straight#1)")
    assert outcomes(at, "stack") == [("bend#1", 1), ("cap#3", 1), ("ends#1", 1)]


def test_a_shuffled_piece_taken_frees_the_last_place() -> None:
    at = done("move(cap#3; stack)", "move(cap#1; stack)", "shuffle(stack)")
    at.read("move(straight#1; stack)")
    at.read("move(cap#1; shelf)")
    at.read("take(stack; straight#1)")
    at.read("take(stack; cap#3)")
    with pytest.raises(PlayError, match="the zone is empty"):
        outcomes(at, "stack")


def test_moving_one_shuffled_piece_leaves_the_others_unresolved() -> None:
    at = done("move(cap#1; stack)", "move(ends#1; stack)", "move(bend#1; stack)")
    at.read("shuffle(stack)")
    at.read("take(stack; cap#1)")
    assert at.show(at.world.members(at.read("stack"))) == ["bend#1", "ends#1"]
    assert at.position.place_of(at.read("cap#1")) is None
    assert outcomes(at, "stack") == [("bend#1", 1), ("ends#1", 1)]


def test_pieces_of_an_empty_seat_are_not_there() -> None:
    at = table(players=1)
    assert at.show(at.read("figures()")) == ["red house#1", "red house#2", "red guide#1"]
    absent = next(
        p
        for p in (type(at.read("sun#1"))(i) for i in range(len(at.world.box.game.pieces)))
        if p not in at.world.box
    )
    with pytest.raises(Absent, match="nobody plays blue house"):
        at.position.place_of(absent)


def views(at: PositionTable) -> tuple[list[str], list[str]]:
    return view_lines(at.world, 0), view_lines(at.world, 1)


def test_a_hand_is_seen_by_its_owner() -> None:
    at = done("take(pile; sun#1)", "move(sun#1; hand[red])")
    red, blue = views(at)
    assert "hand[red]: sun#1" in red
    assert "hand[red]: 1 hidden card" in blue
    assert "pile: 5 hidden card" in red
    assert "pile: 5 hidden card" in blue


def test_what_is_shown_is_known_from_then_on() -> None:
    at = done("take(pile; sun#1)", "move(sun#1; hand[red])", "reveal(sun#1)")
    assert "hand[red]: sun#1" in views(at)[1]
    at.read("move(sun#1; chest[red])")
    assert "chest[red]: sun#1" in views(at)[1]


def test_what_was_taken_and_lies_nowhere_is_seen() -> None:
    at = done("take(pile; moon#1)")
    assert all("nowhere: moon#1" in view for view in views(at))


def test_a_card_laid_face_down_is_known_to_who_laid_it() -> None:
    at = done("take(pile; moon#1)", "move(moon#1; hand[red])", "conceal(moon#1)")
    at.read("move(moon#1; row[amber])")
    red, blue = views(at)
    assert "row[amber]: moon#1" in red
    assert "row[amber]: hidden card" in blue
    at.read("reveal(moon#1)")
    assert "row[amber]: moon#1" in views(at)[1]


def test_a_card_laid_face_down_on_a_grid_is_hidden_there() -> None:
    at = done("take(pile; moon#1)", "conceal(moon#1)", "place(moon#1; free 0 0 turned 0)")
    assert all("free (0, 0): hidden card" in view for view in views(at))
    assert "free (0, 0): moon#1" in canonical_lines(at.world)
    assert "known to nobody: sun#1, sun#2, sun#3, moon#1, moon#2, star#1" in canonical_lines(
        at.world
    )
    assert "face down: moon#1" in canonical_lines(at.world)


def test_a_piece_with_segments_lies_open() -> None:
    at = done("conceal(cap#1)", "place(cap#1; board 0 0 turned 0)")
    assert not any(map(at.world.is_face_down, at.world.box.pieces))
    with pytest.raises(PlayError, match="lies on a grid with its segments up"):
        at.read("conceal(cap#1)")


def test_a_shuffle_makes_everything_unknown() -> None:
    at = done("move(cap#1; stack)", "move(ends#1; stack)", "shuffle(stack)")
    assert "stack: hidden tile, hidden tile" in views(at)[0]
    assert "shuffled: cap#1, ends#1" in canonical_lines(at.world)


def test_nobody_knows_which_of_several_was_taken() -> None:
    at = done("reveal(sun#1)", "take(pile; sun#1)", "move(sun#1; chest[red])")
    red, _ = views(at)
    assert "chest[red]: 1 hidden card" in red
    assert "pile: 5 hidden card" in red


def test_taking_what_all_know_hides_nothing() -> None:
    at = done("take(purse; coin#1)", "move(coin#1; purse)")
    assert "purse: coin#1, coin#2, coin#3" in views(at)[0]


def test_joints_stand_in_every_text() -> None:
    at = done("place(straight#1; board 0 0 turned 0)", "place(straight#2; board 0 1 turned 0)")
    at.read("place(straight#3; board 0 2 turned 0)")
    at.read("unlink(straight#1 lane N.S; straight#2 lane N.S)")
    at.read("link(straight#1 lane N.S; straight#3 lane N.S)")
    for lines in (canonical_lines(at.world), *views(at)):
        assert "linked: straight#1 lane N.S and straight#3 lane N.S" in lines
        assert "parted: straight#1 lane N.S and straight#2 lane N.S" in lines


def deal() -> PositionTable:
    """Red holds a sun and a moon, blue the star and a sun; three tiles lie in a deck, two others
    in a shuffled stack, one of them seen on its way."""
    at = done("take(pile; sun#1)", "move(sun#1; hand[red])", "take(pile; moon#1)")
    for step in ("move(moon#1; hand[red])", "take(pile; star#1)", "move(star#1; hand[blue])"):
        at.read(step)
    for step in ("take(pile; sun#2)", "move(sun#2; hand[blue])", "move(cap#1; stack)"):
        at.read(step)
    for step in ("move(ends#1; stack)", "shuffle(stack)"):
        at.read(step)
    return at


@pytest.mark.parametrize("seat", [0, 1])
def test_a_sample_looks_the_same(seat: int) -> None:
    at = deal()
    before, pieces = canonical_lines(at.world), at.world.box.pieces
    for seed in range(30):
        world = at.position.sample(seat, seed).world
        assert view_lines(world, seat) == view_lines(at.world, seat)
        places = (sorted(map(str, map(each.place_of, pieces))) for each in (world, at.world))
        assert next(places) == next(places)
    assert canonical_lines(at.world) == before


def test_a_sample_draws_what_is_hidden_evenly_and_only_from_what_was_mixed() -> None:
    at = deal()
    drawn: Counter[str] = Counter()
    for seed in range(800):
        world = at.position.sample(0, seed).world
        held = at.show(world.members(at.read("hand[blue]")))
        drawn.update(held)
        assert at.show(world.members(at.read("stack"))) == ["cap#1", "ends#1"]
        assert at.show(world.members(at.read("hand[red]"))) == ["sun#1", "moon#1"]
    assert set(drawn) == {"sun#2", "sun#3", "moon#2", "star#1"}
    assert all(330 < count < 470 for count in drawn.values())


def test_mixing_two_groups_makes_them_one() -> None:
    at = done("move(cap#1; deck)", "move(ends#1; deck)", "shuffle(deck)", "move(bend#1; well)")
    at.read("shuffle(well)")
    at.read("take(deck; cap#1)")
    at.read("move(cap#1; well)")
    at.read("shuffle(well)")
    held = set()
    for seed in range(60):
        world = at.position.sample(0, seed).world
        held.update(at.show(world.members(at.read("deck"))))
    assert held == {"cap#1", "ends#1", "bend#1"}
