"""Scenes: the moment at which they are set, and the arrangement of components and states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from rulesdsl.base.records import dataclass
from rulesdsl.engine.build.stages import expression
from rulesdsl.engine.run.interface import Laid, PlayError
from rulesdsl.engine.run.machine import Where
from rulesdsl.language.builtins import EFFECTS
from rulesdsl.language.diagnostics import Report, Span
from rulesdsl.language.diagnostics.report import did_you_mean, listed
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.checked import StateDef
from rulesdsl.language.model.flow import rule_bodies
from rulesdsl.language.model.geometry import over_sides, turned
from rulesdsl.language.model.names import ruleset_of, short_name
from rulesdsl.language.model.nodes import Mapping, Node, Scalar, entries, integers, scalars
from rulesdsl.language.model.nodes import Sequence as SequenceNode
from rulesdsl.language.model.types import (
    CELL,
    PIECE,
    PIECE_CLASSES,
    PLAYER,
    SEGMENT,
    OptionalType,
    Type,
)
from rulesdsl.language.model.values import (
    Cell,
    Face,
    Feature,
    Piece,
    Placement,
    Player,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.play.game import Game, State
from rulesdsl.play.moves import is_segment, means
from rulesdsl.play.scenario.outcome import Failed
from rulesdsl.play.scenario.steps import (
    components,
    components_like,
    name_mistake,
    piece_mistake,
    shared_mistake,
    zone_called,
    zone_mistake,
)
from rulesdsl.play.table import (
    cells_called,
    grids,
    laid_segments,
    members,
    pieces,
    segments_of,
    spaces,
    things,
    unnamed_grids,
    zones,
)

# --- the moment ----------------------------------------------------------------------------------

Shape = Callable[[Value], object]
_FURTHEST = 150
"""The number of decisions, from the beginning of a game, in which to look for a moment."""


def running(state: State, exact: bool = False) -> object:
    """Return everything that is running, such that equal results continue in the same way.

    Components of one kind count as equal; with `exact` only if their places are equal, too.
    """
    names = state.names

    def shape(value: Value) -> object:
        match value:
            case Piece():
                place = shape(state.position.place_of(value)) if exact else None
                kind = names.short(value) if exact else names.kind(value).text
                return (kind, place, names.game.pieces[value.index].seat)
            case Segment():
                where = names.position.placement_of(Piece(value.piece)) if exact else None
                return (shape_of_kind(value), where)
            case Feature(segment):
                return ("feature", shape(segment))
            case tuple():
                return tuple(map(shape, value))
            case _:
                return value

    def shape_of_kind(segment: Segment) -> object:
        return names.kind(Piece(segment.piece)).text, segment.index

    position = state.position
    found = tuple(
        (
            *(frame.routine.kind, frame.routine.key, frame.routine.inner, frame.number),
            tuple((name, shape(value)) for name, value in frame.locals),
            tuple(tuple(map(shape, items)) for items in frame.rounds),
        )
        for frame in position.frames()
    )
    return found, tuple((key, shape(arguments)) for key, arguments in position.queued())


@dataclass(frozen=True)
class FirstMoment:
    """A decision of a game in which everybody makes the first move.

    `name` is the choice asked, `times` its number among the decisions about that choice, and
    `state` the state there. `name` is empty at the first decision.
    """

    name: str
    times: int
    state: State


class Moments:
    """Finds the moments of a game, for a number of players, at which the same things run."""

    def __init__(self, game: Game, players: int) -> None:
        self._state = game.start(players, None)
        self._asked: dict[str, int] = {}
        self._known: dict[object, FirstMoment] = {}
        self._left = _FURTHEST
        self._note("")

    def like(self, state: State) -> FirstMoment | None:
        """Return the first moment at which the same things run as in a state."""
        wanted = running(state)
        while wanted not in self._known and self._left:
            self._go_on()
        return self._known.get(wanted)

    def _go_on(self) -> None:
        self._left -= 1
        try:
            self._state.position.play(0)
        except PlayError:
            self._left = 0
        self._state.refresh()
        if self._state.asked is None:
            self._left = 0
        else:
            self._note(self._state.asked)

    def _note(self, name: str) -> None:
        asked = self._state.asked or ""
        self._asked[asked] = self._asked.get(asked, 0) + 1
        shape = running(self._state)
        if shape not in self._known:
            self._known[shape] = FirstMoment(name, self._asked[asked], self._state.clone())


_WRITTEN = re.compile(r"((?:\w+/)?\w+)(?: +([1-9]\d{0,5}))?")
_CHANCE = [name for name, effect in EFFECTS.items() if effect.asks]


def go_to(state: State, moment: Scalar, seed: int | None) -> None:
    """Go from the first decision of a game to the `moment` of a scene.

    Every decision takes its first move. Raises Failed.
    """
    written = _WRITTEN.fullmatch(str(moment.value).strip())
    if written is None:
        help = ("write the name of a choice or an action, and a number for a later time: `NAME 2`",)
        raise Failed(f"`{moment.value}` is not a moment", moment.span, help)
    name, times = written[1], int(written[2] or 1)
    choice, action = _moment_named(state, name, moment)
    try:
        missing = _to_choice(state, choice, times) if choice else _to(state, action, times, seed)
    except PlayError as error:
        message = f"the game does not reach `{moment.value}`: "
        raise Failed.by(error, message, moment.span) from None
    if missing:
        happens, count = "asked" if choice else "called", times - missing
        often = f"{happens} once" if count == 1 else f"{happens} {count} times"
        often = often if count else f"never {happens}"
        message = f"with the first legal move of every decision `{name}` is {often}"
        raise Failed(message, moment.span)


def _moment_named(state: State, name: str, moment: Scalar) -> tuple[str, str]:
    """Return the key of the choice or of the action that is named; the other key is empty."""
    checked = state.game.checked
    choices = _moment_called(name, [*checked.choices, *_CHANCE])
    actions = _moment_called(name, checked.actions)
    found = [*choices, *actions]
    if not found:
        known = [short_name(key) for key in (*checked.choices, *_CHANCE, *checked.actions)]
        message = f"there is no choice and no action `{name}`"
        raise Failed(message, moment.span, did_you_mean(name, known))
    if len(found) > 1:
        raise Failed(f"`{name}` may be {listed([f'`{key}`' for key in found])}", moment.span)
    return ("".join(choices), "".join(actions))


def _moment_called(name: str, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if name in (key, short_name(key))]


def _to_choice(state: State, choice: str, times: int) -> int:
    """Go to the given time that a choice is asked; return how many are missing if the game ends."""
    position = state.position
    while (decision := position.decision) is not None:
        times -= decision.choice == choice
        if not times:
            break
        position.play(0)
    state.refresh()
    return times


def _to(state: State, action: str, times: int, seed: int | None) -> int:
    """Go to the given call of an action; return how many are missing if the game ends."""
    position = state.position = state.position.readable()
    missing = position.rewind(action, times, seed)
    state.refresh()
    return missing


# --- places --------------------------------------------------------------------------------------


def zone_contents(state: State) -> dict[str, list[str]]:
    """Return the names of the components in each zone, by the name of the zone.

    They are in order if the zone keeps one.
    """
    names, world = state.names, state.position.world
    return {
        str(names.short(zone)): [str(names.short(piece)) for piece in world.members(zone)]
        for zone in zones(state)
    }


def board_entries(state: State) -> dict[Laid, dict[str, object]]:
    """Return the pieces on the grids with their occupants, as scenes write them.

    They go from the middle outwards, each piece beside one before it where that is possible.
    """
    names = state.names
    grids = {names.grid(item.cell.grid, item.cell.owner) for item in state.position.laid()}
    several = len(grids) > 1 or len(state.game.checked.game.grids) > 1
    places = places_of(state)
    found = dict[Laid, dict[str, object]]()
    for item in _touching(state):
        entry: dict[str, object] = {"piece": str(names.short(item.piece))}
        entry["at"] = [item.cell.x, item.cell.y]
        if item.rotation:
            entry["rotation"] = state.game.checked.game.degrees * item.rotation
        if several or any(grid.per for grid in state.game.checked.game.grids):
            entry["grid"] = names.grid(item.cell.grid, item.cell.owner)
        stands: dict[str, list[str]] = {}
        for piece, place in places.items():
            if isinstance(place, Segment) and place.piece == item.piece.index:
                stands.setdefault(names.segment(place), []).append(str(names.short(piece)))
        if stands:
            entry["stands"] = {k: v[0] if len(v) == 1 else v for k, v in stands.items()}
        found[item] = entry
    return found


def places_of(state: State) -> dict[Piece, Value]:
    """Return the place of every component in play."""
    return {piece: state.position.place_of(piece) for piece in pieces(state)}


def _touching(state: State) -> Iterator[Laid]:
    laid = sorted(state.position.laid(), key=lambda item: abs(item.cell.x) + abs(item.cell.y))
    left = {item: _cells(state, item) for item in laid}
    around: set[Cell] = set()
    while left:
        item = next((each for each, cells in left.items() if cells & around), next(iter(left)))
        for cell in left.pop(item):
            form = state.game.checked.game.grids[cell.grid].cells
            beside = over_sides(form, cell.x, cell.y)
            around.update(replace(cell, x=x, y=y) for x, y in beside)
        yield item


def _cells(state: State, item: Laid) -> set[Cell]:
    outline = state.names.outline(item.piece)
    width, height = turned(outline.size, item.rotation) if outline else (1, 1)
    corner = item.cell
    return {
        replace(corner, x=corner.x + x, y=corner.y + y) for x in range(width) for y in range(height)
    }


_SHOWN = 3
_OTHERS = "or write `others: empty`: then all zones that the scene does not name are empty"
_SINGLE = "or write single components under `put`, which leaves the others where they are"


def begins_in(state: State, piece: Piece, zone: Zone) -> bool:
    """Return whether a component begins in a zone."""
    game = state.game.checked.game
    own, declared = game.pieces[piece.index], game.zones[zone.zone]
    return declared.key == own.start and declared.seat(zone.index) in (None, own.seat)


class Stock:
    """Chooses components by name, each once.

    `listed` are the zones whose contents a scene lists, `rest` those that take the components left
    over, and `emptied` all others if these are empty: of those, zones in which components begin
    take the ones that have no other place.
    """

    def __init__(
        self, state: State, listed: Sequence[Zone], rest: Sequence[Zone], emptied: Sequence[Zone]
    ) -> None:
        self._state = state
        self._game = state.game.checked.game
        self._listed = listed
        self._rest = rest
        self._emptied = emptied
        self._homes = [z for z in emptied if any(begins_in(state, p, z) for p in pieces(state))]
        self.rest = (*rest, *self._homes)
        """The zones that components left over can come to."""
        self.cleared: set[Piece] = set()
        """Components that the scene has taken from grids."""
        self._used: set[Piece] = set()

    def unused(self, zone: Zone) -> list[Piece]:
        """Return the components in a zone that the scene has not used."""
        inside = pieces(self._state)
        return [p for p in inside if p not in self._used and self.place(p) == zone]

    def place(self, piece: Piece) -> Value:
        """Return the place of a component now."""
        return self._state.position.place_of(piece)

    def staying(self, names: Sequence[Scalar], zone: Zone) -> list[tuple[Scalar, Piece | None]]:
        """Choose the components of a list that are in the zone already."""
        inside = self.unused(zone)
        found = list[tuple[Scalar, Piece | None]]()
        for name in names:
            text, forms = str(name.value), self._state.names
            self._check(name)
            piece = next((p for p in inside if means(text, p, forms)), None)
            if piece is not None:
                inside.remove(piece)
                self._used.add(piece)
            found.append((name, piece))
        return found

    def home(self, piece: Piece) -> Zone | None:
        """Return the zone in which a component begins; None if it begins elsewhere."""
        return next((z for z in zones(self._state) if begins_in(self._state, piece, z)), None)

    def rest_of(self, piece: Piece) -> Zone | None:
        """Return the zone of the rest for a component.

        It is the zone where the component begins, or its owner's, or the first that holds its
        class; without one, an emptied zone where the component begins.
        """
        own = self._game.pieces[piece.index]
        cls = self._game.kinds[own.kind].cls
        able = [zone for zone in self._rest if cls in self._game.zones[zone.zone].holds]
        home = self.home(piece)
        if not able and home in self._homes:
            return home
        return min(able, key=lambda z: (z != home, z.index != own.seat), default=None)

    def suggested(self, *left: Piece) -> tuple[str, ...]:
        """Return help on what to write so that components left over have a place to go."""
        found = dict[str, None]()
        for piece in left:
            cls, home = self._state.names.kind(piece).cls, self.home(piece)
            able = [z for z in zones(self._state) if cls in self._game.zones[z.zone].holds]
            free = [zone for zone in able if zone not in self._listed]
            free = [home] if home in free else free
            names = [str(self._state.names.short(zone)) for zone in free[:_SHOWN]]
            forms = [f"`{repr(name) if '[' in name else name}: rest`" for name in names]
            found.update({f"write {listed(forms)}": None} if forms else {})
        return tuple(found)

    def face(self, piece: Piece, name: Scalar) -> Face | None:
        """Return the face that a die must show to have a name; None for anything else."""
        return self._state.names.called(piece).get(self._short(piece, name))

    # --- choosing --------------------------------------------------------------------------------

    def _check(self, name: Scalar) -> None:
        if (mistake := shared_mistake(str(name.value), self._state)) is not None:
            raise Failed(mistake[0], name.span, mistake[1])

    def taken(self, name: Scalar, *, listed: bool) -> Piece:
        """Choose a component; raises Failed.

        It comes from the zones of the scene. For a place that is not a `listed` zone, it may also
        come from the zone in which it begins, and from outside of zones.
        """
        text = str(name.value)
        self._check(name)
        called = [p for p in pieces(self._state) if self._is_called(p, name)]
        if not called:
            names_of = self._state.names.called
            known = {each for piece in pieces(self._state) for each in names_of(piece)}
            help = components_like(text, sorted(known))
            raise Failed(f"there is no component `{text}`", name.span, help)
        left = [piece for piece in called if piece not in self._used]
        ranked = [(rank, p) for p in left if (rank := self._rank(p, listed)) is not None]
        if not ranked:
            raise self._none_left(name, left)
        piece = min(ranked)[1]
        self._used.add(piece)
        return piece

    def _rank(self, piece: Piece, listed: bool) -> int | None:
        """Return the rank of taking a component, the lowest first; None for never."""
        place = self.place(piece)
        if piece in self.cleared:
            return 0
        if place in self.rest:
            return 1
        if place in self._listed or place in self._emptied:
            return 3
        if not isinstance(place, Zone):
            return 4
        return 2 if place == self.home(piece) and not listed else None

    def _none_left(self, name: Scalar, left: Sequence[Piece]) -> Failed:
        if not left:
            return Failed(f"there are no more `{name.value}` in the box", name.span)
        piece = next((p for p in left if self.place(p) == self.home(p)), left[0])
        place = self._state.names.short(self.place(piece))
        if not self.rest and self.place(piece) == self.home(piece):
            message = f"`{name.value}` is in `{place}`, whose content the scene does not give"
            return Failed(message, name.span, (*self.suggested(piece), _OTHERS))
        message = (
            f"the only `{name.value}` left is in `{place}`, whose content the scene does not give"
        )
        return Failed(
            message, name.span, (f"write the content of `{place}` under `zones`", _OTHERS)
        )

    def _is_called(self, piece: Piece, name: Scalar) -> bool:
        """Return whether a component has a name, as it lies or with another face up."""
        called = self._short(piece, name) in self._state.names.called(piece)
        return called or means(str(name.value), piece, self._state.names)

    def _short(self, piece: Piece, name: Scalar) -> str:
        """Return the name without the ruleset of the component."""
        return str(name.value).removeprefix(f"{self._state.names.kind(piece).ruleset}/")


# --- states --------------------------------------------------------------------------------------

STATE = re.compile(r"(?:(?P<owner>.+)\.)?(?P<name>(?:\w+/)?\w+)(?P<index>(?:\[[\w/]+\])*)")
_INDEX = re.compile(r"\[([\w/]+)\]")
_GAME = "game"


def assign(state: State, key: Scalar, node: Node) -> None:
    """Assign the state that a scene names.

    Raises Failed, and RulesError for an expression without a value.
    """
    declared, owners, written = _named(state, key)
    index = _index(state, declared, written, key)
    for owner, value in zip(owners, _values(key, node, owners), strict=True):
        try:
            found = _value(state, declared.type, value)
            state.position.assign(declared.key, owner, index, found)
        except PlayError as error:
            raise Failed(error.message, value.span) from None


def in_order(state: State, found: Sequence[Piece]) -> list[Piece]:
    """Sort components of one name into the order in which scenes list their states.

    That is the order of their zone, if it keeps one.
    """
    places = {state.position.place_of(piece) for piece in found}
    zone = places.pop() if len(places) == 1 else None
    if isinstance(zone, Zone):
        return [piece for piece in state.position.world.members(zone) if piece in found]
    return sorted(found)


# --- names ---------------------------------------------------------------------------------------


def _named(state: State, key: Scalar) -> tuple[StateDef, list[Value], str]:
    """Return the state that is named, its owners, and its indexes as they are written."""
    written = STATE.fullmatch(str(key.value))
    called = [] if written is None else list(_called(state, written["name"]))
    if written is None or not called:
        help = did_you_mean(str(key.value), _forms(state))
        raise Failed(f"there is no state `{key.value}`", key.span, help)
    owner = written["owner"] or _GAME
    found = [(each, owners) for each in called if (owners := _owners(state, each, owner))]
    if not found:
        raise _no_owner(state, called, written["owner"], key)
    if len(found) > 1:
        begin = f"{written['owner']}." if written["owner"] else ""
        forms = [f"`{begin}{ruleset_of(each.key)}/{name_of(each)}`" for each, _ in found]
        raise Failed(f"`{key.value}` may be {listed(forms)}", key.span)
    declared, owners = found[0]
    if len(owners) > 1 and not isinstance(owners[0], Piece):
        shown = listed([f"`{state.names.full(each)}`" for each in owners])
        raise Failed(f"`{owner}` may be {shown}", key.span)
    return declared, owners, written["index"]


def _called(state: State, name: str) -> Iterator[StateDef]:
    """Yield the states with that name, whatever their owner."""
    for declared in state.game.checked.states.values():
        if name in (name_of(declared), f"{ruleset_of(declared.key)}/{name_of(declared)}"):
            yield declared


def name_of(declared: StateDef) -> str:
    """Return the name of a state without its owner."""
    return short_name(declared.key).partition(".")[2]


def _owners(state: State, declared: StateDef, owner: str) -> list[Value]:
    """Return the owners of a state that have that name."""
    names = state.names
    match declared.owner:
        case "game":
            return [None] if owner == _GAME else []
        case "player":
            return [Player(state.players.index(owner))] if owner in state.players else []
        case "segment":
            return [each for each in laid_segments(state) if means(owner, each, names)]
        case "cell":
            return [*cells_called(owner, state)]
        case cls:
            called = [each for each in pieces(state, _class(cls)) if means(owner, each, names)]
            return [*in_order(state, called)]


def _class(owner: str) -> str | None:
    return None if owner == str(PIECE) else owner


def _no_owner(state: State, called: Sequence[StateDef], owner: str | None, key: Scalar) -> Failed:
    """Return the failure for a name that is not the name of an owner of the state."""
    kinds = [declared.owner for declared in called]
    if owner is None:
        name = name_of(called[0])
        form = f"{_example(state, kinds[0])}.{name}"
        return Failed(f"`{name}` is a state of a {kinds[0]}", key.span, (f"write `{form}`",))
    if kinds == [_GAME]:
        name = name_of(called[0])
        return Failed(f"`{name}` is a state of the game", key.span, (f"write `{name}`",))
    types = {str(each): each for each in (PLAYER, SEGMENT, CELL, PIECE)}
    message, help = name_mistake(owner, types.get(kinds[0], PIECE), state) or (
        f"`{owner}` has no state `{short_name(called[0].key).partition('.')[2]}`",
        (),
    )
    return Failed(message, key.span, help)


def _forms(state: State) -> list[str]:
    """Return the names of all states as scenes write them."""
    found = []
    for key in state.game.checked.states:
        owner, _, name = short_name(key).partition(".")
        found.append(name if owner == _GAME else f"{_example(state, owner)}.{name}")
    return found


def _example(state: State, owner: str) -> str:
    """Return the name of something that has states of an owner."""
    if owner == "player":
        return state.players[0]
    if owner == "cell":
        return "(0,0)"
    some: Iterator[Value] = (
        laid_segments(state) if owner == "segment" else iter(pieces(state, _class(owner)))
    )
    found = next(some, None)
    return owner if found is None else str(state.names.short(found))


def _index(state: State, declared: StateDef, written: str, key: Scalar) -> tuple[Value, ...]:
    names = _INDEX.findall(written)
    if len(names) != len(declared.index):
        message = f"`{key.value}` has {len(names)} of {len(declared.index)} indices"
        raise Failed(message, key.span)
    return tuple(
        _member(state, name, type_, key) for name, type_ in zip(names, declared.index, strict=True)
    )


def _member(state: State, name: str, index: Type, key: Scalar) -> Value:
    known = members(state, index)
    called = [each for each in known if means(name, known[each], state.names)]
    if len(called) != 1:
        message = f"no player `{name}` takes part" if index == PLAYER else ""
        message = message or f"`{index}` has no `{name}`"
        if called:
            message = f"`{name}` may be {listed([f'`{each}`' for each in called])}"
        raise Failed(message, key.span, did_you_mean(name, () if called else known))
    return known[called[0]]


# --- values --------------------------------------------------------------------------------------


def _values(key: Scalar, node: Node, owners: Sequence[Value]) -> Sequence[Scalar]:
    """Return the value written for each owner: one for all, or a list with one for each."""
    if isinstance(node, Scalar):
        return [node] * len(owners)
    values = scalars(node) if isinstance(node, SequenceNode) else ()
    if len(values) != len(owners):
        have = "component is" if len(owners) == 1 else "components are"
        message = f"{len(owners)} {have} called that, but there are {len(values)} values"
        raise Failed(message, node.span, (f"write one value, or {len(owners)}",))
    return values


def _value(state: State, type_: Type, node: Scalar) -> Value:
    """Return the value that is written.

    A component or segment is written by its name, anything else as an expression of the language.
    """
    item = type_.item if isinstance(type_, OptionalType) else type_
    if item in (PIECE, SEGMENT) or str(item) in PIECE_CLASSES:
        found = [each for each in things(item, state) if means(str(node.value), each, state.names)]
        if len(found) == 1:
            return found[0]
        if found:
            shown = listed([f"`{state.names.full(each)}`" for each in found])
            raise Failed(f"`{node.value}` may be {shown}", node.span)
    report = Report()
    checked = expression(node.span, state.game.checked, type_, {}, report)
    report.check()
    assert checked is not None, "an expression without errors"
    return state.position.evaluate(checked, {})


# --- the scene -----------------------------------------------------------------------------------

_KEYS = ("moment", "board", "zones", "others", "put", "links", "unlinks", "knows", "state")


def set_scene(state: State, test: Mapping) -> None:
    """Set up the scene of a scenario, and only then enumerate the legal moves again.

    Raises Failed.
    """
    scene = _Scene(state, test)
    states = test.get("state")
    before = _given(state) if states is not None else []
    try:
        with state.position.arranging():
            _arrange(scene, test)
    except PlayError as error:
        raise Failed.by(error, "no game can continue from this scene: ", _written(test)) from None
    state.refresh()
    if states is not None:
        _check_given(before, _given(state), states.span)


class _Given(NamedTuple):
    """An argument of a running call: what it was given, and what its expression is now."""

    call: str
    caller: str
    text: str
    given: Value
    now: Value


def _given(state: State) -> list[_Given]:
    """Return the arguments of running calls that read states."""
    frames, found = state.position.frames(), list[_Given]()
    calls = _calls(state.game.checked) if frames else {}
    for inner, outer in pairwise(frames):
        call = calls.get(outer.point.called) if outer.point.called else None
        if call is None or inner.routine.inner:
            continue
        names = short_name(inner.routine.key), short_name(outer.routine.key)
        known = {**dict(outer.arguments), **dict(outer.locals)}
        for argument, (_, given) in zip(call.arguments, inner.arguments, strict=True):
            if tree.Nodes(argument).of(tree.ReadState):
                now = state.position.evaluate(argument, known)
                found.append(_Given(*names, argument.span.text, given, now))
    return found


def _calls(checked: tree.Checked) -> dict[Where, tree.ActionCall | tree.ChoiceCall]:
    """Return the calls of actions and choices by their places."""
    return {
        (node.span.source.name, node.span.start, node.span.end): node.call
        for node in tree.walk(tuple(body.code for body in rule_bodies(checked)))
        if isinstance(node, tree.Perform)
        and isinstance(node.call, tree.ActionCall | tree.ChoiceCall)
    }


def _check_given(before: Sequence[_Given], after: Sequence[_Given], span: Span) -> None:
    """Raise Failed if a scene changes states after a running call was given them."""
    for old, new in zip(before, after, strict=False):
        if old.given == old.now != new.now:
            message = f"`{new.call}` has begun with `{new.text}`, which this scene changes too late"
            earlier = f"set the scene before `{new.caller}` begins: `moment: {new.caller}`"
            raise Failed(message, span, (earlier,))


def arranges(test: Mapping) -> bool:
    """Return whether a scenario arranges anything."""
    return any(key.value in _KEYS[1:] for key, _ in test.entries)


def _written(test: Mapping) -> Span:
    """Return the place where a scenario describes its scene, or where it begins."""
    return next((key.span for key, _ in test.entries if key.value in _KEYS), test.span)


def _arrange(scene: _Scene, test: Mapping) -> None:
    board = test.get("board")
    if isinstance(board, SequenceNode):
        scene.clear_grids(board.span)
        scene.lay([entry for entry in board.items if isinstance(entry, Mapping)])
    for key, node in entries(test.get("put")):
        scene.put(key, node)
    scene.fill()
    scene.check_draw(test.get("zones") or test)
    for joints in ("links", "unlinks"):
        scene.join(joints, test.get(joints))
    for key, node in entries(test.get("knows")):
        scene.show(key, node)
    for key, node in entries(test.get("state")):
        assign(scene.state, key, node)


class _Scene:
    def __init__(self, state: State, test: Mapping) -> None:
        self.state = state
        self._position = state.position
        self._game = state.game.checked.game
        named = [(key, self._zone(key), node) for key, node in entries(test.get("zones"))]
        self._listed = [
            (key, zone, components(node))
            for key, zone, node in named
            if isinstance(node, SequenceNode)
        ]
        rest = [zone for _, zone, node in named if isinstance(node, Scalar)]
        others, known = test.get("others"), [zone for _, zone, _ in named]
        emptied = [each for each in zones(state) if others is not None and each not in known]
        self._stock = Stock(state, [zone for _, zone, _ in self._listed], rest, emptied)
        if isinstance(others, Scalar):
            self._listed += [(others, each, []) for each in emptied]
        decision = self._position.decision
        drawn = decision is not None and decision.seat is None and dict(decision.arguments)
        zone = drawn and drawn.get("zone")
        self._drawn_from = zone if isinstance(zone, Zone) else None

    # --- grids -----------------------------------------------------------------------------------

    def clear_grids(self, span: Span) -> None:
        """Send everything on grids back to its zone, figures and tokens first."""
        laid = {item.piece for item in self._position.laid()}
        found = [p for p in pieces(self.state) if isinstance(self._stock.place(p), Cell | Segment)]
        for piece in sorted(found, key=laid.__contains__):
            home = self._stock.home(piece)
            if home is None:
                name = self.state.names.full(piece)
                raise Failed(f"{name} has no zone to go back to", span)
            self._apply("move", (piece, home), span)
            self._stock.cleared.add(piece)

    def lay(self, board: Sequence[Mapping]) -> None:
        """Lay components on grids, with their occupants.

        The order may be any in which each component touches another.
        """
        all = [self._entry(entry) for entry in board]
        waiting = all
        while waiting:
            late = [each for each in waiting if self._why_not(*each[1:])]
            if len(late) == len(waiting):
                name, piece, spot = late[0]
                raise Failed(self._why_not(piece, spot), name.span)
            waiting = late
        for entry, (_, piece, _) in zip(board, all, strict=True):
            for key, node in entries(entry.get("stands")):
                segment = self._segment(piece, key)
                for figure in components(node):
                    self._apply("move", (self._take(figure), segment), figure.span)

    def _entry(self, entry: Mapping) -> tuple[Scalar, Piece, Placement]:
        """Return the name of the component in a line, the component, and its placement."""
        name, at = entry.get("piece"), entry.get("at")
        assert isinstance(name, Scalar), "the schema asks for a piece"
        assert isinstance(at, SequenceNode), "the schema asks for a cell"
        x, y = integers(at)
        turns = entry.get("rotation")
        degrees, sides = self._game.degrees, self._game.sides
        turned = int(turns.value) if isinstance(turns, Scalar) else 0
        if turned % degrees and isinstance(turns, Scalar):
            every = ", ".join(str(degrees * side) for side in range(sides))
            message = f"a piece with {sides} sides cannot be turned by {turned} degrees"
            raise Failed(message, turns.span, help=(f"write one of {every}",))
        rotation = turned // degrees
        grid, owner = self._grid(entry)
        return name, self._take(name), Placement(Cell(grid, owner, y, x), rotation)

    def _why_not(self, piece: Piece, spot: Placement) -> str:
        """Lay a component; return the reason if that is impossible, otherwise an empty text."""
        try:
            self._position.apply("place", (piece, spot))
        except PlayError as error:
            return error.message
        return ""

    # --- zones -----------------------------------------------------------------------------------

    def fill(self) -> None:
        """Fill zones with the components that are listed, in this order if they keep one.

        Components that stay are not moved; components that come were mixed with the rest if nobody
        sees the zone.
        """
        stays = [self._stock.staying(names, zone) for _, zone, names in self._listed]
        wanted = [
            (key, zone, [piece or self._take(name, listed=True) for name, piece in named])
            for (key, zone, _), named in zip(self._listed, stays, strict=True)
        ]
        self._leave([(key, zone, self._stock.unused(zone)) for key, zone, _ in wanted])
        for key, zone, inside in wanted:
            for piece in inside:
                rest = self._stock.rest_of(piece)
                if rest is not None and self._stock.place(piece) not in (zone, rest):
                    self._apply("move", (piece, rest), key.span)
        for key, zone, inside in wanted:
            self._mix(key.span)
            declared = self._game.zones[zone.zone]
            if declared.visible == "top":
                # From the top down, so that nobody sees those below.
                for below, piece in enumerate(reversed(inside)):
                    self._apply("move", (piece, zone, *((1,) if below else ())), key.span)
                continue
            for piece in inside:
                if declared.ordered or self._stock.place(piece) != zone:
                    self._apply("move", (piece, zone), key.span)

    def _leave(self, left: Sequence[tuple[Scalar, Zone, Sequence[Piece]]]) -> None:
        """Move what is left over from zones to the rest; raises Failed if some has no place."""
        stuck = [
            (key, zone, there)
            for key, zone, unused in left
            if (there := [each for each in unused if self._stock.rest_of(each) is None])
        ]
        if stuck:
            told = [
                f"`{self._name(there[0])}`"
                + (f" and {len(there) - 1} more are" if there[1:] else " is")
                + f" left over from `{self._name(zone)}`"
                for _, zone, there in stuck
            ]
            every = [each for *_, there in stuck for each in there]
            message = f"{', '.join(told)}, and no zone holds {'them' if every[1:] else 'it'}"
            raise Failed(message, stuck[0][0].span, (*self._stock.suggested(*every), _SINGLE))
        for key, zone, unused in left:
            for piece in unused:
                rest = self._stock.rest_of(piece)
                assert rest is not None, "none is stuck"
                if rest == zone:
                    continue
                self._apply("move", (piece, rest), key.span)

    def _mix(self, span: Span) -> None:
        """Shuffle the rest where nobody sees it, so that nobody knows what came there."""
        for zone in self._stock.rest:
            declared = self._game.zones[zone.zone]
            hidden = declared.visible == "none" and (declared.ordered or self._is_known(zone))
            covered = declared.visible == "top" and None in self._position.seen(zone, 0)
            if hidden or covered:
                self._apply("shuffle", (zone,), span)

    def _is_known(self, zone: Zone) -> bool:
        """Return whether some player knows something of the contents of a zone."""
        return any(
            isinstance(piece, Piece)
            for seat in range(self._position.players)
            for piece in self._position.seen(zone, seat)
        )

    def check_draw(self, node: Node) -> None:
        """Raise Failed if a component is about to be taken from a zone that is empty now."""
        zone = self._drawn_from
        if zone is not None and zone not in map(self._stock.place, pieces(self.state)):
            name = self._name(zone)
            message = f"`{name}` is empty, but a component is about to be taken from it"
            keys = (
                key.span
                for key, _ in entries(node)
                if means(str(key.value), zone, self.state.names)
            )
            raise Failed(message, next(keys, node.span), (f"leave a component in `{name}`",))

    # --- single components and states ------------------------------------------------------------

    def put(self, key: Scalar, node: Node) -> None:
        """Move components of one name, each to a place of its own."""
        for place in scalars(node):
            self._apply("move", (self._take(key), self._place(place)), key.span)

    def _place(self, written: Scalar) -> Zone | Space | Segment | Cell:
        """Return the place of that name: a zone, space, cell, or segment of a piece on a grid."""
        text, names = str(written.value), self.state.names
        known: list[Zone | Space | Segment] = [
            *zones(self.state),
            *spaces(self.state),
            *laid_segments(self.state),
        ]
        found: list[Zone | Space | Segment | Cell] = [
            each for each in known if means(text, each, names)
        ]
        found = found or [*cells_called(text, self.state)]
        if len(found) > 1:
            shown = listed([f"`{names.full(each)}`" for each in found])
            raise Failed(f"`{text}` may be {shown}", written.span)
        if not found:
            help = did_you_mean(text, [str(names.full(each)) for each in known])
            raise Failed(f"there is no place `{text}`", written.span, help)
        return found[0]

    def join(self, key: str, node: Node | None) -> None:
        """Link or unlink pairs of segments, as the effect of that name does."""
        for pair in node.items if isinstance(node, SequenceNode) else ():
            a, b = (self._laid_segment(name) for name in scalars(pair))
            self._apply(key.removesuffix("s"), (a, b), pair.span)

    def show(self, key: Scalar, node: Node) -> None:
        """Let a player know components that lie hidden from that player."""
        player = _member(self.state, str(key.value), PLAYER, key)
        assert isinstance(player, Player), "a member of the players"
        for name in components(node):
            text, names = str(name.value), self.state.names
            called = [each for each in pieces(self.state) if means(text, each, names)]
            if not called:
                message, help = piece_mistake(text, self.state) or (f"no `{text}` lies there", ())
                raise Failed(message, name.span, help)
            unknown = (p for p in called if self._position.unknown_at(p, player.seat) is not None)
            piece = next(unknown, None)
            if piece is None:
                raise Failed(f"{key.value} knows every `{text}` already", name.span)
            self._apply("reveal", (piece, player), name.span)

    def _laid_segment(self, written: Scalar) -> Segment:
        place = self._place(written)
        if not isinstance(place, Segment):
            raise Failed(f"`{written.value}` is not a segment", written.span)
        return place

    def _apply(self, effect: str, arguments: tuple[Value, ...], span: Span) -> None:
        try:
            self._position.apply(effect, arguments)
        except PlayError as error:
            raise Failed(error.message, span) from None

    def _take(self, name: Scalar, *, listed: bool = False) -> Piece:
        """Choose a component by its name, a die with that face up."""
        piece = self._stock.taken(name, listed=listed)
        face = self._stock.face(piece, name)
        if face is not None:
            self._apply("turn_to", (piece, face), name.span)
        return piece

    def _segment(self, piece: Piece, key: Scalar) -> Segment:
        names = self.state.names
        segments = segments_of(self.state, piece)
        found = [each for each in segments if is_segment(str(key.value), each, names)]
        if len(found) != 1:
            listed = ", ".join(f"`{names.segment(each)}`" for each in found or segments)
            some = f"several `{key.value}`" if found else f"no `{key.value}`"
            raise Failed(f"there is {some} here; choose one of {listed}", key.span)
        return found[0]

    def _grid(self, entry: Mapping) -> tuple[int, int]:
        names, wanted = self.state.names, entry.get("grid")
        found = [*grids(self.state)] if wanted is not None else unnamed_grids(self.state)
        called = found
        if isinstance(wanted, Scalar):
            called = [each for each in found if means(str(wanted.value), each, names)]
        if len(called) != 1:
            known = ", ".join(f"`{names.short(each)}`" for each in called or found)
            raise Failed(f"write `grid:` with one of {known}", (wanted or entry).span)
        return called[0].grid, called[0].index

    def _zone(self, key: Scalar) -> Zone:
        found = zone_called(str(key.value), self.state)
        if found is None:
            mistake = zone_mistake(str(key.value), self.state)
            raise Failed(mistake[0], key.span, mistake[1])
        return found

    def _name(self, value: Value) -> str:
        return str(self.state.names.short(value))
