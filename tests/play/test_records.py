"""Records of games: played back they are the games, and what is wrong with them is told."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rulesdsl import Game, RulesError, State, load
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.records import Header, Record, Recorder, check_origin, read_record, replay

COUNTERS = Path(__file__).parent / "counters.yaml"


@cache
def game(most: int = 3) -> Game:
    return load(COUNTERS, settings={"most": most})


@cache
def recorded(seed: int | None) -> tuple[str, State]:
    """The text of the record of a whole game, and how it ended."""
    state = game().start(2, seed)
    text = io.StringIO()
    recorder = Recorder(text, Header.of(game(), 2, seed))
    while state.mover is not None:
        recorder.move(state.mover, state.moves()[0])
        state.play(state.moves()[0])
    recorder.result(state)
    return text.getvalue(), state


def lines(seed: int | None = None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in recorded(seed)[0].splitlines()]


def record(changed: list[dict[str, Any]]) -> Record:
    return read("".join(json.dumps(line) + "\n" for line in changed))


def read(text: str) -> Record:
    return read_record(Source("game.jsonl", text))


def play_back(text: str | list[dict[str, Any]]) -> None:
    found = read(text) if isinstance(text, str) else record(text)
    check_origin(found, game())
    for _ in replay(found, game()):
        pass


def finding(text: str | list[dict[str, Any]]) -> tuple[str, int, str]:
    """The slug, line and message of the one thing that is wrong with a record."""
    with pytest.raises(RulesError) as caught:
        play_back(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    return diagnostic.slug, diagnostic.span.line, diagnostic.message


@pytest.mark.parametrize("seed", [None, 4])
def test_a_record_played_back_is_the_game(seed: int | None) -> None:
    text, ended = recorded(seed)
    found = read(text)
    check_origin(found, game())
    *_, (state, _) = replay(found, game())
    assert state.canonical() == ended.canonical()
    assert found.result == ended.scores()
    assert found.cut is None


def test_with_a_seed_chance_is_not_recorded_without_one_it_is() -> None:
    movers = {seed: {entry.by for entry in read(recorded(seed)[0]).entries} for seed in (None, 4)}
    assert movers == {None: {"chance", "red", "blue"}, 4: {"red", "blue"}}


def test_a_header_says_what_the_game_was_made_of() -> None:
    header = lines(4)[0]
    (info,) = game().rulesets
    assert header == {
        "record": 1,
        "root": "counters",
        "expansions": [],
        "settings": {"counters.most": 3},
        "rulesets": [["counters", "1.0.0", info.digest]],
        "interactions": [],
        "players": 2,
        "seed": 4,
    }
    assert Header.read(header) == Header.of(game(), 2, 4)


def test_a_record_that_is_cut_off_plays_as_far_as_it_goes() -> None:
    text, ended = recorded(None)
    whole = text.splitlines(keepends=True)
    found = read("".join(whole[:5]) + whole[5][:20])
    assert found.cut is not None
    assert (found.cut.line, found.result, len(found.entries)) == (6, None, 4)
    *_, (state, entry) = replay(found, game())
    assert entry == found.entries[-1]
    assert state.canonical() != ended.canonical()


def test_a_record_may_end_between_two_lines() -> None:
    text, _ = recorded(None)
    found = read("".join(text.splitlines(keepends=True)[:4]))
    assert (found.cut, found.result, len(found.entries)) == (None, None, 3)


Change = Callable[[list[dict[str, Any]]], None]


def set_in(number: int, name: str, value: object) -> Change:
    def change(record: list[dict[str, Any]]) -> None:
        record[number][name] = value

    return change


@pytest.mark.parametrize(
    ("change", "slug", "line", "message"),
    [
        (
            set_in(2, "args", {"n": "9"}),
            "record-move",
            3,
            "spend.points(n=9) is not legal; red may play spend.points(n=1), spend.points(n=2), "
            "spend.points(n=3)",
        ),
        (
            set_in(2, "move", "spend.nothing"),
            "record-move",
            3,
            "spend.nothing(n=1): red is asked for spend.break_down, spend.points, spend.wait",
        ),
        (
            set_in(2, "by", "blue"),
            "record-move",
            3,
            "blue moves here in the record, but it is red's turn",
        ),
        (
            set_in(-1, "scores", {"red": 1, "blue": 99}),
            "record-move",
            -1,
            "the recorded scores are red 1, blue 99, but the replayed game has red 13, blue 7",
        ),
        (
            set_in(0, "rulesets", [["counters", "1.0.0", "0" * 64]]),
            "record-ruleset",
            1,
            "`counters` has changed since the record was made with version 1.0.0 "
            f"(digest {'0' * 12}); here its digest is {game().rulesets[0].digest[:12]}",
        ),
        (
            set_in(0, "settings", {"counters.most": 4}),
            "record-ruleset",
            1,
            "the settings differ from those recorded",
        ),
        (
            set_in(0, "players", 7),
            "bad-value",
            1,
            "this game is for 2 to 3 players, not 7",
        ),
        (
            set_in(0, "record", 9),
            "record-version",
            1,
            "the record has format 9; this program reads format 1",
        ),
        (
            lambda record: record.insert(3, record[0]),
            "record-syntax",
            4,
            "this line is in the wrong place",
        ),
        (
            lambda record: record.insert(3, record[-1]),
            "record-syntax",
            4,
            "this line is in the wrong place",
        ),
    ],
)
def test_a_changed_record_is_told_where_it_is_wrong(
    change: Change, slug: str, line: int, message: str
) -> None:
    changed = lines()
    change(changed)
    found = finding(changed)
    assert found == (slug, line if line > 0 else len(changed), message)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the record is empty"),
        ("\n\n", 1, "the record is empty"),
        ('{"record": 1', 1, "the record is cut off in its first line"),
        ("[1]\n", 1, "this line is not a JSON object"),
        ("what?\n", 1, "this line is not JSON"),
        ('{"by": "red"}\n', 1, "the first line is not the header of a record"),
        ("[" * 100_000, 1, "the record is cut off in its first line"),
        ("[" * 100_000 + "\n", 1, "this line is not JSON"),
        (f'{{"record": {"9" * 5000}}}\n', 1, "this line is not JSON"),
        (
            '{"record": 1, "settings": ' + '{"a":' * 500 + "1" + "}" * 501 + "\n",
            1,
            "this line is nested more than 20 levels deep",
        ),
        (
            '{"record": 1, "players": 2, "players": 3}\n',
            1,
            "this line has an object with the same key twice",
        ),
    ],
)
def test_a_text_that_is_no_record_is_told_so(text: str, line: int, message: str) -> None:
    assert finding(text) == ("record-syntax", line, message)
