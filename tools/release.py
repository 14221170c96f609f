"""A release as far as it can be prepared: everything except publishing it."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

import rulesdsl
from tools.environment import ROOT, WINDOWS, call

DIST = ROOT / "dist"
TRIALS = (
    ("--version",),
    ("check", "base"),
    ("run", "base", "--players", "2", "--seed", "1", "--quiet"),
    ("page", "base", "--players", "2", "--to", "page.html"),
)
"""What the installed wheel must do, away from the checkout."""


def main(arguments: list[str]) -> int:
    """Check version and changelog, test the package, build it into dist/, and try the wheel."""
    parser = argparse.ArgumentParser(prog="python3 -m tools release", description=main.__doc__)
    parser.add_argument(
        "--dirty",
        action="store_true",
        help="also between releases: with changes that are not committed or not in the changelog",
    )
    version = rulesdsl.__version__
    if not parser.parse_args(arguments).dirty and (found := problems(version)):
        print("\n".join(f"release: {each}" for each in found), file=sys.stderr)
        return 1
    call("testing the package", [sys.executable, "-m", "pytest", "tests/packaging", "-m", "long"])
    wheel = build(version)
    attempt(wheel)
    print(f"ready: {wheel.relative_to(ROOT)}")
    print(f"to publish it: git tag v{version} && git push origin v{version}, then upload dist/")
    return 0


def problems(version: str) -> list[str]:
    """Return what prevents a release of this version, in words."""
    found = []
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.M):
        found.append(f"CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD`")
    if "\n## [Unreleased]\n" in changes:
        found.append("CHANGELOG.md has a section `## [Unreleased]`: give it the version and a date")
    if _git("status", "--porcelain"):
        found.append("the checkout has changes that are not committed")
    if _git("tag", "--list", f"v{version}"):
        found.append(f"v{version} is released: raise `__version__` in rulesdsl/__init__.py")
    return found


def build(version: str) -> Path:
    """Build the source distribution, and the wheel from it; return the wheel."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT)]
    call("building", command)
    return DIST / f"rulesdsl-{version}-py3-none-any.whl"


def attempt(wheel: Path) -> None:
    """Install the wheel into a new environment and use it there; raises SystemExit."""
    with TemporaryDirectory(prefix="rulesdsl-") as home:
        venv.create(home, with_pip=True)
        programs = Path(home, "Scripts" if WINDOWS else "bin")
        pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
        call("installing the wheel", [*pip, "--quiet", str(wheel)])
        for trial in TRIALS:
            call(f"rulesdsl {' '.join(trial)}", [str(programs / "rulesdsl"), *trial], Path(home))


def _git(*command: str) -> str:
    return subprocess.check_output(["git", *command], cwd=ROOT, text=True)
