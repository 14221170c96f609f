"""The plan of a study: the games to be played, and the bots that play them."""

from __future__ import annotations

import hashlib
import json
import runpy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property, lru_cache

from rulesdsl.base.records import dataclass
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
            yield from _portions(range(at, min(there.start, self.games)), size)
            at = max(at, there.stop)
        yield from _portions(range(at, self.games), size)


def _portions(games: range, size: int) -> Iterator[range]:
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
