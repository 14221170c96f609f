"""Scenarios: situations of a game with expectations, written in YAML (`*.test.yaml`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath

from rulesdsl.base.texts import FALLBACK
from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.engine.run.interface import SAY, Change, PlayError
from rulesdsl.language.diagnostics import Diagnostic, Label, Report, RulesError, Source
from rulesdsl.language.model import nodes
from rulesdsl.language.model.checked import Invariant
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import RulesetId, short_name
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, plain
from rulesdsl.language.model.nodes import Sequence as SequenceNode
from rulesdsl.language.read.files import user_file
from rulesdsl.language.read.find import SCENARIO_SUFFIXES, TextFile, places_of
from rulesdsl.language.read.manifest import read_document
from rulesdsl.play.events import line, sentence
from rulesdsl.play.game import Game, State, load
from rulesdsl.play.moves import text
from rulesdsl.play.scenario.expect import InvariantWatch, check_expectations, condition
from rulesdsl.play.scenario.outcome import Failed, FailedExpectation, Outcome
from rulesdsl.play.scenario.scene import arranges, go_to, set_scene
from rulesdsl.play.scenario.steps import Look, play_line


def scenarios_beside(ruleset: Ruleset) -> list[TextFile]:
    """Return the files of scenarios beside the manifest of a ruleset that have its name.

    An archive has none.
    """
    folder, name = user_file(ruleset.manifest.span.source.name)
    called = [PurePath(name).stem + suffix for suffix in SCENARIO_SUFFIXES]
    return [TextFile(folder, file) for file in folder.files() if file in called]


_SCENARIOS = (
    "a file of scenarios",
    "a file of scenarios begins with `scenarios:` and the id of a ruleset",
)


Start = Callable[[Game, int | None, int | None], State]
"""A function that starts a game for a number of players with a seed, as `Game.start` does."""

Cast = tuple[RulesetId, tuple[RulesetId, ...], tuple[tuple[str, int | bool | str], ...]]
"""A root ruleset, its expansions and the settings that are chosen."""


class Scenario:
    """A scenario of a file: its name, its place, and its mapping as `written`."""

    def __init__(self, name: Scalar, test: Mapping, games: _Games, start: Start) -> None:
        self.name = str(name.value)
        self.span = name.span
        self.written = test
        self._games = games
        self._start = start

    @property
    def cast(self) -> Cast:
        """The root, expansions and settings of its game."""
        return self._games.cast(self.written)

    def game(self, engine: str) -> Game:
        """Load its game anew for an engine; raises RulesError."""
        return self._games.load(self.cast, engine)

    def forget(self) -> None:
        """Reload its game at the next run, since files have changed."""
        self._games.forget()

    def run(self) -> Outcome:
        """Set up the situation and check all expectations."""
        rulesets = tuple[str, ...]()
        try:
            game = self._games.of(self.written)
            rulesets = tuple(each.id for each in game.rulesets)
            found = self._found(game, self.written)
        except RulesError as error:
            found = tuple(map(FailedExpectation, error.diagnostics))
        except Failed as failure:
            found = (FailedExpectation(failure.diagnostic()),)
        return Outcome(self.name, self.span, found, rulesets)

    def situation(self) -> State:
        """Return the situation before any move.

        Raises RulesError or Failed if it cannot be set up.
        """
        return _situation(self._start, self._games.of(self.written), self.written)

    def play(self, state: State) -> None:
        """Play the moves in the situation; raises Failed at one that is not legal."""
        _play(state, self.written, _look_away)

    def _found(self, game: Game, test: Mapping) -> tuple[FailedExpectation, ...]:
        state, lines = _situation(self._start, game, test), game.checked.game.lines
        said = {language: list[str]() for language in (FALLBACK, *sorted({*lines} - {FALLBACK}))}
        expect = test.get("expect")
        assert isinstance(expect, Mapping), "the schema asks for expectations"

        def hear(change: Change) -> None:
            if change.name == SAY:
                for language, told in said.items():
                    told.append(sentence(line(state, change), text, language, lines))

        watch = InvariantWatch(state, scene=arranges(test))
        watch.look(state, self.span, "at the start")
        state.listen(hear if expect.get("said") else None)
        try:
            failure = _play(state, test, watch.look)
        except Failed as error:
            return (*watch.found, FailedExpectation(error.diagnostic()))
        found = check_expectations(state, expect, failure, said, nodes.text(test, "name"))
        return (*watch.found, *found)


def read_scenarios(
    source: Source,
    paths: Sequence[str] = (),
    engine: str = DEFAULT_ENGINE,
    start: Start = Game.start,
) -> tuple[Scenario, ...]:
    """Return the scenarios of the file `source`, in order, for an engine.

    `start` begins their games. Rulesets are looked up beside the file, then in `paths` and the
    usual places. Raises RulesError if the file is not a file of scenarios.
    """
    document = _read(source)
    games = _Games(document, [*places_of(source.name), *paths], engine)
    return tuple(
        Scenario(name, test, games, start)
        for test in _tests(document)
        if isinstance(name := test.get("name"), Scalar)
    )


def game_of_invariants(source: Source, paths: Sequence[str], engine: str) -> Game | None:
    """Return the game of a file of scenarios, if the file has invariants, with these alone.

    It has the expansions and settings of the file. Raises RulesError as `read_scenarios` does, and
    for mistakes in the game or the invariants.
    """
    document = _read(source)
    if (written := document.get("invariants")) is None:
        return None
    game = _Games(document, [*places_of(source.name), *paths], engine).of(document)
    places = [name.span for name, _ in nodes.entries(written)]
    own = tuple(each for each in game.checked.invariants if each.span in places)
    return Game(replace(game.checked, invariants=own), engine, game.report)


def _read(source: Source) -> Mapping:
    """Return a file of scenarios, whose names differ, as messages name them; raises RulesError."""
    report, first = Report(), dict[object, Scalar]()
    document = read_document(source, "scenarios", *_SCENARIOS)
    for test in _tests(document):
        name = test.get("name")
        if isinstance(name, Scalar) and first.setdefault(name.value, name) is not name:
            label = Label(first[name.value].span, "the first one")
            message = f"another scenario is called `{name.value}`"
            report.error("duplicate-name", message, name.span, labels=(label,))
    report.check()
    return document


class _Games:
    def __init__(self, document: Mapping, paths: Sequence[str], engine: str) -> None:
        self._document = document
        self._paths = paths
        self._engine = engine
        self._known: dict[Cast, Game | RulesError] = {}

    def cast(self, test: Mapping) -> Cast:
        """Return the root, expansions and settings of the game of a scenario."""
        root = self._document.get("scenarios")
        assert isinstance(root, Scalar), "the schema asks for a ruleset"
        named = {*nodes.words(self._document.get("with")), *nodes.words(test.get("with"))}
        settings = _plain_mapping(self._document.get("settings"))
        settings |= _plain_mapping(test.get("settings"))
        expansions = tuple(map(RulesetId, sorted(named)))
        return RulesetId(root.value), expansions, tuple(sorted(settings.items()))

    def forget(self) -> None:
        """Forget all games that were loaded."""
        self._known.clear()

    def of(self, test: Mapping) -> Game:
        """Return the game of a scenario; raises RulesError if it cannot be played."""
        cast = self.cast(test)
        if cast not in self._known:
            try:
                self._known[cast] = self.load(cast, self._engine)
            except RulesError as error:
                self._known[cast] = error
        found = self._known[cast]
        if isinstance(found, RulesError):
            raise RulesError([self._placed(each, test) for each in found.diagnostics])
        return found

    def _placed(self, found: Diagnostic, test: Mapping) -> Diagnostic:
        """Return a finding at the place where the file asks for the things it is about."""
        key = "settings" if found.slug.startswith("setting") else "with"
        asked = test.get(key) or self._document.get(key) or self._document.get("scenarios") or test
        return replace(found, span=found.span or asked.span)

    def load(self, cast: Cast, engine: str) -> Game:
        """Load a game for an engine; raises RulesError."""
        root, expansions, settings = cast
        game = load(root, expansions, dict(settings), engine, paths=self._paths)
        written = self._document.get("invariants")
        return game if written is None else _with_invariants(game, written)


def _with_invariants(game: Game, written: Node) -> Game:
    """Return a game with the invariants that a file of scenarios adds; raises RulesError."""
    report = Report()
    root = game.checked.game.roles.ruleset
    known = {short_name(each.key): each for each in game.checked.invariants}
    found = list(game.checked.invariants)
    for name, node in nodes.entries(written):
        holds = condition(node, game.checked, {}, report)
        if (first := known.get(str(name.value))) is not None:
            message = f"a ruleset has an invariant `{name.value}`"
            labels = (Label(first.span, "the first one"),)
            report.error("duplicate-name", message, name.span, labels=labels)
        elif holds is not None:
            found.append(Invariant(name.span, f"{root}/{name.value}", holds))
    report.check()
    return Game(replace(game.checked, invariants=tuple(found)), game.engine, game.report)


def bring_about(game: Game, test: Mapping) -> State:
    """Return the position after the moves of a scenario; raises Failed, RulesError or PlayError."""
    state = _situation(Game.start, game, test)
    failure = _play(state, test, _look_away)
    if failure is not None:
        raise failure
    return state


def _situation(start: Start, game: Game, test: Mapping) -> State:
    state = _started(start, game, test)
    if moment := nodes.scalar(test, "moment"):
        go_to(state, moment, nodes.number(test, "seed", None))
    set_scene(state, test)
    return state


def _started(start: Start, game: Game, test: Mapping) -> State:
    try:
        return start(game, nodes.number(test, "players", None), nodes.number(test, "seed", None))
    except ValueError as error:
        raise Failed(str(error), (test.get("players") or test).span) from None
    except PlayError as error:
        raise Failed.by(error, "the game does not begin: ", test.span) from None


def _look_away(*_: object) -> None:
    """Look at no position."""


def _play(state: State, test: Mapping, look: Look) -> PlayError | None:
    """Play the moves, and those after `finish`; return the error of the last step, if any."""
    finish, expect = test.get("finish"), test.get("expect")
    after = finish.items if isinstance(finish, SequenceNode) else ()
    ends = bool(after) or (isinstance(finish, Scalar) and finish.value is True)
    steps: list[tuple[Node, Callable[[State, Node], None]]]

    def play_moves(state: State, line: Node) -> None:
        assert isinstance(line, Scalar), "the schema asks for texts"
        play_line(state, line, nodes.text(test, "name"), look)

    def finish_game(state: State, node: Node) -> None:
        if state.mover is not None:
            state.finish()
            look(state, node.span, "after the end of the game")

    steps = [(line, play_moves) for line in nodes.items(test.get("moves"))]
    steps += [(finish, finish_game)] if finish and ends else []
    steps += [(line, play_moves) for line in after]
    may_fail = isinstance(expect, Mapping) and expect.get("fails") is not None
    for number, (node, play) in enumerate(steps):
        try:
            play(state, node)
        except PlayError as error:
            if may_fail and number == len(steps) - 1:
                return error
            begin = "the end of the game fails: " if play is finish_game else "this fails: "
            raise Failed.by(error, begin, node.span) from None
    return None


def _tests(document: Mapping) -> list[Mapping]:
    return [item for item in nodes.items(document.get("tests")) if isinstance(item, Mapping)]


def _plain_mapping(node: Node | None) -> dict[str, int | bool | str]:
    found = plain(node) or {}
    assert isinstance(found, dict), "the schema asks for a mapping"
    return found
