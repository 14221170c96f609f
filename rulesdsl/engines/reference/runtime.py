"""The state of a game together with its call stack.

Frames name the callables of the game, and the blocks of these, by `CallableId` and `BlockId`.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import field
from enum import StrEnum
from itertools import chain
from typing import Any

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import Change, Decision, PlayError
from rulesdsl.engines.reference.context import Scope, StateKey, Terms
from rulesdsl.engines.reference.evaluate import Evaluator, Items
from rulesdsl.engines.reference.world import World
from rulesdsl.engines.rng import Rng
from rulesdsl.model import checked as tree
from rulesdsl.model.checked import Checked
from rulesdsl.model.flow import source_of
from rulesdsl.model.types import PIECE, SetType, Type
from rulesdsl.model.values import Feature, Piece, Player, Segment, Value, order_key
from rulesdsl.records import dataclass
from rulesdsl.runtime import faults
from rulesdsl.runtime.faults import MESSAGES, NO_STEPS

# --- callables -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallableId:
    """The name of a callable.

    `kind` is action, choice, option or always. `key` is that of the action or choice (empty for
    always). `number` is the index of an option in its choice, or of an always rule.
    """

    kind: str
    key: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class BlockId:
    """The name of a block of a callable.

    It is its `body`, its `otherwise`, or the body of hook `number` of its `before`, `after` or
    `around` hooks.
    """

    code: CallableId
    name: str
    number: int = 0


HOOKS = ("around", "before", "after")


def hooks_of(hooks: tree.Hooks, when: str) -> tuple[tree.Hook, ...]:
    """Return the hooks of one kind."""
    return {"around": hooks.arounds, "before": hooks.befores, "after": hooks.afters}[when]


class Callables:
    """A lookup of the parts of a checked game by name."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked

    def action(self, code: CallableId) -> tree.ActionDef:
        return self.checked.actions[code.key]

    def choice(self, code: CallableId) -> tree.ChoiceDef:
        return self.checked.choices[code.key]

    def option(self, code: CallableId) -> tree.OptionDef:
        """Return the option of a choice that a code of kind `option` names."""
        return self.checked.choices[code.key].options[code.number]

    def hooks(self, code: CallableId) -> tree.Hooks:
        """Return the hooks on a callable."""
        match code.kind:
            case "action":
                return self.action(code).hooks
            case "choice":
                return self.choice(code).hooks
            case "option":
                return self.option(code).hooks
            case _:
                return tree.Hooks()

    def parameters(self, code: CallableId) -> tuple[tuple[str, Type], ...]:
        """Return the parameters of a callable with their types.

        Those of an option are the parameters of the choice and then its binders.
        """
        match code.kind:
            case "action":
                return tuple((p.name, p.type) for p in self.action(code).params)
            case "choice":
                return tuple((p.name, p.type) for p in self.choice(code).params)
            case "option":
                choice = tuple((p.name, p.type) for p in self.choice(code).params)
                return (*choice, *bound(self.option(code).binders))
            case _:
                return tuple(bound((self.checked.always[code.number].binder,)))

    def names(self, part: BlockId) -> tuple[str, ...]:
        """Return the names of the arguments of its callable in a part."""
        own = tuple(name for name, _ in self.parameters(part.code))
        if part.name not in HOOKS:
            return own
        return self.hook_names(part.code, self.hook(part))

    def hook_names(self, code: CallableId, hook: tree.Hook | tree.Forbid) -> tuple[str, ...]:
        """Return the names of the arguments of a callable in a hook or veto on it.

        On an option, the arguments of the choice keep the names they have there.
        """
        if code.kind != "option":
            return hook.params
        return (*(p.name for p in self.choice(code).params), *hook.params)

    def hook(self, part: BlockId) -> tree.Hook:
        return hooks_of(self.hooks(part.code), part.name)[part.number]

    def written(self, part: BlockId) -> tree.Node:
        """Return the declaration that a part of a call belongs to."""
        if part.name in HOOKS:
            return self.hook(part)
        return self.option(part.code) if part.code.kind == "option" else self.action(part.code)

    def block(self, part: BlockId) -> tree.Block:
        """Return the statements of a part."""
        if part.name in HOOKS:
            return self.hook(part).body
        if part.name == "otherwise":
            return self.choice(part.code).otherwise or ()
        match part.code.kind:
            case "action":
                return self.action(part.code).body
            case "option":
                return self.option(part.code).body
            case "always":
                return self.checked.always[part.code.number].body
            case _:
                raise AssertionError(f"a {part.code.kind} has no body")


def bound(binders: tuple[tree.Binder, ...]) -> Iterator[tuple[str, Type]]:
    """Yield the names that binders bind, with their types."""
    for binder in binders:
        kind = binder.domain.type
        for name in binder.names:
            yield name, kind.item if isinstance(kind, SetType) else PIECE


def declares(statement: tree.Stmt) -> str | None:
    """Return the local that a statement declares for the rest of its block."""
    match statement:
        case tree.Let():
            return statement.name
        case tree.Perform():
            return statement.into
        case _:
            return None


# --- frames --------------------------------------------------------------------------------------


class Phase(StrEnum):
    """The next phase of a call."""

    ENTER = "enter"
    AROUND = "around"
    BEFORE = "before"
    BODY = "body"
    AFTER = "after"
    LEAVE = "leave"


@dataclass(slots=True)
class CallFrame:
    """A call of an action, choice or option with its hooks, or the part of it that `proceed` runs.

    `inner` marks the latter. `at` is the index of the next hook of the phase. `into` is the local
    of the block below that receives the result.
    """

    code: CallableId
    arguments: tuple[Value, ...]
    into: str | None = None
    inner: bool = False
    phase: Phase = Phase.ENTER
    at: int = 0
    proceeded: bool = False
    result: Value = None
    terms: tuple[Terms, ...] = ()


@dataclass(slots=True)
class BodyFrame:
    """The execution of a part of the callable below, with its locals.

    `at` is the index of the next statement.
    """

    part: BlockId
    scope: Scope
    block: tree.Block
    at: int = 0


@dataclass(slots=True)
class BranchFrame:
    """A branch of the `If` in the frame below: `number` is 0 for `then`, 1 for `otherwise`."""

    number: int
    block: tree.Block
    at: int = 0


@dataclass(slots=True)
class LoopFrame:
    """The `For` in the frame below, with its `items`; `round` is the index of the next one."""

    loop: tree.For
    items: Items
    round: int = 0
    at: int = 0

    @property
    def block(self) -> tree.Block:
        return self.loop.body


@dataclass(slots=True)
class RepeatFrame:
    """The `While` in the frame below."""

    loop: tree.While
    at: int = 0

    @property
    def block(self) -> tree.Block:
        return self.loop.body


@dataclass(slots=True)
class AskFrame:
    """The decisions of the choice below; `done` is true when it asks no more."""

    done: bool = False


@dataclass(slots=True)
class ChanceFrame:
    """A chance move without an outcome so far."""

    effect: str
    arguments: tuple[Value, ...]
    into: str | None


@dataclass(slots=True)
class SettleFrame:
    """The work after the outermost step, before its result is passed on.

    It consists of the queue and the `always` rules.
    """

    into: str | None
    result: Value
    always: bool = False
    rounds: int = 0


Frame = (
    CallFrame
    | BodyFrame
    | BranchFrame
    | LoopFrame
    | RepeatFrame
    | AskFrame
    | ChanceFrame
    | SettleFrame
)
BlockFrame = BodyFrame | BranchFrame | LoopFrame | RepeatFrame
"""The frames that run statements."""


def copied(frame: Frame) -> Frame:
    """Return an independent copy of a frame."""
    if isinstance(frame, BodyFrame):
        return BodyFrame(frame.part, frame.scope.copy(), frame.block, frame.at)
    copy: Frame = type(frame)(*[getattr(frame, name) for name in frame.__slots__])
    return copy


@dataclass(frozen=True, slots=True)
class Queued:
    """A call that is queued until the outermost step ends."""

    action: str
    arguments: tuple[Value, ...]
    terms: tuple[Terms, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The current decision, and the continuation of each candidate.

    `options` has the code of an option and all its arguments; for chance, `outcomes` has the
    outcome.
    """

    decision: Decision
    options: tuple[tuple[CallableId, tuple[Value, ...]], ...] = ()
    outcomes: tuple[Value, ...] = ()


class Runtime(Evaluator):
    """A game at one moment, with its call stack.

    `stack` holds the frames, innermost last; it is empty when the game is over. `queue` holds the
    calls for the end of a step. `generator` resolves chance; it is None when outcomes are offered.
    `decided` counts the decisions of players, and `cut_short` says whether their limit has ended
    the game. `winners` are seats. `waiting` is set while the game waits for a decision.
    """

    def __init__(self, program: Callables, world: World) -> None:
        super().__init__(program.checked, world)
        self.program = program
        self.stack: list[Frame] = []
        self.queue: list[Queued] = []
        self.generator: Rng | None = None
        self.winners: tuple[int, ...] = ()
        self.waiting: Waiting | None = None
        self.decided = 0
        self.cut_short = False
        self.is_late = False
        self.changed: dict[StateKey, Value] = {}
        self.initial = {
            key: self.evaluate(state.initial, Scope()) for key, state in self.checked.states.items()
        }

    def clone(self) -> Runtime:
        """Return an independent copy without a listener."""
        clone = copy(self)
        clone.world = self.world.clone()
        clone.states = dict(self.states)
        clone.stack = [copied(frame) for frame in self.stack]
        clone.queue = list(self.queue)
        clone.generator = self.generator.clone() if self.generator else None
        clone.listener, clone.changed = None, {}
        return clone

    def restart(self, generator: Rng | None) -> None:
        """Reset the game to its start, before anything has run."""
        self.world = World(self.checked, self.world.box.players)
        self.states, self.queue = {}, []
        self.stack = [CallFrame(CallableId("action", self.checked.play), ())]
        self.generator, self.winners, self.waiting = generator, (), None
        self.decided, self.cut_short = 0, False

    def refresh(self) -> None:
        """Reset the count of steps after a decision."""
        self.fuel, self.depth, self.trace, self.is_late = faults.STEPS, 0, None, False

    def stop(self) -> None:
        """Make an evaluation in another thread fail at its next step."""
        self.fuel = 0

    @property
    def progress(self) -> object:
        """A value that is different for each decision."""
        return self.decided

    def resume(self) -> None:
        """Ignore the end of a stopped call, because each call starts with new steps."""

    def late(self) -> None:
        """Note that the current decision has taken too long."""
        self.is_late = True

    # --- frames ------------------------------------------------------------------------------

    def push(self, frame: Frame, span: Span | None = None) -> None:
        """Push a frame; raises PlayError when too many are on the stack."""
        if len(self.stack) >= faults.NESTED:
            message = f"more than {faults.NESTED} things run inside each other"
            raise PlayError(message, span or self.statement_span())
        self.stack.append(frame)

    def pop(self) -> Frame:
        """Remove and return the innermost frame; the locals that its block declared are dropped."""
        frame = self.stack.pop()
        if isinstance(frame, BranchFrame | LoopFrame | RepeatFrame):
            self.end_block(frame)
        if isinstance(frame, LoopFrame):
            for name in frame.loop.binder.names:
                self.scope().locals.pop(name, None)
        return frame

    def end_block(self, frame: BlockFrame) -> None:
        """Drop the locals that the block of a frame has declared."""
        scope = self.scope()
        for statement in frame.block:
            name = declares(statement)
            if name is not None:
                scope.locals.pop(name, None)
                scope.terms.pop(name, None)

    def body_index(self) -> int:
        """Return the index on the stack of the innermost body."""
        index = len(self.stack) - 1
        while not isinstance(self.stack[index], BodyFrame):
            index -= 1
        return index

    def scope(self) -> Scope:
        """Return the locals of the innermost body."""
        body = self.stack[self.body_index()]
        assert isinstance(body, BodyFrame)
        return body.scope

    def statement_span(self) -> Span | None:
        """Return the place of the current statement of the innermost block."""
        for frame in reversed(self.stack):
            if (
                isinstance(frame, BodyFrame | BranchFrame | LoopFrame | RepeatFrame)
                and frame.at > 0
            ):
                return frame.block[frame.at - 1].span
        return None

    def give(self, into: str | None, result: Value) -> None:
        """Assign the result of a call to the local that receives it."""
        if into is not None:
            self.scope().locals[into] = result

    def settling(self) -> bool:
        """Return whether a step is running, or the work that follows one."""
        return any(
            isinstance(frame, SettleFrame)
            or (isinstance(frame, CallFrame) and not frame.inner and self._is_step(frame.code))
            for frame in self.stack
        )

    def _is_step(self, code: CallableId) -> bool:
        return code.kind == "action" and self.program.action(code).step

    def running(self) -> tuple[tuple[str, tuple[Value, ...]], ...]:
        """Return the running actions with their arguments, innermost first."""
        return tuple(
            (frame.code.key, frame.arguments)
            for frame in reversed(self.stack)
            if isinstance(frame, CallFrame) and frame.code.kind == "action" and not frame.inner
        )

    def exhausted(self, span: Span) -> PlayError:
        loops = [frame.loop for frame in self.stack if isinstance(frame, RepeatFrame)]
        place = loops[-1].span if loops else span
        if self.is_late:
            return PlayError(MESSAGES[NO_STEPS], place, "no-steps-left")
        return super().exhausted(place)

    # --- data --------------------------------------------------------------------------------

    def tell(self, name: str, arguments: tuple[Value, ...], **rest: Any) -> None:
        """Report a change, whose other fields are `rest`, to the listener, if there is one."""
        if self.listener is not None:
            self.listener(Change(name, arguments, **rest))

    def tell_points(self, key: StateKey, old: Value, new: Value, readings: Terms) -> None:
        """Report a change of the score, by the innermost body."""
        if self.listener is not None:
            given = chain.from_iterable(arguments for _, arguments in self.running())
            about = next((v for v in given if isinstance(v, Feature | Segment | Piece)), None)
            self.listener(
                Change(key[0], (key[1],), old, new, tuple(readings), self._source(), about)
            )

    def tell_states(self) -> None:
        """Report what the move made of the states other than the score."""
        if self.listener is None:
            return
        order = list(self.checked.states)
        rows = sorted(
            self.changed.items(), key=lambda row: (order.index(row[0][0]), order_key(row[0][1:]))
        )
        for key, old in rows:
            state, owner, index = key
            new = self.stored(key)
            if new != old:
                self.tell(state, index if owner is None else (owner, *index), old=old, new=new)

    def _source(self) -> str:
        """Return the source of the points that the innermost body gives."""
        index = self.body_index()
        body, call = self.stack[index], self.stack[index - 1]
        assert isinstance(body, BodyFrame)
        given = call.arguments if isinstance(call, CallFrame) else ()
        return source_of(self.checked, body.part.code.kind, body.part.code.key, given)

    def store(self, key: StateKey, value: Value) -> None:
        """Store a datum; a datum equal to its initial value is dropped."""
        if value == self.initial[key[0]]:
            self.states.pop(key, None)
        else:
            self.states[key] = value

    def sorted_states(self) -> list[tuple[StateKey, Value]]:
        """Return the data that differ from their initial values, in canonical order."""
        return sorted(self.states.items(), key=lambda row: (row[0][0], order_key(row[0][1:])))

    def finish(self) -> None:
        """Drop the stack and the queue, and run the finish action of the game."""
        self.stack.clear()
        self.queue.clear()
        self.waiting, self.winners = None, ()
        self.stack.append(CallFrame(CallableId("action", self.checked.finish), ()))

    def end(self, winners: tuple[Value, ...]) -> None:
        """End the game: drop the stack and the queue, and set the winners."""
        self.stack.clear()
        self.queue.clear()
        self.winners = tuple(player.seat for player in winners if isinstance(player, Player))

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat."""
        if not self.checked.score:
            return (0,) * self.world.box.players
        found = []
        for seat in range(self.world.box.players):
            score = self.stored((self.checked.score, Player(seat), ()))
            assert isinstance(score, int)
            found.append(score)
        return tuple(found)
