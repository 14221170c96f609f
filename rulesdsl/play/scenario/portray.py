"""The scene of a scenario that brings a position about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from rulesdsl.diagnostics import Report, Source
from rulesdsl.model.checked import StateDef
from rulesdsl.model.names import short_name
from rulesdsl.model.values import Space, Zone
from rulesdsl.pipeline.stages import expression
from rulesdsl.play.game import State
from rulesdsl.play.indexes import members
from rulesdsl.play.move import text
from rulesdsl.play.scenario.places import board_entries, places_of, zone_contents
from rulesdsl.run.engine import PlayError


@dataclass
class Scene:
    """What a scenario says of a scene, as plain data under its keys."""

    board: list[dict[str, object]] = field(default_factory=list)
    zones: dict[str, object] = field(default_factory=dict)
    put: dict[str, str] = field(default_factory=dict)
    state: dict[str, object] = field(default_factory=dict)

    def fields(self) -> dict[str, object]:
        """The keys that say something, in the order in which scenes are set."""
        return {key: value for key, value in vars(self).items() if value}


def portray(state: State, begun: State) -> Scene:
    """What has to be said for a game that has `begun` to look like `state`, as far as a scene can
    say it."""
    portrayer = _Portrayer(state, begun)
    scene = Scene()
    if (board := board_entries(state)) != board_entries(begun):
        scene.board = board
    scene.put = portrayer.put()
    scene.zones = portrayer.zones(scene)
    scene.state = portrayer.states()
    return scene


class _Portrayer:
    def __init__(self, state: State, begun: State) -> None:
        self._state = state
        self._begun = begun

    def put(self) -> dict[str, str]:
        """What stands on tracks elsewhere than at the beginning."""
        names, before = self._state.names, places_of(self._begun)
        return {
            str(names.short(piece)): str(names.short(place))
            for piece, place in places_of(self._state).items()
            if isinstance(place, Space) and place != before[piece]
        }

    def zones(self, scene: Scene) -> dict[str, object]:
        """The zones in which something else is than what the rest of the scene leaves there. What
        is listed comes out of the one with most in it, and goes there."""
        wanted, left = zone_contents(self._state), self._left(scene)
        other = [zone for zone in {**left, **wanted} if wanted.get(zone, []) != left.get(zone, [])]
        if not other:
            return {}
        rest = max(other, key=lambda zone: len(wanted.get(zone, [])))
        listed: dict[str, object] = {zone: wanted.get(zone, []) for zone in other if zone != rest}
        return {**listed, rest: "rest"} if listed else {}

    def _left(self, scene: Scene) -> dict[str, list[str]]:
        """What is in zones when the board is laid and tracks are filled: of each name the first
        components are used."""
        used: Counter[str] = Counter(list(scene.put))
        for entry in scene.board:
            used[str(entry["piece"])] += 1
            stands = entry.get("stands", {})
            assert isinstance(stands, dict), "figures by segment"
            for figures in stands.values():
                used.update([figures] if isinstance(figures, str) else figures)
        names, left = self._begun.names, zone_contents(self._begun)
        if scene.board:
            self._take_back(left)
        for piece, place in places_of(self._begun).items():
            name = str(names.short(piece))
            if used[name] <= 0:
                continue
            used[name] -= 1
            if isinstance(place, Zone):
                left[str(names.short(place))].remove(name)
        return left

    def _take_back(self, left: dict[str, list[str]]) -> None:
        """What lay on the grids at the beginning goes where it comes from."""
        names, game = self._begun.names, self._begun.game.checked.game
        laid = {item.piece for item in self._begun.position.laid()}
        for piece in sorted(laid, key=lambda each: each.index):
            start = next((z for z in game.zones if z.key == game.pieces[piece.index].start), None)
            if start is not None:
                left.setdefault(start.name, []).append(str(names.short(piece)))

    def states(self) -> dict[str, object]:
        """The states of the game and of players with another value than at the beginning."""
        return {
            name: value
            for name, declared in self._names_of_states()
            if (value := _value(self._state, name, declared)) is not None
            and value != _value(self._begun, name, declared)
        }

    def _names_of_states(self) -> Iterator[tuple[str, StateDef]]:
        for key, declared in self._state.game.checked.states.items():
            owner, _, name = short_name(key).partition(".")
            owners = {"game": [""], "player": [f"{each}." for each in self._state.players]}
            for each in owners.get(owner, []):
                for index in product(*(members(self._state, each) for each in declared.index)):
                    yield each + name + "".join(f"[{member}]" for member in index), declared


def _value(state: State, name: str, declared: StateDef) -> object:
    """The value of a state as scenes write it, None if it cannot be read by its name."""
    source = Source(name, name)
    checked = expression(source.span(0, len(name)), state.game.checked, declared.type, {}, Report())
    if checked is None:
        return None
    try:
        value = state.names.short(state.position.evaluate(checked, {}))
    except PlayError:
        return None
    return value if isinstance(value, (int, bool)) else text(value)
