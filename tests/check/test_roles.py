"""What the manifest's `game` names must be there and fit."""

from __future__ import annotations

import pytest

from tests.check.cases import base_text
from tests.small_games import checked

MANIFEST, RULES = base_text()
ROLES = "game: {play: play, finish: finish, score: player.score}"


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ("play: plai, finish: finish, score: player.score", "names `plai`, which is not an action"),
        ("play: play, finish: worth, score: player.score", "names `worth`, which is not an action"),
        ("play: turn, finish: finish, score: player.score", "takes no parameters"),
        (
            "play: play, finish: finish, score: player.points",
            "names `player.points`, which is not a state",
        ),
        ("play: play, finish: finish, score: player.goods", "an integer of each player"),
    ],
)
def test_a_role_that_does_not_fit(roles: str, message: str) -> None:
    found = checked({"base": (MANIFEST.replace(ROLES, f"game: {{{roles}}}"), RULES)})
    assert found.checked is None
    (diagnostic,) = found.report
    assert message in diagnostic.message
    assert diagnostic.span is not None


def test_all_roles_that_are_missing_are_told() -> None:
    manifest = MANIFEST.replace(ROLES, "game: {play: a, finish: b, score: player.c}")
    found = checked({"base": (manifest, RULES)})
    assert [d.slug for d in found.report] == ["unknown-name"] * 3


def test_a_role_whose_declaration_is_broken_is_not_told_twice() -> None:
    found = checked({"base": (MANIFEST, RULES.replace("action finish():", "action finish(:"))})
    assert found.checked is None
    assert [d.slug for d in found.report] == ["unclosed"]
