"""Random games of a ruleset with its expansions, to see what never happens in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from io import StringIO

from rulesdsl.deadline import Deadlines, OutOfTime, active, under
from rulesdsl.diagnostics import Diagnostic, RulesError, Severity, Span
from rulesdsl.model import nodes
from rulesdsl.model.checked import ActionDef, Checked, ChoiceDef, Hooks, Node, OptionDef
from rulesdsl.model.game import EnumDef
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Node as Data
from rulesdsl.model.nodes import Scalar
from rulesdsl.model.sources import enum_given, member_source, sources
from rulesdsl.pipeline import Memory, remembering
from rulesdsl.pipeline.subsets import covering
from rulesdsl.play import Game, Move, PlayError, State, load
from rulesdsl.play.bots import bot_maker
from rulesdsl.play.records import Header, Recorder
from rulesdsl.processes import Workers, cores
from rulesdsl.read.load import extensions_of, ids_of
from rulesdsl.run.engine import Trial
from rulesdsl.run.engines import engine_of, playable
from rulesdsl.run.playouts import seeds_of
from rulesdsl.run.rng import Rng

Sign = tuple[str, str, int]
"""What is seen of something: `ran`, a file, where in it; `asked`, `offered` or `given`, a key."""


def ran(node: Node) -> Sign:
    """That something runs."""
    return "ran", node.span.source.name, node.span.start


def asked(choice: str) -> Sign:
    """That a choice is asked for."""
    return "asked", choice, 0


def offered(option: str) -> Sign:
    """That an option is offered."""
    return "offered", option, 0


def given(source: str) -> Sign:
    """That points are given or taken."""
    return "given", source, 0


@dataclass(frozen=True)
class Subject:
    """Something that can be seen: by any of its `signs`, if any of `inside` is seen (which stands
    for it otherwise; empty: always); what to say at `span` if it is not."""

    slug: str
    message: str
    span: Span
    signs: frozenset[Sign]
    inside: frozenset[Sign] = frozenset()

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The same for it in every game."""
        return self.slug, self.message, self.span.source.name, self.span.start

    def finding(self, games: int) -> Diagnostic:
        """Return the warning that it was not seen in so many games."""
        many = "1 random game" if games == 1 else f"{games} random games"
        help = ("show it in a scenario, or allow it here", "more games may bring it about")
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
    """All that could be seen of what these rulesets (ids) write."""
    files = {
        ruleset.rules.name
        for ruleset in checked.game.rulesets
        if ruleset.rules is not None and ruleset.id in rulesets
    }
    found = (*_values(checked), *_actions(checked), *_choices(checked))
    always = (_runs(rule, "this `always` never ran") for rule in checked.always)
    yield from (each for each in (*found, *always) if each.span.source.name in files)
    yield from _points(checked, rulesets)


def _runs(node: Node, message: str, inside: frozenset[Sign] = frozenset()) -> Subject:
    return Subject("never-ran", message, node.span, frozenset({ran(node)}), inside)


def _values(checked: Checked) -> Iterator[Subject]:
    for key, value in checked.values.items():
        if key in checked.actions:
            continue
        guards = (rule.guard for rule in value.rules if rule.guard is not None)
        every = frozenset(map(ran, (*value.rules, *guards)))
        name = f"`{short_name(value.key)}`"
        if every:
            yield Subject("never-ran", f"nobody asked for {name}", value.span, every)
        yield from (_runs(rule, f"this rule of {name} never ran", every) for rule in value.rules)


def _actions(checked: Checked) -> Iterator[Subject]:
    for action in checked.actions.values():
        name, own = f"`{short_name(action.key)}`", frozenset({ran(action)})
        hooks = frozenset(map(ran, _every(action.hooks)))
        # What takes its place runs without it.
        yield Subject("never-ran", f"{name} never ran", action.span, own | hooks)
        for rule in action.requires:
            yield _runs(rule, f"this requirement of {name} was never looked at", own)
        yield from _hooks(action, name, own | hooks)


def _hooks(
    on: ActionDef | ChoiceDef | OptionDef, name: str, inside: frozenset[Sign]
) -> Iterator[Subject]:
    for hook in _every(on.hooks):
        yield _runs(hook, f"this hook on {name} never ran", inside)


def _every(hooks: Hooks) -> tuple[Node, ...]:
    return (*hooks.arounds, *hooks.befores, *hooks.afters)


def _choices(checked: Checked) -> Iterator[Subject]:
    for choice in checked.choices.values():
        name, here = f"`{short_name(choice.key)}`", frozenset({asked(choice.key)})
        met = here | {ran(choice)}
        yield Subject("never-offered", f"nobody was asked for {name}", choice.span, met)
        yield from _hooks(choice, name, met)
        for option in choice.options:
            own = frozenset({offered(option.key)})
            message = f"`{option.name}` was never possible"
            yield Subject("never-offered", message, option.span, own, met)
            yield from _hooks(option, f"`{option.name}`", own)
            for forbid in option.forbids:
                yield _runs(forbid, f"this veto on `{option.name}` never applied", met)


def _points(checked: Checked, rulesets: frozenset[str]) -> Iterator[Subject]:
    """The sources of points, each where it is named: an enum's member, an action or a choice."""
    places: dict[str, tuple[str, Span, frozenset[Sign]]] = {
        key: (key.partition("/")[0], node.span, frozenset({ran(node), asked(key)}))
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
            message = f"no points were given for `{short_name(source)}`"
            yield Subject("never-given", message, span, frozenset({given(source)}), inside)


def _member(checked: Checked, enum: EnumDef, member: str, origin: str) -> Span:
    """Where a ruleset names a member of an enum."""
    (ruleset,) = (each for each in checked.game.rulesets if each.id == origin)
    sections = (ruleset.manifest.get("enums"), ruleset.manifest.get("extend"))
    for section in sections:
        for key, node in section if isinstance(section, nodes.Mapping) else ():
            if _NAME.findall(str(key.value))[-1:] == [enum.name]:
                found = next(_named(node, member), None)
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
"""So many choices of settings are tried for each set of expansions, the defaults among them: making
a game takes as long as playing it several times."""

SHARED = 8
"""At most so many games share a choice of settings: with more games there are more choices."""

TRIES = 5
"""So many draws of settings are tried for a game: some settings make no game together."""

FEW = 2
"""So many games are played sooner than other processes are started."""

MOVES = 600
"""After so many moves a game is ended: players who play at random may take very long."""

GREEDY = 10
"""One in so many games has a greedy player, who completes what random players leave open."""

REMEMBERED = 2
"""So many checked games are kept in memory: the same ones are played one after the other."""

STREAMS = 1 << 40
"""So far apart are streams of chance for choices of settings, and from those of games."""

Value = int | bool | str
Settings = Mapping[str, Value]
SubjectKey = tuple[str, str, str, int]
FaultKey = tuple[str, str, int]


@dataclass(frozen=True)
class Table:
    """Game `number` of a seed with one set of expansions, which `place` numbers.

    In `draw` 0 settings that are not given keep their defaults, in the others they are drawn. Games
    with the same place and draw are the same game, for the same number of players.
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
        """The same for the same game."""
        return self.place, self.draw


@dataclass(frozen=True)
class Sitting:
    """A game that can be played again, by `rulesdsl run` as well: `settings` are all that differ
    from their defaults, `seed` that of chance and of the bots, which are named by seat."""

    main: str
    expansions: tuple[str, ...]
    settings: tuple[tuple[str, int | bool | str], ...]
    paths: tuple[str, ...]
    seed: int
    bots: tuple[str, ...]

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.bots)


@dataclass(frozen=True)
class Fault:
    """A game that was stopped: the finding, the game, and the candidates that were played in it,
    with the one that failed as the last. `table` is the game among the random ones, `ending` says
    that it failed only when it was ended after `MOVES` moves."""

    finding: Diagnostic
    sitting: Sitting
    table: Table
    moves: tuple[int, ...]
    ending: bool = False
    games: int = 1

    @property
    def key(self) -> FaultKey:
        """The same for the same fault of other games."""
        return fault_key(self.finding.slug, self.finding.message, self.finding.span)


def fault_key(slug: str, message: str, span: Span | None) -> FaultKey:
    """Return what identifies a fault: its place, as messages have values of one game in them, or
    its message without one."""
    return (slug, span.source.name, span.start) if span else (slug, message, -1)


@dataclass
class Seen:
    """What was seen in games: the subjects of rulesets that were on, signs of them, games that were
    stopped, by what stopped them, games that could not be begun; and how many there were."""

    subjects: dict[SubjectKey, Subject] = field(default_factory=dict)
    signs: set[Sign] = field(default_factory=set)
    faults: dict[FaultKey, Fault] = field(default_factory=dict)
    refused: list[Diagnostic] = field(default_factory=list)
    games: int = 0

    def add(self, other: Seen) -> None:
        """Add what was seen elsewhere.

        Of games with the same fault the shortest is kept.
        """
        self.subjects |= other.subjects
        self.signs |= other.signs
        for fault in other.faults.values():
            self.stopped(fault)
        self.refused += other.refused
        self.games += other.games

    def stopped(self, fault: Fault) -> None:
        """Note a game that was stopped."""
        known = self.faults.get(fault.key)
        if known is not None:
            shorter = min(known, fault, key=lambda each: (len(each.moves), each.table.number))
            fault = replace(shorter, games=known.games + fault.games)
        self.faults[fault.key] = fault

    def missed(self) -> tuple[Diagnostic, ...]:
        """What was never seen; what lies in something that was not seen goes with that."""
        missed = (
            each.finding(self.games)
            for each in self.subjects.values()
            if not each.signs & self.signs and (not each.inside or each.inside & self.signs)
        )
        return tuple(sorted(missed, key=lambda found: found.sort_key))


def tables(
    main: str,
    expansions: Sequence[str],
    settings: Settings,
    paths: Sequence[str],
    games: int,
    seed: int,
) -> list[Table]:
    """So many games, spread over sets of the expansions (or of all that are found to extend `main`
    if none is named): of any two there are games with both, with either and with neither, if there
    are games enough for that."""
    named = ids_of(expansions) or extensions_of(main, paths=paths)
    ways = dict(zip(ids_of(expansions), expansions, strict=True))
    sets = [tuple(ways.get(id, id) for id in each) for each in dict.fromkeys(covering(named))]
    rounds = -(-games // len(sets))
    draws = max(DRAWS, -(-rounds // SHARED))
    found = list[Table]()
    for number in range(games):
        round, place = divmod(number, len(sets))
        shared = (main, sets[place], settings, tuple(paths), seed)
        found.append(Table(*shared, place, round % draws, number))
    return found


def play(tables: Sequence[Table]) -> Iterator[Seen]:
    """Play these games on all cores and yield what was seen in each.

    The same games follow each other in one process. Raises WorkerLost if a process is lost, and
    OutOfTime.
    """
    same: dict[tuple[int, int], list[Table]] = {}
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


Played = tuple[list[Seen], OutOfTime | None]
"""What was seen in some games, and what has stopped the next one."""


def _given(played: Played) -> Iterator[Seen]:
    yield from played[0]
    if played[1] is not None:
        raise played[1]


def play_tables(tables: Sequence[Table], deadlines: Deadlines = ()) -> Played:
    """Play games that are the same game under these deadlines."""
    found = list[Seen]()
    with under(*deadlines), remembering(_memory()):
        try:
            ready = _Ready(tables[0])
            for table in tables:
                found.append(ready.played(table))
        except OutOfTime as stop:
            return found, stop
    return found, None


class _Ready:
    """The game of some tables, loaded and compiled once.

    None if it cannot be played, and the reasons are what stops it.
    """

    def __init__(self, table: Table) -> None:
        self._trial: Trial | None = None
        self._game: Game | None = None
        self._refused: tuple[Diagnostic, ...] = ()
        self._subjects: dict[SubjectKey, Subject] = {}
        try:
            self._game = _loaded(table)
        except RulesError as error:
            self._refused = error.diagnostics
            return
        of = frozenset(_judged(self._game, table))
        self._subjects = {each.key: each for each in subjects(self._game.checked, of)}

    def played(self, table: Table) -> Seen:
        """What is seen in one game."""
        seen = Seen(dict(self._subjects), refused=list(self._refused))
        if self._game is not None:
            _Played(self._game, table, _sitting(self._game, table), seen).play(self._trial_for)
        return seen

    def _trial_for(self, game: Game, players: int) -> Trial:
        if self._trial is None:
            self._trial = trial_of(game, players)
        return self._trial


@cache
def _memory() -> Memory:
    """What this process knows of files."""
    return Memory(REMEMBERED)


def load_game(
    main: str, expansions: Sequence[str], settings: Settings, paths: Sequence[str]
) -> Game:
    """Return the game, for the fastest engine that is installed."""
    engine, _ = playable("wasm")
    return load(main, expansions, settings, engine, paths=paths)


def trial_of(game: Game, players: int) -> Trial:
    """Return the game made ready for few plays."""
    return engine_of(game.engine).trial(game.checked, players)


def _loaded(table: Table) -> Game:
    """The game of a table, with drawn settings if any of those that are tried make a game: first
    values of which each has its turn, then any."""
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


def _judged(game: Game, table: Table) -> Iterator[str]:
    """The rulesets whose rules are looked for: what was named, and the interactions that come with
    it."""
    named = {*ids_of([table.main]), *ids_of(table.expansions)}
    yield from named
    for ruleset in game.checked.game.rulesets:
        if named & {party.name for party in ruleset.parties}:
            yield ruleset.id


def _sitting(game: Game, table: Table) -> Sitting:
    """Choose the players of a game.

    Numbers of players take turns.
    """
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
    """One game, and what is seen in it."""

    def __init__(self, game: Game, table: Table, sitting: Sitting, seen: Seen) -> None:
        self.game, self.table, self.sitting, self.seen = game, table, sitting, seen
        self.moves: list[int] = []
        self.ending = False

    def play(self, ready: Callable[[Game, int], Trial]) -> None:
        """Play the game to its end, or until it stops; `ready` makes it ready to be played."""
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
        self.seen.stopped(Fault(finding, self.sitting, self.table, moves, self.ending))

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
            self.seen.signs.add(asked(decision.choice))
            self.seen.signs.update(offered(each.option) for each in decision.candidates)
            move = bots[mover].decide(state)
            self.moves.append(_index(state, move))
            state.play(move)
        self.ending = state.mover is not None
        if self.ending:
            state.finish()
        self._note(trial, finish=self.ending)

    def _note(self, trial: Trial, *, finish: bool) -> None:
        """Note which rules have run, and which points were given."""
        playout, places = trial.told(self.sitting.seed, self.moves, finish=finish)
        self.seen.signs.update(("ran", *place) for place in places)
        gains = zip(self.game.sources, playout.gains if playout else (), strict=False)
        self.seen.signs.update(given(source) for source, seats in gains if any(seats))


def _index(state: State, move: Move) -> int:
    return state.moves().index(move)


SHRINKINGS = 300
"""So many other games are tried for each fault."""


def shrunk(fault: Fault) -> Fault:
    """The shortest game that was found to fail in the same way, by random moves from somewhere in
    the shortest one known. What fails when a game is ended early is not shrunk."""
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
    trial: Trial, fault: Fault, first: Sequence[int], most: int, luck: Rng
) -> tuple[int, ...] | None:
    """Return a game of `most` moves or less that begins with some and fails in the same way."""
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


def record(fault: Fault) -> str:
    """Return the game of a fault as a record, which ends with the move that fails."""
    game, text = _game(fault), StringIO()
    sitting = fault.sitting
    recorder = Recorder(text, Header.of(game, sitting.players, sitting.seed))
    if fault.moves:
        state = State(game, trial_of(game, sitting.players).start(sitting.seed))
        for index in fault.moves[:-1]:
            _record(recorder, state, index)
            state.play(state.moves()[index])
        _record(recorder, state, fault.moves[-1])
    return text.getvalue()


def _record(recorder: Recorder, state: State, index: int) -> None:
    assert state.mover is not None, "a move was played here"
    recorder.move(state.mover, state.moves()[index])


def _game(fault: Fault) -> Game:
    sitting = fault.sitting
    return load_game(sitting.main, sitting.expansions, dict(sitting.settings), sitting.paths)
