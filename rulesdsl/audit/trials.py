"""Random games of a ruleset with its expansions, to see what never happens in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial

from rulesdsl.audit.unplayed import Sign, Subject, asked, given, offered, subjects
from rulesdsl.deadline import Deadlines, OutOfTime, active, under
from rulesdsl.diagnostics import Diagnostic, RulesError, Span
from rulesdsl.pipeline import Memory, remembering
from rulesdsl.pipeline.covering import covering
from rulesdsl.play import Game, Move, PlayError, State, load
from rulesdsl.play.bots import bot_maker
from rulesdsl.processes import Workers, cores
from rulesdsl.read.load import extensions_of, ids_of
from rulesdsl.run.engine import Trial
from rulesdsl.run.engines import engine_of, playable
from rulesdsl.run.playouts import seeds_of
from rulesdsl.run.rng import Rng

TRIES = 5
"""So many draws of settings are tried for a game: some settings make no game together."""

FEW = 2
"""So many games are played sooner than other processes are started."""

MOVES = 600
"""After so many moves a game is ended: players who play at random may take very long."""

GREEDY = 10
"""One in so many games has a greedy player, who completes what random players leave open."""

REMEMBERED = 2
"""So many checked games are kept in memory: nearly every game is another one."""

Settings = Mapping[str, int | bool | str]
FaultKey = tuple[str, str, int]


@dataclass(frozen=True)
class Table:
    """Game `number` of a seed with one set of expansions. In `round` 0 settings that are not given
    keep their defaults, in later rounds they are drawn. `place` numbers the set of expansions."""

    main: str
    expansions: tuple[str, ...]
    settings: Settings
    paths: tuple[str, ...]
    seed: int
    round: int
    place: int
    number: int


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

    subjects: dict[tuple[str, str, str, int], Subject] = field(default_factory=dict)
    signs: set[Sign] = field(default_factory=set)
    faults: dict[FaultKey, Fault] = field(default_factory=dict)
    refused: list[Diagnostic] = field(default_factory=list)
    games: int = 0

    def add(self, other: Seen) -> None:
        """Add what was seen elsewhere. Of games with the same fault the shortest is kept."""
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
    return [
        Table(
            main,
            sets[number % len(sets)],
            settings,
            tuple(paths),
            seed,
            number // len(sets),
            number % len(sets),
            number,
        )
        for number in range(games)
    ]


def play(tables: Sequence[Table]) -> Iterator[Seen]:
    """Play these games on all cores and yield what was seen in each. Raises WorkerLost if a process
    is lost."""
    jobs = min(cores(), len(tables))
    play_one = partial(play_table, deadlines=active())
    if jobs < 2 or len(tables) <= FEW:
        yield from map(play_one, tables)
        return
    with Workers(play_one, jobs) as workers:
        for _, seen in workers.unordered(tables):
            yield seen


def play_table(table: Table, deadlines: Deadlines = ()) -> Seen:
    """Play one game under these deadlines; none if it cannot be played, and the reasons are what
    stops it."""
    with under(*deadlines), remembering(_memory()):
        seen = Seen()
        luck = Rng.seeded(table.seed, table.number)
        try:
            game = _loaded(table, luck)
        except RulesError as error:
            seen.refused += error.diagnostics
            return seen
        of = frozenset(_judged(game, table))
        seen.subjects = {each.key: each for each in subjects(game.checked, of)}
        _Played(game, table, _sitting(game, table, luck), seen).play()
        return seen


@cache
def _memory() -> Memory:
    """What this process knows of files."""
    return Memory(REMEMBERED)


def load_game(
    main: str, expansions: Sequence[str], settings: Settings, paths: Sequence[str]
) -> Game:
    """The game, for the fastest engine that is installed."""
    engine, _ = playable("wasm")
    return load(main, expansions, settings, engine, paths=paths)


def trial_of(game: Game, players: int) -> Trial:
    """The game made ready for few plays."""
    return engine_of(game.engine).trial(game.checked, players)


def _loaded(table: Table, luck: Rng) -> Game:
    """The game of a table, with drawn settings if any of those that are tried make a game."""
    game = load_game(table.main, table.expansions, table.settings, table.paths)
    given = {name.rpartition(".")[2] for name in table.settings}
    free = [each for each in game.checked.game.settings if each.name not in given]
    for _ in range(TRIES if table.round and free else 0):
        drawn = {
            f"{each.ruleset}.{each.name}": each.values[luck.below(len(each.values))]
            for each in free
        }
        with suppress(RulesError):
            chosen = {**drawn, **table.settings}
            return load_game(table.main, table.expansions, chosen, table.paths)
    return game


def sitting_of(table: Table) -> Sitting:
    """The game of a table as it can be played again. Raises RulesError."""
    luck = Rng.seeded(table.seed, table.number)
    return _sitting(_loaded(table, luck), table, luck)


def _judged(game: Game, table: Table) -> Iterator[str]:
    """The rulesets whose rules are looked for: what was named, and the interactions that come with
    it."""
    named = {*ids_of([table.main]), *ids_of(table.expansions)}
    yield from named
    for ruleset in game.checked.game.rulesets:
        if named & {party.name for party in ruleset.parties}:
            yield ruleset.id


def _sitting(game: Game, table: Table, luck: Rng) -> Sitting:
    """Choose the players of a game. Numbers of players take turns."""
    counts = game.players
    bots = ["random"] * counts[(table.round + table.place) % len(counts)]
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

    def play(self) -> None:
        """Play the game to its end, or until it stops."""
        self.seen.games += 1
        try:
            trial = trial_of(self.game, self.sitting.players)
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
