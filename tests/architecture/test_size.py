"""The shape of the code: short functions, few lines of imports, and one class for each name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.architecture.sources import PACKAGE, modules, place

FUNCTION_LINES = 60
IMPORT_LINES = 5_519
"""The largest number of import lines, so that modules are merged rather than split."""
TREES = {PACKAGE / "language" / "model" / name for name in ("ast.py", "checked.py", "ir.py")}
"""The modules of the three trees, whose nodes share their names."""


def test_no_function_is_too_long() -> None:
    functions = [
        (path, node)
        for path, tree in modules(PACKAGE)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    too_long = [
        f"{place(path, node.lineno)} {node.name}: {size}"
        for path, node in functions
        if (size := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    ]
    assert functions
    assert not too_long, f"longer than {FUNCTION_LINES} lines: {too_long}"


def test_the_name_of_a_class_is_that_of_no_other() -> None:
    homes = defaultdict[str, set[Path]](set)
    for path, tree in modules(PACKAGE):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(path)
    doubled = {name: found for name, found in homes.items() if len(found) > 1 and found - TREES}
    assert {"Binary", "Game"} <= homes.keys()
    assert not doubled


def test_few_lines_are_imports() -> None:
    imports = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for _, tree in modules(PACKAGE)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    assert 0 < imports <= IMPORT_LINES
