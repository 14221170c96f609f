"""Choices: the player who decides, and the moves that are open."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.diagnostics import Span
from rulesdsl.engines.engine import Candidate, Decision, PlayError
from rulesdsl.engines.reference import effects, statements
from rulesdsl.engines.reference.context import Scope, StateKey, bind
from rulesdsl.engines.reference.evaluate import each
from rulesdsl.engines.reference.runtime import (
    AskFrame,
    BlockId,
    BodyFrame,
    CallableId,
    CallFrame,
    ChanceFrame,
    LoopFrame,
    Runtime,
    SettleFrame,
    Waiting,
)
from rulesdsl.model.checked import ChoiceDef
from rulesdsl.model.values import Feature, Piece, Player, Segment, Value, order_key
from rulesdsl.records import dataclass
from rulesdsl.runtime import faults

_TELLING = ("spot", "face", "known", "face_down", "shuffled")
"""The state tables in which interchangeable pieces are equal, beside their places."""

ArgumentOrder = tuple[tuple[int, ...], tuple[int, object]]
"""The sort key of an argument of a move: the place of an unknown piece, and the value."""


class Likeness:
    """The classes of interchangeable pieces at one moment.

    Interchangeable pieces have the same declared kind, owner, face, place, home and state, are
    known to the same players, who were told the same of them, lie in no ordered zone, and are
    referred to by no state, queued call, local and argument.
    Pieces that the player in a `seat` does not know are interchangeable if they have the same
    class, owner and place, and the player was told the same of them.
    """

    def __init__(self, runtime: Runtime, *, seat: int | None = None) -> None:
        self.world = runtime.world
        self.seat = seat
        self.ordered = runtime.world.board.const["zone_ordered"]
        self.like = runtime.world.board.const["piece_like"]
        self.named: set[int] = set()
        self.states: dict[int, list[tuple[StateKey, Value]]] = {}
        for (state, owner, index), value in runtime.states.items():
            self._name(value)
            piece = _piece(owner)
            if piece is not None:
                part = owner.index if isinstance(owner, Segment) else -1
                self.states.setdefault(piece.index, []).append(((state, part, index), value))
        for value in _locals(runtime):
            self._name(value)
        for queued in runtime.queue:
            self._name(queued.arguments)

    def _name(self, value: Value) -> None:
        if isinstance(value, tuple):
            for item in value:
                self._name(item)
        piece = _piece(value)
        if piece is not None:
            self.named.add(piece.index)

    def key(self, piece: Piece) -> object:
        """Return a key that is equal for pieces with the same state and references."""
        if piece.index in self.named:
            return piece.index
        states = self.states.get(piece.index)
        if states is None:
            return None
        return tuple(sorted(states, key=lambda entry: (entry[0][0], order_key(entry[0][1:]))))

    def _sort(self, piece: Piece) -> object:
        """Return a key that is equal for interchangeable pieces."""
        tables = self.world.state
        place = tables["place"][piece.index]
        if self._apart(piece):
            return piece
        if self.unknown(piece):
            owner = self.world.box.piece(piece).seat
            there = place, tables["spot"][piece.index], self._told(piece)
            return (self.world.box.cls(piece), owner, there)
        now = tuple([tables[name][piece.index] for name in _TELLING])
        heard = [self.world.call("heard", piece.index, s) for s in range(self.world.box.players)]
        return (self.like[piece.index], place, now, tuple(heard), self.key(piece))

    def _apart(self, piece: Piece) -> bool:
        """Return whether the place of a piece distinguishes it from all others."""
        place = self.world.state["place"][piece.index]
        zone = 0 <= place < len(self.ordered) and self.ordered[place] == 1
        return zone or self.world.level(piece) > 0

    def _told(self, piece: Piece) -> tuple[int, int]:
        """Return the answers that the player in the seat was told, and those that are so."""
        heard = self.world.call("heard", piece.index, self.seat or 0)
        return heard, heard & self.world.board.const["piece_answers"][piece.index]

    def unknown(self, value: Value) -> bool:
        """Return whether the player in the seat does not know a piece, or that of a segment."""
        piece = _piece(value)
        return not (
            self.seat is None or piece is None or effects.shows(self.world, self.seat, piece)
        )

    def lowest_first(
        self, whole: tuple[Value, ...], named: tuple[Value, ...], span: Span
    ) -> list[int]:
        """Return for each member of a set the index of the interchangeable piece before it, or -1.

        `named` are the other arguments of the move. Raises PlayError for an unknown piece.
        """
        if any(isinstance(value, Piece) and self.unknown(value) for value in whole):
            raise PlayError(faults.MESSAGES[faults.NOT_KNOWN], span)
        last, found = dict[object, int](), list[int]()
        for at, value in enumerate(whole):
            sort = self._sort(value) if isinstance(value, Piece) else None
            if sort is None or value in named:
                found.append(-1)
            else:
                found.append(last.get(sort, -1))
                last[sort] = at
        return found

    def order(self, arguments: tuple[Value, ...]) -> tuple[ArgumentOrder, ...]:
        """Return the sort key of a move: unknown pieces come after known ones, by their places."""
        return tuple(map(self._order, arguments))

    def _order(self, value: Value) -> ArgumentOrder:
        piece = _piece(value)
        if piece is None or not self.unknown(piece):
            return (), order_key(value)
        tables = self.world.state
        place, spot = tables["place"][piece.index], tables["spot"][piece.index]
        lies = self.world.at(place).index(piece) if place >= 0 else self.world.level(piece)
        told = (0, 0) if self._apart(piece) else self._told(piece)
        return (place, spot, *told, lies), order_key(value)

    def shape(self, arguments: tuple[Value, ...]) -> object:
        """Return a key that is equal for interchangeable moves, by their arguments.

        It represents a piece by its class and by its number among the different pieces of that
        class in the move.
        """
        return self._shape(arguments, {})

    def _shape(self, value: Value, seen: dict[object, list[Piece]]) -> object:
        match value:
            case tuple():
                return tuple([self._shape(item, seen) for item in value])
            case Piece():
                sort = self._sort(value)
                alike = seen.setdefault(sort, [])
                if value not in alike:
                    alike.append(value)
                return ("piece", sort, alike.index(value))
            case Segment():
                return ("segment", self._shape(Piece(value.piece), seen), value.index)
            case Feature():
                return ("feature", self._shape(value.segment, seen))
            case _:
                return value


def _locals(runtime: Runtime) -> Iterator[Value]:
    """Yield the values of all locals and arguments."""
    for frame in runtime.stack:
        match frame:
            case CallFrame():
                yield (*frame.arguments, frame.result)
            case ChanceFrame():
                yield frame.arguments
            case BodyFrame():
                yield tuple(frame.scope.locals.values())
            case LoopFrame():
                yield frame.items[frame.round :]
            case SettleFrame():
                yield frame.result


def _piece(value: Value) -> Piece | None:
    """Return the piece that a value refers to, None if there is none."""
    match value:
        case Piece():
            return value
        case Segment():
            return Piece(value.piece)
        case Feature():
            return Piece(value.segment.piece)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class OpenOption:
    """An open option with its own arguments, and the move as a candidate."""

    code: CallableId
    arguments: tuple[Value, ...]
    candidate: Candidate


def step_ask(runtime: Runtime, ask: AskFrame) -> None:
    """Ask for a decision, run `otherwise`, or end the choice."""
    call = runtime.stack[-2]
    assert isinstance(call, CallFrame)
    if ask.done:
        runtime.pop()
        return
    choice = runtime.program.choice(call.code)
    seat = _seat(runtime, choice, call.arguments)
    waiting = asked(runtime, call, seat)
    if not waiting.options:
        _otherwise(runtime, call, ask)
    elif _too_many(runtime, choice):
        runtime.cut_short = True
        runtime.finish()
    else:
        runtime.waiting = waiting


def asked(runtime: Runtime, call: CallFrame, seat: int) -> Waiting:
    """Return the decision of a choice, which may have no candidates."""
    choice = runtime.program.choice(call.code)
    moves = open_moves(runtime, call.code, call.arguments, seat)
    decision = Decision(
        seat,
        choice.key,
        tuple(zip((p.name for p in choice.params), call.arguments, strict=True)),
        tuple(move.candidate for move in moves),
    )
    return Waiting(decision, tuple((move.code, call.arguments + move.arguments) for move in moves))


def _too_many(runtime: Runtime, choice: ChoiceDef) -> bool:
    """Return whether the limit of decisions has been reached, so that the game ends now.

    The finish action may ask as often again; raises PlayError if it asks even more.
    """
    limit = runtime.checked.game.roles.limit
    if runtime.decided >= 2 * limit:
        message = f"after {2 * limit} decisions of players the game has not ended"
        raise PlayError(message, choice.span, "no-steps-left")
    finishing = any(action == runtime.checked.finish for action, _ in runtime.running())
    return runtime.decided >= limit and not finishing


def _otherwise(runtime: Runtime, call: CallFrame, ask: AskFrame) -> None:
    choice = runtime.program.choice(call.code)
    if choice.otherwise is None:
        raise PlayError(f"no option of `{choice.key}` is open", choice.span, "stuck-choice")
    ask.done = True
    runtime.watch(choice)
    part = BlockId(call.code, "otherwise")
    scope = bind(runtime.program.names(part), call.arguments, call.terms)
    runtime.push(BodyFrame(part, scope, choice.otherwise), choice.span)


def _seat(runtime: Runtime, choice: ChoiceDef, arguments: tuple[Value, ...]) -> int:
    scope = bind((p.name for p in choice.params), arguments)
    player = runtime.quiet(choice.by, scope)
    if not isinstance(player, Player):
        raise PlayError(f"there is nobody to ask for `{choice.key}`", choice.by.span)
    return player.seat


def open_moves(
    runtime: Runtime, code: CallableId, arguments: tuple[Value, ...], seat: int
) -> list[OpenOption]:
    """Return the open moves of a choice in canonical order, the lowest of interchangeable ones.

    `seat` is the player who decides.
    """
    likeness = Likeness(runtime, seat=seat)
    found: list[OpenOption] = []
    for number in range(len(runtime.program.choice(code).options)):
        shapes = set[object]()
        moves = _moves(runtime, CallableId("option", code.key, number), arguments, likeness)
        if any(likeness.unknown(value) for move in moves for value in move.arguments):
            moves.sort(key=lambda move: likeness.order(move.arguments))
        for move in moves:
            shape = likeness.shape(move.arguments)
            if shape not in shapes:
                shapes.add(shape)
                found.append(move)
    return found


def _moves(
    runtime: Runtime, code: CallableId, arguments: tuple[Value, ...], likeness: Likeness
) -> list[OpenOption]:
    """Return the moves of an open option, one for each tuple of arguments."""
    option = runtime.program.option(code)
    scope = bind((p.name for p in runtime.program.choice(code).params), arguments)
    names = tuple(name for binder in option.binders for name in binder.names)
    secret = frozenset(n for binder in option.binders if binder.secret for n in binder.names)
    found: list[OpenOption] = []

    def consider() -> bool:
        own = tuple([scope.locals[name] for name in names])
        if closed(runtime, code, arguments, own, scope) is None:
            given = tuple(zip(names, own, strict=True))
            move = Candidate(option.name, option.key, given, secret=secret)
            found.append(OpenOption(code, own, move))
        return False

    def lowest(whole: tuple[Value, ...], scope: Scope, span: Span) -> list[int]:
        given = tuple(scope.locals[name] for name in names if name in scope.locals)
        return likeness.lowest_first(whole, given, span)

    runtime.offering = lowest
    try:
        each(runtime, option.binders, scope, consider)
    finally:
        runtime.offering = None
    return found


def closed(
    runtime: Runtime,
    code: CallableId,
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
    return statements.precondition(runtime, action, given)
