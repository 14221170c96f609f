"""Settings for every test."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run, and no clock: a failure is a failure everywhere.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
