"""Every example of the language page is loaded, played and tried."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rulesdsl import Game, load
from rulesdsl.engine.run.watch import LONGEST
from rulesdsl.engine.run.words.box import REACH
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.heap import MEMBERS
from rulesdsl.language.check.declarations import VERBS
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.link import DECISIONS
from rulesdsl.language.model.types import INT_MAX, INT_MIN, NAMED
from rulesdsl.language.parse import parse_expression
from rulesdsl.play.bots import RandomBot
from tests.docs.page import GAME, PAGE, Example, Scenes, read_page
from tests.scenarios import run_scenarios

READ = read_page()
SCHEMA = PAGE.parents[2] / "schemas" / "ruleset.schema.json"
TEXT = PAGE.read_text(encoding="utf-8")


def parties(example: Example) -> list[str]:
    """The rulesets that switch an example on."""
    return list(example.manifest.get("interaction", [example.name]))


def at_line(thing: Example | Scenes) -> str:
    return f"line {thing.line}"


def play(game: Game, players: int, seed: int) -> None:
    state = game.start(players, seed)
    bot = RandomBot(seed, 0)
    for _ in range(5000):
        if state.mover is None:
            break
        state.play(bot.choose(state))
    assert state.winners


def test_the_page_begins_with_a_whole_game() -> None:
    assert READ.examples[0].name == GAME
    assert len(READ.examples) > 10
    assert sum(len(scenes.rows) for scenes in READ.scenes) > 25


@pytest.mark.parametrize("example", READ.examples, ids=at_line)
def test_an_example_plays_without_findings(example: Example, tmp_path: Path) -> None:
    READ.write(tmp_path)
    on = [] if example.name == GAME else parties(example)
    game = load(tmp_path / f"{GAME}.yaml", on, engine="python")
    assert list(game.report) == []
    assert example.name in {ruleset.id for ruleset in game.rulesets}
    for players in {game.players[0], game.players[-1]}:
        play(game, players, seed=players)


def test_all_examples_play_together(tmp_path: Path) -> None:
    READ.write(tmp_path)
    names = [e.name for e in READ.examples[1:] if "interaction" not in e.manifest]
    game = load(tmp_path / f"{GAME}.yaml", names)
    assert list(game.report) == []
    assert {ruleset.id for ruleset in game.rulesets} == {e.name for e in READ.examples}
    play(game, 3, seed=1)


@pytest.mark.parametrize("scenes", READ.scenes, ids=at_line)
def test_scenes_and_the_tables_under_them_hold(scenes: Scenes, tmp_path: Path) -> None:
    READ.write(tmp_path)
    document = dict(scenes.document)
    scene = {k: v for k, v in document["tests"][0].items() if k != "expect"}
    document["tests"] = document["tests"] + [
        {**scene, "name": expression, "expect": {"holds": [_equality(expression, value)]}}
        for expression, value in scenes.rows
    ]
    source = Source(str(tmp_path / "page.test.yaml"), json.dumps(document, indent=1))
    failed = [
        f"{outcome.name}: {finding.message}"
        for outcome in run_scenarios(source, engine="python")
        for finding in outcome.findings
    ]
    assert failed == [], "\n".join(failed)


def _equality(expression: str, value: str) -> str:
    """The condition of a scenario, which must read something of the position."""
    return f"{_plainly(expression, value)} and count(players) > 0"


def _plainly(expression: str, value: str) -> str:
    plain = {
        "true": f"({expression})",
        "false": f"not ({expression})",
        "none": f"({expression}) is none",
    }
    return plain.get(value, f"({expression}) == {value}")


def test_the_limits_are_those_of_the_engine() -> None:
    table = TEXT.split("| during a game | at least |")[1].split("\n\n")[0]
    said = [int(number) for number in re.findall(r"\| (\d+) \|$", table, re.M)]
    first = [faults.STEPS, LONGEST, faults.APPLICATIONS, faults.WAITING]
    last = [faults.NUMBERS, REACH, faults.SUBSETS, MEMBERS]
    assert said == [*first, faults.NESTED, faults.VALUES, *last]
    assert f"from {INT_MIN} to {INT_MAX}" in TEXT
    assert f"(default: {DECISIONS})" in TEXT


def test_every_policy_type_and_key_is_on_the_page() -> None:
    policies = TEXT.split("| policy |")[1].split("\n\n")[0]
    assert {f"`{verb}`" for verb in VERBS.values()} <= set(re.findall(r"`\w+`", policies))
    types = TEXT.split("### Types")[1].split("###")[0]
    assert {f"`{name}`" for name in NAMED} <= set(re.findall(r"`\w+`", types))
    keys = TEXT.split("| key | holds |")[1].split("\n\n")[0]
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    said = set(re.findall(r"`(\w+)`", "\n".join(row.split("|")[1] for row in keys.split("\n")[2:])))
    assert said == set(schema["properties"])


def levels() -> list[list[str]]:
    """The operators of two operands in the table of precedence, loosest first."""
    table = TEXT.split("From loosest to tightest:")[1].split("\n\n")[1]
    rows = [re.findall(r"`([^`]+)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    assert [len(row) for row in rows] == [1, 1, 1, 1, 10, 1, 2, 3, 1, 3]
    return [["or"], ["and"], rows[4], [".."], rows[6], rows[7]]


def tree(text: str) -> object:
    report = Report()
    source = Source("expression", text)
    found = parse_expression(source, source.span(0, len(text)), report)
    assert list(report) == [], text
    return found


PAIRS = [
    (loose, tight)
    for number, row in enumerate(levels())
    for loose in row
    for later in levels()[number + 1 :]
    for tight in later
]


@pytest.mark.parametrize(("loose", "tight"), PAIRS)
def test_the_tighter_operator_binds_first(loose: str, tight: str) -> None:
    assert tree(f"a {loose} b {tight} c") == tree(f"a {loose} (b {tight} c)")
    assert tree(f"a {tight} b {loose} c") == tree(f"(a {tight} b) {loose} c")
    assert tree(f"a {loose} (b {tight} c)") != tree(f"(a {loose} b) {tight} c")


@pytest.mark.parametrize(
    ("plain", "bracketed"),
    [
        ("a if b or c else d", "a if (b or c) else d"),
        ("a or b if c else d", "(a or b) if c else d"),
        ("a if b else c if d else e", "a if b else (c if d else e)"),
        ("not a and b", "(not a) and b"),
        ("not a == b", "not (a == b)"),
        ("-a * b", "(-a) * b"),
        ("-a.b", "-(a.b)"),
        ("-f(a)[b]", "-((f(a))[b])"),
        ("a - b - c", "(a - b) - c"),
        ("a div b * c", "(a div b) * c"),
    ],
)
def test_one_operand_and_equal_ranks(plain: str, bracketed: str) -> None:
    assert tree(plain) == tree(bracketed)


@pytest.mark.parametrize("text", ["a == b == c", "a < b < c", "a is b is c", "a..b..c"])
def test_comparisons_and_ranges_do_not_chain(text: str) -> None:
    report = Report()
    source = Source("expression", text)
    parse_expression(source, source.span(0, len(text)), report)
    assert not report.ok
