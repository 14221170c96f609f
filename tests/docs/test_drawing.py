"""The page about pictures: its expansion is drawn, and its program runs, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.cli.main import main

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "drawing.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found, *_ = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return str(found)


def test_the_expansion_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "markets.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "markets.rules").write_text(block("rules"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = "show piece markets.yaml --to markets.png"
    assert f"    rulesdsl {command}\n" in TEXT
    assert main(command.split()) == 0
    assert capsys.readouterr().err == "written to markets.png\n"
    assert (tmp_path / "markets.png").read_bytes().startswith(b"\x89PNG")


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python"), "drawing.md", "exec"), {})
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
