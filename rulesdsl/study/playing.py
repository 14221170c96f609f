"""The games of a study: which they are, and how they are played.

They are played in this thread, in threads, in processes, or on a Dask cluster. Results are kept
column by column: small to send and to keep, and quick to add up.
"""

from __future__ import annotations

import hashlib
import json
import runpy
import socket
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import ThreadPoolExecutor as Threads
from dataclasses import field
from functools import cached_property, lru_cache, partial
from itertools import islice
from math import inf
from time import perf_counter
from urllib.parse import urlsplit

from rulesdsl.base.deadline import Deadline, Deadlines, active, under
from rulesdsl.base.processes import WorkerLost, Workers
from rulesdsl.base.processes import cores as cores
from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import Playout
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.language.diagnostics.report import visible
from rulesdsl.language.model.flow import member_source
from rulesdsl.play import Game, load
from rulesdsl.play.bots import Bot, bot_maker

RANDOM = "random"
FAST_BLOCK, SLOW_BLOCK = 1000, 50
"""The number of random games that are stored at a time, inside of a module and outside."""


@dataclass(frozen=True)
class Variant:
    """A way to play: a unique `name`, expansions, and `settings` as pairs of a name and a value.

    `version` is the path of another version of the ruleset, empty for the ruleset of the study.
    """

    name: str
    expansions: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    version: str = ""


@dataclass(frozen=True)
class NumberKind:
    """The meaning of the numbers of a variant's games.

    `digest` is that of the game, `sources` are the sources of points by name, `labels` those in
    words, `owners` the rulesets that declare them, and `rulesets` the rulesets with their versions,
    first the one that extends no other. `points` says whether the game has points, `fewest`
    whether the fewest win.
    """

    digest: str
    sources: tuple[str, ...]
    labels: tuple[str, ...]
    owners: tuple[str, ...]
    rulesets: tuple[str, ...]
    points: bool
    fewest: bool

    @property
    def root(self) -> str:
        """The id of the ruleset that extends no other."""
        return self.rulesets[0].partition(" ")[0]


@dataclass(frozen=True)
class Study:
    """Games 0 to `games - 1` of a seed, each played in all variants.

    All variants are compared with the first. `bots` has a name for each seat: in game k, seat s is
    played by `bots[(s + k) % players]`. A pickled study is all that another process or machine
    needs. `paths` are the folders in which rulesets are looked up; `kinds` belong to `variants`.
    """

    ruleset: str
    variants: tuple[Variant, ...]
    kinds: tuple[NumberKind, ...]
    colours: tuple[str, ...]
    bots: tuple[str, ...]
    seed: int
    games: int
    engine: str
    paths: tuple[str, ...] = field(default=())

    @property
    def players(self) -> int:
        return len(self.bots)

    @property
    def at_random(self) -> bool:
        """True if all players play at random; whole games then run inside of the engine."""
        return set(self.bots) == {RANDOM}

    @property
    def block(self) -> int:
        """The number of games that are stored at a time."""
        if not self.at_random:
            return self.players
        return FAST_BLOCK if self.engine == "wasm" else SLOW_BLOCK

    @cached_property
    def parameters(self) -> dict[str, object]:
        """The parameters that determine game k, without the number of games and the engine."""
        return {
            "ruleset": self.ruleset,
            "players": self.players,
            "bots": list(self.bots),
            "seed": self.seed,
            "variants": [
                {
                    "name": variant.name,
                    "with": list(variant.expansions),
                    "set": dict(variant.settings),
                    "rulesets": list(kind.rulesets),
                    "digest": kind.digest,
                }
                for variant, kind in zip(self.variants, self.kinds, strict=True)
            ],
        }

    @cached_property
    def digest(self) -> str:
        """The SHA-256 (hex) of the parameters."""
        text = json.dumps(self.parameters, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def blocks(self, done: Iterable[range] = ()) -> Iterator[range]:
        """Yield the games in blocks that are stored at a time, without those in `done`."""
        at, size = 0, self.block
        for there in sorted(done, key=lambda each: each.start):
            yield from _stretches(range(at, min(there.start, self.games)), size)
            at = max(at, there.stop)
        yield from _stretches(range(at, self.games), size)


def _stretches(games: range, size: int) -> Iterator[range]:
    """Yield the games in stretches that end at multiples of a size."""
    at = games.start
    while at < games.stop:
        end = min(games.stop, (at // size + 1) * size)
        yield range(at, end)
        at = end


def study_of(
    ruleset: str,
    variants: Sequence[Variant],
    *,
    players: int | None = None,
    bots: Sequence[str] = (RANDOM,),
    seed: int = 0,
    games: int = 1000,
    engine: str = "wasm",
    paths: Sequence[str] = (),
) -> Study:
    """Return a study of these games; a single bot plays all seats.

    Raises RulesError for rulesets that cannot be played, and ValueError for numbers that do not fit
    together.
    """
    found = [load_variant(ruleset, variant, engine, tuple(paths)) for variant in variants]
    counts = {
        game.seats(players if players is not None else found[0].seats(None)) for game in found
    }
    (count,) = counts
    if games < 1:
        raise ValueError(f"{games} games cannot be played; play at least one")
    names = tuple(bots) * count if len(bots) == 1 else tuple(bots)
    if len(names) != count:
        raise ValueError(f"{len(names)} bots are named for {count} players")
    return Study(
        ruleset,
        tuple(variants),
        tuple(map(_kind, found)),
        found[0].colours[:count],
        names,
        seed,
        games,
        found[0].engine,
        tuple(paths),
    )


def load_variant(ruleset: str, variant: Variant, engine: str, paths: tuple[str, ...]) -> Game:
    """Return the game of a variant."""
    settings = dict[str, int | bool | str](variant.settings)
    return load(variant.version or ruleset, variant.expansions, settings, engine, paths=paths)


def _kind(game: Game) -> NumberKind:
    """Return the meaning of a game's numbers; each member of an enum is of who adds it."""
    owners = {
        member_source(enum.key, member): origin
        for enum in game.checked.game.enums
        for member, origin in zip(enum.members, enum.origins, strict=True)
    }
    return NumberKind(
        game.digest,
        game.sources,
        tuple(game.labels(source, "en", count=2) for source in game.sources),
        tuple(owners.get(source, source.partition("/")[0]) for source in game.sources),
        tuple(f"{each.id} {each.version}" for each in game.rulesets),
        bool(game.checked.score),
        game.checked.game.roles.fewest,
    )


OWN = ".py"
"""The ending of a file with a bot."""


def maker_of(text: str) -> Callable[[int, int], Bot]:
    """Return a function that makes a bot from a seed and a seat.

    `text` is the name of a bot, or the path of a Python file that defines such a function, `bot`.
    The file is run, so the user must have named it. Raises ValueError for anything else.
    """
    return _from_file(text) if text.endswith(OWN) else bot_maker(text)


@lru_cache(16)
def _from_file(path: str) -> Callable[[int, int], Bot]:
    try:
        found = runpy.run_path(path).get("bot")
    except OSError as error:
        raise ValueError(f"cannot read `{visible(path)}`: {error.strerror}") from None
    except Exception as error:
        reason = visible(f"{type(error).__name__}: {error}")
        raise ValueError(f"`{visible(path)}` fails when it is run: {reason}") from None
    if not callable(found):
        raise ValueError(f"`{visible(path)}` has no function `bot(seed, seat)` that makes a bot")
    maker: Callable[[int, int], Bot] = found
    return maker


# --- playing -------------------------------------------------------------------------------------


Columns = dict[str, "array[int]"]
"""Columns by name: those of `COUNTED`, `over`, `winners` (a mask of seats), `score.SEAT`, and
`gain.SOURCE.SEAT` in the order of sources."""

COUNTED = ("moves", "decisions", "options", "leads")


def names(players: int, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the names of all columns."""
    seats = range(players)
    return (
        *COUNTED,
        "over",
        "winners",
        *(score(seat) for seat in seats),
        *(gain(source, seat) for source in sources for seat in seats),
    )


def score(seat: int) -> str:
    """Return the name of the column with a seat's points."""
    return f"score.{seat}"


def gain(source: str, seat: int) -> str:
    """Return the name of the column with a seat's points from a source."""
    return f"gain.{source}.{seat}"


def columns_of(games: Iterable[Playout], players: int, sources: Sequence[str]) -> Columns:
    """Return the columns of games."""
    rows = [
        (
            *(game.moves, game.decisions, game.options, game.leads, game.over),
            sum(1 << seat for seat in game.winners),
            *game.scores,
            *(points for gained in game.gains for points in gained),
        )
        for game in games
    ]
    found = names(players, sources)
    turned = zip(*rows, strict=True) if rows else ((),) * len(found)
    return {name: array("q", column) for name, column in zip(found, turned, strict=True)}


class OtherRulesets(Exception):
    """An error for a place to play whose rulesets are not those of the study."""


def play_block(study: Study, games: range) -> tuple[Columns, ...]:
    """Return the columns of these games for each variant.

    Raises PlayError if a rule fails, and OtherRulesets if the rulesets found here are not those of
    the study.
    """
    return tuple(
        columns_of(_played(study, number, games), study.players, study.kinds[number].sources)
        for number in range(len(study.variants))
    )


def play_timed(
    study: Study, deadlines: Deadlines, games: range
) -> tuple[tuple[Columns, ...], float]:
    """Return the columns of `play_block` under these deadlines, and the seconds it took."""
    begun = perf_counter()
    with under(*deadlines):
        return play_block(study, games), perf_counter() - begun


def _played(study: Study, variant: int, games: range) -> list[Playout]:
    game = _game(study, variant)
    if study.at_random:
        return list(game.playouts(games, study.players, study.seed))
    return [play_with_bots(study, game, number) for number in games]


def play_with_bots(study: Study, game: Game, number: int) -> Playout:
    """Play game `number` with bots.

    Its chance has the first seed that `docs/reference/generator.md` gives it, and the bot in each
    seat has its stream of the second.
    """
    chance, luck = seeds_of(study.seed, number)
    count = study.players
    state = game.start(count, chance)
    bots = {
        colour: maker_of(study.bots[(seat + number) % count])(luck, seat)
        for seat, colour in enumerate(state.players)
    }
    moves = list[int]()
    while state.mover is not None:
        move = bots[state.mover].decide(state)
        moves.append(state.moves().index(move))
        state.play(move)
    return game.told(moves, count, chance)


@lru_cache(8)
def _game(study: Study, variant: int) -> Game:
    """Return the game of a variant, loaded once in each process."""
    game = load_variant(study.ruleset, study.variants[variant], study.engine, study.paths)
    if game.digest != study.kinds[variant].digest:
        raise OtherRulesets(
            f"the files of `{study.ruleset}` or its expansions differ on this machine"
        )
    return game


Block = tuple[range, tuple[Columns, ...]]
"""Games, and their columns by variant."""

Runner = Callable[[Study, Iterable[range]], Iterator[Block]]

Timed = tuple[range, tuple[Columns, ...], float]
"""Games, their columns by variant, and the seconds they took."""

AHEAD = 3
"""The number of blocks or portions in progress for each worker."""

PORTION = 0.1
"""The seconds that the games of a portion take, unless a single game takes longer.

If playing is interrupted, no more than that is lost of finished games.
"""


def local(jobs: int) -> Runner:
    """Return a runner that plays on this machine in `jobs` threads or processes.

    It uses threads if the engine lets them play in parallel, otherwise processes.
    """

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        portions = _Portions(blocks)
        found: Iterator[Timed]
        if study.at_random and study.engine == "wasm":
            # A thread even for one job, as this thread has to handle signals.
            found = _in_threads(study, portions, jobs)
        elif jobs == 1:
            found = ((games, *play_timed(study, (), games)) for games in portions)
        else:
            found = _in_processes(study, portions, jobs)
        for games, played, seconds in found:
            portions.took(len(games), seconds)
            yield games, played

    return run


class _Portions:
    """The games of blocks, in portions that depend on how long games take."""

    def __init__(self, blocks: Iterable[range]) -> None:
        self._blocks, self._size = blocks, 1

    def __iter__(self) -> Iterator[range]:
        for block in self._blocks:
            at = block.start
            while at < block.stop:
                end = min(at + self._size, block.stop)
                yield range(at, end)
                at = end

    def took(self, games: int, seconds: float) -> None:
        """Adapt the size of portions to the time that games have taken."""
        self._size = max(1, int(PORTION * games / max(seconds, 1e-9)))


def _in_processes(study: Study, portions: Iterable[range], jobs: int) -> Iterator[Timed]:
    with Workers(partial(play_timed, study, active()), jobs) as workers:
        for games, (played, seconds) in workers.unordered(portions, patience=PORTION):
            yield games, played, seconds


def _in_threads(study: Study, portions: Iterable[range], jobs: int) -> Iterator[Timed]:
    """Keep portions in progress, and yield each as soon as it is played."""
    left = iter(portions)
    under_way: dict[Future[tuple[tuple[Columns, ...], float]], range] = {}
    pool, closed = Threads(jobs), Deadline()
    play = partial(play_timed, study, (*active(), closed))

    def done(seconds: float | None) -> Iterator[Timed]:
        found, _ = wait(under_way, seconds, return_when=FIRST_COMPLETED)
        for future in found:
            yield under_way.pop(future), *future.result()

    try:
        while True:
            for games in islice(left, jobs * AHEAD - len(under_way)):
                under_way[pool.submit(play, games)] = games
            if not under_way:
                return
            yield from done(None)
    except KeyboardInterrupt:
        yield from done(PORTION)
        raise
    finally:
        # Nobody waits for the games in progress any more.
        closed.stop()
        pool.shutdown(wait=False, cancel_futures=True)


DEFAULT_PORT = 8786
PATIENCE = 20
"""The seconds that a scheduler may take to answer."""


class NoScheduler(Exception):
    """An error for an address at which no scheduler answers."""


def on_cluster(address: str) -> Runner:
    """Return a runner that plays on the workers of the Dask scheduler at `tcp://host:8786`.

    Games that a worker did not finish before it died are played by another one. Raises ImportError
    without the package, and NoScheduler if nobody answers.
    """

    def run(study: Study, blocks: Iterable[range]) -> Iterator[Block]:
        from distributed import Client

        _knock(address)
        with Client(address, timeout=PATIENCE, set_as_default=False) as client:
            yield from _blocks(client, study, blocks)

    return run


def _knock(address: str) -> None:
    """Raise NoScheduler if nobody answers at an address, since a client would retry forever."""
    try:
        found = urlsplit(address if "://" in address else f"tcp://{address}")
        with socket.create_connection((found.hostname, found.port or DEFAULT_PORT), PATIENCE):
            return
    except (OSError, ValueError) as error:
        raise NoScheduler(f"no Dask scheduler answers at `{address}`") from error


def _blocks(client, study: Study, blocks: Iterable[range]) -> Iterator[Block]:  # type: ignore[no-untyped-def]
    from distributed import KilledWorker, as_completed

    left, deadlines = iter(blocks), active()
    games_of = {}

    def submit(count: int) -> list:  # type: ignore[type-arg]
        made = []
        for games in islice(left, count):
            key = f"rulesdsl-{study.digest[:16]}-{games.start}-{games.stop}"
            seconds = min((deadline.left for deadline in deadlines), default=inf)
            future = client.submit(_play_for, seconds, study, games, key=key)
            games_of[future.key] = games
            made.append(future)
        return made

    width = AHEAD * max(1, sum(client.nthreads().values()))
    running = as_completed(submit(width), loop=client.loop)
    for future in running:
        try:
            played = future.result()
        except KilledWorker as error:
            raise WorkerLost("workers ended repeatedly while playing the same games") from error
        games = games_of.pop(future.key)
        future.release()
        yield games, played
        running.update(submit(1))


def _play_for(seconds: float, study: Study, games: range) -> tuple[Columns, ...]:
    """Play a block for at most so many seconds, since clocks of machines differ."""
    with under(Deadline(seconds)):
        return play_block(study, games)
