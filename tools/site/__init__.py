"""The documentation and the studio as one static folder: `python3 -m tools site DIR`."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rulesdsl.author.studio.project import Data
from rulesdsl.author.studio.site import Tell, pyodide_folder, site
from rulesdsl.base.writing import write_all
from rulesdsl.cli.main import main as run
from rulesdsl.show.page.write import link
from tools.docs.examples import tasks
from tools.environment import ROOT

STUDIO, INDEX = "studio", "index"
_HREF = re.compile(r"\]\(([^)#\s]+)|src=\"([^\"]+)\"")


def main(arguments: list[str]) -> int:
    """Write the site into the folder that is named."""
    parser = argparse.ArgumentParser(prog="python3 -m tools site", description=__doc__)
    parser.add_argument("folder", metavar="DIR", help="the folder to write")
    folder = parser.parse_args(arguments).folder
    found = files(lambda text: print(text, file=sys.stderr))
    write_all(folder, linked_to_index(found))
    with TemporaryDirectory() as shelf:
        write_all(shelf, shelved())
        index, studio = os.path.join(folder, INDEX), os.path.join(folder, STUDIO)
        failed = run(["index", shelf, "--to", index, "--title", "Rulesets", "--studio", studio])
    print(f"written to {folder}")
    return failed


def shelved() -> dict[str, bytes]:
    """Return the files of the rulesets of the project, and of the examples of its how-to pages."""
    found = {each.name: each.read_bytes() for each in sorted((ROOT / "rulesets").glob("*.*"))}
    for page in sorted((ROOT / "docs" / "how-to").glob("*.md")):
        for task in tasks(page):
            found |= {name: text.encode() for name, text in task["files"].items()}
    return found


def linked_to_index(site: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the site with a link to the index on its pages."""
    made = {}
    for name, data in site.items():
        address = os.path.relpath(f"{INDEX}/index.html", os.path.dirname(name) or ".")
        link = f'<a href="{address}">Rulesets</a></nav>'.encode().replace(b"\\", b"/")
        own = name.endswith(".html") and not name.startswith(f"{STUDIO}/")
        made[name] = data.replace(b"</nav>", b" " + link, 1) if own else data
    return made


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
    found["search.html"] = _page(_SEARCH, "Search", "", script=True).encode()
    found["search.js"] = search(pages).encode()
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


# --- search --------------------------------------------------------------------------------------

_SEARCH = """<h1>Search</h1>
<form role="search"><input id="q" type="search" aria-label="Search all pages" autofocus></form>
<p id="count" role="status"></p>
<ol id="found"></ol>
<script src="search.js"></script>
"""
Entry = tuple[str, str, str, str]
"""The address of a place, the title of its page, its heading, and its text."""


def search(pages: Iterable[Path]) -> str:
    """Return the program of the search with its index of all pages.

    A page cannot read other files when it is opened from a disk, so the index is in the program.
    """
    folder = Path(__file__).parent
    entries = [entry for page in dict.fromkeys(pages) for entry in _entries(page)]
    synonyms = json.loads((folder / "synonyms.json").read_text(encoding="utf-8"))
    data = {"ENTRIES": entries, "SYNONYMS": synonyms}
    heads = [f"const {name} = {json.dumps(value)};\n" for name, value in data.items()]
    return "".join(heads) + (folder / "search.js").read_text(encoding="utf-8")


def _entries(page: Path) -> Iterator[Entry]:
    """Yield the sections of a page, and the rows of tables that begin with code."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    _anchor(tokens)
    title, heading, address, texts = page.stem, page.stem, _html_name(page), list[str]()
    rows = list[Entry]()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            yield from _section(address, title, heading, texts, rows)
            heading = _words(tokens[at + 1])
            title = heading if token.tag == "h1" else title
            address = f"{_html_name(page)}#{token.attrGet('id')}"
            texts, rows = [], []
        elif token.type == "fence":
            texts.append(token.content)
        elif token.type == "inline" and tokens[at - 1].type != "heading_open":
            first = tokens[at - 2].type == "tr_open" and bool(token.children)
            if first and token.children and token.children[0].type == "code_inline":
                rows.append((address, title, token.children[0].content, ""))
            elif rows and tokens[at - 1].type == "td_open" and tokens[at - 2].type != "tr_open":
                rows[-1] = (*rows[-1][:3], f"{rows[-1][3]} {_words(token)}".strip())
            else:
                texts.append(_words(token))
    yield from _section(address, title, heading, texts, rows)


def _section(
    address: str, title: str, heading: str, texts: list[str], rows: list[Entry]
) -> Iterator[Entry]:
    if texts or rows:
        yield address, title, heading, " ".join(" ".join(texts).split())
    yield from rows


def _words(token: Token) -> str:
    """Return the text of a paragraph, heading or cell without its marks."""
    parts = (" " if each.type.endswith("break") else each.content for each in token.children or ())
    return " ".join("".join(parts).split())


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
    return _page(body, title, up, page.stem)


def _page(body: str, title: str, up: str, name: str = "", *, script: bool = False) -> str:
    """Return a whole page; `up` leads to the folder of the site."""
    policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'"
    policy += "; script-src 'self'" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{escape(title)}</title>\n<link rel="stylesheet" href="{up}style.css">\n</head>\n'
        f'<body class="{name}">\n<nav><a href="{up}index.html">rulesdsl</a> '
        f'<a href="{up}docs/README.html">Documentation</a> '
        f'<a href="{up}search.html">Search</a> '
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
            task = ends[at]
            opened = link(task["main"], task["with"], task["files"])
            address = f"{up}/index.html#{opened}"
            made = Token("html_block", "", 0)
            made.content = f'<p><a class="try" href="{address}">Open in the studio</a></p>\n'
            found.append(made)
    return found
