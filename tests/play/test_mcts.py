"""The searching bot: it sees what its player may, keeps to its budget, and plays every game."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from time import perf_counter

import pytest

from rulesdsl import State, load
from rulesdsl.engines.rng import Rng
from rulesdsl.play.bots import Budget, MctsBot, RandomBot, bot_maker
from rulesdsl.play.search import KEPT, LONGEST, SHORTEST, Node, Search
from tests.play.boxes import FEW, small_game, write_box
from tests.rulesets.test_hidden import CASES, Case, played

ROOT = Path(__file__).parents[2]
OTHERS = [
    ("base", "traders_and_builders,wheel_of_fortune", 5),
    ("base", "hills_and_sheep", 2),
    ("card_game", "", 2),
    *(
        (str(ROOT / "tests" / "games" / f"{name}.yaml"), "", None)
        for name in ("ferries", "mosaic", "stones", "vault")
    ),
]
HIDDEN = [case for case in CASES if played(case, "one", "wasm").mover in case["from"]]


def search(state: State, playouts: int) -> Search:
    copy = state.clone()
    copy.offer_chance()
    found = Search([copy.position], Rng.seeded(3))
    found.grow(lambda: found.root.visits < playouts)
    return found


def below(node: Node) -> list[Node]:
    return [node, *(each for child in node.children.values() for each in below(child))]


@pytest.mark.parametrize("case", HIDDEN, ids=[case["what"] for case in HIDDEN])
def test_what_is_hidden_changes_no_move(case: Case) -> None:
    one, other = played(case, "one", "wasm"), played(case, "other", "wasm")
    assert one.canonical() != other.canonical()
    for seed in range(2):
        bots = MctsBot(seed, 0, Budget(24)), MctsBot(seed, 0, Budget(24))
        assert bots[0].decide(one) == bots[1].decide(other)


def test_there_are_cases_in_which_something_is_hidden() -> None:
    assert len(HIDDEN) >= 3


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
    tables = copy.position.tables  # type: ignore[attr-defined]
    tables["rng"][:], tables["resolves"][0] = Rng.seeded(seed).state, 1
    assert tables["rng"][:] != state.position.tables["rng"][:]  # type: ignore[attr-defined]
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


def test_the_same_moves_on_every_engine() -> None:
    chosen = {
        MctsBot(1, 0, Budget(3)).decide(load("dice_game", engine=engine).start(2, 1))
        for engine in ("python", "wasm")
    }
    assert len(chosen) == 1


def test_a_budget_of_time_is_kept() -> None:
    state = load("base", engine="wasm").start(2, 1)
    bot = MctsBot(1, 0, Budget(None, 0.2))
    bot.decide(state)
    begun = perf_counter()
    bot.decide(state)
    assert 0.2 <= perf_counter() - begun < 5


def test_positions_that_are_kept_are_bounded() -> None:
    nodes = below(search(load("base", engine="wasm").start(2, 1), 600).root)
    assert len(nodes) > KEPT
    assert sum(len(node.positions) for node in nodes) <= KEPT


def test_visits_of_a_tree_add_up(tmp_path: Path) -> None:
    found = search(small_game(tmp_path).start(2, 1), 100)
    assert found.root.visits == 100
    assert sum(child.visits for child in found.root.children.values()) == 100
    for node in below(found.root):
        assert all(0 <= total <= node.visits for total in node.totals)


def test_playouts_are_longer_where_little_happens() -> None:
    """Followers are soon on roads; dice hardly ever build a house."""
    tiles, dice = (load(name, engine="wasm").start(2, 3) for name in ("base", "dice_game"))
    assert search(tiles, 1).gauge.length == SHORTEST
    assert SHORTEST < search(dice, 1).gauge.length <= LONGEST


def test_it_goes_on_with_what_it_knows() -> None:
    state = load("base", engine="wasm").start(2, 1)
    bot = MctsBot(1, 0, Budget(300))
    state.play(bot.decide(state))
    kept = bot._tree
    assert kept is not None
    assert kept.visits >= 16
    before = kept.visits
    assert state.mover == state.players[0]
    bot.decide(state)
    assert kept.visits == max(before, 300)


def test_a_copy_chooses_too() -> None:
    state = load("base", engine="wasm").start(2, 1)
    bot = MctsBot(1, 0, Budget(30))
    state.play(bot.decide(state))
    assert deepcopy(bot).decide(state) in state.moves()


def test_it_does_not_go_on_with_another_position() -> None:
    state = load("base", engine="wasm").start(2, 1)
    bot = MctsBot(1, 0, Budget(100))
    bot.decide(state)
    kept = bot._tree
    other = load("base", engine="wasm").start(2, 2)
    other.play(other.moves()[0])
    bot.decide(other)
    assert kept is not None
    assert kept is not bot._tree


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
