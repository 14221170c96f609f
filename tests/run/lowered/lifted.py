"""Plans and frames made of what the readable engine has on its stack, without any program: every
call becomes a frame, with what lies on it up to the next call as its layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rulesdsl.lower.plan import (
    AskLayer,
    BodyLayer,
    BranchLayer,
    CallLayer,
    DrawLayer,
    Layer,
    LoopLayer,
    Plan,
    Point,
    RepeatLayer,
    SettleLayer,
    Slot,
)
from rulesdsl.model.checked import Checked
from rulesdsl.model.types import (
    BOOL,
    CELL,
    FACE,
    FEATURE,
    GRID,
    INT,
    KIND,
    PIECE,
    PLACEMENT,
    PLAYER,
    SEGMENT,
    SPACE,
    ZONE,
    EnumType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.model.values import (
    Cell,
    EnumMember,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.run.lowered.frames import Frame, Held
from rulesdsl.run.lowered.snapshot import Snapshot
from rulesdsl.run.reference.framecodec import _sorts
from rulesdsl.run.reference.frames import Ask, Body, Branch, Call, Draw, Loop, Repeat, Settle
from rulesdsl.run.reference.frames import Frame as ReferenceFrame
from rulesdsl.run.reference.program import Part, Program, bound
from rulesdsl.run.reference.runtime import Runtime

TYPES: dict[type, Type] = {
    bool: BOOL,
    int: INT,
    Player: PLAYER,
    Kind: KIND,
    Face: FACE,
    Piece: PIECE,
    Segment: SEGMENT,
    Feature: FEATURE,
    Cell: CELL,
    Placement: PLACEMENT,
    Zone: ZONE,
    Grid: GRID,
    Space: SPACE,
}
FLAG, RESULT, GIVEN, FREE = 20, 21, 22, 23
"""Offsets of slots in frames of this sort; loops and locals follow, arguments come before."""


@dataclass
class Lift:
    """Collects the points of stacks, each when it is met first."""

    checked: Checked
    points: dict[tuple[Layer, ...], int] = field(default_factory=dict)

    def frames(self, stack: Sequence[ReferenceFrame]) -> list[Frame]:
        """A stack as frames."""
        return [self._frame(group) for group in _groups(stack)]

    def plan(self, plan: Plan) -> Plan:
        """The plan with all points that there are by now."""
        actions = tuple(
            (key, tuple(p.type for p in action.params))
            for key, action in self.checked.actions.items()
        )
        points = tuple(Point(layers) for layers in self.points)
        return replace(plan, points=points, actions=actions)

    def _frame(self, group: list[ReferenceFrame]) -> Frame:
        held: dict[int, Held] = {}
        layers: list[Layer] = []
        free = FREE
        scope = _Scope(self, held)
        for frame in group:
            layers.append(scope.layer(frame, free))
            free += 2 if isinstance(frame, Loop) else 0
            if isinstance(frame, Body):
                free += len(frame.scope.locals)
        number = self.points.setdefault(tuple(layers), len(self.points))
        return Frame(number, held)


class _Scope:
    """The layers of one frame, and what their slots hold."""

    def __init__(self, lift: Lift, held: dict[int, Held]) -> None:
        self.lift = lift
        self.held = held
        self.program = Program(lift.checked)

    def slot(self, name: str, offset: int, type_: Type, value: Held) -> Slot:
        self.held[offset] = value
        return Slot(name, offset, type_)

    def layer(self, frame: ReferenceFrame, free: int) -> Layer:
        match frame:
            case Call():
                return self._call(frame)
            case Body():
                kinds = self._kinds(frame.part)
                slots = tuple(
                    self.slot(name, free + i, _of(value, kinds.get(name)), value)
                    for i, (name, value) in enumerate(frame.scope.locals.items())
                )
                always = frame.part.code.kind == "always"
                number = frame.part.code.number if always else frame.part.number
                return BodyLayer(frame.part.name, number, frame.at, slots)
            case Branch():
                return BranchLayer(frame.number, frame.at)
            case Loop():
                types = tuple(kind for _, kind in bound((frame.loop.binder,)))
                items = self.slot("items", free, INT, frame.items)
                round_ = self.slot("round", free + 1, INT, frame.round)
                return LoopLayer(items, types, round_, frame.at)
            case Repeat():
                return RepeatLayer(frame.at)
            case Ask():
                return AskLayer(self.slot("flag", FLAG, INT, frame.done))
            case Draw():
                (given,) = frame.arguments
                slot = self.slot("given", GIVEN, type_of(given), given)
                return DrawLayer(frame.effect, slot, frame.into)
            case Settle():
                kind = OptionalType(type_of(frame.result))
                return SettleLayer(self.slot("result", RESULT, kind, frame.result))

    def _kinds(self, part: Part) -> dict[str, Type]:
        """What types the names in a part are used as."""
        params = zip(self.program.names(part), self.program.parameters(part.code), strict=True)
        return dict(_sorts(self.program.block(part))) | {name: kind for name, (_, kind) in params}

    def _call(self, call: Call) -> CallLayer:
        params = self.program.parameters(call.code)
        given = tuple(
            self.slot(name, 2 + number, _of(value, kind), value)
            for number, ((name, kind), value) in enumerate(zip(params, call.arguments, strict=True))
        )
        proceeded = self.slot("flag", FLAG, INT, True) if call.proceeded else None
        result = None
        if call.result is not None:
            result = self.slot("result", RESULT, OptionalType(type_of(call.result)), call.result)
        code, phase = call.code, call.phase.value
        return CallLayer(
            code.kind, code.key, code.number, given, call.inner, phase, call.at, proceeded, result
        )


def _groups(stack: Sequence[ReferenceFrame]) -> Iterator[list[ReferenceFrame]]:
    """What lies on the stack in frames: a call, what settles or an `always` body begins one."""
    group: list[ReferenceFrame] = []
    for number, frame in enumerate(stack):
        always = isinstance(frame, Body) and isinstance(stack[number - 1], Settle)
        if group and (isinstance(frame, Call | Settle) or always):
            yield group
            group = []
        group.append(frame)
    if group:
        yield group


def _of(value: Value, kind: Type | None) -> Type:
    """A type for a slot that holds the value now, and is used as that type."""
    if kind is None:
        return type_of(value)
    return OptionalType(kind) if value is None and not isinstance(kind, OptionalType) else kind


def type_of(value: Value) -> Type:
    """A type that the value is of; for none a type that some other value is of."""
    if isinstance(value, EnumMember):
        return EnumType(value.enum)
    if isinstance(value, tuple):
        return SetType(type_of(value[0]) if value else PIECE)
    return BOOL if value is None else TYPES[type(value)]


def snapshot(runtime: Runtime, lift: Lift) -> Snapshot:
    """A runtime as a snapshot that shares everything with it."""
    settles = [frame for frame in runtime.stack if isinstance(frame, Settle)]
    return Snapshot(
        world=runtime.world,
        states=runtime.states,
        frames=lift.frames(runtime.stack),
        queue=runtime.queue,
        generator=runtime.generator,
        winners=runtime.winners,
        decided=runtime.decided,
        cut_short=runtime.cut_short,
        settling=(int(settles[-1].always), settles[-1].rounds) if settles else (0, 0),
    )
