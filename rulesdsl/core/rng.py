"""The generator of `docs/reference/generator.md`: `rng` for the game, `luck` for random bots."""

from __future__ import annotations

from rulesdsl.core.faults import RANGE, fault
from rulesdsl.core.tables import luck, rng

WORD = 0xFFFFFFFF
LARGEST = 0x7FFFFFFF
"""The largest bound."""


def word() -> int:
    """The next 32 bits of the game."""
    a = rng[0]
    b = rng[1]
    c = rng[2] ^ a
    d = rng[3] ^ b
    rng[0] = a ^ d
    rng[1] = b ^ c
    rng[2] = c ^ ((b << 9) & WORD)
    rng[3] = _rotated(d, 11)
    bits = (a + (d ^ b)) & WORD
    return ((bits << 7 | bits >> 25) + a) & WORD


def below(bound: int) -> int:
    """A number of the game from 0 to bound - 1, all equally likely. Fault RANGE for a bound that is
    not from 1 to LARGEST."""
    if bound < 1 or bound > LARGEST:
        fault(RANGE)
    limit = LARGEST // bound * bound
    drawn = word() >> 1
    while drawn >= limit:
        drawn = word() >> 1
    return drawn % bound


def luck_word() -> int:
    """The next 32 bits of random players."""
    a = luck[0]
    b = luck[1]
    c = luck[2] ^ a
    d = luck[3] ^ b
    luck[0] = a ^ d
    luck[1] = b ^ c
    luck[2] = c ^ ((b << 9) & WORD)
    luck[3] = _rotated(d, 11)
    bits = (a + (d ^ b)) & WORD
    return ((bits << 7 | bits >> 25) + a) & WORD


def luck_below(bound: int) -> int:
    """As `below`, for random players."""
    if bound < 1 or bound > LARGEST:
        fault(RANGE)
    limit = LARGEST // bound * bound
    drawn = luck_word() >> 1
    while drawn >= limit:
        drawn = luck_word() >> 1
    return drawn % bound


def _rotated(bits: int, by: int) -> int:
    """32 bits rotated to the left."""
    return ((bits << by) & WORD) | (bits >> (32 - by))
