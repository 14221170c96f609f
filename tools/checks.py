"""The static checks: their names and commands."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from tools import page
from tools.environment import ROOT, node

SCRIPTS = Path(sysconfig.get_path("scripts"))

CHECKS: dict[str, Sequence[str | Path]] = {
    "lint": ["ruff", "check", "--quiet"],
    "format": ["ruff", "format", "--check", "--quiet"],
    "types": ["mypy"],
    "imports": ["lint-imports", "--no-logo"],
    "page": page.TYPES,
}


def run(name: str) -> subprocess.CompletedProcess[str]:
    """Run the check of that name in the root of the checkout, with its output captured as text."""
    program, *arguments = CHECKS[name]
    start = [node()] if program == "node" else [SCRIPTS / program]
    return subprocess.run(
        [*start, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def run_all() -> int:
    """Run every check and print those that fail; return 0 if none does, else 1."""
    failed = 0
    for name in CHECKS:
        result = run(name)
        print(f"{name}: {'failed' if result.returncode else 'ok'}")
        if result.returncode:
            failed = 1
            print(result.stdout, file=sys.stderr)
    return failed
