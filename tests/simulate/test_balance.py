"""Balance files: their mistakes, their measures, and how rarely a verdict is wrong."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from rulesdsl.language.diagnostics import RulesError, Source
from rulesdsl.study.balance import (
    BalanceStudy,
    MeasureBound,
    diagnostic,
    held,
    measures,
    read_balance,
)
from rulesdsl.study.playing import Columns, Study, local, names
from rulesdsl.study.report import DECIDED, WINS, Interval, series
from tests.simulate.studies import RULESETS, hamlets

HEAD = "balance: hamlets\nedition: 1\nstudies:\n"


def read(text: str) -> list[BalanceStudy]:
    """The studies of a balance file beside the rulesets of tests."""
    source = Source(str(RULESETS / "hamlets.balance.yaml"), HEAD + text)
    return read_balance(source, engine="python")


@pytest.mark.parametrize(
    ("written", "slug", "said"),
    [
        ("bounds: {win of seat 1: 1 to 2 %}", "unknown-name", "`wins of seat 1`"),
        ("bounds: {wins of greedy: 1 to 2 %}", "unknown-name", "`wins of greedy`"),
        ("bounds: {decided by wells: 1 to 2 %}", "unknown-name", "`decided by wells`"),
        ("bounds: {wins of seat 1: 1 to 2}", "bad-value", "write `45 to 55 %`"),
        ("bounds: {decisions: 1 to 2 %}", "bad-value", "write `10 to 20`"),
        ("bounds: {decisions: 2 to 1}", "bad-value", "not a range"),
        ("bounds: {wins of seat 1: at most 500 %}", "bad-value", "not a range"),
        ("bounds: {decisions: at least 1 to 2}", "bad-value", "not a range"),
        ("bounds: {decisions: '3'}", "bad-value", "not a range"),
        ("bots: policy.py, bounds: {decisions: at least 1}", "bad-value", "a bot"),
        ("bots: 'mcts:0.5s', bounds: {decisions: at least 1}", "bad-value", "a bot"),
        (
            "bots: [random, random, random], bounds: {decisions: at least 1}",
            "bad-value",
            "hamlets.balance.yaml:4:27",
        ),
        (
            "bots: [random, random], players: 9, bounds: {decisions: at least 1}",
            "bad-value",
            "hamlets.balance.yaml:4:54",
        ),
        ("games: 99, bounds: {decisions: at least 1}", "bad-value", "from 100"),
        ("with: [nowhere], bounds: {decisions: at least 1}", "ruleset-missing", "balance.yaml:4:"),
        ("bounds: {}", "bad-value", "at least 1 key"),
        ("bound: {decisions: at least 1}", "unknown-key", "bounds"),
    ],
)
def test_mistakes_are_reported(written: str, slug: str, said: str) -> None:
    with pytest.raises(RulesError) as caught:
        read(f"  - {{name: a study, {written}}}")
    found = {each.slug: str(each) for each in caught.value.diagnostics}
    assert slug in found
    assert said in found[slug]


def test_a_study_plays_the_ruleset_of_its_file() -> None:
    source = Source(str(RULESETS / "wells.balance.yaml"), f"{HEAD}  - {{name: s, {STEADY}}}")
    with pytest.raises(RulesError, match=r"write `balance: wells`, or `with: \[wells\]`"):
        read_balance(source, engine="python", ruleset="wells")


STEADY = "bounds: {decisions: at least 1}"


def test_every_measure_is_a_finding() -> None:
    study = "  - name: all\n    with: [wells]\n    bots: [greedy, random]\n    games: 100\n"
    study += "    bounds:\n"
    (budget,) = read(f"{study}      options: at least 1\n")
    known = measures(budget.study)
    assert {"wins of seat 1", "wins of greedy", "points", "lead", "points from score"} <= set(known)
    (budget,) = read(study + "".join(map(_at_least_0, known)))
    (verdicts,) = held(budget, local(1))
    assert len(verdicts) == len(known)
    assert all(each.holds or each.finding.interval.low < 0 for each in verdicts)


def _at_least_0(measure: str) -> str:
    return f"      {measure}: at least 0{' %' * measure.startswith(('wins', 'decided'))}\n"


def _thrown(luck: random.Random, share: float, study: Study, games: range) -> Columns:
    """Games in which only the winner matters: the first seat, with a probability."""
    found = {
        name: array("q", [0] * len(games)) for name in names(study.players, study.kinds[0].sources)
    }
    found["over"] = array("q", [1] * len(games))
    found["decisions"] = array("q", [1] * len(games))
    found["winners"] = array("q", [1 if luck.random() < share else 2 for _ in games])
    return found


def test_a_wrong_verdict_is_rare_however_often_one_looks() -> None:
    study, luck = hamlets(3200), random.Random(4)
    bound = MeasureBound("wins", "at most 50 %", 0, 0.5, WINS, "red (seat 1)", HEAD_SPAN)

    def verdict(share: float) -> bool | None:
        def run(study: Study, blocks: Iterable[range]) -> Iterator[tuple[range, tuple[Columns]]]:
            for games in blocks:
                yield games, (_thrown(luck, share, study, games),)

        *_, last = held(BalanceStudy("coins", study, (bound,)), run)
        return last[0].holds

    broken = sum(verdict(0.5) is False for _ in range(150))
    assert broken <= 5  # at most one in a hundred is expected; 6 of 150 have a chance of 1 in 500
    assert verdict(0.6) is False
    assert verdict(0.4) is True


HEAD_SPAN = Source("coins", "").span(0, 0)


def test_a_bound_that_cannot_be_told_says_how_many_games_are_needed() -> None:
    (budget,) = read("  - {name: s, games: 100, bounds: {wins of seat 1: at least 50 %}}")
    (verdicts,) = held(budget, local(1))
    said = diagnostic(budget, verdicts[0])
    assert verdicts[0].holds is None
    assert said is not None
    assert "too few to tell" in said.message
    assert said.span == budget.bounds[0].span


def test_the_end_of_a_bound_belongs_to_it() -> None:
    bound = MeasureBound("n", "1 to 2", 1, 2, WINS, "", HEAD_SPAN)
    assert bound.holds(Interval(1.5, 1, 2))
    assert bound.holds(Interval(2.5, 2, 3)) is None
    assert bound.holds(Interval(2.5, 2.1, 3)) is False


def test_a_ruleset_decides_the_games_that_its_points_win() -> None:
    study = hamlets()
    kind = replace(
        study.kinds[0],
        sources=("hamlets/a", "wells/b"),
        labels=("a", "b"),
        owners=("hamlets", "wells"),
    )
    columns = {name: array("q", [0] * 4) for name in names(2, kind.sources)}
    columns["winners"] = array("q", [1, 1, 3, 2])
    columns["score.0"] = array("q", [5, 5, 5, 4])
    columns["score.1"] = array("q", [3, 3, 5, 5])
    columns["gain.wells/b.0"] = array("q", [1, 3, 2, 0])
    columns["gain.wells/b.1"] = array("q", [0, 0, 0, 1])
    found = {measure.section: n for measure, n in series(study, kind, columns, 0)}
    # A tie without its points is not decided by them, and one of two winners may stay the best.
    assert list(found[DECIDED]) == [0, 1, 0, 0]
