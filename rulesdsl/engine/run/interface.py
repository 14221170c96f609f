"""The interface of engines: positions, decisions, changes, playouts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.checked import Checked, Expr
from rulesdsl.language.model.game import Plain
from rulesdsl.language.model.names import short_name
from rulesdsl.language.model.values import (
    Cell,
    Face,
    Feature,
    Piece,
    Placement,
    Segment,
    Value,
    Zone,
)


class PlayError(Exception):
    """A rule failed while playing.

    The position is as it was before the move.
    """

    message: str
    """The sentence that says what failed."""
    span: Span | None
    """The place of the rule, if known."""
    slug: str
    """`play-error`, `no-steps-left` or `stuck-choice`."""

    def __init__(self, message: str, span: Span | None = None, slug: str = "play-error") -> None:
        super().__init__(f"{span}: {message}" if span else message)
        self.message = message
        self.span = span
        self.slug = slug


def digest(checked: Checked) -> str:
    """Return a digest that identifies a game.

    It is the SHA-256 (hex) of the ids, versions and digests of the rulesets and of the chosen
    settings.
    """
    game = checked.game
    parts = [
        [[ruleset.id, ruleset.version, ruleset.digest] for ruleset in game.rulesets],
        [[setting.key, setting.chosen] for setting in game.settings],
    ]
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


class Candidate(NamedTuple):
    """A legal move, or a possible outcome of chance.

    `name` is that of the option (the effect for chance: `take`, `roll`). `option` is the key of the
    option (the name of the effect for chance). `arguments` are given by name, in order. `weight` is
    the number of equally likely outcomes that the candidate stands for (1 for choices). Of
    interchangeable moves only the lowest is a candidate. `secret` names the arguments to hide from
    other players.
    """

    name: str
    option: str
    arguments: tuple[tuple[str, Value], ...]
    weight: int = 1
    secret: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Decision:
    """A decision that the position waits for.

    `seat` is the seat of the player who decides, None for chance. `choice` is the key of the choice
    (the name of the effect for chance), and `arguments` are its arguments by name. `candidates` are
    in canonical order; there is at least one.
    """

    seat: int | None
    choice: str
    arguments: tuple[tuple[str, Value], ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Reading:
    """A quantity that was read to compute a result: its full or builtin name, and its value."""

    name: str
    value: int


class ToldAnswer(NamedTuple):
    """An answer that a player was told about a piece.

    `attribute` is a full name; `so` says whether the attribute has the `value`.
    """

    attribute: str
    value: Plain
    so: bool

    def __str__(self) -> str:
        name, bare = short_name(self.attribute), isinstance(self.value, bool)
        value = str(self.so).lower() if bare else "none" if self.value is None else self.value
        return f"[{name}{'=' if self.so or bare else '!='}{value}]"


SAY = "say"
"""The name of a change that is the line of an action."""


class Change(NamedTuple):
    """A step of a move, or what the move made of a state.

    It depends on `name`:

    - the full name of the score: `arguments` has the player. `readings` are the terms of the
      points, `source` is their source (see `model.flow`), and `about` is the feature, segment or
      component passed to the innermost action that takes one
    - `take`: `arguments` has a zone, `new` is the piece
    - `move`, `place`: `arguments` has a piece, `old` and `new` are its places, and `public` says
      whether all players know it now
    - `roll`, `turn_to`: `arguments` has a die, `new` is its face
    - `reveal`: `arguments` has a piece that lay face down or that somebody did not know. If it is
      revealed to one player, this one is in `arguments`, and `new` are the players who know it now
    - `tell`: `arguments` has a piece and the players who were told something of it, `told` what,
      `old` is its position as of `Position.unknown_at`, and `new` are these players and all who
      know the piece
    - `shuffle`: `arguments` has a zone
    - `SAY`: an action says its line. `arguments` are the values that it names, `new` the players
      who know all pieces among them, and `source` is the action
    - the full name of another state: `arguments` are its owner, if it is not the game, and its
      index; `old` and `new` are its values before and after the move
    """

    name: str
    arguments: tuple[Value, ...]
    old: Value = None
    new: Value = None
    readings: tuple[Reading, ...] = ()
    source: str = ""
    about: Value = None
    public: bool = True
    told: tuple[ToldAnswer, ...] = ()

    @property
    def amount(self) -> int:
        """The difference between the new and the old value, which must be numbers."""
        assert isinstance(self.old, int)
        assert isinstance(self.new, int)
        return self.new - self.old


Listener = Callable[[Change], None]
"""A function that receives the changes of a move in their order, those of states at its end.

For the listener the scores of the position, and the places and faces of pieces, are those right
after the change, and nobody is asked. It also receives the steps of a move that fails afterwards.
"""


@dataclass(frozen=True)
class Laid:
    """A piece on a grid.

    `cell` is the cell of its north-west corner as placed, `rotation` is in turns by one side.
    """

    piece: Piece
    cell: Cell
    rotation: int


class Playout(NamedTuple):
    """The result of a game that was played out.

    The fields from `decisions` on are filled only for games recorded from the start.
    """

    moves: int
    """The number of moves, including those of chance."""
    over: bool
    """Whether the game ended rather than being given up."""
    winners: tuple[int, ...]
    """The seats that have won."""
    scores: tuple[int, ...]
    """The points of each seat."""
    decisions: int = 0
    """The number of decisions of players."""
    options: int = 0
    """The number of legal moves, summed over all decisions of players."""
    leads: int = 0
    """How often one seat alone got the most points after another had been the last to do so."""
    gains: tuple[tuple[int, ...], ...] = ()
    """The points of each seat by source, in the order of `Game.sources`."""


class Outlook(NamedTuple):
    """A summary of a decision that is computed without decoding its candidates.

    `seat` is the seat of the player who decides, None for chance and at the end of the game.
    `weights` has the weight of each candidate; it is empty at the end of the game.
    """

    seat: int | None
    weights: tuple[int, ...]


class Revealed(NamedTuple):
    """The state of the generator (empty without one), and the bits of the seats that know a piece.

    Everybody knows a piece that was just taken and has no place yet. The bits of the answers that
    seats were told follow.
    """

    generator: tuple[int, ...]
    known: tuple[int, ...]


Seen = Piece | tuple[ToldAnswer, ...] | None
"""A piece that a player knows; for another one what the player was told of it, None for nothing."""


class Position(Protocol):
    """The state of a game between two moves.

    `play` changes it in place; `clone` copies it, also in the middle of a choice. All methods are
    deterministic.
    """

    checked: Checked
    players: int
    listener: Listener | None

    @property
    def decision(self) -> Decision | None:
        """The decision that the position waits for, None when the game is over."""

    @property
    def outlook(self) -> Outlook:
        """A summary of the decision, much quicker to compute than `decision`."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won, empty before the end."""

    @property
    def cut_short(self) -> bool:
        """True if the limit of decisions has ended the game."""

    def play(self, index: int) -> None:
        """Play candidate `index` of the decision.

        Raises PlayError, and IndexError for a candidate that does not exist, and changes nothing
        then.
        """

    def frames(self) -> Sequence[Any]:
        """Return what runs, as `RunningFrame`s, innermost first."""

    @property
    def spent(self) -> int:
        """The steps of all decisions so far, of all games of the same program in this thread.

        They are the same on every engine and machine.
        """

    def playout(self, limit: int, seed: int) -> int:
        """Play random moves of a seed until the game is over or `limit` moves were played.

        Outcomes of chance are drawn by their weights. Returns the number of moves. Raises PlayError
        in the position in which a move failed.
        """

    def offer_chance(self) -> None:
        """Drop the generator, so that outcomes of chance are offered as moves from now on."""

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        """Run a builtin effect (place, move, turn_to, …) from outside the rules, to set up a scene.

        The decision is enumerated anew. Raises PlayError, and changes nothing then.
        """

    def arranging(self) -> AbstractContextManager[None]:
        """Return a context for several changes from outside the rules.

        The decision is enumerated anew only at its end. If that or anything inside fails, the
        position is as before. Raises PlayError.
        """

    def assign(self, state: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
        """Set a state (full name) of `owner` (None: the game) from outside the rules.

        Raises PlayError, and changes nothing, if the value is out of its range.
        """

    def finish(self) -> None:
        """Drop all running actions and run the finish action of the game, as if the game ended now.

        Chance in it is resolved by the generator (by one with seed 0 if the position has none). If
        it asks a player, the position waits for that decision as for any other.
        """

    def clone(self) -> Position: ...

    def readable(self) -> Position:
        """Return a copy that the engine `python` plays."""

    def scores(self) -> tuple[int, ...]: ...

    def laid(self) -> tuple[Laid, ...]:
        """Return all pieces on grids, in canonical order."""

    def placement_of(self, piece: Piece) -> Placement | None:
        """Return the placement of a piece on a grid, None if it is not on one."""

    def place_of(self, piece: Piece) -> Value:
        """Return the place of a piece, None if it has none.

        It is a Zone, Segment, Space or Cell; for a piece on a grid it is its cell.
        """

    def face_of(self, die: Piece) -> Face:
        """Return the face that a die shows."""

    def level_of(self, piece: Piece) -> int:
        """Return the number of pieces below one on a cell that keeps order; 0 elsewhere."""

    def unknown_at(self, piece: Piece, seat: int) -> int | None:
        """Return the position, from 1, of a piece that a player does not know; None if it is known.

        It is 0 in a zone that keeps no order, and outside of zones. Everybody knows a piece that
        was just taken and has no place yet.
        """

    def seen(self, zone: Zone, seat: int) -> tuple[Seen, ...]:
        """Return the pieces in a zone as a player sees them.

        They are in the order of the zone if it keeps one.
        """

    def told(self, piece: Piece, seat: int) -> tuple[ToldAnswer, ...]:
        """Return what a player was told of a piece that is hidden from this player."""

    def shown(self) -> Revealed:
        """Return the state of the generator and who knows which piece."""

    def features(self) -> tuple[tuple[Feature, tuple[Segment, ...]], ...]:
        """Return all features on all grids with their segments, in canonical order."""

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        """Return the value of a checked expression whose locals have `values`; raises PlayError."""

    def canonical(self) -> str: ...

    def view(self, seat: int) -> str: ...

    def sample(self, seat: int, seed: int, *, free: bool = False) -> Position:
        """Return a position that looks the same to a player, with all that is hidden drawn.

        The generator of the sample, if there is one, starts anew from the seed. With `free`, the
        pending decision may have other moves than here, or none; raises PlayError
        if its rules fail.
        """

    def hides(self, seat: int) -> bool:
        """Return whether samples for a player can differ from each other."""

    def to_bytes(self) -> bytes:
        """Return the history of the position as bytes; raises ValueError for a sample."""


RulePlace = tuple[str, int]
"""The place of a rule: the name of its file, and the offset at which the rule begins."""


class Trial(Protocol):
    """A game prepared for a few plays that records which rules, guards, hooks and vetoes run."""

    def start(self, seed: int | None) -> Position:
        """Return a new game at its first decision; raises PlayError when a rule fails before it.

        Without a seed outcomes of chance are offered as decisions.
        """

    def told(
        self, seed: int, moves: Sequence[int], *, finish: bool = False
    ) -> tuple[Playout | None, frozenset[RulePlace]]:
        """Play candidates of the game of a seed and return the result and the rules that ran.

        With `finish` the game is then ended as by `Position.finish`. If a rule fails, the play
        stops there and the result is None.
        """


class Engine(Protocol):
    """A module that plays checked games.

    Its functions and the methods of its positions raise `deadline.OutOfTime` when a deadline of the
    thread passes, and leave positions as they were.
    """

    def start(
        self, checked: Checked, players: int, seed: int | None, *, searches: bool = False
    ) -> Position:
        """Return a new game at its first decision.

        Chance is resolved from the seed; without a seed its outcomes are offered as decisions. If a
        bot `searches`, an engine that compiles prepares for it at once. Raises PlayError when the
        rules fail before the first decision.
        """

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        """Return the position that was saved by `Position.to_bytes`.

        Raises ValueError for data that are not a saved position of this game.
        """

    def playouts(
        self, checked: Checked, players: int, seed: int, games: range, limit: int
    ) -> Iterator[Playout]:
        """Play games of a seed at random and yield their results in order, see `playouts.seeds_of`.

        Each game is given up after `limit` moves. Raises PlayError at the first game in which a
        rule fails, and OutOfTime when a deadline passes.
        """

    def told(self, checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
        """Play candidates of the game of a seed, one after the other, and return the result.

        Raises PlayError when a rule fails.
        """

    def trial(self, checked: Checked, players: int) -> Trial:
        """Prepare a game for a few plays: its code is neither optimised nor kept in the cache."""


def standings(position: Position) -> Sequence[int]:
    """Return the number by which players compare, by seat; see `runtime.hooks.standing`."""
    checked = position.checked
    if not checked.score:
        return [int(seat in position.winners) for seat in range(position.players)]
    sign = -1 if checked.game.roles.fewest else 1
    return [sign * score for score in position.scores()]
