"""The errors of failed rules, in terms of the language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.ranges import misfit
from rulesdsl.engine.run.words import views
from rulesdsl.engine.run.words.box import Absent
from rulesdsl.engine.run.words.placing import refusal
from rulesdsl.engine.run.words.world import World
from rulesdsl.engine.runtime import faults
from rulesdsl.engine.runtime.questions import MOST_CELLS
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types
from rulesdsl.language.model.types import IntType, SetType
from rulesdsl.language.model.values import (
    Cell,
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

if TYPE_CHECKING:
    from rulesdsl.engine.run.position import LoweredPosition
    from rulesdsl.engine.run.python.failing import Failing, Known


def worded(
    position: LoweredPosition, failing: Failing, code: int, place: Span | None
) -> PlayError | None:
    """Return the error of a fault, while the tables are as it left them.

    `place` is where the program has stopped. It is None if there is nothing more to say than the
    message of the fault.
    """
    words = _Words(position, failing, code)
    found = words.of_game(place) or (
        words.of_expression(*failing.open[-1]) if failing.open else words.of_statement()
    )
    if found is None:
        return None
    text, span = found
    slug = "no-steps-left" if code in _ENDLESS else "play-error"
    return PlayError(text, span or place, "stuck-choice" if code == faults.STUCK else slug)


_ENDLESS = (faults.NO_STEPS, faults.TOO_MANY_ALWAYS, faults.ENDLESS)
_TOO_LARGE = "the number does not fit in 32 bits"
_SIZES = (faults.RANGE, faults.OVERFLOW)
Found = tuple[str, Span | None] | None
"""A text and the place that it is about, None for that where the program has stopped."""


def _required(type_: types.Type) -> types.Type:
    return type_.item if isinstance(type_, types.OptionalType) else type_


class _Words:
    """The words for a fault in a position."""

    def __init__(self, position: LoweredPosition, failing: Failing, code: int) -> None:
        self.position = position
        self.checked = position.checked
        self.world = position.world
        self.failing = failing
        self.code = code

    def of_game(self, place: Span | None) -> Found:
        """Return the words for a fault that is of no single expression or statement."""
        checked = self.checked
        match self.code:
            case faults.STUCK | faults.NOBODY | faults.ENDLESS:
                spans = ((each.span, each.by.span) for each in checked.choices.values())
                choices = zip(checked.choices.values(), spans, strict=True)
                choice = next((each for each, at in choices if place in at), None)
                if choice is None:
                    return None
                if self.code == faults.STUCK:
                    return f"no option of `{choice.key}` is open", choice.span
                if self.code == faults.NOBODY:
                    return f"there is nobody to ask for `{choice.key}`", choice.by.span
                limit = checked.game.roles.limit
                return f"after {2 * limit} decisions of players the game has not ended", choice.span
            case faults.NO_STEPS:
                text = "steps without asking anyone: this does not seem to end"
                return f"the rules ran {faults.STEPS} {text}", self._loop() or place
            case faults.TOO_MANY_ALWAYS:
                text = "times after one step: this does not seem to end"
                return f"`always` applied {faults.APPLICATIONS} {text}", place
            case faults.TOO_MANY_LATER:
                text = f"more than {faults.WAITING} calls wait for the end of the step"
                statement = self.failing.statement
                call = statement.call.span if isinstance(statement, tree.Later) else place
                return text, call
            case faults.PRECONDITION:
                return self._precondition(place)
            case faults.TOO_DEEP if not any(
                isinstance(node, tree.CallValue) for node, _ in self.failing.open
            ):
                statement = self.failing.statement
                text = f"more than {faults.NESTED} things run inside each other"
                return text, place if statement is None else statement.span
            case faults.INDEX | faults.ABSENT:
                return self._absent_place()
            case faults.RECURSION:
                actions = (each for each in checked.actions.values() if each.depth is not None)
                for action in actions:
                    if place in (action.span, self._called(action.key)):
                        text = f"`{action.key}` runs more than {action.depth} times at once"
                        return text, action.span
        return None

    def _absent_place(self) -> Found:
        """Return the words for a zone or grid of a player who does not play."""
        box, game = self.world.box, self.checked.game
        for node, indices in reversed(self.failing.entries):
            seats = (index.seat for index in indices if isinstance(index, Player))
            if node.what in ("zone", "grid") and any(seat not in box.seats for seat in seats):
                texts = game.texts.zones if node.what == "zone" else game.texts.grids
                at = "".join(
                    f"[{views.text(self.world, index, views.everything)}]" for index in indices
                )
                return f"there is no {texts[node.number]}{at} in this game", node.span
        return None

    def _loop(self) -> Span | None:
        """Return the place of the innermost loop around the statement that runs."""
        statement = self.failing.statement
        tables = (self.checked.values, self.checked.actions, self.checked.choices)
        blocks = (*(tuple(table.values()) for table in tables), self.checked.always)
        around = [
            loop
            for loop in tree.walk(blocks)
            if isinstance(loop, tree.While) and any(node is statement for node in tree.walk(loop))
        ]
        return around[-1].span if around else None

    def _called(self, action: str) -> Span | None:
        """Return the place of the statement that runs if it calls an action."""
        match self.failing.statement:
            case tree.Perform(call=tree.ActionCall(action=key), span=span) if key == action:
                return span
        return None

    def _precondition(self, place: Span | None) -> Found:
        node, parts = self.failing.last
        if not isinstance(node, tree.CallValue) or node.value not in self.checked.actions:
            return None
        action = self.checked.actions[node.value]
        known = {id(part): value for part, value in parts}
        for rule in action.requires:
            ends = (each for each in tree.walk(rule.body) if isinstance(each, tree.Return))
            if any(known.get(id(each.value)) is False for each in ends):
                return f"a precondition of `{action.key}` does not hold", rule.span
        return f"a precondition of `{action.key}` does not hold", action.span

    # --- expressions -----------------------------------------------------------------------------

    def of_expression(self, node: tree.Node, parts: list[Known]) -> Found:
        """Return the words for a fault of an expression whose parts were evaluated."""
        known = {id(part): value for part, value in parts}
        game, code = self.checked.game, self.code
        match node:
            case tree.CallBuiltin(function=name, arguments=arguments):
                return self._of_builtin(
                    name, [known.get(id(each)) for each in arguments]
                ), node.span
            case tree.Binary() | tree.Negate():
                if None in known.values():
                    return "none is not a number", node.span
                return "a division by zero" if code == faults.ZERO else _TOO_LARGE, node.span
            case tree.Ranged(operand=operand):
                value = known.get(id(operand))
                if value is None:
                    return f"`{operand.span.text}` is none", node.span
                wanted, part = misfit(node.type, value) or (node.type, value)
                return f"{part} does not fit {wanted}", node.span
            case tree.Compare() if code not in _REASONS:
                return "none cannot be compared by size", node.span
            case tree.ReadState(state=state, owner=owner, index=index):
                holder = None if owner is None else known.get(id(owner))
                return self._no_state(
                    state, owner, holder, [known.get(id(each)) for each in index], node.span
                )
            case (
                tree.ReadAttribute(object=thing, attribute=key)
                | tree.AttributeAt(object=thing, attribute=key)
            ):
                return self._no_attribute(key, known.get(id(thing))), node.span
            case tree.EntryAt(what=what, number=number, index=index):
                entry = known.get(id(index[0])) if index else None
                if what in ("table", "track"):
                    if entry is None:
                        return "none is not a number", node.span
                    if what == "table":
                        return f"`{game.tables[number].name}` has no entry {entry}", node.span
                    return f"`{game.tracks[number].name}` has no space {entry}", node.span
                places = game.zones if what == "zone" else game.grids
                if any(known.get(id(each)) is None for each in index):
                    return f"none is not an index of `{places[number].name}`", node.span
            case tree.RangeSet() if code == faults.WIDE_RANGE:
                return f"a range of more than {faults.NUMBERS} numbers", node.span
            case tree.CallValue(value=key):
                return self._value(key, node.span)
            case tree.Aggregate():
                return self._aggregate(node, parts)
            case tree.IsKind(object=thing):
                feature = known.get(id(thing))
                if isinstance(feature, Feature):
                    return reason(self.world, "feature", (feature,), faults.NOT_LAID), node.span
        return self._domain(node, known)

    def _of_builtin(self, name: str, given: list[Value]) -> str:
        if None in given:
            return f"`{name}` of none"
        match name, given:
            case "div_up", [a, 0]:
                return f"{a} is divided by 0"
            case "abs", [int(number)]:
                return f"{abs(number)} is too large: integers have 32 bits"
            case "div_up", [int(a), int(b)]:
                return f"{-(-a // b)} is too large: integers have 32 bits"
        return reason(self.world, name, tuple(given), self.code)

    def _no_state(
        self, state: str, owner: tree.Expr | None, holder: Value, index: list[Value], span: Span
    ) -> Found:
        if owner is not None and holder is None:
            return f"none has no `{state}`", span
        for player in (holder, *index):
            if isinstance(player, Player) and player.seat not in self.world.box.seats:
                return f"{self.world.box.player_text(player.seat)} does not play in this game", span
        return None

    def _no_attribute(self, key: str, thing: Value) -> str:
        name = key.rpartition("/")[2]
        if thing is None:
            return f"none has no `{name}`"
        return reason(self.world, name, (thing,), self.code)

    def _value(self, key: str, span: Span) -> Found:
        match self.code:
            case faults.NO_RULE:
                return f"no rule gives `{key}`", span
            case faults.TOO_DEEP:
                return f"values call each other more than {faults.VALUES} deep", span
            case faults.OVERFLOW:
                inside = self.failing.inside
                return _TOO_LARGE, inside.span if isinstance(inside, tree.SetLocal) else span
            case faults.RANGE:
                type_ = self.checked.values[key].type
                return f"`{key}` gives {type_} and cannot be outside of it", span
        return None

    def _aggregate(self, node: tree.Aggregate, parts: list[Known]) -> Found:
        match self.code:
            case faults.NOT_ONE:
                (binder, *_) = node.binders
                wheres = [value for part, value in parts if part is binder.where]
                domains = [value for part, value in parts if part is binder.domain]
                several = any(isinstance(each, tuple) and len(each) > 1 for each in domains)
                many = sum(map(bool, wheres)) > 1 if binder.where is not None else several
                amount = "more than one" if many else "none"
                return f"`the` needs exactly one element, but there is {amount}", node.span
            case faults.NOTHING:
                return f"`{node.function}` of an empty set", node.span
            case faults.OVERFLOW | faults.RANGE:
                return _TOO_LARGE, node.span
        return self._domain(node, {id(part): value for part, value in parts})

    def _domain(self, node: tree.Node, known: dict[int, Value]) -> Found:
        """Return the words for a set or zone that cannot be ranged over."""
        for part in tree.walk(node):
            value = known.get(id(part), self)
            if not isinstance(part, tree.Typed) or value is self:
                continue
            if value is None:
                what = "set" if isinstance(_required(part.type), SetType) else "zone"
                what = "number" if isinstance(_required(part.type), IntType) else what
                return f"none is not a {what}", part.span
            if isinstance(value, Zone | Feature) and self.code in _REASONS:
                name = "pieces" if isinstance(value, Zone) else "feature"
                return reason(self.world, name, (value,), self.code), part.span
        return None

    # --- statements ------------------------------------------------------------------------------

    def of_statement(self) -> Found:
        """Return the words for a fault of the statement that runs."""
        statement = self.failing.statement
        known = {id(part): value for part, value in self.failing.done}
        match statement:
            case tree.SetState():
                return self._set_state(statement, known)
            case tree.SetLocal() if self.code in _SIZES:
                return _TOO_LARGE, statement.span
            case tree.Perform(call=tree.EffectCall(effect=name, arguments=arguments) as call):
                given = [known.get(id(each)) for each in arguments]
                if None in given:
                    return f"`{name}` of none", call.span
                if self.code == faults.EMPTY and isinstance(given[0], Zone):
                    return f"{self.world.box.zone_text(given[0])} is empty", statement.span
                return reason(self.world, name, tuple(given), self.code), call.span
            case tree.Perform(call=tree.ProceedCall()) if self.code == faults.PROCEED:
                return "`proceed` for a second time", statement.span
            case tree.For(start=start) if start is not None and self.code == faults.NOBODY:
                return "there is no player to begin with", start.span
        return None if statement is None else self._domain(statement, known)

    def _set_state(self, statement: tree.SetState, known: dict[int, Value]) -> Found:
        owner = statement.owner
        holder = None if owner is None else known.get(id(owner))
        index = [known.get(id(each)) for each in statement.index]
        absent = self._no_state(statement.state, owner, holder, index, statement.span)
        if absent is not None:
            return absent
        definition = self.checked.states[statement.state]
        value = known.get(id(statement.value))
        if statement.operator != "=" and isinstance(value, int):
            table, tables = self.position.plan.states[statement.state], self.position.tables
            old = table.read(tables, table.row(tables, holder, tuple(index)))
            assert isinstance(old, int), "numbers are added"
            value = old + value if statement.operator == "+=" else old - value
            if not types.INT_MIN <= value <= types.INT_MAX:
                return _TOO_LARGE, statement.span
        if id(statement.value) not in known:
            return None
        found = misfit(definition.type, value)
        if found is None:
            return None
        wanted, part = found
        text = "none" if part is None else part
        return f"`{statement.state}` holds {wanted} and cannot become {text}", statement.span


_WANTED = {
    **dict.fromkeys(("zone", "position"), "in a zone"),
    **dict.fromkeys(("segment", "feature"), "on a segment"),
    "space": "on a space",
    "cell": "on a grid",
    "tile": "on a tile",
}
"""The place that a builtin needs a piece to have."""


def reason(world: World, name: str, given: tuple[Any, ...], code: int) -> str:
    """Return the reason why a builtin or an effect failed that was given these arguments."""
    found = _REASONS.get(code)
    return (found(world, name, given) if found is not None else "") or faults.MESSAGES[code]


def _segments(given: tuple[Any, ...]) -> Iterator[Segment]:
    """Yield the segments among arguments."""
    for value in given:
        match value:
            case Segment():
                yield value
            case Feature(segment):
                yield segment
            case tuple():
                yield from _segments(value)


def _pieces(given: tuple[Any, ...]) -> Iterator[Piece]:
    """Yield the pieces among arguments, and those of segments."""
    for value in given:
        match value:
            case Piece():
                yield value
            case tuple():
                yield from _pieces(value)
            case _:
                yield from (Piece(segment.piece) for segment in _segments((value,)))


# --- things that are not there -------------------------------------------------------------------


def _absent(world: World, name: str, given: tuple[Any, ...]) -> str:
    for piece in _pieces(given):
        try:
            world.box.check(piece)
        except Absent as absent:
            return absent.message
    players = (each for each in given if isinstance(each, Player))
    return next((f"{world.box.player_text(each.seat)} does not play" for each in players), "")


def _not_laid(world: World, name: str, given: tuple[Any, ...]) -> str:
    loose = (p for p in _pieces(given) if not isinstance(world.place_of(p), Placement))
    return next((f"{world.box.piece_text(piece)} does not lie on a grid" for piece in loose), "")


def _not_shown(world: World, name: str, given: tuple[Any, ...]) -> str:
    for segment in _segments(given):
        piece = Piece(segment.piece)
        if segment.index >= len(world.layout(piece).kinds):
            text = world.box.piece_text(piece)
            return f"{text} does not show segment {segment.index + 1} on its upper face"
    return ""


def _hidden(world: World, name: str, given: tuple[Any, ...]) -> str:
    zone = given[0] if isinstance(given[0], Zone) else world.place_of(given[0])
    if not isinstance(zone, Zone):
        return ""
    text = world.box.zone_text(zone)
    return f"what lies in {text} is hidden: it can only be counted and taken"


def _elsewhere(world: World, name: str, given: tuple[Any, ...]) -> str:
    thing = given[0]
    if name == "tile":
        where = world.place_of(thing) if isinstance(thing, Piece) else thing
        if isinstance(where, Segment):
            return f"{world.box.piece_text(Piece(where.piece))} is not a tile"
        if isinstance(where, Cell):
            return f"no tile lies at {world.box.cell_text(where)}"
    text = world.box.piece_text(thing)
    if name == "conceal":
        return f"{text} lies on a grid with its segments up"
    wanted, place = _WANTED.get(name, "in such a place"), world.place_text(world.place_of(thing))
    return f"{text} is not {wanted}; it is here: {place}"


# --- places that do not take a piece -------------------------------------------------------------


def _full(world: World, name: str, given: tuple[Any, ...]) -> str:
    piece, zone, *_ = given
    if isinstance(piece, Zone):
        source, target = world.box.zone_text(piece), world.box.zone_text(zone)
        return f"what lies in {source} does not fit into {target}"
    return f"{world.box.piece_text(piece)} cannot go there: {world.box.zone_text(zone)} is full"


def _not_held(world: World, name: str, given: tuple[Any, ...]) -> str:
    match given:
        case place, Kind() as kind:
            return f"{_text(world, place)} has no {world.box.kind_text(kind)}"
        case (Grid() as grid, Piece() as piece) | (Piece() as piece, Placement(Cell() as grid)):
            grid = grid if isinstance(grid, Grid) else Grid(grid.grid, grid.owner)
            return f"{world.box.grid_text(grid)} does not hold a {world.box.cls(piece)}"
        case Zone() as zone, Zone() as to:
            held = world.box.game.zones[to.zone].holds
            cls = next(c for c in map(world.box.cls, world.members(zone)) if c not in held)
            return f"{world.box.zone_text(to)} does not hold a {cls}"
        case piece, to, *_:
            cls = world.box.cls(piece)
            match to:
                case Segment():
                    why = f"a {cls} cannot stand on a segment"
                case Cell():
                    why = f"a {cls} cannot stand on a cell; use `place` to lay it"
                case _:
                    why = f"{world.place_text(to)} does not hold a {cls}"
            return f"{world.box.piece_text(piece)} cannot go there: {why}"
    return ""


def _text(world: World, thing: Value) -> str:
    match thing:
        case Piece():
            return world.box.piece_text(thing)
        case Feature():
            return world.segment_text(thing.segment)
    assert isinstance(thing, Zone | Segment | Space | Cell)
    return world.place_text(thing)


def _no_place(world: World, name: str, given: tuple[Any, ...]) -> str:
    piece, at = given
    why, _ = refusal(world, piece, at)
    return f"{world.box.piece_text(piece)} cannot lie at {world.place_text(at)}: {why}"


def _outside(world: World, name: str, given: tuple[Any, ...]) -> str:
    match given:
        case Piece() as piece, Cell() as cell:
            text = world.box.piece_text(piece)
            return f"{text} cannot go there: {world.box.cell_text(cell)} is outside of the grid"
        case Grid() as grid, x, y:
            cell = Cell(grid.grid, grid.index, y, x)
        case Cell() as start, x, y:
            cell = Cell(start.grid, start.owner, start.y + y, start.x + x)
        case _:
            return ""
    return f"{world.box.cell_text(cell)} is outside of the grid"


def _stood_on(world: World, name: str, given: tuple[Any, ...]) -> str:
    piece = given[0]
    below, first = world.box.piece_text(piece), world.encoding.first_segment
    for index in range(len(world.layout(piece).kinds)):
        for standing in world.at(
            first + world.encoding.encode(Segment(piece.index, index), types.SEGMENT)
        ):
            above = world.box.piece_text(standing)
            return f"{below} cannot be taken from its grid: {above} stands on it"
    return f"{below} cannot be taken from its grid: a piece lies over it"


def _no_order(world: World, name: str, given: tuple[Any, ...]) -> str:
    (thing, *rest) = given
    zone = rest[0] if rest else thing if isinstance(thing, Cell) else world.place_of(thing)
    if isinstance(zone, Cell):
        return f"cells of {world.box.grid_text(Grid(zone.grid, zone.owner))} keep no order"
    if not isinstance(zone, Zone):
        return ""
    text = world.box.zone_text(zone)
    if not world.box.keeps_order(zone):
        return f"{text} keeps no order"
    last = sum(piece != given[0] for piece in world.members(zone)) + 1
    return f"{text} has no position {given[2]}: 1..{last}"


# --- others --------------------------------------------------------------------------------------


def _no_limit(world: World, name: str, given: tuple[Any, ...]) -> str:
    match given[0]:
        case Zone() as zone:
            return f"{world.box.zone_text(zone)} has no limit"
        case grid:
            return f"{world.box.grid_text(grid)} has no size"


def _no_home(world: World, name: str, given: tuple[Any, ...]) -> str:
    return f"{world.box.piece_text(given[0])} did not begin in a zone"


def _track_end(world: World, name: str, given: tuple[Any, ...]) -> str:
    start, steps = given
    text = world.box.space_text(start)
    return f"{steps} steps forward from {text} lead past the end of the track"


def _other_track(world: World, name: str, given: tuple[Any, ...]) -> str:
    return f"{world.box.space_text(given[0])} is on another track"


def _face(world: World, name: str, given: tuple[Any, ...]) -> str:
    die, face = given
    assert isinstance(face, Face)
    text = world.box.piece_text(die)
    if face.kind != world.box.piece(die).kind:
        return f"{text} has no face {world.box.face_text(face)}"
    return f"{text} lies on a grid, where its segments stay"


def _joint(world: World, name: str, given: tuple[Any, ...]) -> str:
    a, b = given
    if a == b:
        return f"{world.segment_text(a)} is one segment, not two"
    one, other = (world.layout(Piece(each.piece)).kinds[each.index] for each in (a, b))
    why = "not joined directly" if one == other else "of different kinds"
    return f"{world.segment_text(a)} and {world.segment_text(b)} are {why}"


def _no_space(world: World, name: str, given: tuple[Any, ...]) -> str:
    if name != "rectangle":
        return ""
    cells: tuple[Cell, ...] = given[0]
    for grid in sorted({(cell.grid, cell.owner) for cell in cells}):
        columns = [cell.x for cell in cells if (cell.grid, cell.owner) == grid]
        rows = [cell.y for cell in cells if (cell.grid, cell.owner) == grid]
        size = (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1)
        if size > MOST_CELLS:
            return f"a rectangle of {size} cells is too large"
    return ""


_REASONS = {
    faults.ABSENT: _absent,
    faults.NOT_LAID: _not_laid,
    faults.NOT_SHOWN: _not_shown,
    faults.HIDDEN: _hidden,
    faults.ELSEWHERE: _elsewhere,
    faults.FULL: _full,
    faults.NOT_HELD: _not_held,
    faults.MISFIT: _no_place,
    faults.OUTSIDE: _outside,
    faults.STOOD_ON: _stood_on,
    faults.NO_ORDER: _no_order,
    faults.NO_LIMIT: _no_limit,
    faults.NO_HOME: _no_home,
    faults.TRACK_END: _track_end,
    faults.OTHER_TRACK: _other_track,
    faults.FACE: _face,
    faults.JOINT: _joint,
    faults.NO_SPACE: _no_space,
}
"""The functions that find the reason of a fault; an empty text stands for the general message."""
