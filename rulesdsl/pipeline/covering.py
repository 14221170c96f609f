"""Few sets of names in which any two meet, and do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb


def covering(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Few sets of names, the first of them all, so that of any two names there is a set with both,
    with either alone and with neither: a covering array of strength two.

    Each name is in the first set and in as many of the others as all names, but in no two names'
    the same: so of two names each is somewhere without the other. It is in less than half of them:
    so two names together leave one out.
    """
    others = next(n for n in range(1, len(names) + 2) if comb(n, (n - 1) // 2) >= len(names))
    codes = combinations(range(others), (others - 1) // 2)
    among = dict(zip(names, codes, strict=False))
    rest = (tuple(name for name in names if row in among[name]) for row in range(others))
    return [tuple(names), *rest]
