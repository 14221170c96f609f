"""An editor shows what random games find, after a pause."""

from __future__ import annotations

from pathlib import Path

from tests.lsp.editor import Editor

MANIFEST = """\
ruleset: host
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
rules: host.rules
"""
RULES = """\
state player.score: int 0..3 = 0
action game():
    for i in 1..3:
        for p in players: ask(p)
    finish()
action finish(): end_game(players)
choice ask(p: player) by p:
    option yes: p.score += 1
    option no: p.score += 0
"""


def test_games_are_played_after_a_pause(tmp_path: Path) -> None:
    files = {"host.yaml": MANIFEST, "host.rules": RULES.replace("p.score += 1", "p.score += 2")}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    editor = Editor()
    try:
        uri = editor.open(tmp_path / "host.rules")
        assert editor.told(uri) == []
        (found,) = editor.later(uri)
        assert found.code == "play-error"
        assert "int 0..3 and cannot become 4" in found.message
        assert found.message.count("- 'ask.yes'\n") == 3
        editor.write(uri, RULES)
        assert editor.told(uri) == []
        assert not editor.messages
    finally:
        editor.close()
