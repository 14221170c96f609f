"""What every engine gives to `play`: positions, decisions, traces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rulesdsl.diagnostics import Span
from rulesdsl.model.checked import Checked, Expr
from rulesdsl.model.values import Cell, Face, Feature, Piece, Placement, Segment, Value, Zone


class PlayError(Exception):
    """A rule failed while playing.

    The position is as it was before the move.

    `slug` is `play-error`, `no-steps-left` or `stuck-choice`; `span` the rule's place.
    """

    def __init__(self, message: str, span: Span | None = None, slug: str = "play-error") -> None:
        super().__init__(f"{span}: {message}" if span else message)
        self.message = message
        self.span = span
        self.slug = slug


def digest(checked: Checked) -> str:
    """Tells games apart: SHA-256 (hex) over the rulesets' ids, versions and digests and the chosen
    settings."""
    game = checked.game
    parts = [
        [[ruleset.id, ruleset.version, ruleset.digest] for ruleset in game.rulesets],
        [[setting.key, setting.chosen] for setting in game.settings],
    ]
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


class Candidate(NamedTuple):
    """One move: `name` is `choice.option`, or the effect for chance (`take`, `roll`).

    `option` the option's key (the effect's name for chance); `arguments` by name in order; `weight`
    counts chance outcomes (1 for choices). Interchangeable moves are fused: the lowest stands for
    all. `secret` names the arguments to hide.
    """

    name: str
    option: str
    arguments: tuple[tuple[str, Value], ...]
    weight: int = 1
    secret: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Decision:
    """What the position waits for: `seat` of the player asked, None for chance.

    `choice` the key of the choice (the effect's name for chance), `arguments` its arguments by
    name; `candidates` in canonical order, at least one.
    """

    seat: int | None
    choice: str
    arguments: tuple[tuple[str, Value], ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Reading:
    """A quantity that went into a result: the full or builtin name read, and its value."""

    name: str
    value: int


@dataclass(frozen=True)
class Change:
    """A change of a state or a component, made by a statement at `span`.

    `name` is the full name of the state, or the effect; `arguments` the owner and index of the
    state, or what the effect was given; `old` and `new` its values, or the places of a piece, and
    `readings` the terms of the new value. Of points, `source` says where they come from (see
    `model.sources`); `about` is the feature, segment or component that the innermost action with
    one was given.
    """

    name: str
    span: Span | None
    arguments: tuple[Value, ...]
    old: Value
    new: Value
    readings: tuple[Reading, ...]
    source: str
    about: Value

    @property
    def amount(self) -> int:
        """By how much a number has grown."""
        assert isinstance(self.old, int)
        assert isinstance(self.new, int)
        return self.new - self.old


Listener = Callable[[Change], None]


@dataclass(frozen=True)
class Laid:
    """A piece on a grid: the cell of its north-west corner as placed, rotation in quarter turns."""

    piece: Piece
    cell: Cell
    rotation: int


class Playout(NamedTuple):
    """What came of a game: how many moves it had, chance among them.

    Is it over, or was it given up; the seats that have won; the score of each seat.

    Of games that are told from their beginning also: how many decisions players had, and how many
    moves to choose from, over all of them; how often the lead passed on, that is, when a move was
    over a seat alone had most points and the last one of which that was true was another; and by
    source (`model.sources`, in its order) the points that each seat got.
    """

    moves: int
    over: bool
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    decisions: int = 0
    options: int = 0
    leads: int = 0
    gains: tuple[tuple[int, ...], ...] = ()


class Outlook(NamedTuple):
    """What is known of a decision without reading it: whose it is (None: chance, or nobody's when
    the game is over), and the weight of each candidate (none at the end)."""

    seat: int | None
    weights: tuple[int, ...]


class Position(Protocol):
    """One game at one moment.

    `play` changes it in place; `clone` copies it, also in the middle of a choice. All methods are
    deterministic.
    """

    checked: Checked
    players: int
    listener: Listener | None

    @property
    def decision(self) -> Decision | None:
        """What is waited for; None when the game is over."""

    @property
    def outlook(self) -> Outlook:
        """The decision in short: much quicker than `decision` where only this is asked."""

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats that have won; empty before the end."""

    @property
    def cut_short(self) -> bool:
        """Whether the limit of decisions has ended the game."""

    def play(self, index: int) -> None:
        """Play candidate `index` of the decision; raises PlayError and changes nothing then."""

    def offer_chance(self) -> None:
        """Drop the generator: from now on chance moves are offered."""

    def apply(self, effect: str, arguments: tuple[Value, ...]) -> None:
        """Run a builtin effect (place, move, turn_to, …) from outside the rules, to set a scene.

        The decision is enumerated anew. Raises PlayError and changes nothing if it fails.
        """

    def arranging(self) -> AbstractContextManager[None]:
        """Change several things from outside the rules, and only then enumerate the decision anew.

        Raises PlayError if that fails.
        """

    def assign(self, state: str, owner: Value, index: tuple[Value, ...], value: Value) -> None:
        """Set a state (full name) of `owner` (None: the game) from outside the rules."""

    def finish(self) -> None:
        """Drop everything running and run the game's finish action, as if the game ended now.

        Chance in it resolves by the generator (seed 0 when there is none).
        """

    def clone(self) -> Position: ...

    def readable(self) -> Position:
        """Return a copy that the reference engine plays."""

    def scores(self) -> tuple[int, ...]: ...

    def laid(self) -> tuple[Laid, ...]:
        """All pieces on grids, in canonical order."""

    def placement_of(self, piece: Piece) -> Placement | None:
        """Where a piece lies on a grid; None for one that does not."""

    def place_of(self, piece: Piece) -> Value:
        """Where a piece is: Zone, Segment, Space, Cell (its cell when on a grid), or None."""

    def face_of(self, die: Piece) -> Face:
        """Return the face of a die that lies up."""

    def seen(self, zone: Zone, seat: int) -> tuple[Piece | None, ...]:
        """What a player sees in a zone, in its order if it keeps one: None for a piece that the
        player does not know."""

    def features(self) -> tuple[tuple[Feature, tuple[Segment, ...]], ...]:
        """All features on all grids with their segments, in canonical order."""

    def evaluate(self, expression: Expr, values: Mapping[str, Value]) -> Value:
        """Return the value of a checked expression whose locals have `values`; raises PlayError."""

    def rollouts(self, count: int, seed: int, limit: int) -> list[Playout]:
        """What comes of so many games played on from here at random, chance by its weights.

        Each is ended as by `finish` after `limit` moves. All draw from stream 0 of the seed, one
        after the other. The position stays as it is. Raises PlayError when a rule fails in one.
        """

    def canonical(self) -> str: ...

    def view(self, seat: int) -> str: ...

    def sample(self, seat: int, seed: int) -> Position: ...

    def hides(self, seat: int) -> bool:
        """Whether samples for a player can differ from each other."""

    def to_bytes(self) -> bytes:
        """Return the history of the position as bytes, see `run.history`."""


RulePlace = tuple[str, int]
"""A place in the rules: the name of the file, and where the rule begins in it."""


class Trial(Protocol):
    """A game made for few plays that notes which rules, guards, hooks and vetoes run."""

    def start(self, seed: int) -> Position:
        """Return a new game at its first decision; raises PlayError when a rule fails before it."""

    def told(
        self, seed: int, moves: Sequence[int], *, finish: bool = False
    ) -> tuple[Playout | None, frozenset[RulePlace]]:
        """Play these candidates of the game of a seed, with `finish` then end it as by
        `Position.finish`, and give the result and the rules that ran. If one fails, the telling
        ends there, and there is no result."""


class Engine(Protocol):
    """What plays checked games: a module with these functions.

    They and the methods of positions raise `deadline.OutOfTime` when a deadline passes that the
    thread is under, and leave positions as they were.
    """

    def start(self, checked: Checked, players: int, seed: int | None) -> Position:
        """Return a new game at its first decision.

        Chance is resolved from the seed, or without one asked for as decisions. Raises PlayError
        when the rules fail before the first decision.
        """

    def from_bytes(self, checked: Checked, data: bytes) -> Position:
        """Return the position that `Position.to_bytes` gave `data` for.

        Raises ValueError for data that is not one of this game.
        """

    def playouts(
        self, checked: Checked, players: int, seed: int, games: range, limit: int
    ) -> Iterator[Playout]:
        """Play games of a seed (see `run.playouts.seeds_of`) at random and yield their results.

        Each game is given up after `limit` moves. Raises PlayError at the first one in which a rule
        fails, OutOfTime at the one under way when a deadline passes.
        """

    def told(self, checked: Checked, players: int, seed: int, moves: Sequence[int]) -> Playout:
        """What comes of the game of a seed in which these candidates are played, one after the
        other. Raises PlayError when a rule fails."""

    def trial(self, checked: Checked, players: int) -> Trial:
        """Make a game ready for few plays: what is compiled for it is not optimised, and not kept
        in the cache."""
