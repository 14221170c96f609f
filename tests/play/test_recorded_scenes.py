"""Games that are recorded up to some decision become scenes from which they go on as before."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

import pytest

from rulesdsl import Game, State, load
from rulesdsl.language.diagnostics import Report, Source
from rulesdsl.language.model.nodes import Mapping, Sequence
from rulesdsl.language.read.yaml import parse_yaml
from rulesdsl.play.records import Header, Record, Recorder, read_record
from rulesdsl.play.scenario import Scenario, bring_about, read_scenarios, write
from rulesdsl.play.scenario.outcome import Failed, item
from rulesdsl.play.scenario.scene import FirstMoment
from rulesdsl.play.scenario.steps import as_step, find
from rulesdsl.play.scenario.write import Zones, portray, scenario_of, turns

RULESETS = Path(__file__).parents[2] / "rulesets"
SCENES = Path(__file__).with_name("scenes.yaml")
COPY = re.compile(r"#\d+")
LATER = 8
"""So many moves are made from a scene on."""
GAMES = [
    (RULESETS / "base.yaml", ("river", "robbers"), 3),
    (RULESETS / "base.yaml", ("inns_and_cathedrals", "traders_and_builders", "crop_circles"), 2),
    (RULESETS / "base.yaml", ("hills_and_sheep", "wheel_of_fortune"), 2),
    (RULESETS / "wheel_of_fortune.yaml", (), 2),
    (RULESETS / "dice_game.yaml", (), 3),
    (RULESETS / "card_game.yaml", (), 2),
]
IDS = ["-".join([path.stem, *expansions]) for path, expansions, _ in GAMES]


def recorded(game: Game, players: int, seed: int, decisions: int) -> Record:
    """The record of a random game up to some decision."""
    drawn, text = random.Random(seed), io.StringIO()
    state = game.start(players, seed)
    recorder = Recorder(text, Header.of(game, players, seed))
    for _ in range(decisions):
        if state.mover is None:
            break
        move = drawn.choice(state.moves())
        recorder.move(state.mover, move)
        state.play(move)
    return read_record(Source("game.jsonl", text.getvalue()))


def likeness(state: State) -> tuple[list[str], list[str]]:
    """A position and its moves, whichever of several like components is where."""
    facts = [COPY.sub("", line) for line in state.canonical().splitlines()]
    rows = [f"{head}: {sorted(rest.split(', '))}" for head, _, rest in map(_parted, facts)]
    return sorted(rows), sorted(COPY.sub("", as_step(move)) for move in state.moves())


def _parted(line: str) -> tuple[str, str, str]:
    return line.partition(": ")


def parsed(test: dict[str, object]) -> Mapping:
    """A scenario as the file says it that holds it alone."""
    node = parse_yaml(Source("scenario", "\n".join(item(test, 0)) + "\n"), Report())
    assert isinstance(node, Sequence)
    (found,) = node.items
    assert isinstance(found, Mapping)
    return found


def goes_on(game: Game, record: Record, seed: int) -> str:
    """Why the scenario of the last turn of a record plays all moves; empty if it sets a scene. It
    comes to where the record ends, and goes on like that."""
    written = scenario_of(record, game, None, None)
    there = bring_about(game, parsed(written.test))
    *_, wanted = (turn.after for turn in turns(record, game))
    drawn = random.Random(seed)
    for _ in range(LATER):
        assert likeness(there) == likeness(wanted), written.test
        steps = [step for m in wanted.moves() if len(find(wanted, step := as_step(m))) == 1]
        if not steps:
            break
        step = drawn.choice(steps)
        for state in (there, wanted):
            state.play(find(state, step)[0])
    return written.fallback


def tried(number: int, seed: int, decisions: int) -> str:
    path, expansions, players = GAMES[number]
    game = load(path, expansions, engine="python")
    return goes_on(game, recorded(game, players, seed, decisions), seed)


@pytest.mark.parametrize(("number", "decisions"), [*enumerate([9, 8, 4, 10, 12, 1])], ids=IDS)
def test_a_game_goes_on_from_its_scene(number: int, decisions: int) -> None:
    assert tried(number, 5, decisions) == ""


def test_a_scene_that_cannot_be_set_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_BACK", 1)
    why = tried(IDS.index("card_game"), 5, 3)
    assert why.startswith(
        "a scene cannot express which components lie face down or are known to whom"
    )


def scenes() -> list[Scenario]:
    file = SCENES.with_name("scenes.test.yaml")
    read = read_scenarios(Source(str(file), file.read_text(encoding="utf-8")), engine="python")
    # Portraits do not say what players know: games with that are written by all their moves.
    plain = (each for each in read if each.written.get("knows") is None)
    return [each for each in plain if each.written.get("moment") is None]


@pytest.mark.parametrize("number", range(len(scenes())))
def test_a_scene_is_portrayed_as_it_was_set(number: int) -> None:
    state = scenes()[number].situation()
    begun = state.game.start(len(state.players), 1)
    head = {"name": "one", "players": len(state.players), "seed": 1}
    told = [portray(state, FirstMoment("", 1, begun), each).fields() for each in Zones]
    assert any(likeness(_again(state.game, {**head, **each})) == likeness(state) for each in told)


def _again(game: Game, test: dict[str, object]) -> State:
    try:
        return bring_about(game, parsed(test))
    except Failed:
        return game.start(None, 1)


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(GAMES)), ids=IDS)
def test_games_go_on_from_their_scenes(number: int) -> None:
    for seed in range(20):
        tried(number, seed, random.Random(seed).randrange(1, 60))
