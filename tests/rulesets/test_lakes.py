"""The lake is laid in every game with the river, whatever players do."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import load
from tests.rulesets.shipped import FOLDER

TO_THE_LAKE = Path(__file__).parent / "rivers" / "to_the_lake.yaml"
GAMES = 20_000
FEW = 500
READINGS: tuple[dict[str, int | bool | str], ...] = (
    {},
    {"river.sets": 3},
    {"mixed_in_again": True},
    {"course": "wide"},
    {"course": "wide", "river.sets": 3},
)


def without_lake(
    settings: dict[str, int | bool | str], expansions: tuple[str, ...], players: int, games: int
) -> list[int]:
    """The random games in which the river ends without its lake."""
    names = ["river", *expansions, str(TO_THE_LAKE)]
    game = load(FOLDER / "base.yaml", names, settings, "wasm")
    played = game.playouts(range(games), players)
    return [number for number, playout in enumerate(played) if not playout.winners]


every_reading = pytest.mark.parametrize("settings", READINGS, ids=str)
alone_and_at_the_wheel = pytest.mark.parametrize("expansions", [(), ("wheel_of_fortune",)], ids=str)


@every_reading
@alone_and_at_the_wheel
def test_the_lake_is_laid(
    settings: dict[str, int | bool | str], expansions: tuple[str, ...]
) -> None:
    assert without_lake(settings, expansions, 2, FEW) == []


@pytest.mark.long
@every_reading
@alone_and_at_the_wheel
def test_the_lake_is_laid_in_many_games(
    settings: dict[str, int | bool | str], expansions: tuple[str, ...]
) -> None:
    for players in (2, 5):
        assert without_lake(settings, expansions, players, GAMES) == []


def test_a_narrow_river_may_end_without_its_lake() -> None:
    assert without_lake({"course": "narrow"}, (), 2, FEW)
