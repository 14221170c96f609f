"""Every noun of the language extended in every form it has: rulesets that meet, played for real.

The cases are written in `*.cases.yaml`: the rulesets that are put on top of `fair`, what is found
in them, and scenarios. What a manifest says of each ruleset itself is filled in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl import Game, RulesError, load
from rulesdsl.engine.run import ENGINES
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Diagnostic, Source
from rulesdsl.play.bots import RandomBot
from tests.scenarios import run_scenarios
from tests.small_games import write_only

FOLDER = Path(__file__).parent
Case = dict[str, Any]


def cases(file: str) -> Iterator[Any]:
    for case in yaml.safe_load((FOLDER / file).read_text(encoding="utf-8")):
        yield pytest.param(case, id=case["name"])


GOOD = [case for file in sorted(FOLDER.glob("*.cases.yaml")) for case in cases(file.name)]
WRONG = list(cases("mistakes.yaml"))
FAIR = {name: (FOLDER / name).read_text(encoding="utf-8") for name in ("fair.yaml", "fair.rules")}


def write(folder: Path, case: Case) -> list[str]:
    """Write the rulesets of a case into a folder; gives those that are to be switched on."""
    files, on = {**FAIR}, []
    for name, texts in case["rulesets"].items():
        manifest = texts.get("manifest", "")
        head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\n"
        if "rules" in texts:
            head += f"rules: {name}.rules\n"
            files[f"{name}.rules"] = texts["rules"]
        if "requires:" not in manifest and "interaction:" not in manifest:
            head += "requires: [fair]\n"
        files[f"{name}.yaml"] = head + manifest
        if "interaction:" not in manifest:
            on.append(name)
    write_only(folder, files)
    return list(case.get("with", on))


def loaded(folder: Path, case: Case, on: list[str]) -> Game:
    return load(folder / "fair.yaml", on, case.get("settings"), "python")


def findings(folder: Path, case: Case, on: list[str]) -> list[Diagnostic]:
    """All findings, but that short rules give points past the action for them."""
    try:
        report = loaded(folder, case, on).report
        return [each for each in report if each.slug != "points-past"]
    except RulesError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("case", GOOD)
def test_the_case_holds(case: Case, thorough: bool, one_folder: Path) -> None:
    """On all engines where a case asks for them, and with `-m long`."""
    on = write(one_folder, case)
    found = findings(one_folder, case, on)
    assert [finding.slug for finding in found] == case.get("finds", []), found
    document = {"scenarios": "fair", "edition": 1, "with": on}
    if "settings" in case:
        document["settings"] = case["settings"]
    tests = [{"name": f"part {number}", **test} for number, test in enumerate(case["tests"], 1)]
    text = json.dumps({**document, "tests": tests}, indent=1)
    source = Source(str(one_folder / "case.test.yaml"), text)
    engines = ENGINES if thorough or case.get("engines") == "all" else ("python",)
    for engine in engines:
        failed = [
            f"{engine}: {outcome.name}: {finding.message} "
            f"({finding.span.text if finding.span else ''})"
            for outcome in run_scenarios(source, engine=engine)
            for finding in outcome.findings
        ]
        assert failed == []


@pytest.mark.parametrize("most", [2, pytest.param(6, marks=pytest.mark.long)])
@pytest.mark.parametrize("case", GOOD)
def test_the_order_of_switching_on_does_not_matter(case: Case, most: int, one_folder: Path) -> None:
    orders = list(permutations(write(one_folder, case)))
    some = list(dict.fromkeys(orders[at * (len(orders) - 1) // (most - 1)] for at in range(most)))
    games = [loaded(one_folder, case, list(order)) for order in some]
    ends = set()
    for game in games:
        state = game.start(2, seed=4)
        bot = RandomBot(4, 0)
        with suppress(PlayError):
            while state.mover:
                state.play(bot.choose(state))
        ends.add((game.digest, state.canonical()))
    assert len(ends) == 1


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_found(case: Case, one_folder: Path) -> None:
    found = findings(one_folder, case, write(one_folder, case))
    assert [finding.slug for finding in found] == case["finds"], found
    words = "\n".join(
        text
        for finding in found
        for text in (finding.message, *finding.help, *(label.text for label in finding.labels))
    )
    assert [part for part in case.get("says", []) if part not in words] == [], words
    assert all(finding.span for finding in found) != case.get("nowhere", False)
