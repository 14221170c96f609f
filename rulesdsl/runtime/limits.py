"""The limits of running rules, as `docs/reference/language.md` promises them.

An engine lets rules go at least as far. How it counts, and how much further it lets them go, is its
own affair, as long as everything ends within bounded time and memory.
"""

from __future__ import annotations

STEPS = 200_000
"""Rounds of loops, calls, and members of the sets that are gone through, between two decisions."""

APPLICATIONS = 10_000
"""Applications of `always` rules after one step."""

WAITING = 1000
"""Calls that wait for the end of a step."""

NESTED = 1000
"""Calls and blocks inside one another."""

VALUES = 200
"""Calls of values inside one another."""

NUMBERS = 100_000
"""Numbers of a range that is gone through."""
