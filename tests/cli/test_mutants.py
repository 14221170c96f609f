"""`rulesdsl test --mutants`: which small changes of rules no scenario notices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulesdsl.author.testing import mutants
from rulesdsl.author.testing.mutants import Judge, Mutant, Verdict
from tests.cli.conftest import RULESETS, Cli

TOLLS = {
    "tolls.yaml": "ruleset: tolls\nedition: 1\nversion: 1.0.0\n"
    "requires: [hamlets]\nrules: tolls.rules\n",
    "tolls.rules": "add bonus(f) when count(players) > 2: 1\n",
}
TEST = """\
  - name: of {players} players
    players: {players}
    zones: {{bag: [ends], box: rest}}
    board:
      - {{piece: ends, at: [0, 0], stands: {{village@N: red.house}}}}
    moves: ["at 0,-1,0; pass"]
    expect: {{scores: {{red: {points}}}}}
"""
HEAD = "scenarios: hamlets\nedition: 1\nwith: [tolls]\ntests:\n"
THREE, TWO = TEST.format(players=3, points=3), TEST.format(players=2, points=2)
ALL = "0 not noticed, 0 change nothing"
GUARD = """\
warning[unnoticed]: no scenario notices it if `when count(players) > 2` is left out
  --> tolls.rules:1:14
 1 | add bonus(f) when count(players) > 2: 1
   |              ^^^^^^^^^^^^^^^^^^^^^^^
   = no scenario has `count(players) > 2` false

"""
MUTANTS = ("test", "tolls.test.yaml", "--mutants", "--jobs", "1")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    """The small game is at hand, and few random games are played, on the engine ready for them."""
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    monkeypatch.setattr(mutants, "GAMES", 5)
    monkeypatch.setattr(mutants, "playable", lambda _: ("python", ()))


def write(folder: Path, *tests: str, rules: str = TOLLS["tolls.rules"]) -> None:
    for name, text in {**TOLLS, "tolls.rules": rules}.items():
        (folder / name).write_text(text)
    (folder / "tolls.test.yaml").write_text(HEAD + "".join(tests))


def test_what_no_scenario_notices_is_a_problem(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, THREE)
    result = cli(*MUTANTS)
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith(GUARD)
    assert "equal to `2` where that matters" in result.out
    assert "no scenario distinguishes `2` from `1` here" in result.out
    assert result.out.endswith(
        "1 passed, 0 failed\n"
        "7 mutants: 1 found by check, 3 noticed by scenarios, 3 not noticed, 0 change nothing\n"
    )


def test_another_situation_leaves_nothing_unnoticed(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, THREE, TWO)
    result = cli(*MUTANTS)
    assert (result.code, result.out.count("unnoticed")) == (0, 0)
    assert result.out.endswith(f", 6 noticed by scenarios, {ALL}\n")


def test_what_an_invariant_notices_is_noticed(cli: Cli, tmp_path: Path) -> None:
    blind = TWO.partition("expect")[0] + "expect: {mover: nobody}\n"
    write(tmp_path, blind)
    assert GUARD.partition("   = ")[0] in cli(*MUTANTS).out
    said = "invariant two_pay_no_toll: count(players) > 2 or all(p.score != 3 for p in players)\n"
    write(tmp_path, blind, rules=TOLLS["tolls.rules"] + said)
    result = cli(*MUTANTS)
    assert "7 mutants: " in result.out
    assert GUARD.partition("   = ")[0] not in result.out


def test_what_changes_no_game_is_a_note(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, TWO, THREE, rules=TOLLS["tolls.rules"].replace("> 2", "> 2 and f.cells > 0"))
    result = cli(*MUTANTS)
    assert result.code == 0
    assert "note[unnoticed]: no scenario notices it if `and f.cells > 0` is left out" in result.out
    assert "   = it changes nothing in 10 random games\n" in result.out
    assert "0 not noticed, 3 change nothing\n" in result.out


def test_what_check_finds_needs_no_scenario(cli: Cli, tmp_path: Path) -> None:
    rules = "around score(p, n): proceed\n"
    write(tmp_path, TWO, rules=rules)
    result = cli(*MUTANTS)
    assert result.code == 0
    assert result.out.endswith("2 mutants: 2 found by check, 0 noticed by scenarios, " + ALL + "\n")


def test_a_comment_accepts_what_is_found_in_its_line(cli: Cli, tmp_path: Path) -> None:
    allow = "# allow: unnoticed (the rulebook leaves it open)\n"
    write(tmp_path, THREE, rules=allow + TOLLS["tolls.rules"])
    result = cli(*MUTANTS)
    assert (result.code, result.out.count("unnoticed")) == (0, 0)
    assert result.out.endswith("3 not noticed, 0 change nothing, 3 of these allowed\n")
    write(tmp_path, THREE, TWO, rules=allow + TOLLS["tolls.rules"])
    result = cli(*MUTANTS)
    assert (result.code, result.out.count("warning[allow-unused]")) == (1, 1)


def test_programs_are_told_all_of_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "GAMES", 0)
    write(tmp_path, THREE)
    alone = cli(*MUTANTS, "--format", "json")
    assert alone.code == 0  # without games all of it changes nothing
    told = json.loads(alone.out)["mutants"]
    assert {key: told[key] for key in ("made", "judged", "refused", "noticed", "same")} == {
        "made": 7,
        "judged": 7,
        "refused": 1,
        "noticed": 3,
        "same": 3,
    }
    assert [each["line"] for each in told["findings"]] == [1, 1, 1]
    assert {each["severity"] for each in told["findings"]} == {"note"}


def test_mutants_are_made_when_all_tests_hold(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, THREE.replace("red: 3", "red: 9"))
    result = cli(*MUTANTS)
    assert (result.code, "mutants:" in result.out) == (1, False)
    assert result.err == "note: mutants are only made if all tests pass\n"


@pytest.mark.parametrize(
    "option", [["--coverage"], ["--update"], ["--format", "junit"], ["--engine", "wasm"]]
)
def test_what_does_not_go_with_it(option: list[str], cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, THREE)
    result = cli(*MUTANTS, *option)
    assert result.code == 2
    shown = " ".join(option[: 2 if "junit" in option else 1])
    assert f"`--mutants` cannot be combined with `{shown}`" in result.err


def test_ctrl_c_keeps_what_was_found(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge.__call__
    left = iter(range(3))

    def stopped(self: Judge, mutant: Mutant) -> Verdict:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return judge(self, mutant)

    monkeypatch.setattr(Judge, "__call__", stopped)
    write(tmp_path, THREE)
    result = cli(*MUTANTS)
    assert result.code == 130
    assert result.out.startswith(GUARD)
    assert "3 mutants: " in result.out
    assert "note: stopped after 3 of 7 mutants\n" in result.err
