"""The page plays random games with the module, and its host shows the rule that fails in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulesdsl.author.lint import played
from rulesdsl.author.studio import session as session_of
from rulesdsl.author.studio.project import Data, Project
from rulesdsl.author.studio.session import Session
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.playouts import play_out
from rulesdsl.engine.run.rng import Rng
from rulesdsl.play import load
from tests.lsp.test_games import MANIFEST, RULES
from tests.page.node import printed
from tests.studio.test_session import ask
from tools.page import BUILT

CHOSEN = {"main": "host.yaml", "with": [], "players": 2}


def built(folder: Path, rules: str) -> tuple[Session, Data]:
    for name, text in (("host.yaml", MANIFEST), ("host.rules", rules)):
        (folder / name).write_text(text, encoding="utf-8")
    session = Session(Project(str(folder)), saves=False)
    return session, ask(session, "build", **CHOSEN)


def failing(game: Data) -> int | None:
    """The first game that fails, as the worker of the page tells it."""
    script = Path(__file__).with_name("games.mjs")
    told = printed(script, BUILT / "playouts.js", input=json.dumps(game))
    seed: int | None = json.loads(told)["failing"]
    return seed


def fails(folder: Path, seed: int) -> bool:
    game = load(folder / "host.yaml", engine="python")
    try:
        play_out(game.start(2, seed=None).position, 600, Rng.seeded(seed))
    except PlayError:
        return True
    return False


def test_the_first_game_that_fails_is_shown(tmp_path: Path) -> None:
    session, game = built(tmp_path, RULES.replace("p.score += 1", "p.score += 2"))
    seed = failing(game)
    assert seed == next(number for number in range(100) if fails(tmp_path, number))
    (found,) = ask(session, "play", **CHOSEN, seed=seed)["findings"]
    assert (found["file"], found["slug"], found["line"]) == ("host.rules", "play-error", 8)
    assert "cannot become 4" in found["message"]
    assert "this scenario leads to it" in found["message"]


def test_games_are_compared_under_both_orders_of_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finding is that of `check`, asked for part by part."""
    monkeypatch.setattr(played, "ORDERS", frozenset())  # as if no proof had found it
    monkeypatch.setattr(session_of, "_PART", 0)
    session, _ = built(tmp_path, RULES)
    for number, name in enumerate(("ants", "bees"), 1):
        session.project.change(
            f"{name}.yaml",
            f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\nrules: {name}.rules\n",
        )
        session.project.change(f"{name}.rules", f"after ask.yes(): p.score = {number}\n")
    chosen = {**CHOSEN, "with": ["ants.yaml", "bees.yaml"]}
    findings: list[Data] = []
    first, parts = 0, 0
    while first is not None and not findings:
        told = ask(session, "compare", **chosen, first=first)
        findings, first, parts = told["findings"], told["next"], parts + 1
    (found,) = findings
    assert parts > 1
    assert found["slug"] == "order-of-names"
    with session.project.workspace.looking():
        folder = str(tmp_path)
        game = load(folder + "/host.yaml", ["ants", "bees"], engine="python", paths=[folder])
        other = played.other_order(game, folder + "/host.yaml", ["ants", "bees"], {}, [folder])
        assert other is not None
        checked = played.random_games(game.checked, other, 100).finding
    assert checked is not None
    assert found["message"].startswith(checked.message)
    ask(session, "change", file="bees.rules", text="after ask.yes(): nothing\n")
    assert ask(session, "compare", **chosen, first=0)["findings"] == []


def test_invariants_are_watched_in_the_games_of_one_ruleset(tmp_path: Path) -> None:
    said = "invariant few_points: all(p.score < 1 for p in players)\n"
    session, _ = built(tmp_path, RULES + said)
    findings: list[Data] = []
    first = 0
    while first is not None and not findings:
        told = ask(session, "compare", **CHOSEN, first=first)
        findings, first = told["findings"], told["next"]
    assert [each["slug"] for each in findings] == ["broken-invariant"]


def test_nothing_is_shown_of_games_that_do_not_fail(tmp_path: Path) -> None:
    session, game = built(tmp_path, RULES)
    assert failing(game) is None
    assert ask(session, "play", **CHOSEN, seed=0)["findings"] == []
    answer = session.answer({"call": "play", **CHOSEN, "players": 9, "seed": 0})
    assert answer == {"error": "`host.yaml` is not a game for 9 players"}
