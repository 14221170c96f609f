"""Any expansions of the base game make a game together."""

from __future__ import annotations

from rulesdsl.engine.build.combinations import Subsets
from tests.rulesets.shipped import FOLDER, expansions


def test_every_subset_of_the_expansions_is_without_a_finding() -> None:
    checked = list(Subsets(FOLDER / "base.yaml", expansions("base")))
    assert len(checked) == 2 ** len(expansions("base")) == 128
    assert [each for each in checked if each.findings] == []
