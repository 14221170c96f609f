"""`--watch`: commands that run again after every change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl.cli import watching
from tests.cli.conftest import RULESETS, Cli

SCENARIOS = """\
scenarios: hamlets
edition: 1
tests:
  - name: everybody has four houses
    expect:
      holds:
        - count(home[red]) == 4
"""
WAITS = "waiting for a change; Ctrl-C ends"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Path:
    """A folder with rulesets and a file of scenarios, which is the current one."""
    folder = tmp_path / "work"
    shutil.copytree(RULESETS, folder)
    (folder / "hamlets.test.yaml").write_text(SCENARIOS)
    monkeypatch.chdir(folder)
    return folder


def change(file: str, old: str, new: str) -> None:
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


def watch(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, *arguments: str, saved: list[Callable[[], object]]
) -> list[str]:
    """Return what is written in each run, while these things are done one after another."""
    waiting = iter(saved)

    def sleep(seconds: float) -> None:
        if seconds == watching._QUIET:
            return
        if (doing := next(waiting, None)) is None:
            raise KeyboardInterrupt
        doing()

    monkeypatch.setattr(watching, "sleep", sleep)
    result = cli(*arguments, "--watch")
    assert result.code == 130
    assert result.err == ""
    runs = result.out.split(f"{WAITS}\n")
    assert runs.pop() == ""
    return runs


def test_check_runs_again_after_changes_only(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, work: Path
) -> None:
    runs = watch(
        cli,
        monkeypatch,
        "check",
        "wells.yaml",
        saved=[
            lambda: Path(".hamlets.rules.swp").write_text("a draft"),
            lambda: change("hamlets.rules", "p.score += n", "p.score += m"),
            lambda: Path("hamlets.rules").touch(),
            lambda: change("hamlets.rules", "p.score += m", "p.score += n"),
            lambda: Path("hamlets.rules").rename("away"),
            lambda: Path("away").rename("hamlets.rules"),
        ],
    )
    found = ["unknown-name" in run or "file-missing" in run for run in runs]
    assert found == [False, True, False, True, False]
    assert runs[0] == runs[2] == runs[4]


def test_test_runs_again_after_changes_of_rules_and_scenarios(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, work: Path
) -> None:
    more = Path("more.test.yaml")
    runs = watch(
        cli,
        monkeypatch,
        "test",
        ".",
        "--jobs",
        "2",
        saved=[
            lambda: change("hamlets.yaml", "default: 4", "default: 5"),
            lambda: change("hamlets.test.yaml", "== 4", "== 5"),
            lambda: more.write_text(SCENARIOS),
        ],
    )
    last = [run.splitlines()[-1] for run in runs]
    assert last == [
        "1 passed, 0 failed",
        "0 passed, 1 failed",
        "1 passed, 0 failed",
        "1 passed, 1 failed",
    ]


def test_a_file_that_is_not_there_is_waited_for(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, work: Path
) -> None:
    text = Path("wells.yaml").read_text()
    Path("wells.yaml").unlink()
    saved: list[Callable[[], object]] = [lambda: Path("wells.yaml").write_text(text)]
    missing, there = watch(cli, monkeypatch, "check", "wells.yaml", saved=saved)
    assert "there is no file `wells.yaml`" in missing
    assert "wells.yaml: no problems" in there


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "-"), "cannot come from standard input"),
        (("check", "hamlets.yaml", "--failures", "x"), "`--failures` needs `--play`"),
        (
            ("check", "hamlets.yaml", "--baseline", "b", "--write-baseline"),
            "cannot be combined with `--write-baseline`",
        ),
        (("test", "hamlets.test.yaml", "--jobs", "0"), "`--jobs 0` is too small"),
        (("test", "hamlets.test.yaml", "--update"), "`--update` cannot be combined with `--watch`"),
        (("test", "--record", "last"), "`--record` cannot be combined with `--watch`"),
    ],
)
def test_a_command_that_cannot_run_does_not_wait(
    cli: Cli, work: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = cli(*arguments, "--watch")
    assert result.code == 2
    assert said in result.err
    assert WAITS not in result.out


def test_commands_and_options_that_are_gone_say_what_to_type(cli: Cli) -> None:
    for arguments, said in (
        (("dev", "hamlets.yaml"), "use `studio`, or `check --watch` and `test --watch`"),
        (("run", "hamlets", "--plain"), "games are always played line by line"),
    ):
        result = cli(*arguments)
        assert result.code == 2
        assert said in result.err
