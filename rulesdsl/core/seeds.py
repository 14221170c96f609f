"""Seeds of `docs/reference/generator.md`: words of 64 bits as two of 32, the low one first."""

from __future__ import annotations

from rulesdsl.core.tables import luck, rng, seeded

WORD = 0xFFFFFFFF
HALF = 0xFFFF

STEP_LOW = 0x7F4A7C15
STEP_HIGH = 0x9E3779B9
STREAM_LOW = 0xDE82EF95
STREAM_HIGH = 0xD1342543


def seed_game(low: int, high: int, number: int) -> None:
    """Let `rng` and `luck` be those of game `number` of a seed, played at random."""
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


def _seed(low: int, high: int, stream_low: int, stream_high: int) -> None:
    """Let `seeded[2..5]` be the state of a stream of a seed."""
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
    """`mix64` of `seeded[0..1]`."""
    _fold(30)
    _times(seeded[0], seeded[1], 0x1CE4E5B9, 0xBF58476D)
    _fold(27)
    _times(seeded[0], seeded[1], 0x133111EB, 0x94D049BB)
    _fold(31)


def _fold(by: int) -> None:
    """z ^ z >> by."""
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
    """Let `seeded[0..1]` be a product; no part of it takes more than 50 bits."""
    upper = a_low * (b_low >> 16)
    lower = a_low * (b_low & HALF) + ((upper & HALF) << 16)
    crossed = _low_times(a_high, b_low) + _low_times(a_low, b_high)
    seeded[0] = lower & WORD
    seeded[1] = ((lower >> 32) + (upper >> 16) + crossed) & WORD


def _low_times(a: int, b: int) -> int:
    """The low word of a product."""
    return (a * (b & HALF) + ((a * (b >> 16) & HALF) << 16)) & WORD
