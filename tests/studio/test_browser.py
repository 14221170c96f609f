"""The studio in Chromium, served by this machine."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from rulesdsl.author.studio.project import Project
from rulesdsl.author.studio.session import Session
from rulesdsl.author.studio.site import server
from rulesdsl.language.read.files import shipped
from rulesdsl.language.read.manifest import EDITION
from rulesdsl.play import load
from tests.page.node import browsed

pytestmark = pytest.mark.xdist_group("browser")

SCRIPT = Path(__file__).with_name("browser.mjs")
FIRST = shipped("examples") / "first"

Found = dict[str, Any]


def packed(project: object) -> str:
    """Return the text of a link for a project, or for anything else."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(json.dumps(project).encode()) + packer.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


LINKED = {
    "version": 1,
    "edition": EDITION,
    "main": "x.yaml",
    "with": [],
    "players": 2,
    "seed": "1",
    "lines": [],
    "files": {"x.yaml": ""},
}
REFUSED = {
    "broken": "abc",
    "newer edition": packed(LINKED | {"edition": EDITION + 1}),
    "newer studio": packed(LINKED | {"version": 2}),
    "too large": packed(LINKED | {"files": {"x.rules": "# " * 1_500_000}}),
    "of no project": packed(LINKED | {"edition": "1"}),
}
REASONS = {
    "broken": "this link is incomplete or damaged",
    "newer edition": f"is of edition {EDITION + 1} of the language",
    "newer studio": "made by a newer studio",
    "too large": "too large",
    "of no project": "not one of a project",
}


@contextmanager
def served(folder: Path, *, saves: bool) -> Iterator[str]:
    """Serve the studio for a folder, at the address returned."""
    with server(Session(Project(str(folder)), saves=saves)) as running:
        yield running.address


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a user."""
    folder = tmp_path_factory.mktemp("own")
    for file in FIRST.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.fixture(scope="module")
def told(own: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    """What the browser finds in all tasks of this module, played in one browser."""
    folder = tmp_path_factory.mktemp("told")
    with ExitStack() as servers:

        def task(steps: str, name: str = "", **more: object) -> Found:
            """A task in a session of its own."""
            empty = tmp_path_factory.mktemp("none")
            address = servers.enter_context(served(empty, saves=False))
            return {"address": address, "name": name or steps, "steps": steps, **more}

        tasks = [task(each) for each in ("first", "language", "position", "outside")]
        tasks.extend(task("shown", name, hash=f"#{text}") for name, text in REFUSED.items())
        address = servers.enter_context(served(own, saves=True))
        tasks.append({"address": address, "name": "save", "steps": "save"})
        found = browsed(SCRIPT, tasks, folder)
        link = found["position"].get("found", {}).get("hash", "")
        found |= browsed(SCRIPT, [task("shown", "linked", hash=link, dark=True)], folder)
    return found


def result(told: dict[str, Found], name: str) -> Any:
    """What a task has found, without errors on the page."""
    found = told[name]
    assert "failed" not in found, found["failed"]
    assert found["errors"] == []
    return found["found"]


def test_a_number_changes_points_and_a_mistake_is_fixed_by_a_click(told: dict[str, Found]) -> None:
    found = result(told, "first")
    assert found["begin"] == "plays, every scenario holds"
    assert found["moves"] == 20
    assert "before 8, now 10" in found["changes"]
    assert found["failing"] == "1 of 2 scenarios fail"
    title, box = found["board"]
    assert title == "a road of one tile is worth 2: fails"
    assert box, "the whole picture is scaled"
    state, line, marked = found["error"]
    assert (state, marked) == ("1 error", ["refin"])
    assert "did you mean `refine`" in line
    assert "refine worth(f, p) when f is road: previous + 3" in found["fixed"]
    assert found["after"] == "nothing changes in this position"
    assert found["rims"] > 0, "what gives other points is marked on the board"
    assert "base.rules" in found["why"]
    before, after, shown = found["zoom"]
    assert before == after
    assert shown.startswith(f"{before['x']} {before['y']} ")
    assert found["findings"] == []


def test_the_balance_has_the_figures_of_the_engine(told: dict[str, Found]) -> None:
    rows = {name: cells for name, *cells in result(told, "first")["balance"]}
    assert list(rows)[:4] == ["", "moves", "the first player wins", "points of a player"]
    game = load(str(FIRST / "first.yaml"), engine="wasm")
    games = list(game.playouts(range(2000), 2, 1))
    points = fmean(fmean(each.scores) for each in games)
    assert rows["points of a player"][0].startswith(f"{points:.1f} ± ")
    roads = game.sources.index("base/reason.road")
    before, now = rows["· roads"]
    assert before.startswith(f"{fmean(fmean(each.gains[roads]) for each in games):.1f} ± ")
    assert before != now


def test_the_editor_completes_explains_renames_and_formats(told: dict[str, Found]) -> None:
    found = result(told, "language")
    assert found["offered"] == ["market"]
    assert "f is city and f.market:" in found["completed"]
    assert "worth(f: feature" in found["hover"]
    assert found["declared"] == "base.rules"
    manifest, rules = found["renamed"]
    assert "f.fair" in rules
    assert manifest.count("fair: true") == 2
    assert "previous + 1" in found["formatted"]
    assert found["pictures"] == 2


def test_a_position_becomes_a_scenario(told: dict[str, Found]) -> None:
    found = result(told, "position")
    assert found["played"] > found["before"]
    assert found["state"] == "plays, every scenario holds"
    assert "after move" in found["scenarios"]


def test_a_link_opens_the_same_files_and_position_elsewhere(told: dict[str, Found]) -> None:
    made, found = result(told, "position"), result(told, "linked")
    assert len(made["hash"]) < 8_000
    assert "too long for a link" in made["long"]
    assert found["files"]["first.test.yaml"] == made["scenarios"]
    assert found["told"]["length"] == made["played"]
    assert found["told"]["scores"] == made["scores"]
    assert found["main"] == "first.yaml"


def test_the_download_is_a_zip_that_the_command_line_reads(told: dict[str, Found]) -> None:
    found = result(told, "position")
    with zipfile.ZipFile(io.BytesIO(bytes(found["zip"]))) as archive:
        assert archive.testzip() is None
        assert archive.read("first.rules") == (FIRST / "first.rules").read_bytes()
        assert archive.read("first.test.yaml").decode() == found["scenarios"]


def test_the_command_for_a_table_is_safe_to_paste(told: dict[str, Found]) -> None:
    found = result(told, "position")
    assert found["command"] == "rulesdsl host first.yaml --players 2"
    names = ["lakes/first.yaml", "'a b; c'", r"'it'\''s'", "'\ufffd[0m'", "'-x'"]
    assert found["words"] == names


@pytest.mark.parametrize("name", REFUSED)
def test_a_link_that_cannot_be_opened_says_why_and_an_example_opens(
    name: str, told: dict[str, Found]
) -> None:
    found = result(told, name)
    assert REASONS[name] in found["note"]
    assert found["state"] == "plays, every scenario holds"
    assert "first.yaml" in found["files"]
    assert "x.yaml" not in found["files"]


def test_nothing_leaves_the_page(told: dict[str, Found]) -> None:
    found = told["outside"]
    assert found["found"] == ["refused"] * 4


def test_the_files_of_a_folder_are_saved(told: dict[str, Found], own: Path) -> None:
    found = result(told, "save")
    assert (found["dots"], found["left"]) == (1, 0)
    assert found["note"] == "saved: first.rules"
    assert "previous + 2" in (own / "first.rules").read_text(encoding="utf-8")


@pytest.mark.long
def test_every_example_opens(tmp_path: Path) -> None:
    with served(tmp_path, saves=False) as address:
        task = {"address": address, "name": "gallery", "steps": "gallery"}
        found = browsed(SCRIPT, [task], tmp_path)
    states = result(found, "gallery")
    assert len(states) > 30
    assert set(states.values()) == {"plays, every scenario holds"}
