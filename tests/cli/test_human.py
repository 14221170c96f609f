"""People at the prompt: picking, taking back, leaving, going on."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from rulesdsl.cli.words import Words
from rulesdsl.play import Move, load
from rulesdsl.play.records import saved_games
from tests.cli.conftest import HAMLETS, RULESETS, Cli, heed_ctrl_c

RED = ("run", HAMLETS, "--human", "red", "--bots", "random", "--seed", "0")
PROMPT = "Red: 1-4, h hints, u undo, q quit, ? help > "


@pytest.fixture(autouse=True)
def _found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))


def _moves(path: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if "move" in line]


def test_moves_are_numbered_cells_first_then_rotations(cli: Cli) -> None:
    out = cli(*RED, "--board", typed="2\n1\n").out
    assert "players: Red (human), Blue (random bot); seed 0" in out
    assert (
        "      -1     0      1\n"
        "\n"
        "-1           1\n"
        "\n"
        "          ▒▒▒▒▒▒▒\n"
        " 0    2   ▒▒▒w▒▒▒   3\n"
        "          ▒▒▒▒▒▒▒\n"
        "\n"
        " 1           4\n"
    ) in out
    assert "  1 (0,-1)    2 (-1,0)    3 (1,0)     4 (0,1)" in out
    assert "  1 lay it at (-1,0)              2 lay it at (-1,0) turned 90\n" in out
    assert "1. Red  corner: lay it at (-1,0)\n" in out


def test_the_piece_is_shown_in_every_rotation_then_with_its_segments(cli: Cli) -> None:
    out = cli(*RED, "--board", typed="1\n1\n").out
    assert "   1         2\n·  │  ·   ·  │  ·\n───┘▒▒▒   ▒▒▒└───\n·▒▒▒▒▒▒   ▒▒▒▒▒▒·\n" in out
    assert "───┘▒▒▒\n·▒▒▒1▒▒\n  1 build House on the village    2 build nothing\n" in out


def test_the_piece_is_shown_before_its_cell_is_picked(cli: Cli) -> None:
    out = cli(*RED, "--board", typed="1\n1\n").out
    assert "Where does it go?  corner\n\n·▒▒▒▒▒▒\n───┐▒▒▒\n·  │  ·\n  1 (0,-1)" in out


def test_how_everybody_stands_is_said_before_a_turn(cli: Cli) -> None:
    out = cli(*RED, typed="1\n1\n1\n").out
    assert "\nRed 0, home 4   Blue 0, home 4   bag 10\n" in out
    assert out.count("Red 0, home 3") == 1


def test_lines_break_between_words(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = cli(*RED, typed="?\n").out
    assert (
        "> type a number and Enter, a cell such as\n0,1, or a move such as `at 0,-1,90`; h\n" in out
    )


def test_what_is_typed_wrongly_is_asked_again(cli: Cli) -> None:
    out = cli(*RED, typed="0\n5\n-1\nx\n²\n1.5\n\n" + "9" * 5000 + "\n4\n1\n").out
    assert out.count("type a number from 1 to 4, a cell, a move, h, u, r, b, v, n, q or ?") == 8
    assert "there is no option `x`\nknown: `at`\n" in out
    assert "1. Red" in out


def test_a_move_is_typed_in_words(cli: Cli, tmp_path: Path) -> None:
    """As in scenarios; also another one than those of the cell that was picked."""
    record = tmp_path / "game.jsonl"
    typed = "at (-1,0,0)\nput s=village@E.N(-1,0) k=hamlets/house\nq\n"
    out = cli(*RED, "--record", str(record), typed=typed).out
    assert "1. Red  corner: lay it at (-1,0)\n" in out
    assert [each["args"] for each in _moves(record)[:2]] == [
        {"spot": "(-1,0,0)"},
        {"k": "house", "s": "village@N.E"},
    ]
    out = cli(*RED, typed="1\nat 0,1,0\n").out
    assert "1. Red  corner: lay it at (0,1)\n" in out


def test_a_typed_move_that_is_none_says_what_to_type(cli: Cli) -> None:
    typed = "att 0,1,0\nat 9,9\nat 0,1\n4\n1\nput house villag@E\nput " + "x" * 9000 + "\n"
    out = cli(*RED, typed=typed).out
    assert "there is no option `att`\ndid you mean `at`?\n" in out
    assert (
        "`at 9,9` is not legal for red\n"
        "  corner at (9,9), in every rotation: it touches nothing\n"
        "legal moves: `at 0,-1,90`, "
    ) in out
    assert "`at 0,1` could be 2 different moves: `at 0,1,0`, `at 0,1,270`" in out
    assert "no piece on a grid has a segment `villag@E`\ndid you mean `village@N.E`?\n" in out
    assert "xxx" not in out


def test_a_typed_move_says_why_it_is_not_legal(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    typed = "at 0,1,90\nput house village@N.E.S.W\nat 0,1,0\n1\nat 0,-1,90\nput house village@E.S\n"
    out = cli("run", HAMLETS, "--human", "red,blue", "--seed", "3", typed=typed).out
    assert (
        "`at 0,1,90` is not legal for red\n"
        "  corner at (0,1,90): a side does not match its neighbour\n"
        "    north: lane here, village on square\n"
        "legal moves: `at 0,-1,90`, `at 0,-1,180`, `at -1,0,0`,\n"
        "  `at -1,0,90`, `at 1,0,180`, `at 1,0,270` and 2 more\n"
    ) in out
    assert "  it is not an option of `lay`, which is asked now\n" in out
    assert "  the `where` of the option does not hold: s is village and" in out


def test_help_view_and_back(cli: Cli) -> None:
    out = cli(*RED, typed="?\nv\n2\nb\n4\n1\n").out
    assert "or a move such as `at 0,-1,90`; h shows what each move leads to" in out
    assert "not seen yet: " in out
    assert "home[red]" not in out
    assert "1. Red  corner: lay it at (0,1)" in out


DICE = """\
ruleset: dice
edition: 1
version: 1.0.0
rules: dice.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
zones: {cup: {holds: die, per: player, visible: owner, initial: true}}
dice: [{id: cube, count: 3, per: player, faces: [{id: one}, {id: two}, {id: three}]}]
"""
DICE_RULES = """\
state player.score: int = 0
action game():
    for p in players:
        for d in cup[p]: roll(d)
    ask()
choice ask() by first(players):
    option stay
action finish(): end_game(players)
"""


def test_the_view_does_not_tell_the_faces_of_hidden_dice(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "dice.yaml").write_text(DICE)
    (tmp_path / "dice.rules").write_text(DICE_RULES)
    out = cli("run", str(tmp_path / "dice.yaml"), "--human", "red", "--seed", "5", typed="v\n").out
    assert "not seen yet: 3 (blue.cube x3)" in out


def test_the_view_with_exact_names_is_that_of_programs(cli: Cli) -> None:
    out = cli(*RED, typed="n\nv\n").out
    assert "home[red]: red house#1, red house#2, red house#3, red house#4\n" in out
    assert "running" not in out


def test_a_move_is_taken_back(cli: Cli, tmp_path: Path) -> None:
    out = cli(*RED, "--record", "game.jsonl", typed="u\n2\n1\n2\nu\nu\nu\n4\n1\n2\nq\n").out
    assert out.count("nothing to undo") == 2
    assert out.count("taken back, r redoes it:") == 2
    moves = _moves(tmp_path / "game.jsonl")
    assert [move["move"] for move in moves[:2]] == ["lay.at", "build.pass"]
    assert str(moves[0]["args"]).startswith("{'spot': '(0,1,")
    left = cli("replay", "game.jsonl", "--quiet")
    assert (left.code, "note[record-cut]: the record ends before" in left.err) == (0, True)


def test_bots_move_again_as_they_did_after_a_move_is_taken_back(cli: Cli, tmp_path: Path) -> None:
    once = cli(*RED, "--record", "one.jsonl", typed="1\n1\n1\nq\n")
    again = cli(*RED, "--record", "two.jsonl", typed="1\n1\n1\nu\n1\nq\n")
    assert once.code == again.code == 0
    marked = (tmp_path / "two.jsonl").read_bytes()
    assert marked.count(b', "taken_back": true') == 1
    plain = marked.replace(b', "taken_back": true', b"")
    assert (tmp_path / "one.jsonl").read_bytes() == plain


def test_help_shows_the_rules_of_what_is_asked(cli: Cli) -> None:
    """The sections of the books that name the choice, or its comments."""
    river = ("run", "base", "--with", "river", "--human", "red", "--seed", "2")
    out = cli(*river, typed="?\nq\n").out
    assert "> The tile lies beside at least one other, side to side" in out
    assert "\nA river tile continues the open end of the river" in out
    assert "> La loseta" in cli(*river, "--lang", "es", typed="?\nq\n").out
    out = cli(*RED, typed="?\nq\n").out
    assert "> type a number" in out, "hamlets has neither"


def test_what_is_taken_back_is_named_and_can_be_redone(cli: Cli, tmp_path: Path) -> None:
    """Also the moves of a bot in between, and the last move of the game."""
    once = cli(*RED, "--record", "one.jsonl", typed="1\n1\n1\nq\n")
    out = cli(*RED, "--record", "two.jsonl", typed="r\n1\n1\n1\nu\nr\nr\nq\n").out
    named = re.search("taken back, r redoes it:\n((  \\d.*\n)+)", out)
    assert named, out
    assert re.findall("(Red|Blue)", named[1])[:3] == ["Red", "Blue", "Blue"]
    assert f"played again:\n{named[1]}" in out
    assert out.count("nothing to redo") == 2
    assert once.code == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    whole = cli(*RED, "--record", "end.jsonl", typed="1\n" * 50).out
    (end := tmp_path / "end.jsonl").rename(tmp_path / "first.jsonl")
    asked = whole.count("? help > ")
    last = cli(*RED, "--record", "end.jsonl", typed="1\n" * asked + "u\nr\n\n").out
    assert last.count("the game is over; u undoes the last move, Enter ends > ") == 2
    assert (tmp_path / "first.jsonl").read_bytes() == end.read_bytes()


def test_undo_at_a_second_question_asks_the_first_again(cli: Cli, tmp_path: Path) -> None:
    out = cli(*RED, "--record", "game.jsonl", typed="1\n1\n1\n2\nu\nq\n").out
    assert "taken back" not in out
    assert len(_moves(tmp_path / "game.jsonl")) == 4


TWO = ("run", HAMLETS, "--human", "red,blue", "--seed", "0", "--record", "game.jsonl")


def test_at_one_terminal_only_moves_that_show_nothing_are_taken_back(
    cli: Cli, tmp_path: Path
) -> None:
    out = cli(*TWO, typed="1\n1\nu\n1\n1\nq\n").out
    assert "taken back" in out
    before = _moves(tmp_path / "game.jsonl")
    assert [move["move"] for move in before] == ["lay.at"]
    (tmp_path / "game.jsonl").unlink()
    out = cli(*TWO, typed="1\n1\n1\nu\nq\n").out
    assert "the last move stays: it drew by chance" in out, "Blue has drawn a piece"
    moves = _moves(tmp_path / "game.jsonl")
    assert [move["by"] for move in moves] == ["red", "red"]
    assert not any("taken_back" in move for move in moves)


@pytest.mark.parametrize("engine", ["python", "wasm"])
def test_a_person_against_bots_looks_at_chance_with_a_mark_only(
    cli: Cli, tmp_path: Path, engine: str
) -> None:
    vault = str(RULESETS.parents[1] / "games" / "vault.yaml")
    alone = ("run", vault, "--human", "red", "--bots", "random", "--seed", "0")
    typed = "done\nyes\nu\nno\nq\n"
    out = cli(*alone, "--engine", engine, "--record", "game.jsonl", typed=typed).out
    assert "taken back" in out
    moves = _moves(tmp_path / "game.jsonl")
    marked = [move["move"] for move in moves if move.get("taken_back")]
    assert marked == ["again.no"]


def test_moves_are_taken_back_after_a_game_goes_on(cli: Cli, tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    cli(*RED, "--record", "game.jsonl", typed="1\n1\nq\n")
    assert len(_moves(record)) == 1
    early = record.read_bytes()
    cli("run", "--resume", "game.jsonl", typed="1\n1\n1\nq\n")
    later = record.read_bytes()
    assert later.startswith(early)
    out = cli("run", "--resume", "game.jsonl", typed="u\nu\nu\nu\nq\n").out
    assert out.count("taken back") == 3
    assert out.count("nothing to undo") == 1
    assert _moves(record) == []
    cli("run", "--resume", "game.jsonl", typed="1\n1\n1\n1\n1\nq\n")
    assert record.read_bytes() == later


def test_after_a_game_goes_on_the_same_moves_stay_as_before(cli: Cli, tmp_path: Path) -> None:
    again = ("run", "--resume", "game.jsonl")
    cli(*TWO, typed="1\n1\nq\n")
    assert "taken back" in cli(*again, typed="u\nq\n").out
    assert _moves(tmp_path / "game.jsonl") == []
    cli(*again, typed="1\n1\n1\nq\n")
    assert "the last move stays: it drew by chance" in cli(*again, typed="u\nq\n").out
    assert len(_moves(tmp_path / "game.jsonl")) == 2


@pytest.mark.parametrize("leave", ["q\n", ""])
def test_leaving_saves_and_the_game_goes_on(cli: Cli, tmp_path: Path, leave: str) -> None:
    result = cli(*RED, "--record", "game.jsonl", typed="1\n1\n1\n" + leave)
    assert result.code == 0
    goes_on = f"rulesdsl run --resume game.jsonl --path {RULESETS}\n"
    assert f"saved in game.jsonl; go on with: {goes_on}" in result.out
    before = _moves(tmp_path / "game.jsonl")
    assert len(before) == 4
    result = cli("run", "--resume", "game.jsonl", "--quiet")
    assert result.code == 0
    assert _moves(tmp_path / "game.jsonl")[:4] == before
    assert cli("replay", "game.jsonl", "--quiet").out == result.out
    over = cli("run", "--resume", "game.jsonl")
    assert (over.code, "to see it again: rulesdsl replay game.jsonl" in over.err) == (2, True)


def test_games_are_saved_with_their_bots_and_go_on_as_if_never_interrupted(
    cli: Cli, tmp_path: Path
) -> None:
    seeded = ("run", HAMLETS, "--human", "red", "--bots", "mcts:60", "--seed", "4")
    once = cli(*seeded, "--record", "once.jsonl", typed="1\n1\n" * 3 + "q\n")
    assert "Red (human), Blue (mcts:60 bot); seed 4" in once.out
    assert cli(*seeded, typed="1\n1\nq\n").code == 0
    out = cli("run", "--resume", "last", typed="1\n1\n" * 2 + "q\n").out
    assert "Red (human), Blue (mcts:60 bot); seed 4" in out
    assert _moves(saved_games()[0]) == _moves(tmp_path / "once.jsonl")
    assert any("stream" in move for move in _moves(saved_games()[0]))
    assert cli("replay", "last", "--quiet").code == 0
    assert cli("why", "points", "last", "--turn", "1").code == 0
    assert "hamlets" in cli("replay").out


def test_a_game_that_nobody_moved_in_is_not_saved(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = saved_games()
    second = ("run", HAMLETS, "--human", "blue", "--seed", "0")
    for game, typed in ((RED, "q\n"), (RED, "1\n1\nu\nq\n"), (second, "q\n")):
        assert "saved in" not in cli(*game, typed=typed).out
        assert saved_games() == before
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    assert "saved in" not in cli(*RED, typed="q\n").out
    assert not list(tmp_path.glob("*.jsonl"))


def test_people_play_another_game_each_time_against_the_greedy_bot(cli: Cli) -> None:
    found = [cli("run", HAMLETS, "--human", "red", typed="q\n").out for _ in range(2)]
    assert "Blue (greedy bot); seed " in found[0]
    assert found[0] != found[1]


def test_without_a_home_a_game_is_saved_here_and_never_over_a_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    (tmp_path / "game.jsonl").write_text("precious")
    assert "saved in game-2.jsonl" in cli(*RED, typed="1\n1\nq\n").out
    assert (tmp_path / "game.jsonl").read_text() == "precious"


def test_cells_are_typed_by_number_or_coordinates_and_commands_by_words(cli: Cli) -> None:
    out = cli(*RED, typed="9,9\n0,1\nback\n(0, 1)\nnames\n0,1\n1\nundo\nquit\n").out
    assert (
        "nothing can be played at (9,9)\n  corner at (9,9), in every rotation: it touches nothing\n"
    ) in out
    assert out.count("  1 lay it at (0,1) ") == 2
    assert "  1 lay.at(spot=(0,1,0)) " in out
    assert "taken back" in out


def test_hints_say_what_a_move_leads_to(cli: Cli) -> None:
    out = cli(*RED, typed="hint\nq\n").out
    assert "your points if the game ended after the move" in out
    assert re.search(r"  1 \(0,-1\)  → \d+", out)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data[:-7], id="cut off"),
        pytest.param(lambda data: data[:-1], id="no last line end"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="BOM"),
        pytest.param(lambda data: b"\xef\xbb\xbf" + data[:-7], id="BOM and cut off"),
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="CRLF"),
    ],
)
def test_going_on_with_a_record_that_was_damaged_at_its_end(  # type: ignore[no-untyped-def]
    cli: Cli, tmp_path: Path, spoil
) -> None:
    cli(*RED, "--record", "game.jsonl", typed="1\n1\n1\nq\n")
    path = tmp_path / "game.jsonl"
    path.write_bytes(spoil(path.read_bytes()))
    assert cli("run", "--resume", "game.jsonl", "--quiet").code == 0
    assert cli("replay", "game.jsonl", "--quiet").code == 0


def test_two_people(cli: Cli) -> None:
    out = cli(
        "run", HAMLETS, "--human", "red,blue", "--seed", "0", typed="1\n1\n1\n1\n1\n1\nq\n"
    ).out
    assert "players: Red (human), Blue (human); seed 0" in out
    assert "Red (human), Blue (human)" in cli("run", "--resume", "last", typed="q\n").out


def test_in_spanish(cli: Cli) -> None:
    out = cli(*RED, "--lang", "es", typed="x\n?\nu\n1\n1\nu\n1\n1\nq\n").out
    assert "Rojo: 1-4, h pistas, u deshacer, q salir, ? ayuda > " in out
    assert "escribe un número de 1 a 4" in out
    assert "no hay ninguna jugada tuya que deshacer" in out
    assert "deshecho, r lo rehace:\n  1. Rojo " in out
    assert "; sigue con: rulesdsl run --resume last" in out


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    """A person before a terminal of 80 columns."""
    environment = {**os.environ, "RULESDSL_PATH": str(RULESETS), "TERM": "xterm"}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "rulesdsl", "run", "hamlets", "--human", "red"],
        env=environment,
        cwd=tmp_path,
        preexec_fn=heed_ctrl_c,
        encoding="utf-8",
        dimensions=(50, 80),
        timeout=60,
    )
    yield child
    child.close(force=True)


def test_at_a_terminal(terminal: pexpect.spawn[str], tmp_path: Path) -> None:
    terminal.expect("help > ")
    assert terminal.before is not None
    assert "\x1b[" in terminal.before
    assert "▒" in terminal.before
    terminal.sendline("1")
    terminal.expect("help > ")
    terminal.sendline("1")
    terminal.expect("build House")
    terminal.expect("help > ")
    terminal.sendline("1")
    terminal.expect("2. ")
    terminal.expect("help > ")
    terminal.sendintr()
    terminal.expect("saved in .*; go on with: rulesdsl run --resume last")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 130
    assert len(_moves(saved_games()[0])) == 4
    assert not re.search("Traceback", terminal.before or "")


def test_hands_dice_and_rows_are_shown(cli: Cli) -> None:
    vault = str(RULESETS.parents[1] / "games" / "vault.yaml")
    out = cli("run", vault, "--human", "red", "--bots", "random", "--seed", "0", typed="1\nv\n").out
    assert "\nred 0   blue 0, hand 2   deck 11\n" in out
    assert "\nmarket: moon1, sun5, moon5\n" in out
    assert "\nhand (red): sun1, sun2\n" in out
    assert "\ncup: star x3\n" in out
    assert "1. red  keep.aside star\nred 0   blue 0, hand 2   deck 11\n" in out
    assert "\nnot seen yet: 13 (" in out


def test_what_is_face_down_in_a_row_is_not_shown_to_others(cli: Cli) -> None:
    vault = str(RULESETS.parents[1] / "games" / "vault.yaml")
    out = cli("run", vault, "--human", "blue", "--bots", "random", "--seed", "3", typed="").out
    assert "\nred 0, hand 1, row 1   blue 0   deck 11\n" in out


def test_a_line_is_shown_only_to_those_who_know_what_it_names(cli: Cli) -> None:
    tricks = str(RULESETS.parents[1] / "games" / "tricks.yaml")
    options = ("--bots", "random", "--seed", "3")
    seen = {
        who: cli("run", tricks, "--human", who, *options, typed="1\n1\n").out
        for who in ("red", "blue")
    }
    both = cli("run", tricks, "--human", "red,blue", *options, typed="1\n1\n").out
    told = cli("run", tricks, "--watch", *options).out
    for out, lines in (
        (seen["red"], {"red"}),
        (seen["blue"], {"blue"}),
        (both, set()),
        (told, {"red", "blue"}),
    ):
        assert set(re.findall("\n    (red|blue) draws ", out)) == lines
        assert re.search("\n    (red|blue) takes 2 cards with |nobody takes", out)


def test_what_is_secret_is_hidden_from_people_only() -> None:
    words = Words(load(HAMLETS), "en")
    move = Move("build.put", {"k": "house", "s": "lane@N"}, secret=frozenset({"k"}))
    assert words.move(move, hidden=True) == "build ?, lane@N"
    assert words.move(move) == "build House, lane@N"


def test_the_command_to_go_on_finds_rulesets_that_were_named_by_path(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RULESDSL_PATH")
    out = cli(*RED, "--with", str(RULESETS / "wells.yaml"), typed="1\n1\nq\n").out
    command = shlex.split(out.partition("go on with: rulesdsl ")[2])
    assert command == ["run", "--resume", "last"]
    assert cli(*command).code == 0


def test_hints_say_what_is_certain_and_what_depends_on_chance(cli: Cli) -> None:
    """One more throw may gain or lose all; stopping cannot."""
    game = Path(__file__).parents[1] / "games" / "risk.yaml"
    out = cli("run", str(game), "--human", "red", "--seed", "3", typed="hint\nq\n").out
    drawn = re.search(r"again\.more  → ([\d.]+) on average, (\d+) to (\d+)\n", out)
    assert drawn, out
    mean, low, high = float(drawn[1]), int(drawn[2]), int(drawn[3])
    assert low == 0 < mean < high
    assert "again.stop  → 1; +1 turn" in out
