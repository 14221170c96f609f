"""The limits of running rules, as `docs/reference/language.md` promises them.

An engine lets rules go at least as far. How it counts, and how much further it goes, is up to the
engine, as long as everything ends within bounded time and memory.
"""

from __future__ import annotations

STEPS = 200_000
"""Rounds of loops, calls, and iterated set members between two decisions."""

APPLICATIONS = 10_000
"""Applications of `always` rules after one step."""

WAITING = 1000
"""Calls that wait for the end of a step at the same time."""

NESTED = 1000
"""Depth of nested calls and blocks."""

VALUES = 200
"""Depth of nested calls of values."""

NUMBERS = 100_000
"""Numbers of an iterated range."""
