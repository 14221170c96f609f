"""Which engine plays: the one that is named, otherwise what begins at once unless bots think; and
the default one of the library for one that is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl import engines, load
from rulesdsl.diagnostics import Severity
from rulesdsl.engines import ENGINES, playable
from tests.cli.conftest import HAMLETS, RULESETS, Cli
from tests.cli.test_scenarios import HOLDS

PATH = ("--path", str(RULESETS))
MISSING = """\
warning[engine-missing]: the engine `wasm` needs the package `wasmtime`, which is not installed
   = to install it: pip install 'rulesdsl[fast]'
   = until then `python` plays the same games, more slowly

"""

Block = Callable[[], None]


@pytest.fixture
def block(monkeypatch: pytest.MonkeyPatch) -> Block:
    """Makes it impossible to import the package that the engine needs."""
    return lambda: monkeypatch.setitem(sys.modules, "wasmtime", None)


def test_every_engine_plays_the_same_game(cli: Cli, tmp_path: Path) -> None:
    told = set()
    for engine in ENGINES:
        record = str(tmp_path / f"{engine}.jsonl")
        played = cli("run", HAMLETS, "--engine", engine, "--record", record)
        replayed = cli("replay", record, "--engine", engine, *PATH)
        board = cli("show", "board", record, "--engine", engine, *PATH)
        assert (played.code, replayed.code, board.code) == (0, 0, 0)
        assert played.err + replayed.err + board.err == ""
        told.add((played.out.replace(engine, ""), replayed.out, board.out))
    assert len(told) == 1


@pytest.mark.parametrize(
    ("command", "usual", "other"),
    [
        ("run", "reference", "python"),
        ("run --bots random", "reference", "python"),
        ("run --bots random,greedy", "python", "reference"),
        ("test", "reference", "python"),
        ("replay", "reference", "python"),
        ("show board", "reference", "python"),
    ],
)
def test_the_engine_is_the_one_that_is_named(
    cli: Cli,
    command: str,
    usual: str,
    other: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "some.test.yaml").write_text(HOLDS)
    cli("run", HAMLETS, "--record", "game.jsonl")
    monkeypatch.setitem(ENGINES, other, "nowhere.to_be_found")
    what = {"run": HAMLETS, "test": "some.test.yaml"}.get(command.split()[0], "game.jsonl")
    arguments = (*command.split(), what, *PATH)
    with pytest.raises(AssertionError, match="nowhere"):
        cli(*arguments, "--engine", other)
    assert cli(*arguments, "--engine", usual) == cli(*arguments)
    assert cli(*arguments, "--engine", "another").code == 2


@pytest.mark.parametrize("command", ["run", "run --json", "test", "replay", "show board"])
def test_another_engine_plays_for_one_that_is_not_installed(
    cli: Cli, block: Block, command: str, tmp_path: Path
) -> None:
    (tmp_path / "some.test.yaml").write_text(HOLDS)
    cli("run", HAMLETS, "--record", "game.jsonl")
    what = {"run": HAMLETS, "run --json": HAMLETS, "test": "some.test.yaml"}
    arguments = (*command.split(), what.get(command, "game.jsonl"), *PATH)
    expected = cli(*arguments)
    block()
    found = cli(*arguments, "--engine", "wasm")
    assert (found.code, found.out) == (expected.code, expected.out)
    assert found.err == MISSING + expected.err
    assert cli(*arguments) == expected


def test_a_program_is_told_in_the_report_of_the_game(block: Block) -> None:
    block()
    game = load(HAMLETS, engine="wasm")
    (found,) = game.report
    assert (found.slug, found.severity) == ("engine-missing", Severity.WARNING)
    assert game.engine == "python"
    assert game.start(2, 1).canonical() == load(HAMLETS).start(2, 1).canonical()
    assert list(load(HAMLETS).report) == []


@pytest.mark.parametrize("error", [OSError("no such library"), RuntimeError("another machine")])
def test_a_package_that_does_not_work_is_as_good_as_none(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(name: str) -> None:
        assert name == "wasmtime"
        raise error

    monkeypatch.setattr(engines, "import_module", fails)
    name, (found,) = playable("wasm")
    assert name == "python"
    assert found.message.endswith("`wasmtime`, which cannot be loaded")


def test_what_is_wrong_with_an_engine_of_ours_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ENGINES, "wasm", "nowhere.to_be_found")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        load(HAMLETS, engine="wasm")


def test_other_engines_import_nothing_of_it(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from rulesdsl.cli.main import main\n"
        "for engine in ('python', 'reference'):\n"
        f"    assert main(['run', {HAMLETS!r}, '--quiet', '--engine', engine]) == 0\n"
        "print('wasmtime' in sys.modules, 'rulesdsl.engines.wasm' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"RULESDSL_CACHE": str(tmp_path)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == "False False"
    assert run.stderr == ""
