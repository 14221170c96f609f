"""Books of small rulesets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import pytest

from rulesdsl.play import load
from rulesdsl.show.doc import page

RULESETS = Path(__file__).parents[1] / "cli" / "rulesets"
BoxOf = Callable[..., Path]


class Page:
    """A book that was read as browsers read it, without a mistake in it."""

    def __init__(self, text: str) -> None:
        builder: Any = html5lib.getTreeBuilder("etree")
        parser = html5lib.HTMLParser(tree=builder, namespaceHTMLElements=False)
        self.text = text
        self.root: Element = parser.parse(text)
        assert not parser.errors

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """All elements of a tag with these attributes."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [e for e in self.root.iter(tag) if wanted.items() <= e.attrib.items()]

    def one(self, id: str) -> Element:
        """The element with an id."""
        (found,) = (e for e in self.root.iter() if e.get("id") == id)
        return found

    def words(self, id: str) -> str:
        """What is to be read in the element with an id."""
        return words(self.one(id))


_INLINE = frozenset({"a", "b", "code", "span", "var"})


def words(element: Element) -> str:
    """What is to be read in an element, in one line."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: Element) -> Iterator[str]:
    gap = "" if element.tag in _INLINE else " "
    yield gap + (element.text or "")
    for inner in element:
        yield from _pieces(inner)
        yield inner.tail or ""
    yield gap


def book(*names: str, language: str = "en") -> Page:
    """The book of a ruleset with others."""
    main, *more = names
    return Page(page(load(main, more, engine="python"), language))


@pytest.fixture
def made(tmp_path: Path) -> BoxOf:
    """Writes a small game, with more in its manifest, its rules and its scenarios."""

    def write(manifest: str = "", rules: str = "", tests: str = "", about: str = "") -> Path:
        (tmp_path / "glade.yaml").write_text(
            f"{about}ruleset: glade\nedition: 1\nversion: 1.0.0\nrules: glade.rules\n"
            "players: {min: 2, max: 3, colours: [red, blue, green]}\n"
            "game: {play: game, finish: finish, score: player.score}\n"
            f"{manifest}"
        )
        (tmp_path / "glade.rules").write_text(
            "state player.score: int 0..999\n"
            "action game(): finish()\n"
            f"action finish(): end_game(players)\n{rules}"
        )
        if tests:
            (tmp_path / "glade.test.yaml").write_text(f"scenarios: glade\nedition: 1\n{tests}")
        return tmp_path / "glade.yaml"

    return write
