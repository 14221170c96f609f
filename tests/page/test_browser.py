"""The page in a real browser: games from `file://`, without a network."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rulesdsl
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.events import played
from rulesdsl.play.records import Header, Record, Recorder, check_origin, read_record
from rulesdsl.show.page.serve import PageServer, Records
from rulesdsl.show.page.write import page
from tests.page.node import browsed

pytestmark = pytest.mark.xdist_group("browser")

SCRIPT = Path(__file__).with_name("browser.mjs")
GAMES = {
    "base": ("base", ["river", "robbers"]),
    "cards": ("card_game", []),
    "dice": ("dice_game", []),
}
OTHERS = {
    "large": ("base", ["inns_and_cathedrals", "traders_and_builders", "hills_and_sheep"]),
    "circles": ("base", ["crop_circles", "river"]),
    "wheel": ("base", ["wheel_of_fortune"]),
}
PHONE = [390, 844]
ALONE, TOGETHER = "human,random", "human,human"
OPPONENTS = {"dice": "greedy"}
"""The bots of whole games, `random` in the others: games of random dice take 2,000 moves."""
SEATS = [ALONE, TOGETHER, "random,random"]
CLICKED = dict(zip(GAMES, SEATS, strict=True))
"""Who plays the games where everything is clicked; `-m long` lets all play all."""
HOSTILE = "<img src=x onerror=alert(1)>&amp;</script><b>"

Found = dict[str, Any]


def write(games: dict[str, rulesdsl.Game], folder: Path) -> dict[str, str]:
    """Write the pages of games for two players and return their files."""
    for name, game in games.items():
        (folder / f"{name}.html").write_text(page(game, [2]), encoding="utf-8")
    return {name: str(folder / f"{name}.html") for name in games}


def clicking(pages: dict[str, str], name: str, seats: str) -> Found:
    """Return the task to click everything at once in a game."""
    task = {"task": "look", "steps": "everything", "file": pages[name], "seats": seats}
    return {"name": f"everything in {name}, {seats}", **task}


def check_clicked(found: Found) -> None:
    """Check that the game went on."""
    assert "failed" not in found, found["failed"]
    assert (found["found"], found["errors"]) == (True, [])


def check_record(found: Found, game: rulesdsl.Game, bot: str = "random") -> None:
    """Check that the engine plays what the page has recorded, with the same points."""
    assert "failed" not in found, found["failed"]
    assert found["errors"] == []
    assert found["findings"] == []
    record = read_record(Source("game.jsonl", found["record"]))
    check_origin(record, game)
    assert record.header.seats == dict(zip(game.colours, ("human", bot), strict=False))
    *_, (state, _, _) = played(record, game)  # with its events
    assert list(state.scores().values()) == found["scores"]
    assert (state.mover is None) == found["over"]


def at_random(game: rulesdsl.Game, length: int) -> Record:
    """Return the record of the first moves of a random game."""
    state, random, text = game.start(2, seed=5), Random(5), StringIO()
    recorder = Recorder(text, Header.of(game, 2, 5))
    for _ in range(length):
        if state.mover is None:
            break
        move = random.choice(state.moves())
        recorder.move(state.mover, move)
        state.play(move)
    return read_record(Source("game.jsonl", text.getvalue()))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, rulesdsl.Game]:
    found = {name: rulesdsl.load(*given, engine="python") for name, given in GAMES.items()}
    house = tmp_path_factory.mktemp("house") / "shout.yaml"
    labels = {"en": {"base/place_tile": HOSTILE, "base/board": HOSTILE}}
    house.write_text(
        "ruleset: shout\nedition: 1\nversion: 1.0.0\nrequires: [base]\nhouse: true\n"
        f"labels: {json.dumps(labels)}\n",
        encoding="utf-8",
    )
    found["wheel"] = rulesdsl.load(*OTHERS["wheel"], engine="python")
    found["hostile"] = rulesdsl.load("base", [str(house)], engine="python")
    return found


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the records that a page sends to its server."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def told(
    games: dict[str, rulesdsl.Game], kept: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Found]:
    """What the browser finds in all tasks of this module, played in one browser."""
    folder = tmp_path_factory.mktemp("told")
    pages = write(games, folder)
    base: Found = {"task": "look", "file": pages["base"]}
    cards: Found = {"task": "look", "file": pages["cards"]}
    wheel: Found = {"task": "look", "file": pages["wheel"]}
    hostile: Found = {"task": "look", "file": pages["hostile"]}
    phone = {"size": PHONE, "touch": True, "language": "es"}
    tasks = [
        {"name": "mouse", "file": pages["base"], "way": "mouse", "moves": 24},
        {"name": "keyboard", "file": pages["cards"], "way": "keyboard", "dark": True},
        {"name": "touch", "file": pages["dice"], "way": "touch", "moves": 16, **phone},
    ]
    tasks = [{**each, "task": "play", "seats": ALONE, "check": True} for each in tasks]
    tasks += [
        {**base, "name": "undo", "steps": "undo", "seats": TOGETHER},
        {**base, "name": "taken", "steps": "taken", "seats": ALONE},
        {**base, "name": "short", "steps": "link", "seats": "random,random"},
        {**base, "name": "drawers", "steps": "drawers", "seats": TOGETHER, "check": True},
        {**cards, "name": "pass", "steps": "pass", "seats": TOGETHER},
        {**cards, "name": "peek", "steps": "peek", "seats": TOGETHER},
        {**base, "name": "gestures", "steps": "gestures", "seats": TOGETHER},
        {**cards, "name": "narrow", "steps": "narrow", "seats": ALONE, **phone, "check": True},
        {**wheel, "name": "ring", "steps": "ring", "seats": ALONE, "check": True},
        {**hostile, "name": "hostile", "steps": "markup", "seats": ALONE},
        {**base, "name": "other rules", "steps": "refused", "seats": ALONE},
        {**base, "name": "strangers", "steps": "strangers", "seats": TOGETHER},
        {**base, "name": "outside", "steps": "outside", "seats": ALONE},
        {**base, "name": "broken", "steps": "note", "seats": ALONE, "hash": "#1.0000.a"},
        {**base, "name": "why", "steps": "why", "seats": ALONE, "check": True},
        {**base, "name": "analysed", "steps": "analysed", "seats": "random,random"},
        {**base, "name": "speed", "steps": "speed", "seats": "human,strong"},
        {**base, "name": "twice", "steps": "twice", "seats": TOGETHER},
    ]
    tasks += [clicking(pages, name, seats) for name, seats in CLICKED.items()]
    posts = {"record": Records(kept, lambda _: None).answer}
    with PageServer(page(games["base"], [2], served="served"), posts) as server:
        served: Found = {"task": "look", "address": server.address}
        tasks.append({**served, "name": "reload", "steps": "reload", "seats": ALONE})
        found = browsed(SCRIPT, tasks, folder)
    record = folder / "record.html"
    read = read_record(Source("game.jsonl", found["keyboard"]["record"]))
    record.write_text(page(games["cards"], [2], read), encoding="utf-8")
    link = found["mouse"]["hash"]
    gains = folder / "gains.html"
    gains.write_text(page(games["base"], [2], at_random(games["base"], 60)), encoding="utf-8")
    tasks = [
        {**base, "name": "linked", "steps": "progress", "seats": TOGETHER, "hash": link},
        {**cards, "name": "record", "steps": "end", "seats": ALONE, "file": str(record)},
        {**base, "name": "lit", "steps": "lit", "seats": TOGETHER, "file": str(gains)},
    ]
    return found | browsed(SCRIPT, tasks, folder)


@pytest.mark.parametrize(
    ("name", "game"), [("mouse", "base"), ("keyboard", "cards"), ("touch", "dice")]
)
def test_a_game_is_played_and_recorded(
    name: str, game: str, told: dict[str, Found], games: dict[str, rulesdsl.Game]
) -> None:
    check_record(told[name], games[game])
    assert told[name]["over"] == (name == "keyboard")


def test_a_move_can_be_undone_until_chance_falls(told: dict[str, Found]) -> None:
    found = told["undo"]
    assert found["found"] == [True, False, 2]
    assert found["errors"] == []


def test_a_move_after_another_player_was_undone_is_marked(told: dict[str, Found]) -> None:
    assert "failed" not in told["taken"], told["taken"]["failed"]
    before, marked = told["taken"]["found"]
    assert before > 2  # the bot has moved
    assert marked[:2] == [False, True]
    assert not any(marked[2:])


@pytest.mark.parametrize(("game", "seats"), CLICKED.items())
def test_everything_can_be_clicked_at_once(game: str, seats: str, told: dict[str, Found]) -> None:
    check_clicked(told[f"everything in {game}, {seats}"])


def test_a_second_click_plays_nothing(told: dict[str, Found]) -> None:
    assert "failed" not in told["twice"], told["twice"]["failed"]
    assert told["twice"]["found"] == 2


def test_after_a_reload_the_same_record_goes_on(told: dict[str, Found], kept: Path) -> None:
    assert "failed" not in told["reload"], told["reload"]["failed"]
    assert told["reload"]["errors"] == []
    first, second = map(lines, told["reload"]["found"])
    assert [line.get("taken_back", False) for line in first[1:3]] == [False, True]
    found = {path.name: lines(path.read_text(encoding="utf-8")) for path in kept.iterdir()}
    assert found == {"game.jsonl": first, "game-2.jsonl": second}


def lines(record: str) -> list[Any]:
    return [json.loads(line) for line in record.splitlines()]


def test_hands_are_hidden_until_the_device_is_passed_on(told: dict[str, Found]) -> None:
    closed, hidden, shown = told["pass"]["found"]
    assert closed
    assert sorted(there > here for here, there in zip(hidden, shown, strict=True)) == [False, True]


def test_nobody_sees_what_only_the_other_person_may_know(told: dict[str, Found]) -> None:
    assert "failed" not in told["peek"], told["peek"]["failed"]
    found = told["peek"]["found"]
    hidden = found["hidden"]  # neither hand is shown
    assert found["between"] == [hidden, False]

    def shown(hands: list[int]) -> list[bool]:
        return [there > here for here, there in zip(hidden, hands, strict=True)]

    assert found["first"][1]
    assert sorted(shown(found["first"][0])) == [False, True]
    assert shown(found["second"]) == shown(found["first"][0])[::-1]
    assert (shown(found["past"][0]), found["past"][1]) == (shown(found["second"]), False)


def test_a_piece_is_laid_by_gestures(told: dict[str, Found]) -> None:
    assert "failed" not in told["gestures"], told["gestures"]["failed"]
    found = told["gestures"]["found"]
    assert (found["cells"], found["ghost"]) == (1, [1, 2])
    assert len(set(found["turned"])) == 2
    fitted, closer, again = found["boxes"]
    assert fitted == again != closer
    assert found["spots"] == [4, 1]
    assert found["live"].endswith(": no figure")
    assert found["spanish"].endswith("ninguna figura")


def test_touching_a_card_on_a_phone_lists_its_moves(told: dict[str, Found]) -> None:
    assert "failed" not in told["narrow"], told["narrow"]["failed"]
    found = told["narrow"]["found"]
    assert found["before"] == 0
    assert found["after"] == found["named"] == 4
    assert found["bottom"] < PHONE[1]
    assert (told["narrow"]["errors"], told["narrow"]["findings"]) == ([], [])


def test_zones_of_members_stand_in_a_row_with_the_state_on_one(told: dict[str, Found]) -> None:
    assert "failed" not in told["ring"], told["ring"]["failed"]
    members = dict(told["ring"]["found"])
    assert list(members) == ["Fortune", "Taxes", "Famine", "Storm", "Inquisition", "Plague"]
    assert sorted(members.values()) == [*[""] * 5, "section of the pig"]
    assert (told["ring"]["errors"], told["ring"]["findings"]) == ([], [])


def test_labels_are_never_markup(told: dict[str, Found]) -> None:
    found = told["hostile"]
    elements, question = found["found"]
    assert elements == 0
    assert HOSTILE in question
    assert found["errors"] == []


def test_a_record_of_other_rules_is_refused_with_the_reason(told: dict[str, Found]) -> None:
    assert "+ x 1.0" in told["other rules"]["found"]
    assert "base" in told["other rules"]["found"]


def test_records_and_links_of_strangers_leave_the_game_as_it_is(told: dict[str, Found]) -> None:
    assert "failed" not in told["strangers"], told["strangers"]["failed"]
    found = told["strangers"]["found"]
    broken = "This is not a game of this page"
    others = found["notes"].pop(2), found["notes"].pop(2)
    assert found["notes"] == [broken] * 7
    assert all("other rules" in note for note in others)
    assert "\ufffdx\ufffd 1.0" in others[1]
    assert (found["same"], found["length"], found["seed"]) == (1, 2, True)
    assert told["strangers"]["errors"] == []


def test_the_page_cannot_reach_the_network_or_write_markup(told: dict[str, Found]) -> None:
    assert told["outside"]["found"] == ["refused"] * 3


def test_a_link_opens_the_same_game_in_another_browser(told: dict[str, Found]) -> None:
    found, there = told["mouse"], told["linked"]
    assert there["scores"] == found["scores"]
    assert there["found"] == len(found["record"].splitlines()) - 1
    assert len(found["hash"]) < 1500
    assert there["errors"] == []


def test_the_link_of_a_game_of_seventy_turns_is_short(told: dict[str, Found]) -> None:
    assert "failed" not in told["short"], told["short"]["failed"]
    moves, length = told["short"]["found"]
    print(f"{moves} moves: a link of {length} characters")
    assert moves >= 140  # a turn lays a tile and chooses a figure
    assert length < 1500


def test_a_broken_link_is_refused_and_a_game_begins(told: dict[str, Found]) -> None:
    assert told["broken"]["found"]
    assert told["broken"]["errors"] == []


def test_a_page_of_a_record_goes_through_it(told: dict[str, Found]) -> None:
    found, played = told["record"], told["keyboard"]
    assert found["found"] == [0, len(played["record"].splitlines()) - 2]
    assert found["scores"] == played["scores"]


def test_the_feature_of_a_gain_is_lit_up(told: dict[str, Found]) -> None:
    assert "failed" not in told["lit"], told["lit"]["failed"]
    found = told["lit"]["found"]
    assert any("tile" in text for text, _ in found["gains"])
    tiles = [(re.search(r": (\d+) tiles?", text), lit) for text, lit in found["gains"]]
    assert all(lit == int(number[1]) for number, lit in tiles if number)
    assert any(number for number, _ in tiles)
    assert found["line"] > 0
    assert told["lit"]["errors"] == []


def test_moves_can_be_typed_and_drawers_tell_what_is_best_and_left(told: dict[str, Found]) -> None:
    found = told["drawers"]
    assert "failed" not in found, found["failed"]
    moves, best, left = found["found"]
    assert moves == 1
    assert best > 1
    assert left > 10
    assert (found["errors"], found["findings"]) == ([], [])


def test_the_page_says_why_and_speaks_what_lies_on_every_cell(told: dict[str, Found]) -> None:
    found = told["why"]
    assert "failed" not in found, found["failed"]
    refused, spoken, rules = found["found"]
    assert "Why not here?" in refused
    assert any(reason in refused for reason in ("base.rules:", " meets ", "lies here already"))
    assert spoken.startswith("cell (")
    assert "choice place_tile" in rules
    assert (found["errors"], found["findings"]) == ([], [])


def test_a_game_is_judged_move_by_move(told: dict[str, Found]) -> None:
    found = told["analysed"]
    assert "failed" not in found, found["failed"]
    assert found["found"] >= 6
    assert found["errors"] == []


def test_the_page_is_quick(told: dict[str, Found]) -> None:
    speed = told["speed"]["found"]
    # A machine that does other things at the same time takes up to four times as long.
    assert speed["first"] < 4 * 500
    assert speed["bot"] < 4 * 1000
    assert speed["frame"] < 50
    print("first move, bot, frames: " + ", ".join(f"{n} {ms:.1f} ms" for n, ms in speed.items()))
    assert speed["longest"] < 4 * 50


def test_a_page_with_two_expansions_is_small(games: dict[str, rulesdsl.Game]) -> None:
    game = games["base"]
    text = page(game, [2])
    assert page(game, [2]) == text
    each = len(page(game, [2, 3]).encode()) - len(text.encode())
    assert len(text.encode()) + (len(game.players) - 1) * each < 500_000
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "unsafe-inline" not in policy[1]
    assert "'unsafe-eval'" not in policy[1]


@pytest.mark.long
@pytest.mark.parametrize("way", ["mouse", "keyboard", "touch"])
def test_whole_games_of_every_ruleset(way: str, tmp_path: Path) -> None:
    given = GAMES | OTHERS
    games = {name: rulesdsl.load(*each, engine="python") for name, each in given.items()}
    pages = write(games, tmp_path)
    phone = {"size": PHONE, "touch": True} if way == "touch" else {}
    bots = {name: OPPONENTS.get(name, "random") for name in pages}
    tasks = [
        {"name": name, "task": "play", "file": pages[name], "way": way, "seats": f"human,{bot}"}
        for name, bot in bots.items()
    ]
    for name, found in browsed(SCRIPT, [each | phone for each in tasks], tmp_path).items():
        check_record(found, games[name], bots[name])
        assert found["over"]


@pytest.mark.long
def test_everything_can_be_clicked_whoever_plays(
    games: dict[str, rulesdsl.Game], tmp_path: Path
) -> None:
    pages = write(games, tmp_path)
    tasks = [clicking(pages, name, seats) for name in GAMES for seats in SEATS]
    for found in browsed(SCRIPT, tasks, tmp_path).values():
        check_clicked(found)
