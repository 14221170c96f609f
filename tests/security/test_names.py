"""Names in files of strangers: nothing is opened, shown or confirmed that the user did not name.

Every key of `names.yaml` is tried with paths out of the folder. The answers must be the same
whether something is there or not, and hold nothing of it.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.author.lsp.workspace import EditorOptions, Workspace
from rulesdsl.author.studio.project import FIELDS, Project
from rulesdsl.author.studio.session import Session
from rulesdsl.cli.main import main

HERE = Path(__file__).parent
GAMES = HERE.parent / "games"
KEYS: list[dict[str, Any]] = yaml.safe_load((HERE / "names.yaml").read_text(encoding="utf-8"))
SECRET = "TOKEN_OF_NOBODY"
MANIFEST = f"ruleset: {{}}\nedition: 1\nversion: 1.0.0\n{SECRET}: 1\n"
ENDINGS = (".rules", ".yaml", ".env")
SECONDS = 20


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the stranger is `work`, the current one `here`; the secrets are elsewhere."""
    for name in ("work", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def lay_out_secrets(top: Path) -> None:
    """Write what nobody named: texts, rulesets, a pipe and a folder, outside and right here."""
    for folder in (top / "out", top / "here"):
        folder.mkdir(exist_ok=True)
        for ending in ENDINGS:
            (folder / f"secret{ending}").write_text(f"{SECRET}: 1\n", encoding="utf-8")
        (folder / "ruled.yaml").write_text(MANIFEST.format("ruled"), encoding="utf-8")
        for name in ("m", "secret"):
            (folder / name).mkdir()
            for file in (f"{name}.yaml", "ruleset.yaml", "x.test.yaml", "x.rules"):
                (folder / name / file).write_text(MANIFEST.format(name), encoding="utf-8")
        os.mkfifo(folder / "pipe.rules")
    (top / "out" / "m.zip").write_bytes(b"PK\3\4" + SECRET.encode())


def clear_secrets(top: Path) -> None:
    shutil.rmtree(top / "out", ignore_errors=True)
    for path in (top / "here").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def names(top: Path) -> list[str]:
    """What a stranger writes: every way out of the folder, and words that are no path."""
    out = top / "out"
    tried = [f"{out}/secret{ending}" for ending in ENDINGS] + [f"{out}/m", f"{out}/ruled.yaml"]
    tried += ["../out/secret.rules", "sub/../../out/m", "..", f"file://{out}/secret.yaml"]
    tried += ["secret.env", "secret", "ruled", "./ruled.yaml"]
    tried += ["link.rules", "link", "way/secret.rules", "way"]
    return [*tried, "/dev/zero", "zero.rules", f"{out}/pipe.rules", "pipe.rules", "pipe"]


def lay_out_work(top: Path, key: dict[str, Any], name: str) -> None:
    """Write the stranger's folder anew, with links, a device and a pipe beside the files."""
    work = top / "work"
    shutil.rmtree(work)
    work.mkdir()
    for ending in (".yaml", ".rules"):
        text = (GAMES / f"stones{ending}").read_text(encoding="utf-8")
        (work / f"stones{ending}").write_text(text, encoding="utf-8")
    if "link" in key:
        (work / key["link"]).symlink_to(name)
    else:
        (work / "way").symlink_to(top / "out")
        for ending in (".rules", ".yaml"):
            (work / f"link{ending}").symlink_to(top / "out" / f"secret{ending}")
        (work / "zero.rules").symlink_to("/dev/zero")
        os.mkfifo(work / "pipe.rules")
    for file, text in key["files"].items():
        (work / file).parent.mkdir(exist_ok=True)
        (work / file).write_text(text.replace("NAME", name), encoding="utf-8")


@contextmanager
def bounded() -> Iterator[None]:
    """Fail a test that waits, such as for somebody who writes to a pipe."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"still running after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def studio(work: Path, name: str) -> str:
    """What a studio answers to every call, with the name in each text of it."""
    project = Project(str(work))
    answers = [str(project.problems)]
    for call, fields in FIELDS.items():
        for field, kind in fields.items():
            if kind is int or (call, field) == ("change", "text"):
                continue
            session = Session(Project(str(work)), saves=True)
            blank: dict[type, Any] = {int: 2, list: [], dict: {}, str: ""}
            given = {each: blank[of] for each, of in fields.items()}
            given |= {"main": "stones.yaml"} if "main" in fields else {}
            given |= {"file": "stones.yaml"} if "file" in fields else {}
            named: dict[type, Any] = {list: [name], dict: {name: ""}, str: name}
            given[field] = named[kind]
            answers.append(str(session.answer({"call": call, **given})))
            answers.append(str(session.answer({"call": "save"})))
    return "\n".join(answers)


def editor(file: Path) -> str:
    """What an editor shows of a file of the stranger."""
    workspace = Workspace(EditorOptions())
    workspace.open(str(file), file.read_text(encoding="utf-8"))
    found = workspace.check(workspace.roots(str(file))[0])
    return f"{found}\n{workspace.family(str(file)).names}"


def answered(top: Path, run: str, name: str, capfd: pytest.CaptureFixture[str]) -> str:
    """The output of a command about the files in the stranger's folder."""
    work, words = top / "work", run.split()
    if words[0] == "studio":
        return studio(work, name)
    if words[0] == "editor":
        return editor(work / words[1])
    beside = [word for word in words[1:] if "." in word or word in ("games", "last")]
    given = [str(work / word) if word in beside else word for word in words]
    plays = words[0] != "check" or "--games" in words
    main(given if plays else [*given, "--games", "0"])
    return "".join(capfd.readouterr())


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("key", KEYS, ids=[key["key"] for key in KEYS])
def test_nothing_is_opened_that_nobody_named(
    key: dict[str, Any], part: int, places: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every run tries a ninth of the names with each key, and each name with three keys."""
    clear_secrets(places)
    tried = names(places)
    if "link" in key:
        tried = [each for each in tried if each.startswith("/")] + [f"{places}/out/m.zip"]
    few = tried[KEYS.index(key) % 9 :: 9]
    for name in few if part == 0 else (each for each in tried if each not in few):
        for run in key["run"]:
            answers = []
            for lay_out in (clear_secrets, lay_out_secrets):
                lay_out(places)
                lay_out_work(places, key, name)
                with bounded():
                    answers.append(answered(places, run, name, capfd))
            clear_secrets(places)
            assert SECRET not in answers[1], (name, run)
            assert answers[0] == answers[1], (name, run)
            assert "Traceback" not in answers[1], (name, run)
