"""The example of a trained player runs, and its files play in studies."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.cli.main import main

ROOT = Path(__file__).parents[2]
GAME = str(ROOT / "tests" / "games" / "journeys.yaml")


def test_a_player_is_trained_and_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = shutil.copytree(ROOT / "docs" / "how-to" / "learning", tmp_path / "learning")
    (files / "policy.npz").unlink(missing_ok=True)
    train = [sys.executable, str(files / "train.py"), GAME, "0.01"]
    done = subprocess.run(train, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (files / "policy.npz").exists()
    bots = f"{files / 'policy.py'},greedy"
    games = ["--games", "4", "--jobs", "1", "--format", "csv"]
    assert main(["simulate", GAME, "--bots", bots, *games]) == 0
    assert "greedy bot" in capsys.readouterr().out
