"""Checks, lowers and compiles a ruleset in a process of its own; prints what it took."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from rulesdsl.engine.build.stages import build
from rulesdsl.engine.run import engine_of
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.language.diagnostics import Report, RulesError

SECONDS = 30


def peak() -> int:
    """Return the most bytes that this process has held in memory. `getrusage` would count those of
    the process that started it, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    engine, path, *expansions = sys.argv[1:]
    report = Report()
    checked = build(path, expansions, report=report)
    slugs = [finding.slug for finding in report]
    if checked is not None:
        try:
            engine_of(engine).start(checked, 2, 1)
        except RulesError as error:
            slugs += [finding.slug for finding in error.diagnostics]
        except PlayError as error:
            slugs.append(error.slug)
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    found = sorted(set(slugs))
    print(json.dumps({"seconds": spent, "bytes": peak(), "slugs": found}))


if __name__ == "__main__":
    main()
