"""The page plays random games with the module, and its host shows the rule that fails in one."""

from __future__ import annotations

import json
from pathlib import Path

from rulesdsl.engines.engine import PlayError
from rulesdsl.engines.playouts import play_out
from rulesdsl.engines.rng import Rng
from rulesdsl.play import load
from rulesdsl.studio.project import Data, Project
from rulesdsl.studio.session import Session
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
    game = load(folder / "host.yaml", engine="reference")
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


def test_nothing_is_shown_of_games_that_do_not_fail(tmp_path: Path) -> None:
    session, game = built(tmp_path, RULES)
    assert failing(game) is None
    assert ask(session, "play", **CHOSEN, seed=0)["findings"] == []
    answer = session.answer({"call": "play", **CHOSEN, "players": 9, "seed": 0})
    assert answer == {"error": "`host.yaml` is not a game for 9 players"}
