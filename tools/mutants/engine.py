"""`python3 -m tools mutants --engine`: tell which mistakes in lowering and passes tests notice.

One small change at a time is made in a copy of the checkout, and tests run until the first fails.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from tools.environment import ROOT

COUNT = 24
FOLDERS = ("rulesdsl/engine/lower", "rulesdsl/engine/ir/passes")
TESTS = ("tests/ir", "tests/lower", "tests/engines", "tests/oracle", "tests/rulesets")
"""Those that cost the least come first."""
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq},
    **{ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot},
    ast.IsNot: ast.Is,
}


def kind_of(node: ast.AST, tables: Sequence[str]) -> str:
    """Return what can be changed in a node, "" if nothing is."""
    match node:
        case ast.Compare(_, [_]):
            return "comparison"
        case ast.Constant(value) if type(value) is int:
            return "number"
        case ast.Expr(ast.Call()) | ast.AugAssign():
            return "statement"
        case ast.UnaryOp(ast.Not()):
            return "not"
        case ast.BoolOp():
            return "and, or"
        case ast.Attribute(ast.Name("tables"), name) if name in tables and len(tables) > 1:
            return "table"
    return ""


def change(node: ast.AST, tables: Sequence[str]) -> None:
    """Change a node."""
    match node:
        case ast.Compare(_, [operator]):
            node.ops = [TURNED[type(operator)]()]
        case ast.Constant(int(value)):
            node.value = value + 1
        case ast.Expr():
            node.value = ast.Constant(None)
        case ast.AugAssign():
            node.value = node.target
            node.__class__ = ast.Expr  # type: ignore[assignment]
        case ast.UnaryOp():
            node.op = ast.UAdd()
        case ast.BoolOp(operator):
            node.op = ast.Or() if isinstance(operator, ast.And) else ast.And()
        case ast.Attribute(_, name):
            node.attr = tables[tables.index(name) - 1]


def places(file: Path) -> Iterator[tuple[str, Path, int]]:
    """Yield each place of a file that can be changed: its kind, the file, its number."""
    text = file.read_text(encoding="utf-8")
    for number, node in enumerate(ast.walk(ast.parse(text))):
        if kind := kind_of(node, tables_of(text)):
            yield kind, file, number


def tables_of(text: str) -> list[str]:
    """Return the names of the tables in a text."""
    return sorted(set(re.findall(r"(?<=\btables\.)[a-z]\w+", text)))


def drawn(count: int, seed: int) -> list[tuple[str, Path, int]]:
    """Return so many places, of each kind about as many."""
    kinds: dict[str, list[tuple[str, Path, int]]] = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for place in places(path):
            kinds.setdefault(place[0], []).append(place)
    random = Random(seed)
    rows = [random.sample(each, len(each)) for each in kinds.values()]
    return [row[at] for at in range(count) for row in rows if at < len(row)][:count]


def measure(count: int, seed: int, tests: Sequence[str]) -> int:
    """Print which test notices each change; return how many none of them notices."""
    survive = 0
    with TemporaryDirectory() as scratch:
        listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
        for name in filter(None, listed.split("\0")):
            Path(scratch, name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, Path(scratch, name))
        for name in (".venv", "tools/page/node_modules"):  # tests of Node need it
            Path(scratch, name).symlink_to((ROOT / name).resolve())
        for kind, file, number in drawn(count, seed):
            text, copy = file.read_text(encoding="utf-8"), Path(scratch, file.relative_to(ROOT))
            tree = ast.parse(text)
            node = list(ast.walk(tree))[number]
            where = f"{file.relative_to(ROOT)}:{node.lineno}"  # type: ignore[attr-defined]
            old = ast.unparse(node).partition("\n")[0]
            change(node, tables_of(text))
            copy.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
            begun = perf_counter()
            command = [sys.executable, "-m", "pytest", "-qx", "-pno:cacheprovider", *tests]
            around = {**os.environ, "PYTHONPATH": scratch}
            ran = subprocess.run(command, cwd=scratch, env=around, capture_output=True, text=True)
            copy.write_text(text, encoding="utf-8")
            found = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
            how = f"noticed by {found[1] if found else '?'}" if ran.returncode else "SURVIVES"
            survive += not ran.returncode
            took = perf_counter() - begun
            print(f"{kind}, {where}: `{old}`: {how} ({took:.0f} s)", flush=True)
    print(f"{survive} of {count} survive")
    return survive
