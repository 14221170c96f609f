"""What a seat is told: nothing that depends on what is hidden from it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from rulesdsl import Game, State, load
from rulesdsl.engines.engine import ToldAnswer
from rulesdsl.engines.wasm.position import LoweredPosition
from rulesdsl.host.seen import Seat, play, seen, told, untold
from rulesdsl.play import Move
from rulesdsl.play.names import UnknownPiece
from tests.games.test_games import GAMES

OWN = Path(__file__).parents[1] / "games"
SHIPPED = {"base": ["river", "inns_and_cathedrals", "robbers"], "card_game": [], "dice_game": []}
LOOKS = 6
"""The positions of each game that are looked at."""


def loaded(name: str) -> Game:
    if name in SHIPPED:
        return load(name, SHIPPED[name], engine="wasm")
    return load(OWN / f"{name}.yaml", settings=GAMES[name]["settings"], engine="wasm")


def lowered(state: State) -> LoweredPosition:
    assert isinstance(state.position, LoweredPosition)
    return state.position


def looks(game: Game, random: Random) -> list[State]:
    """Positions of a random game, spread over its first moves."""
    state, found = game.start(game.players[-1], random.getrandbits(32)), list[State]()
    while state.mover and len(found) < LOOKS:
        found.append(state.clone())
        for _ in range(random.randrange(1, 8)):
            if state.mover:
                state.play(random.choice(state.moves()))
    return found


@pytest.mark.parametrize("name", [*SHIPPED, *sorted(GAMES)])
def test_positions_that_look_the_same_are_the_same_bytes(name: str) -> None:
    random = Random(7)
    for state in looks(loaded(name), random):
        for seat, colour in enumerate(state.players):
            other = state.sample(colour, random.getrandbits(32))
            for viewer in (seat, None):
                here, there = (seen(lowered(each), viewer, 5) for each in (state, other))
                assert here == there


def hidden_apart(state: State, seat: int, random: Random) -> State | None:
    """A position that looks the same to a seat and is another one, None if there is none."""
    for _ in range(20):
        other = state.sample(state.players[seat], random.getrandbits(32))
        if lowered(other).tables["place"][:] != lowered(state).tables["place"][:]:
            return other
    return None


def test_the_secrets_of_a_move_are_for_its_mover() -> None:
    """The same public move with other cards is the same message for everybody else."""
    random, game, compared = Random(3), loaded("oxen"), 0
    for state in looks(game, random):
        for seat in range(len(state.players)):
            other = hidden_apart(state, seat, random)
            if state.mover in (None, state.players[seat]) or other is None:
                continue
            compared += _compared(state.clone(), other, seat, random)
    assert compared > 5


def _compared(one: State, two: State, seat: Seat, random: Random) -> bool:
    """Play like moves and compare what is told if both lead to what looks the same."""
    row = random.randrange(min(len(one.moves()), len(two.moves())))
    colour = one.players[seat or 0]
    first, second = play(one, one.moves()[row]), play(two, two.moves()[row])
    if one.view(colour) != two.view(colour):
        return False
    count = len(one.players)
    assert told(first, lowered(one).tables, seat, count) == told(
        second, lowered(two).tables, seat, count
    )
    return True


def test_faces_in_a_cup_are_for_who_sees_them() -> None:
    """Two positions that differ only in the faces of another's dice are the same bytes."""
    state = load(OWN / "throws.yaml", engine="wasm").start(2, 3)
    tables = lowered(state).tables
    tables["known"][:] = [1] * len(tables["known"])
    other = state.clone()
    faces = lowered(other).tables["face"]
    faces[:] = [(face + at) % 6 for at, face in enumerate(faces, 1)]
    for seat, same in ((0, False), (1, True), (None, True)):
        here, there = (seen(lowered(each), seat, 4).state for each in (state, other))
        assert (here == there) is same


def test_what_the_mover_was_told_is_for_the_mover() -> None:
    random, state, found = Random(2), loaded("fireworks").start(2, 1), 0
    for _ in range(30):
        moves = state.moves()
        told_of = [move for move in moves if _told_of(move)]
        if not told_of and random.random() < 0.5:
            told_of = [move for move in moves if "clue" in move.name]
        played = play(state, random.choice(told_of or moves))
        for seat in (0, 1, None) if _told_of(played.move) else ():
            arguments = str(told(played, lowered(state).tables, seat, 2)["arguments"])
            assert ("'told': [{" in arguments) is (seat == played.by)
            found += 1
        if not state.mover:
            break
    assert found


def test_the_name_of_a_piece_for_others_has_nothing_that_was_told() -> None:
    name = UnknownPiece("pile[red]#red.card[fire=red][number!=3].2")
    name.cls, name.owner, name.place, name.number = "card", "red", "pile[red]", 0
    name.told = ToldAnswer("fire", "red", True), ToldAnswer("number", "3", False)
    assert str(untold((name,))) == "('pile[red]#red.card.2',)"


def _told_of(move: Move) -> bool:
    return any(isinstance(each, UnknownPiece) and each.told for each in move.args.values())


def test_it_is_another_position_where_nothing_is_hidden() -> None:
    """The test above compares something: what a player may know changes the bytes."""
    state = loaded("card_game").start(2, 3)
    mover = state.players.index(state.mover or "")
    before = [seen(lowered(state), seat, 0).state for seat in (0, 1, None)]
    assert len(set(before)) == 3
    state.play(state.moves()[0])
    assert seen(lowered(state), mover, 0).state != before[mover]
