"""Guards compared: which is narrower, which exclude each other, which never hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from rulesdsl.language.check import check_expression
from rulesdsl.language.check.conflicts.guards import Guard, both, implies, normal
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.checked import Checked, Expr
from rulesdsl.language.model.types import BOOL, FEATURE, FIGURE, INT, PLAYER, EnumType, Type
from rulesdsl.language.parse import parse_expression
from tests.check.conflicts.fair import fair

HERE = Path(__file__).parent
PAIRS = yaml.safe_load((HERE / "guards.yaml").read_text(encoding="utf-8"))
NEVER = yaml.safe_load((HERE / "never.yaml").read_text(encoding="utf-8"))
NAMES: dict[str, Type] = {
    "p": PLAYER,
    "w": EnumType("fair/ware"),
    "f": FEATURE,
    "x": FIGURE,
    "n": INT,
    "b": BOOL,
}


@cache
def game() -> Checked:
    found = fair({}).checked
    assert found is not None
    return found


def expression(text: str) -> Expr:
    report = Report()
    source = Source("guard", text)
    parsed = parse_expression(source, source.span(0, len(text)), report)
    assert parsed is not None, list(report)
    found = check_expression(parsed, game(), "fair", BOOL, report, NAMES)
    assert found is not None, [str(finding) for finding in report]
    return found


def guard(text: str) -> Guard:
    return normal(expression(text), tuple(NAMES))


def relation(one: Guard, other: Guard) -> str:
    if not both(one, other):
        return "apart"
    match implies(one, other), implies(other, one):
        case True, True:
            return "same"
        case True, False:
            return "narrower"
        case False, True:
            return "wider"
    return "overlap"


@pytest.mark.parametrize(("one", "other", "how"), PAIRS)
def test_two_guards(one: str, other: str, how: str) -> None:
    turned = {"narrower": "wider", "wider": "narrower"}.get(how, how)
    assert relation(guard(one), guard(other)) == how
    assert relation(guard(other), guard(one)) == turned


@pytest.mark.parametrize("text", NEVER["never"])
def test_it_never_holds(text: str) -> None:
    assert guard(text) == ()


@pytest.mark.parametrize("text", NEVER["sometimes"])
def test_it_may_hold(text: str) -> None:
    assert guard(text) != ()


def test_no_guard_always_holds() -> None:
    assert relation(normal(None, ()), guard("n > 3")) == "wider"
    assert relation(normal(None, ()), normal(None, ())) == "same"


def test_parameters_count_by_position() -> None:
    tree = expression("n > 3 and b")
    assert normal(tree, ("n", "b")) != normal(tree, ("b", "n"))
    renamed = normal(expression("n > 3"), ("n", "p"))
    assert relation(renamed, normal(expression("n > 3"), ("n", "f"))) == "same"


def test_previous_is_another_in_every_rule() -> None:
    outcome = fair(
        {
            "east": "refine price(p, w) when previous > 3: 1\n",
            "west": "refine price(p, w) when previous < 3: 2\n",
        }
    )
    assert [finding.slug for finding in outcome.report] == ["value-clash"]


def test_a_guard_too_long_to_take_apart_is_one_condition() -> None:
    long = " and ".join(f"(n > {i} or p.score > {i})" for i in range(9))
    assert relation(guard(long), guard(long)) == "same"
    assert relation(guard(long), guard("n > 1")) == "overlap"
