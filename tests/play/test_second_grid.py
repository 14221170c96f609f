"""A ruleset that adds a grid breaks no scenario of a ruleset that does not know it."""

from __future__ import annotations

from pathlib import Path

from rulesdsl.language.diagnostics import Source
from tests.scenarios import run_scenarios

HEAD = "edition: 1\nversion: 1.0.0\n"
HOST = (
    f"ruleset: host\n{HEAD}rules: host.rules\n"
    "players: {min: 1, max: 1, colours: [red]}\n"
    "game: {play: game, finish: finish, score: player.score}\n"
    "features: {road: {shape: line}}\n"
    "grids: {board: {holds: tile, match: none, touch: false}}\n"
    "zones: {bag: {holds: [tile, figure], initial: true}}\n"
    "tiles: [{id: lane, count: 3, road: [N-S]}]\n"
    "figures: [{id: man}]\n"
)
RULES = (
    "state player.score: int = 0\n"
    "state cell.mark: int = 0\n"
    "action game():\n"
    "    ask(first(players))\n"
    "    finish()\n"
    "action finish(): end_game(players)\n"
    "choice ask(p: player) by p:\n"
    "    option at(t in bag, c in cells(board) where t is lane): c.mark += 1\n"
    "    option no: nothing\n"
)
SCENARIOS = (
    "scenarios: host\n"
    "edition: 1\n"
    "with: {on}\n"
    "tests:\n"
    "  - name: laid and put where no grid is named\n"
    "    board:\n"
    "      - {{piece: lane, at: [0, 0], stands: {{road@N.S: man}}}}\n"
    "      - {{piece: lane, at: [3, 3]}}\n"
    "    state: {{'3,3.mark': 2}}\n"
    "    expect:\n"
    "      legal: ['at lane 3,3']\n"
    "      board:\n"
    "      - {{piece: lane, at: [0, 0], stands: {{road@N.S: man}}}}\n"
    "      - {{piece: lane, at: [3, 3]}}\n"
    "      holds: ['cell_at(board, 3, 3).mark == 2']\n"
)


def test_the_grids_of_the_game_itself_are_meant(tmp_path: Path) -> None:
    (tmp_path / "host.yaml").write_text(HOST, encoding="utf-8")
    (tmp_path / "host.rules").write_text(RULES, encoding="utf-8")
    for name, grid in (("sky", "sky"), ("alps", "sky")):
        text = f"ruleset: {name}\n{HEAD}requires: [host]\ngrids: {{{grid}: {{holds: tile}}}}\n"
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    for on in ("[]", "[sky]", "[alps]", "[alps, sky]"):
        source = Source("host.test.yaml", SCENARIOS.format(on=on))
        (outcome,) = run_scenarios(source, [str(tmp_path)])
        assert outcome.passed, (on, [each.message for each in outcome.findings])
