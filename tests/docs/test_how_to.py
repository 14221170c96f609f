"""Every task of the how-to pages is checked, and its scenarios hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.cli.main import main

FOLDER = Path(__file__).parents[2] / "docs" / "how-to"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(yaml|rules)\n(.*?)^```$", re.M | re.S)
TASKS = {
    f"{page.name}#{section.partition(chr(10))[0]}": BLOCK.findall(section)
    for page in sorted(FOLDER.glob("*.md"))
    for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)[1:]
    if "\nscenarios: " in section
}


def files(blocks: list[tuple[str, str]]) -> dict[str, str]:
    """The texts of a task by the names of their files: rules and scenarios belong to the manifest
    above them."""
    found: dict[str, str] = {}
    name = ""
    for kind, text in blocks:
        if kind == "yaml" and text.startswith("ruleset: "):
            name = text.splitlines()[0].removeprefix("ruleset: ")
            found[f"{name}.yaml"] = text
        else:
            found[f"{name}.rules" if kind == "rules" else f"{name}.test.yaml"] = text
    return found


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_checked_and_its_scenarios_hold(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written = files(TASKS[task])
    for name, text in written.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    rulesets = [name for name in written if name.count(".") == 1 and name.endswith(".yaml")]
    assert main(["check", rulesets[0]]) == 0, capsys.readouterr().out
    if len(rulesets) > 1:
        assert main(["check", *rulesets]) == 0, capsys.readouterr().out
    tests = [name for name in written if name.endswith(".test.yaml")]
    assert main(["test", *tests, "--engine", "reference", "--jobs", "1"]) == 0, (
        capsys.readouterr().out
    )


def test_the_index_lists_every_task() -> None:
    assert len(TASKS) >= 20
    links = set(re.findall(r"\]\((\S+\.md#\S+)\)", INDEX))
    assert links == {anchor(*task.split("#", 1)) for task in TASKS}


def anchor(page: str, title: str) -> str:
    """The link to a heading."""
    return f"{page}#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
