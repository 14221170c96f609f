"""Scenarios from recorded games: the scene that sets a position, and the moves after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from itertools import count

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.world import Joint
from rulesdsl.engine.runtime.tables import LINKED, UNLINKED
from rulesdsl.language.diagnostics import Report, RulesError, Source
from rulesdsl.language.model import nodes
from rulesdsl.language.model.names import ruleset_of, short_name
from rulesdsl.language.model.nodes import Node, plain
from rulesdsl.language.model.values import Cell, Piece, Placement, Segment, Space, Value
from rulesdsl.language.read.manifest import EDITION
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play.events import Turns
from rulesdsl.play.game import CHANCE, Game, State
from rulesdsl.play.golden import facts, recorded_move
from rulesdsl.play.moves import Move, text
from rulesdsl.play.records import Record
from rulesdsl.play.scenario import bring_about
from rulesdsl.play.scenario.outcome import Failed, block, item
from rulesdsl.play.scenario.scene import (
    FirstMoment,
    Moments,
    board_entries,
    in_order,
    name_of,
    places_of,
    running,
    zone_contents,
)
from rulesdsl.play.scenario.steps import NOBODY, as_step
from rulesdsl.play.table import grids, zones

_PLACES = frozenset(("game", "player", "segment", "cell"))
"""The owners of states that are no components."""

Row = tuple[str, Value, tuple[Value, ...]]
"""A state with its owner and indexes."""


@dataclass
class WrittenScene:
    """A scene as plain data under the keys of scenarios."""

    moment: str = ""
    board: list[dict[str, object]] | None = None
    zones: dict[str, object] = field(default_factory=dict)
    put: dict[str, object] = field(default_factory=dict)
    links: list[list[str]] = field(default_factory=list)
    unlinks: list[list[str]] = field(default_factory=list)
    state: dict[str, object] = field(default_factory=dict)

    def fields(self) -> dict[str, object]:
        """Return the keys that are not empty, in the order in which scenes are set."""
        said = {key: value for key, value in vars(self).items() if value}
        return said if self.board != [] else {"board": [], **said}


class Zones(Enum):
    """The zones that a scene lists.

    `NONE`: only zones in which components are missing. `OTHER`: those whose contents have changed.
    `ALL`: those that are not empty.
    """

    NONE = 0
    OTHER = 1
    ALL = 2


def portray(state: State, moment: FirstMoment, told: Zones) -> WrittenScene:
    """Return the scene that makes a game at a `moment` look like `state`, as far as a scene can."""
    portrayer = _Portrayer(state, moment.state)
    named = moment.name if moment.times == 1 else f"{moment.name} {moment.times}"
    scene = WrittenScene(named if moment.name else "")
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
        self._now = state.position
        self._before = begun.position
        self._states = dict(self._now.changed_states())
        self._states_before = dict(self._before.changed_states())
        self._initial = dict(self._now.initial_states())

    def put(self, cleared: bool) -> dict[str, object]:
        """Return the occupants of spaces and cells, by name, that are elsewhere than at the moment.

        If grids are `cleared`, cells have no occupants at the moment.
        """
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
        places = places_of(state)
        for piece in sorted(places, key=state.position.level_of):
            place = places[piece]
            if isinstance(place, Space | Cell) and piece not in laid:
                found.setdefault(str(state.names.short(piece)), []).append(place)
        return found

    def zones(self, told: Zones) -> dict[str, object]:
        """Return the contents of zones.

        The largest zone is the rest: components that are listed come from it, and others go there.
        """
        wanted, there = zone_contents(self._state), zone_contents(self._begun)
        declared = self._state.game.checked.game.zones
        ordered = {
            str(self._state.names.short(zone)): declared[zone.zone].ordered
            and not all(map(self._now.world.is_shuffled, self._now.world.members(zone)))
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
        """Return the pairs of segments to link, and those to unlink."""
        now, before = self._now.world, self._before.world
        links = _named(self._state, now.joints(LINKED))
        unlinks = _named(self._state, now.joints(UNLINKED))
        if cleared:
            return links, unlinks
        linked = _named(self._begun, before.joints(LINKED))
        unlinked = _named(self._begun, before.joints(UNLINKED))
        return (
            [*_without(links, linked), *_without(unlinked, unlinks)],
            [*_without(unlinks, unlinked), *_without(linked, links)],
        )

    # --- states ----------------------------------------------------------------------------------

    def states(self) -> dict[str, object]:
        """Return the states with another value than at the moment, those of components by place."""
        now, before = self._states, self._states_before
        order = list(self._state.game.checked.states)
        rows = sorted({**now, **before}, key=lambda row: (order.index(row[0]), repr(row[1:])))
        found = dict[str, object]()
        groups = dict[tuple[str, tuple[Value, ...]], None]()
        for row in rows:
            key, owner, index = row
            if isinstance(owner, Piece):
                groups[key, index] = None
                continue
            changed = self._value(row) != before.get(row, self._initial[key])
            if changed or (isinstance(owner, Segment) and row in now):
                name = self._name(row, "" if owner is None else self._place(owner))
                found[name] = self._written(row)
        for key, index in groups:
            found.update(self._of_components(key, index))
        return found

    def _value(self, row: Row) -> Value:
        return self._states.get(row, self._initial[row[0]])

    def _place(self, place: Value) -> str:
        """Return a place as scenarios write it, a cell with its grid if there are several."""
        names = self._state.names
        one_grid = isinstance(place, Cell) and len([*grids(self._state)]) == 1
        return str(names.short(place) if one_grid else names.full(place))

    def _name(self, row: Row, owner: str) -> str:
        key, _, index = row
        states = self._state.game.checked.states
        own, name = states[key].owner, name_of(states[key])
        like = {own} if own in _PLACES else {each.owner for each in states.values()} - _PLACES
        if any(name_of(s) == name and s.owner in like and s.key != key for s in states.values()):
            name = f"{ruleset_of(key)}/{name}"
        indexes = "".join(f"[{text(self._state.names.short(each))}]" for each in index)
        return f"{owner}.{name}{indexes}" if owner else name + indexes

    def _written(self, row: Row) -> object:
        value = self._value(row)
        names = self._state.names
        form = names.short(value) if isinstance(value, Cell | Placement) else names.full(value)
        return form if isinstance(form, (int, bool)) else text(form)

    def _of_components(self, key: str, index: tuple[Value, ...]) -> Mapping[str, object]:
        """Return a state of components by name and place.

        It has one value for all components there, or a list of values.
        """
        cls = self._state.game.checked.states[key].owner
        all = dict[str, list[Piece]]()
        groups = dict[tuple[str, Value], list[Piece]]()
        for piece, place in places_of(self._state).items():
            if cls in ("piece", self._state.names.kind(piece).cls):
                name = str(self._state.names.short(piece))
                all.setdefault(name, []).append(piece)
                groups.setdefault((name, place), []).append(piece)
        touched = {owner for state, owner, at in self._states_before if (state, at) == (key, index)}
        found = dict[str, object]()
        for (name, place), pieces in groups.items():
            rows: list[Row] = [(key, each, index) for each in in_order(self._state, pieces)]
            values = [self._written(row) for row in rows]
            if touched or any(row in self._states for row in rows):
                alone = len(pieces) == len(all[name])
                owner = name if alone else f"{name}:{self._place(place)}"
                found[self._name(rows[0], owner)] = (
                    values if values[1:] != values[:-1] else values[0]
                )
        return found


def _named(state: State, joints: Iterable[Joint]) -> list[list[str]]:
    return sorted([str(state.names.full(each)) for each in pair] for pair in joints)


def _without(pairs: list[list[str]], others: list[list[str]]) -> list[list[str]]:
    return [pair for pair in pairs if pair not in others]


class NotRetold(Exception):
    """An error for a recorded game that cannot be played to the turn asked for.

    The message gives the reason.
    """


@dataclass(frozen=True)
class RecordedTurn:
    """A turn of a recorded game.

    `before` and `after` are the states around it, which offer chance. `moves` lead from one to the
    other, each with the name of who made it, which may be chance.
    """

    number: int
    before: State
    after: State
    moves: tuple[tuple[str, Move], ...]


def turns(record: Record, game: Game) -> Iterator[RecordedTurn]:
    """Yield every turn of a record; the last may be incomplete.

    Raises NotRetold where the record differs from the game that `game` plays.
    """
    teller = _Teller(record, game)
    while (turn := teller.turn()) is not None:
        yield turn


class _Teller:
    """Plays the recorded game twice, with chance resolved and with chance offered.

    Offered chance is drawn as the engines draw it (see `docs/reference/generator.md`).
    """

    def __init__(self, record: Record, game: Game) -> None:
        head = record.header
        try:
            self._closed = game.start(head.players, head.seed)
            self._open = game.start(head.players, None)
        except (ValueError, PlayError) as error:
            raise NotRetold(f"the game does not begin: {error}") from None
        self._luck = None if head.seed is None else Rng.seeded(head.seed)
        self._entries = iter(record.entries)
        self._turns = Turns()

    def turn(self) -> RecordedTurn | None:
        """Return the next turn, None at the end of the record."""
        before, number = self._open.clone(), self._turns.number
        moves: list[tuple[str, Move]] = []
        while self._turns.number == number:
            entry = next(self._entries, None)
            if entry is None:
                break
            if self._luck is not None:
                moves += self._chance()
            move = recorded_move(self._closed, entry)
            if move is None or self._open.mover != entry.by:
                raise NotRetold(f"in turn {number} the game differs from the record")
            self._turns.before(self._closed)
            self._played(self._closed, move)
            self._played(self._open, move)
            self._turns.after(self._closed)
            moves.append((entry.by, move))
            if self._luck is not None and self._closed.mover is None:
                moves += self._chance()
        return RecordedTurn(number, before, self._open.clone(), tuple(moves)) if moves else None

    def _chance(self) -> Iterator[tuple[str, Move]]:
        """Yield the draws and throws up to the next decision of a player."""
        assert self._luck is not None, "a record without a seed tells them itself"
        while self._open.mover == CHANCE:
            offered = self._open.moves()
            weights = [move.weight for move in offered]
            index = self._luck.weighted(weights) if len(weights) > 1 else 0
            # By its number, as two outcomes may have the same name.
            self._open.position.play(index)
            self._open.refresh()
            yield CHANCE, offered[index]

    def _played(self, state: State, move: Move) -> None:
        try:
            state.play(state.move(move.name, **move.args))
        except (ValueError, PlayError) as error:
            raise NotRetold(f"turn {self._turns.number}: {error}") from None


_COPY = re.compile(r"#\d+")
_BACK = 6
"""The most turns that may follow a scene, if none can be set right before the turn."""
_KNOWLEDGE = ("known to ", "told to ", "face down: ", "shuffled: ")
_MOST = 8
"""The most components of a zone that an expectation lists."""


@dataclass(frozen=True)
class WrittenScenario:
    """A scenario as plain data, and the number of the turn it shows.

    `fallback` is empty if a position is set as a scene; otherwise it says why not, and all moves
    before the turn are played.
    """

    test: dict[str, object]
    turn: int
    fallback: str = ""


def scenario_of(
    record: Record, game: Game, number: int | None, name: str | None
) -> WrittenScenario:
    """Return the scenario of a turn (None: the last one).

    Raises NotRetold if there is no such turn, or if the game does not go as it is recorded.
    """
    told: list[RecordedTurn] = []
    for turn in turns(record, game):
        told.append(turn)
        if turn.number == number:
            break
    if not told:
        raise NotRetold("no move is recorded")
    found = told[-1]
    if number not in (None, found.number):
        raise NotRetold(f"the record has turns 1 to {found.number}, not {number}")
    test = {"name": name or f"turn {found.number}", **_players(record, game)}
    moments, fallback = Moments(game, record.header.players), ""
    for first in range(len(told) - 1, max(len(told) - 1 - _BACK, -1), -1):
        before = told[first].before
        moment = moments.like(before)
        if moment is None:
            fallback = fallback or _in_the_middle(before)
            continue
        for zones_told in Zones:
            shown, scene_keys = told[first:], portray(before, moment, zones_told).fields()
            scene = {**test, **scene_keys, "moves": _lines(shown), "expect": _expected(shown)}
            difference = _difference(scene, found.after, game)
            if not difference:
                return WrittenScenario(scene, found.number)
        fallback = fallback or _unsayable(difference)
    whole = {**test, "moves": _lines(told), "expect": _expected(told[-1:])}
    if not _difference(whole, found.after, game):
        return WrittenScenario(whole, found.number, fallback)
    raise NotRetold(
        f"no scenario can be made of turn {found.number}: its moves cannot be distinguished"
    )


def _unsayable(difference: str) -> str:
    """Return the reason why no scene can set a position, from a fact in which they differ."""
    hidden = difference.startswith(_KNOWLEDGE)
    what = "which components lie face down or are known to whom" if hidden else "this"
    return f"a scene cannot express {what}: {difference}"


def _in_the_middle(state: State) -> str:
    """Return the reason why no scene can begin while something is running."""
    frames = state.position.frames()
    actions = [frame.routine.key for frame in frames if frame.routine.kind == "action"]
    inside = f" of `{short_name(actions[0])}`" if actions else ""
    return f"a scene cannot begin in the middle{inside}"


def _players(record: Record, game: Game) -> dict[str, object]:
    count = record.header.players
    return {} if count == game.players[0] else {"players": count}


def _lines(all: Sequence[RecordedTurn]) -> list[str]:
    """Return the moves, each run of moves by one player or by chance on a line."""
    lines = list[str]()
    for turn in all:
        last = ""
        for by, move in turn.moves:
            if by == last:
                lines[-1] += f"; {as_step(move)}"
            else:
                lines.append(as_step(move))
            last = by
    return lines


def _expected(shown: Sequence[RecordedTurn]) -> dict[str, object]:
    """Return the expectations after some turns: points, decision, and zones that changed."""
    state = shown[-1].after
    scores = {"scores": state.scores()} if state.scores() else {}
    expect: dict[str, object] = {**scores, "mover": state.mover or NOBODY}
    if state.asked is not None:
        expect["asked"] = state.asked
    if state.winners:
        expect["winners"] = list(state.winners)
    before, after = zone_contents(shown[0].before), zone_contents(state)
    game, names = state.game.checked.game, state.names
    told = [str(names.short(z)) for z in zones(state) if game.zones[z.zone].visible != "none"]
    changed = {
        zone: after[zone]
        for zone in told
        if before[zone] != after[zone] and len(after[zone]) <= _MOST
    }
    return {**expect, **({"zones": changed} if changed else {})}


def _difference(test: dict[str, object], wanted: State, game: Game) -> str:
    """Return a difference between the end of a scenario and a position; empty if there is none.

    Components of one name are interchangeable.
    """
    text = "\n".join(item(test, 0)) + "\n"
    node = parse_yaml(Source("scenario", text), Report())
    if node is None:
        return "a name that cannot be written"
    try:
        state = bring_about(game, _first(node))
    except RulesError as error:
        return error.diagnostics[0].message
    except (Failed, PlayError, ValueError) as error:
        return str(error)
    here, there = _facts(state), _facts(wanted)
    for fact in sorted((there - here).elements()) + sorted((here - there).elements()):
        return fact
    same = running(state, exact=True) == running(wanted, exact=True)
    return "" if same else "what runs"


def _first(node: Node) -> nodes.Mapping:
    assert not isinstance(node, nodes.Mapping), "scenarios are a list"
    (found,) = node.items if hasattr(node, "items") else ()
    assert isinstance(found, nodes.Mapping), "of mappings"
    return found


def _facts(state: State) -> Counter[str]:
    """Count the facts about a position, with components of one name interchangeable."""
    offered = (f"{state.mover} may `{as_step(move)}`" for move in state.moves())
    asked = f"{state.mover or NOBODY} is asked {state.asked}"
    lines = facts(state.canonical(), untold=()).elements()
    return Counter(_COPY.sub("", each) for each in (asked, *lines, *offered))


# --- files of scenarios ---------------------------------------------------------------------------


class OtherGame(Exception):
    """An error for a scenario that does not fit into a file of scenarios; the message says why."""


def new_file(game: Game, test: Mapping[str, object], remark: str = "") -> str:
    """Return a file with this scenario only, below a remark."""
    head: dict[str, object] = {"scenarios": _root(game), "edition": EDITION}
    if expansions := _expansions(game):
        head["with"] = expansions
    if chosen := _chosen(game):
        head["settings"] = chosen
    lines = [*block(head, 0), "tests:", *_item(test, 2, remark)]
    return "\n".join(lines) + "\n"


def added_to(source: Source, game: Game, test: Mapping[str, object], remark: str = "") -> str:
    """Return the text of a file of scenarios with one more at its end; the rest does not change.

    Raises OtherGame if the file is about another game, and RulesError if it cannot be read.
    """
    report = Report()
    document = parse_yaml(source, report)
    report.check()
    tests = nodes.get(document, "tests")
    listed = isinstance(tests, nodes.Sequence) and tests.items
    if not isinstance(document, nodes.Mapping) or tests is None or not listed:
        raise OtherGame("it is not a file of scenarios")
    if source.text[tests.span.start] == "[":
        raise OtherGame("its scenarios are written in brackets, not each below a `-`")
    names = {plain(each.get("name") or each) for each in listed if isinstance(each, nodes.Mapping)}
    name, more = str(test["name"]), _besides(document, game)
    others = (f"{name} ({number})" for number in count(2))
    free = name if name not in names else next(each for each in others if each not in names)
    full = {"name": free, **more, **{key: test[key] for key in test if key != "name"}}
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    lines = _item(full, tests.span.column - 1, remark)
    return text + "\n".join(lines) + "\n"


def _item(test: Mapping[str, object], indent: int, remark: str) -> list[str]:
    above = [" " * indent + f"# {remark}"] if remark else []
    return [*above, *item(test, indent)]


def _besides(document: nodes.Mapping, game: Game) -> dict[str, object]:
    """Return the rulesets and settings that a scenario must add to those of its file."""
    if plain(document.get("scenarios") or document) != _root(game):
        raise OtherGame(f"it is about another game than `{_root(game)}`")
    there, wanted = nodes.words(document.get("with")), _expansions(game)
    if left := [each for each in there if each not in wanted]:
        raise OtherGame(f"its scenarios are played with `{left[0]}`, the recorded game was not")
    chosen = _chosen(game)
    for key, setting in nodes.entries(document.get("settings")):
        name, value = str(key.value), plain(setting)
        named = (e for e in game.settings if e in (name, f"{e.partition('.')[0]}.{name}"))
        full = next(named, name)
        if game.settings.get(full) != value:
            raise OtherGame(f"its scenarios are played with `{name}: {value}`, the game was not")
        chosen.pop(full, None)
    more = [each for each in wanted if each not in there]
    found: dict[str, object] = {"with": more} if more else {}
    return {**found, "settings": chosen} if chosen else found


def _root(game: Game) -> str:
    return game.checked.game.roles.ruleset


def _expansions(game: Game) -> list[str]:
    """Return the rulesets besides the root, without interactions, which load automatically."""
    root = _root(game)
    return [each.id for each in game.rulesets if each.id != root and not each.interaction]


def _chosen(game: Game) -> dict[str, object]:
    return {
        f"{each.ruleset}.{each.name}": each.chosen
        for each in game.checked.game.settings
        if each.chosen != each.default
    }
