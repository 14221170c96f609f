"""Why each point was given: gains, told by the engine's events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rulesdsl.model.values import EnumMember, Feature, Piece, Player, Segment, Value
from rulesdsl.play.game import State
from rulesdsl.play.labels import Labels
from rulesdsl.run.engine import Event, Reading


@dataclass(frozen=True)
class Gain:
    """Points that a player got (or lost).

    `source` is the enum member that the innermost action was given (as `enum.member`), or that
    action's name; `subject` the plain name of the feature, segment or component the innermost
    action with one was about; `terms` the quantities that went into the points.
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

    def hear(self, event: Event) -> None:
        """Take note of `event` if it changes a score."""
        if event.kind == "change" and event.name == self._state.game.checked.score:
            self._new.append(self._gain(event))

    def take(self) -> tuple[Gain, ...]:
        """The gains since the last time."""
        gains, self._new = tuple(self._new), []
        return gains

    def _gain(self, event: Event) -> Gain:
        owner = event.arguments[0]
        assert isinstance(owner, Player), "a score is a player's"
        assert isinstance(event.old, int), "a score is a number"
        assert isinstance(event.new, int), "a score is a number"
        return Gain(
            self._state.game.colours[owner.seat],
            event.new - event.old,
            self._source(event),
            self._subject(event),
            event.readings,
        )

    def _source(self, event: Event) -> str:
        if not event.calls:
            return event.name
        name, arguments = event.calls[0]
        members = [value for value in arguments if isinstance(value, EnumMember)]
        if not members:
            return name
        member = members[0]
        return f"{member.enum}.{self._state.names.short(member)}"

    def _subject(self, event: Event) -> str | None:
        about = next(_subjects(event.calls), None)
        return None if about is None else str(self._state.names.short(about))


def _subjects(calls: Iterable[tuple[str, tuple[Value, ...]]]) -> Iterator[Value]:
    for _, arguments in calls:
        for value in arguments:
            if isinstance(value, (Feature, Segment, Piece)):
                yield value


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
