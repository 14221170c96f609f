"""`new`: files that check, test and play as they are made, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.cli import watching
from rulesdsl.cli.main import main
from rulesdsl.cli.new import GAMES as KINDS
from tests.cli.conftest import HAMLETS, RULESETS, Cli

GAMES = Path(__file__).parents[1] / "games"
ENDINGS = ("yaml", "rules", "test.yaml", "md")


def _begin(cli: Cli, root: str, name: str = "harbours", *more: str) -> None:
    result = cli("new", "expansion", name, "--of", root, *more)
    assert (result.code, result.err) == (0, "")


def _text(ending: str) -> str:
    return Path(f"harbours.{ending}").read_text(encoding="utf-8")


def test_what_is_made(cli: Cli) -> None:
    result = cli("new", "expansion", "harbours", "--of", HAMLETS)
    assert result.code == 0
    made = [f"made harbours.{ending}" for ending in ENDINGS]
    assert result.out.splitlines() == [*made, "harbours.md describes the next steps"]
    manifest = _text("yaml")
    assert manifest.startswith("# yaml-language-server: $schema=")
    assert "ruleset: harbours\n" in manifest
    assert "  - {id: special-village, count: 2, village: [{at: N, special: true}]}\n" in manifest
    assert "refine worth_of(f) when f is village and f.special:\n    previous + 2\n" in _text(
        "rules"
    )
    assert "          - worth_of(f) == 3\n" in _text("test.yaml")
    assert "rulesdsl run hamlets --with harbours.yaml --path ../" in _text("md")


def test_the_schema_named_is_there(cli: Cli) -> None:
    _begin(cli, HAMLETS, "harbours", "--folder", "deep/er")
    for ending in ("yaml", "test.yaml"):
        file = Path("deep/er", f"harbours.{ending}")
        schema = file.read_text(encoding="utf-8").splitlines()[0].partition("$schema=")[2]
        assert (file.parent / schema).is_file()


@pytest.mark.parametrize(
    "root", [HAMLETS, *(str(GAMES / f"{name}.yaml") for name in ("ferries", "mosaic", "vault"))]
)
def test_it_checks_tests_and_plays(cli: Cli, root: str) -> None:
    """Of games with tiles and without, with one grid and many, with numbers to add to or none."""
    _begin(cli, root)
    beside = str(Path(root).parent)
    other = "--level", "ruleset-hidden=off"  # A shipped ruleset has the name of one of them.
    assert cli("check", "harbours.yaml", "--path", beside, *other).code == 0
    assert cli("check", root, "--with", "harbours.yaml", *other).code == 0
    tested = cli("test", "harbours.test.yaml", "--path", beside, "--engine", "python")
    assert (tested.code, tested.out.splitlines()[-1]) == (0, "2 passed, 0 failed")
    played = cli("run", root, "--with", "harbours", "--path", ".", "--engine", "python")
    assert played.code == 0


def test_the_scenarios_leave_nothing_out(cli: Cli) -> None:
    _begin(cli, HAMLETS)
    result = cli("test", "harbours.test.yaml", "--path", str(RULESETS), "--coverage")
    assert (result.code, result.out.splitlines()[-2]) == (0, "all rules: 4 of 4 covered")


def test_the_scenarios_fail_when_the_rule_is_dropped(cli: Cli) -> None:
    _begin(cli, HAMLETS)
    rules = Path("harbours.rules")
    rules.write_text(_text("rules").replace("previous + 2", "previous"), encoding="utf-8")
    there = ("--path", str(RULESETS), "--engine", "python")
    result = cli("test", "harbours.test.yaml", *there)
    assert (result.code, result.out.splitlines()[-1]) == (1, "1 passed, 1 failed")


def test_the_same_is_made_again(cli: Cli) -> None:
    _begin(cli, HAMLETS, "harbours", "--folder", "one")
    _begin(cli, HAMLETS, "harbours", "--folder", "two")
    for ending in ENDINGS:
        one, two = (Path(folder, f"harbours.{ending}") for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_a_name_of_the_draft_itself(cli: Cli) -> None:
    _begin(cli, HAMLETS, "special")
    assert "marked: {of: village" in Path("special.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a-b",), "`a-b` is not a valid id"),
        (("",), "`` is not a valid id"),
        (("../up",), "`../up` is not a valid id"),
        (("Big",), "`Big` is not a valid id"),
        (("x" * 61,), "is not a valid id"),
        (("when",), "`when` is a keyword of the language"),
        (("wells",), "a ruleset `wells` exists"),
        (("base",), "a ruleset `base` exists"),
        (("new", "--of", str(RULESETS / "wells.yaml")), "is an expansion itself"),
        (("new", "--of", "nothing_like_it"), "no ruleset `nothing_like_it` was found"),
        (("new", "--folder", "file"), "`file` cannot be written: "),
        (("new", "--folder", "file/inside"), "`file/inside` cannot be written: "),
    ],
)
def test_what_is_refused(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    Path("file").write_text("as it was", encoding="utf-8")
    result = cli("new", "expansion", "--of", HAMLETS, *arguments)
    assert result.code == 2
    assert message in result.err
    assert [path.name for path in Path().iterdir()] == ["file"]


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_nothing_is_overwritten(cli: Cli, ending: str) -> None:
    mine = Path(f"harbours.{ending}")
    mine.write_text("mine: true\n", encoding="utf-8")
    result = cli("new", "expansion", "harbours", "--of", HAMLETS)
    assert (result.code, result.out) == (2, "")
    assert f"there is a file `harbours.{ending}`" in result.err
    assert mine.read_text(encoding="utf-8") == "mine: true\n"
    assert list(Path().iterdir()) == [mine]


def test_what_a_game_is_made_of(cli: Cli) -> None:
    result = cli("new", "game", "orchard", "--folder", "mine")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] == f"{Path('mine', 'orchard.md')} describes the next steps"
    texts = {file.name: file.read_text(encoding="utf-8") for file in Path("mine").iterdir()}
    assert sorted(texts) == sorted(f"orchard.{ending}" for ending in ENDINGS)
    assert "\n    orchard: Orchard\n" in texts["orchard.yaml"]
    assert texts["orchard.test.yaml"].startswith("# Tests of Orchard. Write")
    assert texts["orchard.md"].startswith("# Orchard\n\nLay tiles so that their sides match")
    assert "close gardens" in texts["orchard.md"]
    assert cli("new", "expansion", "ponds", "--of", "mine/orchard.yaml").code == 0
    rules = Path("ponds.rules").read_text(encoding="utf-8")
    assert "refine worth(f) when f is garden and f.special:" in rules
    for name, text in texts.items():
        assert not re.search(r"gardens\.(yaml|rules|test)|Gardens|: gardens\n", text), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_game(cli: Cli, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no finding, all its rules are shown, it is formatted, plays, and can be extended."""
    assert cli("new", "game", "mine", "--of", kind).code == 0
    assert cli("check", "mine.yaml", "--play", "3").code == 0
    assert cli("fmt", "--check", ".").code == 0
    tested = cli("test", "mine.test.yaml", "--coverage").out.splitlines()
    covered, total = tested[-2].removeprefix("all rules: ").split(" ")[::2]
    assert tested[-1].endswith(" passed, 0 failed")
    assert (covered, tested[-2].count("covered")) == (total, 1)
    assert cli("test", "mine.test.yaml", "--engine", "wasm").code == 0
    assert cli("new", "expansion", "ponds", "--of", "mine.yaml").code == 0
    _commands_work(cli, monkeypatch)


def test_every_command_in_the_files_of_an_expansion_works(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    _begin(cli, HAMLETS)
    _commands_work(cli, monkeypatch)


def _commands_work(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every command that a file here names; watching ends at once."""
    monkeypatch.setattr(watching, "repeated", lambda once, _: once())
    texts = [file.read_text(encoding="utf-8") for file in Path().iterdir() if file.is_file()]
    found = {line for text in texts for line in re.findall(r"rulesdsl ((?:\w.*?)?)[`\n]", text)}
    assert len(found) > 3
    for line in sorted(found):
        result = cli(*line.split())
        assert result.code < 2, (line, result.err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("my-game",), "`my-game` is not a valid id"),
        (("base",), "a ruleset `base` exists"),
        (("orchard", "--of", "card"), "write `tiles`, `cards`, `dice` or `board`"),
        (("lines",), "there is a file `lines.md`"),
        (("../first",), "`../first` is not a valid id"),
    ],
)
def test_no_game_is_made(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    Path("lines.md").write_text("mine", encoding="utf-8")
    result = cli("new", "game", *arguments)
    assert result.code == 2
    assert message in result.err
    assert [path.name for path in Path().iterdir()] == ["lines.md"]


def test_help_tells_what_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "expansion", "--help"]) == 0
    assert "NAME.test.yaml" in capsys.readouterr().out
