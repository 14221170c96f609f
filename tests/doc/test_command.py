"""`rulesdsl doc`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from tests.doc.conftest import RULESETS

HAMLETS = str(RULESETS / "hamlets.yaml")


def test_a_book_is_written_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = tmp_path / "book.html"
    assert main(["doc", HAMLETS, "--to", str(to)]) == 0
    assert f"written to {to}" in capsys.readouterr().err
    assert to.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [each.name for each in tmp_path.iterdir()] == ["book.html"]


def test_it_is_the_same_in_every_process(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["doc", HAMLETS]) == 0
    here = capfd.readouterr().out
    command = [sys.executable, "-m", "rulesdsl", "doc", HAMLETS]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert there.stdout.decode() == here


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.yaml"], "there is no file `none.yaml`"),
        (["-"], "cannot come from standard input"),
        ([HAMLETS, "--to", "no/such/folder/book.html"], "cannot be written"),
        ([HAMLETS, "--lang", "qq", "--to", "book.html"], "no texts in `qq`"),
    ],
)
def test_mistakes_are_said(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (main(["doc", *arguments]) == 0) == ("qq" in arguments)
    assert said in capsys.readouterr().err


def test_without_the_package_it_is_said_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in [name for name in sys.modules if name.startswith("rulesdsl.show.doc")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["doc", HAMLETS]) == 2
    assert "pip install 'rulesdsl[book]'" in capsys.readouterr().err
