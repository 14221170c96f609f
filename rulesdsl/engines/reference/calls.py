"""Calls: guard and preconditions, then `around` hooks, and inside them `before`, body, `after`."""

from __future__ import annotations

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference.context import bind
from rulesdsl.engines.reference.program import Code, Part, hooks_of
from rulesdsl.engines.reference.rules import body_result
from rulesdsl.engines.reference.runtime import Ask, Body, Call, Phase, Runtime, Settle
from rulesdsl.model.checked import ActionDef
from rulesdsl.model.values import Value

_AFTER = {
    Phase.AROUND: Phase.BEFORE,
    Phase.BEFORE: Phase.BODY,
    Phase.BODY: Phase.AFTER,
    Phase.AFTER: Phase.LEAVE,
}


def advance(runtime: Runtime, call: Call) -> None:
    """Run the next step of a call."""
    match call.phase:
        case Phase.ENTER:
            _enter(runtime, call)
        case Phase.AROUND | Phase.BEFORE | Phase.AFTER:
            _next_hook(runtime, call)
        case Phase.BODY:
            call.phase, call.at = Phase.AFTER, 0
            if call.code.kind == "choice":
                runtime.push(Ask())
            else:
                push_part(runtime, call, Part(call.code, "body"))
        case Phase.LEAVE:
            _leave(runtime, call)


def _enter(runtime: Runtime, call: Call) -> None:
    call.phase = Phase.AROUND
    if call.code.kind != "action":
        return
    action = runtime.program.action(call.code)
    runtime.spend(action.span)
    scope = bind(runtime.program.names(Part(call.code, "body")), call.arguments)
    if action.guard is not None and not runtime.holds(action.guard, scope):
        call.phase = Phase.LEAVE
        return
    broken = precondition(runtime, action, call.arguments)
    if broken is not None:
        raise PlayError(f"a precondition of `{action.key}` does not hold", broken)
    _check_depth(runtime, action)


def _check_depth(runtime: Runtime, action: ActionDef) -> None:
    if action.depth is None:
        return
    if sum(key == action.key for key, _ in runtime.running()) > action.depth:
        raise PlayError(f"`{action.key}` runs more than {action.depth} times at once", action.span)


def precondition(runtime: Runtime, action: ActionDef, arguments: tuple[Value, ...]) -> Span | None:
    """Return the place of the first precondition of an action that does not hold.

    It is None if all hold.
    """
    for rule in action.requires:
        scope = bind(rule.params, arguments)
        if runtime.holds(rule.guard, scope) and body_result(runtime, rule, scope) is not True:
            return rule.span
    return None


def _next_hook(runtime: Runtime, call: Call) -> None:
    """Run the next hook of the phase whose guard holds now, or go on to the next phase."""
    program, when = runtime.program, call.phase.value
    hooks = hooks_of(program.hooks(call.code), when)
    while call.at < len(hooks):
        hook, number = hooks[call.at], call.at
        call.at += 1
        scope = bind(program.hook_names(call.code, hook), call.arguments)
        if runtime.holds(hook.guard, scope):
            if call.phase is Phase.AROUND:
                call.phase = Phase.LEAVE
            push_part(runtime, call, Part(call.code, when, number))
            return
    call.phase, call.at = _AFTER[call.phase], 0


def push_part(runtime: Runtime, call: Call, part: Part) -> None:
    """Run a part of a call with its arguments bound."""
    runtime.watch(runtime.program.written(part))
    scope = bind(runtime.program.names(part), call.arguments, call.terms)
    runtime.push(Body(part, scope, runtime.program.block(part)))


def proceed(runtime: Runtime, into: str | None, span: Span) -> None:
    """Run the part of the call inside the current `around` hook."""
    call = _around(runtime)
    if call.proceeded:
        raise PlayError("`proceed` for a second time", span)
    call.proceeded = True
    inner = Call(call.code, call.arguments, into, True, Phase.AROUND, call.at, terms=call.terms)
    runtime.push(inner, span)


def _around(runtime: Runtime) -> Call:
    """Return the call whose `around` hook is the innermost body."""
    call = runtime.stack[runtime.body_index() - 1]
    assert isinstance(call, Call), "check keeps `proceed` to `around` hooks"
    return call


def _leave(runtime: Runtime, call: Call) -> None:
    """Pass on the result of a call that has ended."""
    runtime.pop()
    if call.inner:
        _around(runtime).result = call.result
        runtime.give(call.into, call.result)
    elif call.code.kind == "option":
        _option_ended(runtime, call)
    elif _outermost_step(runtime, call.code):
        runtime.push(Settle(call.into, call.result))
    else:
        runtime.give(call.into, call.result)


def _outermost_step(runtime: Runtime, code: Code) -> bool:
    step = code.kind == "action" and runtime.program.action(code).step
    return step and not runtime.settling()


def _option_ended(runtime: Runtime, call: Call) -> None:
    ask, choice = runtime.stack[-1], runtime.stack[-2]
    assert isinstance(ask, Ask)
    assert isinstance(choice, Call)
    choice.result = call.result
    ask.done = ask.done or not runtime.program.choice(call.code).repeat


def end_body(runtime: Runtime) -> None:
    """Remove the innermost body, which has ended."""
    while not isinstance(runtime.pop(), Body):
        pass


def stop_asking(runtime: Runtime) -> None:
    """Make the running option the last one of its choice."""
    next(frame for frame in reversed(runtime.stack) if isinstance(frame, Ask)).done = True


def returned(runtime: Runtime, value: Value) -> None:
    """Set the result of the call whose body is the innermost one.

    Hooks before and after have no result. The result of an option is that of its choice, which then
    asks no more.
    """
    index = runtime.body_index()
    body, below = runtime.stack[index], runtime.stack[index - 1]
    if isinstance(below, Ask):
        below = runtime.stack[index - 2]
    assert isinstance(body, Body)
    if isinstance(below, Call) and body.part.name not in ("before", "after"):
        below.result = value
        if below.code.kind == "option":
            stop_asking(runtime)
