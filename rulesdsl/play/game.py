"""The public API: a loaded game, and its states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, cast

from rulesdsl.base.deadline import Deadline, under
from rulesdsl.base.records import dataclass
from rulesdsl.engine.build import build
from rulesdsl.engine.run import DEFAULT_ENGINE, READY_ENGINE, engine_of, playable
from rulesdsl.engine.run import ENGINES as ENGINES
from rulesdsl.engine.run.interface import Listener, Playout, Position, digest
from rulesdsl.engine.run.playouts import LIMIT, in_threads
from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.language.diagnostics.allow import not_allowed
from rulesdsl.language.diagnostics.report import numbers
from rulesdsl.language.model.flow import sources
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import Piece
from rulesdsl.play.moves import IllegalMove, Move, Wanted, meant, number_of, public_moves
from rulesdsl.play.names import Forms, Labels, Place, PlaceOnGrid, Plain, PlainForms

if TYPE_CHECKING:
    from rulesdsl.engine.run.position import LoweredPosition
    from rulesdsl.language.model.checked import Checked
    from rulesdsl.play.table import Lying

CHANCE = "chance"


def load(
    path: str | PathLike[str],
    expansions: Sequence[str] = (),
    settings: Mapping[str, int | bool | str] | None = None,
    engine: str = DEFAULT_ENGINE,
    *,
    paths: Sequence[str] = (),
) -> Game:
    """Return the game of the ruleset at `path` with `expansions`.

    `path` is a manifest, folder, archive or id. `settings` maps `name` or `ruleset.name` to a
    value; `paths` are folders in which ids are looked up before the usual places. Where `wasmtime`
    cannot be loaded, the engine `python` plays, and a warning in the game's report says so.
    Raises RulesError with every finding if the rulesets cannot be played, and ValueError for an
    unknown engine or a single text instead of a list.
    """
    for name, given in (("expansions", expansions), ("paths", paths)):
        if isinstance(given, str):
            raise ValueError(f"`{name}` is a list: write [{given!r}]")
    report = Report()
    engine, found = playable(engine)
    report.extend(found)
    checked = build(path, expansions, settings, paths=paths, report=report)
    report.check()
    assert checked is not None, "a game that cannot be played has errors"
    return Game(checked, engine, report)


def load_components(
    path: str | PathLike[str], expansions: Sequence[str] = (), *, paths: Sequence[str] = ()
) -> Game:
    """Return a game of which the components are needed; if its rules are missing or wrong, without.

    Then it cannot be played. Raises RulesError with every finding in its manifests.
    """
    with suppress(RulesError):
        return load(path, expansions, engine=READY_ENGINE, paths=paths)
    from rulesdsl.engine.build.stages import box  # the stages take long to import
    from rulesdsl.language.model.checked import Checked

    report = Report()
    linked = box(path, expansions, paths=paths, report=report)
    report.check()
    assert linked is not None, "components that cannot be linked have errors"
    return Game(Checked(linked, {}, {}, {}, {}, (), "", "", ""), READY_ENGINE, report)


@dataclass(frozen=True)
class RulesetInfo:
    """A loaded ruleset as records name it."""

    id: str
    """Its id."""
    version: str
    """Its version."""
    digest: str
    """The SHA-256 (hex) of its files."""
    interaction: bool
    """Whether it describes how others meet."""
    house: bool
    """Whether it is a house rule."""


class Game:
    """A game that is ready to be played, made by `load`."""

    engine: str
    """The name of the engine that plays it."""

    def __init__(self, checked: Checked, engine: str, report: Report | None = None) -> None:
        self.checked = checked
        self.engine = engine
        self.report = report or Report()
        """All warnings; see `warnings`."""
        self.labels = Labels(checked.game)
        self.forms = Forms(checked.game)

    def __repr__(self) -> str:
        return f"<Game {', '.join(each.id for each in self.rulesets)}>"

    def __reduce__(self) -> tuple[type[Game], tuple[Checked, str, Report]]:
        return Game, (self.checked, self.engine, self.report)

    def __deepcopy__(self, memo: object) -> Game:
        return self  # it never changes

    @property
    def warnings(self) -> Report:
        """The warnings that no comment in the files allows."""
        return not_allowed(self.report)

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of players that the game is for, the fewest first."""
        return self.checked.game.numbers

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours of the players by seat."""
        return self.checked.game.roles.colours

    @property
    def rulesets(self) -> tuple[RulesetInfo, ...]:
        """The loaded rulesets in canonical order, with interactions and house rules."""
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
        """The SHA-256 (hex) over rulesets and settings, which saved states carry."""
        return digest(self.checked)

    def start(
        self,
        players: int | None = None,
        seed: int | None = None,
        *,
        deadline: Deadline | None = None,
    ) -> State:
        """Return a new game for `players` (default: the fewest).

        With a `seed`, chance resolves itself, the same way on every machine and engine; without
        one, chance moves are offered like any other. Raises ValueError for a number of players that
        the game is not for, PlayError if a rule fails before the first decision, and OutOfTime if
        the deadline passes before it.
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
        """Play out these games of a seed at random and yield their results in order.

        Chance moves are drawn by weight. Game k of a seed is the same on every engine, with any
        number of threads, and whichever other games are played. A game is given up after `limit`
        moves. Only `wasm` plays in several threads at once. Raises ValueError for a number of
        players that the game is not for, PlayError at a game in which a rule fails, and OutOfTime
        at the first game that is not over at the deadline.
        """
        count = self.seats(players)
        play = partial(engine_of(self.engine).playouts, self.checked, count, seed, limit=limit)
        return in_threads(play, games, threads, deadline)

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of all sources of points, in the order of `Playout.gains`."""
        return sources(self.checked).names

    def told(self, moves: Sequence[int], players: int | None = None, seed: int = 0) -> Playout:
        """Return the result of the game that `start` begins after these moves.

        Each is an index into `State.moves()` at its turn. Raises the same errors as `start` and
        `State.play`.
        """
        count = self.seats(players)
        return engine_of(self.engine).told(self.checked, count, seed, moves)

    def seats(self, players: int | None) -> int:
        """Return the number of players to play with if `players` are asked for (None: the fewest).

        Raises ValueError for a number that the game is not for.
        """
        count = self.players[0] if players is None else players
        if count in self.players:
            return count
        why = self.checked.game.refused.get(count)
        said = f" ({why})" if why else ""
        many = "s" if self.players[-1] > 1 else ""
        allowed = f"{numbers(self.players)} player{many}"
        raise ValueError(f"this game is for {allowed}, not {count}{said}")

    def from_bytes(self, data: bytes, *, deadline: Deadline | None = None) -> State:
        """Return the state that `State.to_bytes` saved, by playing the game again.

        Raises ValueError if the bytes are damaged or belong to another game, and OutOfTime if the
        deadline passes.
        """
        with under(deadline):
            return State(self, engine_of(self.engine).from_bytes(self.checked, data))


class State:
    """A game at one moment; `play` changes it in place.

    It is pickled as `to_bytes` saves it, so samples cannot be pickled.
    """

    game: Game
    """The game that is played."""

    def __init__(self, game: Game, position: Position) -> None:
        self.game = game
        self.position = cast("LoweredPosition", position)  # the class takes long to import
        self._moves: tuple[Move, ...] | None = None
        self._places: Lying | None = None

    def __repr__(self) -> str:
        now = f"{self.mover} decides {self.asked}" if self.mover else "over"
        points = ", ".join(f"{player} {points}" for player, points in self.scores().items())
        return f"<State of {self.game!r}: {now}{'; ' if points else ''}{points}>"

    def __reduce__(self) -> tuple[Callable[[Game, bytes], State], tuple[Game, bytes]]:
        return Game.from_bytes, (self.game, self.to_bytes())

    def __deepcopy__(self, memo: object) -> State:
        return self.clone()

    @property
    def players(self) -> tuple[str, ...]:
        """The colours that take part, by seat."""
        return self.game.colours[: self.position.players]

    @property
    def mover(self) -> str | None:
        """The colour that decides, `chance`, or None when the game is over."""
        decision = self.position.decision
        if decision is None:
            return None
        return CHANCE if decision.seat is None else self.game.colours[decision.seat]

    @property
    def asked(self) -> str | None:
        """The pending choice (or kind of chance) by its short name; None at the end."""
        decision = self.position.decision
        return None if decision is None else short_name(decision.choice)

    @property
    def names(self) -> PlainForms:
        """The plain forms of this state's values."""
        return PlainForms(self.position, self.game.forms)

    @property
    def mover_names(self) -> PlainForms:
        """The plain forms for the mover, who may not know all pieces."""
        decision = self.position.decision
        seat = None if decision is None else decision.seat
        return PlainForms(self.position, self.game.forms, seat)

    def moves(self) -> tuple[Move, ...]:
        """Return all legal moves of the mover in canonical order; none at the end."""
        if self._moves is None:
            decision = self.position.decision
            self._moves = public_moves(decision, self.mover_names) if decision else ()
        return self._moves

    def exact(self, move: Move) -> dict[str, Plain]:
        """Return the arguments of a legal move in full: which piece, and which segment of which.

        A piece is named as by `at`. Raises ValueError if the move is not legal.
        """
        number, decision = number_of(move, self.moves()), self.position.decision
        assert decision is not None, "a legal move is of a decision"
        names = self.mover_names
        return {name: names.full(value) for name, value in decision.candidates[number].arguments}

    def at(self, place: Plain) -> tuple[str, ...]:
        """Return the pieces at a place, each named in full, as the mover knows them.

        A place is a cell, zone, space or segment: a `Place`, or a name as `place` returns it
        (`board(0,1)`, `hand[red]`); of a cell of the only grid `(0,1)` is enough. Pieces on a cell
        are listed from the lowest one up. Raises ValueError for anything else.
        """
        from rulesdsl.play.table import is_place  # imports this module

        name = str(PlaceOnGrid(*place) if isinstance(place, Place) else place)
        found = self._lying.there.get(name)
        if found is None and not is_place(self, name):
            raise ValueError(f"there is no place {name!r}")
        return found or ()

    def place(self, piece: str) -> Plain:
        """Return the place of a piece that `at` or `exact` names; None if it has none.

        Raises ValueError for any other name.
        """
        try:
            return self._lying.places[piece]
        except KeyError:
            raise ValueError(f"there is no piece {piece!r}") from None

    @property
    def _lying(self) -> Lying:
        from rulesdsl.play.table import lying  # imports this module

        if self._places is None:
            self._places = lying(self)
        return self._places

    def move(self, name: str, /, **args: object) -> Move:
        """Return the one legal move of that name (`place_tile.at` or `at`) with these arguments.

        Arguments are values or text, and may be left out where the others identify the move. Raises
        IllegalMove, which says why there is no such move or more than one.
        """
        return self._move(name, args, self.mover_names)

    def recorded(self, name: str, args: Mapping[str, object]) -> Move:
        """Return the move of a record as `move` does.

        It may also name a piece that the mover does not know.
        """
        return self._move(name, args, self.names)

    def _move(self, name: str, args: Mapping[str, object], names: PlainForms) -> Move:
        found = self.meant(Wanted(name, (), args), names)
        if len(found) == 1:
            return found[0]
        raise IllegalMove(self._why_not(name, args, found))

    def meant(self, wanted: Wanted, names: PlainForms | None = None) -> list[Move]:
        """List the legal moves that a written move may mean, by default in names of the mover."""
        decision = self.position.decision
        if decision is None:
            return []
        choice = self.game.checked.choices.get(decision.choice)
        options = {option.key: option for option in choice.options} if choice else {}
        return meant(wanted, self.moves(), decision.candidates, options, names or self.mover_names)

    def _why_not(self, name: str, args: Mapping[str, object], found: Sequence[Move]) -> str:
        wanted = str(Move(name, {key: str(value) for key, value in args.items()}))
        if self.mover is None:
            return f"{wanted}: the game is over"
        if found:
            return f"{wanted} could be {_listed(found)}"
        same = self.meant(Wanted(name, (), {}))
        if not same:
            kinds = sorted({move.name for move in self.moves()})
            return f"{wanted}: {self.mover} is asked for {', '.join(kinds)}"
        unknown = sorted(set(args) - set(same[0].args))
        if unknown:
            known = ", ".join(same[0].args) or "none"
            return f"{wanted}: {name} has no argument {', '.join(unknown)} (it has: {known})"
        return f"{wanted} is not legal; {self.mover} may play {_listed(same)}"

    def play(self, move: Move, *, deadline: Deadline | None = None) -> None:
        """Play `move` and everything up to the next decision.

        Raises IllegalMove if it is not legal, PlayError if a rule fails, and OutOfTime if the
        deadline passes; the state is then as it was.
        """
        if not isinstance(move, Move):
            raise TypeError(f"{move!r} is not one of `moves()`: write `move({move!r})` to find it")
        try:
            index = number_of(move, self.moves())
        except ValueError:
            raise IllegalMove(self._why_not(move.name, move.args, ())) from None
        with under(deadline):
            self.position.play(index)
        self.refresh()

    def scores(self) -> dict[str, int]:
        """Return the points by colour, in seat order; nothing for a game without points."""
        if not self.game.checked.score:
            return {}
        return dict(zip(self.players, self.position.scores(), strict=True))

    @property
    def winners(self) -> tuple[str, ...]:
        """The winners; empty before the end."""
        return tuple(self.game.colours[seat] for seat in self.position.winners)

    @property
    def cut_short(self) -> bool:
        """True if the game ended because its limit of decisions was reached."""
        return self.position.cut_short

    def clone(self) -> State:
        """Return an independent copy, without the listener."""
        return State(self.game, self.position.clone())

    def refresh(self) -> None:
        """Discard what is cached of a position that has changed."""
        self._moves = self._places = None

    def offer_chance(self) -> None:
        """Offer chance moves from now on instead of resolving them."""
        self.position.offer_chance()

    def finish(self) -> None:
        """End the game now, through the action that its manifest names for that."""
        self.position.finish()
        self.refresh()

    def features(self) -> tuple[FeatureInfo, ...]:
        """Return all connected features on all grids, in canonical order."""
        names, found = self.names, list[FeatureInfo]()
        for feature, segments in self.position.features():
            outline = names.outline(Piece(feature.segment.piece))
            assert outline is not None
            kind = outline.segments[feature.segment.index].kind
            full = tuple(str(names.full(segment)) for segment in segments)
            found.append(FeatureInfo(str(names.short(feature)), kind, full))
        return tuple(found)

    def canonical(self) -> str:
        """Return the whole game as text, the same for every engine."""
        return self.position.canonical()

    def view(self, player: str) -> str:
        """Return the text of what `player` may see."""
        return self.position.view(self._seat(player))

    def sample(self, player: str, seed: int) -> State:
        """Return a state that looks the same to `player`, with what is hidden drawn from `seed`.

        The same player decides the same, and has the same moves if it is `player`. Chance after it
        is drawn from `seed`, too; without a seed of the game it is offered as before. A draw in
        which the decision could not be is drawn anew, 64 times at most; then everything stays where
        it is. Bots choose by samples, and at random without one. Raises ValueError for a colour
        that does not take part.
        """
        return State(self.game, self.position.sample(self._seat(player), seed))

    def hides(self, player: str) -> bool:
        """Return whether samples for `player` can differ in more than the chance that follows."""
        return self.position.hides(self._seat(player))

    def to_bytes(self) -> bytes:
        """Return the moves since the start as bytes for `Game.from_bytes` on any engine.

        Raises ValueError for a sample: its moves would reveal what it hides.
        """
        return self.position.to_bytes()

    def listen(self, listener: Listener | None) -> None:
        """Report every change that the following moves make to `listener` (None: to nobody)."""
        self.position.listener = listener

    def _seat(self, player: str) -> int:
        if player not in self.players:
            raise ValueError(f"no player {player!r}; the players are {', '.join(self.players)}")
        return self.players.index(player)


@dataclass(frozen=True)
class FeatureInfo:
    """A connected feature."""

    name: str
    """The name of its first segment (`lane@E.W(0,0)`)."""
    kind: str
    """Its full kind (`hamlets/lane`)."""
    segments: tuple[str, ...]
    """The full names of all its segments."""


def _listed(moves: Sequence[Move], most: int = 8) -> str:
    shown = [str(move) for move in moves[:most]]
    more = f" … ({len(moves)} in all)" if len(moves) > most else ""
    return ", ".join(shown) + more
