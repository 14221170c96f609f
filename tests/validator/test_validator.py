"""How many slips the checker catches: what the page says is enough, and true."""

from __future__ import annotations

import pytest

from tools.mutants.checking import Checker
from tools.mutants.corpus import CLASSES, COUNT, corpus
from tools.mutants.measuring import judged
from tools.mutants.mutant import Mutant
from tools.mutants.page import PAGE, current, read
from tools.mutants.shipped import rulesets

WANTED = {
    ("misspelt key", "misspelt name", "misspelt attribute"): 0.99,
    ("wrong reference",): 0.95,
    ("swapped sides", "crossed segments"): 0.95,
    tuple(CLASSES): 0.90,
}
"""The least shares that the checker alone is to catch."""
LEAST = 100
"""So many mutants that change a game there are of each class at least."""
SAMPLE = 4
"""So many of each class are checked again here."""
LET_PASS = 1
"""So many of a sample may be let pass where the page says that most are caught."""


@pytest.fixture(scope="module")
def checker() -> Checker:
    return Checker()


def test_the_page_tells_of_enough() -> None:
    shares = read(PAGE.read_text(encoding="utf-8"))
    assert {*shares} == {*CLASSES, "all"}
    for kind in CLASSES:
        assert shares[kind].count >= LEAST
        assert shares[kind].caught <= shares[kind].shown <= shares[kind].count
    for kinds, least in WANTED.items():
        caught = sum(shares[kind].caught for kind in kinds)
        assert caught >= least * sum(shares[kind].count for kind in kinds), kinds


@pytest.mark.parametrize("kind", CLASSES)
def test_a_sample_is_caught_as_the_page_says(kind: str, checker: Checker) -> None:
    share = read(PAGE.read_text(encoding="utf-8"))[kind]
    sample = corpus(kind, SAMPLE)
    caught = [checker.verdict(mutant, CLASSES[kind].slugs).caught for mutant in sample]
    expected = SAMPLE * share.caught // share.drawn
    assert sum(caught) >= expected - LET_PASS


@pytest.mark.parametrize("name", rulesets())
def test_there_is_no_false_alarm(name: str, checker: Checker) -> None:
    file = rulesets()[name].yaml
    nothing = Mutant("nothing", name, file.name, 0, 0, "")
    assert not checker.findings(nothing, file.text)


def test_a_mutant_is_the_same_each_time() -> None:
    for kind in ("misspelt name", "swapped sides", "clashing refinements"):
        assert corpus(kind, SAMPLE) == corpus(kind, COUNT)[:SAMPLE]


@pytest.mark.long
def test_the_page_says_what_is_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert current(page, list(judged(COUNT, jobs=2))) == page


@pytest.mark.long
def test_what_is_not_a_slip_is_not_found(checker: Checker) -> None:
    sound = [mutant for mutant in corpus("dropped proceed", COUNT) if mutant.sound is not None]
    assert sound
    for mutant in sound:
        source = next(s for s in rulesets()[mutant.ruleset].sources() if s.name == mutant.file)
        found = checker.findings(mutant, mutant.of(source, mutant.sound))
        assert not found, mutant.shown(source)
