"""A large ruleset is built in seconds, however long its calls hang together."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from rulesdsl.engine.build.stages import build
from rulesdsl.language.diagnostics import Report
from tools.bench.large import write


@pytest.mark.parametrize(("tiles", "seconds"), [(500, 8), (1000, 16)])
def test_a_large_ruleset_is_built(tiles: int, seconds: float, tmp_path: Path) -> None:
    path, report = write(tmp_path, tiles), Report()
    began = process_time()
    checked = build(path, report=report)
    spent = process_time() - began
    assert checked is not None
    assert not list(report)
    assert len(checked.game.pieces) == 2 * tiles
    assert spent < seconds, f"{spent:.1f} s of processor time"
