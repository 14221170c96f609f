"""The built package is whole: installed far from its sources, it plays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import rulesdsl
from rulesdsl.cli.commands import parser
from tests.docs.test_python import CODE
from tools.environment import PAGE, node
from tools.man import COMPLETIONS, leaves

ROOT = Path(__file__).resolve().parents[2]

# One worker makes these tests, so that the wheel is built once. `tools release` runs them.
pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.long]


def _run(
    cwd: Path, *command: str | Path, env: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution as an index would get it."""
    out = tmp_path_factory.mktemp("dist")
    built = _run(ROOT, sys.executable, "-m", "build", "--no-isolation", "--outdir", out)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `rulesdsl` program of a new environment that holds nothing of the checkout.

    The dependencies are borrowed: only `.pth` files inside the borrowed folder lead to the
    checkout, and those are not followed.
    """
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    paths = {"base": str(home), "platbase": str(home)}
    site = Path(sysconfig.get_path("purelib", vars=paths))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = (sys.executable, "-m", "pip", "--python", home / "bin" / "python")
    done = _run(home, *pip, "install", "--quiet", "--no-index", "--no-deps", wheel)
    assert done.returncode == 0, done.stderr
    return home / "bin" / "rulesdsl"


def test_it_holds_every_game_and_schema(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("rulesets", "schemas"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        expected = {f"rulesdsl/_data/{path.relative_to(ROOT).as_posix()}" for path in files}
        assert expected
        assert expected <= inside


def test_it_explains_every_finding(installed: Path, tmp_path: Path) -> None:
    for slug in ("arity", "yaml-too-large"):
        told = _run(tmp_path, installed, "explain", slug)
        assert told.stdout.startswith(f"# {slug}\n"), told.stderr


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).namelist()
    assert "rulesdsl/py.typed" in inside
    release = f"rulesdsl-{rulesdsl.__version__}"
    assert {name.split("/")[0] for name in inside} == {
        *("rulesdsl", f"{release}.data", f"{release}.dist-info"),
    }


def test_the_manual_and_completions_are_installed(installed: Path) -> None:
    share = installed.parents[1] / "share"
    manual = (share / "man" / "man1" / "rulesdsl.1").read_text(encoding="utf-8")
    assert manual.startswith(f'.TH RULESDSL 1 "" "rulesdsl {rulesdsl.__version__}"')
    for command in leaves(parser()):
        assert f"\n.SS {command.prog}\n" in manual
    for name, path in COMPLETIONS.items():
        script = (installed.parents[1] / path).read_text(encoding="utf-8")
        assert "rulesdsl --complete" in script or "--complete" in script, name


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_its_types_are_honoured(installed: Path, tmp_path: Path, checker: str) -> None:
    python = installed.parent / "python"
    (tmp_path / "right.py").write_text(f"# pyright: strict\n{CODE}")
    wrong = 'reveal_type(game.start().moves()[0].args)\ngame.start("two")\nstate.scores() + 1\n'
    (tmp_path / "wrong.py").write_text(f"{CODE}\n{wrong}")
    command = {
        "mypy": (sys.executable, "-m", "mypy", "--strict", "--python-executable", python),
        "pyright": (node(), PAGE / "node_modules" / "pyright", "--pythonpath", python),
    }[checker]
    right = _run(tmp_path, *command, "right.py")
    assert right.returncode == 0, right.stdout + right.stderr
    lines = len(CODE.splitlines())
    told = _run(tmp_path, *command, "wrong.py").stdout
    assert re.search(r"Mapping\[(builtins\.)?str, .*Spot", told), told
    found = {int(line) for line in re.findall(r"wrong\.py:(\d+)(?=.*error)", told)}
    assert found == {lines + 3, lines + 4}, told


def test_the_notes_of_the_release_are_written() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{rulesdsl.__version__}] - 20" in changes


def test_it_plays_from_anywhere(installed: Path, tmp_path: Path) -> None:
    home, empty = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    empty.mkdir()
    env = {"PATH": os.defpath, "HOME": str(home)}
    played = _run(empty, installed, "run", "base", "--quiet", env=env)
    assert played.returncode == 0, played.stdout + played.stderr
    assert list(empty.iterdir()) == []
