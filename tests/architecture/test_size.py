"""Functions stay small enough to be read at a sitting."""

from __future__ import annotations

import ast

from tests.architecture.sources import PACKAGE, modules, place

FUNCTION_LINES = 60


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
