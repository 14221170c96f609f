"""The documentation and the studio as one static folder: `python3 -m tools site DIR`."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rulesdsl.read.manifest import EDITION
from rulesdsl.studio.project import Data
from rulesdsl.studio.site import Tell, pyodide_folder, site
from rulesdsl.writing import write_all
from tools.docs.examples import tasks
from tools.environment import ROOT

STUDIO = "studio"
_HREF = re.compile(r"\]\(([^)#\s]+)|src=\"([^\"]+)\"")


def main(arguments: list[str]) -> int:
    """Write the site into the folder that is named."""
    parser = argparse.ArgumentParser(prog="python3 -m tools site", description=__doc__)
    parser.add_argument("folder", metavar="DIR", help="the folder to write")
    folder = parser.parse_args(arguments).folder
    write_all(folder, files(lambda text: print(text, file=sys.stderr)))
    print(f"written to {folder}")
    return 0


def files(tell: Tell) -> dict[str, bytes]:
    """Return all files of the site by their names."""
    studio = site(pyodide_folder(None), tell)
    found = {f"{STUDIO}/{name}": data for name, data in studio.items()}
    found["style.css"] = Path(__file__).with_name("style.css").read_bytes()
    pages = _markdown()
    for page in pages:
        found[_html_name(page)] = rendered(page).encode()
        for path in _linked(page):
            if path.suffix != ".md":
                found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
            elif path not in pages:
                pages.append(path)
    found["index.html"] = found["README.html"]
    return found


def _markdown() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _linked(page: Path) -> Iterator[Path]:
    """Yield the files of the project to which a page links."""
    for href in _HREF.findall(page.read_text(encoding="utf-8")):
        path = page.parent / (href[0] or href[1])
        if "://" not in str(path) and path.is_file():
            yield path.resolve()


def _html_name(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix(".html").as_posix()


# --- examples ------------------------------------------------------------------------------------


def link(example: Mapping[str, object]) -> str:
    """Return the part behind `#` of an address that opens an example in the studio."""
    shared = {
        "version": 1,
        "edition": EDITION,
        "players": 2,
        "seed": "8",
        "lines": [],
        **{key: example[key] for key in ("main", "with", "files")},
    }
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(json.dumps(shared, ensure_ascii=False).encode()) + packer.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


# --- pages ---------------------------------------------------------------------------------------


def rendered(page: Path) -> str:
    """Return a page as HTML, with a link to the studio behind each example."""
    text = page.read_text(encoding="utf-8")
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(text)
    _anchor(tokens)
    _relink(tokens)
    body = reader.renderer.render(_with_links(tokens, page), reader.options, {})
    up = "../" * (len(page.relative_to(ROOT).parts) - 1)
    title = next((t.content for t in tokens if t.type == "inline"), page.stem)
    policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="stylesheet" href="{up}style.css">\n</head>\n'
        f'<body>\n<nav><a href="{up}index.html">rulesdsl</a> '
        f'<a href="{up}docs/README.html">Documentation</a> '
        f'<a href="{up}{STUDIO}/index.html">Studio</a></nav>\n{body}</body>\n</html>\n'
    )


def _anchor(tokens: list[Token]) -> None:
    """Give headings the ids by which pages link to them."""
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            words = re.sub(r"[^\w\- ]", "", tokens[at + 1].content.lower())
            token.attrSet("id", words.replace(" ", "-"))


def _relink(tokens: list[Token]) -> None:
    """Make links to pages lead to their HTML."""
    for token in tokens:
        for inner in token.children or ():
            href = str(inner.attrGet("href") or "")
            if inner.type == "link_open" and "://" not in href:
                inner.attrSet("href", re.sub(r"\.md(?=#|$)", ".html", href))


def _with_links(tokens: list[Token], page: Path) -> list[Token]:
    """Return the tokens with a link behind the last block of each example."""
    up = os.path.relpath(ROOT / STUDIO, page.parent).replace(os.sep, "/")
    ends: dict[int, Data] = {}
    for task in tasks(page):
        texts = set(task["files"].values())
        ends[max(at for at, token in enumerate(tokens) if token.content in texts)] = task
    found = []
    for at, token in enumerate(tokens):
        found.append(token)
        if at in ends:
            address = f"{up}/index.html#{link(ends[at])}"
            made = Token("html_block", "", 0)
            made.content = f'<p><a class="try" href="{address}">Open in the studio</a></p>\n'
            found.append(made)
    return found
