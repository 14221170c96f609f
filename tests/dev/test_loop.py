"""When it is looked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.dev.hand import Hand
from rulesdsl.dev.loop import GRACE, Bench, CheckedRulesets, View, follow
from tests.dev.conftest import Done, Told, bench_of, change


class Shown:
    """All views, `None` where a look begins."""

    def __init__(self) -> None:
        self.views: list[View | None] = []

    def __call__(self, view: View | None) -> None:
        self.views.append(view)

    @property
    def checks(self) -> list[list[str]]:
        """The slugs that each look found."""
        return [[f.slug for f in v.findings] for v in self.views if isinstance(v, CheckedRulesets)]


def shown(bench: Bench, watcher: Told) -> Shown:
    """All that is shown until nothing more happens."""
    screen = Shown()
    with pytest.raises(Done):
        follow(bench, watcher, screen)
    return screen


def test_it_looks_again_after_a_change_only(bench: Bench, folder: Path) -> None:
    rules = folder / "hamlets.rules"
    watcher = Told(
        [
            lambda: (folder / "notes.txt").write_text("not of a ruleset"),
            lambda: change(rules, "p.score += n", "p.score += m"),
            lambda: rules.touch(),
            lambda: change(rules, "p.score += m", "p.score += n"),
        ]
    )
    screen = shown(bench, watcher)
    assert screen.checks[0] == screen.checks[-1] == []
    assert ["unknown-name"] in screen.checks
    assert screen.views.count(None) == len(screen.checks) <= 4
    assert str(folder) in watcher.folders


def test_a_file_that_is_away_for_a_moment_is_not_missed(bench: Bench, folder: Path) -> None:
    rules = folder / "hamlets.rules"
    text = rules.read_text()
    watcher = Told([rules.unlink, lambda: rules.write_text(text)])
    assert shown(bench, watcher).checks == [[], []]
    assert GRACE in watcher.waits


@pytest.mark.parametrize("half", ["", "\n"])
def test_a_file_that_is_empty_for_a_moment_is_not_told(
    bench: Bench, folder: Path, half: str
) -> None:
    manifest = folder / "hamlets.yaml"
    text = manifest.read_text()
    watcher = Told([lambda: manifest.write_text(half), lambda: manifest.write_text(text)])
    assert shown(bench, watcher).checks == [[], []]


def test_a_file_that_stays_away_is_told(bench: Bench, folder: Path) -> None:
    class Waiting(Told):
        def wait(self, seconds: float | None = None) -> bool:
            return False if seconds == GRACE else super().wait(seconds)

    rules = folder / "hamlets.rules"
    screen = shown(bench, Waiting([lambda: rules.rename(folder / "other.rules")]))
    assert screen.checks == [[], ["file-missing"]]


def test_a_change_while_scenarios_are_tried_begins_anew(folder: Path) -> None:
    class Busy(Told):
        def wait(self, seconds: float | None = None) -> bool:
            happened = super().wait(seconds)
            if seconds == 0 and self.waits.count(0) == 1:
                change(folder / "hamlets.rules", "p.score += n", "p.score += n + 1")
                return True
            return happened

    bench = bench_of(Hand(None, 0, 3))
    screen = shown(bench, Busy([]))
    kinds = [type(view).__name__ for view in screen.views]
    checked, tried = "CheckedRulesets", "TriedScenarios"
    assert kinds == ["NoneType", checked, "NoneType", checked, tried, "Reached"]
