"""Earlier measurements: a file with a line of JSON for every run."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.measuring import Figure, Results
from tools.environment import ROOT

FILE = ROOT / "docs" / "background" / "performance-history.jsonl"


@dataclass(frozen=True)
class Run:
    """A run: the fields of its entry besides the figures."""

    date: str
    clock: str
    quick: bool
    rounds: int


@dataclass(frozen=True)
class Before:
    """A figure of an earlier run."""

    date: str
    revision: str | None
    calibrated: float
    spread: float


def entry(run: Run, results: Results) -> dict[str, Any]:
    """Return the line of a run.

    Each figure has its median, lowest and highest value, calibrated median and spread.
    """
    return {
        "date": run.date,
        "revision": revision(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "clock": run.clock,
        "quick": run.quick,
        "rounds": run.rounds,
        "loop": _short(results.loop),
        "figures": {str(figure.key): _numbers(figure) for figure in results.figures},
    }


def append(file: Path, line: Mapping[str, Any]) -> None:
    """Append the line of a run to a file, which is made if missing."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(line) + "\n")


def last(file: Path, quick: bool) -> dict[str, Before]:
    """Return the latest earlier value of each figure, from runs that were equally quick.

    Raises SystemExit with a sentence when a line is not the entry of a run.
    """
    found: dict[str, Before] = {}
    if not file.is_file():
        return found
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
            if line["quick"] == quick:
                found |= _figures(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SystemExit(f"{file.name}:{number} is not the entry of a run: {error}") from None
    return found


def revision() -> str | None:
    """Return the revision of the checkout, with `+` for uncommitted changes; None without git."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def _figures(line: Mapping[str, Any]) -> dict[str, Before]:
    found = {}
    for key, (_, _, _, calibrated, spread) in line["figures"].items():
        found[key] = Before(line["date"], line["revision"], calibrated, spread)
    return found


def _numbers(figure: Figure) -> list[float]:
    f = figure
    return [_short(number) for number in (f.median, f.low, f.high, f.calibrated, f.spread)]


def _short(number: float) -> float:
    return float(f"{number:.5g}")
