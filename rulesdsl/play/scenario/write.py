"""Turning a recorded game into a scenario."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Report, RulesError, Source
from rulesdsl.model.names import short_name
from rulesdsl.model.nodes import Mapping, Node
from rulesdsl.play.game import Game, State
from rulesdsl.play.golden.aftermath import facts
from rulesdsl.play.records import Record
from rulesdsl.play.scenario.failure import Failed
from rulesdsl.play.scenario.layout import item
from rulesdsl.play.scenario.places import readable, zone_contents
from rulesdsl.play.scenario.portray import Scene, Zones, portray
from rulesdsl.play.scenario.retell import NotRetold, Turn, turns
from rulesdsl.play.scenario.runner import bring_about
from rulesdsl.play.scenario.running import Moments, running
from rulesdsl.play.scenario.steps import NOBODY, as_step
from rulesdsl.play.things import zones
from rulesdsl.read import parse_yaml
from rulesdsl.run.engine import PlayError

_COPY = re.compile(r"#\d+")
_BACK = 6
"""A scene may be followed by so many turns, if none can be set right before the turn."""
_KNOWLEDGE = ("known to ", "face down: ", "shuffled: ")
_MOST = 8
"""A zone with more in it is not told of in what is expected."""


@dataclass(frozen=True)
class Written:
    """A scenario as plain data, and the number of the turn it shows. `fallback` is empty if a
    position is set as a scene; otherwise all moves before the turn are played, and it says why."""

    test: dict[str, object]
    turn: int
    fallback: str = ""


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
    moments, fallback = Moments(game, record.header.players), ""
    for first in range(len(told) - 1, max(len(told) - 1 - _BACK, -1), -1):
        before = told[first].before
        moment = moments.like(before)
        if moment is None:
            fallback = fallback or _in_the_middle(before)
            continue
        for zones_told in Zones:
            scene = _with_scene(test, told[first:], portray(before, moment, zones_told))
            difference = _difference(scene, found.after, game)
            if not difference:
                return Written(scene, found.number)
        fallback = fallback or _unsayable(difference)
    whole = _from_the_beginning(test, told)
    if not _difference(whole, found.after, game):
        return Written(whole, found.number, fallback)
    raise NotRetold(f"no scenario can be made of turn {found.number}: its moves cannot be told")


def _unsayable(difference: str) -> str:
    """Say what no scene can say, by a fact in which the position it sets differs."""
    hidden = difference.startswith(_KNOWLEDGE)
    what = "which components lie face down or are known to whom" if hidden else "this"
    return f"a scene cannot say {what}: {difference}"


def _in_the_middle(state: State) -> str:
    """Say that something runs that no scene can begin in."""
    actions = readable(state).runtime.running()
    inside = f" of `{short_name(actions[0][0])}`" if actions else ""
    return f"no scene begins in the middle{inside}"


def _players(record: Record, game: Game) -> dict[str, object]:
    count = record.header.players
    return {} if count == game.players.start else {"players": count}


def _with_scene(test: dict[str, object], shown: Sequence[Turn], scene: Scene) -> dict[str, object]:
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


def _difference(test: dict[str, object], wanted: State, game: Game) -> str:
    """How what a scenario comes to differs from a position; empty if it does not. Which of several
    like components is meant does not matter."""
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


def _first(node: Node) -> Mapping:
    assert not isinstance(node, Mapping), "scenarios are a list"
    (found,) = node.items if hasattr(node, "items") else ()
    assert isinstance(found, Mapping), "of mappings"
    return found


def _facts(state: State) -> Counter[str]:
    """All that can be said of a position, but for which of several like components is where."""
    offered = (f"{state.mover} may `{as_step(move)}`" for move in state.moves())
    asked = f"{state.mover or NOBODY} is asked {state.asked}"
    lines = facts(state.canonical(), untold=()).elements()
    return Counter(_COPY.sub("", each) for each in (asked, *lines, *offered))
