"""Why a move is not offered: for all moves that may be meant, the condition that closes them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from rulesdsl.diagnostics import Diagnostic, RulesError
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.checked import Checked, ChoiceDef, Node, OptionDef
from rulesdsl.model.names import short_name
from rulesdsl.model.values import Value
from rulesdsl.play.moves import Wanted
from rulesdsl.play.names import Names
from rulesdsl.run.reference.frames import Ask, Call
from rulesdsl.run.reference.machine import evaluating
from rulesdsl.run.reference.observing import ObservedPosition, Seen
from rulesdsl.run.reference.statements import CHANCE
from rulesdsl.why.absent import absent
from rulesdsl.why.answer import Answer, Step, written
from rulesdsl.why.looking import Arguments, Closed, Look
from rulesdsl.why.played import Moment, Observed
from rulesdsl.why.reached import Barriers, barriers
from rulesdsl.why.steps import Steps
from rulesdsl.why.texts import MOST, Texts


class Refused:
    """Asks why a move is not offered. `answers` are there when all is played; they are about the
    last time that its option was asked for."""

    def __init__(self, move: Wanted) -> None:
        self.answers: list[Answer] = []
        self._move = move
        self._asked: list[str] = []
        self._when = ""
        self._barriers: Barriers | None = None
        self._closed: dict[int, Step] = {}

    def before(self, state: Observed, moment: Moment) -> None:
        """A move is about to be played."""
        self._look(state, f"turn {moment.turn}, move {moment.number}")
        self._when = when = f"turn {moment.turn}, after move {moment.number}"
        state.observed.runtime.passed_over = lambda: self._look(state, when)
        state.observed.runtime.watcher = lambda node, held: self._note(state, node, held)

    def after(self, state: Observed, waiting: bool) -> None:
        """All is played. Raises RulesError if the option was not asked for, and it is not known
        why."""
        if waiting:
            self._look(state, f"turn {state.turns.number}, after move {state.number}")
        if not self.answers:
            self.answers = [self._never(state.game.checked)]

    def _never(self, checked: Checked) -> Answer:
        """Why the option was not asked for."""
        choices = checked.choices.values()
        found = [(c, o) for c in choices for o in c.options if self._named(o)]
        if not found:
            raise RulesError([self._unknown(checked)])
        choice, option = found[0]
        asked = ", ".join(dict.fromkeys(self._asked)) or "nothing"
        says = f"`{option.name}` is not asked for here; what is asked is {asked}"
        if not self._closed:
            raise RulesError([Diagnostic("bad-argument", says, help=("name another turn",))])
        facts = {"choice": choice.key, "option": option.key, "arguments": {}, "offered": False}
        steps = tuple(self._closed.values())[-MOST:]
        return Answer(self._when, says, {"question": "not", **facts}, steps)

    def _unknown(self, checked: Checked) -> Diagnostic:
        name = self._move.name
        if name in CHANCE:
            message = f"`{name}` is a chance move: no rule decides what comes"
            return Diagnostic("bad-argument", message)
        options = [option for choice in checked.choices.values() for option in choice.options]
        known = {name for option in options for name in _names(option)}
        return Diagnostic(
            "bad-argument", f"there is no option `{name}`", help=did_you_mean(name, known)
        )

    def _note(self, state: Observed, node: Node, held: bool) -> None:
        """Keep what a condition that stands before the choice was made of, if it closes that."""
        if self._barriers is None:
            checked = state.game.checked
            choices = [c for c in checked.choices.values() if any(map(self._named, c.options))]
            self._barriers = {k: b for c in choices for k, b in barriers(checked, c.key).items()}
        barrier, recent = self._barriers.get(id(node)), state.observed.runtime.recent
        if barrier is None or held is not barrier.closed or not recent:
            return
        if recent[-1].expression is node and not recent[-1].hidden:
            steps, span = Steps(Texts(state.observed)), recent[-1].expression.span
            self._closed[id(node)] = steps.condition(
                "this keeps it from being asked", span, recent[-1]
            )

    def _named(self, option: OptionDef) -> bool:
        return self._move.name in _names(option)

    def _look(self, state: Observed, when: str) -> None:
        """See what there is to say about the decision at hand."""
        runtime = state.observed.runtime
        if len(runtime.stack) < 2 or not isinstance(runtime.stack[-1], Ask):
            return
        call = runtime.stack[-2]
        assert isinstance(call, Call), "a call asks"
        choice = runtime.program.choice(call.code)
        self._asked.append(short_name(choice.key))
        numbers = [n for n, option in enumerate(choice.options) if self._named(option)]
        if not numbers:
            return
        copy = runtime.clone()
        copy.refresh()
        position = ObservedPosition(copy, state.observed.history)
        asked = Texts(position).call(choice.key, call.arguments)
        who = f"{state.mover} is asked for" if state.mover else "no option is open of"
        when = f"{when}: {who} {asked}"
        teller = _Teller(position, choice, call.arguments, self._move, when)
        with evaluating(copy):
            found = chain(*(teller.answers(number) for number in numbers))
            # Of pieces that are alike all is the same.
            self.answers = list({(each.head, each.steps): each for each in found}.values())


def _names(option: OptionDef) -> tuple[str, str]:
    return option.name, option.name.rpartition(".")[2]


class _Teller:
    """Tells about one decision."""

    def __init__(
        self,
        position: ObservedPosition,
        choice: ChoiceDef,
        arguments: tuple[Value, ...],
        move: Wanted,
        when: str,
    ) -> None:
        self._runtime = position.runtime
        self._texts = Texts(position)
        self._names = Names(position)
        self._look = Look(position, choice, arguments, move)
        self._choice = choice
        self._move = move
        self._when = when

    def answers(self, number: int) -> Iterator[Answer]:
        """What there is to say about the moves of an option."""
        option = self._choice.options[number]
        self._check(option)
        looked = self._look.at(number)
        if looked.hidden:
            yield self._answer(
                option, (), "may be offered: this player cannot know that of all that are meant"
            )
        for each in looked.closed[:MOST]:
            steps = self._steps(option, each)
            yield self._answer(option, each.arguments, "is not offered", steps)
        for arguments, at, domain in looked.absent[:MOST]:
            yield from self._absent(option, arguments, at, domain)
        for arguments in looked.open[:MOST]:
            yield self._answer(option, arguments, self._offered(option, arguments))
        more = sum(max(0, len(each) - MOST) for each in (looked.closed, looked.absent, looked.open))
        if more:
            yield self._answer(option, (), f"has {more} more that may be meant: say which")

    def _offered(self, option: OptionDef, arguments: Arguments) -> str:
        """Equal moves are offered once."""
        waiting = self._runtime.waiting
        offered = waiting.decision.candidates if waiting else ()
        same = any((each.option, each.arguments) == (option.key, arguments) for each in offered)
        return "is offered" if same or not offered else "is one move with another that is offered"

    def _check(self, option: OptionDef) -> None:
        """Raise RulesError for arguments that the option does not have."""
        names = [name for binder in option.binders for name in binder.names]
        unknown = [name for name in self._move.named if name not in names]
        has = f"it has {', '.join(names)}" if names else "it has none"
        if unknown:
            message = f"`{option.name}` has no argument `{unknown[0]}`: {has}"
            help = did_you_mean(unknown[0], names)
            raise RulesError([Diagnostic("bad-argument", message, help=help)])
        if len(self._move.ordered) > len(names):
            message = f"`{option.name}` has fewer arguments: {has}"
            raise RulesError([Diagnostic("bad-argument", message)])

    # --- telling ---------------------------------------------------------------------------------

    def _answer(
        self,
        option: OptionDef,
        arguments: Arguments,
        says: str,
        steps: tuple[Step, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Answer:
        given = {name: self._texts.value(value) for name, value in arguments}
        inside = ", ".join(f"{name}={shown}" for name, shown in given.items())
        return Answer(
            self._when,
            f"{option.name}({inside}) {says}" if inside else f"{option.name} {says}",
            {
                "question": "not",
                "choice": self._choice.key,
                "option": option.key,
                "arguments": given,
                "offered": says == "is offered",
            },
            steps,
            notes,
        )

    def _steps(self, option: OptionDef, found: Closed) -> tuple[Step, ...]:
        title = self._title(option, found)
        if found.seen is None:
            return (Step(title, found.span),)
        return (Steps(self._texts).condition(title, found.seen.expression.span, found.seen),)

    def _title(self, option: OptionDef, found: Closed) -> str:
        """What closes a move."""
        if option.guard is not None and found.span == option.guard.span:
            return "the `when` of the option does not hold"
        for forbid in option.forbids:
            if found.span == forbid.span:
                return f"a `forbid` of {forbid.ruleset} applies"
        if any(b.where is not None and found.span == b.where.span for b in option.binders):
            return "the `where` of the option does not hold"
        precondition = option.precondition
        action = short_name(precondition.action) if precondition else option.name
        return f"a `require` of {action} does not hold"

    def _absent(
        self, option: OptionDef, arguments: Arguments, at: int, domain: Seen
    ) -> Iterator[Answer]:
        binder = option.binders[at]
        place = sum(len(each.names) for each in option.binders[:at])
        given = [self._move.argument(place + n, name) for n, name in enumerate(binder.names)]
        missing = next((str(each) for each in given if each is not None), None)
        where = written(binder.domain.span)
        if missing is None:
            says = f"is not offered: nothing is in `{where}`"
            step = Steps(self._texts).amount("what there is", binder.domain.span, domain)
            yield self._answer(option, arguments, says, (step,))
            return
        for head, notes, steps in absent(missing, domain, self._runtime, self._texts, self._names):
            says = f"is not offered: {head}"
            yield self._answer(option, arguments, says, steps, notes)
