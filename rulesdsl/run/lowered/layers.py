"""Frames of a lowered game as frames of the readable engine: one of ours stands for several."""

from __future__ import annotations

from collections.abc import Iterable

from rulesdsl.lower.plan import (
    AskLayer,
    BodyLayer,
    BranchLayer,
    CallLayer,
    DrawLayer,
    Layer,
    LoopLayer,
    Plan,
    RepeatLayer,
    SettleLayer,
)
from rulesdsl.model.checked import For, If, Perform, Stmt, While
from rulesdsl.run.lowered.frames import Frame
from rulesdsl.run.reference import frames as reference
from rulesdsl.run.reference.context import Scope
from rulesdsl.run.reference.plaindata import DataError
from rulesdsl.run.reference.program import Code, Part, Program


def reference_stack(
    plan: Plan, program: Program, frames: Iterable[Frame], settling: tuple[int, int]
) -> list[reference.Frame]:
    """The frames of the readable engine, outermost first; `settling` is what the table of that name
    holds. Raises DataError for frames that cannot lie on each other like that."""
    stack: list[reference.Frame] = []
    for frame in frames:
        for layer in plan.points[frame.point].layers:
            stack.append(_raised(program, stack, frame, layer, settling))
    return stack


def _raised(
    program: Program,
    stack: list[reference.Frame],
    frame: Frame,
    layer: Layer,
    settling: tuple[int, int],
) -> reference.Frame:
    begun = _begun(stack)
    into = begun.into if isinstance(begun, Perform) else None
    match layer, begun:
        case CallLayer(), _:
            return _call(frame, layer, into)
        case BodyLayer(), _:
            return _body(program, stack, frame, layer)
        case BranchLayer(), If():
            block = begun.otherwise if layer.number else begun.then
            return reference.Branch(layer.number, block, layer.at)
        case LoopLayer(), For():
            round_ = frame.number(layer.round)
            return reference.Loop(begun, frame.items(layer.items), round_, layer.at)
        case RepeatLayer(), While():
            return reference.Repeat(begun, layer.at)
        case AskLayer(), _:
            return reference.Ask(frame.truth(layer.done))
        case DrawLayer(), _:
            return reference.Draw(layer.effect, (frame.value(layer.argument),), into)
        case SettleLayer(), _:
            result = None if layer.result is None else frame.value(layer.result)
            return reference.Settle(into, result, bool(settling[0]), settling[1])
    raise DataError("what is running does not fit together")


def _call(frame: Frame, layer: CallLayer, into: str | None) -> reference.Call:
    return reference.Call(
        Code(layer.kind, layer.key, layer.number),
        tuple(frame.value(slot) for slot in layer.arguments),
        into,
        layer.inner,
        reference.Phase(layer.phase),
        layer.at,
        layer.proceeded is not None and frame.truth(layer.proceeded),
        None if layer.result is None else frame.value(layer.result),
    )


def _body(
    program: Program, stack: list[reference.Frame], frame: Frame, layer: BodyLayer
) -> reference.Body:
    match stack:
        case [*_, reference.Call(code=code)]:
            part = Part(code, layer.part, layer.number)
        case [*_, reference.Call(code=code), reference.Ask()]:
            part = Part(code, layer.part, layer.number)
        case [*_, reference.Settle()]:
            part = Part(Code("always", "", layer.number), "body")
        case _:
            raise DataError("a part is running that nothing has called")
    known = {slot.name: frame.value(slot) for slot in layer.locals}
    return reference.Body(part, Scope(known), program.block(part), layer.at)


def _begun(stack: list[reference.Frame]) -> Stmt | None:
    """The statement that the innermost frame has begun and not ended."""
    match stack:
        case [*_, reference.Body() | reference.Branch() | reference.Loop() | reference.Repeat()]:
            frame = stack[-1]
            assert not isinstance(
                frame, reference.Call | reference.Ask | reference.Draw | reference.Settle
            )
            return frame.block[frame.at - 1] if 0 < frame.at <= len(frame.block) else None
    return None
