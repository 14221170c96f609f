"""Expressions that are read after the game has been checked, such as what a scenario asserts."""

from __future__ import annotations

import pytest

from rulesdsl.language.check import check_expression
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.types import BOOL, INT, PLAYER, Type
from rulesdsl.language.parse import parse_expression
from tests.check.cases import base, with_extra
from tests.check.trees import shown


@pytest.fixture(scope="module")
def game() -> Checked:
    checked = base().checked
    assert checked is not None
    return checked


def _read(
    game: Checked, text: str, type_: Type | None, names: dict[str, Type] | None = None
) -> tuple[str | None, list[str]]:
    source, report = Source("scenario.yaml", text), Report()
    parsed = parse_expression(source, source.span(0, len(text)), report)
    assert parsed is not None
    found = check_expression(parsed, game, "base", type_, report, names)
    return None if found is None else shown(found), [f"{d.span}: {d.slug}" for d in report]


@pytest.mark.parametrize(
    ("text", "type_", "tree"),
    [
        ("red.score == 4", BOOL, "Compare(==, ReadState(base/player.score, seat 0), 4)"),
        ("active", PLAYER, "ReadState(base/game.active)"),
        ("blue", PLAYER, "seat 1"),
        ("red.goods[cloth]", INT, "ReadState(base/player.goods, seat 0, [base/good#2])"),
        ("friendly(red)", BOOL, "CallValue(base/friendly, [seat 0])"),
        ("settings.houses", None, "4"),
    ],
)
def test_a_closed_expression(game: Checked, text: str, type_: Type | None, tree: str) -> None:
    assert _read(game, text, type_) == (tree, [])


def test_a_refined_attribute_is_read_as_the_value_it_became() -> None:
    refined = with_extra("refine weight(x) when x.owner == active: previous + 1\n").checked
    assert refined is not None
    text = "sum(x.weight for x in figures)"
    binder = "Binder([x], CallBuiltin(figures), -, False, True)"
    tree = f"Aggregate(sum, CallValue(base/weight, [x]), [{binder}])"
    assert _read(refined, text, INT) == (tree, [])


def test_locals_may_be_given(game: Checked) -> None:
    assert _read(game, "p.score", INT, {"p": PLAYER}) == ("ReadState(base/player.score, p)", [])


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("red.scor == 4", "scenario.yaml:1:5: unknown-attribute"),
        ("reed.score == 4", "scenario.yaml:1:1: unknown-name"),
        ("red.score", "scenario.yaml:1:1: type-mismatch"),
        ("ask(red)", "scenario.yaml:1:1: asks-in-value"),
        ("turn(the(t in bag))", "scenario.yaml:1:1: asks-in-value"),
        ("previous", "scenario.yaml:1:1: misplaced"),
        ("proceed", "scenario.yaml:1:1: misplaced"),
    ],
)
def test_a_mistaken_expression(game: Checked, text: str, finding: str) -> None:
    assert _read(game, text, BOOL) == (None, [finding])
