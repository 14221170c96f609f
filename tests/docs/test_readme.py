"""The expansion in the README plays as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.cli.main import main

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_expansion_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, rules = re.findall(r"^```(?:yaml)?\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    (tmp_path / "cathedrals.yaml").write_text(manifest, encoding="utf-8")
    (tmp_path / "cathedrals.rules").write_text(rules, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "cathedrals.yaml"]) == 0
    command = "run base --with cathedrals.yaml"
    assert f".venv/bin/rulesdsl {command}\n" in TEXT
    capsys.readouterr()
    assert main([*command.split(), "--quiet"]) == 0
    written = capsys.readouterr()
    assert written.err == ""
    assert "win" in written.out
