"""Whatever stops a study, what was played is there, once."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet
import pytest

from rulesdsl.study.playing import Columns, Study, local
from rulesdsl.study.report import Finding
from rulesdsl.study.simulate import LOCK, STUDY, GameStore, UnusableStore, simulate
from tests.simulate.studies import PLAIN, WELLS, hamlets

ROOT = Path(__file__).parents[2]


def content(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.iterdir()) if path.name != LOCK]
    return {path.name: path.read_bytes() for path in paths}


def run(folder: Path, study: Study) -> list[range]:
    """Play on; gives the games that were written for it, by file."""
    blocks = list[range]()

    class Noting(GameStore):
        """A store that notes what is written to it."""

        def write(self, games: range, played: Sequence[Columns]) -> None:
            blocks.append(games)
            super().write(games, played)

    *_, summary = simulate(study, local(1), Noting(folder, study))
    assert summary.games == study.games
    assert summary.findings() == findings(study)
    return blocks


FINDINGS: dict[tuple[str, int], list[Finding]] = {}


def findings(study: Study) -> list[Finding]:
    """What a study finds that nothing stops, and that stores nothing."""
    key = study.digest, study.games
    if key not in FINDINGS:
        *_, summary = simulate(study, local(1))
        FINDINGS[key] = summary.findings()
    return FINDINGS[key]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is in the folder of a study of 170 games."""
    folder = tmp_path_factory.mktemp("whole") / "games.parquet"
    assert run(folder, hamlets(170)) == [
        range(50), range(50, 100), range(100, 150), range(150, 170),
    ]  # fmt: skip
    return content(folder)


def test_games_are_a_table(tmp_path: Path) -> None:
    study = hamlets(60, PLAIN, WELLS)
    run(tmp_path / "games.parquet", study)
    table = pyarrow.parquet.read_table(tmp_path / "games.parquet").to_pydict()
    rows = list(zip(table["variant"], table["game"], strict=True))
    assert sorted(rows) == [(name, game) for name in ("plain", "wells") for game in range(60)]
    assert set(table["over"]) == {True}
    for colour in study.colours:
        names = [name for name in table if name.startswith(f"points.{colour}.")]
        for row, points in enumerate(table[f"points.{colour}"]):
            assert sum(table[name][row] or 0 for name in names) == points


def test_a_study_that_was_killed_goes_on(tmp_path: Path, whole: dict[str, bytes]) -> None:
    folder = tmp_path / "games.parquet"
    killed = subprocess.run(
        [sys.executable, "-m", "tests.simulate.stopping", str(folder), "170", "100"],
        cwd=ROOT, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    there = content(folder)
    assert {name: whole[name] for name in there} == there
    assert len(there) == 3
    assert run(folder, hamlets(170)) == [range(100, 150), range(150, 170)]
    assert content(folder) == whole


def test_what_was_half_written_is_not_read(tmp_path: Path, whole: dict[str, bytes]) -> None:
    for name, bytes_ in whole.items():
        (tmp_path / name).write_bytes(bytes_)
    (tmp_path / "games-000000050-000000100.parquet").rename(
        tmp_path / ".rulesdsl-0123456789abcdef.part"
    )
    assert run(tmp_path, hamlets(170)) == [range(50, 100)]
    assert content(tmp_path) == whole


def test_more_games_are_added(tmp_path: Path, whole: dict[str, bytes]) -> None:
    for name, bytes_ in whole.items():
        (tmp_path / name).write_bytes(bytes_)
    assert run(tmp_path, hamlets(230)) == [range(170, 200), range(200, 230)]
    assert run(tmp_path, hamlets(30)) == []


def test_a_damaged_file_is_named(tmp_path: Path, whole: dict[str, bytes]) -> None:
    for name, bytes_ in whole.items():
        (tmp_path / name).write_bytes(bytes_)
    path = tmp_path / "games-000000050-000000100.parquet"
    other = whole["games-000000150-000000170.parquet"]
    for damaged in (b"", path.read_bytes()[:-40], other):
        path.write_bytes(damaged)
        with pytest.raises(UnusableStore, match=r"000100\.parquet` is damaged"):
            run(tmp_path, hamlets(170))
    path.unlink()
    assert run(tmp_path, hamlets(170)) == [range(50, 100)]


def test_a_full_disk_loses_nothing(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, study = tmp_path / "games.parquet", hamlets(170)
    write, written = os.write, list[int]()

    def full(handle: int, data: bytes) -> int:
        written.append(write(handle, data[:100] if len(written) == 3 else data))
        if len(written) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written[-1]

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        list(simulate(study, local(1), GameStore(folder, study)))
    assert content(folder) == {name: whole[name] for name in content(folder)}
    assert len(content(folder)) == 3
    assert run(folder, study) == [range(100, 150), range(150, 170)]
    assert content(folder) == whole


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (hamlets(170, seed=4), "seed 3 there, 4 here"),
        (hamlets(170, players=3), "players 2 there, 3 here"),
        (hamlets(170, PLAIN, WELLS), "expansions, settings or rulesets differ"),
    ],
)
def test_another_study_is_refused(
    tmp_path: Path, whole: dict[str, bytes], other: Study, said: str
) -> None:
    for name, bytes_ in whole.items():
        (tmp_path / name).write_bytes(bytes_)
    with pytest.raises(UnusableStore, match=said):
        GameStore(tmp_path, other)
    assert content(tmp_path) == whole


def test_other_things_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    for place in (tmp_path, tmp_path / "letter.txt"):
        with pytest.raises(UnusableStore):
            GameStore(place, hamlets(1))
    for text in (json.dumps(["digest"]), "[" * 100_000):
        (tmp_path / STUDY).write_text(text)
        with pytest.raises(UnusableStore):
            GameStore(tmp_path, hamlets(1))
    assert sorted(path.name for path in tmp_path.iterdir()) == [STUDY, "letter.txt"]


def test_two_do_not_add_games_to_one_folder(tmp_path: Path) -> None:
    first = GameStore(tmp_path / "games", hamlets(1))
    with pytest.raises(UnusableStore, match="another process is adding games"):
        GameStore(tmp_path / "games", hamlets(1))
    del first
    GameStore(tmp_path / "games", hamlets(1))
