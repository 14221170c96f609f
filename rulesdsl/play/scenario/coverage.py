"""Coverage of rules by scenarios: the rules that run, and the conditions seen true and false."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.python.watching import ANSWERS, WatchedGame
from rulesdsl.language.diagnostics import Diagnostic, Report, Severity, Source, Span
from rulesdsl.language.diagnostics.allow import Allowance, allowances, unused
from rulesdsl.language.model import Tree
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.flow import RuleBody, rule_bodies
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.read.files import SUFFIX, DiskFolder, open_archive, user_file
from rulesdsl.language.read.find import (
    GOLDEN_SUFFIX,
    SCENARIO_SUFFIXES,
    FolderSearch,
    FoundFile,
    below,
)
from rulesdsl.language.read.manifest import read_ruleset
from rulesdsl.play.game import Game, State

Event = tuple[int, int, bool, bool]
"""An observation in a rules file: start, end, whether it is a condition, and its outcome."""


def event(node: tree.Node, outcome: bool) -> Event:
    """Return the event for a node that an engine ran.

    A rule that gives a value has run, whatever the value is.
    """
    span = node.span
    told = outcome or (isinstance(node, tree.Rule) and node.verb not in ANSWERS)
    return span.start, span.end, isinstance(node, tree.Typed), told


@dataclass(frozen=True)
class Gap:
    """A place that no scenario covers, and what is missing there, such as `was never false`."""

    span: Span
    missing: str


@dataclass(frozen=True)
class Judgement:
    """The number of events to cover, and the missing ones with their gaps.

    An event behind a gap is part of that gap, and only the gap is reported.
    """

    demanded: int
    missing: Mapping[Event, Gap]

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps in the order of the file."""
        found = dict.fromkeys(self.missing.values())
        return tuple(sorted(found, key=lambda gap: (gap.span.start, gap.span.end, gap.missing)))


def judge(games: Iterable[tuple[Checked, str]], seen: Container[Event]) -> Judgement:
    """Return the events missing in the rules that games have from one file.

    Each game comes with its name of that file; `seen` are the events that were seen.
    """
    judging = _Judging(seen)
    for checked, file in games:
        judging.game(checked, file)
    return Judgement(len(judging.demanded), judging.missing)


class _Judging:
    """A walk over the rules of a game.

    `behind` is the gap that a node lies behind, if there is one; events missing there are part of
    it.
    """

    def __init__(self, seen: Container[Event]) -> None:
        self._file = ""
        self._seen = seen
        self.demanded = set[Event]()
        self.missing: dict[Event, Gap] = {}

    def game(self, checked: Checked, file: str) -> None:
        self._file = file
        for body in rule_bodies(checked):
            self._block(body.code, self._head(body))

    def _head(self, body: RuleBody) -> Gap | None:
        """Demand what decides whether code runs; return the gap that it lies behind, if any."""
        node, behind = body.node, None
        match node:
            case tree.ChoiceDef():
                self._inside(node.by, None)
                never = "`otherwise` never ran"
                return None if node.otherwise is None else self._demand(node, True, never, None)
            case tree.OptionDef():
                for binder in node.binders:
                    self._inside(binder.domain, behind)
                    behind = self._guard(binder.where, behind)
            case tree.AlwaysDef():
                self._inside(node.binder.domain, None)
        behind = self._guard(body.guard, behind)
        match node:
            case tree.Rule() if node.verb in ANSWERS:
                yes, no = self._both(node, behind)
                return behind or (yes and no)
            case tree.OptionDef():
                return self._demand(node, True, "was never chosen", behind) or behind
            case tree.Forbid():
                return self._demand(node, True, "never closed anything", behind)
        return self._ran(node, behind)

    # --- statements and expressions ------------------------------------------------------------

    def _block(self, block: tree.Block, behind: Gap | None) -> None:
        for statement in block:
            behind = self._ran(statement, behind)
            self._statement(statement, behind)

    def _statement(self, statement: tree.Stmt, behind: Gap | None) -> None:
        match statement:
            case tree.If():
                yes, no = self._condition(statement.condition, behind)
                self._block(statement.then, behind or yes)
                self._block(statement.otherwise, behind or no)
            case tree.While():
                yes, _ = self._condition(statement.condition, behind)
                self._block(statement.body, behind or yes)
            case tree.For():
                self._inside((statement.binder.domain, statement.start), behind)
                self._block(statement.body, self._guard(statement.binder.where, behind))
            case _:
                self._inside(tuple(vars(statement).values()), behind)

    def _inside(self, node: object, behind: Gap | None) -> None:
        """Demand the conditions of `A if C else B` and of ladders anywhere in expressions."""
        match node:
            case tree.IfElse():
                yes, no = self._condition(node.condition, behind)
                self._inside(node.then, behind or yes)
                self._inside(node.otherwise, behind or no)
            case Tree():
                self._inside(tuple(vars(node).values()), behind)
            case tuple():
                for part in node:
                    self._inside(part, behind)

    # --- demands: each returns the gap that the following nodes lie behind, if any ---------------

    def _guard(self, guard: tree.Expr | None, behind: Gap | None) -> Gap | None:
        if guard is None:
            return behind
        yes, _ = self._condition(guard, behind)
        return behind or yes

    def _condition(self, condition: tree.Expr, behind: Gap | None) -> tuple[Gap | None, Gap | None]:
        if isinstance(condition, tree.Const) and condition.setting is None:
            return None, None  # written as `true` or `false`
        yes, no = self._both(condition, behind)
        self._inside(condition, behind or (yes and no))
        return yes, no

    def _both(self, node: tree.Node, behind: Gap | None) -> tuple[Gap | None, Gap | None]:
        """Demand both answers; if neither was seen, that is a single gap."""
        if not (self._has(node, True) or self._has(node, False)):
            behind = self._demand(node, True, "never ran", behind)
            return behind, self._demand(node, False, "", behind)
        return (
            self._demand(node, True, "was never true", behind),
            self._demand(node, False, "was never false", behind),
        )

    def _ran(self, node: tree.Node, behind: Gap | None) -> Gap | None:
        return self._demand(node, True, "never ran", behind) or behind

    def _has(self, node: tree.Node, outcome: bool) -> bool:
        return event(node, outcome) in self._seen

    def _demand(
        self, node: tree.Node, outcome: bool, missing: str, behind: Gap | None
    ) -> Gap | None:
        """Demand an event once and return its gap; None if it was seen."""
        if node.span.source.name != self._file:
            return None
        wanted = event(node, outcome)
        self.demanded.add(wanted)
        if wanted in self._seen:
            return None
        return self.missing.setdefault(wanted, behind or Gap(node.span, missing))


UNCOVERED = "uncovered"
Seen = defaultdict[str, set[Event]]
"""Events by rules file."""
Reached = Mapping[str, frozenset[Event]]
"""Events by the digest of their ruleset."""


@dataclass(frozen=True)
class Covered:
    """The coverage of one ruleset.

    `file` is the name of its rules file, `demanded` the number of events to cover, `shown` the
    number of those covered, and `gaps` are the places with missing events. Events that a comment
    allows are not demanded; `idle` are comments that allow nothing.
    """

    file: str
    demanded: int
    shown: int
    gaps: tuple[Gap, ...]
    idle: tuple[Allowance, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The gaps, and the comments that allow nothing, as warnings."""
        missing = (_uncovered(gap) for gap in self.gaps)
        return (*missing, *(unused(each, None) for each in self.idle))


class Coverage:
    """Collects the events of scenarios that are read with its `start`.

    Their games say which rules run.
    """

    def __init__(self) -> None:
        self._games: list[tuple[Checked, Seen]] = []
        self._watched: dict[tuple[int, int], WatchedGame] = {}

    def __getstate__(self) -> dict[str, object]:
        """Return the state for another process, without games that play here."""
        return {**vars(self), "_watched": {}}

    def start(self, game: Game, players: int | None, seed: int | None) -> State:
        """Start a game as `Game.start` does, and note from then on which rules run."""
        seats, seen = game.seats(players), self._seen(game.checked)

        def note(node: tree.Node, outcome: bool) -> None:
            seen[node.span.source.name].add(event(node, outcome))

        watched = self._watched.get((id(game.checked), seats))
        if watched is None:
            watched = WatchedGame(game.checked, seats, note)
            self._watched[id(game.checked), seats] = watched
        return State(game, watched.start(seed))

    def taken(self) -> Reached:
        """Return the events seen since the last call, and forget them."""
        found = defaultdict[str, set[Event]](set)
        for checked, seen in self._games:
            for ruleset in checked.game.rulesets:
                if ruleset.rules:
                    found[ruleset.digest] |= seen[ruleset.rules.name]
        self._games.clear()
        self._watched.clear()
        return {digest: frozenset(events) for digest, events in found.items()}

    def _seen(self, checked: Checked) -> Seen:
        for known, seen in self._games:
            if known is checked:
                return seen
        self._games.append((checked, defaultdict(set)))
        return self._games[-1][1]

    def add(self, other: Coverage) -> None:
        """Add the events that were collected elsewhere."""
        self._games += other._games

    def of(self, paths: Iterable[str]) -> tuple[Covered, ...]:
        """Return the coverage of all rulesets in the folders that are named and below.

        A file `NAME.test.yaml` that is named adds the ruleset `NAME.yaml` beside it.
        """
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
        # The active `with` blocks differ from game to game.
        games = {
            tuple(part for part in checked.game.parts if part.ruleset == ruleset.id): (
                checked,
                name,
            )
            for checked, name, _ in played
        }
        found = judge(games.values(), events)
        # The file may have been found by another path, and have another name.
        here = {g: replace(g, span=file.span(g.span.start, g.span.end)) for g in found.gaps}
        written = (each for each in allowances(file) if isinstance(each, Allowance))
        comments = [each for each in written if each.slug == UNCOVERED]
        allowed = {gap for gap in here if any(_allows(each, here[gap]) for each in comments)}
        spared = sum(gap in allowed for gap in found.missing.values())
        return Covered(
            file.name,
            found.demanded - spared,
            found.demanded - len(found.missing),
            tuple(here[gap] for gap in here if gap not in allowed),
            tuple(c for c in comments if not any(_allows(c, gap) for gap in here.values())),
        )


def _uncovered(gap: Gap) -> Diagnostic:
    message = "no scenario shows all of this"
    return Diagnostic(UNCOVERED, message, gap.span, gap.missing, severity=Severity.WARNING)


def _allows(comment: Allowance, gap: Gap) -> bool:
    return comment.covers(_uncovered(gap))


def rulesets_at(paths: Iterable[str]) -> list[FoundFile]:
    """Return the rulesets in the folders and archives that are named and below.

    A file that is named adds the rulesets beside it whose names match its own.
    """
    return list({each.identity: each for path in paths for each in _found(path)}.values())


def _found(path: str) -> Iterator[FoundFile]:
    folder, file = user_file(path)
    found: Iterable[FoundFile]
    if os.path.isdir(path):
        found = (each for here in below(DiskFolder.at(path)) for each in FolderSearch([here]).found)
    elif file.endswith(SUFFIX):
        found = FolderSearch([open_archive(folder, file)]).found
    else:
        ends = (*SCENARIO_SUFFIXES, GOLDEN_SUFFIX)
        name = next((file.removesuffix(end) for end in ends if file.endswith(end)), file)
        beside = FolderSearch([folder]).found
        found = (each for each in beside if os.path.splitext(each.file)[0] == name)
    yield from (each for each in found if each.header)
