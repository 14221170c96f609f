"""Studies with bots of the user's own, from Python files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from rulesdsl.study.playing import maker_of

FIRST = """\
from rulesdsl.play.bots import Bot


class First(Bot):
    def choose(self, sample):
        return sample.moves()[0]


bot = First
"""


def test_a_file_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "first.py"
    path.write_text(FIRST)
    games = ["--games", "4", "--jobs", "1", "--engine", "wasm", "--format", "csv"]
    assert main(["simulate", "dice_game", "--bots", f"{path},random", *games]) == 0
    assert f"{path} bot" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no function `bot(seed, seat)` that makes a bot"),
        ("bot = 1", "has no function `bot(seed, seat)` that makes a bot"),
        ("1 / 0", "fails when it is run: ZeroDivisionError: division by zero"),
        ("def", "fails when it is run: SyntaxError: invalid syntax"),
    ],
)
def test_a_file_without_a_bot_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(text)
    with pytest.raises(ValueError, match="own") as caught:
        maker_of(str(path))
    assert message in str(caught.value)


def test_a_missing_file_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "dice_game", "--bots", "nowhere.py"]) != 0
    assert "cannot read `nowhere.py`: No such file or directory" in capsys.readouterr().err
