"""What is offered to be written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rulesdsl.model.uses import What


@dataclass(frozen=True)
class Item:
    """A word that fits: `what` it is (a kind of symbol, or `keyword`), what to say about it, and
    what to insert where that is more than the word: a snippet, in which `$1` and `${1:name}` are
    places to fill in. Items of a lower `rank` fit better."""

    label: str
    what: What | str
    detail: str = ""
    doc: str = ""
    snippet: str = ""
    rank: int = 5


def distinct(items: Iterable[Item]) -> list[Item]:
    """Each word once, as what fits best; those first, then by spelling."""
    best: dict[str, Item] = {}
    for item in items:
        if item.label not in best or item.rank < best[item.label].rank:
            best[item.label] = item
    return sorted(best.values(), key=lambda item: (item.rank, item.label))


def keywords(words: Iterable[str], rank: int = 8) -> list[Item]:
    """Words of the language."""
    return [Item(word, "keyword", rank=rank) for word in words]
