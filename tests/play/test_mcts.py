"""The searching bot: it sees what its player may, keeps to its budget, and plays every game."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest

from rulesdsl import State, load
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime import search, turns
from rulesdsl.language.model.ir import Tables
from rulesdsl.play.bots import Budget, MctsBot, RandomBot, bot_maker
from tests.play.boxes import FEW, small_game, write_box
from tests.rulesets.test_hidden import CASES, played

ROOT = Path(__file__).parents[2]
TRAP = """
ruleset: trap
edition: 1
version: 1.0.0
rules: trap.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
"""
TRAP_RULES = """
state game.active: player = first(players)
state player.score: int 0..99 = 0
state game.left: int 0..6 = 6
state game.doomed: bool = false

action game():
    while left > 0:
        turn()
        if doomed: left -= 9
        left -= 1
        active = next(active)
    finish()

choice turn() by active:
    option fail: active.score -= 1
    option doom: doomed = true
    option points: active.score += 1

action finish():
    end_game(most(p in players by p.score))
"""
OTHERS = [
    ("base", "traders_and_builders,wheel_of_fortune", 5),
    ("base", "hills_and_sheep", 2),
    ("card_game", "", 2),
    *(
        (str(ROOT / "tests" / "games" / f"{name}.yaml"), "", None)
        for name in ("ferries", "mosaic", "stones", "vault")
    ),
]


LISTS = ("listed_row", "listed_guess", "listed_visits", "listed_total", "listed_mean")


def searched(state: State, playouts: int, others: int = 0) -> tuple[int, Tables]:
    """The candidate that a search chooses, and the tables in which the shortlist is."""
    mover = state.mover
    assert mover is not None
    first, *rest = (state.sample(mover, seed).position for seed in range(1 + others))
    assert isinstance(first, LoweredPosition)
    samples = [each for each in rest if isinstance(each, LoweredPosition)]
    return first.search(samples, 3, playouts), first._lowered.searcher.tables


def test_what_is_hidden_changes_no_move() -> None:
    tried = 0
    for case in CASES:
        one, other = played(case, "one", "wasm"), played(case, "other", "wasm")
        if one.mover not in case["from"]:
            continue
        assert one.canonical() != other.canonical()
        for seed in range(2):
            bots = MctsBot(seed, 0, Budget(24)), MctsBot(seed, 0, Budget(24))
            assert bots[0].decide(one) == bots[1].decide(other), case["what"]
        tried += 1
    assert tried >= 3


def test_the_seed_of_the_game_changes_no_move(tmp_path: Path) -> None:
    path = write_box(tmp_path)
    moves = set()
    for seed in range(4):
        state = load(path, engine="wasm").start(2)
        state.play(state.moves()[0])
        state = seeded(state, seed)
        moves.add(MctsBot(5, 0, Budget(60)).decide(state))
    assert len(moves) == 1


def seeded(state: State, seed: int) -> State:
    """The same, with chance resolved from a seed from now on."""
    copy = state.clone()
    tables = copy.position.tables
    tables["rng"][:], tables["resolves"][0] = Rng.seeded(seed).state, 1
    assert tables["rng"][:] != state.position.tables["rng"][:]
    return copy


def test_a_budget_of_playouts_gives_the_same_moves_again(tmp_path: Path) -> None:
    def line() -> list[str]:
        state = small_game(tmp_path).start(2, 3)
        bots = {colour: MctsBot(3, seat, Budget(20)) for seat, colour in enumerate(state.players)}
        found: list[str] = []
        while state.mover is not None and len(found) < 8:
            found.append(str(bots[state.mover].decide(state)))
            state.play(next(move for move in state.moves() if str(move) == found[-1]))
        return found

    assert line() == line()


@pytest.mark.parametrize(
    ("name", "playouts"),
    [("dice_game", 40), ("base", 30), ("card_game", 60), ("base", 150), ("card_game", 80)],
)
def test_the_same_search_on_every_engine(name: str, playouts: int) -> None:
    """The engine `python` searches on a compiled copy.

    With few playouts players play at random, with more of them they choose their turns.
    """
    state = load(name, engine="wasm").start(2, 1)
    _, tables = searched(state, playouts, others=2 if name == "card_game" else 0)
    found = tables["search"]
    assert found[search.CHOOSES] == (playouts >= search.LEAST)
    assert 0 <= found[search.SPENT] - playouts < found[search.PRICE]
    reference = load(name, engine="python").start(2, 1)
    chosen = {MctsBot(1, 0, Budget(playouts)).decide(each) for each in (state, reference)}
    assert len(chosen) == 1


def test_a_budget_of_time_is_kept() -> None:
    state = load("base", engine="wasm").start(2, 1)
    bot = MctsBot(1, 0, Budget(None, 0.5))
    bot.decide(state)
    position = state.position
    assert isinstance(position, LoweredPosition)
    searched(state, 1)
    spent = []
    for _ in range(5):  # A machine under load takes a thread away for some time, but not each time.
        begun = perf_counter()
        position.search([], 1, 1 << 30, 0.5)
        spent.append(perf_counter() - begun)
        assert spent[-1] >= 0.5
        if spent[-1] < 1:
            return
    pytest.fail(f"{spent} seconds")


def investment() -> State:
    """A game in which points are spent before they are gained, so that players play at random."""
    return load(ROOT / "tests" / "games" / "journeys.yaml", engine="wasm").start(2, 1)


def test_a_search_leaves_the_position_as_it_was() -> None:
    state = load("base", engine="wasm").start(2, 1)
    before, moves = state.canonical(), state.moves()
    position = state.position
    assert isinstance(position, LoweredPosition)
    kept = position._machine.keep()
    position.search([], 1, 50)
    assert position._machine.keep() == kept
    assert state.canonical() == before
    assert State(state.game, position).moves() == moves


def test_playouts_are_longer_where_little_happens() -> None:
    """Followers are soon on roads; dice hardly ever build a house."""
    length = {}
    for name in ("base", "dice_game"):
        _, tables = searched(load(name, engine="wasm").start(2, 3), 1)
        length[name] = tables["search"][search.LENGTH]
    assert length["base"] == search.SHORTEST
    assert search.SHORTEST < length["dice_game"] <= search.LONGEST


def test_first_values_count_unless_points_are_surely_spent(tmp_path: Path) -> None:
    """Random players lose points here and there by chance, but with a journey nearly always."""
    rules = TRAP_RULES.replace("0..99", "-999..999").replace("0..6 = 6", "0..60 = 60")
    rules = rules.replace("fail: active.score -= 1", "fail: active.score -= 6")
    rules = rules.replace("doom: doomed = true", "rest: active.score -= 2")
    rules = rules.replace("points: active.score += 1", "points: active.score += 7")
    (tmp_path / "trap.yaml").write_text(TRAP)
    (tmp_path / "trap.rules").write_text(rules)
    state = load(tmp_path / "trap.yaml", engine="wasm").start(2, 1)
    row, tables = searched(state, 1)
    found = tables["search"]
    assert found[search.GAIN] < 0
    assert found[search.BLIND] == 0
    assert str(state.moves()[row]) == "turn.points"
    assert searched(investment(), 1)[1]["search"][search.BLIND] == 1


def test_candidates_are_halved_until_one_is_left() -> None:
    """Those that stay longer meet more scenarios, and the best of the last ones is chosen."""
    state = load("base", engine="wasm").start(2, 1)
    while len(state.moves()) < search.SHORTLIST:
        state.play(state.moves()[0])
    row, tables = searched(state, 2000)
    halved(row, tables, search.SHORTLIST)
    state = investment()
    row, tables = searched(state, 2000)
    assert tables["search"][search.BLIND] == 1
    assert len(set(tables["listed_guess"][: len(state.moves())])) == 1
    halved(row, tables, len(state.moves()))


def halved(row: int, tables: Tables, first: int) -> None:
    """Check the shortlist at the end of a search that began with that many candidates."""
    found = tables["search"]
    listed, left = found[search.LISTED], found[search.LEFT]
    assert listed == first
    assert 1 <= left <= 3
    visits, means = tables["listed_visits"][:left], tables["listed_mean"][:left]
    assert max(visits) - min(visits) <= 1
    assert min(visits) * first > found[search.SPENT] // found[search.PRICE]
    assert means[tables["listed_row"][:left].index(row)] == max(means)


def test_the_last_piece_in_hand_is_worth_the_most() -> None:
    """The worth of pieces follows from what turns gain, and falls with their number."""
    state = load("base", engine="wasm").start(2, 1)
    _, tables = searched(state, 200)
    piece = tables["turn"][turns.PIECE]
    assert 4 <= piece / turns.FINE <= 20
    for seat in range(2):
        number = tables["pieces"][seat]
        assert tables["hand"][seat] == sum(piece // each for each in range(1, number + 1))


def test_a_move_that_fails_is_not_chosen(tmp_path: Path) -> None:
    """Two of three options stop with a fault, and so do playouts in which one of them is drawn."""
    (tmp_path / "trap.yaml").write_text(TRAP)
    (tmp_path / "trap.rules").write_text(TRAP_RULES)
    state = load(tmp_path / "trap.yaml", engine="wasm").start(2, 1)
    for playouts in (60, 100):  # with 100, the playouts in which players choose fail
        row, tables = searched(state, playouts)
        assert tables["search"][search.SPENT] == playouts
        assert str(state.moves()[row]) == "turn.points"
        assert tables["search"][search.LISTED] == 1


@pytest.mark.parametrize("seed", [2])
def test_it_beats_a_random_bot(seed: int, tmp_path: Path) -> None:
    state = load(write_box(tmp_path, FEW), engine="wasm").start(2, seed)
    own = state.players[seed % 2]
    bots = {
        colour: MctsBot(seed, seat, Budget(60)) if colour == own else RandomBot(seed, seat)
        for seat, colour in enumerate(state.players)
    }
    while state.mover is not None:
        state.play(bots[state.mover].decide(state))
    assert own in state.winners


@pytest.mark.parametrize(
    ("path", "expansions", "players"),
    [
        ("base", "inns_and_cathedrals,robbers,river", 3),
        ("card_game", "", 5),
        ("dice_game", "", 5),
        *(pytest.param(*each, marks=pytest.mark.long) for each in OTHERS),
    ],
)
def test_it_plays_every_game(path: str, expansions: str, players: int | None) -> None:
    game = load(path, tuple(filter(None, expansions.split(","))), engine="wasm")
    state = game.start(players, 1)
    make = bot_maker("mcts:3")
    bots = {colour: make(1, seat) for seat, colour in enumerate(state.players)}
    for _ in range(4):
        if state.mover is None:
            break
        state.play(bots[state.mover].decide(state))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mtcs", "there is no bot `mtcs`; the bots are greedy, mcts, random"),
        ("greedy:5", "only `mcts` has a budget, `greedy` has none: leave out `:5`"),
        ("mcts:0", "`mcts:0`: a budget is a number"),
        ("mcts:0s", "`mcts:0s`: a budget is a number"),
        ("mcts:1e5", "`mcts:1e5`: a budget is a number"),
        ("mcts:", "`mcts:`: a budget is a number"),
    ],
)
def test_what_is_wrong_with_a_bot_is_said(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bot_maker(text)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("mcts", Budget()),
        ("mcts:12", Budget(12)),
        ("mcts:0.5s", Budget(None, 0.5)),
        ("mcts:3s", Budget(None, 3)),
    ],
)
def test_a_budget_is_read(text: str, budget: Budget) -> None:
    bot = bot_maker(text)(1, 0)
    assert isinstance(bot, MctsBot)
    assert bot.budget == budget
