"""A stand-in for `rpds` in a browser: the persistent collections that `referencing` needs.

The package is a compiled program; this one copies where it shares. It is not part of the studio's
own code: it lies at the top of the archive that a browser unpacks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class HashTrieMap(dict[Any, Any]):
    """A mapping; changes return a new one."""

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap:
        """Return any mapping as one of these."""
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Any, value: Any) -> HashTrieMap:
        """Return the mapping with an entry added."""
        return HashTrieMap({**self, key: value})

    def remove(self, key: Any) -> HashTrieMap:
        """Return the mapping without an entry; raises KeyError if it is not there."""
        rest = HashTrieMap(self)
        del rest[key]
        return rest

    def discard(self, key: Any) -> HashTrieMap:
        """Return the mapping without an entry."""
        return HashTrieMap({name: value for name, value in self.items() if name != key})

    def update(self, *others: Any, **named: Any) -> HashTrieMap:  # type: ignore[override]
        """Return the mapping with the entries of others."""
        found = dict(self)
        dict.update(found, *others, **named)
        return HashTrieMap(found)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


class HashTrieSet(frozenset[Any]):
    """A set; changes return a new one."""

    def insert(self, value: Any) -> HashTrieSet:
        """Return the set with a member added."""
        return HashTrieSet(self | {value})

    def update(self, *others: Iterable[Any]) -> HashTrieSet:
        """Return the set with the members of others."""
        return HashTrieSet(self.union(*others))


class List(tuple[Any, ...]):
    """A list; changes return a new one."""

    def push_front(self, value: Any) -> List:
        """Return the list with an item before all others."""
        return List((value, *self))

    def drop_first(self) -> List:
        """Return the list without its first item."""
        return List(self[1:])
