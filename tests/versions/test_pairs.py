"""Pairs of versions, as data, and what `rulesdsl diff` says about them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from rulesdsl.language.read.files import shipped
from tests.cli.conftest import HAMLETS, Cli, cli

__all__ = ["cli"]

DATA: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("pairs.yaml").read_text("utf-8"))
PLACE = re.compile(r"  \S+:\d+(?:, was \S+:\d+)?$")
SCHEMA = json.loads((shipped("schemas") / "diff.schema.json").read_text("utf-8"))
FAST = ("--path", str(Path(HAMLETS).parent))
GIVEN = (*FAST, "--engine", "python")
COMPILED = ("in few games", "with four players only", "with a rule that fails in the new version")
"""What `wasm` plays: it compiles each version, but tries more games in the same time."""
HEAD = "ruleset: bees\nedition: 1\nrequires: {}\nrules: bees.rules\nversion: {}\n"


def write(folder: Path, given: dict[str, Any]) -> str:
    """Write a version of `bees`; return the path of its manifest."""
    folder.mkdir(parents=True)
    whole = DATA["common"] | given
    for old, new in whole.get("replace", {}).items():
        assert old in whole["manifest"] + whole["rules"]
        whole |= {key: whole[key].replace(old, new) for key in ("manifest", "rules")}
    manifest = HEAD.format(whole["requires"], whole["version"]) + whole["manifest"]
    (folder / "bees.yaml").write_text(manifest, encoding="utf-8")
    (folder / "bees.rules").write_text(whole["rules"], encoding="utf-8")
    return str(folder / "bees.yaml")


@pytest.mark.parametrize("name", DATA["pairs"])
def test_a_pair(cli: Cli, tmp_path: Path, name: str) -> None:
    pair = DATA["pairs"][name]
    paths = [write(tmp_path / each, pair[each]) for each in ("old", "new")]
    words = ["diff", *paths, *GIVEN, "--games", str(pair.get("games", 0))]
    result = cli(*words)
    assert [PLACE.sub("", line) for line in result.out.splitlines()] == pair["told"]
    honest = "number" not in pair
    assert result.code == (0 if honest else 1)
    assert honest == (result.err == "")
    assert honest or f"the lowest honest number is {pair['number']}\n" in result.err
    found = json.loads(cli(*words, "--format", "json").out)
    Draft202012Validator(SCHEMA).validate(found)
    assert found["honest"] == honest


def test_rules_are_named_with_their_lines(cli: Cli, tmp_path: Path) -> None:
    new = DATA["pairs"]["a rule that is not the same"]["new"]
    added = {"rules": "\n" + DATA["common"]["rules"]}
    paths = [write(tmp_path / "old", {}), write(tmp_path / "new", added | new)]
    result = cli("diff", *paths, *GIVEN, "--games", "0")
    places = [path.replace(".yaml", ".rules") for path in paths]
    assert f"~ add bonus  {places[1]}:5, was {places[0]}:4\n" in result.out


@pytest.mark.parametrize("name", DATA["games"])
def test_games_show_what_a_rule_does(cli: Cli, tmp_path: Path, name: str) -> None:
    """The scenario of the first difference holds in the new version only."""
    pair = DATA["games"][name]
    paths = [write(tmp_path / each, pair.get(each, {})) for each in ("old", "new")]
    result = cli(
        "diff", *paths, *(FAST if name in COMPILED else GIVEN), "--games", "7", "--format", "json"
    )
    assert result.code == 1
    assert "the lowest honest number is 2.0.0" in result.err
    found = json.loads(result.out)
    Draft202012Validator(SCHEMA).validate(found)
    difference = found["games"]["difference"]
    assert difference["why"].startswith(pair.get("why", "the points") + ": ")
    assert difference["holds"] == pair.get("holds", "new")
    assert difference["rules"] == pair["run"]
    assert {*pair["scenario"]} <= {*difference["scenario"].split("\n")}
    codes = (0, 1) if difference["holds"] == "old" else (1, 0)
    for path, code in zip(paths, codes, strict=True):
        scenario = Path(path).with_name("first.test.yaml")
        scenario.write_text(difference["scenario"], encoding="utf-8")
        assert cli("test", str(scenario), *GIVEN).code == code


def test_a_difference_is_told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulesdsl.cli.diff.LINES", 2)
    new = DATA["games"]["with every number of players and setting"]["new"]
    paths = [write(tmp_path / "old", {}), write(tmp_path / "new", new)]
    result = cli("diff", *paths, *FAST, "--games", "2")
    assert re.search(r"they differ after \d+ moves? in the points: ", result.out)
    assert f"it ran: after turn  {paths[1].replace('.yaml', '.rules')}:" in result.out
    assert "40 random games: difference, 95 % interval\n" in result.out
    assert re.search(r"  points, .*: \+\S+ \(.* to .*\); \S+, was \S+\n", result.out)
    shown = Counter(re.findall("^  (.*?), .*; .*, was ", result.out, re.M))
    assert shown["points"] == max(shown.values()) == 2


def test_the_seed_chooses_the_games(cli: Cli, tmp_path: Path) -> None:
    new = DATA["games"]["with four players only"]["new"]
    paths = [write(tmp_path / "old", {}), write(tmp_path / "new", new)]
    words = ["diff", *paths, *GIVEN, "--games", "1", "--players", "4"]
    shown = [cli(*words, "--seed", seed).out for seed in "001"]
    assert shown[0] == shown[1] != shown[2]
    assert "random games for 4, with 4 choices of settings\n" in shown[0]
    fixed = cli(*words, "--set", "bees.honey=1,hamlets.houses=3")
    assert "random games for 4\n" in fixed.out


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("none.yaml", HAMLETS, "there is no file `none.yaml`"),
        (HAMLETS, "bees.yaml", "is the ruleset `hamlets`, and `bees.yaml` is `bees`"),
        (HAMLETS, "torn.yaml", "torn.yaml:1:11"),
    ],
)
def test_mistakes(cli: Cli, tmp_path: Path, old: str, new: str, error: str) -> None:
    (tmp_path / "bees.yaml").write_text(
        HEAD.format("[hamlets]", "1.0.0").replace("rules: bees.rules\n", "")
    )
    (tmp_path / "torn.yaml").write_text("ruleset: [")
    result = cli("diff", old, new, *GIVEN)
    assert result.code != 0
    assert result.out == ""
    assert error in result.err


def test_archives_and_folders(cli: Cli, tmp_path: Path) -> None:
    """The rules of an archive are named, and those that ran are found in it."""
    pair = DATA["games"]["with a setting only"]
    paths = [write(tmp_path / each, pair.get(each, {})) for each in ("old", "new")]
    assert cli("pack", paths[0], *FAST, "--to", "old.zip").code == 0
    result = cli("diff", "old.zip", str(tmp_path / "new"), *GIVEN, "--games", "7")
    rules = Path(paths[1]).with_suffix(".rules")
    place = f"after turn  {rules}:11, was old.zip/bees.rules:11\n"
    assert f"rules\n  ~ {place}" in result.out
    assert f"  it ran: {place}" in result.out


def test_no_number_of_players_is_for_both(cli: Cli, tmp_path: Path) -> None:
    """The files are compared, and no games."""
    paths = []
    for least, most in ((2, 2), (3, 4)):
        path = tmp_path / str(least) / "hamlets.yaml"
        path.parent.mkdir()
        text = (
            Path(HAMLETS).read_text("utf-8").replace("min: 2, max: 4", f"min: {least}, max: {most}")
        )
        path.write_text(text, encoding="utf-8")
        rules = Path(HAMLETS).with_suffix(".rules").read_text("utf-8")
        path.with_suffix(".rules").write_text(rules, encoding="utf-8")
        paths.append(str(path))
    result = cli("diff", *paths, "--engine", "python")
    assert "  ~ players (3 to 4, was 2)" in result.out
    assert "\nno random games, as no number of players is for both\n" in result.out
    found = json.loads(cli("diff", *paths, "--format", "json").out)
    Draft202012Validator(SCHEMA).validate(found)
    assert found["games"]["players"] == []


def test_a_number_of_players_that_does_not_fit(cli: Cli) -> None:
    result = cli("diff", HAMLETS, HAMLETS, *GIVEN, "--players", "9")
    assert (result.code, result.out) == (2, "")
    assert "error[bad-argument]: this game is for" in result.err
