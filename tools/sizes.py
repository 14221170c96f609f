"""The lines and statements of the code by concern, which a change may only lower.

`python3 -m tools.sizes [BASE]` compares them with those of another revision. Only the standard
library is used here, so that nothing needs to be installed for that.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.environment import ROOT

NUMBERS = "tests/architecture/sizes.json"
CONCERNS = {
    "rules text": "language/format.py language/parse language/model/ast.py",
    "manifests, files": "language/read language/model/nodes.py",
    "linking, geometry": (
        "language/geometry language/link language/model/game.py language/model/geometry.py"
        " language/model/names.py"
    ),
    "checking": "language/check language/builtins.py language/model",
    "composition proof": (
        "engine/build/combinations.py engine/build/footprints.py language/check/conflicts"
    ),
    "lowering": "engine/lower",
    "runtime": "engine/runtime",
    "IR, ranges, passes": "engine/ir language/model/ir.py language/model/tables.py",
    "engines": "engine/run engine/__init__.py",
    "public play API, records, names": "__init__.py __main__.py draw.py play rl.py simulate.py",
    "search, bots, hints": "play/bots.py engine/runtime/search.py engine/runtime/turns.py",
    "learning": "study/batch.py study/environment.py study/observe.py",
    "tests of rules": "play/golden.py play/scenario author/testing",
    "simulation": "study",
    "why": "author/why",
    "language server": "author/lsp",
    "lint": "author/lint",
    "page, studio": "show/page author/studio",
    "tables on the network": "serve",
    "books, drawing": "show",
    "scaffold": "author/__init__.py author/scaffold",
    "command line": "cli base/texts",
    "diagnostics, build, plumbing": (
        "base engine/build language/__init__.py language/diagnostics language/reports.py"
    ),
    "index of rulesets": "author/index",
    "versions of a ruleset": "author/versions cli/diff.py",
}
"""The paths of each concern below `rulesdsl/`; the longest one that leads to a module counts."""
HOMES = {path: concern for concern, paths in CONCERNS.items() for path in paths.split()}

Sizes = dict[str, dict[str, int]]
"""Counts by concern, and of `rulesdsl`, `tests` and `JavaScript` as wholes.

The whole of Python under `rulesdsl/` counts modules as well as lines and statements.
"""
TOTALS = ("rulesdsl", "tests", "JavaScript")


def concern(module: Path) -> str:
    """Return the concern of a module, given relative to the package; "" if none has it."""
    found = (HOMES.get(path.as_posix()) for path in (module, *module.parents))
    return next(filter(None, found), "")


def files(folder: Path, *suffixes: str) -> Iterator[Path]:
    """Yield the files below a folder that people write; those in `built` are made."""
    for path, folders, names in os.walk(folder):
        folders[:] = sorted({*folders} - {"node_modules", "built"})
        yield from (Path(path, name) for name in sorted(names) if name.endswith(suffixes))


@cache
def modules(folder: Path) -> tuple[tuple[Path, ast.Module], ...]:
    """Return every Python file below a folder with its syntax tree."""
    return tuple(
        (path, ast.parse(path.read_text(encoding="utf-8"), str(path)))
        for path in files(folder, ".py")
    )


@cache
def measure(root: Path = ROOT) -> Sizes:
    """Count the code of a checkout."""
    sizes: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"lines": 0})
    package = root / "rulesdsl"
    for path, tree in modules(package):
        counts = {"lines": _lines(path), "statements": _statements(tree)}
        for name in ("rulesdsl", concern(path.relative_to(package))):
            for key, count in counts.items():
                sizes[name][key] = sizes[name].get(key, 0) + count
        sizes["rulesdsl"]["modules"] = sizes["rulesdsl"].get("modules", 0) + 1
    sizes["tests"]["lines"] = sum(map(_lines, files(root / "tests", ".py")))
    sizes["JavaScript"]["lines"] = sum(
        _lines(path)
        for folder in ("rulesdsl", "tests", "tools", "docs")
        for path in files(root / folder, ".js", ".mjs")
    )
    return dict(sorted(sizes.items()))


def known() -> Sizes:
    """Return the sizes in the last commit, so that a change may delete first and add later.

    Where that has none, those that are written down.
    """
    shown = subprocess.run(["git", "show", f"HEAD:{NUMBERS}"], cwd=ROOT, capture_output=True)
    text = shown.stdout.decode() or (ROOT / NUMBERS).read_text(encoding="utf-8")
    found: Sizes = json.loads(text)
    return found


def risen(before: Sizes, after: Sizes) -> list[str]:
    """Return what grew, in words, unless as much was deleted elsewhere; empty if nothing did."""
    return [
        f"{name}: {count - before[name][key]} {key} more than the {before[name][key]} before"
        for name in TOTALS
        for key, count in after[name].items()
        if count > before[name][key]
    ]


def write(sizes: Sizes) -> None:
    """Write the sizes down."""
    lines = (f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in sizes.items())
    (ROOT / NUMBERS).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def lower() -> list[str]:
    """Write the sizes down unless something rose; return what did, in words."""
    sizes = measure()
    problems = risen(known(), sizes)
    if not problems:
        write(sizes)
    return problems


def main(arguments: list[str]) -> int:
    """Print a table of what a branch changes; return 1 if a total rose, else 0."""
    base = _git("merge-base", "HEAD", *(arguments or ["main"])).decode().strip()
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(_git("archive", base))) as archive:
            archive.extractall(folder, filter="data")
        before, after = measure(Path(folder)), measure()
    print("| concern | lines | statements |\n| --- | ---: | ---: |")
    for name in (*sorted({*before, *after} - {*TOTALS}), *TOTALS):
        cells = [
            _change(*(each.get(name, {}).get(key, 0) for each in (before, after)))
            for key in ("lines", "statements")
        ]
        print(f"| {name or 'other'} | {' | '.join(cells)} |")
    print(f"\nmodules: {_change(before['rulesdsl']['modules'], after['rulesdsl']['modules'])}")
    problems = risen(before, after)
    print(*problems, sep="\n")
    return 1 if problems else 0


def _change(before: int, after: int) -> str:
    return f"{before:,}" + (f" → {after:,} ({after - before:+,})" if after != before else "")


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _statements(node: ast.AST) -> int:
    """Count the statements below a node; docstrings are none, and no expression holds any."""
    return sum(
        _statements(each) + (isinstance(each, ast.stmt) and not _is_text(each))
        for each in ast.iter_child_nodes(node)
        if not isinstance(each, ast.expr)
    )


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _git(*command: str) -> bytes:
    return subprocess.check_output(["git", *command], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
