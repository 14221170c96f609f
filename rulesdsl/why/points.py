"""Explanations of points: each change of a score, and the rules that caused it."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.engines.engine import Candidate, Change
from rulesdsl.engines.reference.runtime import LoopFrame
from rulesdsl.engines.reference.tracing import ExpressionTrace, Origin, Site
from rulesdsl.model import checked
from rulesdsl.model.types import PLAYER, SetType
from rulesdsl.model.values import Player
from rulesdsl.play.events import Event, EventLog, sentence
from rulesdsl.why.answer import Answer, AnswerStep, ValueTexts
from rulesdsl.why.played import Observed, PlayedMove, seat_of
from rulesdsl.why.steps import Steps, formula


class PointsQuestion:
    """A question for the reasons of points, of `player` (a colour), or of all if None.

    `answers` are complete after the replay.
    """

    def __init__(self, player: str | None = None) -> None:
        self.answers: list[Answer] = []
        self._player = player
        self._moment: PlayedMove | None = None
        self._older: list[object] = []
        self._events: EventLog | None = None
        self._played: Candidate | None = None

    def before(self, state: Observed, moment: PlayedMove) -> None:
        """Listen to the score changes of the move that is about to be played.

        Raises RulesError when the player of the question does not play.
        """
        seat_of(state.players, self._player)
        runtime = state.observed.runtime
        self._moment, self._older = moment, list(runtime.stack)
        log = self._events = EventLog(state)
        self._played = _candidate(state, moment)

        def hear(change: Change) -> None:
            log.hear(change)
            if change.name == state.game.checked.score:
                self._changed(state, change)

        state.listen(hear)

    def after(self, state: Observed, waiting: bool) -> None:
        """Ignore the end of the replay: the answers are complete."""

    def _changed(self, state: Observed, change: Change) -> None:
        (owner,) = change.arguments
        assert isinstance(owner, Player), "a score is a player's"
        colour = state.game.colours[owner.seat]
        if self._player not in (None, colour) or change.old == change.new:
            return
        assert self._moment is not None, "scores change by moves"
        texts = ValueTexts(state.observed)
        sites = list(state.observed.runtime.sites())
        seen = next((each.seen for each in change.readings if isinstance(each, Origin)), None)
        amount, calls = change.amount, self._calls(sites)
        events, lines = self._happened(), state.game.checked.game.lines
        named = [_named(site, texts) for site in calls]
        made = formula(seen) if seen else ""
        subject = None if change.about is None else texts.value(change.about)
        self.answers.append(
            Answer(
                str(self._moment),
                f"{colour} {amount:+d}"
                + (f" for {subject}" if subject else "")
                + (f": {made}" if made != str(abs(amount)) else ""),
                {
                    "question": "points",
                    "turn": self._moment.turn,
                    "move": self._moment.number,
                    "by": self._moment.by,
                    "player": colour,
                    "amount": amount,
                    "old": change.old,
                    "new": change.new,
                    "about": subject,
                    "sum": made,
                    "calls": named,
                    "events": [event.fields() for event in events],
                },
                tuple(self._steps(owner, seen, sites, texts)),
                (
                    f"{change.old} -> {change.new} by {', in '.join(named)}",
                    *(f"before: {sentence(event, lines=lines)}" for event in events),
                ),
            )
        )

    def _happened(self) -> tuple[Event, ...]:
        """Return what everybody saw of the move so far, for its first answer only."""
        if self._events is None or self._played is None:
            return ()
        played, self._played = self._played, None
        return tuple(event for event in self._events.so_far(played) if event.to is None)

    def _calls(self, sites: list[Site]) -> list[Site]:
        """Return the calls that began since the move, innermost first; at least the scoring one."""
        new = [site for site in sites if not any(site.body is each for each in self._older)]
        return sites[: max(len(new), 1)]

    def _steps(
        self, owner: Player, seen: ExpressionTrace | None, sites: list[Site], texts: ValueTexts
    ) -> Iterator[AnswerStep]:
        steps = Steps(texts)
        if seen is not None:
            yield steps.amount(_named(sites[0], texts), sites[0].statement.span, seen)
        for site in self._calls(sites):
            for frame, reasons in site.inside:
                if isinstance(frame, LoopFrame) and _goes_to(frame.loop, owner, site):
                    domain = frame.loop.binder.domain
                    found = next((r for r in reasons if r.expression is domain), None)
                    if found is not None:
                        name = texts.value(owner)
                        yield steps.amount(f"who gets it: {name}", domain.span, found)


def _candidate(state: Observed, moment: PlayedMove) -> Candidate | None:
    """Return the move that is played as the engine offers it, None at the end of the game."""
    decision = state.position.decision
    if moment.move is None or decision is None:
        return None
    return decision.candidates[state.moves().index(moment.move)]


def _goes_to(loop: checked.For, owner: Player, site: Site) -> bool:
    """Return whether a loop over some of the players is at this one."""
    domain, names = loop.binder.domain, loop.binder.names
    some = domain.type == SetType(PLAYER) and not isinstance(domain, checked.CallBuiltin)
    return some and any(site.locals.get(name) == owner for name in names)


def _named(site: Site, texts: ValueTexts) -> str:
    """Return the text of a running action with its arguments, hook or option."""
    code = site.part.code
    what = texts.call(code.key, site.arguments) if code.key else "always"
    if site.part.name in ("before", "after", "around"):
        return f"`{site.part.name}` of {what}"
    return what
