"""The words that may follow on a command line, asked of the command and typed in real shells."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from rulesdsl.cli.catalogue import COMMANDS
from rulesdsl.cli.commands import SHELLS
from rulesdsl.cli.completion import SOURCES
from rulesdsl.cli.options import CommandGroup
from tests.cli.conftest import HAMLETS, Cli

# A line up to the cursor, what is offered (`*`: among others), and what is not.
LINES = (
    ("rulesdsl ", "* run why simulate", "--version"),
    ("rulesdsl r", "run replay", ""),
    ("rulesdsl why ", "points not value", ""),
    ("rulesdsl -", "-h --help --version --print-completion", ""),
    ("rulesdsl --print-completion ", "bash fish zsh", ""),
    ("rulesdsl nothing ", "", ""),
    ("rulesdsl run ", "* :files base card_game", "river"),
    ("rulesdsl run base ", "", ""),
    ("rulesdsl run base --wi", "--with", ""),
    ("rulesdsl run base --quiet --q", "", ""),
    ("rulesdsl run base --with river --wi", "--with", ""),
    ("rulesdsl run base --with ", "* :files river robbers", "base card_game"),
    ("rulesdsl run base --with=ro", "* :files --with=robbers", ""),
    ("rulesdsl run base --with river,", "* river,robbers", "river,river :files"),
    ("rulesdsl run base --with robbers --with r", "* :files river", "robbers"),
    ("rulesdsl run --with ro", ":files robbers", ""),
    (
        f"rulesdsl run '{HAMLETS}' --with ",
        ":files generous mills spoilt wells wells_mills",
        "river",
    ),
    (f"rulesdsl run {HAMLETS} --set ", "hamlets.houses=", ""),
    ("rulesdsl run base --with river --set river.", "* river.course=", "base.farmers="),
    ("rulesdsl run base --set base.farmers=", "base.farmers=true base.farmers=false", ""),
    ("rulesdsl run base --set base.starts=2,base.far", "base.starts=2,base.farmers=", ""),
    ("rulesdsl run base --set base.followers=7", "base.followers=7", ""),
    ("rulesdsl run base --with river --set river.course=n", "river.course=narrow", ""),
    ("rulesdsl run nowhere.yaml --set ", "", ""),
    ("rulesdsl run base --bots greedy,m", "greedy,mcts greedy,mcts:500 greedy,mcts:0.5s", ""),
    ("rulesdsl simulate base --bots ", "* :files random greedy", ""),
    ("rulesdsl run base --human b", "black blue", ""),
    ("rulesdsl run base --lang ", "* en es", ""),
    ("rulesdsl run base --engine ", "python wasm", ""),
    ("rulesdsl run base --seed ", "", ""),
    ("rulesdsl run base --path ", ":folders", ""),
    ("rulesdsl simulate base --compare with=ri", "* with=river", ""),
    ("rulesdsl simulate base --with river --compare without", "without=river", ""),
    ("rulesdsl check ", "* :files base river", ""),
    ("rulesdsl check base --level unus", "unused=", ""),
    ("rulesdsl check base --level unused=", "* unused=off unused=note", ""),
    ("rulesdsl explain unknown-n", "unknown-name", ""),
    ("rulesdsl new game mine --of ", "tiles cards dice board", ""),
    ("rulesdsl new expansion mine --of car", ":files card_game", ""),
    ("rulesdsl fmt ", ":files", ""),
    ("rulesdsl show piece ", "* :files base", ""),
    ("rulesdsl show piece base/road", "base/road-curve base/road-straight", ""),
    ("rulesdsl show schema pl", "plan", ""),
    ("rulesdsl replay la", ":files last", ""),
    ("rulesdsl page b", ":files base", ""),
    ("/usr/bin/rulesdsl run 'ba", ":files base", ""),
    ("rulesdsl run ba\\", ":files", ""),
    ("", "* run", ""),
)


@pytest.mark.parametrize(("line", "offered", "others"), LINES)
def test_what_is_offered(cli: Cli, line: str, offered: str, others: str) -> None:
    result = cli("--complete", line)
    assert (result.code, result.err) == (0, "")
    found = [each.partition("\t")[0] for each in result.out.splitlines()]
    some, wanted = offered.startswith("*"), set(offered.removeprefix("*").split())
    assert wanted <= set(found) if some else wanted == set(found)
    assert len(found) == len(set(found))
    assert not set(others.split()) & set(found)


def test_saved_games_are_offered(cli: Cli) -> None:
    assert cli("run", HAMLETS, "--human", "red", typed="1\n1\nq\n").code == 0
    found = cli("--complete", "rulesdsl replay hamlets").out
    name = cli("replay").out.split()[0]
    assert name in found.split()
    for line in ("run --resume", "why points", "show board", "test --record", "page"):
        assert name in cli("--complete", f"rulesdsl {line} ").out.split(), line


def test_names_of_a_stranger_are_plain(cli: Cli, tmp_path: Path) -> None:
    texts = {
        "evil": 'ruleset: "$(reboot)"\nsettings: {"a\\e[31m": {default: 1, range: [1, 2]}}\n',
        "long": "ruleset: long\nsettings: {a: {default: 1, range: [1, 9999999999999999999]}}\n",
        "sign": 'ruleset: sign\nsettings: {b: {default: "\\e[31m", values: ["\\e[31m"]}, c: 5}\n',
        "broken": "ruleset: [\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    for words in ("", *(f"{name}.yaml --set {end}" for name in texts for end in ("", "long.a="))):
        result = cli("--complete", f"rulesdsl run {words}")
        assert (result.code, result.err) == (0, "")
        assert "reboot" not in result.out
        assert "\x1b" not in result.out
        assert len(result.out) < 5000


def test_every_source_belongs_to_an_argument() -> None:
    known = set[str]()
    for each in COMMANDS:
        for row in each.commands if isinstance(each, CommandGroup) else [each]:
            for option in row.options:
                named = option.names.startswith("-")
                what = str(option.more.get("metavar") if named else option.names)
                known |= {what, f"{row.name} {what}"}
    assert SOURCES.keys() <= known


# --- real shells ----------------------------------------------------------------------------------

# What is typed (`>`: the tab key), and the words that the shell then has.
TYPED = (
    ("sim>", "simulate"),
    ("run bas>--wi>hills>", "run base --with hills_and_sheep"),
    ("run base --with robbers,inn>--qui>", "run base --with robbers,inns_and_cathedrals --quiet"),
    (
        "run base --with river --set river.cou>nar>",
        "run base --with river --set river.course=narrow",
    ),
    ("run base --bots mcts:5>--see>7", "run base --bots mcts:500 --seed 7"),
    ("replay my>--js>", "replay my game.jsonl --json"),
    ("show board my> --to plac>", "show board my game.jsonl --to places"),
    ("new expansion x --folder pla>", "new expansion x --folder places"),
    ("explain unknown-n>", "explain unknown-name"),
)


# Every machine has bash.
@pytest.mark.parametrize("shell", ["bash", *(s for s in SHELLS[1:] if shutil.which(s))])
def test_it_completes_in_a_shell(cli: Cli, shell: str, tmp_path: Path) -> None:
    (tmp_path / "my game.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "places").mkdir()
    program = tmp_path / "bin" / "rulesdsl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rulesdsl "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = cli("--print-completion", shell).out
    (tmp_path / "bin" / "script").write_text(script, encoding="utf-8")
    said = tmp_path / "bin" / "said"
    with _typing(shell, tmp_path) as send:
        send(_SHOWN[shell])
        send("source bin/script\n")
        for number, (typed, words) in enumerate(TYPED, 1):
            for part in f"rulesdsl {typed}".replace(">", "\t>").split(">"):
                send(part)
            send("\x01show \n")
            found = _line(said, number)
            assert found.rstrip("/") == f"rulesdsl {words}", typed


# How a shell starts; and how it writes the words of a line, which `show` before it makes.
_STARTED = {"bash": ("--norc", "--noprofile"), "fish": ("--no-config",), "zsh": ("-f",)}
_SHOWN = {
    "bash": 'show() { echo "$*" >> bin/said; }\n',
    "fish": "function show; echo $argv >> bin/said; end\n",
    "zsh": 'autoload -U compinit; compinit -u -D; show() { echo "$*" >> bin/said; }\n',
}


@contextmanager
def _typing(shell: str, home: Path) -> Iterator[Callable[[str], int]]:
    """Yield the way to type in a shell in a terminal, which reads what the shell writes."""
    number, terminal = pty.openpty()
    env = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "TERM": "dumb"}
    env |= {name: os.environ[name] for name in os.environ if name.startswith(("XDG", "PYTHON"))}
    process = subprocess.Popen(
        [shell, *_STARTED[shell], "-i"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=home,
        env=env,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    reading = threading.Thread(target=_drained, args=(number,), daemon=True)
    reading.start()
    try:
        yield lambda text: os.write(number, text.encode())
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
        reading.join()
        os.close(number)


def _drained(number: int) -> None:
    with suppress(OSError):
        while os.read(number, 4096):
            pass


def _line(file: Path, number: int) -> str:
    """Wait for a line of a file and return it."""
    for _ in range(200):
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        if len(lines) >= number:
            return lines[number - 1]
        time.sleep(0.1)
    raise AssertionError(f"line {number} is missing in {lines}")
