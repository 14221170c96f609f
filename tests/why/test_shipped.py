"""What is told of the scenarios of shipped rulesets is what the scenarios expect."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.author.why.played import Observed, PlayedMove
from rulesdsl.author.why.points import PointsQuestion
from rulesdsl.author.why.refused import RefusedQuestion
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.language.read.files import shipped
from rulesdsl.play.moves import wanted
from tests.why.asking import File, text

QUICK = ("river", "dice_game")
ALL = sorted(
    path.name.removesuffix(".test.yaml")
    for path in Path(str(shipped("rulesets"))).glob("*.test.yaml")
)


class Watching(PointsQuestion):
    """Keeps the scores before the first move, too."""

    scores: dict[str, int] | None = None

    def before(self, state: Observed, moment: PlayedMove) -> None:
        if self.scores is None:
            self.scores = state.scores()
        super().before(state, moment)


def _check(name: str, step: int = 1) -> None:
    path = Path(str(shipped("rulesets") / f"{name}.test.yaml"))
    expected = {
        test["name"]: test["expect"]
        for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]
    }
    file, asked = File(path), 0
    for scenario in file.scenarios[::step]:
        expect: dict[str, Any] = expected[scenario.name]
        question = Watching()
        state = file.run(scenario, question)
        _check_points(question, state, scenario.name)
        if state.mover not in (None, "chance"):
            asked += _check_moves(state, expect)
    assert asked or name not in QUICK


def _check_points(question: Watching, state: Observed, name: str) -> None:
    told = Counter[str]()
    for answer in question.answers:
        amount, made = answer.facts["amount"], answer.facts["sum"]
        assert isinstance(amount, int)
        told[str(answer.facts["player"])] += amount
        assert answer.steps, (name, answer.head)
        assert _value(str(made)) == abs(amount), (name, answer.head)
    before = question.scores or state.scores()
    assert {k: v - before[k] for k, v in state.scores().items()} == {k: told[k] for k in before}


def _value(made: str) -> object:
    return eval(made.replace("div", "//").replace("mod", "%"))


def _check_moves(state: Observed, expect: dict[str, Any]) -> int:
    for move in expect.get("legal", ()):
        question = RefusedQuestion(wanted(move))
        question.after(state, True)
        assert any(answer.facts["offered"] for answer in question.answers), move
    for move in expect.get("illegal", ()):
        question = RefusedQuestion(wanted(move))
        with suppress(RulesError):  # it is not asked for
            question.after(state, True)
            assert question.answers, move
        for answer in question.answers:
            assert not answer.facts["offered"], text(question.answers)
            assert answer.steps or ":" in answer.head, text(question.answers)
    return len(expect.get("legal", ())) + len(expect.get("illegal", ()))


@pytest.mark.parametrize("name", QUICK)
def test_points_and_moves(name: str) -> None:
    _check(name, 6)


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_points_and_moves_of_all(name: str) -> None:
    _check(name)
