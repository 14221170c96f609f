"""Scenes are set at once, out of the components that they name; what cannot be set says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.engine.run import ENGINES
from rulesdsl.language.diagnostics import Severity, Source
from rulesdsl.language.diagnostics.render import render
from rulesdsl.play.scenario.outcome import Outcome
from tests.scenarios import run_scenarios

FILE = Path(__file__).parent / "scenes.test.yaml"
SINGLE = "or write single components under `put`, which leaves the others where they are"
OTHERS = "or write `others: empty`: then all zones that the scene does not name are empty"


@pytest.mark.parametrize("engine", ENGINES)
def test_scenes_are_set_on_every_engine(engine: str) -> None:
    outcomes = run_scenarios(Source(str(FILE), FILE.read_text(encoding="utf-8")), (), engine)
    assert [each.name for each in outcomes if not each.passed] == []
    *others, warned = outcomes
    assert [each.found for each in others] == [()] * len(others)
    (warning,) = warned.findings
    assert warning.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("scene", "message", "help"),
    [
        (
            {"zones": {"row": ["ace", "ace"], "pile": "rest"}},
            "the only `ace` left is in `hand[red]`, whose content the scene does not give",
            ("write the content of `hand[red]` under `zones`", OTHERS),
        ),
        (
            {"zones": {"row": ["six"]}},
            "`six` is in `pile`, whose content the scene does not give",
            ("write `pile: rest`", OTHERS),
        ),
        (
            {"zones": {"camp[red]": ["2 red.knight"]}},
            "`red.knight` is left over from `camp[red]`, and no zone holds it",
            ("write `'camp[blue]': rest`", SINGLE),
        ),
        (
            {"zones": {"camp[red]": [], "pile": ["six"], "shelf": ["2 stone"]}},
            "`red.knight` and 2 more are left over from `camp[red]`, `six` and 3 more are left over"
            " from `pile`, and no zone holds them",
            (
                "write `'camp[blue]': rest`",
                "write `row: rest`, `'hand[red]': rest` or `'hand[blue]': rest`",
                SINGLE,
            ),
        ),
        (
            {"knows": {"red": ["ace", "4 six"]}},
            "red knows every `six` already",
            (),
        ),
        (
            {"knows": {"red": ["jack"]}},
            "there is no component `jack`",
            ("known: `ace`, `six`, `ten`, `straight`, `stone`, `red.knight` and 1 more",),
        ),
        ({"knows": {"pink": ["ace"]}}, "no player `pink` takes part", ()),
        (
            {"board": [{"piece": "straight", "at": [0, 0]}, {"piece": "straight", "at": [5, 5]}]},
            "straight#2 cannot lie at board (5, 5): it touches nothing",
            (),
        ),
        (
            {"state": {"tired": 3}},
            "`tired` is a state of a figure",
            ("write `red.knight.tired`",),
        ),
        (
            {"state": {"red.knigt.tired": 3}},
            "there is no component `red.knigt`",
            ("did you mean `red.knight`?",),
        ),
        (
            {"state": {"red.knight.tired": [1, 2]}},
            "3 components are called that, but there are 2 values",
            ("write one value, or 3",),
        ),
        (
            {"state": {"red.knight.tired": 77}},
            "77 is outside 0..9",
            (),
        ),
        ({"state": {"red.rounds": 7}}, "`rounds` is a state of the game", ("write `rounds`",)),
        (
            {"state": {"path@N.S(9,9).trampled": True}},
            "no piece on a grid has a segment `path@N.S(9,9)`",
            ("did you mean `path@N.S(0,0)`?",),
        ),
        (
            {"state": {"wt": True}},
            "there is no state `wt`",
            (),
        ),
        (
            {"links": [["path@N.S", "path@S.N(0,0)"]]},
            "straight#1 path N.S is one segment, not two",
            (),
        ),
        ({"links": [["path@N.S", "(0,1)"]]}, "`(0,1)` is not a segment", ()),
        (
            {"moment": "plai"},
            "there is no choice and no action `plai`",
            ("did you mean `play`?",),
        ),
        (
            {"moment": "play often"},
            "`play often` is not a moment",
            ("write the name of a choice or an action, and a number for a later time: `NAME 2`",),
        ),
        (
            {"moment": "finish"},
            "the game does not reach `finish`: no option of `scenes/play` is open",
            (),
        ),
        (
            {"put": {"stone": "path@N.S(7,7)"}},
            "there is no place `path@N.S(7,7)`",
            ("did you mean `path@N.S(0,0)`?",),
        ),
    ],
)
def test_what_cannot_be_set_says_what_to_write(
    scene: dict[str, Any], message: str, help: tuple[str, ...]
) -> None:
    (finding,) = tried({"seed": 1, **scene}).findings
    assert finding.message.startswith(message)
    assert finding.help == help


def test_a_scene_from_which_no_game_goes_on_names_the_rule_and_its_line() -> None:
    scene = {"seed": 1, "zones": {"hand[red]": [], "pile": "rest"}}
    outcome = tried(scene)
    (finding,) = outcome.findings
    assert (
        finding.message
        == "no game can continue from this scene: no option of `scenes/play` is open"
    )
    assert "scenes.rules:" in render([finding])
    assert "choice play() by active:" in render([finding])


EARN = """
state game.active: player = first(players)
state player.gold: int 0..9
action game():
    while true: turn()
action turn():
    earn(active)
    active = next(active)
choice earn(p: player) by p:
    option dig: p.gold += 1
    option rest
action finish(): end_game(players)
"""


@pytest.mark.parametrize("moment", ["earn", "turn"])
def test_a_state_is_set_before_what_is_given_it(tmp_path: Path, moment: str) -> None:
    head = "ruleset: earn\nedition: 1\nversion: 1.0.0\nrules: earn.rules\n"
    head += "players: {min: 2, max: 2, colours: [red, blue]}\ngame: {play: game, finish: finish}\n"
    (tmp_path / "earn.yaml").write_text(head, encoding="utf-8")
    (tmp_path / "earn.rules").write_text(EARN, encoding="utf-8")
    scene = f"moment: {moment}, state: {{active: blue, red.gold: 2}}"
    test = f"{{name: a, {scene}, expect: {{mover: blue}}}}"
    text = f"scenarios: earn\nedition: 1\ntests:\n  - {test}\n"
    (outcome,) = run_scenarios(Source(str(tmp_path / "earn.test.yaml"), text))
    assert outcome.passed == (moment == "turn")
    for finding in outcome.findings:
        assert finding.message.startswith("`earn` has begun with `active`")
        assert finding.help == ("set the scene before `turn` begins: `moment: turn`",)


def tried(test: dict[str, Any]) -> Outcome:
    tests = [{"name": "one", "expect": {"mover": "red"}, **test}]
    text = yaml.safe_dump({"scenarios": "scenes", "edition": 1, "tests": tests}, sort_keys=False)
    (outcome,) = run_scenarios(Source(str(FILE.with_name("some.test.yaml")), text))
    return outcome
