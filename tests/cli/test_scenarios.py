"""`test`: scenarios that hold and those that do not, one line each, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli

HEAD = "scenarios: hamlets\nedition: 1\n"
HOLDS = HEAD + "tests:\n  - {name: two play, expect: {scores: {red: 0, blue: 0}}}\n"
FAILS = """\
scenarios: hamlets
edition: 1
tests:
  - name: two play
    expect: {scores: {red: 0, blue: 0}}
  - name: nobody has a house
    expect: {holds: ['count(home[red]) == 0']}
  - name: a wish
    moves: [take palace]
    expect: {mover: red}
"""
SAID = """\
failed: nobody has a house (some.test.yaml:6)
error[scenario-failed]: this does not hold
  --> some.test.yaml:7:22
 7 |     expect: {holds: ['count(home[red]) == 0']}
   |                      ^^^^^^^^^^^^^^^^^^^^^^^
   = `count(home[red])` is 4

failed: a wish (some.test.yaml:8)
error[scenario-failed]: there is no component `palace`
  --> some.test.yaml:9:13
 9 |     moves: [take palace]
   |             ^^^^^^^^^^^
   = known: `square`, `corner`, `ends`, `red.house`, `blue.house`
   = legal moves: `take corner`, `take ends`

1 passed, 2 failed
"""


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    """The rulesets of these tests are found from everywhere."""
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))


def test_all_hold(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "some.test.yaml").write_text(HOLDS)
    result = cli("test", "some.test.yaml")
    assert (result.code, result.out, result.err) == (0, "1 passed, 0 failed\n", "")


def test_each_that_fails_is_named_with_its_reasons(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "some.test.yaml").write_text(FAILS)
    result = cli("test", "some.test.yaml")
    assert (result.code, result.out, result.err) == (1, SAID, "")


def test_folders_are_searched_and_each_file_is_tried_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / ".hidden").mkdir()
    for name in ("a.test.yaml", "in/b.test.yml", "in/deep/c.test.yaml"):
        (tmp_path / name).write_text(HOLDS)
    for name in ("other.yaml", "in/.hidden/d.test.yaml"):
        (tmp_path / name).write_text("no scenarios")
    assert cli("test", ".", "in", "a.test.yaml").out == "3 passed, 0 failed\n"
    assert cli("test", "in").out == "2 passed, 0 failed\n"


def test_rulesets_are_sought_in_folders_that_are_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RULESDSL_PATH")
    (tmp_path / "some.test.yaml").write_text(HOLDS)
    assert cli("test", "some.test.yaml").code == 1
    assert cli("test", "some.test.yaml", "--path", str(RULESETS)).code == 0


@pytest.mark.parametrize(
    ("head", "place"),
    [
        ("scenarios: hamlet\nedition: 1\n", "some.test.yaml:1:12"),
        (HEAD + "with: [spoilt]\n", "spoilt.rules:1:15"),
        (HEAD + "settings: {hauses: 1}\n", "some.test.yaml:3:11"),
    ],
)
def test_what_is_wrong_with_a_game_is_said_once(
    cli: Cli, tmp_path: Path, head: str, place: str
) -> None:
    tests = "tests:\n" + "".join(f"  - {{name: {n}, expect: {{mover: red}}}}\n" for n in "abc")
    (tmp_path / "some.test.yaml").write_text(head + tests)
    result = cli("test", "some.test.yaml")
    assert result.code == 1
    assert result.out.count(place) == 1
    assert "failed: a (some.test.yaml:" in result.out
    assert result.out.count(": as above\n") == 2
    assert result.out.endswith("\n0 passed, 3 failed\n")


def test_the_settings_of_one_scenario_are_marked_there(cli: Cli, tmp_path: Path) -> None:
    tests = "tests:\n  - {name: a, settings: {hauses: 1}, expect: {mover: red}}\n"
    (tmp_path / "some.test.yaml").write_text(HEAD + tests)
    assert "some.test.yaml:4:" in cli("test", "some.test.yaml").out


def test_a_file_that_holds_something_else(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "some.test.yaml").write_text(HOLDS)
    (tmp_path / "other.yaml").write_text("kind: something else\n")
    result = cli("test", "other.yaml", "some.test.yaml")
    assert result.code == 1
    assert result.out.startswith("error[missing-key]: this is not a file of scenarios: there is no")
    assert result.out.count("error[") == 1
    assert result.out.endswith("\n1 passed, 0 failed\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere.test.yaml", "error[file-missing]: there is no file `nowhere.test.yaml`\n"),
        (".", "error[bad-argument]: there are no tests in the folder `.`\n"),
        ("-", "error[bad-argument]: tests name rulesets beside them"),
    ],
)
def test_nothing_to_try(cli: Cli, name: str, said: str) -> None:
    result = cli("test", name)
    assert result.code == 2
    assert (result.out + result.err).startswith(said)
    assert "passed" not in result.out
    assert cli("test", "--coverage", name) == result


def test_of_files_of_which_one_cannot_be_read_nothing_is_left_out(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "some.test.yaml").write_text(HOLDS)
    (tmp_path / "worse.test.yaml").write_text(HEAD)
    assert "covered" in cli("test", "--coverage", "some.test.yaml").out
    assert "covered" not in cli("test", "--coverage", "some.test.yaml", "worse.test.yaml").out


BROOKS = {
    "brooks.yaml": "ruleset: brooks\nedition: 1\nversion: 1.0.0\n"
    "requires: [hamlets]\nrules: brooks.rules\n",
    "brooks.rules": "add bonus(f) when count(players) > 2: 1\n",
}
BONUS = """\
scenarios: hamlets
edition: 1
with: [brooks]
tests:
  - name: {players} play
    players: {players}
    zones: {{bag: [ends], box: rest}}
    board:
      - {{piece: ends, at: [0, 0], stands: {{village@N: red.house}}}}
    moves: ["at 0,-1,0; pass"]
    expect: {{mover: nobody, scores: {{red: {points}}}}}
"""
GAP = """\
warning[uncovered]: no scenario shows all of this
  --> brooks.rules:1:19
 1 | add bonus(f) when count(players) > 2: 1
   |                   ^^^^^^^^^^^^^^^^^^ was never true

brooks.rules: 1 of 4 covered
all rules: 1 of 4 covered
1 passed, 0 failed
"""


def test_what_scenarios_do_not_show_is_a_problem(cli: Cli, tmp_path: Path) -> None:
    for name, text in BROOKS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "brooks.test.yaml").write_text(BONUS.format(players=2, points=2))
    assert cli("test", "brooks.test.yaml").code == 0
    result = cli("test", "brooks.test.yaml", "--coverage")
    assert (result.code, result.out, result.err) == (1, GAP, "")


def test_all_files_show_together_what_is_to_be_shown(cli: Cli, tmp_path: Path) -> None:
    for name, text in BROOKS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "two.test.yaml").write_text(BONUS.format(players=2, points=2))
    (tmp_path / "three.test.yaml").write_text(BONUS.format(players=3, points=3))
    result = cli("test", ".", "--coverage")
    assert result.out == (
        "./brooks.rules: 4 of 4 covered\nall rules: 4 of 4 covered\n2 passed, 0 failed\n"
    )
    assert result.code == 0


def test_many_files_are_tried_side_by_side_and_told_in_their_order(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulesdsl.author.testing.WORTH", 0)
    for name, text in (("a", FAILS), ("b", HOLDS), ("c", FAILS)):
        (tmp_path / f"{name}.test.yaml").write_text(text)
    told = ("--coverage", "--engine", "python")
    alone = cli("test", ".", "--jobs", "1", *told)
    assert cli("test", ".", "--jobs", "2", *told) == alone
    assert alone.code == 1
    assert alone.out.count("failed: ") == 4


@pytest.mark.parametrize("jobs", ["0", "-1"])
def test_it_takes_a_job_at_least(cli: Cli, jobs: str) -> None:
    assert "use at least 1" in cli("test", ".", "--jobs", jobs).err


def test_some_tests_by_their_names(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "some.test.yaml").write_text(FAILS)
    assert cli("test", ".", "-k", "Two PLAY").out == "1 passed, 0 failed, 2 left out\n"
    assert cli("test", ".", "-k", "two", "--filter", "wish").out.endswith("1 left out\n")
    result = cli("test", ".", "-k", "three", "-k", "four")
    assert (result.code, result.out) == (2, "")
    assert "none of the 3 tests has `three` or `four` in its name" in result.err


def test_archives_are_searched(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their tests are played with what lies in them, even if there is another of it outside."""
    made = ("new", "expansion", "idea", "--of", "hamlets", "--path", str(RULESETS))
    assert cli(*made).code == 0
    run = ("run", HAMLETS, "--with", "idea.yaml", "--quiet", "--record", "game.jsonl")
    assert cli(*run).code == 0
    assert cli("test", "--record", "game.jsonl", "--to", "idea.game.jsonl").code == 0
    assert cli("pack", "idea.yaml", "--to", "other.zip").code == 0
    count = (tmp_path / "idea.test.yaml").read_text().count("- name:") + 1
    for name in ("idea.test.yaml", "idea.game.jsonl"):
        (tmp_path / name).unlink()
    (tmp_path / "idea.rules").write_text("")
    monkeypatch.setattr("rulesdsl.author.testing.WORTH", 0)  # archives go to other processes, too
    result = cli("test", "other.zip", "--jobs", "2")
    assert (result.code, result.out) == (0, f"{count} passed, 0 failed\n")
    assert "other.zip/idea.rules: " in cli("test", "other.zip", "--coverage").out
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 and no more")
    assert cli("test", "broken.zip").code == 2
    assert "there are no tests in the folder `empty`" in cli("test", "empty").err
