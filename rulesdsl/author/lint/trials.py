"""Random games of a ruleset with its expansions, to find what never happens in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cache, partial
from io import StringIO

from rulesdsl.base.deadline import Deadlines, OutOfTime, active, under
from rulesdsl.base.processes import Workers, cores
from rulesdsl.base.records import dataclass
from rulesdsl.engine.build import Memory, remembering
from rulesdsl.engine.build.combinations import covering, fitting
from rulesdsl.engine.run import DEFAULT_ENGINE, engine_of, playable
from rulesdsl.engine.run.interface import Trial
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Severity, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import nodes
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.flow import enum_given, member_source, sources
from rulesdsl.language.model.game import EnumDef
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.nodes import Node as Data
from rulesdsl.language.model.nodes import Scalar
from rulesdsl.language.read.load import compatible, extensions_of, ids_of
from rulesdsl.play import Game, PlayError, State, load
from rulesdsl.play.bots import bot_maker
from rulesdsl.play.records import Header, Recorder

Sign = tuple[str, str, int]
"""An observation: `ran`, a file and an offset; or `asked`, `offered` or `given`, a key and 0."""


def ran(node: tree.Node) -> Sign:
    """Return the sign that a node ran."""
    return "ran", node.span.source.name, node.span.start


def sign(what: str, key: str) -> Sign:
    """Return the sign that a choice was `asked`, an option `offered`, or points `given`."""
    return what, key, 0


@dataclass(frozen=True)
class Subject:
    """A thing that games can show.

    Any of its `signs` shows it. It counts only if a sign in `inside` was seen, unless that is
    empty. `message` is the text of the warning at `span` if it was never seen.
    """

    slug: str
    message: str
    span: Span
    signs: frozenset[Sign]
    inside: frozenset[Sign] = frozenset()

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The key that is equal for the same subject in every game."""
        return self.slug, self.message, self.span.source.name, self.span.start

    def finding(self, games: int) -> Diagnostic:
        """Return the warning that the subject was not seen in so many games."""
        many = "1 random game" if games == 1 else f"{games} random games"
        help = ("show it in a scenario, or allow it here", "more games may show it")
        return Diagnostic(
            self.slug,
            f"{self.message} in {many}",
            self.span,
            help=help if games < _MANY else help[:1],
            severity=Severity.WARNING,
        )


_MANY = 1000
_NAME = re.compile(r"\w+")


def subjects(checked: Checked, rulesets: frozenset[str]) -> Iterator[Subject]:
    """Yield all subjects in the texts of these rulesets (ids)."""
    files = {
        ruleset.rules.name
        for ruleset in checked.game.rulesets
        if ruleset.rules is not None and ruleset.id in rulesets
    }
    found = (*_values(checked), *_actions(checked), *_choices(checked))
    always = (_runs(rule, "this `always` never ran") for rule in checked.always)
    yield from (each for each in (*found, *always) if each.span.source.name in files)
    yield from _points(checked, rulesets)


def _runs(node: tree.Node, message: str, inside: frozenset[Sign] = frozenset()) -> Subject:
    return Subject("never-ran", message, node.span, frozenset({ran(node)}), inside)


def _values(checked: Checked) -> Iterator[Subject]:
    for key, value in checked.values.items():
        if key in checked.actions:
            continue
        guards = (rule.guard for rule in value.rules if rule.guard is not None)
        every = frozenset(map(ran, (*value.rules, *guards)))
        name = f"`{short_name(value.key)}`"
        if every:
            yield Subject("never-ran", f"{name} was never computed", value.span, every)
        yield from (_runs(rule, f"this rule of {name} never ran", every) for rule in value.rules)


def _actions(checked: Checked) -> Iterator[Subject]:
    for action in checked.actions.values():
        name, own = f"`{short_name(action.key)}`", frozenset({ran(action)})
        hooks = frozenset(map(ran, _every(action.hooks)))
        # An `around` hook can run in its place.
        yield Subject("never-ran", f"{name} never ran", action.span, own | hooks)
        for rule in action.requires:
            yield _runs(rule, f"this precondition of {name} was never checked", own)
        yield from _hooks(action, name, own | hooks)


def _hooks(
    on: tree.ActionDef | tree.ChoiceDef | tree.OptionDef, name: str, inside: frozenset[Sign]
) -> Iterator[Subject]:
    for hook in _every(on.hooks):
        yield _runs(hook, f"this hook on {name} never ran", inside)


def _every(hooks: tree.Hooks) -> tuple[tree.Node, ...]:
    return (*hooks.arounds, *hooks.befores, *hooks.afters)


def _choices(checked: Checked) -> Iterator[Subject]:
    for choice in checked.choices.values():
        name, here = f"`{short_name(choice.key)}`", frozenset({sign("asked", choice.key)})
        met = here | {ran(choice)}
        yield Subject("never-offered", f"{name} was never asked", choice.span, met)
        yield from _hooks(choice, name, met)
        for option in choice.options:
            own = frozenset({sign("offered", option.key)})
            message = f"`{option.name}` was never possible"
            yield Subject("never-offered", message, option.span, own, met)
            yield from _hooks(option, f"`{option.name}`", own)
            for forbid in option.forbids:
                yield _runs(forbid, f"this veto on `{option.name}` never applied", met)


def _points(checked: Checked, rulesets: frozenset[str]) -> Iterator[Subject]:
    """Yield the sources of points, each at the place that names it.

    That is the member of an enum, an action or a choice.
    """
    places: dict[str, tuple[str, Span, frozenset[Sign]]] = {
        key: (key.partition("/")[0], node.span, frozenset({ran(node), sign("asked", key)}))
        for table in (checked.actions, checked.choices)
        for key, node in table.items()
    }
    named = {found[1] for each in checked.actions.values() if (found := enum_given(each))}
    for enum in checked.game.enums:
        for member, origin in zip(enum.members, enum.origins, strict=True):
            if enum.key in named:
                at = _member(checked, enum, member, origin)
                places[member_source(enum.key, member)] = origin, at, frozenset()
    for source in sources(checked).names:
        if source not in places:
            continue
        origin, span, inside = places[source]
        if origin in rulesets:
            message = f"no points were awarded for `{short_name(source)}`"
            yield Subject("never-given", message, span, frozenset({sign("given", source)}), inside)


def _member(checked: Checked, enum: EnumDef, member: str, origin: str) -> Span:
    (ruleset,) = (each for each in checked.game.rulesets if each.id == origin)
    sections = (ruleset.manifest.get("enums"), ruleset.manifest.get("extend"))
    for section in sections:
        for key, node in section if isinstance(section, nodes.Mapping) else ():
            if _NAME.findall(str(key.value))[-1:] == [enum.name]:
                found = next(_named(node, short_name(member)), None)
                if found is not None:
                    return found.span
    return enum.span


def _named(node: Data, word: str) -> Iterator[Scalar]:
    if isinstance(node, Scalar) and node.value == word:
        yield node
    elif isinstance(node, nodes.Sequence):
        for item in node:
            yield from _named(item, word)


DRAWS = 6
"""The number of draws of settings for each set of expansions, with the defaults.

Making a game takes as long as playing it several times.
"""

SHARED = 8
"""The most games that share a draw of settings; with more games there are more draws."""

TRIES = 5
"""The number of draws of settings to try for a game, since some settings exclude each other."""

FEW = 2
"""The number of games that are played faster than other processes start."""

LOOK = 3
"""One in so many decisions is compared with those of positions that look the same."""

MOVES = 600
"""The number of moves after which a game is ended, since random players may take very long."""

GREEDY = 10
"""One in so many games has a greedy player, who completes what random players leave open."""

REMEMBERED = 2
"""The number of checked games to cache; those of one key are played one after the other."""

STREAMS = 1 << 40
"""The distance between the random streams of draws of settings, and from those of games."""

Value = int | bool | str
Settings = Mapping[str, Value]
SubjectKey = tuple[str, str, str, int]
FaultKey = tuple[str, str, int]


@dataclass(frozen=True)
class TrialGame:
    """Game `number` of a seed with one set of expansions, whose number is `place`.

    In `draw` 0, settings that are not given keep their defaults; in other draws they are drawn.
    Tables with the same place and draw have the same game, for the same number of players.
    """

    main: str
    expansions: tuple[str, ...]
    settings: Settings
    paths: tuple[str, ...]
    seed: int
    place: int
    draw: int
    number: int

    @property
    def game(self) -> tuple[int, int]:
        """The key that is equal for tables of the same game."""
        return self.place, self.draw


@dataclass(frozen=True)
class Sitting:
    """A game that can be played again, also by `rulesdsl run`.

    `settings` are those that differ from their defaults, `seed` is that of chance and of the bots,
    which are named by seat.
    """

    main: str
    expansions: tuple[str, ...]
    settings: tuple[tuple[str, int | bool | str], ...]
    paths: tuple[str, ...]
    seed: int
    bots: tuple[str, ...]

    @property
    def players(self) -> int:
        return len(self.bots)


@dataclass(frozen=True)
class FailedGame:
    """A game that failed.

    `finding` is the failure, `sitting` the game, and `moves` are the candidates that were played,
    of which the last one failed. `table` is the random game; `ending` is True if it failed only
    when it was ended after `MOVES` moves.
    """

    finding: Diagnostic
    sitting: Sitting
    table: TrialGame
    moves: tuple[int, ...]
    ending: bool = False
    games: int = 1

    @property
    def key(self) -> FaultKey:
        """The key that is equal for the same fault in other games."""
        return fault_key(self.finding.slug, self.finding.message, self.finding.span)


def fault_key(slug: str, message: str, span: Span | None) -> FaultKey:
    """Return the key of a fault: its place, or its message if it has no place.

    Messages are not part of the key otherwise, since they contain values of one game.
    """
    return (slug, span.source.name, span.start) if span else (slug, message, -1)


@dataclass
class GameResults:
    """The results of games.

    `subjects` are those of the rulesets that were on, `signs` those that were seen, `faults` the
    games that failed, `leaks` the options whose moves told something hidden, `refused` the reasons
    why games could not be started, and `games` their number.
    """

    subjects: dict[SubjectKey, Subject] = field(default_factory=dict)
    signs: set[Sign] = field(default_factory=set)
    faults: dict[FaultKey, FailedGame] = field(default_factory=dict)
    leaks: dict[FaultKey, Diagnostic] = field(default_factory=dict)
    refused: list[Diagnostic] = field(default_factory=list)
    games: int = 0

    def add(self, other: GameResults) -> None:
        """Add other results; of games with the same fault the shortest is kept."""
        self.subjects |= other.subjects
        self.signs |= other.signs
        self.leaks = other.leaks | self.leaks
        for fault in other.faults.values():
            self.stopped(fault)
        self.refused += other.refused
        self.games += other.games

    def stopped(self, fault: FailedGame) -> None:
        known = self.faults.get(fault.key)
        if known is not None:
            shorter = min(known, fault, key=lambda each: (len(each.moves), each.table.number))
            fault = replace(shorter, games=known.games + fault.games)
        self.faults[fault.key] = fault

    def missed(self) -> tuple[Diagnostic, ...]:
        """Return warnings about leaks and unseen subjects, but not those inside unseen ones."""
        missed = (
            each.finding(self.games)
            for each in self.subjects.values()
            if not each.signs & self.signs and (not each.inside or each.inside & self.signs)
        )
        return tuple(sorted((*missed, *self.leaks.values()), key=lambda found: found.sort_key))


def sets_of(main: str, expansions: Sequence[str], paths: Sequence[str]) -> list[tuple[str, ...]]:
    """Return sets of expansions, or of all that extend `main`, in which any two are both on."""
    named = ids_of(expansions) or extensions_of(main, paths=paths)
    ways = dict(zip(ids_of(expansions), expansions, strict=True))
    allowed = compatible([main, *expansions], paths=paths)
    kept = [(on, fitting(each, allowed)) for on in covering(named) for each in (on, on[::-1])]
    sets = dict.fromkeys(tuple(id for id in on if id in fit) for on, fit in kept)
    return [tuple(ways.get(id, id) for id in each) for each in sets]


def tables(
    main: str,
    expansions: Sequence[str],
    settings: Settings,
    paths: Sequence[str],
    games: int,
    seed: int,
) -> list[TrialGame]:
    """Return tables for so many games, spread over sets of the expansions.

    If no expansion is named, all that extend `main` are used. With enough games, every two
    expansions are both on, both off, and each on alone in some games.
    """
    sets = sets_of(main, expansions, paths)
    rounds = -(-games // len(sets))
    draws = max(DRAWS, -(-rounds // SHARED))
    found = list[TrialGame]()
    for number in range(games):
        round, place = divmod(number, len(sets))
        shared = (main, sets[place], settings, tuple(paths), seed)
        found.append(TrialGame(*shared, place, round % draws, number))
    return found


def play(tables: Sequence[TrialGame]) -> Iterator[GameResults]:
    """Play these games on all cores and yield the results of each.

    Games of the same key follow each other in one process. Raises WorkerLost if a process is lost,
    and OutOfTime.
    """
    same: dict[tuple[int, int], list[TrialGame]] = {}
    for table in tables:
        same.setdefault(table.game, []).append(table)
    jobs = min(cores(), len(same))
    play_some = partial(play_tables, deadlines=active())
    if jobs < 2 or len(tables) <= FEW:
        for some in same.values():
            yield from _given(play_some(some))
        return
    with Workers(play_some, jobs) as workers:
        for _, played in workers.unordered(same.values()):
            yield from _given(played)


Played = tuple[list[GameResults], OutOfTime | None]
"""The results of some games, and the deadline that stopped the next one."""


def _given(played: Played) -> Iterator[GameResults]:
    yield from played[0]
    if played[1] is not None:
        raise played[1]


def play_tables(tables: Sequence[TrialGame], deadlines: Deadlines = ()) -> Played:
    """Play tables of the same game under these deadlines."""
    found = list[GameResults]()
    with under(*deadlines), remembering(_MEMORY):
        try:
            game, wanted, refused = _ready(tables[0])
            trial = cache(trial_of)
            for table in tables:
                seen = GameResults(dict(wanted), refused=list(refused))
                if game is not None:
                    _Played(game, table, _sitting(game, table), seen).play(trial)
                found.append(seen)
        except OutOfTime as stop:
            return found, stop
    return found, None


def _ready(
    table: TrialGame,
) -> tuple[Game | None, Mapping[SubjectKey, Subject], Sequence[Diagnostic]]:
    """Return the game of a table and its subjects; without a game, the reasons."""
    try:
        game = _loaded(table)
    except RulesError as error:
        return None, {}, error.diagnostics
    # Those that are named are looked at, and their interactions.
    named = {*ids_of([table.main]), *ids_of(table.expansions)}
    there = game.checked.game.rulesets
    met = {each.id for each in there if named & {party.name for party in each.parties}}
    found = subjects(game.checked, frozenset(named | met))
    return game, {each.key: each for each in found}, ()


_MEMORY = Memory(REMEMBERED)
"""The memo of files of this process."""


def load_game(
    main: str, expansions: Sequence[str], settings: Settings, paths: Sequence[str]
) -> Game:
    """Return the game for the fast engine, or `python` where that cannot be loaded."""
    engine, _ = playable(DEFAULT_ENGINE)
    return load(main, expansions, settings, engine, paths=paths)


def trial_of(game: Game, players: int) -> Trial:
    """Return the game prepared for a few plays."""
    return engine_of(game.engine).trial(game.checked, players)


def _loaded(table: TrialGame) -> Game:
    """Return the game of a table, with drawn settings if any of the draws tried can be played.

    The first draw takes the values of each setting in turn, later ones take any.
    """
    game = load_game(table.main, table.expansions, table.settings, table.paths)
    given = {name.rpartition(".")[2] for name in table.settings}
    free = [each for each in game.checked.game.settings if each.name not in given]
    if not (table.draw and free):
        return game
    stream = STREAMS * (table.place + 1)
    order, luck = (Rng.seeded(table.seed, stream + draw) for draw in (0, table.draw))
    turns = [(each, _shuffled(order, each.values)) for each in free]
    for number in range(TRIES):
        drawn = {
            f"{each.ruleset}.{each.name}": (
                values[luck.below(len(values))] if number else values[table.draw % len(values)]
            )
            for each, values in turns
        }
        with suppress(RulesError):
            chosen = {**drawn, **table.settings}
            return load_game(table.main, table.expansions, chosen, table.paths)
    return game


def _shuffled(luck: Rng, values: Sequence[Value]) -> list[Value]:
    left, found = list(values), list[Value]()
    while left:
        found.append(left.pop(luck.below(len(left))))
    return found


def _sitting(game: Game, table: TrialGame) -> Sitting:
    """Choose the players of a game; the numbers of players take turns."""
    counts, luck = game.players, Rng.seeded(table.seed, table.number)
    bots = ["random"] * counts[(table.draw + table.place) % len(counts)]
    if luck.below(GREEDY) == 0:
        bots[luck.below(len(bots))] = "greedy"
    changed = tuple(
        (f"{each.ruleset}.{each.name}", each.chosen)
        for each in game.checked.game.settings
        if each.chosen != each.default
    )
    seed, _ = seeds_of(table.seed, table.number)
    return Sitting(table.main, table.expansions, changed, table.paths, seed, tuple(bots))


class _Played:
    """One game and its results."""

    def __init__(self, game: Game, table: TrialGame, sitting: Sitting, seen: GameResults) -> None:
        self.game, self.table, self.sitting, self.seen = game, table, sitting, seen
        self.moves: list[int] = []
        self.ending = False

    def play(self, ready: Callable[[Game, int], Trial]) -> None:
        """Play the game to its end, or until it fails; `ready` prepares it."""
        self.seen.games += 1
        try:
            trial = ready(self.game, self.sitting.players)
            try:
                self._to_the_end(trial)
            except PlayError as error:
                self._stopped(Diagnostic(error.slug, error.message, error.span))
                self._note(trial, finish=self.ending)
        except OutOfTime:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            message = f"a fault of this program stopped a game: {what}"
            help = ("please report it, with your rulesets",)
            self._stopped(Diagnostic("games-stopped", message, help=help))

    def _stopped(self, finding: Diagnostic) -> None:
        moves = tuple(self.moves)
        self.seen.stopped(FailedGame(finding, self.sitting, self.table, moves, self.ending))

    def _to_the_end(self, trial: Trial) -> None:
        seed = self.sitting.seed
        state = State(self.game, trial.start(seed))
        bots = {
            colour: bot_maker(name)(seed, seat)
            for seat, (colour, name) in enumerate(
                zip(state.players, self.sitting.bots, strict=True)
            )
        }
        while (mover := state.mover) is not None and len(self.moves) < MOVES:
            decision = state.position.decision
            assert decision is not None, "somebody moves"
            self.seen.signs.add(sign("asked", decision.choice))
            self.seen.signs.update(sign("offered", each.option) for each in decision.candidates)
            if len(self.moves) % LOOK == 0 and decision.seat is not None:
                self._look(state, decision.seat)
            move = bots[mover].decide(state)
            self.moves.append(state.moves().index(move))
            state.play(move)
        self.ending = state.mover is not None
        if self.ending:
            state.finish()
        self._note(trial, finish=self.ending)

    def _look(self, state: State, seat: int) -> None:
        """Note an option whose moves change with what their player does not know."""
        if not state.position.hides(seat):
            return
        here, there = _offered(state), dict[str, str]()
        try:
            drawn = state.position.sample(seat, len(self.moves), free=True)
            there = _offered(State(self.game, drawn))
        except PlayError:
            pass  # its moves differ, too
        differ = here.keys() ^ there.keys()
        if differ:
            every = there | here
            self._leaked(next(option for move, option in every.items() if move in differ))

    def _leaked(self, option: str) -> None:
        options = (each for choice in self.game.checked.choices.values() for each in choice.options)
        found = next(each for each in options if each.key == option)
        conditions = (found.guard, *(each.where for each in found.binders), *found.forbids)
        asked = [each.span for each in conditions if each is not None]
        span = asked[0] if len(asked) == 1 else found.span
        message = f"the moves of `{found.name}` tell their player something hidden"
        help = (
            "ask only for what the player knows, such as the number of cards",
            "or show it before the choice: `reveal(c, p)`",
        )
        leak = Diagnostic("hidden-moves", message, span, help=help, severity=Severity.WARNING)
        self.seen.leaks.setdefault(fault_key(leak.slug, message, span), leak)

    def _note(self, trial: Trial, *, finish: bool) -> None:
        playout, places = trial.told(self.sitting.seed, self.moves, finish=finish)
        self.seen.signs.update(("ran", *place) for place in places)
        gains = zip(self.game.sources, playout.gains if playout else (), strict=False)
        self.seen.signs.update(sign("given", source) for source, seats in gains if any(seats))


def _offered(state: State) -> dict[str, str]:
    decision = state.position.decision
    candidates = decision.candidates if decision is not None else ()
    return {str(move): each.option for move, each in zip(state.moves(), candidates, strict=True)}


SHRINKINGS = 300
"""The number of other games to try for each fault."""


def shrunk(fault: FailedGame) -> FailedGame:
    """Return the shortest game found that fails in the same way.

    Random moves are tried from random positions of the shortest game known. A game that failed when
    it was ended early is not shrunk.
    """
    if fault.ending or len(fault.moves) < 2:
        return fault
    trial, luck = trial_of(_game(fault), fault.sitting.players), Rng.seeded(0)
    moves = fault.moves
    for _ in range(SHRINKINGS):
        kept = luck.below(len(moves))
        found = _failing(trial, fault, moves[:kept], len(moves) - 1, luck)
        if found is not None:
            moves = found
        if len(moves) == 1:
            break
    return replace(fault, moves=moves)


def _failing(
    trial: Trial, fault: FailedGame, first: Sequence[int], most: int, luck: Rng
) -> tuple[int, ...] | None:
    """Return a game of at most `most` moves that starts with `first` and fails in the same way."""
    position, moves = trial.start(fault.sitting.seed), list[int]()
    while len(moves) < most and (weights := position.outlook.weights):
        known = len(moves) < len(first)
        moves.append(first[len(moves)] if known else luck.weighted(list(weights)))
        try:
            position.play(moves[-1])
        except PlayError as error:
            same = fault_key(error.slug, error.message, error.span) == fault.key
            return tuple(moves) if same else None
    return None


def record(fault: FailedGame) -> str:
    """Return the game of a fault as a record that ends with the failing move."""
    game, text = _game(fault), StringIO()
    sitting = fault.sitting
    recorder = Recorder(text, Header.of(game, sitting.players, sitting.seed))
    if fault.moves:
        state = State(game, trial_of(game, sitting.players).start(sitting.seed))
        for number, index in enumerate(fault.moves, 1):
            mover, move = state.mover, state.moves()[index]
            assert mover is not None, "a move was played here"
            recorder.move(mover, move)
            if number < len(fault.moves):
                state.play(move)
    return text.getvalue()


def _game(fault: FailedGame) -> Game:
    sitting = fault.sitting
    return load_game(sitting.main, sitting.expansions, dict(sitting.settings), sitting.paths)
