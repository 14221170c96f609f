"""Random games of a ruleset with its expansions, to see what never happens in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field

from rulesdsl.audit.unplayed import Sign, Subject, asked, given, offered, ran, subjects
from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.model.checked import Checked, Node
from rulesdsl.model.sources import sources
from rulesdsl.pipeline.covering import covering
from rulesdsl.play import Game, PlayError, load
from rulesdsl.processes import cores, processes
from rulesdsl.read.load import extensions_of, ids_of
from rulesdsl.run.playouts import seeds_of
from rulesdsl.run.reference import Account
from rulesdsl.run.rng import Rng

ROUNDS = 4
"""So many choices of settings are played with each set of expansions, the given ones first."""

TRIES = 5
"""So many draws of settings are tried: some settings make no game together."""

FEW = 2
"""So many games are played sooner than other processes are started."""

MOVES = 600
"""After so many moves a game is ended: players who play at random may take very long."""


@dataclass(frozen=True)
class Table:
    """Games with one set of expansions: their numbers among all games of a seed. In a `round` above
    0 settings that are not given are drawn."""

    main: str
    expansions: tuple[str, ...]
    settings: Mapping[str, int | bool | str]
    paths: tuple[str, ...]
    seed: int
    round: int
    games: tuple[int, ...]


@dataclass
class Seen:
    """What was seen in games: the subjects of rulesets that were on, signs of them, what stopped a
    game; and how many there were."""

    subjects: dict[tuple[str, str, str, int], Subject] = field(default_factory=dict)
    signs: set[Sign] = field(default_factory=set)
    faults: list[Diagnostic] = field(default_factory=list)
    games: int = 0

    def add(self, other: Seen) -> None:
        """What was seen elsewhere, too."""
        self.subjects |= other.subjects
        self.signs |= other.signs
        self.faults += other.faults
        self.games += other.games

    def findings(self) -> tuple[Diagnostic, ...]:
        """What stopped games, and what was never seen; what lies in something that was not seen
        goes with that."""
        missed = (
            each.finding(self.games)
            for each in self.subjects.values()
            if not each.signs & self.signs and (not each.inside or each.inside & self.signs)
        )
        return (*self.faults, *sorted(missed, key=lambda found: found.sort_key))


def tables(
    main: str,
    expansions: Sequence[str],
    settings: Mapping[str, int | bool | str],
    paths: Sequence[str],
    games: int,
    seed: int,
) -> list[Table]:
    """So many games, spread over sets of the expansions (or of all that are found to extend `main`
    if none is named): of any two there are games with both, with either and with neither, if there
    are games enough for that."""
    named = ids_of(expansions) or extensions_of(main, paths=paths)
    ways = dict(zip(ids_of(expansions), expansions, strict=True))
    sets = list(dict.fromkeys(covering(named)))
    rounds = len(sets) * ROUNDS
    return [
        Table(
            main,
            tuple(ways.get(id, id) for id in sets[number % len(sets)]),
            settings,
            tuple(paths),
            seed,
            number // len(sets),
            tuple(range(number, games, rounds)),
        )
        for number in range(min(games, rounds))
    ]


def play(given: Sequence[Table]) -> Seen:
    """Play them on all cores; what was seen in all of them."""
    seen, jobs = Seen(), min(cores(), len(given))
    alone = jobs < 2 or sum(len(table.games) for table in given) <= FEW
    for each in map(play_table, given) if alone else _spread(given, jobs):
        seen.add(each)
    return seen


def _spread(given: Iterable[Table], jobs: int) -> Iterator[Seen]:
    with processes(jobs) as pool:
        try:
            yield from pool.map(play_table, given)
        except BrokenProcessPool:
            message = "a process that played games has died"
            raise RulesError([Diagnostic("games-stopped", message)]) from None


def play_table(table: Table) -> Seen:
    """Play the games of one set; none if it cannot be played, and the reasons are what stops it."""
    seen = Seen()
    try:
        game = _loaded(table)
    except RulesError as error:
        seen.faults += error.diagnostics
        return seen
    of = frozenset(_told_of(game, table))
    seen.subjects = {each.key: each for each in subjects(game.checked, of)}
    for number in table.games:
        _play_game(game, table, number, seen)
    return seen


def _loaded(table: Table) -> Game:
    """The game of a table, with settings of its round if any of those that are tried make one."""
    game = _load(table, table.settings)
    given = {name.rpartition(".")[2] for name in table.settings}
    free = [each for each in game.checked.game.settings if each.name not in given]
    for attempt in range(TRIES if table.round and free else 0):
        luck = Rng.seeded(table.seed, table.round * TRIES + attempt)
        drawn = {
            f"{each.ruleset}.{each.name}": each.values[luck.below(len(each.values))]
            for each in free
        }
        with suppress(RulesError):
            return _load(table, {**drawn, **table.settings})
    return game


def _load(table: Table, settings: Mapping[str, int | bool | str]) -> Game:
    return load(table.main, table.expansions, settings, "reference", paths=table.paths)


def _told_of(game: Game, table: Table) -> Iterator[str]:
    """The rulesets that are told of: what was named, and the interactions that come with it."""
    named = {*ids_of([table.main]), *ids_of(table.expansions)}
    yield from named
    for ruleset in game.checked.game.rulesets:
        if named & {party.name for party in ruleset.interaction}:
            yield ruleset.id


def _play_game(game: Game, table: Table, number: int, seen: Seen) -> None:
    """Play one game to its end, or until it stops."""
    players = game.players[number % len(game.players)]
    seen.games += 1
    try:
        _to_the_end(game.checked, players, seeds_of(table.seed, number), seen.signs)
    except PlayError as error:
        where = _where(game, table, number, players)
        seen.faults.append(Diagnostic(error.slug, error.message, error.span, help=(where,)))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        message = f"a fault of this program stopped a game: {what}"
        help = (_where(game, table, number, players), "please report it, with your rulesets")
        seen.faults.append(Diagnostic("games-stopped", message, help=help))


def _where(game: Game, table: Table, number: int, players: int) -> str:
    on = ", ".join(info.id for info in game.rulesets)
    chosen = ", ".join(f"{name}={value}" for name, value in game.settings.items())
    told = f"in random game {number} of seed {table.seed}: {players} players, with {on}"
    return f"{told}; {chosen}" if chosen else told


def _to_the_end(checked: Checked, players: int, seeds: tuple[int, int], signs: set[Sign]) -> None:
    chance, drawn = seeds

    def watch(node: Node, _: bool) -> None:
        signs.add(ran(node))

    account, luck = Account(checked, players, chance, watch), Rng.seeded(drawn)
    position = account.position
    for _ in range(MOVES):
        decision = position.decision
        if decision is None:
            break
        signs.add(asked(decision.choice))
        signs.update(offered(each.option) for each in decision.candidates)
        account.play(luck.weighted([each.weight for each in decision.candidates]))
    if position.decision is not None:
        position.finish()
    gains = zip(sources(checked).names, account.result().gains, strict=True)
    signs.update(given(source) for source, seats in gains if any(seats))
