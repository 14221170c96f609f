"""The terms of points: what the engine says about every gain of a recorded game."""

from __future__ import annotations

from rulesdsl.play import Game, IllegalMove, PlayError, State
from rulesdsl.play.records import Record, RecordedMove
from rulesdsl.play.watch import Gain, Watch

Data = dict[str, object]


class Terms:
    """Plays a recorded game as it grows, and keeps the gains of its moves."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._played: list[RecordedMove] = []
        self._begun: tuple[int, int | None] | None = None
        self._watch: tuple[State, Watch] | None = None
        self._gains: list[list[Data]] = []

    def of(self, record: Record) -> list[list[Data]]:
        """Return the gains of each move, in the order of the page; fewer if a move is not legal.

        A gain has a `subject`, None or in plain form, and `terms` with a `name` and a `value`.
        """
        begun = record.header.players, record.header.seed
        known = len(self._played)
        if begun != self._begun or list(record.entries[:known]) != self._played:
            self._begin(*begun)
        self._begun = begun
        assert self._watch is not None, "the game has begun"
        state, watch = self._watch
        try:
            for entry in record.entries[len(self._played) :]:
                move = state.move(entry.move, **entry.args)
                watch.before()
                state.play(move)
                self._gains.append(list(map(_fields, watch.after(move).gains)))
                self._played.append(entry)
        except (IllegalMove, PlayError):
            self._begun = None
        return self._gains

    def _begin(self, players: int, seed: int | None) -> None:
        state = self._game.start(players, seed)
        self._watch = state, Watch(state)
        self._played, self._gains = [], []


def _fields(gain: Gain) -> Data:
    terms = [{"name": term.name, "value": term.value} for term in gain.terms]
    return {"subject": gain.subject, "terms": terms}
