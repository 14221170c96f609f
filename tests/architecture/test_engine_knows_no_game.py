"""No word of a particular game stands in the engine: code, comments, grammar or texts."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import PACKAGE, place, text_files

GAME_WORDS = (
    "carcassonne|cit(?:y|ies)|roads?|meeples?|followers?|monaster(?:y|ies)|cloisters?|rivers?"
    "|sheep|shepherds?|wol(?:f|ves)|knights?|catapults?|robbers?|farmers?|vineyards?|cathedrals?"
    "|inns?|wheels?|dragons?|fair(?:y|ies)"
)
# A word ends where its letters end, so the parts of `road_edges` count as words too.
GAME_WORD = re.compile(rf"(?<![a-z])(?:{GAME_WORDS})(?![a-z])", re.IGNORECASE)


@pytest.mark.parametrize("text", ["the Road ends", "city_side", "'sheep'", "INN2"])
def test_a_game_word_is_recognised(text: str) -> None:
    assert GAME_WORD.search(text)


@pytest.mark.parametrize("text", ["capacity", "broadcast", "inner", "driver", "wheelbase"])
def test_a_word_that_only_contains_one_is_not(text: str) -> None:
    assert not GAME_WORD.search(text)


# An event of browsers, by which the code of the editor scrolls.
BROWSER_EVENT = re.compile(r"\bwheel=\w+\.mousewheel\b")


def test_the_engine_holds_no_game_word() -> None:
    files = text_files(PACKAGE)
    found = [
        f"{place(path, number)}: {match.group()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in GAME_WORD.finditer(BROWSER_EVENT.sub("", line))
    ]
    assert files
    assert not found, "\n".join(found)
