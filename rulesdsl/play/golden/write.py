"""Writing golden records."""

from __future__ import annotations

import io
from dataclasses import replace

from rulesdsl.play.bots import RandomBot
from rulesdsl.play.game import CHANCE, Game, State
from rulesdsl.play.golden.aftermath import Aftermath
from rulesdsl.play.move import IllegalMove, Move
from rulesdsl.play.records import Entry, Header, Record, Recorder
from rulesdsl.run.rng import Rng


def golden_text(record: Record, game: Game, name: str | None = None) -> str:
    """The golden record of the game that `record` tells when `game` plays it, which it need not
    have been made with.

    Where a move of the record is not offered, all play on at random. `name` is what the record is
    called then, by default as before. Raises PlayError if a rule fails, ValueError if the game is
    not for so many players.
    """
    header = record.header
    state = game.start(header.players, header.seed)
    file = io.StringIO()
    named = replace(Header.of(game, header.players, header.seed), name=name or header.name)
    recorder, aftermath = Recorder(file, named), Aftermath(state)
    source = _Moves(record, state)
    while (move := source.next()) is not None:
        by, offered = state.mover, len(state.moves())
        assert by is not None, "where there is a move somebody moves"
        state.play(move)
        recorder.move(by, move, offered=offered, then=aftermath.then().fields())
    if state.mover is None:
        recorder.result(state)
    return file.getvalue()


class _Moves:
    """The moves of a record as long as they are offered, and random ones from then on. A record
    that stops before the end of the game stops there."""

    def __init__(self, record: Record, state: State) -> None:
        self._entries = iter(record.entries)
        self._state = state
        self._seed = record.header.seed or 0
        self._bots: dict[str, RandomBot] | None = None

    def next(self) -> Move | None:
        """The next move, None at the end."""
        if self._state.mover is None:
            return None
        if self._bots is None:
            entry = next(self._entries, None)
            if entry is None:
                return None
            if (found := recorded_move(self._state, entry)) is not None:
                return found
            seats = enumerate(self._state.players)
            self._bots = {colour: RandomBot(self._seed, seat) for seat, colour in seats}
            self._luck = Rng.seeded(self._seed, 1 + len(self._bots))
        if self._state.mover == CHANCE:
            moves = self._state.moves()
            return moves[self._luck.weighted([each.weight for each in moves])]
        return self._bots[self._state.mover].decide(self._state)


def recorded_move(state: State, entry: Entry) -> Move | None:
    """The move that a line of a record tells of, None if it is not offered to whoever made it."""
    if state.mover != entry.by:
        return None
    try:
        return state.move(entry.move, **entry.args)
    except IllegalMove:
        return None
