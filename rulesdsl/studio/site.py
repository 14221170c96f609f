"""The studio without a server: a static folder, or one HTML file, that runs Python in the browser.

Python itself is Pyodide, which is not part of this package. The other files are those of the
packages that are installed here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from rulesdsl.page import write
from rulesdsl.read.files import shipped
from rulesdsl.studio.protocol import Data
from rulesdsl.studio.write import page

PYODIDE = (
    "pyodide.mjs",
    "pyodide-lock.json",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
)
"""The files of Pyodide that the studio needs."""
_ARCHIVE = "rulesdsl.zip"
_SNAPSHOT = "snapshot.bin"
_PACKAGES = (
    "attr",
    "attrs",
    "jsonschema",
    "jsonschema_specifications",
    "lark",
    "platformdirs",
    "referencing",
    "yaml",
)
"""The packages that the studio imports, all of them pure Python, besides the standard library."""
_DATA = ("rulesets", "schemas", "examples")
_LEFT_OUT = {"__pycache__", "_data", "built", "cli", "doc", "rl", "stand_in"}
_COMPILED = {".pyc", ".pyd", ".so"}
_LONGEST = 300
"""The seconds after which a program of Node that does not end is given up."""
_TIME = (1980, 1, 1, 0, 0, 0)


class NoPyodide(Exception):
    """An error for a folder without the files of Pyodide; the message names the missing one."""


def pyodide_folder(given: str | None) -> Path:
    """Return the folder with the files of Pyodide.

    It is the one that is given, else `node_modules/pyodide` here or in a folder around, else that
    of the development tools. Raises NoPyodide.
    """
    here = [Path.cwd(), *Path.cwd().parents]
    around = [each / "node_modules" / "pyodide" for each in here]
    around.append(shipped("tools") / "page" / "node_modules" / "pyodide")
    tried = [Path(given)] if given else [each for each in around if each.is_dir()]
    for folder in tried:
        missing = [name for name in PYODIDE if not (folder / name).is_file()]
        if not missing:
            return folder
        raise NoPyodide(f"`{folder}` has no file `{missing[0]}`")
    raise NoPyodide("Pyodide is not installed here")


def archive() -> bytes:
    """Return a ZIP archive of all Python files that the browser needs; it is the same each time."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=9) as zipped:
        for name, path in sorted(_files().items()):
            zipped.writestr(ZipInfo(name, _TIME), path.read_bytes(), ZIP_DEFLATED, 9)
    return out.getvalue()


def _files() -> Mapping[str, Path]:
    """Return the files of the archive by their names in it."""
    own = Path(__file__).parent.parent
    found = dict(_below(own, "rulesdsl"))
    for package in _PACKAGES:
        spec = find_spec(package)
        assert spec is not None, f"{package} is a dependency"
        found.update(_below(Path(str(spec.origin)).parent, package))
    for data in _DATA:
        found.update(_below(shipped(data), f"rulesdsl/_data/{data}"))
    found["rpds.py"] = Path(__file__).with_name("stand_in") / "rpds.py"
    return found


def _below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield the files in a folder and below, by their names in the archive."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in _LEFT_OUT)
        inside = Path(place).relative_to(folder).as_posix()
        for file in sorted(files):
            if Path(file).suffix not in _COMPILED:
                yield f"{name}/{inside}/{file}".replace("/./", "/"), Path(place) / file


def site(pyodide: Path, examples: list[Data] | None = None) -> dict[str, bytes]:
    """Return the files of a static folder by their names: the page, and Python beside it.

    With Node, a snapshot of Python's memory is among them, from which the studio starts earlier.
    """
    packages = archive()
    memory = _by_node("snapshot.mjs", packages, pyodide)
    parts = _parts(pyodide) | (
        {_ARCHIVE: packages, _SNAPSHOT: memory} if memory else {_ARCHIVE: compiled(pyodide)}
    )
    text = page("site", [_worker()], parts, examples=examples)
    return {"index.html": text.encode()} | {f"python/{name}": data for name, data in parts.items()}


def single(pyodide: Path, examples: list[Data] | None = None) -> str:
    """Return the page as one HTML file with Python inside; a snapshot would double its size."""
    parts = _parts(pyodide) | {_ARCHIVE: compiled(pyodide)}
    blocks = [write.packed(f"python-{name}", data) for name, data in parts.items()]
    return page("single", [_worker(), *blocks], parts, examples=examples)


def _parts(pyodide: Path) -> dict[str, bytes]:
    return {name: (pyodide / name).read_bytes() for name in PYODIDE}


def compiled(pyodide: Path) -> bytes:
    """Return the archive with its files compiled, if Node is there; otherwise as it is.

    Python starts about a second earlier with them.
    """
    plain = archive()
    return _by_node("compile.mjs", plain, pyodide) or plain


def _by_node(program: str, packages: bytes, pyodide: Path) -> bytes | None:
    """Return what a program makes of an archive; None without Node, or if it fails."""
    node = shutil.which("node")
    if node is None:
        return None
    command = [node, os.fspath(Path(__file__).with_name(program)), os.fspath(pyodide)]
    try:
        done = subprocess.run(command, input=packages, capture_output=True, timeout=_LONGEST)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _worker() -> str:
    return write.packed("python", write.built("python.js").encode())
