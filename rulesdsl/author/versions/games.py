"""Random games of two versions: whether they differ, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace

from rulesdsl.author.lint.played import GamesDiffer, choices, versions_differ
from rulesdsl.author.versions.changes import VersionChange, shown
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import RulesError
from rulesdsl.play import Game, PlayError, load
from rulesdsl.study.playing import Variant, local, study_of
from rulesdsl.study.report import GAME, POINTS, SOURCES, WINS, Finding, Interval
from rulesdsl.study.simulate import simulate

WHOLE = 100
"""The number of games played for each one that is compared, if the files differ."""
MEASURED = 20
"""The number of games measured for each one that is compared, if they differ."""
_SECTIONS = (WINS, POINTS, SOURCES, GAME)


@dataclass(frozen=True)
class PlayedVersions:
    """Random games of two versions.

    `games` were compared, and `ended` others by their ends, or fewer if they `differ`, with each of
    the numbers of `players` under the settings that were given, and under other `choices` of
    settings with one number each. `rules` are the changes that ran in the move that made the
    difference. `measures` are the differences of statistics between the same games, each with the
    old and the new statistic.
    """

    players: tuple[int, ...]
    choices: int
    games: int
    ended: int
    differ: GamesDiffer | None = None
    rules: tuple[VersionChange, ...] = ()
    measures: Mapping[Finding, tuple[Finding, Finding]] = field(default_factory=dict)


@dataclass(frozen=True)
class VersionPair:
    """The old and the new version as variants, the folders of their rulesets, and the engine."""

    versions: tuple[Variant, ...]
    folders: tuple[str, ...]
    engine: str

    def load(self) -> list[Game]:
        """Return both games; raises RulesError."""
        return [
            load(e.version, e.expansions, dict(e.settings), self.engine, paths=self.folders)
            for e in self.versions
        ]

    def choosing(self, chosen: dict[str, str]) -> VersionPair:
        settings = tuple(sorted({**dict(self.versions[0].settings), **chosen}.items()))
        return replace(self, versions=tuple(replace(e, settings=settings) for e in self.versions))


VersionChoice = tuple[VersionPair, list[Game]]
"""Two versions under a choice of settings, and their games."""


def choices_of(pair: VersionPair) -> Iterator[VersionChoice]:
    """Yield two versions with the settings they have, then with others that both have.

    All are changed, then every second. One whose default has changed always is; one that was given
    never is. Choices that a version refuses are left out. Raises RulesError.
    """
    games = pair.load()
    yield pair, games
    old, new = ({each.key: each for each in game.checked.game.settings} for game in games)
    given = dict(pair.versions[0].settings)
    free = dict[str, tuple[bool, list[str]]]()
    for key in old.keys() & new.keys():
        used = {old[key].chosen, new[key].chosen}
        both = [each for each in new[key].values if each in old[key].values]
        values = [shown(each) for each in both if len(used) > 1 or each not in used]
        if values and (name := key.replace("/", ".")) not in given:
            free[name] = len(used) > 1, values
    for chosen in choices(free):
        other = pair.choosing(chosen)
        with suppress(RulesError):
            yield other, other.load()


def played_versions(
    choices: Sequence[VersionChoice],
    found: Sequence[VersionChange],
    players: int | None,
    games: int,
    seed: int,
) -> PlayedVersions:
    """Compare random games of two versions, and measure both if they differ.

    The games are spread over all numbers of players, unless one is given, and the choices of
    settings. Raises ValueError if one cannot be played by that number, and OutOfTime.
    """
    if players is not None:
        players = min(game.seats(players) for game in choices[0][1])
    numbers, *others = (
        [n for n in one.players if n in two.players and players in (n, None)]
        for _, (one, two) in choices
    )
    rounds = [(number, *choices[0]) for number in numbers]
    for at, (several, choice) in enumerate(zip(others, choices[1:], strict=True)):
        rounds += [(several[at % len(several)], *choice)] if several else []
    games = games if rounds else 0
    ended = games * (WHOLE - 1) if found and choices[0][0].engine == "wasm" else 0
    played = PlayedVersions(tuple(numbers), len(rounds) - len(numbers), games, ended)
    places = [span for each in found for span in (each.old, each.new) if span is not None]
    for at, (number, pair, versions) in enumerate(rounds):
        checked, own = [game.checked for game in versions], range(at, games, len(rounds))
        whole = range(games + at, games + ended, len(rounds))
        differ = own and versions_differ(checked, number, own, whole, seed, pair.engine, places)
        if differ:
            ran = tuple(each for each in found if each.old in differ.ran or each.new in differ.ran)
            measures = _measures(pair, number, games * MEASURED, seed)
            return replace(played, differ=differ, rules=ran, measures=measures)
    return played


def _measures(
    pair: VersionPair, players: int, games: int, seed: int
) -> dict[Finding, tuple[Finding, Finding]]:
    """Return the statistics of the same random games in both versions; none if a rule fails."""
    study = study_of(
        "",
        pair.versions,
        players=players,
        seed=seed,
        games=games,
        engine=pair.engine,
        paths=pair.folders,
    )
    try:
        *_, summary = simulate(study, local(1))
    except PlayError:
        return {}
    found = {(e.variant, e.against, e.section, e.label): e for e in summary.findings()}
    measures = dict[Finding, tuple[Finding, Finding]]()
    for each in found.values():
        if each.against and each.section in _SECTIONS:
            none = replace(each, against="", interval=Interval(0, 0, 0))
            keys = ((name, "", each.section, each.label) for name in (each.against, each.variant))
            was, now = (found.get(key, none) for key in keys)
            measures[each] = was, now
    return measures
