"""A release is refused with every reason, and otherwise ready to be built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import release

CHANGES = "# Changes\n\n## [1.2.3] - 2030-01-31\n\n- More.\n"


def problems(
    changes: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    status: str = "",
    tag: str = "",
) -> list[str]:
    (tmp_path / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "_git", lambda name, *_: {"status": status, "tag": tag}[name])
    return release.problems("1.2.3")


def test_a_finished_version_is_ready(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert problems(CHANGES, monkeypatch, tmp_path) == []


def test_all_reasons_against_it_are_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changes = "# Changes\n\n## [Unreleased]\n\n## [1.2.4] - 2030-02-01\n"
    found = problems(changes, monkeypatch, tmp_path, status=" M README.md\n", tag="v1.2.3\n")
    reasons = ("no section `## [1.2.3]", "`## [Unreleased]`", "not committed", "v1.2.3 is released")
    assert len(found) == len(reasons)
    for each, reason in zip(found, reasons, strict=True):
        assert reason in each
