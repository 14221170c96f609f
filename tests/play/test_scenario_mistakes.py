"""A scenario that does not hold says where and why; a file that is none is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl import Diagnostic, RulesError
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.scenario import read_scenarios
from rulesdsl.play.scenario.outcome import Outcome
from tests.play.boxes import BASE
from tests.scenarios import run_scenarios

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "scenario_mistakes.yaml").read_text(encoding="utf-8")
)
HEAD = "scenarios: base\nedition: 1\ntests: "
ONE = "{name: one, expect: {mover: red}}"
COUNTERS = Path(__file__).parent / "counters.yaml"


def written(head: dict[str, Any], tests: list[dict[str, Any]], beside: Path) -> Source:
    text = yaml.safe_dump({**head, "tests": tests}, sort_keys=False, width=1000)
    return Source(str(beside.with_name("some.test.yaml")), text)


@cache
def outcomes() -> tuple[Outcome, ...]:
    tests = [{key: case[key] for key in case if key != "finds"} for case in CASES]
    written_tests = written({"scenarios": "base", "edition": 1}, tests, BASE)
    return run_scenarios(written_tests, engine="python")


def told(diagnostic: Diagnostic) -> str:
    marked = diagnostic.span.text if diagnostic.span else ""
    help = (each.replace(f"{BASE.parent}/", "") for each in diagnostic.help)
    return f"{marked}: {diagnostic.message}" + "".join(f" ({each})" for each in help)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case["name"] for case in CASES])
def test_what_is_found_in_a_scenario(number: int) -> None:
    outcome = outcomes()[number]
    assert outcome.name == CASES[number]["name"]
    assert not outcome.passed
    assert sorted(map(told, outcome.findings)) == sorted(CASES[number]["finds"])


def counters(**test: Any) -> Outcome:
    test = {"name": "one", "settings": {"most": 6}, **test}
    (scenario,) = read_scenarios(written({"scenarios": "counters", "edition": 1}, [test], COUNTERS))
    return scenario.run()


def test_a_move_may_be_expected_to_fail() -> None:
    moves = ["take one; break_down"]
    found = counters(moves=moves, expect={"fails": "needs exactly one", "scores": {"red": 0}})
    assert found.passed
    (finding,) = counters(moves=moves, expect={"fails": "is full"}).findings
    assert finding.message.startswith(
        "the last move fails with another message: `the` needs exactly one"
    )
    (finding,) = counters(moves=moves, expect={"mover": "red"}).findings
    assert told(finding).startswith("take one; break_down: this fails: `the` needs")
    moves += ["points 3"]
    (finding,) = counters(moves=moves, expect={"fails": "asks"}).findings
    assert told(finding).startswith("take one; break_down: this fails: ")


def test_moves_with_several_arguments_are_told_by_their_texts() -> None:
    assert counters(moves=["take two; ask blue true"], expect={"scores": {"blue": 1}}).passed
    (finding,) = counters(moves=["take two; ask blue"], expect={"mover": "red"}).findings
    assert ": `ask` has 2 arguments, not 1 (write `ask P LOUD`) (legal moves: " in told(finding)


def test_with_a_seed_nothing_is_drawn_by_hand() -> None:
    assert counters(seed=3, expect={"mover": "red", "asked": "spend"}).passed


@pytest.mark.parametrize(
    ("moment", "often"),
    [("take 99", "asked 6 times"), ("game 2", "called once")],
)
def test_a_moment_that_does_not_come(moment: str, often: str) -> None:
    (finding,) = counters(moment=moment, expect={"mover": "red"}).findings
    name = moment.partition(" ")[0]
    message = f"{moment}: with the first legal move of every decision `{name}` is {often}"
    assert told(finding) == message


def test_the_state_of_the_game_can_be_set() -> None:
    assert counters(state={"active": "blue"}, moves=["take one"], expect={"mover": "blue"}).passed


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("", "file-empty"),
        ("tests: 3\n", "missing-key"),
        ("scenarios: base\nedition: 1\ntests: 3\n", "wrong-type"),
        (f"scenarios: base\nedition: 9\ntests: [{ONE}]\n", "edition-unknown"),
        (f"scenarios: base\nedition: 1\ntests: [{ONE}]\nbord: []\n", "unknown-key"),
        ("scenarios: [\n", "yaml-syntax"),
        (f"{HEAD}[{ONE}, {ONE}]\n", "duplicate-name"),
        *(
            (f"{HEAD}[{{name: one, expect: {{mover: red, {key}: {value}}}}}]\n", "bad-value")
            for key, value in {
                "holds": [],
                "legal": [],
                "illegal": [],
                "scores": {},
                "zones": {},
                "sees": {},
                "features": {},
                "features ": "{village@N: []}",
                "fails": "''",
            }.items()
        ),
    ],
)
def test_a_file_that_is_no_file_of_scenarios_is_refused(text: str, slug: str) -> None:
    with pytest.raises(RulesError) as caught:
        read_scenarios(Source("some.test.yaml", text))
    assert slug in {found.slug for found in caught.value.diagnostics}


def test_a_ruleset_that_cannot_be_loaded_is_found_in_every_scenario() -> None:
    tests = [{"name": name, "expect": {"mover": "red"}} for name in "ab"]
    found = run_scenarios(written({"scenarios": "nothing", "edition": 1}, tests, BASE))
    assert [[each.slug for each in outcome.findings] for outcome in found] == [
        ["ruleset-missing"]
    ] * 2


def test_a_move_cut_by_its_commas_is_one_mistake() -> None:
    one = "{name: one, moves: [take one, at 0,-1,0, at 1,1,0], expect: {mover: red}}"
    text = f"scenarios: base\nedition: 1\ntests: [{one}]\n"
    with pytest.raises(RulesError) as caught:
        read_scenarios(Source("some.test.yaml", text))
    assert [told(found) for found in caught.value.diagnostics] == [
        f"{move}: `{move}` is 3 items, because each comma ends one "
        f"(if it is one text, write it in quotes: '{move}')"
        for move in ("at 0,-1,0", "at 1,1,0")
    ]


def test_a_component_that_exists_as_variants_only_is_told_so() -> None:
    case = {"name": "one", "moves": ["take road-straight"], "expect": {"mover": "red"}}
    head = {"scenarios": "base", "edition": 1, "with": ["wheel_of_fortune"]}
    (found,) = run_scenarios(written(head, [case], BASE), engine="python")
    assert found.findings[0].help[0] == (
        "`road-straight` has variants: `road-straight[symbol=1]`, `road-straight[symbol=2]` "
        "or `road-straight[symbol=3]`"
    )
