"""The static folder with the documentation and the studio."""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest

from rulesdsl.base.writing import write_all
from tests.page.node import printed
from tools.environment import ROOT
from tools.site import files, linked_to_index, shelved

# To build the whole site takes long; links of the documents have a test of their own.
pytestmark = pytest.mark.long

LINK = re.compile(r' (?:href|src)="([^"]+)"')
TRY = re.compile(r'class="try" href="([^"#]+)#([\w-]+)"')


@pytest.fixture(scope="module")
def site() -> dict[str, bytes]:
    return files(pytest.fail)


def pages(site: dict[str, bytes]) -> dict[str, str]:
    """The pages of the documentation."""
    return {
        name: data.decode()
        for name, data in site.items()
        if name.endswith(".html") and not name.startswith("studio/")
    }


def test_every_link_leads_to_a_file_of_the_site(site: dict[str, bytes]) -> None:
    missing = []
    folders = {posixpath.dirname(name) for name in site}
    for page, text in pages(site).items():
        for href in LINK.findall(text):
            address = href.partition("#")[0]
            if "://" in href or href.startswith("mailto:") or not address:
                continue
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
            if name not in site and name not in folders:
                missing.append(f"{page}: {href}")
    assert not missing, "\n".join(missing)


def test_examples_of_pages_open_in_the_studio(site: dict[str, bytes]) -> None:
    found = {}
    for page, text in pages(site).items():
        for address, packed in TRY.findall(text):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
            assert name == "studio/index.html"
            data = zlib.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15)
            shared = json.loads(data)
            assert shared["main"] in shared["files"]
            assert len(packed) < 32_000
            found[shared["main"]] = page
    assert len(found) > 20


FOUND = {
    "neighbour": ("docs/reference/language.html#builtins", "beside(cell"),
    "neighbor": ("docs/reference/language.html#builtins", "neighbours(cell"),
    "color": ("docs/reference/manifest.html#players", "colours"),
    "value-clash": ("rulesdsl/language/diagnostics/pages/value-clash.html", "value-clash"),
    "cheat": ("docs/cheat-sheet.html#cheat-sheet", "Cheat sheet"),
    "hidden argument": ("docs/reference/python.html#move", ".secret"),
    "install": ("docs/how-to/install.html", "install"),
    "zzzz": None,
}
"""Questions with a place, and a part of its heading, that must be among the first answers."""


def test_the_search_finds_and_the_cheat_sheet_is_one_sheet(
    site: dict[str, bytes], tmp_path: Path
) -> None:
    write_all(str(tmp_path), {n: data for n, data in site.items() if not n.startswith("studio/")})
    told = printed(
        Path(__file__).with_name("search.mjs"), str(tmp_path), input=json.dumps([*FOUND])
    )
    result = json.loads(told)
    assert result["errors"] == []
    assert result["opened"]
    assert result["sheets"] == 1
    for question, wanted in FOUND.items():
        found = result["found"][question][:8]
        if wanted is None:
            assert found == []
        else:
            assert any(at.startswith(wanted[0]) and wanted[1] in name for at, name in found), found


def test_the_index_leads_to_places_and_synonyms_to_words(site: dict[str, bytes]) -> None:
    entries, groups = (
        json.loads(line.partition(" = ")[2].removesuffix(";"))
        for line in site["search.js"].decode().splitlines()[:2]
    )
    for address, *_ in entries:
        page, _, anchor = address.partition("#")
        assert not anchor or f'id="{anchor}"' in site[page].decode(), address
    text = " ".join(part for entry in entries for part in entry[1:]).lower()
    assert all(any(word in text for word in group) for group in groups)
    assert {page.name for page in (ROOT / "docs").rglob("*.md")} <= {
        Path(address.partition("#")[0]).with_suffix(".md").name for address, *_ in entries
    }


def test_pages_allow_no_scripts(site: dict[str, bytes]) -> None:
    for name, text in pages(site).items():
        if name == "search.html":
            assert "; script-src 'self'\">" in text
            continue
        assert "default-src 'none'; style-src 'self'; img-src 'self'" in text
        assert "<script" not in text


def test_pages_lead_to_the_index_of_the_rulesets_and_examples(site: dict[str, bytes]) -> None:
    linked = linked_to_index(site)
    assert b'<a href="index/index.html">Rulesets</a></nav>' in linked["README.html"]
    assert b'<a href="../index/index.html">Rulesets</a></nav>' in linked["docs/README.html"]
    assert linked["studio/index.html"] == site["studio/index.html"]
    names = shelved()
    assert {"base.yaml", "river.rules", "cheap_inns.yaml"} <= names.keys()
