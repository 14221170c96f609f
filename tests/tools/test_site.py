"""The static folder with the documentation and the studio."""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from base64 import urlsafe_b64decode

import pytest

from tools.site import files

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


def test_pages_allow_no_scripts(site: dict[str, bytes]) -> None:
    for text in pages(site).values():
        assert "default-src 'none'; style-src 'self'; img-src 'self'" in text
        assert "<script" not in text
