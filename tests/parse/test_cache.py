"""The tables of the grammar are shipped or kept, and whatever is wrong with them does no harm."""

from __future__ import annotations

import zlib
from pathlib import Path

import lark
import pytest

from rulesdsl.base.cache import Cache
from rulesdsl.language.parse import grammar
from rulesdsl.language.parse.grammar import load, shipment

SHIPPED = Path(grammar.__file__).with_name(grammar.SHIPPED)


def entry(folder: Path) -> Path:
    """The one file of the folder."""
    (file,) = folder.iterdir()
    return file


KEY = b"k" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def tree(folder: Path, shipped: bytes = b"") -> object:
    """What the parser with that cache makes of a text."""
    parser = load(Cache(folder, KEY), shipped)
    return parser.parse("most(x in S by a, -2 where not x.b == 1)", "expression")


def test_tables_from_the_cache_are_the_tables(folder: Path) -> None:
    built = tree(folder)
    kept = entry(folder).read_bytes()
    assert tree(folder) == built
    assert entry(folder).read_bytes() == kept


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", *(zlib.compress(text) for text in (b"null", b"[]", b"[1, 2]", b"[1, {}, {}]"))],
)
def test_tables_that_are_none_are_built_anew(folder: Path, content: bytes) -> None:
    built = tree(folder)
    cache = Cache(folder, KEY)
    cache.put(entry(folder).name, content)
    assert cache.get(entry(folder).name) == content
    assert tree(folder) == built
    assert cache.get(entry(folder).name) not in (None, content)


def test_the_shipped_tables_are_the_tables(folder: Path) -> None:
    shipped = SHIPPED.read_bytes()
    assert tree(folder, shipped) == tree(folder.parent / "other")
    assert not folder.exists(), "`python3 -m tools grammar` writes the tables anew"
    assert zlib.decompress(shipment())[:60] == zlib.decompress(shipped)[:60]


@pytest.mark.parametrize(
    "shipped",
    [b"", b"x", *(zlib.compress(text) for text in (b"", b"null", b"[]", b"[1, {}, {}]", b"[[]]"))],
)
def test_what_is_shipped_and_fits_nothing_is_not_used(folder: Path, shipped: bytes) -> None:
    assert tree(folder, shipped) == tree(folder.parent / "other")
    assert entry(folder).name.startswith("grammar-")


def test_tables_of_another_lark_are_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark, "__version__", "0.1")
    tree(folder, SHIPPED.read_bytes())
    assert entry(folder).name.startswith("grammar-")
