"""The public API: a loaded game, and states of it that are played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from rulesdsl.deadline import Deadline, under
from rulesdsl.diagnostics import Report
from rulesdsl.model.names import short_name
from rulesdsl.model.sources import sources
from rulesdsl.model.values import Piece
from rulesdsl.pipeline import build
from rulesdsl.play.labels import Labels
from rulesdsl.play.moves import IllegalMove, Move, Wanted, meant, public_moves
from rulesdsl.play.names import Forms, Names
from rulesdsl.run.engine import Listener, Playout, Position, digest
from rulesdsl.run.engines import DEFAULT_ENGINE, engine_of, playable
from rulesdsl.run.engines import ENGINES as ENGINES
from rulesdsl.run.playouts import LIMIT, in_threads

if TYPE_CHECKING:
    from rulesdsl.model.checked import Checked

CHANCE = "chance"


def load(
    path: str | PathLike[str],
    expansions: Sequence[str] = (),
    settings: Mapping[str, int | bool | str] | None = None,
    engine: str = DEFAULT_ENGINE,
    *,
    paths: Sequence[str] = (),
) -> Game:
    """The game of the ruleset at `path` (a manifest, folder, archive, or id) with `expansions`.

    `settings` maps `name` or `ruleset.name` to a value; `paths` are folders in which ids are sought
    before the usual places. Where the package of an engine is not installed, the default one plays,
    and a warning in the game's report says so. Raises `RulesError` with every finding when the
    rulesets cannot be played, and ValueError for an unknown engine.
    """
    report = Report()
    engine, found = playable(engine)
    report.extend(found)
    checked = build(path, expansions, settings, paths=paths, report=report)
    report.check()
    assert checked is not None, "a game that cannot be played has errors"
    return Game(checked, engine, report)


@dataclass(frozen=True)
class RulesetInfo:
    """What a record says of a ruleset: SHA-256 (hex) of its files in `digest`."""

    id: str
    version: str
    digest: str
    interaction: bool
    house: bool


class Game:
    """A game that is ready to be played.

    Made by `load`.
    """

    def __init__(self, checked: Checked, engine: str, report: Report | None = None) -> None:
        self.checked = checked
        self.engine = engine
        self.report = report or Report()
        self.labels = Labels(checked.game)
        self.forms = Forms(checked.game)

    @property
    def players(self) -> range:
        """The numbers of players it can be played with."""
        return range(self.checked.game.roles.least, self.checked.game.roles.most + 1)

    @property
    def colours(self) -> tuple[str, ...]:
        """The players by seat."""
        return self.checked.game.roles.colours

    @property
    def rulesets(self) -> tuple[RulesetInfo, ...]:
        """The loaded rulesets in canonical order, interactions and house rules among them."""
        return tuple(
            RulesetInfo(r.id, r.version, r.digest, bool(r.interaction), r.house)
            for r in self.checked.game.rulesets
        )

    @property
    def settings(self) -> dict[str, int | bool | str]:
        """The chosen value of every setting, by `ruleset.name`."""
        return {f"{s.ruleset}.{s.name}": s.chosen for s in self.checked.game.settings}

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over rulesets and settings: what a saved state was made with."""
        return digest(self.checked)

    def start(
        self,
        players: int | None = None,
        seed: int | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> State:
        """Return a new game for `players` (default: the fewest).

        With a `seed` chance resolves itself, the same way on every machine and engine; without one
        chance moves are offered like any other. Raises ValueError for a number of players the
        game is not for, PlayError when a rule fails before the first decision, OutOfTime when the
        deadline passes before it.
        """
        count = self.seats(players)
        with under(deadline):
            return State(self, engine_of(self.engine).start(self.checked, count, seed))

    def playouts(
        self,
        games: range,
        players: int | None = None,
        seed: int = 0,
        *,
        threads: int = 1,
        limit: int = LIMIT,
        deadline: Deadline | None = None,
    ) -> Iterator[Playout]:
        """What comes of these games of a seed, in their order, if all players play at random (and
        chance by its weights). Game k of a seed is the same on every engine, with any number of
        threads, and whichever others are played. A game is given up after `limit` moves.

        Only `wasm` plays in several threads at once. Raises ValueError for a number of players
        that the game is not for, PlayError when it comes to a game in which a rule fails, and
        OutOfTime at the first game that is not over at the deadline.
        """
        count = self.seats(players)
        play = partial(engine_of(self.engine).playouts, self.checked, count, seed, limit=limit)
        return in_threads(play, games, threads, deadline)

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of all sources of points, in the order in which `Playout.gains` tells them."""
        return sources(self.checked).names

    def told(self, moves: Sequence[int], players: int | None = None, seed: int = 0) -> Playout:
        """What comes of the game that `start` begins if these moves are played, numbers among
        `State.moves()` one after the other. Raises what `start` and `State.play` do."""
        count = self.seats(players)
        return engine_of(self.engine).told(self.checked, count, seed, moves)

    def seats(self, players: int | None) -> int:
        """How many play if so many are asked for (None: the fewest).

        Raises ValueError for a number that the game is not for.
        """
        count = self.players.start if players is None else players
        if count not in self.players:
            least, most = self.players.start, self.players.stop - 1
            raise ValueError(f"this game is for {least} to {most} players, not {count}")
        return count

    def from_bytes(self, data: bytes, *, deadline: Deadline | None = None) -> State:
        """Return the state that `State.to_bytes` saved, made by playing the game once more.

        Raises ValueError if the bytes are damaged, belong to another game, or are a sample sealed
        with another user's key; OutOfTime when the deadline passes.
        """
        with under(deadline):
            return State(self, engine_of(self.engine).from_bytes(self.checked, data))


class State:
    """One game at one moment; changed in place by `play`."""

    def __init__(self, game: Game, position: Position) -> None:
        self.game = game
        self.position = position
        self._moves: tuple[Move, ...] | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The colours that play, by seat."""
        return self.game.colours[: self.position.players]

    @property
    def mover(self) -> str | None:
        """Whose decision it is: a colour, `chance`, or None when the game is over."""
        decision = self.position.decision
        if decision is None:
            return None
        return CHANCE if decision.seat is None else self.game.colours[decision.seat]

    @property
    def asked(self) -> str | None:
        """The choice (or kind of chance) that is waited for, by its short name; None at the end."""
        decision = self.position.decision
        return None if decision is None else short_name(decision.choice)

    @property
    def names(self) -> Names:
        """The plain forms of this state's values."""
        return Names(self.position, self.game.forms)

    def moves(self) -> tuple[Move, ...]:
        """Everything the mover can do, in canonical order; empty at the end."""
        if self._moves is None:
            decision = self.position.decision
            self._moves = public_moves(decision, self.names) if decision else ()
        return self._moves

    def move(self, name: str, /, **args: object) -> Move:
        """Return the one move of that name (`place_tile.at` or `at`) with these arguments.

        Arguments may be values or text, and left out where they are not needed to tell. Raises
        IllegalMove saying why there is none or more than one.
        """
        found = self.meant(Wanted(name, (), args))
        if len(found) == 1:
            return found[0]
        raise IllegalMove(self._why_not(name, args, found))

    def meant(self, wanted: Wanted) -> list[Move]:
        """List the moves offered now that are meant by one that somebody has written."""
        decision = self.position.decision
        if decision is None:
            return []
        choice = self.game.checked.choices.get(decision.choice)
        options = {option.key: option for option in choice.options} if choice else {}
        return meant(wanted, self.moves(), decision.candidates, options, self.names)

    def _why_not(self, name: str, args: Mapping[str, object], found: Sequence[Move]) -> str:
        wanted = str(Move(name, tuple((k, str(v)) for k, v in args.items())))
        if self.mover is None:
            return f"{wanted}: the game is over"
        if found:
            return f"{wanted} could be {_listed(found)}"
        same = self.meant(Wanted(name, (), {}))
        if not same:
            kinds = sorted({move.name for move in self.moves()})
            return f"{wanted}: {self.mover} is asked for {', '.join(kinds)}"
        unknown = sorted(set(args) - {key for key, _ in same[0].args})
        if unknown:
            known = ", ".join(key for key, _ in same[0].args) or "none"
            return f"{wanted}: {name} has no argument {', '.join(unknown)} (it has: {known})"
        return f"{wanted} is not offered; {self.mover} may play {_listed(same)}"

    def play(self, move: Move, *, deadline: Deadline | None = None) -> None:
        """Play `move` and everything up to the next decision.

        Raises IllegalMove if it is not offered, PlayError if a rule fails, OutOfTime if the
        deadline passes; the state is then as it was.
        """
        try:
            index = self.moves().index(move)
        except ValueError:
            raise IllegalMove(self._why_not(move.name, dict(move.args), ())) from None
        with under(deadline):
            self.position.play(index)
        self._moves = None

    def scores(self) -> dict[str, int]:
        """Points by colour, in seat order."""
        return dict(zip(self.players, self.position.scores(), strict=True))

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won; empty before the end."""
        return tuple(self.game.colours[seat] for seat in self.position.winners)

    @property
    def cut_short(self) -> bool:
        """Whether the game ended because players had decided as often as its limit allows."""
        return self.position.cut_short

    def clone(self) -> State:
        """Return an independent copy, without the listener."""
        return State(self.game, self.position.clone())

    def refresh(self) -> None:
        """Forget the moves enumerated before the position was changed from outside the rules."""
        self._moves = None

    def offer_chance(self) -> None:
        """From now on offer chance moves instead of resolving them."""
        self.position.offer_chance()

    def finish(self) -> None:
        """End the game now, through the action its manifest names for that."""
        self.position.finish()
        self._moves = None

    def features(self) -> tuple[FeatureInfo, ...]:
        """All connected features on all grids, in canonical order."""
        return tuple(self._features())

    def _features(self) -> Iterator[FeatureInfo]:
        names = self.names
        for feature, segments in self.position.features():
            outline = names.outline(Piece(feature.segment.piece))
            assert outline is not None
            yield FeatureInfo(
                str(names.short(feature)),
                outline.segments[feature.segment.index].kind,
                tuple(str(names.full(segment)) for segment in segments),
            )

    def canonical(self) -> str:
        """Return the whole game as text, the same for every engine."""
        return self.position.canonical()

    def view(self, player: str) -> str:
        """Return the text of what `player` may see."""
        return self.position.view(self._seat(player))

    def sample(self, player: str, seed: int) -> State:
        """A state that looks the same to `player`, with everything hidden, and the generator, drawn
        anew from `seed`: the only thing a bot is given."""
        return State(self.game, self.position.sample(self._seat(player), seed))

    def hides(self, player: str) -> bool:
        """Whether samples for `player` can differ: something is hidden that matters."""
        return self.position.hides(self._seat(player))

    def to_bytes(self) -> bytes:
        """What was done since the start, as bytes for `Game.from_bytes` on any engine.

        Those of a sample are sealed with your key, as they tell what the player may not know;
        raises ValueError if you have no home to keep a key in.
        """
        return self.position.to_bytes()

    def listen(self, listener: Listener | None) -> None:
        """Tell `listener` every change that the following moves make (None: nobody)."""
        self.position.listener = listener

    def _seat(self, player: str) -> int:
        if player not in self.players:
            raise ValueError(f"no player {player!r}; there is {', '.join(self.players)}")
        return self.players.index(player)


@dataclass(frozen=True)
class FeatureInfo:
    """A connected feature: its name (`lane@E.W(0,0)`, after its first segment), its kind in full
    (`hamlets/lane`), and all its segments in full."""

    name: str
    kind: str
    segments: tuple[str, ...]


def _listed(moves: Sequence[Move], most: int = 8) -> str:
    shown = [str(move) for move in moves[:most]]
    more = f" … ({len(moves)} in all)" if len(moves) > most else ""
    return ", ".join(shown) + more
