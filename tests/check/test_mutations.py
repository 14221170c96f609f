"""Rules with words exchanged are refused with a finding or checked; they break nothing."""

from __future__ import annotations

import random
import re

import pytest

from tests.check.cases import HERE, cases, with_extra

BASE = (HERE / "base.rules").read_text(encoding="utf-8")
RULES = ["\n".join(case.rules["extra"]) for case in cases() if "extra" in case.rules]
EXTRA_WORDS = ["none", "{}", "'corner'", "previous", "proceed", "leave", "piece", "settings.houses"]
WORDS = sorted(
    {*re.findall(r"\w+", BASE), *EXTRA_WORDS, "take(bag)", "reach(x from friends by {x})"}
)


@pytest.mark.parametrize("seed", range(100))
def test_exchanged_words(seed: int) -> None:
    chance = random.Random(seed)
    parts = re.split(r"(\w+)", chance.choice(RULES))
    for _ in range(chance.randint(1, 4)):
        parts[chance.randrange(1, len(parts), 2)] = chance.choice(WORDS)
    found = with_extra("".join(parts))
    assert (found.checked is None) is not found.report.ok
