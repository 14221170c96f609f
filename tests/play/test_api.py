"""What programs that play may rely on: games, states and moves."""

from __future__ import annotations

import gc
import itertools
import json
import pickle
import re
import weakref
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest

from rulesdsl import Game, IllegalMove, Move, PlayError, RulesError, State, load
from rulesdsl.language.model.values import Piece, Segment, Space
from rulesdsl.play import Place, Spot
from rulesdsl.play.events import Gain, GainLog, describe
from tests.play.boxes import BASE, play_out, small_game

COUNTERS = Path(__file__).parent / "counters.yaml"
GAMES = Path(__file__).parents[1] / "games"


@cache
def counters(most: int = 3) -> Game:
    return load(COUNTERS, settings={"most": most})


@cache
def base() -> Game:
    return load(BASE)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The base game with ten tiles."""
    return small_game(tmp_path_factory.mktemp("few"))


def texts(state: State) -> list[str]:
    return [str(move) for move in state.moves()]


def asked() -> State:
    """Red has drawn a counter and is asked."""
    state = counters(6).start()
    state.play(state.move("take", piece="one"))
    return state


# --- loading -------------------------------------------------------------------------------------


def test_a_game_goes_as_soon_as_nobody_has_it() -> None:
    gc.disable()
    try:
        game = load(COUNTERS)
        assert game.start().moves()
        whole, forms = weakref.ref(game), weakref.ref(game.forms)
        del game
        assert whole() is None
        assert forms() is None
    finally:
        gc.enable()


def test_a_game_tells_what_it_is() -> None:
    game = counters()
    assert (game.players, game.colours) == ((2, 3), ("red", "blue", "green"))
    assert game.settings == {"counters.most": 3}
    (info,) = game.rulesets
    assert (info.id, info.version, info.interaction, info.house) == (
        "counters",
        "1.0.0",
        False,
        False,
    )
    assert re.fullmatch("[0-9a-f]{64}", info.digest)


def test_the_digest_tells_settings_apart() -> None:
    assert counters(3).digest == load(COUNTERS).digest != counters(4).digest


def test_what_cannot_be_played_is_told_in_findings() -> None:
    with pytest.raises(RulesError) as caught:
        load(COUNTERS, settings={"moast": 3})
    assert any("moast" in found.message for found in caught.value.diagnostics)


def test_findings_are_printed_as_check_prints_them(tmp_path: Path) -> None:
    path = tmp_path / "ponds.yaml"
    path.write_text("ruleset: ponds\nedition: 1\nversion: 1.0.0\nrequires: [bsae]\n")
    with pytest.raises(RulesError) as caught:
        load(path)
    (found,) = caught.value.diagnostics
    assert str(found).startswith("error[ruleset-missing]: no ruleset `bsae` was found\n  --> ")
    assert str(found).endswith("\n   = did you mean `base`?")
    assert len(repr(found)) < 500


@pytest.mark.parametrize(("comment", "found"), [("", ["new-kind"]), ("  # allow: new-kind", [])])
def test_the_warnings_of_a_game_are_those_that_its_files_do_not_allow(
    comment: str, found: list[str], tmp_path: Path
) -> None:
    (tmp_path / "ponds.yaml").write_text(
        "ruleset: ponds\nedition: 1\nversion: 1.0.0\nrequires: [base]\n"
        f"features:\n  pond: {{shape: inside}}{comment}\n"
    )
    game = load("base", [str(tmp_path / "ponds.yaml")])
    assert [each.slug for each in game.warnings if each.slug == "new-kind"] == found


def test_there_are_no_engines_but_those_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"there is no engine `steam`; the engines are python, wasm"
    ):
        load(COUNTERS, engine="steam")


@pytest.mark.parametrize("players", [1, 4, 0, -1])
def test_a_game_is_for_so_many_players(players: int) -> None:
    with pytest.raises(ValueError, match=f"this game is for 2 to 3 players, not {players}"):
        counters().start(players)


def test_the_fewest_play_unless_more_are_asked_for() -> None:
    assert counters().start().players == ("red", "blue")
    assert counters().start(3).players == ("red", "blue", "green")


# --- moves ---------------------------------------------------------------------------------------


def test_options_come_by_line_and_their_arguments_in_order() -> None:
    assert texts(asked()) == [
        *(f"spend.points(n={n})" for n in range(1, 7)),
        "spend.wait",
        *(f"spend.ask(p={p}, loud={b})" for p in ("red", "blue") for b in ("false", "true")),
        "spend.break_down",
    ]


def test_placements_come_by_row_column_and_rotation() -> None:
    state = base().start()
    state.play(state.move("take", piece="monastery"))
    state.play(state.move("at", spot=(0, 1, 180)))
    state.play(state.move("pass"))
    state.play(state.move("take", piece="road-straight"))
    spots = [move["spot"] for move in state.moves()]
    assert all(isinstance(spot, Spot) and spot.grid == "board" for spot in spots)
    keys = [(s.y, s.x, s.rotation) for s in spots if isinstance(s, Spot)]
    assert keys == sorted(keys)
    assert len({key[:2] for key in keys}) == 5


def test_moves_are_equal_by_name_and_arguments() -> None:
    one = Move("spend.points", {"n": 2}, weight=3, secret=frozenset({"n"}))
    same, other = Move("spend.points", {"n": 2}), Move("spend.points", {"n": 3})
    assert one == same
    assert hash(one) == hash(same)
    assert other not in (one, same)
    assert one["n"] == 2
    with pytest.raises(KeyError):
        one["m"]


def test_the_moves_of_two_games_are_equal() -> None:
    first, second = asked(), asked()
    assert first.moves() == second.moves()
    first.play(second.moves()[1])
    assert first.scores()["red"] == 2


@pytest.mark.parametrize(
    ("name", "args", "found"),
    [
        ("points", {"n": 2}, "spend.points(n=2)"),
        ("spend.points", {"n": "2"}, "spend.points(n=2)"),
        ("wait", {}, "spend.wait"),
        ("ask", {"p": "red", "loud": True}, "spend.ask(p=red, loud=true)"),
        ("ask", {"p": "blue", "loud": "false"}, "spend.ask(p=blue, loud=false)"),
    ],
)
def test_a_move_is_found_by_values_and_by_text(
    name: str, args: dict[str, object], found: str
) -> None:
    assert str(asked().move(name, **args)) == found


@pytest.mark.parametrize("spot", [(1, 0, 90), [1, 0, 90], "(1,0,90)", "(1, 0, 90)"])
def test_a_place_is_found_by_its_numbers_and_by_text(spot: object) -> None:
    state = base().start()
    state.play(state.move("take", piece="road-straight"))
    assert state.move("at", spot=spot)["spot"] == Spot(1, 0, 90, "board")


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("points", {"n": 9}, "points(n=9) is not legal; red may play spend.points(n=1), "),
        ("points", {"n": True}, "points(n=True) is not legal; red may play "),
        ("points", {"m": 1}, "points(m=1): points has no argument m (it has: n)"),
        ("wait", {"m": 1}, "wait(m=1): wait has no argument m (it has: none)"),
        ("points", {}, "points could be spend.points(n=1), spend.points(n=2), "),
        ("ask", {"p": "red"}, "ask(p=red) could be spend.ask(p=red, loud=false), "),
        ("much", {}, "much: red is asked for spend.ask, spend.break_down, spend.points, "),
    ],
)
def test_a_move_that_is_not_one_is_told_why(name: str, args: dict[str, object], why: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        asked().move(name, **args)
    assert str(caught.value).startswith(why)


def test_long_lists_of_moves_are_cut() -> None:
    state = counters(9).start()
    state.play(state.moves()[0])
    with pytest.raises(IllegalMove, match=r"n=8\) … \(9 in all\)"):
        state.move("points", n=0)


def test_after_the_end_there_are_no_moves() -> None:
    state = counters().start(2, 1)
    state.finish()
    assert (state.mover, state.asked, state.moves()) == (None, None, ())
    with pytest.raises(IllegalMove, match=r"wait: the game is over"):
        state.move("wait")


def test_arguments_that_share_a_name_are_told_apart() -> None:
    state = base().start()
    state.play(state.move("take", piece="two-cities-opposite"))
    state.play(state.move("at", spot=(0, -1, 0)))
    named = [str(move["s"]) for move in state.moves() if move.name == "move_figure.place"]
    assert len(named) == len(set(named)) == 3


# --- playing -------------------------------------------------------------------------------------


def test_a_move_that_is_not_offered_changes_nothing() -> None:
    state = asked()
    before = state.canonical()
    with pytest.raises(IllegalMove):
        state.play(Move("spend.points", {"n": 7}))
    assert state.canonical() == before


def test_a_rule_that_fails_changes_nothing() -> None:
    state = asked()
    before, moves = state.canonical(), state.moves()
    with pytest.raises(PlayError, match="`the` needs exactly one element") as caught:
        state.play(state.move("break_down"))
    assert caught.value.span is not None
    assert caught.value.span.source.name.endswith("counters.rules")
    assert (state.canonical(), state.moves()) == (before, moves)
    state.play(state.move("points", n=1))
    assert state.scores() == {"red": 1, "blue": 0}


def test_a_clone_goes_on_by_itself_even_within_a_turn() -> None:
    state = asked()
    state.play(state.move("wait"))
    before = state.canonical()
    clone = state.clone()
    clone.play(clone.move("much"))
    assert (clone.scores()["red"], state.scores()["red"]) == (7, 0)
    assert state.canonical() == before
    state.play(state.move("little"))
    assert state.scores()["red"] == 0


def test_a_clone_draws_as_the_original_does(few: Game) -> None:
    state = few.start(2, 4)
    clone = state.clone()
    assert play_out(state, 1).canonical() == play_out(clone, 1).canonical()


def test_a_clone_is_not_listened_to() -> None:
    state = asked()
    log = GainLog(state)
    state.listen(log.hear)
    clone = state.clone()
    clone.play(clone.move("points", n=2))
    assert log.take() == ()
    state.play(state.move("points", n=3))
    (gain,) = log.take()
    assert (gain.player, gain.amount, log.take()) == ("red", 3, ())
    state.listen(None)
    state.play(state.moves()[0])
    state.play(state.move("points", n=1))
    assert log.take() == ()


def test_a_game_can_be_ended_at_any_moment() -> None:
    state = asked()
    state.play(state.move("wait"))
    state.finish()
    assert (state.mover, state.scores(), state.winners) == (None, {"red": 1, "blue": 0}, ("red",))


# --- saving --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [None, 5])
def test_a_saved_state_goes_on_as_the_original(seed: int | None) -> None:
    game = counters(6)
    state = game.start(3, seed)
    for number in itertools.count():
        saved = game.from_bytes(state.to_bytes())
        assert saved.canonical() == state.canonical()
        assert saved.moves() == state.moves()
        assert saved.to_bytes() == state.to_bytes()
        if state.mover is None:
            break
        safe = [move for move in state.moves() if move.name != "spend.break_down"]
        state.play(safe[number % len(safe)])
        saved.play(safe[number % len(safe)])
        assert saved.canonical() == state.canonical()


@pytest.mark.parametrize("damage", ["cut", "empty", "other", "words"])
def test_bytes_that_are_no_state_of_this_game_are_refused(damage: str) -> None:
    game = counters(6)
    data = asked().to_bytes()
    damaged = {
        "cut": data[: len(data) // 2],
        "empty": b"",
        "other": counters(3).start().to_bytes(),
        "words": b"\xff\x00 not a state",
    }
    with pytest.raises(ValueError, match="saved position"):
        game.from_bytes(damaged[damage])


def test_python_saves_plain_text() -> None:
    state = load(BASE, engine="python").start(2, seed=1)
    assert json.loads(state.to_bytes())["players"] == 2


def test_saved_states_are_small() -> None:
    assert len(asked().to_bytes()) < 16_000


# --- chance and what is hidden -------------------------------------------------------------------


def test_without_a_seed_every_draw_is_asked_for() -> None:
    state = base().start()
    assert (state.mover, state.asked) == ("chance", "take")
    weights = {str(move["piece"]): move.weight for move in state.moves()}
    assert sum(weights.values()) == 71
    assert (weights["road-curve"], weights["city4-shield"]) == (9, 1)
    state.play(state.move("take", piece="city4-shield"))
    assert (state.mover, state.asked) == ("red", "place_tile")
    state.play(state.moves()[0])
    state.play(state.move("pass"))
    left = {str(move["piece"]): move.weight for move in state.moves()}
    assert left == {name: weight for name, weight in weights.items() if name != "city4-shield"}


def test_the_same_seed_gives_the_same_game(few: Game) -> None:
    games = [play_out(few.start(2, seed), 7).canonical() for seed in (3, 3, 4)]
    assert games[0] == games[1] != games[2]


def test_chance_can_be_offered_again() -> None:
    state = counters().start(2, 1)
    state.offer_chance()
    state.play(state.move("points", n=1))
    assert state.mover == "chance"


def test_nobody_sees_what_lies_in_the_bag_or_in_another_hand() -> None:
    state = asked()
    assert "red one#1" not in state.view("blue")
    assert re.search(r"hand\[red\]: .*one", state.view("red"))
    assert re.search(r"hand\[red\]: 1 hidden token", state.view("blue"))
    assert not re.search(r"bag: .*five", state.view("red"))
    with pytest.raises(ValueError, match="no player 'green'; the players are red, blue"):
        state.view("green")


def test_a_sample_looks_the_same_and_draws_what_is_hidden_anew() -> None:
    state = asked()
    before = state.canonical()
    samples = [state.sample("blue", seed) for seed in range(24)]
    assert {sample.view("blue") for sample in samples} == {state.view("blue")}
    hands = {re.findall(r"hand\[red\]: (\w+)", sample.canonical())[0] for sample in samples}
    assert hands == {"one", "two", "five"}
    assert state.canonical() == before


def test_a_sample_keeps_what_one_knows() -> None:
    state = asked()
    samples = [state.sample("red", seed) for seed in range(9)]
    assert {sample.view("red") for sample in samples} == {state.view("red")}
    assert {re.findall(r"hand\[red\]: (\w+)", s.canonical())[0] for s in samples} == {"one"}


def test_a_sample_does_not_know_what_will_be_drawn() -> None:
    state = base().start(2, 5)
    moves = state.moves()

    def drawn(sample: State) -> str:
        sample.play(moves[0])
        sample.play(sample.move("pass"))
        assert sample.mover == "blue"
        return sample.canonical()

    assert drawn(state.sample("red", 1)) == drawn(state.sample("red", 1))
    assert len({drawn(state.sample("red", seed)) for seed in range(12)}) > 4


# --- what lies where -----------------------------------------------------------------------------


def test_features_are_told_with_all_their_segments() -> None:
    state = base().start()
    state.play(state.move("take", piece="city1"))
    state.play(state.move("at", spot=(0, -1, 180)))
    found = {info.name: info for info in state.features()}
    assert list(found) == [
        "city@N(0,0)",
        "road@E.W(0,0)",
        "field@EL.WR(0,0)",
        "field@ER.SL.SR.WL(0,0)",
        "field@NL.NR.EL.ER.WL.WR(0,-1)",
    ]
    city = found["city@N(0,0)"]
    assert (city.kind, city.segments) == ("base/city", ("city@N(0,0)", "city@S(0,-1)"))


def test_plain_names_of_places() -> None:
    state = base().start()
    (laid,) = state.position.laid()
    assert state.names.short(laid.cell) == Place(0, 0, "board")
    assert str(state.names.short(laid.cell)) == "(0,0)"
    assert state.names.full(laid.piece) == "city1-road-straight#1"
    assert state.names.short(Piece(laid.piece.index)) == "city1-road-straight"


def test_pieces_are_told_apart_by_where_they_stand() -> None:
    state = base().start()
    pieces = state.game.checked.game.pieces
    kinds = state.game.checked.game.kinds
    own = [i for i, p in enumerate(pieces) if kinds[p.kind].text == "follower" and p.seat == 0]
    one, two, three = (Piece(index) for index in own[:3])
    (laid,) = state.position.laid()
    state.position.apply("move", (one, Segment(laid.piece.index, 0)))
    assert state.names.full(one) == "red.follower:city@N(0,0)"
    assert state.names.full(two) == "red.follower#2"
    state.position.apply("move", (two, Segment(laid.piece.index, 0)))
    state.position.apply("move", (three, Space(0, 3)))
    assert state.names.full(one) == "red.follower#1"
    assert state.names.full(two) == "red.follower#2"
    assert state.names.full(three) == "red.follower:score_track[3]"


@pytest.mark.parametrize("engine", ["python", "wasm"])
def test_programs_see_which_piece_moves_and_where_it_is(engine: str) -> None:
    state = load(GAMES / "draughts.yaml", engine=engine).start(2, seed=1)
    (move, *_) = state.moves()
    assert state.exact(move) == {"x": "black.man#9", "c": (0, 3, "board")}
    before = state.place("black.man#9")
    assert (str(before), state.at("(1,2)"), state.at("board(0,3)")) == (
        "board(1,2)",
        ("black.man#9",),
        (),
    )
    state.play(move)
    assert state.at(Place(0, 3, "board")) == ("black.man#9",)
    assert state.at(before) == ()
    assert state.at("taken[white]") == ()
    for name in ("bord(0,3)", "hand", "black.man#99"):
        with pytest.raises(ValueError, match="there is no"):
            state.place(name) if "#" in name else state.at(name)


@pytest.mark.parametrize("engine", ["python", "wasm"])
def test_programs_see_what_the_mover_knows(engine: str) -> None:
    """A hidden piece is named by its place; one tile may lie on several cells."""
    state = load(GAMES / "fireworks.yaml", engine=engine).start(2, seed=1)
    assert state.mover == "red"
    assert state.at("hand[red]") == tuple(f"hand[red]#{number}" for number in range(1, 6))
    assert all(name.startswith("card-") for name in state.at("hand[blue]"))
    for name in ("fireworks", "towers", "spans", "journeys", "card_game"):
        path = GAMES / f"{name}.yaml"
        state = load(path if path.exists() else name, engine=engine).start(2, seed=1)
        for _ in range(9):
            for place in {str(state.place(each)) for each in state._lying.places} - {"None"}:
                for each in state.at(place):
                    cell = re.fullmatch(r"\w+\(.*\)", place)
                    assert str(state.place(each)) == place or cell, (name, place, each)
            state.play(state.moves()[-1])


@pytest.mark.parametrize(
    ("plain", "shown"),
    [
        ("monastery-road", "monasterio con camino"),
        ("red.follower#2", "Rojo seguidor#2"),
        ("red.follower:city@N(0,1)", "Rojo seguidor: ciudad@N(0,1)"),
        ("supply[red]", "reserva[Rojo]"),
        ("road", "camino"),
        ("fortune", "Fortuna"),
        ("unheard", "unheard"),
    ],
)
def test_labels_of_plain_forms(plain: str, shown: str) -> None:
    assert load(BASE, ["wheel_of_fortune"]).labels.plain(plain, "es") == shown


def test_points_are_told_with_their_reason() -> None:
    state = base().start()
    log = GainLog(state)
    state.listen(log.hear)
    state.play(state.move("take", piece="city1"))
    state.play(state.move("at", spot=(0, -1, 180)))
    state.play(state.move("place", s="city@S"))
    (gain,) = log.take()
    assert isinstance(gain, Gain)
    assert (gain.player, gain.amount, gain.source) == ("red", 4, "base/reason.city")
    assert gain.subject == "city@N(0,0)"
    assert describe(gain, state.game, "en") == "+4 city (0,0): 2 tiles"


def test_pieces_of_one_name_are_told_apart_by_their_rulesets() -> None:
    game = load(BASE, ["traders_and_builders", "wheel_of_fortune"], engine="python")
    state = game.start()
    state.offer_chance()
    drawn = [str(move) for move in state.moves()]
    assert len(set(drawn)) == len(drawn)
    assert "take(piece=wheel_of_fortune/city1-road-end-east)" in drawn
    assert state.recorded("take", {"piece": "wheel_of_fortune/city1-road-end-east#1"})
    label = game.labels.plain("wheel_of_fortune/city1-road-end-east#1", "es")
    assert label == (
        "borde de ciudad, camino a la derecha que acaba en ella (La rueda de la fortuna)#1"
    )


@pytest.mark.parametrize("engine", ["python", "wasm"])
def test_games_and_states_are_pickled_and_copied(engine: str) -> None:
    state = load(COUNTERS, settings={"most": 3}, engine=engine).start(2, 1)
    state.play(state.moves()[0])
    game = pickle.loads(pickle.dumps(state.game))
    assert (game.digest, game.engine) == (state.game.digest, engine)
    assert game.start(2, 1).moves() == state.game.start(2, 1).moves()
    for copy in (pickle.loads(pickle.dumps(state)), deepcopy(state)):
        assert copy.canonical() == state.canonical()
        before = state.canonical()
        copy.play(copy.moves()[0])
        assert copy.canonical() != before == state.canonical()
    with pytest.raises(ValueError, match="sample"):
        pickle.dumps(state.sample(state.players[0], 1))


def test_common_slips_have_messages() -> None:
    with pytest.raises(ValueError, match=r"`expansions` is a list: write \['river'\]"):
        load("base", "river")
    with pytest.raises(ValueError, match=r"`paths` is a list: write \['rulesets'\]"):
        load("base", paths="rulesets")
    with pytest.raises(TypeError, match=r"'wait' is not one of `moves\(\)`"):
        asked().play("wait")  # type: ignore[arg-type]


def test_games_and_states_are_shown_in_words() -> None:
    state = asked()
    assert repr(state.game) == "<Game counters>"
    assert repr(state) == "<State of <Game counters>: red decides spend; red 0, blue 0>"


def test_errors_are_pickled_and_say_what_to_type() -> None:
    with pytest.raises(RulesError) as caught:
        load("base", ["rivr"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics
    assert str(again) == "no ruleset `rivr` was found"
    assert again.__notes__ == ["= did you mean `river`?"]
