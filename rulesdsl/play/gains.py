"""Points that players got, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from rulesdsl.model.values import Player
from rulesdsl.play.game import State
from rulesdsl.play.labels import Labels
from rulesdsl.run.engine import Change, Reading


@dataclass(frozen=True)
class Gain:
    """Points that a player got (or lost).

    `source` says where they come from (see `model.sources`); `subject` is the plain name of the
    feature, segment or component that the innermost action with one was about; `terms` are the
    quantities that went into the points.
    """

    player: str
    amount: int
    source: str
    subject: str | None
    terms: tuple[Reading, ...]


class GainLog:
    """Listens to a state and keeps its gains: `log = GainLog(state); state.listen(log.hear)`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._new: list[Gain] = []

    def hear(self, change: Change) -> None:
        """Note a change of a score."""
        if change.name != self._state.game.checked.score:
            return
        (owner,) = change.arguments
        assert isinstance(owner, Player), "a score is a player's"
        about = None if change.about is None else str(self._state.names.short(change.about))
        player = self._state.game.colours[owner.seat]
        self._new.append(Gain(player, change.amount, change.source, about, change.readings))

    def take(self) -> tuple[Gain, ...]:
        """Return the gains since the last time."""
        gains, self._new = tuple(self._new), []
        return gains


def describe(gain: Gain, labels: Labels, language: str) -> str:
    """`+8 lane@N.S(0,0): 3 tiles, 1 well`, in the words of the labels."""
    if gain.subject is None:
        subject = labels(gain.source, language, count=2)
    else:
        subject = labels.plain(gain.subject, language)
    terms = ", ".join(
        f"{term.value} {labels(term.name, language, count=term.value)}" for term in gain.terms
    )
    return f"{gain.amount:+d} {subject}" + (f": {terms}" if terms else "")
