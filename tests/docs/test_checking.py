"""The page on checking: its example says what it shows, its commands and files are taken."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from rulesdsl.author.lint.formats import FORMATS
from rulesdsl.cli.commands import parser
from rulesdsl.cli.main import main
from rulesdsl.language.diagnostics import Source
from rulesdsl.language.diagnostics.allow import Allowance, allowances

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reference" / "checking.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
BLOCKS = [match.groups() for match in BLOCK.finditer(TEXT)]
WORKFLOW = yaml.safe_load(next(text for _, name, text in BLOCKS if name == "workflow"))
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
COMMANDS = [
    *re.findall(r"^    rulesdsl (.*)$", TEXT, re.M),
    *(
        step["run"].removeprefix("rulesdsl ")
        for step in STEPS
        if "rulesdsl " in step.get("run", "")
    ),
]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_example_is_what_comes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for _, name, text in BLOCKS:
        if name and name.startswith("my_idea"):
            (tmp_path / name).write_text(text, encoding="utf-8")
    (shown,) = (text for language, _, text in BLOCKS if language == "text")
    command, _, told = shown.partition("\n")
    assert main(shlex.split(command)[2:]) == 1
    assert capsys.readouterr().out == told


def test_commands_are_taken() -> None:
    assert len(COMMANDS) == 6
    for command in COMMANDS:
        words = shlex.split(command.partition(">")[0])
        assert parser().parse_args(words).command in ("check", "test")


def test_comments_allow_what_the_page_says() -> None:
    (text,) = (text for language, name, text in BLOCKS if not language and not name)
    found = list(allowances(Source("a.rules", text)))
    assert [(each.slug, each.line) for each in found if isinstance(each, Allowance)] == [
        ("unused", 1),
        ("never-ran", 4),
        ("hooks-meet", 4),
    ]


def test_all_formats_are_told() -> None:
    assert set(re.findall(r"^\| `(\w+)` \| ", TEXT, re.M)) == {"text", *FORMATS}


def test_hooks_are_those_of_the_page_and_run() -> None:
    named = re.findall(r"^      - id: (\S+)$", TEXT, re.M)
    assert sorted(named) == sorted(hook["id"] for hook in HOOKS)
    for hook in HOOKS:
        words: list[str] = [*hook["entry"].split(), *hook["args"]]
        assert words[0] == "rulesdsl"
        assert parser().parse_args(words[1:]).command == words[1]
        assert re.search(hook["files"], "games/my_idea.rules")
        assert (hook["language"], hook["pass_filenames"]) == ("python", False)
