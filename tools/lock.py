"""The lock of the Python packages: every version with the hashes of all its files."""

from __future__ import annotations

import argparse
import subprocess
import sys

from tools.environment import LOCK, PYPROJECT, ROOT

HEAD = "# Written by `python3 -m tools lock`, for every system and every supported Python.\n"


def main(arguments: list[str]) -> int:
    """Write the lock; versions that still fit stay unless it is an upgrade."""
    parser = argparse.ArgumentParser(prog="python3 -m tools lock", description=main.__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = ["--upgrade"] if parser.parse_args(arguments).upgrade else []
    # Addresses of an index do not belong in the file: they differ from machine to machine.
    plain = ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    uv = [sys.executable, "-m", "uv", "pip", "compile", str(PYPROJECT), "--all-extras", "--quiet"]
    done = subprocess.call(
        [*uv, "--universal", "--generate-hashes", *plain, *upgrade, "--output-file", str(LOCK)],
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
    )
    if done == 0:
        LOCK.write_text(HEAD + LOCK.read_text(encoding="utf-8"), encoding="utf-8")
    return done
