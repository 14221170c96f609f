"""The studio for a browser: served on this machine, as a static folder, or as one HTML file.

Without a server, Python runs in the browser. It is Pyodide, which is not part of this package; the
other files are those of the packages that are installed here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from threading import Lock
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from rulesdsl.author.studio.project import MAX_REQUEST, Data, gallery, ids
from rulesdsl.author.studio.session import Session
from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.language.read.files import shipped
from rulesdsl.language.read.manifest import EDITION
from rulesdsl.show.page import write
from rulesdsl.show.page.serve import Answer, Headers, PageServer, Post


def page(
    host: str,
    blocks: Iterable[str] = (),
    python: Iterable[str] = (),
    *,
    examples: Iterable[Data] | None = None,
) -> str:
    """Return the page for a host, with further elements that it needs.

    The host is a `server`, or Python in the browser, beside the page (`site`) or in it (`single`);
    `python` are the names of its files.

    `examples` are those of the gallery, by default the shipped ones. The same arguments make the
    same page.
    """
    script, style, game = write.built("studio.js"), write.built("studio.css"), write.shell()
    boot = {
        "host": host,
        "nonce": nonce(script),
        "edition": EDITION,
        "ids": ids(),
        "python": list(python),
        "template": write.built("studio.html"),
        "gallery": gallery() if examples is None else list(examples),
    }
    data = [
        write.packed("boot", json.dumps(boot, ensure_ascii=False).encode()),
        write.packed("page", game.encode()),
        write.packed("playouts", write.built("playouts.js").encode()),
        *blocks,
    ]
    return write.filled(
        write.built("studio.html"),
        {
            "policy": policy(script, style, host),
            "style": style,
            "script": script,
            "data": "\n".join(data),
        },
    )


def nonce(script: str) -> str:
    """Return the word by which the editor marks the styles that it makes."""
    return urlsafe_b64encode(sha256(script.encode()).digest()[:12]).decode()


def policy(script: str, style: str, host: str) -> str:
    """Return the content policy: scripts and styles of the page and of its game, nothing else.

    A frame can do no more than the page around it, so the game's are listed, too. Only the page of
    a server may ask its server.
    """
    return write.policy(
        [script, write.built("page.js")],
        [style, write.built("page.css")],
        connects=host != "single",
        # Python is a module that the worker makes of the bytes that it is given.
        more_scripts="" if host == "server" else " blob:",
        more_styles=f" 'nonce-{nonce(script)}'",
        trusted="studio worker",
    )


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
_LEFT_OUT = {"__pycache__", "_data", "built", "cli", "doc", "stand_in", "study"}
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
    found = dict(_below(Path(__file__).parents[2], "rulesdsl"))
    for package in _PACKAGES:
        spec = find_spec(package)
        assert spec is not None, f"{package} is a dependency"
        found.update(_below(Path(str(spec.origin)).parent, package))
    for data in _DATA:
        found.update(_below(shipped(data), f"rulesdsl/_data/{data}"))
    found["rpds.py"] = Path(__file__).with_name("stand_in") / "rpds.py"
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=9) as zipped:
        for name, path in sorted(found.items()):
            zipped.writestr(ZipInfo(name, _TIME), path.read_bytes(), ZIP_DEFLATED, 9)
    return out.getvalue()


def _below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in _LEFT_OUT)
        inside = Path(place).relative_to(folder).as_posix()
        for file in sorted(files):
            if Path(file).suffix not in _COMPILED:
                yield f"{name}/{inside}/{file}".replace("/./", "/"), Path(place) / file


Tell = Callable[[str], None]
"""Type of a function that shows a sentence to the user."""


def site(pyodide: Path, tell: Tell, examples: list[Data] | None = None) -> dict[str, bytes]:
    """Return the files of a static folder by their names: the page, and Python beside it."""
    parts = _parts(pyodide, tell)
    text = page("site", [_worker()], parts, examples=examples)
    return {"index.html": text.encode()} | {f"python/{name}": data for name, data in parts.items()}


def single(pyodide: Path, tell: Tell, examples: list[Data] | None = None) -> str:
    """Return the page as one HTML file with Python inside."""
    parts = _parts(pyodide, tell)
    blocks = [
        write.packed(f"python-{name}", data, deflated=name == _SNAPSHOT)
        for name, data in parts.items()
    ]
    return page("single", [_worker(), *blocks], parts, examples=examples)


def _parts(pyodide: Path, tell: Tell) -> dict[str, bytes]:
    """Return the files of Python by their names.

    Among them is a snapshot of Python's memory, from which the studio starts in a third of the
    time, if Node makes one. If not, `tell` is told why.
    """
    packages, program = archive(), Path(__file__).with_name("snapshot.mjs")
    parts = {name: (pyodide / name).read_bytes() for name in PYODIDE} | {_ARCHIVE: packages}
    key = b"".join(sha256(data).digest() for data in (*parts.values(), program.read_bytes()))
    name, make = (
        entry_name("studio", key, "snapshot"),
        partial(_snapshot, program, packages, pyodide),
    )
    try:
        return parts | {_SNAPSHOT: Cache.of_user().load_or_make(name, make, bytes, bytes)}
    except _NoSnapshot as error:
        tell(f"the studio starts more slowly, because Python's memory cannot be prepared: {error}")
        return parts


class _NoSnapshot(Exception):
    """The reason why there is no snapshot."""


def _snapshot(program: Path, packages: bytes, pyodide: Path) -> bytes:
    """Return a snapshot of Python's memory, deflated; raises _NoSnapshot."""
    beside = os.path.dirname(sys.executable)
    node = shutil.which("node", path=os.pathsep.join([os.environ.get("PATH", ""), beside]))
    if node is None:
        raise _NoSnapshot("there is no program `node` on this machine")
    command = [node, os.fspath(program), os.fspath(pyodide)]
    try:
        done = subprocess.run(command, input=packages, capture_output=True, timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        raise _NoSnapshot(f"`node` did not end within {_LONGEST} seconds") from None
    except OSError as error:
        raise _NoSnapshot(f"`{node}` cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if "Error" in line]
        raise _NoSnapshot(f"`node` says: {said[-1] if said else 'nothing'}")
    return done.stdout


def _worker() -> str:
    return write.packed("python", write.built("python.js").encode())


# --- the server ----------------------------------------------------------------------------------


def _alone(pyodide: str | None, headers: Headers, body: bytes) -> Post:
    """Return the studio as one HTML file with Python in it, or the reason why it cannot be made."""
    try:
        return Post(200, single(pyodide_folder(pyodide), lambda _: None).encode())
    except NoPyodide as error:
        help = "type `npm install pyodide` where `rulesdsl studio` runs, or send the zip"
        return Post(409, f"one HTML file needs Python in it: {error}; {help}".encode())


def server(session: Session, port: int = 0, pyodide: str | None = None) -> PageServer:
    """Return the server of a session; raises OSError if the port is taken.

    `pyodide` is the folder with the files of Pyodide, for the studio as one file.
    """
    lock = Lock()

    def ask(headers: Headers, body: bytes) -> Post:
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            return Post(400)
        with lock:  # one request after the other
            return Post(200, json.dumps(session.answer(request)).encode())

    posts: dict[str, Answer] = {"ask": ask, "alone": partial(_alone, pyodide)}
    return PageServer(page("server"), posts, port, most=MAX_REQUEST)
