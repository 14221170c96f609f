"""Which engine plays: the one that is named, otherwise the one that suits the work; and `python`
where `wasmtime` cannot be loaded."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl import load
from rulesdsl.engine import run as engines
from rulesdsl.engine.run import ENGINES, engine_of, playable
from rulesdsl.language.diagnostics import Severity
from rulesdsl.play.bots import GreedyBot, MctsBot
from tests.cli.conftest import HAMLETS, RULESETS, Cli
from tests.cli.test_scenarios import HOLDS

PATH = ("--path", str(RULESETS))
MISSING = (
    "warning[engine-missing]: the package `wasmtime` cannot be loaded (pip install wasmtime): the "
    "engine `python` plays, which is slower\n\n"
)

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
        ("run", "wasm", "python"),
        ("test", "python", "wasm"),
        ("replay", "wasm", "python"),
        ("show board", "wasm", "python"),
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


def test_the_engine_that_was_removed_gets_a_message(cli: Cli) -> None:
    found = cli("run", HAMLETS, "--engine", "reference")
    assert found.code == 2
    assert "the engine `reference` was removed: `python` plays the same games" in found.err
    with pytest.raises(ValueError, match="`reference` was removed: `python` plays"):
        load(HAMLETS, engine="reference")
    with pytest.raises(ValueError, match="no engine `pyton`; the engines are python, wasm"):
        engine_of("pyton")


@pytest.mark.parametrize("command", ["run", "run --json", "test", "replay", "show board"])
def test_the_engine_python_plays_where_the_package_is_missing(
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
    assert cli(*arguments) == (expected if command == "test" else found)


def test_bots_that_search_play_without_the_package(cli: Cli, block: Block) -> None:
    block()
    found = cli("run", HAMLETS, "--bots", "greedy,mcts", "--quiet")
    assert found.code == 0
    assert found.err == MISSING
    state = load(HAMLETS, engine="python").start(2, 1)
    while len(state.moves()) < 2:
        state.play(state.moves()[0])
    before = state.canonical()
    for bot in (GreedyBot(1, 0), MctsBot(1, 0)):
        assert bot.choose(state) in state.moves()
    assert state.canonical() == before


def test_the_report_of_the_game_says_that_the_package_is_missing(block: Block) -> None:
    block()
    game = load(HAMLETS)
    (found,) = game.report
    assert (found.slug, found.severity) == ("engine-missing", Severity.WARNING)
    assert game.engine == "python"
    assert list(load(HAMLETS, engine="python").report) == []


@pytest.mark.parametrize("error", [OSError("no such library"), RuntimeError("another machine")])
def test_a_package_that_does_not_work_is_as_good_as_none(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_module = importlib.import_module

    def fails(name: str) -> object:
        if name == "wasmtime":
            raise error
        return load_module(name)

    monkeypatch.setattr(engines, "import_module", fails)
    name, (found,) = playable("wasm")
    assert name == "python"
    assert "`wasmtime` cannot be loaded" in found.message


def test_what_is_wrong_with_an_engine_of_ours_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ENGINES, "wasm", "nowhere.to_be_found")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        load(HAMLETS, engine="wasm")


def test_the_engine_python_imports_nothing_of_it(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from rulesdsl.cli.main import main\n"
        f"assert main(['run', {HAMLETS!r}, '--quiet', '--engine', 'python']) == 0\n"
        "print('wasmtime' in sys.modules, 'rulesdsl.engine.run.wasm.machine' in sys.modules)\n"
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


def test_a_limit_of_address_space_is_met_by_the_engine_python() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "from rulesdsl import load\n"
        f"game = load({HAMLETS!r})\n"
        "print(game.engine, len(game.start(2, 1).moves()), *game.warnings)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=RULESETS
    )
    assert run.stdout.startswith("python ")
    assert "address space" in run.stdout
