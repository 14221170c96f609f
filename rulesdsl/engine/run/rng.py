"""The generator behind all chance: xoshiro128++ seeded by SplitMix64.

docs/reference/generator.md specifies it and gives test vectors. The algorithms are David Blackman's
and Sebastiano Vigna's (https://prng.di.unimi.it, public domain).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

GAME = 0
"""The stream that resolves the chance of a game; the bot of a seat has stream 1 + seat."""

LARGEST = 0x7FFFFFFF
"""The largest bound, and the largest sum of weights."""

_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF
_STEP = 0x9E3779B97F4A7C15


def _mix64(z: int) -> int:
    z &= _MASK64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK64
    return z ^ (z >> 31)


def _rotl(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & _MASK32


class Rng:
    """A stream of random numbers, with a state of four 32-bit words that are not all zero."""

    def __init__(self, state: Sequence[int]) -> None:
        """Continue from a state; raises ValueError for one that no generator can be in."""
        good = len(state) == 4 and all(type(w) is int and 0 <= w <= _MASK32 for w in state)
        if not good or not any(state):
            raise ValueError("the state of a generator is four 32-bit words, not all zero")
        self._state = tuple(state)

    @classmethod
    def seeded(cls, seed: int, stream: int = GAME) -> Rng:
        """Return stream `stream` of a seed; both may be any integer and count modulo 2**64."""
        z = _mix64(seed + _STEP) ^ _mix64(stream * 0xD1342543DE82EF95 + 1)
        words: list[int] = []
        for _ in range(2):
            z = z + _STEP & _MASK64
            mixed = _mix64(z)
            words += (mixed & _MASK32, mixed >> 32)
        return cls(words if any(words) else (1, 2, 3, 4))

    @classmethod
    def read(cls, text: str) -> Rng:
        """Continue from a state as `text` gives it; raises ValueError for anything else."""
        return cls([int(text[at : at + 8], 16) for at in range(0, len(text), 8)])

    @property
    def state(self) -> tuple[int, ...]:
        return self._state

    @property
    def text(self) -> str:
        """The state as 32 hexadecimal digits."""
        return "".join(f"{word:08x}" for word in self._state)

    def clone(self) -> Rng:
        """Return a generator that yields the same numbers."""
        return Rng(self._state)

    def word(self) -> int:
        """Return the next 32 bits."""
        a, b, c, d = self._state
        out = _rotl(a + d & _MASK32, 7) + a & _MASK32
        t = b << 9 & _MASK32
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        self._state = (a, b, c ^ t, _rotl(d, 11))
        return out

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1, all equally likely; 1 <= bound <= LARGEST."""
        if not 1 <= bound <= LARGEST:
            raise ValueError(f"the bound {bound} is not from 1 to {LARGEST}")
        limit = LARGEST // bound * bound
        while (drawn := self.word() >> 1) >= limit:
            pass
        return drawn % bound

    def weighted(self, weights: Sequence[int]) -> int:
        """Return an index of `weights`, drawn with a probability proportional to its weight.

        Weights are at least 0, their sum is from 1 to LARGEST.
        """
        if any(weight < 0 for weight in weights):
            raise ValueError("a weight is less than 0")
        left = self.below(sum(weights))
        for index, weight in enumerate(weights):
            if left < weight:
                return index
            left -= weight
        raise AssertionError("a number below the sum falls into one of the weights")

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order, all orders equally likely (Fisher and Yates).

        From the last place down to the second, each item is exchanged with one drawn from those up
        to it.
        """
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
