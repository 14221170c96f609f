"""Manifests become the tables of a box, whatever order they are given in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.language.diagnostics import Report
from rulesdsl.language.model.game import LinkedGame
from tests.link.boxes import TABLES, game, manifest
from tests.small_games import linked

CASES = yaml.safe_load((Path(__file__).parent / "boxes.yaml").read_text(encoding="utf-8"))
FAMILIES = [case for case in CASES if len(case["rulesets"]) > 1]
CHECKED = {"rulesets_in_order": "rulesets"} | {name: name for name in TABLES if name != "rulesets"}


def linked_box(case: dict[str, Any]) -> LinkedGame:
    return game(*case["rulesets"], settings=case.get("choose"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_tables_of_a_box(case: dict[str, Any]) -> None:
    found = linked_box(case)
    wanted = {key: case[key] for key in CHECKED if key in case}
    assert wanted
    assert {key: TABLES[CHECKED[key]](found) for key in wanted} == wanted


def test_every_table_is_checked_somewhere() -> None:
    assert set(CHECKED) <= {key for case in CASES for key in case}


@settings(max_examples=40, deadline=None)
@given(case=st.sampled_from(FAMILIES), data=st.data())
def test_the_order_in_which_rulesets_are_given_does_not_matter(
    case: dict[str, Any], data: st.DataObject
) -> None:
    rulesets = [manifest(text, i == 0) for i, text in enumerate(case["rulesets"])]
    report = Report()
    shuffled = data.draw(st.permutations(rulesets))
    found = linked(shuffled, case.get("choose", {}), report)
    assert found == linked(rulesets, case.get("choose", {}), report)
    assert found is not None
    assert {name: table(found) for name, table in TABLES.items()} == {
        name: table(linked_box(case)) for name, table in TABLES.items()
    }
