"""Games that another program recorded have the same legal moves and scores here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tools.recorded.__main__ import main

RECORDS = Path(__file__).with_name("records")
SOME = [RECORDS / f"base+{name}-3p.jsonl.gz" for name in ("abbey", "dragon", "ferries", "tower")]


@pytest.mark.parametrize(
    ("path", "games"),
    [*((path, 1) for path in SOME), pytest.param(RECORDS, 2, marks=pytest.mark.long)],
)
def test_recorded_games_are_the_same_here(
    path: Path, games: int, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = main([str(path), "--games", str(games)]), capsys.readouterr().out
    assert code == 0, found
    assert all(f": {games} games, " in line for line in found.splitlines())


def test_differences_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with gzip.open(SOME[0], "rt", encoding="utf-8") as lines:
        record = json.loads(next(lines))
    record["steps"][0]["legal"]["place"].pop()
    record["steps"][3]["scores"][0] += 1
    with gzip.open(tmp_path / "changed.jsonl.gz", "wt", encoding="utf-8") as out:
        out.write(json.dumps(record))
    assert main([str(tmp_path)]) == 1
    found = capsys.readouterr().out
    assert "step 0: places: only in the record [], only here [" in found
    assert "step 3: scores: only in the record ['(0, 5)'], only here ['(0, 4)']" in found
