"""What scenarios show of rules: which of them run, and which conditions are met and not met."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rulesdsl.diagnostics import Diagnostic, Report, Severity, Source
from rulesdsl.diagnostics.allow import Allowance, allowances, unused
from rulesdsl.model.checked import Checked, Node
from rulesdsl.model.game import Part
from rulesdsl.model.ruleset import Ruleset
from rulesdsl.play.game import Game, State
from rulesdsl.play.scenario.demands import Event, Gap, event, judge
from rulesdsl.read.archive import SUFFIX, open_archive
from rulesdsl.read.files import DiskFolder, user_file
from rulesdsl.read.find import GOLDEN_SUFFIX, SCENARIO_SUFFIXES, Found, Search
from rulesdsl.read.manifest import read_ruleset
from rulesdsl.run import reference

UNCOVERED = "uncovered"
Seen = defaultdict[str, set[Event]]
"""What was seen of each file."""
Reached = Mapping[str, frozenset[Event]]
"""What was seen of each ruleset, by its digest."""


@dataclass(frozen=True)
class Covered:
    """What is shown of one ruleset: the name of its rules file, how much there is to show, how much
    of it is shown, and where something is missing. What a comment allows is not to be shown;
    `idle` are comments that allow nothing."""

    file: str
    demanded: int
    shown: int
    gaps: tuple[Gap, ...]
    idle: tuple[Allowance, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The places where something is missing, and comments that allow nothing, as warnings."""
        missing = (_uncovered(gap) for gap in self.gaps)
        return (*missing, *(unused(each, None) for each in self.idle))


class Coverage:
    """Gathers what scenarios show, of all files whose scenarios are read with `start` as what
    begins their games; they are played on the reference engine then."""

    def __init__(self) -> None:
        self._games: list[tuple[Checked, Seen]] = []

    def start(self, game: Game, players: int | None, seed: int | None) -> State:
        """As `Game.start`; from now on it is noted what of the rules runs."""
        seen = self._seen(game.checked)

        def note(node: Node, outcome: bool) -> None:
            seen[node.span.source.name].add(event(node, outcome))

        position = reference.start(game.checked, game.seats(players), seed, note)
        return State(game, position)

    def taken(self) -> Reached:
        """Return what was seen since this was last asked, and forget it."""
        found = defaultdict[str, set[Event]](set)
        for checked, seen in self._games:
            for ruleset in checked.game.rulesets:
                if ruleset.rules:
                    found[ruleset.digest] |= seen[ruleset.rules.name]
        self._games.clear()
        return {digest: frozenset(events) for digest, events in found.items()}

    def _seen(self, checked: Checked) -> Seen:
        for known, seen in self._games:
            if known is checked:
                return seen
        self._games.append((checked, defaultdict(set)))
        return self._games[-1][1]

    def add(self, other: Coverage) -> None:
        """What was gathered elsewhere, too."""
        self._games += other._games

    def of(self, paths: Iterable[str]) -> tuple[Covered, ...]:
        """What is shown of the rules of all rulesets in folders that are named, and below; and of
        the ruleset `NAME.yaml` beside a file `NAME.test.yaml` that is named."""
        read = (read_ruleset(each.folder, each.file, Report()) for each in rulesets_at(paths))
        return tuple(self._of(each, each.rules) for each in read if each and each.rules)

    def _of(self, ruleset: Ruleset, file: Source) -> Covered:
        played = [
            (checked, loaded.rules.name, seen[loaded.rules.name])
            for checked, seen in self._games
            for loaded in checked.game.rulesets
            if loaded.rules and (loaded.id, loaded.digest) == (ruleset.id, ruleset.digest)
        ]
        if not played:
            return Covered(file.name, 1, 0, (Gap(ruleset.manifest.span, "never played with"),))
        events = set[Event]().union(*(seen for _, _, seen in played))
        # In some games other `with` blocks count than in others.
        games = {_parts(ruleset.id, checked): (checked, name) for checked, name, _ in played}
        found = judge(games.values(), events)
        # It may have been found by another way, and be called otherwise.
        here = {g: replace(g, span=file.span(g.span.start, g.span.end)) for g in found.gaps}
        comments = tuple(_comments(file))
        allowed = {gap for gap in here if any(_allows(each, here[gap]) for each in comments)}
        spared = sum(gap in allowed for gap in found.missing.values())
        return Covered(
            file.name,
            found.demanded - spared,
            found.demanded - len(found.missing),
            tuple(here[gap] for gap in here if gap not in allowed),
            tuple(c for c in comments if not any(_allows(c, gap) for gap in here.values())),
        )


def _parts(ruleset: str, checked: Checked) -> tuple[Part, ...]:
    """The parts of a ruleset's rules that count in a game."""
    return tuple(part for part in checked.game.parts if part.ruleset == ruleset)


def _uncovered(gap: Gap) -> Diagnostic:
    """A place where something is missing, as a warning."""
    message = "no scenario shows all of this"
    return Diagnostic(UNCOVERED, message, gap.span, gap.missing, severity=Severity.WARNING)


def _comments(file: Source) -> Iterator[Allowance]:
    """The comments of a file that allow something not to be shown."""
    for each in allowances(file):
        if isinstance(each, Allowance) and each.slug == UNCOVERED:
            yield each


def _allows(comment: Allowance, gap: Gap) -> bool:
    return comment.covers(_uncovered(gap))


def rulesets_at(paths: Iterable[str]) -> list[Found]:
    """The rulesets in folders and archives that are named, and below; and those beside a file that
    is named whose names are like its own."""
    return list({each.identity: each for path in paths for each in _found(path)}.values())


def _found(path: str) -> Iterator[Found]:
    if os.path.isdir(path):
        for inside, folders, _ in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (each for each in Search([DiskFolder.at(inside)]).found if each.header)
        return
    folder, file = user_file(path)
    if file.endswith(SUFFIX):
        yield from (each for each in Search([open_archive(folder, file)]).found if each.header)
        return
    ends = (*SCENARIO_SUFFIXES, GOLDEN_SUFFIX)
    name = next((file.removesuffix(end) for end in ends if file.endswith(end)), file)
    beside = Search([folder]).found
    yield from (each for each in beside if os.path.splitext(each.file)[0] == name and each.header)
