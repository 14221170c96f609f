"""The generator of `docs/reference/generator.md`: `rng` for the game, `luck` for random bots."""

from __future__ import annotations

from rulesdsl.engine.runtime.faults import RANGE, fault
from rulesdsl.engine.runtime.tables import luck, rng, seeded

WORD = 0xFFFFFFFF
LARGEST = 0x7FFFFFFF
"""The largest bound."""


def word() -> int:
    """Return the next 32 bits of the game's generator."""
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
    """Draw a number of the game's generator from 0 to bound - 1, all equally likely.

    Faults: RANGE for a bound that is not from 1 to LARGEST.
    """
    if bound < 1 or bound > LARGEST:
        fault(RANGE)
    limit = LARGEST // bound * bound
    drawn = word() >> 1
    while drawn >= limit:
        drawn = word() >> 1
    return drawn % bound


def luck_word() -> int:
    """Return the next 32 bits of the generator of random players."""
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
    """Draw a number as `below` does, for random players."""
    if bound < 1 or bound > LARGEST:
        fault(RANGE)
    limit = LARGEST // bound * bound
    drawn = luck_word() >> 1
    while drawn >= limit:
        drawn = luck_word() >> 1
    return drawn % bound


def _rotated(bits: int, by: int) -> int:
    return ((bits << by) & WORD) | (bits >> (32 - by))


# --- seeds ---------------------------------------------------------------------------------------


HALF = 0xFFFF

STEP_LOW = 0x7F4A7C15
STEP_HIGH = 0x9E3779B9
STREAM_LOW = 0xDE82EF95
STREAM_HIGH = 0xD1342543


def seed_game(low: int, high: int, number: int) -> None:
    """Seed `rng` and `luck` for random game `number` of a seed."""
    stream = -1 - number
    _seed(low, high, stream & WORD, (stream >> 32) & WORD)
    game_low = seeded[2]
    game_high = seeded[3]
    luck_low = seeded[4]
    luck_high = seeded[5]
    _seed(game_low, game_high, 0, 0)
    for word in range(4):
        rng[word] = seeded[2 + word]
    _seed(luck_low, luck_high, 0, 0)
    for word in range(4):
        luck[word] = seeded[2 + word]


def seed_luck(seed: int) -> None:
    """Seed `luck` with stream 0 of a seed of 32 bits."""
    _seed(seed, 0, 0, 0)
    for word in range(4):
        luck[word] = seeded[2 + word]


def _seed(low: int, high: int, stream_low: int, stream_high: int) -> None:
    """Set `seeded[2..5]` to the initial state of a stream of a seed."""
    _times(stream_low, stream_high, STREAM_LOW, STREAM_HIGH)
    _add(1, 0)
    _mix()
    mixed_low = seeded[0]
    mixed_high = seeded[1]
    seeded[0] = low
    seeded[1] = high
    _add(STEP_LOW, STEP_HIGH)
    _mix()
    low = seeded[0] ^ mixed_low
    high = seeded[1] ^ mixed_high
    for word in range(2):
        seeded[0] = low
        seeded[1] = high
        _add(STEP_LOW, STEP_HIGH)
        low = seeded[0]
        high = seeded[1]
        _mix()
        seeded[2 + 2 * word] = seeded[0]
        seeded[3 + 2 * word] = seeded[1]
    if (seeded[2] | seeded[3] | seeded[4] | seeded[5]) == 0:
        for word in range(4):
            seeded[2 + word] = 1 + word


def _mix() -> None:
    """Apply `mix64` to `seeded[0..1]`."""
    _fold(30)
    _times(seeded[0], seeded[1], 0x1CE4E5B9, 0xBF58476D)
    _fold(27)
    _times(seeded[0], seeded[1], 0x133111EB, 0x94D049BB)
    _fold(31)


def _fold(by: int) -> None:
    """Set the word z in `seeded[0..1]` to z ^ z >> by."""
    low = seeded[0]
    high = seeded[1]
    seeded[0] = low ^ (low >> by | (high << (32 - by)) & WORD)
    seeded[1] = high ^ (high >> by)


def _add(low: int, high: int) -> None:
    """Add to `seeded[0..1]`."""
    sum_ = seeded[0] + low
    seeded[0] = sum_ & WORD
    seeded[1] = (seeded[1] + high + (sum_ >> 32)) & WORD


def _times(a_low: int, a_high: int, b_low: int, b_high: int) -> None:
    """Multiply `seeded[0..1]`; no partial product takes more than 50 bits."""
    upper = a_low * (b_low >> 16)
    lower = a_low * (b_low & HALF) + ((upper & HALF) << 16)
    crossed = _low_times(a_high, b_low) + _low_times(a_low, b_high)
    seeded[0] = lower & WORD
    seeded[1] = ((lower >> 32) + (upper >> 16) + crossed) & WORD


def _low_times(a: int, b: int) -> int:
    return (a * (b & HALF) + ((a * (b >> 16) & HALF) << 16)) & WORD
