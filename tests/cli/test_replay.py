"""`replay`: records that are whole, cut off, changed, or something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulesdsl.show.page.serve import PageServer
from tests.cli.conftest import HAMLETS, RULESETS, Cli


@pytest.fixture(autouse=True)
def _found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))


def test_a_whole_game(cli: Cli, record: Path) -> None:
    result = cli("replay", "game.jsonl")
    assert (result.code, result.err) == (0, "")
    assert "players: Red (recorded), Blue (recorded); seed 0" in result.out
    moves = [line for line in result.out.splitlines() if line[:1].isdecimal()]
    assert len(moves) == len(record.read_text().splitlines()) - 2


def test_it_tells_the_same_as_the_game_did(cli: Cli, record: Path) -> None:
    played = cli("run", HAMLETS, "--board").out.replace("random bot", "recorded")
    assert cli("replay", "game.jsonl", "--board").out == played
    json_played = cli("run", HAMLETS, "--json").out.replace('"random"', '"recorded"')
    assert cli("replay", "game.jsonl", "--json").out == json_played


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text, id="as it is"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: "\ufeff" + text, id="BOM"),
        pytest.param(lambda text: text.replace("\n", "\n\n"), id="empty lines"),
        pytest.param(lambda text: text.rstrip("\n"), id="no last line end"),
    ],
)
def test_from_standard_input(cli: Cli, record: Path, change) -> None:  # type: ignore[no-untyped-def]
    result = cli("replay", "-", "--quiet", typed=change(record.read_text()))
    assert (result.code, result.err) == (0, "")


def test_players_who_agreed_to_end_are_told_of(cli: Cli, record: Path) -> None:
    told = "the players ended the game as it stood"
    assert told not in cli("replay", "game.jsonl").out
    *lines, last = _lines(record)
    changed = "\n".join(map(json.dumps, [*lines, {**last, "agreed": True}]))
    assert told in cli("replay", "-", typed=changed + "\n").out
    end = cli("replay", "-", "--json", typed=changed + "\n").out.splitlines()[-1]
    assert json.loads(end)["agreed"] is True


@pytest.mark.parametrize("keep", [0.3, 0.7, 0.95])
def test_a_record_that_is_cut_off(cli: Cli, record: Path, keep: float) -> None:
    text = record.read_text()
    record.write_text(text[: int(len(text) * keep)])
    result = cli("replay", "game.jsonl", "--json")
    assert result.code == 1
    assert result.err.startswith("warning[record-cut]: the record is cut off in the middle of")
    last = json.loads(result.out.splitlines()[-1])
    assert last["over"] is False
    whole = [json.loads(line) for line in text[: int(len(text) * keep)].splitlines()[:-1]]
    assert f"{len(whole) - 1} moves are played back" in result.err


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (-1, "the record ends without the result of the game"),
        (-5, "the record ends before the game does"),
    ],
)
def test_a_record_without_its_end(cli: Cli, record: Path, lines: int, said: str) -> None:
    record.write_text("".join(record.read_text().splitlines(keepends=True)[:lines]))
    result = cli("replay", "game.jsonl", "--quiet")
    assert (result.code, said in result.err) == (1, True)
    goes_on = "to continue the game: rulesdsl run --resume"
    assert (f"{goes_on} game.jsonl\n" in result.err) is (lines == -5)
    typed = cli("replay", "-", "--quiet", typed=record.read_text())
    assert (f"{goes_on} FILE\n" in typed.err) is (lines == -5)


def _lines(record: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in record.read_text().splitlines()]


def _write(record: Path, lines: list[dict[str, object]]) -> None:
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(
    ("number", "change", "slug", "line"),
    [
        (1, {"args": {"spot": "(9,9,0)"}}, "record-move", 2),
        (1, {"args": {"name": "x", "self": "y"}}, "record-move", 2),
        (1, {"by": "blue"}, "record-move", 2),
        (2, {"move": "build.fly"}, "record-move", 3),
        (2, {"args": {"s": 3}}, "wrong-type", 3),
        (0, {"record": 7}, "record-version", 1),
        (0, {"players": 9}, "bad-value", 1),
        (-1, {"scores": {"red": 77, "blue": 0}}, "record-move", None),
    ],
)
def test_what_is_not_right_is_said_at_its_line(
    cli: Cli, record: Path, number: int, change: dict[str, object], slug: str, line: int | None
) -> None:
    lines = _lines(record)
    lines[number].update(change)
    _write(record, lines)
    result = cli("replay", "game.jsonl", "--quiet")
    assert result.code == 1
    assert result.err.startswith(f"error[{slug}]")
    assert f"game.jsonl:{line or len(lines)}:1" in result.err


def test_a_ruleset_that_changed(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RULESDSL_PATH")
    for name in ("hamlets.yaml", "hamlets.rules"):
        (tmp_path / name).write_text((RULESETS / name).read_text())
    assert cli("run", "hamlets.yaml", "--record", "game.jsonl", "--quiet").code == 0
    assert cli("replay", "game.jsonl", "--quiet").code == 0
    assert cli("replay", "-", "--path", ".", typed=(tmp_path / "game.jsonl").read_text()).code == 0
    assert cli("replay", "-", typed=(tmp_path / "game.jsonl").read_text()).code == 2
    with (tmp_path / "hamlets.rules").open("a") as file:
        file.write("# another thought\n")
    result = cli("replay", "game.jsonl", "--path", ".", "--quiet")
    assert result.code == 1
    assert result.err.startswith("error[record-ruleset]: `hamlets` has changed")
    assert "with: rulesdsl replay game.jsonl --path FOLDER" in result.err
    (tmp_path / "hamlets.yaml").unlink()
    result = cli("replay", "game.jsonl", "--quiet")
    assert "no ruleset `hamlets` was found" in result.err
    assert "the record was made with hamlets 1.0.0 (digest " in result.err


def test_with_expansions(cli: Cli) -> None:
    arguments = ("run", HAMLETS, "--with", "wells,mills,generous", "--set", "deep=true")
    assert cli(*arguments, "--record", "game.jsonl", "--quiet").code == 0
    result = cli("replay", "game.jsonl")
    assert result.code == 0
    assert "interactions: wells_mills 2.0.0\nhouse rules: generous 1.0.0" in result.out
    assert "wells.deep=true" in result.out


@pytest.mark.parametrize(
    ("data", "slug", "code"),
    [
        (b"", "file-empty", 2),
        (b"\x00\x01\x02\xff\xfe" * 100, "file-not-text", 2),
        (b'{"record": 1}\n\xff\n', "file-not-text", 1),
        (b"hello\n", "record-syntax", 1),
        (b"[1, 2]\n", "record-syntax", 1),
        (b"[" * 100_000 + b"\n", "record-syntax", 1),
        (b'{"record": 1}\n', "missing-key", 1),
        (b'{"rec', "record-syntax", 1),
        (b'{"record": 1e999}\n{}\n', "record-version", 1),
        (b"x" * 1_000_001, "file-too-large", 2),
    ],
)
@pytest.mark.parametrize("standard_input", [False, True])
def test_what_is_no_record(
    cli: Cli, tmp_path: Path, data: bytes, slug: str, code: int, standard_input: bool
) -> None:
    (tmp_path / "junk").write_bytes(data)
    result = cli("replay", "-" if standard_input else "junk", typed=data)
    assert result.code == code
    assert result.err.startswith(f"error[{slug}]")


def test_a_record_with_other_events_is_refused(cli: Cli, record: Path) -> None:
    lines = record.read_text(encoding="utf-8").splitlines()
    number = next(at for at, line in enumerate(lines) if '"events"' in line)
    lines[number] = lines[number].replace('"moved"', '"drawn"')
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = cli("replay", "game.jsonl")
    assert result.code == 1
    assert f"game.jsonl:{number + 1}:1" in result.err
    assert "the record has other events here than the game" in result.err


def test_games_of_the_page_are_found_again(
    cli: Cli, record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rulesets of a saved game are not among the shipped ones: the record has their folder."""
    monkeypatch.delenv("RULESDSL_PATH")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    whole = cli("replay", str(record), "--path", str(RULESETS), "--quiet")

    def posting(server: PageServer) -> None:
        server.posts["record"]({"Game": "0" * 16}, record.read_bytes())

    monkeypatch.setattr(PageServer, "wait", posting)
    assert cli("page", HAMLETS, "--no-browser").code == 0
    assert cli("replay", "last", "--quiet") == whole
    assert cli("page", "last", "--to", "last.html").code == 0
    assert "application/x-ndjson" in (tmp_path / "last.html").read_text(encoding="utf-8")


def test_there_is_no_page_of_the_last_game_before_one_is_played(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    result = cli("page", "last", "--to", "last.html")
    assert (result.code, "no game has been saved yet" in result.err) == (2, True)
