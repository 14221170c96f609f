"""Explanations of points: each change of a score, and the rules that caused it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rulesdsl.author.why.answer import HIDDEN, Answer, AnswerStep, ValueTexts
from rulesdsl.author.why.played import Observed, PlayedMove, seat_of
from rulesdsl.author.why.steps import Steps, formula, place
from rulesdsl.author.why.tracing import (
    Evaluation,
    ExpressionTrace,
    RuleTrial,
    RunningBody,
    TracedPosition,
)
from rulesdsl.engine.build.stages import expression
from rulesdsl.engine.run.interface import Candidate, Change, PlayError
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source
from rulesdsl.language.diagnostics.report import did_you_mean, listed, near
from rulesdsl.language.model import checked
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.game import LinkedGame
from rulesdsl.language.model.names import owner_of, parties_of, short_name, written_name
from rulesdsl.language.model.types import CELL, PLACEMENT, PLAYER, OptionalType, SetType, Type
from rulesdsl.language.model.values import Cell, Placement, Player, Value
from rulesdsl.play.events import Event, EventLog, sentence
from rulesdsl.play.game import State
from rulesdsl.play.moves import ANYTHING, means
from rulesdsl.play.names import PlainForms
from rulesdsl.play.table import things


class PointsQuestion:
    """A question for the reasons of points, of `player` (a colour), or of all if None.

    `answers` are complete after the replay.
    """

    def __init__(self, player: str | None = None) -> None:
        self.answers: list[Answer] = []
        self._player = player
        self._moment: PlayedMove | None = None
        self._older: frozenset[int] = frozenset()
        self._events: EventLog | None = None
        self._played: Candidate | None = None

    def before(self, state: Observed, moment: PlayedMove) -> None:
        """Listen to the score changes of the move that is about to be played.

        Raises RulesError when the player of the question does not play.
        """
        seat_of(state.players, self._player)
        running = state.observed.tracer.running
        self._moment, self._older = moment, frozenset(each.number for each in running)
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
        seen, sites = state.observed.tracer.given.popleft()
        (owner,) = change.arguments
        assert isinstance(owner, Player), "a score is a player's"
        colour = state.game.colours[owner.seat]
        if self._player not in (None, colour) or change.old == change.new:
            return
        assert self._moment is not None, "scores change by moves"
        texts = ValueTexts(state.observed)
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

    def _calls(self, sites: Sequence[RunningBody]) -> Sequence[RunningBody]:
        """Return the calls that began since the move, innermost first; at least the scoring one."""
        new = [site for site in sites if site.number not in self._older]
        return sites[: max(len(new), 1)]

    def _steps(
        self,
        owner: Player,
        seen: ExpressionTrace | None,
        sites: Sequence[RunningBody],
        texts: ValueTexts,
    ) -> Iterator[AnswerStep]:
        steps = Steps(texts)
        if seen is not None:
            yield steps.amount(_named(sites[0], texts), sites[0].span, seen)
        for site in self._calls(sites):
            for loop, domain in site.loops:
                if domain is not None and _goes_to(loop, owner, site):
                    name, span = texts.value(owner), domain.expression.span
                    yield steps.amount(f"who gets it: {name}", span, domain)


def _candidate(state: Observed, moment: PlayedMove) -> Candidate | None:
    """Return the move that is played as the engine offers it, None at the end of the game."""
    decision = state.position.decision
    if moment.move is None or decision is None:
        return None
    moves = state.moves()
    index = moves.index(moment.move)
    return moves[index].named_in(decision.candidates[index])


def _goes_to(loop: checked.For, owner: Player, site: RunningBody) -> bool:
    """Return whether a loop over some of the players is at this one."""
    domain, names = loop.binder.domain, loop.binder.names
    some = domain.type == SetType(PLAYER) and not isinstance(domain, checked.CallBuiltin)
    return some and any(site.locals.get(name) == owner for name in names)


def _named(site: RunningBody, texts: ValueTexts) -> str:
    what = texts.call(site.code.key, site.arguments) if site.code.key else "always"
    if site.part in ("before", "after", "around"):
        return f"`{site.part}` of {what}"
    return what


_PLACE = re.compile(r"\(?(-?\d{1,9}), ?(-?\d{1,9})(?:, ?(\d{1,9}))?\)?")


def given(text: str, wanted: Type, state: State, position: TracedPosition) -> Value:
    """Return the value of that type that a text means in a game, without changing the game.

    Raises RulesError when there is none, or when it depends on something hidden from the player who
    asks.
    """
    kind = wanted.item if isinstance(wanted, OptionalType) else wanted
    place = _place(text, kind, state.game.checked.game)
    if place is not None:
        return place
    names = state.names
    thing = next((each for each in things(kind, state) if means(text, each, names)), None)
    if thing is not None:
        return thing
    source = Source("argument", text)
    report = Report()
    checked = expression(source.span(0, len(text)), state.game.checked, wanted, {}, report)
    if checked is None or not report.ok:
        known = [f(each) for each in things(kind, state) for f in (names.full, names.short)]
        near = did_you_mean(text, map(str, known))
        if near:
            message = f"there is no {wanted} `{text}`"
            raise RulesError([Diagnostic("bad-argument", message, help=near)])
        raise RulesError(report.sorted())
    try:
        found = position.value(checked)
    except PlayError as error:
        sees_all = position.tracer.eyes is None
        why = f": {error.message}" if sees_all else " from what this player knows"
        message = f"`{text}` cannot be computed{why}"
        raise RulesError([Diagnostic("bad-argument", message)]) from None
    if found.hidden:
        message = f"`{text}` cannot be computed from what this player knows"
        raise RulesError([Diagnostic("bad-argument", message)])
    return found.value


def _place(text: str, kind: Type, game: LinkedGame) -> Value:
    numbers = _PLACE.fullmatch(text)
    if numbers is None or kind not in (CELL, PLACEMENT):
        return None
    x, y, turned = numbers.groups()
    cell = Cell(0, 0, int(y), int(x))
    return cell if kind == CELL else Placement(cell, int(turned or 0) // game.degrees % game.sides)


def because(definition: tree.ValueDef, winner: int, other: int, game: LinkedGame) -> str:
    """Return the reason why one rule beats another that also applies."""
    one, two = definition.rules[winner], definition.rules[other]
    if other not in one.beats:
        return "both give the same result, or a third rule decides"
    if two.verb == "base":
        return "a refinement beats the value's own body"
    if one.ruleset == two.ruleset:
        return "its guard is narrower"
    reach, below = game.reach[one.ruleset], game.reach[two.ruleset]
    if reach > below:
        return _rulesets(one, two, game)
    ordered = f"an `order` puts {one.ruleset} after {two.ruleset}"
    # Of two house rulesets the narrower guard wins, unless they are ordered.
    return f"its guard is narrower, or {ordered}" if reach == below else ordered


def _rulesets(one: tree.Rule, two: tree.Rule, game: LinkedGame) -> str:
    owner, *others = parties_of(one.ruleset)
    winner = next(each for each in game.rulesets if each.id == owner)
    if winner.house and owner_of(two.ruleset) != owner:
        return f"{owner} is a house rule, which beats all others"
    if others:
        names, verb = listed(others, "and"), "is" if len(others) == 1 else "are"
        return f"{owner} decides when {names} {verb} loaded too"
    if winner.interaction:
        parties = listed([party.name for party in winner.parties], "and")
        return f"{owner} decides when {parties} are both loaded"
    return f"{one.ruleset} requires {two.ruleset}"


MOST = 12
"""Maximum number of different calls of a value that are explained."""

POLICIES = {
    "sum": "the sum of all that apply",
    "max": "the largest of all that apply",
    "min": "the smallest of all that apply",
    "all": "true if all that apply are",
    "any": "true if one that applies is",
    "union": "all members of all that apply",
}


class Valued:
    """A question for the values of a value declaration.

    Without arguments, it is about every evaluation. With arguments (as people write them), it is
    about the evaluations with these, or else about the value after the replay. `answers` are
    complete then.
    """

    def __init__(self, name: str, arguments: Sequence[str] = ()) -> None:
        self.answers: list[Answer] = []
        self._name = name
        self._arguments = tuple(arguments)
        self._known: set[tuple[object, ...]] = set()

    def before(self, state: Observed, moment: PlayedMove) -> None:
        """Watch the evaluations of the value during the move."""
        definition = self._definition(state.game.checked)
        when = str(moment)

        def notice(seen: ExpressionTrace) -> None:
            self._noticed(state, definition, seen, when)

        state.observed.tracer.noticed = definition.key, notice

    def after(self, state: Observed, waiting: bool) -> None:
        """Evaluate the value now, if there are no answers yet.

        Raises RulesError for an unknown value or argument, or if the value cannot be computed for
        them.
        """
        state.observed.tracer.noticed = None
        definition = self._definition(state.game.checked)
        if self.answers or (definition.params and not self._arguments):
            return
        self._evaluate(state, definition)

    def _evaluate(self, state: Observed, definition: tree.ValueDef) -> None:
        position = state.observed.clone()
        params, span = definition.params, definition.span
        arguments = tuple(
            tree.Const(span, param.type, given(text, param.type, state, position))
            for text, param in zip(self._arguments, params, strict=True)
        )
        call = tree.CallValue(span, definition.type, definition.key, arguments)
        try:
            seen = position.value(call)
        except PlayError as error:
            known = position.tracer.eyes is not None
            why = " from what this player knows" if known else f": {error.message}"
            message = f"`{self._name}` cannot be computed{why}"
            raise RulesError([Diagnostic("play-error", message, error.span)]) from None
        self._tell(position, definition, seen, _now(state))

    def _definition(self, checked: Checked) -> tree.ValueDef:
        """Return the declaration of the value; raises RulesError if it is unknown."""
        values = checked.values.keys() - checked.actions.keys()
        found = sorted(key for key in values if self._name in _names(key))
        if len(found) == 1:
            definition = checked.values[found[0]]
            count = len(definition.params)
            if len(self._arguments) in (0, count):
                return definition
            names = ", ".join(f"{param.name}: {param.type}" for param in definition.params)
            message = f"`{self._name}` takes {count} arguments ({names})"
            raise RulesError([Diagnostic("bad-argument", message)])
        raise RulesError([self._unknown(checked, found)])

    def _unknown(self, checked: Checked, found: Sequence[str]) -> Diagnostic:
        if found:
            help = tuple(f"write `{written_name(key)}`" for key in found)
            message = f"several rulesets have a value `{self._name}`"
            return Diagnostic("bad-argument", message, help=help)
        if any(self._name in _names(row.key) for row in checked.game.attributes):
            message = f"`{self._name}` is an attribute that no rule refines"
            help = ("its value comes from the manifests",)
            return Diagnostic("bad-argument", message, help=help)
        names = {short_name(key) for key in checked.values.keys() - checked.actions.keys()}
        help = tuple(f"did you mean `{each}`?" for each in near(self._name, names))
        return Diagnostic("bad-argument", f"there is no value `{self._name}`", help=help)

    # --- answers ---------------------------------------------------------------------------------

    def _noticed(
        self, state: Observed, definition: tree.ValueDef, seen: ExpressionTrace, when: str
    ) -> None:
        assert isinstance(seen.expression, tree.CallValue), "only calls are noticed"
        count = len(seen.expression.arguments)
        arguments = tuple(part.value for part in seen.parts[:count])
        if (arguments, seen.value) in self._known or len(self._known) >= MOST:
            return
        if state.observed.tracer.hides(arguments):
            return
        if self._arguments and not self._asked(state, arguments):
            return
        self._known.add((arguments, seen.value))
        self._tell(state.observed, definition, seen, when)

    def _asked(self, state: Observed, arguments: tuple[Value, ...]) -> bool:
        names = PlainForms(state.observed)
        return all(
            text in ANYTHING or means(text, value, names)
            for text, value in zip(self._arguments, arguments, strict=True)
        )

    def _tell(
        self, position: TracedPosition, definition: tree.ValueDef, seen: ExpressionTrace, when: str
    ) -> None:
        texts = ValueTexts(position)
        found = seen.evaluation
        if found is not None:
            position.try_rules(seen, found)
        assert isinstance(seen.expression, tree.CallValue), "it is a call"
        arguments = [part.value for part in seen.parts[: len(seen.expression.arguments)]]
        policy = definition.policy
        rules = [] if found is None or seen.hidden else list(_rules(seen, found, texts, position))
        note = () if policy == "unique" else (f"{definition.policy}: {POLICIES[policy]}",)
        self.answers.append(
            Answer(
                when,
                f"{texts.call(definition.key, arguments)} = {texts.of(seen)}",
                {
                    "question": "value",
                    "name": definition.key,
                    "arguments": [texts.value(value) for value in arguments],
                    "value": texts.of(seen),
                    "policy": policy,
                    "rules": [fact for fact, _ in rules],
                },
                tuple(step for _, step in rules),
                note,
            )
        )


def _now(state: Observed) -> str:
    return f"after move {state.number}" if state.number else "before the first move"


def _names(key: str) -> tuple[str, ...]:
    return key, short_name(key), written_name(key)


def _rules(
    seen: ExpressionTrace, found: Evaluation, texts: ValueTexts, position: TracedPosition
) -> Iterator[tuple[dict[str, object], AnswerStep]]:
    """Yield the outcome of every rule of the value, for programs and for people."""
    definition = found.definition
    won = found.winner(seen) if definition.policy == "unique" else None
    steps = Steps(texts)
    steps.told_apart(found)
    for trial in found.trials:
        if trial.guard is not None and trial.guard.hidden:
            title = f"`{trial.rule.verb}` of {trial.rule.ruleset}: {HIDDEN}"
            yield (
                {"ruleset": trial.rule.ruleset, "says": HIDDEN},
                AnswerStep(title, trial.rule.span),
            )
            continue
        says = _says(trial, won, definition, texts, position)
        who = "its own body" if trial.rule.verb == "base" else f"`{trial.rule.verb}`"
        title = f"{who} of {trial.rule.ruleset}: {says}"
        step = steps.rule(found, trial)
        span = place(trial)
        fact: dict[str, object] = {
            "ruleset": trial.rule.ruleset,
            "verb": trial.rule.verb,
            "file": span.source.name,
            "line": span.line,
            "applies": trial.applies,
            "won": trial is won,
            "value": texts.of(trial.result) if trial.result else None,
            "says": says,
        }
        yield fact, AnswerStep(title, step.span, step.marks, step.notes, step.steps)


def _says(
    trial: RuleTrial,
    won: RuleTrial | None,
    definition: tree.ValueDef,
    texts: ValueTexts,
    position: TracedPosition,
) -> str:
    """Return the outcome of a rule in words."""
    if not trial.applies:
        return "does not apply"
    gives = "gives nothing" if trial.result is None else f"gives {texts.of(trial.result)}"
    if trial is won:
        return f"{gives}, and wins"
    if won is None:
        return gives
    game = position.checked.game
    return f"{gives}, and is beaten: {because(definition, won.number, trial.number, game)}"
