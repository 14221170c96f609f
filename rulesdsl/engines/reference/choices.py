"""Choices: the player who decides, and the moves that are open."""

from __future__ import annotations

from dataclasses import dataclass

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import Candidate, Decision, PlayError
from rulesdsl.engines.reference import calls
from rulesdsl.engines.reference.context import Scope, bind
from rulesdsl.engines.reference.frames import Ask, Body, Call
from rulesdsl.engines.reference.fusing import Likeness
from rulesdsl.engines.reference.program import Code, Part
from rulesdsl.engines.reference.ranging import each
from rulesdsl.engines.reference.runtime import Runtime, Waiting
from rulesdsl.model.checked import ChoiceDef, OptionDef
from rulesdsl.model.values import Player, Value


@dataclass(frozen=True, slots=True)
class Move:
    """An open option with its own arguments."""

    code: Code
    option: OptionDef
    arguments: tuple[Value, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments."""
        return tuple(name for binder in self.option.binders for name in binder.names)

    def candidate(self) -> Candidate:
        """Return the move as a candidate."""
        secret = frozenset(
            name for binder in self.option.binders if binder.secret for name in binder.names
        )
        return Candidate(
            self.option.name,
            self.option.key,
            tuple(zip(self.names, self.arguments, strict=True)),
            secret=secret,
        )


def advance(runtime: Runtime, ask: Ask) -> None:
    """Ask for a decision, run `otherwise`, or end the choice."""
    call = runtime.stack[-2]
    assert isinstance(call, Call)
    if ask.done:
        runtime.pop()
        return
    choice = runtime.program.choice(call.code)
    seat = _seat(runtime, choice, call.arguments)
    moves = open_moves(runtime, call.code, call.arguments)
    if moves and _too_many(runtime, choice):
        runtime.cut_short = True
        runtime.finish()
    elif moves:
        decision = Decision(
            seat,
            choice.key,
            tuple(zip((p.name for p in choice.params), call.arguments, strict=True)),
            tuple(move.candidate() for move in moves),
        )
        runtime.waiting = Waiting(
            decision, tuple((move.code, call.arguments + move.arguments) for move in moves)
        )
    else:
        _otherwise(runtime, call, ask)


def _too_many(runtime: Runtime, choice: ChoiceDef) -> bool:
    """Say whether the limit of decisions has been reached, so that the game ends now.

    The finish action may ask as often again; raises PlayError if it asks even more.
    """
    limit = runtime.checked.game.roles.limit
    if runtime.decided >= 2 * limit:
        message = f"players decided {2 * limit} times, and the game does not end"
        raise PlayError(message, choice.span, "no-steps-left")
    finishing = any(action == runtime.checked.finish for action, _ in runtime.running())
    return runtime.decided >= limit and not finishing


def _otherwise(runtime: Runtime, call: Call, ask: Ask) -> None:
    choice = runtime.program.choice(call.code)
    if choice.otherwise is None:
        raise PlayError(f"no option of `{choice.key}` is open", choice.span, "stuck-choice")
    ask.done = True
    runtime.watch(choice)
    part = Part(call.code, "otherwise")
    scope = bind(runtime.program.names(part), call.arguments, call.terms)
    runtime.push(Body(part, scope, choice.otherwise), choice.span)


def _seat(runtime: Runtime, choice: ChoiceDef, arguments: tuple[Value, ...]) -> int:
    scope = bind((p.name for p in choice.params), arguments)
    player = runtime.quiet(choice.by, scope)
    if not isinstance(player, Player):
        raise PlayError(f"there is nobody to ask for `{choice.key}`", choice.by.span)
    return player.seat


def open_moves(runtime: Runtime, code: Code, arguments: tuple[Value, ...]) -> list[Move]:
    """Return the open moves of a choice in canonical order, the lowest of interchangeable ones."""
    likeness = Likeness(runtime)
    found: list[Move] = []
    for number in range(len(runtime.program.choice(code).options)):
        shapes = set[object]()
        for move in _moves(runtime, Code("option", code.key, number), arguments):
            shape = likeness.shape(move.arguments)
            if shape not in shapes:
                shapes.add(shape)
                found.append(move)
    return found


def _moves(runtime: Runtime, code: Code, arguments: tuple[Value, ...]) -> list[Move]:
    """Return the moves of an open option, one for each tuple of arguments."""
    option = runtime.program.option(code)
    scope = bind((p.name for p in runtime.program.choice(code).params), arguments)
    names = tuple(name for binder in option.binders for name in binder.names)
    found: list[Move] = []

    def own() -> tuple[Value, ...]:
        return tuple(scope.locals[name] for name in names if name in scope.locals)

    def consider() -> bool:
        if closed(runtime, code, arguments, own(), scope) is None:
            found.append(Move(code, option, own()))
        return False

    each(runtime, option.binders, scope, consider)
    return found


def closed(
    runtime: Runtime,
    code: Code,
    arguments: tuple[Value, ...],
    own: tuple[Value, ...],
    scope: Scope,
) -> Span | None:
    """Return the place of the guard, veto or precondition that closes an option.

    It is None if the option is open.
    """
    option = runtime.program.option(code)
    if option.guard is not None and not runtime.holds(option.guard, scope):
        return option.guard.span
    for forbid in option.forbids:
        names = runtime.program.hook_names(code, forbid)
        known = arguments + own if forbid.params else arguments
        if runtime.holds(forbid.guard, bind(names, known)):
            runtime.watch(forbid)
            return forbid.span
    if option.precondition is None:
        return None
    action = runtime.checked.actions[option.precondition.action]
    given, _ = runtime.arguments(option.precondition.arguments, scope)
    return calls.precondition(runtime, action, given)
