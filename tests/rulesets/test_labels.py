"""Everything that a player reads of a shipped ruleset is there in English and in Spanish."""

from __future__ import annotations

import pytest

from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.names import words_of
from tests.rulesets.shipped import ROOTS, expansions, game

LANGUAGES = ("en", "es")


def named(checked: Checked) -> set[str]:
    """The full names of what is shown to players: components, where they lie, what is asked, what
    it counts, what can be set, and how."""
    box = checked.game
    things = (box.kinds, box.zones, box.grids, box.tracks, box.feature_kinds, box.settings)
    names = {thing.key for group in things for thing in group}
    names |= {f"{enum.key}.{member}" for enum in box.enums for member in enum.members}
    names |= {
        f"{words_of(setting.key)}.{value}"
        for setting in box.settings
        for value in setting.values
        if isinstance(value, str)
    }
    names |= set(checked.choices)
    options = (option for choice in checked.choices.values() for option in choice.options)
    return names | {option.key for option in options} | {ruleset.id for ruleset in box.rulesets}


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_has_a_label(root: str, language: str) -> None:
    checked = game(root, *expansions(root)).checked
    assert sorted(named(checked) - set(checked.game.labels[language])) == []


@pytest.mark.parametrize("root", ROOTS)
def test_what_is_said_in_one_language_is_said_in_the_other(root: str) -> None:
    english, spanish = (
        game(root, *expansions(root)).checked.game.labels[language] for language in LANGUAGES
    )
    assert set(english) == set(spanish)
