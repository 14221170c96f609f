"""Golden records: they hold as written, and what goes another way is told where it begins."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rulesdsl import load
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.golden import golden_text, read_golden
from rulesdsl.play.records import Header, Recorder, read_record
from rulesdsl.play.scenario.outcome import Outcome

FOLDER = Path(__file__).parent
Lines = list[dict[str, Any]]


@cache
def golden_lines(seed: int | None = 4, most: int = 3) -> str:
    """The golden record of a game in which everybody plays the second move."""
    game = load(FOLDER / "counters.yaml", settings={"most": most}, engine="python")
    state, text = game.start(2, seed), io.StringIO()
    recorder = Recorder(text, Header.of(game, 2, seed))
    while state.mover is not None:
        move = state.moves()[:2][-1]
        recorder.move(state.mover, move)
        state.play(move)
    recorder.result(state)
    return golden_text(read_record(Source("game.jsonl", text.getvalue())), game, "counting")


def lines(seed: int | None = 4) -> Lines:
    return [json.loads(line) for line in golden_lines(seed).splitlines()]


def played(text: str | Lines, folder: Path = FOLDER, file: str = "some.game.jsonl") -> Outcome:
    if not isinstance(text, str):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in text)
    return read_golden(Source(str(folder / file), text), engine="python").run()


def found(text: str | Lines, folder: Path = FOLDER) -> tuple[int, str, tuple[str, ...]]:
    """The line, the message and the help of the one thing that is found."""
    (finding,) = played(text, folder).findings
    assert finding.slug == "golden-differs"
    assert finding.span is not None
    return finding.span.line, finding.message, finding.help


def without(key: str) -> Callable[[Lines], Lines]:
    """A change that leaves a key out of the last line that has it."""

    def change(text: Lines) -> Lines:
        next(line for line in reversed(text) if key in line).pop(key)
        return text

    return change


@pytest.mark.parametrize("seed", [4, None])
def test_a_golden_record_holds_as_it_is_written(seed: int | None) -> None:
    outcome = played(golden_lines(seed))
    assert outcome.passed, [str(each) for each in outcome.findings]
    assert (outcome.name, outcome.rulesets) == ("counting", ("counters",))


def test_it_says_what_came_of_every_move() -> None:
    text = lines()
    assert text[0]["name"] == "counting"
    assert all(line["offered"] >= 1 and line["then"]["state"] for line in text[1:-1])
    assert text[1]["then"]["scores"] == {"red": 2}
    assert "+state counters/player.score of red: 2" in text[1]["then"]["changes"]


def test_another_record_is_compared_at_its_end() -> None:
    untold = ("name", "offered", "then", "digest")
    text = [{k: v for k, v in each.items() if k not in untold} for each in lines()]
    assert played(text, file="game.jsonl").passed
    text[-1]["scores"]["red"] += 1
    line, message, (table,) = found(text)
    assert (line, message) == (len(text), "the game ends with other points")
    assert table.splitlines()[0].split() == ["expected", "found"]
    assert "<-" in table.splitlines()[1]
    assert "<-" not in table.splitlines()[2]


@pytest.mark.parametrize(
    ("change", "message", "help"),
    [
        ({"then": {"scores": {"red": 9}}}, "other points are awarded", "found: red +2"),
        (
            {"then": {"changes": ["+hand[red]: gold#1"], "state": "0"}},
            "in other places",
            "+hand[red]: gold#1",
        ),
        ({"then": {"state": "0000"}}, "not visible on the table differs", "what players know"),
        ({"offered": 7}, "red has other legal moves", "moves         7      5  <-"),
        ({"by": "blue"}, "another player is asked", "mover  blue      red  <-"),
        ({"move": "spend.fly"}, "`fly 2` is not legal for red", "legal moves: `points 1`"),
        ({"args": {"n": "5"}}, "`points 5` is not legal for red", "`points 3`, `wait`"),
    ],
)
def test_what_goes_another_way(change: dict[str, Any], message: str, help: str) -> None:
    text = lines()
    if "then" in change:
        change = {"then": {**text[1]["then"], **change["then"]}}
    text[1] |= change
    line, said, helps = found(text)
    assert line == 2
    assert said.startswith("turn 1 differs: ")
    assert message in said
    assert help in "\n".join(helps), helps


def test_a_game_that_ends_too_soon_or_too_late() -> None:
    text = lines()
    assert found([*text[:-2], text[-1]])[1].startswith("the game is not over after the last move")
    assert "the game is over before `points 2`" in found([*text[:-1], text[-2], text[-1]])[1]
    assert "cut off" in found(golden_lines()[:-9])[1]
    text[-1]["winners"] = ["green"]
    assert found(text)[1] == "the game ends with other winners"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-1], "the record has no last line with the result of the game"),
        (lambda text: text[:3], "the record has no last line with the result of the game"),
        (lambda text: text[:1], "the record has no last line with the result of the game"),
        (without("digest"), "the last line has no digest of the lines before"),
        (without("then"), "the digest in the last line is not that of the lines before"),
        (without("offered"), "the digest in the last line is not that of the lines before"),
    ],
)
def test_nothing_can_be_cut(change: Callable[[Lines], Lines], message: str) -> None:
    _, said, (help,) = found(change(lines()))
    assert said == message
    assert help.endswith("some.game.jsonl --update")


def test_ends_of_lines_and_other_spaces_between_lines_do_not_count() -> None:
    assert played(golden_lines().replace("\n", "\r\n")).passed


def test_rules_that_have_changed(tmp_path: Path) -> None:
    """What is told is the first turn where they make a difference, with what was and what is."""
    for name in ("counters.yaml", "counters.rules"):
        shutil.copy(FOLDER / name, tmp_path)
    rules = tmp_path / "counters.rules"
    assert played(golden_lines(), tmp_path).passed
    rules.write_text("# a remark\n" + rules.read_text())
    assert played(golden_lines(), tmp_path).passed
    rules.write_text(rules.read_text().replace("gain(active, n)", "gain(active, n + 1)"))
    line, message, (table, gain, changes) = found(golden_lines(), tmp_path)
    assert line == 2
    assert message == "turn 1 differs: after `points 2` of red other points are awarded"
    assert table == "      expected  found\nred          2      3  <-\nblue         0      0"
    assert gain == "found: red +3 gain"
    assert changes == (
        "expected, not found: +state counters/player.score of red: 2\n"
        "found, not expected: +state counters/player.score of red: 3"
    )


@pytest.mark.parametrize("kept", [None, 3])
def test_written_anew_under_other_rules_it_holds_again(tmp_path: Path, kept: int | None) -> None:
    """Where a move is no longer offered, or none is left, the rest is played at random."""
    for name in ("counters.yaml", "counters.rules"):
        shutil.copy(FOLDER / name, tmp_path)
    rules = tmp_path / "counters.rules"
    fails = "move(the(t in hand[active] where t.worth > 5), bag)"
    text = rules.read_text().replace("points(n in 1..", "points(n in 3..").replace(fails, "nothing")
    rules.write_text(text)
    before = "".join(golden_lines().splitlines(keepends=True)[:kept])
    golden = read_golden(Source(str(tmp_path / "some.game.jsonl"), before))
    assert not golden.run().passed
    again = golden_text(golden.record, golden.game())
    assert played(again, tmp_path).passed
    assert json.loads(again.splitlines()[0])["name"] == "counting"
    assert "winners" in json.loads(again.splitlines()[-1])


def test_rulesets_that_are_not_there_are_told_at_the_head() -> None:
    text = lines()
    text[0]["root"] = "count"
    (finding,) = played(text).findings
    assert (finding.slug, finding.span and finding.span.text) == (
        "ruleset-missing",
        '"root": "count"',
    )
    text[0] |= {"root": "counters", "players": 7}
    assert found(text)[:2] == (1, "this game is for 2 to 3 players, not 7")
