"""`show`: tiles and boards as text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli
from tests.rulesets.shipped import FOLDER as SHIPPED


def test_one_tile(cli: Cli) -> None:
    result = cli("show", "piece", "hamlets/corner", "--path", str(RULESETS))
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "hamlets/corner  x6\n"
        "            +-v1-v1-v1-+\n"
        "  ·▒▒▒▒▒▒   m1        v1\n"
        "  ───┐▒▒▒   l1        v1\n"
        "  ·  │  ·   m2        v1\n"
        "            +-m2-l1-m1-+\n"
        "  v1 hamlets/village N.E, hamlets/well 0\n"
        "  l1 hamlets/lane S.W\n"
        "  m1 hamlets/meadow SL.WR, borders v1\n"
        "  m2 hamlets/meadow SR.WL\n\n"
    )


@pytest.mark.parametrize("name", [HAMLETS, "hamlets"])
def test_all_tiles_of_a_ruleset(cli: Cli, name: str) -> None:
    out = cli("show", "piece", name, "--path", str(RULESETS)).out
    titles = [line for line in out.splitlines() if line.startswith("hamlets/")]
    assert titles[:3] == ["hamlets/square  x1", "hamlets/corner  x6", "hamlets/ends  x5"]
    assert titles[3:] == ["hamlets/house  House  x16"]


def test_the_tiles_of_an_expansion_are_its_own(cli: Cli) -> None:
    out = cli("show", "piece", str(RULESETS / "wells.yaml")).out
    assert [line for line in out.splitlines() if "/" in line and line[0] != " "] == [
        "wells/spring  x2"
    ]
    assert cli("show", "piece", f"{RULESETS}/wells.yaml/spring").out == out


def test_a_label_stands_beside_the_name(cli: Cli) -> None:
    assert (
        "base/road-curve  curva  x9" in cli("show", "piece", "base/road-curve", "--lang", "es").out
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hamlets/cornr", "`hamlets` has no component `cornr`\n   = did you mean `corner`?"),
        ("mills", "`mills` has no components"),
        (
            "no_such_game/corner",
            "no ruleset `no_such_game` was found\n   = add its folder with --path\n\n",
        ),
        ("hamlets/", "there is no file `hamlets/`"),
    ],
)
def test_a_tile_that_is_not_there(cli: Cli, name: str, said: str) -> None:
    result = cli("show", "piece", name, "--path", str(RULESETS))
    assert (result.code, said in result.err, result.err.count("error[")) == (2, True, 1)


def test_boards_of_a_record(cli: Cli, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    start = cli("show", "board", "game.jsonl", "--turn", "0").out
    assert start == (
        "turn 0\n     0\n  ▒▒▒▒▒▒▒\n0 ▒▒▒w▒▒▒\n  ▒▒▒▒▒▒▒\n▒ village   w well   R Red   B Blue\n"
        "Red 0, home 4   Blue 0, home 4   bag 10\n"
    )
    one = cli("show", "board", "game.jsonl", "--turn", "1").out
    last = cli("show", "board", "game.jsonl").out
    assert len(start) < len(one) < len(last)
    turns = int(last.split()[1])
    assert cli("show", "board", "game.jsonl", "--turn", str(turns)).out == last
    told = cli("replay", "-", "--board", typed=record.read_text()).out
    assert board_of(one) in told
    assert board_of(last) in told


def board_of(shown: str) -> str:
    """The board alone, without its title and what is told of players and zones."""
    return shown.partition("\n")[2].rpartition("\nRed ")[0]


def test_what_lies_face_down_is_shown_to_its_owner_and_told_when_it_is_revealed(cli: Cli) -> None:
    played = ("--seed", "3", "--human", "red", "--path", str(SHIPPED), "--record", "cards.jsonl")
    told = cli("run", "card_game", *played, typed="1\n2\n1\n1\n1\n1\n1\n1\nq\n").out
    assert "(face down)" in told
    assert ", ?" in told
    assert " is revealed\n" in told
    assert "dealer: " in told
    shown = cli("show", "board", "cards.jsonl", "--turn", "2", "--path", str(SHIPPED)).out
    assert "row (" in shown
    assert "(face down)" not in shown
    assert "hand (Red)" not in shown
    assert cli("show", "board", "cards.jsonl", "--turn", "2", "--to", "a.svg").code == 0


@pytest.mark.parametrize("turn", ["-1", "999"])
def test_a_turn_that_is_not_there(
    cli: Cli, record: Path, monkeypatch: pytest.MonkeyPatch, turn: str
) -> None:
    monkeypatch.setenv("RULESDSL_PATH", str(RULESETS))
    result = cli("show", "board", str(record), "--turn", turn)
    assert result.code == 2
    assert "the record has turns 0 to " in result.err


def test_cards_and_dice(cli: Cli) -> None:
    out = cli("show", "piece", "card_game/road3", "dice_game/die").out
    assert "card_game/road3  road 3  x3\n" in out
    assert "  │ place  road      │\n" in out
    assert "  │ value  3         │\n" in out
    assert "straight" in out
    assert "dice_game/die  die  x9\n" in out


def test_components_of_every_kind(cli: Cli) -> None:
    out = cli("show", "piece", "hamlets", "--path", str(RULESETS)).out
    assert "hamlets/corner  x6\n" in out
    assert "hamlets/house" in out


@pytest.mark.parametrize("ending", ["svg", "png", "PNG"])
def test_a_picture(cli: Cli, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a.{ending}"
    result = cli("show", "piece", "hamlets/corner", "--path", str(RULESETS), "--to", str(file))
    assert (result.code, result.out, result.err) == (0, "", f"written to {file}\n")
    data = file.read_bytes()
    assert data.startswith(b"<svg" if ending == "svg" else b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_sheet_has_the_number_of_copies(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    cli("show", "piece", "hamlets", "--path", str(RULESETS), "--to", str(file))
    assert "corner \u00d76" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "file", "said"),
    [
        ("doc", "book.docx", "a page\n   = it must end in .html or .htm"),
        ("doc", "book.html.gz", "a page\n   = it must end in .html or .htm"),
        ("print", "sheets.pdf", "a page\n   = it must end in .html or .htm"),
        ("page", "game.zip", "a page\n   = it must end in .html or .htm"),
        ("export", "game.yaml", "a game as data\n   = it must end in .json"),
    ],
)
def test_no_file_is_written_whose_ending_says_something_else(
    cli: Cli, tmp_path: Path, command: str, file: str, said: str
) -> None:
    result = cli(command, "hamlets", "--path", str(RULESETS), "--to", str(tmp_path / file))
    assert result.code == 2
    assert f"{file}` is not a name for {said}" in result.err
    assert not (tmp_path / file).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--to", "a.gif"),
            "`a.gif` is not a name for a picture\n   = it must end in .svg or .png",
        ),
        (("--to", "a.svg", "--size", "0"), "`--size 0` is out of range"),
        (("--to", "a.png", "--size", "2000"), "pixels\n   = choose a smaller `--size`"),
        (("--to", "none/a.svg"), "`none/a.svg` cannot be written: no such file"),
        (("--over",), "`--over` needs `--to`"),
    ],
)
def test_a_picture_that_cannot_be(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli("show", "piece", "base", *arguments)
    assert result.code == 2
    assert said in result.err
    assert list(tmp_path.iterdir()) == []


def test_png_without_the_package(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    result = cli("show", "piece", "base", "--to", str(tmp_path / "a.png"))
    assert result.code == 2
    assert "a picture as PNG needs the package `resvg-py`" in result.err
    assert "pip install 'rulesdsl[pictures]'" in result.err


def test_components_of_every_kind_have_one_command(cli: Cli) -> None:
    assert "write `rulesdsl show piece`" in cli("show", "tile", "card_game").err
    assert "did you mean `fairy`?" in cli("show", "piece", "card_game/fary").err


def test_icons(cli: Cli, tmp_path: Path) -> None:
    out = cli("show", "icons").out
    assert "anchor," in out
    file = tmp_path / "icons.svg"
    assert cli("show", "icons", "--to", str(file)).code == 0
    assert ">anchor</text>" in file.read_text(encoding="utf-8")


def test_spaces_of_tracks_are_shown_by_their_labels(cli: Cli, tmp_path: Path) -> None:
    house = (
        "ruleset: named\nedition: 1\nversion: 1.0.0\nrequires: [base]\nhouse: true\n"
        "labels: {en: {'base/score_track[0]': begin}}\n"
    )
    (tmp_path / "named.yaml").write_text(house, encoding="utf-8")
    played = ("base", "--with", "named", "--path", str(tmp_path), "--path", str(SHIPPED))
    assert cli("run", *played, "--quiet", "--record", "named.jsonl").code == 0
    where = ("named.jsonl", "--turn", "1", "--path", str(tmp_path), "--path", str(SHIPPED))
    assert "score track: begin " in cli("show", "board", *where).out
    assert cli("show", "board", *where, "--to", "named.svg").code == 0
    assert ">begin<" in Path("named.svg").read_text(encoding="utf-8")
    wrong = house.replace("[0]", "[50]")
    (tmp_path / "named.yaml").write_text(wrong, encoding="utf-8")
    assert "label-unknown" in cli("check", str(tmp_path / "named.yaml"), "--path", str(SHIPPED)).out


def test_hexagons_are_written_in_rows_with_the_kinds_of_the_pieces(cli: Cli) -> None:
    folder = Path(__file__).parents[1] / "games"
    moves = ["put white.ant 0,0", "put black.spider 1,-1", "put white.queen -1,0"]
    record = Path("hive.jsonl")
    out = cli("run", str(folder / "hive.yaml"), "--human", "white,black", "--record", str(record),
              typed="\n".join([*moves, "q"]))  # fmt: skip
    assert out.code == 0, out.err
    shown = cli("show", "board", str(record), "--path", str(folder)).out
    assert shown.splitlines()[1:7] == [
        "              1,-1",
        "               Bs",
        "",
        "    -1,0    0,0",
        "     Wq     Wa",
        "",
    ]
