"""The execution of statements and the end of blocks."""

from __future__ import annotations

from typing import assert_never

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference import calls
from rulesdsl.engines.reference.context import misfit
from rulesdsl.engines.reference.effects import perform
from rulesdsl.engines.reference.fault import Fault
from rulesdsl.engines.reference.program import Code
from rulesdsl.engines.reference.ranging import rounds
from rulesdsl.engines.reference.rules import changed, set_local
from rulesdsl.engines.reference.runtime import (
    Body,
    Branch,
    Draw,
    Loop,
    Queued,
    Repeat,
    Running,
    Runtime,
)
from rulesdsl.engines.reference.runtime import Call as CallFrame
from rulesdsl.model.checked import (
    ActionCall,
    Break,
    Call,
    ChoiceCall,
    EffectCall,
    For,
    If,
    Later,
    Leave,
    Let,
    Perform,
    ProceedCall,
    Return,
    SetLocal,
    SetState,
    Stmt,
    While,
)
from rulesdsl.model.types import Type
from rulesdsl.model.values import Piece, Value
from rulesdsl.runtime import faults

CHANCE = frozenset({"take", "roll"})
"""The effects with several outcomes."""


def advance(runtime: Runtime, frame: Running) -> None:
    """Run the next statement of a block, or end the block after its last one."""
    if frame.at < len(frame.block):
        frame.at += 1
        execute(runtime, frame.block[frame.at - 1])
        return
    match frame:
        case Body() | Branch():
            runtime.pop()
        case Loop():
            _next_round(runtime, frame)
        case Repeat():
            runtime.end_block(frame)
            _repeat(runtime, frame)
        case _:
            assert_never(frame)


def _next_round(runtime: Runtime, frame: Loop) -> None:
    runtime.end_block(frame)
    if frame.round == len(frame.items):
        runtime.pop()
        return
    runtime.spend(frame.loop.span)
    names = frame.loop.binder.names
    runtime.scope().locals.update(zip(names, frame.items[frame.round], strict=True))
    frame.round, frame.at = frame.round + 1, 0


def _repeat(runtime: Runtime, frame: Repeat) -> None:
    if runtime.holds(frame.loop.condition, runtime.scope()):
        runtime.spend(frame.loop.span)
        frame.at = 0
    else:
        runtime.pop()


def execute(runtime: Runtime, statement: Stmt) -> None:
    """Run a statement, or push the frame that does."""
    runtime.watch(statement)
    match statement:
        case Let() | SetLocal():
            set_local(runtime, statement, runtime.scope())
        case SetState():
            _set_state(runtime, statement)
        case Perform():
            _perform(runtime, statement.call, statement.into)
        case Later():
            _later(runtime, statement.call)
        case If():
            chosen = runtime.holds(statement.condition, runtime.scope())
            block = statement.then if chosen else statement.otherwise
            if block:
                runtime.push(Branch(0 if chosen else 1, block), statement.span)
        case For():
            items = rounds(runtime, statement, runtime.scope())
            runtime.push(Loop(statement, items, at=len(statement.body)), statement.span)
        case While():
            runtime.push(Repeat(statement, at=len(statement.body)), statement.span)
        case Return():
            if statement.value is not None:
                calls.returned(runtime, runtime.quiet(statement.value, runtime.scope()))
            calls.end_body(runtime)
        case Break():
            while not isinstance(runtime.pop(), Loop | Repeat):
                pass
        case Leave():
            calls.end_body(runtime)
            calls.stop_asking(runtime)
        case _:
            assert_never(statement)


# --- calls ---------------------------------------------------------------------------------------


def _perform(runtime: Runtime, call: Call, into: str | None) -> None:
    match call:
        case ActionCall():
            arguments, terms = runtime.arguments(call.arguments, runtime.scope())
            code = Code("action", call.action)
            runtime.push(CallFrame(code, arguments, into, terms=terms), call.span)
        case ChoiceCall():
            arguments, terms = runtime.arguments(call.arguments, runtime.scope())
            code = Code("choice", call.choice)
            runtime.push(CallFrame(code, arguments, into, terms=terms), call.span)
        case EffectCall():
            arguments, _ = runtime.arguments(call.arguments, runtime.scope())
            _effect(runtime, call, arguments, into)
        case ProceedCall():
            calls.proceed(runtime, into, call.span)
        case _:
            assert_never(call)


def _later(runtime: Runtime, call: ActionCall) -> None:
    if len(runtime.queue) >= faults.WAITING:
        raise PlayError(f"more than {faults.WAITING} calls wait for the end of the step", call.span)
    arguments, terms = runtime.arguments(call.arguments, runtime.scope())
    runtime.queue.append(Queued(call.action, arguments, terms))


def _effect(
    runtime: Runtime, call: EffectCall, arguments: tuple[Value, ...], into: str | None
) -> None:
    if None in arguments:
        raise PlayError(f"`{call.effect}` of none", call.span)
    if call.effect in CHANCE:
        runtime.push(Draw(call.effect, arguments, into), call.span)
    elif call.effect == "end_game":
        (winners,) = arguments
        assert isinstance(winners, tuple)
        runtime.end(winners)
    else:
        old = place_of(runtime, arguments[0])
        try:
            perform(runtime.world, call.effect, arguments)
        except Fault as fault:
            raise PlayError(fault.message, call.span) from fault
        new = place_of(runtime, arguments[0])
        runtime.tell(call.effect, call.span, arguments, old, new)


def place_of(runtime: Runtime, thing: Value) -> Value:
    """Return the place of a piece, None for anything else."""
    return runtime.world.places.get(thing) if isinstance(thing, Piece) else None


# --- state ---------------------------------------------------------------------------------------


def _set_state(runtime: Runtime, node: SetState) -> None:
    scope = runtime.scope()
    key = runtime.state_key(node.state, node.owner, node.index, scope, node.span)
    value, terms = runtime.traced(node.value, scope)
    old = runtime.stored(key)
    new = changed(old, node.operator, value, node.span)
    check_range(node.state, runtime.checked.states[node.state].type, new, node.span)
    runtime.store(key, new)
    owner = () if key[1] is None else (key[1],)
    runtime.tell(node.state, node.span, owner + key[2], old, new, terms)


def check_range(state: str, kind: Type, value: Value, span: Span) -> None:
    """Raise PlayError if the type of a state does not contain a value."""
    found = misfit(kind, value)
    if found is not None:
        wanted, part = found
        text = "none" if part is None else part
        raise PlayError(f"`{state}` holds {wanted} and cannot become {text}", span)
