"""Tests of the GitHub Action: its steps run in the shell as the runner would run them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.index.conftest import shelf
from tools.checks import SCRIPTS
from tools.environment import ROOT

__all__ = ["shelf"]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HAMLET = """\
ruleset: hamlet
edition: 1
version: 1.0.0
requires: [base{bound}]
"""
SCENARIO = """\
scenarios: base
edition: 1
with: [hamlet]
tests:

  - {name: the first tile is drawn, expect: {asked: take}}
"""


def run(script: str, folder: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script of a step in a folder as the runner does."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **given, "PATH": f"{SCRIPTS}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def steps(folder: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run the steps that call `rulesdsl` in a folder, by the name of their command."""
    done = {}
    for step in ACTION["runs"]["steps"]:
        script = step.get("run", "")
        if "FOLDER" not in script:
            continue
        chosen = {f"${{{{ inputs.{k} }}}}": v["default"] for k, v in ACTION["inputs"].items()}
        given = {name: chosen[value] for name, value in step["env"].items()}
        done[script.partition("rulesdsl ")[2].split()[0]] = run(script, folder, given)
    return done


def test_a_ruleset_in_order_passes(tmp_path: Path) -> None:
    (tmp_path / "hamlet.yaml").write_text(HAMLET.format(bound=""), encoding="utf-8")
    (tmp_path / "hamlet.test.yaml").write_text(SCENARIO, encoding="utf-8")
    done = steps(tmp_path)
    assert list(done) == ["check", "test", "fmt"]
    assert {name: each.returncode for name, each in done.items()} == dict.fromkeys(done, 0), done


def test_rulesets_without_tests_pass(tmp_path: Path) -> None:
    (tmp_path / "hamlet.yaml").write_text(HAMLET.format(bound=""), encoding="utf-8")
    assert steps(tmp_path)["test"].returncode == 0


def test_a_failed_test_fails_its_step(tmp_path: Path) -> None:
    (tmp_path / "hamlet.yaml").write_text(HAMLET.format(bound=""), encoding="utf-8")
    failing = SCENARIO.replace("asked: take", "asked: nothing")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "hamlet.test.yaml").write_text(failing, encoding="utf-8")
    assert steps(tmp_path)["test"].returncode == 1


def test_problems_are_shown_at_their_lines(tmp_path: Path) -> None:
    (tmp_path / "hamlet.yaml").write_text(HAMLET.format(bound=" >= 9"), encoding="utf-8")
    found = steps(tmp_path)["check"]
    assert found.returncode == 1
    assert "error file=./hamlet.yaml,line=4," in found.stdout.replace("::", "")


def test_what_a_pull_request_changes_is_judged_against_all_others(shelf: Path) -> None:
    step = ACTION["runs"]["steps"][-1]
    assert "inputs.index" in step["if"]
    given = {"INDEX": "shelf", "SUBMITTED": "", "SARIF": "found.sarif"}
    given["GITHUB_STEP_SUMMARY"] = "summary.md"
    assert step["env"].keys() <= given.keys()
    folder = shelf.parent
    git = "git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main"
    save = f"{git} add shelf; {git} commit -qm change"
    change = f"{git} init -q; {save}; echo '# x' >> shelf/north.rules; {save}"
    assert run(change, folder, {}).returncode == 0
    done = run(step["run"], folder, given)
    assert done.returncode == 0, done
    assert "hooks-meet" not in done.stdout
    assert "## `north`" in (folder / "summary.md").read_text(encoding="utf-8")
    run(f"rm summary.md; echo '# x' >> shelf/west.rules; {save}", folder, {})
    done = run(step["run"], folder, given)
    assert "warning file=shelf/" in done.stdout
    assert "| `east` | ? needs an interaction; " in (folder / "summary.md").read_text(
        encoding="utf-8"
    )
    assert (folder / "found.sarif").is_file()
