"""Why a choice is not asked at all: what stands before it, or that none of its options is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.author.why.played import ask_scenario
from rulesdsl.author.why.refused import RefusedQuestion
from rulesdsl.language.diagnostics import RulesError, Source
from rulesdsl.play.moves import wanted
from tests.why.asking import text

GAME = Path(__file__).parents[1] / "cli" / "rulesets" / "hamlets"
MANIFEST = "ruleset: thanks\nedition: 1\nversion: 1.0.0\nrules: thanks.rules\nrequires: [hamlets]\n"
RULES = """\
state player.thanked: player?

after lay(t) when t.rotation == 3:
    ask_for(active)

action ask_for(p: player):
    let q = p.thanked
    if q is not none:
        polite(p)
    else:
        thank(p)

choice polite(p: player) by p:
    option bow: p.thanked = none
    option wave: p.thanked = p

choice thank(p: player) by p:
    option give(q in players where q != p and q.score > 3) when p.score > 2: p.thanked = q
    otherwise: nothing
"""
SCENES = """\
scenarios: hamlets
edition: 1
with: [thanks]
tests:
  - {name: begun, expect: {mover: chance}}
  - {name: straight, moves: [take ends, "at 0,-1,0"], expect: {asked: build}}
  - {name: turned, moves: [take ends, "at 1,0,270"], expect: {asked: build}}
"""


@pytest.fixture
def scenes(tmp_path: Path) -> Source:
    for suffix in (".yaml", ".rules"):
        (tmp_path / f"hamlets{suffix}").write_text(GAME.with_suffix(suffix).read_text())
    (tmp_path / "thanks.yaml").write_text(MANIFEST)
    (tmp_path / "thanks.rules").write_text(RULES)
    return Source(str(tmp_path / "thanks.test.yaml"), SCENES)


@pytest.mark.parametrize(
    ("scene", "move", "said"),
    [
        ("straight", "give", ["`thank.give` is not an option here", "t.rotation == 3", "^ false"]),
        ("turned", "bow", ["`polite.bow` is not an option here", "^^^^^^^^^^^^^ false", "^ none"]),
        ("turned", "give", ["no option is open of thank(red)", "p.score > 2", "^ 0"]),
        ("turned", "give red", ["give(q=red) is not legal", "q != p", "false"]),
    ],
)
def test_what_keeps_a_choice_from_being_asked(
    scenes: Source, scene: str, move: str, said: list[str]
) -> None:
    question = RefusedQuestion(wanted(move))
    assert ask_scenario(scenes, scene, [], question, None) == ()
    told = text(question.answers)
    assert all(each in told for each in said), told
    assert not any(answer.facts["offered"] for answer in question.answers)


def test_nothing_that_was_read_stands_before_it(scenes: Source) -> None:
    with pytest.raises(RulesError, match=r"`build\.put` is not an option here"):
        ask_scenario(scenes, "begun", [], RefusedQuestion(wanted("put")), None)


def test_a_cell_is_told_of_however_a_piece_is_turned(scenes: Source) -> None:
    question = RefusedQuestion(wanted("at 0,-1"))
    assert ask_scenario(scenes, "straight", [], question, None) == ()
    offered = [bool(answer.facts["offered"]) for answer in question.answers]
    assert sorted(offered) == [False, False, False, True, True], text(question.answers)
    assert "at stands for 2 legal moves: to play one, write all of it" in text(question.answers)
    assert all("a side does not match" in each.head for each in question.answers[:2])
