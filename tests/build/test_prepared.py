"""Results that come with the package are those of the stages, and only for the same sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl import prepared
from rulesdsl.build.preparing import prepare
from rulesdsl.build.stages import KIND, StageMemo, build
from rulesdsl.diagnostics import Report
from rulesdsl.lower.program import CORE, read_core
from rulesdsl.model.checked import Checked
from rulesdsl.read.files import shipped
from rulesdsl.read.manifest import HEADER, dump_header, peek

VALID = prepared._valid.__wrapped__
BASE = (shipped("rulesets") / "base.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("package") / prepared.FOLDER
    prepare(str(found))
    return found


def use(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(prepared, "_folder", lambda: str(folder))
    monkeypatch.setattr(prepared, "_valid", VALID)


def built() -> Checked:
    report = Report()
    checked = build("base", ["hills_and_sheep", "river"], report=report, known=StageMemo())
    assert checked is not None, report
    return checked


def test_games_are_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, folder / "nowhere")
    plain, header = built(), peek(BASE)
    assert prepared.find(KIND, BASE) is None
    use(monkeypatch, folder)
    monkeypatch.setattr("rulesdsl.parse.parser.parse", None)
    monkeypatch.setattr("rulesdsl.read.yaml.parse_partly", None)
    ready = built()
    assert repr(ready) == repr(plain)
    rules, same = (next(iter(each.actions.values())).span for each in (ready, plain))
    assert (rules.start, rules.source.name, rules.text) == (same.start, same.source.name, same.text)
    assert header is not None
    assert peek(BASE) == header
    assert prepared.find(HEADER, BASE) == dump_header(header)


def test_the_runtime_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulesdsl.lower import program

    use(monkeypatch, folder)
    monkeypatch.setattr(program, "read_core", None)
    assert program._core_functions.__wrapped__() == read_core()
    assert prepared.find(CORE, "") is not None


def test_other_files_and_other_sources_have_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, folder)
    assert prepared.find(KIND, BASE) is not None
    assert prepared.find(KIND, BASE + "\n") is None
    monkeypatch.setattr(prepared, "own_sources", lambda: b"others")
    assert prepared.find(KIND, BASE) is None
