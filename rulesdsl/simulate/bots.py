"""Bots of a study: those of the package, and a user's own from a Python file."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import lru_cache

from rulesdsl.diagnostics.visible import visible
from rulesdsl.play.bots import Bot, bot_maker

OWN = ".py"
"""The ending of a file with a bot."""


def maker_of(text: str) -> Callable[[int, int], Bot]:
    """Return a function that makes a bot from a seed and a seat.

    `text` is the name of a bot, or the path of a Python file that defines such a function, `bot`.
    The file is run, so the user must have named it. Raises ValueError for anything else.
    """
    return _from_file(text) if text.endswith(OWN) else bot_maker(text)


@lru_cache(16)
def _from_file(path: str) -> Callable[[int, int], Bot]:
    try:
        found = runpy.run_path(path).get("bot")
    except OSError as error:
        raise ValueError(f"cannot read `{visible(path)}`: {error.strerror}") from None
    except Exception as error:
        reason = visible(f"{type(error).__name__}: {error}")
        raise ValueError(f"`{visible(path)}` fails when it is run: {reason}") from None
    if not callable(found):
        raise ValueError(f"`{visible(path)}` has no function `bot(seed, seat)` that makes a bot")
    maker: Callable[[int, int], Bot] = found
    return maker
