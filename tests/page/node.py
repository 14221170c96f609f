"""Scripts that run under Node, as the development tools install it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tools.environment import node


def printed(
    script: Path | str, *given: Path | str, input: str = "", cwd: Path | None = None
) -> str:
    """Return what a script prints, which must print no errors."""
    run = subprocess.run(
        [node(), script, *given],
        input=input,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def browsed(script: Path, tasks: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Return what a browser finds in these tasks, by their names."""
    out = folder / "told.json"
    run = subprocess.run(
        [node(), script, out],
        input=json.dumps(tasks),
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return told
