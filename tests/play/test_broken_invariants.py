"""Scenarios and golden records fail where an invariant of their game does not hold."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.author.testing import Options, SuiteFile, Tried, changes
from rulesdsl.cli.main import main
from rulesdsl.engine.run import ENGINES
from rulesdsl.language.diagnostics import Diagnostic, Source
from rulesdsl.language.read.files import DiskFolder
from rulesdsl.play import Game
from rulesdsl.play.golden import golden_text, read_golden
from rulesdsl.play.records import Header, Recorder, read_record
from rulesdsl.play.scenario import Scenario, read_scenarios
from tests.lint.test_invariants import made

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("broken_invariants.yaml").read_text("utf-8")
)
KEYS = ("moves", "state", "moment", "finish", "expect")


def told(found: Diagnostic, name: str) -> str:
    assert found.span is not None
    marked = found.span.text if found.span.text != name else "the scenario"
    return f"{marked}: {found.message}" + "".join(f" ({each})" for each in found.help)


def scenario(case: dict[str, Any], folder: Path, engine: str) -> Scenario:
    made(folder, case.get("host", ""), case.get("more", ""))
    test = {"expect": {"holds": ["round > 0"]}, **{key: case[key] for key in KEYS if key in case}}
    head = {"scenarios": "host", "edition": 1, "with": ["more"] if "more" in case else []}
    head |= {"invariants": case["invariants"]} if "invariants" in case else {}
    text = yaml.safe_dump({**head, "tests": [{"name": "one", **test}]}, sort_keys=False, width=1000)
    (found,) = read_scenarios(Source(str(folder / "host.test.yaml"), text), engine=engine)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("engine", ENGINES)
def test_scenarios_look_at_invariants(case: dict[str, Any], engine: str, tmp_path: Path) -> None:
    outcome = scenario(case, tmp_path, engine).run()
    assert [told(each, "one") for each in outcome.findings] == case["finds"]
    assert outcome.passed == (not case["finds"])
    for each in outcome.findings:
        if each.slug == "broken-invariant":
            assert [f"`{label.span.text}`" for label in each.labels] == [each.message.split()[0]]


def record(folder: Path) -> str:
    """The golden record of a game in which everybody plays the first move."""
    game = Game(made(folder, ""), "python")
    state, text = game.start(2, 1), io.StringIO()
    recorder = Recorder(text, Header.of(game, 2, 1))
    while state.mover is not None:
        recorder.move(state.mover, state.moves()[0])
        state.play(state.moves()[0])
    recorder.result(state)
    return golden_text(read_record(Source("game.jsonl", text.getvalue())), game, "one")


@pytest.mark.parametrize(
    ("said", "finds"),
    [
        ("bank + sum(p.coins for p in players) == 16", None),
        ("bank < 11", "`kept` does not hold at the start"),
        ("round < 3", "`kept` does not hold after `stop` of blue in turn 12"),
        (
            "blue.score < 8",
            "`kept` does not hold after `one_more` of blue in turn 23",
        ),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_golden_records_look_at_invariants(
    said: str, finds: str | None, engine: str, tmp_path: Path
) -> None:
    text = record(tmp_path)
    made(tmp_path, f"invariant kept: {said}\n")
    file = tmp_path / "one.game.jsonl"
    file.write_text(text)
    golden = read_golden(Source(str(file), text), engine=engine)
    outcome = golden.run()
    assert [each.message for each in outcome.findings] == ([finds] if finds else [])
    assert {each.slug for each in outcome.findings} <= {"broken-invariant"}
    if finds:
        tried = Tried(SuiteFile(DiskFolder.at(str(tmp_path)), file.name), (outcome,))
        (update,) = changes(tried, Options(engine))
        assert not update.possible
        assert update.by_hand == outcome.findings


FILE = """\
scenarios: host
edition: 1
invariants: {INVARIANTS}
tests:
  - name: one
    expect: {mover: red}
"""


@pytest.mark.parametrize(
    ("invariants", "said", "found"),
    [
        ("low: red.score in 0..20", "1 invariant proved", None),
        ("low: red.score < 21, late: round < 5", "1 invariant proved, 1 watched", None),
        ('low: "red.score < 1"', "1 invariant watched", "`low` does not hold in a random game"),
        ("low: the(p in players) == red", "1 invariant watched", "`the` needs exactly one element"),
        ("low: cord == 1", "", "there is nothing called `cord`"),
        ("kept: red.score == 0", "", "a ruleset has an invariant `kept`"),
        ("1st: red.score == 0", "", "the key `1st` is not a name"),
        ("low: ''", "", "must not be empty"),
        ("", "", "must have at least 1 key"),
    ],
)
def test_check_proves_and_plays_the_invariants_of_a_file(
    invariants: str,
    said: str,
    found: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made(tmp_path, "invariant kept: all(p.score >= 0 for p in players)\n")
    file = tmp_path / "host.test.yaml"
    file.write_text(FILE.replace("INVARIANTS", invariants))
    code = main(["check", str(file)])
    out = capsys.readouterr().out
    assert said in out
    assert (code, "no problems" in out) == ((0, True) if found is None else (1, False))
    assert (found or "") in out
    assert ("random game" in out) == bool(said)
    if "broken-invariant" in out:
        assert f"{file}:3:14" in out
        assert "= this scenario leads to it:" in out
    main(["check", str(file), "--no-play"])
    assert "random game" not in capsys.readouterr().out
