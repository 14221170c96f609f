"""Explanations of moves that are not offered: the conditions that rule out each possible move."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import chain, pairwise, permutations

from rulesdsl.author.why.answer import MOST, REFUSED, Answer, AnswerStep, ValueTexts, written
from rulesdsl.author.why.played import Observed, PlayedMove, seat_of
from rulesdsl.author.why.steps import Steps, members
from rulesdsl.author.why.tracing import (
    Binding,
    ExpressionTrace,
    Listing,
    OpenMove,
    TracedPosition,
    Tracer,
    resume,
)
from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.words.placing import Touch, refusal
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Span
from rulesdsl.language.diagnostics.report import did_you_mean, near
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import Checked
from rulesdsl.language.model.flow import way_to
from rulesdsl.language.model.geometry import points_there
from rulesdsl.language.model.names import option_names, short_name
from rulesdsl.language.model.values import Cell, Grid, Piece, Placement, Value, Zone
from rulesdsl.play.game import State
from rulesdsl.play.moves import Wanted, means, text
from rulesdsl.play.names import PlainForms

Arguments = tuple[tuple[str, Value], ...]

_CELL = re.compile(r"\(?-?\d{1,9}, ?-?\d{1,9}\)?")


@dataclass(frozen=True)
class Closed:
    """A move, or the beginning of one, that a condition rules out.

    `span` is that of the `where`, guard, veto or precondition; `seen` is its evaluation.
    """

    arguments: Arguments
    span: Span
    seen: ExpressionTrace | None


@dataclass
class Looked:
    """The moves that match a question, sorted by whether they are offered.

    `absent` holds, for each argument that does not exist, the evaluated domain of its binder.
    `hidden` is set if the player who asks must not learn about some of the moves.
    """

    hidden: bool = False
    open: list[Arguments] = field(default_factory=list)
    closed: list[Closed] = field(default_factory=list)
    absent: list[tuple[Arguments, int, ExpressionTrace]] = field(default_factory=list)


@dataclass
class _Tried:
    """A beginning of a move that the program has tried, with the conditions evaluated for it.

    `domain` is the evaluation of the set of the next argument, and `next` has the tried ones.
    """

    arguments: Arguments
    conditions: list[ExpressionTrace] = field(default_factory=list)
    open: bool = False
    domain: ExpressionTrace | None = None
    next: list[_Tried] = field(default_factory=list)


def _tried(option: tree.OptionDef, events: Iterable[object]) -> _Tried:
    """Return what a program has tried for an option, from its listing."""
    domains = [id(binder.domain) for binder in option.binders]
    binders = [id(binder) for binder in option.binders]
    path = [_Tried(())]
    for event in events:
        match event:
            case ExpressionTrace(expression=expression) if id(expression) in domains:
                del path[domains.index(id(expression)) + 1 :]
                path[-1].domain = event
            case ExpressionTrace():
                path[-1].conditions.append(event)
            case Binding(binder=binder, name=name, value=value):
                at = binders.index(id(binder))
                if name == binder.names[0]:
                    del path[at + 1 :]
                    path.append(_Tried(path[-1].arguments))
                    path[at].next.append(path[-1])
                path[-1].arguments = (*path[-1].arguments, (name, value))
            case OpenMove():
                path[-1].open = True
    return path[0]


class OptionSearch:
    """A search through the moves that a program has tried, for those of a question."""

    def __init__(self, position: TracedPosition, listing: Listing, move: Wanted) -> None:
        self._tracer = position.tracer
        self._names = PlainForms(position, seat=position.tracer.eyes)
        self._listing = listing
        self._move = move
        decision = position.decision
        self._own = decision is not None and decision.seat == self._tracer.eyes

    def at(self, number: int) -> Looked:
        """Search the moves of an option that match the question."""
        looked, option = Looked(), self._listing.choice.options[number]
        self._go(looked, option, _tried(option, self._listing.options[number]), 0)
        return looked

    def _go(self, looked: Looked, option: tree.OptionDef, tried: _Tried, at: int) -> None:
        """Go over the values of a binder, with the arguments before it bound."""
        if at == len(option.binders):
            self._found(looked, tried, *_closed(option, tried))
            return
        binder, domain, found, unknown = option.binders[at], tried.domain, False, False
        if domain is None:
            return
        start = len(tried.arguments)
        for each in tried.next:
            item = tuple(value for _, value in each.arguments[start:])
            unknown |= any(self._names.unknown(value) is not None for value in item)
            where = None if binder.where is None else each.conditions[0]
            if self._secret(domain) or (not self._own and self._tracer.hides(item)):
                looked.hidden = True
            elif self._meant(start, binder.names, item):
                found = True
                if where is not None and where.value is not True:
                    self._found(looked, each, where.expression.span, where)
                elif where is not None and self._secret(where):
                    looked.hidden = True
                else:
                    self._go(looked, option, each, at + 1)
        # A piece may be one of those that are named by their places.
        looked.hidden |= unknown and not found
        if not looked.hidden and (not found or self._turns(start, binder.names)):
            looked.absent.append((tried.arguments, at, domain))

    def _found(
        self, looked: Looked, tried: _Tried, span: Span | None, seen: ExpressionTrace | None
    ) -> None:
        """Record a move as open, or as ruled out by the condition at hand."""
        conditions = tried.conditions
        # A player who decides knows which moves are legal, but not why the others are not.
        if self._secret(*conditions) or (span is not None and any(c.hidden for c in conditions)):
            looked.hidden = True
        elif span is None:
            looked.open.append(tried.arguments)
        else:
            looked.closed.append(Closed(tried.arguments, span, seen))

    def _secret(self, *seen: ExpressionTrace) -> bool:
        """Return whether these values are hidden from the player who asks.

        The player who decides sees the options and so has no hidden ones.
        """
        return not self._own and any(each.hidden for each in seen)

    def _meant(self, first: int, names: tuple[str, ...], item: tuple[Value, ...]) -> bool:
        """Return whether these are the arguments of the question, from number `first` on.

        The two of a pair may be written in any order.
        """
        wanted = [self._move.argument(first + n, name) for n, name in enumerate(names)]
        return any(
            all(
                given is None or means(given, value, self._names)
                for given, value in zip(wanted, order, strict=True)
            )
            for order in permutations(item)
        )

    def _turns(self, first: int, names: tuple[str, ...]) -> bool:
        """Return whether the argument is a cell on which a piece can be rotated in several ways."""
        given = self._move.argument(first, names[0])
        return isinstance(given, str) and _CELL.fullmatch(given) is not None


def _closed(option: tree.OptionDef, tried: _Tried) -> tuple[Span | None, ExpressionTrace | None]:
    """Return the guard, veto or precondition that closes a move, with its evaluation."""
    if tried.open:
        return None, None
    last = tried.conditions[-1] if tried.conditions else None
    for forbid in option.forbids:
        if forbid.guard is None or (last is not None and last.expression is forbid.guard):
            return forbid.span, None if forbid.guard is None else last
    assert last is not None, "something closes it"
    if isinstance(last.expression, tree.CallValue) and last.expression is not option.guard:
        broken = last.parts[-1]
        assert last.evaluation is not None, "it has rules"
        return last.evaluation.definition.rules[broken.scope.rule].span, broken
    return last.expression.span, last


Barriers = Mapping[int, bool]
"""Conditions by identity, with the value at which the code behind them does not run."""


def barriers(checked: Checked, choice: str) -> Barriers:
    """Return all conditions between the beginning of a turn and a choice (its full name).

    These are guards of actions and hooks, and conditions of `if`; choices of players do not count.
    """
    bodies = tuple(_bodies(checked))
    found: dict[int, bool] = {}
    todo, known = [choice], {choice}
    while todo:
        wanted = todo.pop()
        for key, guard, block in bodies:
            calls = [
                node
                for node in tree.walk(block)
                if isinstance(node, tree.Perform | tree.Later) and _called(node) == wanted
            ]
            for outer, inner in chain(*(pairwise(way_to(call, block)) for call in calls)):
                if isinstance(outer, tree.If):
                    found[id(outer.condition)] = inner is outer.otherwise
            if calls and guard is not None:
                found[id(guard)] = False
            if calls and key not in known:
                known.add(key)
                todo.append(key)
    return found


def _bodies(checked: Checked) -> Iterator[tuple[str, tree.Expr | None, tree.Block]]:
    """Yield each block that runs in a call, with the key of what is called and a guard."""
    for action in checked.actions.values():
        yield action.key, action.guard, action.body
        yield from _hooks(action.key, action.hooks)
    for choice in checked.choices.values():
        yield from _hooks(choice.key, choice.hooks)
        for option in choice.options:
            # The player need not take this option, but can.
            yield choice.key, None, option.body
            yield from _hooks(choice.key, option.hooks)


def _hooks(key: str, hooks: tree.Hooks) -> Iterator[tuple[str, tree.Expr | None, tree.Block]]:
    for hook in (*hooks.arounds, *hooks.befores, *hooks.afters):
        yield key, hook.guard, hook.body


def _called(node: tree.Perform | tree.Later) -> str | None:
    match node.call:
        case tree.ActionCall(action=key) | tree.ChoiceCall(choice=key):
            return key
    return None


Reason = tuple[str, tuple[str, ...], tuple[AnswerStep, ...]]
"""One line, further lines, and steps."""

_NUMBERS = re.compile(r"\(?(-?\d{1,9}),\s*(-?\d{1,9})(?:,\s*(-?\d{1,9}))?\)?")
_SIDES = {
    **{"n": "north", "e": "east", "s": "south", "w": "west"},
    **{"ne": "north-east", "se": "south-east", "sw": "south-west", "nw": "north-west"},
}


def absent(
    given: str,
    domain: ExpressionTrace,
    position: TracedPosition,
    texts: ValueTexts,
    names: PlainForms,
) -> Iterator[Reason]:
    """Yield the reasons why a written argument is not in a set.

    There may be several for a cell on which a piece can be rotated, and none if some rotation is in
    the set.
    """
    found = list(_placed(given, domain, position, texts))
    found = found or list(_left_out(given, domain, texts, names))
    inside = domain.value if isinstance(domain.value, tuple) else ()
    if found or any(means(given, value, names) for value in inside):
        yield from found
        return
    where = written(domain.expression.span)
    there = _known(domain, names, position.tracer)
    notes = tuple(f"did you mean `{each}`?" for each in near(given, there))
    if there:
        more = f", … {len(there)} in all" if len(there) > MOST else ""
        notes += (f"known: {', '.join(there[:MOST])}{more}",)
    yield f"`{given}` is not in `{where}`", notes, ()


def _known(domain: ExpressionTrace, names: PlainForms, tracer: Tracer) -> list[str]:
    """Return the existing members instead, as far as the player who asks may know them."""
    if domain.hidden:
        return []
    value = tracer.members(domain.value) if isinstance(domain.value, Zone) else domain.value
    known = [each for each in value if not tracer.hides(each)] if isinstance(value, tuple) else []
    return list(dict.fromkeys(text(names.short(each)) for each in known))


def _all(seen: ExpressionTrace) -> Iterator[ExpressionTrace]:
    yield seen
    for part in seen.parts:
        yield from _all(part)


# --- a piece that does not fit -------------------------------------------------------------------


def _placed(
    given: str, domain: ExpressionTrace, position: TracedPosition, texts: ValueTexts
) -> Iterator[Reason]:
    """Yield the reasons why a piece cannot be placed there on a grid."""
    numbers = _NUMBERS.fullmatch(given)
    asked = next(
        (
            each
            for each in _all(domain)
            if isinstance(each.expression, tree.CallBuiltin)
            and each.expression.function == "placements"
        ),
        None,
    )
    if numbers is None or asked is None or asked.hidden:
        return
    grid, piece = (part.value for part in asked.parts)
    assert isinstance(grid, Grid), "placements are those of a grid"
    assert isinstance(piece, Piece), "placements are those of a piece"
    x, y, turned = numbers.groups()
    cell = Cell(grid.grid, grid.index, int(y), int(x))
    offered = asked.value if isinstance(asked.value, tuple) else ()
    game = position.checked.game
    form = game.grids[grid.grid].cells
    every = [turn for turn in range(game.sides) if points_there(form, int(x), int(y), turn)]
    turns = [turn for turn in every if Placement(cell, turn) not in offered]
    if turned is not None:
        turns = [int(turned) // game.degrees % game.sides]
    found = [(turn, _misfit(Placement(cell, turn), piece, position, texts)) for turn in turns]
    if len(found) == len(every) and len({reason for _, reason in found}) == 1:
        _, (why, sides) = found[0]
        where = f"{texts.value(piece)} at {texts.value(cell)}, in every rotation"
        yield f"{where}: {why}", sides, ()
        return
    for turn, (why, sides) in found:
        yield f"{texts.value(piece)} at {texts.value(Placement(cell, turn))}: {why}", sides, ()


def _misfit(
    at: Placement, piece: Piece, position: TracedPosition, texts: ValueTexts
) -> tuple[str, tuple[str, ...]]:
    """Return the reason why a piece does not fit, and the sides that do not match, if any."""
    if position.can_place(piece, at):
        return "it would fit there, but the rule does not offer this place", ()
    why, sides = refusal(position.world, piece, at)
    return why, tuple(_side(touch, position, texts) for touch in sides)


def _side(touch: Touch, position: TracedPosition, texts: ValueTexts) -> str:
    side = position.checked.game.side_names[touch.side]
    mine, theirs = (short_name(each) if each else "nothing" for each in (touch.mine, touch.theirs))
    return f"{_SIDES[side]}: {mine} here, {theirs} on {texts.value(touch.other)}"


# --- members that a condition excludes -----------------------------------------------------------


def _left_out(
    given: str, domain: ExpressionTrace, texts: ValueTexts, names: PlainForms
) -> Iterator[Reason]:
    """Yield the conditions of a set that the member does not meet."""
    for each in _all(domain):
        if each.hidden or not isinstance(each.expression, tree.Comprehension):
            continue
        for member in members(each):
            value: Value = member.bound[-1][1]
            if member.where is None or member.taken or not means(given, value, names):
                continue
            title = f"{texts.bound(member.bound)}: left out"
            step = Steps(texts).condition(title, member.where.expression.span, member.where)
            where = written(domain.expression.span)
            yield f"`{given}` is not in `{where}`", (), (step,)
            return


class RefusedQuestion:
    """A question why a move is not offered.

    `answers` are complete after the replay; they are about the last time that its option was
    offered.
    """

    def __init__(self, move: Wanted) -> None:
        self.answers: list[Answer] = []
        self._move = move
        self._asked: list[str] = []
        self._when = ""
        self._barriers: Barriers | None = None
        self._closed: dict[int, AnswerStep] = {}

    def before(self, state: Observed, moment: PlayedMove) -> None:
        """Explain the decision before the move, and watch the conditions that are evaluated."""
        self.look(state, f"turn {moment.turn}, move {moment.number}")
        self._when = when = f"turn {moment.turn}, after move {moment.number}"
        tracer = state.observed.tracer
        tracer.passed_over = lambda: self._look(state, tracer.listing, when)
        tracer.watcher = lambda seen: self._note(state, seen)

    def after(self, state: Observed, waiting: bool) -> None:
        """Explain the current decision, if it belongs to the question.

        Raises RulesError if the option was never offered and the reason is not known.
        """
        if waiting:
            self.look(state, f"turn {state.turns.number}, after move {state.number}")
        if not self.answers:
            self.answers = [self._never(state.game.checked)]

    def _never(self, checked: Checked) -> Answer:
        choices = checked.choices.values()
        found = [(c, o) for c in choices for o in c.options if self._named(o)]
        if not found:
            raise RulesError([self._unknown(checked)])
        choice, option = found[0]
        asked = ", ".join(dict.fromkeys(self._asked)) or "nothing"
        says = f"`{option.name}` is not an option here; the choices are {asked}"
        if not self._closed:
            raise RulesError([Diagnostic("bad-argument", says, help=("choose another turn",))])
        facts = {"choice": choice.key, "option": option.key, "arguments": {}, "offered": False}
        steps = tuple(self._closed.values())[-MOST:]
        return Answer(self._when, says, {"question": "not", **facts}, steps)

    def _unknown(self, checked: Checked) -> Diagnostic:
        name = self._move.name
        if name in ("take", "roll"):
            message = f"`{name}` is a chance move: no rule decides its outcome"
            return Diagnostic("bad-argument", message)
        options = [option for choice in checked.choices.values() for option in choice.options]
        known = {name for option in options for name in option_names(option.key)}
        return Diagnostic(
            "bad-argument", f"there is no option `{name}`", help=did_you_mean(name, known)
        )

    def _note(self, state: Observed, seen: ExpressionTrace) -> None:
        """Record the evaluation of a condition before the choice if it closes the way to it."""
        if self._barriers is None:
            checked = state.game.checked
            choices = [c for c in checked.choices.values() if any(map(self._named, c.options))]
            self._barriers = {k: b for c in choices for k, b in barriers(checked, c.key).items()}
        barrier = self._barriers.get(id(seen.expression))
        if barrier is None or seen.value is not barrier or seen.hidden:
            return
        steps, span = Steps(ValueTexts(state.observed)), seen.expression.span
        title = "because of this the choice is not asked"
        self._closed[id(seen.expression)] = steps.condition(title, span, seen)

    def _named(self, option: tree.OptionDef) -> bool:
        return self._move.name in option_names(option.key)

    def look(self, state: Observed, when: str) -> None:
        """Explain the current decision."""
        decision = state.observed.decision
        if decision is not None and decision.seat is not None:
            self._look(state, state.observed.listing(), when)

    def _look(self, state: Observed, listing: Listing | None, when: str) -> None:
        assert listing is not None, "a choice lists its moves"
        choice = listing.choice
        self._asked.append(short_name(choice.key))
        numbers = [n for n, option in enumerate(choice.options) if self._named(option)]
        if not numbers:
            return
        asked = ValueTexts(state.observed).call(choice.key, listing.arguments)
        who = f"{state.mover} is asked for" if state.mover else "no option is open of"
        when = f"{when}: {who} {asked}"
        teller = _Teller(state.observed, listing, self._move, when)
        found = chain(*(teller.answers(number) for number in numbers))
        # Equal pieces have equal answers.
        self.answers = list({(each.head, each.steps): each for each in found}.values())


def refusals(state: State, move: Wanted) -> list[Answer]:
    """Return why a move is not offered now, as far as the player who decides may know it.

    Nothing if another choice is asked, or a rule fails.
    """
    question = RefusedQuestion(move)
    eyes = seat_of(state.players, state.mover)
    try:
        question.look(Observed(state.game, resume(state.position, eyes), question), "now")
    except (PlayError, RulesError):
        return []
    return question.answers


_LEGAL = "is legal"


class _Teller:
    """Explanations of one decision."""

    def __init__(
        self,
        position: TracedPosition,
        listing: Listing,
        move: Wanted,
        when: str,
    ) -> None:
        self._position = position
        self._texts = ValueTexts(position)
        self._names = PlainForms(position)
        self._look = OptionSearch(position, listing, move)
        self._choice = listing.choice
        self._move = move
        self._when = when

    def answers(self, number: int) -> Iterator[Answer]:
        """Yield the answers about the moves of an option."""
        option = self._choice.options[number]
        self._check(option)
        looked = self._look.at(number)
        if looked.hidden:
            yield self._answer(
                option, (), "may be legal: this player cannot know it for all matching moves"
            )
        for each in looked.closed[:MOST]:
            steps = self._steps(option, each)
            yield self._answer(option, each.arguments, REFUSED.strip(), steps)
        for arguments, at, domain in looked.absent[:MOST]:
            yield from self._absent(option, arguments, at, domain)
        offered = [(each, self._offered(option, each)) for each in looked.open]
        legal = sum(says == _LEGAL for _, says in offered)
        if legal > 1:
            says = f"stands for {legal} legal moves: to play one, write all of it"
            yield self._answer(option, (), says)
        for arguments, says in offered[:MOST]:
            yield self._answer(option, arguments, says)
        more = sum(max(0, len(each) - MOST) for each in (looked.closed, looked.absent, looked.open))
        if more:
            yield self._answer(
                option, (), f"has {more} more matching moves: write more of the move"
            )

    def _offered(self, option: tree.OptionDef, arguments: Arguments) -> str:
        """Return the words for an open move; of equal moves only one is offered."""
        decision = self._position.decision
        offered = decision.candidates if decision else ()
        same = any((each.option, each.arguments) == (option.key, arguments) for each in offered)
        return _LEGAL if same or not offered else "is equal to another move that is legal"

    def _check(self, option: tree.OptionDef) -> None:
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

    # --- answers ---------------------------------------------------------------------------------

    def _answer(
        self,
        option: tree.OptionDef,
        arguments: Arguments,
        says: str,
        steps: tuple[AnswerStep, ...] = (),
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
                "offered": says == _LEGAL,
            },
            steps,
            notes,
        )

    def _steps(self, option: tree.OptionDef, found: Closed) -> tuple[AnswerStep, ...]:
        title = self._title(option, found)
        if found.seen is None:
            return (AnswerStep(title, found.span),)
        return (Steps(self._texts).condition(title, found.seen.expression.span, found.seen),)

    def _title(self, option: tree.OptionDef, found: Closed) -> str:
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
        self, option: tree.OptionDef, arguments: Arguments, at: int, domain: ExpressionTrace
    ) -> Iterator[Answer]:
        binder = option.binders[at]
        place = sum(len(each.names) for each in option.binders[:at])
        given = [self._move.argument(place + n, name) for n, name in enumerate(binder.names)]
        missing = next((str(each) for each in given if each is not None), None)
        where = written(binder.domain.span)
        if missing is None:
            says = f"{REFUSED.strip()}: `{where}` is empty"
            step = Steps(self._texts).amount("the set", binder.domain.span, domain)
            yield self._answer(option, arguments, says, (step,))
            return
        for head, notes, steps in absent(missing, domain, self._position, self._texts, self._names):
            says = f"{REFUSED.strip()}: {head}"
            yield self._answer(option, arguments, says, steps, notes)
