"""What a seat is told: nothing that depends on what is hidden from it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from rulesdsl import Game, State, load
from rulesdsl.engine.run.interface import ToldAnswer
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.play import Move
from rulesdsl.play.names import UnknownPiece
from rulesdsl.serve.seen import begin, play, seen, shared_seat, told, told_notes, untold
from tests.games.test_games import GAMES

OWN = Path(__file__).parents[1] / "games"
SHIPPED = {"base": ["river", "inns_and_cathedrals", "robbers"], "card_game": [], "dice_game": []}
CUPS = Path(__file__).parents[1] / "engines" / "cups" / "cups.yaml"
APART = "place", "face"
ROUNDS = 5
"""The games that are played until enough moves are compared."""
LOOKS = 6
"""The positions of each game that are looked at."""
LONG = {"strands"}
"""Games whose decisions take so long that fewer are looked at."""


def loaded(name: str) -> Game:
    if name == "cups":
        return load(CUPS, engine="wasm")
    if name in SHIPPED:
        return load(name, SHIPPED[name], engine="wasm")
    return load(OWN / f"{name}.yaml", settings=GAMES[name]["settings"], engine="wasm")


def lowered(state: State) -> LoweredPosition:
    assert isinstance(state.position, LoweredPosition)
    return state.position


def looks(name: str, random: Random) -> list[State]:
    """Positions of a random game, spread over its first moves."""
    game, most = loaded(name), 2 if name in LONG else LOOKS
    state, found = game.start(game.players[-1], random.getrandbits(32)), list[State]()
    while state.mover and len(found) < most:
        found.append(state.clone())
        for _ in range(random.randrange(1, 8)):
            if state.mover:
                state.play(random.choice(state.moves()))
    return found


@pytest.mark.parametrize("name", [*SHIPPED, *sorted(GAMES), "cups"])
def test_positions_that_look_the_same_are_the_same_bytes(name: str) -> None:
    random = Random(7)
    for state in looks(name, random):
        for seat, colour in enumerate(state.players):
            other = state.sample(colour, random.getrandbits(32))
            for viewer in (seat, None):
                here, there = (seen(lowered(each), viewer) for each in (state, other))
                assert here == there


@pytest.mark.parametrize(("name", "shares"), [("base", True), ("cups", False)])
def test_seats_share_a_state_only_where_they_see_the_same(name: str, shares: bool) -> None:
    shared = set()
    for state in looks(name, Random(5)):
        position, seats = lowered(state), (*range(len(state.players)), None)
        by = {seat: shared_seat(position, seat) for seat in seats}
        shared.add(len(set(by.values())) == 1)
        for seat, like in by.items():
            assert seen(position, like).state == seen(position, seat).state
    assert shared == {shares}


def hidden_apart(state: State, seat: int, random: Random) -> State | None:
    """A position that looks the same to a seat and is another one, None if there is none."""
    for _ in range(20):
        other = state.sample(state.players[seat], random.getrandbits(32))
        if any(lowered(other).tables[name][:] != lowered(state).tables[name][:] for name in APART):
            return other
    return None


@pytest.mark.parametrize("name", [*SHIPPED, *sorted(GAMES), "cups"])
def test_the_secrets_of_a_move_are_for_its_mover(name: str) -> None:
    """The same public move with other cards is the same message for everybody else."""
    random, compared, hides = Random(3), 0, False
    for _ in range(ROUNDS):
        for state in looks(name, random):
            seats = [seat for seat, each in enumerate(state.players) if state.hides(each)]
            hides = hides or bool(seats)
            for seat in seats:
                other = hidden_apart(state, seat, random)
                if state.mover not in (None, state.players[seat]) and other is not None:
                    compared += _compared(state.clone(), other, seat, random)
        if compared > 5 or not hides:
            break
    assert compared > 0 or not hides


def _compared(one: State, two: State, seat: int, random: Random) -> bool:
    """Play like moves and compare what is told if both lead to what looks the same."""
    move = random.choice(one.moves())
    like = [each for each in two.moves() if _public(two, each) == _public(one, move)]
    if not like:
        return False
    colour, count = one.players[seat], len(one.players)
    first, second = play(one, move), play(two, random.choice(like))
    if one.view(colour) != two.view(colour):
        return False
    # A state that names a hidden piece has the place of that piece, which no view shows.
    compares = ": hidden" not in one.view(colour)
    for viewer in (seat, None):
        here, there = (
            (
                told(played, lowered(state).tables, viewer, count),
                seen(lowered(state), viewer) if compares else None,
            )
            for played, state in ((first, one), (second, two))
        )
        assert here == there
    return True


def _public(state: State, move: Move) -> tuple[object, ...]:
    """What everybody learns of a move by its name."""
    decision = lowered(state).plan.choices[lowered(state).tables["asked"][0]]
    secret = next(option.secret for option in decision.options if option.name == move.name)
    args = [(name, str(untold(value))) for name, value in move.args.items() if name not in secret]
    return move.name, *args


def test_faces_in_a_cup_are_for_who_sees_them() -> None:
    """Two positions that differ only in the faces of another's dice are the same bytes."""
    state = load(OWN / "throws.yaml", engine="wasm").start(2, 3)
    tables = lowered(state).tables
    tables["known"][:] = [1] * len(tables["known"])
    other = state.clone()
    faces = lowered(other).tables["face"]
    faces[:] = [(face + at) % 6 for at, face in enumerate(faces, 1)]
    for seat, same in ((0, False), (1, True), (None, True)):
        here, there = (seen(lowered(each), seat).state for each in (state, other))
        assert (here == there) is same


def test_the_opening_is_told_to_who_sees_it() -> None:
    """Games that begin alike for a seat are told to it in the same bytes."""
    own, compared = loaded("cups"), 0
    begun = [begin(own, 2, seed) for seed in range(30)]
    for (one, first), (two, second) in combinations(begun, 2):
        for seat, colour in enumerate(one.players):
            messages = [
                told_notes(happened, lowered(state).tables, seat, 2)
                for state, happened in ((one, first), (two, second))
            ]
            if one.view(colour) == two.view(colour):
                assert messages[0] == messages[1]
                assert messages[0]["notes"]
                compared += one.view(one.players[1 - seat]) != two.view(one.players[1 - seat])
    assert compared > 5


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
    before = [seen(lowered(state), seat).state for seat in (0, 1, None)]
    assert len(set(before)) == 3
    state.play(state.moves()[0])
    assert seen(lowered(state), mover).state != before[mover]
