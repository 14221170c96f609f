"""Any expansions of the base game make a game together."""

from __future__ import annotations

from itertools import combinations

import pytest

from rulesdsl.engine.build import Memory, build, remembering
from rulesdsl.engine.build.combinations import Subsets
from rulesdsl.language.diagnostics import Report
from tests.rulesets.shipped import FOLDER, expansions

BASE, EVERY = FOLDER / "base.yaml", expansions("base")


def test_few_and_almost_all_expansions_are_without_a_finding() -> None:
    sizes = (0, 1, 2, len(EVERY) - 1, len(EVERY))
    with remembering(Memory()):
        for on in (on for size in sizes for on in combinations(EVERY, size)):
            report = Report()
            assert build(BASE, on, report=report) is not None
            assert (on, *report) == (on,)


@pytest.mark.long
def test_every_subset_of_the_expansions_is_without_a_finding() -> None:
    checked = list(Subsets(BASE, EVERY))
    assert len(checked) == 2 ** len(EVERY) == 128
    assert [each for each in checked if each.findings] == []
