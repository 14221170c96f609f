"""The scene of a scenario that brings a position about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from rulesdsl.model.names import short_name
from rulesdsl.model.values import Cell, Piece, Segment, Space, Value
from rulesdsl.play.game import State
from rulesdsl.play.move import text
from rulesdsl.play.scenario.moment import written_moment
from rulesdsl.play.scenario.places import (
    board_entries,
    inside,
    places_of,
    readable,
    zone_contents,
)
from rulesdsl.play.scenario.running import Moment
from rulesdsl.play.scenario.states import in_order
from rulesdsl.play.things import grids, zones
from rulesdsl.run.reference.world import Joint

Row = tuple[str, Value, tuple[Value, ...]]
"""A state with its owner and indexes."""


@dataclass
class Scene:
    """What a scenario says of a scene, as plain data under its keys."""

    moment: str = ""
    board: list[dict[str, object]] | None = None
    zones: dict[str, object] = field(default_factory=dict)
    put: dict[str, object] = field(default_factory=dict)
    links: list[list[str]] = field(default_factory=list)
    unlinks: list[list[str]] = field(default_factory=list)
    state: dict[str, object] = field(default_factory=dict)

    def fields(self) -> dict[str, object]:
        """The keys that say something, in the order in which scenes are set."""
        said = {key: value for key, value in vars(self).items() if value}
        return said if self.board != [] else {"board": [], **said}


class Zones(Enum):
    """The zones of which a scene tells: none, if components are only missing in them; those in
    which something else is than before; all in which something is."""

    NONE = 0
    OTHER = 1
    ALL = 2


def portray(state: State, moment: Moment, told: Zones) -> Scene:
    """What has to be said for a game at a `moment` to look like `state`, as far as a scene can say
    it."""
    portrayer = _Portrayer(state, moment.state)
    scene = Scene(written_moment(moment.name, moment.times) if moment.name else "")
    entries = list(board_entries(state).values())
    if entries != list(board_entries(moment.state).values()):
        scene.board = entries
    scene.put = portrayer.put(scene.board is not None)
    scene.zones = portrayer.zones(told)
    scene.links, scene.unlinks = portrayer.joints(scene.board is not None)
    scene.state = portrayer.states()
    return scene


class _Portrayer:
    def __init__(self, state: State, begun: State) -> None:
        self._state = state
        self._begun = begun
        self._runtime = readable(state).runtime
        self._before = readable(begun).runtime

    def put(self, cleared: bool) -> dict[str, object]:
        """What stands on spaces and cells, by name, where it stands elsewhere than at the moment;
        if grids are `cleared`, nothing stands on cells then."""
        wanted, there = self._standing(self._state), self._standing(self._begun)
        if cleared:
            there = {
                name: [place for place in places if isinstance(place, Space)]
                for name, places in there.items()
            }
        return {
            name: texts if len(texts := [*map(self._place, places)]) > 1 else texts[0]
            for name, places in wanted.items()
            if Counter(places) != Counter(there.get(name, ()))
        }

    def _standing(self, state: State) -> dict[str, list[Space | Cell]]:
        laid = {item.piece for item in state.position.laid()}
        found = dict[str, list[Space | Cell]]()
        for piece, place in places_of(state).items():
            if isinstance(place, Space | Cell) and piece not in laid:
                found.setdefault(str(state.names.short(piece)), []).append(place)
        return found

    def zones(self, told: Zones) -> dict[str, object]:
        """What is in zones. What is listed comes out of the one with most in it, and goes there."""
        wanted, there = zone_contents(self._state), zone_contents(self._begun)
        declared = self._state.game.checked.game.zones
        ordered = {
            str(self._state.names.short(zone)): declared[zone.zone].ordered
            and not set(inside(readable(self._state), zone)) <= self._runtime.world.shuffled
            for zone in zones(self._state)
        }
        dice = {zone for zone, names in wanted.items() if any(":" in name for name in names)}

        def is_told(zone: str) -> bool:
            if told is Zones.ALL:
                return bool(wanted[zone] or there[zone])
            if told is Zones.NONE:
                return bool(Counter(wanted[zone]) - Counter(there[zone]))
            sort = list if ordered[zone] else sorted
            return sort(wanted[zone]) != sort(there[zone])

        other = [zone for zone in wanted if is_told(zone)]
        loose = [zone for zone in other if not ordered[zone] and zone not in dice]
        rest = max(loose, key=lambda zone: len(wanted[zone]), default="")
        listed: dict[str, object] = {zone: wanted[zone] for zone in other if zone != rest}
        return {**listed, rest: "rest"} if rest else listed

    # --- joints ----------------------------------------------------------------------------------

    def joints(self, cleared: bool) -> tuple[list[list[str]], list[list[str]]]:
        """The pairs of segments that have to be linked, and those that have to be unlinked."""
        now, before = self._runtime.world, self._before.world
        links = self._named(self._state, now.links)
        unlinks = self._named(self._state, now.unlinks)
        if cleared:
            return links, unlinks
        linked = self._named(self._begun, before.links)
        unlinked = self._named(self._begun, before.unlinks)
        return (
            [*_without(links, linked), *_without(unlinked, unlinks)],
            [*_without(unlinks, unlinked), *_without(linked, links)],
        )

    def _named(self, state: State, joints: Iterable[Joint]) -> list[list[str]]:
        return sorted([str(state.names.full(each)) for each in pair] for pair in joints)

    # --- states ----------------------------------------------------------------------------------

    def states(self) -> dict[str, object]:
        """The states with another value than at the moment; those of components by where these
        are."""
        now, before = self._runtime.states, self._before.states
        order = list(self._state.game.checked.states)
        rows = sorted({**now, **before}, key=lambda row: (order.index(row[0]), repr(row[1:])))
        found = dict[str, object]()
        groups = dict[tuple[str, tuple[Value, ...]], None]()
        for row in rows:
            key, owner, index = row
            if isinstance(owner, Piece):
                groups[key, index] = None
            elif (isinstance(owner, Segment) and row in now) or self._changed(row):
                found[self._name(row, self._owner(owner))] = self._written(row)
        for key, index in groups:
            found.update(self._of_components(key, index))
        return found

    def _changed(self, row: Row) -> bool:
        """Whether a state has another value than at the moment."""
        return self._value(row) != self._before.states.get(row, self._initial(row))

    def _initial(self, row: Row) -> Value:
        return self._runtime.initial[row[0]]

    def _value(self, row: Row) -> Value:
        return self._runtime.states.get(row, self._initial(row))

    def _owner(self, owner: Value) -> str:
        """The owner as scenarios write it; nothing for the game."""
        return "" if owner is None else self._place(owner)

    def _place(self, place: Value) -> str:
        """A place as scenarios write it, a cell with its grid if there are several."""
        found = str(self._state.names.full(place))
        if isinstance(place, Cell) and len([*grids(self._state)]) > 1:
            return self._state.names.grid(place.grid, place.owner) + found
        return found

    def _name(self, row: Row, owner: str) -> str:
        key, _, index = row
        name = short_name(key).partition(".")[2]
        indexes = "".join(f"[{text(self._state.names.short(each))}]" for each in index)
        return f"{owner}.{name}{indexes}" if owner else name + indexes

    def _written(self, row: Row) -> object:
        value = self._state.names.full(self._value(row))
        return value if isinstance(value, (int, bool)) else text(value)

    def _of_components(self, key: str, index: tuple[Value, ...]) -> Mapping[str, object]:
        """A state of components: by name and place, with one value for all that are there, or with
        a list of them."""
        cls = self._state.game.checked.states[key].owner
        all = dict[str, list[Piece]]()
        groups = dict[tuple[str, Value], list[Piece]]()
        for piece, place in places_of(self._state).items():
            if cls in ("piece", self._state.names.kind(piece).cls):
                name = str(self._state.names.short(piece))
                all.setdefault(name, []).append(piece)
                groups.setdefault((name, place), []).append(piece)
        touched = {owner for state, owner, at in self._before.states if (state, at) == (key, index)}
        found = dict[str, object]()
        for (name, place), pieces in groups.items():
            rows: list[Row] = [(key, each, index) for each in in_order(self._state, pieces)]
            values = [self._written(row) for row in rows]
            if touched or any(row in self._runtime.states for row in rows):
                alone = len(pieces) == len(all[name])
                owner = name if alone else f"{name}:{self._place(place)}"
                found[self._name(rows[0], owner)] = (
                    values if values[1:] != values[:-1] else values[0]
                )
        return found


def _without(pairs: list[list[str]], others: list[list[str]]) -> list[list[str]]:
    return [pair for pair in pairs if pair not in others]
