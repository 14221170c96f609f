"""Every task of the how-to pages is checked, and its scenarios hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.author.lint import played
from rulesdsl.cli.main import main
from tools.docs.examples import tasks

FOLDER = Path(__file__).parents[2] / "docs" / "how-to"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
TASKS = {
    f"{page.name}#{task['title']}": task
    for page in sorted(FOLDER.glob("*.md"))
    for task in tasks(page)
}
PLAYED = list(TASKS)[::4]
"""The tasks whose random games are played too: to compile one game takes longer than the rest of
the test. `-m long` plays all."""
MORE = [pytest.param(task, True, marks=pytest.mark.long) for task in TASKS if task not in PLAYED]


@pytest.mark.parametrize(("task", "plays"), [*((task, task in PLAYED) for task in TASKS), *MORE])
def test_a_task_is_checked_and_its_scenarios_hold(
    task: str,
    plays: bool,
    one_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for left in one_folder.iterdir():
        left.unlink()
    monkeypatch.chdir(one_folder)
    monkeypatch.setattr(played, "WORK", 20_000_000)  # random games of one task take 0.1 s each
    play = [] if plays else ["--no-play"]
    files, rulesets = TASKS[task]["files"], [TASKS[task]["main"], *TASKS[task]["with"]]
    for name, text in files.items():
        (one_folder / name).write_text(text, encoding="utf-8")
    alone = ["--no-play"] if rulesets[1:] else play
    assert main(["check", rulesets[0], *alone]) == 0, capsys.readouterr().out
    if rulesets[1:]:
        assert main(["check", *rulesets, *play]) == 0, capsys.readouterr().out
    tests = [name for name in files if name.endswith(".test.yaml")]
    assert main(["test", *tests, "--engine", "python", "--jobs", "1"]) == 0, capsys.readouterr().out


def test_the_index_lists_every_task() -> None:
    assert len(TASKS) >= 20
    links = set(re.findall(r"\]\((\S+\.md#\S+)\)", INDEX))
    assert links == {anchor(*task.split("#", 1)) for task in TASKS}


def anchor(page: str, title: str) -> str:
    """The link to a heading."""
    return f"{page}#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
