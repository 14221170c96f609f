"""The work after the outermost step: queued calls, then `always` rules, until nothing is left."""

from __future__ import annotations

from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.reference.context import bind
from rulesdsl.engines.reference.frames import Body, Call, Settle
from rulesdsl.engines.reference.program import Code, Part
from rulesdsl.engines.reference.ranging import first
from rulesdsl.engines.reference.runtime import Runtime
from rulesdsl.model.values import Value
from rulesdsl.runtime import limits


def advance(runtime: Runtime, settle: Settle) -> None:
    """Run the next queued call, apply an `always` rule, or end.

    The queue is emptied first; then rules are applied until none applies; both are repeated if the
    rules have queued calls.
    """
    if not settle.always and runtime.queue:
        queued = runtime.queue.pop(0)
        code = Code("action", queued.action)
        runtime.push(Call(code, queued.arguments, terms=queued.terms))
        return
    settle.always = True
    found = _applicable(runtime)
    if found is not None:
        _apply(runtime, settle, *found)
    elif runtime.queue:
        settle.always = False
    else:
        runtime.pop()
        runtime.give(settle.into, settle.result)


def _applicable(runtime: Runtime) -> tuple[Code, tuple[Value, ...]] | None:
    """Return the first rule that applies, with the first elements it applies to."""
    for number, rule in enumerate(runtime.checked.always):
        found = first(runtime, rule.binder)
        if found is not None:
            return Code("always", "", number), found
    return None


def _apply(runtime: Runtime, settle: Settle, code: Code, arguments: tuple[Value, ...]) -> None:
    rule = runtime.checked.always[code.number]
    settle.rounds += 1
    if settle.rounds > limits.APPLICATIONS:
        raise PlayError(
            f"`always` applied {limits.APPLICATIONS} times after one step: this seems not to end",
            rule.span,
            "no-steps-left",
        )
    runtime.watch(rule)
    part = Part(code, "body")
    runtime.push(Body(part, bind(runtime.program.names(part), arguments), rule.body))
