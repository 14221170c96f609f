"""A recorded game told anew so that its draws and throws are moves, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulesdsl.play.game import CHANCE, Game, State
from rulesdsl.play.golden.write import recorded_move
from rulesdsl.play.move import Move
from rulesdsl.play.records import Record
from rulesdsl.play.turns import Turns
from rulesdsl.run.engine import PlayError
from rulesdsl.run.rng import Rng


class NotRetold(Exception):
    """The recorded game cannot be played to the turn that is asked for; the message says why."""


@dataclass(frozen=True)
class Turn:
    """A turn: its number, the state before it and after it, which offer chance, and the moves that
    lead from one to the other, with the name of who made each, chance among them."""

    number: int
    before: State
    after: State
    moves: tuple[tuple[str, Move], ...]


def turns(record: Record, game: Game) -> Iterator[Turn]:
    """Every turn of a record, as far as it goes; the last may be one that is not over. Raises
    NotRetold where the record tells of another game than `game` plays."""
    teller = _Teller(record, game)
    while (turn := teller.turn()) is not None:
        yield turn


class _Teller:
    """Plays the game as it is recorded, and beside it one that offers chance: what comes of that is
    drawn as the engines draw it (see `docs/reference/generator.md`)."""

    def __init__(self, record: Record, game: Game) -> None:
        head = record.header
        try:
            self._closed = game.start(head.players, head.seed)
            self._open = game.start(head.players, None)
        except (ValueError, PlayError) as error:
            raise NotRetold(f"the game does not begin: {error}") from None
        self._luck = None if head.seed is None else Rng.seeded(head.seed)
        self._entries = iter(record.entries)
        self._turns = Turns()

    def turn(self) -> Turn | None:
        """The next turn, None at the end of the record."""
        before, number = self._open.clone(), self._turns.number
        moves: list[tuple[str, Move]] = []
        while self._turns.number == number:
            entry = next(self._entries, None)
            if entry is None:
                break
            if self._luck is not None:
                moves += self._chance()
            move = recorded_move(self._closed, entry)
            if move is None or self._open.mover != entry.by:
                raise NotRetold(f"in turn {number} the game goes another way than it is recorded")
            self._turns.before(self._closed)
            self._played(self._closed, move)
            self._played(self._open, move)
            self._turns.after(self._closed)
            moves.append((entry.by, move))
            if self._luck is not None and self._closed.mover is None:
                moves += self._chance()
        return Turn(number, before, self._open.clone(), tuple(moves)) if moves else None

    def _chance(self) -> Iterator[tuple[str, Move]]:
        """The draws and throws up to the next decision of a player."""
        assert self._luck is not None, "a record without a seed tells them itself"
        while self._open.mover == CHANCE:
            offered = self._open.moves()
            weights = [move.weight for move in offered]
            index = self._luck.weighted(weights) if len(weights) > 1 else 0
            # By its number, as two outcomes may have one name.
            self._open.position.play(index)
            self._open.refresh()
            yield CHANCE, offered[index]

    def _played(self, state: State, move: Move) -> None:
        try:
            state.play(state.move(move.name, **dict(move.args)))
        except (ValueError, PlayError) as error:
            raise NotRetold(f"turn {self._turns.number}: {error}") from None
