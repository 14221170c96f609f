"""The studio without a server: Python in the browser, from one file and from a static folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zlib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from rulesdsl.author.studio.project import Project
from rulesdsl.author.studio.session import Session
from rulesdsl.author.studio.site import PYODIDE, archive, pyodide_folder, server
from rulesdsl.cli.main import main
from rulesdsl.play import load
from rulesdsl.show.page.plan import module_of
from tests.page.node import browsed
from tests.studio.test_browser import FIRST, SCRIPT, Found, result

pytestmark = pytest.mark.xdist_group("browser")

MOST = {"first": 32, "again": 26, "base": 8, "every": 20}
"""The most that a visit and an edit may take, in the time of a fixed piece of work in the same
browser, so that a slow or busy machine does not matter. Each is two to three times what it takes on
an idle one, where the work takes 0.13 seconds; `python3 -m tools bench --only studio` measures all.
"""
EXPANSIONS = [
    "crop_circles",
    "hills_and_sheep",
    "inns_and_cathedrals",
    "river",
    "robbers",
    "traders_and_builders",
    "wheel_of_fortune",
]
_COMPILED = ("multiprocessing", "wasmtime", "numpy", "pygls", "lsprotocol", "rich")


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """Serve a static folder."""
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    """What a browser finds in the studio as one file from disk, without a network."""
    folder = tmp_path_factory.mktemp("single")
    file = folder / "studio.html"
    assert main(["studio", "--single", str(file)]) == 0
    task = {"address": f"file://{file}", "offline": True}
    out = folder / "shared.html"
    found = browsed(SCRIPT, [{**task, "name": "alone", "steps": "alone", "file": str(out)}], folder)
    again = {"address": f"file://{out}", "offline": True, "name": "again", "steps": "alone"}
    return found | browsed(SCRIPT, [{**again, "steps": "shown"}], folder)


def test_one_file_from_disk_checks_builds_tests_and_plays(told: dict[str, Found]) -> None:
    found = result(told, "alone")
    assert found["begin"] == "plays, every scenario holds"
    assert "before 8, now 10" in found["changes"]
    assert found["failing"] == "1 of 2 scenarios fail"
    assert found["error"] == ["refin"]
    assert "worth(f: feature" in found["hover"]
    assert found["schema"] == "error", "a wrong manifest needs the schema's own checker"
    assert told["alone"]["cold"] < MOST["first"] * found["pace"]
    assert found["edit"] < MOST["every"] * found["pace"]


def test_one_file_carries_a_project_that_can_be_shared_again(told: dict[str, Found]) -> None:
    made, found = result(told, "alone"), result(told, "again")
    assert "count: 3" in found["files"]["first.yaml"]
    assert found["told"]["scores"] == made["scores"]
    assert found["state"] == "1 of 2 scenarios fail"


def test_the_module_is_the_one_that_native_python_prints(told: dict[str, Found]) -> None:
    packed = b64decode(result(told, "alone")["module"])
    game = load(str(FIRST / "first.yaml"), engine="python")
    assert zlib.decompress(packed) == module_of(game, 2, optimised=False)[0]


def test_nothing_is_fetched_from_page_or_worker(told: dict[str, Found]) -> None:
    found = result(told, "alone")["endless"]
    assert found["reached"] == ["refused", "refused"]
    assert found["known"] == [], "the worker has no storage and no network"


def test_rules_that_do_not_end_are_stopped_and_the_page_goes_on(told: dict[str, Found]) -> None:
    found = result(told, "alone")["endless"]
    assert found["state"] == "1 of 2 scenarios fail"
    assert found["after"] == "plays, every scenario holds"
    assert found["first"]["told"] is None
    assert found["first"]["ended"]
    assert "stopped" in found["first"]["note"]
    assert "place" in found["why"], "the new worker knows the game"
    assert found["again"] == "1 of 2 scenarios fail", "the new worker knows the files and rules"
    assert found["files"] == ["first.rules", "first.test.yaml", "first.yaml"]
    assert found["seconds"] < 60


def test_a_static_folder_starts_and_follows_edits_quickly(tmp_path: Path) -> None:
    assert main(["studio", "--site", str(tmp_path)]) == 0
    with hosted(tmp_path) as address:
        task = {"address": address, "name": "times", "steps": "times", "expansions": EXPANSIONS}
        found = browsed(SCRIPT, [task], tmp_path)
    times = result(found, "times") | {"first": found["times"]["cold"]}
    took = {name: round(times[name] / times["pace"], 1) for name in MOST}
    assert {name: each for name, each in took.items() if each > MOST[name]} == {}
    assert {*EXPANSIONS} < {*times["rulesets"]}


def test_without_node_the_studio_starts_more_slowly_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pyodide = str(pyodide_folder(None))
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    assert main(["studio", "--site", str(tmp_path), "--pyodide", pyodide]) == 0
    assert "there is no program `node`" in capsys.readouterr().err


def test_the_archive_is_the_same_each_time() -> None:
    assert archive() == archive()


def test_the_session_needs_no_compiled_package() -> None:
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in _COMPILED)
    program = f"import sys; {blocked}; import rulesdsl.author.studio.session"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_pyodide_is_asked_for_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (pyodide_folder(None) / PYODIDE[0]).is_file()
    given = ["studio", "--single", str(tmp_path / "x.html"), "--pyodide", str(tmp_path)]
    assert main(given) == 2
    assert f"has no file `{PYODIDE[0]}`" in capsys.readouterr().err
    with server(Session(Project(str(tmp_path)), saves=True), pyodide=str(tmp_path)) as running:
        answer = running.posts["alone"]({}, b"")
    assert answer.status == 409
    assert b"npm install pyodide" in answer.body
    monkeypatch.chdir(tmp_path)
    assert main(["studio", ".", "--single", "x.html"]) == 2
    assert "leave out `FOLDER`" in capsys.readouterr().err
