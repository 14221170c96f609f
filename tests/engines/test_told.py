"""What players were told of hidden pieces: views, samples, moves and shuffles keep to it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from rulesdsl import Game, State, load
from rulesdsl.engine.run import ENGINES, samples
from rulesdsl.engine.run.rng import Rng
from rulesdsl.play.events import Watch

MANIFEST = """\
ruleset: whispers
edition: 1
version: 1.0.0
rules: whispers.rules
players: {min: 2, max: 3, colours: [red, blue, green]}
game: {play: game, finish: finish, score: player.score}
enums: {suit: [sun, moon, star]}
attributes:
  suit: {of: card, type: suit?}
  rank: {of: card, type: int 0..9}
  wild: {of: card, type: bool}
zones:
  deck: {holds: card, visible: none, initial: true}
  hand: {holds: card, per: player, visible: others}
  row:  {holds: card, per: player, visible: others, order: true}
cards:
  - {id: card, each: {suit: suit, rank: 2..6}}
  - {id: joker, count: 2, wild: true}
"""
RULES = """\
state player.score: int 0..99

action game():
    for p in players:
        for i in 1..2: draw(p)
        for i in 1..2: lay(p)
    for i in 1..12:
        for p in players: turn(p)
    finish()

action draw(p: player):
    let c = take(deck)
    move(c, hand[p])

action lay(p: player):
    let c = take(deck)
    move(c, row[p])

choice turn(p: player) by p:
    option suit(q in players, k in suit): tell_suit(q, k)
    option suits(q in players):
        for c in row[q]:
            if c.suit is not none: reveal(c.suit, q)
    option rank(c in row[next(p)]): reveal(c.rank, next(p))
    option wild(q in players):
        for c in hand[q]: reveal(c.wild, q)
        for c in row[q]: reveal(c.wild)
    option swap(c in hand[p], d in row[p]):
        move(c, row[p])
        move(d, hand[p])
    option give(c in hand[p]): move(c, hand[next(p)])
    option mix(q in players):
        shuffle(row[q])
        let c = take(row[q])
        let d = take(row[q])
        move(c, row[q])
        move(d, row[q])
    option back(c in hand[p]):
        move(c, deck)
        draw(p)

action tell_suit(p: player, k: suit):
    for c in hand[p]: reveal(c.suit == k, p)
    for c in row[p]: reveal(k == c.suit, p)

action finish(): end_game(players)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("whispers")
    (made / "whispers.yaml").write_text(MANIFEST)
    (made / "whispers.rules").write_text(RULES)
    return made


def whispers(folder: Path, engine: str) -> Game:
    return load(folder / "whispers.yaml", engine=engine)


def position(state: State) -> str:
    return state.canonical().partition("generator")[0]


def test_the_engines_agree_and_samples_look_the_same(folder: Path) -> None:
    first, second = (whispers(folder, engine).start(3, 4) for engine in ENGINES)
    random, told, differed = Random(6), 0, 0
    while first.mover:
        number = random.randrange(len(first.moves()))
        first.play(first.moves()[number])
        second.play(second.moves()[number])
        assert position(first) == position(second)
        assert list(map(str, first.moves())) == list(map(str, second.moves()))
        told += first.canonical().count("=")
        for player in first.players:
            assert first.view(player) == second.view(player)
            for seed in range(3):
                sample = second.sample(player, seed)
                assert sample.view(player) == first.view(player)
                assert position(sample) == position(first.sample(player, seed))
                differed += position(sample) != position(first)
                if first.mover == player:
                    assert list(map(str, sample.moves())) == list(map(str, first.moves()))
    assert told > 500
    assert differed > 50


def play(state: State, *moves: str) -> None:
    for text in moves:
        state.play(next(move for move in state.moves() if str(move) == text))


def seen(state: State, zone: str) -> list[str]:
    return state.view("red").partition(f"{zone}: ")[2].partition("\n")[0].split(", ")


@pytest.mark.parametrize("engine", ENGINES)
def test_unknown_pieces_are_one_move_if_the_same_was_told_of_them(
    folder: Path, engine: str
) -> None:
    counts = set[int]()
    for seed in range(6):
        state = whispers(folder, engine).start(2, seed)
        for move in ("wild(q=red)", "wild(q=red)", "suit(q=red, k=sun)", "suit(q=red, k=moon)"):
            play(state, f"turn.{move}")
            if state.mover == "red":
                given = [str(move) for move in state.moves() if move.name == "turn.give"]
                hand = [each.partition("hidden ")[2] for each in seen(state, "hand[red]")]
                assert sorted(given) == sorted(f"turn.give(c=hand[red]#{each})" for each in hand)
                counts.add(len(given))
    assert counts == {1, 2}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_piece_that_fits_is_equally_likely(folder: Path, engine: str) -> None:
    state = whispers(folder, engine).start(2, 3)
    play(state, "turn.suits(q=red)")
    suit = seen(state, "row[red]")[0]
    samples_of = (state.sample("red", seed).canonical() for seed in range(150))
    first = Counter(each.partition("row[red]: ")[2].partition(",")[0] for each in samples_of)
    assert all(f"suit={each.split('-')[1]}" in suit for each in first), (suit, first)
    assert len(first) >= 3
    assert max(first.values()) < 2 * min(first.values())


def test_places_are_found_for_all_where_few_pieces_fit() -> None:
    tables = {"piece_answers": [0, 0, *[1] * 9]}
    told = dict.fromkeys(range(11), 1)
    for seed in range(5):
        found = samples.fitting(tables, told, range(11), Rng.seeded(seed))
        assert sorted(found) == sorted(found.values()) == list(range(11))
        assert {found[0], found[1]} == {0, 1}


HANDS = """\
ruleset: hands
edition: 1
version: 1.0.0
rules: hands.rules
players: {min: 3, max: 3, colours: [red, blue, green]}
game: {play: game, finish: finish, score: player.score}
zones:
  deck: {holds: card, visible: none, initial: true}
  hand: {holds: card, per: player, visible: owner}
  pile: {holds: card, visible: top, order: true}
  out: {holds: card, per: player, visible: owner, order: true}
cards: [{id: a, count: 2}, {id: b, count: 2}, {id: c, count: 2}, {id: d, count: 2}]
"""
HAND_RULES = """\
state player.score: int 0..99

action game():
    for p in players, i in 1..2:
        let c = take(deck)
        move(c, hand[p])
    for i in 1..4, p in players: turn(p)
    finish()

choice turn(p: player) by p:
    option out when count(out[p]) == 0: move_all(hand[p], out[p])
    option heap: move_all(out[p], pile)
    option give(c in hand[p]): move(c, hand[next(p)])
    option show(c in hand[p]): reveal(c)

action finish():
    end_game(players)
"""


def test_a_hand_that_is_laid_out_does_not_tell_which_card_a_known_one_is(tmp_path: Path) -> None:
    """Cards of a zone without order that only some players know are mixed in an ordered one."""
    (tmp_path / "hands.yaml").write_text(HANDS, encoding="utf-8")
    (tmp_path / "hands.rules").write_text(HAND_RULES, encoding="utf-8")
    games = [load(tmp_path / "hands.yaml", engine=engine) for engine in ENGINES]
    laid = 0
    for seed in range(12):
        random = Random(seed)
        states = [game.start(3, seed) for game in games]
        watches = [Watch(state) for state in states]
        while moves := states[0].moves():
            move = random.choice(moves)
            mover = states[0].mover
            steps = []
            for state, watch in zip(states, watches, strict=True):
                own = next(each for each in state.moves() if str(each) == str(move))
                watch.before(own)
                state.play(own)
                steps.append([*map(str, watch.after(own).events)])
            assert steps[0] == steps[1]
            if move.name == "turn.out":
                for reader in {"red", "blue", "green"} - {mover}:
                    seen = states[0].view(reader).splitlines()
                    row = next((each for each in seen if each.startswith(f"out[{mover}]")), "")
                    cards = [each.strip() for each in row.partition(":")[2].split(",")]
                    known = ["hidden" not in each for each in cards]
                    assert known == sorted(known, reverse=True), (seed, row)
                    laid += len(set(known)) == 2
    assert laid > 0
