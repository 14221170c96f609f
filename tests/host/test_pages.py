"""Pages in Chromium that play at a table, while the server ends and begins again."""

from __future__ import annotations

import asyncio
import json
import subprocess
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from time import monotonic, sleep
from typing import Any

import pytest

from rulesdsl.language.diagnostics import Source
from rulesdsl.play.records import read_record, replay
from rulesdsl.show.page.write import page
from tests.host.test_serve import game, record_of, serving
from tools.environment import node

pytestmark = pytest.mark.xdist_group("browser")
SCRIPT = Path(__file__).with_name("pages.mjs")
MOST = {"base": 24, "card_game": 40}


def lines(folder: Path) -> int:
    with closing(connect(folder / "tables.db")) as connection:
        found: int = connection.execute("SELECT count(*) FROM lines").fetchone()[0]
        return found


@pytest.mark.parametrize("name", MOST)
def test_two_pages_play(name: str, tmp_path: Path) -> None:
    own, out = game(name), tmp_path / "told.json"
    text = page(own, [2], served="hosted")
    with serving(tmp_path, own, text) as server:
        links, port = server.add(5, ["human"] * 2), server.port
        given = json.dumps({"links": [links[0], links[1]], "most": MOST[name]})
        pages = subprocess.Popen(
            [node(), SCRIPT, out], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert pages.stdin is not None
        pages.stdin.write(given)
        pages.stdin.close()
        end = monotonic() + 120
        while lines(tmp_path) < 10 and monotonic() < end and pages.poll() is None:
            sleep(0.1)
    with serving(tmp_path, own, text, port) as server:
        assert pages.wait(300) == 0, pages.stderr and pages.stderr.read()
        record = read_record(Source("table", asyncio.run(record_of(server, links))))
    assert pages.stderr is not None
    pages.stderr.close()
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    *_, (state, _) = replay(record, own)
    assert len(record.entries) >= 24
    for shown in found["told"]:
        assert shown["errors"] == []
        assert shown["hidden"] == []
        assert shown["tags"] == ["rulesdsl"]
        assert ("is dealt" in shown["opening"] or "goes to" in shown["opening"]) or name == "base"
        assert shown["length"] == len(record.entries)
        assert len(shown["log"]) >= len(record.entries)
        for line, points in zip(shown["scores"], state.scores().values(), strict=True):
            assert str(points) in line
    assert sum(title.startswith("● your turn") for title in found["titles"]) == 1


OURS = """\
ruleset: our_table
edition: 1
version: 1.0.0
rules: our_table.rules
requires: [base]
house: true
"""
"""An expansion of the players' own."""
WHOLE = 10_000


@pytest.mark.parametrize(
    ("name", "players", "most"),
    [
        pytest.param("card_game", 5, 30, id="five, hidden hands, the beginning"),
        pytest.param("base", 2, 12, id="an own expansion, the beginning", marks=pytest.mark.long),
        pytest.param("card_game", 5, WHOLE, id="five, hidden hands", marks=pytest.mark.long),
        pytest.param("base", 2, WHOLE, id="an own expansion", marks=pytest.mark.long),
    ],
)
def test_pages_play_whole_games(name: str, players: int, most: int, tmp_path: Path) -> None:
    """Each page is told the game that the record has, and nothing that its seat may not see.

    Those that only begin agree to end the game.
    """
    expansions: list[str] = []
    if name == "base":
        (tmp_path / "our_table.yaml").write_text(OURS, encoding="utf-8")
        rule = "refine worth(f, p) when f is city and complete(f) and f.cells == 2: 9"
        (tmp_path / "our_table.rules").write_text(f"{rule}\n", encoding="utf-8")
        expansions = [str(tmp_path / "our_table.yaml")]
    own, out = game(name, *expansions), tmp_path / "told.json"
    with serving(tmp_path, own, page(own, [players], served="hosted")) as server:
        links = server.add(5, ["human"] * players)
        places = [links[seat] for seat in range(players)]
        given = json.dumps({"links": places, "most": most, "end": most != WHOLE})
        subprocess.run([node(), SCRIPT, out], input=given, text=True, check=True)
        record = read_record(Source("table", asyncio.run(record_of(server, links))))
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    *_, (state, _) = replay(record, own)
    assert len(record.entries) >= min(most, 100)
    assert (state.mover is None) == (most == WHOLE)
    assert record.result == state.scores()
    assert len(found["told"]) == players
    for shown in found["told"]:
        assert (shown["errors"], shown["length"]) == ([], len(record.entries))
        assert shown["question"].startswith("The players ended") == (most != WHOLE)
        assert not shown["offers"]
        for line, points in zip(shown["scores"], state.scores().values(), strict=True):
            assert str(points) in line
    hidden = name == "card_game"
    assert found["seen"] == [[seat] if hidden else [] for seat in range(players)]


def test_two_people_meet_in_the_lobby(tmp_path: Path) -> None:
    own, out = game("card_game"), tmp_path / "told.json"
    text, other = page(own, [2], served="hosted"), game("dice_game")
    with serving(
        tmp_path, own, text, lobby=True, others=[(other, page(other, [2], served="hosted"))]
    ) as server:
        given = json.dumps({"address": server.address})
        command = [node(), Path(__file__).with_name("lobby.mjs"), out]
        subprocess.run(command, input=given, text=True, check=True, timeout=120)
    found = json.loads(out.read_text(encoding="utf-8"))
    assert "No table has a free seat" in found["empty"]
    assert (found["names"], found["errors"]) == (["Ann"], [])
    assert found["games"] == [["B", "card_game"], ["A", "dice_game"]]
    assert found["there"] == "dice_game"
    reasons = "DecompressionStream is not", "Worker is not", "refused here", "no funciona"
    for text, reason in zip(found["lacks"], reasons, strict=True):
        assert "it needs JavaScript, WebAssembly" in text
        assert reason in text
