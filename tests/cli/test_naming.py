"""A ruleset is named by its folder or its manifest, in every way that leads there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rulesdsl.cli.catalogue import COMMANDS
from rulesdsl.cli.options import CommandRow
from tests.cli.conftest import Cli, Result

GARDENS = Path(__file__).parents[2] / "examples" / "gardens"
FORMS = [
    ("", "u"),
    ("", "./u"),
    ("", "u/"),
    ("", "u/g.yaml"),
    ("", "u/g"),
    ("u", "."),
    ("u", "./g"),
]
TAKING = {
    "run": "run {} --quiet",
    "simulate": "simulate {} --games 1 --engine python",
    "list": "list {}",
    "check": "check {}",
    "test": "test {}",
    "fmt": "fmt {} --check",
    "new expansion": "new expansion weeds --of {} --folder made",
    "pack": "pack {} --to packed.zip",
    "show piece": "show piece {}/gate",
    "show board": "show board {}",
    "show ast": "show ast {} --only worth",
    "show ir": "show ir {}",
    "doc": "doc {} --to book.html",
    "print": "print {} --to sheets.html",
    "page": "page {} --to page.html",
    "export": "export {} --to game.json",
    "diff": "diff {0} {0}",
}
"""The commands that take a ruleset and end by themselves."""
OTHERS = {
    *("explain", "new game", "lsp", "show icons", "show schema"),  # take none
    *("why points", "why not", "why value", "replay"),  # take a record
    *("host", "studio"),  # serve until they are stopped
    "index",  # takes a folder of rulesets
}


def test_every_command_is_listed() -> None:
    named = {
        name
        for row in COMMANDS
        for name in (
            [row.name]
            if isinstance(row, CommandRow)
            else [f"{row.name} {each.name}" for each in row.commands]
        )
    }
    assert named == {*TAKING, *OTHERS}


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    """A folder with one ruleset, whose manifest is called like neither of them."""
    folder = tmp_path / "u"
    shutil.copytree(GARDENS, folder)
    (folder / "gardens.yaml").rename(folder / "g.yaml")
    return folder


@pytest.mark.parametrize("count", [2, pytest.param(len(FORMS), marks=pytest.mark.long)])
@pytest.mark.parametrize("command", TAKING)
def test_a_ruleset_by_any_way(
    cli: Cli, garden: Path, command: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the tests that always run, each command by two ways, each way by several commands."""
    first = 2 * list(TAKING).index(command)
    for folder, name in (FORMS[(first + more) % len(FORMS)] for more in range(count)):
        monkeypatch.chdir(garden.parent / folder)
        result = cli(*TAKING[command].format(name).split())
        assert result.code == 0, (folder, name, result.err)
        assert "error" not in result.err
        shutil.rmtree("made", ignore_errors=True)


@pytest.mark.parametrize("command", ["replay {}", "why points {}", "run --resume {}"])
@pytest.mark.parametrize(("name", "what"), [("u", "a folder"), ("u/g.yaml", "a manifest")])
def test_a_ruleset_where_a_record_belongs(
    cli: Cli, garden: Path, command: str, name: str, what: str
) -> None:
    result = cli(*command.format(name).split())
    assert result.code == 2
    assert result.err == (
        f"error[bad-argument]: `{name}` is {what}, not a record\n"
        f"   = to record a game: rulesdsl run {name} --record game.jsonl\n\n"
    )


@pytest.mark.parametrize("rules", [None, "value worth(: int", b"\xff"])
def test_components_are_shown_before_there_are_rules(
    cli: Cli, garden: Path, rules: str | bytes | None
) -> None:
    whole = cli("show", "piece", "u").out
    file = garden / "gardens.rules"
    file.unlink()
    if rules is not None:
        file.write_bytes(rules.encode() if isinstance(rules, str) else rules)
    assert cli("show", "piece", "u") == Result(0, whole, "")


def test_mistakes_in_manifests_are_shown_with_components(cli: Cli, garden: Path) -> None:
    manifest = garden / "g.yaml"
    manifest.write_text(manifest.read_text().replace("tiles:", "tilse:"))
    (garden / "gardens.rules").unlink()
    result = cli("show", "piece", "u")
    assert result.code == 1
    assert "did you mean `tiles`?" in result.out + result.err
