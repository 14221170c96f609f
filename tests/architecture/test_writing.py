"""Files are written in one module, which sees to it that none is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.sources import PACKAGE, modules, place

HOME = PACKAGE / "base" / "writing.py"
WRITES = {
    "rename", "replace", "link", "symlink", "truncate", "mkstemp",
    "NamedTemporaryFile", "copyfile", "copy", "copy2", "move",
}  # fmt: skip
_WRITING = {*"wxa+"}
MODULES = {"os", "shutil", "tempfile", "io"}


def _writes(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that open a file to write it, or make or move one."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        match call.func:
            case ast.Name("open") | ast.Attribute(ast.Name("io"), "open"):
                if any(each.arg == "closefd" for each in call.keywords):
                    continue  # a descriptor that is open already
                mode = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
                if any(not isinstance(m, ast.Constant) or _WRITING & {*str(m.value)} for m in mode):
                    yield call
            case ast.Name("FileIO" | "mkstemp"):
                yield call
            case ast.Attribute(_, "write_text" | "write_bytes"):
                yield call
            case ast.Attribute(ast.Name(module), name) if module in MODULES and name in WRITES:
                yield call


def test_files_are_written_in_one_module() -> None:
    found = [
        place(path, call.lineno)
        for path, tree in modules(PACKAGE)
        if path != HOME
        for call in _writes(tree)
    ]
    assert not found, f"write files with `rulesdsl.base.writing`: {found}"


def test_calls_that_write_are_seen() -> None:
    lines = ("open(p, 'w')", "open(p, mode='ab')", "os.replace(a, b)", "Path(p).write_text(t)")
    assert all(list(_writes(ast.parse(line))) for line in lines)
    assert not list(_writes(ast.parse("open(p, 'rb'); open(p); text.replace(a, b)")))
