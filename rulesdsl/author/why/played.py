"""Replays of games for questions: a turn of a record, or a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rulesdsl.author.why import tracing
from rulesdsl.author.why.tracing import TracedPosition
from rulesdsl.base.deadline import Deadline
from rulesdsl.base.records import dataclass
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Source
from rulesdsl.language.diagnostics.report import did_you_mean, near
from rulesdsl.play.events import Turns
from rulesdsl.play.game import Game, State
from rulesdsl.play.moves import Move
from rulesdsl.play.records import Record, replay
from rulesdsl.play.scenario import Scenario, read_scenarios
from rulesdsl.play.scenario.steps import as_step

LAST = -1
"""The last turn of a record."""

_SHOWN = 8


@dataclass(frozen=True)
class PlayedMove:
    """A move of a game: its turn, its number in the record, the player and the move.

    The player and the move are None at the end of the game.
    """

    turn: int
    number: int
    by: str
    move: Move | None

    def __str__(self) -> str:
        played = "the game ends" if self.move is None else f"{self.by} plays {as_step(self.move)}"
        return f"turn {self.turn}, move {self.number}: {played}"


class Question(Protocol):
    """A question about a game, which watches the game while it is replayed."""

    def before(self, state: Observed, moment: PlayedMove) -> None:
        """Handle a move that is about to be played."""

    def after(self, state: Observed, waiting: bool) -> None:
        """Handle the end of the replay; `waiting` if the current decision is asked about too."""


class Observed(State):
    """A state that is observed completely, and the question that observes it."""

    def __init__(self, game: Game, position: TracedPosition, question: Question) -> None:
        super().__init__(game, position)
        self.observed = position
        self._question = question
        self.turns = Turns()
        self.number = 0

    def play(self, move: Move, *, deadline: Deadline | None = None) -> None:
        """Play a move as `State.play` does, after notifying the question."""
        self._before(move)
        super().play(move, deadline=deadline)
        self.turns.after(self)

    def finish(self) -> None:
        """End the game as `State.finish` does, after notifying the question."""
        self._before(None)
        super().finish()

    def _before(self, move: Move | None) -> None:
        self.turns.before(self)
        self.number += 1
        moment = PlayedMove(self.turns.number, self.number, self.mover or "", move)
        self._question.before(self, moment)


@dataclass(frozen=True)
class Turn:
    """A turn of a record: its number, the moves before and after it, and its beginning."""

    number: int
    first: int
    last: int
    start: State


def ask_record(
    record: Record,
    game: Game,
    turn: int,
    question: Question,
    player: str | None,
    played: bool = False,
) -> None:
    """Ask about a turn of a record, from the view of a player if one is named.

    `LAST` is the last turn. In an unfinished game that is the current one, in which nobody may have
    moved yet; with `played`, it is the last turn with a move. Raises RulesError when there is no
    such turn or player, or when the record is not one of the game.
    """
    eyes = seat_of(game.colours[: record.header.players], player)
    found = _turn(record, game, turn, played)
    position = tracing.resume(found.start.position, eyes)
    state = Observed(game, position, question)
    state.number, state.turns.number = found.first, found.number
    for entry in record.entries[found.first : found.last]:
        state.play(state.recorded(entry.move, entry.args))
    question.after(state, state.mover is not None and state.turns.number == found.number)


def turn_with(record: Record, game: Game, move: int) -> int:
    """Return the number of the turn with a move of a record, from 1; raises RulesError."""
    for turn in _turns(record, game):
        if turn.first < move <= turn.last:
            return turn.number
    raise RulesError([Diagnostic("bad-argument", f"the record has no move {move}")])


def _turn(record: Record, game: Game, wanted: int, played: bool) -> Turn:
    found = None
    for each in _turns(record, game):
        if played and each.first == each.last:
            continue
        found = each
        if found.number == wanted:
            return found
    if found is None:
        raise RulesError([Diagnostic("bad-argument", "nobody has moved in the record")])
    if wanted != LAST:
        message = f"the record has turns 1 to {found.number}, not {wanted}"
        raise RulesError([Diagnostic("bad-argument", message)])
    return found


def _turns(record: Record, game: Game) -> Iterator[Turn]:
    steps = replay(record, game)
    state, _ = next(steps)
    turns, first, start = Turns(), 0, state.clone()
    for at in range(1, len(record.entries) + 1):
        if state.mover is not None:
            turns.before(state)
        number = turns.number
        next(steps)
        if turns.after(state) or at == len(record.entries):
            yield Turn(number, first, at, start)
            first, start = at, state.clone()
    if state.mover is not None and (not record.entries or turns.number > number):
        yield Turn(turns.number, first, first, start)


def ask_scenario(
    source: Source, name: str | None, paths: Sequence[str], question: Question, player: str | None
) -> tuple[Diagnostic, ...]:
    """Ask about the moves of a scenario of a file, by its name (None: the only one).

    Return its failed expectations. Raises RulesError when there is none of that name, or it cannot
    be played.
    """
    begun: list[Observed] = []

    def start(game: Game, players: int | None, seed: int | None) -> State:
        count = game.seats(players)
        eyes = seat_of(game.colours[:count], player)
        position = tracing.start(game.checked, count, seed, eyes)
        begun.append(Observed(game, position, question))
        return begun[-1]

    scenario = _scenario(read_scenarios(source, paths, "python", start), name)
    findings = scenario.run().findings
    if not begun:
        raise RulesError(findings)
    question.after(begun[-1], begun[-1].mover is not None)
    return findings


def _scenario(found: Sequence[Scenario], name: str | None) -> Scenario:
    """Return the scenario of that name, or the only one whose name contains it.

    Raises RulesError if there is none, or more than one.
    """
    names = [each.name for each in found]
    named = tuple(f"--scenario '{each}'" for each in names[:_SHOWN])
    if len(names) > _SHOWN:
        named += (f"and {len(names) - _SHOWN} more",)
    if name is None and len(found) != 1:
        raise RulesError([Diagnostic("bad-argument", "choose a scenario", help=named)])
    exact = [each for each in found if name in (None, each.name)]
    holding = exact or [each for each in found if (name or "") in each.name]
    if len(holding) == 1:
        return holding[0]
    if holding:
        likely = tuple(f"`{each.name}`" for each in holding[:_SHOWN])
        message = f"{len(holding)} scenarios have `{name}` in their name"
        raise RulesError([Diagnostic("bad-argument", message, help=likely)])
    close = tuple(f"did you mean `{each}`?" for each in near(name or "", names))
    message = f"there is no scenario `{name}`"
    raise RulesError([Diagnostic("bad-argument", message, help=close or named)])


def seat_of(players: tuple[str, ...], player: str | None) -> int | None:
    """Return the seat of a named player; raises RulesError for one who does not play."""
    if player is None:
        return None
    if player not in players:
        message = f"no player `{player}`; the players are {', '.join(players)}"
        help = did_you_mean(player, players)
        raise RulesError([Diagnostic("bad-argument", message, help=help)])
    return players.index(player)
