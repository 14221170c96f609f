"""What is known of files that did not change is not worked out again, and nothing else is kept."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rulesdsl.engine.build import Memory, build, remembering, stages
from rulesdsl.language import parse
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.model.checked import Checked

RULESETS = Path(__file__).parents[1] / "cli" / "rulesets"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rulesets that may be changed, with an empty cache."""
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RULESDSL_NO_CACHE", raising=False)
    shutil.copytree(RULESETS, tmp_path / "rulesets")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rulesets"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each thing is worked out, by its name and file."""
    done: Counter[str] = Counter()

    def counted(module: ModuleType, name: str, position: int) -> None:
        original = getattr(module, name)

        def wrapper(*given: Any) -> Any:
            place = given[position]
            done[f"{name} {getattr(place, 'source', place).name}"] += 1
            return original(*given)

        monkeypatch.setattr(module, name, wrapper)

    manifest = next(name for name in vars(stages) if name.endswith("_manifest"))
    counted(stages, manifest, 0)
    counted(parse, "parse", 0)  # imported where it is used
    counted(stages, "draw", 4)
    return done


def whole(*expansions: str) -> tuple[Checked | None, str]:
    report = Report()
    return build("rulesets/hamlets.yaml", expansions, report=report), render(report)


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_only_what_changed_is_worked_out_again(folder: Path, work: Counter[str]) -> None:
    with remembering(Memory()):
        whole()
        first = dict(work)
        change(folder / "hamlets.rules", "\n", "\n# more\n")
        whole()
    again = {name for name, count in work.items() if count > first[name]}
    assert again == {"parse rulesets/hamlets.rules"}


def test_nothing_is_worked_out_for_a_game_that_did_not_change(
    folder: Path, work: Counter[str]
) -> None:
    with remembering(Memory()):
        first, _ = whole()
        before = Counter(work)
        again, _ = whole()
    assert work == before
    assert first is again
    assert not list(folder.parent.glob("cache/*")), "nothing is written meanwhile"


def test_what_is_drawn_follows_the_kinds_that_another_file_declares(folder: Path) -> None:
    with remembering(Memory()):
        before, _ = whole("rulesets/wells.yaml")
        change(folder / "hamlets.yaml", "borders: [village]", "borders: [lane]")
        after, _ = whole("rulesets/wells.yaml")
    fresh, _ = whole("rulesets/wells.yaml")
    assert before is not None
    assert after is not None
    assert fresh is not None
    assert after.game.kinds == fresh.game.kinds
    assert after.game.kinds != before.game.kinds


def test_findings_are_told_again_each_time(folder: Path) -> None:
    change(folder / "hamlets.rules", "action ", "acttion ")
    with remembering(Memory()):
        found, first = whole()
        _, again = whole()
    assert found is None
    assert "acttion" in first
    assert again == first


def test_only_the_games_built_last_are_kept(folder: Path) -> None:
    memory = Memory(most=1)
    report = Report()
    with remembering(memory):
        first = build("rulesets/hamlets.yaml", report=report)
        build("rulesets/hamlets.yaml", settings={}, paths=["rulesets"], report=report)
        assert len(memory.games) == 1
        assert build("rulesets/hamlets.yaml", report=report) is not first
