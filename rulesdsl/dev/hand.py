"""The replay session: the same moves, played again under the current rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.play.bots import RandomBot
from rulesdsl.play.game import Game, State
from rulesdsl.play.moves import IllegalMove, Move
from rulesdsl.play.names import Place
from rulesdsl.play.records import Record
from rulesdsl.play.watch import Gain, Step, Watch
from rulesdsl.records import dataclass

Stale = Callable[[], bool]
"""A function that says whether something has changed meanwhile, so that the rest is not needed."""


class Outdated(Exception):
    """An error for a look that is outdated, because something has changed meanwhile."""


class HandMove(NamedTuple):
    """A move as records have it: who moved, its name, its arguments as text."""

    by: str
    name: str
    args: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self.args)
        return f"{self.by} {self.name}({inside})"


@dataclass(frozen=True)
class BlockedMove:
    """A move that is no longer possible, with the reason.

    `number` is the number of the move; `slug` and `span` are those of the failed rule, if one
    failed.
    """

    number: int
    turn: int
    move: HandMove | None
    message: str
    slug: str = ""
    span: Span | None = None


@dataclass(frozen=True)
class ReplayedPosition:
    """The position of the replayed game.

    `steps` led to it, and `last` is the cell of the last piece laid. `stop` is the move that was
    not possible, and `anew` is the number of moves chosen since because of it.
    """

    state: State
    steps: tuple[Step, ...]
    last: Place | None
    stop: BlockedMove | None
    anew: int
    text: str
    """The canonical text of the position, the same for every engine."""

    @property
    def turn(self) -> int:
        """The turn of the last step; 0 at the start."""
        return self.steps[-1].turn if self.steps else 0


class Hand:
    """A replay session: a recorded game, or one that bots play at random from a seed.

    It ends at the end of a turn, or of the record. If a move of a record is no longer possible, the
    game stays before it. A game of bots keeps its moves, and goes on from there with other moves,
    the same ones each time as long as they are possible.
    """

    def __init__(
        self, players: int | None, seed: int | None, turns: int | None, record: Record | None = None
    ) -> None:
        self._players, self._seed, self._turns = players, seed, turns
        self._recorded = record is not None
        entries = record.entries if record is not None else ()
        self._moves = [HandMove(e.by, e.move, tuple(e.args.items())) for e in entries]
        self._others: list[HandMove] = []

    def play(self, game: Game, stale: Stale) -> ReplayedPosition:
        """Play the game under these rules.

        Raises ValueError for a number of players that it is not for, PlayError if it does not
        begin, and `Outdated` if `stale` says so.
        """
        course = _Course(game.start(self._players, self._seed), self._turns, stale)
        stop = course.follow(self._moves)
        if self._recorded:
            return course.position(stop, 0)
        kept = len(course.steps)
        if stop is not None and self._others[:kept] == self._moves[:kept]:
            course.follow(self._others[kept:])
        failed = course.improvise(self._seed or 0)
        played = [_as_played(step) for step in course.steps]
        if stop is None:
            self._moves = played
        else:
            self._others = played
        return course.position(stop or failed, len(played) - kept if stop else 0)


class _Course:
    """A game that is played to the end of a turn."""

    def __init__(self, state: State, turns: int | None, stale: Stale) -> None:
        self.state = state
        self.steps: list[Step] = []
        self._watch = Watch(state)
        self._turns, self._stale = turns, stale

    def position(self, stop: BlockedMove | None, anew: int) -> ReplayedPosition:
        """Return the current position."""
        last = next((step.laid for step in reversed(self.steps) if step.laid), None)
        text = self.state.canonical()
        return ReplayedPosition(self.state, tuple(self.steps), last, stop, anew, text)

    def follow(self, moves: list[HandMove]) -> BlockedMove | None:
        """Play these moves and return the first that is not possible, None if all are."""
        for move in moves:
            if self._there():
                return None
            if (stop := self._play(move)) is not None:
                return stop
        return None

    def improvise(self, seed: int) -> BlockedMove | None:
        """Play on at random and return the move at which a rule fails, None if there is none."""
        players = self.state.players
        bots = {colour: RandomBot(seed, seat) for seat, colour in enumerate(players)}
        while not self._there() and (mover := self.state.mover) in bots:
            move = bots[mover or ""].decide(self.state)
            if (stop := self._take(move, HandMove(mover or "", move.name, move.texts))) is not None:
                return stop
        return None

    def _there(self) -> bool:
        """Return whether the turn asked for, or the end of the game, is reached."""
        if self._stale():
            raise Outdated
        if self.state.mover is None:
            return True
        reached = self.steps[-1].turn if self.steps and self.steps[-1].last else 0
        return self._turns is not None and reached >= self._turns

    def _play(self, played: HandMove) -> BlockedMove | None:
        if self.state.mover != played.by:
            whose = "nobody's" if self.state.mover is None else f"{self.state.mover}'s"
            return self._stop(played, f"it is {whose} turn")
        try:
            move = self.state.move(played.name, **dict(played.args))
        except IllegalMove as error:
            return self._stop(played, str(error))
        return self._take(move, played)

    def _take(self, move: Move, played: HandMove) -> BlockedMove | None:
        self._watch.before(move)
        try:
            self.state.play(move)
        except PlayError as error:
            return self._stop(played, error.message, error)
        self.steps.append(self._watch.after(move))
        return None

    def _stop(self, played: HandMove, message: str, error: PlayError | None = None) -> BlockedMove:
        turn = self.steps[-1].turn + self.steps[-1].last if self.steps else 1
        slug, span = (error.slug, error.span) if error else ("", None)
        return BlockedMove(len(self.steps) + 1, turn, played, message, slug, span)


def _as_played(step: Step) -> HandMove:
    return HandMove(step.by, step.move.name, step.move.texts)


@dataclass(frozen=True)
class First:
    """The first move that gives other points than before.

    `before` are the gains it gave only then, `now` those it gives only now.
    """

    step: Step
    before: tuple[Gain, ...]
    now: tuple[Gain, ...]


@dataclass(frozen=True)
class ReplayChanges:
    """The differences between two positions.

    `scores` are those that differ, before and now, by colour. `first` is the first move that gives
    other points; `new` and `gone` are the moves that became legal and those that no longer are.
    `elsewhere` is True if only something else differs.
    """

    scores: Mapping[str, tuple[int | None, int | None]]
    first: First | None
    new: tuple[str, ...]
    gone: tuple[str, ...]
    elsewhere: bool

    @property
    def none(self) -> bool:
        """True if there are no differences."""
        return not (self.scores or self.first or self.new or self.gone or self.elsewhere)


def changes(before: ReplayedPosition, now: ReplayedPosition) -> ReplayChanges:
    """Return the differences between two positions."""
    was, are = before.state.scores(), now.state.scores()
    colours = dict.fromkeys([*was, *are])
    scores = {c: (was.get(c), are.get(c)) for c in colours if was.get(c) != are.get(c)}
    offered = [dict.fromkeys(map(str, each.state.moves())) for each in (before, now)]
    new = tuple(move for move in offered[1] if move not in offered[0])
    gone = tuple(move for move in offered[0] if move not in offered[1])
    first = _first(before, now)
    said = bool(scores or first or new or gone)
    return ReplayChanges(scores, first, new, gone, not said and before.text != now.text)


def _first(before: ReplayedPosition, now: ReplayedPosition) -> First | None:
    """Return the first move, played in both, that gives other points."""
    for was, step in zip(before.steps, now.steps, strict=False):
        if (was.by, was.move) != (step.by, step.move):
            return None
        lost, got = _without(was.gains, step.gains), _without(step.gains, was.gains)
        if lost or got:
            return First(step, lost, got)
    return None


def _without(these: Sequence[Gain], those: Sequence[Gain]) -> tuple[Gain, ...]:
    """Return the gains in `these` without those in `those`, each as often as it occurs."""
    left = [_points(gain) for gain in those]
    found = []
    for gain in these:
        if _points(gain) in left:
            left.remove(_points(gain))
        else:
            found.append(gain)
    return tuple(found)


def _points(gain: Gain) -> tuple[str, int, str, str | None]:
    return gain.player, gain.amount, gain.source, gain.subject
