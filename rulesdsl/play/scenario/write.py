"""Turning a recorded game into a scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Report, RulesError, Source
from rulesdsl.model.nodes import Mapping, Node
from rulesdsl.play.game import Game, State
from rulesdsl.play.golden.aftermath import facts
from rulesdsl.play.records import Record
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.layout import item
from rulesdsl.play.scenario.places import zone_contents
from rulesdsl.play.scenario.portray import portray
from rulesdsl.play.scenario.retell import NotRetold, Turn, turns
from rulesdsl.play.scenario.runner import bring_about
from rulesdsl.play.scenario.steps import NOBODY, as_step
from rulesdsl.play.things import zones
from rulesdsl.read import parse_yaml
from rulesdsl.run.engine import PlayError

_COPY = re.compile(r"#\d+")
_BACK = 6
"""A scene may show so many turns: where one begins in the middle of something, no scene can."""
_MOST = 8
"""A zone with more in it is not told of in what is expected."""


@dataclass(frozen=True)
class Written:
    """A scenario as plain data, and the number of the turn it shows. `scene` says whether the
    position before the turn is set as a scene; otherwise all moves before it are played."""

    test: dict[str, object]
    turn: int
    scene: bool


def scenario_of(record: Record, game: Game, number: int | None, name: str | None) -> Written:
    """The scenario of a turn (None: the last there is). Raises NotRetold if there is no such turn,
    or if the game does not go as it is recorded."""
    told: list[Turn] = []
    for turn in turns(record, game):
        told.append(turn)
        if turn.number == number:
            break
    if not told:
        raise NotRetold("no move is recorded")
    found = told[-1]
    if number not in (None, found.number):
        raise NotRetold(f"the record has the turns 1 to {found.number}, not {number}")
    test = {"name": name or f"turn {found.number}", **_players(record, game)}
    begun = game.start(record.header.players, None)
    for first in range(len(told) - 1, max(len(told) - 1 - _BACK, -1), -1):
        if told[first].before.asked == begun.asked:
            scene = _with_scene(test, told[first:], begun)
            if _leads_to(scene, found.after, game):
                return Written(scene, found.number, True)
    whole = _from_the_beginning(test, told)
    if _leads_to(whole, found.after, game):
        return Written(whole, found.number, False)
    raise NotRetold(f"no scenario can be made of turn {found.number}: its moves cannot be told")


def _players(record: Record, game: Game) -> dict[str, object]:
    count = record.header.players
    return {} if count == game.players.start else {"players": count}


def _with_scene(test: dict[str, object], shown: Sequence[Turn], begun: State) -> dict[str, object]:
    scene = portray(shown[0].before, begun)
    return {**test, **scene.fields(), "moves": _lines(shown), "expect": _expected(shown)}


def _from_the_beginning(test: dict[str, object], all: Sequence[Turn]) -> dict[str, object]:
    return {**test, "moves": _lines(all), "expect": _expected(all[-1:])}


def _lines(all: Sequence[Turn]) -> list[str]:
    """The moves: what chance brings, and what a player does then, on a line each."""
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


def _expected(shown: Sequence[Turn]) -> dict[str, object]:
    """What holds after some turns: points, who decides what, and what lies in other zones."""
    state = shown[-1].after
    expect: dict[str, object] = {"scores": state.scores(), "mover": state.mover or NOBODY}
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


def _leads_to(test: dict[str, object], wanted: State, game: Game) -> bool:
    """Does the scenario come to that position? Which of several like components is meant does not
    matter."""
    text = "\n".join(item(test, 0)) + "\n"
    report = Report()
    node = parse_yaml(Source("scenario", text), report)
    if node is None:
        return False
    try:
        state = bring_about(game, _first(node))
    except (Failed, PlayError, RulesError, ValueError):
        return False
    return _likeness(state) == _likeness(wanted)


def _first(node: Node) -> Mapping:
    assert not isinstance(node, Mapping), "scenarios are a list"
    (found,) = node.items if hasattr(node, "items") else ()
    assert isinstance(found, Mapping), "of mappings"
    return found


def _likeness(state: State) -> object:
    told = sorted(_COPY.sub("", fact) for fact in facts(state.canonical()).elements())
    return state.mover, state.asked, state.scores(), told, sorted(map(as_step, state.moves()))
