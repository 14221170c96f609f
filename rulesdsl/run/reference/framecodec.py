"""Frames as plain data and back. A stack that comes from outside is built from below, and each
frame is taken only where the machine could have put it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from rulesdsl.model.checked import (
    ActionCall,
    ChoiceCall,
    EffectCall,
    For,
    If,
    Let,
    Local,
    Perform,
    ProceedCall,
    SetLocal,
    While,
)
from rulesdsl.model.types import NONE, Type
from rulesdsl.model.values import Piece, Value, Zone
from rulesdsl.model.walk import walk
from rulesdsl.run.reference.box import Box
from rulesdsl.run.reference.context import Scope
from rulesdsl.run.reference.fitting import alike, exists
from rulesdsl.run.reference.frames import (
    Ask,
    Body,
    Branch,
    Call,
    Draw,
    Frame,
    Loop,
    Phase,
    Repeat,
    Running,
    Settle,
)
from rulesdsl.run.reference.plaindata import (
    DataError,
    decode,
    decode_all,
    encode,
    fields,
    listed,
    named,
    truth,
    whole,
)
from rulesdsl.run.reference.program import HOOKS, Code, Part, bound, declares, hooks_of
from rulesdsl.run.reference.runtime import MAX_FRAMES, Runtime
from rulesdsl.run.reference.statements import CHANCE


def encode_frame(frame: Frame) -> list[Any]:
    """A frame as data: a word, then what the frame holds."""
    match frame:
        case Call():
            arguments = [encode(value) for value in frame.arguments]
            where = [frame.phase.value, frame.at, frame.proceeded]
            code = _encode_code(frame.code)
            return ["call", code, arguments, frame.into, frame.inner, *where, encode(frame.result)]
        case Body():
            known = {name: encode(value) for name, value in frame.scope.locals.items()}
            part = frame.part
            return ["body", _encode_code(part.code), part.name, part.number, frame.at, known]
        case Branch():
            return ["branch", frame.number, frame.at]
        case Loop():
            items = [[encode(value) for value in item] for item in frame.items]
            return ["loop", items, frame.round, frame.at]
        case Repeat():
            return ["while", frame.at]
        case Ask():
            return ["ask", frame.done]
        case Draw():
            return ["draw", frame.effect, [encode(a) for a in frame.arguments], frame.into]
        case Settle():
            return ["settle", frame.into, encode(frame.result), frame.always, frame.rounds]
        case _:
            assert_never(frame)


def _encode_code(code: Code) -> list[Any]:
    return [code.kind, code.key, code.number]


def load_stack(runtime: Runtime, data: object) -> None:
    """Fill the stack; raises DataError for one that the machine cannot have made."""
    rows = listed(data)
    if len(rows) > MAX_FRAMES:
        raise DataError("too much is running")
    for row in rows:
        below = runtime.stack[-1] if runtime.stack else None
        frame = _decode_frame(runtime, row, below)
        if not _may_lie(runtime, below, frame):
            raise DataError("what is running does not fit together")
        runtime.stack.append(frame)
    if runtime.stack and not isinstance(runtime.stack[-1], Ask | Draw):
        raise DataError("it waits for nobody")
    for index, frame in enumerate(runtime.stack):
        if isinstance(frame, Body):
            _check_locals(runtime, index, frame)


# --- one frame -----------------------------------------------------------------------------------


def _decode_frame(runtime: Runtime, row: object, below: Frame | None) -> Frame:
    match row:
        case ["call", code, arguments, into, inner, phase, at, proceeded, result]:
            return Call(
                _decode_code(runtime, code),
                decode_all(arguments),
                named(into),
                truth(inner),
                _phase(phase),
                whole(at),
                truth(proceeded),
                decode(result),
            )
        case ["body", code, str(name), number, at, known]:
            part = Part(_decode_code(runtime, code), name, whole(number))
            _check_part(runtime, part)
            return Body(part, _scope(known), runtime.program.block(part), whole(at))
        case ["draw", str(effect), arguments, into]:
            return Draw(effect, decode_all(arguments), named(into))
        case ["ask", done]:
            return Ask(truth(done))
        case ["settle", into, result, always, rounds]:
            return Settle(named(into), decode(result), truth(always), whole(rounds))
        case _:
            return _decode_block(row, below)


def _decode_block(row: object, below: Frame | None) -> Frame:
    """A frame that runs statements inside of what the frame below has begun."""
    statement = _begun(below)
    match row, statement:
        case ["branch", 0, at], If():
            return Branch(0, statement.then, whole(at))
        case ["branch", 1, at], If():
            return Branch(1, statement.otherwise, whole(at))
        case ["loop", items, round, at], For():
            visited = tuple(decode_all(item) for item in listed(items))
            return Loop(statement, visited, whole(round), whole(at))
        case ["while", at], While():
            return Repeat(statement, whole(at))
        case _:
            raise DataError("a block is running that is not there")


def _begun(frame: Frame | None) -> object:
    """The statement that a frame has begun and not ended."""
    if isinstance(frame, Body | Branch | Loop | Repeat) and 0 < frame.at <= len(frame.block):
        return frame.block[frame.at - 1]
    return None


def _decode_code(runtime: Runtime, data: object) -> Code:
    match data:
        case ["action" as kind, str(key), 0] if key in runtime.checked.actions:
            return Code(kind, key)
        case ["choice" as kind, str(key), 0] if key in runtime.checked.choices:
            return Code(kind, key)
        case ["option" as kind, str(key), int(number)] if key in runtime.checked.choices:
            if 0 <= number < len(runtime.checked.choices[key].options):
                return Code(kind, key, number)
        case ["always" as kind, "", int(number)]:
            if 0 <= number < len(runtime.checked.always):
                return Code(kind, "", number)
    raise DataError("something is running that the rules do not know")


def _check_part(runtime: Runtime, part: Part) -> None:
    if part.name in HOOKS:
        hooks = hooks_of(runtime.program.hooks(part.code), part.name)
        good = 0 <= part.number < len(hooks)
    elif part.name == "otherwise":
        kind = part.code.kind
        good = kind == "choice" and runtime.program.choice(part.code).otherwise is not None
    else:
        good = part.name == "body" and part.code.kind != "choice"
    if not good or (part.name not in HOOKS and part.number):
        raise DataError("a part is running that the rules do not know")


def _phase(data: object) -> Phase:
    try:
        return Phase(data)
    except ValueError:
        raise DataError("a call is in a phase that is not there") from None


def _scope(data: object) -> Scope:
    if not isinstance(data, dict):
        raise DataError("the locals are missing")
    return Scope({name: decode(value) for name, value in fields(data, *data).items()})


# --- how frames lie on each other ----------------------------------------------------------------


def _may_lie(runtime: Runtime, below: Frame | None, frame: Frame) -> bool:
    """Can the machine have pushed this frame on that one?"""
    if not _sound(runtime, frame):
        return False
    match below, frame:
        case None, Call():
            roles = (runtime.checked.play, runtime.checked.finish)
            return _called(frame, "action", None) and frame.code.key in roles
        case None, Settle():
            return frame.into is None
        case Call(), Body():
            return _part_of_call(below, frame)
        case Call(), Ask():
            return below.code.kind == "choice" and (below.phase, below.at) == (Phase.AFTER, 0)
        case Ask(), Call():
            return _called(frame, "option", None) and _answers(runtime, frame)
        case Ask(), Body():
            return below.done and frame.part == Part(_asking(runtime).code, "otherwise")
        case Settle(), Call():
            return _called(frame, "action", None)
        case Settle(), Body():
            return frame.part.code.kind == "always"
        case ((Body() | Branch() | Loop() | Repeat()), _):
            return _from_statement(runtime, below, frame)
        case _:
            return False


def _sound(runtime: Runtime, frame: Frame) -> bool:
    """Is what the frame itself holds possible?"""
    box = runtime.world.box
    match frame:
        case Call():
            wanted = [kind for _, kind in runtime.program.parameters(frame.code)]
            return exists(frame.result, box) and suit(frame.arguments, wanted, box)
        case Loop():
            wanted = [kind for _, kind in bound((frame.loop.binder,))]
            inside = 0 < frame.round <= len(frame.items)
            return inside and all(suit(item, wanted, box) for item in frame.items)
        case Draw():
            if not _exist(frame.arguments, box):
                return False
            match frame.effect, frame.arguments:
                case "take", (Zone(),):
                    return True
                case "roll", (Piece() as die,):
                    return box.cls(die) == "die"
            return False
        case Settle():
            return exists(frame.result, box) and frame.rounds >= 0
        case _:
            return True


def _exist(values: tuple[Value, ...], box: Box) -> bool:
    return all(exists(value, box) for value in values)


def suit(values: tuple[Value, ...], wanted: list[Type], box: Box) -> bool:
    """Do the values exist, and are they of the same sorts as these types?"""
    return (
        len(values) == len(wanted)
        and _exist(values, box)
        and all(alike(value, kind) for value, kind in zip(values, wanted, strict=True))
    )


def _called(call: Call, kind: str, into: str | None) -> bool:
    return call.code.kind == kind and call.into == into and not call.inner


def _part_of_call(call: Call, body: Body) -> bool:
    """Is the body what a call in this phase runs?"""
    part = body.part
    if part.code != call.code:
        return False
    match part.name:
        case "body":
            return (call.phase, call.at) == (Phase.AFTER, 0)
        case "around":
            return call.phase is Phase.LEAVE and call.at == part.number + 1
        case "before" | "after":
            return call.phase.value == part.name and call.at == part.number + 1
        case _:
            return False


def _asking(runtime: Runtime) -> Call:
    """The call of the choice whose asking is the innermost frame."""
    call = runtime.stack[-2]
    assert isinstance(call, Call)
    return call


def _answers(runtime: Runtime, option: Call) -> bool:
    choice = _asking(runtime)
    given = option.arguments[: len(choice.arguments)]
    return option.code.key == choice.code.key and given == choice.arguments


def _from_statement(runtime: Runtime, below: Running, frame: Frame) -> bool:
    """Can the statement that is begun below have pushed the frame?"""
    if isinstance(frame, Branch | Loop | Repeat):
        return True
    statement = _begun(below)
    if not isinstance(statement, Perform):
        return False
    match statement.call, frame:
        case ActionCall(action=key), Call():
            return _called(frame, "action", statement.into) and frame.code.key == key
        case ActionCall(action=key), Settle():
            step = runtime.checked.actions[key].step
            return step and frame.into == statement.into and not runtime.settling()
        case ChoiceCall(choice=key), Call():
            return _called(frame, "choice", statement.into) and frame.code.key == key
        case EffectCall(effect=effect), Draw():
            return effect in CHANCE and (frame.effect, frame.into) == (effect, statement.into)
        case ProceedCall(), Call():
            return frame.into == statement.into and _proceeds(runtime, frame)
        case _:
            return False


def _proceeds(runtime: Runtime, inner: Call) -> bool:
    index = runtime.body_index()
    body, outer = runtime.stack[index], runtime.stack[index - 1]
    return (
        isinstance(body, Body)
        and body.part.name == "around"
        and isinstance(outer, Call)
        and inner.inner
        and outer.proceeded
        and (inner.code, inner.arguments) == (outer.code, outer.arguments)
        and inner.at >= 0
    )


# --- locals --------------------------------------------------------------------------------------


def _check_locals(runtime: Runtime, index: int, body: Body) -> None:
    """Raise DataError unless a body has the locals that it has where it is, of their sorts."""
    names = runtime.program.names(body.part)
    kinds = dict(
        zip(names, (t for _, t in runtime.program.parameters(body.part.code)), strict=True)
    )
    wanted = set(names)
    for frame in runtime.stack[index:]:
        if frame is not body and not isinstance(frame, Branch | Loop | Repeat):
            break
        assert isinstance(frame, Body | Branch | Loop | Repeat)
        wanted |= {n for s in frame.block[: frame.at - 1] if (n := declares(s)) is not None}
        if isinstance(frame, Loop):
            wanted |= set(frame.loop.binder.names)
    known = body.scope.locals
    if known.keys() != wanted:
        raise DataError("the locals are not those of the rules")
    kinds = dict(_sorts(body.block)) | kinds
    for name, value in known.items():
        fitting = name not in kinds or alike(value, kinds[name])
        if not fitting or not exists(value, runtime.world.box):
            raise DataError(f"the local `{name}` cannot be that")


def _sorts(node: object) -> Iterator[tuple[str, Type]]:
    """The locals of a tree with types they are used as; what is read counts more, so comes last."""
    found = list(_uses(node))
    for rank in (0, 1):
        yield from ((name, kind) for order, name, kind in found if order == rank and kind != NONE)


def _uses(node: object) -> Iterator[tuple[int, str, Type]]:
    for inner in walk(node):
        match inner:
            case Local():
                yield 1, inner.name, inner.type
            case Let() | SetLocal():
                yield 0, inner.name, inner.value.type
