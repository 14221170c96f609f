"""The moves of an option that may be meant: which are open, and what closes the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import permutations

from rulesdsl.diagnostics import Span
from rulesdsl.model.checked import ChoiceDef, OptionDef
from rulesdsl.model.values import Value
from rulesdsl.play.moves import Wanted, means
from rulesdsl.play.names import Names
from rulesdsl.run.reference.choices import closed
from rulesdsl.run.reference.context import Scope, bind
from rulesdsl.run.reference.observing import ObservedPosition, Seen
from rulesdsl.run.reference.program import Code
from rulesdsl.run.reference.ranging import items

Arguments = tuple[tuple[str, Value], ...]

_CELL = re.compile(r"\(?-?\d{1,9}, ?-?\d{1,9}\)?")


@dataclass(frozen=True)
class Closed:
    """A move, or the beginning of one, that something closes: the place of the `where`, guard, veto
    or precondition, and what was evaluated for it."""

    arguments: Arguments
    span: Span
    seen: Seen | None


@dataclass
class Looked:
    """What became of the moves that are meant: those that are open, those that are closed, and for
    an argument that there is not, what its binder ranged over; `hidden`: are there some of which
    the player who asks may know nothing?"""

    hidden: bool = False
    open: list[Arguments] = field(default_factory=list)
    closed: list[Closed] = field(default_factory=list)
    absent: list[tuple[Arguments, int, Seen]] = field(default_factory=list)


class Look:
    """Looks at the options of a choice that is asked for with arguments; what it evaluates changes
    nothing but the steps that are left."""

    def __init__(
        self,
        position: ObservedPosition,
        choice: ChoiceDef,
        arguments: tuple[Value, ...],
        move: Wanted,
    ) -> None:
        self._runtime = position.runtime
        self._names = Names(position)
        self._choice = choice
        self._given = arguments
        self._move = move
        waiting = self._runtime.waiting
        self._own = waiting is not None and waiting.decision.seat == self._runtime.eyes

    def at(self, number: int) -> Looked:
        """Go through the moves of an option, as far as they are meant."""
        looked, option = Looked(), self._choice.options[number]
        scope = bind((param.name for param in self._choice.params), self._given)
        self._go(looked, option, Code("option", self._choice.key, number), scope, ())
        return looked

    def _go(
        self, looked: Looked, option: OptionDef, code: Code, scope: Scope, before: Arguments
    ) -> None:
        """Let the next binder range, with the arguments before it bound."""
        runtime, at = self._runtime, _binders(option, before)
        runtime.recent.clear()
        if at == len(option.binders):
            values = tuple(value for _, value in before)
            self._found(looked, before, closed(runtime, code, self._given, values, scope))
            return
        binder, found = option.binders[at], False
        bindings = items(runtime, binder, scope)
        domain = runtime.recent[-1]
        for item in bindings:
            arguments = (*before, *zip(binder.names, item, strict=True))
            if self._secret(domain) or self._secret_value(item):
                looked.hidden = True
            elif self._meant(len(before), binder.names, item):
                found = True
                scope.locals.update(arguments)
                runtime.recent.clear()
                if not runtime.holds(binder.where, scope):
                    assert binder.where is not None, "nothing closes it"
                    self._found(looked, arguments, binder.where.span)
                elif self._secret(*runtime.recent):
                    looked.hidden = True
                else:
                    self._go(looked, option, code, scope, arguments)
        for name in binder.names:
            scope.locals.pop(name, None)
        if not looked.hidden and (not found or self._turns(len(before), binder.names)):
            looked.absent.append((before, at, domain))

    def _found(self, looked: Looked, arguments: Arguments, span: Span | None) -> None:
        """Take note of a move that is open, or closed by what stands there."""
        recent = self._runtime.recent
        if self._secret(*recent):
            looked.hidden = True
        elif span is None:
            looked.open.append(arguments)
        else:
            looked.closed.append(Closed(arguments, span, recent[-1] if recent else None))

    def _secret(self, *seen: Seen) -> bool:
        """May the player who asks not know what came out? Who is asked sees what is offered."""
        return not self._own and any(each.hidden for each in seen)

    def _secret_value(self, value: Value) -> bool:
        eyes = self._runtime.eyes
        return not self._own and eyes is not None and self._runtime.hides(value, eyes)

    def _meant(self, first: int, names: tuple[str, ...], item: tuple[Value, ...]) -> bool:
        """Are these the arguments that are asked about, from that one on? The two of a pair may be
        written in any order."""
        wanted = [self._move.argument(first + n, name) for n, name in enumerate(names)]
        return any(
            all(
                given is None or means(given, value, self._names)
                for given, value in zip(wanted, order, strict=True)
            )
            for order in permutations(item)
        )

    def _turns(self, first: int, names: tuple[str, ...]) -> bool:
        """Is it about a cell on which a piece can be turned, some ways or all?"""
        given = self._move.argument(first, names[0])
        return isinstance(given, str) and _CELL.fullmatch(given) is not None


def _binders(option: OptionDef, arguments: Arguments) -> int:
    """How many binders have bound so many arguments."""
    count = number = 0
    while count < len(arguments):
        count += len(option.binders[number].names)
        number += 1
    return number
