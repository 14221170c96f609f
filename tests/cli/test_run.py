"""`run`: what it says, in which words, and what its options change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from rulesdsl.language.read.files import shipped
from tests.cli.conftest import HAMLETS, RULESETS, Cli

SCHEMA = json.loads((shipped("schemas") / "output.schema.json").read_text(encoding="utf-8"))


def test_every_default_is_printed(cli: Cli) -> None:
    lines = cli("run", HAMLETS, "--watch").out.splitlines()
    assert lines[:4] == [
        "Hamlets",
        "players: Red (random bot), Blue (random bot); seed 0",
        "rulesets: hamlets 1.0.0",
        "settings: hamlets.houses=4",
    ]


def test_without_a_terminal_only_the_result_and_the_next_commands_are_printed(cli: Cli) -> None:
    out = cli("run", HAMLETS, "--with", "wells").out
    result, next = out.partition("to play ")[::2]
    assert result == cli("run", HAMLETS, "--with", "wells", "--quiet").out
    assert next == (
        f"against a bot, in a terminal: rulesdsl run {HAMLETS} --with wells\n"
        f"to watch bots: rulesdsl run {HAMLETS} --with wells --watch\n"
        f"to play in a browser: rulesdsl page {HAMLETS} --with wells\n"
    )


def test_interactions_and_house_rules_are_listed(cli: Cli) -> None:
    result = cli("run", HAMLETS, "--watch", "--with", "wells,mills", "--with", "generous")
    assert result.out.splitlines()[2:6] == [
        "rulesets: hamlets 1.0.0, mills 1.0.0, wells 1.1.0",
        "interactions: wells_mills 2.0.0",
        "house rules: generous 1.0.0",
        "settings: hamlets.houses=4, wells.deep=false",
    ]


def test_the_same_game_twice(cli: Cli) -> None:
    first, second = cli("run", HAMLETS, "--seed", "5"), cli("run", HAMLETS, "--seed", "5")
    assert first == second
    assert first.code == 0
    assert first.out != cli("run", HAMLETS, "--seed", "6").out


def test_players_bots_and_settings(cli: Cli) -> None:
    result = cli(
        "run", HAMLETS, "--players", "3", "--bots", "greedy,random", "--bots", "random",
        "--set", "houses=1", "--seed", "-3", "--watch",
    )  # fmt: skip
    assert "players: Red (greedy bot), Blue (random bot), green (random bot); seed -3" in result.out
    assert "hamlets.houses=1" in result.out


def test_a_ruleset_is_found_by_id(cli: Cli) -> None:
    assert cli("run", "hamlets", "--path", str(RULESETS), "--quiet").code == 0
    assert cli("run", "hamlets", "--quiet").code == 2


def test_moves_and_points_are_told(cli: Cli) -> None:
    out = cli("run", HAMLETS, "--watch", "--bots", "greedy", "--seed", "3").out
    told = [line for line in out.splitlines() if line.startswith("    ")]
    assert told[:4] == [
        "    Blue House goes to Blue's home",
        "    Blue +2 village in the east (1,0): 2 tiles",
        "    Red House goes to Red's home",
        "    Red +3 village (3,0): 3 tiles",
    ]
    lay, build = "lay it at (3,1)", "build House on the village in the south"
    assert f"9. Red  ends: {lay}\n9. Red  ends: {build}\n" in out
    exact = cli("run", HAMLETS, "--watch", "--bots", "greedy", "--seed", "3", "--names").out
    assert "9. Red  ends: build.put(k=house, s=village@S)\n" in exact


def test_the_end_is_a_table_by_source_and_the_winners(cli: Cli) -> None:
    out = cli("run", HAMLETS, "--bots", "greedy", "--seed", "1", "--quiet").out
    heads, *rows, winners = out.splitlines()
    assert heads.split() == ["points", "total"]
    totals = {row.split()[0]: int(row.split()[-1]) for row in rows}
    assert set(totals) == {"Red", "Blue"}
    assert winners.startswith(max(totals, key=totals.__getitem__))


def test_in_spanish(cli: Cli) -> None:
    out = cli("run", HAMLETS, "--watch", "--bots", "greedy", "--seed", "3", "--lang", "es").out
    assert out.startswith("Aldeas\njugadores: Rojo (bot greedy), Azul (bot greedy); semilla 3\n")
    assert "    Azul +2 aldea al este (1,0): 2 losetas" in out
    assert "Rojo  corner: colocar en (0,1) girada 270" in out
    assert "Rojo  ends: construir Casa en aldea al sur" in out
    assert out.splitlines()[-1].split()[1] in ("gana", "ganan")


COINS = """\
ruleset: coins
edition: 1
version: 1.0.0
rules: coins.rules
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
"""
TOSSED = """\
state player.score: int 0..9 = 0
action game():
    for p in players: p.score += 1
    red.score += MORE
    finish()
action finish(): end_game(most(p in players by p.score))
"""


@pytest.mark.parametrize(
    ("more", "language", "said"),
    [
        (-1, "en", "blue wins with 1 point"),
        (1, "en", "red wins with 2 points"),
        (0, "en", "red, blue win with 1 point each"),
        (-1, "es", "blue gana con 1 punto"),
        (1, "es", "red gana con 2 puntos"),
        (0, "es", "red, blue ganan con 1 punto cada uno"),
    ],
)
def test_one_point_is_one(cli: Cli, tmp_path: Path, more: int, language: str, said: str) -> None:
    (tmp_path / "coins.yaml").write_text(COINS)
    (tmp_path / "coins.rules").write_text(TOSSED.replace("MORE", str(more)))
    out = cli("run", "coins.yaml", "--quiet", "--lang", language).out
    assert out.splitlines()[-1] == said


def test_a_language_of_labels_only(cli: Cli) -> None:
    result = cli("run", HAMLETS, "--lang", "fr", "--quiet")
    assert "Rouge" in result.out
    assert result.err == ""


def test_an_unknown_language_falls_back_with_a_note(cli: Cli) -> None:
    result = cli("run", HAMLETS, "--lang", "xx", "--quiet")
    assert result.code == 0
    assert result.err == "note: no texts in `xx`; there are en, es, fr\n"
    assert result.out == cli("run", HAMLETS, "--quiet").out


def test_the_board_only_when_asked_for(cli: Cli) -> None:
    assert "▒" not in cli("run", HAMLETS, "--watch").out
    assert "▒" not in cli("run", HAMLETS, "--watch", "--no-board").out
    assert "▒ village" in cli("run", HAMLETS, "--board").out


@pytest.mark.parametrize("more", [[], ["--with", "wells,mills,generous", "--players", "3"]])
def test_json_follows_its_schema(cli: Cli, more: list[str]) -> None:
    result = cli("run", HAMLETS, "--json", "--bots", "greedy", *more)
    lines = [json.loads(line) for line in result.out.splitlines()]
    validator = Draft202012Validator(SCHEMA)
    for line in lines:
        validator.validate(line)
    assert [line["event"] for line in lines] == ["start", *["move"] * (len(lines) - 2), "end"]
    gained = dict.fromkeys(lines[-1]["scores"], 0)
    for line in lines[1:-1]:
        for gain in line["gains"]:
            gained[gain["player"]] += gain["amount"]
        assert line["scores"] == gained
    assert {p: sum(s.values()) for p, s in lines[-1]["points"].items()} == gained
    assert any(line["gains"] for line in lines[1:-1])


def test_json_and_quiet_is_the_end_alone(cli: Cli) -> None:
    (line,) = cli("run", HAMLETS, "--json", "--quiet").out.splitlines()
    assert json.loads(line)["event"] == "end"


def test_what_is_recorded_is_played_back(cli: Cli, record: Path) -> None:
    replayed = cli("replay", str(record), "--path", str(RULESETS), "--quiet")
    assert replayed.out == cli("run", HAMLETS, "--quiet").out


def test_the_shipped_game_is_played(cli: Cli) -> None:
    result = cli("run", "base", "--quiet")
    assert result.code == 0
    assert len(result.out.splitlines()) == 4
