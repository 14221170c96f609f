"""Random games of two versions: whether they differ, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulesdsl.lint.played import GamesDiffer, versions_differ
from rulesdsl.play import Game
from rulesdsl.records import dataclass
from rulesdsl.simulate.plan import Variant, study_of
from rulesdsl.simulate.playing import local
from rulesdsl.simulate.report import GAME, POINTS, SOURCES, WINS, Finding, Summary
from rulesdsl.versions.changes import VersionChange

MEASURED = 20
"""For each game that is compared, so many are measured if they differ."""
_SECTIONS = (WINS, POINTS, SOURCES, GAME)


@dataclass(frozen=True)
class GameOfVersion:
    """The arguments that load a version: its path, expansions, settings and folders of rulesets."""

    path: str
    expansions: tuple[str, ...]
    settings: Mapping[str, int | bool | str]
    folders: tuple[str, ...]


@dataclass(frozen=True)
class PlayedVersions:
    """Random games of two versions for a number of players.

    `games` were compared, or fewer if they `differ`. `rules` are the changes that ran in the move
    that made the difference, `measures` pairs of the old and the new statistic of the games.
    """

    players: int
    games: int
    differ: GamesDiffer | None = None
    rules: tuple[VersionChange, ...] = ()
    measures: tuple[tuple[Finding, Finding], ...] = ()


def played_versions(
    versions: Sequence[tuple[Game, GameOfVersion]],
    found: Sequence[VersionChange],
    players: int | None,
    games: int,
) -> PlayedVersions:
    """Compare random games of two versions, and measure both if they differ.

    Raises ValueError if one cannot be played by so many, and OutOfTime.
    """
    numbers = set(versions[0][0].players) & set(versions[1][0].players)
    both = sorted(numbers) or [versions[1][0].seats(None)]
    count = players or next((each for each in both if each > 1), both[0])
    for game, _ in versions:
        game.seats(count)
    places = [span for each in found for span in (each.old, each.new) if span is not None]
    checked = [game.checked for game, _ in versions]
    differ = versions_differ(checked, count, games, versions[0][0].engine, places)
    if differ is None:
        return PlayedVersions(count, games)
    rules = [each for each in found if each.old in differ.ran or each.new in differ.ran]
    old, new = (_measures(*each, count, games * MEASURED) for each in versions)
    pairs = tuple((old[key], new[key]) for key in new if key in old)
    return PlayedVersions(count, games, differ, tuple(rules), pairs)


def _measures(
    game: Game, made: GameOfVersion, players: int, games: int
) -> dict[tuple[str, str], Finding]:
    """Return the statistics of random games by section and label."""
    chosen = tuple(sorted((name, str(value)) for name, value in made.settings.items()))
    study = study_of(
        made.path,
        [Variant("version", made.expansions, chosen)],
        players=players,
        games=games,
        engine=game.engine,
        paths=made.folders,
    )
    summary = Summary(study)
    for numbers, played in local(1)(study, study.blocks()):
        summary.add(numbers.start, played)
    return {
        (each.section, each.label): each
        for each in summary.findings()
        if each.section in _SECTIONS and (each.interval.value or each.section != SOURCES)
    }
