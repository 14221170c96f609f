"""When memory is looked over."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Does not look for garbage meanwhile: of what is built in one go almost all is kept, and to go
    over all of it again and again takes a seventh of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
