"""Output of every kind: closed, full, a terminal, one that can do little."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.cli.conftest import HAMLETS, heed_ctrl_c

CLOSED = "error[output-failed]: input or output failed: standard output is closed\n2\n"
COMMAND = [sys.executable, "-m", "rulesdsl"]


def _shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `rulesdsl` is the command."""
    function = f'rulesdsl() {{ "{sys.executable}" -m rulesdsl "$@"; }}\n'
    return subprocess.run(
        ["bash", "-c", function + line],
        env={**os.environ, "HAMLETS": HAMLETS, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def test_a_reader_that_leaves() -> None:
    result = _shell('rulesdsl run "$HAMLETS" --board | head -2; echo ${PIPESTATUS[0]}')
    assert result.stdout.splitlines()[-1] in ("0", "141")
    assert result.stdout.startswith("Hamlets\n")
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'rulesdsl run "$HAMLETS" > /dev/full; echo $? >&2',
            "error[output-failed]: input or output failed: no space left on device\n2\n",
        ),
        ('rulesdsl run "$HAMLETS" >&-; echo $? >&2', CLOSED),
        ("rulesdsl --help >&-; echo $? >&2", CLOSED),
        ("rulesdsl --print-completion bash >&-; echo $? >&2", CLOSED),
        ('rulesdsl check "$HAMLETS" --format json >&-; echo $? >&2', CLOSED),
        ('rulesdsl doc "$HAMLETS" --to "$(mktemp -d)/book" 2>/dev/null >&-; echo $? >&2', "0\n"),
        ("rulesdsl run nothing 2>&-; echo $? >&1", ""),
    ],
)
def test_output_that_goes_nowhere(line: str, said: str) -> None:
    assert _shell(line).stderr == said


def test_an_encoding_that_lacks_box_drawing() -> None:
    result = _shell(
        'rulesdsl run "$HAMLETS" --board --lang es; rulesdsl run "$HAMLETS" --json --quiet',
        PYTHONIOENCODING="ascii",
    )
    assert result.stderr == ""
    assert "# aldea" in result.stdout
    assert "R Rojo" in result.stdout
    assert result.stdout.isascii()


def _terminal(columns: int, *arguments: str, code: int = 0, **environment: str) -> str:
    """What the command writes to a terminal."""
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    child = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *arguments],
        env={**plain, "TERM": "xterm", **environment},
        encoding="utf-8",
        dimensions=(50, columns),
        timeout=60,
    )
    written = child.read()
    child.close()
    assert child.exitstatus == code
    return written.replace("\r\n", "\n")


def test_a_terminal_shows_the_board_in_colours() -> None:
    written = _terminal(80, "run", HAMLETS, "--watch")
    assert "\x1b[33m▒" in written
    assert "\x1b[1;97;41mRed\x1b[0m" in written


@pytest.mark.parametrize(
    ("environment", "sign"), [({"NO_COLOR": "1"}, "▒ village"), ({"TERM": "dumb"}, "# village")]
)
def test_a_terminal_without_colours(environment: dict[str, str], sign: str) -> None:
    written = _terminal(80, "run", HAMLETS, "--watch", code=0, **environment)
    assert "\x1b" not in written
    assert sign in written


def test_a_narrow_terminal_shows_the_surroundings_of_the_last_tile() -> None:
    written = _terminal(24, "run", HAMLETS, "--watch", NO_COLOR="1", COLUMNS="24")
    boards = [line for line in written.splitlines() if "▒▒" in line or "│" in line]
    assert "only 3 of " in written
    assert max(map(len, boards)) <= 24
    quiet = _terminal(12, "run", HAMLETS, "--quiet", NO_COLOR="1")
    assert quiet.startswith("Red\n")
    assert "\n     3 total\n" in quiet


def test_a_terminal_is_not_flooded() -> None:
    """It shows the prose of a book; other long documents ask for a file."""
    book = _terminal(80, "doc", "base", NO_COLOR="1")
    assert book.startswith("# Carcassonne\n")
    assert "<" not in book
    assert max(map(len, book.splitlines())) <= 80
    assert book.endswith("with pictures: rulesdsl doc base --to book.html\n")
    for command in (["export", "base"], ["print", "base"], ["doc", "base", "--reference"]):
        assert "is for a file, not for a terminal" in _terminal(80, *command, code=2)


FIVE_BOTS = ("run", "base", "--watch", "--players", "5", "--bots", "greedy", "--record", "g.jsonl")


def test_ctrl_c_while_bots_play(tmp_path: Path) -> None:
    child = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *FIVE_BOTS],
        cwd=tmp_path,
        preexec_fn=heed_ctrl_c,
        encoding="utf-8",
        timeout=60,
    )
    child.expect("1. ")
    child.sendintr()
    written = child.read()
    child.close()
    assert child.exitstatus == 130, written
    assert "Traceback" not in written
    assert "saved in g.jsonl" in written
    assert (tmp_path / "g.jsonl").read_bytes().endswith(b"\n")
