"""What a manifest says about where it belongs, read without reading all of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from rulesdsl.diagnostics import Report, Source
from rulesdsl.model.nodes import Mapping, Node, Scalar, Sequence
from rulesdsl.read.yaml import parse_yaml

T = TypeVar("T")


@dataclass(frozen=True)
class Header:
    """The header of a manifest; nothing of it has been checked."""

    id: str
    requires: tuple[str, ...] = ()
    interaction: tuple[tuple[str, ...], ...] = ()
    house: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the rulesets without which it means nothing."""
        first = self.interaction[0] if self.interaction else ()
        return (*self.requires, *(n for n in first if all(n in each for each in self.interaction)))

    @property
    def parties(self) -> tuple[str, ...]:
        """The parties of all its meetings."""
        return tuple(dict.fromkeys(name for each in self.interaction for name in each))


# A key of the header and the lines below it up to the next key in the first column.
_ENTRY = re.compile(
    r"^(?:ruleset|requires|interaction|house)[ \t]*:[^\n]*(?:\n(?![A-Za-z_\"'])[^\n]*)*", re.M
)
_IS_RULESET = re.compile(r"^ruleset[ \t]*:", re.M)


def peek(text: str) -> Header | None:
    """The header of a manifest, or None if `text` is no manifest or its header cannot be read.

    A manifest is a mapping with the key `ruleset`. Where its keys stand in the first column only
    the header's lines are read, so that looking through many files is cheap and an error further
    down does not hide what a file is.
    """
    if "ruleset" not in text:
        return None
    found = _header("\n".join(_ENTRY.findall(text))) if _IS_RULESET.search(text) else None
    return found or _told(parse_yaml(Source("", text), Report()))


@lru_cache(maxsize=256)
def _header(text: str) -> Header | None:
    """What the lines of a header say; the same files are looked through again and again."""
    return _told(parse_yaml(Source("", text), Report()))


def _told(node: Node | None) -> Header | None:
    """The header in a document."""
    if not isinstance(node, Mapping):
        return None
    ruleset, house = node.get("ruleset"), node.get("house")
    if not isinstance(ruleset, Scalar):
        return None
    return Header(
        str(ruleset.value),
        _words(node.get("requires")),
        groups(node.get("interaction"), _words),
        isinstance(house, Scalar) and house.value is True,
    )


def groups(node: Node | None, names: Callable[[Node | None], T]) -> tuple[T, ...]:
    """The groups of parties that `interaction` lists; it may list one group's parties alone."""
    if node is None:
        return ()
    items = node.items if isinstance(node, Sequence) else ()
    inner: list[Node] = [each for each in items if isinstance(each, Sequence)]
    return tuple(names(each) for each in inner or [node])


def _words(node: Node | None) -> tuple[str, ...]:
    """The scalars of a list; one that stands alone counts as a list of one."""
    items = node.items if isinstance(node, Sequence) else (node,)
    return tuple(str(item.value) for item in items if isinstance(item, Scalar))
