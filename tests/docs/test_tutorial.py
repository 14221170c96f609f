"""Every command of the tutorial prints what its page shows, and draws its pictures."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rulesdsl.cli.commands import parser
from rulesdsl.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(text|yaml|rules)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
INDENTED = re.findall(r"^    rulesdsl (.*)$", TEXT, re.MULTILINE)
LONG = {"simulate"}
"""Commands that take longer than all others."""

PICTURES = {"special-road.svg": "special-road.svg", "board.svg": "tutorial-board.svg"}
"""The pictures that commands of the page draw, with their names in the docs."""

FILES = {"yaml": "my_idea.test.yaml", "rules": "my_idea.rules"}


def timeless(text: str) -> str:
    """Text without what differs each time."""
    text = re.sub(r"\d+ bytes, SHA-256 [0-9a-f]+…?", "… bytes, SHA-256 …", text)
    return text.rstrip()


def follow_page(written: Callable[[], str]) -> Iterator[tuple[str, str]]:
    """Does all that the page shows, in order: for each block what it says comes out, and what
    comes out."""
    for kind, text in BLOCKS:
        if kind != "text":
            Path(FILES[kind]).write_text(text, encoding="utf-8")
            continue
        for command, told in commands(text):
            assert main(shlex.split(command)) == int("[scenario-failed]" in told), command
            yield told, written()


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what comes out."""
    found = re.split(r"^\$ rulesdsl (.*)\n", text, flags=re.MULTILINE)
    assert not found[0]
    return list(zip(found[1::2], found[2::2], strict=True))


@pytest.fixture
def written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[], str]:
    """What a command wrote, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RULESDSL_PATH", raising=False)

    def read() -> str:
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return read


def test_the_page_is_followed(written: Callable[[], str]) -> None:
    for said, came in follow_page(written):
        assert timeless(came) == timeless(said)
    for command in INDENTED:
        arguments = shlex.split(command)
        if arguments[0] in LONG or ".zip" in command:
            assert parser().parse_args(arguments)
        else:
            assert main(arguments) == 0
    for drawn, shown in PICTURES.items():
        assert Path(drawn).read_bytes() == (DOCS / "pictures" / shown).read_bytes()


@pytest.mark.long
def test_what_takes_long_is_done_as_well(
    written: Callable[[], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert all(timeless(came) == timeless(said) for said, came in follow_page(written))
    for command in INDENTED:
        assert main(shlex.split(command)) == 0
    capsys.readouterr()


def test_nothing_on_the_page_is_left_out() -> None:
    shown = sum(len(commands(text)) for kind, text in BLOCKS if text.startswith("$"))
    assert shown + len(INDENTED) == 13
