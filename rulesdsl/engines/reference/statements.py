"""The execution of statements and calls.

A call evaluates its guard and preconditions, then runs its `around` hooks, and inside of them
`before` hooks, body and `after` hooks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import assert_never

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import SAY, PlayError
from rulesdsl.engines.ranges import check_range
from rulesdsl.engines.reference.board import BuiltinFault
from rulesdsl.engines.reference.context import bind
from rulesdsl.engines.reference.effects import perform, uncovered
from rulesdsl.engines.reference.evaluate import rounds
from rulesdsl.engines.reference.rules import body_result, changed, set_local
from rulesdsl.engines.reference.runtime import (
    AskFrame,
    BlockFrame,
    BlockId,
    BodyFrame,
    BranchFrame,
    CallableId,
    CallFrame,
    ChanceFrame,
    LoopFrame,
    Phase,
    Queued,
    RepeatFrame,
    Runtime,
    SettleFrame,
    hooks_of,
)
from rulesdsl.engines.reference.world import Place
from rulesdsl.engines.samples import told_answers
from rulesdsl.model import checked
from rulesdsl.model.flow import told_attribute
from rulesdsl.model.types import BOOL
from rulesdsl.model.values import Feature, Piece, Player, Segment, Value, Zone
from rulesdsl.runtime import faults
from rulesdsl.runtime.effects import KEY

# --- calls ---------------------------------------------------------------------------------------

_AFTER = {
    Phase.AROUND: Phase.BEFORE,
    Phase.BEFORE: Phase.BODY,
    Phase.BODY: Phase.AFTER,
    Phase.AFTER: Phase.LEAVE,
}


def step_call(runtime: Runtime, call: CallFrame) -> None:
    """Run the next step of a call."""
    match call.phase:
        case Phase.ENTER:
            _enter(runtime, call)
        case Phase.AROUND | Phase.BEFORE | Phase.AFTER:
            _next_hook(runtime, call)
        case Phase.BODY:
            call.phase, call.at = Phase.AFTER, 0
            if call.code.kind == "choice":
                runtime.push(AskFrame())
            else:
                _say(runtime, call)
                push_part(runtime, call, BlockId(call.code, "body"))
        case Phase.LEAVE:
            _leave(runtime, call)


def _enter(runtime: Runtime, call: CallFrame) -> None:
    call.phase = Phase.AROUND
    if call.code.kind != "action":
        return
    action = runtime.program.action(call.code)
    runtime.spend(action.span)
    scope = bind(runtime.program.names(BlockId(call.code, "body")), call.arguments)
    if action.guard is not None and not runtime.holds(action.guard, scope):
        call.phase = Phase.LEAVE
        return
    broken = precondition(runtime, action, call.arguments)
    if broken is not None:
        raise PlayError(f"a precondition of `{action.key}` does not hold", broken)
    _check_depth(runtime, action)


def _check_depth(runtime: Runtime, action: checked.ActionDef) -> None:
    if action.depth is None:
        return
    if sum(key == action.key for key, _ in runtime.running()) > action.depth:
        raise PlayError(f"`{action.key}` runs more than {action.depth} times at once", action.span)


def precondition(
    runtime: Runtime, action: checked.ActionDef, arguments: tuple[Value, ...]
) -> Span | None:
    """Return the place of the first precondition of an action that does not hold.

    It is None if all hold.
    """
    for rule in action.requires:
        scope = bind(rule.params, arguments)
        if runtime.holds(rule.guard, scope) and body_result(runtime, rule, scope) is not True:
            return rule.span
    return None


def _say(runtime: Runtime, call: CallFrame) -> None:
    """Report the line of an action to the listener, with the players who may see what it names."""
    if runtime.listener is None or call.code.kind != "action":
        return
    action = runtime.program.action(call.code)
    if action.said:
        values = tuple(call.arguments[place] for place in action.said)
        runtime.tell(SAY, values, new=seeing(runtime, values), source=action.key)


def seeing(runtime: Runtime, values: tuple[Value, ...]) -> tuple[Player, ...]:
    """Return the players who know all pieces that values are, contain or are parts of."""
    world = runtime.world
    known = (world.knowing(piece) for piece in pieces_in(values))
    return tuple(map(Player, sorted(world.box.seats.intersection(*known))))


def pieces_in(value: Value) -> Iterator[Piece]:
    """Yield the pieces that a value is, contains or is a part of."""
    match value:
        case Piece():
            yield value
        case Segment(piece) | Feature(Segment(piece)):
            yield Piece(piece)
        case tuple():
            for each in value:
                yield from pieces_in(each)


def _next_hook(runtime: Runtime, call: CallFrame) -> None:
    """Run the next hook of the phase whose guard holds now, or go on to the next phase."""
    program, when = runtime.program, call.phase
    hooks = hooks_of(program.hooks(call.code), when)
    while call.at < len(hooks):
        hook, number = hooks[call.at], call.at
        call.at += 1
        scope = bind(program.hook_names(call.code, hook), call.arguments)
        if runtime.holds(hook.guard, scope):
            if call.phase is Phase.AROUND:
                call.phase = Phase.LEAVE
            push_part(runtime, call, BlockId(call.code, when, number))
            return
    call.phase, call.at = _AFTER[call.phase], 0


def push_part(runtime: Runtime, call: CallFrame, part: BlockId) -> None:
    """Run a part of a call with its arguments bound."""
    runtime.watch(runtime.program.written(part))
    scope = bind(runtime.program.names(part), call.arguments, call.terms)
    runtime.push(BodyFrame(part, scope, runtime.program.block(part)))


def proceed(runtime: Runtime, into: str | None, span: Span) -> None:
    """Run the part of the call inside the current `around` hook."""
    call = _around(runtime)
    if call.proceeded:
        raise PlayError("`proceed` for a second time", span)
    call.proceeded = True
    inner = CallFrame(
        call.code, call.arguments, into, True, Phase.AROUND, call.at, terms=call.terms
    )
    runtime.push(inner, span)


def _around(runtime: Runtime) -> CallFrame:
    """Return the call whose `around` hook is the innermost body."""
    call = runtime.stack[runtime.body_index() - 1]
    assert isinstance(call, CallFrame), "check keeps `proceed` to `around` hooks"
    return call


def _leave(runtime: Runtime, call: CallFrame) -> None:
    """Pass on the result of a call that has ended."""
    runtime.pop()
    if call.inner:
        _around(runtime).result = call.result
        runtime.give(call.into, call.result)
    elif call.code.kind == "option":
        _option_ended(runtime, call)
    elif _outermost_step(runtime, call.code):
        runtime.push(SettleFrame(call.into, call.result))
    else:
        runtime.give(call.into, call.result)


def _outermost_step(runtime: Runtime, code: CallableId) -> bool:
    step = code.kind == "action" and runtime.program.action(code).step
    return step and not runtime.settling()


def _option_ended(runtime: Runtime, call: CallFrame) -> None:
    ask, choice = runtime.stack[-1], runtime.stack[-2]
    assert isinstance(ask, AskFrame)
    assert isinstance(choice, CallFrame)
    choice.result = call.result
    ask.done = ask.done or not runtime.program.choice(call.code).repeat


def end_body(runtime: Runtime) -> None:
    """Remove the innermost body, which has ended."""
    while not isinstance(runtime.pop(), BodyFrame):
        pass


def stop_asking(runtime: Runtime) -> None:
    """Make the running option the last one of its choice."""
    next(frame for frame in reversed(runtime.stack) if isinstance(frame, AskFrame)).done = True


def returned(runtime: Runtime, value: Value) -> None:
    """Set the result of the call whose body is the innermost one.

    Hooks before and after have no result. The result of an option is that of its choice, which then
    asks no more.
    """
    index = runtime.body_index()
    body, below = runtime.stack[index], runtime.stack[index - 1]
    if isinstance(below, AskFrame):
        below = runtime.stack[index - 2]
    assert isinstance(body, BodyFrame)
    if isinstance(below, CallFrame) and body.part.name not in ("before", "after"):
        below.result = value
        if below.code.kind == "option":
            stop_asking(runtime)


# --- blocks --------------------------------------------------------------------------------------

CHANCE = frozenset({"take", "roll"})
"""The effects with several outcomes."""


def step_block(runtime: Runtime, frame: BlockFrame) -> None:
    """Run the next statement of a block, or end the block after its last one."""
    if frame.at < len(frame.block):
        frame.at += 1
        execute(runtime, frame.block[frame.at - 1])
        return
    match frame:
        case BodyFrame() | BranchFrame():
            runtime.pop()
        case LoopFrame():
            _next_round(runtime, frame)
        case RepeatFrame():
            runtime.end_block(frame)
            _repeat(runtime, frame)
        case _:
            assert_never(frame)


def _next_round(runtime: Runtime, frame: LoopFrame) -> None:
    runtime.end_block(frame)
    if frame.round == len(frame.items):
        runtime.pop()
        return
    runtime.spend(frame.loop.span)
    names = frame.loop.binder.names
    runtime.scope().locals.update(zip(names, frame.items[frame.round], strict=True))
    frame.round, frame.at = frame.round + 1, 0


def _repeat(runtime: Runtime, frame: RepeatFrame) -> None:
    if runtime.holds(frame.loop.condition, runtime.scope()):
        runtime.spend(frame.loop.span)
        frame.at = 0
    else:
        runtime.pop()


def execute(runtime: Runtime, statement: checked.Stmt) -> None:
    """Run a statement, or push the frame that does."""
    runtime.watch(statement)
    match statement:
        case checked.Let() | checked.SetLocal():
            set_local(runtime, statement, runtime.scope())
        case checked.SetState():
            _set_state(runtime, statement)
        case checked.Perform():
            _perform(runtime, statement.call, statement.into)
        case checked.Later():
            _later(runtime, statement.call)
        case checked.If():
            chosen = runtime.holds(statement.condition, runtime.scope())
            block = statement.then if chosen else statement.otherwise
            if block:
                runtime.push(BranchFrame(0 if chosen else 1, block), statement.span)
        case checked.For():
            items = rounds(runtime, statement, runtime.scope())
            runtime.push(LoopFrame(statement, items, at=len(statement.body)), statement.span)
        case checked.While():
            runtime.push(RepeatFrame(statement, at=len(statement.body)), statement.span)
        case checked.Return():
            if statement.value is not None:
                returned(runtime, runtime.quiet(statement.value, runtime.scope()))
            end_body(runtime)
        case checked.Break():
            while not isinstance(runtime.pop(), LoopFrame | RepeatFrame):
                pass
        case checked.Leave():
            end_body(runtime)
            stop_asking(runtime)
        case _:
            assert_never(statement)


# --- statements that call ------------------------------------------------------------------------


def _perform(runtime: Runtime, call: checked.Call, into: str | None) -> None:
    match call:
        case checked.ActionCall():
            arguments, terms = runtime.arguments(call.arguments, runtime.scope())
            code = CallableId("action", call.action)
            runtime.push(CallFrame(code, arguments, into, terms=terms), call.span)
        case checked.ChoiceCall():
            arguments, terms = runtime.arguments(call.arguments, runtime.scope())
            code = CallableId("choice", call.choice)
            runtime.push(CallFrame(code, arguments, into, terms=terms), call.span)
        case checked.EffectCall():
            arguments, _ = runtime.arguments(call.arguments, runtime.scope())
            if call.told is not None and None not in arguments:
                answers = _answers(runtime, call.told)
                arguments = (arguments[0], answers, *arguments[1:])
            _effect(runtime, call, arguments, into)
        case checked.ProceedCall():
            proceed(runtime, into, call.span)
        case _:
            assert_never(call)


def _later(runtime: Runtime, call: checked.ActionCall) -> None:
    if len(runtime.queue) >= faults.WAITING:
        raise PlayError(f"more than {faults.WAITING} calls wait for the end of the step", call.span)
    arguments, terms = runtime.arguments(call.arguments, runtime.scope())
    runtime.queue.append(Queued(call.action, arguments, terms))


def _answers(runtime: Runtime, told: checked.Expr) -> int:
    """Return the bits of the answers that are told."""
    attribute = told_attribute(told)
    assert isinstance(attribute, checked.ReadAttribute)
    encoding = runtime.world.encoding
    found = encoding.answers[attribute.attribute]
    if not isinstance(told, checked.Compare) or attribute.type == BOOL:
        return found.mask
    value = runtime.quiet(told.right, runtime.scope())
    given = (encoding.encode(value, attribute.type), found.low)
    return runtime.world.call("answer", *given, len(found.values), found.first)


def _effect(
    runtime: Runtime, call: checked.EffectCall, arguments: tuple[Value, ...], into: str | None
) -> None:
    if None in arguments:
        raise PlayError(f"`{call.effect}` of none", call.span)
    if call.effect in CHANCE:
        runtime.push(ChanceFrame(call.effect, arguments, into), call.span)
    elif call.effect == "note_position":
        runtime.give(into, _note_position(runtime, call.ruleset, *arguments))
    elif call.effect == "end_game":
        (winners,) = arguments
        assert isinstance(winners, tuple)
        runtime.end(winners)
    else:
        world, thing = runtime.world, arguments[0]
        piece = thing if isinstance(thing, Piece) else None
        before: Place = thing if isinstance(thing, Zone) else None
        before = before if piece is None else world.place_of(piece)
        all = world.members(thing) if isinstance(thing, Zone) else () if piece is None else (piece,)
        was, heard = list(world.state["known"]), list(world.state["told"])
        hidden = piece is not None and world.is_face_down(piece)
        knowing = seeing(runtime, arguments[:1])
        try:
            perform(world, call.effect, arguments)
        except BuiltinFault as fault:
            raise PlayError(fault.message, call.span) from fault
        known = seeing(runtime, arguments[:1])
        match call.effect:
            case "move" | "move_all" | "place":
                _tell_moved(runtime, call.effect, all, before, was)
            case "reveal" if call.told is not None:
                _tell_told(runtime, arguments, heard)
            case "reveal" if len(arguments) > 1:
                if known != knowing:
                    runtime.tell(call.effect, arguments, new=known)
            case "reveal" if hidden or known != knowing:
                runtime.tell(call.effect, arguments)
            case "turn_to":
                runtime.tell(call.effect, (thing,), new=arguments[1])
            case "shuffle":
                runtime.tell(call.effect, arguments)


def _note_position(runtime: Runtime, ruleset: int, pieces: Value, value: Value = -1) -> int:
    """Note how pieces lie, and return how often they have lain so, now included."""
    world = runtime.world
    names = world.board.functions(world.state)
    blend, described = names["blend"], names["described"]
    order = list(runtime.checked.states)
    states = defaultdict[int, int](int)

    def hashed(value: Value) -> int:
        match value:
            case None:
                return -1
            case tuple():
                return int(blend(sum(map(hashed, value)) & KEY, len(value)))
            case Piece(index):
                return int(described(index))
            case Segment(below, part) | Feature(Segment(below, part)):
                return int(blend(described(below), part))
        return world.number(value)

    for (state, owner, index), held in runtime.states.items():
        if isinstance(owner, Piece | Segment):
            key, part = order.index(state), -1
            piece = owner.index
            if isinstance(owner, Segment):
                piece, part = owner.piece, owner.index
            for each in (part, *map(world.number, index), hashed(held)):
                key = blend(key, each)
            states[piece] = states[piece] + key & KEY
    names["states_key"] = states.__getitem__
    assert isinstance(pieces, tuple)
    given = world.number(value), ruleset, runtime.decided
    return world.call("note_position", world.numbers(pieces), *given)


def _tell_told(runtime: Runtime, arguments: tuple[Value, ...], heard: Sequence[int]) -> None:
    """Report what players were told of a piece."""
    world, (piece, bits) = runtime.world, arguments[:2]
    assert isinstance(piece, Piece)
    assert isinstance(bits, int)
    first = piece.index * world.box.players
    seats = range(world.box.players)
    to = [each for each in seats if heard[first + each] != world.state["told"][first + each]]
    if to and world.place_of(piece) is not None:
        told = told_answers(world.tables(), world.encoding.answers, piece.index, bits)
        new = tuple(map(Player, sorted({*to, *world.knowing(piece)})))
        position = world.call("position_in", piece.index)
        runtime.tell("tell", (piece, *map(Player, to)), old=position, new=new, told=told)


def _tell_moved(
    runtime: Runtime, effect: str, moved: tuple[Piece, ...], old: Place, was: Sequence[int]
) -> None:
    """Report pieces that came to one place, and those that lie on top now."""
    world = runtime.world
    to = world.place_of(moved[0]) if moved else None
    whole = effect == "move_all"
    shown = [piece for piece in uncovered(world, was, old, to) if whole or moved != (piece,)]
    if whole and isinstance(to, Zone):
        # In the order in which they arrived.
        moved = tuple(piece for piece in world.members(to) if piece in moved)
    for piece in moved:
        public = len(world.knowing(piece)) == world.box.players and piece not in shown
        runtime.tell("move" if whole else effect, (piece,), old=old, new=to, public=public)
    for piece in shown:
        runtime.tell("reveal", (piece,))


# --- state ---------------------------------------------------------------------------------------


def _set_state(runtime: Runtime, node: checked.SetState) -> None:
    scope = runtime.scope()
    key = runtime.state_key(node.state, node.owner, node.index, scope, node.span)
    value, terms = runtime.traced(node.value, scope)
    old = runtime.stored(key)
    new = changed(old, node.operator, value, node.span)
    check_range(node.state, runtime.checked.states[node.state].type, new, node.span)
    runtime.store(key, new)
    if node.state == runtime.checked.score:
        runtime.tell_points(key, old, new, terms)
    else:
        runtime.changed.setdefault(key, old)
