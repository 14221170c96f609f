"""Building of the web page: its modules bundled into the files that the package ships."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.environment import PAGE, ROOT

BUILT = ROOT / "rulesdsl" / "show" / "page" / "built"
SOURCES = PAGE / "src"
TYPES = ("node", PAGE / "node_modules" / "typescript" / "bin" / "tsc", "-p", PAGE)
"""The command that checks the types of the page's modules."""
_TARGET = "--target=es2022,chrome111,firefox115,safari16.4"


def build(folder: Path = BUILT) -> None:
    """Write the built files of the page into a folder.

    Raises CalledProcessError if a module has a mistake; the cause is printed.
    """
    folder.mkdir(exist_ok=True)
    for name, entry in (
        ("page.js", "main.js"),
        ("worker.js", "worker.js"),
        ("page.css", "page.css"),
        ("studio.js", "studio/main.js"),
        ("studio.css", "studio/studio.css"),
        ("python.js", "studio/python.js"),
        ("playouts.js", "studio/playouts.js"),
    ):
        with TemporaryDirectory() as made:
            out = Path(made) / name
            esbuild = [PAGE / "node_modules" / "esbuild" / "bin" / "esbuild", SOURCES / entry]
            options = ["--bundle", "--minify", "--charset=utf8", "--log-level=warning", _TARGET]
            format = [] if name.endswith(".css") else ["--format=iife"]
            subprocess.run([*esbuild, *options, *format, f"--outfile={out}"], check=True)
            (folder / name).write_bytes(out.read_bytes())
    for source in (SOURCES / "page.html", SOURCES / "studio" / "studio.html"):
        (folder / source.name).write_bytes(source.read_bytes())
