"""The exchange of pieces in all references to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulesdsl.engines.reference.frames import Body, Call, Draw, Frame, Loop, Settle
from rulesdsl.engines.reference.ordered import as_set
from rulesdsl.engines.reference.runtime import Runtime
from rulesdsl.model.values import Feature, Piece, Segment, Value

Becomes = Mapping[Piece, Piece]


def rename(runtime: Runtime, becomes: Becomes) -> None:
    """Replace every piece by the one it becomes, in states, frames and the queue."""
    runtime.states = {
        (state, renamed(owner, becomes), each(index, becomes)): renamed(value, becomes)
        for (state, owner, index), value in runtime.states.items()
    }
    for frame in runtime.stack:
        _rename_frame(frame, becomes)
    runtime.queue = [
        replace(queued, arguments=each(queued.arguments, becomes)) for queued in runtime.queue
    ]


def _rename_frame(frame: Frame, becomes: Becomes) -> None:
    match frame:
        case Call():
            frame.arguments = each(frame.arguments, becomes)
            frame.result = renamed(frame.result, becomes)
        case Body():
            known = frame.scope.locals
            known.update({name: renamed(value, becomes) for name, value in known.items()})
        case Loop():
            frame.items = tuple(each(item, becomes) for item in frame.items)
        case Draw():
            frame.arguments = each(frame.arguments, becomes)
        case Settle():
            frame.result = renamed(frame.result, becomes)


def each(values: tuple[Value, ...], becomes: Becomes) -> tuple[Value, ...]:
    """Return the values in the same order, with every piece replaced."""
    return tuple(renamed(value, becomes) for value in values)


def renamed(value: Value, becomes: Becomes) -> Value:
    """Return the value with every piece replaced; sets stay in canonical order."""
    match value:
        case Piece():
            return becomes.get(value, value)
        case Segment():
            return Segment(becomes.get(Piece(value.piece), Piece(value.piece)).index, value.index)
        case Feature():
            piece = Piece(value.segment.piece)
            return Feature(Segment(becomes.get(piece, piece).index, value.segment.index))
        case tuple():
            return as_set(renamed(item, becomes) for item in value)
        case _:
            return value
