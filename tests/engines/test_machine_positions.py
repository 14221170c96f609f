"""Positions: copies, bytes, bad bytes, views, traces, the end."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.base.deadline import Deadline, OutOfTime, under
from rulesdsl.engine.run.history import SavedError
from rulesdsl.engine.run.interface import Change, Engine, PlayError, Position, Reading
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.values import EnumMember, Player
from tests.engines.busy import BUSY
from tests.engines.machine_games import ENGINES, game, offers, on_every_engine, play, value

SCORE = BUSY.score


def _moves(draw: st.DataObject, position: Position) -> int:
    assert position.decision is not None
    return draw.draw(st.integers(0, len(position.decision.candidates) - 1))


@settings(max_examples=8, deadline=None)
@given(st.data(), st.sampled_from([None, 3]), st.integers(1, 3), st.sampled_from(sorted(ENGINES)))
def test_a_copy_and_a_saved_position_go_on_alike(
    data: st.DataObject, seed: int | None, players: int, name: str
) -> None:
    engine = ENGINES[name]
    position = engine.start(BUSY, players, seed)
    for _ in range(40):
        if position.decision is None:
            break
        copy, saved = position.clone(), engine.from_bytes(BUSY, position.to_bytes())
        for other in (copy, saved):
            assert other.canonical() == position.canonical()
            assert other.to_bytes() == position.to_bytes()
            assert other.decision == position.decision
        index = _moves(data, position)
        position.play(index)
        assert copy.canonical() != position.canonical() or copy.decision != position.decision
        copy.play(index)
        saved.play(index)
        assert copy.to_bytes() == saved.to_bytes() == position.to_bytes()
        assert copy.decision == saved.decision == position.decision


def _random_position(moves: int, engine: Engine = python) -> Position:
    position = engine.start(BUSY, 2, 5)
    for number in range(moves):
        if position.decision is None:
            break
        position.play(number * 7 % len(position.decision.candidates))
    return position


JUNK: list[object] = [
    *(
        None,
        True,
        -1,
        0,
        1,
        2,
        7,
        10**12,
        "",
        "t/turn",
        [],
        ["piece"],
        {},
        ["piece", 3],
        ["finish"],
    ),
    *(["sample", 0, 4], ["sample", 7, 4], ["playout", 3, 4], ["playout", -1, 4], ["arrange"]),
    *(["arranged"], ["apply", "reveal", ["piece", 0]], ["apply", "take"], ["apply", "reveal"]),
    *(["apply", "reveal", ["piece", 900]], ["rewind", "t/game", 1, None], ["stop"]),
    *(["assign", "t/none", None, [], 1], ["offer_chance"], ["rewind", "t/none", 1, 2]),
]


def _players_value(value: object) -> list[object]:
    """A change of a score: most of what it may become is not for it."""
    return ["assign", SCORE, 0, [], value]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 30), st.sampled_from(JUNK), st.sampled_from(sorted(ENGINES)))
def test_changed_bytes_are_refused_or_can_be_played(
    data: st.DataObject, moves: int, junk: object, name: str
) -> None:
    saved = json.loads(_random_position(moves).to_bytes())
    done, junk = saved["done"], data.draw(st.sampled_from([junk, _players_value(junk)]))
    at = data.draw(st.integers(0, len(done) - 1))
    how = data.draw(st.sampled_from(["instead", "before", "arranged", "key"]))
    if how == "key":
        saved[data.draw(st.sampled_from(sorted(saved)))] = junk
    elif how == "arranged":
        done[at:at] = [["arrange"], junk, ["arranged"]]
    else:
        done[at : at + (how == "instead")] = [junk]
    try:
        position = ENGINES[name].from_bytes(BUSY, json.dumps(saved).encode())
    except SavedError:
        return
    for _ in range(12):
        if position.decision is None:
            break
        try:
            position.play(_moves(data, position))
        except PlayError:
            break


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"[]", b"{}", b"null", b"[" * 100_000, b'{"version":3}', b"1" * 5000]
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(SavedError, match=r"^this is not a saved position of this game: "):
        python.from_bytes(BUSY, data)


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_bytes_that_are_long_or_nested_deeply_are_refused(name: str) -> None:
    saved = json.loads(python.start(BUSY, 2, 1).to_bytes())
    value: object = 1
    for _ in range(700):
        value = [value]
    for done in ([_players_value(value)], [0] * 600_000):
        with pytest.raises(SavedError):
            ENGINES[name].from_bytes(BUSY, json.dumps(saved | {"done": done}).encode())


def test_a_long_game_is_loaded_until_the_deadline() -> None:
    saved = json.loads(python.start(BUSY, 2, 1).to_bytes())
    data = json.dumps(saved | {"done": [["finish"]] * 10_000}).encode()
    with pytest.raises(OutOfTime), under(Deadline(0.2)):
        python.from_bytes(BUSY, data)


@pytest.mark.parametrize("key", ["version", "game", "players"])
def test_a_position_of_another_game_is_refused(key: str) -> None:
    saved = json.loads(python.start(BUSY, 2, 1).to_bytes())
    saved[key] = {"version": saved["version"] + 1, "game": "0" * 64, "players": 4}[key]
    with pytest.raises(SavedError, match={"version": "version", "game": "rulesets"}.get(key, "4")):
        python.from_bytes(BUSY, json.dumps(saved).encode())


@on_every_engine
def test_every_engine_saves_the_same_bytes_and_loads_them(engine: Engine) -> None:
    position, expected = _random_position(20, engine), _random_position(20)
    assert position.to_bytes() == expected.to_bytes()
    assert engine.from_bytes(BUSY, expected.to_bytes()).canonical() == expected.canonical()


@on_every_engine
def test_what_was_done_from_outside_is_saved(engine: Engine) -> None:
    position = engine.start(BUSY, 2, 5)
    with position.arranging():
        position.assign(SCORE, Player(1), (), 7)
        position.assign("t/game.chosen", None, (), (Player(0), Player(1)))
        position.assign("t/player.liked", Player(0), (EnumMember("t/colour", 1),), 3)
    position.offer_chance()
    position.play(0)
    position.finish()
    loaded = engine.from_bytes(BUSY, position.to_bytes())
    assert loaded.canonical() == position.canonical()
    assert loaded.to_bytes() == position.to_bytes()


@pytest.mark.parametrize(
    "operation",
    [
        *(["apply", "reveal", ["piece", 900]], ["apply", "reveal", ["piece", -1]]),
        *(["apply", "reveal", ["player", 0]], ["apply", "reveal", ["piece", 0], ["piece", 0]]),
        *(["apply", "place", ["piece", 0], ["placement", 1 << 40]], ["apply", "reveal", 0]),
        *(
            ["assign", "t/game.chosen", None, [], [1, 0]],
            ["assign", "t/game.chosen", None, [], [0, 2]],
        ),
        *(["assign", "t/game.chosen", 0, [], [0]], ["assign", "t/game.chosen", None, [0], [0]]),
        *(["assign", "t/player.liked", 0, [9], 1], ["assign", "t/player.liked", None, [0], 1]),
        *(["assign", "t/token.used", 5, [], 10], ["assign", "t/token.used", 0, [], 1]),
        ["assign", "t/game.active", None, [], True],
    ],
    ids=json.dumps,
)
def test_values_that_do_not_exist_are_refused(operation: list[object]) -> None:
    saved = json.loads(python.start(BUSY, 2, 1).to_bytes())
    with pytest.raises(SavedError, match=r"given that|not there|not kept|another index|in order"):
        python.from_bytes(BUSY, json.dumps(saved | {"done": [operation]}).encode())


@on_every_engine
def test_an_arrangement_that_fails_leaves_everything_as_it_was(engine: Engine) -> None:
    position = engine.start(BUSY, 2, 5)
    before = position.canonical(), position.to_bytes()

    def arrange() -> None:
        with position.arranging():
            position.assign(SCORE, Player(1), (), 7)
            raise KeyError

    with pytest.raises(KeyError):
        arrange()
    assert (position.canonical(), position.to_bytes()) == before


@on_every_engine
def test_a_sample_is_not_saved(engine: Engine) -> None:
    position = engine.start(BUSY, 2, 123_456_789)
    position.play(0)
    sample = position.sample(0, 4)
    sample.play(0)
    with pytest.raises(ValueError, match="reveal what it hides"):
        sample.to_bytes()
    saved = json.loads(position.to_bytes())
    saved["done"].append(["sample", 0, 4])
    with pytest.raises(SavedError, match="does not exist"):
        engine.from_bytes(BUSY, json.dumps(saved).encode())


@on_every_engine
def test_the_same_seed_gives_the_same_game(engine: Engine) -> None:
    one, two, other = engine.start(BUSY, 2, 8), engine.start(BUSY, 2, 8), engine.start(BUSY, 2, 9)
    assert one.to_bytes() == two.to_bytes() != other.to_bytes()


@on_every_engine
def test_a_candidate_that_is_not_there(engine: Engine) -> None:
    position = engine.start(BUSY, 2, 8)
    assert position.decision is not None
    for index in (-1, len(position.decision.candidates)):
        with pytest.raises(IndexError):
            position.play(index)


# --- ends ----------------------------------------------------------------------------------------


@on_every_engine
def test_finish_ends_the_game_in_the_middle_of_a_choice(engine: Engine) -> None:
    position = _random_position(9, engine)
    assert position.decision is not None
    position.finish()
    assert position.decision is None
    assert position.winners == (0, 1)
    assert "running" not in position.canonical()


@on_every_engine
def test_finish_may_roll_without_a_seed(engine: Engine) -> None:
    rules = """
action game(): pick()
choice pick() by first(players):
    option a
before finish():
    for d in dice:
        let f = roll(d)
        if f == d.face: note(1)
"""
    position = engine.start(game(rules), 2, None)
    position.finish()
    assert position.decision is None
    assert value(position, "log") == "1"


# --- traces --------------------------------------------------------------------------------------

TRACED = """
action game():
    pick()
choice pick() by first(players):
    option pay(x in purse where x.worth > 1):
        pay(first(players), 2 * worth_of(x) + level())
    option lay(t in shelf): place(t, centre(board))
    option shut when log > 0
forbid pick.pay(x) when x is gem and log == 7
action pay(p: player, n: int): score(p, n)
action score(p: player, n: int): p.score += n
value worth_of(x: token) -> int: x.worth + count(y in purse where y.worth == 1)
refine worth_of(x) when x is gem: previous + bonus(x)
value bonus(x: token) -> int, sum
add bonus(x): sum(1 for d in dice)
add bonus(x): log
value level() -> int: if_small(log)
value if_small(n: int) -> int:
    let m = rates[1] - n
    m if m > 0 else 0
"""


def _changes(position: Position, *moves: str) -> list[Change]:
    found: list[Change] = []
    position.listener = found.append
    play(position, *moves)
    return found


@on_every_engine
def test_a_change_tells_what_flowed_into_it(engine: Engine) -> None:
    position = engine.start(game(TRACED), 2, 1)
    (change,) = _changes(position, "pick.pay(gem#1)")
    assert (change.name, change.old, change.new) == ("t/player.score", 0, 21)
    assert change.readings == (
        Reading("t/worth", 5),
        Reading("t/purse", 3),
        Reading("dice", 1),
        Reading("t/rates", 3),
    )
    assert (change.source, change.about) == ("t/score", None)


@on_every_engine
def test_nobody_listens_to_a_copy(engine: Engine) -> None:
    position = engine.start(game(TRACED), 2, 1)
    changes: list[Change] = []
    position.listener = changes.append
    play(position.clone(), "pick.pay(gem#1)")
    assert changes == []


@on_every_engine
def test_a_listener_changes_nothing(engine: Engine) -> None:
    for seed in (None, 3):
        heard, alone = engine.start(BUSY, 2, seed), engine.start(BUSY, 2, seed)
        changes: list[Change] = []
        heard.listener = changes.append
        for number in range(40):
            if heard.decision is None:
                break
            index = number * 5 % len(heard.decision.candidates)
            heard.play(index)
            alone.play(index)
            assert heard.to_bytes() == alone.to_bytes()
        assert changes


# --- hidden --------------------------------------------------------------------------------------

CARDS: Checked = game(
    """
state card.noted: int
state game.last: card?
action game():
    for p in players:
        for i in 1..2:
            let c = take(deck)
            move(c, hand[p])
            last = c
            c.noted = 1
    pick(first(players), last_one())
    pick(next(first(players)), last_one())
value last_one() -> card?: last
choice pick(p: player, c: card?) by p:
    option give(secret d in hand[p], k in colour): move(d, row[k])
"""
)


@on_every_engine
def test_a_view_hides_what_a_player_does_not_know(engine: Engine) -> None:
    position = engine.start(CARDS, 2, 4)
    mine, theirs = position.view(0), position.view(1)
    assert "state t/game.last: hidden card" in mine
    assert "hidden card" not in theirs.split("state t/game.last: ")[1].splitlines()[0]
    assert "generator" not in mine
    assert "generator" in position.canonical()


@on_every_engine
def test_a_sample_looks_the_same_to_the_player(engine: Engine) -> None:
    position = engine.start(CARDS, 2, 4)
    samples = [position.sample(0, seed) for seed in range(12)]
    assert {sample.view(0) for sample in samples} == {position.view(0)}
    assert len({sample.view(1) for sample in samples}) > 1
    assert all(offers(sample) == offers(position) for sample in samples)
    for sample in samples:
        while sample.decision is not None:
            sample.play(0)


@on_every_engine
def test_secret_arguments_are_named(engine: Engine) -> None:
    decision = engine.start(CARDS, 2, 4).decision
    assert decision is not None
    assert {candidate.secret for candidate in decision.candidates} == {frozenset({"d"})}


@on_every_engine
def test_chance_gives_no_new_steps_whether_a_generator_draws_or_not(engine: Engine) -> None:
    rules = """
action game():
    while true:
        let f = roll(the(d in dice))
        for i in 1..30000: log = i
"""
    checked = game(rules)
    with pytest.raises(PlayError, match="does not seem to end"):
        engine.start(checked, 2, 7)
    position = engine.start(checked, 2, None)
    for _ in range(3):
        position.play(0)
    with pytest.raises(PlayError, match="does not seem to end"):
        position.play(0)
